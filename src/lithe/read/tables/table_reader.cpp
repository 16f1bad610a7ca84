#include "lithe/read/tables/table_reader.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "lithe/base/nearest_name.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"

namespace lithe {

bool NameList::add(const std::string& name) {
  if (!indices_.emplace(name, size()).second) return false;
  names_.push_back(name);
  ++size_;
  return true;
}

std::optional<int> NameList::find(const std::string& name) const {
  const auto found = indices_.find(name);
  if (found == indices_.end()) return std::nullopt;
  return found->second;
}

std::string NameList::hint(const std::string& name) const {
  constexpr std::size_t most_listed = 8;
  const std::string nearest = nearest_name(name, names_);
  if (!nearest.empty()) return "; did you mean '" + nearest + "'?";
  if (names_.empty()) return "; none is defined";
  if (names_.size() > most_listed) return {};
  std::string list = "; known are";
  for (const std::string& known : names_) list += (&known == &names_.front() ? " '" : ", '") + known + "'";
  return list;
}

namespace {

constexpr std::size_t most_errors = 200;

}  // namespace

bool Reading::full() const { return diagnostics.errors().size() > most_errors; }

void Reading::unknown_key(const Member& member, const std::string& path, const std::string& meant,
                          std::string message) {
  list(member.line, member.column, path, std::move(message));
  // In a joint it may mean the axis, and where the mechanism starts hangs on that.
  if (!meant.empty() || path.starts_with("joints[")) affected.push_back(meant.empty() ? path : meant);
}

void Reading::error_at(int line, int column, const std::string& path, std::string message) {
  list(line, column, path, std::move(message));
  if (!full()) affected.push_back(path);  // beyond, nobody asks for it any more
}

void Reading::list(int line, int column, const std::string& path, std::string message) {
  if (full()) return;
  const bool last = diagnostics.errors().size() == most_errors;
  // Names may hold line breaks; a message is one line.
  for (char& letter : message) letter = static_cast<unsigned char>(letter) < ' ' || letter == 0x7f ? ' ' : letter;
  diagnostics.error({.file = file,
                     .line = line,
                     .column = column,
                     .path = path,
                     .message = last ? "too many errors; the rest is not listed" : message});
}

void Reading::error(const Value& at, const std::string& path, const std::string& message) {
  error_at(at.line, at.column, path, message);
}

bool expect_table(Reading& reading, const Value& value, const std::string& path) {
  if (value.kind == ValueKind::table) return true;
  reading.error(value, path, cat(path, " must be a table, got ", display(value)));
  return false;
}

namespace {

std::string with_unit(double value, std::string_view unit) {
  return unit.empty() ? number_text(value) : number_text(value) + " " + std::string(unit);
}

// The offending value as the user wrote it; plain numbers with the unit they are taken in.
std::string offending(const Value& value, std::string_view unit) {
  return value.is_number() ? with_unit(value.number, unit) : value.text;
}

std::string range_sentence(const Range& range, std::string_view unit) {
  const bool has_low = std::isfinite(range.low), has_high = std::isfinite(range.high);
  if (has_low && !has_high && range.low == 0) return range.low_included ? "must not be negative" : "must be positive";
  if (has_low && !has_high)
    return cat("must be ", range.low_included ? "at least " : "above ", with_unit(range.low, unit));
  if (!has_low) return cat("must be ", range.high_included ? "at most " : "below ", with_unit(range.high, unit));
  if (range.low_included && range.high_included) {
    return cat("must be between ", number_text(range.low), " and ", with_unit(range.high, unit));
  }
  return cat("must be ", range.low_included ? "at least " : "above ", number_text(range.low), " and ",
             range.high_included ? "at most " : "below ", with_unit(range.high, unit));
}

bool in_range(double value, const Range& range) {
  const bool above = range.low_included ? value >= range.low : value > range.low;
  const bool below = range.high_included ? value <= range.high : value < range.high;
  return above && below;
}

// Where the unit depends on something that is wrong itself (a sensor that is not there), any unit will do.
std::optional<Unit> known_unit(std::string_view unit) { return parse_unit(unit.empty() ? "1" : unit); }

std::string unit_wish(std::string_view unit) {
  if (unit.empty()) return "a number without unit";
  return known_unit(unit) ? cat("a quantity in ", unit) : "a quantity";
}

// SI value of a text; reports what is wrong with it.
std::optional<double> quantity(Reading& reading, const Value& value, std::string_view unit, const std::string& path,
                               const std::string& what) {
  std::string error;
  const std::optional<MeasuredValue> measured = parse_quantity(value.text, &error);
  if (!measured) {
    reading.error(value, path, cat(what, " must be ", unit_wish(unit), ", got ", display(value), " (", error, ")"));
    return std::nullopt;
  }
  const std::optional<Unit> expected = known_unit(unit);
  if (measured->has_unit && expected && !fits(measured->unit.dimension, expected->dimension)) {
    reading.error(value, path, cat(what, " must be ", unit_wish(unit), ", got ", display(value)));
    return std::nullopt;
  }
  return measured->in_si();
}

constexpr double largest_number = 1e100;

}  // namespace

std::optional<double> read_number(Reading& reading, const Value& value, std::string_view unit, const Range& range,
                                  const std::string& path, const std::string& what) {
  std::optional<double> result;
  if (value.is_number()) {
    result = value.number;
  } else if (value.kind == ValueKind::text) {
    result = quantity(reading, value, unit, path, what);
    if (!result) return std::nullopt;
  } else {
    reading.error(value, path, cat(what, " must be ", unit_wish(unit), ", got ", display(value)));
    return std::nullopt;
  }
  if (!std::isfinite(*result)) {
    reading.error(value, path, cat(what, " must be finite, got ", offending(value, unit)));
    return std::nullopt;
  }
  if (std::abs(*result) > largest_number) {  // squares and cubes of it would overflow
    reading.error(
        value, path,
        cat(what, " must be at most ", number_text(largest_number), " in size, got ", offending(value, unit)));
    return std::nullopt;
  }
  if (!in_range(*result, range)) {
    reading.error(value, path, cat(what, " ", range_sentence(range, unit), ", got ", offending(value, unit)));
    return std::nullopt;
  }
  return result;
}

std::optional<Vector3> read_vector(Reading& reading, const Value& value, std::string_view unit, const std::string& path,
                                   const std::string& what) {
  if (value.kind != ValueKind::array || value.items.size() != 3) {
    reading.error(value, path, cat(what, " must be an array of three numbers, got ", display(value)));
    return std::nullopt;
  }
  Vector3 result = Vector3::Zero();
  bool good = true;
  for (int i = 0; i < 3; ++i) {
    const Value& item = value.items[static_cast<std::size_t>(i)];
    const std::optional<double> number = read_number(reading, item, unit, any_value, path, what);
    good = good && number;
    result[i] = number.value_or(0);
  }
  if (!good) return std::nullopt;
  return result;
}

TableReader::TableReader(Reading& reading, const TableSpec& spec, const Value& table, std::string path,
                         std::string owner)
    : reading_(reading), spec_(spec), table_(table), path_(std::move(path)), owner_(std::move(owner)) {
  check_keys();
}

void TableReader::check_keys() const {
  std::vector<std::string> known, meant;  // a mistyped key is not missing as well
  for (const Member& member : table_.members) {
    if (spec_.find(member.key)) continue;
    if (reading_.full()) return;
    for (const KeySpec& key : spec_.keys)
      if (meant.empty()) known.emplace_back(key.name);
    const std::string nearest = nearest_name(member.key, known);
    meant.push_back(nearest);
    reading_.unknown_key(member, path_of(member.key), nearest.empty() ? nearest : path_of(nearest),
                         cat(owner_, ": unknown key '", member.key, "'",
                             nearest.empty() ? std::string() : "; did you mean '" + nearest + "'?"));
  }
  for (const KeySpec& key : spec_.keys) {
    if (!key.required || has(key.name) || std::find(meant.begin(), meant.end(), key.name) != meant.end()) continue;
    error(cat("key '", key.name, "' is missing"));
  }
}

bool TableReader::has_or_means(std::string_view key) const {
  const std::vector<std::string>& affected = reading_.affected;
  return has(key) || std::find(affected.begin(), affected.end(), path_of(key)) != affected.end();
}

const KeySpec& TableReader::spec(std::string_view key) const {
  const KeySpec* found = spec_.find(key);
  assert(found && "a key of the schema");
  return *found;
}

std::string TableReader::label(std::string_view key) const {
  const KeySpec& found = spec(key);
  if (!found.label.empty()) return std::string(found.label);
  std::string text(found.name);
  for (char& letter : text) letter = letter == '_' ? ' ' : letter;
  return text;
}

void TableReader::error(std::string_view key, const std::string& message) const {
  const Value* value = find(key);
  reading_.error(value ? *value : table_, path_of(key), cat(owner_, ": ", message));
}

void TableReader::error(const std::string& message) const { reading_.error(table_, path_, cat(owner_, ": ", message)); }

// The default goes through the same conversions as the user's value.
const Value* TableReader::value_or_default(std::string_view key, Value& storage) const {
  if (const Value* value = find(key)) return value;
  const std::string_view text = spec(key).default_value;
  if (text.empty()) return nullptr;
  if (text == "true" || text == "false") {
    storage.kind = ValueKind::boolean;
    storage.truth = text == "true";
  } else if (text == "[0, 0, 0]" || text == "[0, 0, 1]") {
    storage.kind = ValueKind::array;
    storage.items.resize(3);
    for (Value& item : storage.items) item.kind = ValueKind::real;
    storage.items[2].number = text == "[0, 0, 1]" ? 1 : 0;
  } else if (const std::optional<MeasuredValue> number = parse_quantity(text)) {
    storage.kind = ValueKind::real;
    storage.number = number->in_si();
  } else {
    storage.kind = ValueKind::text;
    storage.text = text;
  }
  return &storage;
}

bool TableReader::is_kind(const Value& value, ValueKind kind, std::string_view key, std::string_view wanted) const {
  if (value.kind == kind) return true;
  reading_.error(value, path_of(key), cat(what(key), " must be ", wanted, ", got ", display(value)));
  return false;
}

std::optional<double> TableReader::number(std::string_view key, std::string_view unit) const {
  Value storage;
  const Value* value = value_or_default(key, storage);
  if (!value) return std::nullopt;
  return read_number(reading_, *value, unit.empty() ? spec(key).unit : unit, spec(key).range, path_of(key), what(key));
}

std::optional<int> TableReader::integer(std::string_view key) const {
  Value storage;
  const Value* value = value_or_default(key, storage);
  if (!value) return std::nullopt;
  if (!value->is_number() || (std::isfinite(value->number) && value->number != std::floor(value->number))) {
    reading_.error(*value, path_of(key), cat(what(key), " must be a whole number, got ", display(*value)));
    return std::nullopt;
  }
  const std::optional<double> number = read_number(reading_, *value, {}, spec(key).range, path_of(key), what(key));
  if (!number) return std::nullopt;
  if (std::abs(*number) > std::numeric_limits<int>::max()) {
    reading_.error(*value, path_of(key), cat(what(key), " is too large, got ", display(*value)));
    return std::nullopt;
  }
  return static_cast<int>(*number);
}

std::vector<int> TableReader::integers(std::string_view key) const {
  Value storage;
  const Value* value = value_or_default(key, storage);
  std::vector<int> result;
  if (!value) return result;
  const bool single = value->kind != ValueKind::array;
  for (std::size_t i = 0; i < (single ? 1 : value->items.size()); ++i) {
    const Value& item = single ? *value : value->items[i];
    if (!item.is_number() || (std::isfinite(item.number) && item.number != std::floor(item.number))) {
      reading_.error(item, path_of(key), cat(what(key), " must be a whole number, got ", display(item)));
      continue;
    }
    const std::optional<double> number = read_number(reading_, item, {}, spec(key).range, path_of(key), what(key));
    if (number) result.push_back(static_cast<int>(*number));
  }
  if (!single && value->items.empty()) error(key, label(key) + " must not be empty");
  return result;
}

std::optional<std::string> TableReader::text(std::string_view key) const {
  Value storage;
  const Value* value = value_or_default(key, storage);
  if (!value || !is_kind(*value, ValueKind::text, key, "a text")) return std::nullopt;
  if (value->text.empty()) {
    reading_.error(*value, path_of(key), what(key) + " must not be empty");
    return std::nullopt;
  }
  return value->text;
}

std::optional<bool> TableReader::boolean(std::string_view key) const {
  Value storage;
  const Value* value = value_or_default(key, storage);
  if (!value || !is_kind(*value, ValueKind::boolean, key, "true or false")) return std::nullopt;
  return value->truth;
}

std::optional<bool> TableReader::switched(std::string_view key) const {
  const Value* value = find(key);
  if (!value || (value->kind == ValueKind::text && value->text == "auto")) return std::nullopt;
  if (!is_kind(*value, ValueKind::boolean, key, "true, false or \"auto\"")) return std::nullopt;
  return value->truth;
}

std::optional<int> TableReader::choice(std::string_view key) const {
  Value storage;
  const Value* value = value_or_default(key, storage);
  if (!value || !is_kind(*value, ValueKind::text, key, "a text")) return std::nullopt;
  std::string wanted = value->text;
  for (char& letter : wanted) letter = letter == '-' ? '_' : letter;
  const std::vector<std::string> choices = split_choices(spec(key).choices);
  std::string list;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == wanted) return static_cast<int>(i);
    list += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i];
  }
  const std::string nearest = nearest_name(wanted, choices);
  error(key, cat(label(key), " must be ", list, ", got ", display(*value),
                 nearest.empty() ? std::string() : "; did you mean '" + nearest + "'?"));
  return std::nullopt;
}

std::optional<Vector3> TableReader::vector(std::string_view key) const {
  Value storage;
  const Value* value = value_or_default(key, storage);
  if (!value) return std::nullopt;
  return read_vector(reading_, *value, spec(key).unit, path_of(key), what(key));
}

std::optional<Vector3> TableReader::direction(std::string_view key) const {
  const std::optional<Vector3> result = vector(key);
  if (!result) return std::nullopt;
  const double length = result->stableNorm();
  if (!(length > 0) || !std::isfinite(length)) {
    error(key, cat(label(key), " must not be zero, got ", display(*find(key))));
    return std::nullopt;
  }
  return (*result / length).normalized();
}

std::vector<double> TableReader::numbers(std::string_view key) const {
  Value storage;
  const Value* value = value_or_default(key, storage);
  if (!value) return {};
  const std::size_t count = value->kind == ValueKind::array ? value->items.size() : 1;
  if (count == 0) error(key, label(key) + " must not be empty");
  return numbers(key, std::vector<std::string_view>(count, spec(key).unit));
}

std::vector<double> TableReader::numbers(std::string_view key, const std::vector<std::string_view>& units) const {
  std::vector<double> result(units.size(), 0);
  Value storage;
  const Value* value = value_or_default(key, storage);
  if (!value) return result;
  if (!find(key)) {
    result.assign(units.size(), value->number);
    return result;
  }
  if (value->kind != ValueKind::array && units.size() == 1) {
    result[0] = read_number(reading_, *value, units[0], spec(key).range, path_of(key), what(key)).value_or(0);
    return result;
  }
  if (value->kind != ValueKind::array || value->items.size() != units.size()) {
    const std::string wish = units.empty() ? "is not for a joint without degree of freedom"
                             : units.size() == 1
                                 ? "must be one number"
                                 : cat("must be an array of ", units.size(), " numbers, one per degree of freedom");
    error(key, cat(label(key), " ", wish, ", got ", display(*value)));
    return result;
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    result[i] = read_number(reading_, value->items[i], units[i], spec(key).range, path_of(key), what(key)).value_or(0);
  }
  return result;
}

const std::vector<Value>& TableReader::tables(std::string_view key) const {
  static const std::vector<Value> none;
  const Value* value = find(key);
  if (!value) return none;
  bool good = value->kind == ValueKind::array;
  for (const Value& item : value->items) good = good && item.kind == ValueKind::table;
  if (good) return value->items;
  error(key, cat("'", key, "' must be an array of tables, [[", key, "]], got ", display(*value)));
  return none;
}

std::vector<const Value*> TableReader::text_values(std::string_view key) const {
  std::vector<const Value*> result;
  const Value* value = find(key);
  if (!value || !is_kind(*value, ValueKind::array, key, "an array of texts")) return result;
  for (const Value& item : value->items) {
    if (is_kind(item, ValueKind::text, key, "an array of texts")) result.push_back(&item);
  }
  return result;
}

std::optional<int> TableReader::find_name(const Value& value, std::string_view key, const NameList& names,
                                          std::string_view kind, std::string_view of) const {
  const std::optional<int> index = names.find(value.text);
  if (!index && !reading_.full()) {
    reading_.error(value, path_of(key),
                   cat(owner_, ": unknown ", kind, " ", display(value), of, names.hint(value.text)));
  }
  return index;
}

std::optional<int> TableReader::reference(std::string_view key, const NameList& names, std::string_view kind,
                                          std::string_view of) const {
  if (!has(key)) return std::nullopt;
  if (!text(key)) return std::nullopt;
  return find_name(*find(key), key, names, kind, of);
}

}  // namespace lithe
