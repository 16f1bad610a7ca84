// Files of results.
#include "bind.h"
#include "lithe/analyse/analyses.h"
#include "lithe/results/motion.h"

namespace lithe::python {

void bind_results(nb::module_& module) {
  module.def(
      "write_motion",
      [](const SimulatedMotion& motion, const std::string& directory, const std::string& stem) {
        std::vector<std::string> paths;
        for (const std::filesystem::path& path : write_motion(motion, directory, stem)) paths.push_back(path.string());
        return paths;
      },
      nb::arg("motion"), nb::arg("directory"), nb::arg("stem"), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace lithe::python
