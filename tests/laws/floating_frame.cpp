// A spatial arm of two flexible links against a floating-frame solver written here: absolute position, quaternion and
// the free modes of each link, joints by Lagrange multipliers on the deformed nodes, inertia summed over the
// finite-element mass points. It shares nothing with the formulation but the mode shapes.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "support/flexible_models.h"
#include "support/motion.h"

namespace lithe {
namespace {

using namespace testing;

// One bit of mass: rest position and shape; section samples have no mass of their own to translate.
struct Sample {
  double weight;
  Vector3 rest;
  Matrix3X shape;
  bool section;
};

struct FloatingBody {
  std::vector<Sample> samples;
  VectorX stiffness;
  std::vector<Vector3> nodes;
  std::vector<Matrix3X> translation, rotation;
  int size() const { return 6 + static_cast<int>(stiffness.size()); }
};

FloatingBody floating_body(const FiniteElementBody& mesh, const ReducedBody& reduced) {
  FloatingBody body;
  body.stiffness = reduced.squared_frequencies;
  for (const MassPoint& point : mesh.mass_points) {
    const MatrixX shapes = reduced.nodal_shapes(point.dofs, Eigen::all);
    body.samples.push_back({point.mass, point.position, point.translation_rows * shapes, false});
    const Matrix3X turns = point.rotation_rows * shapes;
    const Eigen::SelfAdjointEigenSolver<Matrix3> principal(point.section_moment);
    for (int i = 0; i < 3; ++i) {
      const Vector3 e = principal.eigenvectors().col(i);
      body.samples.push_back({principal.eigenvalues()(i), e, -skew(e) * turns, true});
    }
  }
  for (int node = 0; node < mesh.num_nodes(); ++node) {
    body.nodes.push_back(mesh.node_positions[node]);
    body.translation.push_back(reduced.nodal_shapes.middleRows(6 * node, 3));
    body.rotation.push_back(reduced.nodal_shapes.middleRows(6 * node + 3, 3));
  }
  return body;
}

struct BodyState {
  Vector3 position;
  Eigen::Vector4d attitude;  // quaternion, x y z w
  VectorX q;
  VectorX velocity;  // v, ω (body axes), q̇

  Matrix3 R() const { return Quaternion(attitude).normalized().toRotationMatrix(); }
  Vector3 v() const { return velocity.head<3>(); }
  Vector3 omega() const { return velocity.segment<3>(3); }
  VectorX q_rate() const { return velocity.tail(q.size()); }
};

// A vector fixed to a node (its place, or a direction of it) in the world: velocity = jacobian · (v, ω, q̇), and the
// acceleration that remains when that is constant.
struct Tracked {
  Vector3 value, rate, bias;
  MatrixX jacobian;
};

// g = rest + shape q in body axes; a direction does not feel v. The body's velocity is R v, so that d(R v)/dt has the
// part ω × v.
Tracked track(const BodyState& state, const Vector3& rest, const Matrix3X& shape, bool direction) {
  const Matrix3 R = state.R();
  const Vector3 g = rest + shape * state.q, w = state.omega(), g_rate = shape * state.q_rate();
  Tracked tracked;
  tracked.jacobian = MatrixX::Zero(3, state.velocity.size());
  if (!direction) tracked.jacobian.leftCols<3>() = R;
  tracked.jacobian.middleCols<3>(3) = -R * skew(g);
  tracked.jacobian.rightCols(state.q.size()) = R * shape;
  tracked.value = R * g + (direction ? Vector3(Vector3::Zero()) : state.position);
  tracked.rate = tracked.jacobian * state.velocity;
  tracked.bias = R * (w.cross(w.cross(g)) + 2 * w.cross(g_rate));
  if (!direction) tracked.bias += R * w.cross(state.v());
  return tracked;
}
Tracked track_node(const FloatingBody& body, const BodyState& state, int node) {
  return track(state, body.nodes[node], body.translation[node], false);
}
// A direction e of the node's material: (1 + ψ×) e.
Tracked track_direction(const FloatingBody& body, const BodyState& state, int node, const Vector3& e) {
  return track(state, e, -skew(e) * body.rotation[node], true);
}

// Mass matrix and force of one body: sums over its samples.
void add_body(const FloatingBody& body, const BodyState& state, const Vector3& gravity, Eigen::Ref<MatrixX> mass,
              Eigen::Ref<VectorX> force) {
  const Vector3 w = state.omega(), g = state.R().transpose() * gravity;
  MatrixX B(3, body.size());
  for (const Sample& sample : body.samples) {
    const Vector3 r = sample.rest + sample.shape * state.q;
    B.leftCols<3>() = sample.section ? Matrix3(Matrix3::Zero()) : Matrix3(Matrix3::Identity());
    B.middleCols<3>(3) = -skew(r);
    B.rightCols(state.q.size()) = sample.shape;
    Vector3 bias = w.cross(w.cross(r)) + 2 * w.cross(sample.shape * state.q_rate());
    if (!sample.section) bias += w.cross(state.v()) - g;
    mass += sample.weight * B.transpose() * B;
    force -= sample.weight * B.transpose() * bias;
  }
  force.tail(state.q.size()) -= body.stiffness.cwiseProduct(state.q);
}

class FloatingArm {
 public:
  FloatingArm(const Model& model, const ReducedModel& reduced) : gravity_(model.gravity) {
    for (int k = 0; k < 2; ++k) bodies_.push_back(floating_body(reduced.meshes[k], reduced.bodies[k]));
    const Vector3 shoulder = Vector3(0, 1, 0.2).normalized(), elbow = Vector3(0.3, 0, 1).normalized();
    shoulder_ = z_along(shoulder);
    elbow_ = z_along(elbow);
    base_ = Vector3(0.1, 0, 0.2);
    // Undeformed, with the joints' initial angles and speeds.
    const Matrix3 R0 = rotation(shoulder, 0.4), R1 = R0 * rotation(elbow, -0.9);
    const Vector3 w0 = 1.1 * shoulder, w1_world = R0 * (w0 - 2.0 * elbow);
    const Vector3 tip = base_ + R0 * Vector3(0.4, 0, 0.1), origin = tip - R1 * Vector3(0.02, 0, 0);
    const Vector3 tip_velocity = (R0 * w0).cross(tip - base_);
    states_.push_back({base_, Quaternion(R0).coeffs(), VectorX(), VectorX()});
    states_.push_back({origin, Quaternion(R1).coeffs(), VectorX(), VectorX()});
    const Vector3 v[] = {Vector3::Zero(), R1.transpose() * (tip_velocity + w1_world.cross(origin - tip))};
    const Vector3 w[] = {w0, R1.transpose() * w1_world};
    for (int k = 0; k < 2; ++k) {
      states_[k].q = VectorX::Zero(bodies_[k].stiffness.size());
      states_[k].velocity = VectorX::Zero(bodies_[k].size());
      states_[k].velocity.head<3>() = v[k];
      states_[k].velocity.segment<3>(3) = w[k];
    }
  }

  std::vector<Vector3> positions() const {
    std::vector<Vector3> result;
    for (int k = 0; k < 2; ++k)
      for (int node = 0; node < 2 + k; ++node) result.push_back(track_node(bodies_[k], states_[k], node).value);
    return result;
  }

  void advance(double h) {
    const std::vector<BodyState> start = states_;
    const std::vector<Rate> k1 = rates(start), k2 = rates(moved(start, k1, h / 2)), k3 = rates(moved(start, k2, h / 2)),
                            k4 = rates(moved(start, k3, h));
    states_ = moved(moved(moved(moved(start, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
  }

 private:
  struct Rate {
    Vector3 position;
    Eigen::Vector4d attitude;
    VectorX q, velocity;
  };
  static std::vector<BodyState> moved(std::vector<BodyState> states, const std::vector<Rate>& rates, double h) {
    for (int k = 0; k < 2; ++k) {
      states[k].position += h * rates[k].position;
      states[k].attitude += h * rates[k].attitude;
      states[k].q += h * rates[k].q;
      states[k].velocity += h * rates[k].velocity;
    }
    return states;
  }

  // Rows of the joints: place, and the axis z of one side normal to x and y of the other.
  void add_rows(const std::vector<BodyState>& s, MatrixX& J, VectorX& gamma) const {
    const int n0 = bodies_[0].size();
    const Tracked root = track_node(bodies_[0], s[0], 0);
    J.block(0, 0, 3, n0) = root.jacobian;
    gamma.head<3>() = -root.bias;
    const Tracked root_axis = track_direction(bodies_[0], s[0], 0, shoulder_.col(2));
    const Tracked end = track_node(bodies_[0], s[0], 1), start = track_node(bodies_[1], s[1], 0);
    J.block(5, 0, 3, n0) = -end.jacobian;
    J.block(5, n0, 3, bodies_[1].size()) = start.jacobian;
    gamma.segment<3>(5) = end.bias - start.bias;
    const Tracked axis = track_direction(bodies_[0], s[0], 1, elbow_.col(2));
    for (int i = 0; i < 2; ++i) {
      J.block(3 + i, 0, 1, n0) = shoulder_.col(i).transpose() * root_axis.jacobian;
      gamma(3 + i) = -shoulder_.col(i).dot(root_axis.bias);
      const Tracked normal = track_direction(bodies_[1], s[1], 0, elbow_.col(i));
      J.block(8 + i, 0, 1, n0) = normal.value.transpose() * axis.jacobian;
      J.block(8 + i, n0, 1, bodies_[1].size()) = axis.value.transpose() * normal.jacobian;
      gamma(8 + i) = -normal.value.dot(axis.bias) - axis.value.dot(normal.bias) - 2 * axis.rate.dot(normal.rate);
    }
  }

  std::vector<Rate> rates(const std::vector<BodyState>& s) const {
    const int n0 = bodies_[0].size(), n1 = bodies_[1].size(), n = n0 + n1, m = 10;
    MatrixX mass = MatrixX::Zero(n, n), J = MatrixX::Zero(m, n), system = MatrixX::Zero(n + m, n + m);
    VectorX force = VectorX::Zero(n), gamma = VectorX::Zero(m), rhs(n + m);
    add_body(bodies_[0], s[0], gravity_, mass.topLeftCorner(n0, n0), force.head(n0));
    add_body(bodies_[1], s[1], gravity_, mass.bottomRightCorner(n1, n1), force.tail(n1));
    add_rows(s, J, gamma);
    system.topLeftCorner(n, n) = mass;
    system.topRightCorner(n, m) = J.transpose();
    system.bottomLeftCorner(m, n) = J;
    rhs << force, gamma;
    const VectorX solution = system.partialPivLu().solve(rhs);
    std::vector<Rate> result;
    for (int k = 0; k < 2; ++k) {
      const Vector3 w = s[k].omega();
      const Quaternion turn = Quaternion(s[k].attitude) * Quaternion(0, w.x(), w.y(), w.z());
      result.push_back({s[k].R() * s[k].v(), 0.5 * turn.coeffs(), s[k].q_rate(),
                        k == 0 ? solution.head(n0) : solution.segment(n0, n1)});
    }
    return result;
  }

  Vector3 gravity_;
  std::vector<FloatingBody> bodies_;
  std::vector<BodyState> states_;
  Matrix3 shoulder_, elbow_;
  Vector3 base_;
};

double difference_between_engines(double young_modulus, double step) {
  const Model model = spatial_2r(young_modulus, 3);
  Watched system(model);
  FloatingArm floating(model, system.reduced);
  State state = system.equations.initial_state();
  EXPECT_LT(largest_distance(system.positions(state), floating.positions()), 1e-14);
  double largest = 0;
  const int steps = static_cast<int>(std::lround(0.1 / step));
  for (int i = 1; i <= steps; ++i) {
    floating.advance(step);
    if (i % (steps / 10) != 0) continue;
    state = move(system, state, i * step, step);
    largest = std::max(largest, largest_distance(system.positions(state), floating.positions()));
  }
  return largest;
}

// A first-order error would fall 16-fold.
TEST(FloatingFrame, DiffersAtSecondOrderInTheDeflection) {
  const double soft = difference_between_engines(5e9, 2e-4), stiff = difference_between_engines(16 * 5e9, 2.5e-5);
  RecordProperty("soft", std::to_string(soft * 1e6) + " um");
  RecordProperty("ratio", std::to_string(soft / stiff));
  EXPECT_GT(soft, 1e-7);  // the deflection is visible in it
  EXPECT_LT(soft, 1e-3);
  EXPECT_GT(soft / stiff, 100);
}

}  // namespace
}  // namespace lithe
