// The compiled half of the Python package: what C++ does, with its names. python/lithe/ is the other half.
#include "app/reproduce/papers/published_planar.h"
#include "bind.h"
#include "lithe/reduce/solvers/eigensolver_spectra.h"
#include "lithe/reduce/solvers/sparse_factor_mumps.h"
#include "lithe/results/recording/reduction_cache.h"

NB_MODULE(_core, module) {
  using namespace lithe::python;
  lithe::use_spectra();  // for large bodies, as in the program
  lithe::use_mumps();
  lithe::use_reduction_cache();
  lithe::add_published_planar();
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
  bind_robots(module);
  bind_arms(module);
  bind_results(module);
  bind_export(module);
  bind_view(module);
}
