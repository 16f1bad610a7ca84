#include <array>

#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/read/parts.h"
#include "lithe/read/tables/csv_table.h"
#include "lithe/read/tables/input_file.h"

namespace lithe {
namespace {

struct SignalReader {
  Reading& reading;
  const TableReader& reader;
  std::string_view unit;

  // The reader of an inner table such as {sine = {...}}.
  std::optional<TableReader> inner(std::string_view key, const TableSpec& spec) const {
    const Value& value = *reader.find(key);
    if (!expect_table(reading, value, reader.path_of(key))) return std::nullopt;
    return TableReader(reading, spec, value, reader.path_of(key), cat(reader.owner(), ": ", key));
  }
};

bool times_increase(const TableReader& reader, std::string_view key, const std::vector<double>& times) {
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] > times[i - 1]) continue;
    reader.error(key,
                 cat("times must increase, got ", number_text(times[i]), " s after ", number_text(times[i - 1]), " s"));
    return false;
  }
  return true;
}

// Pairs [time, value].
std::optional<SignalTable> read_points(const SignalReader& signal, std::string_view key) {
  const Value& value = *signal.reader.find(key);
  if (value.kind != ValueKind::array || value.items.empty()) {
    signal.reader.error(key, cat(key, " must be an array of pairs [time, value], got ", display(value)));
    return std::nullopt;
  }
  SignalTable table;
  const std::string path = signal.reader.path_of(key), what = cat(signal.reader.owner(), ": ", key);
  for (const Value& pair : value.items) {
    if (pair.kind != ValueKind::array || pair.items.size() != 2) {
      signal.reading.error(pair, path, cat(what, " must be pairs [time, value], got ", display(pair)));
      return std::nullopt;
    }
    const auto time = read_number(signal.reading, pair.items[0], "s", any_value, path, what + ": time");
    const auto number = read_number(signal.reading, pair.items[1], signal.unit, any_value, path, what + ": value");
    if (!time || !number) return std::nullopt;
    table.times.push_back(*time);
    table.values.push_back(*number);
  }
  if (!times_increase(signal.reader, key, table.times)) return std::nullopt;
  return table;
}

template <class Move>
std::optional<Signal> read_move(const SignalReader& signal, std::string_view key) {
  const std::optional<TableReader> part = signal.inner(key, ramp_table());
  if (!part) return std::nullopt;
  const auto start = part->number("start_time"), end = part->number("end_time");
  const auto from = part->number("start_value", signal.unit), to = part->number("end_value", signal.unit);
  if (!start || !end || !from || !to) return std::nullopt;
  if (!(*end > *start)) {
    part->error("end_time", cat("end time must be after start time, got ", number_text(*end), " s and ",
                                number_text(*start), " s"));
    return std::nullopt;
  }
  return Move{*start, *end, *from, *to};
}

std::optional<Signal> read_sine(const SignalReader& signal) {
  const std::optional<TableReader> part = signal.inner("sine", sine_table());
  if (!part) return std::nullopt;
  const auto amplitude = part->number("amplitude", signal.unit), frequency = part->number("frequency");
  const auto phase = part->number("phase"), offset = part->number("offset", signal.unit);
  const auto start = part->number("start_time");
  if (!amplitude || !frequency || !phase || !offset || !start) return std::nullopt;
  return SignalSine{*amplitude, *frequency, *phase, *offset, *start};
}

std::optional<Signal> read_chirp(const SignalReader& signal) {
  const std::optional<TableReader> part = signal.inner("chirp", chirp_table());
  if (!part) return std::nullopt;
  const auto amplitude = part->number("amplitude", signal.unit);
  const auto from = part->number("start_frequency"), to = part->number("end_frequency");
  const auto start = part->number("start_time"), end = part->number("end_time");
  if (!amplitude || !from || !to || !start || !end) return std::nullopt;
  if (!(*end > *start)) {
    part->error("end_time", cat("end time must be after start time, got ", number_text(*end), " s and ",
                                number_text(*start), " s"));
    return std::nullopt;
  }
  return SignalChirp{*amplitude, *from, *to, *start, *end};
}

// Index of a column given by name or by number from 1. `quotes`: whether a message may name the columns.
std::optional<std::size_t> find_column(const TableReader& reader, std::string_view key, std::size_t fallback,
                                       const CsvTable& table, bool quotes) {
  const Value* value = reader.find(key);
  if (!value && fallback <= table.columns.size()) return fallback - 1;
  if (!value) {
    reader.error("table", cat("the table has only ", table.columns.size(), " column"));
    return std::nullopt;
  }
  if (value->kind == ValueKind::text) {
    NameList names;
    for (std::size_t i = 0; i < table.header.size(); ++i) {
      if (table.header[i] == value->text) return i;
      names.add(table.header[i]);
    }
    reader.error(key, cat("unknown column ", display(*value), quotes ? names.hint(value->text) : std::string()));
    return std::nullopt;
  }
  const double number = value->number;
  if (value->kind == ValueKind::integer && number >= 1 && number <= static_cast<double>(table.columns.size())) {
    return static_cast<std::size_t>(number) - 1;
  }
  reader.error(key,
               cat(key, " must be a name or a number from 1 to ", table.columns.size(), ", got ", display(*value)));
  return std::nullopt;
}

// Factor from the table's unit to SI.
std::optional<double> table_factor(const SignalReader& signal) {
  if (!signal.reader.has("unit")) return 1.0;
  const std::optional<std::string> text = signal.reader.text("unit");
  if (!text) return std::nullopt;
  std::string error;
  const std::optional<Unit> unit = parse_unit(*text, &error);
  if (!unit || !fits(unit->dimension, parse_unit(signal.unit)->dimension)) {
    signal.reader.error("unit", cat("unit must be one of ", signal.unit, ", got \"", *text, "\"",
                                    unit ? std::string() : " (" + error + ")"));
    return std::nullopt;
  }
  return unit->factor;
}

// Errors inside a table's file, at their own lines there.
void refuse_file(const SignalReader& signal, const Diagnostics& errors) {
  for (const Diagnostic& error : errors.errors()) signal.reading.diagnostics.error(error);
  signal.reading.affected.push_back(signal.reader.path());
}

bool rows_increase(const std::vector<double>& times, const CsvTable& csv, std::size_t column, const NamedFile& file,
                   Diagnostics& errors) {
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] > times[i - 1]) continue;
    const std::string got =
        file.outside ? "" : cat(", got ", number_text(times[i]), " s after ", number_text(times[i - 1]), " s");
    errors.error({.file = file.name,
                  .line = csv.lines[i],
                  .column = csv.place_of(i, column),
                  .path = {},
                  .message = "times must increase" + got});
    return false;
  }
  return true;
}

std::optional<SignalTable> read_table_file(const SignalReader& signal) {
  const std::optional<double> factor = table_factor(signal);
  const std::optional<NamedFile> file = read_named_file(signal.reader, "table", largest_table_file);
  if (!file || !factor) return std::nullopt;
  Diagnostics errors;
  const CsvTable csv = parse_csv(file->text, file->name, errors, {.quotes_content = !file->outside});
  if (errors.any()) return refuse_file(signal, errors), std::nullopt;
  const auto time_column = find_column(signal.reader, "time_column", 1, csv, !file->outside);
  const auto value_column = find_column(signal.reader, "column", 2, csv, !file->outside);
  if (!time_column || !value_column) return std::nullopt;
  SignalTable table;
  table.times = csv.columns[*time_column];
  table.values = csv.columns[*value_column];
  for (double& value : table.values) value *= *factor;
  if (!rows_increase(table.times, csv, *time_column, *file, errors)) return refuse_file(signal, errors), std::nullopt;
  return table;
}

std::optional<Signal> interpolated(const SignalReader& signal, std::optional<SignalTable> table) {
  const std::optional<int> interpolation = signal.reader.choice("interpolation");
  if (!table || !interpolation) return std::nullopt;
  if (*interpolation == 1) return smooth_table(std::move(table->times), std::move(table->values));
  return *std::move(table);
}

constexpr std::array<std::string_view, 8> kinds = {"constant", "steps", "ramp",   "sine",
                                                   "chirp",    "move",  "points", "table"};

std::optional<Signal> read_kind(const SignalReader& signal, std::string_view kind) {
  if (kind == "constant") {
    const std::optional<double> number = signal.reader.number("constant", signal.unit);
    if (!number) return std::nullopt;
    return SignalConstant{*number};
  }
  if (kind == "steps") {
    const std::optional<SignalTable> points = read_points(signal, "steps");
    if (!points) return std::nullopt;
    return SignalSteps{points->times, points->values};
  }
  if (kind == "ramp") return read_move<SignalRamp>(signal, "ramp");
  if (kind == "move") return read_move<SignalSmoothMove>(signal, "move");
  if (kind == "sine") return read_sine(signal);
  if (kind == "chirp") return read_chirp(signal);
  return interpolated(signal, kind == "points" ? read_points(signal, "points") : read_table_file(signal));
}

}  // namespace

std::optional<Signal> read_signal(Reading& reading, const Value& value, std::string_view unit, const std::string& path,
                                  const std::string& what) {
  if (value.kind != ValueKind::table) {
    const std::optional<double> number = read_number(reading, value, unit, any_value, path, what);
    if (!number) return std::nullopt;
    return SignalConstant{*number};
  }
  const TableReader reader(reading, signal_table(), value, path, what);
  std::string_view found;
  int count = 0;
  for (const std::string_view kind : kinds) {
    if (!reader.has(kind)) continue;
    found = kind;
    ++count;
  }
  if (count != 1) {
    reader.error(cat("a signal needs exactly one of constant, steps, ramp, sine, chirp, move, points and table, got ",
                     display(value)));
    return std::nullopt;
  }
  for (const std::string_view key : {"column", "time_column", "unit", "interpolation"}) {
    const bool fitting = found == "table" || (found == "points" && key == "interpolation");
    if (reader.has(key) && !fitting) reader.error(key, cat("'", key, "' does not belong to ", found));
  }
  return read_kind({reading, reader, unit}, found);
}

}  // namespace lithe
