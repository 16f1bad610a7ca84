// The motion that a simulation found, as files: CSV and HDF5.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/motion/spectrum.h"

namespace lithe {

class RecordingReader;  // results/recording/recording_file.h

// <stem>.csv and <stem>.h5 in `directory`; the HDF5 file also has states/coordinates and states/speeds (rows: times).
// Notes: model, formulation, integrator, how it ended and the energy balance.
std::vector<std::filesystem::path> write_motion(const Trajectory& motion, const std::filesystem::path& directory,
                                                const std::string& stem);
// The same of rows on disk, which need not fit into memory: of `motion`, all but times, values and states is used.
std::vector<std::filesystem::path> write_motion(const Trajectory& motion, RecordingReader& rows,
                                                const std::filesystem::path& directory, const std::string& stem);
std::vector<std::filesystem::path> write_spectrum(const Spectrum& spectrum, const std::string& sensor,
                                                  const std::string& unit, const std::filesystem::path& directory,
                                                  const std::string& stem);

}  // namespace lithe
