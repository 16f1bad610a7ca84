// The robot's part of the model-file reader.
#pragma once

#include <cstdint>

#include "lithe/read/tables/table_reader.h"
#include "lithe/read/urdf/robot_description.h"

namespace lithe {

// [robot] or [[robot]] with [links.NAME] and [joints.NAME]: after the file's own links, before its joints.
void read_robots(Reading& reading, const TableReader& file);

constexpr std::uintmax_t largest_description = std::uintmax_t{16} << 20;  // bytes

// The description in a file, of the format that its content shows. Throws InputError with every error in it.
RobotDescription read_description(std::string_view text, const std::string& file, const DescriptionChoices& choices);

}  // namespace lithe
