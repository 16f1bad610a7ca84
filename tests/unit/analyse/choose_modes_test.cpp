#include "lithe/analyse/reduction/choose_modes.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/modes/modes.h"
#include "lithe/analyse/reduction/modal_response.h"
#include "lithe/analyse/reduction/static_mechanism.h"
#include "lithe/formulate/formulation.h"
#include "lithe/model/automatic_reduction.h"
#include "support/flexible_models.h"
#include "support/judged_mechanism.h"

namespace lithe {
namespace {

using namespace testing;

Model automatic(Model model, double tolerance = 1e-3) {
  std::vector<AutomaticReduction> links;
  for (std::size_t i = 0; i < model.links.size(); ++i)
    if (!model.links[i].rigid) links.push_back({static_cast<int>(i), tolerance});
  set_automatic_reductions(model, links);
  return model;
}

std::vector<int> flexible_links(const Model& model) {
  std::vector<int> links;
  for (std::size_t i = 0; i < model.links.size(); ++i)
    if (!model.links[i].rigid) links.push_back(static_cast<int>(i));
  return links;
}

VectorX frequencies(const Model& model) {
  const auto equations = make_equations(model);
  return mechanism_modes(*equations, start_state(*equations), 0).modes.frequencies;
}

// (17): a static mechanism and its fixed-interface modes are the mechanism with all modes.
void expect_same_frequencies(Model model) {
  for (Link& link : model.links) link.reduction = {};  // all modes
  const std::vector<int> links = flexible_links(model);
  const StaticMechanism mechanism = StaticMechanisms(model, links).at_start();
  const Eigen::Index n = mechanism.size(), m = mechanism.num_candidates();
  MatrixX mass = MatrixX::Identity(n + m, n + m);
  mass.topRightCorner(n, m) = mechanism.coupling;
  mass.bottomLeftCorner(m, n) = mechanism.coupling.transpose();
  VectorX stiffness(n + m);
  stiffness << mechanism.squared_frequencies, mechanism.candidate_squared;
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> pairs(MatrixX(stiffness.asDiagonal()), mass);
  const VectorX exact = frequencies(model);
  ASSERT_EQ(exact.size(), n + m) << model.name;
  const double highest = exact.maxCoeff();
  for (Eigen::Index k = 0; k < n + m; ++k)
    EXPECT_NEAR(std::sqrt(std::max(0.0, pairs.eigenvalues()(k))) / (2 * M_PI), std::max(0.0, exact(k)), 1e-7 * highest)
        << model.name << ", mode " << k;
}

TEST(StaticMechanism, WithAllFixedInterfaceModesIsTheMechanismWithAllModes) {
  Model arm = spatial_2r(7e10, -1);
  arm.gravity.setZero();
  expect_same_frequencies(arm);
  for (const bool overconstrained : {true, false}) {
    Model loop = flexible_four_bar(7e10, overconstrained);
    loop.gravity.setZero();
    expect_same_frequencies(loop);
  }
}

double response(double squared, double damping, double speed, double begin, double end, int samples, double duration) {
  SampledForce force;
  force.step = duration / samples;
  force.begin = force.end = MatrixX(1, samples + 1);
  for (int n = 0; n <= samples; ++n) {
    force.begin(0, n) = begin + (end - begin) * n / samples;
    force.end(0, n) = begin + (end - begin) * (n + 1) / samples;
  }
  const OscillatorMotion motion =
      respond({VectorX::Constant(1, squared), VectorX::Constant(1, damping), VectorX::Constant(1, speed)}, force);
  return motion.displacement(0, samples);
}

TEST(ModalResponse, IsExactForStepsRampsAndSpeedsHoweverCoarseTheSamples) {
  const double w = 300, t = 0.37;
  for (const int samples : {1, 7, 100}) {
    EXPECT_NEAR(response(w * w, 0, 0, 2, 2, samples, t), 2 / (w * w) * (1 - std::cos(w * t)), 1e-16);
    EXPECT_NEAR(response(w * w, 0, 0, 0, 1, samples, t), (t - std::sin(w * t) / w) / (w * w * t), 1e-16);
    EXPECT_NEAR(response(w * w, 0, 5, 0, 0, samples, t), 5 / w * std::sin(w * t), 1e-13);
    const double c = 80, r = std::sqrt(w * w - c * c / 4);  // damped
    EXPECT_NEAR(response(w * w, c, 5, 0, 0, samples, t), 5 / r * std::exp(-c * t / 2) * std::sin(r * t), 1e-14);
    const double d = 900, q = std::sqrt(d * d / 4 - w * w);  // no oscillation
    EXPECT_NEAR(response(w * w, d, 5, 0, 0, samples, t), 5 / q * std::exp(-d * t / 2) * std::sinh(q * t), 1e-15);
    EXPECT_NEAR(response(0, 0, 0, 3, 3, samples, t), 1.5 * t * t,
                1.001 * 1.5 * t * t * 0.03 * 0.03 / 12);  // free motion, as 0.03 rad of a slow vibration
  }
}

TEST(ChooseModes, KeepsModelsWithoutAutomaticLinksAsTheyAre) {
  const Model model = spatial_2r();
  const ModeChoice choice = choose_modes(model);
  EXPECT_TRUE(choice.links.empty());
  EXPECT_TRUE(choice.problem.empty());
  EXPECT_EQ(choice.model.links[0].reduction.num_kept_modes, model.links[0].reduction.num_kept_modes);
}

TEST(ChooseModes, NeedsMoreModesForASmallerToleranceAndSaysHowMany) {
  int before = -1;
  for (const double tolerance : {1e-1, 1e-3, 1e-5}) {
    const ModeChoice choice = choose_modes(automatic(flexible_four_bar(7e10), tolerance));
    ASSERT_TRUE(choice.problem.empty()) << choice.problem;
    EXPECT_LE(choice.error, tolerance);
    EXPECT_GE(choice.num_dynamic(), before);
    EXPECT_EQ(choice.tolerance, tolerance);
    before = choice.num_dynamic();
    ASSERT_EQ(choice.links.size(), 3u);
    for (const LinkModeChoice& link : choice.links)
      EXPECT_EQ(choice.model.links[link.link].reduction.num_internal_modes, link.num_dynamic);
    EXPECT_TRUE(automatic_reductions(choice.model).empty());
  }
  EXPECT_GT(before, 0);
}

TEST(ChooseModes, GivesFrequenciesWithinTheToleranceUpToWhereTheModelIsGood) {
  const Model model = automatic(spatial_2r(7e10, -1));
  const ModeChoice choice = choose_modes(model);
  ASSERT_TRUE(choice.problem.empty()) << choice.problem;
  const VectorX exact = frequencies(model), found = frequencies(choice.model);
  ASSERT_LT(found.size(), exact.size());
  int judged = 0;
  for (Eigen::Index k = 0; k < found.size() && exact(k) <= choice.good_up_to; ++k, ++judged)
    EXPECT_NEAR(found(k), exact(k), 1.1e-3 * std::abs(exact(k)) + 1e-6);
  EXPECT_GE(judged, 5);  // those that are always judged
}

// A rod that only its own weight bends, slowly, next to one that is struck: neither equal frequencies nor symmetric
// links are parted.
TEST(ChooseModes, KeepsModesOfEqualFrequencyTogether) {
  FlexibleBuilder b(2e11, 7800, 0.01, 0.01);  // square
  const int arm = b.beam("arm", {Vector3::Zero(), Vector3(0.5, 0, 0)}, 5);
  b.hinge("clamp", JointType::fixed, -1, Vector3::Zero(), arm, Vector3::Zero(), Vector3::UnitZ());
  const ModeChoice choice = choose_modes(automatic(b.model()));
  ASSERT_TRUE(choice.problem.empty()) << choice.problem;
  ASSERT_EQ(choice.links.size(), 1u);
  EXPECT_GT(choice.links[0].num_dynamic, 0);
  const VectorX found = frequencies(choice.model);
  for (Eigen::Index k = 0; k + 1 < 4; k += 2) EXPECT_NEAR(found(k), found(k + 1), 1e-6 * found(k));  // two planes
}

TEST(ChooseModes, SaysWhyThereIsNoEstimate) {
  Model model = flexible_four_bar(7e10);
  model.joints.back().child_frame.position = {5, 0, 0};  // cannot be closed
  model.links[2].nodes.back().position = {5, 0, 0};
  const ModeChoice choice = choose_modes(automatic(model));
  EXPECT_FALSE(choice.problem.empty());
  EXPECT_TRUE(choice.links.empty());
  EXPECT_EQ(automatic_reductions(choice.model).size(), 3u);
}

}  // namespace
}  // namespace lithe
