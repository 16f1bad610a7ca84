#include "app/distributed/reduce_command.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

#include "app/distributed/reduction_report.h"
#include "app/models/part_to_reduce.h"
#include "app/terminal/result_directory.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/model/mesh/mesh.h"
#include "lithe/results/reduced_body_file.h"

namespace lithe::app {
namespace {

struct Subject {
  Model model;
  int link = 0;
};

Subject read(const ReduceOptions& options) {
  Subject subject{model_to_reduce(options), 0};
  subject.link = link_to_reduce(options, subject.model);
  return subject;
}

const Link& link_of(const Subject& subject) { return subject.model.links[static_cast<std::size_t>(subject.link)]; }

// Of the mesh and its interfaces, which the processes must agree on. Exact as a floating-point number.
double digest(const Link& link) {
  std::uint64_t mixed = 0x243F6A8885A308D3u;
  const auto add = [&](std::uint64_t word) { mixed = std::rotl((mixed ^ word) * 0x9E3779B97F4A7C15u, 29); };
  for (const Spider& spider : link.spiders)
    for (const int node : spider.nodes) add(static_cast<std::uint64_t>(node));
  if (link.mesh) {
    for (const Vector3& position : link.mesh->mesh.positions)
      for (const double x : position) add(std::bit_cast<std::uint64_t>(x));
    for (const int node : link.mesh->mesh.connectivity) add(static_cast<std::uint64_t>(node));
  }
  return static_cast<double>(mixed >> 12);
}

// Every process reads the files. What one of them cannot read ends all alike, with one message.
Subject read_on_all(const Ranks& ranks, const ReduceOptions& options) {
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
  const std::vector<double> digests = ranks.all(digest(link_of(*subject)));
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

// A failure that all processes know of.
struct CommonFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What the first process does for all: where it fails, all of them know why.
void by_first(const Ranks& ranks, const std::function<void()>& action) {
  std::string problem;
  bool bad_input = false;
  try {
    if (ranks.is_first()) action();
  } catch (const InputError& error) {
    problem = error.what();
    bad_input = true;
  } catch (const std::exception& error) {
    problem = error.what();
  }
  problem = ranks.broadcast(problem);
  if (problem.empty()) return;
  if (ranks.all(bad_input ? 1 : 0).front() != 0) throw InputError(problem);
  throw CommonFailure(problem);
}

int reduce_by_all(const Ranks& ranks, const ReduceOptions& options, const Output& output) {
  StageClock clock;
  clock.begin("reading");
  const Subject subject = read_on_all(ranks, options);
  by_first(ranks, [&] { try_file(options.output); });
  const DistributedReduction reduction =
      reduce_distributed(ranks, link_of(subject), options.modes, [&](const std::string& name) { clock.begin(name); });
  require_sound(reduction.part);
  by_first(ranks, [&] { write_reduced_body(reduction.part, options.output); });
  if (output.json()) {
    nlohmann::json value = json_of(reduction.part);
    value["processes"] = json_of(reduction.ranks);
    value["seconds"] = json_of(clock.times());
    value["written"] = options.output;
    output.print(value);
    return exit_ok;
  }
  output.print(cat(text_of(reduction.part, output.style()), "\n",
                   text_of(reduction.ranks, clock.times(), output.style()), "\nwritten: ", options.output, "\n"));
  return exit_ok;
}

}  // namespace

Command reduce_command(const Ranks& ranks, int errors) {
  return {.name = "reduce",
          .rank = 83,
          .summary = "Reduce a large mesh by many processes (mpirun) to a file that replaces it",
          .examples =
              "  mpirun -n 4 lithe reduce part.inp -o part.h5\n"
              "  mpirun -n 4 lithe reduce robot.toml --link bracket --modes 40 -o bracket.h5 --json\n",
          .set_up = [&ranks, errors](CommandOptions& command) -> Action {
            const std::shared_ptr<ReduceOptions> options = add_reduce_options(command);
            return [options, &ranks, errors](const Output& output) {
              try {
                return reduce_by_all(ranks, *options, output);
              } catch (const InputError&) {
                throw;  // all processes have it
              } catch (const CommonFailure&) {
                throw;
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
