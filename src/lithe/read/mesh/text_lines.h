// Lines of a text file and of those that it includes, each with its place.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lithe/base/text.h"
#include "lithe/read/mesh/mesh_builder.h"
#include "lithe/read/mesh/mesh_file.h"
#include "lithe/read/tables/input_file.h"

namespace lithe {

class TextLines {
 public:
  TextLines(std::string_view text, const std::string& file, const MeshReadOptions& options) : options_(options) {
    open_.push_back({file, text, {}, 0, 0});
  }

  // The next line without its end, or false at the end of the first file.
  bool next(std::string_view& line) {
    while (open_.back().at >= open_.back().text.size()) {
      if (open_.size() == 1) return false;
      open_.pop_back();
    }
    Open& file = open_.back();
    const std::size_t end = std::min(file.text.find('\n', file.at), file.text.size());
    line = file.text.substr(file.at, end - file.at);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    file.at = end + 1;
    ++file.line;
    return true;
  }

  // Goes on with the first line of an included file.
  void include(const std::string& name) {
    if (name.empty()) fail("the name of the included file is missing");
    if (!options_.include) fail(cat("the included file '", name, "' cannot be read here"));
    std::string problem;
    std::optional<IncludedFile> file = options_.include(name, open_.back().name, problem);
    if (!file) fail(cat("the included file '", name, "': ", problem));
    for (const Open& other : open_)
      if (other.name == file->name) fail(cat("'", name, "' includes itself"));
    // Files that include the next one twice, and so on, would never end.
    constexpr std::size_t most = 1000, deepest = 100;
    if (++num_included_ > most) fail(cat("more than ", most, " files are included"));
    if (open_.size() >= deepest) fail(cat("files are included more than ", deepest, " deep"));
    demand_room(file->text.size());
    auto text = std::make_shared<const std::string>(std::move(file->text));
    open_.push_back({file->name, *text, text, 0, 0});
  }

  // A place in the text, to which one may come back.
  struct Open {
    std::string name;
    std::string_view text;
    std::shared_ptr<const std::string> owner;  // of an included file
    std::size_t at = 0;
    int line = 0;
  };
  const Open& mark() const { return open_.back(); }
  // Reads the lines from one place to another of the same file once more, and then goes on.
  void replay(const Open& start, const Open& end) {
    demand_room(std::min(end.at, start.text.size()) - start.at);
    open_.push_back(start);
    open_.back().text = start.text.substr(0, std::min(end.at, start.text.size()));
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw MeshFileError{open_.back().name, open_.back().line, message};
  }
  MeshFilePlace place() const { return {open_.back().name, open_.back().line}; }
  bool quotes_content() const { return options_.quotes_content; }
  const std::string& file() const { return open_.back().name; }
  int line() const { return open_.back().line; }
  // What is written there, for messages; nothing where content may not be shown.
  std::string got(std::string_view text) const {
    return options_.quotes_content ? cat(", got '", trimmed(text).substr(0, 40), "'") : std::string();
  }

 private:
  // A file of a few lines may ask for a part a thousand times.
  void demand_room(std::size_t size) {
    read_again_ += size;
    if (read_again_ > largest_mesh_file)
      fail(cat("included files and instances of parts have more than ", largest_mesh_file >> 20, " MB together"));
  }

  const MeshReadOptions& options_;
  std::vector<Open> open_;
  std::size_t num_included_ = 0;
  std::uintmax_t read_again_ = 0;  // bytes
};

}  // namespace lithe
