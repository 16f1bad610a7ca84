#include "lithe/reduce/solvers/eigensolver.h"

#include <algorithm>
#include <cmath>

#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/reduce/solvers/block_lanczos.h"

namespace lithe {
namespace {

SparseEigenSolver sparse_solver = &subspace_iteration;

// Column scaling that makes the diagonal of K and M of order one; translations and rotations, light and heavy parts
// differ by many powers of ten and would spoil the Cholesky factor and the search for massless directions.
VectorX scaling(const MatrixX& stiffness, const MatrixX& mass) {
  VectorX scale = mass.diagonal().cwiseMax(0.0);
  const double mass_level = scale.maxCoeff(), stiffness_level = stiffness.diagonal().maxCoeff();
  for (Eigen::Index k = 0; k < scale.size(); ++k) {
    const double from_stiffness = stiffness_level > 0 ? stiffness(k, k) / stiffness_level * mass_level : 0.0;
    const double level = scale(k) > 1e-14 * mass_level ? scale(k) : from_stiffness;
    scale(k) = level > 0 ? 1.0 / std::sqrt(level) : 1.0;
  }
  return scale;
}

NaturalModes modes_of_definite_mass(const MatrixX& stiffness, const MatrixX& mass) {
  SymmetricPairs pairs = symmetric_pairs(stiffness, mass);
  return {std::move(pairs.values), std::move(pairs.vectors)};
}

// z = T₁ z₁ + T₀ z₀ with M T₀ = 0: the massless z₀ follows from K₀₁ z₁ + K₀₀ z₀ = 0 (docs/theory/reduction.md (8)).
NaturalModes modes_with_massless_part(const MatrixX& stiffness, const SymmetricPairs& mass, Eigen::Index num_massless) {
  const Eigen::Index num_heavy = mass.values.size() - num_massless;
  const MatrixX massless = mass.vectors.leftCols(num_massless);
  const MatrixX heavy =
      mass.vectors.rightCols(num_heavy) * mass.values.tail(num_heavy).cwiseSqrt().cwiseInverse().asDiagonal();
  const SymmetricPairs unconstrained = symmetric_pairs(massless.transpose() * stiffness * massless);
  if (unconstrained.values(0) <= 1e-12 * stiffness.norm())
    throw InputError("part of the body can move with neither mass nor stiffness");
  const MatrixX following = -unconstrained.vectors * unconstrained.values.cwiseInverse().asDiagonal() *
                            unconstrained.vectors.transpose() * massless.transpose() * stiffness * heavy;
  const MatrixX basis = heavy + massless * following;
  const SymmetricPairs pairs = symmetric_pairs(basis.transpose() * stiffness * basis);
  return {pairs.values, basis * pairs.vectors};
}

// K + |σ| M with a shift of the size of the lowest elastic frequencies, so that these are well separated from the rest
// and rigid motions do not drown them. Held bodies need none.
struct ShiftedProblem {
  double shift = 0;
  std::unique_ptr<SparseFactor> factor;
};

ShiftedProblem shifted_problem(const SparseMatrix& stiffness, const SparseMatrix& mass) {
  constexpr double far = 1e4;
  double level = 1e-9 * stiffness.diagonal().sum() / mass.diagonal().sum();
  ShiftedProblem best;
  for (int attempt = 0; attempt < 6; ++attempt) {
    std::unique_ptr<SparseFactor> factor = factorise(stiffness + level * mass);
    if (!factor || !factor->definite()) {
      if (best.factor || attempt == 5) break;
      level *= far;
      continue;
    }
    best = {-level, std::move(factor)};
    const double estimate = std::abs(estimated_squared_frequency(*best.factor, mass, best.shift));
    if (estimate >= level / 10 && estimate <= far * level) break;
    level = estimate;
  }
  if (!best.factor) throw InputError("part of the body can move with neither mass nor stiffness");
  return best;
}

// A Lanczos process can miss copies of multiple frequencies (rigid motions, square sections): Sylvester's law tells. Of
// large bodies its blocks must do, which find up to eight copies: another factor takes as long as everything else.
constexpr Eigen::Index largest_checked = 30'000;
bool none_missing(const SparseMatrix& stiffness, const SparseMatrix& mass, const NaturalModes& modes, double shift) {
  if (stiffness.rows() > largest_checked) return true;
  const double highest = modes.squared_frequencies(modes.squared_frequencies.size() - 1);
  const double limit = highest - 1e-6 * (highest - shift);
  return count_modes_below(stiffness, mass, limit) == (modes.squared_frequencies.array() < limit).count();
}

NaturalModes large_problem(const SparseMatrix& stiffness, const SparseMatrix& mass, int count) {
  const ShiftedProblem problem = shifted_problem(stiffness, mass);
  std::optional<NaturalModes> modes = block_lanczos(*problem.factor, mass, count, problem.shift);
  if (modes && none_missing(stiffness, mass, *modes, problem.shift)) return *std::move(modes);
  const double shift = -std::abs(problem.shift);
  modes = sparse_solver(stiffness, mass, count, shift);
  return none_missing(stiffness, mass, *modes, shift) ? *std::move(modes)
                                                      : subspace_iteration(stiffness, mass, count, shift);
}

}  // namespace

NaturalModes natural_modes(const MatrixX& stiffness, const MatrixX& mass) {
  if (mass.rows() == 0) return {VectorX(0), MatrixX(0, 0)};
  const VectorX scale = scaling(stiffness, mass);
  const MatrixX scaled_stiffness = scale.asDiagonal() * stiffness * scale.asDiagonal();
  const MatrixX scaled_mass = scale.asDiagonal() * mass * scale.asDiagonal();
  const SymmetricPairs mass_levels = symmetric_pairs(scaled_mass);
  constexpr double massless = 1e-13;  // of the largest: what rounding leaves of a direction without mass
  const VectorX& levels = mass_levels.values;
  const Eigen::Index num_massless = (levels.array() <= massless * levels.maxCoeff()).count();
  if (num_massless == levels.size()) throw InputError("the body has no mass");
  NaturalModes modes = num_massless == 0 ? modes_of_definite_mass(scaled_stiffness, scaled_mass)
                                         : modes_with_massless_part(scaled_stiffness, mass_levels, num_massless);
  modes.shapes = scale.asDiagonal() * modes.shapes;
  return modes;
}

NaturalModes subspace_iteration(const SparseMatrix& stiffness, const SparseMatrix& mass, int count, double shift) {
  const Eigen::Index n = stiffness.rows();
  const Eigen::Index width = std::min<Eigen::Index>(n, std::max(2 * count, count + 16));
  const SparseMatrix shifted = stiffness - shift * mass;
  const std::unique_ptr<SparseFactor> factor = factorise(SparseMatrix(shifted));
  if (!factor) throw InputError("part of the body can move with neither mass nor stiffness");
  // A fixed start with some of every mode: results must not depend on a random seed.
  MatrixX block(n, width);
  for (Eigen::Index j = 0; j < width; ++j)
    for (Eigen::Index i = 0; i < n; ++i)
      block(i, j) = std::sin(1.0 + 0.7 * static_cast<double>((i + 1) * (j + 1) % 9973));
  VectorX last = VectorX::Zero(count);
  constexpr int max_iterations = 200;
  NaturalModes modes;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    block = factor->solve(mass * block);
    block.colwise().normalize();
    modes = natural_modes(block.transpose() * (shifted * block), block.transpose() * (mass * block));
    block = (block * modes.shapes).eval();
    const VectorX now = modes.squared_frequencies.head(count);
    if (((now - last).array().abs() <= 1e-13 * now.array().abs()).all()) break;
    last = now;
  }
  return {modes.squared_frequencies.head(count).array() + shift, block.leftCols(count)};
}

void set_sparse_eigensolver(SparseEigenSolver solver) { sparse_solver = solver ? solver : &subspace_iteration; }

void demand_dense_size(int num_unknowns) {
  if (num_unknowns > largest_dense_size)
    throw InputError(cat("all modes of ", num_unknowns, " unknowns are too many to compute (at most ",
                         largest_dense_size,
                         "): give a number of modes or a highest frequency, or use fewer elements"));
}

NaturalModes lowest_modes(const SparseMatrix& stiffness, const SparseMatrix& mass, int count) {
  const Eigen::Index n = stiffness.rows();
  if (count <= 0) return {VectorX(0), MatrixX(n, 0)};
  if (n > largest_dense_problem && 3 * count < n) return large_problem(stiffness, mass, count);
  demand_dense_size(static_cast<int>(n));
  NaturalModes modes = natural_modes(MatrixX(stiffness), MatrixX(mass));
  if (count > modes.squared_frequencies.size())
    throw InputError(cat(count, " modes wanted, but the body has only ", modes.squared_frequencies.size()));
  return {modes.squared_frequencies.head(count), modes.shapes.leftCols(count)};
}

NaturalModes lowest_modes_held(const SparseFactor& factor, const std::function<SparseMatrix()>& stiffness,
                               const SparseMatrix& mass, int count) {
  const Eigen::Index n = mass.rows();
  if (count > 0 && n > largest_dense_problem && 3 * count < n) {
    std::optional<NaturalModes> modes = block_lanczos(factor, mass, count, 0);
    if (modes && (n > largest_checked || none_missing(stiffness(), mass, *modes, 0))) return *std::move(modes);
  }
  return lowest_modes(stiffness(), mass, count);
}

int count_modes_below(const SparseMatrix& stiffness, const SparseMatrix& mass, double squared_frequency) {
  double level = squared_frequency;
  for (int attempt = 0; attempt < 4; ++attempt) {
    if (const std::unique_ptr<SparseFactor> factor = factorise(stiffness - level * mass)) return factor->num_negative();
    level *= 1 - 1e-9;  // it is a frequency itself
  }
  throw InputError("part of the body can move with neither mass nor stiffness");
}

}  // namespace lithe
