// The Harwell-Boeing exchange format, as Ansys' HBMAT writes it: real, assembled, by columns.
#include <algorithm>

#include "lithe/read/matrices/matrix_lines.h"

namespace lithe {
namespace {

// "(4E20.12)", "(1P4D20.13)": the width of a field.
std::size_t field_width(const MatrixLines& lines, std::string_view format) {
  const std::string text = upper(format);
  const std::size_t kind = text.find_first_of("IEDFG");
  if (kind != text.npos) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", kind + 1), text.size());
    std::int64_t width = 0;
    if (parse_whole(std::string_view(text).substr(kind + 1, end - kind - 1), width) && width > 0 && width <= 60)
      return static_cast<std::size_t>(width);
  }
  lines.fail(cat("a Fortran format such as (4E20.12) expected", lines.got(format)));
}

std::string_view slice(std::string_view line, std::size_t first, std::size_t width) {
  return first < line.size() ? trimmed(line.substr(first, width)) : std::string_view();
}

// Fields of fixed width, as many as are wanted, over as many lines as it takes.
template <class Action>
void each_field(MatrixLines& lines, std::size_t width, std::int64_t count, const char* what, const Action& action) {
  std::string_view line;
  std::size_t at = 0;
  for (std::int64_t k = 0; k < count; ++k, at += width) {
    if (slice(line, at, width).empty()) {
      line = lines.demanded(what);
      at = 0;
    }
    action(slice(line, at, width));
  }
}

}  // namespace

BodyMatrix read_harwell_boeing(const MatrixFile& file) {
  MatrixLines lines(file);
  lines.demanded("the title");
  const std::string_view cards = lines.demanded("the numbers of lines");
  const std::string_view kind = lines.demanded("the kind of the matrix");
  const std::string type = upper(slice(kind, 0, 3));
  if (type != "RSA" && type != "RUA")
    lines.fail(cat("the matrix must be real and assembled (RSA or RUA)", lines.got(kind.substr(0, 3))));
  const int rows = lines.index(slice(kind, 14, 14), "the number of rows");
  const int columns = lines.index(slice(kind, 28, 14), "the number of columns");
  const std::int64_t count = lines.whole(slice(kind, 42, 14), "the number of entries");
  if (rows != columns) lines.fail(cat("the matrix is ", rows, " x ", columns, ", not square"));
  if (count < 1 || count > static_cast<std::int64_t>(file.text.size()))
    lines.fail(cat("the number of entries is not possible", lines.got(slice(kind, 42, 14))));
  const std::string_view formats = lines.demanded("the formats");
  const std::size_t pointer_width = field_width(lines, slice(formats, 0, 16));
  const std::size_t index_width = field_width(lines, slice(formats, 16, 16));
  const std::size_t value_width = field_width(lines, slice(formats, 32, 20));
  std::int64_t right_hand_sides = 0;
  if (parse_whole(slice(cards, 56, 14), right_hand_sides) && right_hand_sides > 0)
    lines.demanded("the right-hand sides");
  std::vector<std::int64_t> starts;
  each_field(lines, pointer_width, columns + 1, "the start of a column", [&](std::string_view field) {
    starts.push_back(lines.whole(field, "the start of a column") - 1);
    if (starts.back() < (starts.size() > 1 ? starts[starts.size() - 2] : 0) || starts.back() > count)
      lines.fail("the starts of columns must ascend within the entries");
  });
  if (starts.front() != 0 || starts.back() != count)
    lines.fail("the starts of columns do not fit the number of entries");
  std::vector<int> row_of;
  each_field(lines, index_width, count, "a row", [&](std::string_view field) {
    row_of.push_back(lines.index(field, "a row") - 1);
    if (row_of.back() >= rows) lines.fail(cat("row ", row_of.back() + 1, " of a matrix of ", rows));
  });
  MatrixTriplets triplets;
  std::size_t at = 0, column = 0;
  each_field(lines, value_width, count, "an entry", [&](std::string_view field) {
    while (starts[column + 1] <= static_cast<std::int64_t>(at)) ++column;
    triplets.emplace_back(row_of[at], static_cast<int>(column), lines.real(field, "an entry"));
    ++at;
  });
  return {completed_matrix(rows, triplets), {}};
}

}  // namespace lithe
