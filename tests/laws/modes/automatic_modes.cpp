// Automatically chosen modes: what sensors read is never worse than twice the estimate, against the same motion with
// all modes. More mechanisms, and accelerations: bench/automatic_modes.
#include <gtest/gtest.h>

#include "support/judged_modes.h"

namespace lithe {
namespace {

class AutomaticModes : public ::testing::TestWithParam<int> {};

TEST_P(AutomaticModes, AreNotWorseThanTwiceTheEstimate) {
  const testing::JudgedModes judged =
      testing::judge_modes(testing::judged_mechanism(GetParam(), 4000 + static_cast<unsigned>(GetParam())), 0.05);
  ASSERT_TRUE(judged.finished);
  EXPECT_GE(judged.choice.num_available(), 64);  // there is something to choose
  EXPECT_LE(judged.choice.error, judged.choice.tolerance);
  EXPECT_LE(judged.true_error, 2 * judged.choice.error + 1e-12) << describe(judged.choice);
}

// Kinds of mechanisms and of sensors whose runs with all modes are short.
INSTANTIATE_TEST_SUITE_P(RandomMechanisms, AutomaticModes, ::testing::Values(2, 3, 9, 13, 16, 17, 18, 25, 32, 33, 48));

}  // namespace
}  // namespace lithe
