// How help looks on a terminal: no line is wider than a hundred columns, as far as its words allow.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lithe::app {

class Help : public CLI::Formatter {
 public:
  Help() { label("SUBCOMMAND", "COMMAND"); }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace lithe::app
