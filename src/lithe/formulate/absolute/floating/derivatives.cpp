// Derivatives of a floating body's equations and nodes by hand: docs/theory/floating_frame.md, section 8.
#include "lithe/formulate/absolute/floating/bent_inl.h"
#include "lithe/formulate/absolute/floating/work.h"
#include "lithe/formulate/numerics/rotation_vector.h"

namespace lithe {
namespace {

// Rows c: G_c a of a node's displacement, or of its rotation (first = 3).
Matrix3X contracted(const QuadraticForms* forms, int first, const VectorX& a) {
  Matrix3X result = Matrix3X::Zero(3, a.size());
  for (int c = 0; forms != nullptr && c < 3; ++c) {
    auto row = result.row(c);
    forms->add_gradient(first + c, a, 1.0, row);
  }
  return result;
}

// Functions of a node's rotation vector ψ = Ψ q and its rates, with derivatives by ψ and ψ̇.
struct TurnDerivatives {
  Matrix3 L;                                       // of ψ̇ to the turn's rate in body axes
  Vector3 rate, bias;                              // L ψ̇ and L̇ ψ̇
  Matrix3 rate_by_turn, second_by_turn;            // of L ψ̇ and L ψ̈
  Matrix3 bias_by_turn, bias_by_rate, torque_map;  // of L̇ ψ̇, and of Lᵀ t
};

TurnDerivatives turn_derivatives(const Vector3& psi, const Vector3& psi_rate, const Vector3& psi_second,
                                 const Vector3& torque) {
  using TurnDual = Dual<double, 6>;
  Vector3Of<TurnDual> turn, rate;
  for (int c = 0; c < 3; ++c) {
    turn[c] = psi[c];
    turn[c].jacobian[c] = 1;
    rate[c] = psi_rate[c];
    rate[c].jacobian[3 + c] = 1;
  }
  const Matrix3Of<TurnDual> L = rate_map(Vector3Of<TurnDual>(-turn));
  const Vector3Of<TurnDual> turning = L * rate, second = L * psi_second.cast<TurnDual>(),
                            moment = L.transpose() * torque.cast<TurnDual>();
  const Vector3Of<TurnDual> bias = -rate_map_bias<TurnDual>(-turn, -rate);
  TurnDerivatives result;
  for (int i = 0; i < 3; ++i) {
    result.rate[i] = turning[i].value;
    result.bias[i] = bias[i].value;
    for (int j = 0; j < 3; ++j) {
      result.L(i, j) = L(i, j).value;
      result.rate_by_turn(i, j) = turning[i].jacobian[j];
      result.second_by_turn(i, j) = second[i].jacobian[j];
      result.bias_by_turn(i, j) = bias[i].jacobian[j];
      result.bias_by_rate(i, j) = bias[i].jacobian[3 + j];
      result.torque_map(i, j) = moment[i].jacobian[j];
    }
  }
  return result;
}

}  // namespace

// ∂(M ν̇ - f): by the turn of the frame through gravity alone, by q through the moments of the deformed body, (17)-(19).
void FloatingBody::add_derivatives(const Vector3& gravity, const Work& base,
                                   const Eigen::Ref<const VectorX>& accelerations, Eigen::Ref<MatrixX> by_place,
                                   Eigen::Ref<MatrixX> by_speed) const {
  const ModalWork& work = static_cast<const ModalWork&>(base);
  if (!second_order_.empty()) return add_bent_derivatives(gravity, work, accelerations, by_place, by_speed);
  const Vector3& w = work.omega;
  const Vector3 fall = work.R.transpose() * gravity, alpha = accelerations.segment<3>(3);
  const Matrix3 W = skew(w), c_cross = skew(work.c), by_turn = -skew(fall);  // of the carried acceleration
  by_place.block<3, 3>(0, 3) += link_.mass * by_turn;
  by_place.block<3, 3>(3, 3) += c_cross * by_turn;
  by_speed.block<3, 3>(0, 0) += link_.mass * W;
  by_speed.block<3, 3>(3, 0) += c_cross * W;
  by_speed.block<3, 3>(0, 3) +=
      -link_.mass * skew(work.v) - skew(w.cross(work.c)) - W * c_cross - 2 * skew(work.Cq_rate);
  by_speed.block<3, 3>(3, 3) += -c_cross * skew(work.v) + W * work.J - skew(work.J * w);
  if (num_elastic_ == 0) return;

  const int d = num_elastic_;
  const VectorX q_second = accelerations.tail(d);
  const Vector3 a = accelerations.head<3>() + w.cross(work.v) - fall;
  Matrix3 U;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) U(i, j) = work.moment.col(3 * i + j).dot(work.q_rate);
  by_speed.block<3, 3>(3, 3) += 2 * (U.trace() * Matrix3::Identity() - U.transpose());
  by_place.block(6, 3, d, 3) += work.C.transpose() * by_turn;
  by_speed.block(6, 0, d, 3) += work.C.transpose() * W;
  by_speed.block(6, 3, d, 3) -= work.C.transpose() * skew(work.v);
  add_elastic_rates(work, by_speed);
  add_elastic_places(work, a, alpha, q_second, by_place);
}

// Columns of q̇, and rows of the elastic coordinates under ω.
void FloatingBody::add_elastic_rates(const ModalWork& work, Eigen::Ref<MatrixX> by_speed) const {
  const int d = num_elastic_;
  const Vector3& w = work.omega;
  by_speed.block(0, 6, 3, d) += 2 * skew(w) * work.C;
  const Matrix3 identity = Matrix3::Identity();
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {  // U_ab = g_ab · q̇ in 2 (ω tr U - Uᵀ ω); W_ab = ω_a ω_b - ω² δ_ab
      const auto g = work.moment.col(3 * a + b);
      if (a == b) by_speed.block(3, 6, 3, d) += 2 * w * g.transpose();
      by_speed.block(3 + b, 6, 1, d) -= 2 * w[a] * g.transpose();
      for (int k = 0; k < 3; ++k) {
        const double jacobian = identity(a, k) * w[b] + w[a] * identity(b, k) - 2 * w[k] * identity(a, b);
        by_speed.block(6, 3 + k, d, 1) += jacobian * work.moment.col(3 * b + a);
      }
    }
  auto elastic = by_speed.bottomRightCorner(d, d);
  for (int c = 0; c < 3; ++c) {
    const auto coriolis = link_.coriolis_stack.middleRows(c * d, d);
    elastic += 2 * w[c] * coriolis;
    by_speed.block(6, 3 + c, d, 1) += 2 * coriolis * work.q_rate;
  }
  if (link_.damped) elastic += link_.damping;
}

// Columns of q. D_ab = ∂g_ab/∂q; δJ from δP = (g + gᵀ) δq, δc = C δq.
void FloatingBody::add_elastic_places(const ModalWork& work, const Vector3& acceleration, const Vector3& alpha,
                                      const VectorX& q_second, Eigen::Ref<MatrixX> by_place) const {
  const int d = num_elastic_;
  const Vector3& w = work.omega;
  const Matrix3 W = skew(w), turning = w * w.transpose() - w.squaredNorm() * Matrix3::Identity();
  auto force = by_place.block(0, 6, 3, d), moment = by_place.block(3, 6, 3, d);
  auto elastic = by_place.bottomRightCorner(d, d);
  force += (skew(alpha) + W * W) * work.C;
  moment -= skew(acceleration) * work.C;
  elastic.diagonal() += link_.squared_frequencies;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      const auto D = link_.mode_mode_stack.middleRows((3 * b + a) * d, d);
      const Eigen::RowVectorXd g = work.moment.col(3 * a + b).transpose();
      const Eigen::RowVectorXd by_rate = work.q_rate.transpose() * D, by_second = q_second.transpose() * D;
      // δJ y = tr(δP) y - δP y, for J α and for ω × (J ω), where the trace drops out.
      if (a == b) moment += 2 * alpha * g;
      for (const int swap : {0, 1}) {
        const int row = swap ? b : a, column = swap ? a : b;
        moment.row(row) -= alpha[column] * g;
        moment -= W.col(row) * (w[column] * g);
      }
      if (a == b) moment += 2 * w * by_rate;
      moment.row(b) -= 2 * w[a] * by_rate;
      if (a != b) {  // H_c = g_ab - g_ba, (a, b, c) cyclic
        const int c = 3 - a - b;
        const double sign = (a + 1) % 3 == b ? 1 : -1;
        moment.row(c) += sign * by_second;
        elastic += sign * alpha[c] * D;
      }
      elastic += turning(b, a) * D;
    }
}

// Kinetic energy in body axes depends on q alone of all places: through c, J, C and H, (3)-(7).
void FloatingBody::energy_gradients(const Vector3& gravity, const Work& base, EnergyGradients& result) const {
  const ModalWork& work = static_cast<const ModalWork&>(base);
  const int d = num_elastic_;
  result.set_zero(num_speeds());
  VectorX speeds(num_speeds());
  speeds << work.v, work.omega, work.q_rate;
  add_mass_times(base, speeds, result.kinetic_by_speed);
  const Vector3 &w = work.omega, fall = work.R.transpose() * gravity;
  result.gravity_by_place.head<3>() = -link_.mass * fall;
  result.gravity_by_place.segment<3>(3) = fall.cross(work.c);
  if (d == 0) return;
  result.gravity_by_place.tail(d) = -work.C.transpose() * fall;
  result.elastic_by_place.tail(d) = link_.squared_frequencies.cwiseProduct(work.q);
  auto kinetic = result.kinetic_by_place.tail(d);
  if (!second_order_.empty()) {
    kinetic = bent_kinetic_gradient(link_, second_order_.field, work.v, w, work.q, work.q_rate);
    return;
  }
  kinetic = work.C.transpose() * work.v.cross(w);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      const double weight = (a == b ? w.squaredNorm() : 0.0) - w[a] * w[b];
      kinetic += weight * work.moment.col(3 * a + b);
      if (a == b) continue;
      const double turn = ((a + 1) % 3 == b ? 1 : -1) * w[3 - a - b];  // of H_c = g_ab - g_ba
      kinetic += turn * link_.mode_mode_stack.middleRows((3 * b + a) * d, d).transpose() * work.q_rate;
    }
}

void FloatingBody::node_derivatives(const Work& base, int node, const Eigen::Ref<const VectorX>& accelerations,
                                    const Vector3& force, const Vector3& torque, NodeDerivatives& result) const {
  const ModalWork& work = static_cast<const ModalWork&>(base);
  const int d = num_elastic_;
  const Matrix3& R = work.R;
  const Vector3 &w = work.omega, f = R.transpose() * force, t = R.transpose() * torque;
  const Vector3 a = accelerations.head<3>(), alpha = accelerations.segment<3>(3);
  const VectorX q_second = accelerations.tail(d);
  Vector3 r, psi_now;
  const Matrix3X &B = work.shapes[node], &psi = work.turns[node];
  update_shapes(work, node, r, psi_now);
  TurnDerivatives turn{};
  Matrix3X G_rate = Matrix3X::Zero(3, d), G_second = G_rate, psi_rate = G_rate, psi_second = G_rate;
  Vector3 u_rate = Vector3::Zero(), u_second = u_rate, turn_rate = u_rate, turn_second = u_rate;
  if (d > 0) {
    const QuadraticForms* forms = bent_node(node);
    G_rate = contracted(forms, 0, work.q_rate);
    G_second = contracted(forms, 0, q_second);
    psi_rate = contracted(forms, 3, work.q_rate);
    psi_second = contracted(forms, 3, q_second);
    const Vector3 turning = psi * q_second + psi_rate * work.q_rate;  // ψ̈
    turn = turn_derivatives(psi_now, psi * work.q_rate, turning, t);
    u_rate = B * work.q_rate;
    turn_rate = turn.rate;
    u_second = B * q_second + G_rate * work.q_rate;
    turn_second = turn.L * turning + turn.bias;
  }
  const Matrix3 W = skew(w), r_cross = skew(r);
  const Vector3 velocity = work.v + w.cross(r) + u_rate, angular = w + turn_rate;
  const Vector3 acceleration =
      a + alpha.cross(r) + u_second + w.cross(work.v) + w.cross(w.cross(r)) + 2 * w.cross(u_rate);
  const Vector3 angular_acceleration = alpha + turn_second + w.cross(turn_rate);
  for (Matrix6X* m : {&result.velocity_by_place, &result.acceleration_by_place, &result.acceleration_by_speed})
    m->setZero(6, 6 + d);
  result.wrench_by_place.setZero(6 + d, 6 + d);
  // A turn of the frame turns what is seen from it.
  result.velocity_by_place.block<3, 3>(0, 3) = -R * skew(velocity);
  result.velocity_by_place.block<3, 3>(3, 3) = -R * skew(angular);
  result.acceleration_by_place.block<3, 3>(0, 3) = -R * skew(acceleration);
  result.acceleration_by_place.block<3, 3>(3, 3) = -R * skew(angular_acceleration);
  result.acceleration_by_speed.block<3, 3>(0, 0) = R * W;
  result.acceleration_by_speed.block<3, 3>(0, 3) =
      -R * (skew(work.v) + skew(w.cross(r)) + W * r_cross + 2 * skew(u_rate));
  result.acceleration_by_speed.block<3, 3>(3, 3) = -R * skew(turn_rate);
  result.wrench_by_place.block<3, 3>(0, 3) = skew(f);
  result.wrench_by_place.block<3, 3>(3, 3) = r_cross * skew(f) + skew(t);
  if (d == 0) return;

  result.velocity_by_place.topRightCorner(3, d) = R * (W * B + G_rate);
  result.velocity_by_place.bottomRightCorner(3, d) = R * (turn.rate_by_turn * psi + turn.L * psi_rate);
  result.acceleration_by_place.topRightCorner(3, d) = R * ((skew(alpha) + W * W) * B + G_second + 2 * W * G_rate);
  result.acceleration_by_place.bottomRightCorner(3, d) =
      R * ((turn.second_by_turn + W * turn.rate_by_turn + turn.bias_by_turn) * psi + turn.L * psi_second +
           (W * turn.L + turn.bias_by_rate) * psi_rate);
  result.acceleration_by_speed.topRightCorner(3, d) = 2 * R * (W * B + G_rate);
  result.acceleration_by_speed.bottomRightCorner(3, d) =
      R * ((W * turn.L + turn.bias_by_rate) * psi + 2 * turn.L * psi_rate);
  result.wrench_by_place.block(3, 6, 3, d) = -skew(f) * B;
  result.wrench_by_place.block(6, 3, d, 3) = B.transpose() * skew(f) + psi.transpose() * (turn.L.transpose() * skew(t));
  auto elastic = result.wrench_by_place.bottomRightCorner(d, d);
  elastic = psi.transpose() * (turn.torque_map * psi);
  if (const QuadraticForms* forms = bent_node(node)) {
    const Vector3 moment = turn.L.transpose() * t;
    for (int c = 0; c < 3; ++c) elastic += f[c] * forms->matrix(c, d) + moment[c] * forms->matrix(3 + c, d);
  }
}

}  // namespace lithe
