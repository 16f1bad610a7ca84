// A reduced link at rest: deflections and section loads as beam theory has them, whatever modes were chosen.
#include <Eigen/Cholesky>
#include <random>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/inspect/reduction_check.h"
#include "lithe/fem/assemble.h"
#include "lithe/reduce/bases.h"
#include "lithe/reduce/reduce.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

// A link of beams that branch at random, clamped at its first node; forces at some of its nodes.
struct RandomFrame {
  Model model;
  std::vector<int> before;  // node towards the clamp; -1 of the first
};

RandomFrame random_frame(unsigned seed, double gravity) {
  std::mt19937 chance(seed);
  std::uniform_real_distribution<double> part(-1, 1);
  FlexibleBuilder b(2e11, 7800, 0.02 + 0.005 * part(chance), 0.03 + 0.005 * part(chance));
  b.model().gravity = {0.3 * gravity, -0.5 * gravity, -gravity};
  const int num_nodes = 3 + static_cast<int>(seed % 4);
  std::vector<Vector3> points{Vector3::Zero()};
  RandomFrame result;
  result.before = {-1};
  for (int k = 1; k < num_nodes; ++k) {
    const int from = k == 1 ? 0 : std::uniform_int_distribution<int>(1, k - 1)(chance);
    points.push_back(points[from] + Vector3(0.3 + 0.1 * part(chance), 0.3 * part(chance), 0.2 * part(chance)));
    result.before.push_back(from);
  }
  const int arm = b.beam("arm", points, 3);
  for (int k = 1; k < num_nodes; ++k) {  // the builder joins one point to the next
    BeamSegment& segment = b.model().links[arm].segments[k - 1];
    segment.from = result.before[k];
    segment.num_elements = 1 + static_cast<int>(chance() % 3);
  }
  b.hinge("clamp", JointType::fixed, -1, Vector3::Zero(), arm, Vector3::Zero(), Vector3::UnitZ());
  for (int k = 1; k < num_nodes; ++k) {
    if (k > 1 && chance() % 2 == 0) continue;
    Load load;
    load.name = "load " + std::to_string(k);
    load.link = arm;
    load.node = k;
    load.direction = Vector3(part(chance), part(chance), part(chance));
    load.signal = SignalConstant{20};
    b.model().loads.push_back(load);
  }
  result.model = b.model();
  return result;
}

bool beyond(const RandomFrame& frame, int node, int cut) {
  for (; node >= 0; node = frame.before[node])
    if (node == cut) return true;
  return false;
}

// What the parts beyond a node exert on the section just before it (of the first node: just behind it), from
// equilibrium alone; link axes.
void expected_section(const RandomFrame& frame, int node, Vector3& force, Vector3& moment) {
  const Link& link = frame.model.links[0];
  const Section& section = frame.model.sections[0];
  const Vector3 here = link.nodes[node].position;
  force.setZero();
  moment.setZero();
  const auto add = [&](const Vector3& at, const Vector3& f) {
    force += f;
    moment += (at - here).cross(f);
  };
  for (const Load& load : frame.model.loads)
    if (beyond(frame, load.node, node)) add(link.nodes[load.node].position, 20 * load.direction);
  for (const BeamSegment& segment : link.segments) {
    if (segment.to == node || !beyond(frame, segment.to, node)) continue;
    const Vector3 a = link.nodes[segment.from].position, b = link.nodes[segment.to].position;
    add(0.5 * (a + b), 7800 * section.area * (b - a).norm() * frame.model.gravity);
  }
}

// Nodal displacements of the finite elements with the first node held: exact at nodes for beams.
VectorX beam_deflection(const Model& model) {
  const FiniteElementBody mesh = assemble(model, model.links[0]);
  VectorX loads = VectorX::Zero(mesh.num_dofs()), weight = loads;
  for (int node = 0; node < mesh.num_nodes(); ++node) weight.segment<3>(6 * node) = model.gravity;
  loads = mesh.mass * weight;
  for (const Load& load : model.loads) loads.segment<3>(6 * load.node) += 20 * load.direction;
  const Eigen::Index rest = mesh.num_dofs() - 6;
  VectorX result = VectorX::Zero(mesh.num_dofs());
  result.tail(rest) = MatrixX(mesh.stiffness).bottomRightCorner(rest, rest).ldlt().solve(loads.tail(rest));
  return result;
}

Matrix3 axes_at(const Model& model, int node) {
  const FiniteElementBody mesh = assemble(model, model.links[0]);
  for (const BeamElement& element : mesh.elements)
    if (element.node_a == node || element.node_b == node) return element.axes;
  return Matrix3::Identity();
}

ReductionChoice reduction(ReductionMethod method, std::optional<int> internal) {
  ReductionChoice choice;
  choice.method = method;
  choice.num_internal_modes = internal;
  return choice;
}

void put_at_rest(Formulated& system) {
  EquilibriumOptions options;
  options.tolerance = 1e-13;
  const Equilibrium found = equilibrium(*system.equations, system.state, options);
  ASSERT_TRUE(found.converged) << found.message;
  system.state = found.state;
}

void expect_sections(const RandomFrame& frame, Formulated& system, const std::string& what) {
  for (std::size_t node = 0; node < frame.before.size(); ++node) {
    Vector3 force, moment, expected_force, expected_moment;
    ASSERT_TRUE(system.equations->section_load(system.state, system.inputs, system.accelerations, 0,
                                               static_cast<int>(node), force, moment, *system.workspace))
        << what;
    expected_section(frame, static_cast<int>(node), expected_force, expected_moment);
    const Matrix3 axes = axes_at(frame.model, static_cast<int>(node));
    EXPECT_LT((axes * force - expected_force).norm(), 1e-8 * (1 + expected_force.norm())) << what << " node " << node;
    EXPECT_LT((axes * moment - expected_moment).norm(), 1e-8 * (1 + expected_moment.norm()))
        << what << " node " << node;
  }
}

void expect_deflections(const RandomFrame& frame, Formulated& system, const std::string& what) {
  const VectorX exact = beam_deflection(frame.model);
  const double size = exact.cwiseAbs().maxCoeff();
  for (std::size_t node = 0; node < frame.before.size(); ++node) {
    bool looked_at = node == 0;
    for (const Load& load : frame.model.loads) looked_at = looked_at || load.node == static_cast<int>(node);
    if (!looked_at) continue;
    const Vector3 found = system.node(0, static_cast<int>(node)).displacement;
    EXPECT_LT((found - exact.segment<3>(6 * static_cast<Eigen::Index>(node))).norm(), 1e-8 * size)
        << what << " node " << node;
  }
}

const std::vector<std::string> reducing = {"erls-cms", "floating-frame"};

TEST(ReductionLaws, StaticsOfReducedFramesAreThoseOfBeamTheory) {
  const std::vector<ReductionChoice> choices = {
      {},
      reduction(ReductionMethod::craig_bampton, 0),
      reduction(ReductionMethod::craig_bampton, 3),
      reduction(ReductionMethod::guyan, {}),
      reduction(ReductionMethod::rubin, 0),
      reduction(ReductionMethod::rubin, 4),
  };
  for (unsigned seed = 1; seed <= 8; ++seed)
    for (std::size_t c = 0; c < choices.size(); ++c)
      for (const std::string& formulation : reducing) {
        RandomFrame frame = random_frame(seed, seed % 2 == 0 ? 9.81 : 0);
        frame.model.links[0].reduction = choices[c];
        const std::string what = formulation + " choice " + std::to_string(c) + " seed " + std::to_string(seed);
        Formulated system(frame.model, {.formulation = formulation});
        put_at_rest(system);
        expect_deflections(frame, system, what);
        expect_sections(frame, system, what);
        EXPECT_TRUE(reduction_losses(frame.model).links.empty()) << what;
      }
}

// Modes up to a frequency: of the dynamic ones. Below the first of them the static shapes alone are left.
TEST(ReductionLaws, AHighestFrequencyLimitsDynamicModesAndNeverStaticOnes) {
  for (const ReductionMethod method : {ReductionMethod::craig_bampton, ReductionMethod::rubin}) {
    RandomFrame frame = random_frame(5, 9.81);
    ReductionChoice choice = reduction(method, {});
    int before = -1;
    for (const double limit : {1e-3, 500.0, 5000.0}) {
      choice.max_frequency = limit;
      frame.model.links[0].reduction = choice;
      const int modes = reduce(frame.model).bodies[0].num_modes();
      EXPECT_GT(modes, before);
      before = modes;
      Formulated system(frame.model);
      put_at_rest(system);
      expect_deflections(frame, system, "up to " + std::to_string(limit) + " Hz");
    }
    choice.max_frequency = 1e-3;
    frame.model.links[0].reduction = choice;
    const int alone = reduce(frame.model).bodies[0].num_modes();
    frame.model.links[0].reduction = reduction(method, 0);
    EXPECT_EQ(alone, reduce(frame.model).bodies[0].num_modes());
  }
}

// A truncation as in the papers loses deflection, and says how much; sections carry everything all the same.
TEST(ReductionLaws, TruncatedLinksCarryAllTheirLoadsAndTellWhatTheyLose) {
  int lossy = 0;
  for (unsigned seed = 1; seed <= 6; ++seed)
    for (const int kept : {0, 2, 5})
      for (const std::string& formulation : reducing) {
        RandomFrame frame = random_frame(seed, 9.81);
        frame.model.links[0].reduction = reduction(ReductionMethod::craig_bampton, {});
        frame.model.links[0].reduction.num_kept_modes = kept;
        const std::string what = formulation + " kept " + std::to_string(kept) + " seed " + std::to_string(seed);
        Formulated system(frame.model, {.formulation = formulation});
        if (kept > 0) put_at_rest(system);
        expect_sections(frame, system, what);
        const ReductionLosses losses = reduction_losses(frame.model);
        ASSERT_EQ(losses.links.size(), 1u) << what;
        const NodeDirection worst = losses.links[0].softest;
        Model one = frame.model;  // a force there alone
        one.gravity.setZero();
        one.loads.resize(1);
        one.loads[0].node = worst.node;
        one.loads[0].direction = Vector3::Unit(worst.direction);
        one.sensors.clear();
        for (const Load& load : frame.model.loads) {  // the same interface
          Sensor sensor;
          sensor.name = load.name;
          sensor.quantity = Quantity::displacement;
          sensor.link = 0;
          sensor.node = load.node;
          one.sensors.push_back(sensor);
        }
        Formulated loaded(one, {.formulation = formulation});
        if (kept > 0) put_at_rest(loaded);
        const double found = loaded.node(0, worst.node).displacement[worst.direction];
        const double exact = beam_deflection(one)(6 * worst.node + worst.direction);
        EXPECT_NEAR(worst.loss, 1 - found / exact, 1e-6) << what;
        if (worst.loss > 0.01) ++lossy;
        EXPECT_FALSE(reduction_warnings(frame.model, formulation).empty()) << what;
        EXPECT_TRUE(reduction_warnings(frame.model, "corotational").empty()) << what;
      }
  EXPECT_GT(lossy, 10);
}

double first_clamped(const Model& model) {
  const FiniteElementBody mesh = assemble(model, model.links[0]);
  const Eigen::Index rest = mesh.num_dofs() - 6;
  return std::sqrt(natural_modes(MatrixX(mesh.stiffness).bottomRightCorner(rest, rest),
                                 MatrixX(mesh.mass).bottomRightCorner(rest, rest))
                       .squared_frequencies(0)) /
         (2 * std::numbers::pi);
}

// The first frequency that a truncation is compared with lies between the true one and the truncated one, and its
// error is told within a factor of two.
TEST(ReductionLaws, FrequenciesAreNeverLoweredAndTheirErrorIsTold) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    RandomFrame frame = random_frame(seed, 0);
    const double exact = first_clamped(frame.model);
    frame.model.links[0].reduction = reduction(ReductionMethod::craig_bampton, {});
    frame.model.links[0].reduction.num_kept_modes = 3;
    const ReductionLosses losses = reduction_losses(frame.model);
    ASSERT_TRUE(losses.frequency && losses.complete_frequency) << seed;
    EXPECT_GE(*losses.complete_frequency, exact * (1 - 1e-9)) << seed;
    EXPECT_GE(*losses.frequency, *losses.complete_frequency * (1 - 1e-9)) << seed;
    const double told = *losses.frequency / *losses.complete_frequency - 1, real = *losses.frequency / exact - 1;
    EXPECT_LT(real, 2 * told + 1e-6) << seed;
    EXPECT_GT(real, 0.5 * told - 1e-6) << seed;
  }
}

// In motion, open and closed chains: the section at the inboard node carries its joint's force, the free tip nothing.
TEST(ReductionLaws, InMotionSectionsOfTruncatedLinksBalanceTheJoints) {
  for (const std::string& formulation : reducing)
    for (const int kept : {0, 3, 6}) {
      Formulated system(spatial_2r(2e9, kept), {.formulation = formulation});
      for (Eigen::Index k = 0; k < system.state.coordinates.size(); ++k) {
        system.state.coordinates[k] += 1e-5 * std::sin(5 + 1.7 * static_cast<double>(k * k + k));
        system.state.speeds[k] += 1e-3 * std::cos(2 + 1.3 * static_cast<double>(k * k));
      }
      if (dynamic_cast<const ConstrainedEquations*>(system.equations.get()) != nullptr)
        for (int k = 0; k < 3; ++k) system.equations->accept(system.state, system.inputs, *system.workspace);
      system.evaluate();
      Vector3 shoulder, elbow, upper, fore, tip, torque, moment;
      const auto& [equations, state, inputs, accelerations] =
          std::tie(*system.equations, system.state, system.inputs, system.accelerations);
      ASSERT_TRUE(equations.reaction(state, inputs, accelerations, 0, shoulder, torque, *system.workspace));
      ASSERT_TRUE(equations.reaction(state, inputs, accelerations, 1, elbow, torque, *system.workspace));
      ASSERT_TRUE(equations.section_load(state, inputs, accelerations, 0, 0, upper, moment, *system.workspace));
      ASSERT_TRUE(equations.section_load(state, inputs, accelerations, 1, 2, tip, moment, *system.workspace));
      const double scale = shoulder.norm() + elbow.norm();
      const std::string what = formulation + " " + std::to_string(kept);
      EXPECT_LT(moment.norm(), 1e-7 * scale) << what;
      ASSERT_TRUE(equations.section_load(state, inputs, accelerations, 1, 0, fore, moment, *system.workspace));
      EXPECT_GT(elbow.norm(), 0.1) << what;
      EXPECT_NEAR(upper.norm(), shoulder.norm(), 1e-7 * scale) << what;
      EXPECT_NEAR(fore.norm(), elbow.norm(), 1e-7 * scale) << what;
      EXPECT_LT(tip.norm(), 1e-7 * scale) << what;
    }
}

}  // namespace
}  // namespace lithe
