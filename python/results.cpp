// Files of results.
#include <algorithm>

#include "beside.h"
#include "lithe/analyse/analyses.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/results/motion.h"
#include "lithe/results/reduced_body_file.h"

namespace lithe::python {
namespace {

// `modes`: none: as the link's reduction says.
nb::dict reduced(const Model& model, const std::string& name, const std::string& path, std::optional<int> modes) {
  const auto link = std::find_if(model.links.begin(), model.links.end(), [&](const Link& l) { return l.name == name; });
  if (link == model.links.end()) throw InputError(cat(model.file, ": there is no link '", name, "'"));
  const PortableBody part = computed_beside([model, modes, number = static_cast<int>(link - model.links.begin())] {
    return portable_body(model, number, modes);
  });
  VectorX held, free;
  {
    const nb::gil_scoped_release released;
    if (const std::string fault = fault_of(part); !fault.empty())
      throw InputError(cat("link '", name, "' cannot be written: ", fault));
    write_reduced_body(part, path);
    held = held_frequencies(part);
    free = free_frequencies(part);
  }
  nb::dict d;
  nb::list nodes;
  for (const Node& node : part.nodes) nodes.append(node.name);
  d["nodes"] = nodes;
  d["num_unknowns"] = part.num_unknowns;
  d["num_coordinates"] = static_cast<long long>(part.stiffness.rows());
  d["num_modes"] = part.num_modes();
  d["mass"] = part.inertia.mass;
  d["held_frequencies"] = array(std::move(held));
  d["free_frequencies"] = array(std::move(free));
  return d;
}

}  // namespace

void bind_results(nb::module_& module) {
  module.def(
      "write_motion",
      [](const SimulatedMotion& motion, const std::string& directory, const std::string& stem) {
        std::vector<std::string> paths;
        for (const std::filesystem::path& path : write_motion(motion, directory, stem)) paths.push_back(path.string());
        return paths;
      },
      nb::arg("motion"), nb::arg("directory"), nb::arg("stem"), nb::call_guard<nb::gil_scoped_release>());
  module.def("reduce_link", reduced, nb::arg("model"), nb::arg("link"), nb::arg("path"), nb::arg("modes").none());
}

}  // namespace lithe::python
