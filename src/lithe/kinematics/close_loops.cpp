// Damped least squares (Levenberg-Marquardt) on the scaled closure of one loop group after the other.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <random>

#include "lithe/base/text.h"
#include "lithe/kinematics/closure_rows.h"

namespace lithe {
namespace {

// Unknowns x = β / scale of the coordinates that may move; rows scaled so that all are comparable with radians.
class GroupSolver {
 public:
  GroupSolver(const Mechanism& mechanism, const LoopGroup& group, const std::vector<bool>& fixed,
              const ClosureOptions& options, Posture& posture, KinematicState& state)
      : mechanism_(mechanism), group_(group), options_(options), posture_(posture), state_(state) {
    column_.assign(mechanism.num_coordinates(), -1);
    for (int c : group.coordinates) {
      if (!fixed.empty() && fixed[c]) continue;
      column_[c] = static_cast<int>(free_.size());
      free_.push_back(c);
      const bool slides = mechanism.frames()[mechanism.frame_of_coordinate(c)].motion == FrameMotion::prismatic;
      scale_.push_back(slides ? mechanism.length_scale() : 1.0);
    }
    residual_.resize(group.num_rows);
    trial_residual_.resize(group.num_rows);
    jacobian_.resize(group.num_rows, free_.size());
  }

  ClosureStatus solve(int& num_iterations) {
    evaluate_residual(residual_);
    for (int iteration = 0; iteration < options_.max_iterations; ++iteration) {
      if (residual_.cwiseAbs().maxCoeff() <= options_.tolerance) {
        polish();
        return ClosureStatus::closed;
      }
      ++num_iterations;
      evaluate_jacobian();
      gradient_ = jacobian_.transpose() * residual_;
      normal_ = jacobian_.transpose() * jacobian_;
      largest_ = free_.empty() ? 0.0 : normal_.diagonal().maxCoeff();
      if (free_.empty() || gradient_.norm() <= 1e-9 * std::sqrt(largest_) * residual_.norm())
        return ClosureStatus::unreachable;
      if (!step()) return ClosureStatus::unreachable;
    }
    return ClosureStatus::stalled;
  }

  double error() const { return residual_.size() ? residual_.cwiseAbs().maxCoeff() : 0.0; }

  void move_guess(double size, std::mt19937& random) {
    for (size_t k = 0; k < free_.size(); ++k) {
      const double uniform = 2.0 * random() / 4294967295.0 - 1.0;
      posture_.coordinates[free_[k]] += size * scale_[k] * uniform;
    }
  }

 private:
  const Mechanism& mechanism_;
  const LoopGroup& group_;
  const ClosureOptions& options_;
  Posture& posture_;
  KinematicState& state_;
  std::vector<int> free_, column_;
  std::vector<double> scale_;
  VectorX residual_, trial_residual_, gradient_;
  MatrixX jacobian_, normal_;
  double damping_ = 1, largest_ = 0;

  void evaluate_residual(VectorX& residual) {
    update_position(mechanism_, posture_, state_);
    int row = 0;
    for (int k : group_.cuts) {
      const CutJoint& cut = mechanism_.cuts()[k];
      const RelativePose pose = relative_pose(cut, state_);
      put_rows(cut.type, pose.position / mechanism_.length_scale(), chords(cut.type, pose.rotation),
               residual.segment(row, cut.num_rows));
      row += cut.num_rows;
    }
  }

  void evaluate_jacobian() {
    jacobian_.setZero();
    int row = 0;
    for (int k : group_.cuts) {
      const CutJoint& cut = mechanism_.cuts()[k];
      int directions[3];
      const int num_translations = translation_rows(cut.type, directions);
      each_column(mechanism_, cut, state_, chord_rows, [&](int member, const Vector6& rows) {
        const int column = column_[cut.coordinates[member].coordinate];
        if (column < 0) return;
        for (int i = 0; i < cut.num_rows; ++i) {
          const double unit = i < num_translations ? 1 / mechanism_.length_scale() : 1.0;
          jacobian_(row + i, column) = rows[i] * unit * scale_[column];
        }
      });
      row += cut.num_rows;
    }
  }

  // One accepted step; damping proportional to the squared residual keeps convergence quadratic even where the
  // Jacobian is rank deficient (redundant freedoms or overconstrained loops).
  bool step() {
    const double floor = 1e-14 * largest_;
    for (int attempt = 0; attempt < 30; ++attempt) {
      const double mu = std::max(floor, damping_ * std::min(residual_.squaredNorm(), largest_));
      MatrixX damped = normal_;
      damped.diagonal().array() += mu;
      VectorX move = damped.ldlt().solve(-gradient_);
      const double longest = move.cwiseAbs().maxCoeff();
      if (!(longest > 1e-15)) return false;
      if (longest > options_.max_step) move *= options_.max_step / longest;
      if (try_move(move)) {
        damping_ = std::max(damping_ / 4, 1e-6);
        return true;
      }
      damping_ *= 4;
    }
    return false;
  }

  bool try_move(const VectorX& move) {
    for (size_t k = 0; k < free_.size(); ++k) posture_.coordinates[free_[k]] += scale_[k] * move[k];
    evaluate_residual(trial_residual_);
    if (trial_residual_.squaredNorm() < residual_.squaredNorm()) {
      residual_.swap(trial_residual_);
      return true;
    }
    for (size_t k = 0; k < free_.size(); ++k) posture_.coordinates[free_[k]] -= scale_[k] * move[k];
    evaluate_residual(trial_residual_);
    return false;
  }

  // Quadratic convergence makes one more step nearly free and takes the residual to rounding.
  void polish() {
    if (free_.empty()) return;
    evaluate_jacobian();
    gradient_ = jacobian_.transpose() * residual_;
    normal_ = jacobian_.transpose() * jacobian_;
    normal_.diagonal().array() += 1e-12 * normal_.diagonal().maxCoeff();
    try_move(normal_.ldlt().solve(-gradient_));
  }
};

// Starts again from moved guesses when the given one leads nowhere: a symmetric (singular) start is a stationary point
// of the gap although the loop can be closed.
ClosureStatus solve_group(const Mechanism& mechanism, const LoopGroup& group, const std::vector<bool>& fixed,
                          const ClosureOptions& options, Posture& posture, KinematicState& state,
                          ClosureReport& report) {
  const VectorX guess = posture.coordinates;
  VectorX best = guess;
  double least = 0;
  ClosureStatus best_status = ClosureStatus::stalled;
  std::mt19937 random(1);
  for (int attempt = 0; attempt <= options.num_restarts; ++attempt) {
    GroupSolver solver(mechanism, group, fixed, options, posture, state);
    if (attempt > 0) {
      ++report.num_restarts;
      posture.coordinates = guess;
      solver.move_guess(0.05 * std::pow(1.6, attempt - 1), random);
    }
    const ClosureStatus status = solver.solve(report.num_iterations);
    if (attempt == 0 || status == ClosureStatus::closed || solver.error() < least) {
      best = posture.coordinates;
      least = solver.error();
      best_status = status;
    }
    if (status == ClosureStatus::closed) break;
  }
  posture.coordinates = best;
  return best_status;
}

// Gap and misalignment of the worst loop.
void measure(const Mechanism& mechanism, const KinematicState& state, ClosureReport& report) {
  double worst = -1;
  for (int k = 0; k < static_cast<int>(mechanism.cuts().size()); ++k) {
    const CutJoint& cut = mechanism.cuts()[k];
    const RelativePose pose = relative_pose(cut, state);
    int rows[3];
    double squared_gap = 0;
    for (int i = 0, n = translation_rows(cut.type, rows); i < n; ++i)
      squared_gap += pose.position[rows[i]] * pose.position[rows[i]];
    const double gap = std::sqrt(squared_gap);
    const double turn = 2 * std::asin(std::min(1.0, 0.5 * chords(cut.type, pose.rotation).norm()));
    const double size = std::max(gap / mechanism.length_scale(), turn);
    if (size <= worst) continue;
    worst = size;
    report.worst_cut = k;
    report.gap = gap;
    report.misalignment = turn;
  }
}

std::string failure(const Mechanism& mechanism, const std::vector<bool>& fixed, const ClosureReport& report) {
  const CutJoint& cut = mechanism.cuts()[report.worst_cut];
  std::string held;
  if (!fixed.empty())
    for (const LoopCoordinate& member : cut.coordinates)
      if (fixed[member.coordinate])
        held += (held.empty() ? "'" : ", '") + mechanism.coordinate_name(member.coordinate) + "'";
  std::string message = cat(describe_loop(mechanism, cut), " cannot be closed", held.empty() ? "" : " with ", held,
                            held.empty() ? "" : " held", ": at joint '", mechanism.joint_name(cut.joint), "' a gap of ",
                            report.gap, " m");
  if (num_rotation_rows(cut.type) > 0) message += cat(" and a misalignment of ", report.misalignment, " rad");
  message += report.status == ClosureStatus::unreachable
                 ? " remains at the nearest approach; the posture is out of reach"
                 : cat(" remains after ", report.num_iterations, " iterations; the posture is singular or nearly so");
  return message;
}

}  // namespace

ClosureReport close_loops(const Mechanism& mechanism, Posture& posture, const std::vector<bool>& fixed,
                          const ClosureOptions& options) {
  ClosureReport report;
  KinematicState state(mechanism);
  for (const LoopGroup& group : mechanism.loop_groups()) {
    const ClosureStatus status = solve_group(mechanism, group, fixed, options, posture, state, report);
    if (report.closed()) report.status = status;
  }
  update_position(mechanism, posture, state);
  measure(mechanism, state, report);
  if (!report.closed()) report.message = failure(mechanism, fixed, report);
  return report;
}

}  // namespace lithe
