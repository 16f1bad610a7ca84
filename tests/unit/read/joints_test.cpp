// Joint frames and Denavit-Hartenberg chains.
#include <gtest/gtest.h>

#include <numbers>

#include "lithe/read/read_model.h"

namespace lithe {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double rounding = 1e-15;

// A model of two rigid links, the second joint being the one under test.
Joint joint_with(const std::string& keys) {
  const std::string text = R"(
lithe = 1
[[links]]
name = "a"
type = "rigid"
nodes = {o = [0, 0, 0], p = [1, 2, 3]}
mass = 1
[[links]]
name = "b"
type = "rigid"
nodes = {o = [0.1, 0.2, 0.3]}
mass = 1
[[joints]]
name = "base"
type = "fixed"
child = "a"
child_node = "o"
[[joints]]
name = "test"
parent = "a"
parent_node = "p"
child = "b"
child_node = "o"
)" + keys;
  return read_model_text(text, "joint.toml").joints[1];
}

Matrix3 rotation_at_zero(const Joint& joint) {
  return joint.parent_frame.rotation * joint.child_frame.rotation.transpose();
}

void expect_rotation(const Matrix3& matrix) {
  EXPECT_TRUE((matrix.transpose() * matrix).isIdentity(4 * rounding));
  EXPECT_GT(matrix.determinant(), 0);
}

TEST(JointFrames, SitAtTheirNodes) {
  const Joint joint = joint_with("");
  EXPECT_EQ(joint.parent_frame.position, Vector3(1, 2, 3));
  EXPECT_EQ(joint.child_frame.position, Vector3(0.1, 0.2, 0.3));
}

TEST(JointFrames, HaveTheAxisAsZ) {
  for (const char* axis : {"[0, 0, 1]", "[0, 0, -1]", "[0, 0, -5]", "[1, 0, 0]", "[0, -2, 0]", "[1, 2, 3]"}) {
    const Joint joint = joint_with(std::string("axis = ") + axis);
    expect_rotation(joint.parent_frame.rotation);
    EXPECT_TRUE(rotation_at_zero(joint).isIdentity(4 * rounding)) << axis;
  }
  const Joint joint = joint_with("axis = [1, 2, 2]");
  EXPECT_TRUE(joint.parent_frame.rotation.col(2).isApprox(Vector3(1, 2, 2) / 3, 4 * rounding));
}

TEST(JointFrames, OfTheDefaultAxisAreParallelToTheLink) {
  EXPECT_TRUE(joint_with("type = \"spherical\"").parent_frame.rotation.isIdentity(0));
}

TEST(JointFrames, TakeTheXAxisFromTheUser) {
  const Joint joint = joint_with("type = \"planar\"\naxis = [0, 1, 0]\nx_axis = [0, 3, -2]");
  EXPECT_TRUE(joint.parent_frame.rotation.col(0).isApprox(-Vector3::UnitZ()));
  expect_rotation(joint.parent_frame.rotation);
}

TEST(JointFrames, OfAUniversalJointHaveTheSecondAxisAsXOfTheChild) {
  const Joint joint = joint_with(
      "type = \"universal\"\naxis = [0, 1, 0]\nsecond_axis = [0, 0, 1]\n"
      "orientation = {axis = [0, 0, 1], angle = \"90 deg\"}");
  EXPECT_TRUE(joint.parent_frame.rotation.col(0).isApprox(Vector3::UnitZ()));
  EXPECT_TRUE(joint.child_frame.rotation.col(0).isApprox(Vector3::UnitZ()));  // turned about z: still z
  EXPECT_TRUE(joint.child_frame.rotation.col(2).isApprox(Vector3::UnitX()));  // the parent's y is the child's x
}

TEST(JointFrames, PutTheChildInTheOrientationAtZero) {
  const Matrix3 quarter = Eigen::AngleAxisd(pi / 2, Vector3::UnitX()).toRotationMatrix();
  for (const char* orientation : {"{axis = [2, 0, 0], angle = \"90 deg\"}", "[\"90 deg\", 0, 0]",
                                  "{rpy = [\"90 deg\", 0, 0]}", "{rotation = [1.5707963267948966, 0, 0]}"}) {
    const Joint joint = joint_with(std::string("axis = [1, 1, 0]\norientation = ") + orientation);
    EXPECT_TRUE(rotation_at_zero(joint).isApprox(quarter, 4 * rounding)) << orientation;
  }
}

// Roll, pitch, yaw about fixed axes: the image of x under yaw 90 deg after pitch 90 deg is -z.
TEST(JointFrames, TurnRollPitchYawAboutFixedAxes) {
  const Joint joint = joint_with("orientation = {rpy = [0, \"90 deg\", \"90 deg\"]}");
  EXPECT_TRUE(rotation_at_zero(joint).col(0).isApprox(-Vector3::UnitZ()));
  EXPECT_TRUE(rotation_at_zero(joint).col(1).isApprox(-Vector3::UnitX()));
}

TEST(JointFreedoms, TakeUnitsByFreedom) {
  const Joint joint = joint_with(
      "type = \"cylindrical\"\nvalue = [\"10 mm\", \"90 deg\"]\nstiffness = [\"2 N/mm\", \"3 N m/deg\"]\n"
      "damping = [1, \"2 N m s\"]\ninertia = [\"2 kg\", \"5 kg cm^2\"]\nlimits = [[-1, 1], []]");
  EXPECT_DOUBLE_EQ(joint.initial_value[0], 0.01);
  EXPECT_DOUBLE_EQ(joint.initial_value[1], pi / 2);
  EXPECT_DOUBLE_EQ(joint.stiffness[0], 2000);
  EXPECT_DOUBLE_EQ(joint.stiffness[1], 3 * 180 / pi);
  EXPECT_DOUBLE_EQ(joint.inertia[1], 5e-4);
  EXPECT_DOUBLE_EQ(joint.damping[1], 2);
  EXPECT_TRUE(joint.limits[0].has_value());
  EXPECT_FALSE(joint.limits[1].has_value());
  EXPECT_TRUE(joint.initial_value_given[0]);
}

TEST(JointFreedoms, GuessLeavesTheValueFree) {
  const Joint joint = joint_with("guess = 0.4");
  EXPECT_EQ(joint.initial_value[0], 0.4);
  EXPECT_FALSE(joint.initial_value_given[0]);
}

TEST(JointFreedoms, OfAFixedJointAreNone) { EXPECT_TRUE(joint_with("type = \"fixed\"").initial_value.empty()); }

// --- Denavit-Hartenberg rows ---------------------------------------------------------------------------------------

Matrix3 about(double angle, const Vector3& axis) { return Eigen::AngleAxisd(angle, axis).toRotationMatrix(); }
Pose turned(double angle, const Vector3& axis) { return {about(angle, axis), Vector3::Zero()}; }
Pose shifted(const Vector3& by) { return {Matrix3::Identity(), by}; }

struct Row {
  double a, alpha, d, theta;
};
const std::vector<Row> rows = {{0.3, 0.4, 0.2, -0.7}, {0.5, -1.1, 0.15, 0.2}, {0.0, 0.9, 0.4, 1.3}};

std::string dh_text(const std::string& head) {
  std::string text = "lithe = 1\n[dh]\nbase_position = [1, 2, 3]\nbase_orientation = [0, \"30 deg\", 0]\n" + head;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += "\n[[dh.rows]]\nname = \"link" + std::to_string(i) + "\"\ntype = \"rigid\"\nmass = 1\nroute = \"corner\"\n";
    text += "a = " + std::to_string(rows[i].a) + "\nalpha = " + std::to_string(rows[i].alpha) +
            "\nd = " + std::to_string(rows[i].d) + "\ntheta = " + std::to_string(rows[i].theta) + "\n";
    text += i == 1 ? "joint = {type = \"prismatic\", value = 0.1}\n" : "joint = {value = 0.6}\n";
  }
  return text;
}

// World poses of the links by the expanded joints.
std::vector<Pose> poses_by_joints(const Model& model) {
  std::vector<Pose> world;
  for (const Joint& joint : model.joints) {
    const double value = joint.initial_value[0];
    const Pose motion =
        joint.type == JointType::revolute ? turned(value, Vector3::UnitZ()) : shifted(value * Vector3::UnitZ());
    const Pose parent = joint.parent < 0 ? Pose{} : world[joint.parent];
    world.push_back(parent * joint.parent_frame * motion * joint.child_frame.inverse());
  }
  return world;
}

void expect_dh_poses(const Model& model, bool modified) {
  const std::vector<Pose> world = poses_by_joints(model);
  Pose expected{about(pi / 6, Vector3::UnitY()), Vector3(1, 2, 3)};
  ASSERT_EQ(world.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double theta = rows[i].theta + (i == 1 ? 0 : 0.6), d = rows[i].d + (i == 1 ? 0.1 : 0);
    const Pose x_steps = turned(rows[i].alpha, Vector3::UnitX()) * shifted(Vector3(rows[i].a, 0, 0));
    const Pose z_steps = turned(theta, Vector3::UnitZ()) * shifted(Vector3(0, 0, d));
    expected = expected * (modified ? x_steps * z_steps : z_steps * x_steps);
    EXPECT_TRUE(world[i].rotation.isApprox(expected.rotation, 1e-14)) << i;
    EXPECT_TRUE(world[i].position.isApprox(expected.position, 1e-14)) << i;
  }
}

TEST(DenavitHartenberg, StandardRowsGiveTheTextbookTransforms) {
  expect_dh_poses(read_model_text(dh_text(""), "dh.toml"), false);
}

TEST(DenavitHartenberg, ModifiedRowsGiveTheTextbookTransforms) {
  expect_dh_poses(read_model_text(dh_text("convention = \"modified\"\ntool = [0, 0, 0.1]\n"), "dh.toml"), true);
}

TEST(DenavitHartenberg, CornerIsWhereTheTwoLengthsMeet) {
  for (const char* head : {"", "convention = \"modified\"\n"}) {
    const Model model = read_model_text(dh_text(head), "dh.toml");
    const Link& link = model.links[0];
    const Row& row = *head ? rows[1] : rows[0];  // modified: the next row leads to the outboard end
    ASSERT_EQ(link.nodes.size(), 3u);
    EXPECT_EQ(link.nodes[2].name, "corner");
    const double to_corner = (link.nodes[2].position - link.nodes[0].position).norm();
    const double from_corner = (link.nodes[2].position - link.nodes[1].position).norm();
    EXPECT_NEAR(to_corner, *head ? row.a : row.d, rounding);
    EXPECT_NEAR(from_corner, *head ? row.d : row.a, rounding);
    ASSERT_EQ(link.segments.size(), 2u);
    EXPECT_EQ(link.segments[0].to, link.segments[1].from);
  }
}

TEST(DenavitHartenberg, RowsBecomeOrdinaryLinksAndJoints) {
  const Model model = read_model_text(dh_text("") +
                                          "\n[[sensors]]\nname = \"tip\"\nquantity = \"position\"\n"
                                          "link = \"link2\"\nnode = \"outboard\"\n",
                                      "dh.toml");
  EXPECT_EQ(model.joints[2].name, "link2");
  EXPECT_EQ(model.joints[2].parent, 1);
  EXPECT_EQ(model.sensors[0].node, 1);
  EXPECT_NO_THROW(check_model(model));
}

}  // namespace
}  // namespace lithe
