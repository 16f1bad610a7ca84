// Keyword arguments to specs.
#pragma once

#include "bind.h"
#include "spec_fields.h"

namespace lithe::python {

// Sets the fields that `given` names. Raises TypeError for a name that is no field, or a value of the wrong type.
void assign(const nb::dict& given, SimulateSpec& spec);
void assign(const nb::dict& given, InverseDynamicsSpec& spec);
void assign(const nb::dict& given, ModesSpec& spec);
void assign(const nb::dict& given, EquilibriumSpec& spec);
void assign(const nb::dict& given, LineariseSpec& spec);
void assign(const nb::dict& given, SpectrumSpec& spec);
void assign(const nb::dict& given, CondenseSpec& spec);
void assign(const nb::dict& given, ControlSpec& spec);
void assign(const nb::dict& given, CompareSpec& spec);
void assign(const nb::dict& given, SweepSpec& spec);
void assign(const nb::dict& given, FormulationChoice& choice);

// The settings of the model's file, changed by the keyword arguments.
template <class Spec>
Spec spec_for(const Model& model, const nb::dict& given) {
  Spec spec = spec_of<Spec>(model);
  assign(given, spec);
  return spec;
}

}  // namespace lithe::python
