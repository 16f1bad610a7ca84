// Results in the playground, with numbers of the model to change.
#pragma once

#include <string>
#include <vector>

#include "app/pages/settings_json.h"
#include "lithe/view/what_if_page.h"

namespace lithe::python {

// What Python gives: the model, the file of the playground, and numbers that have a slider from the start.
struct WhatIfWish {
  std::string text, file;
  bool outside_files = false;
  std::string playground;
  std::vector<std::string> sliders;
};

// The page with a report in it; `what`: the question of playground/bridge.h that it answers. Without the interpreter's
// lock. Throws InputError where the page could not compute the model again.
std::string what_if(const WhatIfWish& wish, const std::string& what, const std::string& settings, const Report& report);

template <class Spec>
std::string what_if(const WhatIfWish& wish, const std::string& what, const Spec& spec, const Report& report) {
  return what_if(wish, what, app::settings_json(spec).dump(), report);
}

}  // namespace lithe::python
