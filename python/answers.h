// Results of the analyses as Python has them: one function per result.
#pragma once

#include "bind.h"
#include "lithe/analyse/analyses.h"
#include "lithe/analyse/reduction/choose_modes.h"

namespace lithe::python {

nb::dict as_dict(NaturalModesResult found);
nb::dict as_dict(const EquilibriumResult& result);
nb::dict as_dict(const Model& model, CondenseResult result);
nb::dict as_dict(LineariseResult result);
nb::dict as_dict(Spectrum found);
nb::dict as_dict(ControlStudy result);
nb::dict as_dict(const SweepResult& result);
// How many modes links of `reduction = "auto"` keep; None without a choice.
nb::object as_object(const Model& model, const ModeChoice* choice);
// A motion as an object of its own; `equations` where it has none itself.
nb::object motion_object(Trajectory motion, std::shared_ptr<const Equations> equations = nullptr);

}  // namespace lithe::python
