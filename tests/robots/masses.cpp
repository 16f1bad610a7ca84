// Masses that descriptions leave to surfaces, bounds and repairs. Numbers of MJCF are those of MuJoCo 4.0, whose meshes
// have coordinates of float: 1e-7 of their size.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>

#include "lithe/analyse/contributions.h"
#include "lithe/base/text.h"
#include "lithe/read/partial_model.h"
#include "lithe/read/read_model.h"
#include "lithe/read/surface/surface_mass.h"
#include "lithe/read/urdf/robot_parts.h"

namespace lithe {
namespace {

// A U of 3 x 3 x 1 m whose groove is 1 m wide and 2.3 m deep, away from the origin.
const std::string u_mesh =
    "vertex=\"0.3 -0.2 0.1 3.3 -0.2 0.1 3.3 2.8 0.1 2.3 2.8 0.1 2.3 0.5 0.1 1.3 0.5 0.1 1.3 2.8 0.1 0.3 2.8 0.1 "
    "0.3 -0.2 1.1 3.3 -0.2 1.1 3.3 2.8 1.1 2.3 2.8 1.1 2.3 0.5 1.1 1.3 0.5 1.1 1.3 2.8 1.1 0.3 2.8 1.1\" "
    "face=\"0 4 1 8 9 12 1 3 2 9 10 11 1 4 3 9 11 12 0 5 4 8 12 13 0 6 5 8 13 14 0 7 6 8 14 15 0 1 9 0 9 8 "
    "1 2 10 1 10 9 2 3 11 2 11 10 3 4 12 3 12 11 4 5 13 4 13 12 5 6 14 5 14 13 6 7 15 6 15 14 7 0 8 7 8 15\"";

RigidInertia body_of(const std::string& mjcf) {
  const RobotDescription robot = read_description(mjcf, "r.xml", {});
  const int link = robot.find_link("a");
  EXPECT_GE(link, 0);
  const std::optional<DescribedInertia>& body = robot.links[static_cast<std::size_t>(link)].inertia;
  return body ? in_link_axes(*body) : RigidInertia{};
}

RigidInertia u_body(const std::string& how) {
  return body_of("<mujoco><asset><mesh name=\"u\" " + how + " " + u_mesh +
                 "/></asset><worldbody><body name=\"a\"><freejoint/><geom type=\"mesh\" mesh=\"u\"/></body></worldbody>"
                 "</mujoco>");
}

TEST(MeshMass, IsThatOfMuJoCo) {
  struct Case {
    const char* how;
    double mass;
    Vector3 centre, moments;
  };
  for (const Case& each : {Case{"",
                                8710.792135342985,
                                {1.79999998088, 1.21618835651, 0.60000001267},
                                {6750.977097, 7471.078893, 12904.31005843}},
                           Case{"inertia=\"exact\"",
                                6699.999884516,
                                {1.79999999235, 1.1798507182, 0.60000001267},
                                {5915.9462825, 7116.66632965, 11915.94591482}},
                           Case{"inertia=\"convex\"",
                                8999.999888241287,
                                {1.79999998212, 1.29999997467, 0.60000001267},
                                {7499.99973923, 7499.99967217, 13499.99936298}},
                           Case{"inertia=\"shell\"",
                                29999.999536574,
                                {1.79999998212, 1.22333330789, 0.60000001267},
                                {34446.99879414, 36999.99848505, 61980.3304434}}}) {
    const RigidInertia body = u_body(each.how);
    EXPECT_NEAR(body.mass, each.mass, 1e-9 * each.mass) << each.how;
    EXPECT_LT((body.centre - each.centre).norm(), 1e-7) << each.how;
    EXPECT_LT((body.inertia - Matrix3(each.moments.asDiagonal())).norm(), 1e-6 * each.moments.norm()) << each.how;
  }
}

// R(quat)ᵀ (v - refpos), then the scale; mirrored by a negative one. Numbers of MuJoCo.
TEST(MeshMass, IsScaledAndTurnedAsItsAssetSays) {
  const RigidInertia body = u_body("scale=\"2 1 -1\" refpos=\"1 .2 .3\" refquat=\"0.5 0.3 0.2 0.1\"");
  EXPECT_NEAR(body.mass, 17421.3238748196, 1e-7 * body.mass);
  EXPECT_LT((body.centre - Vector3(2.12060752, 0.79753509, 0.04399538)).norm(), 1e-6);
}

TEST(MeshMass, ShellsOfSimpleShapesAreThoseOfMuJoCo) {
  const auto shell = [](const std::string& form) {
    return body_of("<mujoco><worldbody><body name=\"a\"><freejoint/><geom " + form +
                   " shellinertia=\"true\" density=\"10\"/></body></worldbody></mujoco>");
  };
  struct Case {
    const char* form;
    double mass;
    Vector3 moments;
  };
  for (const Case& each :
       {Case{"type=\"box\" size=\".3 .4 .5\"", 37.6, {8.018666666666668, 6.821333333333333, 5.373333333333333}},
        Case{"type=\"sphere\" size=\".3\"", 11.309733552923255, Vector3::Constant(0.6785840131753953)},
        Case{"type=\"cylinder\" size=\".3 .5\"",
             24.504422698000386,
             {3.9599775398499344, 3.9599775398499344, 1.9509290378792614}},
        Case{"type=\"capsule\" size=\".3 .5\"",
             30.159289474462014,
             {7.62150377760884, 7.62150377760884, 2.3750440461138833}}}) {
    const RigidInertia body = shell(each.form);
    EXPECT_NEAR(body.mass, each.mass, 1e-12 * each.mass) << each.form;
    EXPECT_LT((body.inertia - Matrix3(each.moments.asDiagonal())).norm(), 1e-12 * each.moments.norm()) << each.form;
  }
}

// Points within a box and its corners: the hull is the box, twelve triangles that face outwards.
TEST(ConvexHull, OfPointsInABoxIsTheBox) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> within(-0.999F, 0.999F);
  TriangleMesh mesh;
  for (int i = 0; i < 500; ++i)
    for (int k = 0; k < 3; ++k) mesh.corners.push_back(within(generator));
  for (const float x : {-1.0F, 1.0F})
    for (const float y : {-1.0F, 1.0F})
      for (const float z : {-1.0F, 1.0F}) mesh.corners.insert(mesh.corners.end(), {x, y, z});
  std::string problem;
  const auto body = mass_of(mesh, SurfaceBody::hull, problem);
  ASSERT_TRUE(body.has_value()) << problem;
  EXPECT_NEAR(body->size, 8, 1e-13);
  EXPECT_LT(body->centre.norm(), 1e-14);
  EXPECT_LT((body->inertia - Matrix3::Identity() * 16.0 / 3).norm(), 1e-13);
}

// Points on a sphere are all corners of their hull: 2 n - 4 triangles, whose volume tends to that of the ball by
// O(1/n).
TEST(ConvexHull, OfPointsOnASphereHasThemAll) {
  std::mt19937 generator(5);
  std::normal_distribution<double> normal;
  std::vector<Vector3> points;
  for (int i = 0; i < 2000; ++i)
    points.push_back(Vector3(normal(generator), normal(generator), normal(generator)).normalized());
  const std::vector<int> triangles = convex_hull(points);
  EXPECT_EQ(triangles.size(), 3u * (2 * points.size() - 4));
  double volume = 0;
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    const auto corner = [&](std::size_t k) { return points[static_cast<std::size_t>(triangles[t + k])]; };
    volume += corner(0).cross(corner(1)).dot(corner(2)) / 6;
  }
  const double ball = 4 * std::numbers::pi / 3;
  EXPECT_LT(volume, ball);
  EXPECT_GT(volume, ball * 0.99);
  EXPECT_TRUE(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 3, 0}}).empty());
}

TEST(MeshMass, ReadsMeshesOfMuJoCo) {
  std::string bytes;
  const auto word = [&](std::uint32_t value) {
    for (int k = 0; k < 4; ++k) bytes += static_cast<char>(value >> (8 * k));
  };
  for (const std::uint32_t count : {4U, 0U, 0U, 4U}) word(count);
  for (const float x : {0.0F, 0.0F, 0.0F, 6.0F, 0.0F, 0.0F, 0.0F, 1.0F, 0.0F, 0.0F, 0.0F, 1.0F})
    word(std::bit_cast<std::uint32_t>(x));
  for (const std::uint32_t corner : {0U, 2U, 1U, 0U, 1U, 3U, 0U, 3U, 2U, 1U, 2U, 3U}) word(corner);
  std::string problem;
  const auto mesh = read_surface(bytes, "part.msh", problem);
  ASSERT_TRUE(mesh.has_value()) << problem;
  const auto body = mass_of(*mesh, SurfaceBody::closed, problem);
  ASSERT_TRUE(body.has_value()) << problem;
  EXPECT_NEAR(body->size, 1, 1e-14);
  EXPECT_LT((body->centre - Vector3(1.5, 0.25, 0.25)).norm(), 1e-14);
  EXPECT_FALSE(read_surface(bytes + "x", "part.msh", problem).has_value());
  EXPECT_NE(problem.find("no mesh of MuJoCo"), std::string::npos);
}

// Numbers of MuJoCo: 0.1, 0.1, 0.5 become their mean; 0.001 becomes 0.01.
TEST(Mjcf, BoundsAndBalancesInertias) {
  const std::string text =
      "<mujoco><compiler boundmass=\"0.5\" boundinertia=\"0.01\" balanceinertia=\"true\"/><worldbody><body name=\"c\">"
      "<joint/><inertial pos=\"0.1 0 0\" mass=\"2\" diaginertia=\"0.1 0.1 0.5\"/><body name=\"a\"><joint/><inertial "
      "pos=\"0 0 0\" mass=\"0.1\" diaginertia=\"0.02 0.001 0.001\"/></body></body></worldbody></mujoco>";
  const RigidInertia tip = body_of(text);
  EXPECT_EQ(tip.mass, 0.5);
  EXPECT_LT((tip.inertia - Matrix3(Vector3(0.02, 0.01, 0.01).asDiagonal())).norm(), 1e-15);
  const RobotDescription robot = read_description(text, "r.xml", {});
  const DescribedInertia& body = *robot.links[static_cast<std::size_t>(robot.find_link("c"))].inertia;
  EXPECT_LT((body.inertia - Matrix3::Identity() * 0.7 / 3).norm(), 1e-15);
}

// 0.4 thumb - 0.2 tip = 0.1: the tip follows by the factor 2 and the offset -0.5.
TEST(Mjcf, AFixedTendonThatIsHeldCouplesJoints) {
  const std::string text =
      "<mujoco><worldbody><body><joint name=\"thumb\"/><geom size=\"0.1\"/><body><joint name=\"tip\"/><geom "
      "size=\"0.1\"/></body></body></worldbody><tendon><fixed name=\"t\"><joint joint=\"thumb\" coef=\"0.4\"/><joint "
      "joint=\"tip\" coef=\"-0.2\"/></fixed></tendon><equality><tendon tendon1=\"t\" polycoef=\"0.1 0 0 0 0\"/>"
      "</equality></mujoco>";
  const RobotDescription robot = read_description(text, "r.xml", {});
  const auto& tip = robot.joints[static_cast<std::size_t>(robot.find_joint("tip"))];
  ASSERT_TRUE(tip.mimic.has_value());
  EXPECT_EQ(tip.mimic->of, "thumb");
  EXPECT_DOUBLE_EQ(tip.mimic->factor, 2);
  EXPECT_DOUBLE_EQ(tip.mimic->offset, -0.5);
}

// Equalities may follow each other there; a body may be called 'ground'.
TEST(Mjcf, JointsMayFollowJointsThatFollowOthers) {
  const std::string text =
      "<mujoco><worldbody><body name=\"ground\"><joint name=\"i\"/><geom size=\"0.1\"/><body><joint name=\"j\"/><geom "
      "size=\"0.1\"/><body><joint name=\"k\"/><geom size=\"0.1\"/></body></body></body></worldbody><equality><joint "
      "joint1=\"k\" joint2=\"j\" polycoef=\"0.5 3 0 0 0\"/><joint joint1=\"j\" joint2=\"i\" polycoef=\"1 2 0 0 0\"/>"
      "<connect body1=\"ground\" anchor=\"0 0 0\"/></equality></mujoco>";
  const RobotDescription robot = read_description(text, "r.xml", {});
  EXPECT_GE(robot.find_link("ground body"), 0);
  const DescribedMimic& mimic = *robot.joints[static_cast<std::size_t>(robot.find_joint("k"))].mimic;
  EXPECT_EQ(mimic.of, "i");
  EXPECT_EQ(mimic.factor, 6);
  EXPECT_EQ(mimic.offset, 3.5);
}

const std::string heavy =
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";

std::string urdf_link(const std::string& name, const std::string& inside) {
  return cat("<link name='", name, "'>", inside, "</link>");
}
std::string urdf_joint(const std::string& name, const std::string& parent, const std::string& child,
                       const std::string& inside, const std::string& type = "continuous") {
  return cat("<joint name='", name, "' type='", type, "'><parent link='", parent, "'/><child link='", child, "'/>",
             inside, "</joint>");
}

TEST(DescriptionRepair, FollowsTheFirstOfAChainOfMimics) {
  const std::string chain = "<robot name='r'>" + urdf_link("a", "") + urdf_link("b", heavy) + urdf_link("c", heavy) +
                            urdf_link("d", heavy) + urdf_joint("i", "a", "b", "") +
                            urdf_joint("j", "b", "c", "<mimic joint='i' multiplier='2' offset='1'/>") +
                            urdf_joint("k", "c", "d", "<mimic joint='j' multiplier='3' offset='0.5'/>") + "</robot>";
  const RobotDescription robot = read_description(chain, "r.urdf", {.repair = true});
  const DescribedMimic& mimic = *robot.joints[static_cast<std::size_t>(robot.find_joint("k"))].mimic;
  EXPECT_EQ(mimic.of, "i");
  EXPECT_EQ(mimic.factor, 6);
  EXPECT_EQ(mimic.offset, 3.5);
  EXPECT_EQ(robot.notes.size(), 1u);
}

TEST(DescriptionRepair, TakesWhatNothingIsSaidOf) {
  const std::string text =
      "<robot name='r'>" + urdf_link("ground", heavy) + urdf_link("b", heavy) + urdf_link("c", "") +
      urdf_link("d", "<inertial><inertia ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/></inertial>") +
      urdf_joint("i", "ground", "b", "<limit lower='1' upper='-1' effort='1' velocity='1'/>", "revolute") +
      urdf_joint("j", "b", "c", "") + urdf_joint("k", "b", "d", "<mimic joint='i'/>", "fixed") + "</robot>";
  const RobotDescription robot = read_description(text, "r.urdf", {.merge_fixed = false, .repair = true});
  EXPECT_EQ(robot.find_link("ground"), -1);
  EXPECT_GE(robot.find_link("ground link"), 0);
  const auto joint = [&](const char* name) { return robot.joints[static_cast<std::size_t>(robot.find_joint(name))]; };
  EXPECT_FALSE(joint("i").limits.has_value());
  EXPECT_EQ(joint("j").type, JointType::fixed);
  EXPECT_FALSE(joint("k").mimic.has_value());
  EXPECT_EQ(robot.notes.size(), 5u);
  EXPECT_THROW(read_description(text, "r.urdf", {}), InputError);
}

// A link without mass whose mesh is a cube of 0.1 m: 1 kg of water.
TEST(DescriptionRepair, FillsMeshesWithWater) {
  const std::string text = "<robot name='r'>" + urdf_link("a", "") +
                           urdf_link("b",
                                     "<visual><origin xyz='0 0 1'/><geometry><mesh filename='package://p/cube.obj' "
                                     "scale='0.1 0.1 0.1'/></geometry></visual>") +
                           urdf_joint("i", "a", "b", "") + "</robot>";
  DescriptionChoices choices{.repair = true};
  choices.read_mesh = [](const std::string& name, std::string&) {
    EXPECT_EQ(name, "package://p/cube.obj");
    return std::string(
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\n"
        "f 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  };
  const RobotDescription robot = read_description(text, "r.urdf", choices);
  const RigidInertia body = in_link_axes(*robot.links[static_cast<std::size_t>(robot.find_link("b"))].inertia);
  EXPECT_NEAR(body.mass, 1, 1e-6);
  EXPECT_LT((body.centre - Vector3(0.05, 0.05, 1.05)).norm(), 1e-7);
  EXPECT_LT((body.inertia - Matrix3::Identity() * 0.01 / 6).norm(), 1e-8);
}

// The beam of 0.9 kg alone has larger moments of inertia than the link; a lighter one of its stiffness fits.
TEST(FlexibleLink, ABeamThatDoesNotFitIsMadeLighter) {
  const std::string text =
      "<robot name='r'>" + urdf_link("a", "") +
      urdf_link("b",
                "<inertial><origin xyz='0.25 0 0'/><mass value='2'/><inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' "
                "ixz='0' iyz='0'/></inertial>") +
      urdf_link("c", heavy) + urdf_joint("i", "a", "b", "") + urdf_joint("j", "b", "c", "<origin xyz='0.5 0 0'/>") +
      "</robot>";
  const RobotDescription robot = read_description(text, "r.urdf", {});
  ASSERT_EQ(robot.links.size(), 3u);
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "lithe_lighter_beam.urdf";
  {
    std::ofstream stream(file);
    stream << text;
  }
  const PartialModel read =
      read_text_partly(cat("lithe = 1\n[robot]\nfile = \"", file.filename().string(),
                           "\"\n[links.b]\nflexible = {beam = \"tube 80x3 aluminium\", from = \"i\", to = \"j\"}\n"),
                       (file.parent_path() / "lighter.toml").string());
  std::filesystem::remove(file);
  ASSERT_TRUE(read.errors.empty());
  double mass = 0;
  Vector3 first = Vector3::Zero();
  for (const Link& link : read.model.links) {
    if (!link.name.starts_with("b")) continue;
    if (link.rigid) {
      mass += link.rigid_inertia.mass;
      first += link.rigid_inertia.mass * link.rigid_inertia.centre;
      continue;
    }
    const BeamSegment& beam = link.segments[0];
    const Material& material = read.model.materials[static_cast<std::size_t>(beam.material)];
    EXPECT_EQ(material.young_modulus, 70e9);
    EXPECT_LT(material.density, 2700 / 1.9);
    const double own = material.density * read.model.sections[static_cast<std::size_t>(beam.section)].area * 0.5;
    mass += own;
    first += own * Vector3(0.25, 0, 0);
  }
  EXPECT_NEAR(mass, 2, 1e-12);
  EXPECT_LT((first - Vector3(0.5, 0, 0)).norm(), 1e-12);
  EXPECT_NE(read.notes.at(0).find("its stiffness is whole"), std::string::npos);
}

// Mimic joints have limits of effort, but follow motors that are held.
TEST(Contributions, HoldNoJointThatFollowsHeldOnes) {
  const PartialModel read = read_text_partly(
      "lithe = 1\n[robot]\nfile = \"gripper.urdf\"\n[[motors]]\njoint = \"wrist\"\nrotor_inertia = 0.01\n"
      "stiffness = 100\n",
      LITHE_TESTS_DIR "/robots/model.toml");
  ASSERT_TRUE(read.errors.empty());
  const ContributionResult result = contributions(read.model, read.drive_trains, {.tool = "hand:left"});
  ASSERT_EQ(result.failure, "");
  ASSERT_EQ(result.parts.size(), 1u);
  EXPECT_NEAR(result.parts[0].mean_compliance, 1, 1e-4);
}

}  // namespace
}  // namespace lithe
