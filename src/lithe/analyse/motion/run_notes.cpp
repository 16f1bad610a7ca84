#include "lithe/analyse/motion/run_notes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/capabilities.h"
#include "lithe/formulate/erls/link_damping.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/model/coordinate_choice.h"
#include "lithe/model/mechanism_damping.h"

namespace lithe {
namespace {

std::string named_angles(const Model& model) {
  std::string names;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (acts_on_angles(model, static_cast<int>(j)))
      names += cat(names.empty() ? "; joint '" : "', '", model.joints[j].name);
  return names.empty() ? names : names + "'";
}

// Energy that appears or vanishes: steps too long for what moves, or vibrations of a mesh so coarse that the numerical
// damping of an implicit method takes them away. `of_stored`: share of the stored energy, `of_turnover`: of the energy
// that passed through; `most`: share of the stored energy beyond which it is open whatever passed.
struct BalanceLimit {
  double of_stored, of_turnover, most;
};
constexpr BalanceLimit balance_warning{0.005, 1e-4, 0.5}, balance_failure{0.1, 0.01, 1};

bool balance_beyond(const EnergyBalance& energy, const EnergyScale& scale, const BalanceLimit& limit) {
  constexpr double rounding = 1e-9;
  const double open = std::abs(energy.imbalance() - scale.inherited), stored = scale.stored();
  const double all = std::abs(energy.start) + std::abs(energy.end) + scale.turnover;
  return open > std::min(limit.of_stored * stored + limit.of_turnover * scale.turnover, limit.most * stored) &&
         open > rounding * all;
}

// Energy that an implicit method has taken out of vibrations: lost, and no more than links and springs held. Its steps
// are controlled, so that positions are within the tolerance: a platform that rings at 1e-6 m loses most of that energy
// at a tolerance of 1e-6 m.
bool is_numerical_damping(const EnergyBalance& energy, const EnergyScale& scale) {
  const double lost = scale.inherited - energy.imbalance();
  return scale.damps_vibrations && lost > 0 && lost <= scale.most_elastic - scale.least_elastic;
}

bool damps_links(const Model& model) {
  return is_damped(mechanism_damping(model)) ||
         std::any_of(model.links.begin(), model.links.end(), [](const Link& link) { return is_damped(link.damping); });
}

std::string open_by(const EnergyBalance& energy, const EnergyScale& scale) {
  const double open = energy.imbalance() - scale.inherited;
  std::ostringstream text;
  text.precision(3);
  text << "the energy balance is open by " << open << " J, " << 100 * std::abs(open) / scale.stored()
       << " % of the largest stored energy";
  return text.str();
}

}  // namespace

void check_options(const SimulateOptions& options, double start_time) {
  if (!(options.end_time > start_time) || !std::isfinite(options.end_time))
    throw InputError(cat("the end time ", options.end_time, " s is not after the start time ", start_time, " s"));
  // Integrators divide by the fourth powers of steps.
  if (const double least = std::pow(std::numeric_limits<double>::min(), 0.25); !(options.end_time - start_time > least))
    throw InputError(cat("from the start at ", start_time, " s to the end at ", options.end_time,
                         " s is less than can be computed, ", least, " s"));
  if (!(options.integration.tolerance > 0))
    throw InputError(cat("the tolerance must be positive, got ", options.integration.tolerance));
  if (!(options.integration.fixed_step >= 0))
    throw InputError(cat("the step must be positive, got ", options.integration.fixed_step, " s"));
  if (options.output_step < 0 || (options.output_step == 0 && options.output_times.empty()))
    throw InputError(cat("the output step must be positive, got ", options.output_step, " s"));
  const double most_outputs = options.recorder ? 1e10 : 2e6;  // days of writing, or gigabytes of memory
  const double duration = options.end_time - start_time;
  if (options.output_times.empty() && !(duration / options.output_step <= most_outputs))
    throw InputError(cat("an output step of ", options.output_step, " s over ", duration, " s gives ",
                         duration / options.output_step, " recorded instants, more than ", most_outputs));
  constexpr double most_checkpoints = 1e6;
  if (options.checkpoint_interval > 0 && !(duration / options.checkpoint_interval <= most_checkpoints))
    throw InputError(cat("a checkpoint every ", options.checkpoint_interval, " s over ", duration, " s gives ",
                         duration / options.checkpoint_interval, " of them, more than ", most_checkpoints));
  const double radius = options.integration.spectral_radius;
  if (!(radius >= 0 && radius <= 1)) throw InputError(cat("the spectral radius must be between 0 and 1, got ", radius));
}

void tell_left_out(const DeformationWatch& watch, Trajectory& motion) {
  const LinkDeformation* link = watch.stiffened_link();
  if (link && link->axial <= SmallRange{}.axial && link->spin <= SmallRange{}.spin)  // more has a warning of its own
    motion.warnings.push_back(cat("without geometric stiffening, which matters here (", axial_force_text(*link),
                                  "): this run cannot begin again; start it with --geometric-stiffening"));
  if (const LinkDeformation* some = link ? nullptr : watch.link_to_tell())
    motion.notes.push_back(cat("without geometric stiffening, which may matter here (", axial_force_text(*some),
                               "); --geometric-stiffening has it"));
}

bool loses_energy(const Model& model) {
  for (const Joint& joint : model.joints)
    for (const auto* values : {&joint.damping, &joint.friction})
      for (const double value : *values)
        if (value != 0) return true;
  return damps_links(model);
}

std::string undamped_note(const Equations& equations, long steps, double seconds) {
  constexpr long many = 5000;
  constexpr double periods = 3;  // of the fastest vibration, in a step
  if (steps < many || damps_links(equations.model())) return {};
  const double step = seconds / static_cast<double>(steps), fastest = fastest_vibration(equations);
  if (!(fastest > 0 && step * fastest < periods * 2 * std::numbers::pi)) return {};
  std::ostringstream text;
  text.precision(2);
  text << "nothing damps the links: vibrations up to " << fastest / (2 * std::numbers::pi)
       << " Hz never die out, and steps of " << 1e6 * step
       << " us on average follow them; a damping ratio as built structures have, 0.01, makes such runs shorter: "
          "[damping] ratio = 0.01";
  return text.str();
}

// Where loops cannot be followed, the joints that close them, and chosen nodal coordinates: which configuration is
// singular.
std::string named_places(const Model& model, EvaluationStatus cause) {
  if (cause == EvaluationStatus::singular_angles) return named_angles(model);
  if (cause != EvaluationStatus::loop_not_closed && cause != EvaluationStatus::singular_mass) return {};
  std::string names;
  const Mechanism mechanism(model);
  for (const CutJoint& cut : mechanism.cuts())
    if (!cut.couples())
      names += cat(names.empty() ? "; loop closed by joint '" : "', '",
                   model.joints[static_cast<std::size_t>(cut.joint)].name);
  if (!names.empty()) names += "'";
  for (const ChosenCoordinate& item : chosen_coordinates(model))
    if (item.node >= 0) names += "; chosen coordinate " + describe(model, item);
  return names;
}

void UnknownInstants::look(double time, EvaluationStatus status) {
  if (status == EvaluationStatus::ok || count++ > 0) return;
  first_time = time;
  cause = status;
}

std::string UnknownInstants::warning() const {
  if (count == 0) return {};
  const std::string where =
      count == 1 ? cat("at ", first_time, " s") : cat("at ", count, " instants from ", first_time, " s on");
  return cat("accelerations and forces are not known (NaN) ", where, ": ", describe(cause));
}

std::string broken_balance(const EnergyBalance& energy, const EnergyScale& scale) {
  if (!balance_beyond(energy, scale, balance_failure) || is_numerical_damping(energy, scale)) return {};
  return open_by(energy, scale) +
         ": do not use these results; try a smaller tolerance, another integrator or more elements";
}

std::string open_balance(const EnergyBalance& energy, const EnergyScale& scale) {
  if (!balance_beyond(energy, scale, balance_warning)) return {};
  if (is_numerical_damping(energy, scale))
    return open_by(energy, scale) +
           ": the integrator takes out vibrations below the tolerance; forces and stresses may miss them; a smaller "
           "tolerance keeps them";
  if (balance_beyond(energy, scale, balance_failure)) return {};
  return open_by(energy, scale) + "; use a smaller tolerance, or more elements";
}

}  // namespace lithe
