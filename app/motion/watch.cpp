// Computes again at every save of a model file, and shows the page anew in the browser.
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "app/program/child_process.h"
#include "app/program/command.h"
#include "app/program/local_server.h"
#include "app/program/open_browser.h"
#include "app/terminal/consent.h"
#include "app/terminal/interrupt.h"
#include "app/terminal/result_directory.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/read_model.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/results/files/file_set.h"

namespace lithe::app {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string file, directory, command;
  int port = 0;
  bool only_print = false;
};

// The page around the report: asks every 0.3 s whether there is a new one; errors stand above the last good one.
constexpr std::string_view frame_page = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><title>lithe watch</title>
<style>
  html, body { margin: 0; height: 100%; font: 14px/1.4 system-ui, sans-serif; background: Canvas; color: CanvasText; }
  body { display: flex; flex-direction: column; color-scheme: light dark; }
  iframe { flex: 1; border: 0; }
  pre { margin: 0; padding: 8px 12px; max-height: 40%; overflow: auto; white-space: pre-wrap; }
  pre.bad { background: #7a1f0f; color: #fff; }
  pre.good { display: none; }
</style>
<pre id="messages" class="good" role="status"></pre><iframe id="page" title="report"></iframe>
<script>
  let count = 0;
  async function look() {
    try {
      const state = await (await fetch("watch.json", { cache: "no-store" })).json();
      if (state.count !== count) {
        count = state.count;
        const messages = document.getElementById("messages");
        messages.className = state.ok ? "good" : "bad";
        messages.textContent = state.ok ? "" : state.messages;
        if (state.ok && state.page) document.getElementById("page").src = state.page + "?" + count;
        document.title = (state.ok ? "" : "error: ") + state.model;
      }
    } catch (error) {
      document.title = "lithe watch has ended";
    }
    setTimeout(look, 300);
  }
  look();
</script>
</html>
)";

// Files that a model file may name: tables, matrices, meshes, robots, shapes.
bool may_be_read(const fs::path& file) {
  static const std::set<std::string> endings = {".csv", ".mtx", ".npy", ".npz", ".op4", ".pch", ".hb",   ".sti",
                                                ".mas", ".dof", ".h5",  ".msh", ".inp", ".bdf", ".nas",  ".dat",
                                                ".fem", ".xml", ".sdf", ".stl", ".obj", ".dae", ".urdf", ".txt"};
  return endings.contains(file.extension().string());
}

// What a model asks for, and the files that it has named by now.
struct Reading {
  std::string command;
  std::vector<fs::path> files;
};

// The analyses of the file; frequencies of a file without any; errors of a broken one.
Reading read_now(const Options& options) {
  Reading reading{"check", {}};
  forget_files_of_run();
  try {
    const Model model = read_model(options.file, read_options(options.file));
    reading.command = model.analyses.empty() ? "modes" : "run";
  } catch (const std::exception&) {  // the command says it
  }
  if (!options.command.empty()) reading.command = options.command;
  for (const FileOfRun& file : files_of_run()) reading.files.push_back(file.path);
  forget_files_of_run();
  return reading;
}

using FileStates = std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>>;

void look_at(const fs::path& file, FileStates& states) {
  std::error_code gone;
  states[file.lexically_normal().string()] = {fs::file_size(file, gone), fs::last_write_time(file, gone)};
}

// Size and time of the model file, of those that it has named, and of those beside it that it may name; unless results
// are written there, which would never end.
FileStates files_of(const fs::path& model, const std::vector<fs::path>& named, const fs::path& results) {
  FileStates states;
  const fs::path folder = model.parent_path().empty() ? fs::path(".") : model.parent_path();
  std::error_code error;
  if (!fs::equivalent(folder, results, error))
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      if (may_be_read(at->path())) look_at(at->path(), states);
  for (const fs::path& file : named) look_at(file, states);
  if (fs::exists(model, error)) look_at(model, states);
  return states;
}

class Watcher {
 public:
  Watcher(const Options& options, fs::path directory) : options_(options), directory_(std::move(directory)) {
    FileSet files(directory_);
    files.write("watch.html", std::string(frame_page));
    files.commit();
  }

  // Computes and says so; the page asks for watch.json. A file that could not be read because somebody was writing it
  // is left to the next look: `changed` says whether there will be one.
  void compute(const std::string& command, const std::function<bool()>& changed) {
    std::vector<std::string> words = {command, options_.file};
    if (command != "check") words.insert(words.end(), {"-o", directory_.string()});
    const ChildResult result = run_this_program(words);
    if (interrupted() || (command == "check" && changed())) return;
    ++count_;
    const bool ok = result.exit_code == exit_ok && command != "check";
    const std::string page = ok ? newest_page() : std::string();
    FileSet files(directory_);
    files.write("watch.json", nlohmann::json{{"count", count_},
                                             {"ok", ok || result.exit_code == exit_ok},
                                             {"model", options_.file},
                                             {"command", command},
                                             {"page", page},
                                             {"messages", result.text}}
                                  .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    files.commit();
    std::cerr << result.text << "-- " << options_.file << ": " << command
              << (result.exit_code == exit_ok ? " done" : " failed") << "; waiting for the next save\n";
  }

 private:
  std::string newest_page() const {
    std::string newest;
    fs::file_time_type time;
    std::error_code error;
    for (fs::directory_iterator at(directory_, error), end; !error && at != end; at.increment(error)) {
      const fs::path name = at->path().filename();
      std::error_code gone;  // a link that leads nowhere, a file that was removed meanwhile
      const fs::file_time_type written = at->last_write_time(gone);
      if (gone || name.extension() != ".html" || name == "watch.html") continue;
      if (!newest.empty() && written < time) continue;
      newest = name.string();
      time = written;
    }
    return newest;
  }

  Options options_;
  fs::path directory_;
  int count_ = 0;
};

int run(const Options& options, const Output& output) {
  std::error_code ignored;
  if (!fs::is_regular_file(options.file, ignored)) throw InputError(cat(options.file, ": there is no such file"));
  const std::string name = fs::path(options.file).stem().string();
  const fs::path directory =
      options.directory.empty() ? fs::path("results") / file_name_of(name) : fs::path(options.directory);
  Watcher watcher(options, directory);
  LocalServer server(directory, options.port);
  const std::string address = cat("http://127.0.0.1:", server.port(), "/watch.html");
  if (output.json()) {
    output.print(nlohmann::json{{"model", options.file}, {"address", address}});
  } else {
    output.print(cat("Watching ", options.file, " at ", address, "; Ctrl-C ends it.\n"));
  }
  std::cout.flush();
  const InterruptGuard guard;
  Reading reading;
  FileStates seen;
  const auto changed = [&] { return files_of(options.file, reading.files, directory) != seen; };
  // What changes while it is read is seen by the next look.
  const auto look = [&] {
    const FileStates before = files_of(options.file, reading.files, directory);
    reading = read_now(options);
    seen = files_of(options.file, reading.files, directory);
    for (const auto& [file, state] : before)
      if (seen.contains(file)) seen[file] = state;
    watcher.compute(reading.command, changed);
  };
  look();
  if (!options.only_print && !interrupted()) open_in_browser(address);
  while (!interrupted()) {
    server.answer_one(0.1);
    if (changed() && fs::exists(options.file, ignored)) look();
  }
  forget_interrupt();
  return exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  command.add_option("FILE", options->file, "Model file").required();
  command.add_option("-o,--output", options->directory, "Directory for results; results/<file name> by default");
  command
      .add_option("--command", options->command,
                  "What to compute; default: all analyses of the file, or its modes when it has none")
      .one_of({"check", "modes", "simulate", "equilibrium", "linearise", "condense", "control", "run"});
  command.add_option("--port", options->port, "Port to serve on; default: any free one").between(0, 65535);
  command.add_flag("--print", options->only_print, "Print the address; open no browser");
  return [options](const Output& output) { return run(*options, output); };
}

const CommandRegistration registration(
    {.name = "watch",
     .rank = 56,
     .summary = "Recompute and refresh the report page at every save of a model file",
     .examples = "  lithe watch arm.toml\n  lithe watch arm.toml --command modes --port 8000 --print\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
