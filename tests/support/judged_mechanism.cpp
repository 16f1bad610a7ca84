#include "support/judged_mechanism.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>
#include <random>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/formulate/formulation.h"
#include "lithe/model/automatic_reduction.h"
#include "support/flexible_models.h"

namespace lithe::testing {
namespace {

class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  double decades(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  int one_of(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  bool toss() { return one_of(2) == 0; }
  Vector3 axis() { return Vector3(between(-1, 1), between(-1, 1), between(-1, 1)).normalized(); }

 private:
  std::mt19937 random_;
};

class JudgedMechanism {
 public:
  JudgedMechanism(unsigned seed, double duration)
      : chance_(seed),
        duration_(duration),
        builder_(chance_.toss() ? 7e10 : 2.1e11, chance_.between(2500, 8000), chance_.decades(0.008, 0.03),
                 chance_.decades(0.008, 0.04)) {}

  Model build() {
    if (chance_.one_of(3) == 0) builder_.model().gravity.setZero();
    switch (chance_.one_of(5)) {
      case 0:
      case 1:
        serial();
        break;
      case 2:
        branched();
        break;
      case 3:
        closed();
        break;
      default:
        sliding();
    }
    excite();
    for (Link& link : builder_.model().links) {
      if (chance_.toss()) link.damping.stiffness_factor = chance_.decades(1e-6, 1e-4);
      if (chance_.one_of(3) == 0)
        link.lumped_masses.push_back(
            {static_cast<int>(link.nodes.size()) - 1, chance_.decades(0.02, 1), Matrix3::Zero()});
    }
    sense();
    return builder_.model();
  }

 private:
  int elements() { return 3 + chance_.one_of(3); }

  int rod(const std::string& name, double length) {
    std::vector<Vector3> points{Vector3::Zero(), Vector3(length, 0, 0)};
    if (chance_.one_of(3) == 0) points.push_back(Vector3(length, 0.4 * length, 0));
    return builder_.beam(name, points, points.size() == 2 ? elements() : 2);
  }

  Vector3 end_of(int link) { return builder_.model().links[static_cast<std::size_t>(link)].nodes.back().position; }

  int add_after(int parent, const std::string& name) {
    const int link = rod(name, chance_.between(0.2, 0.6));
    const Vector3 at = parent < 0 ? Vector3::Zero() : end_of(parent);
    const Vector3 axis = chance_.toss() ? Vector3(Vector3::UnitZ()) : chance_.axis();
    const int joint = builder_.hinge("joint of " + name, JointType::revolute, parent, at, link, Vector3::Zero(), axis,
                                     {chance_.between(-1, 1)}, {chance_.toss() ? 0 : chance_.between(-2, 2)});
    if (chance_.toss()) spring(joint);
    return link;
  }

  void spring(int joint) {
    Joint& item = builder_.model().joints[static_cast<std::size_t>(joint)];
    item.stiffness[0] = chance_.decades(20, 5000);
    item.rest_value[0] = item.initial_value[0];
    if (chance_.toss()) item.damping[0] = chance_.decades(1e-3, 0.1);
  }

  void serial() {
    int last = -1;
    const int count = 1 + chance_.one_of(3);
    for (int k = 0; k < count; ++k) last = add_after(last, "link " + std::to_string(k + 1));
  }

  void branched() {
    const int trunk = add_after(-1, "trunk");
    add_after(trunk, "left");
    add_after(trunk, "right");
  }

  // A four-bar in the x-y plane, modelled in space; crank and rocker point up.
  void closed() {
    const double crank = chance_.between(0.1, 0.2), coupler = chance_.between(0.3, 0.4),
                 rocker = chance_.between(0.25, 0.3), ground = chance_.between(0.3, 0.35);
    const auto bar = [&](const std::string& name, double length) {
      return builder_.beam(name, {Vector3::Zero(), Vector3(length, 0, 0)}, elements());
    };
    const int a = bar("crank", crank), b = bar("coupler", coupler), c = bar("rocker", rocker);
    const Vector3 z = Vector3::UnitZ();
    const int driven = builder_.hinge("crank bearing", JointType::revolute, -1, Vector3::Zero(), a, Vector3::Zero(), z,
                                      {chance_.between(0.8, 2)});
    builder_.guess(builder_.hinge("crank pin", JointType::revolute, a, {crank, 0, 0}, b, Vector3::Zero(), z), {-1});
    const int bearing =
        builder_.hinge("rocker bearing", JointType::revolute, -1, {ground, 0, 0}, c, Vector3::Zero(), z);
    builder_.guess(bearing, {1.5});
    builder_.cut(builder_.hinge("rocker pin", JointType::revolute, b, {coupler, 0, 0}, c, {rocker, 0, 0}, z));
    if (chance_.toss()) spring(driven);
  }

  // A link on a slide with a spring, and one more that hangs on it.
  void sliding() {
    const int first = rod("slide", chance_.between(0.2, 0.5));
    const int joint = builder_.hinge("guide", JointType::prismatic, -1, Vector3::Zero(), first, Vector3::Zero(),
                                     chance_.toss() ? Vector3(Vector3::UnitZ()) : chance_.axis(), {0});
    spring(joint);
    add_after(first, "arm");
  }

  Signal any_signal(double size) {
    switch (chance_.one_of(4)) {
      case 0:
        return SignalSteps{{0.1 * duration_, 0.5 * duration_}, {size, -0.5 * size}};
      case 1:
        return SignalRamp{0.1 * duration_, 0.4 * duration_, 0, size};
      case 2:
        return SignalSine{size, chance_.decades(2, 60), 0, 0, 0};
      default:
        return SignalSmoothMove{0.1 * duration_, 0.7 * duration_, 0, size};
    }
  }

  void excite() {
    Model& model = builder_.model();
    const int kind = chance_.one_of(3);
    if (kind == 0) {
      const int drive = builder_.drive(0, 0, false);
      model.drives[static_cast<std::size_t>(drive)].signal = any_signal(chance_.decades(0.05, 2));
    } else if (kind == 1) {
      const int drive = builder_.drive(0, 0, true);
      const Joint& joint = model.joints.front();
      model.joints.front().initial_speed.assign(joint.initial_speed.size(), 0.0);
      const double start = joint.initial_value[0], size = joint.type == JointType::prismatic ? 0.05 : 0.6;
      model.drives[static_cast<std::size_t>(drive)].signal =
          SignalSmoothMove{0, chance_.between(0.3, 0.9) * duration_, start, start + size};
    }
    if (kind == 2 || model.gravity.isZero()) {
      Load load;
      load.name = "push";
      load.link = static_cast<int>(model.links.size()) - 1;
      load.node = static_cast<int>(model.links.back().nodes.size()) - 1;
      load.direction = chance_.axis();
      load.signal = any_signal(chance_.decades(0.2, 10));
      model.loads.push_back(load);
    }
  }

  void sense() {
    Model& model = builder_.model();
    const Quantity kinds[] = {Quantity::position, Quantity::displacement, Quantity::velocity, Quantity::joint_value,
                              Quantity::acceleration};
    const int first = chance_.one_of(5);
    for (int k = 0; k < 3; ++k) {
      Sensor sensor;
      sensor.quantity = kinds[(first + k) % 5];
      sensor.name = "sensor " + std::to_string(k + 1);
      if (sensor.quantity == Quantity::joint_value) {
        sensor.joint = static_cast<int>(model.joints.size()) - 1;
      } else {
        sensor.link = static_cast<int>(model.links.size()) - 1;
        sensor.node = static_cast<int>(model.links.back().nodes.size()) - 1;
      }
      model.sensors.push_back(sensor);
    }
  }

  Chance chance_;
  double duration_;
  FlexibleBuilder builder_;
};

// Values are taken at every step: what is faster than samples would look slow.
constexpr double output_step = 1e-3, fine_step = 2e-5, integration_step = fine_step;

// Forward and backward Butterworth filter of second order: 1 / (1 + (f / f_N)⁴), no phase.
void low_pass(std::vector<double>& values, double edge) {
  const double c = 1 / std::tan(std::numbers::pi * edge * fine_step), root = std::numbers::sqrt2;
  const double gain = 1 / (1 + root * c + c * c), a1 = 2 * gain * (1 - c * c), a2 = gain * (1 - root * c + c * c);
  for (int pass = 0; pass < 2; ++pass) {
    double x1 = values.front(), x2 = x1, y1 = x1, y2 = x1;
    for (double& value : values) {
      const double x = value, y = gain * (x + 2 * x1 + x2) - a1 * y1 - a2 * y2;
      x2 = x1, x1 = x, y2 = y1, y1 = y;
      value = y;
    }
    std::reverse(values.begin(), values.end());
  }
}

// The same fixed steps for both models: what they do to a vibration, they do to it in both.
Trajectory run(const Model& model, double duration, bool fine, double& seconds) {
  const auto equations = make_equations(model);
  SimulateOptions options;
  options.end_time = duration;
  options.output_step = fine_step;
  if (fine) {
    options.integration.tolerance = 1e-8;
  } else {
    options.integrator = "generalised_alpha";
    options.integration.fixed_step = integration_step;
    options.integration.spectral_radius = 0;  // vibrations that the steps do not resolve die at once
  }
  options.keep_states = options.energy_balance = false;
  options.watch_deformation = true;
  const std::clock_t begin = std::clock();
  Trajectory motion = simulate(*equations, start_state(*equations), options);
  seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return motion;
}

}  // namespace

Model judged_mechanism(unsigned seed, double duration, double tolerance) {
  Model model = JudgedMechanism(seed, duration).build();
  model.name = "random mechanism " + std::to_string(seed);
  AnalysisRequest request;
  request.kind = AnalysisKind::simulate;
  request.settings = {{"end_time", duration}, {"output_step", output_step}};
  model.analyses.push_back(request);
  std::vector<AutomaticReduction> links;
  for (std::size_t i = 0; i < model.links.size(); ++i) links.push_back({static_cast<int>(i), tolerance});
  set_automatic_reductions(model, links);
  return model;
}

TrueErrors true_errors(const Model& model, const ModeChoice& choice, bool fine) {
  TrueErrors result;
  Trajectory chosen = run(choice.model, choice.duration, fine, result.seconds_chosen);
  Trajectory all = run(model, choice.duration, fine, result.seconds_all);
  result.steps_chosen = static_cast<long>(chosen.counters.steps);
  result.steps_all = static_cast<long>(all.counters.steps);
  if (chosen.end != RunEnd::finished || all.end != RunEnd::finished) return result;
  result.small_deformation = all.warnings.empty();
  std::size_t column = 0;
  for (const Sensor& sensor : model.sensors) {
    const std::size_t count = is_vector(sensor.quantity) ? 3 : 1;
    const bool from_start = sensor.quantity == Quantity::position || sensor.quantity == Quantity::joint_value;
    const bool is_rate = sensor.quantity == Quantity::acceleration || sensor.quantity == Quantity::velocity;
    double largest = 0, peak = 0;
    for (std::size_t k = column; k < column + count; ++k)
      if (is_rate)
        for (Trajectory* motion : {&chosen, &all}) low_pass(motion->columns[k].values, 0.5 / output_step);
    // At its ends the filter knows nothing of what is beyond.
    const auto blind = static_cast<std::size_t>(is_rate ? std::min(5e-3, 0.2 * choice.duration) / fine_step : 0);
    for (std::size_t n = blind; n + blind < all.times.size(); ++n) {
      double difference = 0, size = 0;
      for (std::size_t k = column; k < column + count; ++k) {
        const std::vector<double>&a = chosen.columns[k].values, &b = all.columns[k].values;
        difference += std::pow(a[n] - b[n], 2);
        size += std::pow(b[n] - (from_start ? b.front() : 0), 2);
      }
      largest = std::max(largest, std::sqrt(difference));
      peak = std::max(peak, std::sqrt(size));
    }
    peak = std::max(peak, choice.readings[result.sensors.size()].floor);
    result.peaks.push_back(peak);
    result.sensors.push_back(largest <= 1e-12 ? 0 : largest / peak);
    column += count;
  }
  return result;
}

}  // namespace lithe::testing
