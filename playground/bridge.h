// What the page asks of the engine, as JSON in and out. No file, no program, no address is ever reached: a model that
// comes by a link cannot name any.
#pragma once

#include <nlohmann/json.hpp>

namespace lithe::playground {

// {"what": "check" | "modes" | "motion" | "linear" | "map" | "schema", "text": the model file, "file": its name,
// "report": whether the data of the report page are wanted, "values": whether every number of a motion and the matrices
// of a linear model are, "settings": over those of the file, app/pages/settings_json.h}. The answer has "errors"
// ({line, column, message}) or what was asked for.
nlohmann::json answer(const nlohmann::json& request);

}  // namespace lithe::playground
