// Closes loop groups one after the other.
#include <algorithm>
#include <cmath>
#include <random>

#include "lithe/base/text.h"
#include "lithe/kinematics/closure_problem.h"
#include "lithe/kinematics/least_squares.h"

namespace lithe {
namespace {

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
    ClosureProblem problem(mechanism, group.cuts, group.coordinates, fixed, posture, state);
    if (attempt > 0) {
      ++report.num_restarts;
      posture.coordinates = guess;
      problem.move_guess(0.05 * std::pow(1.6, attempt - 1), random);
    }
    LeastSquares<ClosureProblem> solver(problem, options);
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
