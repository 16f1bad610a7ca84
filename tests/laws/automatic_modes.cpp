// Automatically chosen modes: places, speeds and joint values are never worse than twice the estimate, against the same
// motion with all modes. Accelerations are measured by bench/reduction_campaign.
#include <gtest/gtest.h>

#include "support/judged_mechanism.h"

namespace lithe {
namespace {

using namespace testing;

class AutomaticModes : public ::testing::TestWithParam<unsigned> {};

TEST_P(AutomaticModes, AreNotWorseThanTwiceTheEstimate) {
  const Model model = judged_mechanism(GetParam(), 0.1);
  const ModeChoice choice = choose_modes(model);
  ASSERT_TRUE(choice.problem.empty()) << choice.problem;
  EXPECT_LE(choice.error, choice.tolerance);
  const TrueErrors errors = true_errors(model, choice);
  ASSERT_EQ(errors.sensors.size(), choice.readings.size());
  if (!errors.small_deformation) GTEST_SKIP() << "a link leaves the range of small deformation";
  for (std::size_t i = 0; i < errors.sensors.size(); ++i) {
    if (model.sensors[i].quantity == Quantity::acceleration) continue;
    EXPECT_LE(errors.sensors[i], 2 * choice.error)
        << choice.readings[i].name << ": " << choice.num_dynamic() << " of " << choice.num_available();
  }
}

INSTANTIATE_TEST_SUITE_P(RandomMechanisms, AutomaticModes, ::testing::Range(1u, 65u));  // 50 of them bend little

}  // namespace
}  // namespace lithe
