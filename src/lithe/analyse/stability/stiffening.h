// Geometric stiffening that is left to the analysis (Stiffening::automatic), about a configuration at rest or a steady
// motion: it comes in where forces along a link matter. docs/theory/erls_cms.md, section 9.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lithe/analyse/observe/deformation.h"
#include "lithe/analyse/stability/steady_motion.h"

namespace lithe {

struct StiffenedEquations {
  std::shared_ptr<const Equations> equations;  // null: those that were given do
  std::string note;                            // why
};

// Also where a steady motion cannot be found without it.
StiffenedEquations stiffened_about(const Equations& equations, const State& start, const Inputs& inputs,
                                   const std::optional<SteadyFreedom>& freedom = std::nullopt, double speed = 0);
// At rest in the model's initial configuration, with drives and loads at time 0.
StiffenedEquations stiffened_at_rest(const Equations& equations);
// The sentence for a state in which a link carries so much.
std::string stiffening_note(const LinkDeformation& link);

}  // namespace lithe
