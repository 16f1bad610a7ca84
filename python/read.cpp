// Model files.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <filesystem>

#include "bind.h"
#include "lithe/base/diagnostics.h"
#include "lithe/read/freeze_reduction.h"
#include "lithe/read/read_model.h"
#include "lithe/read/schema/json_schema.h"
#include "lithe/read/tables/document.h"
#include "lithe/read/tables/input_file.h"
#include "lithe/read/urdf/description_files.h"
#include "lithe/read/urdf/robot_parts.h"

namespace lithe::python {
namespace {

// (kind, line, column, content): of a table a list of (key, line, column, value), of an array a list of values.
nb::tuple tree(const Value& value) {
  static const char* const kinds[] = {"table", "array", "text", "integer", "real", "boolean", "date"};
  nb::object content;
  switch (value.kind) {
    case ValueKind::table: {
      nb::list members;
      for (const Member& member : value.members)
        members.append(nb::make_tuple(member.key, member.line, member.column, tree(member.value)));
      content = members;
      break;
    }
    case ValueKind::array: {
      nb::list items;
      for (const Value& item : value.items) items.append(tree(item));
      content = items;
      break;
    }
    case ValueKind::integer:
      content = nb::int_(static_cast<long long>(value.number));
      break;
    case ValueKind::real:
      content = nb::float_(value.number);
      break;
    case ValueKind::boolean:
      content = nb::bool_(value.truth);
      break;
    default:
      content = nb::str(value.text.c_str(), value.text.size());
  }
  return nb::make_tuple(kinds[static_cast<int>(value.kind)], value.line, value.column, content);
}

// A robot description as the text of a model file beside it, its name, and notes. Included files lie below its folder.
nb::tuple imported_robot(const std::string& path, bool keep_fixed, bool free_base, bool repair) {
  std::string text;
  RobotDescription robot;
  {
    const nb::gil_scoped_release released;
    std::string problem;
    const std::optional<std::string> description = read_regular_file(path, largest_description, problem);
    if (!description)
      throw InputError({Diagnostic{.file = path, .line = 0, .column = 0, .path = {}, .message = problem}});
    DescriptionChoices choices{.merge_fixed = !keep_fixed, .repair = repair};
    read_files_beside(path, false, choices);
    robot = read_description(*description, path, choices);
    if (robot.name.empty()) robot.name = std::filesystem::path(path).stem().string();
    text = model_file_of(robot, free_base, {});
  }
  return nb::make_tuple(text, robot.name, robot.notes);
}

// (index, name, number of modes, whether these are all) of every link whose modes were left to the program.
std::string frozen_reduction(const std::string& text, const std::string& file,
                             const std::vector<std::tuple<int, std::string, int, bool>>& links) {
  std::vector<FrozenLink> frozen;
  for (const auto& [index, name, num_modes, all] : links) frozen.push_back({index, name, num_modes, all});
  return with_internal_modes(text, file, frozen);
}

}  // namespace

void bind_read(nb::module_& module) {
  module.def(
      "read_model_text",
      [](const std::string& text, const std::string& file, bool outside_files) {
        return read_model_text(text, file, {.outside_files = outside_files});
      },
      nb::arg("text"), nb::arg("file"), nb::arg("outside_files") = false, nb::call_guard<nb::gil_scoped_release>());
  module.def("import_robot", imported_robot, nb::arg("path"), nb::arg("keep_fixed"), nb::arg("free_base"),
             nb::arg("repair"));
  module.def("frozen_reduction", frozen_reduction, nb::arg("text"), nb::arg("file"), nb::arg("links"));
  module.def(
      "parse_toml", [](const std::string& text, const std::string& file) { return tree(parse_toml(text, file)); },
      nb::arg("text"), nb::arg("file"));
}

}  // namespace lithe::python
