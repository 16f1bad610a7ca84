// The integrators of SUNDIALS behind our interface: CVODE (variable-order multistep) and ARKODE (Runge-Kutta).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lithe/integrate/integrator.h"

namespace lithe {

// "cvode" (BDF with the exact tangent), "cvode_adams", "arkode" (implicit Runge-Kutta with the exact tangent),
// "arkode_explicit"; null for another name. The tolerance is the library's own, per step; a fixed step is taken by
// "arkode" and "arkode_explicit" and refused (InputError) by the multistep methods.
std::unique_ptr<Integrator> make_sundials_integrator(const std::string& name, System system, IntegratorOptions options);
std::vector<std::string> sundials_integrator_names();

// make_integrator(), then make_sundials_integrator().
std::unique_ptr<Integrator> make_any_integrator(const std::string& name, System system, IntegratorOptions options);

}  // namespace lithe
