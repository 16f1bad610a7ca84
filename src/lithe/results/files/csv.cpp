#include "lithe/results/files/csv.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "lithe/base/text.h"
#include "lithe/base/write_error.h"
#include "lithe/results/files/mark.h"
#include "lithe/results/files/text_file.h"

namespace lithe {
namespace {

void append_number(double value, std::string& text) {
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text.append(buffer.data(), result.ptr);
}

}  // namespace

std::string in_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  return text;
}

std::string csv_cell(const std::string& given) {
  const std::string text = in_one_line(given);
  if (text.find_first_of(",;\t#\"") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

namespace {

// Of files: a later run knows them by it.
std::string mark_line() { return cat("# ", program_mark, "\n"); }

std::string heading_of(const Table& table) {
  std::string text;
  for (const auto& [key, note] : table.notes) text += in_one_line(cat("# ", key, ": ", note)) + '\n';
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    text += (i > 0 ? "," : "") + csv_cell(table.columns[i].heading());
  return text + '\n';
}

}  // namespace

CsvWriter::CsvWriter(const Table& table, const std::filesystem::path& path)
    : path_(path), file_(path, std::ios::binary), width_(table.columns.size()), text_(mark_line() + heading_of(table)) {
  table.check();
}

void CsvWriter::add(const double* row) {
  for (std::size_t i = 0; i < width_; ++i) {
    if (i > 0) text_ += ',';
    append_number(row[i], text_);
  }
  text_ += '\n';
  if (text_.size() > 1 << 16) write();
}

void CsvWriter::write() {
  errno = 0;
  file_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
  if (!file_)
    throw WriteError(cat("cannot write '", path_.string(), "'", errno == 0 ? "" : cat(": ", std::strerror(errno))));
}

void CsvWriter::close() {
  write();
  file_.close();
  if (!file_) throw WriteError(cat("cannot write '", path_.string(), "'"));
}

std::string csv_text(const Table& table) {
  table.check();
  std::string text = heading_of(table);
  const std::size_t num_rows = table.columns.empty() ? 0 : table.columns.front().values.size();
  for (std::size_t row = 0; row < num_rows; ++row) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (i > 0) text += ',';
      append_number(table.columns[i].values[row], text);
    }
    text += '\n';
  }
  return text;
}

void write_csv(const Table& table, const std::filesystem::path& path) {
  write_text_file(mark_line() + csv_text(table), path);
}

}  // namespace lithe
