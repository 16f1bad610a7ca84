#include "lithe/analyse/linear_outputs.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "lithe/analyse/sensors.h"
#include "lithe/analyse/simulate.h"

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
  OutputDerivatives(const Equations& equations, const Inputs& inputs, const Accelerations& accelerations,
                    Workspace& workspace, LinearModel& model)
      : equations_(equations),
        inputs_(inputs),
        still_(inputs),
        accelerations_(accelerations),
        workspace_(workspace),
        model_(model),
        reader_(equations),
        rates_(equations, sensors_at_level(reader_.sensors(), 1)),
        accelerations_reader_(equations, sensors_at_level(reader_.sensors(), 2)) {
    for (auto& joint : still_.prescribed_motion)
      for (SignalValue& motion : joint) motion.rate = motion.acceleration = 0;
    steady_ = inputs;
    for (auto& joint : steady_.prescribed_motion)
      for (SignalValue& motion : joint) motion.acceleration = 0;
    const Eigen::LLT<MatrixX> mass(model.mass);
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
  // Accelerations of all places with ẍ = 0: quadratic in the speeds of coordinates and prescribed motions.
  VectorX bias(const VectorX& speeds, const Inputs& inputs) {
    State state = model_.state;
    state.speeds = speeds;
    return read(accelerations_reader_, state, inputs, VectorX::Zero(speeds.size()));
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

  // Places, rates and accelerations: (5)-(7) of the theory page.
  void fill_kinematic() {
    const Eigen::Index n = model_.size();
    MatrixX J(model_.position_output.rows(), n), J_rate = MatrixX::Zero(J.rows(), n);
    for (Eigen::Index k = 0; k < n; ++k) J.col(k) = rates(direction(k));
    MatrixX by_position = J * by_position_, by_speed = J * by_speed_;
    if (in_motion()) {
      const MatrixX turned = change_of_rates(model_.state.speeds, steady_);
      J_rate = turned;
      by_position += bias_slopes();
      by_speed += 2 * turned;
    }
    if (constrained()) add_constrained_motion(J_rate, by_position, by_speed);
    if (!accelerations_.values.isZero(0)) by_position += change_of_rates(accelerations_.values, still_);
    for (Eigen::Index row = 0; row < J.rows(); ++row) {
      const int level = level_of(sensor(row).quantity);
      if (level == 0) model_.position_output.row(row) = J.row(row);
      if (level == 1) {
        model_.position_output.row(row) = J_rate.row(row);
        model_.speed_output.row(row) = J.row(row);
      }
      if (level == 2) {
        model_.position_output.row(row) = by_position.row(row);
        model_.speed_output.row(row) = by_speed.row(row);
        model_.feedthrough.row(row) = J.row(row) * by_input_;
      }
    }
  }
  // Speeds and accelerations that change along with the place: δẋ = N δż + S δz, δẍ = N δz̈ + A δż + P δz.
  void add_constrained_motion(MatrixX& J_rate, MatrixX& by_position, MatrixX& by_speed) {
    for (Eigen::Index k = 0; k < model_.size(); ++k) {
      const VectorX speeds = speeds_along(k);
      J_rate.col(k) += rates(speeds);
      by_position.col(k) += rates(model_.acceleration_by_place.col(k)) + bias_along(speeds);
      by_speed.col(k) += rates(model_.acceleration_by_speed.col(k));
    }
  }
  // 2 Σ ∂²p/∂x_i∂x_j ẋ_i s_j.
  VectorX bias_along(const VectorX& s) {
    return bias(model_.state.speeds + s, steady_) - bias(model_.state.speeds, steady_) - bias(s, still_);
  }
  // Third derivatives of places, contracted with the speeds: differences of fourth order.
  MatrixX bias_slopes() {
    const VectorX scales = displacement_scales(equations_, model_.state, inputs_);
    MatrixX slopes(model_.position_output.rows(), model_.size());
    for (Eigen::Index k = 0; k < model_.size(); ++k) {
      const VectorX e = direction(k);
      slopes.col(k) = slope(step_along(e, scales), [&](double h) {
        State state = model_.state;
        state.coordinates += h * e;
        return read(accelerations_reader_, state, steady_, VectorX::Zero(e.size()));
      });
    }
    return slopes;
  }
  // Forces, energies, deformations: differences of fourth order about the state, accelerations moving along.
  void fill_others(const std::vector<LinearInput>& linear_inputs) {
    const auto set = [&](MatrixX& matrix, Eigen::Index column, const VectorX& values) {
      for (Eigen::Index row = 0; row < matrix.rows(); ++row)
        if (level_of(sensor(row).quantity) < 0) matrix(row, column) = values[row];
    };
    const auto& sensors = reader_.sensors();
    if (std::all_of(sensors.begin(), sensors.end(), [](const Sensor& s) { return level_of(s.quantity) >= 0; })) return;
    const VectorX scales = displacement_scales(equations_, model_.state, inputs_);
    for (Eigen::Index k = 0; k < model_.size(); ++k) {
      const VectorX e = direction(k);
      const double step = step_along(e, scales);
      set(model_.position_output, k, slope(step, [&](double h) {
            State state = model_.state;
            state.coordinates += h * e;
            state.speeds += h * speeds_along(k);
            return read(reader_, state, inputs_, accelerations_.values + h * accelerations_by_place(k));
          }));
      set(model_.speed_output, k, slope(step, [&](double h) {
            State state = model_.state;
            state.speeds += h * e;
            return read(reader_, state, inputs_, accelerations_.values + h * accelerations_by_speed(k));
          }));
    }
    for (std::size_t i = 0; i < linear_inputs.size(); ++i) {
      const Eigen::Index column = static_cast<Eigen::Index>(i);
      set(model_.feedthrough, column, slope(1, [&](double h) {
            Inputs inputs = inputs_;
            add_input(equations_.model(), linear_inputs[i], h, inputs);
            return read(reader_, model_.state, inputs, accelerations_.values + h * accelerations_by_input(column));
          }));
    }
  }
  // A step that moves nodes by a tenth of a millimetre; a coordinate that moves no node gets one of its own small
  // units.
  static double step_along(const VectorX& e, const VectorX& scales) {
    const double metres = e.cwiseProduct(scales).cwiseAbs().maxCoeff();
    return 1e-4 / std::max(metres, 0.1);
  }
  template <class Function>
  static VectorX slope(double h, const Function& f) {
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
  }
  const Sensor& sensor(Eigen::Index channel) const { return reader_.sensors()[reader_.sensor_of_channel()[channel]]; }

  const Equations& equations_;
  const Inputs& inputs_;
  Inputs still_, steady_;  // prescribed motions at rest; at their rates, without acceleration
  const Accelerations& accelerations_;
  Workspace& workspace_;
  LinearModel& model_;
  SensorReader reader_, rates_, accelerations_reader_;
  MatrixX by_position_, by_speed_, by_input_;  // of ẍ
  std::vector<double> values_;
};

}  // namespace

void linearise_outputs(const Equations& equations, const Inputs& inputs, const std::vector<LinearInput>& linear_inputs,
                       const Accelerations& accelerations, Workspace& workspace, LinearModel& model) {
  OutputDerivatives(equations, inputs, accelerations, workspace, model).fill(linear_inputs);
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
