#include "lithe/analyse/studies/elastic_feedforward.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/analyse/equilibrium/settled_start.h"
#include "lithe/analyse/observe/rigid_model.h"
#include "lithe/analyse/observe/sensors.h"
#include "lithe/analyse/settle.h"
#include "lithe/analyse/sweep/configuration_model.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/model/motion_pieces.h"

namespace lithe {
namespace {

constexpr int highest = 4;        // derivative of the torques
constexpr int num_nodes = 9;      // of a difference formula
constexpr double spacing = 2e-3;  // s between its nodes, where a piece of the motion is long enough

struct Driven {
  int drive = -1, joint = -1, freedom = 0, gear = -1;
  double ratio = 1;
};

std::vector<Driven> driven_joints(const Model& model, const std::vector<DriveTrain>& trains) {
  std::vector<Driven> result;
  for (std::size_t d = 0; d < model.drives.size(); ++d) {
    const Drive& drive = model.drives[d];
    if (!drive.prescribes_motion) continue;
    Driven driven{static_cast<int>(d), drive.joint, drive.freedom, -1, 1};
    for (const DriveTrain& train : trains)
      if (train.joint == drive.joint) {
        driven.gear = train.gear;
        driven.ratio = train.described ? 1 : train.ratio;
      }
    result.push_back(driven);
  }
  if (result.empty()) throw InputError(cat(model.file, ": elastic feedforward needs a prescribed motion"));
  return result;
}

// Gearboxes locked, rotors behind them without inertia and friction: what the drives then need is what the gearboxes
// must transmit.
Model link_side(const Model& model, const std::vector<Driven>& driven) {
  Model result = without_elasticity(model);
  std::vector<std::string> gears;
  result.sensors.clear();
  for (const Driven& one : driven) {
    Joint& joint = result.joints[static_cast<std::size_t>(one.joint)];
    Sensor sensor;
    sensor.name = joint.name;
    sensor.quantity = Quantity::joint_force;
    sensor.joint = one.joint;
    sensor.freedom = one.freedom;
    result.sensors.push_back(std::move(sensor));
    if (one.gear < 0) continue;
    gears.push_back(result.joints[static_cast<std::size_t>(one.gear)].name);
    joint.inertia = joint.damping = joint.friction = {0.0};
  }
  return with_held_joints(std::move(result), gears);
}

// Torques of the drives as a function of time alone: nothing is left that moves by itself.
class LinkTorques {
 public:
  LinkTorques(const Model& model, const std::vector<Driven>& driven)
      : equations_(make_equations(link_side(model, driven), {})),
        reader_(*equations_),
        workspace_(equations_->make_workspace()),
        inputs_(make_inputs(equations_->model())),
        state_(equations_->initial_state()) {
    accelerations_.values = VectorX::Zero(equations_->num_coordinates());
  }

  // Why it is none; empty: it is.
  std::string problem() const {
    if (equations_->num_coordinates() == 0) return {};
    return cat("the motion leaves '", equations_->coordinate_names().front(),
               "' to itself: every joint needs a motion, or a motor that holds it");
  }
  VectorX at(double time) {
    state_.time = time;
    evaluate_inputs(equations_->model(), time, inputs_);
    const EvaluationStatus status = equations_->evaluate(state_, inputs_, *workspace_, accelerations_);
    if (status != EvaluationStatus::ok) throw InputError(cat("at ", time, " s: ", describe(status)));
    reader_.read(state_, inputs_, accelerations_, *workspace_, values_);
    return Eigen::Map<const VectorX>(values_.data(), static_cast<Eigen::Index>(values_.size()));
  }

 private:
  std::unique_ptr<Equations> equations_;
  SensorReader reader_;
  std::unique_ptr<Workspace> workspace_;
  Inputs inputs_;
  State state_;
  Accelerations accelerations_;
  std::vector<double> values_;
};

// What a motor does at an instant.
struct MotorState {
  double torque = 0, gear = 0;  // on the joint's side of the gearbox; through it
  double link_rate = 0;
  SignalValue place;
};

class ElasticFeedforward {
 public:
  ElasticFeedforward(const Model& model, const std::vector<DriveTrain>& trains, const FeedforwardSpec& spec,
                     const RunHooks& hooks)
      : model_(model), spec_(spec), hooks_(hooks), driven_(driven_joints(model, trains)), torques_(model, driven_) {
    end_ = spec.end_time > 0 ? spec.end_time : end_of_motions(model);
    if (!(end_ > 0)) throw InputError(cat(model.file, ": no prescribed motion ends; give --end"));
    constexpr double most = 2e6;  // instants that stay in memory
    if (!(spec.output_step > 0 && end_ / spec.output_step <= most))
      throw InputError(cat("an output step of ", spec.output_step, " s over ", end_, " s gives ",
                           end_ / spec.output_step, " instants, more than ", most));
    knots_ = {0, end_};
    for (const Driven& one : driven_) {
      std::vector<double> own = break_times(signal_of(one));
      // The jerk of planned moves jumps between their pieces.
      if (const auto* table = std::get_if<SignalTable>(&signal_of(one)); table && has_pieces(*table))
        own = table->times;
      for (const double time : own)
        if (time > 1e-9 * end_ && time < end_ * (1 - 1e-9)) knots_.push_back(time);
    }
    std::sort(knots_.begin(), knots_.end());
    knots_.erase(std::unique(knots_.begin(), knots_.end(), [&](double a, double b) { return b - a < 1e-9 * end_; }),
                 knots_.end());
  }

  FeedforwardResult run() {
    result_.failure = torques_.problem();
    if (!result_.failure.empty()) return std::move(result_);
    for (const Driven& one : driven_) {
      const Joint& joint = joint_of(one);
      FeedforwardJoint added;
      added.joint = joint.name;
      added.elastic = one.gear >= 0;
      added.slides = !is_rotation(joint.type, one.freedom);
      added.ratio = one.ratio;
      result_.joints.push_back(std::move(added));
    }
    record();
    if (!cancelled()) look_at_jumps();
    if (!cancelled()) check();
    if (!cancelled()) return std::move(result_);
    FeedforwardResult none;
    none.failure = "interrupted before the torques were computed and checked";
    return none;
  }

 private:
  bool cancelled() const { return hooks_.cancel && *hooks_.cancel; }
  const Signal& signal_of(const Driven& one) const { return model_.drives[static_cast<std::size_t>(one.drive)].signal; }
  const Joint& joint_of(const Driven& one) const { return model_.joints[static_cast<std::size_t>(one.joint)]; }

  // Derivatives of the torques, one column per order, from times within one piece of the motion: there they are smooth.
  MatrixX derivatives(std::size_t piece, double time) {
    const double begin = knots_[piece], width = knots_[piece + 1] - begin, inside = 1e-7 * width;
    const double step = std::min(spacing, (width - 2 * inside) / (num_nodes - 1));
    const double first =
        std::clamp(time - step * (num_nodes - 1) / 2, begin + inside, begin + width - inside - step * (num_nodes - 1));
    std::vector<double> nodes;
    for (int k = 0; k < num_nodes; ++k) nodes.push_back(first + k * step);
    const MatrixX weights = difference_weights(time, nodes, highest);
    MatrixX result = MatrixX::Zero(static_cast<Eigen::Index>(driven_.size()), highest + 1);
    for (int k = 0; k < num_nodes; ++k) result += torques_.at(nodes[static_cast<std::size_t>(k)]) * weights.row(k);
    return result;
  }

  // With w = θ - q, the gearbox transmits τ = k w + d ẇ; w = (τ - ε τ̇ + ε² τ̈) / k, ε = d/k, up to the third order of ε.
  // The rotor needs u = J θ̈ + τ, and its friction.
  MotorState motor_state(std::size_t j, const Eigen::RowVectorXd& torque, const SignalValue& link) const {
    const Driven& one = driven_[j];
    MotorState state;
    state.gear = torque[0];
    state.torque = torque[0];
    state.place = link;
    state.link_rate = std::abs(link.rate) < 1e-9 ? 0 : link.rate;
    if (one.gear < 0) return state;
    const Joint &joint = joint_of(one), &gear = model_.joints[static_cast<std::size_t>(one.gear)];
    const double k = gear.stiffness[0], epsilon = gear.damping[0] / k;
    const auto windup = [&](int order) {
      return (torque[order] - epsilon * torque[order + 1] + epsilon * epsilon * torque[order + 2]) / k;
    };
    state.place.value += windup(0);
    state.place.rate += windup(1);
    state.place.acceleration += windup(2);
    state.torque += joint.inertia[0] * state.place.acceleration + joint.damping[0] * state.place.rate +
                    joint.friction[0] * std::tanh(state.place.rate / joint.friction_speed);
    return state;
  }
  std::vector<MotorState> states_at(std::size_t piece, double time) {
    const MatrixX torques = derivatives(piece, time);
    const double width = knots_[piece + 1] - knots_[piece];
    const double inside = std::clamp(time, knots_[piece] + 1e-9 * width, knots_[piece + 1] - 1e-9 * width);
    std::vector<MotorState> states;
    for (std::size_t j = 0; j < driven_.size(); ++j) {
      SignalValue link = evaluate(signal_of(driven_[j]), time);
      link.acceleration = evaluate(signal_of(driven_[j]), inside).acceleration;
      states.push_back(motor_state(j, torques.row(static_cast<Eigen::Index>(j)), link));
    }
    return states;
  }

  void record() {
    std::vector<double> times = knots_;
    for (int i = 1; i * spec_.output_step < end_; ++i) times.push_back(i * spec_.output_step);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end(), [&](double a, double b) { return b - a < 1e-9 * end_; }),
                times.end());
    std::size_t piece = 0;
    std::vector<MotorState> from;  // on the motors' paths
    for (std::size_t i = 0; i < times.size() && !cancelled(); ++i) {
      while (piece + 2 < knots_.size() && times[i] >= knots_[piece + 1] - 1e-9 * end_) ++piece;
      const std::vector<MotorState> now = states_at(piece, times[i]);
      add_row(times[i], now);
      if (i == 0) begin(from = at_rest(now));
      if (i + 1 == times.size()) break;
      std::vector<MotorState> next = states_at(piece, times[i + 1]), after = next;
      if (piece + 2 < knots_.size() && times[i + 1] >= knots_[piece + 1] - 1e-9 * end_) {
        after = states_at(piece + 1, times[i + 1]);
        meet(next, after);
      }
      for (std::size_t j = 0; j < driven_.size(); ++j) motions_[j].add(from[j].place, times[i + 1], next[j].place);
      from = after;
      if (hooks_.progress) hooks_.progress(0.5 * times[i] / end_);
    }
  }
  // Motors do not jump: where the jerk of the links does, their paths go through the mean of both sides.
  static void meet(std::vector<MotorState>& before, std::vector<MotorState>& after) {
    for (std::size_t j = 0; j < before.size(); ++j) {
      SignalValue &left = before[j].place, &right = after[j].place;
      left.value = right.value = (left.value + right.value) / 2;
      left.rate = right.rate = (left.rate + right.rate) / 2;
    }
  }
  void begin(const std::vector<MotorState>& states) {
    first_ = states;
    for (const MotorState& state : states) motions_.emplace_back(0, state.place.value);
  }
  void add_row(double time, const std::vector<MotorState>& states) {
    result_.times.push_back(time);
    for (std::size_t j = 0; j < states.size(); ++j) {
      FeedforwardJoint& joint = result_.joints[j];
      joint.link.push_back(evaluate(signal_of(driven_[j]), time).value);
      joint.gear_torque.push_back(states[j].gear);
      joint.motor.push_back(states[j].place.value);
      joint.motor_speed.push_back(states[j].place.rate);
      joint.torque.push_back(states[j].torque / joint.ratio);
    }
  }

  // The motors of links that rest there; the torques through the gearboxes as they are.
  std::vector<MotorState> at_rest(std::vector<MotorState> states) const {
    for (std::size_t j = 0; j < states.size(); ++j)
      if (states[j].link_rate == 0) states[j].place.rate = 0;
    return states;
  }

  // Where the torque through a gearbox jumps, the motor would have to; where its rate does, the motor's speed.
  void look_at_jumps() {
    double impulse = 0, impulse_time = 0, strongest = 0;  // torque of all gearboxes
    for (const FeedforwardJoint& joint : result_.joints)
      for (const double torque : joint.gear_torque) strongest = std::max(strongest, std::abs(torque));
    std::size_t impulse_joint = 0;
    std::string jump;
    for (std::size_t i = 0; i < knots_.size(); ++i) {
      const std::vector<MotorState> before = i > 0 ? states_at(i - 1, knots_[i]) : at_rest(states_at(0, 0)),
                                    after = i + 1 < knots_.size() ? states_at(i, knots_[i]) : at_rest(before);
      for (std::size_t j = 0; j < driven_.size(); ++j) {
        if (driven_[j].gear < 0) continue;
        const std::vector<double>& all = result_.joints[j].gear_torque;
        const auto [least, most] = std::minmax_element(all.begin(), all.end());
        const double rise = std::abs(after[j].gear - before[j].gear);
        if (rise > 1e-4 * (*most - *least) && rise > 1e-9 * strongest && jump.empty())  // less is rounding
          jump = cat("the torque through the gearbox of '", result_.joints[j].joint, "' jumps by ", rise, " at ",
                     knots_[i],
                     " s, which no motor can do: take a profile of continuous acceleration, s_curve or minimum_jerk");
        const double kick = joint_of(driven_[j]).inertia[0] / result_.joints[j].ratio *
                            std::abs(after[j].place.rate - before[j].place.rate);
        if (kick <= impulse) continue;
        impulse = kick;
        impulse_time = knots_[i];
        impulse_joint = j;
      }
    }
    if (!jump.empty()) return result_.warnings.push_back(jump);
    double largest = 0;
    for (const double torque : result_.joints[impulse_joint].torque) largest = std::max(largest, std::abs(torque));
    if (impulse > 1e-4 * largest * spec_.output_step)
      result_.warnings.push_back(
          cat("where the jerk jumps, motors need impulses of torque, which are left out: the largest is ", impulse,
              " N m s, of '", result_.joints[impulse_joint].joint, "' at ", impulse_time, " s"));
  }

  // The arm with its elastic gearboxes, its motors on these paths: another way to the same links.
  void check() {
    if (std::none_of(driven_.begin(), driven_.end(), [](const Driven& one) { return one.gear >= 0; })) return;
    const std::vector<double> corrected = errors_with(true), rigid = errors_with(false);
    for (std::size_t j = 0; j < driven_.size(); ++j) {
      result_.joints[j].error = corrected[j];
      result_.joints[j].uncorrected = rigid[j];
    }
  }
  // The motor on its path, and the gearbox wound up from the beginning as this needs it.
  void follow(std::size_t j, Model& model) {
    const Driven& one = driven_[j];
    model.drives[static_cast<std::size_t>(one.drive)].signal = motions_[j].table();
    if (one.gear < 0) return;
    const SignalValue link = evaluate(signal_of(one), 0), motor = first_[j].place;
    Joint& gear = model.joints[static_cast<std::size_t>(one.gear)];
    gear.initial_value = {link.value - motor.value};
    gear.initial_value_given = {true};
  }
  // With the gearboxes winding up as the motors' paths begin.
  State start_of_followed(const Equations& equations) const {
    State start = equations.initial_state();
    const std::vector<std::string> names = equations.coordinate_names();
    for (std::size_t j = 0; j < driven_.size(); ++j) {
      if (driven_[j].gear < 0) continue;
      const std::string& gear = model_.joints[static_cast<std::size_t>(driven_[j].gear)].name;
      const auto at = std::find(names.begin(), names.end(), gear) - names.begin();
      if (at < start.speeds.size()) start.speeds[at] = evaluate(signal_of(driven_[j]), 0).rate - first_[j].place.rate;
    }
    return start;
  }
  std::vector<double> errors_with(bool corrected) {
    Model model = without_elasticity(model_);
    model.sensors.clear();
    for (std::size_t j = 0; j < driven_.size(); ++j) {
      if (corrected) follow(j, model);
      for (const int joint : {driven_[j].joint, driven_[j].gear >= 0 ? driven_[j].gear : driven_[j].joint}) {
        Sensor sensor;
        sensor.name = cat("value ", model.sensors.size());
        sensor.quantity = Quantity::joint_value;
        sensor.joint = joint;
        model.sensors.push_back(std::move(sensor));
      }
    }
    SimulateSpec motion;
    motion.end_time = end_;
    motion.output_times = result_.times;
    motion.tolerance = spec_.tolerance;
    SimulateOptions options = simulate_options(motion);
    options.cancel = hooks_.cancel;
    if (hooks_.integrators) options.make = hooks_.integrators;
    const std::unique_ptr<Equations> equations = make_equations(model, {});
    const State start = corrected ? start_of_followed(*equations) : settled_start(*equations);
    const Trajectory found = simulate(*equations, start, options);
    std::vector<double> errors(driven_.size(), 0.0);
    if (found.end != RunEnd::finished) {
      result_.warnings.push_back("not checked by a simulation: " + found.message);
      return std::vector<double>(driven_.size(), std::numeric_limits<double>::quiet_NaN());
    }
    for (std::size_t i = 0; i < found.times.size(); ++i)
      for (std::size_t j = 0; j < driven_.size(); ++j) {
        const double link =
            found.columns[2 * j].values[i] + (driven_[j].gear >= 0 ? found.columns[2 * j + 1].values[i] : 0);
        errors[j] = std::max(errors[j], std::abs(link - evaluate(signal_of(driven_[j]), found.times[i]).value));
      }
    return errors;
  }

  const Model& model_;
  const FeedforwardSpec& spec_;
  const RunHooks& hooks_;
  std::vector<Driven> driven_;
  LinkTorques torques_;
  double end_ = 0;
  std::vector<double> knots_;          // between pieces of the motion
  std::vector<MotionPieces> motions_;  // of the motors
  std::vector<MotorState> first_;      // at time 0
  FeedforwardResult result_;
};

}  // namespace

MatrixX difference_weights(double place, const std::vector<double>& nodes, int order) {
  MatrixX weights = MatrixX::Zero(static_cast<Eigen::Index>(nodes.size()), order + 1);
  weights(0, 0) = 1;
  double c1 = 1, c4 = nodes[0] - place;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const int most = std::min(static_cast<int>(i), order);
    double c2 = 1;
    const double c5 = c4;
    c4 = nodes[i] - place;
    const auto row = static_cast<Eigen::Index>(i);
    for (std::size_t j = 0; j < i; ++j) {
      const double c3 = nodes[i] - nodes[j];
      const auto other = static_cast<Eigen::Index>(j);
      c2 *= c3;
      if (j + 1 == i) {
        for (int k = most; k > 0; --k)
          weights(row, k) = c1 * (k * weights(row - 1, k - 1) - c5 * weights(row - 1, k)) / c2;
        weights(row, 0) = -c1 * c5 * weights(row - 1, 0) / c2;
      }
      for (int k = most; k > 0; --k) weights(other, k) = (c4 * weights(other, k) - k * weights(other, k - 1)) / c3;
      weights(other, 0) = c4 * weights(other, 0) / c3;
    }
    c1 = c2;
  }
  return weights;
}

FeedforwardResult elastic_feedforward(const Model& model, const std::vector<DriveTrain>& trains,
                                      const FeedforwardSpec& spec, const RunHooks& hooks) {
  return ElasticFeedforward(model, trains, spec, hooks).run();
}

}  // namespace lithe
