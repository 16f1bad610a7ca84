// The units that a model file writes its quantities in, for those who look at results: inside Lithe everything is SI.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "lithe/read/tables/document.h"

namespace lithe {

struct DisplayUnit {
  std::string unit;   // "mm"
  double factor = 1;  // shown value = SI value * factor
};

struct WrittenUnits {
  std::map<std::string, DisplayUnit> by_si_unit;  // "m" -> mm; only where it is not the SI unit itself
  std::map<std::string, DisplayUnit> of_sensor;   // keys `unit` of sensors
};

// The unit that most quantities of a kind are written in: lengths, angles, speeds, forces and torques. Bare numbers
// count as SI. Speeds follow lengths and angles where the file writes none. Moduli tell nothing about stresses.
WrittenUnits written_units(const Value& document);
// Of a model file, as it was read in this run if it was; nothing where it is no file, or cannot be read.
WrittenUnits written_units(const std::filesystem::path& file);

}  // namespace lithe
