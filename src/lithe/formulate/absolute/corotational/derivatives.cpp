// Derivatives of the equations of corotational beams: the elements' forces by dual numbers, what sits on the nodes by
// hand (docs/theory/corotational.md, section 5).
#include "lithe/formulate/absolute/corotational/work.h"

namespace lithe {
namespace {

using ElementDual = Dual<double, 12>;

// A node's frame with its motion (δρ, δθ) in its own axes as directions `first` to `first` + 5.
BodyFrameOf<ElementDual> moving_frame(const BodyFrame& frame, int first) {
  BodyFrameOf<ElementDual> result{frame.position.cast<ElementDual>(), frame.rotation.cast<ElementDual>()};
  for (int k = 0; k < 3; ++k) {
    const Matrix3 turned = frame.rotation * skew(Vector3::Unit(k));
    for (int i = 0; i < 3; ++i) result.position[i].jacobian[first + k] = frame.rotation(i, k);
    for (int i = 0; i < 9; ++i) result.rotation(i).jacobian[first + 3 + k] = turned(i);
  }
  return result;
}

ElementStateOf<ElementDual> moving_state(const CorotationalElement& element, const BodyFrame& a, const BodyFrame& b) {
  return element_state<ElementDual>(element, moving_frame(a, 0), moving_frame(b, 6));
}

ElementStateOf<ElementDual> resting_state(const ElementState& state) {
  ElementStateOf<ElementDual> result;
  result.E = state.E.cast<ElementDual>();
  for (int i = 0; i < 2; ++i) {
    result.node[i] = state.node[i].cast<ElementDual>();
    result.to_rate[i] = state.to_rate[i].cast<ElementDual>();
    result.axes[i] = state.axes[i].cast<ElementDual>();
  }
  result.length = state.length;
  result.strain = state.strain.cast<ElementDual>();
  result.spin = state.spin.cast<ElementDual>();
  result.rate = state.rate.cast<ElementDual>();
  return result;
}

Matrix12 element_jacobians(const Vector12Of<ElementDual>& values) {
  Matrix12 result;
  for (int i = 0; i < 12; ++i)
    for (int k = 0; k < 12; ++k) result(i, k) = values[i].jacobian[k];
  return result;
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

// Bᵀ f = Σ rateᵀ G f and B ν = Σ Gᵀ rate ν, G the element's rows of mode_strains_.
void CorotationalBody::add_mode_derivatives(const Work& base, const Eigen::Ref<const VectorX>& forces,
                                            Eigen::Ref<MatrixX> rates_by_place,
                                            Eigen::Ref<MatrixX> forces_by_place) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const CorotationalElement& element = elements_[k];
    const ElementStateOf<ElementDual> state = moving_state(element, work.frames[element.a], work.frames[element.b]);
    const auto G = mode_strains_.middleRows(7 * static_cast<Eigen::Index>(k), 7);
    const Vector7Of<double> stress = G * forces;
    const Vector12Of<ElementDual> force = state.rate.transpose() * stress.cast<ElementDual>();
    const Vector7Of<ElementDual> rate = state.rate * of_nodes(element, work.speeds).cast<ElementDual>();
    const Matrix12 jacobians = element_jacobians(force);
    Eigen::Matrix<double, 7, 12> rate_jacobians;
    for (int i = 0; i < 7; ++i)
      for (int j = 0; j < 12; ++j) rate_jacobians(i, j) = rate[i].jacobian[j];
    const int at[] = {6 * element.a, 6 * element.b};
    for (int j = 0; j < 2; ++j) {
      rates_by_place.middleCols<6>(at[j]) += G.transpose() * rate_jacobians.middleCols<6>(6 * j);
      for (int i = 0; i < 2; ++i) forces_by_place.block<6, 6>(at[i], at[j]) += jacobians.block<6, 6>(6 * i, 6 * j);
    }
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
    const Vector12Of<ElementDual> speeds = of_nodes(element, work.speeds).cast<ElementDual>(),
                                  second = of_nodes(element, accelerations).cast<ElementDual>();
    Vector12Of<ElementDual> varied = speeds;
    for (int i = 0; i < 12; ++i) varied[i].jacobian[i] = 1;
    const Matrix12 place = element_jacobians(
        element_force<ElementDual>(element, moving_state(element, a, b), speeds, second, gravity, damping_factor_));
    const Matrix12 speed = element_jacobians(
        element_force<ElementDual>(element, resting_state(work.elements[k]), varied, second, gravity, damping_factor_));
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

// Kinetic energy ½ νᵀ M ν: the places of an element's nodes are in its M.
void CorotationalBody::energy_gradients(const Vector3& gravity, const Work& base, EnergyGradients& result) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  result.set_zero(num_speeds());
  add_mass_times(base, work.speeds, result.kinetic_by_speed);
  for (int node = 0; node < num_frames_; ++node)
    result.gravity_by_place.segment<3>(6 * node) -=
        nodes_[node].mass * (work.frames[node].rotation.transpose() * gravity);
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const CorotationalElement& element = elements_[k];
    const ElementState& state = work.elements[k];
    const Vector12 speeds = of_nodes(element, work.speeds);
    const Vector12 none = Vector12::Zero(), elastic = state.rate.transpose() * (element.stiffness * state.strain);
    const Vector12 falling = element_force<double>(element, state, none, none, gravity, 0) - elastic;
    const auto moving = moving_state(element, work.frames[element.a], work.frames[element.b]);
    const Matrix12 momentum = element_jacobians(mass_times<ElementDual>(element, moving, speeds.cast<ElementDual>()));
    const Vector12 kinetic = 0.5 * (momentum.transpose() * speeds);
    const int at[] = {6 * element.a, 6 * element.b};
    for (int side = 0; side < 2; ++side) {
      result.elastic_by_place.segment<6>(at[side]) += elastic.segment<6>(6 * side);
      result.gravity_by_place.segment<6>(at[side]) += falling.segment<6>(6 * side);
      result.kinetic_by_place.segment<6>(at[side]) += kinetic.segment<6>(6 * side);
    }
  }
}

namespace {

using SectionAlong = Dual<double, 8>;

// The values of an element's nodes with their derivatives along the motions `first` and on.
Vector12Of<SectionAlong> ends_along(const CorotationalElement& element, const Eigen::Ref<const VectorX>& values,
                                    const MatrixX& jacobians, Eigen::Index first) {
  Vector12Of<SectionAlong> result = of_nodes(element, values).cast<SectionAlong>();
  for (int i = 0; i < 12; ++i)
    for (int lane = 0; lane < 8 && first + lane < jacobians.cols(); ++lane)
      result[i].jacobian[lane] = jacobians(6 * (i < 6 ? element.a : element.b) + i % 6, first + lane);
  return result;
}

BodyFrameOf<SectionAlong> frame_along(const BodyFrame& frame, const Eigen::Matrix<SectionAlong, 6, 1>& place) {
  const Matrix3Of<SectionAlong> R = frame.rotation.cast<SectionAlong>();
  const Vector3Of<SectionAlong> turn = place.tail<3>();
  return {Vector3Of<SectionAlong>(frame.position.cast<SectionAlong>() + R * place.head<3>()),
          Matrix3Of<SectionAlong>(R + R * skew_of<SectionAlong>(turn))};
}

}  // namespace

bool CorotationalBody::section_jacobians(const Vector3& gravity, const Work& base, int node,
                                         const Eigen::Ref<const VectorX>& accelerations, const BodyChanges& changes,
                                         Matrix6X& jacobians) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  jacobians.resize(6, changes.place.cols());
  const VectorX at_rest = VectorX::Zero(num_speeds());
  for (const CorotationalElement& element : elements_) {
    if (element.a != node && element.b != node) continue;
    for (Eigen::Index first = 0; first < jacobians.cols(); first += 8) {
      const Vector12Of<SectionAlong> place = ends_along(element, at_rest, changes.place, first);
      const ElementStateOf<SectionAlong> state =
          element_state<SectionAlong>(element, frame_along(work.frames[element.a], place.head<6>()),
                                      frame_along(work.frames[element.b], place.tail<6>()));
      Vector3Of<SectionAlong> force, moment;
      section_wrench<SectionAlong>(
          element, element.b == node, state, ends_along(element, work.speeds, changes.speed, first),
          ends_along(element, accelerations, changes.acceleration, first), gravity, damping_factor_, force, moment);
      for (int lane = 0; lane < 8 && first + lane < jacobians.cols(); ++lane)
        for (int i = 0; i < 3; ++i) {
          jacobians(i, first + lane) = force[i].jacobian[lane];
          jacobians(3 + i, first + lane) = moment[i].jacobian[lane];
        }
    }
    return true;
  }
  return false;
}

}  // namespace lithe
