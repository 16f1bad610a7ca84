#include "lithe/reduce/bases.h"

#include <algorithm>

#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/reduce/key_error.h"
#include "lithe/reduce/solvers/block_lanczos.h"
#include "lithe/reduce/solvers/eigensolver.h"

namespace lithe {
namespace {

// Dofs split into interface (boundary) and inner ones.
struct Partition {
  std::vector<int> interface;
  std::vector<int> inner;
};

bool moves(const FiniteElementBody& body, int dof, Space space) {
  const int component = body.component(dof);
  return space == Space::spatial || component < 2 || component == 5;
}

Partition split_dofs(const std::vector<int>& moving, std::vector<int> interface) {
  Partition result{std::move(interface), {}};
  std::vector<int> sorted = result.interface;
  std::sort(sorted.begin(), sorted.end());
  for (const int dof : moving)
    if (!std::binary_search(sorted.begin(), sorted.end(), dof)) result.inner.push_back(dof);
  return result;
}

Partition split_dofs(const FiniteElementBody& body, const std::vector<int>& interface_nodes, Space space) {
  std::vector<int> interface;
  for (const int node : interface_nodes)
    for (int dof = body.first_dof(node); dof < body.first_dof(node + 1); ++dof)
      if (moves(body, dof, space)) interface.push_back(dof);
  return split_dofs(moving_dofs(body, space), std::move(interface));
}

// Rows keep their order when `rows` ascend; then nothing is sorted, and nothing but the result is stored.
SparseMatrix submatrix(const SparseMatrix& matrix, const std::vector<int>& rows, const std::vector<int>& columns) {
  std::vector<int> row_of(matrix.rows(), -1);
  for (std::size_t i = 0; i < rows.size(); ++i) row_of[rows[i]] = static_cast<int>(i);
  SparseMatrix result(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
  if (!std::is_sorted(rows.begin(), rows.end())) {
    std::vector<Eigen::Triplet<double>> triplets;
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (SparseMatrix::InnerIterator entry(matrix, columns[j]); entry; ++entry)
        if (row_of[entry.row()] >= 0) triplets.emplace_back(row_of[entry.row()], static_cast<int>(j), entry.value());
    result.setFromTriplets(triplets.begin(), triplets.end());
    return result;
  }
  Eigen::Index count = 0;
  for (const int column : columns)
    for (SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) count += row_of[entry.row()] >= 0 ? 1 : 0;
  result.reserve(count);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    result.startVec(static_cast<Eigen::Index>(j));
    for (SparseMatrix::InnerIterator entry(matrix, columns[j]); entry; ++entry)
      if (const int row = row_of[entry.row()]; row >= 0)
        result.insertBack(row, static_cast<Eigen::Index>(j)) = entry.value();
  }
  result.finalize();
  return result;
}

void scatter(const MatrixX& values, const std::vector<int>& rows, Eigen::Ref<MatrixX> target) {
  for (std::size_t i = 0; i < rows.size(); ++i) target.row(rows[i]) = values.row(static_cast<Eigen::Index>(i));
}

// The inner stiffness must be definite.
std::unique_ptr<SparseFactor> factor_of_held(SparseMatrix&& stiffness, const char* message) {
  std::unique_ptr<SparseFactor> factor = factorise(std::move(stiffness));
  if (!factor || !factor->definite()) throw InputError(message);
  return factor;
}

// Of K_II of the inner dofs; nothing where there are none.
std::unique_ptr<SparseFactor> inner_factor(const FiniteElementBody& body, const Partition& dofs) {
  if (dofs.inner.empty()) return nullptr;
  return factor_of_held(submatrix(body.stiffness, dofs.inner, dofs.inner),
                        "the interface nodes do not hold the body: held there, it can still move without stress");
}

// (2): u_I = -K_II⁻¹ K_IB u_B
MatrixX static_modes(const FiniteElementBody& body, const Partition& dofs, const SparseFactor* inner) {
  const auto num_interface = static_cast<Eigen::Index>(dofs.interface.size());
  MatrixX modes = MatrixX::Zero(body.num_dofs(), num_interface);
  scatter(MatrixX::Identity(num_interface, num_interface), dofs.interface, modes);
  if (dofs.inner.empty()) return modes;
  scatter(inner->solve(-MatrixX(submatrix(body.stiffness, dofs.inner, dofs.interface))), dofs.inner, modes);
  return modes;
}

// As many unknowns as there are rigid motions, such that holding them holds the body without redundance: the pivots of
// Rᵀ.
std::vector<int> determinate_hold(const MatrixX& rigid) {
  const PivotedQr qr(rigid.transpose());
  std::vector<int> held;
  for (Eigen::Index k = 0; k < rigid.cols(); ++k) held.push_back(qr.order().indices()(k));
  return held;
}

// (4)-(6): deformation under self-equilibrated interface forces, free of rigid motion. The hold carries no force, since
// the loads are in equilibrium; the rigid motion it fixes is replaced by that of Rᵀ M x = 0.
MatrixX inertia_relief_modes(const FiniteElementBody& body, const MatrixX& rigid, const std::vector<int>& loaded,
                             const std::vector<int>& moving) {
  MatrixX loads = MatrixX::Zero(body.num_dofs(), static_cast<Eigen::Index>(loaded.size()));
  for (std::size_t k = 0; k < loaded.size(); ++k) loads(loaded[k], static_cast<Eigen::Index>(k)) = 1;
  loads -= body.mass * (rigid * (rigid.transpose() * loads));
  const Partition dofs = split_dofs(moving, determinate_hold(rigid));
  const std::unique_ptr<SparseFactor> factor =
      factor_of_held(submatrix(body.stiffness, dofs.inner, dofs.inner), "the body has parts that move without stress");
  MatrixX result = MatrixX::Zero(loads.rows(), loads.cols());
  scatter(factor->solve(loads(dofs.inner, Eigen::all)), dofs.inner, result);
  result -= rigid * (rigid.transpose() * (body.mass * result));
  return result;
}

// (7): what the kept modes do not give of the attachment shapes, as an independent set in the energy norm. Forces of
// which the kept modes already give everything, and combinations that do so, leave only rounding and are dropped.
MatrixX residual_modes(const FiniteElementBody& body, const MatrixX& kept, const MatrixX& attachment) {
  const VectorX full_energy = (attachment.transpose() * (body.stiffness * attachment)).diagonal();
  MatrixX residual = attachment - kept * (kept.transpose() * (body.mass * attachment));
  residual = (residual * full_energy.cwiseSqrt().cwiseInverse().asDiagonal()).eval();
  const SymmetricPairs energy = symmetric_pairs(residual.transpose() * (body.stiffness * residual));
  constexpr double negligible = 1e-10;
  const Eigen::Index num_kept = (energy.values.array() > negligible).count();
  return residual * energy.vectors.rightCols(num_kept) *
         energy.values.tail(num_kept).cwiseSqrt().cwiseInverse().asDiagonal();
}

}  // namespace

std::vector<int> moving_dofs(const FiniteElementBody& body, Space space) {
  std::vector<int> dofs;
  for (int dof = 0; dof < body.num_dofs(); ++dof)
    if (moves(body, dof, space)) dofs.push_back(dof);
  return dofs;
}

int num_inner_dofs(const FiniteElementBody& body, const std::vector<int>& held_nodes, Space space) {
  return static_cast<int>(split_dofs(body, held_nodes, space).inner.size());
}

NaturalModes free_modes(const FiniteElementBody& body, int count, Space space) {
  if (space == Space::spatial) return lowest_modes(body.stiffness, body.mass, count);
  const std::vector<int> moving = moving_dofs(body, space);
  const NaturalModes modes =
      lowest_modes(submatrix(body.stiffness, moving, moving), submatrix(body.mass, moving, moving), count);
  NaturalModes result{modes.squared_frequencies, MatrixX::Zero(body.num_dofs(), modes.shapes.cols())};
  scatter(modes.shapes, moving, result.shapes);
  return result;
}

MatrixX rigid_modes(const FiniteElementBody& body, Space space) {
  Vector3 centre = Vector3::Zero();  // rotations about the middle of the nodes, for conditioning
  for (const Vector3& position : body.node_positions) centre += position / body.num_nodes();
  MatrixX modes = MatrixX::Zero(body.num_dofs(), 6);
  double size = 0;
  for (const Vector3& position : body.node_positions) size = std::max(size, (position - centre).norm());
  if (size == 0) size = 1;
  for (int dof = 0; dof < body.num_dofs(); ++dof) {
    const int component = body.component(dof);
    if (component > 5) continue;  // of a mode, which leaves all nodes at rest (portable_body.h)
    if (component >= 3) {
      modes(dof, component) = 1 / size;
      continue;
    }
    modes(dof, component) = 1;
    const Vector3 arm = body.node_positions[body.node_of_dof(dof)] - centre;
    modes.block<1, 3>(dof, 3) = -skew(arm).row(component) / size;  // u = e × s
  }
  if (space == Space::planar) modes = MatrixX(modes(Eigen::all, std::vector<int>{0, 1, 5}));
  const SymmetricPairs principal = symmetric_pairs(modes.transpose() * (body.mass * modes));
  const VectorX& masses = principal.values;
  constexpr double massless = 1e-13;
  const Eigen::Index num_kept = (masses.array() > massless * masses.maxCoeff()).count();
  if (masses.maxCoeff() <= 0) throw InputError("the body has no mass");
  return modes * principal.vectors.rightCols(num_kept) * masses.tail(num_kept).cwiseSqrt().cwiseInverse().asDiagonal();
}

MatrixX unit_basis(const FiniteElementBody& body, Space space) {
  const std::vector<int> moving = moving_dofs(body, space);
  const auto size = static_cast<Eigen::Index>(moving.size());
  demand_dense_size(static_cast<int>(size));
  MatrixX basis = MatrixX::Zero(body.num_dofs(), size);
  scatter(MatrixX::Identity(size, size), moving, basis);
  return basis;
}

MatrixX static_modes(const FiniteElementBody& body, const std::vector<int>& interface_nodes, Space space) {
  const Partition dofs = split_dofs(body, interface_nodes, space);
  return static_modes(body, dofs, inner_factor(body, dofs).get());
}

namespace {

// Whether the modes before and from `count` on have one frequency, up to rounding.
bool cuts_equal_modes(const VectorX& squared_frequencies, int count) {
  constexpr double rounding = 1e-7;
  return squared_frequencies(count) - squared_frequencies(count - 1) <= rounding * squared_frequencies(count);
}

// The lowest modes of the held body, as many as are wanted and below the limit. Of a small body those of one frequency
// stay together: a round rod bends alike in all planes and spans, and which of these shapes come first is chance.
NaturalModes limited_modes(const FiniteElementBody& body, const Partition& dofs, const SparseFactor* factor,
                           const DynamicModes& wanted) {
  const SparseMatrix mass = submatrix(body.mass, dofs.inner, dofs.inner);
  const auto stiffness = [&] { return submatrix(body.stiffness, dofs.inner, dofs.inner); };
  const auto size = static_cast<int>(dofs.inner.size());
  int count = std::min(size, wanted.count.value_or(size));
  if (wanted.squared_limit && count > 0)
    count = std::min(count, count_modes_below(stiffness(), mass, *wanted.squared_limit));
  if (count == 0) return {VectorX(0), MatrixX(size, 0)};
  if (count < size && size > largest_dense_problem) return lowest_modes_held(*factor, stiffness, mass, count);
  demand_dense_size(size);
  NaturalModes modes = natural_modes(MatrixX(stiffness()), MatrixX(mass));
  if (count == size) return modes;
  const auto found = static_cast<int>(modes.shapes.cols());
  if (count > found) throw InputError(cat(count, " modes wanted, but the body has only ", found));
  while (count < found && cuts_equal_modes(modes.squared_frequencies, count)) ++count;
  modes.squared_frequencies.conservativeResize(count);
  modes.shapes.conservativeResize(Eigen::NoChange, count);
  return modes;
}

}  // namespace

MatrixX craig_bampton_basis(const FiniteElementBody& body, const std::vector<int>& interface_nodes,
                            const DynamicModes& wanted, Space space) {
  const Partition dofs = split_dofs(body, interface_nodes, space);
  const std::unique_ptr<SparseFactor> factor = inner_factor(body, dofs);
  const MatrixX boundary = static_modes(body, dofs, factor.get());
  const int available = static_cast<int>(dofs.inner.size());
  if (wanted.count.value_or(0) > available)
    throw InputError(std::vector{error_of_key(
        "internal_modes",
        cat("Craig-Bampton: ", *wanted.count, " fixed-interface modes wanted, but there are only ", available))});
  // (3): with the interface held, K_II φ = ω² M_II φ
  const MatrixX inner = limited_modes(body, dofs, factor.get(), wanted).shapes;
  MatrixX basis = MatrixX::Zero(body.num_dofs(), boundary.cols() + inner.cols());
  basis.leftCols(boundary.cols()) = boundary;
  scatter(inner, dofs.inner, basis.rightCols(inner.cols()));
  return basis;
}

VectorX held_squared_frequencies(const FiniteElementBody& body, const std::vector<int>& interface_nodes, int count,
                                 Space space) {
  const Partition dofs = split_dofs(body, interface_nodes, space);
  const std::unique_ptr<SparseFactor> factor = inner_factor(body, dofs);
  return limited_modes(body, dofs, factor.get(), {count, {}}).squared_frequencies;
}

MatrixX rubin_basis(const FiniteElementBody& body, const std::vector<int>& interface_nodes, const DynamicModes& wanted,
                    Space space) {
  const MatrixX rigid = rigid_modes(body, space);
  const std::vector<int> moving = moving_dofs(body, space);
  const int available = static_cast<int>(moving.size() - rigid.cols());
  if (wanted.count.value_or(0) > available)
    throw InputError(std::vector{error_of_key(
        "internal_modes", cat("Rubin: ", *wanted.count, " free modes wanted, but there are only ", available))});
  if (!wanted.count && !wanted.squared_limit) return unit_basis(body, space);  // all free modes span everything
  int count = wanted.count.value_or(available);
  if (wanted.squared_limit) {  // rigid motions have frequency zero
    const int below = count_modes_below(submatrix(body.stiffness, moving, moving), submatrix(body.mass, moving, moving),
                                        *wanted.squared_limit);
    count = std::clamp(below - static_cast<int>(rigid.cols()), 0, count);
  }
  const NaturalModes free = free_modes(body, count + static_cast<int>(rigid.cols()), space);
  MatrixX elastic = free.shapes.rightCols(count);
  elastic -= rigid * (rigid.transpose() * (body.mass * elastic));
  const Partition dofs = split_dofs(body, interface_nodes, space);
  const MatrixX residual = residual_modes(body, elastic, inertia_relief_modes(body, rigid, dofs.interface, moving));
  MatrixX basis(body.num_dofs(), rigid.cols() + elastic.cols() + residual.cols());
  basis << rigid, elastic, residual;
  return basis;
}

MatrixX attachment_shapes(const FiniteElementBody& body, const std::vector<int>& dofs, Space space) {
  return inertia_relief_modes(body, rigid_modes(body, space), dofs, moving_dofs(body, space));
}

struct HeldBody::Factor {
  Eigen::Index num_dofs = 0;
  std::vector<int> inner;
  SparseMatrix stiffness;
  std::unique_ptr<SparseFactor> factor;
};

HeldBody::HeldBody(const FiniteElementBody& body, int node, Space space) : factor_(std::make_unique<Factor>()) {
  factor_->num_dofs = body.num_dofs();
  factor_->inner = split_dofs(body, {node}, space).inner;
  factor_->stiffness = submatrix(body.stiffness, factor_->inner, factor_->inner);
  factor_->factor = factor_of_held(SparseMatrix(factor_->stiffness), "the body has parts that move without stress");
}
HeldBody::~HeldBody() = default;

MatrixX HeldBody::displacements(const MatrixX& forces) const {
  const MatrixX acting = forces(factor_->inner, Eigen::all);
  MatrixX inner = factor_->factor->solve(acting);
  inner += factor_->factor->solve(MatrixX(acting - factor_->stiffness * inner));  // what rounding left over
  MatrixX result = MatrixX::Zero(factor_->num_dofs, forces.cols());
  scatter(inner, factor_->inner, result);
  return result;
}

}  // namespace lithe
