// Typed access to one table of the file, by its TableSpec: units, ranges, defaults, unknown and missing keys.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lithe/base/diagnostics.h"
#include "lithe/base/math.h"
#include "lithe/model/drive_train.h"
#include "lithe/model/model.h"
#include "lithe/model/move.h"
#include "lithe/model/orthotropic.h"
#include "lithe/read/read_model.h"
#include "lithe/read/schema/schema.h"
#include "lithe/read/study_request.h"
#include "lithe/read/tables/document.h"

namespace lithe {

// Names of one kind (materials, links, nodes of a link, ...) and their indices.
class NameList {
 public:
  // False when the name is already there.
  bool add(const std::string& name);
  // Takes an index without a name, for an item whose own is missing or used twice.
  void add_unnamed() { ++size_; }
  std::optional<int> find(const std::string& name) const;
  // "; did you mean 'x'?" or, when nothing is near and there are few, "; known are 'a', 'b'".
  std::string hint(const std::string& name) const;
  int size() const { return size_; }

 private:
  int size_ = 0;
  std::vector<std::string> names_;
  std::map<std::string, int, std::less<>> indices_;
};

// What all parts of the reader share.
struct Reading {
  std::string file;
  std::filesystem::path folder;  // of the model file; CSV tables are looked for here
  ReadOptions options;
  Diagnostics diagnostics;
  std::map<std::string, SourcePlace> key_places;  // of keys that later stages may find wrong
  std::vector<std::string> affected;              // paths of what errors make wrong or doubtful (affected.h)
  Model model;
  std::vector<std::string> notes;  // for the user, on what was read
  std::vector<DriveTrain> drive_trains;
  std::vector<Move> moves;
  std::vector<MoveReference> move_references;
  std::vector<PayloadMoves> payload_moves;
  std::vector<StudyRequest> studies;
  NameList materials, sections, links, joints, sensors;
  std::map<int, OrthotropicConstants> orthotropic;  // of model.materials, by index
  std::map<int, int> section_materials;             // of model.sections with layers: index of the material
  std::vector<NameList> link_nodes;                 // one per link

  // Whether so many errors are known that further ones are not listed.
  bool full() const;
  void error(const Value& at, const std::string& path, const std::string& message);
  void error_at(int line, int column, const std::string& path, std::string message);
  // An unknown key harms at most the key that it was perhaps meant to be.
  void unknown_key(const Member& member, const std::string& path, const std::string& meant, std::string message);
  SourcePlace place(const Value& at) const { return {file, at.line, at.column}; }
  // A material of the model with all of its constants.
  ElementMaterial element_material(int material) const {
    ElementMaterial result(model.materials[static_cast<std::size_t>(material)]);
    if (const auto found = orthotropic.find(material); found != orthotropic.end()) result.orthotropic = found->second;
    return result;
  }

 private:
  void list(int line, int column, const std::string& path, std::string message);
};

// SI value of a number or a text such as "8 mm"; reports and returns nothing when it does not fit. `what` begins the
// message: "link 'arm': width".
std::optional<double> read_number(Reading& reading, const Value& value, std::string_view unit, const Range& range,
                                  const std::string& path, const std::string& what);

// An array of three such numbers.
std::optional<Vector3> read_vector(Reading& reading, const Value& value, std::string_view unit, const std::string& path,
                                   const std::string& what);

class TableReader {
 public:
  // Reports unknown and missing keys at once. `owner` begins every message: "link 'arm'".
  TableReader(Reading& reading, const TableSpec& spec, const Value& table, std::string path, std::string owner);

  bool has(std::string_view key) const { return find(key) != nullptr; }
  // Also when an unknown key was perhaps meant to be this one: then it is not missing as well.
  bool has_or_means(std::string_view key) const;
  const Value* find(std::string_view key) const { return table_.find(key); }
  const Value& table() const { return table_; }
  const std::string& path() const { return path_; }
  const std::string& owner() const { return owner_; }
  Reading& reading() const { return reading_; }
  SourcePlace place() const { return reading_.place(table_); }

  // Each gives the value, or the default of the spec, or nothing: absent without default, or wrong and reported.
  // `unit` replaces that of the spec where it depends on the use.
  std::optional<double> number(std::string_view key, std::string_view unit = {}) const;
  std::optional<int> integer(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<bool> switched(std::string_view key) const;  // nothing for "auto"
  std::optional<int> choice(std::string_view key) const;     // index into the choices
  std::optional<Vector3> vector(std::string_view key) const;
  std::optional<Vector3> direction(std::string_view key) const;  // of unit length; zero is an error
  std::optional<Matrix3> inertia(std::string_view key, bool physical) const;
  std::optional<Matrix3> orientation(std::string_view key) const;
  std::vector<int> integers(std::string_view key) const;
  // One per entry of `units`; a single value counts for a single unit only.
  std::vector<double> numbers(std::string_view key, const std::vector<std::string_view>& units) const;
  std::vector<double> numbers(std::string_view key) const;  // any count
  // Array of tables, or nothing.
  const std::vector<Value>& tables(std::string_view key) const;
  std::vector<const Value*> text_values(std::string_view key) const;
  // Index of the named thing, reported when unknown. `kind`: "material"; `of`: " of link 'arm'" or nothing.
  std::optional<int> reference(std::string_view key, const NameList& names, std::string_view kind,
                               std::string_view of = {}) const;
  std::optional<int> find_name(const Value& value, std::string_view key, const NameList& names, std::string_view kind,
                               std::string_view of = {}) const;

  void error(std::string_view key, const std::string& message) const;  // at the key's value
  void error(const std::string& message) const;                        // at the table
  std::string label(std::string_view key) const;                       // "Young's modulus"
  std::string path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }

 private:
  const KeySpec& spec(std::string_view key) const;
  const Value* value_or_default(std::string_view key, Value& storage) const;
  bool is_kind(const Value& value, ValueKind kind, std::string_view key, std::string_view wanted) const;
  std::string what(std::string_view key) const { return owner_ + ": " + label(key); }
  void check_keys() const;

  Reading& reading_;
  const TableSpec& spec_;
  const Value& table_;
  std::string path_;
  std::string owner_;
};

// Whether a value is a table; reported otherwise.
bool expect_table(Reading& reading, const Value& value, const std::string& path);

}  // namespace lithe
