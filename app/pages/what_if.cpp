#include "app/pages/what_if.h"

#include "app/terminal/consent.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/results/files/file_set.h"

namespace lithe::app {
namespace {

namespace fs = std::filesystem;

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

std::string what_if_name(const std::string& stem) { return stem + "_what_if.html"; }

void add_what_if_name(const WhatIfChoice& choice, const std::string& stem, std::vector<std::string>& names) {
  if (choice.wanted) names.push_back(what_if_name(stem));
}

WhatIfPage::WhatIfPage(const WhatIfChoice& choice, const Model& model, const std::string& what,
                       const nlohmann::json& settings)
    : playground_(read_playground(playground_file())) {
  const std::optional<std::string> text = text_in_run(model.file);
  if (!text) throw InputError(cat(model.file, ": --what-if: the text of the model is not known"));
  start_ = {model.file, model.name, *text, what, settings.dump(), choice.sliders};
  check_what_if(start_, read_options(model.file));
}

fs::path WhatIfPage::save(const Report& report, const fs::path& directory, const std::string& stem) {
  FileSet files(directory);
  files.write(what_if_name(stem), what_if_text(playground_, start_, report));
  files.commit();
  return files.paths().front();
}

}  // namespace lithe::app
