#include "app/terminal/output.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "app/models/model_warnings.h"
#include "app/pages/shown.h"
#include "lithe/analyse/inspect/reduction_check.h"

namespace lithe::app {

bool is_terminal(int file_descriptor) { return isatty(file_descriptor) == 1; }

bool may_colour(int file_descriptor) {
  const char* no_color = std::getenv("NO_COLOR");  // no-color.org: set and not empty
  const char* term = std::getenv("TERM");
  return is_terminal(file_descriptor) && (no_color == nullptr || *no_color == '\0') &&
         (term == nullptr || std::strcmp(term, "dumb") != 0);
}

std::string Style::wrap(const char* code, const std::string& text) const {
  const std::string mark(style_mark);  // shown() makes it the escape
  return on_ ? mark + code + "m" + text + mark + "0m" : text;
}

std::string Style::error(const std::string& text) const {
  const std::string word = "error:";
  const std::size_t at = text.find(word);
  return at == std::string::npos ? text : text.substr(0, at) + bad(word) + text.substr(at + word.size());
}

Style Output::style() const { return Style(!json_ && may_colour(STDOUT_FILENO)); }
Style Output::error_style() const { return Style(may_colour(STDERR_FILENO)); }

namespace {

std::vector<std::string>& model_warnings() {
  static std::vector<std::string> warnings;
  return warnings;
}

}  // namespace

void warn_on_model(const std::vector<std::string>& warnings) { model_warnings() = warnings; }

void warn_on_modes(const Model& model, const std::string& formulation) {
  std::vector<std::string>& all = model_warnings();
  for (const std::string& warning : reduction_warnings(model, formulation))
    if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
}

void Output::print(const nlohmann::json& value) const {
  nlohmann::json warned = value;
  if (value.is_object())
    for (const std::string& warning : model_warnings()) warned["warnings"].push_back(warning);
  std::cout << warned.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) << std::endl;  // ASCII alone
}

void Output::print(const std::string& text) const {
  for (const std::string& warning : model_warnings()) std::cerr << "warning: " << warning << std::endl;
  model_warnings().clear();
  std::cout << text << std::flush;
}

std::string joined(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string number(double value, int digits) {
  if (std::isnan(value)) return "nan";
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value == 0 ? 0.0 : value);
  return text;
}

std::string fixed(double value, int decimals) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  const bool negative_zero = text[0] == '-' && std::strspn(text + 1, "0.") == std::strlen(text + 1);
  return negative_zero ? text + 1 : text;
}

nlohmann::json json_number(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); }

}  // namespace lithe::app
