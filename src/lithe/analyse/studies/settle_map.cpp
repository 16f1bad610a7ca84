#include "lithe/analyse/studies/settle_map.h"

#include <cmath>
#include <limits>

#include "lithe/analyse/choose_controllers.h"
#include "lithe/analyse/equilibrium/settled_start.h"
#include "lithe/analyse/motion/control_loop.h"
#include "lithe/analyse/sweep/motion_says.h"
#include "lithe/analyse/sweep/sweep_equations.h"
#include "lithe/analyse/sweep/track_configuration.h"
#include "lithe/analyse/sweep_table.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/joints/prescribed_start.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/kinematics/cut_motion.h"
#include "lithe/reduce/interface_nodes.h"

namespace lithe {
namespace {

struct MakerWork : PointAnalysis::Work {
  explicit MakerWork(const EquationsMaker& from) : maker(from) {}
  EquationsMaker maker;
};

// The tool's sensor alone, which is quicker to read than all, with the modes of the links as they are with all;
// controllers need theirs.
Model model_of_map(const Model& model, const SettleSpec& spec) {
  Model result = with_prescribed_start(with_watched_tool(model, spec.tool));
  if (!acting_controllers(model, spec.motion.controllers).empty()) return result;
  const std::vector<InterfaceNodes> nodes = interface_nodes(result);
  for (std::size_t i = 0; i < result.links.size(); ++i)
    if (std::vector<int>& chosen = result.links[i].reduction.interface_nodes; chosen.empty()) chosen = nodes[i].all;
  result.sensors.resize(1);
  return result;
}

class SettlePoints : public PointAnalysis {
 public:
  SettlePoints(const Model& model, const SettleSpec& spec, const RunHooks& hooks)
      : model_(model_of_map(model, spec)),
        spec_(spec),
        external_(hooks.external),
        mechanism_(model_),
        home_(initial_configuration(mechanism_, model_)),
        tracker_(model_, mechanism_, tool(), home_),
        maker_(model_, spec.motion.formulation),
        options_(simulate_options(spec.motion)) {
    move_end_ = spec.move_end > 0 ? spec.move_end : end_of_motions(model_);
    if (!(move_end_ > 0))
      throw InputError(cat(model.file, ": no prescribed motion ends; give [[moves]], or --move-end"));
    options_.end_time = move_end_ + spec.after;
    options_.output_times.clear();
    options_.keep_states = false;
    options_.energy_balance = false;
    options_.watch_deformation = true;
    options_.start = settled_start;
    if (hooks.integrators) options_.make = hooks.integrators;
  }

  const Model& model() const override { return model_; }
  const Mechanism& mechanism() const override { return mechanism_; }
  std::optional<NodeOfLink> tool() const override {
    return NodeOfLink{model_.sensors.front().link, model_.sensors.front().node};
  }
  std::unique_ptr<Work> make_work() const override { return std::make_unique<MakerWork>(maker_); }

  PointResult evaluate(const PointPlace& place, Work& work, double* values) const override {
    Configuration start = place.configuration;
    if (!tracker_.reach(start_of_motions(start), start))
      return {PointStatus::unreachable, "the motion that ends here begins where the mechanism cannot be"};
    const Model moved = in_configuration(model_, mechanism_, home_, start);
    const std::unique_ptr<Equations> equations = static_cast<MakerWork&>(work).maker.make(moved);
    SimulateOptions options = options_;
    options.cancel = place.cancel;
    options.control = acting_control(*equations, spec_.motion.controllers, external_);
    options.remake = [&](const Model& changed) {
      return std::shared_ptr<const Equations>(make_equations(changed, spec_.motion.formulation));
    };
    const Trajectory motion = simulate(*equations, settled_start(*equations), options);
    if (motion.end != RunEnd::finished) return {PointStatus::failed, motion.message};
    const SettledPoint point = settled_point(motion, spec_.tool, move_end_, spec_.band);
    values[0] = std::isfinite(point.settling_time) ? point.settling_time : std::numeric_limits<double>::quiet_NaN();
    values[1] = point.residual;
    values[2] = point.last;
    values[3] = point.frequency;
    return motion_says(*equations, motion, values + 4);
  }

 private:
  // Where driven joints must be for the motions to end in a configuration.
  ConfigurationGoal start_of_motions(const Configuration& end) const {
    ConfigurationGoal goal;
    KinematicState state(mechanism_);
    update_position(mechanism_, end, state);
    for (const Drive& drive : model_.drives) {
      if (!drive.prescribes_motion) continue;
      const double way = lithe::evaluate(drive.signal, move_end_).value - lithe::evaluate(drive.signal, 0).value;
      goal.joints.push_back({drive.joint, drive.freedom, value_of(drive, end, state) - way});
    }
    return goal;
  }
  double value_of(const Drive& drive, const Configuration& configuration, const KinematicState& state) const {
    const int coordinate = mechanism_.coordinate_of(drive.joint, drive.freedom);
    if (coordinate >= 0) return configuration.coordinates[coordinate];
    for (const CutJoint& cut : mechanism_.cuts())
      if (cut.joint == drive.joint) return cut_values(cut, state)[drive.freedom];
    return 0;
  }

  Model model_;
  SettleSpec spec_;
  ExternalFactory external_;
  Mechanism mechanism_;
  Configuration home_;
  ConfigurationTracker tracker_;
  EquationsMaker maker_;
  SimulateOptions options_;
  double move_end_ = 0;
};

}  // namespace

Sweep make_settle_map(const VariableModel& model, const SettleMapSpec& spec, const RunHooks& hooks) {
  if (spec.settle.tool.empty()) throw InputError("a map of settling times needs the tool's node (--tool)");
  SweepSpec grid;
  grid.axes = spec.axes;
  grid.set = spec.set;
  grid.analysis = "simulate";
  grid.tool = spec.settle.tool;
  grid.orientation = spec.orientation;
  Sweep sweep = make_sweep(model, grid, hooks);
  sweep.columns = {{"settling_time", "s", SweepShow::picture},
                   {"residual", "m", SweepShow::picture},
                   {"last", "m", SweepShow::page},
                   {"frequency", "Hz", SweepShow::picture}};
  add_motion_columns(sweep.columns);
  SettlePoints(model.with({}), spec.settle, hooks);  // errors of the map as a whole show before it begins
  sweep.make_analysis = [with_numbers = sweep.make_analysis, settle = spec.settle,
                         hooks](const std::vector<double>& values) -> std::unique_ptr<PointAnalysis> {
    return std::make_unique<SettlePoints>(with_numbers(values)->model(), settle, hooks);
  };
  return sweep;
}

SweepResult settle_map(const VariableModel& model, const SettleMapSpec& spec, const RunHooks& hooks) {
  return all_points(make_settle_map(model, spec, hooks), spec.threads, hooks);
}

}  // namespace lithe
