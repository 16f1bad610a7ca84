// A checkpoint of a simulation as a file: exact, so that a restarted run repeats bit by bit.
#pragma once

#include <filesystem>

#include "lithe/analyse/motion/simulate.h"
#include "lithe/results/recording/signature.h"

namespace lithe {

struct SavedCheckpoint {
  Checkpoint checkpoint;
  Signature signature;  // of the run: its model, files and settings
};

// Text with hexadecimal numbers and a checksum. Written beside and renamed, so that a crash leaves the file before.
// Throws WriteError when that is impossible, and where another file would be overwritten that is no checkpoint.
void write_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path, const Signature& signature = {});
// Throws WriteError, before the work, where `write_checkpoint` would.
void try_checkpoint_place(const std::filesystem::path& path);

// Throws InputError when the file is missing, or is not byte by byte what was written.
SavedCheckpoint load_checkpoint(const std::filesystem::path& path);
Checkpoint read_checkpoint(const std::filesystem::path& path);

}  // namespace lithe
