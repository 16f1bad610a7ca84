// Derivatives of the equations of corotational beams: the elements' forces by dual numbers, inertia and gravity by hand
// (docs/theory/corotational.md, section 5).
#include "lithe/formulate/corotational_work.h"

namespace lithe {
namespace {

using ElementDual = Dual<double, 12>;

// A node's frame with its motion (δρ, δθ) in its own axes as directions `first` to `first` + 5.
BodyFrameOf<ElementDual> moving_frame(const BodyFrame& frame, int first) {
  BodyFrameOf<ElementDual> result{frame.position.cast<ElementDual>(), frame.rotation.cast<ElementDual>()};
  for (int k = 0; k < 3; ++k) {
    const Matrix3 turned = frame.rotation * skew(Vector3::Unit(k));
    for (int i = 0; i < 3; ++i) result.position[i].slope[first + k] = frame.rotation(i, k);
    for (int i = 0; i < 9; ++i) result.rotation(i).slope[first + 3 + k] = turned(i);
  }
  return result;
}

// Both nodes' vectors between their own axes and the world's.
template <class S>
Eigen::Matrix<S, 12, 1> turned(const BodyFrameOf<S>& a, const BodyFrameOf<S>& b, const Eigen::Matrix<S, 12, 1>& v,
                               bool to_world) {
  Eigen::Matrix<S, 12, 1> result;
  for (int i = 0; i < 4; ++i) {
    const Matrix3Of<S>& R = i < 2 ? a.rotation : b.rotation;
    const Vector3Of<S> part = v.template segment<3>(3 * i);
    result.template segment<3>(3 * i) = to_world ? Vector3Of<S>(R * part) : Vector3Of<S>(R.transpose() * part);
  }
  return result;
}

// Of the element's force on its nodes, elastic and damping.
Matrix12 force_by_place(const CorotationalElement& element, const BodyFrame& frame_a, const BodyFrame& frame_b,
                        const Vector12& speeds, double damping_factor) {
  using DualVector = Eigen::Matrix<ElementDual, 12, 1>;
  const BodyFrameOf<ElementDual> a = moving_frame(frame_a, 0), b = moving_frame(frame_b, 6);
  const ElementStateOf<ElementDual> state = element_state<ElementDual>(element, a, b);
  DualVector strain = state.strain;
  if (damping_factor > 0) {
    const DualVector motion = turned<ElementDual>(a, b, speeds.cast<ElementDual>(), true);
    strain += ElementDual(damping_factor) * (state.rate * motion).eval();
  }
  const DualVector stress = element.stiffness.cast<ElementDual>() * strain, world = state.rate.transpose() * stress;
  const DualVector force = turned<ElementDual>(a, b, world, false);
  Matrix12 result;
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) result(i, j) = force[i].slope[j];
  return result;
}

// Of the inertia and weight of an element's line. With y_j the acceleration of (p_a, L t_a, p_b, L t_b) in the axes of
// its node, forces are X_iᵀ R_iᵀ Σ m_ij R_j y_j: places matter through the turn between the nodes.
void add_line(const CorotationalElement& element, const BodyFrame& a, const BodyFrame& b, const Vector3& gravity,
              const Vector12& speeds, const Vector12& accelerations, Matrix12& by_place, Matrix12& by_speed) {
  const Matrix3 cross = skew(element.chord);
  const Matrix3* R[] = {&a.rotation, &a.rotation, &b.rotation, &b.rotation};
  Vector3 y[4];
  Matrix3 y_by_v[4], y_by_w[4];
  for (int side = 0; side < 2; ++side) {
    const Vector3 v = speeds.segment<3>(6 * side), w = speeds.segment<3>(6 * side + 3);
    const Vector3 turning = w.cross(element.chord), alpha = accelerations.segment<3>(6 * side + 3);
    y[2 * side] = accelerations.segment<3>(6 * side) + w.cross(v);
    y[2 * side + 1] = alpha.cross(element.chord) + w.cross(turning);
    y_by_v[2 * side] = skew(w);
    y_by_w[2 * side] = -skew(v);
    y_by_v[2 * side + 1].setZero();
    y_by_w[2 * side + 1] = -skew(turning) - skew(w) * cross;
  }
  for (int i = 0; i < 4; ++i) {
    const Matrix3 X = (i % 2 == 0 ? Matrix3(Matrix3::Identity()) : cross) * element.line_mass;  // (-cross)ᵀ = cross
    const int own = 6 * (i / 2), row = 3 * i;
    by_place.block<3, 3>(row, own + 3) -= line_weight[i] * X * skew(R[i]->transpose() * gravity);
    for (int j = 0; j < 4; ++j) {
      const int other = 6 * (j / 2);
      const Matrix3 between = R[i]->transpose() * *R[j], factor = line_mass[i][j] * X;
      by_speed.block<3, 3>(row, other) += factor * between * y_by_v[j];
      by_speed.block<3, 3>(row, other + 3) += factor * between * y_by_w[j];
      if (own == other) continue;
      by_place.block<3, 3>(row, own + 3) += factor * skew(between * y[j]);
      by_place.block<3, 3>(row, other + 3) -= factor * between * skew(y[j]);
    }
  }
}

}  // namespace

// Masses and inertias on the nodes.
void CorotationalBody::add_node_derivatives(const Vector3& gravity, const BeamWork& work, Eigen::Ref<MatrixX> by_place,
                                            Eigen::Ref<MatrixX> by_speed) const {
  for (int node = 0; node < num_frames_; ++node) {
    const int o = 6 * node;
    const NodeInertia& own = nodes_[node];
    const Vector3 v = work.speeds.segment<3>(o), w = work.speeds.segment<3>(o + 3);
    by_place.block<3, 3>(o, o + 3) -= own.mass * skew(work.frames[node].rotation.transpose() * gravity);
    by_speed.block<3, 3>(o, o) += own.mass * skew(w);
    by_speed.block<3, 3>(o, o + 3) -= own.mass * skew(v);
    by_speed.block<3, 3>(o + 3, o + 3) += skew(w) * own.inertia - skew(own.inertia * w);
  }
}

void CorotationalBody::add_derivatives(const Vector3& gravity, const Work& base,
                                       const Eigen::Ref<const VectorX>& accelerations, Eigen::Ref<MatrixX> by_place,
                                       Eigen::Ref<MatrixX> by_speed) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  add_node_derivatives(gravity, work, by_place, by_speed);
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const CorotationalElement& element = elements_[k];
    const BodyFrame &a = work.frames[element.a], &b = work.frames[element.b];
    const int at[] = {6 * element.a, 6 * element.b};
    Vector12 speeds, second;
    speeds << work.speeds.segment<6>(at[0]), work.speeds.segment<6>(at[1]);
    second << accelerations.segment<6>(at[0]), accelerations.segment<6>(at[1]);
    Matrix12 place = force_by_place(element, a, b, speeds, damping_factor_), speed = Matrix12::Zero();
    if (damping_factor_ > 0) {
      const Matrix12 rate = work.elements[k].rate * to_world(a.rotation, b.rotation);
      speed = damping_factor_ * rate.transpose() * element.stiffness * rate;
    }
    if (element.line_mass > 0) add_line(element, a, b, gravity, speeds, second, place, speed);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        by_place.block<6, 6>(at[i], at[j]) += place.block<6, 6>(6 * i, 6 * j);
        by_speed.block<6, 6>(at[i], at[j]) += speed.block<6, 6>(6 * i, 6 * j);
      }
  }
}

void CorotationalBody::node_derivatives(const Work& base, int node, const Eigen::Ref<const VectorX>& accelerations,
                                        const Vector3& force, const Vector3& torque, NodeDerivatives& result) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  const Matrix3& R = work.frames[node].rotation;
  const Vector3 v = work.speeds.segment<3>(6 * node), w = work.speeds.segment<3>(6 * node + 3);
  const Vector3 a = accelerations.segment<3>(6 * node), alpha = accelerations.segment<3>(6 * node + 3);
  for (Matrix6X* m : {&result.velocity_by_place, &result.acceleration_by_place, &result.acceleration_by_speed})
    m->setZero(6, 6);
  result.wrench_by_place.setZero(6, 6);
  result.velocity_by_place.topRightCorner<3, 3>() = -R * skew(v);
  result.velocity_by_place.bottomRightCorner<3, 3>() = -R * skew(w);
  result.acceleration_by_place.topRightCorner<3, 3>() = -R * skew(a + w.cross(v));
  result.acceleration_by_place.bottomRightCorner<3, 3>() = -R * skew(alpha);
  result.acceleration_by_speed.topLeftCorner<3, 3>() = R * skew(w);
  result.acceleration_by_speed.topRightCorner<3, 3>() = -R * skew(v);
  result.wrench_by_place.topRightCorner<3, 3>() = skew(R.transpose() * force);
  result.wrench_by_place.bottomRightCorner<3, 3>() = skew(R.transpose() * torque);
}

// The line of an element has places R_a and R_b in its kinetic energy through the turn between them.
void CorotationalBody::energy_gradients(const Vector3& gravity, const Work& base, EnergyGradients& result) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  result.set_zero(num_speeds());
  add_mass_times(base, work.speeds, result.kinetic_by_speed);
  for (int node = 0; node < num_frames_; ++node)
    result.gravity_by_place.segment<3>(6 * node) -=
        nodes_[node].mass * (work.frames[node].rotation.transpose() * gravity);
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const CorotationalElement& element = elements_[k];
    const BodyFrame &a = work.frames[element.a], &b = work.frames[element.b];
    const ElementState& state = work.elements[k];
    const Vector12 elastic =
        to_world(a.rotation, b.rotation).transpose() * (state.rate.transpose() * (element.stiffness * state.strain));
    result.elastic_by_place.segment<6>(6 * element.a) += elastic.head<6>();
    result.elastic_by_place.segment<6>(6 * element.b) += elastic.tail<6>();
    if (element.line_mass == 0) continue;
    const LineMap line = line_map(element, a, b, work.speeds);
    const std::array<int, 4> place = line_places(element);
    std::array<Vector3, 4> motion;
    for (int j = 0; j < 4; ++j) motion[j] = line.map[j] * work.speeds.segment<3>(place[j]);
    for (int i = 0; i < 4; ++i) {
      const Matrix3& R = i < 2 ? a.rotation : b.rotation;
      Vector3 sum = Vector3::Zero();
      for (int j = 0; j < 4; ++j) sum += line_mass[i][j] * motion[j];
      const int turn = place[i - i % 2 + 1];
      result.kinetic_by_place.segment<3>(turn) +=
          element.line_mass * (R.transpose() * motion[i]).cross(R.transpose() * sum);
      result.gravity_by_place.segment<3>(place[i]) -=
          element.line_mass * line_weight[i] * (line.map[i].transpose() * gravity);
    }
  }
}

bool CorotationalBody::section_slopes(const Work& base, int node, Matrix3X& force, Matrix3X& moment) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const CorotationalElement& element = elements_[k];
    if (element.a != node && element.b != node) continue;
    const Matrix12 ends = element.stiffness * work.elements[k].rate *
                          to_world(work.frames[element.a].rotation, work.frames[element.b].rotation);
    const bool second = element.b == node;
    const Matrix3 to_beam = (second ? 1.0 : -1.0) * element_axes_[k].transpose();
    const int first = second ? 6 : 0;
    force = moment = Matrix3X::Zero(3, num_speeds());
    const int at[] = {6 * element.a, 6 * element.b};
    for (int side = 0; side < 2; ++side) {
      force.middleCols<6>(at[side]) = to_beam * ends.block<3, 6>(first, 6 * side);
      moment.middleCols<6>(at[side]) = to_beam * ends.block<3, 6>(first + 3, 6 * side);
    }
    return true;
  }
  return false;
}

}  // namespace lithe
