// Numbers in the bytes of a binary file, of either byte order, never beyond its end.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "lithe/base/text.h"
#include "lithe/read/matrices/body_matrix.h"

namespace lithe {

class Bytes {
 public:
  Bytes(std::string_view bytes, bool big_endian) : bytes_(bytes), swapped_(big_endian == little_endian()) {}

  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  void move_to(std::size_t at) {
    if (at > bytes_.size()) fail("the file ends before what it announces");
    at_ = at;
  }
  std::string_view take(std::size_t count) {
    if (count > left()) fail("the file ends before what it announces");
    const std::string_view result = bytes_.substr(at_, count);
    at_ += count;
    return result;
  }
  template <class Number>
  Number number() {
    char raw[sizeof(Number)];
    std::memcpy(raw, take(sizeof(Number)).data(), sizeof(Number));
    if (swapped_)
      for (std::size_t k = 0; k < sizeof(Number) / 2; ++k) std::swap(raw[k], raw[sizeof(Number) - 1 - k]);
    Number value;
    std::memcpy(&value, raw, sizeof(Number));
    return value;
  }
  // Of 4 or 8 bytes.
  std::int64_t whole(std::size_t size) { return size == 4 ? number<std::int32_t>() : number<std::int64_t>(); }
  double real(std::size_t size) {
    const double value = size == 4 ? static_cast<double>(number<float>()) : number<double>();
    if (!std::isfinite(value)) fail("an entry is no finite number");
    return value;
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw MatrixFileError{0, cat(message, ", at byte ", at_)};
  }

 private:
  static bool little_endian() { return std::endian::native == std::endian::little; }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool swapped_;
};

}  // namespace lithe
