// [SC] Table 2 and the Ragnar robot. What of the paper can be reproduced, and what the right model gives instead, was
// found by an independent study.
#include <gtest/gtest.h>

#include "app/reproduce/papers/condensation.h"
#include "lithe/analyse/condense/full.h"
#include "lithe/analyse/sweep/sweep.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

Model example(const std::string& name) { return read_model(LITHE_MODELS_DIR "/" + name + ".toml"); }

std::vector<double> of_family(const std::vector<FrameMode>& modes, FrameFamily family) {
  std::vector<double> result;
  for (const FrameMode& mode : modes)
    if (mode.family == family) result.push_back(mode.frequency);
  return result;
}

VectorX full_frequencies(const Model& model) {
  CondenseOptions options;
  options.independent = {find_node(model, "left:hinge")};
  const Condenser condenser(model, options);
  return full_model(condenser, initial_configuration(condenser.mechanism(), condenser.model()), 6).frequencies;
}

TEST(TwoBeamFrame, HasThePrintedFrequenciesOutOfItsPlaneAndAlongIt) {
  const Model frame = example("two_beam_frame");
  const std::vector<FrameMode> one = frame_modes(frame, {"left:hinge"});
  const std::vector<FrameMode> three = frame_modes(frame, {"left:middle", "left:hinge", "right:middle"});
  const std::vector<double> out = of_family(one, FrameFamily::out_of_plane), along = of_family(one, FrameFamily::axial);
  EXPECT_NEAR(out.at(0), 32.93, 0.005);
  EXPECT_NEAR(out.at(1), 118.70, 0.005);
  EXPECT_NEAR(along.at(0), 1390.54, 0.005);
  const std::vector<double> out_three = of_family(three, FrameFamily::out_of_plane);
  EXPECT_NEAR(out_three.at(0), 32.45, 0.005);
  EXPECT_NEAR(out_three.at(1), 90.19, 0.005);
  EXPECT_NEAR(out_three.at(2), 179.00, 0.005);
  const VectorX full = full_frequencies(frame);
  EXPECT_NEAR(full[1], 32.40, 0.005);
  EXPECT_NEAR(full[3], 89.31, 0.005);
  EXPECT_NEAR(full[5], 175.02, 0.005);
}

TEST(TwoBeamFrame, HasTheFrequenciesOfTheIndependentStudyInItsPlane) {
  const Model frame = example("two_beam_frame");
  const std::vector<FrameMode> one = frame_modes(frame, {"left:hinge"});
  const std::vector<double> in = of_family(one, FrameFamily::in_plane);
  EXPECT_NEAR(in.at(0), 20.56, 0.005);
  EXPECT_NEAR(in.at(1), 144.96, 0.005);
  EXPECT_NEAR(of_family(one, FrameFamily::torsion).at(0), 783.03, 0.005);
  const std::vector<double> three =
      of_family(frame_modes(frame, {"left:middle", "left:hinge", "right:middle"}), FrameFamily::in_plane);
  EXPECT_NEAR(three.at(0), 20.38, 0.005);
  EXPECT_NEAR(three.at(1), 90.36, 0.005);
  EXPECT_NEAR(three.at(2), 128.81, 0.005);
}

TEST(TwoBeamFrame, OfTimoshenkoBeamsIsTheCommercialPrograms) {
  const VectorX found = full_frequencies(with_theory(example("two_beam_frame"), BeamTheory::timoshenko));
  const double printed[] = {20.36, 32.37, 89.11, 89.11, 127.23, 174.37};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(found[k] / printed[k], 1, 1e-4) << k;
}

TEST(Ragnar, HasTheStiffnessOfTheIndependentStudy) {
  const Matrix6 K = *ragnar_at_home(example("ragnar")).stiffness;
  const double diagonal[] = {389832, 822752, 2213781, 22847, 59920, 7807};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(K(k, k), diagonal[k], 0.5) << k;
  EXPECT_NEAR(K(0, 4), -70475, 0.5);
  EXPECT_NEAR(K(1, 3), 58238, 0.5);
}

TEST(Ragnar, HasThePrintedMatricesWhenTheirErrorsAreMade) {
  const ToolMatrices tool = printed_ragnar(example("ragnar"));
  const double stiffness[] = {155970, 206190, 723430, 17600, 56140, 4660};
  const double mass[] = {5.3821, 5.9435, 13.4442, 0.0505, 0.0979, 0.0397};
  for (int k = 0; k < 6; ++k) {
    EXPECT_NEAR((*tool.stiffness)(k, k) / stiffness[k], 1, 0.01) << k;
    EXPECT_NEAR((*tool.mass)(k, k) / mass[k], 1, 0.008) << k;
  }
}

class MemoryStore : public SweepStore {
 public:
  bool is_done(long long) const override { return false; }
  void put(long long, const PointResult& result, const std::vector<double>& values) override {
    statuses.push_back(result.status);
    for (std::size_t k = 0; k < 4; ++k)
      lowest[k] = std::min(lowest[k], values[k]), highest[k] = std::max(highest[k], values[k]);
  }
  std::vector<PointStatus> statuses;
  double lowest[4] = {1e9, 1e9, 1e9, 1e9}, highest[4] = {0, 0, 0, 0};
};

// Figure 14: a workspace of 480 x 900 mm at z = -570 mm, every point of which can be reached.
TEST(Ragnar, HasTheFrequenciesOfTheIndependentStudyOverItsWorkspace) {
  const Model model = example("ragnar");
  Sweep sweep;
  for (int c = 0; c < 2; ++c) {
    SweepAxis axis;
    axis.variable.kind = SweepVariable::Kind::tool;
    axis.variable.component = c;
    for (int k = 0; k < 9; ++k) axis.values.push_back((c == 0 ? 0.24 : 0.45) * (k / 4.0 - 1));
    sweep.axes.push_back(axis);
  }
  SweepSetting height;
  height.variable.kind = SweepVariable::Kind::tool;
  height.variable.component = 2;
  height.value = -0.57;
  sweep.settings = {height};
  sweep.columns = condense_columns(4, true);
  CondenseOptions options;
  options.tool = find_node(model, "platform:E");
  sweep.make_analysis = [&](const std::vector<double>&) { return condense_analysis(model, options, 4); };
  MemoryStore store;
  run_sweep(sweep, store, {.num_threads = 1, .stop = nullptr, .progress = {}});
  EXPECT_EQ(std::count(store.statuses.begin(), store.statuses.end(), PointStatus::ok), 81);
  // The study's ranges, printed to 0.1 Hz, over a finer grid: extremes lie on the border and the axes of symmetry.
  const double low[] = {25.9, 41.1, 64.0, 76.2}, high[] = {30.4, 56.9, 76.2, 83.8};
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(store.lowest[k], low[k], 0.1) << k;
    EXPECT_NEAR(store.highest[k], high[k], 0.1) << k;
  }
}

}  // namespace
}  // namespace lithe
