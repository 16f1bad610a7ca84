// What `condense`, `sweep` and `run` share: from settings to the condensed model, from that to text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/output.h"
#include "lithe/analyse/condense/condense.h"
#include "lithe/analyse/condense/full.h"
#include "lithe/analyse/condense/sets.h"
#include "lithe/view/report.h"

namespace lithe::app {

struct CondenseSettings {
  std::vector<std::string> independent, held;  // nodes as link:node, joints by name
  std::string tool;
  std::string route = "superelements";
  int count = 30;
  bool full = false;
  bool hold_spins = true;
  std::vector<ImposedDisplacement> imposed;
};

// Settings of a request, or the defaults.
CondenseSettings condense_settings(const AnalysisRequest* request);
// Names looked up in the model. Throws InputError for unknown ones.
CondenseOptions condense_options(const Model& model, const CondenseSettings& settings);

struct CondenseOutcome {
  CondensedModel condensed;
  CondensedModes modes;
  NodeSets sets;
  std::optional<FullModel> full;
  std::string tool;  // as the user wrote it
};
inline VectorX full_frequencies(const CondenseOutcome& outcome) {
  return outcome.full ? outcome.full->frequencies : VectorX();
}
CondenseOutcome run_condense(const Model& model, const CondenseSettings& settings);

std::string condense_text(const Model& model, const CondenseOutcome& outcome, const Style& style);
nlohmann::json condense_json(const Model& model, const CondenseOutcome& outcome);
// The page: the mechanism in its configuration, frequencies, matrices of the tool.
Report condense_page(const Model& model, const CondenseOutcome& outcome);

}  // namespace lithe::app
