#include "lithe/read/matrices/inflate.h"

#include <array>
#include <cstdint>
#include <vector>

#include "lithe/read/matrices/body_matrix.h"

namespace lithe {
namespace {

[[noreturn]] void fail() { throw MatrixFileError{0, "compressed data in the archive is damaged"}; }

constexpr int longest_code = 15;

// Codes of a canonical Huffman code by their lengths (RFC 1951, 3.2.2): all codes of a length follow each other.
class HuffmanCode {
 public:
  explicit HuffmanCode(const std::vector<int>& lengths) {
    for (const int length : lengths) ++counts_[static_cast<std::size_t>(length)];
    counts_[0] = 0;
    std::array<int, longest_code + 2> starts{};
    int open = 1;  // codes of this length that are not taken
    for (std::size_t length = 1; length <= longest_code; ++length) {
      open = 2 * open - counts_[length];
      if (open < 0) fail();
      starts[length + 1] = starts[length] + counts_[length];
    }
    symbols_.resize(lengths.size());
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol)
      if (const int length = lengths[symbol]; length > 0)
        symbols_[static_cast<std::size_t>(starts[static_cast<std::size_t>(length)]++)] = static_cast<int>(symbol);
  }
  template <class Bits>
  int symbol(Bits& bits) const {
    int code = 0, first = 0, index = 0;
    for (std::size_t length = 1; length <= longest_code; ++length) {
      code += bits.take(1);
      const int count = counts_[length];
      if (code < first + count) return symbols_[static_cast<std::size_t>(index + code - first)];
      index += count;
      first = 2 * (first + count);
      code *= 2;
    }
    fail();
  }

 private:
  std::array<int, longest_code + 1> counts_{};
  std::vector<int> symbols_;
};

// Bits of bytes, the lowest first.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}
  int take(int count) {
    while (have_ < count) {
      if (at_ == bytes_.size()) fail();
      bits_ |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes_[at_++])) << have_;
      have_ += 8;
    }
    const int result = static_cast<int>(bits_ & ((1u << count) - 1));
    bits_ >>= count;
    have_ -= count;
    return result;
  }
  std::string_view whole_bytes(std::size_t count) {
    if (count > bytes_.size() - at_) fail();
    const std::string_view result = bytes_.substr(at_, count);
    at_ += count;
    return result;
  }
  void to_next_byte() { bits_ = 0, have_ = 0; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  std::uint32_t bits_ = 0;
  int have_ = 0;
};

// Lengths and distances of copies: the least of a symbol, and how many bits add to it (3.2.5).
constexpr int length_base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                               31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr int length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr int distance_base[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                 33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr int distance_bits[] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

class Inflater {
 public:
  Inflater(std::string_view compressed, std::size_t size) : bits_(compressed), size_(size) {}

  std::string run() {
    for (bool last = false; !last;) {
      last = bits_.take(1) == 1;
      const int kind = bits_.take(2);
      if (kind == 0)
        stored();
      else if (kind == 1)
        codes(HuffmanCode(fixed_lengths()), HuffmanCode(std::vector<int>(30, 5)));
      else if (kind == 2)
        dynamic();
      else
        fail();
    }
    if (out_.size() != size_) fail();
    return std::move(out_);
  }

 private:
  static std::vector<int> fixed_lengths() {
    std::vector<int> lengths(288, 8);
    for (std::size_t k = 144; k < 256; ++k) lengths[k] = 9;
    for (std::size_t k = 256; k < 280; ++k) lengths[k] = 7;
    return lengths;
  }

  void stored() {
    bits_.to_next_byte();
    const std::string_view lengths = bits_.whole_bytes(4);
    const auto byte = [&](std::size_t k) { return static_cast<std::size_t>(static_cast<unsigned char>(lengths[k])); };
    const std::size_t count = byte(0) + 256 * byte(1);
    if (count != (~(byte(2) + 256 * byte(3)) & 0xFFFFu) || count > size_ - out_.size()) fail();
    out_ += bits_.whole_bytes(count);
  }

  // The codes are themselves lengths, compressed by a code whose lengths come first (3.2.7).
  void dynamic() {
    static constexpr int order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    const int num_literals = bits_.take(5) + 257, num_distances = bits_.take(5) + 1, num_lengths = bits_.take(4) + 4;
    if (num_literals > 286 || num_distances > 30) fail();
    std::vector<int> of_lengths(19, 0);
    for (int k = 0; k < num_lengths; ++k) of_lengths[static_cast<std::size_t>(order[k])] = bits_.take(3);
    const HuffmanCode code(of_lengths);
    std::vector<int> lengths;
    const auto total = static_cast<std::size_t>(num_literals + num_distances);
    while (lengths.size() < total) {
      const int symbol = code.symbol(bits_);
      if (symbol < 16) {
        lengths.push_back(symbol);
        continue;
      }
      if (symbol == 16 && lengths.empty()) fail();
      const int repeated = symbol == 16 ? lengths.back() : 0;
      const int count = symbol == 16 ? 3 + bits_.take(2) : symbol == 17 ? 3 + bits_.take(3) : 11 + bits_.take(7);
      lengths.insert(lengths.end(), static_cast<std::size_t>(count), repeated);
    }
    if (lengths.size() != total) fail();
    codes(HuffmanCode({lengths.begin(), lengths.begin() + num_literals}),
          HuffmanCode({lengths.begin() + num_literals, lengths.end()}));
  }

  void codes(const HuffmanCode& literals, const HuffmanCode& distances) {
    while (true) {
      const int symbol = literals.symbol(bits_);
      if (symbol == 256) return;
      if (symbol < 256) {
        if (out_.size() == size_) fail();
        out_ += static_cast<char>(symbol);
        continue;
      }
      if (symbol > 285) fail();
      const auto length = static_cast<std::size_t>(length_base[symbol - 257] + bits_.take(length_bits[symbol - 257]));
      const int far = distances.symbol(bits_);
      if (far > 29) fail();
      const auto distance = static_cast<std::size_t>(distance_base[far] + bits_.take(distance_bits[far]));
      if (distance > out_.size() || length > size_ - out_.size()) fail();
      for (std::size_t k = 0; k < length; ++k) out_ += out_[out_.size() - distance];
    }
  }

  BitReader bits_;
  std::size_t size_;
  std::string out_;
};

}  // namespace

std::string inflate(std::string_view compressed, std::size_t size) { return Inflater(compressed, size).run(); }

}  // namespace lithe
