// What the program prints: text for people, or one JSON value for machines.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lithe::app {

// True when the stream is a terminal that may show colours: NO_COLOR unset, TERM not "dumb".
bool is_terminal(int file_descriptor);
bool may_colour(int file_descriptor);

// Terminal styles; plain text where colours are off.
class Style {
 public:
  explicit Style(bool on) : on_(on) {}
  std::string bold(const std::string& text) const { return wrap("1", text); }
  std::string dim(const std::string& text) const { return wrap("2", text); }
  std::string good(const std::string& text) const { return wrap("32", text); }
  std::string bad(const std::string& text) const { return wrap("1;31", text); }
  // A message with its word "error:" made to stand out.
  std::string error(const std::string& text) const;

 private:
  std::string wrap(const char* code, const std::string& text) const;
  bool on_;
};

class Output {
 public:
  explicit Output(bool json) : json_(json) {}
  bool json() const { return json_; }
  Style style() const;        // for stdout
  Style error_style() const;  // for stderr
  void print(const nlohmann::json& value) const;
  void print(const std::string& text) const;  // as it is

 private:
  bool json_;
};

// "a, b, c".
std::string joined(const std::vector<std::string>& words, const std::string& separator = ", ");
// %.{digits}g, with NaN and infinities as words.
std::string number(double value, int digits = 6);
// Fixed number of decimals.
std::string fixed(double value, int decimals);
// A JSON number, or null where the value is not finite (JSON has no NaN).
nlohmann::json json_number(double value);

}  // namespace lithe::app
