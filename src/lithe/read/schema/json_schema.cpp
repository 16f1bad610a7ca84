// The model file as JSON Schema (draft 7), from the same tables that drive the reader. A schema sees keys, types,
// ranges and choices; it does not see names that refer to nothing, dimensions of units or keys that exclude each other.
#include "lithe/read/schema/json_schema.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lithe/base/text.h"
#include "lithe/read/schema/all_tables.h"

namespace lithe {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view analyses = "[[analyses]] kind = \"";

// Where a table stands in the file: "" for the file, "links.segments" for [[links.segments]], "materials" for
// [materials.NAME], "analyses" for every [[analyses]] kind = "...", and the heading itself for tables such as "sine".
std::string place_of(const TableSpec& table) {
  if (&table == &file_table()) return {};
  if (table.heading.starts_with(analyses)) return "analyses";
  std::string place(table.heading);
  std::erase_if(place, [](char letter) { return letter == '[' || letter == ']'; });
  if (place.ends_with(".NAME")) place.erase(place.size() - 5);
  return place;
}

std::string kind_of_analysis(const TableSpec& table) {
  const std::string_view rest = table.heading.substr(analyses.size());
  return std::string(rest.substr(0, rest.find('"')));
}

// The name of its definition in the schema.
std::string name_of(const TableSpec& table) {
  std::string name = table.heading.starts_with(analyses) ? "analyses." + kind_of_analysis(table) : place_of(table);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

Json reference_to(const TableSpec& table) { return {{"$ref", "#/definitions/" + name_of(table)}}; }

bool has_word(std::string_view text, std::string_view word) {
  const std::string padded = cat(" ", text, " ");
  return padded.find(cat(" ", word, " ")) != std::string::npos;
}

// The table that a key of type table, tables or named_tables holds.
const TableSpec* inner_table(const TableSpec& outer, std::string_view key) {
  const std::string place = place_of(outer).empty() ? std::string(key) : cat(place_of(outer), ".", key);
  const std::vector<const TableSpec*> all = all_tables();
  for (const TableSpec* table : all)
    if (table != &outer && place_of(*table) == place) return table;
  // A row of Denavit-Hartenberg and a robot's link are links, too: their damping is not that of the mechanism.
  for (const std::string& other : {cat("links.", key), std::string(key)})
    for (const TableSpec* table : all)
      if (has_word(place_of(*table), other)) return table;
  return nullptr;
}

// One of the kinds; the keys are those of the kind.
Json analysis_schema() {
  Json kinds = Json::array(), rules = Json::array();
  for (const TableSpec* table : all_tables()) {
    if (!table->heading.starts_with(analyses)) continue;
    const std::string kind = kind_of_analysis(*table);
    kinds.push_back(kind);
    rules.push_back({{"if", {{"properties", {{"kind", {{"const", kind}}}}}, {"required", {"kind"}}}},
                     {"then", reference_to(*table)}});
  }
  return {{"type", "object"}, {"required", {"kind"}}, {"properties", {{"kind", {{"enum", kinds}}}}}, {"allOf", rules}};
}

void add_range(Json& schema, const Range& range) {
  if (std::isfinite(range.low)) schema[range.low_included ? "minimum" : "exclusiveMinimum"] = range.low;
  if (std::isfinite(range.high)) schema[range.high_included ? "maximum" : "exclusiveMaximum"] = range.high;
}

// A number in SI units, or a text with its unit. What may not be negative has no minus in the text either.
Json quantity_schema(const Range& range) {
  Json schema = {{"type", {"number", "string"}}};
  add_range(schema, range);
  const char* sign = range.low >= 0 ? "[+]?" : "[-+]?";
  schema["pattern"] = cat("^\\s*", sign, "([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?\\s*([^0-9\\s].*)?$");
  return schema;
}

Json integer_schema(const Range& range) {
  Json schema = {{"type", "integer"}};
  add_range(schema, range);
  return schema;
}

Json array_of(const Json& item, int count = 0) {
  Json schema = {{"type", "array"}, {"items", item}};
  if (count > 0) schema["minItems"] = schema["maxItems"] = count;
  return schema;
}

Json any_of(std::vector<Json> schemas) { return {{"anyOf", std::move(schemas)}}; }

Json inner_schema(const TableSpec& outer, const KeySpec& key) {
  if (&outer == &file_table() && key.name == "analyses") return analysis_schema();
  const TableSpec* table = inner_table(outer, key.name);
  return table ? reference_to(*table) : Json{{"type", "object"}};
}

// [[links]], or tables by name where there is a "[links.NAME] beside ...".
Json tables_schema(const TableSpec& outer, const KeySpec& key) {
  const Json list = array_of(inner_schema(outer, key));
  for (const TableSpec* table : all_tables())
    if (&outer == &file_table() && table->heading.starts_with(cat("[", key.name, ".NAME] beside")))
      return any_of({list, {{"type", "object"}, {"additionalProperties", reference_to(*table)}}});
  return list;
}

Json value_schema(const TableSpec& table, const KeySpec& key) {
  const Json quantity = quantity_schema(key.range), vector = array_of(quantity_schema(any_value), 3);
  const Json pair = array_of(quantity_schema(any_value), 2), text = {{"type", "string"}};
  switch (key.type) {
    case KeyType::number:
      return quantity;
    case KeyType::integer:
      return integer_schema(key.range);
    case KeyType::text:
      return text;
    case KeyType::boolean:
      return {{"type", "boolean"}};
    case KeyType::switched:
      return any_of({{{"type", "boolean"}}, {{"enum", {"auto"}}}});
    case KeyType::choice:
      return {{"enum", split_choices(key.choices)}};
    case KeyType::vector:
      return vector;
    case KeyType::numbers:
      return any_of({quantity, array_of(quantity)});
    case KeyType::integers:
      return any_of({integer_schema(key.range), array_of(integer_schema(key.range))});
    case KeyType::texts:
      return array_of(text);
    case KeyType::matrix:
      return array_of(array_of(quantity_schema(any_value), 6), 6);
    case KeyType::inertia:
      return any_of({vector, array_of(vector, 3)});
    case KeyType::orientation:
      return any_of({vector, reference_to(orientation_table())});
    case KeyType::signal:
      return any_of({quantity_schema(any_value), vector, reference_to(signal_table())});  // a vector: of a load
    case KeyType::points:
      return array_of(pair);
    case KeyType::limits:
      return any_of({pair, array_of(any_of({pair, array_of(text, 0)}))});
    case KeyType::column:
      return any_of({text, integer_schema({1, any_value.high})});
    case KeyType::table:
      if (key.choices.empty()) return inner_schema(table, key);
      return any_of({{{"enum", split_choices(key.choices)}}, inner_schema(table, key)});
    case KeyType::tables:
      return tables_schema(table, key);
    case KeyType::named_tables:
      return {{"type", "object"}, {"additionalProperties", inner_schema(table, key)}};
    case KeyType::vectors:
      return {{"type", "object"}, {"additionalProperties", vector}};
  }
  return Json::object();
}

std::string description(const KeySpec& key) {
  std::string text(key.sentence);
  if (!key.unit.empty()) text += cat(" Unit: ", key.unit, ".");
  if (!key.default_value.empty()) text += cat(" Default: ", key.default_value, ".");
  return text;
}

Json table_schema(const TableSpec& table) {
  Json schema = {{"type", "object"}, {"description", table.sentence}, {"additionalProperties", false}};
  Json required = Json::array(), properties = Json::object();
  for (const KeySpec& key : table.keys) {
    Json value = value_schema(table, key);
    // Beside a reference draft 7 ignores everything else.
    if (value.contains("$ref")) value = Json{{"allOf", {value}}};
    value["description"] = description(key);
    properties[std::string(key.name)] = std::move(value);
    if (key.required) required.push_back(key.name);
  }
  if (!required.empty()) schema["required"] = std::move(required);
  schema["properties"] = std::move(properties);
  return schema;
}

}  // namespace

std::string model_file_schema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "Lithe model file"}};
  schema.update(table_schema(file_table()));
  Json definitions = Json::object();
  for (const TableSpec* table : all_tables())
    if (table != &file_table()) definitions[name_of(*table)] = table_schema(*table);
  schema["definitions"] = std::move(definitions);
  return schema.dump(2) + "\n";
}

}  // namespace lithe
