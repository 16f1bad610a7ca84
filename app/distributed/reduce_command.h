// `lithe reduce` by many processes.
#pragma once

#include "app/program/command.h"
#include "lithe/reduce/distributed/ranks.h"

namespace lithe::app {

// `errors`: a file descriptor for what a single process has to say before it ends all others.
Command reduce_command(const Ranks& ranks, int errors);

}  // namespace lithe::app
