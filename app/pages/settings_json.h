// The settings of an analysis as JSON, by the names of the fields in python/spec_fields.h: a page that repeats the
// analysis elsewhere does it with the same ones.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "python/spec_fields.h"

namespace lithe::app {

template <class Spec>
nlohmann::json settings_json(Spec spec);
template <class Spec>
void take_settings(Spec& spec, const nlohmann::json& settings);

namespace settings {

inline nlohmann::json written(const FormulationChoice& choice) { return choice.formulation; }
inline void read(FormulationChoice& choice, const nlohmann::json& value) { choice.formulation = value; }
inline nlohmann::json written(const SimulateSpec& spec) { return settings_json(spec); }
inline void read(SimulateSpec& spec, const nlohmann::json& value) { take_settings(spec, value); }

template <class Value>
nlohmann::json written(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return static_cast<int>(value);
  } else {
    return value;
  }
}
template <class Value>
nlohmann::json written(const std::optional<Value>& value) {
  return value ? written(*value) : nlohmann::json();
}

template <class Value>
void read(Value& field, const nlohmann::json& value) {
  if constexpr (std::is_enum_v<Value>) {
    field = static_cast<Value>(value.get<int>());
  } else {
    value.get_to(field);
  }
}
template <class Value>
void read(std::optional<Value>& field, const nlohmann::json& value) {
  if (value.is_null()) {
    field.reset();
  } else {
    read(field.emplace(), value);
  }
}

}  // namespace settings

template <class Spec>
nlohmann::json settings_json(Spec spec) {
  nlohmann::json all;
  python::fields_of(spec, [&](const char* name, auto& field, const char*) { all[name] = settings::written(field); });
  return all;
}

// Those that are not there stay as they are.
template <class Spec>
void take_settings(Spec& spec, const nlohmann::json& settings) {
  python::fields_of(spec, [&](const char* name, auto& field, const char*) {
    if (const auto found = settings.find(name); found != settings.end()) settings::read(field, *found);
  });
}

}  // namespace lithe::app
