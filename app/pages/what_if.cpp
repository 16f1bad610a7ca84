#include "app/pages/what_if.h"

#include <string_view>

#include "app/terminal/consent.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/read_model.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/read/tables/input_file.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/files/text_file.h"
#include "lithe/view/report_json.h"

namespace lithe::app {
namespace {

namespace fs = std::filesystem;

// Where the page begins with a model of its own: playground/page/src/page.html.
constexpr std::string_view start_mark = "<script type=\"application/json\" id=\"part-start\">";

// Built beside the program by `make playground`, or installed with it.
fs::path playground_file() {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* place : {"playground/playground.html", "../share/lithe/playground.html"})
    if (fs::is_regular_file(folder / place, ignored)) return folder / place;
  throw InputError(
      "--what-if puts the playground into the page, and there is none beside this program: build it with `make "
      "playground`");
}

std::string playground_page() {
  const fs::path file = playground_file();
  std::string problem;
  const std::optional<std::string> page = read_regular_file(file, largest_table_file, problem);
  if (!page) throw InputError(cat(file.string(), ": ", problem));
  if (page->find(start_mark) == std::string::npos)
    throw InputError(cat(file.string(), ": this playground is older than the program: `make playground`"));
  return *page;
}

// The page reads one text and no files.
std::string text_of(const Model& model) {
  std::string others;
  for (const FileOfRun& file : files_of_run())
    if (file.path != fs::path(model.file)) others += cat(others.empty() ? "" : ", ", file.path.string());
  if (!others.empty())
    throw InputError(cat("--what-if: the page could not compute this model again, which reads other files: ", others));
  const std::optional<std::string> text = text_in_run(model.file);
  if (!text) throw InputError(cat(model.file, ": --what-if: the text of the model is not known"));
  return *text;
}

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

}  // namespace

void add_what_if(CommandOptions& command, WhatIfChoice& choice) {
  const Option wanted = command.add_flag(
      "--what-if", choice.wanted, "Also write a page with sliders for numbers of the model, which computes again");
  command
      .add_option("--slider", choice.sliders,
                  "Number of the model that gets a slider, such as sections.tube.diameter; may be given several times; "
                  "default: the page chooses")
      .one_word_each()
      .needs(wanted);
}

WhatIfPage::WhatIfPage(const WhatIfChoice& choice, const Model& model, const std::string& what, nlohmann::json settings)
    : playground_(playground_page()) {
  const std::string text = text_of(model);
  const ParametricModel numbers(text, model.file, read_options(model.file));
  std::vector<Diagnostic> errors;
  for (const std::string& slider : choice.sliders) {
    try {
      numbers.check(slider);
    } catch (const InputError& error) {
      errors.insert(errors.end(), error.errors().begin(), error.errors().end());
    }
  }
  if (!errors.empty()) throw InputError(std::move(errors));
  start_ = {{"name", fs::path(model.file).filename().string()},
            {"title", model.name},
            {"text", text},
            {"what", what},
            {"settings", std::move(settings)},
            {"sliders", choice.sliders}};
}

fs::path WhatIfPage::save(const Report& report, const fs::path& directory, const std::string& stem) {
  start_["report"] = report_json(report);
  const std::size_t place = playground_.find(start_mark) + start_mark.size();
  FileSet files(directory);
  write_text_file(cat(playground_.substr(0, place), escaped(start_), playground_.substr(place)),
                  files.add(cat(stem, "_what_if.html")));
  files.commit();
  return files.paths().front();
}

}  // namespace lithe::app
