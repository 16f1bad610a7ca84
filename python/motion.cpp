// Analyses of motions in time.
#include "motion.h"

#include <cmath>

#include "answers.h"
#include "hooks.h"
#include "lithe/analyse/analyses.h"
#include "lithe/analyse/observe/rainflow.h"
#include "lithe/analyse/observe/rigid_model.h"
#include "lithe/analyse/sweep/sweep_equations.h"
#include "specs.h"

namespace lithe::python {
namespace {

const char* const end_names[] = {"finished", "failed", "cancelled", "stopped"};

SimulatedMotion simulated(const Model& model, const nb::dict& given, Hooks& hooks) {
  const SimulateSpec spec = spec_for<SimulateSpec>(model, given);
  const nb::gil_scoped_release released;
  return simulate(model, spec, hooks.simulate_hooks(model));
}

SimulatedMotion driven(const Model& model, const nb::dict& given, Hooks& hooks) {
  const InverseDynamicsSpec spec = spec_for<InverseDynamicsSpec>(model, given);
  const nb::gil_scoped_release released;
  return inverse_dynamics(model, spec, hooks.simulate_hooks(model));
}

nb::dict counters_of(const IntegratorCounters& c) {
  nb::dict d;
  d["steps"] = c.steps;
  d["rejected"] = c.rejected;
  d["evaluations"] = c.evaluations;
  d["linearisations"] = c.linearisations;
  d["newton_iterations"] = c.newton_iterations;
  return d;
}

nb::dict energy_of(const EnergyBalance& e) {
  nb::dict d;
  d["start"] = e.start;
  d["end"] = e.end;
  d["input_work"] = e.input_work;
  d["dissipated"] = e.dissipated;
  d["imbalance"] = e.imbalance();
  d["largest_kinetic"] = e.largest_kinetic;
  return d;
}

// Coordinates or speeds of all states, one row per time; those of renamed states under the names of the equations.
nb::object rows(const SimulatedMotion& motion, bool speeds) {
  const std::size_t columns = motion.coordinate_names.size();
  std::vector<double> numbers;
  numbers.reserve(motion.states.size() * columns);
  for (std::size_t i = 0; i < motion.states.size(); ++i) {
    const auto renamed = motion.renamed.find(i);
    const State& state = motion.states[i];
    const VectorX& row = renamed == motion.renamed.end() ? (speeds ? state.speeds : state.coordinates)
                                                         : (speeds ? renamed->second.second : renamed->second.first);
    numbers.insert(numbers.end(), row.data(), row.data() + row.size());
  }
  const auto [kept, owner] = keep(std::move(numbers));
  return view<double>(kept->data(), {motion.states.size(), columns}, owner);
}

nb::list columns_of(nb::handle self) {
  const SimulatedMotion& motion = nb::cast<const SimulatedMotion&>(self);
  nb::list list;
  for (const Column& column : motion.columns)
    list.append(
        nb::make_tuple(column.name, column.unit, view<double>(column.values.data(), {column.values.size()}, self)));
  return list;
}

nb::dict facts_of(const SimulatedMotion& motion) {
  nb::dict d;
  d["formulation"] = motion.formulation;
  d["integrator"] = motion.integrator;
  d["end"] = end_names[static_cast<int>(motion.end)];
  d["message"] = motion.message;
  d["warnings"] = motion.warnings;
  d["notes"] = motion.notes;
  d["reduction"] = as_object(motion.equations->model(), motion.reduction.get());
  d["coordinate_names"] = motion.coordinate_names;
  d["counters"] = counters_of(motion.counters);
  d["energy"] = energy_of(motion.energy);
  nb::list events;
  for (const EventRecord& event : motion.events) events.append(nb::make_tuple(event.name, event.time));
  d["events"] = events;
  return d;
}

nb::dict spectrum_of(std::vector<double> times, std::vector<double> values, const nb::dict& given) {
  SpectrumSpec spec;
  assign(given, spec);
  return as_dict(spectrum(std::move(times), std::move(values), spec));
}

// Values must be finite; cycles in the order of ASTM E1049-85.
nb::dict counted(const std::vector<double>& times, const std::vector<double>& values, double min_range, int bins) {
  if (times.size() != values.size()) throw nb::value_error("times and values must be equally many");
  for (const double value : values)
    if (!std::isfinite(value)) throw nb::value_error("cycles cannot be counted where a value is not finite");
  const std::vector<RainflowCycle> cycles = rainflow(times, values, min_range);
  RainflowHistogram histogram = rainflow_histogram(cycles, bins);
  const auto column = [&](double RainflowCycle::*member) {
    std::vector<double> numbers;
    for (const RainflowCycle& cycle : cycles) numbers.push_back(cycle.*member);
    return array(std::move(numbers));
  };
  nb::dict d;
  d["ranges"] = column(&RainflowCycle::range);
  d["means"] = column(&RainflowCycle::mean);
  d["counts"] = column(&RainflowCycle::count);
  d["starts"] = column(&RainflowCycle::start_time);
  d["ends"] = column(&RainflowCycle::end_time);
  d["bin_edges"] = array(std::move(histogram.edges));
  d["bin_counts"] = array(std::move(histogram.counts));
  d["bin_means"] = array(std::move(histogram.means));
  return d;
}

}  // namespace

nb::dict as_dict(Spectrum found) {
  nb::dict d;
  d["frequencies"] = array(std::move(found.frequencies));
  d["values"] = array(std::move(found.values));
  std::vector<double> at, height;
  for (const Peak& peak : found.peaks) {
    at.push_back(peak.frequency);
    height.push_back(peak.value);
  }
  d["peak_frequencies"] = array(std::move(at));
  d["peak_values"] = array(std::move(height));
  d["line_spacing"] = found.line_spacing;
  d["sampling_rate"] = found.sampling_rate;
  return d;
}

nb::dict motion_facts(const SimulatedMotion& motion) { return facts_of(motion); }

void bind_motion(nb::module_& module) {
  nb::class_<SimulatedMotion>(module, "CoreMotion", "A motion as the engine has it.")
      .def_prop_ro("time",
                   [](nb::handle self) {
                     const SimulatedMotion& motion = nb::cast<const SimulatedMotion&>(self);
                     return view<double>(motion.times.data(), {motion.times.size()}, self);
                   })
      .def_prop_ro("columns", columns_of)
      .def_prop_ro("facts", facts_of)
      .def_prop_ro("coordinates", [](const SimulatedMotion& motion) { return rows(motion, false); })
      .def_prop_ro("speeds", [](const SimulatedMotion& motion) { return rows(motion, true); })
      .def("pack", pack)
      .def_static("unpack", unpack);
  module.def("simulate", simulated, nb::arg("model"), nb::arg("settings"), nb::arg("hooks"));
  module.def("inverse_dynamics", driven, nb::arg("model"), nb::arg("settings"), nb::arg("hooks"));
  module.def("rainflow", counted, nb::arg("times"), nb::arg("values"), nb::arg("min_range"), nb::arg("bins"));
  module.def("spectrum", spectrum_of, nb::arg("times"), nb::arg("values"), nb::arg("settings"));
}

}  // namespace lithe::python
