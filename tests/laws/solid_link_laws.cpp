// Links of solid elements in motion.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <functional>
#include <numbers>

#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/read/read_model.h"
#include "lithe/reduce/reduce.h"
#include "support/formulations.h"
#include "support/shell_sheet.h"
#include "support/solid_bar.h"

namespace lithe {
namespace {

Model model_of(const Link& link, JointType type) {
  Model model;
  model.name = "solid";
  model.links = {link};
  Joint joint;
  joint.name = "joint";
  joint.child = 0;
  joint.child_node = 0;
  joint.set_type(type);
  model.joints = {joint};
  return model;
}

// Frequencies in Hz, joints free, without those of zero.
VectorX frequencies(const Model& model) {
  const ErlsCms equations(reduce(model));
  const auto workspace = equations.make_workspace();
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, 0, inputs);
  LinearBlocks blocks;
  EXPECT_EQ(equations.linearise_elastic(equations.initial_state(), inputs, *workspace, blocks), EvaluationStatus::ok);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> pairs(blocks.stiffness, blocks.mass, Eigen::EigenvaluesOnly);
  VectorX hertz = pairs.eigenvalues().cwiseMax(0.0).cwiseSqrt() / (2 * std::numbers::pi);
  return hertz.tail((hertz.array() > 1e-3).count());
}

TEST(SolidLink, SwingsOnItsHingeAsTheBeamDoes) {
  Link solid = test::link_of({.count = {40, 1, 2}});
  solid.reduction.method = ReductionMethod::craig_bampton;
  solid.reduction.num_internal_modes = 6;
  const Model beam = read_model_text(R"(lithe = 1
[materials.steel]
density = 7850
young_modulus = "210 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = "10 mm"
height = "20 mm"
[[links]]
name = "bar"
nodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
elements = 10
reduction = {internal_modes = 6}
[[joints]]
name = "joint"
child = "bar"
child_node = "root"
)",
                                     "beam.toml");
  const VectorX of_solid = frequencies(model_of(solid, JointType::revolute)), of_beam = frequencies(beam);
  for (Eigen::Index k = 0; k < 4; ++k) EXPECT_NEAR(of_solid(k) / of_beam(k), 1, 0.01) << k;
}

// A fourth-order Runge-Kutta step of y' = f(y).
VectorX step(const VectorX& y, double h, const std::function<VectorX(const VectorX&)>& f) {
  const VectorX a = f(y), b = f(y + h / 2 * a), c = f(y + h / 2 * b), d = f(y + h * c);
  return y + h / 6 * (a + 2 * b + 2 * c + d);
}

// Without elastic motion, a box spins as the rigid box does: J ω' + ω × J ω = 0 in body axes.
void expect_eulers_equations(Link link, const Vector3& size) {
  link.reduction.method = ReductionMethod::craig_bampton;
  link.reduction.num_internal_modes = 0;
  link.reduction.interface_nodes = {0, 1};
  link.reduction.num_kept_modes = 0;
  Model model = model_of(link, JointType::free);
  model.joints[0].initial_speed = {0.1, 0.2, 0.3, 20, 15, -12};
  const ErlsCms equations(reduce(model));
  const auto workspace = equations.make_workspace();
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, 0, inputs);
  State state = equations.initial_state();
  const Eigen::Index n = equations.num_coordinates();
  Accelerations accelerations{VectorX::Zero(n)};
  const auto body_speed = [&]() -> Vector3 {
    const NodeMotion node = equations.node_motion(state, inputs, accelerations, 0, 0, *workspace);
    return node.orientation.transpose() * node.angular_velocity;
  };
  Vector3 omega = body_speed();
  const double energy = equations.energies(state, inputs, *workspace).total();
  const Vector3 squares = size.cwiseAbs2();  // moments in units of m / 12
  const Vector3 moments(squares.y() + squares.z(), squares.x() + squares.z(), squares.x() + squares.y());
  const auto euler = [&](const VectorX& w) -> VectorX {
    const Vector3 spin = w, momentum = moments.cwiseProduct(spin);
    return momentum.cross(spin).cwiseQuotient(moments);
  };
  const auto motion = [&](const VectorX& y) -> VectorX {
    state.coordinates = y.head(n);
    state.speeds = y.tail(n);
    EXPECT_EQ(equations.evaluate(state, inputs, *workspace, accelerations), EvaluationStatus::ok);
    VectorX rate(2 * n);
    rate << y.tail(n), accelerations.values;
    return rate;
  };
  VectorX y(2 * n);
  y << state.coordinates, state.speeds;
  constexpr double h = 1e-4;
  for (int k = 0; k < 200; ++k) {
    y = step(y, h, motion);
    omega = step(omega, h, euler);
  }
  state.coordinates = y.head(n);
  state.speeds = y.tail(n);
  EXPECT_LT((body_speed() - omega).norm(), 1e-9 * omega.norm());
  EXPECT_NEAR(equations.energies(state, inputs, *workspace).total() / energy, 1, 1e-10);
}

TEST(SolidLink, SpinsByEulersEquations) {
  const Vector3 size(0.3, 0.2, 0.1);
  expect_eulers_equations(test::link_of({.shape = ElementShape::tet10, .size = size, .count = {2, 2, 2}, .skew = 0.1}),
                          size);
}

// A sheet along x from the node 'root' to the node 'tip', each with a rigid spider on its edge.
Link sheet_link(const test::ShellSheet& sheet, const Vector3& size) {
  test::ShellSheet placed = sheet;
  placed.thickness = size.z();
  placed.map = [size](double u, double v) { return Vector3(size.x() * u, size.y() * (v - 0.5), 0); };
  Link link = test::link_of_sheet(placed);
  link.nodes = {{"root", Vector3::Zero()}, {"tip", Vector3(size.x(), 0, 0)}};
  for (const double x : {0.0, size.x()}) {
    Spider spider;
    for (int node = 0; node < link.mesh->mesh.num_nodes(); ++node)
      if (std::abs(link.mesh->mesh.positions[static_cast<std::size_t>(node)].x() - x) < 1e-9)
        spider.nodes.push_back(node);
    link.spiders.push_back(spider);
  }
  return link;
}

// A thick plate: the inertia of its rotating normals is a tenth of the whole.
TEST(ShellLink, SpinsByEulersEquations) {
  const Vector3 size(0.3, 0.2, 0.1);
  for (const ElementShape shape : {ElementShape::tri3, ElementShape::tri6, ElementShape::quad4, ElementShape::quad8})
    expect_eulers_equations(sheet_link({.shape = shape, .nx = 2, .ny = 2, .skew = 0.1}, size), size);
}

// The wound tube of the examples as a mesh of shells and as a beam with a section of layers: bending about two axes,
// torsion and stretching. 24 flat elements around have 0.3 % less length than the circle; the rest is the ovalisation
// of the section, which a beam has not, and grows with the frequency.
TEST(ShellLink, OfAWoundTubeVibratesAsItsBeam) {
  const VectorX tube = frequencies(read_model(LITHE_MODELS_DIR "/shells/carbon_arm.toml")),
                beam = frequencies(read_model(LITHE_MODELS_DIR "/shells/carbon_arm_beam.toml"));
  for (Eigen::Index k = 0; k < 8; ++k) EXPECT_NEAR(tube(k) / beam(k), 1, k < 6 ? 0.01 : 0.02) << k;
}

// A swinging sheet by two derivations that share the modes alone. One link with its frame at the joint is the same
// model in both, so that only the integrators differ.
TEST(ShellLink, SwingsInAFloatingFrameAsInErls) {
  Link link = sheet_link({.nx = 8, .ny = 2}, {0.4, 0.04, 0.004});
  link.reduction.method = ReductionMethod::craig_bampton;
  link.reduction.num_internal_modes = 2;
  link.lumped_masses = {{1, 0.2, Matrix3(1e-4 * Matrix3::Identity())}};
  Model model = model_of(link, JointType::revolute);
  model.joints[0].child_frame.rotation = model.joints[0].parent_frame.rotation =
      Eigen::AngleAxisd(-std::numbers::pi / 2, Vector3::UnitX()).matrix();  // about y, across the sheet
  model.gravity = {0, 0, -9.81};
  const Model watched = testing::with_tips(model);
  const testing::RunSettings settings{.integrator = "automatic", .tolerance = 1e-8, .samples = 10};
  const Trajectory erls = testing::run(watched, {}, 0.1, settings);
  const Trajectory floating = testing::run(watched, {.formulation = "floating-frame"}, 0.1, settings);
  EXPECT_LT(testing::largest_difference(erls, floating), 1e-6);
}

}  // namespace
}  // namespace lithe
