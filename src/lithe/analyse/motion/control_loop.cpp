#include "lithe/analyse/motion/control_loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

constexpr double slack = 1e-6;  // of a sample time, within which two instants are one

std::uint64_t mixed(std::uint64_t x) {  // splitmix64 (Steele, Lea, Flood 2014)
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::vector<Sensor> speeds_of(const std::vector<Actuator>& actuators) {
  std::vector<Sensor> sensors;
  for (const Actuator& actuator : actuators) {
    Sensor& sensor = sensors.emplace_back();
    sensor.quantity = Quantity::joint_speed;
    sensor.joint = actuator.joint;
    sensor.freedom = actuator.freedom;
  }
  return sensors;
}

double uniform(std::uint64_t x) { return (static_cast<double>(x >> 11) + 0.5) / 9007199254740992.0; }

}  // namespace

double seeded_normal(std::uint64_t seed, std::uint64_t sample, std::uint64_t channel) {
  const std::uint64_t key = mixed(seed ^ mixed(sample ^ mixed(channel)));
  return std::sqrt(-2 * std::log(uniform(key))) * std::cos(2 * std::numbers::pi * uniform(mixed(key)));
}

void ControlLoop::add(const ControllerSetup& setup, std::unique_ptr<Controller> controller,
                      std::vector<ReferenceFunction> references, PlannedDeflection planned) {
  if (!(setup.sample_time > 0))
    throw InputError(
        cat("controller '", setup.name, "': the sample time must be positive, got ", setup.sample_time, " s"));
  Block block;
  block.setup = setup;
  block.controller = std::move(controller);
  block.references = std::move(references);
  block.planned = std::move(planned);
  const std::size_t outputs = setup.actuators.size();
  block.held.resize(outputs);
  block.wanted.resize(outputs);
  block.now.resize(block.references.size());
  block.waiting.resize(static_cast<std::size_t>(std::ceil(setup.delay / setup.sample_time)) + 2);
  for (Pending& pending : block.waiting) pending.outputs.resize(outputs);
  blocks_.push_back(std::move(block));
}

void ControlLoop::start(const Equations& equations, const State& state) {
  const Model& model = equations.model();
  Eigen::Index at = 0;
  if (pacer_) pacer_->start();
  for (Block& block : blocks_) {
    std::vector<Sensor> sensors;
    for (const int sensor : block.setup.measurements)
      sensors.push_back(model.sensors[static_cast<std::size_t>(sensor)]);
    block.sensors = std::make_unique<SensorReader>(equations, sensors);
    if (block.setup.delayed_reference.sensor >= 0)
      block.vibration = std::make_unique<SensorReader>(
          equations,
          std::vector<Sensor>{model.sensors[static_cast<std::size_t>(block.setup.delayed_reference.sensor)]});
    if (!block.setup.motor_limits.empty())
      block.motors = std::make_unique<SensorReader>(equations, speeds_of(block.setup.actuators));
    block.started = false;
    block.num_waiting = 0;
    std::fill(block.held.begin(), block.held.end(), 0.0);
    std::fill(block.wanted.begin(), block.wanted.end(), 0.0);
    block.next_sample = std::lround(std::ceil(state.time / block.setup.sample_time - slack));
    block.reference_time = block.last_sample_time = state.time;
    for (std::size_t i = 0; i < block.references.size(); ++i) block.now[i] = block.references[i].at(state.time);
    if (state.controller_memory.size() > 0) restore(block, state.controller_memory, at);
  }
}

bool ControlLoop::can_start_again() const {
  return !pacer_ && std::none_of(blocks_.begin(), blocks_.end(),
                                 [](const Block& block) { return block.setup.kind == ControllerKind::external; });
}

double ControlLoop::next_time() const {
  double earliest = std::numeric_limits<double>::infinity();
  for (const Block& block : blocks_) {
    earliest = std::min(earliest, block.sample_time_of_next());
    if (block.num_waiting > 0) earliest = std::min(earliest, block.waiting.front().time);
  }
  return earliest;
}

double ControlLoop::tolerance() const {
  double shortest = 1;
  for (const Block& block : blocks_) shortest = std::min(shortest, block.setup.sample_time);
  return slack * shortest;
}

void ControlLoop::act(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                      Workspace& workspace) {
  const auto is_due = [&state](const Block& block) {
    return block.sample_time_of_next() <= state.time + slack * block.setup.sample_time;
  };
  if (pacer_ && std::any_of(blocks_.begin(), blocks_.end(), is_due)) pacer_->wait_for(state.time);
  for (Block& block : blocks_) {
    if (is_due(block)) sample(block, state, inputs, accelerations, workspace);
  }
  for (Block& block : blocks_) apply(block, state.time + slack * block.setup.sample_time);
}

void ControlLoop::apply(Block& block, double time) {
  while (block.num_waiting > 0 && block.waiting.front().time <= time) {
    block.held = block.waiting.front().outputs;
    std::rotate(block.waiting.begin(), block.waiting.begin() + 1, block.waiting.end());
    --block.num_waiting;
  }
}

// Delayed reference control: the references run on a time of their own, whose rate is 1 + k w ṙ/(ṙ² + ṙ_0²), so that
// the reference's speed changes by k w: a base that yields with the speed of the deflection takes energy from the
// vibration. w is what the references' own acceleration does not explain; with the bending that they must bring along
// they would only be distorted.
void ControlLoop::move_references(Block& block, double time, double deflection) {
  const DelayedReference& delayed = block.setup.delayed_reference;
  double rate = 1;
  if (delayed.sensor >= 0 && !block.references.empty()) {
    const double speed = block.references.front().at(block.reference_time).rate;
    const double size = speed * speed + delayed.least_speed * delayed.least_speed;
    if (size > 0) rate = std::clamp(1 + delayed.gain * deflection * speed / size, 0.0, 2.0);
  }
  block.reference_time += rate * (time - block.last_sample_time);
  if (delayed.sensor < 0) block.reference_time = time;
  block.last_sample_time = time;
  for (std::size_t i = 0; i < block.references.size(); ++i) {
    block.now[i] = block.references[i].at(block.reference_time);
    block.now[i].rate *= rate;
    block.now[i].acceleration *= rate * rate;
  }
}

// Noise, then the step of the converter.
void ControlLoop::disturb(Block& block) {
  for (std::size_t i = 0; i < block.measured.size(); ++i) {
    if (!block.setup.noise.empty() && block.setup.noise[i] > 0)
      block.measured[i] +=
          block.setup.noise[i] * seeded_normal(block.setup.seed, static_cast<std::uint64_t>(block.next_sample), i);
    if (!block.setup.quantisation.empty() && block.setup.quantisation[i] > 0)
      block.measured[i] = block.setup.quantisation[i] * std::round(block.measured[i] / block.setup.quantisation[i]);
  }
}

// Peak torque, and the torque-speed line in the direction of the motion: a motor that brakes is not limited by it.
void ControlLoop::limit_by_motors(Block& block) {
  for (std::size_t i = 0; i < block.wanted.size(); ++i) {
    const MotorLimit& limit = block.setup.motor_limits[i];
    double& torque = block.wanted[i];
    if (limit.max_torque) torque = std::clamp(torque, -*limit.max_torque, *limit.max_torque);
    if (!limit.stall_torque || !limit.no_load_speed) continue;
    const double along = block.motor_speeds[i] / *limit.no_load_speed;
    torque = std::clamp(torque, -*limit.stall_torque * std::max(0.0, 1 + along),
                        *limit.stall_torque * std::max(0.0, 1 - along));
  }
}

void ControlLoop::sample(Block& block, const State& state, const Inputs& inputs, const Accelerations& accelerations,
                         Workspace& workspace) {
  block.sensors->read(state, inputs, accelerations, workspace, block.measured);
  double deflection = 0;
  if (block.vibration) {
    block.vibration->read(state, inputs, accelerations, workspace, block.vibrating);
    deflection = block.vibrating.front() - block.planned.rest;
    for (std::size_t i = 0; i < block.planned.start.size(); ++i)
      deflection -= block.planned.by_value[i] * (block.now[i].value - block.planned.start[i]) +
                    block.planned.by_rate[i] * block.now[i].rate +
                    block.planned.by_acceleration[i] * block.now[i].acceleration;
  }
  disturb(block);
  move_references(block, state.time, deflection);
  if (!block.started) block.controller->start(state.time, block.measured, block.now);
  block.started = true;
  block.controller->update(state.time, block.measured, block.now, block.wanted);
  for (std::size_t i = 0; i < block.wanted.size(); ++i)
    if (!block.setup.limits.empty())
      block.wanted[i] = std::clamp(block.wanted[i], -block.setup.limits[i], block.setup.limits[i]);
  if (block.motors) {
    block.motors->read(state, inputs, accelerations, workspace, block.motor_speeds);
    limit_by_motors(block);
  }
  const double acts = block.sample_time_of_next() + block.setup.delay;
  ++block.next_sample;
  if (block.num_waiting == block.waiting.size()) return;  // cannot happen: the queue holds a delay's worth of samples
  Pending& pending = block.waiting[block.num_waiting++];
  pending.time = acts;
  pending.outputs = block.wanted;
}

void ControlLoop::add_forces(Inputs& inputs) const {
  for (const Block& block : blocks_)
    for (std::size_t i = 0; i < block.held.size(); ++i) {
      const Actuator& a = block.setup.actuators[i];
      inputs.joint_forces[static_cast<std::size_t>(a.joint)][static_cast<std::size_t>(a.freedom)] += block.held[i];
    }
}

void ControlLoop::append(const Block& block, std::vector<double>& memory) {
  memory.insert(memory.end(), {static_cast<double>(block.next_sample), block.started ? 1.0 : 0.0, block.reference_time,
                               block.last_sample_time, static_cast<double>(block.num_waiting)});
  memory.insert(memory.end(), block.held.begin(), block.held.end());
  memory.insert(memory.end(), block.wanted.begin(), block.wanted.end());
  for (const SignalValue& r : block.now) memory.insert(memory.end(), {r.value, r.rate, r.acceleration});
  for (const Pending& pending : block.waiting) {
    memory.push_back(pending.time);
    memory.insert(memory.end(), pending.outputs.begin(), pending.outputs.end());
  }
  const VectorX own = block.controller->memory();
  memory.insert(memory.end(), own.data(), own.data() + own.size());
}

void ControlLoop::restore(Block& block, const VectorX& memory, Eigen::Index& at) {
  if (const std::string why = block.controller->no_restart(); !why.empty())
    throw InputError(cat("controller '", block.setup.name, "': ", why));
  const Eigen::Index own = block.controller->memory().size();
  const auto outputs = static_cast<Eigen::Index>(block.held.size());
  const auto references = static_cast<Eigen::Index>(block.now.size());
  const auto queue = static_cast<Eigen::Index>(block.waiting.size());
  if (memory.size() < at + 5 + 2 * outputs + 3 * references + queue * (outputs + 1) + own)
    throw InputError(cat("the saved state does not belong to controller '", block.setup.name, "'"));
  const auto next = [&] { return memory[at++]; };
  block.next_sample = std::lround(next());
  block.started = next() != 0;
  block.reference_time = next();
  block.last_sample_time = next();
  block.num_waiting = static_cast<std::size_t>(std::lround(next()));
  for (double& value : block.held) value = next();
  for (double& value : block.wanted) value = next();
  for (SignalValue& r : block.now) r = {next(), next(), next()};
  for (Pending& pending : block.waiting) {
    pending.time = next();
    for (double& value : pending.outputs) value = next();
  }
  if (own > 0) block.controller->restore(memory.segment(at, own));
  at += own;
}

VectorX ControlLoop::memory() const {
  std::vector<double> memory;
  for (const Block& block : blocks_) append(block, memory);
  return Eigen::Map<const VectorX>(memory.data(), static_cast<Eigen::Index>(memory.size()));
}

std::string ControlLoop::failure() const {
  for (const Block& block : blocks_)
    if (const std::string why = block.controller->failure(); !why.empty())
      return cat("controller '", block.setup.name, "': ", why);
  return {};
}

std::vector<std::string> ControlLoop::notes() const {
  std::vector<std::string> result;
  for (const Block& block : blocks_)
    if (const std::string note = block.controller->note(); !note.empty())
      result.push_back(cat("controller '", block.setup.name, "': ", note));
  return result;
}

std::vector<Channel> ControlLoop::channels(const Model& model) const {
  std::vector<Channel> result;
  for (const Block& block : blocks_) {
    for (const Actuator& a : block.setup.actuators) {
      const Joint& joint = model.joints[static_cast<std::size_t>(a.joint)];
      const std::string freedom = num_freedoms(joint.type) > 1 ? cat(" ", a.freedom + 1) : "";
      result.push_back(
          {cat(block.setup.name, ": ", joint.name, freedom), is_rotation(joint.type, a.freedom) ? "N m" : "N"});
    }
    for (std::size_t i = 0; i < block.references.size(); ++i)
      result.push_back({cat(block.setup.name, ": reference", block.references.size() > 1 ? cat(" ", i + 1) : ""), ""});
  }
  return result;
}

void ControlLoop::read(std::vector<double>& values) const {
  for (const Block& block : blocks_) {
    values.insert(values.end(), block.held.begin(), block.held.end());
    for (const SignalValue& r : block.now) values.push_back(r.value);
  }
}

}  // namespace lithe
