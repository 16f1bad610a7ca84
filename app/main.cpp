#include "app/verb.h"

int main(int argc, char** argv) { return lithe::app::run_command_line(argc, argv); }
