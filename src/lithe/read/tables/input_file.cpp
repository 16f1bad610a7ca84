#include "lithe/read/tables/input_file.h"

#include <algorithm>
#include <fstream>

#include "lithe/base/text.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/read/tables/table_reader.h"

namespace lithe {
namespace {

std::string too_large(std::uintmax_t size, std::uintmax_t most) {
  return cat("the file has ", size >> 20, " MB; at most ", most >> 20, " MB are read");
}

// Symbolic links and `..` resolved as far as the path exists.
std::filesystem::path real_path(const std::filesystem::path& path) {
  std::error_code status;
  const std::filesystem::path whole = std::filesystem::absolute(path, status);
  std::filesystem::path result = std::filesystem::weakly_canonical(whole, status);
  return status ? whole.lexically_normal() : result;
}

}  // namespace

bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const std::filesystem::path file = real_path(path), root = real_path(folder.empty() ? "." : folder);
  const auto [at, other] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  return at == root.end() || (std::next(at) == root.end() && at->empty());
}

std::optional<std::string> read_regular_file(const std::filesystem::path& path, std::uintmax_t most,
                                             std::string& problem) {
  std::error_code status;
  const auto fail = [&](std::string why) {
    problem = std::move(why);
    return std::nullopt;
  };
  if (!std::filesystem::exists(path, status)) return fail("the file does not exist");
  if (!std::filesystem::is_regular_file(path, status)) return fail("this is not a file");
  const std::uintmax_t size = std::filesystem::file_size(path, status);
  if (!status && size > most) return fail(too_large(size, most));
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail("the file cannot be read");
  std::string text;
  text.reserve(status ? 0 : size);
  char buffer[1 << 16];
  while (stream.read(buffer, sizeof buffer), stream.gcount() > 0) {  // some files grow, or have no size (/proc)
    text.append(buffer, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most) return fail(too_large(text.size(), most));
  }
  return stream.bad() ? fail("the file cannot be read") : std::optional(std::move(text));
}

namespace {

std::optional<NamedFile> read_allowed_file(const Reading& reading, const std::string& name,
                                           const std::filesystem::path& path, std::uintmax_t most,
                                           std::string& problem) {
  if (name.find('\0') != name.npos) {
    problem = "the name of a file must not hold a zero byte";
    return std::nullopt;
  }
  const bool outside = !lies_in(path, reading.folder);
  if (outside && !reading.options.outside_files) {
    problem =
        cat("the file '", name,
            "' lies outside the model's folder; --allow-outside-files allows it (in Python outside_files=True), or "
            "the model's folder in the list of trusted folders");
    return std::nullopt;
  }
  std::optional<std::string> text = text_in_run(path);
  if (!text) {
    std::string why;
    text = read_regular_file(path, most, why);
    if (!text) {
      problem = cat("cannot read the file '", name, "': ", why);
      return std::nullopt;
    }
    remember_in_run(path, *text);
  }
  return NamedFile{path.string(), *std::move(text), outside};
}

}  // namespace

std::optional<NamedFile> read_named_file(const TableReader& reader, std::string_view key, std::uintmax_t most) {
  const std::optional<std::string> name = reader.text(key);
  if (!name) return std::nullopt;
  std::string problem;
  std::optional<NamedFile> file =
      read_allowed_file(reader.reading(), *name, reader.reading().folder / *name, most, problem);
  if (!file) reader.error(key, problem);
  return file;
}

std::optional<NamedFile> read_file_beside(const TableReader& reader, const std::string& name, const std::string& from,
                                          std::uintmax_t most, std::string& problem) {
  const std::filesystem::path path = (std::filesystem::path(from).parent_path() / name).lexically_normal();
  return read_allowed_file(reader.reading(), name, path, most, problem);
}

}  // namespace lithe
