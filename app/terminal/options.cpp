#include "app/terminal/options.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <type_traits>

namespace lithe::app {

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& choices) {
  option_->check(CLI::IsMember(choices));
  return *this;
}

Option& Option::between(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

namespace {

// The number that the whole text is; NaN for anything else.
double number_of(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool whole = !text.empty() && end == text.c_str() + text.size();
  return whole ? number : std::numeric_limits<double>::quiet_NaN();
}

template <class Value>
struct Number : std::false_type {};
template <>
struct Number<double> : std::true_type {};
template <class Value>
struct Number<std::optional<Value>> : Number<Value> {};
template <class Value>
struct Number<std::vector<Value>> : Number<Value> {};

}  // namespace

// The parser's own check names the range up to the largest number with all its digits, and lets "nan" pass.
Option& Option::positive() {
  option_->check(
      [](const std::string& text) {
        return number_of(text) > 0 ? std::string() : "must be a positive number, got '" + text + "'";
      },
      "POSITIVE");
  return *this;
}

Option& Option::separated_by_commas() {
  option_->delimiter(',');
  return *this;
}

Option& Option::one_word_each() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::shows_default() {
  option_->capture_default_str();
  return *this;
}

template <class Value>
Option CommandOptions::add_option(const std::string& names, Value& value, const std::string& text) {
  CLI::Option* option = parser_.add_option(names, value, text);
  option->check([](const std::string& word) { return word.empty() ? "must not be empty" : std::string(); }, "");
  if (Number<Value>::value)
    option->check(
        [](const std::string& word) {
          return std::isfinite(number_of(word)) ? std::string() : "must be a finite number, got '" + word + "'";
        },
        "");
  return Option(option);
}

Option CommandOptions::add_flag(const std::string& names, bool& value, const std::string& text) {
  return Option(parser_.add_flag(names, value, text));
}

template Option CommandOptions::add_option(const std::string&, std::string&, const std::string&);
template Option CommandOptions::add_option(const std::string&, int&, const std::string&);
template Option CommandOptions::add_option(const std::string&, double&, const std::string&);
template Option CommandOptions::add_option(const std::string&, std::optional<std::string>&, const std::string&);
template Option CommandOptions::add_option(const std::string&, std::optional<int>&, const std::string&);
template Option CommandOptions::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option CommandOptions::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option CommandOptions::add_option(const std::string&, std::vector<double>&, const std::string&);

}  // namespace lithe::app
