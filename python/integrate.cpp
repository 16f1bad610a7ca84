// Integrators by name.
#include "bind.h"
#include "lithe/integrate/integrator.h"
#include "lithe/integrate/sundials.h"

namespace lithe::python {

void bind_integrate(nb::module_& module) {
  module.def("integrator_names", [] {
    std::vector<std::string> names = integrator_names();
    for (const std::string& name : sundials_integrator_names()) names.push_back(name);
    return names;
  });
}

}  // namespace lithe::python
