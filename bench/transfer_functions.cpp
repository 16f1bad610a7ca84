// The formulation transfer-functions: linearisation over the number of elements of a chain, and a Campbell diagram.
#include "lithe/formulate/transfer/transfer_functions.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "app/reproduce/papers/transfer.h"
#include "lithe/formulate/formulation.h"
#include "lithe/formulate/transfer/tangent.h"
#include "support/rotating_beams.h"

namespace {

using namespace lithe;
using namespace lithe::testing;

// Processor time, s; the best of some repetitions.
template <class Work>
double best_time(int repetitions, const Work& work) {
  double best = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

// Elements alone (linear in their number), and with the dense matrices of all coordinates.
void chains() {
  for (const int n : {25, 50, 100, 200}) {
    const Model model = rotating_beam({}, n);
    const TransferFunctions equations(model);
    const auto workspace = equations.make_workspace();
    const State state = equations.initial_state();
    Inputs inputs = make_inputs(model);
    inputs.prescribed_motion[0][0] = {0, 3, 0};
    Accelerations none;
    none.values = VectorX::Zero(equations.num_coordinates());
    LinearBlocks blocks;
    TransferWork work(equations.tree(), 0);
    TransferTangent tangent(equations.tree());
    work.y_rate(0) = 3;
    const double elements = best_time(10, [&] {
      update_elements(equations.tree(), work);
      update_frames(equations.tree(), work);
      update_forces(equations.tree(), work);
      update_jacobians(equations.tree(), work);
      tangent.update_elements(equations.tree(), work);
    });
    const double dense = best_time(5, [&] { equations.linearise_about(state, inputs, none, *workspace, blocks); });
    std::printf(
        "chain of %3d beams: elements linearised in %6.2f ms (%5.1f us each), dense matrices of %4d "
        "coordinates in %7.2f ms\n",
        n, 1e3 * elements, 1e6 * elements / n, equations.num_coordinates(), 1e3 * dense);
  }
}

void campbell() {
  const auto equations = make_equations(rotating_shaft(0.5, 4), {.formulation = "transfer-functions"});
  double sum = 0;
  const double time = best_time(5, [&] {
    for (int k = 0; k < 200; ++k) sum += shaft_whirl(*equations, 0.01 * k).squared_frequencies(0).real();
  });
  std::printf("Campbell diagram of the shaft, 4 elements, 200 speeds: %.1f ms (%g)\n", 1e3 * time, sum);
}

}  // namespace

int main() {
  chains();
  campbell();
}
