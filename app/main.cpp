#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  CLI::App program("Flexible multibody dynamics");
  program.set_version_flag("--version", "lithe 0.1.0");
  CLI11_PARSE(program, argc, argv);
  return 0;
}
