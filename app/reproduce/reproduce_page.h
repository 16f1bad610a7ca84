// All that was reproduced on one page: tables, figures, agreement, and the reason of each discrepancy.
#pragma once

#include <string>
#include <vector>

#include "app/reproduce/reproduce.h"
#include "app/reproduce/reproduce_figures.h"

namespace lithe::app {

struct ReproducedCase {
  std::string name, summary;
  std::vector<PublishedRow> rows;
  std::vector<PublishedFigure> figures;
};

// HTML without scripts, that asks no server for anything.
std::string reproduce_page(const std::vector<ReproducedCase>& cases);

}  // namespace lithe::app
