// Free flexible mechanisms keep their linear and angular momentum. The momentum is summed over the finite-element mass
// points, with positions from the nodes and velocities by differentiating them: nothing of the formulation's own sums.
#include <Eigen/Eigenvalues>

#include "support/flexible_models.h"
#include "support/motion.h"

namespace lithe {
namespace {

using namespace testing;

// Two flexible links on an elbow, floating.
Model floating_arm() {
  Model model = spatial_2r(7e9, 2);
  Joint& shoulder = model.joints[0];
  shoulder.set_type(JointType::free);
  shoulder.initial_value = {0.1, 0, 0.2, 0.3, 0.2, 0.1};
  shoulder.initial_speed = {0.2, -0.1, 0.3, 1.0, 2.0, -1.5};
  model.gravity.setZero();
  return model;
}

// One bit of mass; the world position of its material, section samples counted from the section's centre.
struct Sample {
  double weight;
  Vector3 position;
  bool section;
};

// The material of all links in the world (docs/theory/modal_body.md (8)).
std::vector<Sample> material(Watched& system, const State& state) {
  std::vector<Sample> samples;
  for (std::size_t link = 0; link < system.reduced.meshes.size(); ++link) {
    const FiniteElementBody& mesh = system.reduced.meshes[link];
    VectorX U(mesh.num_dofs());  // world axes
    Matrix3 R = Matrix3::Identity();
    Vector3 origin = Vector3::Zero();
    for (int node = 0; node < mesh.num_nodes(); ++node) {
      const NodeMotion motion = system.node(state, static_cast<int>(link), node);
      const Vector3& psi = motion.rotation;
      U.segment<3>(6 * node) = motion.displacement;
      U.segment<3>(6 * node + 3) = psi;
      // The node's orientation is the frame's, turned by the small rotation.
      const Quaternion turn = Quaternion(1, 0.5 * psi.x(), 0.5 * psi.y(), 0.5 * psi.z()).normalized();
      R = turn.toRotationMatrix().transpose() * motion.orientation;
      origin = motion.position - motion.displacement - R * mesh.node_positions[node];
    }
    for (int k = 0; k < 2 * mesh.num_nodes(); ++k) U.segment<3>(3 * k) = (R.transpose() * U.segment<3>(3 * k)).eval();
    for (const MassPoint& point : mesh.mass_points) {
      const VectorX u = U(point.dofs);
      samples.push_back({point.mass, origin + R * (point.position + point.translation_rows * u), false});
      const Vector3 psi = point.rotation_rows * u;
      const Eigen::SelfAdjointEigenSolver<Matrix3> principal(point.section_moment);
      for (int i = 0; i < 3; ++i) {
        const Vector3 e = principal.eigenvectors().col(i);
        samples.push_back({principal.eigenvalues()(i), R * (e + psi.cross(e)), true});
      }
    }
  }
  return samples;
}

struct Momentum {
  Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
  double linear_scale = 0, angular_scale = 0;  // sums of absolute values
};

// Velocities are the derivative of the positions along x + h ẋ: central differences of order 6 on a path that turns by
// milliradians, so that they are exact to rounding / h.
Momentum momentum_of(Watched& system, const State& state) {
  const double h = 1e-3;
  const double weights[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  const std::vector<Sample> now = material(system, state);
  std::vector<Vector3> velocities(now.size(), Vector3::Zero());
  for (int k = 1; k <= 3; ++k)
    for (int sign : {1, -1}) {
      State moved = state;
      moved.coordinates += sign * k * h * state.speeds;
      const std::vector<Sample> there = material(system, moved);
      for (std::size_t i = 0; i < now.size(); ++i)
        velocities[i] += sign * weights[k - 1] / h * (there[i].position - now[i].position);
    }
  Momentum sum;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Vector3 p = now[i].weight * velocities[i], L = now[i].position.cross(p);
    if (!now[i].section) sum.linear += p;
    if (!now[i].section) sum.linear_scale += p.norm();
    sum.angular += L;
    sum.angular_scale += L.norm();
  }
  return sum;
}

struct FreeCase {
  std::string name;
  Model model;
  Gauge gauge;
  double step, end;
};
// Steps so short that the method's own error, some 1e-3 (ω h)^6 per step of the fastest mode, stays below the
// tolerance.
std::vector<FreeCase> free_cases() {
  return {{"one_body", free_frame(7e9, 1, 6), Gauge::encoder, 2e-6, 0.02},
          {"one_body_minimum_norm", free_frame(7e9, 1, 6), Gauge::minimum_norm, 4e-6, 0.002},
          {"two_links", floating_arm(), Gauge::encoder, 2e-6, 0.02},
          {"two_links_minimum_norm", floating_arm(), Gauge::minimum_norm, 4e-6, 0.002}};
}

class FreeFlexibleMechanism : public ::testing::TestWithParam<int> {};

TEST_P(FreeFlexibleMechanism, KeepsItsLinearAndAngularMomentum) {
  const FreeCase test_case = free_cases()[GetParam()];
  Watched system(test_case.model, test_case.gauge);
  State state = system.equations.initial_state();
  for (int i = system.equations.num_joint_coordinates(); i < system.equations.num_coordinates(); ++i)
    state.coordinates(i) = 1e-3 * (i % 3 - 0.7);  // millimetres of vibration
  const Momentum before = momentum_of(system, state);
  state = move(system, state, test_case.end, test_case.step);
  const Momentum after = momentum_of(system, state);
  EXPECT_GT(system.equations.energies(state, system.inputs, *system.workspace).elastic, 1e-4);
  EXPECT_LT((after.linear - before.linear).norm(), 1e-10 * before.linear_scale);
  EXPECT_LT((after.angular - before.angular).norm(), 1e-10 * before.angular_scale);
}

INSTANTIATE_TEST_SUITE_P(AllFree, FreeFlexibleMechanism, ::testing::Range(0, static_cast<int>(free_cases().size())),
                         [](const auto& chosen) { return free_cases()[chosen.param].name; });

}  // namespace
}  // namespace lithe
