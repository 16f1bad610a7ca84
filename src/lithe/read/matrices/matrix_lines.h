// What the readers of matrices share: lines with their numbers, fields, numbers as Fortran writes them.
#pragma once

#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/read/matrices/body_matrix.h"
#include "lithe/read/mesh/mesh_builder.h"

namespace lithe {

class MatrixLines {
 public:
  explicit MatrixLines(const MatrixFile& file) : rest_(file.text), quotes_(file.quotes_content) {}

  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_;
    return true;
  }
  std::string_view demanded(const char* what) {
    std::string_view line;
    if (!next(line)) fail(cat("the file ends where ", what, " should be"));
    return line;
  }
  [[noreturn]] void fail(const std::string& message) const { throw MatrixFileError{line_, message}; }
  std::string got(std::string_view text) const { return quotes_ ? cat(", got ", in_quotes(trimmed(text))) : ""; }

  std::int64_t whole(std::string_view text, const char* what) const {
    std::int64_t value = 0;
    if (!parse_whole(text, value)) fail(cat("a whole number expected for ", what, got(text)));
    return value;
  }
  // At least `least`, and small enough for an index.
  int index(std::string_view text, const char* what, std::int64_t least = 1) const {
    const std::int64_t value = whole(text, what);
    if (value < least || value > largest_index) fail(cat(what, " is not possible", got(text)));
    return static_cast<int>(value);
  }
  // 1.5, 1.5D+3, 1.5+3
  double real(std::string_view text, const char* what) const {
    std::string copy(trimmed(text));
    for (char& c : copy)
      if (c == 'd' || c == 'D') c = 'E';
    const std::size_t sign = copy.find_last_of("+-");
    if (sign != copy.npos && sign > 0 && (copy[sign - 1] == '.' || (copy[sign - 1] >= '0' && copy[sign - 1] <= '9')))
      copy.insert(sign, "E");
    double value = 0;
    if (!parse_whole(copy, value) || !std::isfinite(value)) fail(cat("a number expected for ", what, got(text)));
    return value;
  }
  int line() const { return line_; }

  static constexpr std::int64_t largest_index = 10'000'000;

 private:
  std::string_view rest_;
  int line_ = 0;
  bool quotes_;
};

inline std::vector<std::string_view> matrix_fields(std::string_view line, std::string_view separators) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t start = line.find_first_not_of(separators);
    if (start == line.npos) return fields;
    line.remove_prefix(start);
    const std::size_t end = std::min(line.find_first_of(separators), line.size());
    fields.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

using MatrixTriplets = std::vector<Eigen::Triplet<double>>;

// The matrix of these entries; where one half is given, with the other.
SparseMatrix completed_matrix(int size, const MatrixTriplets& triplets);

// Numbers rows by the unknowns they are met with.
class UnknownNumbers {
 public:
  int of(const MatrixUnknown& unknown) {
    const auto [found, is_new] = places_.emplace(std::pair(unknown.node, unknown.component), size());
    if (is_new) all_.push_back(unknown);
    return found->second;
  }
  int size() const { return static_cast<int>(all_.size()); }
  std::vector<MatrixUnknown> take() { return std::move(all_); }

 private:
  std::map<std::pair<std::int64_t, int>, int> places_;
  std::vector<MatrixUnknown> all_;
};

}  // namespace lithe
