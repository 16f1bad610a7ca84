// Nastran's matrices: DMIG cards and OUTPUT4 files as text.
#include <algorithm>

#include "lithe/read/matrices/matrix_lines.h"

namespace lithe {
namespace {

std::string_view field_at(std::string_view line, std::size_t first, std::size_t width) {
  return first < line.size() ? trimmed(line.substr(first, width)) : std::string_view();
}

// One card with its continuations: the name and the fields behind it.
struct DmigCard {
  bool starts = false;  // a card of its own, not a continuation
  std::string name;
  std::vector<std::string_view> fields;
};

DmigCard card_of(std::string_view line) {
  DmigCard card;
  if (line.find(',') != line.npos) {
    std::string_view rest = line;
    for (bool first = true;; first = false) {
      const std::size_t comma = rest.find(',');
      const std::string_view field = trimmed(rest.substr(0, comma));
      if (first)
        card.name = upper(field);
      else
        card.fields.push_back(field);
      if (comma == rest.npos) break;
      rest.remove_prefix(comma + 1);
    }
    card.fields.resize(std::max<std::size_t>(8, (card.fields.size() + 7) / 8 * 8));
  } else {
    card.name = upper(field_at(line, 0, 8));
    const bool large = card.name.ends_with("*") || card.name.starts_with("*");
    const std::size_t width = large ? 16 : 8;
    for (std::size_t k = 0; k < 64 / width; ++k) card.fields.push_back(field_at(line, 8 + k * width, width));
  }
  if (card.name.ends_with("*")) card.name.pop_back();
  card.starts = !card.name.empty() && card.name[0] != '+' && card.name[0] != '*';
  return card;
}

bool is_wanted(const std::string& name, MatrixRole role) {
  return name.starts_with(role == MatrixRole::mass ? "M" : "K");
}

class DmigReader {
 public:
  explicit DmigReader(const MatrixFile& file) : file_(file), lines_(file) {}

  BodyMatrix read() {
    for (std::string_view line; lines_.next(line);) {
      if (trimmed(line).empty() || line.starts_with("$")) continue;
      const DmigCard card = card_of(line);
      if (card.starts) {
        finish();
        active_ = card.name == "DMIG";
        fields_.clear();
      }
      if (active_) fields_.insert(fields_.end(), card.fields.begin(), card.fields.end());
    }
    finish();
    return result();
  }

 private:
  struct Matrix {
    std::string name;
    MatrixTriplets triplets;
    UnknownNumbers numbers;
  };

  void finish() {
    if (!active_ || fields_.size() < 4) return;
    const std::string name = upper(fields_[0]);
    if (fields_[1] == "0") return header(name);
    const auto found =
        std::find_if(matrices_.begin(), matrices_.end(), [&](const Matrix& m) { return m.name == name; });
    if (found == matrices_.end()) lines_.fail(cat("a column of matrix ", name, " before its header"));
    const int column = found->numbers.of(unknown(1, 2));
    for (std::size_t k = 4; k + 2 < fields_.size(); k += 4) {
      if (fields_[k].empty()) continue;
      const int row = found->numbers.of(unknown(k, k + 1));
      found->triplets.emplace_back(row, column, lines_.real(fields_[k + 2], "an entry"));
    }
  }

  void header(const std::string& name) {
    const std::int64_t form = lines_.whole(fields_[2], "the form of the matrix");
    const std::int64_t type = lines_.whole(fields_[3], "the type of its entries");
    if (form != 6 && form != 1) lines_.fail(cat("matrix ", name, " must be square (form 1) or symmetric (form 6)"));
    if (type != 1 && type != 2) lines_.fail(cat("matrix ", name, " must be real (type 1 or 2)"));
    matrices_.push_back({name, {}, {}});
  }

  MatrixUnknown unknown(std::size_t node, std::size_t component) const {
    const std::int64_t direction = lines_.whole(fields_[component].empty() ? "0" : fields_[component], "a component");
    if (direction < 1 || direction > 6)
      lines_.fail(cat("a component is 1 to 6; scalar points are not read", lines_.got(fields_[component])));
    return {lines_.whole(fields_[node], "a grid point"), static_cast<int>(direction) - 1};
  }

  BodyMatrix result() {
    std::erase_if(matrices_, [](const Matrix& m) { return m.triplets.empty(); });
    if (matrices_.empty()) lines_.fail("the file has no DMIG matrix");
    const auto wanted = std::find_if(matrices_.begin(), matrices_.end(),
                                     [&](const Matrix& m) { return is_wanted(m.name, file_.role); });
    if (wanted == matrices_.end() && matrices_.size() > 1)
      lines_.fail(cat("none of its ", matrices_.size(), " matrices has a name that begins with ",
                      file_.role == MatrixRole::mass ? "M" : "K"));
    Matrix& matrix = wanted == matrices_.end() ? matrices_.front() : *wanted;
    return {completed_matrix(matrix.numbers.size(), matrix.triplets), matrix.numbers.take()};
  }

  const MatrixFile& file_;
  MatrixLines lines_;
  bool active_ = false;
  std::vector<std::string_view> fields_;
  std::vector<Matrix> matrices_;
};

// OUTPUT4 as text: a header per matrix, then columns, dense or as strings of entries.
class Output4Reader {
 public:
  explicit Output4Reader(const MatrixFile& file) : file_(file), lines_(file) {}

  BodyMatrix read() {
    std::string_view line;
    int count = 0;
    while (lines_.next(line)) {
      if (trimmed(line).empty()) continue;
      ++count;
      header(line);
      columns();
      const bool wanted = is_wanted(name_, file_.role);
      if (!found_ || wanted) kept_ = std::move(triplets_), kept_size_ = size_;
      found_ = true, named_ = named_ || wanted;
      if (wanted) break;
    }
    if (!found_) lines_.fail("the file has no matrix");
    if (count > 1 && !named_)
      lines_.fail(cat("none of its ", count, " matrices has a name that begins with ",
                      file_.role == MatrixRole::mass ? "M" : "K"));
    return {completed_matrix(kept_size_, kept_), {}};
  }

 private:
  // 4I8, the name, the Fortran format of the entries: "1P,3E23.16".
  void header(std::string_view line) {
    if (line.size() < 44) lines_.fail(cat("the header of an OUTPUT4 matrix expected", lines_.got(line)));
    const int columns = lines_.index(field_at(line, 0, 8), "the number of columns");
    const std::int64_t rows = lines_.whole(field_at(line, 8, 8), "the number of rows");
    const std::int64_t type = lines_.whole(field_at(line, 24, 8), "the type of the matrix");
    large_ = rows < 0;
    if (std::abs(rows) != columns) lines_.fail(cat("the matrix is ", std::abs(rows), " x ", columns, ", not square"));
    if (type != 1 && type != 2) lines_.fail("the matrix must be real (type 1 or 2)");
    words_ = static_cast<int>(type);
    name_ = upper(field_at(line, 32, 8));
    size_ = columns;
    triplets_.clear();
    const std::string format = upper(line.substr(40));
    const std::size_t e = format.find('E');
    std::size_t digits = e == format.npos ? 0 : e;
    while (digits > 0 && format[digits - 1] >= '0' && format[digits - 1] <= '9') --digits;
    std::int64_t width = 0;
    const std::size_t end = e == format.npos ? e : format.find_first_not_of("0123456789", e + 1);
    if (e == format.npos || !parse_whole(std::string_view(format).substr(e + 1, end - e - 1), width) || width < 8 ||
        width > 40)
      lines_.fail(cat("the format of the entries, such as 1P,3E23.16, is missing", lines_.got(line.substr(40))));
    width_ = static_cast<std::size_t>(width);
  }

  void columns() {
    while (true) {
      const std::string_view line = lines_.demanded("a column");
      const int column = lines_.index(field_at(line, 0, 8), "a column");
      const int row = lines_.index(field_at(line, 8, 8), "a row", 0);
      const int count = lines_.index(field_at(line, 16, 8), "the length of a column");
      if (column > size_) {  // one more closes the matrix
        values(count);
        return;
      }
      if (row > 0)
        add(row, column, values(count));
      else
        strings(column, count);
    }
  }

  // Words are halves of a number in double precision.
  void strings(int column, int words) {
    while (words > 0) {
      const std::string_view line = lines_.demanded("a string of entries");
      std::int64_t length = 0, row = 0;
      if (large_) {
        length = lines_.whole(field_at(line, 0, 8), "the length of a string") - 1;
        row = lines_.whole(field_at(line, 8, 8), "a row");
        words -= static_cast<int>(std::clamp<std::int64_t>(length, 0, words)) + 2;
      } else {
        const std::int64_t both = lines_.whole(trimmed(line), "a string's length and row");
        length = both / 65536 - 1;
        row = both - 65536 * (length + 1);
        words -= static_cast<int>(std::clamp<std::int64_t>(length, 0, words)) + 1;
      }
      if (length < words_ || length > 2 * MatrixLines::largest_index || row < 1 || row > size_)
        lines_.fail("a string's length or row is not possible");
      add(static_cast<int>(row), column, values(static_cast<int>(length) / words_));
    }
  }

  std::vector<double> values(int count) {
    std::vector<double> result;
    std::string_view line;
    for (std::size_t at = 0; std::ssize(result) < count; at += width_) {
      if (at + 1 > line.size() || field_at(line, at, width_).empty()) {
        line = lines_.demanded("an entry");
        at = 0;
      }
      result.push_back(lines_.real(field_at(line, at, width_), "an entry"));
    }
    return result;
  }

  void add(int row, int column, const std::vector<double>& entries) {
    if (row - 1 + std::ssize(entries) > size_) lines_.fail("a column has more entries than the matrix has rows");
    for (std::size_t k = 0; k < entries.size(); ++k)
      if (entries[k] != 0) triplets_.emplace_back(row - 1 + static_cast<int>(k), column - 1, entries[k]);
  }

  const MatrixFile& file_;
  MatrixLines lines_;
  bool large_ = false, found_ = false, named_ = false;
  int words_ = 2, size_ = 0, kept_size_ = 0;
  std::size_t width_ = 0;
  std::string name_;
  MatrixTriplets triplets_, kept_;
};

}  // namespace

BodyMatrix read_dmig(const MatrixFile& file) { return DmigReader(file).read(); }
BodyMatrix read_output4(const MatrixFile& file) { return Output4Reader(file).read(); }

}  // namespace lithe
