#include "lithe/analyse/motion/end_stops.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <numbers>

#include "lithe/analyse/observe/rigid_model.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/formulation.h"

namespace lithe {
namespace {

// The same mechanism with rigid links; null where there is none (equations that are no model's).
std::unique_ptr<Equations> rigid_equations(const Model& model) {
  if (model.links.empty()) return nullptr;
  try {
    return make_equations(without_elasticity(model));
  } catch (const InputError&) {
    return nullptr;
  }
}

// 1 / (g M^-1 gᵀ) of every stop's freedom with g = ∂(joint rate)/∂(speeds), which is linear: one column per unit speed.
VectorX felt_inertias(const Equations& equations, const State& state, const Inputs& inputs,
                      const std::vector<EndStop>& stops) {
  const auto workspace = equations.make_workspace();
  const int n = equations.num_coordinates();
  const auto count = static_cast<Eigen::Index>(stops.size());
  VectorX inertias = VectorX::Ones(count);
  LinearBlocks blocks;
  if (equations.linearise_elastic(state, inputs, *workspace, blocks) != EvaluationStatus::ok) return inertias;
  Accelerations none;
  none.values.setZero(n);
  State probe = state;
  const auto rates = [&](int unit) {
    probe.speeds.setZero();
    if (unit >= 0) probe.speeds[unit] = 1;
    VectorX values(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const EndStop& stop = stops[static_cast<std::size_t>(i)];
      values[i] = equations.joint_motion(probe, inputs, none, stop.joint, stop.freedom, *workspace).rate;
    }
    return values;
  };
  const VectorX rest = rates(-1);
  MatrixX gradients(n, count);
  for (int k = 0; k < n; ++k) gradients.row(k) = (rates(k) - rest).transpose();
  const Eigen::LLT<MatrixX> mass(blocks.mass);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double mobility = gradients.col(i).dot(mass.solve(gradients.col(i)));
    if (mobility > 0 && std::isfinite(mobility)) inertias[i] = 1 / mobility;
  }
  return inertias;
}

}  // namespace

EndStopSet::EndStopSet(const Equations& equations, const State& state, const Inputs& inputs, double frequency,
                       double damping_ratio)
    : equations_(equations), workspace_(equations.make_workspace()) {
  zero_.values.setZero(equations.num_coordinates());
  const Model& model = equations.model();
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t f = 0; f < model.joints[j].limits.size(); ++f) {
      const auto& limits = model.joints[j].limits[f];
      if (!limits) continue;
      EndStop stop;
      stop.joint = static_cast<int>(j);
      stop.freedom = static_cast<int>(f);
      for (const double side : {-1.0, 1.0}) {
        stop.side = side;
        stop.limit = side > 0 ? limits->second : limits->first;
        stop.name = cat(model.joints[j].name, side > 0 ? ": upper limit" : ": lower limit");
        stops_.push_back(stop);
      }
    }
  if (stops_.empty()) return;
  set_stiffness(state, inputs, frequency, damping_ratio);
  update(state, inputs);
}

void EndStopSet::set_stiffness(const State& state, const Inputs& inputs, double frequency, double damping_ratio) {
  const double omega = 2 * std::numbers::pi * frequency;
  const std::unique_ptr<Equations> rigid = rigid_equations(equations_.model());
  Inputs first = make_inputs(equations_.model());  // at the very beginning, not where a restarted run goes on
  evaluate_inputs(equations_.model(), 0, first);
  const VectorX inertias = rigid ? felt_inertias(*rigid, rigid->initial_state(), first, stops_)
                                 : felt_inertias(equations_, state, inputs, stops_);
  for (std::size_t i = 0; i < stops_.size(); ++i) {
    const double inertia = inertias[static_cast<Eigen::Index>(i)];
    stops_[i].stiffness = inertia * omega * omega;
    stops_[i].damping = 2 * damping_ratio * inertia * omega;
  }
}

SignalValue EndStopSet::penetration(const EndStop& stop, const State& state, const Inputs& inputs) const {
  const SignalValue motion = equations_.joint_motion(state, inputs, zero_, stop.joint, stop.freedom, *workspace_);
  return {stop.side * (motion.value - stop.limit), stop.side * motion.rate, 0};
}

double EndStopSet::pressure(const EndStop& stop, const State& state, const Inputs& inputs) const {
  const SignalValue depth = penetration(stop, state, inputs);
  return std::min(depth.value, depth.value + stop.damping / stop.stiffness * depth.rate);
}

void EndStopSet::update(const State& state, const Inputs& inputs) {
  for (EndStop& stop : stops_) stop.touched = pressure(stop, state, inputs) > 0;
}

void EndStopSet::add_forces(const State& state, Inputs& inputs) const {
  for (const EndStop& stop : stops_) {
    if (!stop.touched) continue;
    const SignalValue depth = penetration(stop, state, inputs);
    inputs.joint_forces[stop.joint][stop.freedom] -=
        stop.side * (stop.stiffness * depth.value + stop.damping * depth.rate);
  }
}

}  // namespace lithe
