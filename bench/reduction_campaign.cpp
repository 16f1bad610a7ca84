// Automatically chosen modes against all modes, on random mechanisms: `reduction_campaign [FIRST LAST [DURATION
// [TOLERANCE [fine]]]]`. One line for each sensor; ratio: its true error over the estimate of the whole choice.
// Minutes; not part of the tests. docs/modes_of_links.md has results.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "support/judged_mechanism.h"

namespace {

struct Tally {
  int judged = 0, worse = 0, failed = 0, bent = 0;
  long modes = 0, available = 0;
  double seconds_to_choose = 0, seconds_chosen = 0, seconds_all = 0;
};

void judge(unsigned seed, double duration, double tolerance, bool fine, Tally& tally) {
  using namespace lithe;
  const Model model = testing::judged_mechanism(seed, duration, tolerance);
  const std::clock_t begin = std::clock();
  const ModeChoice choice = choose_modes(model);
  tally.seconds_to_choose += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const testing::TrueErrors errors =
      choice.problem.empty() ? testing::true_errors(model, choice, fine) : testing::TrueErrors{};
  if (errors.sensors.empty()) {
    std::printf("%u: %s\n", seed, choice.problem.empty() ? "a run failed" : choice.problem.c_str());
    ++tally.failed;
    return;
  }
  if (!errors.small_deformation) {
    std::printf("%u: a link leaves the range of small deformation\n", seed);
    ++tally.bent;
    return;
  }
  tally.modes += choice.num_dynamic();
  tally.available += choice.num_available();
  tally.seconds_chosen += errors.seconds_chosen;
  tally.seconds_all += errors.seconds_all;
  for (std::size_t i = 0; i < errors.sensors.size(); ++i) {
    const double ratio = errors.sensors[i] / choice.error;
    ++tally.judged;
    if (ratio > 2) ++tally.worse;
    std::printf("%u %.3f %d %d %d %.2e %.2e %.2e %.2f %.2e %.2f %.2f\n", seed, choice.duration,
                static_cast<int>(model.sensors[i].quantity), choice.num_dynamic(), choice.num_available(), choice.error,
                choice.readings[i].error, errors.sensors[i], ratio, errors.peaks[i], errors.seconds_chosen,
                errors.seconds_all);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned long first = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
  const unsigned long last = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 50;
  const double duration = argc > 3 ? std::strtod(argv[3], nullptr) : 0.1;
  const double tolerance = argc > 4 ? std::strtod(argv[4], nullptr) : 1e-3;
  Tally tally;
  std::puts("seed duration quantity modes available estimate of_sensor error ratio peak s_chosen s_all");
  for (unsigned long seed = first; seed <= last; ++seed)
    judge(static_cast<unsigned>(seed), duration, tolerance, argc > 5, tally);
  std::printf("%d sensors judged, %d worse than twice the estimate, %d mechanisms without result, %d bend too far\n",
              tally.judged, tally.worse, tally.failed, tally.bent);
  std::printf("%ld of %ld modes; %.2f s to choose, %.2f s to integrate them, %.2f s with all modes\n", tally.modes,
              tally.available, tally.seconds_to_choose, tally.seconds_chosen, tally.seconds_all);
  return tally.worse == 0 && tally.failed == 0 ? 0 : 1;
}
