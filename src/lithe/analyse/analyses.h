// The questions that the program answers, each as one call: a model and a spec of specs.h in, plain data out.
// Start reading here. Throws InputError where a spec does not fit the model; a computation that fails says so in its
// result.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lithe/analyse/compare/compare.h"
#include "lithe/analyse/condense/condensed.h"
#include "lithe/analyse/control/control_study.h"
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/hooks.h"
#include "lithe/analyse/linear/linear_results.h"
#include "lithe/analyse/modes/modes.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/motion/spectrum.h"
#include "lithe/analyse/specs.h"
#include "lithe/analyse/sweep/sweep.h"
#include "lithe/control/linear/figures.h"
#include "lithe/model/variable_model.h"

namespace lithe {

struct CondenseOptions;  // analyse/condense/topology.h
struct ModeChoice;       // analyse/reduction/choose_modes.h

// A motion; its `equations` are always those that moved.
struct SimulatedMotion : Trajectory {
  std::shared_ptr<const ModeChoice> reduction = nullptr;  // of `reduction = "auto"`; null: nothing was left to choose
};

// Motion in time, from the state of start_state(), with the controllers that act.
SimulatedMotion simulate(const Model& model, const SimulateSpec& spec, const SimulateHooks& hooks = {});
// Of equations at hand; the formulation of the spec plays no part.
SimulatedMotion simulate(std::shared_ptr<const Equations> equations, const SimulateSpec& spec,
                         const SimulateHooks& hooks = {});
// The same settings for the stages.
SimulateOptions simulate_options(const SimulateSpec& spec);

// The motion with the drives on their prescribed paths; its columns are the force that each of them needs.
SimulatedMotion inverse_dynamics(const Model& model, const InverseDynamicsSpec& spec, const SimulateHooks& hooks = {});
// What it simulates, and how.
Model inverse_dynamics_model(const Model& model, const InverseDynamicsSpec& spec);
SimulateSpec motion_of(const InverseDynamicsSpec& spec);

// Of a sensor over a recorded motion. Throws InputError where the motion has no such column.
Spectrum spectrum(const Trajectory& motion, const SpectrumSpec& spec);
Spectrum spectrum(std::vector<double> times, std::vector<double> values, const SpectrumSpec& spec);
SpectrumOptions spectrum_options(const SpectrumSpec& spec);

// Modes of the mechanism, or of the link that was asked for.
struct NaturalModesResult {
  std::string failure;                         // why there are none; empty: there are
  std::optional<LinkModes> link;               // of one link
  int link_index = -1;                         // in Model::links
  std::optional<MechanismModes> mechanism;     // of the whole
  std::shared_ptr<const Equations> equations;  // of the whole
  State state;                                 // about which
  std::vector<std::string> notes;
  std::shared_ptr<const ModeChoice> reduction;  // as of SimulatedMotion

  // "the mechanism in its initial configuration"; "link 'arm', as reduced, held at 'root'".
  std::string subject;
};
NaturalModesResult natural_modes(const Model& model, const ModesSpec& spec);

// An equilibrium, and what it means to a user.
struct EquilibriumResult {
  std::shared_ptr<const Equations> equations;
  Equilibrium found;
  EquilibriumSummary summary;  // sensors, joints, deflections
  std::vector<std::string> warnings, notes;
};
EquilibriumResult find_equilibrium(const Model& model, const EquilibriumSpec& spec);

// Linear models and whatever else a LineariseSpec asks for; what it does not ask for is empty.
struct LineariseResult {
  std::string failure;  // why there is no model; empty: there is
  std::shared_ptr<const Equations> equations;
  std::vector<LinearModel> models;  // one, or one per time
  std::vector<LinearModes> modes;
  std::vector<TransferMatrices> transfer;  // of transfer-functions: one per model
  std::vector<double> times;
  std::vector<double> response_frequencies;  // Hz
  std::vector<MatrixXc> response;            // of the first model
  std::optional<CampbellDiagram> campbell;
  std::string spin, speed_unit;
  std::optional<Buckling> buckling;
  std::optional<FloquetResult> floquet;
  std::vector<std::string> notes;
  std::shared_ptr<const ModeChoice> reduction;  // as of SimulatedMotion
  bool lacks_stiffening = false;                // geometric stiffening matters here, and the formulation leaves it out

  bool about_rest = false;  // of a mechanism at rest, which has natural modes
};
LineariseResult linearise(const Model& model, const LineariseSpec& spec, const RunHooks& hooks = {});

// A linear model for a controller: reduced, sampled and delayed as asked for.
struct StateSpaceResult {
  std::string model, formulation;  // names
  SeparatedSystem separated;       // continuous, reduced
  StateSpace system;               // as asked for: sampled, delayed
  Sampling sampling = Sampling::none;
  Eigen::Index full_states = 0;
  std::optional<double> error_bound;  // of a reduction
  VectorX hankel;
  std::vector<std::string> notes;
  std::shared_ptr<const ModeChoice> reduction;  // as of SimulatedMotion
  std::vector<ModeFigures> modes;
  ComplexVector zeros;                   // transmission zeros of the whole
  std::vector<ChannelFigures> channels;  // input by input
  bool stable = false;
};
StateSpaceResult state_space(const Model& model, const StateSpaceSpec& spec);

// Motion of every node per unit of each rigid coordinate in the initial configuration.
Sensitivity sensitivity(const Model& model);

// Mass and stiffness of a few nodes, their modes, and what they were condensed from.
struct CondenseResult {
  std::string tool;  // as the spec writes it
  CondensedModel condensed;
  CondensedModes modes;
  NodeSets sets;
  std::optional<FullModel> full;

  VectorX full_frequencies() const { return full ? full->frequencies : VectorX(); }
};
CondenseResult condense(const Model& model, const CondenseSpec& spec);
// Names looked up in the model. Throws InputError for unknown ones.
CondenseOptions condense_options(const Model& model, const CondenseSpec& spec);

ControlStudy study_control(const Model& model, const ControlSpec& spec, const RunHooks& hooks = {});

Comparison compare(const Model& model, const CompareSpec& spec, const RunHooks& hooks = {});

// One point of a sweep.
struct SweepPoint {
  PointStatus status = PointStatus::failed;
  std::string reason;          // where it is not ok
  std::vector<double> values;  // one per column, NaN where there is none
};
// Values at every point of a grid.
struct SweepResult {
  std::vector<SweepAxis> axes;  // the last runs fastest
  std::vector<SweepColumn> columns;
  std::vector<SweepPoint> points;  // of the grid, in this order
  long long num_computed = 0;      // fewer than there are when it was cancelled

  // The values of a column, one per point, NaN where there is none. Throws InputError where there is no such column.
  std::vector<double> column(const std::string& name) const;
};
// Axes over tool positions, joint values and speeds. Those over numbers of the model file ("materials.steel.density")
// need a model whose numbers can be changed: ParametricModel of read/read_model.h.
SweepResult sweep(const Model& model, const SweepSpec& spec, const RunHooks& hooks = {});
SweepResult sweep(const VariableModel& model, const SweepSpec& spec, const RunHooks& hooks = {});
// The grid itself, for who keeps the points elsewhere. The model must outlive it.
Sweep make_sweep(const VariableModel& model, const SweepSpec& spec, const RunHooks& hooks = {});

// The equations of motion at the points of a sweep; the default where the repeated analysis has none.
FormulationChoice formulation_of(const Model& model, const SweepSpec& spec);

// Of which analysis: the alternatives of AnalysisSpec in the same order, but that both motions are one type.
using AnalysisResult = std::variant<NaturalModesResult, SimulatedMotion, EquilibriumResult, Spectrum, CondenseResult,
                                    SweepResult, LineariseResult, ControlStudy>;
// One of run_all: its result, or why there is none.
struct AnalysisOutcome {
  Analysis analysis;
  std::optional<AnalysisResult> result;
  std::string failure;  // why there is none
};
// All analyses that the model asks for, in their order; a spectrum is of the simulation before it. One that fails does
// not keep the others from being made.
std::vector<AnalysisOutcome> run_all(const Model& model, const RunHooks& hooks = {});
std::vector<AnalysisOutcome> run_all(const VariableModel& model, const RunHooks& hooks = {});
// One of them. `before`: the motion that a spectrum is of; may be null for others.
AnalysisResult run_analysis(const VariableModel& model, const AnalysisSpec& spec, const Trajectory* before,
                            const RunHooks& hooks = {});

// Whether its points are simulations, in which controllers act.
bool repeats_simulation(const Model& model, const SweepSpec& spec);
// Controllers that act in an analysis, indices in ControlSetup::controllers: what a program may have to ask consent
// for. Throws InputError for unknown names.
std::vector<int> controllers_of(const Model& model, const AnalysisSpec& spec);

}  // namespace lithe
