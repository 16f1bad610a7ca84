#include "lithe/read/read_model.h"

#include <algorithm>

#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/plan/held_joints.h"
#include "lithe/plan/payloads.h"
#include "lithe/plan/plan_moves.h"
#include "lithe/read/affected_parts.h"
#include "lithe/read/parts.h"
#include "lithe/read/read_damping.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/read/tables/input_file.h"
#include "lithe/read/urdf/robot_parts.h"

namespace lithe {
namespace {

constexpr int format_version = 1;

[[noreturn]] void fail(const std::string& file, const std::string& message) {
  throw InputError(std::vector<Diagnostic>{{.file = file, .line = 0, .column = 0, .path = {}, .message = message}});
}

// A file of another version would only give misleading messages further down.
void check_version(const TableReader& file) {
  const Value* version = file.find("lithe");
  if (!version) return;
  if (version->kind == ValueKind::integer && version->number == format_version) return;
  file.error("lithe", cat("format version must be ", format_version, ", got ", display(*version)));
  file.reading().diagnostics.throw_if_any();
}

constexpr std::size_t longest_name = 255;  // bytes

// Names and keys that files of results cannot hold: with a zero byte, or longer than any name needs.
void check_names(Reading& reading, const Value& value, const std::string& path) {
  const auto check = [&](const Value& at, const std::string& where, const std::string& text, bool is_name) {
    const bool zero = text.find('\0') != std::string::npos;
    if (zero) reading.error(at, where, cat(in_quotes(text), " holds a zero byte"));
    if (!zero && is_name && text.size() > longest_name)
      reading.error(at, where,
                    cat("a name has at most ", longest_name, " bytes; ", in_quotes(text), " has ", text.size()));
  };
  for (std::size_t i = 0; i < value.items.size(); ++i) check_names(reading, value.items[i], cat(path, "[", i, "]"));
  if (value.kind == ValueKind::text) check(value, path, value.text, false);
  for (const Member& member : value.members) {
    const std::string inner = path.empty() ? member.key : cat(path, ".", member.key);
    check(member.value, inner, member.key, true);
    if (member.key == "name" && member.value.kind == ValueKind::text && member.value.text.size() > longest_name)
      check(member.value, inner, member.value.text, true);
    else
      check_names(reading, member.value, inner);
  }
}

void read_header(Reading& reading, const TableReader& file) {
  const std::filesystem::path path(reading.file);
  reading.model.name = file.has("name") ? file.text("name").value_or("") : path.stem().string();
  reading.model.file = reading.file;
  reading.model.space = static_cast<Space>(file.choice("space").value_or(0));
  reading.model.gravity = file.vector("gravity").value_or(Vector3::Zero());
  if (reading.model.space == Space::planar && reading.model.gravity.z() != 0) {
    file.error("gravity", cat("the model is planar, but gravity has a part along z, got ",
                              number_text(reading.model.gravity.z()), " m/s^2"));
  }
  const Value* links = file.find("links");
  const bool has_links = links && (links->kind != ValueKind::array || !links->items.empty());
  if (!has_links && !file.has("dh") && !file.has("robot")) file.error("there are no links");
}

// What only the whole model shows. Of a model with errors, what they may explain is left out.
void check_whole(Reading& reading, const AffectedParts& affected) {
  Diagnostics found;
  check_model(reading.model, found);
  for (const Diagnostic& error : found.errors())
    if (affected.none() || !affected.explain(error)) reading.diagnostics.error(error);
}

PartialModel read_document_partly(const Value& document, const std::string& file_name, const ReadOptions& options) {
  Reading reading;
  reading.options = options;
  reading.file = file_name;
  reading.folder = std::filesystem::path(file_name).parent_path();
  const TableReader file(reading, file_table(), document, "", "model");
  check_version(file);
  check_names(reading, document, "");
  read_header(reading, file);
  read_materials(reading, file);
  read_sections(reading, file);
  read_links(reading, file);
  read_robots(reading, file);
  read_joints(reading, file);
  read_dh_chain(reading, file);
  read_motors(reading, file);
  read_couplings(reading, file);
  read_drives(reading, file);
  read_loads(reading, file);
  read_moves(reading, file);
  read_coordinates(reading, file);
  read_mechanism_damping(reading, file);
  read_initial_configuration(reading, file);
  read_sensors(reading, file);
  read_control(reading, file);
  limit_controllers_by_motors(reading);
  read_payloads(reading, file);
  read_analyses(reading, file);
  if (reading.full()) throw InputError(in_file_order(reading.diagnostics.errors(), file_name));
  const AffectedParts affected(reading.affected, document);
  if (!affected.none()) affected.replace_touched_links(reading.model);
  if (!reading.full()) check_whole(reading, affected);
  std::vector<PlannedMove> moves;
  PlanSetup setup{{}, reading.move_references, reading.payload_moves};
  for (const DriveTrain& train : reading.drive_trains)
    if (train.gear >= 0) setup.gearboxes.push_back(train.gear);
  if (!reading.diagnostics.any()) moves = plan_moves(reading.model, reading.moves, setup, reading.diagnostics);
  if (!moves.empty())
    for (std::string& note : hold_joints(reading.model, reading.drive_trains)) reading.notes.push_back(std::move(note));
  if (!reading.diagnostics.any()) check_payload_times(reading);
  reading.model = with_payloads(std::move(reading.model), 0);
  return {std::move(reading.model),
          in_file_order(reading.diagnostics.errors(), file_name),
          affected.connections_hold() && !reading.full(),
          affected.configurations_hold() && !reading.full(),
          std::move(reading.key_places),
          std::move(reading.notes),
          std::move(reading.drive_trains),
          std::move(moves),
          std::move(reading.studies)};
}

std::string text_of_file(const std::filesystem::path& path) {
  if (std::optional<std::string> known = text_in_run(path)) return *std::move(known);
  std::string problem;
  std::optional<std::string> text = read_regular_file(path, largest_model_file, problem);
  if (!text) fail(path.string(), problem);
  remember_in_run(path, *text);
  return *std::move(text);
}

}  // namespace

std::vector<Diagnostic> in_file_order(std::vector<Diagnostic> errors, const std::string& file) {
  std::stable_sort(errors.begin(), errors.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    return std::tuple(a.file != file, a.line, a.column) < std::tuple(b.file != file, b.line, b.column);
  });
  return errors;
}

PartialModel read_text_partly(std::string_view text, const std::string& file_name, const ReadOptions& options) {
  return read_document_partly(parse_toml(text, file_name), file_name, options);
}

PartialModel read_partly(const std::filesystem::path& path, const ReadOptions& options) {
  return read_text_partly(text_of_file(path), path.string(), options);
}

Model read_model_document(const Value& document, const std::string& file_name, const ReadOptions& options) {
  PartialModel read = read_document_partly(document, file_name, options);
  if (!read.errors.empty()) throw InputError(std::move(read.errors));
  return std::move(read.model);
}

Model read_model_text(std::string_view text, const std::string& file_name, const ReadOptions& options) {
  return read_model_document(parse_toml(text, file_name), file_name, options);
}

Model read_model(const std::filesystem::path& path, const ReadOptions& options) {
  return read_model_text(text_of_file(path), path.string(), options);
}

}  // namespace lithe
