#include "lithe/view/what_if_page.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/read/tables/input_file.h"
#include "lithe/view/report_json.h"

namespace lithe {
namespace {

namespace fs = std::filesystem;

// Where the page begins with a model of its own: playground/page/src/page.html.
constexpr std::string_view start_mark = "<script type=\"application/json\" id=\"part-start\">";

// As text inside a script element.
std::string escaped(const nlohmann::json& value) {
  std::string text;
  for (const char c : value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace))
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  return text;
}

// The page reads one text and no files.
void refuse_other_files(const std::string& model_file) {
  std::string others;
  for (const FileOfRun& file : files_of_run())
    if (file.path != fs::path(model_file)) others += cat(others.empty() ? "" : ", ", file.path.string());
  if (!others.empty())
    throw InputError(cat("the page could not compute this model again, which reads other files: ", others));
}

}  // namespace

std::string read_playground(const fs::path& path) {
  std::string problem;
  const std::optional<std::string> page = read_regular_file(path, largest_table_file, problem);
  if (!page) throw InputError(cat(path.string(), ": ", problem));
  if (page->find(start_mark) == std::string::npos)
    throw InputError(cat(path.string(), ": this playground is older than the program: `make playground`"));
  return *page;
}

void check_what_if(const WhatIfStart& start, const ReadOptions& options) {
  refuse_other_files(start.file);
  const ParametricModel numbers(start.text, start.file, options);
  std::vector<Diagnostic> errors;
  for (const std::string& slider : start.sliders) {
    try {
      numbers.check(slider);
    } catch (const InputError& error) {
      errors.insert(errors.end(), error.errors().begin(), error.errors().end());
    }
  }
  if (!errors.empty()) throw InputError(std::move(errors));
}

std::string what_if_text(const std::string& playground, const WhatIfStart& start, const Report& report) {
  const nlohmann::json all = {{"name", fs::path(start.file).filename().string()},
                              {"title", start.title},
                              {"text", start.text},
                              {"what", start.what},
                              {"settings", nlohmann::json::parse(start.settings)},
                              {"sliders", start.sliders},
                              {"report", report_json(report)}};
  const std::size_t place = playground.find(start_mark) + start_mark.size();
  return cat(playground.substr(0, place), escaped(all), playground.substr(place));
}

}  // namespace lithe
