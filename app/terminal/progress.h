// A progress bar on stderr with the time to go; nothing at all when stderr is not a terminal.
#pragma once

#include <chrono>
#include <string>

namespace lithe::app {

class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `fraction` of the work that is done, 0 to 1. Cheap: draws ten times a second at most.
  void update(double fraction);
  // Removes the bar, so that what is printed next starts on a clean line.
  void finish();

 private:
  void draw(double fraction);

  using Clock = std::chrono::steady_clock;
  std::string label_;
  bool shown_;
  bool on_line_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_ - std::chrono::hours(1);
};

// "1:05:09 to go", "42 s to go".
std::string time_to_go(double seconds);

}  // namespace lithe::app
