// SDF as it becomes models: frames, loops, nested and included models, and what is wrong in it named with its line.
// Dynamics against Drake are in rigid_dynamics.cpp (gantry.sdf).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "lithe/analyse/inspect/inspect.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/read_model.h"
#include "lithe/read/urdf/robot_parts.h"
#include "support/formulations.h"

namespace lithe {
namespace {

const std::filesystem::path sdf_folder = LITHE_TESTS_DIR "/robots";

std::string sdf_text(const std::string& file) {
  std::ifstream stream(sdf_folder / file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

const std::string inertial =
    "<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>";

std::string link(const std::string& name, const std::string& more = "") {
  return cat("<link name=\"", name, "\">", inertial, more, "</link>\n");
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& more = "<axis><xyz>0 0 1</xyz></axis>") {
  return cat("<joint name=\"", name, "\" type=\"", type, "\"><parent>", parent, "</parent><child>", child, "</child>",
             more, "</joint>\n");
}
std::string model(const std::string& inside, const std::string& version = "1.9") {
  return cat("<sdf version=\"", version, "\">\n<model name=\"m\">\n", inside, "</model>\n</sdf>\n");
}

RobotDescription sdf(const std::string& text, const DescriptionChoices& choices = {}) {
  return read_description(text, "r.sdf", choices);
}
std::string sdf_error(const std::string& text, const DescriptionChoices& choices = {}) {
  try {
    sdf(text, choices);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}
const DescribedJoint& joint_of(const RobotDescription& robot, const std::string& name) {
  const int found = robot.find_joint(name);
  if (found < 0) throw std::runtime_error("no joint " + name);
  return robot.joints[static_cast<std::size_t>(found)];
}
Model used(const std::string& file) {
  return read_model_text(cat("lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = \"", file, "\"\n"),
                         (sdf_folder / "model.toml").string());
}

TEST(Sdf, ClosesALoopWhereALinkIsTheChildOfTwoJoints) {
  const MechanismInfo info = inspect(used("five_bar.sdf"));
  ASSERT_EQ(info.loops.size(), 1u);
  EXPECT_EQ(info.loops[0].joints.size(), 5u);
  EXPECT_EQ(info.mobility, 2);
  const RobotDescription robot = sdf(sdf_text("five_bar.sdf"));
  ASSERT_EQ(robot.loops.size(), 1u);
  EXPECT_EQ(robot.loops[0].name, "pin");
  EXPECT_EQ(robot.loops[0].damping, 0.01);
}

// Accelerations from rest with 0.7 N m at `a`. The numbers are those of MuJoCo's mass matrix M, bias b and constraint
// Jacobian J of five_bar.xml, in M a + J' f = t - b, J a = 0, so that its soft constraints do not count.
TEST(Sdf, AFiveBarAcceleratesAsMuJoCosMatricesSay) {
  for (const char* file : {"five_bar.sdf", "five_bar.xml"}) {
    const Model five_bar = used(file);
    testing::Formulated system(five_bar);
    const auto index = [&](const std::string& name) {
      for (std::size_t j = 0; j < five_bar.joints.size(); ++j)
        if (five_bar.joints[j].name == name) return static_cast<int>(j);
      throw std::runtime_error("no joint " + name);
    };
    system.inputs.joint_forces[static_cast<std::size_t>(index("a"))] = {0.7};
    system.evaluate();
    EXPECT_NEAR(system.joint(index("a")).acceleration, 38.470951698601915, 1e-8) << file;
    EXPECT_NEAR(system.joint(index("b")).acceleration, 1.758933358869372, 1e-8) << file;
    EXPECT_NEAR(system.joint(index("elbow_a")).acceleration, -58.52681872478871, 1e-8) << file;
  }
}

TEST(Sdf, ImportsToAModelFileOfTheSameMechanism) {
  for (const char* file : {"gantry.sdf", "five_bar.sdf"}) {
    const Model imported = read_model_text(model_file_of(sdf(sdf_text(file)), false), "imported.toml"),
                direct = used(file);
    ASSERT_EQ(imported.joints.size(), direct.joints.size());
    for (std::size_t j = 0; j < direct.joints.size(); ++j) {
      const Joint &a = imported.joints[j], &b = direct.joints[j];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.type, b.type);
      EXPECT_EQ(a.damping, b.damping);
      EXPECT_EQ(a.limits, b.limits);
      const Pose A = a.parent_frame * a.child_frame.inverse(), B = b.parent_frame * b.child_frame.inverse();
      EXPECT_LT((A.rotation - B.rotation).norm() + (A.position - B.position).norm(), 1e-14) << a.name;
    }
  }
}

TEST(Sdf, TakesPropertiesOfAxes) {
  const RobotDescription robot = sdf(sdf_text("gantry.sdf"));
  const DescribedJoint &travel = joint_of(robot, "travel"), &tilt = joint_of(robot, "tilt");
  EXPECT_EQ(travel.type, JointType::prismatic);
  ASSERT_TRUE(travel.limits);
  EXPECT_EQ(travel.limits->second, 0.6);
  EXPECT_EQ(travel.max_force, 200);
  EXPECT_EQ(travel.max_speed, 2);
  EXPECT_EQ(travel.damping, 0.4);
  EXPECT_EQ(travel.friction, 0.2);
  EXPECT_FALSE(tilt.limits);  // 1e16
  EXPECT_EQ(tilt.stiffness, 12);
  EXPECT_EQ(tilt.rest_value, 0.1);
  EXPECT_EQ(robot.name, "gantry");
  const DescribedLink& slide = robot.links[static_cast<std::size_t>(robot.find_link("slide"))];
  ASSERT_EQ(slide.shapes.size(), 1u);
  EXPECT_EQ(slide.shapes[0].colour->at(0), 0.8);
}

// The second link's frame is turned by 90 degrees about x against the model's, and so is its joint.
TEST(Sdf, AxesAreInTheFrameThatTheVersionSays) {
  const std::string turned = cat("<link name=\"b\"><pose>0 0 0 1.5707963267948966 0 0</pose>", inertial, "</link>");
  const auto axis = [&](const std::string& version, const std::string& more) {
    return joint_of(sdf(model(link("a") + joint("ground", "fixed", "world", "a", "") + turned +
                                  joint("j", "revolute", "a", "b", "<axis><xyz>0 0 1</xyz>" + more + "</axis>"),
                              version)),
                    "j")
        .axis;
  };
  const Vector3 own(0, 0, 1), of_model(0, 1, 0);  // in the axes of b
  EXPECT_LT((axis("1.9", "") - own).norm(), 1e-14);
  EXPECT_LT((axis("1.5", "") - own).norm(), 1e-14);
  EXPECT_LT((axis("1.4", "") - of_model).norm(), 1e-14);
  EXPECT_LT((axis("1.6", "<use_parent_model_frame>true</use_parent_model_frame>") - of_model).norm(), 1e-14);
  EXPECT_LT((axis("1.10", "<use_parent_model_frame>true</use_parent_model_frame>") - own).norm(), 1e-14);
}

// R = Rot(z, q1) Rot(x, q2) of a universal joint; its first axis is fixed to the parent.
TEST(Sdf, UniversalJointsTurnAboutTwoAxes) {
  const std::string text =
      model(link("a") + joint("ground", "fixed", "world", "a", "") + link("b") +
            joint("u", "universal", "a", "b",
                  "<pose>0.1 0 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis><axis2><xyz>1 0 0</xyz></axis2>"));
  Model two = read_model_text(model_file_of(sdf(text), false), "u.toml");
  const double q1 = 0.4, q2 = -0.7;
  for (Joint& j : two.joints) {
    if (j.name == "u") j.initial_value = {q1};
    if (j.name == "u axis2") j.initial_value = {q2};
  }
  testing::Formulated system(two);
  system.evaluate();
  int b = 0;
  for (std::size_t i = 0; i < two.links.size(); ++i)
    if (two.links[i].name == "b") b = static_cast<int>(i);
  const Matrix3 expected =
      (Eigen::AngleAxisd(q1, Vector3::UnitZ()) * Eigen::AngleAxisd(q2, Vector3::UnitX())).toRotationMatrix();
  EXPECT_LT((system.node(b, 0).orientation - expected).norm(), 1e-14);
  EXPECT_LT((system.node(b, 0).position - Vector3(0.1, 0, 0)).norm(), 1e-14);
}

// The base hangs on its own child: the joint is turned round and its value keeps its sign.
TEST(Sdf, JointsMayPointTowardsTheWorld) {
  const RobotDescription robot =
      sdf(model(link("a") + link("b", "<pose>0.3 0 0 0 0 0</pose>") + joint("ground", "fixed", "world", "b", "") +
                joint("j", "revolute", "a", "b", "<axis><xyz>0 1 0</xyz></axis>")));
  const DescribedJoint& j = joint_of(robot, "j");
  EXPECT_EQ(robot.links[static_cast<std::size_t>(j.child)].name, "a");
  EXPECT_LT((j.axis - Vector3(0, -1, 0)).norm(), 1e-14);
  EXPECT_LT((j.origin.position - Vector3(0.3, 0, 0)).norm(), 1e-14);
}

TEST(Sdf, AModelThatNothingTiesToTheWorldHasItsBaseAsRoot) {
  const std::string posed = cat("<pose>0 0 2 0 0.5 0</pose>", link("a", "<pose>0 1 0 0 0 0</pose>"), link("b"),
                                joint("j", "ball", "a", "b", ""));
  const RobotDescription robot = sdf(model(posed));
  EXPECT_EQ(robot.links[static_cast<std::size_t>(robot.root)].name, "a");
  const Pose turn{Eigen::AngleAxisd(0.5, Vector3::UnitY()).toRotationMatrix(), Vector3(0, 0, 2)};
  EXPECT_LT((robot.root_pose.position - turn * Vector3(0, 1, 0)).norm(), 1e-14);
  EXPECT_LT((robot.root_pose.rotation - turn.rotation).norm(), 1e-14);
  ASSERT_EQ(robot.notes.size(), 1u);
  EXPECT_EQ(robot.notes[0], "r.sdf: nothing ties the model to the world: link 'a' is the base");
  EXPECT_EQ(joint_of(robot, "j").type, JointType::spherical);
}

TEST(Sdf, AWorldHoldsStaticAndFloatingModels) {
  const RobotDescription robot =
      sdf(cat("<sdf version=\"1.7\"><world name=\"w\">\n<model name=\"floor\"><static>true</static>", link("slab"),
              "</model>\n<model name=\"one\">", link("base"), link("arm"), joint("j", "revolute", "base", "arm"),
              "</model>\n<model name=\"two\"><pose>1 0 0 0 0 0</pose>", link("base"),
              joint("foot", "fixed", "world", "base", ""), "</model></world></sdf>"));
  EXPECT_EQ(robot.links[static_cast<std::size_t>(robot.root)].name, "world");
  EXPECT_EQ(joint_of(robot, "one/base free").type, JointType::free);
  EXPECT_EQ(joint_of(robot, "one/j").type, JointType::revolute);
  EXPECT_EQ(robot.joints.size(), 2u);
  // What stands still is part of the world: 1 kg of the slab and 1 kg at x = 1.
  const DescribedLink& ground = robot.links[static_cast<std::size_t>(robot.root)];
  EXPECT_DOUBLE_EQ(ground.inertia->mass, 2);
  EXPECT_LT((in_link_axes(*ground.inertia).centre - Vector3(0.5, 0, 0)).norm(), 1e-14);
}

TEST(Sdf, LinksWithoutInertiaWeighAKilogramAsSdfSays) {
  const RobotDescription robot = sdf(model("<link name=\"a\"/>\n" + joint("j", "revolute", "world", "a")));
  EXPECT_EQ(robot.links[1].inertia->mass, 1);
  EXPECT_EQ(robot.links[1].inertia->inertia, Matrix3::Identity());
  EXPECT_EQ(robot.notes[0],
            "r.sdf:3: link 'a' has no <inertial>: SDF gives it 1 kg and moments of inertia of 1 kg m^2");
}

// Two boxes side by side, one with a density of its own.
TEST(Sdf, TakesAutomaticInertiasFromContactShapes) {
  const auto box = [](double x, const std::string& density) {
    return cat("<collision name=\"c", x, "\"><pose>", x, " 0 0 0 0 0</pose>", density,
               "<geometry><box><size>0.1 0.1 0.1</size></box></geometry></collision>");
  };
  const RobotDescription robot =
      sdf(model(cat("<link name=\"a\"><inertial auto=\"true\"/>", box(0, ""), box(0.2, "<density>3000</density>"),
                    "</link>", joint("j", "revolute", "world", "a"))));
  const RigidInertia body = in_link_axes(*robot.links[1].inertia);
  EXPECT_NEAR(body.mass, 4, 1e-12);
  EXPECT_NEAR(body.centre.x(), 0.15, 1e-14);
  EXPECT_NEAR(body.inertia(0, 0), 4 * 0.01 / 6, 1e-14);
  EXPECT_NEAR(body.inertia(2, 2), 4 * 0.01 / 6 + 1 * 0.15 * 0.15 + 3 * 0.05 * 0.05, 1e-14);
}

TEST(Sdf, MimicsCountFromTheirReference) {
  const RobotDescription robot =
      sdf(model(link("a") + link("b") + joint("p", "revolute", "world", "a") +
                joint("q", "revolute", "world", "b",
                      "<axis><xyz>0 0 1</xyz><mimic joint=\"p\"><multiplier>-2</multiplier><offset>0.1</offset>"
                      "<reference>0.3</reference></mimic></axis>")));
  ASSERT_TRUE(joint_of(robot, "q").mimic);
  EXPECT_EQ(joint_of(robot, "q").mimic->factor, -2);
  EXPECT_DOUBLE_EQ(joint_of(robot, "q").mimic->offset, 0.7);  // -2 (p - 0.3) + 0.1
}

// theta_2 = -5 theta_1 about the axes that it names; the second joint's own axis points the other way.
TEST(Sdf, AGearboxMakesItsSecondJointFollowTheFirst) {
  const std::string links = link("base") + link("in") + link("out") + joint("feet", "fixed", "world", "base", "") +
                            joint("p", "revolute", "base", "in") +
                            joint("q", "revolute", "base", "out", "<axis><xyz>0 0 -1</xyz></axis>");
  const std::string ratio =
      "<gearbox_ratio>5</gearbox_ratio><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>";
  const RobotDescription robot = sdf(model(
      links + joint("gears", "gearbox", "in", "out", "<gearbox_reference_body>base</gearbox_reference_body>" + ratio)));
  ASSERT_TRUE(joint_of(robot, "q").mimic);
  EXPECT_EQ(joint_of(robot, "q").mimic->of, "p");
  EXPECT_EQ(joint_of(robot, "q").mimic->factor, 5);
  EXPECT_EQ(robot.find_joint("gears"), -1);
  EXPECT_EQ(
      sdf_error(model(links + joint("gears", "gearbox", "in", "out",
                                    "<gearbox_reference_body>in</gearbox_reference_body>" + ratio))),
      "r.sdf:9:1: error: joint 'gears': its parent and its child must turn about its axes in revolute joints of the "
      "gearbox_reference_body");
}

TEST(Sdf, LimitsThatAreBothZeroFixAJoint) {
  const RobotDescription robot =
      sdf(model(link("a") + link("b") +
                joint("j", "revolute", "world", "a",
                      "<axis><xyz>0 0 1</xyz><limit><lower>0</lower><upper>0</upper></limit></axis>") +
                joint("k", "revolute", "a", "b")));
  EXPECT_EQ(robot.find_joint("j"), -1);
  EXPECT_GE(robot.find_joint("k"), 0);
}

TEST(Sdf, IncludesOtherModelsButNotItselfForEver) {
  DescriptionChoices choices;
  std::vector<std::string> asked;
  choices.read_file = [&](const std::string& name, std::string& problem) -> std::optional<std::string> {
    asked.push_back(name);
    problem = "the file does not exist";
    if (name == "hand/model.sdf")
      return model(link("palm") + "<frame name=\"grasp\"><pose>0 0 0.2 0 0 0</pose></frame>");
    if (name == "endless.sdf") return model("<include><uri>endless.sdf</uri></include>");
    return std::nullopt;
  };
  const std::string include = "<include><uri>model://hand</uri><name>left</name><pose>1 0 0 0 0 0</pose></include>\n";
  const RobotDescription robot = sdf(model(link("arm") + joint("j", "revolute", "world", "arm") + include +
                                           joint("k", "revolute", "arm", "left::palm")),
                                     choices);
  EXPECT_EQ(asked, std::vector<std::string>{"hand/model.sdf"});
  const DescribedJoint& k = joint_of(robot, "k");
  EXPECT_EQ(robot.links[static_cast<std::size_t>(k.child)].name, "left/palm");
  EXPECT_LT((k.origin.position - Vector3(1, 0, 0)).norm(), 1e-15);
  const DescribedPoint& grasp = robot.links[static_cast<std::size_t>(k.child)].points[0];
  EXPECT_EQ(grasp.name, "grasp");
  EXPECT_LT((grasp.position - Vector3(0, 0, 0.2)).norm(), 1e-15);
  EXPECT_NE(sdf_error(model("<include><uri>endless.sdf</uri></include>\n"), choices).find("too deep"),
            std::string::npos);
  EXPECT_EQ(sdf_error(model("<include><uri>model://none</uri></include>\n"), choices),
            "r.sdf:3:1: error: the included file 'none/model.sdf' is not read: the file does not exist\n"
            "r.sdf:1:1: error: the file has no links");
}

TEST(Sdf, SaysWhatIsWrongWithTheLine) {
  const std::string a = link("a"), ground = joint("g", "fixed", "world", "a", "");  // lines 3 and 4
  EXPECT_EQ(sdf_error("<sdf version=\"1.7\"/>"),
            "r.sdf:1:1: error: <sdf> must hold one <model> or one <world>, got 0 and 0\nr.sdf:1:1: error: the file has "
            "no links");
  EXPECT_EQ(sdf_error(model(a + link("a"))), "r.sdf:4:1: error: link 'a': the name is used twice");
  EXPECT_EQ(sdf_error(model(a + joint("j", "screw", "world", "a"))),
            "r.sdf:4:1: error: joint 'j': joints of the type screw are not read");
  EXPECT_EQ(sdf_error(model(a + joint("j", "hinge", "world", "a"))),
            "r.sdf:4:1: error: joint 'j': the type must be fixed, revolute, continuous, prismatic, ball, universal or "
            "revolute2, got 'hinge'");
  EXPECT_EQ(sdf_error(model(a + joint("j", "revolute", "world", "b"))),
            "r.sdf:4:1: error: there is no link, joint, frame or model 'b'");
  EXPECT_EQ(sdf_error(model(a + joint("j", "revolute", "a", "world"))),
            "r.sdf:4:1: error: joint 'j': the world cannot be the child");
  EXPECT_EQ(sdf_error(model(a + joint("j", "revolute", "a", "a"))),
            "r.sdf:4:1: error: joint 'j' connects a link with itself");
  EXPECT_EQ(sdf_error(model(a + joint("j", "revolute", "world", "a", ""))),
            "r.sdf:4:1: error: joint 'j': it has no <axis>");
  EXPECT_EQ(sdf_error(model(a + joint("j", "revolute", "world", "a", "<axis><xyz>0 0</xyz></axis>"))),
            "r.sdf:4:1: error: <xyz> must hold 3 numbers, got '0 0'");
  EXPECT_EQ(sdf_error(model(a + joint("j", "revolute", "world", "a", "<axis><xyz>0 0 0</xyz></axis>"))),
            "r.sdf:4:1: error: joint 'j': the axis has no length");
  EXPECT_EQ(sdf_error(model(a + joint("j", "revolute", "world", "a",
                                      "<axis><xyz>0 0 1</xyz><limit><lower>1</lower><upper>0</upper></limit></axis>"))),
            "r.sdf:4:1: error: joint 'j': the lower limit 1 is above the upper one, 0");
  EXPECT_EQ(sdf_error(model(a + ground +
                            "<frame name=\"f\"><pose relative_to=\"h\"/></frame>\n"
                            "<frame name=\"h\"><pose relative_to=\"f\"/></frame>\n")),
            "r.sdf:5:1: error: the pose of 'f' is relative to itself, by other frames");
  EXPECT_EQ(sdf_error(model(a + ground + "<frame name=\"f\" attached_to=\"f\"/>\n")).substr(0, 12), "r.sdf:5:1: e");
  EXPECT_EQ(sdf_error(model("<link name=\"a\"><inertial><mass>-1</mass></inertial></link>\n" + ground)),
            "r.sdf:3:1: error: link 'a': the mass must not be negative, got -1 kg");
  EXPECT_EQ(sdf_error(model("<link name=\"a\"><pose>0 0 0 0 0</pose></link>\n" + ground)),
            "r.sdf:3:1: error: <pose> must hold 6 numbers, got '0 0 0 0 0'");
  EXPECT_EQ(sdf_error("<!DOCTYPE sdf [<!ENTITY a \"b\">]><sdf>&a;</sdf>"),
            "r.sdf:1:1: error: document types and entities are not read");
}

TEST(Sdf, LongChainsOfFramesAreFollowedOrRefused) {
  const auto chain = [](int count, bool forwards) {
    std::string frames;
    for (int i = 0; i < count; ++i) {
      const int n = forwards ? i : count - 1 - i;
      frames += cat("<frame name=\"f", n, "\"><pose", n == 0 ? "" : cat(" relative_to=\"f", n - 1, "\""),
                    ">0.001 0 0 0 0 0</pose></frame>\n");
    }
    return model(link("a") + joint("j", "revolute", "world", "a") + frames);
  };
  const RobotDescription robot = sdf(chain(20000, true));
  EXPECT_NEAR(robot.links[1].points.back().position.x(), 20, 1e-9);
  EXPECT_NE(sdf_error(chain(20000, false)).find("a chain of more than 500 frames"), std::string::npos);
}

// Damaged descriptions are read or refused, never more.
TEST(Sdf, SurvivesDamage) {
  std::mt19937 random(7);
  const char* const pieces[] = {"\"",
                                "<",
                                "/>",
                                "1e999",
                                "nan",
                                "<link>",
                                "world",
                                "-",
                                " ",
                                "::",
                                "__model__",
                                "<model name=\"a\">",
                                "relative_to=\"grip\""};
  for (const char* file : {"gantry.sdf", "five_bar.sdf"})
    for (int i = 0; i < 300; ++i) {
      std::string text = sdf_text(file);
      for (int k = 0; k < 3; ++k) {
        const std::size_t at = random() % text.size();
        if (random() % 2)
          text.erase(at, random() % 40);
        else
          text.insert(at, pieces[random() % std::size(pieces)]);
      }
      try {
        const RobotDescription robot =
            read_description(text, "r.sdf", {.merge_fixed = i % 2 == 0, .repair = i % 3 == 0});
        read_model_text(model_file_of(robot, false), "imported.toml");
      } catch (const InputError&) {
      }
    }
}

}  // namespace
}  // namespace lithe
