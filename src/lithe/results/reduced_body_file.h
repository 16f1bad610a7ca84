// The file of a part that was reduced once: docs/howto/reduced_bodies.md.
#pragma once

#include <filesystem>

#include "lithe/reduce/portable_body.h"

namespace lithe {

// Throws WriteError where it cannot be written. Equal bodies make equal files.
void write_reduced_body(const PortableBody& part, const std::filesystem::path& path);

}  // namespace lithe
