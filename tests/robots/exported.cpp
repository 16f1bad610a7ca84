// Models as robot descriptions, and read again: loops, springs, rotors, all types of joints, and what is said to be
// left out. The dynamics of open chains against other engines are in rigid_dynamics.cpp.
#include <gtest/gtest.h>

#include <filesystem>

#include "lithe/analyse/inspect/inspect.h"
#include "lithe/base/text.h"
#include "lithe/export/robot_text.h"
#include "lithe/read/partial_model.h"
#include "lithe/read/read_model.h"
#include "lithe/read/urdf/robot_parts.h"
#include "support/formulations.h"

namespace lithe {
namespace {

const std::filesystem::path export_folder = LITHE_TESTS_DIR "/robots";

PartialModel model_with(const std::string& text) {
  PartialModel model =
      read_text_partly("lithe = 1\ngravity = [0, 0, -9.81]\n" + text, (export_folder / "model.toml").string());
  if (!model.errors.empty()) throw InputError(model.errors);
  return model;
}

RobotText exported(const PartialModel& model, RobotFormat format) {
  return robot_text(model.model, model.drive_trains, format);
}
RobotDescription description(const RobotText& text) { return read_description(text.text, "exported", {}); }
Model again(const RobotText& text) { return read_model_text(model_file_of(description(text), false), "exported.toml"); }

bool says(const RobotText& text, const std::string& part) {
  for (const std::string& note : text.notes)
    if (note.find(part) != std::string::npos) return text.text.find(part) != std::string::npos;
  return false;
}

int index_of(const Model& model, const std::string& joint) {
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (model.joints[j].name == joint) return static_cast<int>(j);
  throw std::runtime_error("no joint " + joint);
}

// Accelerations of these joints under gravity and 1 N m (N) at the first of them.
std::vector<double> accelerations(const Model& model, const std::vector<std::string>& joints) {
  testing::Formulated system(model);
  system.inputs.joint_forces[static_cast<std::size_t>(index_of(model, joints[0]))] = {1};
  system.evaluate();
  std::vector<double> result;
  for (const std::string& joint : joints) result.push_back(system.joint(index_of(model, joint)).acceleration);
  return result;
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  double scale = 0;
  for (const double value : b) scale = std::max(scale, std::abs(value));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-10 * scale) << what << " " << i;
}

TEST(Exported, LoopsAreEqualitiesOfMjcf) {
  const std::pair<const char*, std::vector<std::string>> robots[] = {{"five_bar.sdf", {"a", "b", "elbow_a", "elbow_b"}},
                                                                     {"four_bar.xml", {"drive", "knee", "pivot"}}};
  for (const auto& [file, joints] : robots) {
    const PartialModel model = model_with(cat("[robot]\nfile = \"", file, "\"\n"));
    const RobotText text = exported(model, RobotFormat::mjcf);
    EXPECT_NE(text.text.find("<equality>"), std::string::npos);
    expect_same(accelerations(again(text), joints), accelerations(model.model, joints), file);
    EXPECT_TRUE(says(exported(model, RobotFormat::urdf), "a URDF is a tree, the loops stay open that are closed by"));
  }
}

// The frames of its loops coincide only when the loop is closed, away from zero.
TEST(Exported, LoopsThatCloseAwayFromZeroDoSoAgain) {
  const PartialModel model = model_with(R"(
[[links]]
name = "crank"
type = "rigid"
nodes = {root = [0, 0, 0], tip = [0.1, 0, 0]}
mass = 1
centre = [0.05, 0, 0]
inertia = [0.001, 0.001, 0.001]
[[links]]
name = "rod"
type = "rigid"
nodes = {root = [0, 0, 0], tip = [0.3, 0, 0]}
mass = 1
centre = [0.15, 0, 0]
inertia = [0.001, 0.01, 0.01]
[[links]]
name = "rocker"
type = "rigid"
nodes = {root = [0, 0, 0], tip = [0.25, 0, 0]}
mass = 1
centre = [0.1, 0, 0]
inertia = [0.001, 0.01, 0.01]
[[joints]]
name = "motor"
child = "crank"
child_node = "root"
axis = [0, 1, 0]
value = 0.6
[[joints]]
name = "knee"
parent = "crank"
parent_node = "tip"
child = "rod"
child_node = "root"
axis = [0, 1, 0]
guess = -1
[[joints]]
name = "pivot"
parent_point = [0.3, 0, 0]
child = "rocker"
child_node = "root"
axis = [0, 1, 0]
guess = -1.5
[[joints]]
name = "pin"
type = "spherical"
parent = "rod"
parent_node = "tip"
child = "rocker"
child_node = "tip"
)");
  const RobotText text = exported(model, RobotFormat::mjcf);
  EXPECT_NE(text.text.find("<keyframe>"), std::string::npos);
  Model read = again(text);
  for (const JointInfo& joint : inspect(model.model).joints)
    if (!joint.cut) read.joints[static_cast<std::size_t>(index_of(read, joint.name))].initial_value = joint.values;
  read.joints[static_cast<std::size_t>(index_of(read, "motor"))].initial_value_given = {true};
  const std::vector<std::string> joints{"motor", "knee", "pivot"};
  expect_same(accelerations(read, joints), accelerations(model.model, joints), "four-bar");
}

// One of each, in series; gravity at zero values and the motion of the last link.
TEST(Exported, JointsOfAllTypesMoveAlike) {
  const char* const types[] = {"revolute", "prismatic", "cylindrical", "universal", "planar", "spherical"};
  std::string text;
  for (int i = 0; i < 6; ++i) {
    text +=
        cat("[[links]]\nname = \"l", i, "\"\ntype = \"rigid\"\nnodes = {root = [0, 0, 0], tip = [0.1, 0.02, 0.2]}\n",
            "mass = ", 1 + 0.1 * i, "\ncentre = [0.05, 0.03, 0.1]\ninertia = [0.02, 0.03, 0.04]\n");
    text += cat("[[joints]]\nname = \"j", i, "\"\ntype = \"", types[i], "\"\nchild = \"l", i,
                "\"\nchild_node = \"root\"\n", i == 0 ? "" : cat("parent = \"l", i - 1, "\"\nparent_node = \"tip\"\n"),
                i == 5 ? "" : "axis = [0.3, 1, -0.2]\n", i == 3 ? "second_axis = [1, -0.3, 0]\n" : "",
                "orientation = [0.1, -0.2, 0.3]\n");
  }
  const PartialModel model = model_with(text);
  const auto last = [](const Model& of) {
    for (std::size_t i = 0; i < of.links.size(); ++i)
      if (of.links[i].name == "l5") return static_cast<int>(i);
    throw std::runtime_error("no link l5");
  };
  testing::Formulated system(model.model);
  system.evaluate();
  const NodeMotion expected = system.node(last(model.model), 0);
  for (const RobotFormat format : {RobotFormat::urdf, RobotFormat::mjcf}) {
    const Model read = again(exported(model, format));
    testing::Formulated other(read);
    other.evaluate();
    const NodeMotion found = other.node(last(read), 0);
    EXPECT_LT((found.position - expected.position).norm(), 1e-13);
    EXPECT_LT((found.orientation - expected.orientation).norm(), 1e-13);
    EXPECT_LT((found.acceleration - expected.acceleration).norm(), 1e-10 * expected.acceleration.norm());
    EXPECT_LT((found.angular_acceleration - expected.angular_acceleration).norm(),
              1e-10 * expected.angular_acceleration.norm());
  }
}

TEST(Exported, PropertiesOfJointsComeBack) {
  const PartialModel model =
      model_with("[robot]\nfile = \"crane.xml\"\n[joints.lift]\nstiffness = 7\nrest_value = 0.2\n");
  const RobotDescription robot = description(exported(model, RobotFormat::mjcf));
  for (const char* name : {"lift", "turn", "reach", "sway"}) {
    const Joint& from = model.model.joints[static_cast<std::size_t>(index_of(model.model, name))];
    ASSERT_GE(robot.find_joint(name), 0);
    const DescribedJoint& to = robot.joints[static_cast<std::size_t>(robot.find_joint(name))];
    EXPECT_EQ(to.limits, from.limits[0]);
    EXPECT_EQ(to.damping, from.damping[0]);
    EXPECT_EQ(to.friction, from.friction[0]);
    EXPECT_EQ(to.inertia, from.inertia[0]);
    EXPECT_EQ(to.stiffness, from.stiffness[0]);
    EXPECT_EQ(to.rest_value, from.rest_value[0]);
  }
  EXPECT_EQ(robot.joints[static_cast<std::size_t>(robot.find_joint("lift"))].max_force, 80);
  const RobotText urdf = exported(model, RobotFormat::urdf);
  const RobotDescription bare = description(urdf);
  const DescribedJoint& lift = bare.joints[static_cast<std::size_t>(bare.find_joint("lift"))];
  EXPECT_EQ(lift.damping, 0.3);
  EXPECT_EQ(lift.friction, 0.1);
  EXPECT_EQ(lift.max_force, 80);
  EXPECT_TRUE(says(urdf, "URDF has no springs, left out at: 'lift'"));
  EXPECT_TRUE(says(urdf, "URDF has no inertia of rotors, left out at: 'turn'"));
}

TEST(Exported, BallJointsKeepTheirDampingAsMuJoCoMeansIt) {
  const PartialModel model = model_with(
      "[[links]]\nname = \"a\"\ntype = \"rigid\"\nnodes = {root = [0, 0, 0]}\nmass = 1\ncentre = [0, 0, 0.1]\ninertia "
      "= "
      "[0.1, 0.1, 0.1]\n[[joints]]\nname = \"ball\"\ntype = \"spherical\"\nchild = \"a\"\nchild_node = "
      "\"root\"\ndamping = "
      "[0.3, 0.3, 0.3]\n");
  const RobotText text = exported(model, RobotFormat::mjcf);
  EXPECT_NE(text.text.find("type=\"ball\" damping=\"0.3\""), std::string::npos);
  const Model read = again(text);
  EXPECT_EQ(read.joints[static_cast<std::size_t>(index_of(read, "ball"))].damping,
            (std::vector<double>{0.3, 0.3, 0.3}));
  const RobotDescription direct = description(text);
  EXPECT_EQ(direct.joints[static_cast<std::size_t>(direct.find_joint("ball"))].damping, 0.3);
}

// Motor and gearbox become two joints of one body of MJCF, which MuJoCo reads without a mass between them.
TEST(Exported, ElasticGearboxesAreSpringsOfMjcfAndRigidInUrdf) {
  const PartialModel model = model_with(
      "[robot]\nfile = \"arm.urdf\"\n[[motors]]\njoint = \"elbow\"\nrotor_inertia = 3e-5\nratio = 100\nstiffness = "
      "12000\n");
  const RobotText mjcf = exported(model, RobotFormat::mjcf), urdf = exported(model, RobotFormat::urdf);
  EXPECT_EQ(mjcf.text.find("rotor"), std::string::npos);
  const std::vector<std::string> joints{"elbow", "elbow gear", "pan"};
  expect_same(accelerations(again(mjcf), joints), accelerations(model.model, joints), "arm");
  EXPECT_TRUE(says(urdf, "elastic gearboxes are written as rigid: 'elbow gear'"));
  EXPECT_EQ(description(urdf).find_joint("elbow gear"), -1);
}

TEST(Exported, FlexibleLinksAreRigidWithTheirMassAndThatIsSaid) {
  const PartialModel model = model_with(
                         "[robot]\nfile = \"arm.urdf\"\n[links.forearm]\nflexible = {beam = \"tube 60x2 carbon\", from "
                         "= \"elbow\", to = "
                         "\"wrist_tilt\"}\n"),
                     rigid = model_with("[robot]\nfile = \"arm.urdf\"\n");
  for (const RobotFormat format : {RobotFormat::urdf, RobotFormat::mjcf}) {
    const RobotText text = exported(model, format);
    EXPECT_TRUE(says(text, "flexible links are written as rigid, with their mass, centre and inertia: 'forearm'"));
    Model same = again(text);
    // The description's own mass, centre and inertia, as beam and end bodies add up to them.
    expect_same(accelerations(same, {"elbow", "pan"}), accelerations(rigid.model, {"elbow", "pan"}), "arm");
  }
}

// On a link whose joint is not at its origin: both formats move its frame there, and the shapes with it.
TEST(Exported, ShapesComeBackWithPlaceAndColour) {
  const PartialModel model = model_with(
      "[[links]]\nname = \"a\"\ntype = \"rigid\"\nnodes = {root = [0.1, 0, 0]}\nmass = 1\ninertia = [1, 1, "
      "1]\n[[joints]]\n"
      "name = \"j\"\nchild = \"a\"\nchild_node = \"root\"\n");
  std::vector<DrawnShape> shapes;
  for (const ShapeKind kind : {ShapeKind::box, ShapeKind::cylinder, ShapeKind::sphere, ShapeKind::mesh}) {
    DrawnShape drawn;
    drawn.link = "a";
    drawn.shape.kind = kind;
    drawn.shape.size = kind == ShapeKind::sphere     ? Vector3(0.2, 0, 0)
                       : kind == ShapeKind::cylinder ? Vector3(0.2, 0.5, 0)
                                                     : Vector3(1, 2, 3);
    drawn.shape.pose = {Eigen::AngleAxisd(0.3, Vector3(1, 2, 2) / 3).toRotationMatrix(), {0.4, 0.5, 0.6}};
    drawn.shape.colour = {0.1, 0.2, 0.3, 0.4};
    drawn.shape.file = kind == ShapeKind::mesh ? "meshes/part.stl" : "";
    shapes.push_back(drawn);
  }
  for (const RobotFormat format : {RobotFormat::urdf, RobotFormat::mjcf}) {
    const RobotText text = robot_text(model.model, {}, format, shapes);
    EXPECT_TRUE(text.notes.empty());
    const RobotDescription robot = description(text);
    const std::vector<LinkShape>& found = robot.links[static_cast<std::size_t>(robot.find_link("a"))].shapes;
    ASSERT_EQ(found.size(), shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const LinkShape& shape = shapes[i].shape;
      EXPECT_EQ(found[i].kind, shape.kind);
      EXPECT_EQ(found[i].size, shape.size);
      EXPECT_EQ(found[i].colour, shape.colour);
      EXPECT_EQ(found[i].file, shape.file);
      EXPECT_LT((found[i].pose.position - shape.pose.position + Vector3(0.1, 0, 0)).norm(), 1e-15);
      EXPECT_LT((found[i].pose.rotation - shape.pose.rotation).norm(), 1e-14);
    }
  }
  shapes.back().shape.file = "package://robot/part.dae";
  EXPECT_TRUE(says(robot_text(model.model, {}, RobotFormat::mjcf, shapes), "left out: 'package://robot/part.dae'"));
}

TEST(Exported, SensorsAndDrivesAreSaidToBeLeftOut) {
  const PartialModel model = model_with(
      "[robot]\nfile = \"arm.urdf\"\n[[drives]]\njoint = \"pan\"\ntorque = 1\n[[sensors]]\nname = \"tool\"\nquantity = "
      "\"position\"\nlink = \"wrist_3\"\nnode = \"tool\"\n");
  const RobotText text = exported(model, RobotFormat::urdf);
  EXPECT_TRUE(says(text, "drives are left out"));
  EXPECT_TRUE(says(text, "sensors are left out"));
  const RobotDescription robot = description(text);
  const DescribedLink& wrist = robot.links[static_cast<std::size_t>(robot.find_link("wrist_3"))];
  EXPECT_TRUE(std::any_of(wrist.points.begin(), wrist.points.end(),
                          [](const DescribedPoint& point) { return point.name == "tool"; }));
}

}  // namespace
}  // namespace lithe
