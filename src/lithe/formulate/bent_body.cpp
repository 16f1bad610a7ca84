#include "lithe/formulate/bent_body.h"

namespace lithe {

// η = q + ½ A q,  η̇ = P q̇,  η̈ = P q̈ + A(q̇) q̇,  P = 1 + A(q).
struct BentBody::BentWork : Work {
  std::unique_ptr<Work> displaced;  // of the body displaced by η
  std::unique_ptr<Work> strained;   // of the body displaced by q, for what strains it
  MatrixX A, A_rate;
  VectorX q, q_rate, eta, bias;
  VectorX speeds;                       // ν with η̇
  mutable VectorX scratch, own, moved;  // as long as ν
  mutable Matrix6X columns;             // of a node's Jacobian
};

BentBody::BentBody(FloatingBody body, BendingMap map) : body_(std::move(body)), map_(std::move(map)) {
  num_frames_ = 1;
  num_elastic_ = body_.num_elastic();
}

std::unique_ptr<AbsoluteBody::Work> BentBody::make_work() const {
  auto work = std::make_unique<BentWork>();
  work->displaced = body_.make_work();
  work->strained = body_.make_work();
  work->A = MatrixX::Zero(map_.rows(), map_.cols());
  work->A_rate = work->A;
  for (VectorX* v : {&work->q, &work->q_rate, &work->eta, &work->bias}) v->setZero(num_elastic_);
  for (VectorX* v : {&work->speeds, &work->scratch, &work->own, &work->moved}) v->setZero(num_speeds());
  work->columns.setZero(6, map_.cols());
  return work;
}

BodyFactors BentBody::make_factors() const {
  BodyFactors factors = body_.make_factors();
  factors.bending = MatrixX::Zero(map_.rows(), map_.cols());
  factors.ordered = VectorX::Zero(num_elastic_);
  return factors;
}

void BentBody::set_state(const BodyFrame* frames, const double* elastic, const double* speeds, Work& base) const {
  BentWork& work = static_cast<BentWork&>(base);
  const int d = num_elastic_;
  body_.set_state(frames, elastic, speeds, *work.strained);
  work.q = Eigen::Map<const VectorX>(elastic, d);
  work.q_rate = Eigen::Map<const VectorX>(speeds + 6, d);
  map_.matrix(work.q, work.A);
  map_.matrix(work.q_rate, work.A_rate);
  work.eta = work.q;
  map_.add(work.A, 0.5, work.q, work.eta);
  work.speeds = Eigen::Map<const VectorX>(speeds, 6 + d);
  map_.add(work.A, 1, work.q_rate, work.speeds.tail(d));
  work.bias.setZero();
  map_.add(work.A_rate, 1, work.q_rate, work.bias);
  body_.set_state(frames, work.eta.data(), work.speeds.data(), *work.displaced);
}

// Forces on η become forces on q: Pᵀ f.
void BentBody::to_coordinates(const BentWork& work, Eigen::Ref<VectorX> force) const {
  auto elastic = force.tail(num_elastic_);
  auto copy = work.scratch.head(num_elastic_);
  copy = elastic;
  map_.add_transposed(work.A, 1, copy, elastic);
}

// Pᵀ (f - M A(q̇) q̇), without the elastic forces of η, and the elastic forces of q.
void BentBody::forces(const Vector3& gravity, const Work& base, Eigen::Ref<VectorX> force) const {
  const BentWork& work = static_cast<const BentWork&>(base);
  const ModalLink& link = body_.link();
  const int d = num_elastic_;
  force.setZero();
  work.scratch.head<6>().setZero();
  work.scratch.tail(d) = work.bias;
  body_.add_mass_times(*work.displaced, work.scratch, force);
  work.scratch = force;
  body_.forces(gravity, *work.displaced, force);
  force -= work.scratch;
  auto elastic = force.tail(d);
  elastic += link.squared_frequencies.cwiseProduct(work.eta);
  if (link.damped) elastic.noalias() += link.damping * work.speeds.tail(d);
  to_coordinates(work, force);
  elastic -= link.squared_frequencies.cwiseProduct(work.q);
  if (link.damped) elastic.noalias() -= link.damping * work.q_rate;
}

void BentBody::add_load(const Work& base, int node, const Vector3& force, const Vector3& torque,
                        Eigen::Ref<VectorX> generalised) const {
  const BentWork& work = static_cast<const BentWork&>(base);
  work.own.setZero();
  body_.add_load(*work.displaced, node, force, torque, work.own);
  to_coordinates(work, work.own);
  generalised += work.own;
}

void BentBody::add_mass_times(const Work& base, const Eigen::Ref<const VectorX>& values,
                              Eigen::Ref<VectorX> result) const {
  const BentWork& work = static_cast<const BentWork&>(base);
  work.moved = values;
  work.own.setZero();
  map_.add(work.A, 1, values.tail(num_elastic_), work.moved.tail(num_elastic_));
  body_.add_mass_times(*work.displaced, work.moved, work.own);
  to_coordinates(work, work.own);
  result += work.own;
}

void BentBody::add_blocks(const Work& base, Eigen::Ref<MatrixX> mass, Eigen::Ref<MatrixX> damping,
                          Eigen::Ref<MatrixX> stiffness) const {
  const int n = num_speeds(), d = num_elastic_;
  const ModalLink& link = body_.link();
  for (int k = 0; k < n; ++k) {
    VectorX column = VectorX::Zero(n);
    add_mass_times(base, VectorX::Unit(n, k), column);
    mass.col(k) += column;
  }
  if (link.damped) damping.bottomRightCorner(d, d) += link.damping;
  stiffness.bottomRightCorner(d, d).diagonal() += link.squared_frequencies;
}

VectorX BentBody::displaced_acceleration(const BentWork& work, const Eigen::Ref<const VectorX>& accelerations) const {
  VectorX result = accelerations;
  map_.add(work.A, 1, accelerations.tail(num_elastic_), result.tail(num_elastic_));
  result.tail(num_elastic_) += work.bias;
  return result;
}

// r = Pᵀ (r_η - Ω η - D η̇) + Ω q + D q̇ with δη = P δq, δη̇ = P δq̇ + A(q̇) δq, δη̈ = 2 A(q̇) δq̇ + A(q̈) δq and
// δ(Pᵀ f) = Pᵀ δf + (Σ f_k ∂A_k) δq.
void BentBody::add_derivatives(const Vector3& gravity, const Work& base, const Eigen::Ref<const VectorX>& accelerations,
                               Eigen::Ref<MatrixX> by_place, Eigen::Ref<MatrixX> by_speed) const {
  const BentWork& work = static_cast<const BentWork&>(base);
  const ModalLink& link = body_.link();
  const int n = num_speeds(), d = num_elastic_;
  const VectorX second = displaced_acceleration(work, accelerations);
  MatrixX K = MatrixX::Zero(n, n), C = K, M = K, unused = K, unused_too = K;
  body_.add_derivatives(gravity, *work.displaced, second, K, C);
  body_.add_blocks(*work.displaced, M, unused, unused_too);
  VectorX residual = VectorX::Zero(n), force(n);
  body_.add_mass_times(*work.displaced, second, residual);
  body_.forces(gravity, *work.displaced, force);
  residual -= force;
  residual.tail(d) -= link.squared_frequencies.cwiseProduct(work.eta);
  K.bottomRightCorner(d, d).diagonal() -= link.squared_frequencies;
  if (link.damped) {
    residual.tail(d) -= link.damping * work.speeds.tail(d);
    C.bottomRightCorner(d, d) -= link.damping;
  }
  MatrixX A_second(map_.rows(), map_.cols());
  map_.matrix(accelerations.tail(d), A_second);
  MatrixX P = MatrixX::Identity(n, n);
  P.bottomRightCorner(d, d) += map_.dense(work.A, d);
  const MatrixX rate = map_.dense(work.A_rate, d);
  MatrixX place = K * P, speed = C * P;
  place.rightCols(d) += C.rightCols(d) * rate + M.rightCols(d) * map_.dense(A_second, d);
  speed.rightCols(d) += 2 * M.rightCols(d) * rate;
  by_place += P.transpose() * place;
  by_speed += P.transpose() * speed;
  by_place.bottomRightCorner(d, d) += map_.stiffness(residual.tail(d), d);
  by_place.bottomRightCorner(d, d).diagonal() += link.squared_frequencies;
  if (link.damped) by_speed.bottomRightCorner(d, d) += link.damping;
}

// Without stiffness the factors are exact, M = Pᵀ M_η P. With it they serve an iteration, in which stiffness is exact
// and the mass that of η = q.
bool BentBody::factorise(const Work& base, double damping, double stiffness, BodyFactors& factors) const {
  const BentWork& work = static_cast<const BentWork&>(base);
  if (damping == 0 && stiffness == 0) {
    factors.bending = work.A;
  } else {
    factors.bending.setZero();
  }
  return body_.factorise(*work.displaced, damping, stiffness, factors);
}

void BentBody::solve(const BodyFactors& factors, Eigen::Ref<MatrixX> rhs) const {
  for (Eigen::Index k = 0; k < rhs.cols(); ++k)
    map_.solve_transposed(factors.bending, rhs.col(k).tail(num_elastic_), factors.ordered);
  body_.solve(factors, rhs);
  for (Eigen::Index k = 0; k < rhs.cols(); ++k)
    map_.solve(factors.bending, rhs.col(k).tail(num_elastic_), factors.ordered);
}

void BentBody::node_frame(const Work& base, int node, NodeFrame& result) const {
  const BentWork& work = static_cast<const BentWork&>(base);
  const int d = num_elastic_;
  body_.node_frame(*work.displaced, node, result);
  auto elastic = result.jacobian.rightCols(d);
  result.acceleration_bias.noalias() += elastic.topRows<3>() * work.bias;
  result.angular_bias.noalias() += elastic.bottomRows<3>() * work.bias;
  for (Eigen::Index i = 0; i < map_.cols(); ++i) {  // J P; columns that bending moves are used before they change
    Vector6 sum = Vector6::Zero();
    for (Eigen::Index k = 0; k < map_.rows(); ++k)
      sum += work.A(k, i) * elastic.col(map_.along[static_cast<std::size_t>(k)]);
    work.columns.col(i) = sum;
  }
  for (Eigen::Index i = 0; i < map_.cols(); ++i)
    elastic.col(map_.bent[static_cast<std::size_t>(i)]) += work.columns.col(i);
}

// Changes of the displaced body for those of the coordinates, as in add_derivatives().
void BentBody::node_derivatives(const Work& base, int node, const Eigen::Ref<const VectorX>& accelerations,
                                const Vector3& force, const Vector3& torque, NodeDerivatives& result) const {
  const BentWork& work = static_cast<const BentWork&>(base);
  const int d = num_elastic_, n = num_speeds();
  NodeFrame frame;
  body_.node_frame(*work.displaced, node, frame);
  body_.node_derivatives(*work.displaced, node, displaced_acceleration(work, accelerations), force, torque, result);
  MatrixX A_second(map_.rows(), map_.cols());
  map_.matrix(accelerations.tail(d), A_second);
  const MatrixX rate = map_.dense(work.A_rate, d), second = map_.dense(A_second, d);
  MatrixX P = MatrixX::Identity(n, n);
  P.bottomRightCorner(d, d) += map_.dense(work.A, d);
  const Matrix6X elastic = frame.jacobian.rightCols(d), by_rate = result.acceleration_by_speed.rightCols(d);
  for (Matrix6X* m : {&result.velocity_by_place, &result.acceleration_by_place, &result.acceleration_by_speed})
    *m = (*m * P).eval();
  result.velocity_by_place.rightCols(d) += elastic * rate;
  result.acceleration_by_place.rightCols(d) += by_rate * rate + elastic * second;
  result.acceleration_by_speed.rightCols(d) += 2 * elastic * rate;
  result.wrench_by_place = (P.transpose() * result.wrench_by_place * P).eval();
  const VectorX on_modes = elastic.topRows<3>().transpose() * force + elastic.bottomRows<3>().transpose() * torque;
  result.wrench_by_place.bottomRightCorner(d, d) += map_.stiffness(on_modes, d);
}

Matrix3 BentBody::link_rotation(const Work& base) const {
  return body_.link_rotation(*static_cast<const BentWork&>(base).displaced);
}

BodyEnergies BentBody::energies(const Vector3& gravity, const Work& base) const {
  const BentWork& work = static_cast<const BentWork&>(base);
  const ModalLink& link = body_.link();
  BodyEnergies result = body_.energies(gravity, *work.displaced);
  result.elastic = 0.5 * work.q.dot(link.squared_frequencies.cwiseProduct(work.q));
  if (link.damped) result.dissipated_power = work.q_rate.dot(link.damping * work.q_rate);
  return result;
}

void BentBody::energy_gradients(const Vector3& gravity, const Work& base, EnergyGradients& result) const {
  const BentWork& work = static_cast<const BentWork&>(base);
  const int d = num_elastic_;
  body_.energy_gradients(gravity, *work.displaced, result);
  const VectorX momentum = result.kinetic_by_speed.tail(d);
  for (VectorX* v : {&result.kinetic_by_place, &result.kinetic_by_speed, &result.gravity_by_place})
    to_coordinates(work, *v);
  map_.add_transposed(work.A_rate, 1, momentum, result.kinetic_by_place.tail(d));
  result.elastic_by_place.tail(d) = body_.link().squared_frequencies.cwiseProduct(work.q);
}

bool BentBody::section_load(const Vector3& gravity, const Work& base, int node,
                            const Eigen::Ref<const VectorX>& accelerations, Vector3& force, Vector3& moment) const {
  return body_.section_load(gravity, *static_cast<const BentWork&>(base).strained, node, accelerations, force, moment);
}

bool BentBody::section_slopes(const Vector3& gravity, const Work& base, int node,
                              const Eigen::Ref<const VectorX>& accelerations, const BodyChanges& changes,
                              Matrix6X& slopes) const {
  return body_.section_slopes(gravity, *static_cast<const BentWork&>(base).strained, node, accelerations, changes,
                              slopes);
}

bool BentBody::strained_shape(const Work& base, VectorX& displacements) const {
  return body_.strained_shape(*static_cast<const BentWork&>(base).strained, displacements);
}

}  // namespace lithe
