#include "lithe/read/matrices/body_matrix.h"

#include <algorithm>

#include "lithe/read/matrices/matrix_lines.h"
#include "lithe/read/tables/matrix_market.h"

namespace lithe {
namespace {

std::string ending_of(const std::string& name) {
  const std::size_t dot = name.find_last_of("./\\");
  return dot == name.npos || name[dot] != '.' ? std::string() : upper(std::string_view(name).substr(dot + 1));
}

// The first line that is neither blank nor a comment of Abaqus or Nastran.
std::string_view first_content(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty() && !line.starts_with("**") && !line.starts_with("$") && !line.starts_with("#")) return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

using Reader = BodyMatrix (*)(const MatrixFile& file);

Reader reader_of(const MatrixFile& file) {
  if (is_numpy(file.text)) return &read_numpy;
  if (is_binary_output4(file.text)) return &read_binary_output4;
  const std::string ending = ending_of(file.name);
  if (ending == "OP4") return &read_output4;
  for (const std::string_view name : {"HB", "RSA", "RUA", "MATRIX", "FULL"})
    if (ending == name) return &read_harwell_boeing;
  for (const std::string_view name : {"PCH", "BDF", "NAS", "DAT", "DMIG"})
    if (ending == name) return &read_dmig;
  const std::string_view first = first_content(file.text);
  if (upper(first.substr(0, 4)) == "DMIG") return &read_dmig;
  const std::size_t count = matrix_fields(first, " \t,").size();
  if (first.starts_with("*") || count == 5) return &read_labelled_triplets;
  if (count == 3) return &read_triplets;
  return nullptr;
}

int component_of(const MatrixLines& lines, std::string_view text) {
  static constexpr std::string_view names[] = {"UX", "UY", "UZ", "ROTX", "ROTY", "ROTZ"};
  const std::string word = upper(trimmed(text));
  for (int k = 0; k < 6; ++k)
    if (word == names[k]) return k;
  const std::int64_t number = lines.whole(text, "a direction (1 to 6)");
  if (number < 1 || number > 6) lines.fail(cat("a direction is 1 to 6", lines.got(text)));
  return static_cast<int>(number) - 1;
}

// "12.3", "4 12 UX", "12, 3"
std::vector<MatrixUnknown> unknowns_of(const MatrixFile& file) {
  MatrixLines lines(file);
  std::vector<MatrixUnknown> unknowns;
  for (std::string_view line; lines.next(line);) {
    std::vector<std::string_view> fields = matrix_fields(line, " \t,;");
    if (fields.empty() || fields[0].starts_with("#") || fields[0].starts_with("!")) continue;
    if (const std::size_t dot = fields[0].find('.'); fields.size() == 1 && dot != line.npos)
      fields = {fields[0].substr(0, dot), fields[0].substr(dot + 1)};
    std::int64_t number = 0;
    if (unknowns.empty() && !parse_whole(fields[0], number)) continue;  // a heading
    if (fields.size() == 3) {
      if (lines.whole(fields[0], "an equation") != std::ssize(unknowns) + 1)
        lines.fail(cat("equation ", unknowns.size() + 1, " expected", lines.got(fields[0])));
      fields.erase(fields.begin());
    }
    if (fields.size() != 2)
      lines.fail(cat("node.direction (CalculiX), equation node direction (Ansys) or node, direction expected",
                     lines.got(line)));
    unknowns.push_back({lines.whole(fields[0], "a node"), component_of(lines, fields[1])});
  }
  if (unknowns.empty()) lines.fail("the file names no unknowns");
  return unknowns;
}

template <class Read>
auto reported(const MatrixFile& file, Diagnostics& diagnostics, const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const MatrixFileError& error) {
    diagnostics.error({.file = file.name,
                       .line = error.line,
                       .column = error.line > 0 ? 1 : 0,
                       .path = {},
                       .message = error.message});
    return std::nullopt;
  }
}

}  // namespace

SparseMatrix completed_matrix(int size, const MatrixTriplets& triplets) {
  SparseMatrix given(size, size);
  given.setFromTriplets(triplets.begin(), triplets.end());
  const SparseMatrix other = given.transpose();
  for (int column = 0; column < size; ++column)  // any pair given twice: so are all
    for (SparseMatrix::InnerIterator a(given, column), b(other, column); a && b;) {
      if (a.row() == b.row() && a.row() != column) return given;
      if (a.row() < b.row())
        ++a;
      else if (b.row() < a.row())
        ++b;
      else
        ++a, ++b;
    }
  SparseMatrix diagonal(size, size);
  diagonal.reserve(Eigen::VectorXi::Ones(size));
  for (int k = 0; k < size; ++k) diagonal.insert(k, k) = given.coeff(k, k);
  return SparseMatrix(given + other) - diagonal;
}

std::optional<BodyMatrix> read_body_matrix(const MatrixFile& file, Diagnostics& diagnostics) {
  if (is_matrix_market(file.text)) {
    std::optional<SparseMatrix> entries = parse_matrix_market(file.text, file.name, diagnostics, file.quotes_content);
    return entries ? std::optional(BodyMatrix{*std::move(entries), {}}) : std::nullopt;
  }
  return reported(file, diagnostics, [&] {
    const Reader read = reader_of(file);
    if (!read)
      throw MatrixFileError{1,
                            "this is no matrix of a known format: Matrix Market, CalculiX (.sti, .mas), Abaqus (.mtx), "
                            "Nastran DMIG or OUTPUT4 (.pch, .op4), Harwell-Boeing (.hb, .rsa), NumPy (.npz, .npy)"};
    return read(file);
  });
}

std::optional<std::vector<MatrixUnknown>> read_matrix_unknowns(const MatrixFile& file, Diagnostics& diagnostics) {
  return reported(file, diagnostics, [&] { return unknowns_of(file); });
}

// CalculiX and Abaqus COORDINATE: row, column, value.
BodyMatrix read_triplets(const MatrixFile& file) {
  MatrixLines lines(file);
  MatrixTriplets triplets;
  int size = 0;
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty() || line.starts_with("**")) continue;
    const std::vector<std::string_view> fields = matrix_fields(line, " \t,");
    if (fields.size() != 3) lines.fail(cat("row, column and value expected", lines.got(line)));
    const int row = lines.index(fields[0], "a row"), column = lines.index(fields[1], "a column");
    triplets.emplace_back(row - 1, column - 1, lines.real(fields[2], "an entry"));
    size = std::max({size, row, column});
  }
  if (triplets.empty()) lines.fail("the matrix has no entries");
  return {completed_matrix(size, triplets), {}};
}

// Abaqus LABELS and MATRIX INPUT: node, direction, node, direction, value.
BodyMatrix read_labelled_triplets(const MatrixFile& file) {
  MatrixLines lines(file);
  MatrixTriplets triplets;
  UnknownNumbers numbers;
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty()) continue;
    if (line.starts_with("*")) {
      const std::string keyword = upper(line.substr(0, 16));
      if (keyword.starts_with("*USER ELEMENT"))
        lines.fail("substructures (*USER ELEMENT) are not read; write the matrix with FORMAT=MATRIX INPUT");
      continue;
    }
    const std::vector<std::string_view> fields = matrix_fields(line, " \t,");
    if (fields.size() != 5) lines.fail(cat("node, direction, node, direction and value expected", lines.got(line)));
    const auto unknown = [&](std::size_t at) {
      return MatrixUnknown{lines.whole(fields[at], "a node"), component_of(lines, fields[at + 1])};
    };
    const int row = numbers.of(unknown(0)), column = numbers.of(unknown(2));
    triplets.emplace_back(row, column, lines.real(fields[4], "an entry"));
  }
  if (triplets.empty()) lines.fail("the matrix has no entries");
  return {completed_matrix(numbers.size(), triplets), numbers.take()};
}

}  // namespace lithe
