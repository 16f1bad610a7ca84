// Linear models: the blocks of a five-bar with 40 elastic coordinates, the whole linear model with its outputs, and a
// Campbell diagram. Processor time on one core.
#include "lithe/analyse/linear/linearise.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "lithe/analyse/stability/steady_motion.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"

namespace {

using namespace lithe;

double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The best of several runs, in milliseconds.
template <class Work>
double milliseconds(int repeats, const Work& work) {
  double best = 1e9;
  for (int k = 0; k < 5; ++k) {
    const double start = now();
    for (int i = 0; i < repeats; ++i) work();
    best = std::min(best, (now() - start) / repeats);
  }
  return 1e3 * best;
}

Model five_bar(int modes_per_link) {
  Model model = read_model(LITHE_MODELS_DIR "/five_bar.toml");
  for (Link& link : model.links) {
    link.reduction = {};
    link.reduction.num_kept_modes = modes_per_link;
    for (BeamSegment& segment : link.segments) segment.num_elements = 5;
  }
  return model;
}

void time_five_bar(Space space) {
  Model model = five_bar(10);
  model.space = space;
  const auto equations = make_equations(model);
  const auto workspace = equations->make_workspace();
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, 0, inputs);
  const State state = equations->initial_state();
  LinearBlocks blocks;
  const auto linear_inputs = default_inputs(*equations);
  const double only_blocks = milliseconds(100, [&] { equations->linearise(state, inputs, *workspace, blocks); });
  const double whole =
      milliseconds(20, [&] { linearise(*equations, state, inputs, linear_inputs, LinearAbout::held); });
  std::printf(
      "five-bar, %s, 4 x 10 elastic modes, %d coordinates: M, C, K, B %.3f ms; linear model with outputs %.3f ms\n",
      space == Space::planar ? "planar" : "spatial", equations->num_coordinates(), only_blocks, whole);
}

void time_campbell() {
  const Model model = read_model(LITHE_MODELS_DIR "/unsymmetrical_shaft.toml");
  const auto equations = make_equations(model, {.formulation = "transfer-functions"});
  CampbellOptions options;
  options.freedom = {0, 0};
  for (int i = 0; i < 200; ++i) options.speeds.push_back(0.5 * i);
  CampbellDiagram diagram;
  const double time =
      milliseconds(1, [&] { diagram = campbell_diagram(*equations, equations->initial_state(), options); });
  std::printf("shaft of 4 elements, %d coordinates, %zu speeds: Campbell diagram with unstable speeds %.1f ms\n",
              equations->num_coordinates(), diagram.speeds.size(), time);
}

}  // namespace

int main() {
  time_five_bar(Space::planar);
  time_five_bar(Space::spatial);
  time_campbell();
  return 0;
}
