#include "lithe/read/schema/schema.h"

namespace lithe {
namespace {

constexpr std::string_view formulations = "erls_cms|erls_fem|floating_frame|corotational|transfer_functions";
constexpr std::string_view gauges = "encoder|minimum_norm";
constexpr std::string_view variants = "full|published";

constexpr KeySpec name_key{.name = "name", .type = KeyType::text, .sentence = "Name of the results."};

// Of motions.
constexpr KeySpec duration_key{
    .name = "end_time", .unit = "s", .range = positive, .required = true, .sentence = "Duration."};
constexpr KeySpec output_step_key{.name = "output_step",
                                  .unit = "s",
                                  .range = positive,
                                  .default_value = "0.001",
                                  .sentence = "Time between recorded values."};

// Of all analyses that have a formulation.
constexpr KeySpec formulation_key{.name = "formulation",
                                  .type = KeyType::choice,
                                  .choices = formulations,
                                  .default_value = "erls_cms",
                                  .sentence = "Equations of motion."};
constexpr KeySpec elongation_key{
    .name = "quadratic_elongation",
    .type = KeyType::boolean,
    .default_value = "true",
    .sentence =
        "transfer_functions: elongation with its term quadratic in bending, which stiffens what turns "
        "fast; `false` leaves it out for comparison."};
constexpr KeySpec stiffening_key{
    .name = "geometric_stiffening",
    .type = KeyType::switched,
    .default_value = "auto",
    .sentence =
        "erls_cms, erls_fem, floating_frame: with the second-order displacements of beams, so that forces along "
        "a beam change its bending stiffness, as fast rotation stiffens an arm. `auto`: where a link carries "
        "more than 2 % of its Euler load, or its bending makes them matter in a motion."};

}  // namespace

const TableSpec& modes_table() {
  static const TableSpec table{
      "[[analyses]] kind = \"modes\"",
      "Natural frequencies and shapes of the mechanism about its initial configuration, or of one free link.",
      {
          {.name = "kind", .type = KeyType::text, .required = true, .sentence = "`modes`."},
          name_key,
          {.name = "count",
           .type = KeyType::integer,
           .range = {1, 100000},
           .default_value = "20",
           .sentence = "Number of modes reported."},
          {.name = "link", .type = KeyType::text, .sentence = "Only this link, free of its joints."},
          formulation_key,
          stiffening_key,
          elongation_key,
      }};
  return table;
}

const TableSpec& simulate_table() {
  static const TableSpec table{
      "[[analyses]] kind = \"simulate\"",
      "Motion in time from the initial configuration.",
      {
          {.name = "kind", .type = KeyType::text, .required = true, .sentence = "`simulate`."},
          name_key,
          duration_key,
          output_step_key,
          {.name = "integrator",
           .type = KeyType::choice,
           .choices =
               "automatic|exponential|dormand_prince|generalised_alpha|radau|cvode|cvode_adams|arkode|arkode_explicit",
           .default_value = "automatic",
           .sentence = "Integration method."},
          {.name = "tolerance",
           .range = {0, 1, false, false},
           .default_value = "1e-6",
           .sentence = "Error allowed per unit of length (m) in node positions with adaptive steps."},
          {.name = "step",
           .unit = "s",
           .range = positive,
           .sentence = "Fixed step; default: steps chosen by the tolerance."},
          {.name = "spectral_radius",
           .range = {0, 1},
           .default_value = "0.9",
           .sentence = "generalised_alpha: damping of high frequencies, 1 none, 0 most."},
          formulation_key,
          stiffening_key,
          elongation_key,
          {.name = "gauge",
           .type = KeyType::choice,
           .choices = gauges,
           .default_value = "encoder",
           .sentence = "What the joint coordinate measures on a flexible link."},
          {.name = "variant",
           .type = KeyType::choice,
           .choices = variants,
           .default_value = "full",
           .sentence = "erls_fem: all terms, or those of [CMP]."},
          {.name = "reference",
           .type = KeyType::choice,
           .choices = "tangent|chord|free",
           .default_value = "tangent",
           .sentence = "floating_frame: how the frame lies in the deformed link: fixed to the inboard joint's node, "
                       "through the nodes of two joints, or mean axes."},
      }};
  return table;
}

const TableSpec& equilibrium_table() {
  static const TableSpec table{
      "[[analyses]] kind = \"equilibrium\"",
      "Static equilibrium under gravity, loads and drives at their value at time 0.",
      {
          {.name = "kind", .type = KeyType::text, .required = true, .sentence = "`equilibrium`."},
          name_key,
          {.name = "tolerance",
           .range = {0, 1, false, false},
           .default_value = "1e-10",
           .sentence = "Residual force relative to the largest."},
          {.name = "hold_joints",
           .type = KeyType::boolean,
           .default_value = "true",
           .sentence = "Keep the independent joints where they are (brakes) and report their torques; joints with "
                       "springs settle. Otherwise all move."},
          formulation_key,
          stiffening_key,
          elongation_key,
      }};
  return table;
}

const TableSpec& inverse_dynamics_table() {
  static const TableSpec table{
      "[[analyses]] kind = \"inverse_dynamics\"",
      "Drive torques for the prescribed motions of the file.",
      {
          {.name = "kind", .type = KeyType::text, .required = true, .sentence = "`inverse_dynamics`."},
          name_key,
          duration_key,
          output_step_key,
          {.name = "flexible",
           .type = KeyType::boolean,
           .default_value = "true",
           .sentence = "With elastic links, or as if all were rigid."},
          {.name = "tolerance", .range = {0, 1, false, false}, .default_value = "1e-6", .sentence = "As for simulate."},
          formulation_key,
          stiffening_key,
          elongation_key,
      }};
  return table;
}

const TableSpec& spectrum_table() {
  static const TableSpec table{
      "[[analyses]] kind = \"spectrum\"",
      "Amplitude spectrum and peak table of a sensor over the simulation before it.",
      {
          {.name = "kind", .type = KeyType::text, .required = true, .sentence = "`spectrum`."},
          name_key,
          {.name = "sensor", .type = KeyType::text, .required = true, .sentence = "Name of the sensor."},
          {.name = "component",
           .type = KeyType::choice,
           .choices = "x|y|z",
           .sentence = "Component of a sensor that records a vector."},
          {.name = "start_time", .unit = "s", .range = not_negative, .default_value = "0", .sentence = "From here."},
          {.name = "end_time", .unit = "s", .range = positive, .sentence = "To here; default: the end."},
          {.name = "window",
           .type = KeyType::choice,
           .choices = "rectangular|hann|hamming|blackman|flat_top",
           .default_value = "hann",
           .sentence = "Window."},
          {.name = "max_frequency",
           .unit = "Hz",
           .range = positive,
           .sentence = "Highest frequency reported; default: half the sampling rate."},
          {.name = "resolution",
           .unit = "Hz",
           .range = positive,
           .sentence = "Spacing of the frequencies (by zero padding); default: one over the duration."},
          {.name = "peaks",
           .type = KeyType::integer,
           .range = {0, 10000},
           .default_value = "10",
           .sentence = "Peaks listed."},
      }};
  return table;
}

const TableSpec& linearise_table() {
  static const TableSpec table{
      "[[analyses]] kind = \"linearise\"",
      "Linear models: state space, eigenvalues, Campbell diagram, frequency response, buckling. A range is written "
      "`FROM:TO:COUNT`.",
      {
          {.name = "kind", .type = KeyType::text, .required = true, .sentence = "`linearise`."},
          name_key,
          {.name = "about",
           .type = KeyType::choice,
           .choices = "held|equilibrium|initial|motion",
           .default_value = "held",
           .sentence =
               "Drives hold the joints and the links settle; everything settles; the configuration as it is; or "
               "points of the simulated motion."},
          {.name = "times", .type = KeyType::text, .sentence = "motion: range of times in seconds."},
          {.name = "inputs",
           .type = KeyType::texts,
           .sentence = "Names of drives, loads or joints; default: drives and loads of the file, or all joints."},
          {.name = "held", .type = KeyType::texts, .sentence = "Joints that are locked."},
          {.name = "spin", .type = KeyType::text, .sentence = "Joint (or `joint.2`) that turns or slides steadily."},
          {.name = "speed", .default_value = "0", .sentence = "Its speed, rad/s or m/s."},
          {.name = "speeds", .type = KeyType::text, .sentence = "Campbell diagram: range of its speeds."},
          {.name = "response", .type = KeyType::text, .sentence = "Frequency response: range in Hz, by equal ratios."},
          {.name = "floquet",
           .type = KeyType::boolean,
           .default_value = "false",
           .sentence = "Floquet multipliers of the periodic motion from the first of `times` on, or from 0 s."},
          {.name = "period",
           .unit = "s",
           .range = positive,
           .sentence = "Its period; default: that of the drives and loads."},
          {.name = "buckling",
           .type = KeyType::integer,
           .range = {0, 1000},
           .default_value = "0",
           .sentence = "Load factors wanted at which the loads buckle the mechanism."},
          {.name = "count",
           .type = KeyType::integer,
           .range = {1, 100000},
           .default_value = "20",
           .sentence = "Modes listed."},
          formulation_key,
          stiffening_key,
          elongation_key,
      }};
  return table;
}

const TableSpec& control_study_table() {
  static const TableSpec table{
      "[[analyses]] kind = \"control\"",
      "The same move with each controller of the file, compared, as `lithe control` does. What is not given is taken "
      "from the file's `simulate` analysis.",
      {
          {.name = "kind", .type = KeyType::text, .required = true, .sentence = "`control`."},
          name_key,
          {.name = "controllers", .type = KeyType::texts, .sentence = "Only these; default: all of the file."},
          {.name = "payloads",
           .type = KeyType::boolean,
           .default_value = "true",
           .sentence = "Also with a lighter and a heavier payload."},
          {.name = "end_time", .unit = "s", .range = positive, .sentence = "End."},
          {.name = "output_step", .unit = "s", .range = positive, .sentence = "Time between recorded values."},
          {.name = "tolerance",
           .unit = "m",
           .range = positive,
           .sentence = "Error of node positions per second of motion."},
          {.name = "formulation",
           .type = KeyType::choice,
           .choices = formulations,
           .sentence = "Equations of motion of the simulations."},
          stiffening_key,
          elongation_key,
      }};
  return table;
}

}  // namespace lithe
