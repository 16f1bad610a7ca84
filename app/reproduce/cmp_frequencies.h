// Rows of [CMP] Table II, for the cases that show it.
#pragma once

#include <vector>

#include "app/reproduce.h"

namespace lithe::app {

std::vector<PublishedRow> cmp_table2_rows(Progress& progress);

}  // namespace lithe::app
