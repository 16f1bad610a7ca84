#include "lithe/base/in_quotes.h"

#include <algorithm>
#include <cstddef>

namespace lithe {
namespace {

// Bytes of the character that begins the text: 1 to 4, or 0 when it is not one to print.
std::size_t printable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7f ? 1 : 0;
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return length;
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 40;
  constexpr char digits[] = "0123456789abcdef";
  std::string result = "'";
  for (std::size_t i = 0; i < std::min(text.size(), most);) {
    if (const std::size_t length = printable_length(text.substr(i)); length > 0) {
      result += text.substr(i, length);
      i += length;
    } else {
      const auto byte = static_cast<unsigned char>(text[i++]);
      (result += "\\x").append({digits[byte / 16], digits[byte % 16]});
    }
  }
  result += text.size() > most ? "...'" : "'";
  return result;
}

}  // namespace lithe
