// Motions, and their states as numbers: what pickling and files need.
#pragma once

#include "bind.h"
#include "lithe/analyse/analyses.h"

namespace lithe::python {

// Everything of a motion but its equations, as a dict of arrays, texts and numbers.
nb::dict pack(const SimulatedMotion& motion);
// The motion again; `kind` is "simulate" or "inverse_dynamics", whose equations differ.
SimulatedMotion unpack(const Model& model, const std::string& kind, const nb::dict& settings, const nb::dict& packed);
nb::dict motion_facts(const SimulatedMotion& motion);

}  // namespace lithe::python
