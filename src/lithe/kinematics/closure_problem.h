// Closure of a set of cut joints as a least-squares problem in scaled coordinates. Private to this folder.
#pragma once

#include <random>
#include <vector>

#include "lithe/kinematics/closure_rows.h"

namespace lithe {

class ClosureProblem {
 public:
  // Of the coordinates listed, those not fixed are unknowns.
  ClosureProblem(const Mechanism& mechanism, const std::vector<int>& cuts, const std::vector<int>& coordinates,
                 const std::vector<bool>& fixed, Configuration& configuration, KinematicState& state);

  int num_rows() const { return num_rows_; }
  int num_unknowns() const { return static_cast<int>(unknowns_.size()); }
  void residual(VectorX& out);
  void jacobian(MatrixX& out);
  void move(const VectorX& step);
  // Moves the unknowns by up to `size` each, in a direction that is the same in every run.
  void move_guess(double size, std::mt19937& random);

  const Mechanism& mechanism() const { return mechanism_; }
  const KinematicState& state() const { return state_; }
  // Column of a coordinate, -1 for a fixed one, and its scale.
  int column_of(int coordinate) const { return column_[coordinate]; }
  double scale_of(int column) const { return scale_[column]; }

 private:
  const Mechanism& mechanism_;
  const std::vector<int>& cuts_;
  Configuration& configuration_;
  KinematicState& state_;
  std::vector<int> unknowns_, column_;
  std::vector<double> scale_;
  int num_rows_ = 0;
};

}  // namespace lithe
