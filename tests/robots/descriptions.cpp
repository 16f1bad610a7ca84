// Descriptions as they become models: the two ways give the same, and what is wrong in them is named with its line.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "lithe/base/text.h"
#include "lithe/read/partial_model.h"
#include "lithe/read/read_model.h"
#include "lithe/read/urdf/robot_parts.h"

namespace lithe {
namespace {

const std::filesystem::path folder = LITHE_TESTS_DIR "/robots";

std::string file_text(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

Model in_place(const std::string& more, const std::string& name = "arm") {
  return read_model_text(cat("lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = \"", name, ".urdf\"\n", more),
                         (folder / "model.toml").string());
}

template <class Items>
int index_of(const Items& items, const std::string& name) {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].name == name) return static_cast<int>(i);
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(Description, ImportedOrUsedInPlaceIsTheSameModel) {
  for (const char* name : {"arm", "random_2", "random_3"}) {
    const RobotDescription robot = read_description(file_text(folder / cat(name, ".urdf")), "robot.urdf", {});
    const Model imported = read_model_text(model_file_of(robot, false), (folder / "imported.toml").string());
    const Model used = in_place("", name);
    ASSERT_EQ(imported.links.size(), used.links.size());
    ASSERT_EQ(imported.joints.size(), used.joints.size());
    for (std::size_t i = 0; i < used.links.size(); ++i) {
      const Link &a = imported.links[i], &b = used.links[i];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.nodes.size(), b.nodes.size());
      EXPECT_EQ(a.rigid_inertia.mass, b.rigid_inertia.mass);
      EXPECT_EQ(a.rigid_inertia.centre, b.rigid_inertia.centre);
      EXPECT_EQ(a.rigid_inertia.inertia, b.rigid_inertia.inertia);
    }
    for (std::size_t j = 0; j < used.joints.size(); ++j) {
      const Joint &a = imported.joints[j], &b = used.joints[j];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.type, b.type);
      EXPECT_EQ(a.parent, b.parent);
      EXPECT_EQ(a.parent_node, b.parent_node);
      EXPECT_EQ(a.child_node, b.child_node);
      EXPECT_EQ(a.limits, b.limits);
      EXPECT_LT((a.parent_frame.rotation - b.parent_frame.rotation).norm(), 1e-14);
      EXPECT_LT((a.child_frame.rotation - b.child_frame.rotation).norm(), 1e-14);
    }
  }
}

// Links on fixed joints are part of their carriers, with all their mass.
TEST(Description, FixedJointsAreMergedOrKept) {
  const Model merged = in_place(""), kept = in_place("fixed_joints = \"keep\"\n");
  EXPECT_EQ(merged.links.size(), 7u);
  EXPECT_EQ(kept.links.size(), 10u);
  const Link& wrist = merged.links[static_cast<std::size_t>(index_of(merged.links, "wrist_3"))];
  EXPECT_DOUBLE_EQ(wrist.rigid_inertia.mass, 0.1879 + 0.9);
  const Node& tool = wrist.nodes[static_cast<std::size_t>(index_of(wrist.nodes, "tool"))];
  EXPECT_LT((tool.position - Vector3(0, 0, 0.0923)).norm(), 1e-15);
  double before = 0, after = 0;
  for (const Link& link : merged.links) before += link.rigid_inertia.mass;
  for (const Link& link : kept.links) after += link.rigid_inertia.mass;
  EXPECT_NEAR(before, after, 1e-12);
}

// Two boxes side by side are a box: Steiner's theorem with all its products.
TEST(Description, MergedInertiasAreThoseOfTheWholeBody) {
  const auto box = [](double mass, const Vector3& size, const Vector3& centre) {
    LinkShape shape;
    shape.size = size;
    return RigidInertia{mass, centre, mass * inertia_per_mass(shape)};
  };
  const RigidInertia halves = sum(box(2, {1, 2, 3}, {0.5, 1, 1.5}), box(2, {1, 2, 3}, {1.5, 1, 1.5}));
  const RigidInertia whole = box(4, {2, 2, 3}, {1, 1, 1.5});
  EXPECT_LT((halves.centre - whole.centre).norm(), 1e-15);
  EXPECT_LT((halves.inertia - whole.inertia).norm(), 1e-14);
}

TEST(Description, TheFileAddsToLinksAndJoints) {
  const Model model = in_place(
      "[joints.elbow]\nvalue = \"40 deg\"\ndamping = 3\n[links.forearm]\nnodes = {camera = [0.1, 0, 0.05]}\nmass = 3\n"
      "[[sensors]]\nname = \"camera\"\nquantity = \"position\"\nlink = \"forearm\"\nnode = \"camera\"\n");
  const Joint& elbow = model.joints[static_cast<std::size_t>(index_of(model.joints, "elbow"))];
  EXPECT_NEAR(elbow.initial_value[0], 40 * 3.14159265358979 / 180, 1e-12);
  EXPECT_EQ(elbow.damping[0], 3);
  ASSERT_TRUE(elbow.limits[0].has_value());  // of the description
  EXPECT_EQ(elbow.limits[0]->second, 3.1);
  EXPECT_EQ(model.links[static_cast<std::size_t>(index_of(model.links, "forearm"))].rigid_inertia.mass, 3);
  EXPECT_EQ(model.sensors.size(), 1u);
}

TEST(Description, TwoRobotsStandInOneFile) {
  const Model model = read_model_text(
      "lithe = 1\n[[robot]]\nfile = \"arm.urdf\"\nprefix = \"a_\"\n[[robot]]\nfile = \"arm.urdf\"\nprefix = \"b_\"\n"
      "base_position = [1, 0, 0]\nbase_orientation = {axis = [0, 0, 1], angle = \"180 deg\"}\n",
      (folder / "model.toml").string());
  EXPECT_EQ(model.links.size(), 14u);
  const Joint& base = model.joints[static_cast<std::size_t>(index_of(model.joints, "b_base"))];
  EXPECT_EQ(base.parent_frame.position, Vector3(1, 0, 0));
  EXPECT_NEAR(base.parent_frame.rotation(0, 0), -1, 1e-15);
}

TEST(Description, AJointStartsInsideItsLimits) {
  const Model model = in_place("", "lift");
  const Joint& lift = model.joints[static_cast<std::size_t>(index_of(model.joints, "lift"))];
  EXPECT_EQ(lift.initial_value[0], 0.5);
  EXPECT_EQ(lift.damping[0], 2.5);
  EXPECT_EQ(lift.friction[0], 1.5);
}

std::string error_of(const std::string& body) {
  try {
    read_description("<?xml version=\"1.0\"?>\n<robot name=\"r\">\n" + body + "</robot>\n", "r.urdf", {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::string heavy =
    "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
    "iyz=\"0\"/></inertial>";
std::string link(const std::string& name, const std::string& inside = heavy) {
  return cat("<link name=\"", name, "\">", inside, "</link>\n");
}
std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& type = "continuous", const std::string& inside = "") {
  return cat("<joint name=\"", name, "\" type=\"", type, "\"><parent link=\"", parent, "\"/><child link=\"", child,
             "\"/>", inside, "</joint>\n");
}
std::string inertial(double mass, double x, double y, double z) {
  return cat("<inertial><mass value=\"", mass, "\"/><inertia ixx=\"", x, "\" iyy=\"", y, "\" izz=\"", z,
             "\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>");
}

TEST(DescriptionError, NamesLineAndValue) {
  const std::string two = link("a") + link("b");
  EXPECT_EQ(error_of(link("a") + link("b")),
            "r.urdf:4:1: error: the robot has 2 root links, 'a' and 'b'; connect them by joints");
  EXPECT_EQ(
      error_of(two + joint("j", "a", "b", "helical")),
      "r.urdf:5:1: error: joint 'j': the type must be revolute, continuous, prismatic, fixed, floating or planar, "
      "got 'helical'");
  EXPECT_EQ(error_of(two + joint("j", "a", "c")), "r.urdf:5:1: error: joint 'j': the child link 'c' does not exist");
  EXPECT_EQ(
      error_of(two + joint("j", "a", "b") + joint("k", "b", "a")),
      "r.urdf:6:1: error: joint 'k' closes a cycle of links: 'b', 'a'; a URDF is a tree, loops are closed by joints "
      "of the model file");
  EXPECT_EQ(error_of(two + link("c") + joint("j", "a", "c") + joint("k", "b", "c")),
            "r.urdf:7:1: error: joint 'k': link 'c' is already the child of joint 'j'; a URDF is a tree");
  EXPECT_EQ(error_of(two + joint("j", "a", "b", "revolute")),
            "r.urdf:5:1: error: joint 'j': a revolute joint needs <limit>");
  EXPECT_EQ(error_of(two + joint("j", "a", "b", "continuous", "<axis xyz=\"0 0 0\"/>")),
            "r.urdf:5:1: error: joint 'j': the axis has no length");
  EXPECT_EQ(error_of(two + joint("j", "a", "b", "continuous", "<origin xyz=\"0 nan 0\"/>")),
            "r.urdf:5:1: error: joint 'j': xyz must be 3 numbers, got '0 nan 0'");
  EXPECT_EQ(
      error_of(two + link("c") + joint("i", "a", "b") + joint("j", "b", "c", "continuous", "<mimic joint=\"k\"/>")),
      "r.urdf:7:1: error: joint 'j' mimics 'k', which does not exist");
  EXPECT_EQ(
      error_of(two + link("c") + link("d") + joint("i", "a", "b") +
               joint("j", "b", "c", "continuous", "<mimic joint=\"i\" multiplier=\"2\" offset=\"1\"/>") +
               joint("k", "c", "d", "continuous", "<mimic joint=\"j\" multiplier=\"3\" offset=\"0.5\"/>")),
      "r.urdf:9:1: error: joint 'k' mimics 'j', which mimics 'i'; mimic that one with multiplier 6 and offset 3.5; "
      "--repair (or repair = true in [robot]) mends it");
}

TEST(DescriptionError, NamesInertiasThatNoBodyHas) {
  const std::string arm = joint("j", "a", "b");
  EXPECT_EQ(error_of(link("a") + link("b", inertial(-1, 1, 1, 1)) + arm),
            "r.urdf:4:1: error: link 'b': the mass must not be negative, got -1 kg");
  EXPECT_EQ(
      error_of(link("a") + link("b", inertial(1, 1, 1, 3)) + arm),
      "r.urdf:4:1: error: link 'b': the inertia is not that of a body: the principal moments 1 + 1 are less than 3 "
      "kg m^2 (triangle inequality); --repair (or repair = true in [robot]) mends it");
  EXPECT_EQ(
      error_of(link("a") + link("b", inertial(1, -1, 1, 1)) + arm),
      "r.urdf:4:1: error: link 'b': the inertia has a negative principal moment, -1 kg m^2; --repair (or repair = "
      "true in [robot]) mends it");
  EXPECT_EQ(
      error_of(link("a") + link("b", inertial(0, 1, 1, 1)) + arm),
      "r.urdf:4:1: error: link 'b': it has moments of inertia but no mass; --repair (or repair = true in [robot]) "
      "mends it");
  EXPECT_EQ(error_of(link("a") + link("b", "") + arm),
            "r.urdf:4:1: error: link 'b' has no mass, nor has what it carries, but joint 'j' moves it; give it an "
            "<inertial> element; --repair (or repair = true in [robot]) mends it");
}

// The nearest body: P = diag(0.5, 0.5, -0.5) + ... keeps what is physical; a note says so.
TEST(DescriptionError, ATemplateOfXacroIsNamed) {
  const auto error_of = [](const std::string& text) {
    try {
      read_description(text, "robot.urdf.xacro", {});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string expected = "this is a template for xacro, which was not expanded";
  EXPECT_EQ(error_of("<robot name='r'>\n<xacro:property name='w' value='2'/>\n<link name='a'/></robot>"),
            "robot.urdf.xacro:2:1: error: " + expected +
                " (<xacro:property>); make the URDF file first: xacro ROBOT.urdf.xacro > ROBOT.urdf");
  EXPECT_NE(error_of("<robot name='r'>\n<link name='${prefix}a'/></robot>").find(expected + " ('${prefix}a')"),
            std::string::npos);
  EXPECT_EQ(error_of("<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><link name='a'/></robot>"),
            "no error");
}

// The reduction of a transmission becomes that of a motor, limits of effort and velocity those of motor and gearbox.
TEST(Description, TransmissionsAndLimitsAreImportedAsMotors) {
  std::string text = file_text(folder / "arm.urdf");
  text.insert(text.rfind("</robot>"),
              "<transmission name='t'><type>SimpleTransmission</type><joint name='elbow'/><actuator name='m'>"
              "<mechanicalReduction>101</mechanicalReduction></actuator></transmission>"
              "<transmission name='wrist'><joint name='wrist_turn'/><joint name='wrist_roll'/></transmission>");
  const RobotDescription robot = read_description(text, "robot.urdf", {});
  ASSERT_EQ(robot.notes.size(), 1u);
  EXPECT_NE(robot.notes[0].find("transmission 'wrist': of several joints or motors, passed over"), std::string::npos);
  const PartialModel model = read_text_partly(model_file_of(robot, false), (folder / "imported.toml").string());
  EXPECT_TRUE(model.errors.empty());
  ASSERT_EQ(model.drive_trains.size(), 6u);
  for (const DriveTrain& train : model.drive_trains) {
    const std::string& joint = model.model.joints[static_cast<std::size_t>(train.joint)].name;
    const double ratio = joint == "elbow" ? 101 : 1;
    EXPECT_EQ(train.ratio, ratio) << joint;
    EXPECT_DOUBLE_EQ(train.max_speed.value_or(0), 3.2 * ratio) << joint;
    EXPECT_DOUBLE_EQ(train.gear_max_torque.value_or(0), joint.starts_with("wrist") ? 28 : 150) << joint;
  }
}

TEST(DescriptionRepair, TakesTheNearestBody) {
  const std::string box =
      "<collision><origin xyz=\"0 0 1\"/><geometry><box size=\"0.1 0.2 0.3\"/></geometry></collision>";
  const RobotDescription robot =
      read_description("<robot name=\"r\">" + link("a") + link("b", inertial(1, 1, 1, 3)) + link("c", box) +
                           link("d", "<inertial><mass value=\"3\"/></inertial>" + box) + joint("j", "a", "b") +
                           joint("k", "b", "c") + joint("l", "b", "d") + "</robot>",
                       "r.urdf", {.repair = true});
  ASSERT_EQ(robot.notes.size(), 4u);
  // P = (1.5, 1.5, -0.5): the last becomes zero, I = (1.5, 1.5, 3).
  EXPECT_LT((robot.links[1].inertia->inertia - Matrix3(Vector3(1.5, 1.5, 3).asDiagonal())).norm(), 1e-14);
  ASSERT_TRUE(robot.links[2].inertia.has_value());
  EXPECT_NEAR(robot.links[2].inertia->mass, 6, 1e-12);  // 0.006 m^3 of water
  EXPECT_EQ(robot.links[2].inertia->pose.position, Vector3(0, 0, 1));
  EXPECT_NEAR(robot.links[3].inertia->inertia(0, 0), 3 * (0.04 + 0.09) / 12, 1e-15);
}

TEST(DescriptionError, EntitiesAndDeepFilesAreRefused) {
  const auto refused = [](const std::string& text) {
    try {
      read_description(text, "r.urdf", {});
      return std::string("no error");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refused("<?xml version=\"1.0\"?>\n<!DOCTYPE r [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n<robot/>"),
            "r.urdf:2:1: error: document types and entities are not read");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  EXPECT_NE(refused(deep).find("elements are nested too deep"), std::string::npos);
  EXPECT_NE(refused("<robot><link").find("XML syntax"), std::string::npos);
  EXPECT_NE(refused("").find("XML syntax"), std::string::npos);
  EXPECT_NE(refused("<sdf/>").find("must hold one <model> or one <world>"), std::string::npos);
}

TEST(DescriptionError, AFileOutsideTheFolderIsNotRead) {
  try {
    read_model_text("lithe = 1\n[robot]\nfile = \"../../README.md\"\n", (folder / "model.toml").string());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("lies outside the model's folder"), std::string::npos);
  }
}

TEST(DescriptionError, UnknownNamesBesideTheRobotAreNamed) {
  try {
    in_place("[joints.elbo]\nvalue = 1\n[links.forearm]\ncolour = 1\n");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("unknown key 'colour'"), std::string::npos) << error.what();
  }
  try {
    in_place("[joints.elbo]\nvalue = 1\n");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("the robot has no joint 'elbo'; did you mean 'elbow'?"), std::string::npos)
        << error.what();
  }
}

// Damaged anywhere, a description is read or refused; nothing else may happen.
TEST(DamagedDescription, IsReadOrRefusedWithInputError) {
  const std::vector<std::string> words = {"\"nan\"",      "\"-1\"",    "\"1e308 0 0\"", "<link name=\"tool\"/>",
                                          "</link>",      "<!--",      "<![CDATA[",     "&lt;",
                                          "&x;",          "\"fixed\"", "\"planar\"",    "<mimic joint=\"pan\"/>",
                                          "\xff",         "\"\"",      "<robot>",       "\"0 0 0\"",
                                          "<!DOCTYPE x>", "\"1e999\""};
  const std::string whole = file_text(folder / "arm.urdf");
  std::mt19937 random(26);
  int refused = 0;
  constexpr int num_cases = 1500;
  for (int i = 0; i < num_cases; ++i) {
    std::string text = whole;
    for (std::size_t edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, 1 + random() % 40);
          break;
        case 2:
          text.insert(at, words[random() % words.size()]);
          break;
        default: {  // a value replaced by another
          const std::size_t start = text.find('"', at), end = start == text.npos ? start : text.find('"', start + 1);
          if (end != text.npos) text.replace(start, end - start + 1, words[random() % words.size()]);
        }
      }
    }
    try {
      const RobotDescription robot = read_description(text, "r.urdf", {.repair = random() % 2 == 0});
      read_model_text(model_file_of(robot, false), "r.toml");
    } catch (const InputError& error) {
      ++refused;
      EXPECT_FALSE(error.errors().empty());
    }
  }
  EXPECT_GT(refused, num_cases / 4);
  EXPECT_LT(refused, num_cases);
}

}  // namespace
}  // namespace lithe
