// Errors of the user, collected so that all of them are reported at once.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace lithe {

// One error in an input file: `file:line:column: error: message`. Line 0 means "the file as a whole".
struct Diagnostic {
  std::string file;
  int line = 0;
  int column = 0;
  std::string path;     // where in the model: "links[2].material"
  std::string message;  // one sentence with the offending value

  std::string text() const;
};

// Thrown once, at the end of reading or building, with every error found.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> errors);
  // A single error without a place in a file (an API call, a command-line value).
  explicit InputError(const std::string& message);
  const std::vector<Diagnostic>& errors() const { return errors_; }

 private:
  std::vector<Diagnostic> errors_;
};

// The sink that readers report to. `throw_if_any()` ends a reader.
class Diagnostics {
 public:
  void error(Diagnostic entry) { errors_.push_back(std::move(entry)); }
  bool any() const { return !errors_.empty(); }
  const std::vector<Diagnostic>& errors() const { return errors_; }
  void throw_if_any() const {
    if (any()) throw InputError(errors_);
  }

 private:
  std::vector<Diagnostic> errors_;
};

}  // namespace lithe
