#include "lithe/analyse/sweep/sweep_equations.h"

#include <algorithm>
#include <cmath>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/linear/linear_modes.h"
#include "lithe/analyse/modes/modes.h"
#include "lithe/analyse/observe/sensors.h"
#include "lithe/analyse/stability/steady_motion.h"
#include "lithe/analyse/stability/stiffening.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/automatic_stiffening.h"
#include "lithe/formulate/joints/prescribed_start.h"
#include "lithe/kinematics/configuration.h"

namespace lithe {
namespace {

struct MakerWork : PointAnalysis::Work {
  explicit MakerWork(const EquationsMaker& from) : maker(from) {}
  EquationsMaker maker;
};

// The first few are drawn.
SweepShow show_of(int k) { return k < 4 ? SweepShow::picture : SweepShow::page; }

Inputs inputs_at_rest(const Model& model) {
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, 0, inputs);
  for (auto& joint : inputs.prescribed_motion)
    for (SignalValue& motion : joint) motion.rate = motion.acceleration = 0;
  return inputs;
}

class ModesPoints : public EquationsPoints {
 public:
  ModesPoints(const Model& model, const EquationsPointOptions& options, int count)
      : EquationsPoints(model, options), count_(count) {}

 protected:
  std::vector<SweepColumn> columns_of(const Equations&) const override {
    std::vector<SweepColumn> columns;
    for (int k = 0; k < count_; ++k) columns.push_back({cat("frequency_", k + 1), "Hz", show_of(k)});
    for (int k = 0; k < count_; ++k) columns.push_back({cat("damping_ratio_", k + 1), ""});
    columns.push_back({"free_motions", ""});
    return columns;
  }

  PointResult answer(const Equations& equations, const PointPlace&, double* values) const override {
    const ModesResult found = mechanism_modes(equations, start_state(equations), 0);
    if (found.status != EvaluationStatus::ok) return {PointStatus::failed, describe(found.status)};
    const int n = std::min(count_, found.modes.num_modes());
    for (int k = 0; k < n; ++k) values[k] = found.modes.frequencies[k];
    for (int k = 0; k < std::min<int>(n, static_cast<int>(found.modes.damping_ratios.size())); ++k)
      values[count_ + k] = found.modes.damping_ratios[k];
    values[2 * count_] = found.modes.num_rigid;
    return {};
  }

 private:
  int count_;
};

class EquilibriumPoints : public EquationsPoints {
 public:
  EquilibriumPoints(const Model& model, const EquationsPointOptions& options, const EquilibriumPointOptions& wanted)
      : EquationsPoints(model, options), wanted_(wanted) {
    if (!wanted_.hold_joints || !wanted_.brakes.empty()) return;
    const std::vector<SweepColumn> all = EquationsPoints::columns();
    for (const SweepColumn& column : all)
      if (column.name.starts_with(holding)) wanted_.brakes.push_back(column.name.substr(holding.size()));
  }

 protected:
  static constexpr std::string_view holding = "holding.";

  std::vector<SweepColumn> columns_of(const Equations& equations) const override {
    std::vector<SweepColumn> columns{{"largest_displacement", "m", SweepShow::picture},
                                     {"elastic_energy", "J", SweepShow::page},
                                     {"stable", "", SweepShow::page}};
    if (tool())
      for (const char* name : {"sag_x", "sag_y", "sag_z", "sag"}) columns.push_back({name, "m", SweepShow::picture});
    const Model& model = equations.model();
    for (const Joint& joint : model.joints)
      for (int f = 0; f < num_freedoms(joint.type); ++f)
        columns.push_back(
            {num_freedoms(joint.type) > 1 ? cat("joint.", joint.name, ".", f + 1) : cat("joint.", joint.name),
             is_rotation(joint.type, f) ? "rad" : "m", wanted_.hold_joints ? SweepShow::page : SweepShow::picture});
    const SensorReader reader(equations);
    for (const Channel& channel : reader.channels())
      if (!model.sensors.empty()) columns.push_back({cat("sensor.", channel.name), channel.unit, SweepShow::page});
    if (!wanted_.hold_joints) return columns;
    std::vector<std::string> brakes = wanted_.brakes;
    if (brakes.empty()) {
      brakes = equations.coordinate_names();
      brakes.resize(static_cast<std::size_t>(equations.num_joint_coordinates()));
    }
    for (const std::string& name : brakes) columns.push_back({cat(holding, name), "", SweepShow::picture});
    return columns;
  }

  PointResult answer(const Equations& equations, const PointPlace&, double* values) const override {
    const State start = equations.initial_state();
    const Inputs inputs = inputs_at_rest(equations.model());
    EquilibriumOptions options;
    options.hold_unsprung = wanted_.hold_joints;
    options.tolerance = wanted_.tolerance;
    options.inputs = &inputs;
    const Equilibrium found = equilibrium(equations, start, options);
    if (!found.converged) return {PointStatus::failed, found.message};
    write(equations, start, found, inputs, values);
    return {};
  }

 private:
  void write(const Equations& equations, const State& start, const Equilibrium& found, const Inputs& inputs,
             double* next) const {
    const Model& model = equations.model();
    const auto workspace = equations.make_workspace();
    Accelerations none;
    none.values = VectorX::Zero(equations.num_coordinates());
    const auto place_of = [&](const State& state, int link, int node) {
      return equations.node_motion(state, inputs, none, link, node, *workspace).position;
    };
    double largest = 0;
    for (int link = 0; link < static_cast<int>(model.links.size()); ++link)
      for (int node = 0; node < static_cast<int>(model.links[link].nodes.size()); ++node)
        largest = std::max(largest, (place_of(found.state, link, node) - place_of(start, link, node)).norm());
    *next++ = largest;
    *next++ = equations.energies(found.state, inputs, *workspace).elastic;
    *next++ = found.stable;
    if (tool()) {
      const Vector3 sag =
          place_of(found.state, tool()->link, tool()->node) - place_of(start, tool()->link, tool()->node);
      for (int k = 0; k < 3; ++k) *next++ = sag[k];
      *next++ = sag.norm();
    }
    for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
      for (int f = 0; f < num_freedoms(model.joints[j].type); ++f)
        *next++ = equations.joint_motion(found.state, inputs, none, j, f, *workspace).value;
    if (!model.sensors.empty()) {
      std::vector<double> read;
      SensorReader(equations).read(found.state, inputs, none, *workspace, read);
      for (const double value : read) *next++ = value;
    }
    const std::vector<std::string> names = equations.coordinate_names();
    for (const std::string& brake : wanted_.brakes) {
      const auto at = std::find(names.begin(), names.end(), brake) - names.begin();
      if (at < found.holding_forces.size()) *next = found.holding_forces[at];
      ++next;
    }
  }

  EquilibriumPointOptions wanted_;
};

class LinearPoints : public EquationsPoints {
 public:
  LinearPoints(const Model& model, const EquationsPointOptions& options, const LinearPointOptions& wanted)
      : EquationsPoints(model, options), wanted_(wanted) {
    if (wanted.spin.empty()) return;
    const JointFreedom freedom = joint_freedom(model, wanted.spin);
    spin_ = SteadyFreedom{freedom.joint, freedom.freedom};
  }

 protected:
  std::vector<SweepColumn> columns_of(const Equations&) const override {
    std::vector<SweepColumn> columns{{"growth", "1/s", SweepShow::picture}, {"stable", "", SweepShow::picture}};
    for (int k = 0; k < wanted_.count; ++k) columns.push_back({cat("frequency_", k + 1), "Hz", show_of(k)});
    for (int k = 0; k < wanted_.count; ++k) columns.push_back({cat("damping_ratio_", k + 1), "", SweepShow::page});
    for (int k = 0; k < wanted_.count; ++k) columns.push_back({cat("real_part_", k + 1), "1/s"});
    for (int k = 0; k < wanted_.buckling; ++k) columns.push_back({cat("load_factor_", k + 1), "", show_of(k)});
    return columns;
  }

  std::shared_ptr<const Equations> stiffened_at(const Equations& equations, const PointPlace& place) const override {
    if (wanted_.buckling > 0) return stiffened(equations);
    const double speed = wanted_.speed_varies ? place.speed : wanted_.speed;
    return stiffened_about(equations, equations.initial_state(), inputs_at_rest(equations.model()), spin_, speed)
        .equations;
  }

  PointResult answer(const Equations& equations, const PointPlace& place, double* values) const override {
    SteadyMotion about;
    const State start = equations.initial_state();
    about.inputs = inputs_at_rest(equations.model());
    if (wanted_.about == "initial") {
      about.state = start;
      about.state.speeds.setZero();
    } else if (wanted_.about == "equilibrium") {
      const Equilibrium found = equilibrium(equations, start, {.inputs = &about.inputs});
      if (!found.converged) return {PointStatus::failed, found.message};
      about.state = found.state;
    } else {
      about = steady_motion(equations, start, Inputs(about.inputs), spin_,
                            wanted_.speed_varies ? place.speed : wanted_.speed);
      if (!about.found) return {PointStatus::failed, about.message};
    }
    const LinearResult linear = linearise_coordinates(equations, about.state, about.inputs, LinearAbout::held);
    if (linear.status != EvaluationStatus::ok) return {PointStatus::failed, linear.message};
    LinearModes modes;
    if (!linear_modes(linear.model, modes)) return {PointStatus::failed, describe(EvaluationStatus::singular_mass)};
    write(modes, values);
    if (wanted_.buckling > 0) {
      const Buckling found = buckling_factors(equations, start, wanted_.buckling);
      std::copy(found.factors.begin(), found.factors.end(), values + 2 + 3 * wanted_.count);
    }
    return {};
  }

 private:
  void write(const LinearModes& modes, double* values) const {
    const std::size_t n = modes.eigenvalues.size();
    double largest = 0, growth = 0;
    for (const auto& value : modes.eigenvalues) largest = std::max(largest, std::abs(value));
    bool first = true;
    for (const auto& value : modes.eigenvalues) {
      if (std::abs(value) <= smallest_eigenvalue * largest) continue;
      growth = first ? value.real() : std::max(growth, value.real());
      first = false;
    }
    values[0] = growth;
    values[1] = relative_growth(modes) <= least_growth;
    const auto count = static_cast<std::size_t>(wanted_.count);
    for (std::size_t k = 0; k < std::min(n, count); ++k) {
      values[2 + k] = modes.frequency(k);
      values[2 + count + k] = modes.damping_ratio(k);
      values[2 + 2 * count + k] = modes.eigenvalues[k].real();
    }
  }

  LinearPointOptions wanted_;
  std::optional<SteadyFreedom> spin_;
};

}  // namespace

EquationsPoints::EquationsPoints(const Model& model, EquationsPointOptions options)
    : model_(with_prescribed_start(model)),
      options_(std::move(options)),
      mechanism_(model_),
      home_(initial_configuration(mechanism_, model_)),
      maker_(model_, options_.formulation) {}

std::shared_ptr<const Equations> EquationsPoints::stiffened_at(const Equations& equations, const PointPlace&) const {
  return stiffened_at_rest(equations).equations;
}

std::unique_ptr<PointAnalysis::Work> EquationsPoints::make_work() const { return std::make_unique<MakerWork>(maker_); }

// A model that stays in its own configuration is taken as the file has it: values that it leaves open stay open.
std::unique_ptr<Equations> EquationsPoints::equations_at(const Configuration& configuration,
                                                         EquationsMaker& maker) const {
  if (!options_.moves_configuration && options_.held.empty()) return maker.make(model_);
  return maker.make(
      with_held_joints(in_configuration(model_, mechanism_, home_, configuration, options_.springs), options_.held));
}

PointResult EquationsPoints::evaluate(const PointPlace& place, Work& work, double* values) const {
  const std::unique_ptr<Equations> equations = equations_at(place.configuration, static_cast<MakerWork&>(work).maker);
  const std::shared_ptr<const Equations> stiff = stiffened_at(*equations, place);
  return answer(stiff ? *stiff : *equations, place, values);
}

std::vector<SweepColumn> EquationsPoints::columns() const {
  EquationsMaker maker(maker_);
  return columns_of(*equations_at(home_, maker));
}

std::unique_ptr<EquationsPoints> modes_points(const Model& model, const EquationsPointOptions& options, int count) {
  return std::make_unique<ModesPoints>(model, options, count);
}

std::unique_ptr<EquationsPoints> equilibrium_points(const Model& model, const EquationsPointOptions& options,
                                                    const EquilibriumPointOptions& wanted) {
  return std::make_unique<EquilibriumPoints>(model, options, wanted);
}

std::unique_ptr<EquationsPoints> linear_points(const Model& model, const EquationsPointOptions& options,
                                               const LinearPointOptions& wanted) {
  return std::make_unique<LinearPoints>(model, options, wanted);
}

}  // namespace lithe
