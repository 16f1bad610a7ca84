// A checkpoint of a simulation as a file: exact, so that a restarted run repeats bit by bit.
#pragma once

#include <filesystem>

#include "lithe/analyse/simulate.h"

namespace lithe {

// Text with hexadecimal numbers. Written beside and renamed, so that a crash leaves the file before. Throws InputError
// when that is impossible.
void write_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path);
// Throws InputError when the file is missing or damaged.
Checkpoint read_checkpoint(const std::filesystem::path& path);

}  // namespace lithe
