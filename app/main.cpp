#include "app/command.h"
#include "lithe/reduce/eigensolver_spectra.h"

int main(int argc, char** argv) {
  lithe::use_spectra();  // for bodies too large for a dense eigenproblem
  return lithe::app::run_command_line(argc, argv);
}
