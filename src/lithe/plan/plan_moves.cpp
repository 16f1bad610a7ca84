#include "lithe/plan/plan_moves.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "lithe/base/text.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/model/control_setup.h"
#include "lithe/model/error_at.h"
#include "lithe/model/motion_pieces.h"
#include "lithe/plan/leg_limits.h"
#include "lithe/plan/payloads.h"
#include "lithe/plan/time_optimal.h"
#include "lithe/plan/tool_kinematics.h"

namespace lithe {
namespace {

constexpr int grid_intervals = 1000;
constexpr std::size_t most_optimal_legs = 500;  // each takes 0.7 MB and 4 ms

[[noreturn]] void refuse(const SourcePlace& place, const std::string& message) {
  throw InputError(std::vector<Diagnostic>{error_at(place, message)});
}

// Part of a move between two stops.
struct Leg {
  JointPath path{0};
  double weight = 1;  // its share of a given duration
  bool of_tool = false;
  TimeLaw law;
};

class Planner {
 public:
  Planner(Model& model, const std::vector<Move>& moves, const PlanSetup& setup)
      : model_(model),
        setup_(setup),
        mechanism_(model),
        configuration_(initial_configuration(mechanism_, model)),
        closed_(configuration_) {
    for (const Move& move : moves)
      for (const int joint : move.joints) {
        const double start = configuration_.coordinates[coordinate(joint)];
        motions_.try_emplace(joint, MotionPieces(0, start));
        model_.joints[static_cast<std::size_t>(joint)].initial_value[0] = start;
        model_.joints[static_cast<std::size_t>(joint)].initial_value_given[0] = true;
      }
  }

  PlannedMove plan(const Move& move, double start) {
    PlannedMove planned{move.name, start, start, move.joints, {}};
    for (const int joint : move.joints) {
      const MotionPieces& motion = motions_.at(joint);
      if (motion.end_time() > start + 1e-12)
        refuse(move.place, cat("move '", move.name, "' starts at ", start, " s, but joint '", name(joint),
                               "' is still in another move until ", motion.end_time(), " s"));
    }
    if (!move.table_times.empty()) {
      add_table(move, start);
      planned.end_time = start + move.table_times.back();
    } else {
      std::vector<Leg> legs = legs_of(move, start);
      if (legs.empty())
        refuse(move.place, cat("move '", move.name, "' goes nowhere: its waypoints are where it starts"));
      if (move.profile == MoveProfile::time_optimal && (num_optimal_legs_ += legs.size()) > most_optimal_legs)
        refuse(move.place, cat("move '", move.name, "': time-optimal moves may have ", most_optimal_legs,
                               " waypoints together, got ", num_optimal_legs_));
      planned.limited_by = time(move, legs, start);
      for (const Leg& leg : legs) {
        emit(move, leg, planned.end_time);
        planned.end_time += leg.law.duration();
      }
    }
    check_joint_limits(move, start);
    settle_loops(move);
    set_payload_times(planned.end_time);
    return planned;
  }

  void finish() {
    for (Drive& drive : model_.drives)
      if (const auto found = motions_.find(drive.joint); found != motions_.end() && drive.prescribes_motion) {
        const SignalTable& table = found->second.table();
        if (table.times.size() > 1)
          drive.signal = table;
        else
          drive.signal = SignalConstant{table.values[0]};
      }
    if (setup_.references.empty()) return;
    ControlSetup control = *model_.control;
    for (const MoveReference& follower : setup_.references) {
      SignalTable table = motions_.at(follower.joint).table();
      for (double& value : table.values) value *= follower.factor;
      for (double& value : table.second_derivatives) value *= follower.factor;
      Signal& signal = control.references[static_cast<std::size_t>(follower.reference)].signal;
      if (table.times.size() > 1)
        signal = std::move(table);
      else
        signal = SignalConstant{table.values[0]};
    }
    model_.control = std::make_shared<const ControlSetup>(std::move(control));
  }

 private:
  // Of payloads that are taken or put down when the move that has been planned ends.
  void set_payload_times(double end) {
    const int move = num_planned_++;
    if (setup_.payloads.empty()) return;
    ControlSetup control = *model_.control;
    for (const PayloadMoves& moves : setup_.payloads) {
      Payload& payload = control.payloads[static_cast<std::size_t>(moves.payload)];
      if (moves.taken_after == move) payload.taken = end;
      if (moves.put_down_after == move) payload.put_down = end;
    }
    model_.control = std::make_shared<const ControlSetup>(std::move(control));
  }

  const std::string& name(int joint) const { return model_.joints[static_cast<std::size_t>(joint)].name; }
  int coordinate(int joint) const { return mechanism_.coordinate_of(joint, 0); }

  std::vector<Leg> legs_of(const Move& move, double start) {
    return move.link >= 0 ? tool_legs_of(move, start) : joint_legs_of(move);
  }

  std::vector<Leg> joint_legs_of(const Move& move) {
    std::vector<VectorX> points{configuration_.coordinates};
    for (const MoveWaypoint& waypoint : move.waypoints) {
      VectorX next = points.back();
      for (std::size_t k = 0; k < move.joints.size(); ++k) next[coordinate(move.joints[k])] = waypoint.joints[k];
      if ((next - points.back()).cwiseAbs().maxCoeff() > 1e-12) points.push_back(next);
    }
    std::vector<Leg> legs;
    if (points.size() == 1) return legs;
    if (move.profile == MoveProfile::spline) {
      MatrixX columns(points[0].size(), points.size());
      for (std::size_t i = 0; i < points.size(); ++i) columns.col(static_cast<Eigen::Index>(i)) = points[i];
      legs.push_back({spline_path(columns), 1, false, {}});
    } else {
      for (std::size_t i = 1; i < points.size(); ++i)
        legs.push_back(
            {straight_path(points[i - 1], points[i]), (points[i] - points[i - 1]).cwiseAbs().maxCoeff(), false, {}});
    }
    configuration_.coordinates = points.back();
    return legs;
  }

  // An elastic gearbox of a motor, or a spring that a coupling ties: they are planned relaxed. Other sprung joints of
  // loops, such as flexure hinges, have to move.
  bool is_relaxed_spring(int c) const {
    const TreeFrame& frame = mechanism_.frames()[static_cast<std::size_t>(mechanism_.frame_of_coordinate(c))];
    if (std::find(setup_.gearboxes.begin(), setup_.gearboxes.end(), frame.joint) != setup_.gearboxes.end()) return true;
    if (!(model_.joints[static_cast<std::size_t>(frame.joint)].stiffness[static_cast<std::size_t>(frame.freedom)] > 0))
      return false;
    return std::none_of(mechanism_.cuts().begin(), mechanism_.cuts().end(), [c](const CutJoint& cut) {
      return !cut.couples() && std::any_of(cut.coordinates.begin(), cut.coordinates.end(),
                                           [c](const LoopCoordinate& member) { return member.coordinate == c; });
    });
  }

  std::vector<bool> movable(const Move& move) const {
    std::vector<bool> result(static_cast<std::size_t>(mechanism_.num_coordinates()), false);
    for (const LoopGroup& group : mechanism_.loop_groups())
      for (const int c : group.coordinates) result[static_cast<std::size_t>(c)] = !is_relaxed_spring(c);
    for (const Drive& drive : model_.drives)
      if (drive.prescribes_motion)
        if (const int c = mechanism_.coordinate_of(drive.joint, drive.freedom); c >= 0)
          result[static_cast<std::size_t>(c)] = false;
    for (const int joint : move.joints) result[static_cast<std::size_t>(coordinate(joint))] = true;
    return result;
  }

  std::vector<Leg> tool_legs_of(const Move& move, double start) {
    for (const auto& [joint, motion] : motions_)
      if (motion.end_time() > start + 1e-12)
        refuse(move.place, cat("move '", move.name, "' of the tool starts at ", start, " s, but joint '", name(joint),
                               "' moves until ", motion.end_time(), " s"));
    const bool oriented = move.joints.size() >= 6 ||
                          std::any_of(move.waypoints.begin(), move.waypoints.end(),
                                      [](const MoveWaypoint& waypoint) { return waypoint.orientation.has_value(); });
    const ToolKinematics tool(model_, mechanism_, move.link, move.node, movable(move), oriented,
                              configuration_.references);
    const Pose at = tool.pose(configuration_.coordinates);
    std::vector<Leg> legs;
    for (const ToolLeg& leg : tool_legs(at, move.waypoints)) {
      if (leg.pieces.empty()) continue;
      FollowedLeg followed = follow(tool, leg, configuration_.coordinates);
      if (!followed.failure.empty()) {
        const MoveWaypoint& to = move.waypoints[static_cast<std::size_t>(leg.last_waypoint)];
        refuse(to.place, cat("move '", move.name, "', waypoint ", leg.last_waypoint + 1, ": ", followed.failure, ", ",
                             when(move, legs, leg, followed.failed_at, start)));
      }
      configuration_.coordinates = followed.path.at(followed.path.end(), true).value;
      legs.push_back({std::move(followed.path), leg.length(), true, {}});
    }
    return legs;
  }

  // "0.31 m along its way there, at 0.82 s".
  std::string when(const Move& move, const std::vector<Leg>& before, const ToolLeg& leg, double s, double start) const {
    std::string text = cat(s, " m along its way there");
    if (move.duration || !std::isfinite(move.tool_limits.speed * move.tool_limits.acceleration)) return text;
    if (move.profile == MoveProfile::time_optimal || move.profile == MoveProfile::spline) return text;
    MotionLimits limits = move.tool_limits;
    if (!std::isfinite(limits.jerk)) limits.jerk = 1e3 * limits.acceleration;
    double time = start;
    for (const Leg& done : before) time += fastest_law(move.profile, done.weight, limits).duration();
    const TimeLaw law = fastest_law(move.profile, leg.length(), limits);
    return law.is_sound() ? text + cat(", at ", time + law.time_at(s), " s") : text;
  }

  // Gives every leg its law; returns what sets the duration. `start` of the first leg.
  std::string time(const Move& move, std::vector<Leg>& legs, double start) const {
    std::vector<int> coordinates;
    for (const int joint : move.joints) coordinates.push_back(coordinate(joint));
    const PathLimits limits{coordinates, move.joint_limits, move.joint_torques, move.tool_limits, move.motor_lines};
    double whole = 0;
    for (const Leg& leg : legs) whole += leg.weight;
    std::string limited_by;
    for (Leg& leg : legs) {
      if (move.profile == MoveProfile::time_optimal) {
        leg.law = fastest(move, leg, limits, start);
        start += leg.law.duration();
        limited_by = "limits along the path";
        continue;
      }
      const double length = leg.path.end() - leg.path.start();
      const double trial = move.duration ? *move.duration * leg.weight / whole : 1.0;
      leg.law = law_in_time(move.profile, length, trial);
      demand_sound(move, leg.law);
      const LegExcess excess = leg_excess(leg.path, leg.law, limits, leg.of_tool);
      const std::string what = describe(move, excess);
      if (move.duration) {
        if (excess.factor > 1 + 1e-9)
          refuse(move.place, cat("move '", move.name, "' is too fast for ", what, ": ", number(excess.value), " of ",
                                 number(excess.limit), " ", unit(move, excess), " allowed; its shortest duration is ",
                                 number(*move.duration * excess.factor), " s"));
      } else {
        if (!(excess.factor > 0))
          refuse(move.place, cat("move '", move.name, "' needs a duration, or limits to be the fastest within"));
        leg.law = fastest_of_shape(move, leg, limits, length, excess.factor);
        demand_sound(move, leg.law);
        limited_by = describe(move, leg_excess(leg.path, leg.law, limits, leg.of_tool));
      }
    }
    return move.duration ? "" : limited_by;
  }

  void demand_sound(const Move& move, const TimeLaw& law) const {
    if (!law.is_sound())
      refuse(move.place, cat("move '", move.name, "': its duration or limits give no motion that ends within 1e9 s"));
  }

  // The law of limits of s where a straight line or a tool's way has them all; else the shape, as slow as it must be.
  TimeLaw fastest_of_shape(const Move& move, const Leg& leg, const PathLimits& limits, double length,
                           double factor) const {
    const TimeLaw shape = leg.law.stretched(factor);
    if (move.profile != MoveProfile::trapezoid && move.profile != MoveProfile::s_curve) return shape;
    MotionLimits own = leg.of_tool ? limits.tool : MotionLimits{};
    if (!leg.of_tool) {
      const PathNode node = leg.path.at(leg.path.start(), false);
      for (std::size_t k = 0; k < limits.coordinates.size(); ++k) {
        const double rate = std::abs(node.first[limits.coordinates[k]]);
        if (!(rate > 0)) continue;
        own.speed = std::min(own.speed, limits.motions[k].speed / rate);
        own.acceleration = std::min(own.acceleration, limits.motions[k].acceleration / rate);
        own.jerk = std::min(own.jerk, limits.motions[k].jerk / rate);
      }
    }
    const bool all = std::isfinite(own.speed * own.acceleration) &&
                     (move.profile == MoveProfile::trapezoid || std::isfinite(own.jerk));
    if (!all) return shape;
    const TimeLaw law = fastest_law(move.profile, length, own);
    if (!law.is_sound()) return shape;
    const TimeLaw allowed = law.stretched(std::max(1.0, leg_excess(leg.path, law, limits, leg.of_tool).factor));
    return allowed.duration() < shape.duration() ? allowed : shape;
  }

  // Loops and couplings that rest, as those of a gripper, are carried like any other mass.
  bool moves_in_loop(const Move& move) const {
    return std::any_of(move.joints.begin(), move.joints.end(), [&](int joint) {
      const std::vector<LoopGroup>& groups = mechanism_.loop_groups();
      return std::any_of(groups.begin(), groups.end(), [&, c = coordinate(joint)](const LoopGroup& group) {
        return std::find(group.coordinates.begin(), group.coordinates.end(), c) != group.coordinates.end();
      });
    });
  }

  TimeLaw fastest(const Move& move, const Leg& leg, PathLimits limits, double start) const {
    const bool torques =
        std::any_of(limits.torques.begin(), limits.torques.end(), [](double t) { return std::isfinite(t); }) ||
        std::any_of(limits.lines.begin(), limits.lines.end(),
                    [](const MotorLine& line) { return std::isfinite(line.stall_torque); });
    if (torques && moves_in_loop(move))
      refuse(move.place, cat("move '", move.name,
                             "': limits of torque need joints outside of loops and couplings; leave them out "
                             "(joint_torque, torques of [[motors]], effort), or take another profile"));
    if (!leg.of_tool) limits.tool = {};
    std::optional<RigidTorques> dynamics;
    const Model loaded = with_payloads(model_, start);
    if (torques) dynamics.emplace(loaded, mechanism_, configuration_.references);
    FastestLaw found = time_optimal(leg.path, limits, dynamics ? &*dynamics : nullptr, grid_intervals);
    if (!found.failure.empty())
      refuse(move.place,
             cat("move '", move.name, "': ",
                 found.coordinate >= 0 ? cat("the torque limit of joint '",
                                             name(move.joints[static_cast<std::size_t>(found.coordinate)]), "' ")
                                       : std::string(),
                 found.failure, ", ",
                 number(100 * (found.failed_at - leg.path.start()) / (leg.path.end() - leg.path.start())),
                 " % along its way"));
    if (!(found.law.duration() < 1e6))
      refuse(move.place, cat("move '", move.name, "' has no limits to be the fastest within"));
    const double end = start + found.law.duration();
    if (const std::vector<double> changes = payload_changes(model_, start + 1e-9, end - 1e-9);
        torques && !changes.empty())
      refuse(move.place, cat("move '", move.name, "': a payload changes at ", changes[0],
                             " s, on a time-optimal way within limits of torque from ", start, " to ", end,
                             " s; let it change where the tool stops"));
    return found.law;
  }

  std::string describe(const Move& move, const LegExcess& excess) const {
    static const char* const words[] = {"speed", "acceleration", "jerk"};
    if (excess.joint < 0) return cat("the ", words[excess.order], " of the tool");
    return cat("the ", words[excess.order], " of joint '", name(move.joints[static_cast<std::size_t>(excess.joint)]),
               "'");
  }
  std::string unit(const Move& move, const LegExcess& excess) const {
    static const char* const powers[] = {"/s", "/s^2", "/s^3"};
    const bool turns =
        excess.joint >= 0 &&
        is_rotation(model_.joints[static_cast<std::size_t>(move.joints[static_cast<std::size_t>(excess.joint)])].type,
                    0);
    return cat(turns ? "rad" : "m", powers[excess.order]);
  }
  static std::string number(double value) {
    std::ostringstream out;
    out.precision(4);
    out << value;
    return out.str();
  }

  // Pieces of the joints' motions, as short as the path asks for.
  void emit(const Move& move, const Leg& leg, double start) {
    std::vector<double> times = leg.law.times();
    for (std::size_t k = 1; k + 1 < leg.path.nodes().size(); ++k)
      times.push_back(leg.law.time_at(leg.path.nodes()[k] - leg.path.start()));
    std::sort(times.begin(), times.end());
    double before = 0;
    for (const int joint : move.joints) motions_.at(joint).hold_until(start);
    for (const double time : times) {
      const bool last = time == times.back();
      if (time - before < 1e-7 * leg.law.duration() && !last) continue;
      if (!(time > before)) continue;
      pieces(move, leg, start, before, state(leg, before, false), time, state(leg, time, true), 0);
      before = time;
    }
  }

  static PathNode state(const Leg& leg, double time, bool before) {
    const SignalValue s = leg.law.at(time, before);
    const PathNode node = leg.path.at(leg.path.start() + s.value, before);
    return {node.value, node.first * s.rate, node.second * (s.rate * s.rate) + node.first * s.acceleration};
  }

  void pieces(const Move& move, const Leg& leg, double start, double t0, const PathNode& from, double t1,
              const PathNode& to, int depth) {
    const double middle = (t0 + t1) / 2;
    const PathNode exact = state(leg, middle, true);
    const double error = (between(from, to, t1 - t0, 0.5).value - exact.value).cwiseAbs().maxCoeff();
    if (error > 1e-9 && depth < 10) {
      pieces(move, leg, start, t0, from, middle, exact, depth + 1);
      pieces(move, leg, start, middle, exact, t1, to, depth + 1);
      return;
    }
    for (const int joint : move.joints) {
      const int c = coordinate(joint);
      motions_.at(joint).add({from.value[c], from.first[c], from.second[c]}, start + t1,
                             {to.value[c], to.first[c], to.second[c]});
    }
  }

  void add_table(const Move& move, double start) {
    for (std::size_t k = 0; k < move.joints.size(); ++k) {
      MotionPieces& motion = motions_.at(move.joints[k]);
      const std::vector<double>& values = move.table_values[k];
      if (std::abs(values.front() - motion.end_value()) > 1e-6)
        refuse(move.place, cat("move '", move.name, "': the table begins with ", values.front(), " for joint '",
                               name(move.joints[k]), "', which is at ", motion.end_value()));
      const Signal spline = smooth_table(move.table_times, values);
      motion.hold_until(start + move.table_times.front());
      for (std::size_t i = 1; i < values.size(); ++i) {
        SignalValue to = evaluate(spline, move.table_times[i]);
        if (i + 1 == values.size()) to = evaluate(spline, std::nextafter(move.table_times[i], 0.0));
        motion.add(evaluate(spline, move.table_times[i - 1]), start + move.table_times[i], to);
      }
      configuration_.coordinates[coordinate(move.joints[k])] = values.back();
    }
  }

  void check_joint_limits(const Move& move, double start) const {
    for (const int joint : move.joints) {
      const auto& limits = model_.joints[static_cast<std::size_t>(joint)].limits[0];
      if (!limits) continue;
      const SignalTable& table = motions_.at(joint).table();
      for (std::size_t i = 0; i < table.times.size(); ++i) {
        const double value = table.values[i], slack = 1e-9 * (1 + std::abs(value));
        if (table.times[i] < start || (value >= limits->first - slack && value <= limits->second + slack)) continue;
        refuse(move.place,
               cat("move '", move.name, "': joint '", name(joint), "' leaves its limits of ", limits->first, " to ",
                   limits->second, is_rotation(model_.joints[static_cast<std::size_t>(joint)].type, 0) ? " rad" : " m",
                   " at ", table.times[i], " s, where it is at ", value));
      }
    }
  }

  // Coordinates that follow from loops, in small steps so that they stay on their branch.
  void settle_loops(const Move& move) {
    if (mechanism_.num_closure_rows() == 0 || move.link >= 0) {
      closed_ = configuration_;
      return;
    }
    constexpr int steps = 50;
    std::vector<bool> fixed(static_cast<std::size_t>(mechanism_.num_coordinates()), false);
    for (const auto& [joint, motion] : motions_) fixed[static_cast<std::size_t>(coordinate(joint))] = true;
    for (int c = 0; c < mechanism_.num_coordinates(); ++c)
      if (is_relaxed_spring(c)) fixed[static_cast<std::size_t>(c)] = true;
    Configuration moved = closed_;
    const VectorX from = moved.coordinates;
    for (int k = 1; k <= steps; ++k) {
      for (const auto& [joint, motion] : motions_) {
        const int c = coordinate(joint);
        moved.coordinates[c] = from[c] + (configuration_.coordinates[c] - from[c]) * k / steps;
      }
      const ClosureReport report = close_loops(mechanism_, moved, fixed);
      if (!report.closed())
        refuse(move.place,
               cat("move '", move.name, "': loops or couplings do not close on the way to its end; ", report.message));
    }
    configuration_ = closed_ = moved;
  }

  Model& model_;
  const PlanSetup& setup_;
  Mechanism mechanism_;
  Configuration configuration_, closed_;
  std::map<int, MotionPieces> motions_;
  std::size_t num_optimal_legs_ = 0;
  int num_planned_ = 0;
};

// Every joint of a move gets a drive to fill.
bool prepare(Model& model, const std::vector<Move>& moves, const PlanSetup& setup, Diagnostics& diagnostics) {
  const auto is_followed = [&](int joint) {
    return std::any_of(setup.references.begin(), setup.references.end(),
                       [&](const MoveReference& follower) { return follower.joint == joint; });
  };
  std::vector<int> driven;
  for (const Move& move : moves) {
    for (const int joint : move.joints) {
      if (std::find(driven.begin(), driven.end(), joint) != driven.end()) continue;
      driven.push_back(joint);
      const std::string& name = model.joints[static_cast<std::size_t>(joint)].name;
      for (const Drive& drive : model.drives)
        if (drive.joint == joint)
          diagnostics.error(
              error_at(move.place, cat("move '", move.name, "': joint '", name, "' has a drive already")));
      for (const ControllerSetup& controller :
           model.control ? model.control->controllers : std::vector<ControllerSetup>{})
        for (const Actuator& actuator : controller.actuators)
          if (actuator.joint == joint && !is_followed(joint))
            diagnostics.error(
                error_at(move.place, cat("move '", move.name, "': joint '", name, "' is driven by controller '",
                                         controller.name, "'; a reference with moves = true follows the move")));
    }
  }
  if (diagnostics.any()) return false;
  for (const int joint : driven) {
    if (is_followed(joint)) continue;
    Drive drive;
    drive.name = model.joints[static_cast<std::size_t>(joint)].name;
    drive.place = moves.front().place;
    drive.joint = joint;
    drive.prescribes_motion = true;
    drive.signal = SignalConstant{model.joints[static_cast<std::size_t>(joint)].initial_value[0]};
    model.drives.push_back(std::move(drive));
  }
  return true;
}

}  // namespace

std::vector<int> joints_to_tool(const Model& model, int link) {
  // Links that fixed joints hold together are one body; 0 is the ground's.
  std::vector<std::size_t> body(model.links.size() + 1);
  std::iota(body.begin(), body.end(), std::size_t{0});
  const auto body_of = [&](int of_link) {
    auto b = static_cast<std::size_t>(of_link + 1);
    while (body[b] != b) b = body[b];
    return b;
  };
  for (const Joint& joint : model.joints)
    if (joint.type == JointType::fixed) {
      const std::size_t a = body_of(joint.parent), b = body_of(joint.child);
      body[std::max(a, b)] = std::min(a, b);
    }
  std::vector<int> joints;
  std::size_t at = body_of(link);
  for (std::size_t steps = 0; at != 0 && steps <= model.links.size(); ++steps) {
    int found = -1;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const Joint& joint = model.joints[j];
      if (body_of(joint.child) != at || body_of(joint.parent) == at) continue;
      if (found >= 0) return {};
      found = static_cast<int>(j);
    }
    if (found < 0) return {};
    const Joint& joint = model.joints[static_cast<std::size_t>(found)];
    if (num_freedoms(joint.type) == 1 && joint.stiffness[0] == 0) joints.insert(joints.begin(), found);
    at = body_of(joint.parent);
  }
  return joints;
}

std::vector<PlannedMove> plan_moves(Model& model, const std::vector<Move>& moves, const PlanSetup& setup,
                                    Diagnostics& diagnostics) {
  std::vector<PlannedMove> planned;
  Diagnostics found;
  if (moves.empty() || !prepare(model, moves, setup, found)) {
    for (const Diagnostic& error : found.errors()) diagnostics.error(error);
    return planned;
  }
  std::optional<Planner> planner;
  try {
    planner.emplace(model, moves, setup);
  } catch (const InputError&) {
    return planned;  // links or loops have errors of their own
  }
  double end = 0;
  try {
    for (const Move& move : moves) {
      planned.push_back(planner->plan(move, move.start_time.value_or(end + move.pause)));
      end = planned.back().end_time;
    }
  } catch (const InputError& error) {
    for (const Diagnostic& each : error.errors()) diagnostics.error(each);
    return planned;
  }
  planner->finish();
  return planned;
}

}  // namespace lithe
