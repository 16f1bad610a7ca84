#include "app/distributed/reduce_command.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>

#include "app/distributed/reduction_report.h"
#include "app/models/import_mesh.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/model/mesh/mesh.h"
#include "lithe/read/read_model.h"
#include "lithe/reduce/interface_nodes.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, link, units, output;
  std::optional<int> num_modes;
  bool outside_files = false;
};

struct Subject {
  Link link;
  std::vector<int> interface_nodes;
};

// The link with that name, or the only one of type mesh.
std::size_t chosen_link(const Model& model, const Options& options) {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < model.links.size(); ++k)
    if (options.link.empty() ? model.links[k].mesh != nullptr : model.links[k].name == options.link) found.push_back(k);
  if (found.size() == 1) return found.front();
  if (!options.link.empty()) throw InputError(cat("the model has no link '", options.link, "'"));
  if (found.empty()) throw InputError("the model has no link of type mesh");
  throw InputError(cat("the model has ", found.size(), " links of type mesh: choose one by --link"));
}

Subject read(const Options& options) {
  Subject subject;
  if (is_mesh_file(options.file)) {
    const std::string text = mesh_model({options.file, {}, options.units});
    Model model = read_model_text(text, options.file);
    subject.link = std::move(model.links.front());
    subject.interface_nodes.resize(subject.link.nodes.size());
    std::iota(subject.interface_nodes.begin(), subject.interface_nodes.end(), 0);
  } else {
    if (!options.units.empty()) throw InputError("--units is for meshes; a model file names the units of its meshes");
    Model model = read_model(options.file, {.outside_files = options.outside_files});
    const std::size_t number = chosen_link(model, options);
    subject.interface_nodes = interface_nodes(model, static_cast<int>(number));
    subject.link = std::move(model.links[number]);
  }
  if (options.num_modes) subject.link.reduction.num_internal_modes = options.num_modes;
  return subject;
}

// Of everything that the processes must agree on. Exact as a floating-point number.
double digest(const Subject& subject) {
  std::uint64_t mixed = 0x243F6A8885A308D3u;
  const auto add = [&](std::uint64_t word) { mixed = std::rotl((mixed ^ word) * 0x9E3779B97F4A7C15u, 29); };
  for (const int node : subject.interface_nodes) add(static_cast<std::uint64_t>(node));
  if (subject.link.mesh) {
    for (const Vector3& position : subject.link.mesh->mesh.positions)
      for (const double x : position) add(std::bit_cast<std::uint64_t>(x));
    for (const int node : subject.link.mesh->mesh.connectivity) add(static_cast<std::uint64_t>(node));
  }
  return static_cast<double>(mixed >> 12);
}

// Every process reads the files. What one of them cannot read ends all alike, with one message.
Subject read_on_all(const Ranks& ranks, const Options& options) {
  std::optional<Subject> subject;
  std::optional<InputError> error;
  try {
    subject = read(options);
  } catch (const InputError& found) {
    error = found;
  } catch (const std::bad_alloc&) {
    error = InputError("not enough memory to read the mesh");
  }
  const std::vector<double> failed = ranks.all(error ? 1 : 0);
  const auto first = static_cast<int>(std::find(failed.begin(), failed.end(), 1.0) - failed.begin());
  if (first < ranks.size()) {
    const std::string text = ranks.broadcast(error ? error->what() : "", first);
    if (error && first == 0) throw *error;
    throw InputError(cat("process ", first, ": ", text));
  }
  const std::vector<double> digests = ranks.all(digest(*subject));
  for (std::size_t k = 1; k < digests.size(); ++k)
    if (digests[k] != digests.front())
      throw InputError(cat("process ", k, " reads another mesh than process 0 in '", options.file,
                           "': all machines must see the same files"));
  return *std::move(subject);
}

class StageClock {
 public:
  void begin(const std::string& name) {
    end();
    times_.emplace_back(name, 0.0);
  }
  const StageTimes& times() {
    end();
    return times_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  void end() {
    const Clock::time_point now = Clock::now();
    if (!times_.empty()) times_.back().second += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  StageTimes times_;
  Clock::time_point last_ = Clock::now();
};

int reduce_by_all(const Ranks& ranks, const Options& options, const Output& output) {
  StageClock clock;
  clock.begin("reading");
  Subject subject = read_on_all(ranks, options);
  const DistributedReduction reduction =
      reduce_distributed(ranks, subject.link, subject.link.reduction, subject.interface_nodes,
                         [&](const std::string& name) { clock.begin(name); });
  if (!ranks.is_first()) return exit_ok;
  if (!options.output.empty()) write_reduction(subject.link, reduction, options.output);
  if (output.json()) {
    nlohmann::json value = reduction_json(subject.link, reduction, clock.times());
    if (!options.output.empty()) value["written"] = options.output;
    output.print(value);
    return exit_ok;
  }
  std::string text = reduction_text(subject.link, reduction, clock.times(), output.style());
  if (!options.output.empty()) text += cat("written: ", options.output, "\n");
  output.print(text);
  return exit_ok;
}

}  // namespace

Command reduce_command(const Ranks& ranks, int errors) {
  return {.name = "reduce",
          .rank = 1,
          .summary = "Reduce one large mesh by many processes (mpirun)",
          .examples =
              "  mpirun -n 4 lithe reduce part.inp -o part.h5\n"
              "  mpirun -n 4 lithe reduce arm.toml --link housing --modes 20 --json\n",
          .set_up = [&ranks, errors](CommandOptions& command) -> Action {
            auto options = std::make_shared<Options>();
            command.add_option("FILE", options->file, "Model file, or mesh (.msh, .inp, .bdf, .nas, .dat, .fem)")
                .required();
            command.add_option("--link", options->link, "Which link of the model; default: the only one of type mesh");
            command.add_option("--units", options->units, "Units of a mesh file, such as \"mm t s\"; default: SI");
            command
                .add_option("--modes", options->num_modes,
                            "Number of modes with the interface held; default: that of the model, 20 for a mesh")
                .positive();
            command.add_option("-o,--output", options->output, "HDF5 file to write; default: print only");
            command.add_flag("--allow-outside-files", options->outside_files,
                             "The model may read files outside its folder");
            return [options, &ranks, errors](const Output& output) {
              try {
                return reduce_by_all(ranks, *options, output);
              } catch (const InputError&) {
                throw;  // all processes have it
              } catch (const std::exception& error) {
                const std::string text =
                    cat("lithe: error: process ", ranks.rank(), " of ", ranks.size(), ": ", error.what(), "\n");
                if (write(errors, text.data(), text.size()) < 0) ranks.abandon(exit_failed);
                ranks.abandon(exit_failed);
              }
            };
          }};
}

}  // namespace lithe::app
