// Opens a report page, from disk or from a small server on this machine.
#include <filesystem>
#include <iostream>
#include <memory>

#include "app/pages/beside.h"
#include "app/program/command.h"
#include "app/program/local_server.h"
#include "app/program/open_browser.h"
#include "app/terminal/interrupt.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string result, other, output;
  bool serve = false, only_print = false;
  int port = 0;
};

// Every command has a page of its own; the last one that was written is the one to look at.
fs::path newest_page(const fs::path& folder) {
  fs::path newest;
  fs::file_time_type time;
  std::error_code error;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->path().extension() != ".html" || !at->is_regular_file(ignored)) continue;
    const fs::file_time_type written = at->last_write_time(ignored);
    if (!newest.empty() && (written < time || (written == time && newest < at->path()))) continue;
    newest = folder / at->path().filename();
    time = written;
  }
  return newest;
}

// The page itself, or the one in a directory of results, or the one beside a result file: of the same name, if there is
// one.
fs::path find_page(const std::string& result) {
  std::error_code ignored;
  const fs::path path(result);
  if (path.extension() == ".html" && fs::is_regular_file(path, ignored)) return path;
  const bool directory = fs::is_directory(path, ignored);
  if (directory || fs::is_regular_file(path, ignored)) {
    if (const fs::path own = fs::path(path).replace_extension(".html"); !directory && fs::exists(own, ignored))
      return own;
    const fs::path page = newest_page(directory ? path : path.parent_path());
    if (!page.empty()) return page;
  }
  throw InputError(cat(result, ": there is no report page; `lithe simulate`, `modes` and `run` write one"));
}

int serve(const fs::path& page, const Options& options, const Output& output) {
  LocalServer server(page.parent_path().empty() ? fs::path(".") : page.parent_path(), options.port);
  const std::string address = cat("http://127.0.0.1:", server.port(), "/", page.filename().string());
  if (output.json()) {
    output.print(nlohmann::json{{"page", page.string()}, {"address", address}});
  } else {
    output.print(cat("Serving ", page.string(), " at ", address, " to this machine alone; Ctrl-C ends it.\n"));
  }
  if (!options.only_print) open_in_browser(address);
  const InterruptGuard guard;
  while (!interrupted()) server.answer_one(0.2);
  forget_interrupt();
  return exit_ok;
}

// Shorter from where the user is.
fs::path near_here(const fs::path& path) {
  const fs::path relative = fs::absolute(path).lexically_proximate(fs::current_path());
  return relative.string().size() < path.string().size() ? relative : path;
}

fs::path page_to_show(const Options& options) {
  const fs::path first = find_page(options.result);
  if (options.other.empty()) return first;
  return near_here(write_page_of_both(page_pair(first, find_page(options.other)), options.output));
}

int run(const Options& options, const Output& output) {
  if (options.other.empty() && !options.output.empty())
    throw InputError("--output is for the page of two results: lithe view RESULT OTHER --output FILE");
  const fs::path page = page_to_show(options);
  if (options.serve) return serve(page, options, output);
  const bool opened = !options.only_print && open_in_browser(fs::absolute(page).string());
  if (output.json()) {
    output.print(nlohmann::json{{"page", page.string()}, {"opened", opened}});
  } else if (opened) {
    output.print(cat("Opened ", page.string(), "\n"));
  } else {
    output.print(cat(page.string(), options.only_print ? "\n" : ": open this file in a browser\n"));
  }
  return exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  command.add_option("RESULT", options->result, "Directory of results, a file in it, or a report page").required();
  command.add_option("OTHER", options->other, "Another result, to show beside the first on one page");
  command.add_option("-o,--output", options->output,
                     "Page of both results; default: FIRST_and_SECOND.html beside the folder of the first");
  const Option served =
      command.add_flag("--serve", options->serve, "Serve the directory on 127.0.0.1 instead of opening the file");
  command.add_option("--port", options->port, "Port to serve on; default: any free one")
      .between(0, 65535)
      .needs(served);
  command.add_flag("--print", options->only_print, "Print the path of the page; open no browser");
  return [options](const Output& output) { return run(*options, output); };
}

const CommandRegistration registration(
    {.name = "view",
     .rank = 54,
     .summary = "Open the report page of results, or of two side by side, in a browser",
     .examples = "  lithe view results/arm\n  lithe view results/arm results/stiffer_arm\n"
                 "  lithe view results/arm --serve\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
