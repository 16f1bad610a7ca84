// The report page.
#include "bind.h"
#include "lithe/analyse/analyses.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/results/scene/described_shapes.h"
#include "lithe/results/scene/scene_motion.h"
#include "lithe/view/report.h"
#include "specs.h"

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

std::string motion_page(const SimulatedMotion& motion, const std::string& text) {
  const nb::gil_scoped_release released;
  const TextInPlaceOfFile model_text(motion.equations->model(), text);
  return page_of(motion_report(*motion.equations, motion));
}

// The modes are computed again: a page shows all nodes of the mesh.
std::string modes_page(const Model& model, const nb::dict& given, const std::string& text) {
  const ModesSpec spec = spec_for<ModesSpec>(model, given);
  const nb::gil_scoped_release released;
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

}  // namespace

void bind_view(nb::module_& module) {
  module.def("motion_page", motion_page, nb::arg("motion"), nb::arg("text"));
  module.def("modes_page", modes_page, nb::arg("model"), nb::arg("settings"), nb::arg("text"));
  module.def("model_page", model_page, nb::arg("model"), nb::arg("text"));
}

}  // namespace lithe::python
