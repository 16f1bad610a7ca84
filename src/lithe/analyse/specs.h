// What can be asked of a model: one plain struct per analysis, the only place of its defaults. A model file fills them,
// the options of a command change them, and lithe/analyse/analyses.h computes the answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/sweep/sweep.h"
#include "lithe/formulate/formulation.h"
#include "lithe/model/model.h"

namespace lithe {

// Motion in time from the initial configuration.
struct SimulateSpec {
  FormulationChoice formulation = {};
  double end_time = SimulateOptions{}.end_time;        // s
  double output_step = SimulateOptions{}.output_step;  // s between recorded values
  std::vector<double> output_times = {};               // s, ascending; used instead when not empty
  std::string integrator = SimulateOptions{}.integrator;
  double tolerance = IntegratorOptions{}.tolerance;              // error of node positions per second of motion, m
  double step = IntegratorOptions{}.fixed_step;                  // s, fixed; 0: steps chosen by the tolerance
  double spectral_radius = IntegratorOptions{}.spectral_radius;  // of generalised_alpha: 1 damps nothing, 0 most
  EndStops end_stops = SimulateOptions{}.end_stops;
  std::vector<std::string> controllers = {};  // that act; empty: those that the model calls active; "none": none
  double checkpoint_interval = SimulateOptions{}.checkpoint_interval;  // s; > 0: starts afresh at its multiples
};

// Drive forces for the prescribed motions of the model.
struct InverseDynamicsSpec {
  FormulationChoice formulation = {};
  double end_time = SimulateSpec{}.end_time;
  double output_step = SimulateSpec{}.output_step;
  std::string integrator = SimulateSpec{}.integrator;
  double tolerance = SimulateSpec{}.tolerance;
  bool flexible = true;  // false: as if all links were rigid
};

// Natural frequencies and shapes of the mechanism about its initial configuration, or of one link.
struct ModesSpec {
  FormulationChoice formulation = {};
  int count = 20;                       // elastic modes
  std::string link = {};                // its name; empty: the mechanism
  std::vector<std::string> clamp = {};  // nodes of the link that are held
  bool reduced = false;                 // of the link as its reduction leaves it, not of its mesh
};

// Static equilibrium under gravity, loads and drives.
struct EquilibriumSpec {
  FormulationChoice formulation = {};
  bool hold_joints = brakes_are_on;                   // hold independent joints; their forces are reported
  double tolerance = EquilibriumOptions{}.tolerance;  // residual force relative to the largest
  double time = EquilibriumOptions{}.time;            // s, at which drives and loads act
};

enum class LineariseAbout {
  held,         // drives hold the joints, and the links settle
  equilibrium,  // everything settles
  initial,      // the configuration as it is
  motion,       // along the simulated motion
};

// Linear models: state space, eigenvalues, Campbell diagram, frequency response, buckling, Floquet multipliers.
struct LineariseSpec {
  FormulationChoice formulation = {};
  LineariseAbout about = LineariseAbout::held;
  std::vector<double> times = {};                   // s, of `motion`; its first is the start of a periodic motion
  std::vector<std::string> inputs = {}, held = {};  // names of drives, loads or joints; joints that are locked
  std::string spin = {};                            // joint, or joint.2, that turns or slides steadily
  double speed = 0;                                 // of the spin, rad/s or m/s
  std::vector<double> speeds = {};                  // of a Campbell diagram
  std::vector<double> response = {};                // frequency response: Hz
  int count = 20;                                   // modes listed
  int buckling = 0;                                 // load factors wanted
  bool floquet = false;                             // multipliers of the periodic motion
  double period = 0;                                // of it, s; 0: that of drives and loads
  SimulateSpec motion = {};                         // of `motion`: integrator, tolerance, controllers
};

// The linear model of the mechanism that its drives hold at rest: reduced, sampled.
struct StateSpaceSpec {
  FormulationChoice formulation = {};
  std::vector<std::string> inputs = {};   // names of drives, loads or joints; empty: drives and loads, or all joints
  std::vector<std::string> sensors = {};  // outputs; empty: all
  bool minimal = false;                   // without uncontrollable and unobservable states
  std::optional<int> states = {};         // how many are kept
  std::optional<double> error = {};       // as few as this bound of the largest gain of the error allows
  std::string reduction = "balanced";     // or "modal"
  bool keep_static_gain = false;          // modal: the static part of what is left out stays
  double sample_time = 0;                 // s; 0: continuous
  std::string discretisation = "hold";    // inputs held; or "tustin", the bilinear rule
  int delay = 0;                          // samples after which inputs act
};

// Amplitude spectrum of a sensor over a recorded motion.
struct SpectrumSpec {
  std::string sensor = {};  // "tip", or "tip.x" of one with three components
  double start_time = 0;    // s
  std::optional<double> end_time = {};
  std::string window = "hann";
  double max_frequency = 0;  // Hz; 0: half the sampling rate
  double resolution = 0;     // Hz; 0: one over the duration
  int peaks = 10;
};

// Mass and stiffness condensed to a few nodes. Nodes are written link:node.
struct CondenseSpec {
  std::vector<std::string> independent = {};  // nodes kept; empty: chosen automatically
  std::vector<std::string> held = {};         // joints that are locked
  std::string tool = {};                      // node whose 6 x 6 stiffness and mass are wanted
  std::string route = "superelements";        // or "direct"
  int count = 30;                             // natural frequencies
  bool full = false;                          // also frequencies of the mesh without condensation
  bool hold_spins = true;                     // struts do not spin about their own line
  std::vector<ImposedDisplacement> imposed = {};
};

// An analysis over a grid of tool positions, joint values or numbers of the model file.
struct SweepSpec {
  std::vector<std::string> axes = {};  // "tool.x = -0.1 : 0.1 : 21", "joint.elbow = 0 deg, 90 deg"
  std::vector<std::string> set = {};   // for all points: "tool.z = -570 mm"
  std::string analysis = "condense";   // what is repeated: a kind, or the name of an analysis of the model
  std::optional<std::string> formulation = {}, spin = {}, integrator = {};  // unset: as that analysis has them
  std::optional<LineariseAbout> about = {};
  std::optional<double> end_time = {}, tolerance = {};
  std::vector<std::string> independent = {}, held = {};  // as of CondenseSpec
  std::string tool = {};
  int count = 6;  // natural frequencies or eigenvalues per point
  bool hold_spins = CondenseSpec{}.hold_spins;
  std::vector<ImposedDisplacement> imposed = {};
  ToolOrientation orientation = ToolOrientation::automatic;
  bool springs_stay = false;  // rest values of joint springs stay when a configuration moves their joint
  int threads = 0;            // 0: as many as there are processors
};

// The same move with each controller of the model.
struct ControlSpec {
  SimulateSpec simulate = {};
  std::vector<std::string> controllers = {};  // empty: all
  bool payloads = true;                       // also with other payloads, and at equal settling times
};

// The same motion in several formulations.
struct CompareSpec {
  SimulateSpec simulate = {};
  std::vector<FormulationChoice> formulations = {{}, {.formulation = "floating-frame"}};  // the first: the reference
};

using AnalysisSpec = std::variant<ModesSpec, SimulateSpec, EquilibriumSpec, InverseDynamicsSpec, SpectrumSpec,
                                  CondenseSpec, SweepSpec, LineariseSpec, ControlSpec>;
inline constexpr std::string_view analysis_kinds[] = {
    "modes", "simulate", "equilibrium", "inverse_dynamics", "spectrum", "condense", "sweep", "linearise", "control"};

// An analysis that a model file asks for.
struct Analysis {
  std::string name;
  SourcePlace place;
  AnalysisSpec spec;

  std::string_view kind() const { return analysis_kinds[spec.index()]; }
};

// In the order of the file. Throws InputError, at its place in the file, for a range that is none.
std::vector<Analysis> analyses_of(const Model& model);

// The settings of the first analysis of a kind in the model; the defaults where there is none. Studies of motions
// (control, compare) then take those of the model's simulation.
template <class Spec>
Spec spec_of(const Model& model) {
  if constexpr (!std::is_same_v<Spec, CompareSpec>) {  // of which a file has none
    const std::vector<Analysis> all = analyses_of(model);
    for (const Analysis& analysis : all)
      if (const Spec* found = std::get_if<Spec>(&analysis.spec)) return *found;
  }
  Spec spec;
  if constexpr (requires { spec.simulate; }) spec.simulate = spec_of<SimulateSpec>(model);
  if constexpr (requires { spec.motion; }) spec.motion = spec_of<SimulateSpec>(model);
  return spec;
}

// The spec of one analysis of a file; `simulation`: what studies of motions do not say themselves.
AnalysisSpec spec_from(const AnalysisRequest& request, const SimulateSpec& simulation = {});
template <class Spec>
Spec spec_from(const AnalysisRequest* request, const SimulateSpec& simulation = {}) {
  return request ? std::get<Spec>(spec_from(*request, simulation)) : Spec{};
}

// The equations that an analysis uses; null where it has none of its own.
const FormulationChoice* formulation_of(const AnalysisSpec& spec);

// "held", "equilibrium", "initial", "motion".
inline constexpr std::string_view linearise_about_names[] = {"held", "equilibrium", "initial", "motion"};
std::string_view name_of(LineariseAbout about);

// "FROM:TO:COUNT", evenly spaced or by equal ratios. Throws InputError; `what` begins its message.
std::vector<double> parse_range(const std::string& text, const std::string& what, bool geometric);

}  // namespace lithe
