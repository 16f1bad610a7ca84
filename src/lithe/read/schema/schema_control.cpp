#include "lithe/read/schema/schema.h"

namespace lithe {

const TableSpec& reference_table() {
  static const TableSpec table{
      "[[references]]",
      "What a sensor shall read: a signal, a move with limited speed, acceleration and jerk, or planned moves. Exactly "
      "one of the three.",
      {
          {.name = "name", .type = KeyType::text, .required = true, .sentence = "Name."},
          {.name = "sensor",
           .type = KeyType::text,
           .required = true,
           .sentence = "The sensor, of one number (a joint quantity, or one component)."},
          {.name = "signal",
           .type = KeyType::signal,
           .unit = "as its use",
           .sentence = "A signal; `{move = ...}` is the least jerk from rest to rest."},
          {.name = "s_curve", .type = KeyType::table, .sentence = "Seven phases of constant jerk."},
          {.name = "moves",
           .type = KeyType::boolean,
           .default_value = "false",
           .sentence = "The planned motion of [[moves]] that drive the sensor's joint (its value, or that of its "
                       "motor); the controller then drives the joint, not the move."},
      }};
  return table;
}

const TableSpec& s_curve_table() {
  static const TableSpec table{
      "s_curve",
      "`{end_value = \"90 deg\", max_speed = 2, max_acceleration = 10, max_jerk = 100}`: from rest to rest as fast as "
      "the "
      "limits allow.",
      {
          {.name = "start_time", .unit = "s", .range = not_negative, .default_value = "0", .sentence = "Start."},
          {.name = "start_value", .unit = "as its use", .default_value = "0", .sentence = "Value until the start."},
          {.name = "end_value", .unit = "as its use", .required = true, .sentence = "Value from the end on."},
          {.name = "max_speed", .range = positive, .required = true, .sentence = "Limit of the rate, SI."},
          {.name = "max_acceleration",
           .range = positive,
           .required = true,
           .sentence = "Limit of the second derivative, SI."},
          {.name = "max_jerk", .range = positive, .required = true, .sentence = "Limit of the third derivative, SI."},
      }};
  return table;
}

const TableSpec& controller_table() {
  static const TableSpec table{
      "[[controllers]]",
      "A controller: at every sample it reads its measurements and sets the torques or forces of its joints, which "
      "hold "
      "until the next sample. It acts about the equilibrium of the initial configuration. `pid`: one loop per joint, "
      "its "
      "measurement being the sensor of the reference of the same place; gains, or `settling_time` or `bandwidth` for "
      "automatic tuning. `lqg`: linear-quadratic regulator with Kalman's observer on a linear model. `predictive`: the "
      "same with limits of inputs, rates and outputs over a horizon. `output_feedback`: constant gains from all "
      "measurements, least mean square of errors and efforts, with a bound of the peak gain if asked for. "
      "`mixed_norm`: dynamic output feedback, the least H2 norm (as `lqg`) under a bound of the H-infinity norm, with "
      "fewer states if asked for. `external`: a program of your own. See docs/control.md.",
      {
          {.name = "name", .type = KeyType::text, .required = true, .sentence = "Name."},
          {.name = "type",
           .type = KeyType::choice,
           .choices = "pid|lqg|predictive|output_feedback|mixed_norm|external",
           .required = true,
           .sentence = "Kind of controller."},
          {.name = "joints",
           .type = KeyType::texts,
           .required = true,
           .sentence = "Joints that it drives, of one degree of freedom each."},
          {.name = "measurements",
           .type = KeyType::texts,
           .required = true,
           .sentence = "Sensors that it reads, of one number each."},
          {.name = "references",
           .type = KeyType::texts,
           .sentence = "What it follows: one per joint, of a sensor that it reads; `external`: any."},
          {.name = "sample_time",
           .unit = "s",
           .range = positive,
           .default_value = "0.001",
           .sentence = "Time between samples."},
          {.name = "delay",
           .unit = "s",
           .range = not_negative,
           .default_value = "0",
           .sentence = "From a sample to the torque that follows from it; designs know of it, in whole samples."},
          {.name = "limits",
           .type = KeyType::numbers,
           .unit = "N m|N",
           .range = positive,
           .sentence = "Largest torque or force of each joint."},
          {.name = "quantisation",
           .type = KeyType::numbers,
           .range = not_negative,
           .sentence = "Step of each measurement (SI); 0: none."},
          {.name = "noise",
           .type = KeyType::numbers,
           .range = not_negative,
           .sentence = "Standard deviation of the noise of each measurement (SI), the same in every run."},
          {.name = "seed",
           .type = KeyType::integer,
           .range = {0, 1e9},
           .default_value = "1",
           .sentence = "Of the noise."},
          {.name = "settling_time",
           .unit = "s",
           .range = positive,
           .sentence =
               "`pid` without gains: tuned for it; others: every pole of the regulator decays within it (to 2 %)."},
          {.name = "bandwidth", .unit = "Hz", .range = positive, .sentence = "`pid` without gains: tuned for it."},
          {.name = "postures",
           .type = KeyType::integer,
           .range = {1, 100},
           .default_value = "1",
           .sentence = "Gain scheduling: so many designs along the references, blended by where they are; 1: where the "
                       "move starts. Not with `external`."},
          {.name = "shaper", .type = KeyType::table, .sentence = "Input shaping of the references."},
          {.name = "delayed_reference",
           .type = KeyType::table,
           .sentence = "Delayed reference control; not with `predictive`."},
          {.name = "proportional",
           .type = KeyType::numbers,
           .range = not_negative,
           .sentence = "`pid`: gain per joint (SI)."},
          {.name = "integral",
           .type = KeyType::numbers,
           .range = not_negative,
           .sentence = "`pid`: gain of the integral; default: 0."},
          {.name = "derivative",
           .type = KeyType::numbers,
           .range = not_negative,
           .sentence = "`pid`: gain of the derivative; default: 0."},
          {.name = "filter_time",
           .unit = "s",
           .range = positive,
           .sentence = "`pid`: time constant of the derivative's filter; default: three samples."},
          {.name = "feedforward",
           .type = KeyType::boolean,
           .default_value = "true",
           .sentence = "`pid`: torque that the references' motion needs, from the linear model."},
          {.name = "design_modes",
           .type = KeyType::integer,
           .range = {0, 1000},
           .default_value = "3",
           .sentence = "Flexible modes of the linear model, the slowest that the joints reach."},
          {.name = "allowed_errors",
           .type = KeyType::numbers,
           .range = not_negative,
           .sentence = "All types with a model: error of each measurement (SI) that weighs as much as the allowed "
                       "effort; 0: not weighed."},
          {.name = "allowed_efforts",
           .type = KeyType::numbers,
           .unit = "N m|N",
           .range = positive,
           .sentence = "The same: torque or force of each joint."},
          {.name = "disturbances",
           .type = KeyType::numbers,
           .unit = "N m|N",
           .range = positive,
           .sentence =
               "Standard deviation of disturbances at the joints, for the observer; default: a tenth of the allowed "
               "efforts."},
          {.name = "measurement_noise",
           .type = KeyType::numbers,
           .range = positive,
           .sentence =
               "Standard deviations for the observer (SI); default: `noise`, or a hundredth of the allowed errors."},
          {.name = "rejects_disturbance",
           .type = KeyType::boolean,
           .default_value = "true",
           .sentence =
               "`lqg`, `predictive`, `mixed_norm`: estimate a constant disturbance of each joint and cancel it."},
          {.name = "horizon",
           .type = KeyType::integer,
           .range = {1, 500},
           .default_value = "30",
           .sentence = "`predictive`: samples looked ahead."},
          {.name = "rate_limits",
           .type = KeyType::numbers,
           .range = positive,
           .sentence = "`predictive`: largest change of each torque or force per second."},
          {.name = "output_limits",
           .type = KeyType::limits,
           .sentence = "`predictive`: [low, high] of each measurement (SI), [] for one without."},
          {.name = "softness",
           .range = not_negative,
           .default_value = "0",
           .sentence = "`predictive`: cost of the square of an excess beyond output limits; 0: they are hard."},
          {.name = "peak_gain",
           .range = positive,
           .sentence = "`output_feedback`: bound of the gain from disturbances (in their standard deviations) to "
                       "errors (in the allowed ones), over all frequencies. `mixed_norm`: the same from disturbances "
                       "and measurement noise to errors and efforts; default: no bound."},
          {.name = "peak_gain_ratio",
           .range = {1.01, 1e9},
           .sentence = "`mixed_norm`, instead of `peak_gain`: the bound as a multiple of the smallest peak gain that "
                       "any controller has (near 1: H-infinity, large: H2)."},
          {.name = "order",
           .type = KeyType::integer,
           .range = {1, 10000},
           .sentence = "`mixed_norm`: states of the controller, by balanced reduction; default: as many as the design "
                       "has. Stability and norms are computed again."},
          {.name = "command",
           .type = KeyType::texts,
           .sentence = "`external`: the program and its arguments, started in the current directory, with "
                       "`--allow-commands` only (docs/reliability.md). Not needed where it runs already and listens at "
                       "an address."},
          {.name = "address",
           .type = KeyType::text,
           .sentence = "`external`: where the program listens, `unix:PATH` or `127.0.0.1:PORT`; default: it reads its "
                       "standard input and answers on its standard output."},
          {.name = "protocol",
           .type = KeyType::choice,
           .choices = "text|binary",
           .default_value = "text",
           .sentence = "`external`: lines of text, or numbers of eight bytes, little-endian."},
          {.name = "timeout",
           .unit = "s",
           .range = positive,
           .default_value = "1",
           .sentence = "`external`: real time that an answer may take."},
      }};
  return table;
}

const TableSpec& shaper_table() {
  static const TableSpec table{
      "shaper",
      "`{type = \"zvd\"}`: the references are split into impulses half a period apart that leave a mode at rest.",
      {
          {.name = "type",
           .type = KeyType::choice,
           .choices = "zv|zvd|ei",
           .required = true,
           .sentence = "Zero vibration; with zero derivative; extra insensitive."},
          {.name = "frequency",
           .unit = "Hz",
           .range = positive,
           .sentence = "Of the mode; default: the slowest one with the joints locked."},
          {.name = "damping_ratio", .range = {0, 1, true, false}, .default_value = "0", .sentence = "Of the mode."},
          {.name = "tolerance",
           .range = {0, 1, false, false},
           .default_value = "0.05",
           .sentence = "`ei`: vibration left at the frequency itself."},
      }};
  return table;
}

const TableSpec& delayed_reference_table() {
  static const TableSpec table{
      "delayed_reference",
      "`{sensor = \"tip deflection\", gain = 5}`: the references run on a time of their own, which waits or hurries so "
      "that "
      "their speed follows the deflection and damps it. It acts while the references move.",
      {
          {.name = "sensor", .type = KeyType::text, .required = true, .sentence = "Deflection, of one number."},
          {.name = "gain",
           .required = true,
           .sentence =
               "Change of the first reference's speed per unit of deflection (SI); its sign is that of the deflection "
               "that the reference's acceleration brings."},
          {.name = "least_speed",
           .range = positive,
           .default_value = "0.01",
           .sentence = "Speed of the first reference (SI) below which the action fades."},
      }};
  return table;
}

const TableSpec& control_table() {
  static const TableSpec table{
      "[control]",
      "Which controllers act in a simulation, and how `lithe control` judges and varies them.",
      {
          {.name = "active",
           .type = KeyType::texts,
           .sentence = "Controllers that act in `lithe simulate` and `lithe run`, all at once; default: the first."},
          {.name = "sensor",
           .type = KeyType::text,
           .sentence = "What shall come to rest, of one number; default: the sensor of the first reference."},
          {.name = "settling_band",
           .unit = "as its use",
           .range = positive,
           .default_value = "0.001",
           .sentence = "Distance from its end value within which it counts as settled."},
          {.name = "deflection",
           .type = KeyType::text,
           .sentence = "A sensor of one number whose largest change from the start is told."},
          {.name = "payload_link", .type = KeyType::text, .sentence = "Link that carries the payload."},
          {.name = "payload_node", .type = KeyType::text, .sentence = "Node whose masses are the payload."},
          {.name = "payload_change",
           .range = {0, 1, false, false},
           .default_value = "0.2",
           .sentence = "Part by which the payload is made smaller and larger; the controllers are not told."},
      }};
  return table;
}

}  // namespace lithe
