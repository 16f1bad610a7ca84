// A formulation of one's own beside those of the library: from then on every analysis and command knows it by its name.
// tests/unit/formulate/toy_formulation_test.cpp shows a whole one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lithe/formulate/formulation.h"

namespace lithe {

// What a formulation can do: what is known by its name, before there are equations. Others ask here and never for a
// name.
struct FormulationTraits {
  bool keeps_reductions = false;    // links move in the modes that their reductions keep
  bool large_deflections = false;   // exact however far the links deflect
  bool chosen_coordinates = false;  // takes coordinates that the model chooses
  // Settings of FormulationChoice that it has.
  bool has_gauge = false, has_variants = false, has_reference = false, has_geometric_stiffening = false,
       has_quadratic_elongation = false;
};

// Of a name that is not known: the defaults above.
const FormulationTraits& formulation_traits(const std::string& name);
// "erls-cms, erls-fem and floating-frame": those with a trait.
std::string formulations_with(bool FormulationTraits::*trait);

using FormulationFactory = std::function<std::unique_ptr<Equations>(const Model&, const FormulationChoice&)>;

// Before threads start. Throws InputError for a name that is taken.
void add_formulation(const std::string& name, FormulationFactory make, const FormulationTraits& traits = {});

}  // namespace lithe
