// Controllers and references that the model file describes; how they act is in control/ and
// analyse/motion/control_loop.h.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lithe/model/model.h"

namespace lithe {

// A move with limited speed, acceleration and jerk, at rest at both ends.
struct SCurveMove {
  double start_time = 0, start_value = 0, end_value = 0;
  double max_speed = 1, max_acceleration = 1, max_jerk = 1;
};

// What a sensor shall read.
struct Reference {
  std::string name;
  SourcePlace place;
  int sensor = 0;  // index into Model::sensors, of one number
  Signal signal;
  std::optional<SCurveMove> s_curve;  // instead of the signal
  double stretch = 1;                 // its time runs so many times slower
};

// Gains of one PID loop.
struct PidGains {
  double proportional = 0, integral = 0, derivative = 0;
};

// Impulses at times ≥ 0 whose sizes add up to 1.
struct Shaper {
  std::vector<double> times{0.0}, sizes{1.0};
};

enum class ShaperKind { none, zv, zvd, ei };

// Impulses that the references are convolved with.
struct Shaping {
  ShaperKind kind = ShaperKind::none;
  std::optional<double> frequency;  // Hz; unset: the first flexible mode with the controlled joints locked
  double damping_ratio = 0;
  double tolerance = 0.05;  // ei: residual vibration allowed at the frequency itself
};

// Delayed reference control: the references wait for a vibration to pass.
struct DelayedReference {
  int sensor = -1;         // of the deflection; -1: none
  double gain = 0;         // change of the first reference's speed per unit of deflection
  double least_speed = 0;  // of the first reference, below which the delay fades
};

// A freedom that a controller drives.
struct Actuator {
  int joint = 0;
  int freedom = 0;
};

// What the motor behind an actuator can give, at the joint: a peak torque, and in the direction in which it turns at
// most what the line from the stall torque at rest to nothing at the no-load speed leaves.
struct MotorLimit {
  std::optional<double> max_torque;                   // N m or N
  std::optional<double> stall_torque, no_load_speed;  // N m or N, rad/s or m/s

  bool any() const { return max_torque || stall_torque; }
};

enum class ControllerKind { pid, lqg, predictive, output_feedback, mixed_norm, external };

// Entries of the vectors belong to actuators or measurements, as said; empty vectors: the default.
struct PidSetup {
  std::vector<double> proportional, integral, derivative;  // per actuator; empty: tuned
  double filter_time = 0;                                  // of the derivative, s; 0: three samples
  bool feedforward = true;                                 // torque of the reference's motion, from the linear model
};

// Of controllers that are designed on a linear model.
struct ModelBasedSetup {
  int design_modes = 3;                                  // flexible modes of the design model
  std::vector<double> allowed_errors;                    // per measurement; weight 1/allowed²
  std::vector<double> allowed_efforts;                   // per actuator
  std::vector<double> disturbances, measurement_noise;   // standard deviations for the observer
  bool rejects_disturbance = true;                       // estimates a constant disturbance of each actuator
  int horizon = 30;                                      // predictive: samples
  std::vector<double> rate_limits;                       // per actuator and second
  std::vector<std::pair<double, double>> output_limits;  // per measurement; infinite where there is none
  double softness = 0;                                   // > 0: output limits are soft
  std::optional<double> peak_gain;                       // output_feedback, mixed_norm: bound of the H∞ norm
  std::optional<double> peak_gain_ratio;                 // mixed_norm: instead, over the smallest possible
  int order = 0;                                         // mixed_norm: states of the controller; 0: all
};

// Of a controller that is a program.
struct ExternalSetup {
  std::vector<std::string> command;  // empty: it runs already
  double timeout = 1;                // s of real time per sample
  bool binary = false;               // numbers as they are in memory instead of lines of text
  std::string socket_path;           // Unix socket where it listens
  int port = 0;                      // of 127.0.0.1 where it listens; neither: over its standard input and output
};

// A controller: what it reads, what it moves, how often, and how it is designed.
struct ControllerSetup {
  std::string name;
  SourcePlace place;
  ControllerKind kind = ControllerKind::pid;
  double sample_time = 1e-3;
  double delay = 0;  // from sample to action, s
  std::vector<Actuator> actuators;
  std::vector<int> measurements;            // indices into Model::sensors, of one number each
  std::vector<int> references;              // indices into ControlSetup::references
  std::vector<double> limits;               // of |torque or force| per actuator; empty: none
  std::vector<MotorLimit> motor_limits;     // per actuator; empty: none
  std::vector<double> quantisation, noise;  // per measurement: step, standard deviation; empty: none
  std::uint64_t seed = 1;
  std::optional<double> settling_time, bandwidth;  // s, Hz: for automatic tuning
  int configurations = 1;                          // along the references, at each of which it is designed
  Shaping shaping;
  DelayedReference delayed_reference;
  PidSetup pid;
  ModelBasedSetup model_based;
  ExternalSetup external;
};

// How `lithe control` judges: the sensor that shall come to rest, and what it varies.
struct ControlJudgement {
  SourcePlace place;
  int sensor = -1;              // -1: that of the first reference
  double settling_band = 1e-3;  // of the sensor, about its final value
  int deflection = -1;          // sensor whose peak is reported
  double move_end = 0;          // s; 0: where the first reference ends
  double payload_change = 0.2;  // part of the payload, which is the masses at a node
  int payload_link = -1, payload_node = -1;
};

// A mass at a node of a rigid link that is taken and put down. It is taken with the speed that the node has then, and
// leaves with that which it has when it is put down: no impulse acts. plan/payloads.h
struct Payload {
  std::string name;
  SourcePlace place;
  int link = 0;  // rigid
  LumpedMass mass;
  double taken = 0, put_down = std::numeric_limits<double>::infinity();  // s
  bool held = false;  // it is the last but so many of the link's lumped masses

  bool held_at(double time) const { return time >= taken && time < put_down; }
};

// What happens during a run beside drives and loads: references, controllers, payloads, and what it is judged by.
struct ControlSetup {
  std::vector<Reference> references;
  std::vector<ControllerSetup> controllers;
  std::vector<int> active;  // controllers that act in a simulation
  ControlJudgement judgement;
  std::vector<Payload> payloads;
};

}  // namespace lithe
