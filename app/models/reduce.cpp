// `lithe reduce`: a part reduced once, in a file that other models take in place of its mesh.
#include <sys/resource.h>

#include "app/models/part_to_reduce.h"
#include "app/program/command.h"
#include "app/terminal/result_directory.h"
#include "lithe/base/text.h"
#include "lithe/results/reduced_body_file.h"

namespace lithe::app {
namespace {

// Of this process so far, bytes.
double peak_memory() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return 1024.0 * static_cast<double>(use.ru_maxrss);
}

int run(const ReduceOptions& options, const Output& output) {
  const Model model = model_to_reduce(options);
  try_file(options.output);
  const PortableBody part = portable_body(model, link_to_reduce(options, model), options.modes);
  require_sound(part);
  write_reduced_body(part, options.output);
  if (output.json()) {
    nlohmann::json value = json_of(part);
    value["peak_bytes"] = peak_memory();
    value["written"] = options.output;
    output.print(value);
    return exit_ok;
  }
  output.print(cat(text_of(part, output.style()), "\npeak memory: ", number(peak_memory() / 1e6, 3),
                   " MB\nwritten: ", options.output, "\n"));
  return exit_ok;
}

const CommandRegistration registration(
    {.name = "reduce",
     .rank = 83,
     .summary = "Reduce a flexible link once and write it to a file that replaces its mesh",
     .examples = "  lithe reduce robot.toml --link bracket -o bracket.h5\n"
                 "  lithe reduce part.inp --units \"mm t s\" --modes 40 -o part.h5\n"
                 "  mpirun -n 4 lithe reduce part.inp -o part.h5    # a large mesh by four processes\n",
     .set_up = [](CommandOptions& command) -> Action {
       const std::shared_ptr<ReduceOptions> options = add_reduce_options(command);
       return [options](const Output& output) { return run(*options, output); };
     }});

}  // namespace
}  // namespace lithe::app
