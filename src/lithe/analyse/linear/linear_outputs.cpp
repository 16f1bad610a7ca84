#include "lithe/analyse/linear/linear_outputs.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "lithe/analyse/observe/sensors.h"
#include "lithe/analyse/observe/spring_force.h"
#include "lithe/formulate/contract/capabilities.h"
#include "lithe/model/sections/section_stress.h"
#include "lithe/model/stress_measure.h"

namespace lithe {
namespace {

// 0: a place, 1: its rate, 2: its acceleration; -1: something else.
int level_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::position:
    case Quantity::joint_value:
      return 0;
    case Quantity::velocity:
    case Quantity::joint_speed:
      return 1;
    case Quantity::acceleration:
    case Quantity::joint_acceleration:
      return 2;
    default:
      return -1;
  }
}

Quantity at_level(Quantity quantity, int level) {
  constexpr Quantity of_node[] = {Quantity::position, Quantity::velocity, Quantity::acceleration};
  constexpr Quantity of_joint[] = {Quantity::joint_value, Quantity::joint_speed, Quantity::joint_acceleration};
  if (level_of(quantity) < 0) return quantity;
  return needs_joint(quantity) ? of_joint[level] : of_node[level];
}

std::vector<Sensor> sensors_at_level(std::vector<Sensor> sensors, int level) {
  for (Sensor& sensor : sensors) sensor.quantity = at_level(sensor.quantity, level);
  return sensors;
}

// The derivatives of all sensors about one state.
class OutputDerivatives {
 public:
  OutputDerivatives(const Equations& equations, std::vector<Sensor> sensors, const Inputs& inputs,
                    const Accelerations& accelerations, Workspace& workspace, LinearModel& model)
      : equations_(equations),
        inputs_(inputs),
        still_(inputs),
        accelerations_(accelerations),
        workspace_(workspace),
        model_(model),
        reader_(equations, std::move(sensors)),
        rates_(equations, sensors_at_level(reader_.sensors(), 1)),
        biases_(equations, sensors_at_level(reader_.sensors(), 2)),
        wrenches_(equations, section_sensors()) {
    for (auto& joint : still_.prescribed_motion)
      for (SignalValue& motion : joint) motion.rate = motion.acceleration = 0;
    steady_ = inputs;
    for (auto& joint : steady_.prescribed_motion)
      for (SignalValue& motion : joint) motion.acceleration = 0;
    const Eigen::PartialPivLU<MatrixX> mass(model.mass);  // that of ERLS as published is not symmetric
    by_position_ = -mass.solve(model.stiffness);
    by_speed_ = -mass.solve(model.damping);
    by_input_ = mass.solve(model.input);
  }

  void fill(const std::vector<LinearInput>& linear_inputs) {
    const Eigen::Index rows = static_cast<Eigen::Index>(reader_.channels().size());
    for (const Channel& channel : reader_.channels()) model_.outputs.push_back({channel.name, channel.unit});
    model_.nominal_outputs = read(reader_, model_.state, inputs_, accelerations_.values);
    model_.position_output = model_.speed_output = MatrixX::Zero(rows, model_.size());
    model_.feedthrough = MatrixX::Zero(rows, model_.input.cols());
    find_stress_gradients();
    fill_kinematic();
    fill_others(linear_inputs);
  }

 private:
  VectorX direction(Eigen::Index k) const {
    return model_.directions.size() > 0 ? VectorX(model_.directions.col(k))
                                        : VectorX(VectorX::Unit(equations_.num_coordinates(), k));
  }
  bool constrained() const { return model_.directions.size() > 0; }
  // Changes of speeds and accelerations that go with a motion along a direction.
  VectorX speeds_along(Eigen::Index k) const {
    return constrained() ? VectorX(model_.speed_by_place.col(k)) : VectorX::Zero(equations_.num_coordinates());
  }
  VectorX accelerations_by_place(Eigen::Index k) const {
    return constrained() ? VectorX(model_.directions * by_position_.col(k) + model_.acceleration_by_place.col(k))
                         : VectorX(by_position_.col(k));
  }
  VectorX accelerations_by_speed(Eigen::Index k) const {
    return constrained() ? VectorX(model_.directions * by_speed_.col(k) + model_.acceleration_by_speed.col(k))
                         : VectorX(by_speed_.col(k));
  }
  VectorX accelerations_by_input(Eigen::Index k) const {
    return constrained() ? VectorX(model_.directions * by_input_.col(k)) : VectorX(by_input_.col(k));
  }
  VectorX read(const SensorReader& reader, const State& state, const Inputs& inputs, const VectorX& accelerations) {
    Accelerations given;
    given.values = accelerations;
    reader.read(state, inputs, given, workspace_, values_);
    return Eigen::Map<const VectorX>(values_.data(), static_cast<Eigen::Index>(values_.size()));
  }
  // J s: rates of all places for given speeds, with prescribed motions at rest.
  VectorX rates(const VectorX& speeds) {
    State state = model_.state;
    state.speeds = speeds;
    return read(rates_, state, still_, VectorX::Zero(speeds.size()));
  }
  // Accelerations of all places with ẍ = 0, (5): quadratic in the speeds of coordinates and prescribed motions.
  VectorX bias(const VectorX& speeds, const Inputs& inputs) {
    State state = model_.state;
    state.speeds = speeds;
    return read(biases_, state, inputs, VectorX::Zero(speeds.size()));
  }
  // ∂(J a)/∂x: the bilinear form of that quadratic, Σ ∂²p/∂x_i∂x_k a_i, by polarisation, (5).
  MatrixX change_of_rates(const VectorX& a, const Inputs& a_inputs) {
    const VectorX bias_of_a = bias(a, a_inputs);
    MatrixX change(bias_of_a.size(), model_.size());
    for (Eigen::Index k = 0; k < model_.size(); ++k) {
      const VectorX e = direction(k);
      change.col(k) = 0.5 * (bias(a + e, a_inputs) - bias_of_a - bias(e, still_));
    }
    return change;
  }
  bool in_motion() const {
    if (!model_.state.speeds.isZero(0)) return true;
    for (const auto& joint : inputs_.prescribed_motion)
      for (const SignalValue& motion : joint)
        if (motion.rate != 0) return true;
    return false;
  }

  // Places and rates: (4), (5) of the theory page.
  void fill_kinematic() {
    const auto& sensors = reader_.sensors();
    if (std::all_of(sensors.begin(), sensors.end(), is_other)) return;
    const Eigen::Index n = model_.size();
    MatrixX J(model_.position_output.rows(), n), J_rate = MatrixX::Zero(J.rows(), n);
    for (Eigen::Index k = 0; k < n; ++k) J.col(k) = rates(direction(k));
    if (in_motion()) J_rate = change_of_rates(model_.state.speeds, steady_);
    if (constrained())  // speeds that change along with the place: δẋ = N δż + S δz
      for (Eigen::Index k = 0; k < n; ++k) J_rate.col(k) += rates(speeds_along(k));
    for (Eigen::Index row = 0; row < J.rows(); ++row) {
      const int level = level_of(sensor(row).quantity);
      if (level == 0) model_.position_output.row(row) = J.row(row);
      if (level != 1) continue;
      model_.position_output.row(row) = J_rate.row(row);
      model_.speed_output.row(row) = J.row(row);
    }
  }

  // Accelerations, deformations, forces and energies: derivatives of the formulation along the motions that a unit of
  // each coordinate and of each speed begins, accelerations moving along by (1).
  void fill_others(const std::vector<LinearInput>& linear_inputs) {
    std::vector<int> wanted;
    std::vector<Sensor> sensors;  // a stress is read by two: what its section carries
    for (Eigen::Index row = 0; row < model_.position_output.rows(); ++row) {
      const int index = reader_.sensor_of_channel()[row];
      if (!is_other(sensor(row)) || (!wanted.empty() && wanted.back() == index)) continue;
      wanted.push_back(index);
      if (sensor(row).quantity == Quantity::stress) {
        for (const Sensor& part : section_sensors(static_cast<std::size_t>(index))) sensors.push_back(part);
      } else {
        sensors.push_back(sensor(row));
      }
    }
    if (sensors.empty()) return;
    const auto* formulation = observed_jacobians(equations_);
    std::vector<MatrixX> jacobians = unknown_jacobians(sensors, 2 * model_.size());
    if (formulation != nullptr)
      formulation->sensor_jacobians(model_.state, inputs_, accelerations_, motions(), sensors, workspace_, jacobians);
    combine_stresses(wanted, jacobians);
    Eigen::Index row = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      while (reader_.sensor_of_channel()[row] != wanted[i]) ++row;
      if (given_by_drive(sensor(row))) jacobians[i].setZero();
      const int only = sensor(row).component;
      for (Eigen::Index part = 0; part < jacobians[i].rows(); ++part) {
        if (jacobians[i].rows() > 1 && only >= 0 && part != only) continue;
        model_.position_output.row(row) = jacobians[i].row(part).head(model_.size());
        model_.speed_output.row(row++) = jacobians[i].row(part).tail(model_.size());
      }
    }
    fill_feedthrough(linear_inputs);
  }
  // Derivatives of a stress from those of its section's force and moment, which stand side by side.
  void combine_stresses(const std::vector<int>& wanted, std::vector<MatrixX>& jacobians) const {
    std::vector<MatrixX> combined;
    std::size_t at = 0, stress = 0;
    for (const int index : wanted) {
      if (reader_.sensors()[static_cast<std::size_t>(index)].quantity != Quantity::stress) {
        combined.push_back(jacobians[at++]);
        continue;
      }
      const auto& gradient = stress_gradients_[stress++];
      combined.push_back(gradient.head<3>() * jacobians[at] + gradient.tail<3>() * jacobians[at + 1]);
      at += 2;
    }
    jacobians = std::move(combined);
  }
  // What a stress is made of: force and moment of its section, or the two halves of the tensor at a point of solid
  // elements. The largest over several points is that of the point where it is largest about the state.
  std::vector<Sensor> section_sensors(std::size_t index) const {
    std::vector<Sensor> sensors(2, reader_.sensors()[index]);
    sensors[0].quantity = Quantity::section_force;
    sensors[1].quantity = Quantity::section_moment;
    if (is_solid(sensors[0]))
      for (Sensor& part : sensors)
        part.node = std::max(0, reader_.stress_at(index, model_.state, inputs_, accelerations_, workspace_).point);
    return sensors;
  }
  std::vector<Sensor> section_sensors() const {
    std::vector<Sensor> sensors;
    for (std::size_t i = 0; i < reader_.sensors().size(); ++i)
      if (reader_.sensors()[i].quantity == Quantity::stress)
        for (const Sensor& part : section_sensors(i)) sensors.push_back(part);
    return sensors;
  }
  bool is_solid(const Sensor& sensor) const {
    return equations_.model().links[static_cast<std::size_t>(sensor.link)].mesh != nullptr;
  }
  // Stresses are no linear functions of what a section carries: their gradients about the state.
  void find_stress_gradients() {
    const VectorX wrenches = read(wrenches_, model_.state, inputs_, accelerations_.values);
    Eigen::Index at = 0;
    for (std::size_t i = 0; i < reader_.sensors().size(); ++i) {
      const Sensor& stress = reader_.sensors()[i];
      if (stress.quantity != Quantity::stress) continue;
      const Section* section = section_at(equations_.model(), stress.link, stress.node);
      const Vector6 wrench = wrenches.segment<6>(at);
      at += 6;
      if (is_solid(stress)) {
        stress_gradients_.push_back(measure_gradient(wrench, reader_.measure(i)));
      } else if (section == nullptr) {
        stress_gradients_.push_back(Eigen::Matrix<double, 1, 6>::Constant(std::nan("")));
      } else {
        stress_gradients_.push_back(von_mises_gradient(*section, wrench.head<3>(), wrench.tail<3>()));
      }
    }
  }
  NearbyMotions motions() const {
    const Eigen::Index n = model_.size(), all = equations_.num_coordinates();
    NearbyMotions result{MatrixX::Zero(all, 2 * n), MatrixX::Zero(all, 2 * n), MatrixX::Zero(all, 2 * n)};
    for (Eigen::Index k = 0; k < n; ++k) {
      result.coordinates.col(k) = result.speeds.col(n + k) = direction(k);
      result.speeds.col(k) = speeds_along(k);
      result.accelerations.col(k) = accelerations_by_place(k);
      result.accelerations.col(n + k) = accelerations_by_speed(k);
    }
    return result;
  }
  // What is seen is linear in accelerations and inputs at a given place and speed, so that any step gives its
  // derivative.
  void fill_feedthrough(const std::vector<LinearInput>& linear_inputs) {
    for (std::size_t i = 0; i < linear_inputs.size(); ++i) {
      const Eigen::Index column = static_cast<Eigen::Index>(i);
      const VectorX accelerations = accelerations_by_input(column);
      const auto jacobian_of = [&](const SensorReader& reader) {
        const auto step = [&](double h) {
          Inputs inputs = inputs_;
          add_input(equations_.model(), linear_inputs[i], h, inputs);
          return read(reader, model_.state, inputs, accelerations_.values + h * accelerations);
        };
        return VectorX(0.5 * (step(1) - step(-1)));
      };
      VectorX jacobian = jacobian_of(reader_);
      const VectorX wrench = stress_gradients_.empty() ? VectorX() : jacobian_of(wrenches_);
      std::size_t stress = 0;
      for (Eigen::Index row = 0; row < jacobian.size(); ++row) {
        if (sensor(row).quantity == Quantity::stress) {
          jacobian[row] = stress_gradients_[stress].dot(wrench.segment<6>(6 * static_cast<Eigen::Index>(stress)));
          ++stress;
        }
        if (is_other(sensor(row))) model_.feedthrough(row, column) = jacobian[row];
      }
    }
  }
  static bool is_other(const Sensor& sensor) {
    const int level = level_of(sensor.quantity);
    return level != 0 && level != 1;
  }
  // A force that is an input itself, as no motion is prescribed.
  bool given_by_drive(const Sensor& sensor) const {
    if (sensor.quantity != Quantity::joint_force) return false;
    const auto& drives = equations_.model().drives;
    return std::none_of(drives.begin(), drives.end(), [&](const Drive& drive) {
      return drive.prescribes_motion && drive.joint == sensor.joint && drive.freedom == sensor.freedom;
    });
  }
  const Sensor& sensor(Eigen::Index channel) const { return reader_.sensors()[reader_.sensor_of_channel()[channel]]; }

  const Equations& equations_;
  const Inputs& inputs_;
  Inputs still_, steady_;  // prescribed motions at rest; at their rates, without acceleration
  const Accelerations& accelerations_;
  Workspace& workspace_;
  LinearModel& model_;
  SensorReader reader_, rates_, biases_, wrenches_;
  std::vector<Eigen::Matrix<double, 1, 6>> stress_gradients_;  // of the stress sensors, in order
  MatrixX by_position_, by_speed_, by_input_;                  // of ẍ
  std::vector<double> values_;
};

int first_channel(const SensorReader& reader, int sensor) {
  const std::vector<int>& all = reader.sensor_of_channel();
  return static_cast<int>(std::find(all.begin(), all.end(), sensor) - all.begin());
}

// Sensors that read sums of others, as on the sides of drive trains, and the sums: weights of the simple channels.
struct SimpleSensors {
  std::vector<Sensor> sensors;
  struct Weight {
    Eigen::Index channel, simple;
    double value;
  };
  std::vector<Weight> weights;

  void add(const Sensor& sensor, Eigen::Index channel, double weight) {
    weights.push_back({channel, static_cast<Eigen::Index>(sensors.size()), weight});
    sensors.push_back(sensor);
  }
};

Quantity quantity_of(SensorPart::Kind kind) {
  switch (kind) {
    case SensorPart::Kind::speed:
      return Quantity::joint_speed;
    case SensorPart::Kind::acceleration:
      return Quantity::joint_acceleration;
    case SensorPart::Kind::drive_force:
      return Quantity::joint_force;
    default:
      return Quantity::joint_value;
  }
}

SimpleSensors simple_sensors(const SensorReader& reader, const Equations& equations, const Inputs& inputs,
                             const Accelerations& accelerations, Workspace& workspace, const State& state) {
  SimpleSensors result;
  for (std::size_t channel = 0; channel < reader.channels().size(); ++channel) {
    const auto row = static_cast<Eigen::Index>(channel);
    Sensor sensor = reader.sensors()[static_cast<std::size_t>(reader.sensor_of_channel()[channel])];
    if (sensor.parts.empty()) {
      if (is_vector(sensor.quantity) && sensor.component < 0)
        sensor.component = static_cast<int>(channel) - first_channel(reader, reader.sensor_of_channel()[channel]);
      result.add(sensor, row, 1);
      continue;
    }
    for (const SensorPart& part : sensor.parts) {
      Sensor simple;
      simple.quantity = quantity_of(part.kind);
      simple.joint = part.joint;
      if (part.kind != SensorPart::Kind::spring_force) {
        result.add(simple, row, part.factor);
        continue;
      }
      const SpringForce spring =
          spring_force(equations.model().joints[static_cast<std::size_t>(part.joint)],
                       equations.joint_motion(state, inputs, accelerations, part.joint, 0, workspace));
      result.add(simple, row, part.factor * spring.by_value);
      simple.quantity = Quantity::joint_speed;
      result.add(simple, row, part.factor * spring.by_speed);
    }
  }
  return result;
}

}  // namespace

void linearise_outputs(const Equations& equations, const Inputs& inputs, const std::vector<LinearInput>& linear_inputs,
                       const Accelerations& accelerations, Workspace& workspace, LinearModel& model) {
  const SensorReader reader(equations);
  if (std::all_of(reader.sensors().begin(), reader.sensors().end(), [](const Sensor& s) { return s.parts.empty(); })) {
    OutputDerivatives(equations, reader.sensors(), inputs, accelerations, workspace, model).fill(linear_inputs);
    return;
  }
  const SimpleSensors simple = simple_sensors(reader, equations, inputs, accelerations, workspace, model.state);
  LinearModel parts = model;
  OutputDerivatives(equations, simple.sensors, inputs, accelerations, workspace, parts).fill(linear_inputs);
  const auto rows = static_cast<Eigen::Index>(reader.channels().size());
  for (const Channel& channel : reader.channels()) model.outputs.push_back({channel.name, channel.unit});
  std::vector<double> values;
  reader.read(model.state, inputs, accelerations, workspace, values);
  model.nominal_outputs = Eigen::Map<const VectorX>(values.data(), rows);
  for (const auto block : {&LinearModel::position_output, &LinearModel::speed_output, &LinearModel::feedthrough}) {
    (model.*block).setZero(rows, (parts.*block).cols());
    for (const SimpleSensors::Weight& weight : simple.weights)
      (model.*block).row(weight.channel) += weight.value * (parts.*block).row(weight.simple);
  }
}

void add_input(const Model& model, const LinearInput& input, double amount, Inputs& inputs) {
  if (input.load < 0) {
    inputs.joint_forces[input.joint][input.freedom] += amount;
    return;
  }
  const Load& load = model.loads[input.load];
  (load.torque ? inputs.nodal_loads[input.load].torque : inputs.nodal_loads[input.load].force) +=
      amount * load.direction;
}

}  // namespace lithe
