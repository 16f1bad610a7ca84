// Linear models.
#include "hooks.h"
#include "lithe/analyse/analyses.h"
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
  d["lacks_stiffening"] = result.lacks_stiffening;
  d["formulation"] = result.equations ? result.equations->name() : std::string();
  return d;
}

}  // namespace

void bind_linear(nb::module_& module) {
  module.def("linearise", linearised, nb::arg("model"), nb::arg("settings"), nb::arg("hooks"));
}

}  // namespace lithe::python
