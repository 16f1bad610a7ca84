// The options of a command. The parser behind them (CLI11) is compiled once, in options.cpp: its header alone takes the
// compiler three seconds.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lithe::app {

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option& required();
  Option& one_of(const std::vector<std::string>& choices);
  Option& between(int least, int most);
  Option& positive();
  Option& separated_by_commas();
  Option& one_word_each();  // may be given again; does not swallow the words that follow
  Option& needs(const Option& other);
  Option& shows_default();

 private:
  CLI::Option* option_;
};

class CommandOptions {
 public:
  explicit CommandOptions(CLI::App& parser) : parser_(parser) {}
  // "FILE", "--count" or "-o,--output". Text, numbers, lists of them, and any of these that may be absent
  // (std::optional): see the end of options.cpp.
  template <class Value>
  Option add_option(const std::string& names, Value& value, const std::string& text);
  Option add_flag(const std::string& names, bool& value, const std::string& text);

 private:
  CLI::App& parser_;
};

}  // namespace lithe::app
