// Models made by hand are checked as those from a file are.
#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"
#include "lithe/model/model.h"
#include "lithe/model/sections/section_properties.h"

namespace lithe {
namespace {

Model valid_model() {
  Model model;
  model.name = "m";
  model.materials.push_back({"steel", 7800, 2e11, 8e10});
  model.sections.push_back(rectangle_section(0.01, 0.02));
  Link link;
  link.name = "arm";
  link.nodes = {{"root", Vector3::Zero()}, {"tip", Vector3(1, 0, 0)}};
  link.segments.push_back({});
  link.segments[0].to = 1;
  model.links.push_back(link);
  Joint joint;
  joint.name = "shoulder";
  joint.set_type(JointType::revolute);
  joint.child = 0;
  joint.child_node = 0;
  model.joints.push_back(joint);
  return model;
}

// The messages of check_model, joined.
std::string errors_in(const Model& model) {
  Diagnostics diagnostics;
  check_model(model, diagnostics);
  std::string text;
  for (const Diagnostic& error : diagnostics.errors()) text += error.message + "\n";
  return text;
}

TEST(CheckModel, AcceptsAValidModel) {
  EXPECT_EQ(errors_in(valid_model()), "");
  EXPECT_NO_THROW(check_model(valid_model()));
}

TEST(CheckModel, ThrowsAllErrorsAtOnce) {
  Model model = valid_model();
  model.materials[0].density = -1;
  model.links[0].segments[0].num_elements = 0;
  try {
    check_model(model);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.errors().size(), 2u);
  }
}

TEST(CheckModel, FindsABeamWithoutLength) {
  Model model = valid_model();
  model.links[0].nodes[1].position.setZero();
  EXPECT_EQ(errors_in(model), "link 'arm': the beam from 'root' to 'tip' has no length\n");
}

TEST(CheckModel, FindsIndicesOutOfRange) {
  Model model = valid_model();
  model.links[0].segments[0].section = 7;
  model.joints[0].child_node = 5;
  model.drives.push_back({"motor", {}, 0, 1, false, SignalConstant{1}});
  model.loads.push_back({"weight", {}, 3, 0, false, false, Vector3::UnitX(), SignalConstant{1}});
  model.sensors.push_back({"probe", {}, Quantity::joint_value, -1, -1, 4, 0, -1, {}});
  EXPECT_EQ(errors_in(model),
            "link 'arm': a segment has no section\n"
            "joint 'shoulder': the child node 5 does not exist\n"
            "drive 'motor': joint 0 has no degree of freedom 1\n"
            "load 'weight': link 3 has no node 0\n"
            "sensor 'probe': joint 4 has no degree of freedom 0\n");
}

TEST(CheckModel, FindsAnInertiaWithANegativeMoment) {
  Model model = valid_model();
  model.links[0].rigid = true;
  model.links[0].rigid_inertia.mass = 1;
  EXPECT_EQ(errors_in(model), "");
  model.links[0].rigid_inertia.inertia = Vector3(1, 1, -1e-3).asDiagonal();
  EXPECT_EQ(errors_in(model), "link 'arm': inertia must be symmetric without negative moments\n");
}

TEST(CheckModel, FindsAJointWithWrongSizes) {
  Model model = valid_model();
  model.joints[0].type = JointType::spherical;
  EXPECT_NE(errors_in(model).find("needs 3 entries"), std::string::npos);
}

TEST(CheckModel, FindsAJointFrameBesideItsNode) {
  Model model = valid_model();
  model.joints[0].child_frame.position = Vector3(0.1, 0, 0);
  EXPECT_EQ(errors_in(model), "joint 'shoulder': the child frame does not sit at its node\n");
}

TEST(CheckModel, FindsAMotionPrescribedTwice) {
  Model model = valid_model();
  model.drives.assign(2, {"motor", {}, 0, 0, true, SignalConstant{0}});
  EXPECT_EQ(errors_in(model), "drive 'motor': the motion of this degree of freedom is prescribed twice\n");
}

TEST(CheckModel, FindsAnUnpreparedSmoothTable) {
  Model model = valid_model();
  model.drives.push_back({"motor", {}, 0, 0, false, SignalTable{{0, 1}, {0, 1}, true, {}}});
  EXPECT_EQ(errors_in(model), "drive 'motor': a smooth table must be made by smooth_table()\n");
}

TEST(JointType, FreedomsAreRotationsOrTranslations) {
  EXPECT_EQ(num_freedoms(JointType::fixed), 0);
  EXPECT_EQ(num_freedoms(JointType::free), 6);
  EXPECT_TRUE(is_rotation(JointType::revolute, 0));
  EXPECT_FALSE(is_rotation(JointType::prismatic, 0));
  EXPECT_FALSE(is_rotation(JointType::cylindrical, 0));
  EXPECT_TRUE(is_rotation(JointType::cylindrical, 1));
  EXPECT_FALSE(is_rotation(JointType::planar, 1));
  EXPECT_TRUE(is_rotation(JointType::planar, 2));
  EXPECT_FALSE(is_rotation(JointType::free, 2));
  EXPECT_TRUE(is_rotation(JointType::free, 3));
}

TEST(Quantity, RefersToANodeAJointOrNothing) {
  EXPECT_TRUE(needs_node(Quantity::section_moment));
  EXPECT_FALSE(needs_node(Quantity::reaction_force));
  EXPECT_TRUE(needs_joint(Quantity::reaction_force));
  EXPECT_FALSE(needs_freedom(Quantity::reaction_force));
  EXPECT_TRUE(needs_freedom(Quantity::joint_force));
  EXPECT_FALSE(needs_node(Quantity::total_energy) || needs_joint(Quantity::total_energy));
}

}  // namespace
}  // namespace lithe
