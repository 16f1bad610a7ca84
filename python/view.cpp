// The report page.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include "bind.h"
#include "lithe/analyse/analyses.h"
#include "lithe/analyse/motion/recorded_rows.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/results/scene/described_shapes.h"
#include "lithe/results/scene/scene_motion.h"
#include "lithe/view/comparison_report.h"
#include "lithe/view/linear_report.h"
#include "lithe/view/report.h"
#include "specs.h"
#include "what_if.h"

namespace lithe::python {
namespace {

// While a page is made: whoever asks for the model file gets the text of the model in memory, and no file is opened.
class TextInPlaceOfFile {
 public:
  TextInPlaceOfFile(const Model& model, const std::string& text) {
    if (!model.file.empty()) remember_in_run(model.file, text);
  }

 private:
  FilesOfRun files_;
};

// With the shapes of the links, as far as they lie beside the model file.
std::string page_of(Report report) {
  if (report.scene)
    for (const std::string& note : add_described_shapes(*report.scene, {})) report.facts.push_back({"not drawn", note});
  return report_page(report);
}

Report report_of(const SimulatedMotion& motion, const std::string& text) {
  const TextInPlaceOfFile model_text(motion.equations->model(), text);
  return motion_report(*motion.equations, motion);
}

std::string motion_page(const SimulatedMotion& motion, const std::string& text) {
  const nb::gil_scoped_release released;
  Report report = report_of(motion, text);
  const TextInPlaceOfFile model_text(motion.equations->model(), text);
  return page_of(std::move(report));
}

// The modes are computed again: a page shows all nodes of the mesh.
Report modes_report(const Model& model, const ModesSpec& spec, const std::string& text) {
  const NaturalModesResult found = natural_modes(model, spec);
  const TextInPlaceOfFile model_text(model, text);
  Report report;
  report.title = model.name;
  report.subtitle = "modes";
  report.scene = make_scene(model);
  if (found.mechanism) {
    const int count = std::min(found.mechanism->num_rigid + spec.count, found.mechanism->num_modes());
    report.modes.push_back(mechanism_mode_set(*found.equations, found.state, *found.mechanism, count));
  }
  if (found.link) report.modes.push_back(link_mode_set(model, found.link_index, *found.link, found.subject));
  return report;
}

std::string modes_page(const Model& model, const nb::dict& given, const std::string& text) {
  const ModesSpec spec = spec_for<ModesSpec>(model, given);
  const nb::gil_scoped_release released;
  Report report = modes_report(model, spec, text);
  const TextInPlaceOfFile model_text(model, text);
  return page_of(std::move(report));
}

// Models, eigenvalues and modes are computed again, as those of a page of modes are.
Report linear_report(const Model& model, const LineariseSpec& spec, const std::string& text) {
  const LineariseResult found = linearise(model, spec);
  if (!found.failure.empty()) throw InputError(found.failure);
  const TextInPlaceOfFile model_text(model, text);
  Report report;
  report.title = model.name;
  report.subtitle = "linear model, " + found.equations->name();
  report.scene = make_scene(model);
  add_linear(found, spec, report);
  return report;
}

std::string linear_page(const Model& model, const nb::dict& given, const std::string& text) {
  const LineariseSpec spec = spec_for<LineariseSpec>(model, given);
  const nb::gil_scoped_release released;
  Report report = linear_report(model, spec, text);
  const TextInPlaceOfFile model_text(model, text);
  return page_of(std::move(report));
}

// The runs over each other; the first one moves.
std::string comparison_page(const std::vector<std::tuple<std::string, const SimulatedMotion*, double>>& runs,
                            const std::string& text) {
  const nb::gil_scoped_release released;
  Comparison comparison;
  for (const auto& [name, motion, seconds] : runs) {
    comparison.runs.push_back({.name = name, .equations = motion->equations, .motion = *motion, .seconds = seconds});
    if (comparison.runs.size() > 1) add_differences(comparison.runs.back().rows(), comparison);
  }
  const TextInPlaceOfFile model_text(comparison.runs.front().equations->model(), text);
  return page_of(comparison_report(comparison));
}

// A table of numbers and texts: what it is of, the headings of its columns, its rows.
using GivenTable =
    std::tuple<std::string, std::vector<std::string>, std::vector<std::vector<std::variant<double, std::string>>>>;

// Of the columns of a controller.
const char* shared_prefix(const std::string& unit) {
  if (unit.empty()) return "";
  return unit == "N" ? "force, " : "torque, ";
}

// The same move with each controller, whose own columns bear the same name in all runs.
std::string control_page(const std::vector<std::pair<std::string, const SimulatedMotion*>>& runs,
                         const GivenTable& figures, const std::string& text) {
  const nb::gil_scoped_release released;
  const SimulatedMotion& first = *runs.front().second;
  const TextInPlaceOfFile model_text(first.equations->model(), text);
  Report report = motion_report(*first.equations, first);
  report.subtitle = "controllers compared";
  report.runs.clear();
  for (const auto& [name, motion] : runs) {
    report.runs.push_back(report_run(*motion, name));
    for (Column& column : report.runs.back().columns)
      if (column.name.starts_with(name + ": ")) column.name.replace(0, name.size() + 2, shared_prefix(column.unit));
  }
  const auto& [title, headings, rows] = figures;
  ReportTable table{title, {}, rows};
  for (const std::string& heading : headings) table.columns.push_back({heading, ""});
  report.tables.insert(report.tables.begin(), std::move(table));
  return page_of(std::move(report));
}

// The mechanism as it starts.
std::string model_page(const Model& model, const std::string& text) {
  const nb::gil_scoped_release released;
  const TextInPlaceOfFile model_text(model, text);
  const auto equations = make_equations(model, spec_of<SimulateSpec>(model).formulation);
  Report report;
  report.title = model.name;
  report.subtitle = "model";
  report.scene = make_scene(model);
  report.motion = sample_configuration(*equations, start_state(*equations));
  return page_of(std::move(report));
}

std::string motion_what_if(const SimulatedMotion& motion, const Model& model, const nb::dict& given,
                           const WhatIfWish& wish) {
  const SimulateSpec spec = spec_for<SimulateSpec>(model, given);
  const nb::gil_scoped_release released;
  return what_if(wish, "motion", spec, report_of(motion, wish.text));
}

std::string modes_what_if(const Model& model, const nb::dict& given, const WhatIfWish& wish) {
  const ModesSpec spec = spec_for<ModesSpec>(model, given);
  const nb::gil_scoped_release released;
  return what_if(wish, "modes", spec, modes_report(model, spec, wish.text));
}

std::string linear_what_if(const Model& model, const nb::dict& given, const WhatIfWish& wish) {
  const LineariseSpec spec = spec_for<LineariseSpec>(model, given);
  const nb::gil_scoped_release released;
  return what_if(wish, "linear", spec, linear_report(model, spec, wish.text));
}

}  // namespace

std::string what_if(const WhatIfWish& wish, const std::string& what, const std::string& settings,
                    const Report& report) {
  const ReadOptions options{.outside_files = wish.outside_files};
  const std::string playground = read_playground(wish.playground);
  const WhatIfStart start{wish.file, report.title, wish.text, what, settings, wish.sliders};
  const FilesOfRun remembers;
  read_model_text(wish.text, wish.file, options);
  check_what_if(start, options);
  return what_if_text(playground, start, report);
}

void bind_view(nb::module_& module) {
  nb::class_<WhatIfWish>(module, "WhatIfWish", "What a page of what-if is made of, beside a result.")
      .def(
          "__init__",
          [](WhatIfWish* self, const std::string& text, const std::string& file, bool outside_files,
             const std::string& playground, const std::vector<std::string>& sliders) {
            new (self) WhatIfWish{text, file, outside_files, playground, sliders};
          },
          nb::arg("text"), nb::arg("file"), nb::arg("outside_files"), nb::arg("playground"), nb::arg("sliders"));
  module.def("motion_what_if", motion_what_if, nb::arg("motion"), nb::arg("model"), nb::arg("settings"),
             nb::arg("wish"));
  module.def("modes_what_if", modes_what_if, nb::arg("model"), nb::arg("settings"), nb::arg("wish"));
  module.def("linear_what_if", linear_what_if, nb::arg("model"), nb::arg("settings"), nb::arg("wish"));
  module.def("motion_page", motion_page, nb::arg("motion"), nb::arg("text"));
  module.def("modes_page", modes_page, nb::arg("model"), nb::arg("settings"), nb::arg("text"));
  module.def("linear_page", linear_page, nb::arg("model"), nb::arg("settings"), nb::arg("text"));
  module.def("comparison_page", comparison_page, nb::arg("runs"), nb::arg("text"));
  module.def("control_page", control_page, nb::arg("runs"), nb::arg("figures"), nb::arg("text"));
  module.def("model_page", model_page, nb::arg("model"), nb::arg("text"));
}

}  // namespace lithe::python
