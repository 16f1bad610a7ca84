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
void assign(const nb::dict& given, StateSpaceSpec& spec);
void assign(const nb::dict& given, SettleSpec& spec);
void assign(const nb::dict& given, SizeSpec& spec);
void assign(const nb::dict& given, IdentifySpec& spec);
void assign(const nb::dict& given, SettleMapSpec& spec);
void assign(const nb::dict& given, ShapeSpec& spec);
void assign(const nb::dict& given, ContributionSpec& spec);
void assign(const nb::dict& given, FeedforwardSpec& spec);
void assign(const nb::dict& given, FormulationChoice& choice);

// Every field by its name, as a keyword argument could have given it.
nb::dict shown_fields(const ModesSpec& spec);
nb::dict shown_fields(const SimulateSpec& spec);
nb::dict shown_fields(const EquilibriumSpec& spec);
nb::dict shown_fields(const InverseDynamicsSpec& spec);
nb::dict shown_fields(const SpectrumSpec& spec);
nb::dict shown_fields(const CondenseSpec& spec);
nb::dict shown_fields(const SweepSpec& spec);
nb::dict shown_fields(const LineariseSpec& spec);
nb::dict shown_fields(const ControlSpec& spec);

// The settings of the model's file, changed by the keyword arguments.
template <class Spec>
Spec spec_for(const Model& model, const nb::dict& given) {
  Spec spec = spec_of<Spec>(model);
  assign(given, spec);
  return spec;
}
// Of modes: those of the first analysis in the file with the same subject, the mechanism or the link.
template <>
ModesSpec spec_for<ModesSpec>(const Model& model, const nb::dict& given);

}  // namespace lithe::python
