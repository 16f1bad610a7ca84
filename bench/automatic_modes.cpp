// Random mechanisms with reduction = "auto": what is kept, the estimated and the true error against all modes, and the
// processor time of both.
//   automatic_modes [--count N] [--seed S] [--end SECONDS] [--only INDEX]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/judged_modes.h"

int main(int count, char** arguments) {
  using namespace lithe;
  int number = 50, only = -1;
  unsigned seed = 1;
  double end_time = 0.2;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string option = arguments[i];
    if (option == "--count") number = std::atoi(arguments[i + 1]);
    if (option == "--seed") seed = static_cast<unsigned>(std::atoi(arguments[i + 1]));
    if (option == "--end") end_time = std::atof(arguments[i + 1]);
    if (option == "--only") only = std::atoi(arguments[i + 1]);
  }
  std::printf("%5s %-8s %4s %4s  %9s %9s  %8s %8s  %s\n", "seed", "sensors", "kept", "all", "estimate", "true", "s",
              "all s", "worst");
  double seconds = 0, all_seconds = 0;
  int wrong = 0, fewer = 0;
  for (int i = 0; i < number; ++i) {
    if (only >= 0 && i != only) continue;
    const Model model = testing::judged_mechanism(i, seed + static_cast<unsigned>(i));
    const testing::JudgedModes judged = testing::judge_modes(model, end_time);
    const ModeChoice& choice = judged.choice;
    const bool holds = !judged.finished || judged.true_error <= 2 * choice.error + 1e-12;
    std::printf("%5u %-8s %4d %4d  %9.1e %9.1e  %8.3f %8.3f  %s%s%s\n", seed + static_cast<unsigned>(i),
                testing::describe(testing::judged_sensors(i)), choice.num_modes(), choice.num_available(), choice.error,
                judged.true_error, judged.seconds, judged.all_seconds, choice.worst.c_str(), holds ? "" : " WRONG",
                judged.finished ? "" : " (not finished)");
    std::fflush(stdout);
    seconds += judged.seconds;
    all_seconds += judged.all_seconds;
    wrong += holds ? 0 : 1;
    fewer += choice.has_all() ? 0 : 1;
  }
  std::printf("fewer than all: %d; worse than twice the estimate: %d; %.1f s instead of %.1f s\n", fewer, wrong,
              seconds, all_seconds);
  return wrong > 0 ? 1 : 0;
}
