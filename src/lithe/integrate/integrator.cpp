#include "lithe/integrate/integrator.h"

#include <algorithm>
#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/capabilities.h"
#include "lithe/integrate/error_duration.h"
#include "lithe/integrate/exponential/exponential.h"
#include "lithe/integrate/generalised_alpha.h"
#include "lithe/integrate/lie_generalised_alpha.h"
#include "lithe/integrate/radau.h"
#include "lithe/integrate/runge_kutta.h"
#include "lithe/model/coordinate_choice.h"

namespace lithe {
namespace {

// Whether a prescribed joint moves a closed chain.
bool carries_loops(const Model& model) {
  const bool prescribed =
      std::any_of(model.drives.begin(), model.drives.end(), [](const Drive& drive) { return drive.prescribes_motion; });
  return prescribed && !Mechanism(model).cuts().empty();
}

}  // namespace

std::string describe(StepStatus status) {
  switch (status) {
    case StepStatus::ok:
      return "ok";
    case StepStatus::evaluation_failed:
      return "the accelerations could not be computed";
    case StepStatus::step_too_small:
      return "the tolerance cannot be met with the smallest step";
    case StepStatus::newton_failed:
      return "Newton's iteration of the implicit step did not converge";
    case StepStatus::library_failed:
      return "the outside integrator gave up";
  }
  return "unknown";
}

std::string StepReport::text() const {
  if (ok()) return cat("reached ", time, " s");
  std::string result = cat("stopped at ", time, " s: ", describe(status));
  if (cause != EvaluationStatus::ok) result += cat(" (", describe(cause), ")");
  return result;
}

double Integrator::lasting_seconds(Eigen::Index i, double h) const { return std::min(1.0, duration_->known(i, h)); }

Integrator::~Integrator() = default;

Integrator::Integrator(System system, IntegratorOptions options)
    : system_(std::move(system)),
      options_(std::move(options)),
      workspace_(system_.equations->make_workspace()),
      inputs_(system_.prototype),
      duration_(std::make_unique<ErrorDuration>()) {
  const int n = size();
  for (State* state : {&state_, &previous_, &candidate_}) {
    state->coordinates.setZero(n);
    state->speeds.setZero(n);
  }
  for (Accelerations* a : {&accelerations_, &previous_accelerations_, &candidate_accelerations_}) a->values.setZero(n);
  duration_->resize(n);
  carries_loops_ = system_.inputs && carries_loops(system_.equations->model());
  begin_inputs_ = end_inputs_ = inputs_;
}

EvaluationStatus Integrator::evaluate(const State& state, Accelerations& result) {
  ++counters_.evaluations;
  if (system_.inputs) system_.inputs(std::min(state.time, input_limit_), state, inputs_);
  const EvaluationStatus status = system_.equations->evaluate(state, inputs_, *workspace_, result);
  if (status != EvaluationStatus::ok) return status;
  return result.values.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
}

EvaluationStatus Integrator::linearise(const State& state, LinearBlocks& result) {
  ++counters_.linearisations;
  if (system_.inputs) system_.inputs(std::min(state.time, input_limit_), state, inputs_);
  return system_.equations->linearise(state, inputs_, *workspace_, result);
}

EvaluationStatus Integrator::linearise_elastic(const State& state, LinearBlocks& result) {
  ++counters_.linearisations;
  if (system_.inputs) system_.inputs(std::min(state.time, input_limit_), state, inputs_);
  return system_.equations->linearise_elastic(state, inputs_, *workspace_, result);
}

double Integrator::scaled_error(const VectorX& e_x, const VectorX& e_v, double h) {
  double largest = 0;
  for (Eigen::Index i = 0; i < e_x.size(); ++i) {
    const double lasting = std::min(1.0, duration_->seconds(i, e_v[i], h, error_order() + 1));
    const double error = scale(i) * (std::abs(e_x[i]) + lasting * std::abs(e_v[i]));
    if (!(error <= largest)) largest = error;  // keeps NaN
  }
  return largest / (options_.tolerance * h);
}

StepReport Integrator::start(const State& state, double first_step) {
  workspace_ = system_.equations->make_workspace();  // nothing of what was before may matter
  state_ = state;
  previous_ = state;
  candidate_ = state;
  last_error_ = 1;
  duration_->reset();
  input_limit_ = std::numeric_limits<double>::infinity();
  const EvaluationStatus status = evaluate(state_, accelerations_);
  if (status != EvaluationStatus::ok) return failure(status, state_.time);
  const StepReport report = prepare();
  if (!report.ok()) return report;
  next_step_ = first_step > 0 ? first_step : options_.initial_step > 0 ? options_.initial_step : guess_first_step();
  return {StepStatus::ok, EvaluationStatus::ok, state_.time};
}

StepReport Integrator::refresh(const State& state) {
  state_ = state;
  input_limit_ = std::numeric_limits<double>::infinity();
  const EvaluationStatus status = evaluate(state_, accelerations_);
  if (status != EvaluationStatus::ok) return failure(status, state_.time);
  last_error_ = 1;
  refreshed();
  return {StepStatus::ok, EvaluationStatus::ok, state_.time};
}

// The time over which today's acceleration would move what the user sees by a hundred tolerances, within sane bounds
// that shrink with the tolerance as steps of order 4 do; the controller corrects it within a few steps.
double Integrator::guess_first_step() const {
  double fastest = 0;
  for (Eigen::Index i = 0; i < accelerations_.values.size(); ++i)
    fastest = std::max(fastest, scale(i) * std::abs(accelerations_.values[i]));
  const double guess = fastest > 0 ? std::sqrt(100 * options_.tolerance / fastest) : 1e-4;
  const double longest = std::clamp(0.01 * std::pow(options_.tolerance, 0.25), 1e-6, 1e-3);
  return std::clamp(guess, 1e-7, std::min(longest, options_.max_step));
}

// The step to try: never a sliver before the limit.
double Integrator::step_towards(double limit) const {
  const double remaining = limit - state_.time;
  const double wanted = options_.fixed_step > 0 ? options_.fixed_step : std::min(next_step_, options_.max_step);
  const double slack = options_.fixed_step > 0 ? 1e-6 : 0.01;
  if (remaining <= wanted * (1 + slack)) return remaining;
  if (options_.fixed_step <= 0 && remaining < 2 * wanted) return 0.5 * remaining;
  return wanted;
}

// The largest way of a prescribed joint over the next h.
double Integrator::prescribed_way(double h) {
  system_.inputs(state_.time, state_, begin_inputs_);
  system_.inputs(state_.time + h, state_, end_inputs_);
  double largest = 0;
  for (std::size_t j = 0; j < begin_inputs_.prescribed_motion.size(); ++j)
    for (std::size_t f = 0; f < begin_inputs_.prescribed_motion[j].size(); ++f)
      largest = std::max(
          largest, std::abs(end_inputs_.prescribed_motion[j][f].value - begin_inputs_.prescribed_motion[j][f].value));
  return largest;
}

// Loops are closed from the configuration at the step's beginning, and no error tells of a prescribed joint that has
// gone so far that they close in another way: 0.1 rad (or m) a step keeps them on their branch.
double Integrator::step_that_loops_follow(double h) {
  constexpr double furthest = 0.1;
  if (!carries_loops_ || options_.fixed_step > 0) return h;
  while (prescribed_way(h) > furthest && h > options_.min_step) h *= 0.5;
  return h;
}

StepReport Integrator::commit(double h) {
  std::swap(previous_, state_);
  std::swap(state_, candidate_);
  std::swap(previous_accelerations_, accelerations_);
  std::swap(accelerations_, candidate_accelerations_);
  duration_->accept();
  ++counters_.steps;
  accepted(h);
  if (system_.equations->accept(state_, inputs_, *workspace_)) {
    const EvaluationStatus status = evaluate(state_, accelerations_);
    if (status != EvaluationStatus::ok) return failure(status, state_.time);
    const StepReport report = prepare();
    if (!report.ok()) return report;
  }
  candidate_.configuration = state_.configuration;
  candidate_.controller_memory = state_.controller_memory;
  return {StepStatus::ok, EvaluationStatus::ok, state_.time};
}

StepReport Integrator::step(double limit) {
  constexpr double safety = 0.85, smallest_factor = 0.2, largest_factor = 4.0;
  constexpr int max_rejections = 60;
  double h = step_that_loops_follow(step_towards(limit));
  const double planned = next_step_;
  if (h <= 0) return {StepStatus::ok, EvaluationStatus::ok, state_.time};
  input_limit_ = std::nextafter(limit, -std::numeric_limits<double>::infinity());
  StepReport last_failure{StepStatus::step_too_small, EvaluationStatus::ok, state_.time};
  for (int rejections = 0; rejections <= max_rejections; ++rejections) {
    candidate_.time = h == limit - state_.time ? limit : state_.time + h;
    const Attempt result = attempt(h);
    if (options_.fixed_step > 0) return result.report.ok() ? commit(h) : result.report;
    const bool good = result.report.ok() && result.error <= 1;
    if (good) {
      const double order = error_order();
      const double error = std::max(result.error, 1e-10);
      // PI control of the error per unit step: exponents 0.7/p and 0.4/p (Hairer, Norsett, Wanner II.4).
      double factor = safety * std::pow(error, -0.7 / order) * std::pow(last_error_, 0.4 / order);
      factor = std::clamp(factor, smallest_factor, rejections > 0 ? 1.0 : largest_factor);
      last_error_ = std::max(error, 1e-4);
      // A step shortened to meet the limit says nothing against the step planned before it.
      const double chosen = choose_step(h, factor);
      next_step_ = std::min(h < planned && rejections == 0 ? std::max(planned, chosen) : chosen, options_.max_step);
      return commit(h);
    }
    ++counters_.rejected;
    double factor = 0.25;
    if (result.report.ok() && std::isfinite(result.error)) {
      factor = std::clamp(safety * std::pow(result.error, -1.0 / error_order()), 0.1, 0.7);
      last_failure = {StepStatus::step_too_small, EvaluationStatus::ok, state_.time};
    } else {
      last_failure = result.report.ok() ? failure(EvaluationStatus::not_finite, candidate_.time) : result.report;
    }
    h = favourable_step(h * factor);
    if (h < std::max(options_.min_step, 4e-16 * std::abs(state_.time))) break;
  }
  return last_failure;
}

std::vector<std::string> integrator_names() {
  return {"automatic", "exponential", "dormand_prince", "generalised_alpha", "radau"};
}

namespace {

// Where an evaluation, linear in the number of links, costs less than the modes of the whole, cubic in it.
constexpr int many_coordinates = 500;
// Minutes per decomposition and hundreds of megabytes.
constexpr int too_many_coordinates = 2000;

// From here on a decomposition into modes costs as much as a thousand evaluations.
constexpr int costly_modes = 150;
// From here on radau gets further for the same work on most mechanisms, whatever the tolerance.
constexpr int many_vibrations = 50;

void refuse_dense(const std::string& name, int coordinates) {
  if (coordinates > too_many_coordinates)
    throw InputError(cat("the integrator '", name, "' decomposes matrices of all coordinates, ", too_many_coordinates,
                         " at most; this mechanism has ", coordinates, ": use 'dormand_prince' without a fixed step"));
}

// Rigid links on joints without springs, dampers and friction, which nothing drives: what the exponential method solves
// exactly is not there, and its error estimate sees least (a falling pendulum was off by 4 times the tolerance). Inputs
// of time stay with it, since it looks at them between the stages of a step.
bool moves_smoothly(const Model& model) {
  const auto zero = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; });
  };
  return !model.links.empty() && model.drives.empty() && model.loads.empty() && chosen_coordinates(model).empty() &&
         std::all_of(model.links.begin(), model.links.end(), [](const Link& link) { return link.rigid; }) &&
         std::all_of(model.joints.begin(), model.joints.end(), [&](const Joint& joint) {
           return zero(joint.stiffness) && zero(joint.damping) && zero(joint.friction);
         });
}

}  // namespace

std::vector<std::string> alternatives_to(const std::string& name, const Equations& equations) {
  if (equations.num_coordinates() == 0) return {};
  if (as_constrained(equations)) {
    if (name == "radau") return {"dormand_prince"};  // where forces are read that no damping smooths
    const bool worth_it = name != "generalised_alpha" && equations.num_coordinates() <= costly_modes;
    return worth_it ? std::vector<std::string>{"radau"} : std::vector<std::string>{};
  }
  if (name == "exponential" && structured_solves(equations)) return {"radau"};
  if (name == "radau" && equations.num_coordinates() <= many_coordinates) return {"exponential"};
  return {};
}

std::vector<std::string> alternatives_at_stops(const std::string& name, const Equations& equations) {
  const bool has_none = alternatives_to(name, equations).empty() && name != "radau" && name != "generalised_alpha";
  const bool worth_it = structured_solves(equations) || equations.num_coordinates() <= costly_modes;
  if (!has_none || !worth_it || as_constrained(equations) || equations.num_coordinates() == 0) return {};
  return {"radau"};
}

std::unique_ptr<Integrator> make_integrator(const std::string& name, System system, IntegratorOptions options) {
  const ConstrainedEquations* constrained = as_constrained(*system.equations);
  if (constrained && name == "automatic") {
    const std::string preferred = constrained->preferred_integrator();
    const bool bounded = options.fixed_step > 0 && preferred == "radau";  // work per step
    return make_integrator(bounded ? "generalised_alpha" : preferred, std::move(system), std::move(options));
  }
  if (constrained && name == "generalised_alpha")
    return std::make_unique<LieGeneralisedAlpha>(std::move(system), *constrained, std::move(options));
  const int coordinates = system.equations->num_coordinates();
  const RecursiveSolves* recursive = coordinates > many_coordinates ? recursive_solves(*system.equations) : nullptr;
  const RecursiveSolves* structured = structured_solves(*system.equations);
  const bool adapts = name == "automatic" && options.fixed_step <= 0;
  // Long open chains: an evaluation costs little there. Closed ones have stiff parts that radau solves for.
  const bool explicit_suits =
      adapts && (moves_smoothly(system.equations->model()) ||
                 (coordinates > many_coordinates && (!structured || structured->solves_recursively())));
  const bool radau_suits = adapts && structured && coordinates > many_vibrations;
  if (name == "dormand_prince" || explicit_suits)
    return std::make_unique<RungeKutta>(std::move(system), std::move(options));
  if (name == "exponential" || (name == "automatic" && !radau_suits)) {
    refuse_dense("exponential", coordinates);
    return std::make_unique<Exponential>(std::move(system), std::move(options));
  }
  if (name == "radau" || radau_suits) {
    std::unique_ptr<ImplicitTangent> tangent;
    if (structured) {
      tangent = std::make_unique<StructuredTangent>(*system.equations, *structured);
    } else {
      refuse_dense(name, coordinates);
      tangent = std::make_unique<DenseTangent>(*system.equations);
    }
    return std::make_unique<Radau>(std::move(system), std::move(options), std::move(tangent));
  }
  if (name == "generalised_alpha") {
    if (!recursive) refuse_dense(name, coordinates);
    return std::make_unique<GeneralisedAlpha>(std::move(system), std::move(options), recursive);
  }
  return nullptr;
}

}  // namespace lithe
