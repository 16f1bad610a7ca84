#include "app/options.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <optional>

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

// The parser's own check names the range up to the largest number with all its digits, and lets "nan" pass.
Option& Option::positive() {
  option_->check(
      [](const std::string& text) {
        const double number = std::strtod(text.c_str(), nullptr);
        return number > 0 && std::isfinite(number) ? std::string() : "must be a positive number, got " + text;
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
Option Command::add_option(const std::string& names, Value& value, const std::string& text) {
  return Option(parser_.add_option(names, value, text));
}

Option Command::add_flag(const std::string& names, bool& value, const std::string& text) {
  return Option(parser_.add_flag(names, value, text));
}

template Option Command::add_option(const std::string&, std::string&, const std::string&);
template Option Command::add_option(const std::string&, int&, const std::string&);
template Option Command::add_option(const std::string&, double&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::string>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<int>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<double>&, const std::string&);

}  // namespace lithe::app
