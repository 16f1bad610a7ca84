// Linear models.
#include "answers.h"
#include "beside.h"
#include "hooks.h"
#include "lithe/analyse/linear/linearise.h"
#include "specs.h"

namespace lithe::python {
namespace {

nb::dict model_dict(LinearModel model, const LinearModes* modes) {
  nb::dict d;
  StateSpace system = state_space(model);
  d["a"] = array(std::move(system.a));
  d["b"] = array(std::move(system.b));
  d["c"] = array(std::move(system.c));
  d["d"] = array(std::move(system.d));
  d["states"] = pairs_of(system.states);
  d["inputs"] = pairs_of(model.inputs);
  d["outputs"] = pairs_of(model.outputs);
  d["coordinates"] = pairs_of(model.coordinates);
  d["mass"] = array(std::move(model.mass));
  d["damping"] = array(std::move(model.damping));
  d["stiffness"] = array(std::move(model.stiffness));
  d["input"] = array(std::move(model.input));
  d["nominal_outputs"] = array(std::move(model.nominal_outputs));
  d["nominal_force"] = array(std::move(model.nominal_force));
  d["time"] = model.state.time;
  if (modes) {
    std::vector<double> frequencies, ratios;
    for (std::size_t k = 0; k < modes->eigenvalues.size(); ++k) {
      frequencies.push_back(modes->frequency(k));
      ratios.push_back(modes->damping_ratio(k));
    }
    d["eigenvalues"] = array(modes->eigenvalues);
    d["frequencies"] = array(std::move(frequencies));
    d["damping_ratios"] = array(std::move(ratios));
    d["shapes"] = array(modes->shapes);
  }
  return d;
}

nb::dict campbell_dict(const CampbellDiagram& diagram) {
  nb::dict d;
  std::vector<std::complex<double>> flat;
  const std::size_t modes = diagram.eigenvalues.empty() ? 0 : diagram.eigenvalues.front().size();
  for (const auto& row : diagram.eigenvalues) flat.insert(flat.end(), row.begin(), row.end());
  const auto [kept, owner] = keep(std::move(flat));
  d["speeds"] = array(diagram.speeds);
  d["eigenvalues"] = view<std::complex<double>>(kept->data(), {diagram.eigenvalues.size(), modes}, owner);
  d["unstable"] = diagram.unstable;
  d["message"] = diagram.message;
  return d;
}

nb::dict floquet_dict(const FloquetResult& result) {
  static const char* const verdicts[] = {"stable", "neutral", "unstable"};
  nb::dict d;
  d["found"] = result.found;
  d["message"] = result.message;
  d["period"] = result.period;
  d["closure"] = result.closure;
  d["multipliers"] = array(result.multipliers);
  d["accuracy"] = result.accuracy;
  d["growth"] = result.found ? result.growth() : 0.0;
  d["verdict"] = result.found ? verdicts[static_cast<int>(result.verdict())] : "";
  return d;
}

nb::object response_array(const std::vector<MatrixXc>& response) {
  const std::size_t rows = response.empty() ? 0 : static_cast<std::size_t>(response[0].rows()),
                    columns = response.empty() ? 0 : static_cast<std::size_t>(response[0].cols());
  std::vector<std::complex<double>> flat;
  for (const MatrixXc& matrix : response)
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
      for (Eigen::Index j = 0; j < matrix.cols(); ++j) flat.push_back(matrix(i, j));
  const auto [kept, owner] = keep(std::move(flat));
  return view<std::complex<double>>(kept->data(), {response.size(), rows, columns}, owner);
}

nb::dict linearised(const Model& model, const nb::dict& given, Hooks& hooks) {
  const LineariseSpec spec = spec_for<LineariseSpec>(model, given);
  LineariseResult result;
  {
    const nb::gil_scoped_release released;
    result = linearise(model, spec, hooks.run_hooks());
  }
  return as_dict(std::move(result));
}

const char* limit_text(GainLimit limit) {
  static const char* const texts[] = {"", "integrator", "unstable pole", "undamped mode"};
  return texts[static_cast<int>(limit)];
}

nb::dict channel_dict(const Channel& input, const Channel& output, const ChannelFigures& f) {
  nb::dict d;
  d["input"] = input.name;
  d["output"] = output.name;
  d["states"] = f.num_states;
  d["steady_gain"] = f.steady_gain;
  d["steady_gain_limit"] = limit_text(f.steady);
  d["largest_gain"] = f.peak.value;
  d["largest_gain_limit"] = limit_text(f.peak_limit);
  d["largest_gain_rad_s"] = f.peak.angular_frequency;
  d["gain_margin"] = f.margins.gain;
  d["phase_margin"] = f.margins.phase;
  d["delay_margin"] = f.margins.delay;
  d["zeros"] = array(f.zeros);
  return d;
}

nb::list channel_list(const StateSpaceResult& result) {
  nb::list channels;
  std::size_t k = 0;
  for (const Channel& input : result.system.inputs)
    for (const Channel& output : result.system.outputs)
      channels.append(channel_dict(input, output, result.channels[k++]));
  return channels;
}

nb::list mode_list(const StateSpaceResult& result) {
  nb::list modes;
  for (const ModeFigures& mode : result.modes) {
    nb::dict d;
    d["pole"] = mode.pole;
    d["rate"] = mode.rate;
    d["integrator"] = mode.integrator;
    d["controllability"] = array(mode.controllability);
    d["observability"] = array(mode.observability);
    modes.append(d);
  }
  return modes;
}

nb::dict reduced_for_control(const Model& model, const nb::dict& given) {
  StateSpaceSpec spec;
  assign(given, spec);
  StateSpaceResult result = computed_beside([model, spec] { return state_space(model, spec); });
  nb::dict d;
  d["formulation"] = result.formulation;
  d["modes"] = mode_list(result);
  d["channels"] = channel_list(result);
  d["zeros"] = array(result.zeros);
  d["states"] = pairs_of(result.system.states);
  d["inputs"] = pairs_of(result.system.inputs);
  d["outputs"] = pairs_of(result.system.outputs);
  d["a"] = array(std::move(result.system.a));
  d["b"] = array(std::move(result.system.b));
  d["c"] = array(std::move(result.system.c));
  d["d"] = array(std::move(result.system.d));
  d["sample_time"] = result.system.sample_time;
  d["num_integrators"] = result.separated.integrators.num_states();
  d["full_states"] = result.full_states;
  d["error_bound"] = result.error_bound ? nb::object(nb::float_(*result.error_bound)) : nb::none();
  d["hankel"] = array(result.hankel);
  d["notes"] = result.notes;
  d["reduction"] = as_object(model, result.reduction.get());
  d["stable"] = result.stable;
  return d;
}

}  // namespace

nb::dict as_dict(LineariseResult result) {
  nb::dict d;
  nb::list models;
  for (std::size_t i = 0; i < result.models.size(); ++i)
    models.append(model_dict(std::move(result.models[i]), i < result.modes.size() ? &result.modes[i] : nullptr));
  d["failure"] = result.failure;
  d["models"] = models;
  d["times"] = array(std::move(result.times));
  d["response_frequencies"] = array(std::move(result.response_frequencies));
  d["response"] = response_array(result.response);
  d["campbell"] = result.campbell ? nb::object(campbell_dict(*result.campbell)) : nb::none();
  d["floquet"] = result.floquet ? nb::object(floquet_dict(*result.floquet)) : nb::none();
  d["buckling_factors"] = array(result.buckling ? result.buckling->factors : std::vector<double>());
  d["notes"] = result.notes;
  d["reduction"] = result.equations ? as_object(result.equations->model(), result.reduction.get()) : nb::none();
  d["lacks_stiffening"] = result.lacks_stiffening;
  d["formulation"] = result.equations ? result.equations->name() : std::string();
  return d;
}

void bind_linear(nb::module_& module) {
  module.def("linearise", linearised, nb::arg("model"), nb::arg("settings"), nb::arg("hooks"));
  module.def("state_space", reduced_for_control, nb::arg("model"), nb::arg("settings"));
}

}  // namespace lithe::python
