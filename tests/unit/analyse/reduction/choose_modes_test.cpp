#include "lithe/analyse/reduction/choose_modes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lithe/analyse/analyses.h"
#include "lithe/analyse/reduction/mode_ladder.h"
#include "lithe/base/diagnostics.h"
#include "lithe/model/coordinate_choice.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

// Two arms of different stiffness, 8 elements each: 42 fixed-interface modes in each.
Model arms(double tolerance = 1e-3) {
  testing::FlexibleBuilder b;
  const int upper = b.beam("upper", {{0, 0, 0}, {0.5, 0, 0}}, 8);
  const int lower = b.beam("lower", {{0, 0, 0}, {0.25, 0, 0}}, 8);
  b.hinge("shoulder", JointType::revolute, -1, {0, 0, 0}, upper, {0, 0, 0}, {0, 1, 0}, {0.3});
  b.hinge("elbow", JointType::revolute, upper, {0.5, 0, 0}, lower, {0, 0, 0}, {0, 1, 0}, {0.4});
  Sensor tip;
  tip.name = "tip";
  tip.link = lower;
  tip.node = 1;
  b.model().sensors = {tip};
  set_automatic_reductions(b.model(), {{upper, 1e-2}, {lower, tolerance}});
  return b.model();
}

int modes_of(const Model& model) {
  int sum = 0;
  for (const Link& link : model.links)
    sum += link.reduction.method == ReductionMethod::none ? 42 : link.reduction.num_internal_modes.value_or(0);
  return sum;
}

Observation reading(double value) {
  Observation observation;
  observation.readings.push_back({"sensor 'tip'", {VectorX::Constant(1, value)}, 1.0});
  return observation;
}

TEST(ModeLadder, TakesTheLowestModesOfAllLinks) {
  const Model model = arms();
  const ModeLadder ladder(model);
  ASSERT_GE(ladder.num_rungs(), 4);
  EXPECT_EQ(ladder.num_available(), 84);
  EXPECT_TRUE(ladder.has_all(ladder.num_rungs() - 1));
  EXPECT_GT(ladder.counts(0)[0].num_modes, ladder.counts(0)[1].num_modes);  // the long arm has the lower frequencies
  for (int rung = 0; rung + 1 < ladder.num_rungs(); ++rung) {
    EXPECT_LT(ladder.cutoff(rung), ladder.cutoff(rung + 1));
    EXPECT_LE(ladder.num_modes(rung), ladder.num_modes(rung + 1) / 2);
    for (std::size_t link = 0; link < 2; ++link)
      EXPECT_LE(ladder.counts(rung)[link].num_modes, ladder.counts(rung + 1)[link].num_modes);
    EXPECT_TRUE(automatic_reductions(ladder.model_at(rung)).empty());
    EXPECT_EQ(modes_of(ladder.model_at(rung)), ladder.num_modes(rung));
  }
}

TEST(ChooseModes, EndsWhereTheAnswerStays) {
  const ModeChoice choice =
      choose_modes(arms(), [](const Model& model) { return reading(1 + 1.0 / std::pow(modes_of(model), 3)); });
  EXPECT_EQ(choice.tolerance, 1e-3);  // the smallest of the links
  EXPECT_FALSE(choice.has_all());
  EXPECT_LE(choice.error, choice.tolerance);
  EXPECT_GE(2 * choice.error, 1.0 / std::pow(choice.num_modes(), 3));
  EXPECT_EQ(choice.worst, "sensor 'tip'");
  EXPECT_EQ(choice.num_available(), 84);
  EXPECT_NE(describe(choice).find("of 84 fixed-interface modes beside the static shapes; estimated error"),
            std::string::npos);
}

TEST(ChooseModes, TakesAllWhereTheAnswerKeepsChangingAndSaysSo) {
  int runs = 0;
  const ModeChoice choice = choose_modes(arms(), [&](const Model& model) {
    ++runs;
    return reading(std::sin(modes_of(model)));
  });
  EXPECT_TRUE(choice.has_all());
  EXPECT_EQ(choice.error, 0);
  EXPECT_EQ(runs, 3);  // two of the smallest, and all: none between can be hoped to serve
  EXPECT_NE(describe(choice).find("nothing is left out, since with"), std::string::npos);
}

// As a sensor of speed may do: the first modes that are added do not matter, later ones do.
TEST(ChooseModes, DoesNotTrustOneSmallDifference) {
  const ModeChoice choice = choose_modes(arms(), [](const Model& model) {
    const int modes = modes_of(model);
    return reading(modes < 15 ? 1 + 5e-5 * modes : 1.01 + 0.001 / modes);
  });
  EXPECT_GT(choice.num_modes(), 15);
}

TEST(ChooseModes, GoesOnAfterRunsThatFailAndClaimsNoErrorBelowATenthOfTheTolerance) {
  const ModeChoice choice = choose_modes(arms(), [](const Model& model) {
    Observation observation = reading(1);
    observation.finished = modes_of(model) > 8;
    return observation;
  });
  EXPECT_FALSE(choice.has_all());
  EXPECT_GT(choice.num_modes(), 16);
  EXPECT_DOUBLE_EQ(choice.error, 1e-4);
}

TEST(ChooseModes, EndsWhereTheUserCancels) {
  const ModeChoice choice = choose_modes(arms(), [](const Model&) {
    Observation observation = reading(1);
    observation.cancelled = true;
    return observation;
  });
  EXPECT_EQ(choice.trials.size(), 1u);
  EXPECT_TRUE(std::isnan(choice.error));
}

TEST(ChooseModes, ModesHaveTheFrequenciesOfAllWithinTheTolerance) {
  ModesSpec spec;
  spec.count = 8;
  const NaturalModesResult chosen = natural_modes(arms(), spec), all = natural_modes(with_all_modes(arms()), spec);
  ASSERT_TRUE(chosen.reduction && chosen.mechanism && all.mechanism);
  EXPECT_FALSE(all.reduction);
  EXPECT_LT(chosen.reduction->num_modes(), 42);
  const VectorX& frequencies = all.mechanism->frequencies;
  const int rigid = all.mechanism->num_rigid;
  for (int k = rigid; k < rigid + 8; ++k) {
    EXPECT_NEAR(chosen.mechanism->frequencies(k), frequencies(k), 2e-3 * frequencies(k)) << k;
    if (frequencies(k) <= chosen.reduction->good_up_to) {
      EXPECT_NEAR(chosen.mechanism->frequencies(k), frequencies(k), 1e-3 * frequencies(k)) << k;
    }
  }
  EXPECT_GE(chosen.reduction->good_up_to, 0.999 * frequencies(rigid + 7));
}

TEST(ChooseModes, OtherAnalysesRefuseAndSayWhatWorks) {
  try {
    find_equilibrium(arms(), {});
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.errors().size(), 2u);  // one for each link
    EXPECT_NE(error.errors().front().message.find("link 'upper': reduction = \"auto\" works in simulate"),
              std::string::npos);
  }
  EquilibriumSpec nodal;
  nodal.formulation.formulation = "erls-fem";  // has all nodes: there is nothing to choose
  EXPECT_NO_THROW(find_equilibrium(arms(), nodal));
}

}  // namespace
}  // namespace lithe
