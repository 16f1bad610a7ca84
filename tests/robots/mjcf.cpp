// MJCF as it becomes models: loops, couplings, includes, and what is wrong in it named with its line. Dynamics against
// MuJoCo are in rigid_dynamics.cpp (crane.xml).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>
#include <sstream>

#include "lithe/analyse/inspect/inspect.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/read_model.h"
#include "lithe/read/urdf/robot_parts.h"

namespace lithe {
namespace {

const std::filesystem::path mjcf_folder = LITHE_TESTS_DIR "/robots";

std::string mjcf_text(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string body(const std::string& inside) {
  return "<mujoco>\n<worldbody>\n<body name=\"a\">" + inside + "<geom size=\"0.1\"/></body>\n</worldbody>\n";
}

std::string mjcf_error(const std::string& text) {
  try {
    read_description(text + "</mujoco>", "r.xml", {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

Model robot_of(const std::string& file) {
  return read_model_text(cat("lithe = 1\n[robot]\nfile = \"", file, "\"\n"), (mjcf_folder / "model.toml").string());
}

TEST(Mjcf, ClosesLoopsByConnectConstraints) {
  const MechanismInfo info = inspect(robot_of("four_bar.xml"));
  ASSERT_EQ(info.loops.size(), 1u);
  EXPECT_EQ(info.loops[0].joint, "pin");
  EXPECT_EQ(info.mobility, 1);
}

TEST(Mjcf, ImportsToAModelFileOfTheSameMechanism) {
  for (const char* file : {"four_bar.xml", "crane.xml"}) {
    const RobotDescription robot = read_description(mjcf_text(mjcf_folder / file), file, {});
    const Model imported = read_model_text(model_file_of(robot, false), "imported.toml"), direct = robot_of(file);
    ASSERT_EQ(imported.joints.size(), direct.joints.size());
    for (std::size_t j = 0; j < direct.joints.size(); ++j) {
      const Joint &a = imported.joints[j], &b = direct.joints[j];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.type, b.type);
      EXPECT_EQ(a.inertia, b.inertia);
      EXPECT_EQ(a.damping, b.damping);
      // The pose of the child in the parent with all coordinates zero.
      const Pose A = a.parent_frame * a.child_frame.inverse(), B = b.parent_frame * b.child_frame.inverse();
      EXPECT_LT((A.rotation - B.rotation).norm() + (A.position - B.position).norm(), 1e-14) << a.name;
    }
  }
}

TEST(Mjcf, TakesLimitsInDegreesAndForcesOfActuators) {
  const RobotDescription robot = read_description(mjcf_text(mjcf_folder / "crane.xml"), "crane.xml", {});
  const DescribedJoint &lift = robot.joints[static_cast<std::size_t>(robot.find_joint("lift"))],
                       &turn = robot.joints[static_cast<std::size_t>(robot.find_joint("turn"))],
                       &reach = robot.joints[static_cast<std::size_t>(robot.find_joint("reach"))];
  ASSERT_TRUE(lift.limits);
  EXPECT_NEAR(lift.limits->first, -40 * std::numbers::pi / 180, 1e-15);
  EXPECT_EQ(lift.max_force, 80);
  EXPECT_EQ(turn.max_force, 150);
  EXPECT_EQ(lift.friction, 0.1);
  EXPECT_EQ(reach.type, JointType::prismatic);
  EXPECT_EQ(reach.limits->second, 0.5);  // metres are no angles
  EXPECT_EQ(reach.inertia, 0.5);
  EXPECT_EQ(reach.friction, 0.1);  // of the class around its own
}

TEST(Mjcf, GravityIsImportedAndActuatorsAreNoted) {
  const RobotDescription robot = read_description(
      "<mujoco model='moon'><option gravity='0 0 -1.62'/><worldbody><body name='arm'><joint name='j' type='hinge'/>"
      "<geom type='sphere' size='0.1' pos='1 0 0'/></body></worldbody>"
      "<actuator><position joint='j' kp='100'/><motor joint='j' ctrlrange='-5 5' gear='10'/></actuator></mujoco>",
      "moon.xml", {});
  ASSERT_EQ(robot.notes.size(), 1u);
  EXPECT_NE(robot.notes[0].find("of the actuators (1 motor, 1 position) the limits of force of joints are kept"),
            std::string::npos)
      << robot.notes[0];
  const Model model = read_model_text(model_file_of(robot, false), "moon.toml");
  EXPECT_EQ(model.gravity, Vector3(0, 0, -1.62));
}

TEST(Mjcf, SaysWhatIsWrongWithTheLine) {
  EXPECT_EQ(mjcf_error("<mujoco>"), "r.xml:1:1: error: the model has no bodies");
  EXPECT_EQ(mjcf_error(body("<joint name=\"j\" type=\"screw\"/>")),
            "r.xml:3:1: error: joint 'j': the type must be hinge, slide, ball or free, got 'screw'");
  EXPECT_EQ(mjcf_error(body("<joint name=\"j\" axis=\"0 0\"/>")),
            "r.xml:3:1: error: <joint>: axis must be 3 numbers, got '0 0'");
  EXPECT_EQ(mjcf_error(body("<joint name=\"j\" axis=\"0 0 0\"/>")),
            "r.xml:3:1: error: joint 'j': the axis has no length");
  EXPECT_EQ(mjcf_error(body("<joint name=\"j\" range=\"1 0\"/>")),
            "r.xml:3:1: error: joint 'j': the lower limit 1 is not below the upper one, 0");
  EXPECT_EQ(mjcf_error(body("<joint name=\"j\"/><joint name=\"j\"/>")),
            "r.xml:3:1: error: joint 'j': the name is used twice");
  EXPECT_EQ(mjcf_error(body("<joint/>") + "<equality><connect body1=\"a\" body2=\"b\" anchor=\"0 0 0\"/></equality>"),
            "r.xml:5:1: error: <connect>: the body 'b' does not exist");
  EXPECT_EQ(mjcf_error(body("<joint/>") + "<include file=\"other.xml\"/>"),
            "r.xml:5:1: error: the included file 'other.xml' is not read: nobody reads files here");
  EXPECT_EQ(mjcf_error("<mujoco>\n<worldbody>\n<body name=\"a\"><joint/></body></worldbody>"),
            "r.xml:3:1: error: link 'a' has no mass, nor has what it carries, but joint 'joint 1' moves it; give it an "
            "<inertial> element; --repair (or repair = true in [robot]) mends it");
  EXPECT_EQ(mjcf_error("<mujoco><compiler eulerseq=\"xyq\"/><worldbody><body><geom size=\"1\"/></body></worldbody>"),
            "r.xml:1:1: error: eulerseq must be three of the letters x, y, z, got 'xyq'");
}

TEST(Mjcf, ScalesToATotalMass) {
  const std::string bodies =
      "<worldbody><body name=\"a\"><joint/><geom size=\"0.1\" mass=\"1\"/><body name=\"b\">"
      "<joint/><geom size=\"0.2\" mass=\"3\"/></body></body></worldbody></mujoco>";
  const RobotDescription plain = read_description("<mujoco>" + bodies, "r.xml", {}),
                         scaled = read_description("<mujoco><compiler settotalmass=\"10\"/>" + bodies, "r.xml", {});
  for (const char* name : {"a", "b"}) {
    const DescribedInertia &from = *plain.links[static_cast<std::size_t>(plain.find_link(name))].inertia,
                           &to = *scaled.links[static_cast<std::size_t>(scaled.find_link(name))].inertia;
    EXPECT_NEAR(to.mass, 2.5 * from.mass, 1e-14);
    EXPECT_LT((to.inertia - 2.5 * from.inertia).norm(), 1e-15);
  }
}

// relpose is the pose of body2 in body1; sites meet wherever the bodies are.
TEST(Mjcf, WeldsAtARelativePoseAndConnectsSites) {
  const std::string bodies =
      "<mujoco><worldbody><body name=\"a\" pos=\"1 0 0\"><joint name=\"i\" pos=\"0 0 0.5\"/><geom "
      "size=\"0.1\"/><site name=\"s\" pos=\"0.1 0 0\"/></body><body name=\"b\"><joint name=\"j\"/><geom "
      "size=\"0.1\"/><site name=\"t\" pos=\"0 0.2 0\" euler=\"0 0 90\"/></body></worldbody><equality>";
  const DescribedLoop weld =
      read_description(bodies +
                           "<weld body1=\"a\" body2=\"b\" relpose=\"0.1 0.2 0.3 0.7071067811865476 0 0 "
                           "0.7071067811865476\"/></equality></mujoco>",
                       "r.xml", {})
          .loops.at(0);
  const Matrix3 quarter = Eigen::AngleAxisd(std::numbers::pi / 2, Vector3::UnitZ()).toRotationMatrix();
  EXPECT_LT((weld.in_a.position - Vector3(0.1, 0.2, -0.2)).norm(), 1e-15);  // the link's frame is at its joint
  EXPECT_LT((weld.in_a.rotation - quarter).norm(), 1e-15);
  EXPECT_LT(weld.in_b.position.norm() + (weld.in_b.rotation - Matrix3::Identity()).norm(), 1e-15);
  const DescribedLoop sites =
      read_description(bodies + "<connect site1=\"s\" site2=\"t\"/></equality></mujoco>", "r.xml", {}).loops.at(0);
  EXPECT_LT((sites.in_a.position - Vector3(0.1, 0, -0.5)).norm(), 1e-15);
  EXPECT_LT((sites.in_b.position - Vector3(0, 0.2, 0)).norm(), 1e-15);
  EXPECT_LT((sites.in_b.rotation - quarter).norm(), 1e-15);
  EXPECT_EQ(mjcf_error(bodies + "<connect site1=\"s\" site2=\"u\"/></equality>"),
            "r.xml:1:1: error: <connect>: the site 'u' does not exist");
}

TEST(Mjcf, IncludesOtherFilesButNotItselfForEver) {
  DescriptionChoices choices;
  choices.read_file = [](const std::string& name, std::string&) -> std::optional<std::string> {
    return name == "part.xml" ? "<mujoco><worldbody><body name=\"b\"><joint name=\"j\"/><geom size=\"0.1\"/></body>"
                                "</worldbody></mujoco>"
                              : "<mujoco><include file=\"endless.xml\"/></mujoco>";
  };
  const RobotDescription robot = read_description("<mujoco><include file=\"part.xml\"/></mujoco>", "r.xml", choices);
  EXPECT_GE(robot.find_joint("j"), 0);
  EXPECT_THROW(read_description("<mujoco><include file=\"endless.xml\"/></mujoco>", "r.xml", choices), InputError);
}

// Damaged descriptions are read or refused, never more.
TEST(Mjcf, SurvivesDamage) {
  const std::string whole = mjcf_text(mjcf_folder / "crane.xml");
  std::mt19937 random(5);
  const char* const pieces[] = {
      "\"", "<", "/>", "1e999", "nan", "<body>", "class=\"tool\"", "-", " ", "<frame pos=\"1\">"};
  for (int i = 0; i < 400; ++i) {
    std::string text = whole;
    for (int k = 0; k < 3; ++k) {
      const std::size_t at = random() % text.size();
      if (random() % 2)
        text.erase(at, random() % 40);
      else
        text.insert(at, pieces[random() % std::size(pieces)]);
    }
    try {
      const RobotDescription robot = read_description(text, "r.xml", {.merge_fixed = i % 2 == 0, .repair = i % 3 == 0});
      read_model_text(model_file_of(robot, false), "imported.toml");
    } catch (const InputError&) {
    }
  }
}

}  // namespace
}  // namespace lithe
