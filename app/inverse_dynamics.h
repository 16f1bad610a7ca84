// Inverse dynamics as a command and as an analysis of `run`.
#pragma once

#include <filesystem>
#include <string>

#include "app/recorded_motion.h"
#include "lithe/analyse/analyses.h"

namespace lithe::app {

// With <stem>.csv and <stem>.h5 in the directory.
RecordedMotion record_inverse_dynamics(const Model& model, const InverseDynamicsSpec& spec,
                                       const std::filesystem::path& directory, const std::string& stem);

}  // namespace lithe::app
