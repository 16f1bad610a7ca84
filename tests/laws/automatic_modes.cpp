// The error of automatically chosen modes is at most twice the estimate: the same motion with all modes.
#include <gtest/gtest.h>

#include "support/random_mechanism.h"

namespace lithe {
namespace {

using namespace testing;

class AutomaticModes : public ::testing::TestWithParam<unsigned> {};

TEST_P(AutomaticModes, AreNotWorseThanTwiceTheEstimate) {
  const Model model = random_mechanism(GetParam(), 0.1);
  const ModeChoice choice = choose_modes(model);
  ASSERT_TRUE(choice.problem.empty()) << choice.problem;
  const TrueErrors errors = true_errors(model, choice, 1e-7);
  ASSERT_EQ(errors.sensors.size(), choice.readings.size());
  for (std::size_t i = 0; i < errors.sensors.size(); ++i)
    EXPECT_LE(errors.sensors[i], 2 * choice.readings[i].error + 1e-5)  // of the integrators
        << choice.readings[i].name << ": " << choice.num_dynamic() << " of " << choice.num_available();
}

INSTANTIATE_TEST_SUITE_P(RandomMechanisms, AutomaticModes, ::testing::Values(1, 2, 3, 4, 5, 6));

}  // namespace
}  // namespace lithe
