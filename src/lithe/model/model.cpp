#include "lithe/model/model.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/model/motion_pieces.h"

namespace lithe {

Model::Model() = default;
Model::Model(const Model&) = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(const Model&) = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

int num_freedoms(JointType type) {
  switch (type) {
    case JointType::fixed:
      return 0;
    case JointType::revolute:
    case JointType::prismatic:
      return 1;
    case JointType::cylindrical:
    case JointType::universal:
      return 2;
    case JointType::spherical:
    case JointType::planar:
      return 3;
    case JointType::free:
      return 6;
  }
  return 0;
}

bool is_rotation(JointType type, int freedom) {
  switch (type) {
    case JointType::prismatic:
      return false;
    case JointType::cylindrical:
      return freedom == 1;
    case JointType::planar:
      return freedom == 2;
    case JointType::free:
      return freedom >= 3;
    default:
      return true;
  }
}

void Joint::set_type(JointType new_type) {
  type = new_type;
  const auto freedoms = static_cast<std::size_t>(num_freedoms(type));
  for (std::vector<double>* property :
       {&initial_value, &initial_speed, &inertia, &stiffness, &rest_value, &damping, &friction}) {
    property->assign(freedoms, 0.0);
  }
  limits.assign(freedoms, std::nullopt);
  initial_value_given.assign(freedoms, false);
}

bool needs_freedom(Quantity quantity) {
  return quantity == Quantity::joint_value || quantity == Quantity::joint_speed ||
         quantity == Quantity::joint_acceleration || quantity == Quantity::joint_force;
}

bool needs_joint(Quantity quantity) {
  return needs_freedom(quantity) || quantity == Quantity::reaction_force || quantity == Quantity::reaction_torque;
}

bool needs_node(Quantity quantity) {
  return (is_vector(quantity) && !needs_joint(quantity)) || quantity == Quantity::stress;
}

bool is_vector(Quantity quantity) {
  switch (quantity) {
    case Quantity::joint_value:
    case Quantity::joint_speed:
    case Quantity::joint_acceleration:
    case Quantity::joint_force:
    case Quantity::kinetic_energy:
    case Quantity::gravity_energy:
    case Quantity::elastic_energy:
    case Quantity::total_energy:
    case Quantity::stress:
      return false;
    default:
      return true;
  }
}

namespace {

constexpr double two_pi = 2 * std::numbers::pi;

// Second derivatives of the natural cubic spline: a tridiagonal system, solved by elimination.
std::vector<double> spline_second_derivatives(const std::vector<double>& times, const std::vector<double>& values) {
  const std::size_t count = times.size();
  std::vector<double> result(count, 0.0), upper(count, 0.0);
  for (std::size_t i = 1; i + 1 < count; ++i) {
    const double left = times[i] - times[i - 1], right = times[i + 1] - times[i];
    const double load = 6 * ((values[i + 1] - values[i]) / right - (values[i] - values[i - 1]) / left);
    const double pivot = 2 * (left + right) - left * upper[i - 1];
    upper[i] = right / pivot;
    result[i] = (load - left * result[i - 1]) / pivot;
  }
  for (std::size_t i = count < 2 ? 0 : count - 2; i > 0; --i) result[i] -= upper[i] * result[i + 1];
  return result;
}

SignalValue value_of(const SignalConstant& signal, double) { return {signal.value, 0, 0}; }

SignalValue value_of(const SignalSteps& signal, double time) {
  const auto next = std::upper_bound(signal.times.begin(), signal.times.end(), time);
  if (next == signal.times.begin()) return {};
  return {signal.values[static_cast<std::size_t>(next - signal.times.begin() - 1)], 0, 0};
}

SignalValue value_of(const SignalRamp& signal, double time) {
  if (time < signal.start_time) return {signal.start_value, 0, 0};
  if (time >= signal.end_time) return {signal.end_value, 0, 0};
  const double jacobian = (signal.end_value - signal.start_value) / (signal.end_time - signal.start_time);
  return {signal.start_value + jacobian * (time - signal.start_time), jacobian, 0};
}

SignalValue value_of(const SignalSine& signal, double time) {
  if (time < signal.start_time) return {signal.offset, 0, 0};
  const double omega = two_pi * signal.frequency;
  const double angle = omega * (time - signal.start_time) + signal.phase;
  const double sine = signal.amplitude * std::sin(angle);
  return {signal.offset + sine, signal.amplitude * omega * std::cos(angle), -omega * omega * sine};
}

// The phase is the integral of a frequency that grows linearly.
SignalValue value_of(const SignalChirp& signal, double time) {
  if (time < signal.start_time || time >= signal.end_time) return {};
  const double since = time - signal.start_time;
  const double growth =
      two_pi * (signal.end_frequency - signal.start_frequency) / (signal.end_time - signal.start_time);
  const double omega = two_pi * signal.start_frequency + growth * since;
  const double angle = (two_pi * signal.start_frequency + growth * since / 2) * since;
  const double sine = std::sin(angle), cosine = std::cos(angle);
  return {signal.amplitude * sine, signal.amplitude * omega * cosine,
          signal.amplitude * (growth * cosine - omega * omega * sine)};
}

// 10 s³ - 15 s⁴ + 6 s⁵: value, speed and acceleration vanish at s = 0; value 1 at rest at s = 1.
SignalValue value_of(const SignalSmoothMove& signal, double time) {
  if (time <= signal.start_time) return {signal.start_value, 0, 0};
  if (time >= signal.end_time) return {signal.end_value, 0, 0};
  const double duration = signal.end_time - signal.start_time;
  const double s = (time - signal.start_time) / duration;
  const double rise = signal.end_value - signal.start_value;
  return {signal.start_value + rise * s * s * s * (10 + s * (6 * s - 15)),
          rise * 30 * s * s * (1 - s) * (1 - s) / duration,
          rise * 60 * s * (1 - s) * (1 - 2 * s) / (duration * duration)};
}

// The acceleration integrated twice, between the values at both ends.
SignalValue value_in_piece(const double* c, double width, double s, double line, double chord) {
  const auto once = [&](double x) { return x * (c[0] + x * (c[1] / 2 + x * (c[2] / 3 + x * c[3] / 4))); };
  const auto twice = [&](double x) { return x * x * (c[0] / 2 + x * (c[1] / 6 + x * (c[2] / 12 + x * c[3] / 20))); };
  return {line + width * width * (twice(s) - s * twice(1)), chord + width * (once(s) - twice(1)),
          c[0] + s * (c[1] + s * (c[2] + s * c[3]))};
}

SignalValue value_of(const SignalTable& signal, double time) {
  if (signal.times.empty()) return {};
  if (time < signal.times.front()) return {signal.values.front(), 0, 0};
  if (time >= signal.times.back()) return {signal.values.back(), 0, 0};
  const auto next = std::upper_bound(signal.times.begin(), signal.times.end(), time);
  const auto i = static_cast<std::size_t>(next - signal.times.begin() - 1);
  const double width = signal.times[i + 1] - signal.times[i];
  const double b = (time - signal.times[i]) / width, a = 1 - b;
  const double chord = (signal.values[i + 1] - signal.values[i]) / width;
  const double line = a * signal.values[i] + b * signal.values[i + 1];
  if (!signal.smooth) return {line, chord, 0};
  if (has_pieces(signal))
    return value_in_piece(&signal.second_derivatives[numbers_per_piece * i], width, b, line, chord);
  const double left = signal.second_derivatives[i], right = signal.second_derivatives[i + 1];
  return {line + ((a * a * a - a) * left + (b * b * b - b) * right) * width * width / 6,
          chord + ((1 - 3 * a * a) * left + (3 * b * b - 1) * right) * width / 6, a * left + b * right};
}

std::vector<double> breaks_of(const SignalConstant&) { return {}; }
std::vector<double> breaks_of(const SignalSteps& signal) { return signal.times; }
std::vector<double> breaks_of(const SignalRamp& signal) { return {signal.start_time, signal.end_time}; }
std::vector<double> breaks_of(const SignalSine& signal) { return {signal.start_time}; }
std::vector<double> breaks_of(const SignalChirp& signal) { return {signal.start_time, signal.end_time}; }
std::vector<double> breaks_of(const SignalSmoothMove& signal) { return {signal.start_time, signal.end_time}; }
// Where the acceleration jumps by more than rounding, and both ends.
std::vector<double> jumps_of_pieces(const SignalTable& signal) {
  const std::vector<double>& c = signal.second_derivatives;
  double largest = 0;
  for (std::size_t k = 0; k < c.size(); k += numbers_per_piece) largest = std::max(largest, std::abs(c[k]));
  std::vector<double> result{signal.times.front()};
  for (std::size_t i = 1; i + 1 < signal.times.size(); ++i) {
    const double* before = &c[numbers_per_piece * (i - 1)];
    const double* after = &c[numbers_per_piece * i];
    const double jump = after[0] - (before[0] + before[1] + before[2] + before[3]);
    if (std::abs(jump) > 1e-6 * largest) result.push_back(signal.times[i]);
  }
  result.push_back(signal.times.back());
  return result;
}

std::vector<double> breaks_of(const SignalTable& signal) {
  if (!signal.smooth || signal.times.size() < 2) return signal.times;
  if (has_pieces(signal)) return jumps_of_pieces(signal);
  return {signal.times.front(), signal.times.back()};
}

template <class Type>
std::optional<Type> setting(const AnalysisRequest& request, const std::string& key) {
  for (const auto& [name, value] : request.settings) {
    if (name != key) continue;
    if (const Type* found = std::get_if<Type>(&value)) return *found;
  }
  return std::nullopt;
}

}  // namespace

SignalTable smooth_table(std::vector<double> times, std::vector<double> values) {
  SignalTable table{std::move(times), std::move(values), true, {}};
  table.second_derivatives = spline_second_derivatives(table.times, table.values);
  return table;
}

SignalValue evaluate(const Signal& signal, double time) {
  return std::visit([time](const auto& kind) { return value_of(kind, time); }, signal);
}

std::vector<double> break_times(const Signal& signal) {
  return std::visit([](const auto& kind) { return breaks_of(kind); }, signal);
}

std::optional<double> AnalysisRequest::number(const std::string& key) const { return setting<double>(*this, key); }
std::optional<std::string> AnalysisRequest::text(const std::string& key) const {
  return setting<std::string>(*this, key);
}
std::optional<bool> AnalysisRequest::flag(const std::string& key) const { return setting<bool>(*this, key); }
std::vector<std::string> AnalysisRequest::texts(const std::string& key) const {
  return setting<std::vector<std::string>>(*this, key).value_or(std::vector<std::string>{});
}

}  // namespace lithe
