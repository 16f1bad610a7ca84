// A condensed mechanism as files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lithe/analyse/condense/condense.h"

namespace lithe {

// <stem>.csv with the frequencies, those of the full model beside them where given; <stem>.h5 with frequencies, shapes,
// reduced matrices, loads and displacements of the independent nodes and of the tool.
std::vector<std::filesystem::path> write_condensed(const Model& model, const CondensedModel& condensed,
                                                   const CondensedModes& modes, const std::filesystem::path& directory,
                                                   const std::string& stem, const VectorX& full_frequencies = {});

}  // namespace lithe
