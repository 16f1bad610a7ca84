// Strictly convex quadratic programs of the size of a predictive controller:
//   minimise ½ xᵀHx + gᵀx   subject to   lower ≤ A x ≤ upper.
// The dual active-set method of Goldfarb and Idnani (1983), started from the active set of the last solution. H and A
// are fixed at set-up; solving allocates nothing. docs/theory/control.md.
#pragma once

#include <Eigen/Cholesky>
#include <string>
#include <vector>

#include "lithe/base/math.h"

namespace lithe {

enum class QpStatus {
  solved,
  infeasible,       // no x satisfies the constraints; see QuadraticProgram::conflict()
  iteration_limit,  // not reached in practice; the last x does not satisfy all constraints
  not_finite,       // a number that went in is not finite
};
std::string describe(QpStatus status);

// One side of a constraint: side +1 its lower limit, -1 its upper one.
struct QpSide {
  int constraint = 0;
  int side = 1;
  double weight = 0;
};

class QuadraticProgram {
 public:
  // Throws InputError when H is not symmetric positive definite or the sizes do not fit.
  QuadraticProgram(const MatrixX& hessian, const MatrixX& constraints);

  // Limits may be infinite; equal ones make an equation.
  QpStatus solve(const VectorX& gradient, const VectorX& lower, const VectorX& upper);

  const VectorX& solution() const { return x_; }
  // Of the constraints, H x + g = Aᵀ y: positive at a lower limit, negative at an upper one, zero where inactive.
  const VectorX& multipliers() const { return multipliers_; }
  // Why there is no solution: positive weights w with Σ w side a = 0 and Σ w (side limit) > 0, a sum of the constraints
  // that contradicts itself.
  const std::vector<QpSide>& conflict() const { return conflict_; }
  // The limits at which the solution lies, their weights being the multipliers.
  const std::vector<QpSide>& active() const { return active_; }
  int iterations() const { return iterations_; }
  // The next solve starts from the unconstrained minimum.
  void forget() { active_.clear(); }
  // Where the next solve starts, instead of the last active set.
  void suggest(const std::vector<QpSide>& sides) { active_ = sides; }

  Eigen::Index num_variables() const { return x_.size(); }
  Eigen::Index num_constraints() const { return columns_.cols(); }

 private:
  double limit(const QpSide& side) const {
    return side.side > 0 ? (*lower_)[side.constraint] : -(*upper_)[side.constraint];
  }
  bool is_equation(int constraint) const { return (*lower_)[constraint] == (*upper_)[constraint]; }
  void sort_rows();
  void evaluate_constraints();
  void begin();
  void begin_from_active();
  void solve_active();
  void drop_negative();
  void prepare_normal(const QpSide& side);
  bool append(const QpSide& side);
  void drop(Eigen::Index position);
  bool most_violated(QpSide& worst);
  bool crossed_limits();
  QpStatus satisfy(QpSide side);
  void report_conflict(const QpSide& side);
  void collect();

  // A constraint on one or two variables, as limits of inputs and of their rates are; count 0: on more.
  struct ShortRow {
    int count = 0;
    Eigen::Index index[2] = {0, 0};
    double value[2] = {0, 0};
  };

  Eigen::LLT<MatrixX> cholesky_;
  std::vector<ShortRow> short_rows_;     // one per constraint
  std::vector<Eigen::Index> long_rows_;  // those of count 0
  MatrixX long_columns_;
  VectorX long_values_;
  MatrixX start_j_, columns_;  // L⁻ᵀ; Aᵀ
  VectorX norm_;               // of L⁻¹ a, by which violations are compared
  MatrixX j_, r_;              // Jᵀ N = [R; 0] of the active normals N, J Jᵀ = H⁻¹
  VectorX x_, free_, d_, z_, ratio_, values_, normal_, multipliers_, scratch_;
  VectorX u_;  // multipliers of active_, all positive but for equations
  std::vector<QpSide> active_, suggested_, conflict_;
  Eigen::Index count_ = 0;
  int iterations_ = 0;
  const VectorX *lower_ = nullptr, *upper_ = nullptr;
};

}  // namespace lithe
