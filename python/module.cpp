// The compiled half of the Python package: what C++ does, with its names. python/lithe/ is the other half.
#include "bind.h"

NB_MODULE(_core, module) {
  using namespace lithe::python;
  module.doc() = "The engine of Lithe. Use it through the package lithe.";
  module.attr("version") = LITHE_VERSION;
  bind_base(module);
  bind_model(module);
  bind_read(module);
  bind_formulate(module);
  bind_integrate(module);
  bind_hooks(module);
  bind_specs(module);
  bind_motion(module);
  bind_statics(module);
  bind_linear(module);
  bind_studies(module);
  bind_results(module);
  bind_view(module);
}
