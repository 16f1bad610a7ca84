#include "lithe/read/tables/matrix_market.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

constexpr std::string_view banner = "%%MatrixMarket";
constexpr long long largest_size = 10000000;  // rows or columns

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = line.find_first_not_of(blanks);
    if (start == line.npos) return words;
    line.remove_prefix(start);
    const std::size_t end = std::min(line.find_first_of(blanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

template <class Number>
bool parse(std::string_view word, Number& value) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  return status == std::errc() && end == word.data() + word.size();
}

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

// Line by line; stops at the first error, since the rest would only repeat it.
class MatrixMarketReader {
 public:
  MatrixMarketReader(std::string_view text, const std::string& file, Diagnostics& diagnostics, bool quotes)
      : rest_(without_mark(text)), file_(file), diagnostics_(diagnostics), quotes_(quotes) {}

  std::optional<SparseMatrix> read() {
    if (!read_banner() || !read_size() || !(array_ ? read_array() : read_entries())) return std::nullopt;
    SparseMatrix matrix(rows_, columns_);
    matrix.setFromTriplets(triplets_.begin(), triplets_.end());
    return matrix;
  }

 private:
  bool fail(const std::string& message) {
    diagnostics_.error({.file = file_, .line = line_, .column = 1, .path = {}, .message = message});
    return false;
  }
  // The first message where the content of the file may be shown.
  bool fail(const std::string& with_content, const char* without) { return fail(quotes_ ? with_content : without); }

  bool next_line(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_;
    return true;
  }

  // The next line that holds anything but notes.
  bool next_words(std::vector<std::string_view>& words) {
    std::string_view line;
    while (next_line(line)) {
      if (line.starts_with('%')) continue;
      words = words_of(line);
      if (!words.empty()) return true;
    }
    ++line_;
    return false;
  }

  bool read_banner() {
    std::string_view line;
    next_line(line);
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() != 5 || words[0] != banner || lower(words[1]) != "matrix")
      return fail("the first line must be '%%MatrixMarket matrix coordinate|array real|integer general|symmetric'");
    const std::string format = lower(words[2]), field = lower(words[3]), symmetry = lower(words[4]);
    if (format != "coordinate" && format != "array")
      return fail(cat("unknown format ", in_quotes(format)), "unknown format");
    if (field != "real" && field != "integer" && field != "double")
      return fail(cat("entries must be real or integer, got ", in_quotes(field)), "entries must be real or integer");
    if (symmetry != "general" && symmetry != "symmetric")
      return fail(cat("the matrix must be general or symmetric, got ", in_quotes(symmetry)),
                  "the matrix must be general or symmetric");
    array_ = format == "array";
    symmetric_ = symmetry == "symmetric";
    return true;
  }

  bool read_size() {
    std::vector<std::string_view> words;
    const std::size_t wanted = array_ ? 2 : 3;
    if (!next_words(words) || words.size() != wanted)
      return fail(array_ ? "the size must be two numbers: rows, columns"
                         : "the size must be three numbers: rows, columns, entries");
    if (!parse(words[0], rows_) || !parse(words[1], columns_) || (!array_ && !parse(words[2], entries_)))
      return fail("the size must be whole numbers");
    if (rows_ < 1 || columns_ < 1 || rows_ > largest_size || columns_ > largest_size || entries_ < 0)
      return fail(cat("a matrix of ", rows_, " x ", columns_, " is not possible"), "this size is not possible");
    if (symmetric_ && rows_ != columns_) return fail("a symmetric matrix must be square");
    return true;
  }

  bool add(long long row, long long column, double value) {
    if (!std::isfinite(value)) return fail(cat("the entry must be finite, got ", value), "the entry must be finite");
    triplets_.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
    if (symmetric_ && row != column) triplets_.emplace_back(static_cast<int>(column), static_cast<int>(row), value);
    return true;
  }

  bool read_entries() {
    std::vector<std::string_view> words;
    for (long long k = 0; k < entries_; ++k) {
      if (!next_words(words))
        return fail(cat("the file ends after ", k, " of ", entries_, " entries"),
                    "the file ends before the last entry");
      long long row = 0, column = 0;
      double value = 0;
      if (words.size() != 3 || !parse(words[0], row) || !parse(words[1], column) || !parse(words[2], value))
        return fail("an entry must be row, column, value");
      if (row < 1 || row > rows_ || column < 1 || column > columns_)
        return fail(cat("the entry (", row, ", ", column, ") lies outside the ", rows_, " x ", columns_, " matrix"),
                    "the entry lies outside the matrix");
      if (symmetric_ && column > row) return fail("a symmetric matrix is written by its lower half");
      if (!add(row - 1, column - 1, value)) return false;
    }
    return next_words(words) ? fail("there are more entries than the size says") : true;
  }

  bool read_array() {
    std::vector<std::string_view> words;
    for (long long column = 0; column < columns_; ++column)
      for (long long row = symmetric_ ? column : 0; row < rows_; ++row) {
        double value = 0;
        if (!next_words(words)) return fail("the file ends before the matrix is complete");
        if (words.size() != 1 || !parse(words[0], value)) return fail("an entry must be one number per line");
        if (value != 0 && !add(row, column, value)) return false;
      }
    return next_words(words) ? fail("there are more entries than the size says") : true;
  }

  std::string_view rest_;
  const std::string& file_;
  Diagnostics& diagnostics_;
  bool quotes_;
  int line_ = 0;
  bool array_ = false, symmetric_ = false;
  long long rows_ = 0, columns_ = 0, entries_ = 0;
  std::vector<Eigen::Triplet<double>> triplets_;
};

}  // namespace

bool is_matrix_market(std::string_view text) { return without_mark(text).starts_with(banner); }

std::optional<SparseMatrix> parse_matrix_market(std::string_view text, const std::string& file_name,
                                                Diagnostics& diagnostics, bool quotes_content) {
  return MatrixMarketReader(text, file_name, diagnostics, quotes_content).read();
}

}  // namespace lithe
