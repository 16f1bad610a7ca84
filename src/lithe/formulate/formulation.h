// The formulations by name: one line here for each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lithe/formulate/contract/equations.h"
#include "lithe/model/model.h"

namespace lithe {

struct ReducedModel;  // reduce/reduce.h

// Second-order displacements of beams: forces along a beam change its stiffness, as fast rotation stiffens an arm.
enum class Stiffening {
  automatic,  // where an analysis finds that they matter: analyse/observe/stiffening.h
  on,
  off,
};

// A formulation by name, with its settings.
struct FormulationChoice {
  std::string formulation = "erls-cms";
  std::string gauge = "encoder";                            // or "minimum_norm"
  std::string variant = "full";                             // of erls-fem: or "published"
  std::string reference = "tangent";                        // of floating-frame: or "chord", "free"
  Stiffening geometric_stiffening = Stiffening::automatic;  // of erls-cms, erls-fem, floating-frame
  bool bending_shortens = true;  // of transfer-functions: elongation with its term quadratic in bending
};

// "erls-cms", "erls-fem", "floating-frame", "corotational", "transfer-functions"
const std::vector<std::string>& formulation_names();

// Reduces the links and builds the equations. erls-cms keeps the modes that the links' reductions say; erls-fem keeps
// every freedom of the finite elements; floating-frame keeps the modes of erls-cms, and
// corotational and transfer-functions have the finite elements themselves. Throws InputError for unknown names and for
// what the formulation finds wrong.
std::unique_ptr<Equations> make_equations(const Model& model, const FormulationChoice& choice = {});

// Equations of models that differ in nothing that a link's reduction depends on: configurations, speeds, springs of
// joints, drives, loads, sensors. Links are reduced once. One per thread.
class EquationsMaker {
 public:
  EquationsMaker(const Model& model, const FormulationChoice& choice);
  EquationsMaker(const EquationsMaker& other);
  EquationsMaker& operator=(const EquationsMaker&) = delete;
  std::unique_ptr<Equations> make(const Model& model);

 private:
  FormulationChoice choice_;
  std::shared_ptr<ReducedModel> reduced_;  // none where the formulation takes the finite elements themselves
};

}  // namespace lithe
