#include "lithe/analyse/linear/separate_integrators.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "lithe/analyse/linear/modal_form.h"
#include "lithe/base/decompositions.h"

namespace lithe {
namespace {

MatrixX symmetric(const MatrixX& m) { return 0.5 * (m + m.transpose()); }

// Mass-normalised motions v with K v = 0 and vᵀ K = 0, to rounding. A follower load leaves K v = 0 alone.
//
// Joint coordinates θ come first, so that the static response of the others to a displacement of the joints,
// V = (1, -K_ee⁻¹ K_eθ), leaves the stiffness S = Vᵀ K V of gravity and joint springs alone, without the rounding of
// the links' stiffness. Its eigenvalues (by the mass Vᵀ M V) that are zero next to the slowest other motion are rigid.
class RigidMotions {
 public:
  RigidMotions(const LinearModel& model, Eigen::Index joints)
      : full_(model.stiffness), mass_(symmetric(model.mass)), stiffness_(symmetric(model.stiffness)) {
    const VectorX squared = symmetric_values(stiffness_, mass_).values;
    const Eigen::Index n = squared.size();
    const double fastest = n > 0 ? squared.cwiseAbs().maxCoeff() : 0;
    const MatrixX candidates = joints > 0 && joints <= n ? static_responses(joints) : eigenvectors(1e-6 * fastest);
    if (candidates.cols() == 0) return;
    const SymmetricPairs pairs = symmetric_pairs(symmetric(candidates.transpose() * stiffness_ * candidates),
                                                 symmetric(candidates.transpose() * mass_ * candidates));
    const double rounding = joints > 0 ? rounding_of_squares * slowest(squared, fastest) : 1e-13 * fastest;
    for (Eigen::Index k = 0; k < pairs.values.size(); ++k)
      if (std::abs(pairs.values[k]) <= rounding) add(candidates * pairs.vectors.col(k));
    if (shapes_.cols() == 0 || vanishes(stiffness_.transpose() * shapes_ - full_.transpose() * shapes_)) return;
    one_sided_ = vanishes(full_ * shapes_);
    if (!one_sided_) shapes_.resize(n, 0);
  }
  const MatrixX& shapes() const { return shapes_; }
  bool one_sided() const { return one_sided_; }

 private:
  static constexpr double rounding_of_squares = 1e-10;

  // Forces, next to those of the mass and of the stiffness along the motions.
  bool vanishes(const MatrixX& forces) const {
    return forces.norm() <= 1e-7 * ((mass_ * shapes_).norm() + (stiffness_ * shapes_).norm());
  }
  MatrixX static_responses(Eigen::Index joints) const {
    const Eigen::Index n = mass_.rows(), elastic = n - joints;
    MatrixX v = MatrixX::Zero(n, joints);
    v.topRows(joints).setIdentity();
    if (elastic > 0)
      v.bottomRows(elastic) =
          -full_.bottomRightCorner(elastic, elastic).partialPivLu().solve(full_.bottomLeftCorner(elastic, joints));
    return v;
  }
  MatrixX eigenvectors(double bound) const {
    const SymmetricPairs pairs = symmetric_pairs(stiffness_, mass_);
    Eigen::Index count = 0;
    while (count < pairs.values.size() && pairs.values[count] <= bound) ++count;
    return pairs.vectors.leftCols(count);
  }
  // The slowest motion that is not rounding of zero.
  static double slowest(const VectorX& squared, double fastest) {
    double found = fastest;
    for (const double value : squared)
      if (std::abs(value) > 1e-12 * fastest) found = std::min(found, std::abs(value));
    return found;
  }
  void add(const VectorX& shape) {
    shapes_.conservativeResize(mass_.rows(), shapes_.cols() + 1);
    shapes_.rightCols(1) = shape;
  }

  MatrixX full_, mass_, stiffness_;  // the latter two without the unsymmetrical part
  MatrixX shapes_;
  bool one_sided_ = false;
};

// Modes of everything else, mass-normalised and free of the rigid motions V: of K + s M V Vᵀ M, where V is fastest.
MatrixX other_modes(const LinearModel& model, const MatrixX& rigid) {
  const MatrixX mass = symmetric(model.mass), stiffness = symmetric(model.stiffness), mv = mass * rigid;
  const VectorX squared = symmetric_values(stiffness, mass).values;
  const double beyond = 10 * (squared.size() > 0 ? squared.cwiseAbs().maxCoeff() : 1) + 1;
  MatrixX shapes =
      symmetric_pairs(stiffness + beyond * mv * mv.transpose(), mass).vectors.leftCols(model.size() - rigid.cols());
  for (int twice = 0; twice < 2; ++twice) shapes -= rigid * (mv.transpose() * shapes);
  return shapes;
}

// Entries that are rounding next to the largest of their row.
void clear_rounding(MatrixX& part, const VectorX& largest) {
  for (Eigen::Index i = 0; i < part.rows(); ++i)
    for (Eigen::Index j = 0; j < part.cols(); ++j)
      if (std::abs(part(i, j)) <= 1e-10 * largest[i]) part(i, j) = 0;
}

VectorX row_sizes(const MatrixX& a, const MatrixX& b) {
  VectorX sizes = VectorX::Zero(a.rows());
  if (a.cols() > 0) sizes = a.cwiseAbs().rowwise().maxCoeff();
  if (b.cols() > 0) sizes = sizes.cwiseMax(b.cwiseAbs().rowwise().maxCoeff());
  return sizes;
}

// M, C, K, B, P, S of a model in other coordinates.
LinearModel in_coordinates(const LinearModel& model, const MatrixX& shapes) {
  LinearModel result = model;
  result.mass = shapes.transpose() * model.mass * shapes;
  result.damping = shapes.transpose() * model.damping * shapes;
  result.stiffness = shapes.transpose() * model.stiffness * shapes;
  result.input = shapes.transpose() * model.input;
  result.position_output = model.position_output * shapes;
  result.speed_output = model.speed_output * shapes;
  return result;
}

// Double integrators of undamped rigid motions.
void add_double(const LinearModel& rigid, SeparatedSystem& result) {
  const Eigen::Index n = rigid.size();
  StateSpace& s = result.integrators;
  result.num_double = n;
  s.a = MatrixX::Zero(2 * n, 2 * n);
  s.a.topRightCorner(n, n).setIdentity();
  s.b = MatrixX::Zero(2 * n, rigid.input.cols());
  s.b.bottomRows(n) = rigid.input;
  s.c.resize(rigid.position_output.rows(), 2 * n);
  s.c << rigid.position_output, rigid.speed_output;
}

// Of damped rigid motions η the rest z = (η̇, ...) does not know η: η̇ = N z, ż = S z + B u. With ξ = η - N S⁻¹ z the
// integrators ξ̇ = -N S⁻¹ B u stand alone, and y = P ξ + (C_z + P N S⁻¹) z. `moving`: the damped ones first, then the
// modes of the others.
void add_single(const LinearModel& moving, Eigen::Index damped, SeparatedSystem& result) {
  const StateSpace full = modal_state_space_of(moving, damped);
  const Eigen::Index n = full.num_states(), others = n - damped;
  StateSpace& rest = result.rest;
  rest = full;
  rest.a = full.a.bottomRightCorner(others, others);
  rest.b = full.b.bottomRows(others);
  rest.c = full.c.rightCols(others);
  rest.states.clear();
  result.num_single = damped;
  if (damped == 0) return;
  const MatrixX position = full.c.leftCols(damped);
  // N S⁻¹ as the solution of Sᵀ Xᵀ = Nᵀ
  const MatrixX x = rest.a.transpose().partialPivLu().solve(MatrixX(full.a.topRightCorner(damped, others).transpose()));
  rest.c += position * x.transpose();
  StateSpace& s = result.integrators;
  const Eigen::Index before = s.num_states();
  s.a.conservativeResizeLike(MatrixX::Zero(before + damped, before + damped));
  s.b.conservativeResizeLike(MatrixX::Zero(before + damped, full.num_inputs()));
  s.c.conservativeResizeLike(MatrixX::Zero(full.num_outputs(), before + damped));
  s.b.bottomRows(damped) = -x.transpose() * rest.b;
  s.c.rightCols(damped) = position;
}

}  // namespace

SeparatedSystem separate_integrators(const LinearModel& model, Eigen::Index num_joint_coordinates) {
  SeparatedSystem result;
  const RigidMotions motions(model, num_joint_coordinates);
  MatrixX rigid = motions.shapes();
  if (rigid.cols() == 0) rigid.resize(model.size(), 0);
  // Dampers among the rigid motions: those along which they do nothing stay double integrators.
  Eigen::Index undamped = rigid.cols();
  if (rigid.cols() > 0) {
    const SymmetricPairs dampers = symmetric_pairs(symmetric(rigid.transpose() * model.damping * rigid));
    rigid = (rigid * dampers.vectors).eval();
    const double size = (rigid.cwiseAbs().transpose() * model.damping.cwiseAbs() * rigid.cwiseAbs()).norm();
    undamped = (dampers.values.array().abs() <= 1e-12 * size).count();
  }
  if (motions.one_sided() && undamped > 0) {  // η̈ knows the other coordinates: not to be split off by one basis
    rigid.resize(model.size(), 0);
    undamped = 0;
  }
  const MatrixX others = other_modes(model, rigid);
  const Eigen::Index damped = rigid.cols() - undamped;
  LinearModel free = in_coordinates(model, rigid.leftCols(undamped));
  MatrixX basis(model.size(), damped + others.cols());
  basis << rigid.rightCols(damped), others;
  LinearModel moving = in_coordinates(model, basis);
  for (Eigen::Index k = 0; k < damped; ++k) {
    if (!motions.one_sided()) moving.stiffness.row(k).setZero();
    moving.stiffness.col(k).setZero();
  }
  MatrixX seen = moving.position_output.leftCols(damped);
  clear_rounding(seen, row_sizes(seen, moving.position_output));
  moving.position_output.leftCols(damped) = seen;
  MatrixX by_input = free.input.transpose();  // an input's share of a rigid motion next to that of the others
  clear_rounding(by_input, row_sizes(by_input, moving.input.transpose()));
  free.input = by_input.transpose();
  clear_rounding(free.position_output, row_sizes(free.position_output, moving.position_output));
  clear_rounding(free.speed_output, row_sizes(free.speed_output, moving.speed_output));
  add_double(free, result);
  add_single(moving, damped, result);
  result.integrators.d = MatrixX::Zero(model.feedthrough.rows(), model.feedthrough.cols());
  for (StateSpace* part : {&result.integrators, &result.rest}) {
    part->inputs = model.inputs;
    part->outputs = model.outputs;
  }
  return result;
}

}  // namespace lithe
