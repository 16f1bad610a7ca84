// Condensation against a brute-force model with constraint rows, against closed forms, and against itself.
#include <gtest/gtest.h>

#include <numbers>

#include "lithe/analyse/condense/full.h"
#include "lithe/analyse/modes/modes.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/read/read_model.h"
#include "support/constrained_mechanism.h"

namespace lithe {
namespace {

Model example(const std::string& name) { return read_model(LITHE_MODELS_DIR "/" + name + ".toml"); }

struct Condensed {
  Condensed(const Model& model, const CondenseOptions& options)
      : condenser(model, options),
        configuration(initial_configuration(condenser.mechanism(), condenser.model())),
        geometry(condenser.make_geometry()),
        result(condenser.condense(configuration, geometry)) {}
  Condenser condenser;
  Configuration configuration;
  CondenseGeometry geometry;
  CondensedModel result;
};

// Largest difference of entries, in units of the diagonal.
double scaled_difference(const MatrixX& a, const MatrixX& b) {
  const VectorX scale = b.diagonal().cwiseAbs().cwiseSqrt().cwiseMax(1e-300).cwiseInverse();
  return (scale.asDiagonal() * (a - b) * scale.asDiagonal()).cwiseAbs().maxCoeff();
}

VectorX frequencies_of(const MatrixX& stiffness, const MatrixX& mass) {
  return symmetric_values(mass, stiffness).values.reverse().cwiseInverse().cwiseSqrt() / (2 * std::numbers::pi);
}

constexpr const char* header = R"(
lithe = 1
name = "test"
gravity = [1.0, -2.0, -9.81]
[materials.steel]
density = 7850
young_modulus = "205 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = "8 mm"
height = "14 mm"
[sections.thin]
shape = "tube"
diameter = "20 mm"
thickness = "2 mm"
)";

// A closed chain with all joint types, springs, motors, rigid and flexible links, a branch, and different theories.
std::string mixed_chain() {
  return std::string(header) + R"(
[[links]]
name = "crank"
nodes = {a = [0, 0, 0], b = [0.3, 0.05, 0.1]}
path = ["a", "b"]
material = "steel"
section = "bar"
elements = 3
[[links]]
name = "block"
type = "rigid"
nodes = {a = [0, 0, 0], b = [0.1, 0.02, -0.05], c = [0.03, 0.12, 0.04]}
mass = 1.3
centre = [0.04, 0.03, 0.01]
inertia = [0.004, 0.005, 0.006]
[[links]]
name = "rod"
nodes = {a = [0, 0, 0], m = [0.2, 0.1, 0.05], b = [0.5, 0.05, -0.1], c = [0.25, 0.3, 0.2]}
segments = [{from = "a", to = "m"}, {from = "m", to = "b", elements = 2}, {from = "m", to = "c", theory = "euler_bernoulli"}]
material = "steel"
section = "thin"
elements = 4
theory = "linear_timoshenko"
masses = [{node = "c", mass = 0.4, inertia = [0.001, 0.002, 0.003]}]
[[links]]
name = "slider"
nodes = {a = [0, 0, 0], b = [0.15, -0.2, 0.25]}
path = ["a", "b"]
material = "steel"
section = "bar"
elements = 2
mass_model = "lumped"
[[joints]]
name = "pivot"
child = "crank"
child_node = "a"
axis = [0.2, -0.3, 1]
value = 0.4
stiffness = 3000
inertia = 0.02
[[joints]]
name = "cardan"
type = "universal"
parent = "crank"
parent_node = "b"
child = "block"
child_node = "a"
axis = [1, 0, 0]
second_axis = [0, 1, 0]
stiffness = [150, 90]
[[joints]]
name = "sleeve"
type = "cylindrical"
parent = "block"
parent_node = "b"
child = "rod"
child_node = "a"
axis = [0.5, 0.2, 1]
value = [0.03, -0.6]
stiffness = [2e5, 40]
inertia = [0.1, 0.001]
[[joints]]
name = "table"
type = "planar"
parent = "block"
parent_node = "c"
child = "slider"
child_node = "a"
axis = [0, 1, 0.4]
value = [0.02, -0.04, 0.0]
stiffness = [4e4, 6e4, 25]
[[joints]]
name = "weld"
type = "spherical"
parent = "slider"
parent_node = "b"
child = "tail"
child_node = "a"
stiffness = [30, 40, 50]
[[joints]]
name = "guide"
type = "prismatic"
parent = "rod"
parent_node = "b"
child = "head"
child_node = "a"
axis = [1, 1, 0]
value = 0.07
stiffness = 8e4
[[links]]
name = "tail"
type = "rigid"
nodes = {a = [0, 0, 0], t = [0.05, 0, 0.1]}
mass = 0.6
inertia = [0.001, 0.001, 0.002]
[[links]]
name = "head"
type = "rigid"
nodes = {a = [0, 0, 0], t = [0.0, 0.1, 0.1]}
mass = 0.9
inertia = [0.002, 0.003, 0.002]
[[joints]]
name = "bushing"
type = "free"
parent = "tail"
parent_node = "t"
child = "head"
child_node = "t"
guess = [0.1, 0.2, -0.1, 0, 0, 0]
stiffness = [1e4, 2e4, 3e4, 0, 0, 0] # the brute force knows springs of angles at zero alone
)";
}

TEST(Condensation, OfAChainOfAllJointTypesEqualsBruteForce) {
  const Model model = read_model_text(mixed_chain(), "mixed.toml");
  CondenseOptions options;
  options.tool = find_node(model, "rod:c");
  const Condensed c(model, options);
  ASSERT_EQ(c.result.status, CondenseStatus::ok) << c.result.message;
  const test::ConstrainedMechanism brute = test::constrained_mechanism(model, c.condenser.mechanism(), c.configuration);
  const test::BruteCondensation expected = test::condense_by_force(brute, c.result.nodes);
  EXPECT_LT(scaled_difference(c.result.stiffness, expected.stiffness), 1e-9);
  EXPECT_LT(scaled_difference(c.result.mass, expected.mass), 1e-9);
  EXPECT_LT((c.result.loads.col(case_gravity) - expected.weight).norm(), 1e-9 * expected.weight.norm());
  const VectorX found = condensed_frequencies(c.result, 100),
                wanted = frequencies_of(expected.stiffness, expected.mass);
  for (Eigen::Index k = 0; k < found.size() / 2; ++k) EXPECT_NEAR(found[k] / wanted[k], 1, 1e-8) << k;
  const test::BruteCondensation tool = test::condense_by_force(brute, {*options.tool});
  EXPECT_LT(scaled_difference(*c.result.tool->stiffness, tool.stiffness), 1e-9);
  EXPECT_LT(scaled_difference(*c.result.tool->mass, tool.mass), 1e-9);
  const Vector6 sag = tool.stiffness.ldlt().solve(tool.weight);
  EXPECT_LT((c.result.tool->displacements.col(case_gravity) - sag).norm(), 1e-8 * sag.norm());
}

class CondensedExample : public ::testing::TestWithParam<const char*> {
 protected:
  Model model = example(GetParam());
  CondenseOptions options() const {
    for (const AnalysisRequest& request : model.analyses)
      if (request.kind == AnalysisKind::condense) {
        CondenseOptions result;
        for (const std::string& node : request.texts("independent"))
          result.independent.push_back(find_node(model, node));
        result.tool = find_node(model, *request.text("tool"));
        return result;
      }
    return {};
  }
};

TEST_P(CondensedExample, HasTheFullModelsComplianceAtTheTool) {
  const Condensed c(model, options());
  const FullModel full = full_model(c.condenser, c.configuration, 6);
  ASSERT_TRUE(full.tool_compliance && c.result.tool->compliance);
  EXPECT_LT(scaled_difference(*c.result.tool->compliance, *full.tool_compliance), 1e-9);
  // Static reduction is a Ritz method: no frequency falls below the full model's.
  const VectorX reduced = condensed_frequencies(c.result, 6);
  for (Eigen::Index k = 0; k < 6; ++k) EXPECT_GE(reduced[k], full.frequencies[k] * (1 - 1e-9));
}

TEST_P(CondensedExample, IsTheSameByBothRoutes) {
  const Condensed c(model, options());
  const CondensedModel direct = condense_directly(c.condenser, c.configuration);
  EXPECT_LT(scaled_difference(direct.stiffness, c.result.stiffness), 1e-10);
  EXPECT_LT(scaled_difference(direct.mass, c.result.mass), 1e-10);
  EXPECT_LT(scaled_difference(*direct.tool->stiffness, *c.result.tool->stiffness), 1e-10);
  EXPECT_LT((direct.loads - c.result.loads).norm(), 1e-9 * (1 + c.result.loads.norm()));
}

TEST_P(CondensedExample, EqualsBruteForce) {
  const Condensed c(model, options());
  const test::ConstrainedMechanism brute = test::constrained_mechanism(model, c.condenser.mechanism(), c.configuration);
  const test::BruteCondensation expected = test::condense_by_force(brute, c.result.nodes);
  EXPECT_LT(scaled_difference(c.result.stiffness, expected.stiffness), 1e-8);
  EXPECT_LT(scaled_difference(c.result.mass, expected.mass), 1e-8);
}

TEST_P(CondensedExample, HasTheSameToolStiffnessWhateverNodesAreKept) {
  const Condensed given(model, options());
  CondenseOptions alone;
  alone.tool = options().tool;
  alone.independent = {*alone.tool};
  CondenseOptions automatic;
  automatic.tool = alone.tool;
  for (const CondenseOptions& other : {alone, automatic}) {
    const Condensed c(model, other);
    ASSERT_EQ(c.result.status, CondenseStatus::ok) << c.result.message;
    EXPECT_LT(scaled_difference(*c.result.tool->stiffness, *given.result.tool->stiffness), 1e-10);
    EXPECT_LT(scaled_difference(*c.result.tool->mass, *given.result.tool->mass), 1e-10);
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, CondensedExample,
                         ::testing::Values("two_beam_frame", "ragnar", "stewart_gough", "planar_3rrr"),
                         [](const auto& test) { return std::string(test.param); });

// Another derivation of the same mesh on its joints: ERLS with all modes of every link, linearised.
TEST(Condensation, WithoutReductionHasTheFrequenciesOfErlsCms) {
  Model model = example("spatial_3r");
  for (Link& link : model.links) link.reduction = {};
  const ErlsCms equations(reduce(model));
  const VectorX expected = mechanism_modes(equations, equations.initial_state(), 0).modes.frequencies;
  const Condensed c(model, {});
  const VectorX found = full_model(c.condenser, c.configuration, 8).frequencies;
  for (Eigen::Index k = 0; k < 8; ++k) EXPECT_NEAR(found[k] / expected[k], 1, 1e-8) << k;
}

// A serial arm of rigid links: K_E = J⁻ᵀ k J⁻¹ (Salisbury), and compliance J k⁻¹ Jᵀ where J is not square.
std::string rigid_arm(int joints) {
  std::string text = header;
  const char* axes[] = {"[0, 0, 1]", "[0, 1, 0]", "[0, 1, 0.2]", "[1, 0, 0]", "[0, 1, 0]", "[1, 0, 0.3]"};
  for (int k = 0; k < joints; ++k)
    text +=
        cat("[[links]]\nname = \"l", k, "\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0], b = [0.2, 0.0", k,
            ", 0.15]}\nmass = 1\n", "inertia = [0.01, 0.01, 0.01]\n[[joints]]\nname = \"j", k, "\"\n",
            k == 0 ? std::string() : cat("parent = \"l", k - 1, "\"\nparent_node = \"b\"\n"), "child = \"l", k,
            "\"\nchild_node = \"a\"\naxis = ", axes[k], "\nvalue = 0.", 3 + k, "\nstiffness = ", 1000 * (k + 1), "\n");
  return text;
}

MatrixX arm_jacobian(const Condensed& c, const Vector3& tool) {
  const auto n = static_cast<Eigen::Index>(c.condenser.model().joints.size());
  MatrixX J(6, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Joint& joint = c.condenser.model().joints[k];
    const Pose parent = joint.parent < 0 ? Pose{} : c.geometry.link_pose(joint.parent);
    const Vector3 axis = parent.rotation * joint.parent_frame.rotation.col(2);
    J.col(k) << axis.cross(tool - parent * joint.parent_frame.position), axis;
  }
  return J;
}

TEST(Condensation, OfRigidLinksOnSpringsIsSalisburysFormula) {
  const Model model = read_model_text(rigid_arm(6), "arm.toml");
  CondenseOptions options;
  options.tool = find_node(model, "l5:b");
  const Condensed c(model, options);
  ASSERT_TRUE(c.result.tool->stiffness) << c.result.tool->message;
  const MatrixX J = arm_jacobian(c, c.geometry.node_position(*options.tool));
  VectorX k(6);
  for (int i = 0; i < 6; ++i) k[i] = 1000 * (i + 1);
  const Matrix6 compliance = J * k.cwiseInverse().asDiagonal() * J.transpose();
  EXPECT_LT(scaled_difference(*c.result.tool->compliance, compliance), 1e-12);
  // J⁻ᵀ k J⁻¹ without the inverse of J, which is not well conditioned.
  EXPECT_LT((J.transpose() * *c.result.tool->stiffness * J - MatrixX(k.asDiagonal())).norm(), 1e-6 * k.norm());
}

TEST(Condensation, GivesTheComplianceOfAToolThatCannotMoveEverywhere) {
  const Model model = read_model_text(rigid_arm(3), "arm.toml");
  CondenseOptions options;
  options.tool = find_node(model, "l2:b");
  const Condensed c(model, options);
  EXPECT_FALSE(c.result.tool->stiffness);
  EXPECT_NE(c.result.tool->message.find("3 of 6"), std::string::npos) << c.result.tool->message;
  const MatrixX J = arm_jacobian(c, c.geometry.node_position(*options.tool));
  const Vector3 k(1000, 2000, 3000);
  EXPECT_LT((*c.result.tool->compliance - J * k.cwiseInverse().asDiagonal() * J.transpose()).norm(), 1e-14);
}

// A cantilever: K at its tip is the inverse of the textbook compliance, with shear.
TEST(Condensation, OfACantileverIsTheTextbooks) {
  std::string text = header;
  text += R"(
[[links]]
name = "beam"
nodes = {root = [0, 0, 0], tip = [0.6, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
elements = 7
[[joints]]
name = "clamp"
type = "fixed"
child = "beam"
child_node = "root"
[[loads]]
name = "pull"
link = "beam"
node = "tip"
force = [0, 0, -100]
)";
  const Model model = read_model_text(text, "beam.toml");
  CondenseOptions options;
  options.tool = find_node(model, "beam:tip");
  const Condensed c(model, options);
  const double L = 0.6, E = 205e9, G = E / 2.6, A = 0.008 * 0.014, Iy = 0.008 * std::pow(0.014, 3) / 12;
  const double w = L * L * L / (3 * E * Iy) + L / (5.0 / 6 * G * A);
  EXPECT_NEAR((*c.result.tool->compliance)(2, 2) / w, 1, 1e-10);
  EXPECT_NEAR((*c.result.tool->compliance)(0, 0) / (L / (E * A)), 1, 1e-10);
  EXPECT_NEAR(c.result.tool->displacements(2, case_loads) / (-100 * w), 1, 1e-10);
  const double q = -9.81 * 7850 * A;
  EXPECT_NEAR(c.result.tool->displacements(2, case_gravity) /
                  (q * std::pow(L, 4) / (8 * E * Iy) + q * L * L / 2 / (5.0 / 6 * G * A)),
              1, 1e-10);
}

TEST(Condensation, OfAnImposedDisplacementMovesTheRestAsASpringWould) {
  const Model model = example("two_beam_frame");
  CondenseOptions options;
  options.tool = find_node(model, "left:hinge");
  ImposedDisplacement imposed;
  const NodeOfLink at = find_node(model, "right:middle");
  imposed.link = at.link;
  imposed.node = at.node;
  imposed.displacement = Vector3(0, 2e-3, 1e-3);
  imposed.rotation = Vector3(0, 0, 4e-3);
  options.imposed = {imposed};
  const Condensed held(model, options);
  // The same from the free model with both nodes kept: solve for the hinge with the other node given.
  CondenseOptions both;
  both.independent = {*options.tool, at};
  const Condensed free(model, both);
  Vector6 given;
  given << imposed.displacement, imposed.rotation;
  const MatrixX& K = free.result.stiffness;
  const Vector6 expected = -K.topLeftCorner<6, 6>().ldlt().solve(K.topRightCorner<6, 6>() * given);
  EXPECT_LT((held.result.tool->displacements.col(case_imposed) - expected).norm(), 1e-10 * expected.norm());
  EXPECT_LT(scaled_difference(held.result.stiffness, K.topLeftCorner<6, 6>()), 1e-10);
}

TEST(Condensation, LeavesOutTheSpringsEnergyOnlyWhenAskedTo) {
  const Model model = example("planar_3rrr");
  CondenseOptions options;
  options.tool = find_node(model, "platform:centre");
  const Condensed right(model, options);
  options.spring_energy = false;
  const Condensed literal(model, options);
  EXPECT_LT((*literal.result.tool->stiffness)(0, 0), 0.99 * (*right.result.tool->stiffness)(0, 0));
}

}  // namespace
}  // namespace lithe
