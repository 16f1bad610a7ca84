// What an unfinished result belongs to: program, files, settings. With other ones it is not continued.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lithe {

// Names and values that must be the same.
class Signature {
 public:
  // `what` reads as part of a sentence: "the model file", "the table 'torque.csv'", "the setting tolerance".
  void add(const std::string& what, const std::string& value) { entries_.emplace_back(what, value); }
  // Checksums and the like: what changed is said without the values.
  void add_hidden(const std::string& what, const std::string& value) { add(what, "#" + value); }

  // Of the entry, empty when there is none.
  std::string value(const std::string& what) const;

  // One line per entry. `read`: nothing when the text is none.
  std::string text() const;
  static std::optional<Signature> read(const std::string& text);

  // "the model file has changed"; "the setting tolerance was 1e-06 and is 1e-05"; empty: all is the same.
  std::string difference_to(const Signature& now) const;

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace lithe
