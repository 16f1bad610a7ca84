#include "lithe/analyse/reduction/static_mechanism.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <numeric>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/observe/rigid_model.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/formulate/formulation.h"
#include "lithe/model/control_setup.h"
#include "lithe/model/mechanism_damping.h"
#include "lithe/reduce/fixed_interface.h"
#include "lithe/reduce/interface_nodes.h"

namespace lithe {
namespace {

constexpr int most_static_coordinates = 400;  // of the static mechanism: a second of work
constexpr int modes_of_large_links = 80;
constexpr double rough_tolerance = 1e-3;  // m/s, of the motion of rigid links
constexpr int most_rigid_steps = 3000;
constexpr double still_joint = 1e-4;  // of its travel: one that moves less is judged by this

Model with_static_links(Model model, const std::vector<int>& links) {
  for (const int link : links) {
    model.links[static_cast<std::size_t>(link)].reduction = {};
    model.links[static_cast<std::size_t>(link)].reduction.method = ReductionMethod::guyan;
  }
  return model;
}

// LinkInterface of a link: its motion in link axes, dof by dof.
struct LinkInterface {
  int link = 0;
  std::vector<int> nodes;
  bool rotations = true;
};

}  // namespace

class StaticMechanisms::Builder {
 public:
  Builder(const Model& model, const std::vector<int>& links);
  StaticMechanism build();
  std::vector<State> passed(double duration, int count) const;
  void move_to(const State& rigid);

 private:
  void find_modes();
  void find_excitation();
  void find_steps();
  VectorX force_on_joint(int joint, int freedom);
  void find_candidates();
  void find_readings();
  NodeMotion motion(int link, int node) { return at(state_, inputs_, zero_, link, node); }
  NodeMotion at(const State& state, const Inputs& inputs, const Accelerations& accelerations, int link, int node) {
    return equations_->node_motion(state, inputs, accelerations, link, node, *workspace_);
  }
  template <typename Velocity>
  MatrixX by_mode(Eigen::Index rows, const Velocity& velocity);
  template <typename Value>
  MatrixX by_prescribed(Eigen::Index rows, const Value& value);
  VectorX interface_rates(const LinkInterface& interface, const State& state, const Inputs& inputs);
  VectorX interface_accelerations(const LinkInterface& interface, const Inputs& inputs);
  VectorX local(const LinkInterface& interface, const std::vector<Vector3>& translations,
                const std::vector<Vector3>& rotations) const;
  void add_node_reading(const Sensor& sensor);
  void add_elastic_reading(const Sensor& sensor);
  void add_joint_reading(const Sensor& sensor);
  void add_force_reading(const Sensor& sensor);
  void add_default_readings();
  ModalReading node_reading(std::string name, int level, const std::vector<std::pair<int, int>>& places);

  const Model& model_;
  std::vector<int> links_;
  std::unique_ptr<Equations> equations_;
  std::unique_ptr<Workspace> workspace_;
  State start_, state_;  // as the run begins; and at rest there
  Inputs inputs_, moving_;
  Accelerations zero_;
  MatrixX mass_, shapes_;
  VectorX start_force_;  // M ẍ as the mechanism starts
  std::vector<LinkInterface> interfaces_;
  std::vector<FixedInterfaceModes> dynamic_;
  double extent_ = 0;
  StaticMechanism result_;
};

StaticMechanisms::Builder::Builder(const Model& model, const std::vector<int>& links) : model_(model), links_(links) {
  equations_ = make_equations(with_static_links(model, links));
  if (equations_->num_coordinates() > most_static_coordinates)
    throw InputError(cat("the mechanism has ", equations_->num_coordinates(), " coordinates with static shapes alone"));
  workspace_ = equations_->make_workspace();
  start_ = state_ = start_state(*equations_);
  state_.speeds.setZero();
  moving_ = inputs_ = make_inputs(model);
  evaluate_inputs(model, start_.time, moving_);
  inputs_ = moving_;
  bring_to_rest(inputs_);
  zero_.values = VectorX::Zero(equations_->num_coordinates());
  const std::vector<InterfaceNodes> nodes = interface_nodes(model);
  for (const int link : links) {
    const FiniteElementBody mesh = assemble(model, model.links[static_cast<std::size_t>(link)]);
    const std::vector<int>& interface = nodes[static_cast<std::size_t>(link)].all;
    dynamic_.push_back(fixed_interface_modes(mesh, interface, modes_of_large_links, model.space));
    interfaces_.push_back({link, interface, mesh.nodes_have_rotations});
  }
}

void StaticMechanisms::Builder::find_modes() {
  mass_ = shapes_ = result_.damping = MatrixX(0, 0);
  result_.squared_frequencies = VectorX(0);
  if (equations_->num_coordinates() == 0) return;
  LinearBlocks blocks;
  const EvaluationStatus status = equations_->linearise_about(state_, inputs_, zero_, *workspace_, blocks);
  if (status != EvaluationStatus::ok) throw InputError(describe(status));
  mass_ = 0.5 * (blocks.mass + blocks.mass.transpose());
  const SymmetricPairs pairs = symmetric_pairs(0.5 * (blocks.stiffness + blocks.stiffness.transpose()), mass_);
  if (!pairs.converged) throw InputError(describe(EvaluationStatus::singular_mass));
  shapes_ = pairs.vectors;
  result_.squared_frequencies = pairs.values.cwiseMax(0.0);
  result_.damping = shapes_.transpose() * (blocks.damping * shapes_);
}

// Values that are linear in the speeds, per unit speed of each mode.
template <typename Velocity>
MatrixX StaticMechanisms::Builder::by_mode(Eigen::Index rows, const Velocity& velocity) {
  MatrixX result(rows, shapes_.cols());
  State state = state_;
  for (Eigen::Index k = 0; k < shapes_.cols(); ++k) {
    state.speeds = shapes_.col(k);
    result.col(k) = velocity(state, inputs_);
  }
  return result;
}

// The same per unit rate of each prescribed motion.
template <typename Value>
MatrixX StaticMechanisms::Builder::by_prescribed(Eigen::Index rows, const Value& value) {
  MatrixX result = MatrixX::Zero(rows, static_cast<Eigen::Index>(result_.inputs.size()));
  for (std::size_t i = 0; i < model_.drives.size(); ++i) {
    const Drive& drive = model_.drives[i];
    if (!drive.prescribes_motion) continue;
    Inputs inputs = inputs_;
    inputs.prescribed_motion[static_cast<std::size_t>(drive.joint)][static_cast<std::size_t>(drive.freedom)].rate = 1;
    result.col(static_cast<Eigen::Index>(i)) = value(state_, inputs);
  }
  return result;
}

// What acts on the modes: as at the start, and per unit of each input. A force does work on what moves with a mode.
void StaticMechanisms::Builder::find_excitation() {
  for (const Drive& drive : model_.drives) result_.inputs.push_back({&drive.signal, drive.prescribes_motion});
  for (const Load& load : model_.loads) result_.inputs.push_back({&load.signal, false});
  Accelerations accelerations = zero_, changed = zero_;
  if (start_force_.size() == 0 && mass_.size() > 0) {
    const EvaluationStatus status = equations_->evaluate(start_, moving_, *workspace_, accelerations);
    if (status != EvaluationStatus::ok) throw InputError(describe(status));
    start_force_ = mass_ * accelerations.values;
  }
  const MatrixX momentum = shapes_.transpose() * mass_;
  result_.initial_force = shapes_.transpose() * start_force_;
  result_.initial_speed = momentum * start_.speeds;
  result_.input_force = MatrixX::Zero(shapes_.cols(), static_cast<Eigen::Index>(result_.inputs.size()));
  const bool moves = equations_->evaluate(state_, inputs_, *workspace_, accelerations) == EvaluationStatus::ok;
  for (std::size_t i = 0; i < model_.drives.size(); ++i) {
    const Drive& drive = model_.drives[i];
    const auto column = static_cast<Eigen::Index>(i);
    if (!drive.prescribes_motion) {
      result_.input_force.col(column) = force_on_joint(drive.joint, drive.freedom);
      continue;
    }
    Inputs pushed = inputs_;
    pushed.prescribed_motion[static_cast<std::size_t>(drive.joint)][static_cast<std::size_t>(drive.freedom)]
        .acceleration += 1;
    if (moves && equations_->evaluate(state_, pushed, *workspace_, changed) == EvaluationStatus::ok)
      result_.input_force.col(column) = momentum * (changed.values - accelerations.values);
  }
  for (std::size_t i = 0; i < model_.loads.size(); ++i) {
    const Load& load = model_.loads[i];
    const NodeMotion there = motion(load.link, load.node);
    const Vector3 direction = load.follows_link ? Vector3(there.orientation * load.direction) : load.direction;
    result_.input_force.col(static_cast<Eigen::Index>(model_.drives.size() + i)) =
        by_mode(1, [&](const State& state, const Inputs& inputs) {
          const NodeMotion moved = at(state, inputs, zero_, load.link, load.node);
          return VectorX::Constant(1, direction.dot(load.torque ? moved.angular_velocity : moved.velocity));
        }).transpose();
  }
}

VectorX StaticMechanisms::Builder::force_on_joint(int joint, int freedom) {
  return by_mode(1,
                 [&](const State& state, const Inputs& inputs) {
                   return VectorX::Constant(
                       1, equations_->joint_motion(state, inputs, zero_, joint, freedom, *workspace_).rate);
                 })
      .transpose();
}

// Controllers and linear models may do anything with what acts: a unit step of each stands for it.
void StaticMechanisms::Builder::find_steps() {
  std::vector<VectorX> columns;
  const bool linear = std::any_of(model_.analyses.begin(), model_.analyses.end(), [](const AnalysisRequest& request) {
    return request.kind == AnalysisKind::linearise || request.kind == AnalysisKind::control;
  });
  for (std::size_t i = 0; linear && i < result_.inputs.size(); ++i)
    if (!result_.inputs[i].prescribed) columns.push_back(result_.input_force.col(static_cast<Eigen::Index>(i)));
  if (model_.control)
    for (const ControllerSetup& controller : model_.control->controllers)
      for (const Actuator& actuator : controller.actuators)
        columns.push_back(force_on_joint(actuator.joint, actuator.freedom));
  result_.step_force.resize(shapes_.cols(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) result_.step_force.col(static_cast<Eigen::Index>(i)) = columns[i];
}

// Link axes, the dofs that move.
VectorX StaticMechanisms::Builder::local(const LinkInterface& interface, const std::vector<Vector3>& translations,
                                         const std::vector<Vector3>& rotations) const {
  const bool planar = model_.space == Space::planar;
  const Eigen::Index per_node = planar ? 3 : interface.rotations ? 6 : 3;
  VectorX result(per_node * static_cast<Eigen::Index>(interface.nodes.size()));
  for (std::size_t k = 0; k < interface.nodes.size(); ++k) {
    auto part = result.segment(per_node * static_cast<Eigen::Index>(k), per_node);
    if (planar) {
      part << translations[k].x(), translations[k].y(), rotations[k].z();
    } else {
      part.head<3>() = translations[k];
      if (interface.rotations) part.tail<3>() = rotations[k];
    }
  }
  return result;
}

VectorX StaticMechanisms::Builder::interface_rates(const LinkInterface& interface, const State& state,
                                                   const Inputs& inputs) {
  std::vector<Vector3> translations, rotations;
  for (const int node : interface.nodes) {
    const NodeMotion moved = at(state, inputs, zero_, interface.link, node);
    translations.push_back(moved.orientation.transpose() * moved.velocity);
    rotations.push_back(moved.orientation.transpose() * moved.angular_velocity);
  }
  return local(interface, translations, rotations);
}

// Less gravity: what the inner points feel.
VectorX StaticMechanisms::Builder::interface_accelerations(const LinkInterface& interface, const Inputs& inputs) {
  std::vector<Vector3> translations, rotations;
  for (const int node : interface.nodes) {
    const NodeMotion moved = at(start_, inputs, zero_, interface.link, node);
    translations.push_back(moved.orientation.transpose() * (moved.acceleration - model_.gravity));
    rotations.push_back(moved.orientation.transpose() * moved.angular_acceleration);
  }
  return local(interface, translations, rotations);
}

void StaticMechanisms::Builder::find_candidates() {
  struct Candidate {
    int link;
    Eigen::Index mode;
    double squared;
  };
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < dynamic_.size(); ++i)
    for (Eigen::Index k = 0; k < dynamic_[i].squared_frequencies.size(); ++k)
      candidates.push_back({static_cast<int>(i), k, dynamic_[i].squared_frequencies(k)});
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.squared < b.squared; });
  std::vector<MatrixX> by_modes, by_inputs;
  std::vector<VectorX> felt;
  for (std::size_t i = 0; i < dynamic_.size(); ++i) {
    const LinkInterface& interface = interfaces_[i];
    const MatrixX& participation = dynamic_[i].participation;
    const auto rates = [&](const State& state, const Inputs& inputs) {
      return interface_rates(interface, state, inputs);
    };
    by_modes.push_back(participation * by_mode(participation.cols(), rates));
    by_inputs.push_back(-participation * by_prescribed(participation.cols(), rates));
    felt.push_back(-participation * interface_accelerations(interface, moving_));
  }
  const auto count = static_cast<Eigen::Index>(candidates.size());
  result_.candidate_squared.resize(count);
  result_.candidate_damping.resize(count);
  result_.candidate_force.resize(count);
  result_.coupling.resize(shapes_.cols(), count);
  result_.candidate_input_force.resize(count, static_cast<Eigen::Index>(result_.inputs.size()));
  const Damping& whole = mechanism_damping(model_);
  for (Eigen::Index c = 0; c < count; ++c) {
    const Candidate& candidate = candidates[static_cast<std::size_t>(c)];
    const auto link = static_cast<std::size_t>(candidate.link);
    result_.candidate_link.push_back(candidate.link);
    result_.candidate_squared(c) = candidate.squared;
    result_.candidate_damping(c) = 0;
    for (const Damping* damping : {&model_.links[static_cast<std::size_t>(links_[link])].damping, &whole}) {
      result_.candidate_damping(c) += damping->mass_factor + damping->stiffness_factor * candidate.squared;
      if (!damping->modal_ratios.empty())
        result_.candidate_damping(c) += 2 * damping->modal_ratios.back() * std::sqrt(candidate.squared);
    }
    result_.coupling.col(c) = by_modes[link].row(candidate.mode).transpose();
    result_.candidate_input_force.row(c) = by_inputs[link].row(candidate.mode);
    // A mechanism that starts in equilibrium carries its weight already.
    result_.candidate_force(c) = model_.initial_configuration.static_equilibrium ? 0 : felt[link](candidate.mode);
  }
}

ModalReading StaticMechanisms::Builder::node_reading(std::string name, int level,
                                                     const std::vector<std::pair<int, int>>& places) {
  ModalReading reading;
  reading.name = std::move(name);
  reading.level = level;
  reading.largest_travel = 2 * extent_;
  const Eigen::Index rows = 3 * static_cast<Eigen::Index>(places.size());
  const auto velocity = [&](const State& state, const Inputs& inputs) {
    VectorX values(rows);
    for (std::size_t k = 0; k < places.size(); ++k)
      values.segment<3>(3 * static_cast<Eigen::Index>(k)) =
          at(state, inputs, zero_, places[k].first, places[k].second).velocity;
    return values;
  };
  reading.rows = by_mode(rows, velocity);
  reading.direct = by_prescribed(rows, velocity);
  reading.offset = VectorX::Zero(rows);
  return reading;
}

void StaticMechanisms::Builder::add_node_reading(const Sensor& sensor) {
  const int level = sensor.quantity == Quantity::position ? 0 : sensor.quantity == Quantity::velocity ? 1 : 2;
  ModalReading reading = node_reading(sensor.name, level, {{sensor.link, sensor.node}});
  reading.component = sensor.component;
  result_.readings.push_back(std::move(reading));
}

// Displacement from the rigid mechanism: by the elastic coordinates of a mode alone.
void StaticMechanisms::Builder::add_elastic_reading(const Sensor& sensor) {
  const bool rotation = sensor.quantity == Quantity::rotation;
  const auto value = [&](const State& state) -> Vector3 {
    const NodeMotion moved = at(state, inputs_, zero_, sensor.link, sensor.node);
    return rotation ? moved.rotation : moved.displacement;
  };
  ModalReading reading;
  reading.name = sensor.name;
  const Vector3 start = value(state_);
  reading.offset = VectorX::Zero(3);
  reading.offset.head<3>() = start;
  reading.rows.resize(3, shapes_.cols());
  const Eigen::Index rigid = equations_->num_joint_coordinates(), elastic = equations_->num_coordinates() - rigid;
  for (Eigen::Index k = 0; k < shapes_.cols(); ++k) {
    State state = state_;
    state.coordinates.tail(elastic) += shapes_.col(k).tail(elastic);
    reading.rows.block<3, 1>(0, k) = value(state) - start;
  }
  reading.direct = MatrixX::Zero(3, static_cast<Eigen::Index>(result_.inputs.size()));
  reading.component = sensor.component;
  result_.readings.push_back(std::move(reading));
}

void StaticMechanisms::Builder::add_joint_reading(const Sensor& sensor) {
  const auto rate = [&](const State& state, const Inputs& inputs) {
    return VectorX::Constant(
        1, equations_->joint_motion(state, inputs, zero_, sensor.joint, sensor.freedom, *workspace_).rate);
  };
  ModalReading reading;
  reading.name = sensor.name;
  reading.level = sensor.quantity == Quantity::joint_value ? 0 : sensor.quantity == Quantity::joint_speed ? 1 : 2;
  reading.largest_travel = is_rotation(model_.joints[static_cast<std::size_t>(sensor.joint)].type, sensor.freedom)
                               ? 2 * std::numbers::pi
                               : 2 * extent_;
  if (reading.level == 0) reading.floor = still_joint * reading.largest_travel;
  reading.rows = by_mode(1, rate);
  reading.direct = by_prescribed(1, rate);
  reading.offset = VectorX::Zero(1);
  result_.readings.push_back(std::move(reading));
}

// Forces are masses times accelerations less gravity: those of the nodes next to the joint, or of the whole link.
void StaticMechanisms::Builder::add_force_reading(const Sensor& sensor) {
  std::vector<std::pair<int, int>> places;
  if (needs_joint(sensor.quantity)) {
    const Joint& joint = model_.joints[static_cast<std::size_t>(sensor.joint)];
    for (const LinkInterface& interface : interfaces_)
      if (interface.link == joint.parent || interface.link == joint.child)
        for (const int node : interface.nodes) places.emplace_back(interface.link, node);
  } else {
    for (const LinkInterface& interface : interfaces_)
      if (interface.link == sensor.link)
        for (const int node : interface.nodes) places.emplace_back(interface.link, node);
  }
  if (places.empty()) return;
  ModalReading reading = node_reading(sensor.name, 2, places);
  for (Eigen::Index k = 0; k < reading.offset.size(); k += 3) reading.offset.segment<3>(k) = -model_.gravity;
  result_.readings.push_back(std::move(reading));
}

// Without sensors: where every link's interface is.
void StaticMechanisms::Builder::add_default_readings() {
  for (const LinkInterface& interface : interfaces_) {
    std::vector<std::pair<int, int>> places;
    for (const int node : interface.nodes) places.emplace_back(interface.link, node);
    if (!places.empty())
      result_.readings.push_back(
          node_reading(cat("link '", model_.links[static_cast<std::size_t>(interface.link)].name, "'"), 0, places));
  }
}

void StaticMechanisms::Builder::find_readings() {
  Eigen::AlignedBox3d box;
  for (std::size_t link = 0; link < model_.links.size(); ++link)
    for (std::size_t node = 0; node < model_.links[link].nodes.size(); ++node)
      box.extend(motion(static_cast<int>(link), static_cast<int>(node)).position);
  extent_ = box.diagonal().norm();
  for (const Sensor& sensor : model_.sensors) switch (sensor.quantity) {
      case Quantity::position:
      case Quantity::velocity:
      case Quantity::acceleration:
        add_node_reading(sensor);
        break;
      case Quantity::displacement:
      case Quantity::rotation:
        add_elastic_reading(sensor);
        break;
      case Quantity::joint_value:
      case Quantity::joint_speed:
      case Quantity::joint_acceleration:
        add_joint_reading(sensor);
        break;
      case Quantity::joint_force:
      case Quantity::reaction_force:
      case Quantity::reaction_torque:
      case Quantity::section_force:
      case Quantity::section_moment:
      case Quantity::stress:
        add_force_reading(sensor);
        break;
      case Quantity::kinetic_energy:
      case Quantity::gravity_energy:
      case Quantity::elastic_energy:
      case Quantity::total_energy:
        break;
    }
  if (result_.readings.empty()) add_default_readings();
}

StaticMechanism StaticMechanisms::Builder::build() {
  result_ = {};
  for (const FixedInterfaceModes& modes : dynamic_) result_.num_available.push_back(modes.num_available);
  find_modes();
  find_excitation();
  find_steps();
  find_candidates();
  find_readings();
  return std::move(result_);
}

// States of the mechanism with rigid links.
std::vector<State> StaticMechanisms::Builder::passed(double duration, int count) const {
  if (model_.control || duration <= 0) return {};
  const std::unique_ptr<Equations> rigid = make_equations(without_elasticity(model_));
  if (rigid->num_joint_coordinates() != equations_->num_joint_coordinates()) return {};
  SimulateOptions options;
  options.end_time = duration;
  for (int k = 1; k <= count; ++k) options.output_times.push_back(duration * k / count);
  options.integration.tolerance = rough_tolerance;
  options.energy_balance = false;
  options.end_stops = EndStops::ignore;
  std::atomic<bool> enough = false;
  int steps = 0;
  options.cancel = &enough;
  options.progress = [&](double) { enough = ++steps > most_rigid_steps; };
  return simulate(*rigid, rigid->initial_state(), options).states;
}

void StaticMechanisms::Builder::move_to(const State& rigid) {
  state_.time = rigid.time;
  state_.coordinates.setZero();
  state_.coordinates.head(equations_->num_joint_coordinates()) =
      rigid.coordinates.head(equations_->num_joint_coordinates());
  state_.configuration = rigid.configuration;
  evaluate_inputs(model_, rigid.time, inputs_);
  bring_to_rest(inputs_);
}

StaticMechanisms::StaticMechanisms(const Model& model, const std::vector<int>& links)
    : builder_(std::make_unique<Builder>(model, links)) {}

StaticMechanisms::~StaticMechanisms() = default;

StaticMechanism StaticMechanisms::at_start() { return builder_->build(); }

std::vector<StaticMechanism> StaticMechanisms::along_motion(double duration, int count) {
  std::vector<StaticMechanism> result;
  try {
    for (const State& state : builder_->passed(duration, count)) {
      if (state.time <= 0) continue;
      builder_->move_to(state);
      result.push_back(builder_->build());
    }
  } catch (const InputError&) {  // there is no such configuration: those found so far
  }
  return result;
}

}  // namespace lithe
