// A formulation of one's own beside those of the library: from then on every analysis and command knows it by its name.
// tests/unit/formulate/toy_formulation_test.cpp shows a whole one.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lithe/formulate/formulation.h"
#include "lithe/formulate/formulation_traits.h"

namespace lithe {

using FormulationFactory = std::function<std::unique_ptr<Equations>(const Model&, const FormulationChoice&)>;

// Before threads start. Throws InputError for a name that is taken.
void add_formulation(const std::string& name, FormulationFactory make, const FormulationTraits& traits = {});

}  // namespace lithe
