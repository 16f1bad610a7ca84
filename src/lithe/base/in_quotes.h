// Text of unknown origin in a message.
#pragma once

#include <string>
#include <string_view>

namespace lithe {

// The text in single quotes, cut at 40 bytes; bytes that are neither printable nor UTF-8 appear as \xff.
std::string in_quotes(std::string_view text);

}  // namespace lithe
