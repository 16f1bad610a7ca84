// Mistakes of the user, collected so that all of them are reported at once.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace lithe {

// One mistake in an input file: `file:line:column: error: message`. Line 0 means "the file as a whole".
struct InputMistake {
  std::string file;
  int line = 0;
  int column = 0;
  std::string path;     // where in the model: "links[2].material"
  std::string message;  // one sentence with the offending value

  std::string text() const;
};

// Thrown once, at the end of reading or building, with every mistake found.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<InputMistake> mistakes);
  // A single mistake without a place in a file (an API call, a command-line value).
  explicit InputError(const std::string& message);
  const std::vector<InputMistake>& mistakes() const { return mistakes_; }

 private:
  std::vector<InputMistake> mistakes_;
};

// The sink that readers report to. `throw_if_any()` ends a reader.
class Diagnostics {
 public:
  void error(InputMistake mistake) { mistakes_.push_back(std::move(mistake)); }
  bool any() const { return !mistakes_.empty(); }
  const std::vector<InputMistake>& mistakes() const { return mistakes_; }
  void throw_if_any() const {
    if (any()) throw InputError(mistakes_);
  }

 private:
  std::vector<InputMistake> mistakes_;
};

}  // namespace lithe
