// The whole library, the README's example: from a model file to a motion on disk.
#include <lithe/analyse/motion/simulate.h>
#include <lithe/formulate/erls/erls_cms.h>
#include <lithe/read/read_model.h>
#include <lithe/reduce/reduce.h>
#include <lithe/results/motion.h>

#include <filesystem>
#include <fstream>

constexpr const char* rod = R"(
lithe = 1
gravity = [0, 0, -9.81]
[materials.steel]
density = 7800
young_modulus = "210 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = "10 mm"
height = "10 mm"
[[links]]
name = "rod"
nodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
[links.reduction]
method = "none"
kept_modes = 4
[[joints]]
name = "pivot"
child = "rod"
child_node = "root"
axis = [0, 1, 0]
)";

int main(int, char** argv) {
  const std::filesystem::path folder = std::filesystem::path(argv[0]).parent_path();
  std::ofstream(folder / "rod.toml") << rod;
  const lithe::Model model = lithe::read_model(folder / "rod.toml");
  const lithe::ReducedModel reduced = lithe::reduce(model);
  const lithe::ErlsCms equations(reduced);
  const lithe::Trajectory motion = lithe::simulate(equations, lithe::at_rest(equations), {.end_time = 0.1});
  lithe::write_motion(motion, folder / "results", "motion");
  return motion.end == lithe::RunEnd::finished && std::filesystem::exists(folder / "results" / "motion.csv") ? 0 : 1;
}
