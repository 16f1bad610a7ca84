#include "lithe/analyse/end_stops.h"

#include <Eigen/Cholesky>
#include <numbers>

#include "lithe/base/text.h"

namespace lithe {

EndStopSet::EndStopSet(const Equations& equations, const State& state, const Inputs& inputs, double frequency,
                       double damping_ratio)
    : equations_(equations), workspace_(equations.make_workspace()) {
  zero_.values.setZero(equations.num_coordinates());
  const Model& model = equations.model();
  const double omega = 2 * std::numbers::pi * frequency;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t f = 0; f < model.joints[j].limits.size(); ++f) {
      const auto& limits = model.joints[j].limits[f];
      if (!limits) continue;
      EndStop stop;
      stop.joint = static_cast<int>(j);
      stop.freedom = static_cast<int>(f);
      const double inertia = felt_inertia(stop.joint, stop.freedom, state, inputs);
      stop.stiffness = inertia * omega * omega;
      stop.damping = 2 * damping_ratio * inertia * omega;
      for (const double side : {-1.0, 1.0}) {
        stop.side = side;
        stop.limit = side > 0 ? limits->second : limits->first;
        stop.name = cat(model.joints[j].name, side > 0 ? ": upper limit" : ": lower limit");
        stop.touched = penetration(stop, state, inputs).value > 0;
        stops_.push_back(stop);
      }
    }
}

// 1 / (g M^-1 gᵀ) with g = ∂(joint rate)/∂(speeds), which is linear: one column per unit speed.
double EndStopSet::felt_inertia(int joint, int freedom, const State& state, const Inputs& inputs) const {
  LinearBlocks blocks;
  const int n = equations_.num_coordinates();
  if (equations_.linearise(state, inputs, *workspace_, blocks) != EvaluationStatus::ok) return 1;
  State probe = state;
  probe.speeds.setZero();
  const double rest = equations_.joint_motion(probe, inputs, zero_, joint, freedom, *workspace_).rate;
  VectorX gradient(n);
  for (int i = 0; i < n; ++i) {
    probe.speeds.setZero();
    probe.speeds[i] = 1;
    gradient[i] = equations_.joint_motion(probe, inputs, zero_, joint, freedom, *workspace_).rate - rest;
  }
  const VectorX solved = blocks.mass.llt().solve(gradient);
  const double mobility = gradient.dot(solved);
  return mobility > 0 ? 1 / mobility : 1;
}

SignalValue EndStopSet::penetration(const EndStop& stop, const State& state, const Inputs& inputs) const {
  const SignalValue motion = equations_.joint_motion(state, inputs, zero_, stop.joint, stop.freedom, *workspace_);
  return {stop.side * (motion.value - stop.limit), stop.side * motion.rate, 0};
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
