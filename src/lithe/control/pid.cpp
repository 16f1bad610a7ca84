#include "lithe/control/pid.h"

#include <algorithm>
#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {

PidController::PidController(std::vector<PidAxis> axes, double sample_time)
    : axes_(std::move(axes)), memory_(axes_.size()), start_references_(axes_.size()), sample_time_(sample_time) {
  if (!(sample_time > 0)) throw InputError(cat("PID: the sample time must be positive, got ", sample_time, " s"));
  for (std::size_t i = 0; i < axes_.size(); ++i) start_references_[i] = axes_[i].start_reference;
}

void PidController::start(double, std::span<const double> measurements, std::span<const SignalValue> references) {
  for (std::size_t i = 0; i < axes_.size(); ++i)
    memory_[i] = {0, axes_[i].derivative * references[i].rate,
                  references[i].value - measurements[axes_[i].measurement]};
}

// The derivative is that of a first-order filter, implicit Euler: stable for every filter time.
void PidController::update(double, std::span<const double> measurements, std::span<const SignalValue> references,
                           std::span<double> outputs) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const PidAxis& axis = axes_[i];
    Memory& m = memory_[i];
    const double error = references[i].value - measurements[axis.measurement];
    m.derivative = (axis.filter_time * m.derivative + axis.derivative * (error - m.last_error)) /
                   (axis.filter_time + sample_time_);
    m.last_error = error;
    double wanted = axis.bias + axis.proportional * error + m.integral + m.derivative;
    for (std::size_t k = 0; k < references.size() && k < axis.inertia.size(); ++k)
      wanted += axis.stiffness[k] * (references[k].value - start_references_[k]) +
                axis.damping[k] * references[k].rate + axis.inertia[k] * references[k].acceleration;
    outputs[i] = axis.limit > 0 ? std::clamp(wanted, -axis.limit, axis.limit) : wanted;
    m.integral += sample_time_ * axis.integral * error;
    // Back-calculation: what the limit cuts off leaves the integral with the time constant kd/ki or kp/ki.
    if (axis.integral == 0 || outputs[i] == wanted) continue;
    const double tracking = axis.proportional > 0 ? std::sqrt(std::max(axis.derivative, 1e-12) / axis.integral) : 0;
    m.integral += (outputs[i] - wanted) * std::min(1.0, tracking > 0 ? sample_time_ / tracking : 1.0);
  }
}

VectorX PidController::memory() const {
  VectorX result(3 * static_cast<Eigen::Index>(axes_.size()));
  for (std::size_t i = 0; i < axes_.size(); ++i)
    result.segment<3>(3 * static_cast<Eigen::Index>(i)) << memory_[i].integral, memory_[i].derivative,
        memory_[i].last_error;
  return result;
}

void PidController::restore(const VectorX& memory) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const auto part = memory.segment<3>(3 * static_cast<Eigen::Index>(i));
    memory_[i] = {part[0], part[1], part[2]};
  }
}

}  // namespace lithe
