// How sensors change with coordinates, speeds and inputs. docs/theory/linearisation.md, section 3.
#pragma once

#include "lithe/analyse/linear/linearise.h"

namespace lithe {

// Fills P, S, D, names and nominal values of the outputs of a model whose blocks are there already.
void linearise_outputs(const Equations& equations, const Inputs& inputs, const std::vector<LinearInput>& linear_inputs,
                       const Accelerations& accelerations, Workspace& workspace, LinearModel& model);

// Adds so many units of a linear input.
void add_input(const Model& model, const LinearInput& input, double amount, Inputs& inputs);

}  // namespace lithe
