// Nastran's OUTPUT4 files as binary: Fortran records, each between two copies of its length, of either byte order, with
// words of 4 or 8 bytes.
#include <algorithm>

#include "lithe/read/matrices/bytes.h"
#include "lithe/read/matrices/matrix_lines.h"

namespace lithe {
namespace {

// What the header's record can be long: four whole numbers and a name of two words, in words of 4 or 8 bytes.
constexpr std::uint32_t header_of_short_words = 24, header_of_long_words = 48;

std::optional<bool> big_endian(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  for (const bool big : {false, true}) {
    const auto length = Bytes(text.substr(0, 4), big).number<std::uint32_t>();
    if (length == header_of_short_words || length == header_of_long_words) return big;
  }
  return std::nullopt;
}

class BinaryOutput4 {
 public:
  BinaryOutput4(const MatrixFile& file, bool big)
      : file_(file), bytes_(file.text, big), big_(big), word_(first_length() == header_of_short_words ? 4 : 8) {}

  BodyMatrix read() {
    int count = 0;
    bool named = false;
    Matrix kept;
    while (bytes_.left() > 0 && !named) {
      Matrix matrix = next_matrix();
      named = matrix.name.starts_with(file_.role == MatrixRole::mass ? "M" : "K");
      if (++count == 1 || named) kept = std::move(matrix);
    }
    if (count > 1 && !named)
      bytes_.fail(cat("none of its ", count, " matrices has a name that begins with ",
                      file_.role == MatrixRole::mass ? "M" : "K"));
    return {completed_matrix(kept.size, kept.triplets), {}};
  }

 private:
  struct Matrix {
    std::string name;
    int size = 0;
    MatrixTriplets triplets;
  };

  std::uint32_t first_length() const { return Bytes(file_.text.substr(0, 4), big_).number<std::uint32_t>(); }

  // The payload of the next record.
  Bytes record() {
    const auto length = bytes_.number<std::uint32_t>();
    const std::string_view payload = bytes_.take(length);
    if (bytes_.number<std::uint32_t>() != length) bytes_.fail("the two lengths around a record differ");
    return Bytes(payload, big_);
  }

  Matrix next_matrix() {
    Bytes header = record();
    if (header.left() != 6 * word_) bytes_.fail("the header of an OUTPUT4 matrix expected");
    const std::int64_t columns = header.whole(word_), rows = header.whole(word_);
    header.whole(word_);  // the form
    const std::int64_t type = header.whole(word_);
    Matrix matrix;
    matrix.name = upper(trimmed(header.take(2 * word_)));
    if (columns < 1 || columns > MatrixLines::largest_index) bytes_.fail("the number of columns is not possible");
    if (std::abs(rows) != columns) bytes_.fail(cat("the matrix is ", std::abs(rows), " x ", columns, ", not square"));
    if (type != 1 && type != 2) bytes_.fail("the matrix must be real (type 1 or 2)");
    matrix.size = static_cast<int>(columns);
    number_ = word_ == 8 || type == 2 ? 8 : 4;
    while (true) {
      Bytes column = record();
      const std::int64_t index = column.whole(word_), row = column.whole(word_), words = column.whole(word_);
      if (index < 1 || row < 0 || words < 0 || static_cast<std::uint64_t>(words) > column.left() / word_)
        bytes_.fail("a column, row or length is not possible");
      if (index > matrix.size) return matrix;  // one more closes the matrix
      const std::size_t end = column.at() + static_cast<std::size_t>(words) * word_;
      if (row > 0)
        add(column, static_cast<std::size_t>(words) * word_, index, row, matrix);
      else
        while (column.at() < end) string(column, rows < 0, index, matrix);
    }
  }

  // Entries that follow each other, after their length (in words, and one more) and row, in two whole numbers or in
  // one.
  void string(Bytes& column, bool large, std::int64_t index, Matrix& matrix) {
    std::int64_t length = column.whole(word_), row = 0;
    if (large) {
      row = column.whole(word_);
      --length;
    } else {
      const std::int64_t both = length;
      length = both / 65536 - 1;
      row = both - 65536 * (length + 1);
    }
    if (length < 1 || static_cast<std::uint64_t>(length) > column.left() / word_)
      bytes_.fail("a string's length is not possible");
    add(column, static_cast<std::size_t>(length) * word_, index, row, matrix);
  }

  void add(Bytes& column, std::size_t size, std::int64_t index, std::int64_t row, Matrix& matrix) {
    const auto count = static_cast<std::int64_t>(size / number_);
    if (row < 1 || row - 1 + count > matrix.size) bytes_.fail("a column has more entries than the matrix has rows");
    for (std::int64_t k = 0; k < count; ++k)
      if (const double value = column.real(number_); value != 0)
        matrix.triplets.emplace_back(static_cast<int>(row - 1 + k), static_cast<int>(index - 1), value);
  }

  const MatrixFile& file_;
  Bytes bytes_;
  bool big_;
  std::size_t word_, number_ = 8;
};

}  // namespace

bool is_binary_output4(std::string_view text) { return big_endian(text).has_value(); }
BodyMatrix read_binary_output4(const MatrixFile& file) { return BinaryOutput4(file, *big_endian(file.text)).read(); }

}  // namespace lithe
