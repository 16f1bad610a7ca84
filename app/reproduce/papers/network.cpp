#include "app/reproduce/papers/network.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "app/reproduce/papers/network_inl.h"
#include "lithe/base/text.h"
#include "lithe/formulate/transfer/beam_inl.h"
#include "lithe/formulate/transfer/jet.h"

namespace lithe {

int TransferNetwork::add_position(const std::string& name, const Vector3& position) {
  const int first = num_coordinates();
  x_.conservativeResize(first + 3);
  x_.tail<3>() = position;
  for (const char* axis : {" x", " y", " z"}) coordinate_names_.push_back(cat("node '", name, "'", axis));
  coordinate_roles_.resize(x_.size(), TransferRole::dependent);
  masses_.resize(x_.size(), 0.0);
  forces_.conservativeResizeLike(VectorX::Zero(x_.size()));
  return first;
}

int TransferNetwork::add_rotation(const std::string& name, const Quaternion& rotation) {
  const int first = num_coordinates();
  x_.conservativeResize(first + 4);
  x_.tail<4>() << rotation.w(), rotation.x(), rotation.y(), rotation.z();
  for (const char* part : {" w", " x", " y", " z"})
    coordinate_names_.push_back(cat("rotation of node '", name, "'", part));
  coordinate_roles_.resize(x_.size(), TransferRole::dependent);
  masses_.resize(x_.size(), 0.0);
  forces_.conservativeResizeLike(VectorX::Zero(x_.size()));
  add_element(cat("rotation of node '", name, "'"), 1, Unit{first});
  return first;
}

void TransferNetwork::set_force(int position, const Vector3& force) { forces_.segment<3>(position) = force; }

int TransferNetwork::add_element(const std::string& name, int count, std::variant<Truss, Beam, Hinge, Unit> kind) {
  Element element;
  element.name = name;
  element.first_deformation = num_deformations();
  element.kind = std::move(kind);
  elements_.push_back(std::move(element));
  deformation_roles_.resize(deformation_roles_.size() + count, TransferRole::fixed);
  stiffness_.resize(deformation_roles_.size(), 0.0);
  return elements_.back().first_deformation;
}

int TransferNetwork::add_truss(const std::string& name, int first, int second) {
  const double length = (x_.segment<3>(second) - x_.segment<3>(first)).norm();
  return add_element(cat("truss '", name, "'"), 1, Truss{first, second, length});
}

namespace {

Matrix3 rotation_at(const VectorX& x, int first) {
  return Quaternion(x(first), x(first + 1), x(first + 2), x(first + 3)).toRotationMatrix();
}

}  // namespace

int TransferNetwork::add_beam(const std::string& name, int first, int first_rotation, int second, int second_rotation,
                              const Vector3& y_axis, bool shortens) {
  const Vector3 along = x_.segment<3>(second) - x_.segment<3>(first);
  Matrix3 axes;
  axes.col(0) = along.normalized();
  axes.col(2) = axes.col(0).cross(y_axis).normalized();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  Beam beam{first, first_rotation, second, second_rotation, {}, {}, along.norm(), shortens};
  beam.axes = rotation_at(x_, first_rotation).transpose() * axes;
  beam.second_axes = rotation_at(x_, second_rotation).transpose() * axes;
  return add_element(cat("beam '", name, "'"), 6, beam);
}

int TransferNetwork::add_hinge(const std::string& name, int first_rotation, int second_rotation, const Vector3& axis) {
  Matrix3 axes;
  axes.col(0) = axis.normalized();
  axes.col(1) = axes.col(0).unitOrthogonal();
  axes.col(2) = axes.col(0).cross(axes.col(1));
  Hinge hinge{first_rotation, second_rotation, {}, {}};
  hinge.axes = rotation_at(x_, first_rotation).transpose() * axes;
  hinge.second_axes = rotation_at(x_, second_rotation).transpose() * axes;
  return add_element(cat("hinge '", name, "'"), 3, hinge);
}

template <class S>
void TransferNetwork::evaluate(const Truss& truss, const std::vector<S>& x, S* e) const {
  using std::sqrt;
  const S l[3] = {x[truss.second] - x[truss.first], x[truss.second + 1] - x[truss.first + 1],
                  x[truss.second + 2] - x[truss.first + 2]};
  e[0] = sqrt(network::dot3(l, l)) - S(truss.length);  // [LIN] (48)
}

template <class S>
void TransferNetwork::evaluate(const Beam& beam, const std::vector<S>& x, S* e) const {
  const S l[3] = {x[beam.second] - x[beam.first], x[beam.second + 1] - x[beam.first + 1],
                  x[beam.second + 2] - x[beam.first + 2]};
  const std::array<S, 9> first = network::turned_axes(&x[beam.first_rotation], beam.axes);
  const std::array<S, 9> second = network::turned_axes(&x[beam.second_rotation], beam.second_axes);
  beam_deformations(beam.length, beam.shortens, l, first.data(), second.data(), e);
}

// Twice the tangent of half the angle: the angle itself to third order, without end in ±π; and the sines (as [LIN]'s
// references have the bending of a hinge).
template <class S>
void TransferNetwork::evaluate(const Hinge& hinge, const std::vector<S>& x, S* e) const {
  const std::array<S, 9> first = network::turned_axes(&x[hinge.first], hinge.axes);
  const std::array<S, 9> second = network::turned_axes(&x[hinge.second], hinge.second_axes);
  const S sine = network::dot3(&first[6], &second[3]), cosine = network::dot3(&first[3], &second[3]);
  e[0] = 2.0 * sine / (cosine + S(1.0));
  e[1] = network::dot3(&first[3], &second[0]);
  e[2] = network::dot3(&first[6], &second[0]);
}

template <class S>
void TransferNetwork::evaluate(const Unit& unit, const std::vector<S>& x, S* e) const {
  S sum(-1.0);
  for (int k = 0; k < 4; ++k) sum = sum + x[unit.rotation + k] * x[unit.rotation + k];
  e[0] = sum;
}

template <class S>
void TransferNetwork::evaluate(const std::vector<S>& x, std::vector<S>& e) const {
  for (const Element& element : elements_)
    std::visit([&](const auto& kind) { evaluate(kind, x, e.data() + element.first_deformation); }, element.kind);
}

VectorX TransferNetwork::deformations() const {
  std::vector<double> x(x_.data(), x_.data() + x_.size()), e(deformation_roles_.size());
  evaluate(x, e);
  return Eigen::Map<VectorX>(e.data(), static_cast<Eigen::Index>(e.size()));
}

MatrixX TransferNetwork::jacobian() const {
  constexpr int lanes = 8;
  using Lanes = Dual<double, lanes>;
  const int n = num_coordinates();
  MatrixX D(num_deformations(), n);
  std::vector<Lanes> x(n), e(deformation_roles_.size());
  for (int first = 0; first < n; first += lanes) {
    for (int i = 0; i < n; ++i) {
      x[i] = Lanes(x_(i));
      if (i >= first && i < first + lanes) x[i].jacobian[i - first] = 1;
    }
    evaluate(x, e);
    for (int k = first; k < std::min(n, first + lanes); ++k)
      for (int r = 0; r < num_deformations(); ++r) D(r, k) = e[r].jacobian[k - first];
  }
  return D;
}

TransferNetwork::Rows TransferNetwork::rows() const {
  Rows rows;
  for (int i = 0; i < num_coordinates(); ++i)
    if (coordinate_roles_[i] == TransferRole::dependent) rows.dependent.push_back(i);
  for (int r = 0; r < num_deformations(); ++r)
    if (deformation_roles_[r] != TransferRole::dependent) rows.equations.push_back(r);
  return rows;
}

std::vector<TransferFreedom> TransferNetwork::freedoms() const {
  std::vector<TransferFreedom> result;
  for (int i = 0; i < num_coordinates(); ++i)
    if (coordinate_roles_[i] == TransferRole::independent) result.push_back({false, i});
  for (int r = 0; r < num_deformations(); ++r)
    if (deformation_roles_[r] == TransferRole::independent) result.push_back({true, r});
  return result;
}

// The square matrix of [LIN] (58), inverted: deformations that are given by dependent coordinates.
TransferStatus TransferNetwork::factorise(const MatrixX& D, MatrixX& inverse) const {
  const Rows r = rows();
  if (r.equations.size() != r.dependent.size()) return TransferStatus::not_square;
  Eigen::FullPivLU<MatrixX> lu(MatrixX(D(r.equations, r.dependent)));
  lu.setThreshold(1e-10);
  if (!lu.isInvertible()) return TransferStatus::singular;
  inverse = lu.inverse();
  return TransferStatus::ok;
}

// Dependent coordinates that make up for given deformations; all others zero.
VectorX TransferNetwork::solve_dependent(const MatrixX& inverse, const VectorX& deformations) const {
  const Rows r = rows();
  VectorX x = VectorX::Zero(num_coordinates());
  x(r.dependent) = inverse * deformations(r.equations);
  return x;
}

TransferStatus TransferNetwork::solve(const VectorX& values) {
  const std::vector<TransferFreedom> q = freedoms();
  VectorX wanted = VectorX::Zero(num_deformations());
  for (std::size_t k = 0; k < q.size(); ++k) (q[k].deformation ? wanted : x_)(q[k].index) = values(k);
  constexpr int max_iterations = 50;
  MatrixX inverse;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const VectorX gap = deformations() - wanted;
    const TransferStatus status = factorise(jacobian(), inverse);
    if (status != TransferStatus::ok) return status;
    const VectorX step = solve_dependent(inverse, gap);
    x_ -= step;
    if (!step.allFinite()) return TransferStatus::not_converged;
    if (step.norm() < 1e-14 * (1 + x_.norm())) return TransferStatus::ok;
  }
  return TransferStatus::not_converged;
}

TransferStatus TransferNetwork::first_order(MatrixX& coordinates, MatrixX& e) const {
  const std::vector<TransferFreedom> q = freedoms();
  const MatrixX D = jacobian();
  MatrixX inverse;
  const TransferStatus status = factorise(D, inverse);
  if (status != TransferStatus::ok) return status;
  coordinates = MatrixX::Zero(num_coordinates(), static_cast<Eigen::Index>(q.size()));
  for (std::size_t k = 0; k < q.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    VectorX wanted = VectorX::Zero(num_deformations());
    if (q[k].deformation) {
      wanted(q[k].index) = 1;
    } else {
      coordinates(q[k].index, column) = 1;
      wanted = -D.col(q[k].index);
    }
    coordinates.col(column) += solve_dependent(inverse, wanted);
  }
  e = D * coordinates;
  return TransferStatus::ok;
}

// D²D(u, v)
VectorX TransferNetwork::second_derivative(const VectorX& u, const VectorX& v) const {
  std::vector<network::Curve> x(x_.size()), e(deformation_roles_.size());
  for (Eigen::Index i = 0; i < x_.size(); ++i) {
    x[i].value.value = x_(i);
    x[i].value.jacobian[0] = u(i);
    x[i].jacobian[0] = network::Line(v(i));
  }
  evaluate(x, e);
  VectorX result(num_deformations());
  for (int r = 0; r < num_deformations(); ++r) result(r) = e[r].jacobian[0].jacobian[0];
  return result;
}

TransferStatus TransferNetwork::second_order(std::vector<MatrixX>& coordinates, std::vector<MatrixX>& e) const {
  MatrixX DF, DE, inverse;
  TransferStatus status = first_order(DF, DE);
  const MatrixX D = jacobian();
  if (status == TransferStatus::ok) status = factorise(D, inverse);
  if (status != TransferStatus::ok) return status;
  const Eigen::Index n = DF.cols();
  coordinates.assign(x_.size(), MatrixX::Zero(n, n));
  e.assign(deformation_roles_.size(), MatrixX::Zero(n, n));
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) {
      const VectorX curved = second_derivative(DF.col(i), DF.col(j));
      const VectorX x = solve_dependent(inverse, -curved);
      const VectorX rest = curved + D * x;
      for (Eigen::Index k = 0; k < x.size(); ++k) coordinates[k](i, j) = x(k);
      for (Eigen::Index r = 0; r < rest.size(); ++r) e[r](i, j) = rest(r);
    }
  return TransferStatus::ok;
}

// Along x + ẋ t + ½ ẍ t², the derivative by `direction`: D²D(ẋ, u), and D³D(ẋ, ẋ, u) + D²D(ẍ, u).
void TransferNetwork::motion_jacobians(const VectorX& rate, const VectorX& acceleration, const VectorX& direction,
                                       VectorX& of_rate, VectorX& of_acceleration) const {
  std::vector<Jet<network::Line>> x(x_.size()), e(deformation_roles_.size());
  for (Eigen::Index i = 0; i < x_.size(); ++i) {
    x[i].value.value = x_(i);
    x[i].value.jacobian[0] = direction(i);
    x[i].rate.value = rate(i);
    x[i].acceleration.value = acceleration(i);
  }
  evaluate(x, e);
  of_rate.resize(num_deformations());
  of_acceleration.resize(num_deformations());
  for (int r = 0; r < num_deformations(); ++r) {
    of_rate(r) = e[r].rate.jacobian[0];
    of_acceleration(r) = e[r].acceleration.jacobian[0];
  }
}

// [LIN] (62): with ẋ = DF q̇ and ẍ = D²F q̇ q̇ the derivative of ẍ by the freedoms is D³F q̇ q̇.
TransferStatus TransferNetwork::third_order(const VectorX& rates, MatrixX& coordinates) const {
  MatrixX DF, DE, inverse;
  TransferStatus status = first_order(DF, DE);
  if (status == TransferStatus::ok) status = factorise(jacobian(), inverse);
  if (status != TransferStatus::ok) return status;
  const VectorX rate = DF * rates;
  const VectorX acceleration = solve_dependent(inverse, -second_derivative(rate, rate));
  coordinates.resize(DF.rows(), DF.cols());
  VectorX of_rate, of_acceleration;
  for (Eigen::Index k = 0; k < DF.cols(); ++k) {
    motion_jacobians(rate, acceleration, DF.col(k), of_rate, of_acceleration);
    const VectorX X1 = solve_dependent(inverse, -of_rate);
    coordinates.col(k) = solve_dependent(inverse, -of_acceleration - 2 * second_derivative(rate, X1));
  }
  return TransferStatus::ok;
}

TransferStatus TransferNetwork::acceleration(const VectorX& rates, VectorX& result) const {
  MatrixX DF, DE, inverse;
  TransferStatus status = first_order(DF, DE);
  const MatrixX D = jacobian();
  if (status == TransferStatus::ok) status = factorise(D, inverse);
  if (status != TransferStatus::ok) return status;
  const Eigen::Map<const VectorX> mass(masses_.data(), x_.size());
  const Eigen::Map<const VectorX> stiffness(stiffness_.data(), num_deformations());
  const VectorX rate = DF * rates, bias = solve_dependent(inverse, -second_derivative(rate, rate));
  const VectorX load = forces_ - mass.cwiseProduct(bias);
  MatrixX M = DF.transpose() * mass.asDiagonal() * DF;
  VectorX force = DF.transpose() * load - DE.transpose() * stiffness.cwiseProduct(deformations());
  for (const Inertia& inertia : inertias_) add_inertia(inertia, DF, rate, bias, M, force);
  result = M.ldlt().solve(force);
  return TransferStatus::ok;
}

TransferStatus TransferNetwork::linearise(const VectorX& rates, const VectorX& accelerations,
                                          TransferLinear& linear) const {
  MatrixX DF, DE, D3F;
  std::vector<MatrixX> D2F, D2E;
  TransferStatus status = first_order(DF, DE);
  if (status == TransferStatus::ok) status = second_order(D2F, D2E);
  if (status == TransferStatus::ok) status = third_order(rates, D3F);
  if (status != TransferStatus::ok) return status;
  const Eigen::Map<const VectorX> mass(masses_.data(), x_.size());
  const Eigen::Map<const VectorX> stiffness(stiffness_.data(), num_deformations());
  const VectorX stress = stiffness.cwiseProduct(deformations());
  MatrixX by_rate(DF.rows(), DF.cols()), by_acceleration(DF.rows(), DF.cols());
  VectorX x_acceleration = DF * accelerations;
  for (Eigen::Index k = 0; k < DF.rows(); ++k) {
    by_rate.row(k) = (D2F[k] * rates).transpose();
    by_acceleration.row(k) = (D2F[k] * accelerations).transpose();
    x_acceleration(k) += rates.dot(D2F[k] * rates);
  }
  linear.mass = DF.transpose() * mass.asDiagonal() * DF;                            // (22)
  linear.damping = 2 * DF.transpose() * mass.asDiagonal() * by_rate;                // (23)
  linear.stiffness = DE.transpose() * stiffness.asDiagonal() * DE;                  // (24)
  linear.geometric = DF.transpose() * mass.asDiagonal() * (by_acceleration + D3F);  // (28)
  for (Eigen::Index k = 0; k < DF.rows(); ++k)
    linear.geometric += D2F[k] * (mass(k) * x_acceleration(k) - forces_(k));  // (27), (28)
  for (int r = 0; r < num_deformations(); ++r) linear.geometric += D2E[r] * stress(r);
  const NetworkMotion motion{DF, by_rate, by_acceleration + D3F, D2F, DF * rates, x_acceleration};
  for (const Inertia& inertia : inertias_) add_inertia(inertia, motion, linear);
  return TransferStatus::ok;
}

std::string TransferNetwork::describe() const {
  const Rows r = rows();
  if (r.equations.size() != r.dependent.size())
    return cat(
        r.equations.size(), " deformations are given, but ", r.dependent.size(), " nodal coordinates are dependent: ",
        r.equations.size() < r.dependent.size() ? "too few constraints or degrees of freedom" : "overconstrained");
  const MatrixX square = jacobian()(r.equations, r.dependent);
  Eigen::FullPivLU<MatrixX> lu(square);
  lu.setThreshold(1e-10);
  if (lu.isInvertible()) return {};
  const MatrixX kernel = lu.kernel();
  Eigen::Index largest = 0;
  kernel.col(0).cwiseAbs().maxCoeff(&largest);
  return cat("singular configuration: ", coordinate_names_[r.dependent[largest]],
             " can move while all given deformations keep their values");
}

}  // namespace lithe
