// A page in which readers change numbers of the model and see what comes of it: the playground (playground/), with a
// model and its result inside.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/pages/settings_json.h"
#include "app/terminal/options.h"
#include "lithe/model/model.h"
#include "lithe/view/what_if_page.h"

namespace lithe::app {

// What --what-if and --slider say.
struct WhatIfChoice {
  bool wanted = false;
  std::vector<std::string> sliders;
};
void add_what_if(CommandOptions& command, WhatIfChoice& choice);
// The file of the page of results <stem>; added to `names` where a page is wanted.
std::string what_if_name(const std::string& stem);
void add_what_if_name(const WhatIfChoice& choice, const std::string& stem, std::vector<std::string>& names);

class WhatIfPage {
 public:
  // `what`: the question of playground/bridge.h that the result answers. Throws InputError where there is no
  // playground, where the page could not compute this model, and for sliders of what is no number of it.
  WhatIfPage(const WhatIfChoice& choice, const Model& model, const std::string& what, const nlohmann::json& settings);
  // Writes the page beside the results <stem>.
  std::filesystem::path save(const Report& report, const std::filesystem::path& directory, const std::string& stem);

 private:
  std::string playground_;
  WhatIfStart start_;
};

// Nothing where none is wanted.
template <class Spec>
std::optional<WhatIfPage> what_if_page(const WhatIfChoice& choice, const Model& model, const std::string& what,
                                       const Spec& spec) {
  if (!choice.wanted) return std::nullopt;
  return WhatIfPage(choice, model, what, settings_json(spec));
}

}  // namespace lithe::app
