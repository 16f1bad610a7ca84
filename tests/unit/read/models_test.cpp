// The model files of the project.
#include <gtest/gtest.h>

#include <filesystem>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

// Motion of a joint with one freedom at a value, by its definition in model.h.
Pose joint_motion(const Joint& joint, double value) {
  Pose motion;
  if (joint.type == JointType::revolute)
    motion.rotation = Eigen::AngleAxisd(value, Vector3::UnitZ()).toRotationMatrix();
  if (joint.type == JointType::prismatic) motion.position = value * Vector3::UnitZ();
  return motion;
}

// World poses of the links by walking over all joints but the cut one, then the gap at that joint: the relative pose of
// its two frames.
Pose gap_at_cut(const Model& model) {
  std::vector<Pose> world(model.links.size());
  std::vector<bool> known(model.links.size(), false);
  const Joint* cut = nullptr;
  for (const Joint& joint : model.joints) {
    if (joint.prefer_cut) {
      cut = &joint;
      continue;
    }
    EXPECT_TRUE(joint.parent < 0 || known[joint.parent]) << joint.name;
    const Pose parent = joint.parent < 0 ? Pose{} : world[joint.parent];
    world[joint.child] =
        parent * joint.parent_frame * joint_motion(joint, joint.initial_value[0]) * joint.child_frame.inverse();
    known[joint.child] = true;
  }
  EXPECT_NE(cut, nullptr);
  const Pose parent_side = world[cut->parent] * cut->parent_frame * joint_motion(*cut, cut->initial_value[0]);
  const Pose child_side = world[cut->child] * cut->child_frame;
  return parent_side.inverse() * child_side;
}

TEST(Models, EveryFileOfTheProjectIsValid) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LITHE_MODELS_DIR)) {
    if (entry.path().extension() != ".toml") continue;
    ++count;
    try {
      const Model model = read_model(entry.path());
      EXPECT_FALSE(model.sensors.empty()) << entry.path();
      EXPECT_FALSE(model.analyses.empty()) << entry.path();
    } catch (const InputError& error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_GE(count, 10);
}

TEST(Models, FourBarStartsClosed) {
  const Pose gap = gap_at_cut(read_model(LITHE_MODELS_DIR "/four_bar.toml"));
  EXPECT_LT(gap.position.norm(), 1e-14);
  EXPECT_TRUE(gap.rotation.isIdentity(1e-14));
}

TEST(Models, SliderCrankStartsClosed) {
  const Pose gap = gap_at_cut(read_model(LITHE_MODELS_DIR "/slider_crank.toml"));
  EXPECT_LT(gap.position.norm(), 1e-14);
  EXPECT_TRUE(gap.rotation.isIdentity(1e-14));
}

// [CMS] Table 2, rigid row: at 125.90 deg the third node is at (-0.2931, 0, -0.4050). The printed digits are cut, not
// rounded (0.5 cos 125.90 deg is -0.29319), hence one unit of the last.
TEST(Models, LShapePointsWhereThePublishedTableSays) {
  const Model model = read_model(LITHE_MODELS_DIR "/l_shape_steel.toml");
  const Joint& shoulder = model.joints[0];
  const double angle = 125.90 * std::numbers::pi / 180;
  const Pose arm = shoulder.parent_frame * joint_motion(shoulder, angle) * shoulder.child_frame.inverse();
  const Vector3 elbow = arm * model.links[0].nodes[1].position;
  EXPECT_LT((elbow - Vector3(-0.2931, 0, -0.4050)).cwiseAbs().maxCoeff(), 1e-4);
  const Vector3 tip = arm * model.links[0].nodes[2].position;
  EXPECT_LT((tip - elbow - Vector3(0, 0.5, 0)).norm(), 1e-15);
}

// A 2-element-per-rod mesh of the published study: mass 2 x 0.5 m x 64 mm^2 x 2700 kg/m^3 = 0.1728 kg.
TEST(Models, PublishedElementHasThePublishedConstants) {
  const Model model = read_model(LITHE_MODELS_DIR "/l_shape_cmp_18.toml");
  const Section& rod = model.sections[0];
  EXPECT_NEAR(rod.torsion_constant, 0.142628 * std::pow(8e-3, 4), 1e-15 * 8e-3);
  EXPECT_DOUBLE_EQ(rod.shear_factor_y, 16.0 / 19.0);
  EXPECT_EQ(rod.slenderness_factor, 1.0 / 16);
  EXPECT_EQ(model.links[0].segments[0].theory, BeamTheory::linear_timoshenko);
  EXPECT_EQ(model.links[0].segments[0].mass_model, MassModel::lumped);
  EXPECT_EQ(model.links[0].reduction.num_internal_modes, 6);
  EXPECT_EQ(model.links[0].lumped_masses[1].inertia(1, 1), 0.0043 + 0.001269);
}

}  // namespace
}  // namespace lithe
