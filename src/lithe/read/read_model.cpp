#include "lithe/read/read_model.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/read/parts.h"
#include "lithe/read/read_damping.h"
#include "lithe/read/suspects.h"

namespace lithe {
namespace {

constexpr int format_version = 1;

[[noreturn]] void fail(const std::string& file, const std::string& message) {
  throw InputError(std::vector<InputMistake>{{.file = file, .line = 0, .column = 0, .path = {}, .message = message}});
}

// A file of another version would only give misleading messages further down.
void check_version(const TableReader& file) {
  const Value* version = file.find("lithe");
  if (!version) return;
  if (version->kind == ValueKind::integer && version->number == format_version) return;
  file.error("lithe", cat("format version must be ", format_version, ", got ", display(*version)));
  file.reading().diagnostics.throw_if_any();
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
  if (!has_links && !file.has("dh")) file.error("there are no links");
}

// What only the whole model shows. Of a model with mistakes, what they may explain is left out.
void check_whole(Reading& reading, const Suspects& suspects) {
  Diagnostics found;
  check_model(reading.model, found);
  for (const InputMistake& mistake : found.mistakes())
    if (suspects.none() || !suspects.explain(mistake)) reading.diagnostics.error(mistake);
}

PartialModel read_document_partly(const Value& document, const std::string& file_name) {
  Reading reading;
  reading.file = file_name;
  reading.folder = std::filesystem::path(file_name).parent_path();
  const TableReader file(reading, file_table(), document, "", "model");
  check_version(file);
  read_header(reading, file);
  read_materials(reading, file);
  read_sections(reading, file);
  read_links(reading, file);
  read_joints(reading, file);
  read_dh_chain(reading, file);
  read_drives(reading, file);
  read_loads(reading, file);
  read_coordinates(reading, file);
  read_mechanism_damping(reading, file);
  read_initial_posture(reading, file);
  read_sensors(reading, file);
  read_control(reading, file);
  read_analyses(reading, file);
  const Suspects suspects(reading.suspects, document);
  if (!suspects.none()) suspects.replace_touched_links(reading.model);
  if (!reading.full()) check_whole(reading, suspects);
  return {std::move(reading.model), in_file_order(reading.diagnostics.mistakes(), file_name),
          suspects.connections_hold() && !reading.full(), suspects.postures_hold() && !reading.full(),
          std::move(reading.key_places)};
}

std::string text_of_file(const std::filesystem::path& path) {
  std::error_code status;
  if (!std::filesystem::exists(path, status)) fail(path.string(), "the file does not exist");
  if (!std::filesystem::is_regular_file(path, status)) fail(path.string(), "this is not a file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail(path.string(), "the file cannot be read");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

std::vector<InputMistake> in_file_order(std::vector<InputMistake> mistakes, const std::string& file) {
  std::stable_sort(mistakes.begin(), mistakes.end(), [&](const InputMistake& a, const InputMistake& b) {
    return std::tuple(a.file != file, a.line, a.column) < std::tuple(b.file != file, b.line, b.column);
  });
  return mistakes;
}

PartialModel read_text_partly(std::string_view text, const std::string& file_name) {
  return read_document_partly(parse_toml(text, file_name), file_name);
}

PartialModel read_partly(const std::filesystem::path& path) {
  return read_text_partly(text_of_file(path), path.string());
}

Model read_model_document(const Value& document, const std::string& file_name) {
  PartialModel read = read_document_partly(document, file_name);
  if (!read.mistakes.empty()) throw InputError(std::move(read.mistakes));
  return std::move(read.model);
}

Model read_model_text(std::string_view text, const std::string& file_name) {
  return read_model_document(parse_toml(text, file_name), file_name);
}

Model read_model(const std::filesystem::path& path) { return read_model_text(text_of_file(path), path.string()); }

}  // namespace lithe
