// The page "Validation" of the documentation site.
#pragma once

#include <string>
#include <vector>

#include "app/reproduce/reproduce_page.h"

namespace lithe::app {

// Markdown: what agrees, case by case, then every published number beside the computed one.
std::string validation_page(const std::vector<ReproducedCase>& cases);

}  // namespace lithe::app
