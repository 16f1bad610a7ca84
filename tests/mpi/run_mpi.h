// The processes that run the tests together.
#pragma once

#include "lithe/reduce/distributed/ranks.h"

const lithe::Ranks& all_ranks();
