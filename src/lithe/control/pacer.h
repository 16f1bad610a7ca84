// Keeps a simulation to the clock of the wall, sample by sample, for hardware and people in the loop. docs/control.md.
#pragma once

#include <atomic>
#include <chrono>

namespace lithe {

// How well the clock was kept.
struct PaceReport {
  long samples = 0;
  long missed = 0;           // samples that were reached after their time
  double worst = 0;          // s, largest lateness of these
  double worst_time = 0;     // s of simulated time, of that one
  double worst_wake_up = 0;  // s, largest time that the machine took to wake up after a wait
  double waited = 0;         // s in all
  double elapsed = 0;        // s from the first to the last sample
};

// Waits until the clock has come as far as the simulation.
class Pacer {
 public:
  // `speed`: simulated seconds per second. A wait ends early once `cancel` is set.
  explicit Pacer(double speed = 1, const std::atomic<bool>* cancel = nullptr) : speed_(speed), cancel_(cancel) {}
  void start() { report_ = {}; }
  // At a sample: the first one sets the clock, later ones wait until they are due, or count as missed.
  void wait_for(double time);
  const PaceReport& report() const { return report_; }

 private:
  using Clock = std::chrono::steady_clock;
  double speed_;
  const std::atomic<bool>* cancel_;
  PaceReport report_;
  Clock::time_point begin_{};
  double begin_time_ = 0;
};

}  // namespace lithe
