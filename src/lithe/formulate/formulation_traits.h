// What is known of a formulation by its name, before there are equations. Others ask here and never for a name.
#pragma once

#include <string>
#include <vector>

namespace lithe {

// What a formulation can do.
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

}  // namespace lithe
