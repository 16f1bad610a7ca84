// Data compressed by "deflate", RFC 1951, as zip archives hold it.
#pragma once

#include <string>
#include <string_view>

namespace lithe {

// What it decompresses to, which must be `size` bytes. Throws MatrixFileError for data that is no such thing.
std::string inflate(std::string_view compressed, std::size_t size);

}  // namespace lithe
