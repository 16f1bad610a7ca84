#include "lithe/control/pacer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

namespace lithe {
namespace {

double seconds_of(const std::function<void()>& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(Pacer, KeepsToTheClock) {
  Pacer pacer(0.5);  // two seconds per simulated second
  const double taken = seconds_of([&] {
    for (int i = 0; i <= 10; ++i) pacer.wait_for(3 + 0.01 * i);
  });
  EXPECT_GE(taken, 0.2);
  EXPECT_EQ(pacer.report().samples, 11);
  EXPECT_GE(pacer.report().elapsed, 0.2);
  EXPECT_LE(pacer.report().waited, taken);
}

// A sample that takes too long is counted with its lateness, and the clock is not set back: the next ones catch up.
TEST(Pacer, CountsMissedDeadlines) {
  Pacer pacer;
  pacer.wait_for(0);
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  pacer.wait_for(0.02);
  EXPECT_EQ(pacer.report().missed, 1);
  EXPECT_GE(pacer.report().worst, 0.04);
  EXPECT_EQ(pacer.report().worst_time, 0.02);
  pacer.wait_for(0.03);
  EXPECT_EQ(pacer.report().missed, 2);
  EXPECT_EQ(pacer.report().worst_time, 0.02);
  pacer.start();
  pacer.wait_for(0.5);  // a new run has its own clock
  EXPECT_EQ(pacer.report().missed, 0);
}

TEST(Pacer, StopsWaitingWhenCancelled) {
  std::atomic<bool> cancel{true};
  Pacer pacer(1, &cancel);
  EXPECT_LT(seconds_of([&] {
              pacer.wait_for(0);
              pacer.wait_for(1000);
            }),
            5);
}

}  // namespace
}  // namespace lithe
