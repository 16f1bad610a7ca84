#include "lithe/kinematics/closure_problem.h"

namespace lithe {

ClosureProblem::ClosureProblem(const Mechanism& mechanism, const std::vector<int>& cuts,
                               const std::vector<int>& coordinates, const std::vector<bool>& fixed,
                               Configuration& configuration, KinematicState& state)
    : mechanism_(mechanism),
      cuts_(cuts),
      configuration_(configuration),
      state_(state),
      column_(mechanism.num_coordinates(), -1) {
  for (int c : coordinates) {
    if (!fixed.empty() && fixed[c]) continue;
    column_[c] = num_unknowns();
    unknowns_.push_back(c);
    const bool slides = mechanism.frames()[mechanism.frame_of_coordinate(c)].motion == FrameMotion::prismatic;
    scale_.push_back(slides ? mechanism.length_scale() : 1.0);
  }
  for (int k : cuts) num_rows_ += mechanism.cuts()[k].num_rows;
}

void ClosureProblem::residual(VectorX& out) {
  update_position(mechanism_, configuration_, state_);
  int row = 0;
  for (int k : cuts_) {
    const CutJoint& cut = mechanism_.cuts()[k];
    put_residual(cut, state_, chords, out.segment(row, cut.num_rows));
    for (int i = 0; i < cut.num_rows; ++i, ++row)
      if (mechanism_.is_length(cut, i)) out[row] /= mechanism_.length_scale();
  }
}

void ClosureProblem::jacobian(MatrixX& out) {
  update_position(mechanism_, configuration_, state_);
  out.setZero();
  int row = 0;
  for (int k : cuts_) {
    const CutJoint& cut = mechanism_.cuts()[k];
    each_column(mechanism_, cut, state_, chord_rows, [&](int member, const Vector6& rows) {
      const int column = column_[cut.coordinates[member].coordinate];
      if (column < 0) return;
      for (int i = 0; i < cut.num_rows; ++i) {
        const double unit = mechanism_.is_length(cut, i) ? 1 / mechanism_.length_scale() : 1.0;
        out(row + i, column) = rows[i] * unit * scale_[column];
      }
    });
    row += cut.num_rows;
  }
}

void ClosureProblem::move(const VectorX& step) {
  for (int k = 0; k < num_unknowns(); ++k) configuration_.coordinates[unknowns_[k]] += scale_[k] * step[k];
}

void ClosureProblem::move_guess(double size, std::mt19937& random) {
  for (int k = 0; k < num_unknowns(); ++k) {
    const double uniform = 2.0 * random() / 4294967295.0 - 1.0;  // std's distributions differ between libraries
    configuration_.coordinates[unknowns_[k]] += size * scale_[k] * uniform;
  }
}

}  // namespace lithe
