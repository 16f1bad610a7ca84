#include "lithe/kinematics/configuration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/kinematics/closure_problem.h"
#include "lithe/kinematics/cut_motion.h"
#include "lithe/kinematics/least_squares.h"
#include "lithe/kinematics/open_loops.h"
#include "lithe/model/error_at.h"

namespace lithe {
namespace {

std::vector<int> all_of(int count) {
  std::vector<int> result(count);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

bool is_given(const Joint& joint, int freedom) {
  return freedom < static_cast<int>(joint.initial_value_given.size()) && joint.initial_value_given[freedom];
}

std::vector<bool> given_coordinates(const Mechanism& mechanism, const Model& model) {
  std::vector<bool> given(mechanism.num_coordinates(), false);
  for (int c = 0; c < mechanism.num_coordinates(); ++c) {
    const TreeFrame& frame = mechanism.frames()[mechanism.frame_of_coordinate(c)];
    given[c] = is_given(model.joints[frame.joint], frame.freedom);
  }
  return given;
}

// A given value of a joint that is cut.
struct GivenCut {
  int cut = -1;
  int freedom = 0;
  double value = 0;
  double unit = 1;  // scale to radians
  bool angle = true;
};

std::vector<GivenCut> given_cuts(const Mechanism& mechanism, const Model& model) {
  std::vector<GivenCut> given;
  for (int k = 0; k < static_cast<int>(mechanism.cuts().size()); ++k) {
    const CutJoint& cut = mechanism.cuts()[k];
    if (cut.couples()) continue;
    const std::vector<Freedom>& freedoms = freedoms_of(cut.type);
    for (int f = 0; f < static_cast<int>(freedoms.size()); ++f) {
      if (!is_given(model.joints[cut.joint], f)) continue;
      const bool angle = freedoms[f].motion == FrameMotion::revolute;
      given.push_back(
          {k, f, model.joints[cut.joint].initial_value[f], angle ? 1.0 : 1 / mechanism.length_scale(), angle});
    }
  }
  return given;
}

double deviation(const GivenCut& given, double value) {
  constexpr double full_turn = 6.283185307179586476925;
  return given.angle ? std::remainder(value - given.value, full_turn) : value - given.value;
}

Pose node_pose(const Mechanism& mechanism, const Model& model, const KinematicState& state, const PoseTarget& target) {
  Pose X = state.in_world[mechanism.frame_of_link(target.link)];
  X.position = X * model.links[target.link].nodes[target.node].position;
  return X;
}

// Closure, targets and given values of cut joints together. Closure weighs most, so that where targets are out of reach
// they give way and the loops do not.
class ConfigurationProblem {
 public:
  ConfigurationProblem(const Mechanism& mechanism, const Model& model, const std::vector<bool>& fixed,
                       const std::vector<GivenCut>& given, Configuration& configuration, KinematicState& state)
      : model_(model),
        given_(given),
        cuts_(all_of(static_cast<int>(mechanism.cuts().size()))),
        coordinates_(all_of(mechanism.num_coordinates())),
        closure_(mechanism, cuts_, coordinates_, fixed, configuration, state),
        closure_residual_(closure_.num_rows()),
        closure_jacobian_(closure_.num_rows(), closure_.num_unknowns()) {
    num_rows_ = closure_.num_rows() + static_cast<int>(given.size());
    for (const PoseTarget& target : model.initial_configuration.targets) num_rows_ += target.orientation ? 6 : 3;
  }

  int num_rows() const { return num_rows_; }
  int num_closure_rows() const { return closure_.num_rows(); }
  int num_unknowns() const { return closure_.num_unknowns(); }
  void move(const VectorX& step) { closure_.move(step); }
  void move_guess(double size, std::mt19937& random) { closure_.move_guess(size, random); }

  void residual(VectorX& out) {
    closure_.residual(closure_residual_);
    out.head(closure_.num_rows()) = closure_weight * closure_residual_;
    int row = closure_.num_rows();
    for (const GivenCut& given : given_)
      out[row++] = given.unit * deviation(given, cut_values(cut_of(given), closure_.state())[given.freedom]);
    for (const PoseTarget& target : model_.initial_configuration.targets) {
      const Pose X = node_pose(closure_.mechanism(), model_, closure_.state(), target);
      out.segment<3>(row) = (X.position - target.position) / length();
      row += 3;
      if (!target.orientation) continue;
      out.segment<3>(row) = chords(JointType::fixed, X.rotation * target.orientation->transpose());
      row += 3;
    }
  }

  void jacobian(MatrixX& out) {
    out.setZero();
    closure_.jacobian(closure_jacobian_);
    out.topRows(closure_.num_rows()) = closure_weight * closure_jacobian_;
    int row = closure_.num_rows();
    for (const GivenCut& given : given_) add_given(given, row++, out);
    for (const PoseTarget& target : model_.initial_configuration.targets) {
      add_target(target, row, out);
      row += target.orientation ? 6 : 3;
    }
  }

 private:
  static constexpr double closure_weight = 100;
  const Model& model_;
  const std::vector<GivenCut>& given_;
  std::vector<int> cuts_, coordinates_;
  ClosureProblem closure_;
  VectorX closure_residual_;
  MatrixX closure_jacobian_;
  int num_rows_ = 0;

  double length() const { return closure_.mechanism().length_scale(); }
  const CutJoint& cut_of(const GivenCut& given) const { return closure_.mechanism().cuts()[given.cut]; }

  void add_given(const GivenCut& given, int row, MatrixX& out) const {
    const CutJoint& cut = cut_of(given);
    MatrixX rates(freedoms_of(cut.type).size(), cut.coordinates.size());
    cut_jacobian(closure_.mechanism(), cut, closure_.state(), rates);
    for (size_t k = 0; k < cut.coordinates.size(); ++k) {
      const int column = closure_.column_of(cut.coordinates[k].coordinate);
      if (column >= 0) out(row, column) = given.unit * rates(given.freedom, k) * closure_.scale_of(column);
    }
  }

  void add_target(const PoseTarget& target, int row, MatrixX& out) const {
    const Mechanism& mechanism = closure_.mechanism();
    const Pose X = node_pose(mechanism, model_, closure_.state(), target);
    const Matrix3 W =
        target.orientation ? chord_rows(JointType::fixed, X.rotation * target.orientation->transpose()) : Matrix3();
    for (int f = mechanism.frame_of_link(target.link); f >= 0; f = mechanism.frames()[f].parent) {
      const int coordinate = mechanism.frames()[f].coordinate;
      const int column = coordinate < 0 ? -1 : closure_.column_of(coordinate);
      if (column < 0) continue;
      const UnitTwist twist = unit_twist(mechanism, f, closure_.state(), X.position);
      out.block<3, 1>(row, column) = twist.velocity * (closure_.scale_of(column) / length());
      if (target.orientation) out.block<3, 1>(row + 3, column) = W * twist.angular_velocity * closure_.scale_of(column);
    }
  }
};

void measure_targets(const Mechanism& mechanism, const Model& model, const Configuration& configuration,
                     ConfigurationReport& report) {
  KinematicState state(mechanism);
  update_position(mechanism, configuration, state);
  report.targets.clear();
  for (const PoseTarget& target : model.initial_configuration.targets) {
    const Pose X = node_pose(mechanism, model, state, target);
    TargetReport found;
    found.distance = (X.position - target.position).norm();
    if (target.orientation)
      found.angle = Eigen::AngleAxisd(Matrix3(X.rotation * target.orientation->transpose())).angle();
    found.reached = found.distance <= 1e-9 * mechanism.length_scale() && found.angle <= 1e-8;
    report.targets.push_back(found);
  }
}

// With loops: closed first where they are guessed to be, then led towards the targets in small steps along what the
// loops allow, each closed again, so that they stay on their branch. All at once, a chain of 50 loops folds up on the
// way. Stops where it gets no nearer; true where targets and given values are reached.
bool lead_to_targets(const Mechanism& mechanism, const Model& model, const std::vector<bool>& fixed,
                     const std::vector<GivenCut>& given, Configuration& configuration) {
  constexpr int most_steps = 60;
  constexpr double longest_step = 0.05, reached = 1e-11;  // of a coordinate, rad; of the residual
  constexpr double closure_weight = 1e4;                  // beyond the problem's own: long chains of loops are soft
  ClosureOptions nearby;
  nearby.num_restarts = 0;
  KinematicState state(mechanism);
  double before = std::numeric_limits<double>::infinity();
  Configuration led = configuration;
  for (int step = 0; step < most_steps && close_groups(mechanism, led, fixed, nearby).open.empty(); ++step) {
    ConfigurationProblem problem(mechanism, model, fixed, given, led, state);
    const int closed_rows = problem.num_closure_rows();
    VectorX residual(problem.num_rows());
    MatrixX jacobian(problem.num_rows(), problem.num_unknowns());
    problem.move(VectorX::Zero(problem.num_unknowns()));  // the state of the configuration
    problem.residual(residual);
    residual.head(closed_rows).setZero();
    if (!(residual.norm() < 0.999 * before)) return false;
    before = residual.norm();
    configuration = led;
    if (before < reached) return true;
    problem.jacobian(jacobian);
    jacobian.topRows(closed_rows) *= closure_weight;
    VectorX way = shortest_least_squares(jacobian, -residual);
    way *= std::min(1.0, longest_step / way.lpNorm<Eigen::Infinity>());
    problem.move(way);
  }
  return false;
}

// Several starts: inverse kinematics has configurations in which the target is nearest without being reached.
void approach(const Mechanism& mechanism, const Model& model, const std::vector<bool>& fixed,
              const std::vector<GivenCut>& given, Configuration& configuration, ConfigurationReport& report) {
  ClosureOptions options;
  options.max_iterations = 200;
  constexpr int num_starts = 24;
  if (!mechanism.cuts().empty() && lead_to_targets(mechanism, model, fixed, given, configuration)) return;
  const VectorX guess = configuration.coordinates;
  VectorX best = guess;
  double least = -1;
  std::mt19937 random(1);
  KinematicState state(mechanism);
  for (int start = 0; start < num_starts; ++start) {
    configuration.coordinates = guess;
    ConfigurationProblem problem(mechanism, model, fixed, given, configuration, state);
    if (start > 0) problem.move_guess(std::min(3.0, 0.05 * std::pow(1.4, start - 1)), random);
    LeastSquares<ConfigurationProblem> solver(problem, options);
    const ClosureStatus status = solver.solve(report.num_iterations);
    if (least >= 0 && solver.error() >= least) continue;
    least = solver.error();
    best = configuration.coordinates;
    if (status == ClosureStatus::closed) break;
  }
  configuration.coordinates = best;
}

// Given values of one group of loops that do not close it.
struct GivenContradiction {
  std::vector<int> coordinates;  // β of the values, that had to move
  double largest_move = 0;       // of those, rad or m
  double relative_move = 0;      // of those, rad or lengths of the mechanism
  OpenLoop held;                 // what remained open with the values held
};

struct SolvedConfiguration {
  ConfigurationReport report;
  std::vector<OpenLoop> open;
  std::vector<GivenContradiction> contradictions;
};

const LoopGroup& group_of(const Mechanism& mechanism, int cut) {
  const std::vector<LoopGroup>& groups = mechanism.loop_groups();
  return *std::find_if(groups.begin(), groups.end(), [&](const LoopGroup& group) {
    return std::find(group.cuts.begin(), group.cuts.end(), cut) != group.cuts.end();
  });
}

// The given values of a group that had to move, and what stayed open with them held.
void note_moves(const Mechanism& mechanism, const std::vector<bool>& given, const VectorX& before, const VectorX& after,
                const OpenLoop& held, SolvedConfiguration& solved) {
  GivenContradiction found;
  for (const int c : group_of(mechanism, held.cut).coordinates) {
    const double move = std::abs(after[c] - before[c]);
    if (!given[c] || move <= 1e-10) continue;
    const TreeFrame& frame = mechanism.frames()[mechanism.frame_of_coordinate(c)];
    const double scale = frame.motion == FrameMotion::prismatic ? mechanism.length_scale() : 1.0;
    found.coordinates.push_back(c);
    found.largest_move = std::max(found.largest_move, move);
    found.relative_move = std::max(found.relative_move, move / scale);
  }
  if (found.coordinates.empty()) return;
  found.held = held;
  ConfigurationReport& report = solved.report;
  report.moved.insert(report.moved.end(), found.coordinates.begin(), found.coordinates.end());
  report.largest_move = std::max(report.largest_move, found.largest_move);
  solved.contradictions.push_back(std::move(found));
}

// Of the closed configurations around, the one whose given values are nearest to those written: Gauss-Newton steps
// along the closure, each closed again.
void approach_given(const Mechanism& mechanism, const std::vector<int>& moving, const std::vector<bool>& fixed,
                    const VectorX& wanted, Configuration& configuration) {
  constexpr int most_steps = 20;
  constexpr double closure_weight = 1e4;
  const int rows = mechanism.num_closure_rows(), size = static_cast<int>(moving.size());
  const auto distance = [&](const VectorX& coordinates) { return VectorX((wanted - coordinates)(moving)).norm(); };
  ClosureOptions options;
  options.num_restarts = 0;
  KinematicState state(mechanism);
  MatrixX jacobian(rows, mechanism.num_coordinates());
  for (int step = 0; step < most_steps; ++step) {
    update_position(mechanism, configuration, state);
    closure_jacobian(mechanism, state, jacobian);
    for (int c = 0; c < mechanism.num_coordinates(); ++c)
      if (fixed[c]) jacobian.col(c).setZero();
    MatrixX A = MatrixX::Zero(rows + size, mechanism.num_coordinates());
    VectorX b = VectorX::Zero(rows + size);
    A.topRows(rows) = closure_weight * jacobian;
    for (int i = 0; i < size; ++i) {
      A(rows + i, moving[i]) = 1;
      b[rows + i] = wanted[moving[i]] - configuration.coordinates[moving[i]];
    }
    Configuration trial = configuration;
    trial.coordinates += shortest_least_squares(A, b);
    if (!close_groups(mechanism, trial, fixed, options).open.empty()) return;
    if (!(distance(trial.coordinates) < 0.999 * distance(configuration.coordinates))) return;
    configuration = trial;
  }
}

// Given values move when loops close no other way: those of the loops that stay open, by as little as they must.
void close_with_given(const Mechanism& mechanism, const std::vector<bool>& given, Configuration& configuration,
                      SolvedConfiguration& solved) {
  ConfigurationReport& report = solved.report;
  GroupClosures first = close_groups(mechanism, configuration, given);
  report.closure = first.report;
  report.num_iterations += first.report.num_iterations;
  solved.open = first.open;
  if (first.open.empty() || std::count(given.begin(), given.end(), true) == 0) return;
  std::vector<bool> fixed = given;
  for (const OpenLoop& held : first.open)
    for (const int c : group_of(mechanism, held.cut).coordinates) fixed[c] = false;
  Configuration relaxed = configuration;
  const GroupClosures second = close_groups(mechanism, relaxed, fixed);
  report.num_iterations += second.report.num_iterations;
  std::vector<int> moving;
  for (int c = 0; c < mechanism.num_coordinates(); ++c)
    if (given[c] && !fixed[c]) moving.push_back(c);
  if (second.open.empty()) approach_given(mechanism, moving, fixed, configuration.coordinates, relaxed);
  const auto closed_now = [&](const OpenLoop& held) {
    const std::vector<int>& cuts = group_of(mechanism, held.cut).cuts;
    return std::none_of(second.open.begin(), second.open.end(), [&](const OpenLoop& open) {
      return std::find(cuts.begin(), cuts.end(), open.cut) != cuts.end();
    });
  };
  for (const OpenLoop& held : first.open) {
    if (!closed_now(held)) continue;
    note_moves(mechanism, given, configuration.coordinates, relaxed.coordinates, held, solved);
    for (const int c : group_of(mechanism, held.cut).coordinates) configuration.coordinates[c] = relaxed.coordinates[c];
  }
  std::erase_if(solved.open, closed_now);
  if (solved.open.empty()) report.closure = second.report;
}

void add_sentence(std::string& text, const std::string& sentence) { text += (text.empty() ? "" : "; ") + sentence; }

std::string describe_target(const Model& model, const PoseTarget& target, const TargetReport& found) {
  const Link& link = model.links[target.link];
  const Vector3& p = target.position;
  std::string text = cat("node '", link.nodes[target.node].name, "' of link '", link.name, "' cannot reach (", p.x(),
                         ", ", p.y(), ", ", p.z(), ") m: ", found.distance, " m remain");
  if (target.orientation) text += cat(", ", found.angle, " rad from the wanted orientation");
  return text;
}

std::string describe_moved(const Mechanism& mechanism, const GivenContradiction& found) {
  std::string names;
  for (int c : found.coordinates) names += (names.empty() ? "'" : ", '") + mechanism.coordinate_name(c) + "'";
  const CutJoint& cut = mechanism.cuts()[found.held.cut];
  if (cut.couples())
    return cat("the initial values given for ", names, " contradict ", describe_loop(mechanism, cut), " by ",
               found.held.gap + found.held.misalignment, mechanism.is_length(cut, 0) ? " m" : " rad",
               "; write 'guess' instead of 'value' for those that follow from it");
  return cat("the initial values given for ", names, " do not close ", describe_loop(mechanism, cut), ": at joint '",
             mechanism.joint_name(cut.joint), "' a gap of ", found.held.gap, " m",
             num_rotation_rows(cut.type) > 0 ? cat(" and a misalignment of ", found.held.misalignment, " rad") : "",
             " remains; moved by up to ", found.largest_move,
             " (rad or m) they would close it; write 'guess' instead of 'value' for those that follow from the loop");
}

// A solved angle may be full turns away from the limits of its joint.
double turned_into(double value, double low, double high) {
  constexpr double full_turn = 6.283185307179586476925;
  const double turned = value - full_turn * std::ceil((value - high) / full_turn);
  return turned >= low ? turned : value;
}

// Where the loops or targets put a joint that its own limits forbid. A written value outside is refused by the reader.
void check_limits(const Mechanism& mechanism, const Model& model, Configuration& configuration,
                  Diagnostics& diagnostics) {
  for (int c = 0; c < mechanism.num_coordinates(); ++c) {
    const TreeFrame& frame = mechanism.frames()[mechanism.frame_of_coordinate(c)];
    const Joint& joint = model.joints[frame.joint];
    if (frame.freedom >= static_cast<int>(joint.limits.size()) || !joint.limits[frame.freedom]) continue;
    const auto [low, high] = *joint.limits[frame.freedom];
    const bool rotation = is_rotation(joint.type, frame.freedom);
    const double rounding = 1e-9 * (rotation ? 1.0 : std::max(1.0, mechanism.length_scale()));
    double& value = configuration.coordinates[c];
    if (value >= low - rounding && value <= high + rounding) continue;
    if (joint.type == JointType::revolute) value = turned_into(value, low, high);
    if (value >= low - rounding && value <= high + rounding) continue;
    diagnostics.error(error_at(
        joint.place,
        cat("in the initial configuration '", mechanism.coordinate_name(c), "' is at ", value, rotation ? " rad" : " m",
            ", outside its limits [", low, ", ", high, "]; another 'guess' may lead to a configuration within them")));
  }
}

void check_given_cuts(const Mechanism& mechanism, const std::vector<GivenCut>& given,
                      const Configuration& configuration, ConfigurationReport& report) {
  KinematicState state(mechanism);
  update_position(mechanism, configuration, state);
  for (const GivenCut& g : given) {
    const CutJoint& cut = mechanism.cuts()[g.cut];
    const double off = std::abs(deviation(g, cut_values(cut, state)[g.freedom]));
    if (off * g.unit <= 1e-2) continue;
    add_sentence(report.message,
                 cat("the initial value ", g.value, " given for joint '", mechanism.joint_name(cut.joint),
                     "' contradicts ", describe_loop(mechanism, cut), " by ", off, g.angle ? " rad" : " m"));
  }
}

void check_targets(const Model& model, Diagnostics& diagnostics) {
  const int num_links = static_cast<int>(model.links.size());
  for (const PoseTarget& target : model.initial_configuration.targets)
    if (target.link < 0 || target.link >= num_links || target.node < 0 ||
        target.node >= static_cast<int>(model.links[target.link].nodes.size()))
      diagnostics.error(error_at(target.place, "this pose target names a link or node that does not exist"));
}

}  // namespace

bool ConfigurationReport::targets_reached() const {
  return std::all_of(targets.begin(), targets.end(), [](const TargetReport& target) { return target.reached; });
}

namespace {

SolvedConfiguration solve(const Mechanism& mechanism, const Model& model, Configuration& configuration) {
  SolvedConfiguration solved;
  ConfigurationReport& report = solved.report;
  const std::vector<bool> given = given_coordinates(mechanism, model);
  const std::vector<GivenCut> cuts = given_cuts(mechanism, model);
  if (!model.initial_configuration.targets.empty() || !cuts.empty())
    approach(mechanism, model, given, cuts, configuration, report);
  close_with_given(mechanism, given, configuration, solved);
  measure_targets(mechanism, model, configuration, report);
  if (!report.closure.closed()) add_sentence(report.message, report.closure.message);
  for (const GivenContradiction& found : solved.contradictions)
    add_sentence(report.message, describe_moved(mechanism, found));
  check_given_cuts(mechanism, cuts, configuration, report);
  for (size_t k = 0; k < report.targets.size(); ++k)
    if (!report.targets[k].reached)
      add_sentence(report.message, describe_target(model, model.initial_configuration.targets[k], report.targets[k]));
  return solved;
}

}  // namespace

ConfigurationReport solve_configuration(const Mechanism& mechanism, const Model& model, Configuration& configuration) {
  return solve(mechanism, model, configuration).report;
}

namespace {

const SourcePlace& place_of_cut(const Model& model, const CutJoint& cut) {
  return cut.couples() ? model.couplings[cut.coupling].place : model.joints[cut.joint].place;
}

// Loops closed, targets reached; joints that are carried count as any that is cut.
Configuration closed_configuration(const Mechanism& mechanism, const Model& model, Diagnostics& diagnostics) {
  Configuration configuration = unclosed_configuration(mechanism);
  const SolvedConfiguration solved = solve(mechanism, model, configuration);
  const ConfigurationReport& report = solved.report;
  const auto joint_place = [&](int joint) { return model.joints[joint].place; };
  for (const OpenLoop& open : solved.open)
    diagnostics.error(error_at(place_of_cut(model, mechanism.cuts()[open.cut]), open.message));
  for (const GivenContradiction& found : solved.contradictions) {
    if (found.relative_move <= 1e-2) continue;
    const int joint = mechanism.frames()[mechanism.frame_of_coordinate(found.coordinates.front())].joint;
    diagnostics.error(error_at(joint_place(joint), describe_moved(mechanism, found)));
  }
  for (size_t k = 0; k < report.targets.size(); ++k) {
    const PoseTarget& target = model.initial_configuration.targets[k];
    if (!report.targets[k].reached)
      diagnostics.error(error_at(target.place, describe_target(model, target, report.targets[k])));
  }
  ConfigurationReport cut_values_report;
  const std::vector<GivenCut> cuts = given_cuts(mechanism, model);
  check_given_cuts(mechanism, cuts, configuration, cut_values_report);
  if (!cut_values_report.message.empty())
    diagnostics.error(error_at(joint_place(mechanism.cuts()[cuts.front().cut].joint), cut_values_report.message));
  return configuration;
}

// The values of carried joints follow from all others; angles as near as full turns allow to the guessed ones.
Configuration with_carried_joints(const Mechanism& plain, const Configuration& configuration,
                                  const Mechanism& mechanism) {
  KinematicState state(plain);
  update_position(plain, configuration, state);
  Configuration whole = unclosed_configuration(mechanism);
  whole.coordinates.head(plain.num_coordinates()) = configuration.coordinates;
  std::copy(configuration.references.begin(), configuration.references.end(), whole.references.begin());
  for (std::size_t k = 0; k < plain.cuts().size(); ++k) {
    if (!mechanism.cuts()[k].carried) continue;
    const CutJoint& cut = plain.cuts()[k];
    const Vector6 values = cut_values(cut, state);
    for (int f = 0; f < static_cast<int>(freedoms_of(cut.type).size()); ++f) {
      constexpr double full_turn = 6.283185307179586476925;
      double& value = whole.coordinates[mechanism.coordinate_of(cut.joint, f)];
      const double off = values[f] - value;
      value = is_rotation(cut.type, f) ? value + std::remainder(off, full_turn) : values[f];
    }
  }
  return whole;
}

// Couplings of joints that close loops, of which the mechanism without carried joints knows nothing.
void meet_carried_couplings(const Mechanism& plain, const Mechanism& mechanism, const Model& model,
                            Configuration& configuration, Diagnostics& diagnostics) {
  if (plain.cuts().size() == mechanism.cuts().size()) return;
  for (const OpenLoop& open : close_groups(mechanism, configuration, given_coordinates(mechanism, model)).open)
    diagnostics.error(error_at(place_of_cut(model, mechanism.cuts()[open.cut]), open.message));
}

}  // namespace

Configuration initial_configuration(const Mechanism& mechanism, const Model& model) {
  Diagnostics diagnostics;
  check_targets(model, diagnostics);
  diagnostics.throw_if_any();
  const Mechanism plain(model, false);
  Configuration configuration = with_carried_joints(plain, closed_configuration(plain, model, diagnostics), mechanism);
  if (!diagnostics.any()) meet_carried_couplings(plain, mechanism, model, configuration, diagnostics);
  if (!diagnostics.any()) check_limits(mechanism, model, configuration, diagnostics);
  diagnostics.throw_if_any();
  return configuration;
}

VectorX initial_rates(const Mechanism& mechanism, const Model& model, const IndependentCoordinates& coordinates,
                      const Configuration& configuration) {
  const VectorX& wanted = mechanism.initial_speeds();
  if (coordinates.trivial()) return wanted;
  KinematicState state(mechanism);
  update_position(mechanism, configuration, state);
  VelocityMap map(mechanism, coordinates);
  update_map(mechanism, coordinates, state, map);
  std::vector<int> rows;
  for (int c = 0; c < mechanism.num_coordinates(); ++c)
    if (wanted[c] != 0) rows.push_back(c);
  if (rows.empty()) return VectorX::Zero(mechanism.num_coordinates());
  MatrixX A(rows.size(), coordinates.mobility());
  VectorX b(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    A.row(i) = map.matrix.row(rows[i]);
    b[i] = wanted[rows[i]];
  }
  const VectorX speeds = shortest_least_squares(A, b);
  const VectorX rates = map.matrix * speeds;
  Diagnostics diagnostics;
  for (int c : rows)
    if (std::abs(rates[c] - wanted[c]) > 1e-6 * std::max(1.0, b.cwiseAbs().maxCoeff()))
      diagnostics.error(
          error_at(model.joints[mechanism.frames()[mechanism.frame_of_coordinate(c)].joint].place,
                   cat("the initial speed ", wanted[c], " of '", mechanism.coordinate_name(c),
                       "' contradicts the loops, couplings and other initial speeds; nearest is ", rates[c])));
  diagnostics.throw_if_any();
  return rates;
}

}  // namespace lithe
