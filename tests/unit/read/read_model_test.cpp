#include "lithe/read/read_model.h"

#include <gtest/gtest.h>

#include <numbers>
#include <string>

#include "lithe/base/diagnostics.h"

namespace lithe {
namespace {

TEST(ReadModel, ReadsTheLShape) {
  const Model model = read_model(LITHE_MODELS_DIR "/l_shape.toml");
  EXPECT_EQ(model.name, "L-shape");
  EXPECT_EQ(model.gravity, Vector3(0, 0, -9.81));
  ASSERT_EQ(model.links.size(), 1u);
  const Link& arm = model.links[0];
  ASSERT_EQ(arm.nodes.size(), 3u);
  EXPECT_EQ(arm.nodes[0].name, "root");
  EXPECT_EQ(arm.nodes[2].position, Vector3(0.5, 0.5, 0));
  ASSERT_EQ(arm.segments.size(), 2u);
  EXPECT_EQ(arm.segments[1].from, 1);
  EXPECT_EQ(arm.segments[1].to, 2);
  EXPECT_EQ(arm.lumped_masses[0].mass, 0.017);
  EXPECT_EQ(arm.reduction.interface_nodes, (std::vector<int>{0, 2}));
  EXPECT_DOUBLE_EQ(model.materials[0].young_modulus, 70e9);
  EXPECT_DOUBLE_EQ(model.sections[0].area, 64e-6);
  const Joint& shoulder = model.joints[0];
  EXPECT_DOUBLE_EQ(shoulder.initial_value[0], 135 * std::numbers::pi / 180);
  EXPECT_TRUE(shoulder.parent_frame.rotation.col(2).isApprox(Vector3::UnitY()));
  // At zero coordinates the link axes are parallel to the world's.
  EXPECT_TRUE((shoulder.parent_frame.rotation * shoulder.child_frame.rotation.transpose()).isIdentity(1e-15));
}

TEST(ReadModel, TakesTheMomentAboutZAloneInThePlane) {
  const auto text = [](const char* space) {
    return std::string("lithe = 1\nspace = \"") + space +
           "\"\ngravity = [0, -9.81, 0]\n"
           "links = [{name = \"bar\", type = \"rigid\", mass = 1, inertia = [0, 0, 0.0833], nodes = {root = [0, 0, "
           "0]}}]\n"
           "joints = [{name = \"pin\", child = \"bar\", child_node = \"root\", axis = [0, 0, 1]}]\n";
  };
  EXPECT_EQ(read_model_text(text("planar"), "bar.toml").links[0].rigid_inertia.inertia(2, 2), 0.0833);
  EXPECT_THROW(read_model_text(text("spatial"), "bar.toml"), InputError);
}

}  // namespace
}  // namespace lithe
