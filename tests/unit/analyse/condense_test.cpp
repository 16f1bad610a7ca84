// What condensation says about mechanisms that it cannot, or only just, condense.
#include "lithe/analyse/condense/condense.h"

#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

constexpr const char* header = R"(
lithe = 1
[materials.steel]
density = 7850
young_modulus = "205 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = "10 mm"
height = "15 mm"
)";

std::string bar(const std::string& name, const std::string& end) {
  return cat("[[links]]\nname = \"", name, "\"\nnodes = {a = [0, 0, 0], b = ", end,
             "}\npath = [\"a\", \"b\"]\nmaterial = \"steel\"\nsection = \"bar\"\n");
}

std::string rigid(const std::string& name, const std::string& nodes) {
  return cat("[[links]]\nname = \"", name, "\"\ntype = \"rigid\"\nnodes = {", nodes,
             "}\nmass = 1\ninertia = [0.01, 0.01, 0.01]\n");
}

std::string joint(const std::string& name, const std::string& type, const std::string& rest) {
  return cat("[[joints]]\nname = \"", name, "\"\ntype = \"", type, "\"\n", rest, "\n");
}

CondensedModel condensed(const Model& model, const CondenseOptions& options = {}) {
  const Condenser condenser(model, options);
  CondenseGeometry geometry = condenser.make_geometry();
  return condenser.condense(initial_configuration(condenser.mechanism(), condenser.model()), geometry);
}

std::string refusal(const Model& model, const CondenseOptions& options) {
  try {
    const Condenser condenser(model, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Two bars on a hinge, the second free at its end.
Model folding_rule(const std::string& stiffness = "") {
  return read_model_text(
      header + bar("first", "[1, 0, 0]") + bar("second", "[1, 0, 0]") +
          joint("clamp", "fixed", "child = \"first\"\nchild_node = \"a\"") +
          joint("hinge", "revolute",
                "parent = \"first\"\nparent_node = \"b\"\nchild = \"second\"\nchild_node = \"a\"" + stiffness),
      "rule.toml");
}

TEST(Condensation, NamesTheJointThatNothingHolds) {
  const CondensedModel result = condensed(folding_rule());
  EXPECT_EQ(result.status, CondenseStatus::unconstrained);
  EXPECT_TRUE(contains(result.message, "joint 'hinge'")) << result.message;
  EXPECT_FALSE(contains(result.message, "clamp")) << result.message;
  EXPECT_EQ(condensed(folding_rule("\nstiffness = 1e-2")).status, CondenseStatus::ok);
}

TEST(Condensation, HoldsTheJointsThatItIsToldTo) {
  const Model model = folding_rule();
  CondenseOptions options;
  options.tool = find_node(model, "second:b");
  EXPECT_TRUE(contains(condensed(model, options).tool->message, "without resistance"));
  options.held_joints = {find_joint(model, "hinge")};
  const CondensedModel result = condensed(model, options);
  // A straight cantilever of 2 m.
  const double flexibility = 8.0 / (3 * 205e9 * 0.01 * std::pow(0.015, 3) / 12);
  EXPECT_NEAR((*result.tool->compliance)(2, 2) / flexibility, 1, 1e-3);
}

TEST(Condensation, TellsASpinningStrutFromOneThatIsHeld) {
  const auto strut = [](const std::string& type, const std::string& more) {
    return read_model_text(
        header + bar("strut", "[1, 0, 0]") + rigid("plate", "a = [0, 0, 0], t = [0, 0.2, 0]") +
            joint("foot", "spherical", "child = \"strut\"\nchild_node = \"a\"") +
            joint("head", type,
                  "parent = \"strut\"\nparent_node = \"b\"\nchild = \"plate\"\nchild_node = \"a\"" + more),
        "strut.toml");
  };
  CondenseOptions options;
  options.hold_spins = false;
  const CondensedModel unconstrained = condensed(strut("spherical", ""), options);
  EXPECT_EQ(unconstrained.status, CondenseStatus::unconstrained);
  EXPECT_TRUE(contains(unconstrained.message, "(x rotation)")) << unconstrained.message;
  EXPECT_EQ(condensed(strut("universal", "\naxis = [0, 1, 0]\nsecond_axis = [0, 0, 1]"), options).status,
            CondenseStatus::ok);
}

// A plate on six rods with ball joints at both ends: the stiffness is that of the rods' axes, Σ EA/L w wᵀ with the
// lines' Plücker coordinates w, whatever the rods do about their axes.
TEST(Condensation, LeavesOutTheSpinOfRodsBetweenBallJoints) {
  std::string text = header;
  std::string nodes = "c = [0, 0, 0]";
  Matrix6 wanted = Matrix6::Zero();
  std::string rods, joints;
  for (int k = 0; k < 6; ++k) {
    const double foot = 1.05 * k + (k % 2 == 0 ? 0.4 : -0.3), head = 1.05 * k + (k % 2 == 0 ? -0.2 : 0.3);
    const Vector3 low(std::cos(foot), std::sin(foot), 0), high(0.5 * std::cos(head), 0.5 * std::sin(head), 1);
    const auto place = [](const Vector3& p) {
      return cat("[", number_text(p.x()), ", ", number_text(p.y()), ", ", number_text(p.z()), "]");
    };
    const Vector3 arm = high - Vector3(0, 0, 1), line = high - low;
    nodes += cat(", n", k, " = ", place(arm));
    rods += bar(cat("rod", k), place(line));
    joints += joint(cat("foot", k), "spherical",
                    cat("child = \"rod", k, "\"\nchild_node = \"a\"\nparent_point = ", place(low)));
    joints += joint(cat("head", k), "spherical",
                    cat("parent = \"rod", k, "\"\nparent_node = \"b\"\nchild = \"plate\"\nchild_node = \"n", k, "\""));
    Vector6 w;
    w << line.normalized(), arm.cross(line.normalized());
    wanted += 205e9 * 150e-6 / line.norm() * w * w.transpose();
  }
  const Model model = read_model_text(text + rods + rigid("plate", nodes) + joints, "hexapod.toml");
  CondenseOptions options;
  options.tool = find_node(model, "plate:c");
  const CondensedModel found = condensed(model, options);
  ASSERT_EQ(found.status, CondenseStatus::ok) << found.message;
  ASSERT_TRUE(found.tool && found.tool->stiffness) << found.tool->message;
  EXPECT_LT((*found.tool->stiffness - wanted).norm(), 1e-9 * wanted.norm());
  EXPECT_TRUE(contains(found.notes.front(), "6 struts do not spin")) << found.notes.front();
  options.hold_spins = false;
  EXPECT_EQ(condensed(model, options).status, CondenseStatus::unconstrained);
}

// A hydraulic cylinder holds a plate on a guide along x; its barrel and rod turn in one another and between ball
// joints, or on a universal joint. The oil is a spring, the only one there is.
TEST(Condensation, LeavesOutTheTurningOfHydraulicCylinders) {
  const auto model_with = [](const std::string& inner, const std::string& outer) {
    std::string text = header + rigid("barrel", "a = [0, 0, 0], b = [0.5, 0, 0]") +
                       rigid("rod", "a = [0, 0, 0], b = [0.4, 0, 0]") +
                       rigid("plate", "a = [0, 0, 0], t = [0.1, 0, 0]");
    text += joint("foot", outer,
                  "child = \"barrel\"\nchild_node = \"a\"\naxis = [0, 1, 0]\n" +
                      std::string(outer == "universal" ? "second_axis = [0, 0, 1]\n" : ""));
    text += joint("piston", inner,
                  "parent = \"barrel\"\nparent_node = \"b\"\nchild = \"rod\"\nchild_node = \"a\"\naxis = [1, 0, 0]\n"
                  "stiffness = [2e5, 0]\n");
    text +=
        joint("head", "spherical", "parent = \"rod\"\nparent_node = \"b\"\nchild = \"plate\"\nchild_node = \"a\"\n");
    text += joint("guide", "prismatic",
                  "child = \"plate\"\nchild_node = \"t\"\naxis = [1, 0, 0]\nparent_point = [1, 0, 0]\n");
    return read_model_text(text, "cylinder.toml");
  };
  for (const char* outer : {"spherical", "universal"}) {
    const Model model = model_with("cylindrical", outer);
    CondenseOptions options;
    options.tool = find_node(model, "plate:t");
    const CondensedModel found = condensed(model, options);
    ASSERT_EQ(found.status, CondenseStatus::ok) << outer << ": " << found.message;
    EXPECT_NEAR((*found.tool->compliance)(0, 0), 1 / 2e5, 1e-14) << outer;
    EXPECT_TRUE(contains(found.notes.front(), "and 'piston'")) << found.notes.front();
    options.hold_spins = false;
    EXPECT_EQ(condensed(model, options).status, CondenseStatus::unconstrained) << outer;
  }
}

TEST(Condensation, RefusesTwoIndependentNodesInOneSubsystemAndNamesIt) {
  const Model model = folding_rule();
  CondenseOptions options;
  options.independent = {find_node(model, "first:b"), find_node(model, "second:a")};
  const std::string message = refusal(model, options);
  EXPECT_TRUE(contains(message, "'first:b' and 'second:a'")) << message;
  EXPECT_TRUE(contains(message, "joints 'hinge'")) << message;
}

TEST(Condensation, RefusesANodeThatFollowsTheGround) {
  const Model model = folding_rule();
  CondenseOptions options;
  options.independent = {find_node(model, "first:a")};
  const std::string message = refusal(model, options);
  EXPECT_TRUE(contains(message, "'first:a' cannot be independent")) << message;
  EXPECT_TRUE(contains(message, "'clamp'")) << message;
}

TEST(Condensation, RefusesAnImposedDisplacementBesideAnIndependentNode) {
  const Model model = folding_rule("\nstiffness = 10");
  CondenseOptions options;
  options.independent = {find_node(model, "first:b")};
  ImposedDisplacement imposed;
  imposed.link = 1;
  options.imposed = {imposed};
  EXPECT_TRUE(contains(refusal(model, options), "cannot both be independent"));
}

// An all-rigid four-bar, for which n_O = n_J - n_c gives -1, on a flexible column; in space it has three redundant
// rows.
TEST(Condensation, ReportsRedundantConstraintsOfRigidLoops) {
  const std::string text =
      header + bar("column", "[0, 0, 1]") + rigid("base", "r = [0, 0, 0], a = [0.1, 0, 0], b = [0.5, 0, 0]") +
      rigid("crank", "a = [0, 0, 0], b = [0.1, 0.1, 0]") +
      rigid("coupler", "a = [0, 0, 0], b = [0.3, 0.05, 0], t = [0.1, 0.1, 0]") +
      rigid("rocker", "a = [0, 0, 0], b = [0.0, 0.15, 0]") +
      joint("clamp", "fixed", "child = \"column\"\nchild_node = \"a\"") +
      joint("foot", "fixed", "parent = \"column\"\nparent_node = \"b\"\nchild = \"base\"\nchild_node = \"r\"") +
      joint("j1", "revolute",
            "parent = \"base\"\nparent_node = \"a\"\nchild = \"crank\"\nchild_node = \"a\"\nstiffness = 500") +
      joint("j2", "revolute", "parent = \"crank\"\nparent_node = \"b\"\nchild = \"coupler\"\nchild_node = \"a\"") +
      joint("j3", "revolute", "parent = \"coupler\"\nparent_node = \"b\"\nchild = \"rocker\"\nchild_node = \"b\"") +
      joint("j4", "revolute", "parent = \"base\"\nparent_node = \"b\"\nchild = \"rocker\"\nchild_node = \"a\"");
  const Model model = read_model_text(text, "fourbar.toml");
  const CondensedModel result = condensed(model);
  ASSERT_EQ(result.status, CondenseStatus::ok) << result.message;
  EXPECT_EQ(result.num_redundant, 3);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_TRUE(contains(result.notes[0], "3 redundant") && contains(result.notes[0], "'j3'")) << result.notes[0];
  // One body's worth of coordinates remains, and moving it as a whole meets the column alone.
  EXPECT_EQ(result.stiffness.rows(), 6);
}

TEST(Condensation, OfALoopOfRigidLinksWithoutASpringIsLoose) {
  const std::string text =
      header + rigid("crank", "a = [0, 0, 0], b = [0.1, 0.1, 0]") +
      rigid("coupler", "a = [0, 0, 0], b = [0.3, 0.05, 0], t = [0.1, 0.1, 0]") +
      rigid("rocker", "a = [0, 0, 0], b = [0.0, 0.15, 0]") +
      joint("j1", "revolute", "child = \"crank\"\nchild_node = \"a\"") +
      joint("j2", "revolute", "parent = \"crank\"\nparent_node = \"b\"\nchild = \"coupler\"\nchild_node = \"a\"") +
      joint("j3", "revolute", "parent = \"coupler\"\nparent_node = \"b\"\nchild = \"rocker\"\nchild_node = \"b\"") +
      joint("j4", "revolute", "parent_point = [0.4, 0, 0]\nchild = \"rocker\"\nchild_node = \"a\"");
  const Model model = read_model_text(text, "fourbar.toml");
  CondenseOptions options;
  options.tool = find_node(model, "coupler:t");
  const CondensedModel result = condensed(model, options);
  EXPECT_EQ(result.status, CondenseStatus::unconstrained);
  for (const char* name : {"'j1'", "'j2'", "'j3'", "'j4'"})
    EXPECT_TRUE(contains(result.message, name)) << result.message;
}

TEST(Condensation, HoldsJointsWhoseMotionIsPrescribed) {
  Model model = folding_rule();
  Drive drive;
  drive.joint = find_joint(model, "hinge");
  drive.prescribes_motion = true;
  model.drives = {drive};
  EXPECT_EQ(condensed(model).status, CondenseStatus::ok);
}

TEST(FindNode, SuggestsTheNearestName) {
  const Model model = folding_rule();
  for (const auto& [text, part] : {std::pair{"frist:b", "did you mean 'first'"}, std::pair{"first:c", "no node 'c'"},
                                   std::pair{"first", "link:node"}}) {
    try {
      find_node(model, text);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_TRUE(contains(error.what(), part)) << error.what();
    }
  }
}

}  // namespace
}  // namespace lithe
