// The file of a part that was reduced once: docs/howto/reduced_bodies.md.
#pragma once

#include <string>
#include <string_view>

#include "lithe/reduce/portable_body.h"

namespace lithe {

constexpr int reduced_file_version = 1;
constexpr std::string_view reduced_file_format = "lithe-reduced-body";
constexpr int most_reduced_coordinates = 3000;
// Behind the HDF5 file that this program writes, followed by 16 digits and a line break: the checksum of all before it.
constexpr std::string_view reduced_file_mark = "\nlithe-checksum ";
constexpr std::size_t reduced_file_tail = reduced_file_mark.size() + 17;  // bytes

// From the bytes of such a file. Throws InputError with one sentence, without the file's name, for what is no such
// file, is not whole, or cannot be a body.
PortableBody parse_reduced_file(std::string_view bytes);

}  // namespace lithe
