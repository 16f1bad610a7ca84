// Automatically chosen modes against all modes, on random mechanisms: `reduction_campaign [FIRST LAST [DURATION]]`. One line for
// each sensor: estimate, true error, their ratio. Minutes; not part of the tests.
#include <cstdio>
#include <cstdlib>

#include "support/random_mechanism.h"

int main(int argc, char** argv) {
  using namespace lithe;
  const unsigned first = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
  const unsigned last = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 50;
  const double duration = argc > 3 ? std::strtod(argv[3], nullptr) : 0.3;
  const double tolerance = argc > 4 ? std::strtod(argv[4], nullptr) : 1e-7;
  int judged = 0, worse = 0, failed = 0;
  std::puts("seed quantity modes available estimate error ratio seconds_chosen seconds_all steps_chosen steps_all");
  for (unsigned seed = first; seed <= last; ++seed) {
    const Model model = testing::random_mechanism(seed, duration);
    const ModeChoice choice = choose_modes(model);
    if (!choice.problem.empty()) {
      std::printf("%u no estimate: %s\n", seed, choice.problem.c_str());
      ++failed;
      continue;
    }
    const testing::TrueErrors errors = testing::true_errors(model, choice, tolerance);
    if (errors.sensors.empty()) {
      std::printf("%u: a run failed\n", seed);
      ++failed;
      continue;
    }
    for (std::size_t i = 0; i < errors.sensors.size(); ++i) {
      const double estimate = choice.readings[i].error, error = errors.sensors[i];
      const double integration = 1e-5;  // of the peak: what the two integrations may differ by
      const double ratio = error <= integration ? 0 : error / estimate;
      ++judged;
      if (ratio > 2) ++worse;
      std::printf("%u %d %d %d %.2e %.2e %.2f %.2f %.2f %ld %ld\n", seed, static_cast<int>(model.sensors[i].quantity),
                  choice.num_dynamic(), choice.num_available(), estimate, error, ratio, errors.seconds_chosen,
                  errors.seconds_all, errors.steps_chosen, errors.steps_all);
    }
    std::fflush(stdout);
  }
  std::printf("%d sensors judged, %d worse than twice the estimate, %d mechanisms without result\n", judged, worse, failed);
  return worse == 0 && failed == 0 ? 0 : 1;
}
