#include "lithe/formulate/absolute/floating/body.h"

#include "lithe/base/text.h"
#include "lithe/formulate/absolute/floating/work.h"
#include "lithe/formulate/numerics/dual.h"
#include "lithe/formulate/numerics/rotation_vector.h"

namespace lithe {

FloatingBody::FloatingBody(std::string name, ModalLink link, const ReducedBody& reduced,
                           std::vector<BeamSection> sections, SecondOrder second_order)
    : name_(std::move(name)),
      link_(std::move(link)),
      num_own_nodes_(reduced.num_nodes()),
      nodal_shapes_(reduced.nodal_shapes),
      sections_(std::move(sections)),
      second_order_(std::move(second_order)) {
  num_frames_ = 1;
  num_elastic_ = link_.num_modes;
}

std::string FloatingBody::elastic_name(int k) const { return cat(name_, " mode ", k + 1); }

std::unique_ptr<AbsoluteBody::Work> FloatingBody::make_work() const {
  const int d = num_elastic_;
  auto work = std::make_unique<ModalWork>(d, static_cast<int>(link_.node_positions.size()));
  if (!second_order_.empty()) {
    work->field_jacobian = MatrixX::Zero(12, d);
    work->modal_mass = MatrixX::Identity(d, d);
    work->field_product = MatrixX::Zero(12, d);
  }
  return work;
}

BodyFactors FloatingBody::make_factors() const {
  BodyFactors factors;
  factors.coupling = Matrix6X::Zero(6, num_elastic_);
  factors.elastic_coupling = MatrixX::Zero(num_elastic_, 6);
  factors.elastic_inverse = VectorX::Ones(num_elastic_);
  if (link_.damped || !second_order_.empty()) factors.elastic = Eigen::LLT<MatrixX>(num_elastic_);
  return factors;
}

void FloatingBody::set_state(const BodyFrame* frames, const double* elastic, const double* speeds, Work& base) const {
  ModalWork& work = static_cast<ModalWork&>(base);
  work.p = frames[0].position;
  work.R = frames[0].rotation;
  work.v = Eigen::Map<const Vector3>(speeds);
  work.omega = Eigen::Map<const Vector3>(speeds + 3);
  work.q = Eigen::Map<const VectorX>(elastic, num_elastic_);
  work.q_rate = Eigen::Map<const VectorX>(speeds + 6, num_elastic_);
  update_moments(work);
}

// Moments of the deformed body, section 3 (3)-(7).
void FloatingBody::update_moments(ModalWork& work) const {
  const int d = num_elastic_;
  if (d == 0) {
    work.c = link_.first_moment;
    work.J = link_.inertia;
    work.Cq_rate.setZero();
    return;
  }
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      auto column = work.moment.col(3 * a + b);
      column = link_.position_mode[a][b];
      column.noalias() += link_.mode_mode_stack.middleRows((3 * b + a) * d, d) * work.q;
    }
  work.C = link_.mode_momentum;
  work.c = link_.first_moment + link_.mode_momentum * work.q;
  Matrix3 P = link_.second_moment;
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b) {
      const double half = 0.5 * (link_.position_mode[a][b].dot(work.q) + work.moment.col(3 * a + b).dot(work.q) +
                                 link_.position_mode[b][a].dot(work.q) + work.moment.col(3 * b + a).dot(work.q));
      P(a, b) += half;
      if (a != b) P(b, a) += half;
    }
  work.J = P.trace() * Matrix3::Identity() - P;
  if (!second_order_.empty()) bend_moments(work);
  work.Cq_rate.noalias() = work.C * work.q_rate;
  for (int c = 0; c < 3; ++c) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    work.H.row(c) = (work.moment.col(3 * a + b) - work.moment.col(3 * b + a)).transpose();
  }
}

// Velocity terms h and gravity, (8)-(11); gravity is an acceleration of the frame upwards, so that its moment is that
// of the deformed centre of mass.
void FloatingBody::forces(const Vector3& gravity, const Work& base, Eigen::Ref<VectorX> force) const {
  const ModalWork& work = static_cast<const ModalWork&>(base);
  const int d = num_elastic_;
  const Vector3& w = work.omega;
  const Vector3 carried = w.cross(work.v) - work.R.transpose() * gravity;
  force.head<3>() = -link_.mass * carried - w.cross(w.cross(work.c)) - 2 * w.cross(work.Cq_rate);
  force.segment<3>(3) = -work.c.cross(carried) - w.cross(work.J * w);
  if (d == 0) return;
  Matrix3 U;  // ∫ρ r ṙᵀ, without the frame's motion
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) U(a, b) = work.moment.col(3 * a + b).dot(work.q_rate);
  force.segment<3>(3) -= 2 * (w * U.trace() - U.transpose() * w);
  auto elastic = force.tail(d);
  elastic = -link_.squared_frequencies.cwiseProduct(work.q);
  elastic.noalias() -= work.C.transpose() * carried;
  const Matrix3 W = w * w.transpose() - w.squaredNorm() * Matrix3::Identity();
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) elastic.noalias() -= W(a, b) * work.moment.col(3 * b + a);
  for (int c = 0; c < 3; ++c)
    elastic.noalias() -= (2 * w[c]) * (link_.coriolis_stack.middleRows(c * d, d) * work.q_rate);
  if (link_.damped) elastic.noalias() -= link_.damping * work.q_rate;
  if (!second_order_.empty()) add_bent_forces(work, force);
}

void FloatingBody::mode_rates(const Work& base, Eigen::Ref<VectorX> rates) const {
  rates.noalias() = link_.from_reduced * static_cast<const ModalWork&>(base).q_rate;
}

void FloatingBody::add_mode_forces(const Work&, const Eigen::Ref<const VectorX>& forces,
                                   Eigen::Ref<VectorX> generalised) const {
  generalised.tail(num_elastic_).noalias() += link_.from_reduced.transpose() * forces;
}

void FloatingBody::mode_map(const Work&, Eigen::Ref<MatrixX> map) const {
  map.rightCols(num_elastic_) = link_.from_reduced;
}

void FloatingBody::add_mass_times(const Work& base, const Eigen::Ref<const VectorX>& values,
                                  Eigen::Ref<VectorX> result) const {
  const ModalWork& work = static_cast<const ModalWork&>(base);
  const Vector3 a = values.head<3>(), alpha = values.segment<3>(3);
  result.head<3>() += link_.mass * a - work.c.cross(alpha);
  result.segment<3>(3) += work.c.cross(a) + work.J * alpha;
  if (num_elastic_ == 0) return;
  const auto elastic = values.tail(num_elastic_);
  result.head<3>().noalias() += work.C * elastic;
  result.segment<3>(3).noalias() += work.H * elastic;
  auto rest = result.tail(num_elastic_);
  if (second_order_.empty())
    rest += elastic;
  else
    rest.noalias() += work.modal_mass * elastic;
  rest.noalias() += work.C.transpose() * a;
  rest.noalias() += work.H.transpose() * alpha;
}

void FloatingBody::add_blocks(const Work& base, Eigen::Ref<MatrixX> mass, Eigen::Ref<MatrixX> damping,
                              Eigen::Ref<MatrixX> stiffness) const {
  const int n = num_speeds(), d = num_elastic_;
  for (int k = 0; k < n; ++k) {
    VectorX column = VectorX::Zero(n);
    add_mass_times(base, VectorX::Unit(n, k), column);
    mass.col(k) += column;
  }
  if (d == 0) return;
  if (link_.damped) damping.bottomRightCorner(d, d) += link_.damping;
  stiffness.bottomRightCorner(d, d).diagonal() += link_.squared_frequencies;
}

bool FloatingBody::factorise(const Work& base, double damping, double stiffness, BodyFactors& factors) const {
  const ModalWork& work = static_cast<const ModalWork&>(base);
  Matrix6 S;
  S.topLeftCorner<3, 3>() = link_.mass * Matrix3::Identity();
  S.topRightCorner<3, 3>() = -skew(work.c);
  S.bottomLeftCorner<3, 3>() = skew(work.c);
  S.bottomRightCorner<3, 3>() = work.J;
  if (num_elastic_ > 0) {
    factors.coupling.topRows<3>() = work.C;
    factors.coupling.bottomRows<3>() = work.H;
    factors.elastic_coupling = factors.coupling.transpose();
    const bool resists = link_.damped && damping != 0;
    if (resists || !second_order_.empty()) {
      if (second_order_.empty() || resists || stiffness != 0) {
        MatrixX elastic =
            second_order_.empty() ? MatrixX(MatrixX::Identity(num_elastic_, num_elastic_)) : work.modal_mass;
        if (resists) elastic += damping * link_.damping;
        elastic.diagonal() += stiffness * link_.squared_frequencies;
        factors.elastic.compute(elastic);
      } else {
        factors.elastic.compute(work.modal_mass);
      }
      if (factors.elastic.info() != Eigen::Success) return false;
      factors.elastic.solveInPlace(factors.elastic_coupling);
      factors.elastic_inverse.resize(0);
    } else {
      factors.elastic_inverse = (1 + stiffness * link_.squared_frequencies.array()).inverse();
      factors.elastic_coupling = factors.elastic_inverse.asDiagonal() * factors.elastic_coupling;
    }
    S.noalias() -= factors.coupling * factors.elastic_coupling;
  }
  if (filled_) S.diagonal() += filling_;
  factors.frame.compute(S);
  return factors.frame.info() == Eigen::Success;
}

void FloatingBody::solve(const BodyFactors& factors, Eigen::Ref<MatrixX> rhs) const {
  const int d = num_elastic_;
  if (d == 0) {
    factors.frame.solveInPlace(rhs);
    return;
  }
  for (Eigen::Index k = 0; k < rhs.cols(); ++k) {
    auto elastic = rhs.col(k).tail(d);
    if (factors.elastic_inverse.size() > 0) {
      elastic = elastic.cwiseProduct(factors.elastic_inverse);
    } else {
      factors.elastic.solveInPlace(elastic);
    }
    Vector6 frame = rhs.col(k).head<6>();
    frame.noalias() -= factors.coupling * elastic;
    factors.frame.solveInPlace(frame);
    rhs.col(k).head<6>() = frame;
    elastic.noalias() -= factors.elastic_coupling * frame;
  }
}

void FloatingBody::update_shapes(const ModalWork& work, int node, Vector3& r, Vector3& psi) const {
  r = link_.node_positions[node];
  psi.setZero();
  if (num_elastic_ == 0) return;
  Matrix3X &shape = work.shapes[node], &turn = work.turns[node];
  shape = link_.translation_shapes[node];
  turn = link_.rotation_shapes[node];
  const Vector3 shift = shape * work.q, angle = turn * work.q;
  r += shift;
  psi += angle;
  const QuadraticForms* forms = bent_node(node);
  if (forms == nullptr) return;
  forms->add_gradients(work.q, shape, turn);
  r += 0.5 * (Vector3(shape * work.q) - shift);
  psi += 0.5 * (Vector3(turn * work.q) - angle);
}

void FloatingBody::node_frame(const Work& base, int node, NodeFrame& result) const {
  const ModalWork& work = static_cast<const ModalWork&>(base);
  const int d = num_elastic_;
  const Matrix3& R = work.R;
  const Vector3& w = work.omega;
  Vector3 r, u_rate = Vector3::Zero(), turn_rate = Vector3::Zero(), G_bias = Vector3::Zero(),
             turn_bias = Vector3::Zero();
  Vector3 psi;
  const Matrix3X& shape = work.shapes[node];
  update_shapes(work, node, r, psi);
  result.first = 0;
  result.jacobian.resize(6, 6 + d);
  result.jacobian.topLeftCorner<3, 3>() = R;
  result.jacobian.block<3, 3>(0, 3) = -R * skew(r);
  result.jacobian.bottomLeftCorner<3, 3>().setZero();
  result.jacobian.block<3, 3>(3, 3) = R;
  result.rotation = R;
  if (d > 0) {
    const Matrix3X& rotation = work.turns[node];
    const Vector3 psi_rate = rotation * work.q_rate;
    const Matrix3 L = rate_map(-psi);  // turn rate in body axes
    u_rate = shape * work.q_rate;
    turn_rate = L * psi_rate;
    turn_bias = -rate_map_bias<double>(-psi, -psi_rate);
    if (const QuadraticForms* forms = bent_node(node)) {
      const Vector6 bias = forms->squares<6>(work.q_rate);
      G_bias = bias.head<3>();
      turn_bias += L * bias.tail<3>();
    }
    const Matrix3 RL = R * L;
    for (int k = 0; k < d; ++k) {
      result.jacobian.col(6 + k).head<3>() = R * Vector3(shape.col(k));
      result.jacobian.col(6 + k).tail<3>() = RL * Vector3(rotation.col(k));
    }
    result.rotation = R * rotation_of(psi);
  }
  result.position = work.p + R * r;
  result.velocity = R * (work.v + w.cross(r) + u_rate);
  result.angular_velocity = R * (w + turn_rate);
  result.acceleration_bias = R * (w.cross(work.v) + w.cross(w.cross(r)) + 2 * w.cross(u_rate) + G_bias);
  result.angular_bias = R * (w.cross(turn_rate) + turn_bias);
}

void FloatingBody::add_load(const Work& base, int node, const Vector3& force, const Vector3& torque,
                            Eigen::Ref<VectorX> generalised) const {
  const ModalWork& work = static_cast<const ModalWork&>(base);
  Vector3 r, psi;
  update_shapes(work, node, r, psi);
  const Vector3 f = work.R.transpose() * force, t = work.R.transpose() * torque;
  generalised.head<3>() += f;
  generalised.segment<3>(3) += r.cross(f) + t;
  if (num_elastic_ == 0) return;
  const Vector3 turned = rate_map(-psi).transpose() * t;
  generalised.tail(num_elastic_).noalias() += work.shapes[node].transpose() * f;
  generalised.tail(num_elastic_).noalias() += work.turns[node].transpose() * turned;
}

Matrix3 FloatingBody::node_rotation(const Work& base, int node) const {
  const ModalWork& work = static_cast<const ModalWork&>(base);
  if (num_elastic_ == 0) return work.R;
  Vector3 r, psi;
  update_shapes(work, node, r, psi);
  return work.R * rotation_of(psi);
}

BodyEnergies FloatingBody::energies(const Vector3& gravity, const Work& base) const {
  const ModalWork& work = static_cast<const ModalWork&>(base);
  BodyEnergies result;
  VectorX speeds(num_speeds()), momentum = VectorX::Zero(num_speeds());
  speeds << work.v, work.omega, work.q_rate;
  add_mass_times(base, speeds, momentum);
  result.kinetic = 0.5 * speeds.dot(momentum);
  result.gravity = -gravity.dot(link_.mass * work.p + work.R * work.c);
  if (num_elastic_ == 0) return result;
  result.elastic = 0.5 * work.q.dot(link_.squared_frequencies.cwiseProduct(work.q));
  if (link_.damped) result.dissipated_power = work.q_rate.dot(link_.damping * work.q_rate);
  return result;
}

bool FloatingBody::strained_shape(const Work& base, VectorX& displacements) const {
  if (num_elastic_ == 0) return false;
  displacements.noalias() = nodal_shapes_ * (link_.from_reduced * static_cast<const ModalWork&>(base).q);
  return true;
}

namespace {

// A state with its accelerations, own axes; scalars may carry derivatives.
template <class S>
struct FloatingMotion {
  Vector3Of<S> v, omega, a, alpha, gravity;
  Eigen::Matrix<S, Eigen::Dynamic, 1> q, q_rate, q_second;

  AccelerationField<S> field() const {
    AccelerationField<S> result;
    const Matrix3Of<S> w = skew_of<S>(omega);
    result.A0 = a + omega.cross(v) - gravity;
    result.X = skew_of<S>(alpha) + w * w;
    result.B = result.X;
    result.W2 = w * S(2.0);
    return result;
  }
};

using SectionLanes = Dual<double, 8>;

template <class Values>
void enter_lanes(const Eigen::Ref<const VectorX>& values, const Eigen::Ref<const MatrixX>& jacobians,
                 Eigen::Index first, Values& result) {
  result = values.cast<SectionLanes>();
  for (Eigen::Index i = 0; i < values.size(); ++i)
    for (int lane = 0; lane < 8 && first + lane < jacobians.cols(); ++lane)
      result(i).jacobian[lane] = jacobians(i, first + lane);
}

// The state of a body without derivatives.
template <class Work>
FloatingMotion<double> motion_of(const Work& work, const Vector3& gravity,
                                 const Eigen::Ref<const VectorX>& accelerations) {
  FloatingMotion<double> motion;
  motion.v = work.v;
  motion.omega = work.omega;
  motion.a = accelerations.head<3>();
  motion.alpha = accelerations.segment<3>(3);
  motion.gravity = work.R.transpose() * gravity;
  return motion;
}

// The same with derivatives along the motions `first` and on.
template <class Work>
FloatingMotion<SectionLanes> motion_along(const Work& work, const Vector3& gravity,
                                          const Eigen::Ref<const VectorX>& accelerations, const BodyChanges& changes,
                                          Eigen::Index first) {
  const Eigen::Index d = work.q.size();
  const Vector3 weight = work.R.transpose() * gravity;
  const MatrixX weight_jacobians = skew(weight) * changes.place.middleRows(3, 3);  // Rᵀ g seen from a frame that turns
  FloatingMotion<SectionLanes> motion;
  enter_lanes(work.v, changes.speed.topRows(3), first, motion.v);
  enter_lanes(work.omega, changes.speed.middleRows(3, 3), first, motion.omega);
  enter_lanes(accelerations.head(3), changes.acceleration.topRows(3), first, motion.a);
  enter_lanes(accelerations.segment(3, 3), changes.acceleration.middleRows(3, 3), first, motion.alpha);
  enter_lanes(weight, weight_jacobians, first, motion.gravity);
  enter_lanes(work.q, changes.place.bottomRows(d), first, motion.q);
  enter_lanes(work.q_rate, changes.speed.bottomRows(d), first, motion.q_rate);
  enter_lanes(accelerations.tail(d), changes.acceleration.bottomRows(d), first, motion.q_second);
  return motion;
}

}  // namespace

// Without the second-order displacement of geometric stiffening, as the stiffness.
bool FloatingBody::section_load(const Vector3& gravity, const Work& base, int node,
                                const Eigen::Ref<const VectorX>& accelerations, Vector3& force, Vector3& moment) const {
  if (!has_section(node)) return false;
  const ModalWork& work = static_cast<const ModalWork&>(base);
  const FloatingMotion<double> motion = motion_of(work, gravity, accelerations);
  section_wrench<double>(sections_[node], link_, motion.field(), work.q, work.q_rate, accelerations.tail(num_elastic_),
                         force, moment);
  return true;
}

bool FloatingBody::section_jacobians(const Vector3& gravity, const Work& base, int node,
                                     const Eigen::Ref<const VectorX>& accelerations, const BodyChanges& changes,
                                     Matrix6X& jacobians) const {
  if (!has_section(node)) return false;
  const ModalWork& work = static_cast<const ModalWork&>(base);
  jacobians.resize(6, changes.place.cols());
  for (Eigen::Index first = 0; first < jacobians.cols(); first += 8) {
    const FloatingMotion<SectionLanes> motion = motion_along(work, gravity, accelerations, changes, first);
    Vector3Of<SectionLanes> force, moment;
    section_wrench<SectionLanes>(sections_[node], link_, motion.field(), motion.q, motion.q_rate, motion.q_second,
                                 force, moment);
    for (int lane = 0; lane < 8 && first + lane < jacobians.cols(); ++lane)
      for (int i = 0; i < 3; ++i) {
        jacobians(i, first + lane) = force[i].jacobian[lane];
        jacobians(3 + i, first + lane) = moment[i].jacobian[lane];
      }
  }
  return true;
}

void FloatingBody::add_left_out(const Vector3& gravity, const Work& base, int node,
                                const Eigen::Ref<const VectorX>& accelerations, const std::vector<NodeWrench>& wrenches,
                                Vector3& force, Vector3& moment) const {
  if (!residuals_ || !has_section(node)) return;
  const SectionResidual* residual = residuals_->at(node, sections_[static_cast<std::size_t>(node)], link_);
  if (residual == nullptr) return;
  const ModalWork& work = static_cast<const ModalWork&>(base);
  SectionLoad<double> load = SectionLoad<double>::Zero();
  for (const NodeWrench& wrench : wrenches) {
    const Vector3 turn = rate_map(-(link_.rotation_shapes[wrench.node] * work.q)).transpose() *
                         (work.R.transpose() * wrench.torque);  // as in add_load()
    add_nodal_part<double>(*residual, wrench.node, work.R.transpose() * wrench.force, turn, load);
  }
  add_inertia_part<double>(*residual, motion_of(work, gravity, accelerations).field(), work.q, work.q_rate,
                           accelerations.tail(num_elastic_), load);
  force += load.head<3>();
  moment += load.tail<3>();
}

void FloatingBody::add_left_out_jacobians(const Vector3& gravity, const Work& base, int node,
                                          const Eigen::Ref<const VectorX>& accelerations, const BodyChanges& changes,
                                          const std::vector<NodeWrench>& wrenches, Matrix6X& jacobians) const {
  if (!residuals_ || !has_section(node)) return;
  const SectionResidual* residual = residuals_->at(node, sections_[static_cast<std::size_t>(node)], link_);
  if (residual == nullptr) return;
  const ModalWork& work = static_cast<const ModalWork&>(base);
  const Matrix3 to_body = work.R.transpose();
  const MatrixX turns = changes.place.middleRows(3, 3);
  for (Eigen::Index first = 0; first < jacobians.cols(); first += 8) {
    const FloatingMotion<SectionLanes> motion = motion_along(work, gravity, accelerations, changes, first);
    SectionLoad<SectionLanes> load = SectionLoad<SectionLanes>::Constant(SectionLanes(0.0));
    for (const NodeWrench& wrench : wrenches) {  // seen from a frame that turns
      const Vector3 force = to_body * wrench.force, torque = to_body * wrench.torque;
      Vector3Of<SectionLanes> f, t, psi = Vector3Of<SectionLanes>::Constant(SectionLanes(0.0));
      enter_lanes(force, MatrixX(to_body * wrench.jacobians.topRows(3) + skew(force) * turns), first, f);
      enter_lanes(torque, MatrixX(to_body * wrench.jacobians.bottomRows(3) + skew(torque) * turns), first, t);
      const Matrix3X& rotation = link_.rotation_shapes[wrench.node];
      for (int k = 0; k < num_elastic_; ++k)
        for (int c = 0; c < 3; ++c) psi(c) -= motion.q(k) * rotation(c, k);
      const Matrix3Of<SectionLanes> turn = rate_map(psi);
      add_nodal_part<SectionLanes>(*residual, wrench.node, f, turn.transpose() * t, load);
    }
    add_inertia_part<SectionLanes>(*residual, motion.field(), motion.q, motion.q_rate, motion.q_second, load);
    for (int lane = 0; lane < 8 && first + lane < jacobians.cols(); ++lane)
      for (int j = 0; j < 6; ++j) jacobians(j, first + lane) += load[j].jacobian[lane];
  }
}

}  // namespace lithe
