#include "lithe/analyse/studies/shape_move.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "lithe/analyse/linear/linear_modes.h"
#include "lithe/analyse/sweep/configuration_model.h"
#include "lithe/analyse/sweep/track_configuration.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/reference.h"
#include "lithe/formulate/joints/prescribed_start.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/model/motion_pieces.h"
#include "lithe/plan/payloads.h"

namespace lithe {
namespace {

constexpr double pi = std::numbers::pi;

// Where pieces of a motion meet, 0 first.
std::vector<double> knots_of(const Signal& signal) {
  std::vector<double> knots = break_times(signal);
  if (const auto* table = std::get_if<SignalTable>(&signal))
    knots.insert(knots.end(), table->times.begin(), table->times.end());
  if (std::holds_alternative<SignalSine>(signal) || std::holds_alternative<SignalChirp>(signal))
    throw InputError("a motion that is a sine or a chirp does not end: it cannot be shaped");
  knots.push_back(0);
  std::sort(knots.begin(), knots.end());
  std::erase_if(knots, [](double time) { return time < 0; });
  return knots;
}

// A mode with what every motion does to it.
struct Mode {
  double omega = 0, damping = 0;   // rad/s, ratio
  VectorX excitation;              // per drive: modal force per acceleration of its joint, with the other sign
  Vector3 tool = Vector3::Zero();  // m per unit of the mode
};

// The mechanism where the motions end: its motors hold, the rest vibrates.
class EndOfMotion {
 public:
  EndOfMotion(const Model& model, const ShapeSpec& spec, double move_end)
      : model_(with_prescribed_start(with_watched_tool(model, spec.settle.tool))) {
    for (const Drive& drive : model_.drives)
      if (drive.prescribes_motion) drives_.push_back(drive);
    model_.sensors.resize(1);
    bring_to_end(move_end);
    std::erase_if(model_.drives, [](const Drive& drive) { return drive.prescribes_motion; });
    for (const Drive& drive : drives_) {
      const Joint& joint = model_.joints[static_cast<std::size_t>(drive.joint)];
      linear_.inputs.push_back(num_freedoms(joint.type) > 1 ? cat(joint.name, ".", drive.freedom + 1) : joint.name);
    }
    linear_.formulation = spec.settle.motion.formulation;
  }

  std::vector<Mode> modes(std::string& failure) const {
    const LineariseResult found = linearise(model_, linear_);
    failure = found.failure;
    if (!failure.empty()) return {};
    return modes_of(found.models.front(), failure);
  }

 private:
  void bring_to_end(double move_end) {
    const Mechanism mechanism(model_);
    const Configuration home = initial_configuration(mechanism, model_);
    const ConfigurationTracker tracker(model_, mechanism, std::nullopt, home);
    ConfigurationGoal goal;
    for (const Drive& drive : drives_)
      goal.joints.push_back({drive.joint, drive.freedom, evaluate(drive.signal, move_end).value});
    Configuration end = home;
    if (!tracker.reach(goal, end)) throw InputError("the motion ends where the mechanism cannot be");
    model_ = in_configuration(model_, mechanism, home, end);
  }

  // Motors prescribe Bᵀ x = θ: x = B⁺ θ + Z y with Bᵀ Z = 0, and of Zᵀ (M ẍ + C ẋ + K x) = 0 the part -Zᵀ M B⁺ θ̈
  // excites y. The little stiffness that gravity puts between θ and y is left out.
  std::vector<Mode> modes_of(const LinearModel& linear, std::string& failure) const {
    const MatrixX& b = linear.input;
    const Eigen::Index held = b.cols(), free = b.rows() - held;
    std::vector<Mode> modes;
    if (free <= 0) return modes;
    const MatrixX z = orthogonal_factor(b).rightCols(free);
    const MatrixX carried = PivotedQr(MatrixX(b.transpose() * b)).solve(b.transpose()).transpose();  // B (BᵀB)⁻¹
    const MatrixX mass = z.transpose() * linear.mass * z, whole = z.transpose() * linear.stiffness * z;
    const MatrixX stiffness = (whole + whole.transpose()) / 2, damping = z.transpose() * linear.damping * z;
    const SymmetricPairs pairs = symmetric_pairs(stiffness, mass);
    if (!pairs.converged || !(pairs.values[0] > smallest_eigenvalue * pairs.values[free - 1] * 1e-6)) {
      failure = "the tool moves freely where the motions end: a joint has neither spring nor motor";
      return modes;
    }
    const MatrixX excited = pairs.vectors.transpose() * z.transpose() * linear.mass * carried;
    for (Eigen::Index k = 0; k < free; ++k) {
      Mode mode;
      const VectorX shape = pairs.vectors.col(k);
      mode.omega = std::sqrt(pairs.values[k]);
      mode.damping = std::clamp(shape.dot(damping * shape) / (2 * mode.omega), 0.0, 0.99);
      mode.excitation = excited.row(k);
      mode.tool = linear.position_output.topRows(3) * (z * shape);
      modes.push_back(std::move(mode));
    }
    return modes;
  }

  Model model_;
  std::vector<Drive> drives_;
  LineariseSpec linear_;
};

// |∫ θ̈ e^{(ζω + iω_d) t} dt| of all drives together: Gauss points between knots, where accelerations jump.
std::complex<double> convolution(const Mode& mode, const std::vector<Drive>& drives, double end) {
  const double decay = mode.damping * mode.omega, damped = mode.omega * std::sqrt(1 - mode.damping * mode.damping);
  constexpr double places[] = {0.1127016653792583, 0.5, 0.8872983346207417}, weights[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  std::complex<double> sum = 0;
  for (std::size_t d = 0; d < drives.size(); ++d) {
    const std::vector<double> knots = knots_of(drives[d].signal);
    for (std::size_t i = 1; i < knots.size(); ++i) {
      const double width = knots[i] - knots[i - 1];
      if (width <= 0 || knots[i] > end * (1 + 1e-12)) continue;
      const int count = static_cast<int>(std::min(1e5, std::ceil(width * mode.omega) + 1));
      for (int part = 0; part < count; ++part)
        for (int g = 0; g < 3; ++g) {
          const double time = knots[i - 1] + width * (part + places[g]) / count;
          const double acceleration = evaluate(drives[d].signal, time).acceleration;
          sum += mode.excitation[static_cast<Eigen::Index>(d)] * acceleration * weights[g] * width / count *
                 std::exp(std::complex<double>(decay * (time - end), damped * (time - end)));
        }
    }
  }
  return sum;
}

// Amplitude of the tool's free vibration in the mode after the motion's end.
double vibration(const Mode& mode, const std::vector<Drive>& drives, double end) {
  const double damped = mode.omega * std::sqrt(1 - mode.damping * mode.damping);
  return mode.tool.norm() * std::abs(convolution(mode, drives, end)) / damped;
}

class MoveShaping {
 public:
  MoveShaping(const Model& model, const ShapeSpec& spec, const RunHooks& hooks)
      : model_(model), spec_(spec), hooks_(hooks) {
    if (spec.settle.tool.empty()) throw InputError("shaping a move needs the tool's node (--tool)");
    if (!(spec.slowest >= 1)) throw InputError(cat("the slowest move must be 1 or more, got ", spec.slowest));
    move_end_ = end_of_motions(model);
    if (!(move_end_ > 0)) throw InputError(cat(model.file, ": no prescribed motion ends; give [[moves]]"));
    for (const Drive& drive : model.drives)
      if (drive.prescribes_motion) drives_.push_back(drive);
  }

  ShapeResult run() {
    std::vector<Mode> all = EndOfMotion(model_, spec_, move_end_).modes(result_.failure);
    if (!result_.failure.empty()) return std::move(result_);
    choose_modes(std::move(all));
    propose("as it is", {}, 1);
    if (!modes_.empty()) propose_shapers();
    if (!modes_.empty()) propose_duration();
    for (ShapedMove& move : result_.moves)
      if (!cancelled()) simulate_move(move);
    if (cancelled()) return interrupted();
    choose_best();
    return std::move(result_);
  }

 private:
  bool cancelled() const { return hooks_.cancel && *hooks_.cancel; }
  // The best of some moves need not be the best of all.
  static ShapeResult interrupted() {
    ShapeResult none;
    none.failure = "interrupted before all moves were simulated";
    none.cancelled = true;
    return none;
  }

  void choose_modes(std::vector<Mode> all) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t k = 0; k < all.size(); ++k) order.emplace_back(-vibration(all[k], drives_, move_end_), k);
    std::sort(order.begin(), order.end());
    for (const auto& [negative, k] : order) {
      if (!(-negative >= spec_.least * -order.front().first) || negative == 0) break;
      modes_.push_back(all[k]);
      result_.modes.push_back({all[k].omega / (2 * pi), all[k].damping, -negative});
    }
  }

  void propose(std::string name, Shaper shaper, double stretch) {
    ShapedMove move;
    move.name = std::move(name);
    move.move_end = stretch * move_end_ + shaper.times.back();
    for (const Mode& mode : modes_) {
      const double left = residual_vibration(shaper, mode.omega / (2 * pi), mode.damping) * stretched(mode, stretch);
      move.predicted += left * left;
    }
    move.predicted = std::sqrt(move.predicted);
    move.shaper = std::move(shaper);
    move.stretch = stretch;
    result_.moves.push_back(std::move(move));
  }
  // The mode's vibration after a slower motion: as of the same motion with a mode that is faster by as much.
  double stretched(const Mode& mode, double stretch) const {
    Mode faster = mode;
    faster.omega *= stretch;  // ∫ θ̈(t/s)/s² e^{iωt} dt = 1/s ∫ θ̈(u) e^{iωsu} du
    return vibration(faster, drives_, move_end_);
  }

  void propose_shapers() {
    const Mode& first = modes_.front();
    const double hertz = first.omega / (2 * pi);
    std::string digits = cat(std::round(100 * hertz) / 100);
    for (const auto& [kind, name] :
         {std::pair{ShaperKind::zv, "ZV"}, {ShaperKind::zvd, "ZVD"}, {ShaperKind::ei, "EI"}}) {
      try {
        propose(cat(name, " at ", digits, " Hz"), make_shaper(kind, hertz, first.damping), 1);
      } catch (const InputError&) {  // no EI shaper for so much damping
      }
    }
    if (modes_.size() < 2) return;
    const Mode& second = modes_[1];
    propose(cat("ZV at ", digits, " and ", std::round(100 * second.omega / (2 * pi)) / 100, " Hz"),
            convolved(make_shaper(ShaperKind::zv, hertz, first.damping),
                      make_shaper(ShaperKind::zv, second.omega / (2 * pi), second.damping)),
            1);
  }

  // When all modes have decayed into the band, by linear theory; infinite where one does not decay.
  double still_after(double stretch) const {
    double latest = 0;
    for (const Mode& mode : modes_) {
      const double over = stretched(mode, stretch) * std::sqrt(static_cast<double>(modes_.size())) / spec_.settle.band;
      if (over > 1) latest = std::max(latest, std::log(over) / (mode.damping * mode.omega));
    }
    return stretch * move_end_ + latest;
  }
  // Of 1000 durations; where no mode decays, that of the least vibration.
  void propose_duration() {
    constexpr int count = 1000;
    double best = 1, least_time = still_after(1), least_swing = swing(1);
    for (int i = 1; i <= count && !cancelled(); ++i) {
      const double stretch = 1 + (spec_.slowest - 1) * i / count;
      const double time = still_after(stretch), now = swing(stretch);
      if (!(time < least_time || (std::isinf(least_time) && now < least_swing))) continue;
      best = stretch;
      least_time = time;
      least_swing = now;
    }
    if (best > 1) propose(cat(std::round(1000 * best) / 1000, " times slower"), {}, best);
  }
  double swing(double stretch) const {
    double sum = 0;
    for (const Mode& mode : modes_) sum += std::pow(stretched(mode, stretch), 2);
    return std::sqrt(sum);
  }

  Model with(const ShapedMove& move) const {
    Model result = model_;
    for (Drive& drive : result.drives)
      if (drive.prescribes_motion) drive.signal = shaped_signal(drive.signal, move.stretch, move.shaper);
    return result;
  }

  void simulate_move(ShapedMove& move) {
    SettleSpec spec = spec_.settle;
    spec.move_end = move.move_end;
    spec.motion.end_time = move.move_end + spec.after;
    SimulateHooks hooks;
    static_cast<RunHooks&>(hooks) = hooks_;
    if (hooks_.progress)
      hooks.progress = [this, first = &move - result_.moves.data()](double part) {
        hooks_.progress((static_cast<double>(first) + part) / static_cast<double>(result_.moves.size()));
      };
    const SettleResult found = settle(with(move), spec, hooks);
    move.notes = found.motion.notes;
    move.warnings = found.motion.warnings;
    if (found.points.empty()) {
      move.failure = found.motion.message;
      return;
    }
    move.tool = found.points.front();
    move.times = found.motion.times;
    for (const Column& column : found.motion.columns)
      for (const char* axis : {".x", ".y", ".z"})
        if (column.name == move.tool.name + axis) move.columns.push_back(column);
  }

  void choose_best() {
    const auto better = [](const ShapedMove& a, const ShapedMove& b) {
      if (a.failure.empty() != b.failure.empty()) return a.failure.empty();
      const bool still = std::isfinite(a.tool.settling_time), other = std::isfinite(b.tool.settling_time);
      if (still != other) return still;
      return still ? a.still_after() < b.still_after() : a.tool.residual < b.tool.residual;
    };
    const auto best = std::min_element(result_.moves.begin(), result_.moves.end(), better);
    result_.best = static_cast<std::size_t>(best - result_.moves.begin());
    result_.model = with(*best);
  }

  const Model& model_;
  const ShapeSpec& spec_;
  const RunHooks& hooks_;
  double move_end_ = 0;
  std::vector<Drive> drives_;
  std::vector<Mode> modes_;  // that count
  ShapeResult result_;
};

}  // namespace

Shaper convolved(const Shaper& a, const Shaper& b) {
  Shaper result{{}, {}};
  for (std::size_t i = 0; i < a.times.size(); ++i)
    for (std::size_t j = 0; j < b.times.size(); ++j) {
      const double time = a.times[i] + b.times[j];
      const auto at = std::lower_bound(result.times.begin(), result.times.end(), time) - result.times.begin();
      result.times.insert(result.times.begin() + at, time);
      result.sizes.insert(result.sizes.begin() + at, a.sizes[i] * b.sizes[j]);
    }
  return result;
}

Signal shaped_signal(const Signal& signal, double stretch, const Shaper& shaper) {
  const std::vector<double> own = knots_of(signal);
  std::vector<double> knots;
  for (const double time : own)
    for (const double later : shaper.times) knots.push_back(stretch * time + later);
  std::sort(knots.begin(), knots.end());
  const double end = knots.back();
  knots.erase(std::unique(knots.begin(), knots.end(), [&](double a, double b) { return b - a < 1e-9 * end; }),
              knots.end());
  // `side`: to which side of a jump of the acceleration the state belongs.
  const auto state_at = [&](double time, double side) {
    SignalValue sum;
    for (std::size_t i = 0; i < shaper.times.size(); ++i) {
      const double inner = (time - shaper.times[i]) / stretch, beside = inner + 1e-7 * side * own.back();
      const SignalValue here = evaluate(signal, std::max(0.0, inner));
      sum.value += shaper.sizes[i] * here.value;
      if (beside < 0) continue;
      sum.rate += shaper.sizes[i] * here.rate / stretch;
      sum.acceleration += shaper.sizes[i] * evaluate(signal, beside).acceleration / (stretch * stretch);
    }
    return sum;
  };
  if (!(end > 0)) return signal;
  MotionPieces pieces(0, state_at(0, 1).value);
  for (std::size_t i = 1; i < knots.size(); ++i)
    pieces.add(state_at(knots[i - 1], 1), knots[i], state_at(knots[i], -1));
  return pieces.table();
}

ShapeResult shape_move(const Model& model, const ShapeSpec& spec, const RunHooks& hooks) {
  if (!payload_changes(model, 0, std::numeric_limits<double>::infinity()).empty())
    throw InputError("payloads are taken or put down during the motion: it cannot be made slower or shaped");
  return MoveShaping(model, spec, hooks).run();
}

}  // namespace lithe
