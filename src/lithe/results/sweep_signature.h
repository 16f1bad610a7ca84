// What tells a sweep from others: its file goes on with the same one alone, whoever asks for it, the program or Python.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lithe/analyse/specs.h"
#include "lithe/analyse/studies/settle_map.h"
#include "lithe/results/recording/signature.h"

namespace lithe {

// Names and values.
using SweepSettings = std::vector<std::pair<std::string, std::string>>;

// What a grid does not tell.
SweepSettings settings_of(const SweepSpec& spec);
SweepSettings settings_of(const SettleMapSpec& spec);

// Adds axes and values that hold for all points, however they were written, and the settings.
void add_sweep(const Sweep& grid, const SweepSettings& settings, Signature& signature);

}  // namespace lithe
