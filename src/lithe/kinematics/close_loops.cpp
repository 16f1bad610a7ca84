// Closes loop groups one after the other.
#include <algorithm>
#include <cmath>
#include <random>

#include "lithe/base/text.h"
#include "lithe/kinematics/closure_problem.h"
#include "lithe/kinematics/least_squares.h"
#include "lithe/kinematics/open_loops.h"

namespace lithe {
namespace {

// Starts again from moved guesses when the given one leads nowhere: a symmetric (singular) start is a stationary point
// of the gap although the loop can be closed.
ClosureStatus solve_group(const Mechanism& mechanism, const LoopGroup& group, const std::vector<bool>& fixed,
                          const ClosureOptions& options, Configuration& configuration, KinematicState& state,
                          ClosureReport& report) {
  const VectorX guess = configuration.coordinates;
  VectorX best = guess;
  double least = 0;
  ClosureStatus best_status = ClosureStatus::stalled;
  std::mt19937 random(1);
  for (int attempt = 0; attempt <= options.num_restarts; ++attempt) {
    ClosureProblem problem(mechanism, group.cuts, group.coordinates, fixed, configuration, state);
    if (attempt > 0) {
      ++report.num_restarts;
      configuration.coordinates = guess;
      problem.move_guess(0.05 * std::pow(1.6, attempt - 1), random);
    }
    LeastSquares<ClosureProblem> solver(problem, options);
    const ClosureStatus status = solver.solve(report.num_iterations);
    if (attempt == 0 || status == ClosureStatus::closed || solver.error() < least) {
      best = configuration.coordinates;
      least = solver.error();
      best_status = status;
    }
    if (status == ClosureStatus::closed) break;
  }
  configuration.coordinates = best;
  return best_status;
}

// Gap and misalignment of one loop, and their size relative to the mechanism's.
struct Opening {
  double gap = 0, misalignment = 0, size = 0;
};

Opening opening_of(const Mechanism& mechanism, const CutJoint& cut, const KinematicState& state) {
  if (cut.couples()) {
    const double off = std::abs(coupled_sum(cut, state.coordinates) - cut.offset);
    if (mechanism.is_length(cut, 0)) return {off, 0, off / mechanism.length_scale()};
    return {0, off, off};
  }
  const RelativePose pose = relative_pose(cut, state);
  int rows[3];
  double squared_gap = 0;
  for (int i = 0, n = translation_rows(cut.type, rows); i < n; ++i)
    squared_gap += pose.position[rows[i]] * pose.position[rows[i]];
  Opening opening;
  opening.gap = std::sqrt(squared_gap);
  opening.misalignment = 2 * std::asin(std::min(1.0, 0.5 * chords(cut.type, pose.rotation).norm()));
  opening.size = std::max(opening.gap / mechanism.length_scale(), opening.misalignment);
  return opening;
}

// The worst of some loops.
OpenLoop widest(const Mechanism& mechanism, const std::vector<int>& cuts, const KinematicState& state) {
  OpenLoop result;
  double worst = -1;
  for (const int k : cuts) {
    const Opening opening = opening_of(mechanism, mechanism.cuts()[k], state);
    if (opening.size <= worst) continue;
    worst = opening.size;
    result.cut = k;
    result.gap = opening.gap;
    result.misalignment = opening.misalignment;
  }
  return result;
}

std::string failure(const Mechanism& mechanism, const std::vector<bool>& fixed, const OpenLoop& open,
                    ClosureStatus status, int num_iterations) {
  const CutJoint& cut = mechanism.cuts()[open.cut];
  std::string held;
  if (!fixed.empty())
    for (const LoopCoordinate& member : cut.coordinates)
      if (fixed[member.coordinate])
        held += (held.empty() ? "'" : ", '") + mechanism.coordinate_name(member.coordinate) + "'";
  if (cut.couples())
    return cat(describe_loop(mechanism, cut), " of joint '", mechanism.joint_name(cut.joint), "' cannot be met",
               held.empty() ? "" : " with ", held, held.empty() ? "" : " held", ": it is off by ",
               open.gap + open.misalignment, mechanism.is_length(cut, 0) ? " m" : " rad");
  std::string message =
      cat(describe_loop(mechanism, cut), " cannot be closed", held.empty() ? "" : " with ", held,
          held.empty() ? "" : " held", ": at joint '", mechanism.joint_name(cut.joint), "' a gap of ", open.gap, " m");
  if (num_rotation_rows(cut.type) > 0) message += cat(" and a misalignment of ", open.misalignment, " rad");
  message += status == ClosureStatus::unreachable
                 ? " remains at the nearest approach; the configuration is out of reach"
                 : cat(" remains after ", num_iterations, " iterations; the configuration is singular or nearly so");
  return message;
}

}  // namespace

GroupClosures close_groups(const Mechanism& mechanism, Configuration& configuration, const std::vector<bool>& fixed,
                           const ClosureOptions& options) {
  GroupClosures result;
  ClosureReport& report = result.report;
  KinematicState state(mechanism);
  std::vector<int> cuts;
  for (const LoopGroup& group : mechanism.loop_groups()) {
    const ClosureStatus status = solve_group(mechanism, group, fixed, options, configuration, state, report);
    cuts.insert(cuts.end(), group.cuts.begin(), group.cuts.end());
    if (status == ClosureStatus::closed) continue;
    if (report.closed()) report.status = status;
    update_position(mechanism, configuration, state);
    OpenLoop open = widest(mechanism, group.cuts, state);
    open.message = failure(mechanism, fixed, open, status, report.num_iterations);
    report.message += (report.message.empty() ? "" : "; ") + open.message;
    result.open.push_back(std::move(open));
  }
  update_position(mechanism, configuration, state);
  const OpenLoop worst = widest(mechanism, cuts, state);
  report.worst_cut = worst.cut;
  report.gap = worst.gap;
  report.misalignment = worst.misalignment;
  return result;
}

ClosureReport close_loops(const Mechanism& mechanism, Configuration& configuration, const std::vector<bool>& fixed,
                          const ClosureOptions& options) {
  return close_groups(mechanism, configuration, fixed, options).report;
}

}  // namespace lithe
