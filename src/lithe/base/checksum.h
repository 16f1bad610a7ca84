// FNV-1a with 64 bits: tells a torn or changed record from a whole one. Every change of a single byte changes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lithe {

inline std::uint64_t checksum(const void* data, std::size_t size) {
  std::uint64_t hash = 14695981039346656037ull;
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
  return hash;
}

// 16 hexadecimal digits.
inline std::string checksum_text(std::string_view text) {
  std::uint64_t hash = checksum(text.data(), text.size());
  std::string digits(16, '0');
  for (std::size_t i = digits.size(); i-- > 0; hash >>= 4) digits[i] = "0123456789abcdef"[hash & 15];
  return digits;
}

}  // namespace lithe
