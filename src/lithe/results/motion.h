// The motion that a simulation found, as tables: CSV and HDF5.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/motion/spectrum.h"
#include "lithe/results/files/table.h"
#include "lithe/results/recording/recording_file.h"

namespace lithe {

// Time and every sensor; notes with model, formulation, integrator, how it ended and the energy balance.
Table motion_table(const Trajectory& motion);
Table spectrum_table(const Spectrum& spectrum, const std::string& sensor, const std::string& unit);

// <stem>.csv and <stem>.h5 in `directory`; the HDF5 file also has states/coordinates and states/speeds (rows: times).
std::vector<std::filesystem::path> write_motion(const Trajectory& motion, const std::filesystem::path& directory,
                                                const std::string& stem);
// The same of rows on disk, which need not fit into memory: of `motion`, all but times, values and states is used.
std::vector<std::filesystem::path> write_motion(const Trajectory& motion, RecordingReader& rows,
                                                const std::filesystem::path& directory, const std::string& stem);
std::vector<std::filesystem::path> write_spectrum(const Spectrum& spectrum, const std::string& sensor,
                                                  const std::string& unit, const std::filesystem::path& directory,
                                                  const std::string& stem);

}  // namespace lithe
