#include <Eigen/Core>

#include "app/program/command.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

std::string compiler() {
#if defined(__clang__)
  return cat("clang ", __clang_major__, ".", __clang_minor__);
#else
  return cat("g++ ", __GNUC__, ".", __GNUC_MINOR__);
#endif
}

int print_version(const Output& output) {
  const std::string eigen = cat(EIGEN_WORLD_VERSION, ".", EIGEN_MAJOR_VERSION, ".", EIGEN_MINOR_VERSION);
  if (output.json()) {
    output.print(nlohmann::json{{"name", "lithe"},
                                {"version", LITHE_VERSION},
                                {"compiler", compiler()},
                                {"eigen", eigen},
                                {"build", LITHE_BUILD_TYPE}});
  } else {
    output.print(cat("lithe ", LITHE_VERSION, " (", LITHE_BUILD_TYPE, ", ", compiler(), ", Eigen ", eigen, ")\n"));
  }
  return exit_ok;
}

const CommandRegistration registration({.name = "version",
                                        .rank = 90,
                                        .summary = "Version of the program and of what it was built with",
                                        .examples = "  lithe version\n  lithe version --json\n",
                                        .set_up = [](CommandOptions&) -> Action { return print_version; }});

}  // namespace
}  // namespace lithe::app
