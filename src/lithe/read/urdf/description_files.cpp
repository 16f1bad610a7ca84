#include "lithe/read/urdf/description_files.h"

#include "lithe/read/surface/surface.h"
#include "lithe/read/tables/table_reader.h"
#include "lithe/read/urdf/robot_parts.h"

namespace lithe {

std::vector<std::string> places_of_mesh(const std::string& name) {
  for (const std::string_view scheme : {"package://", "model://"}) {
    if (!name.starts_with(scheme)) continue;
    const std::string inside = name.substr(scheme.size()), rest = inside.substr(inside.find('/') + 1);
    std::vector<std::string> places;
    std::string above;
    constexpr int highest = 6;
    for (int level = 0; level < highest; ++level, above += "../")
      for (const std::string& path : {inside, rest}) places.push_back(above + path);
    return places;
  }
  constexpr std::string_view file = "file://";
  return {name.starts_with(file) ? name.substr(file.size()) : name};
}

namespace {

using ReadText = std::function<std::optional<std::string>(const std::string& name, std::uintmax_t most, std::string&)>;

// The mesh at the first of its places; the problem is that of the first place as well.
std::optional<std::string> first_mesh(const ReadText& read, const std::string& name, std::string& problem) {
  std::string first_problem;
  for (const std::string& place : places_of_mesh(name)) {
    std::string why;
    if (std::optional<std::string> text = read(place, largest_surface_file, why)) return text;
    if (first_problem.empty()) first_problem = why;
  }
  problem = first_problem;
  return std::nullopt;
}

void set_readers(ReadText read, DescriptionChoices& choices) {
  choices.read_file = [read](const std::string& name, std::string& problem) {
    return read(name, largest_description, problem);
  };
  choices.read_mesh = [read = std::move(read)](const std::string& name, std::string& problem) {
    return first_mesh(read, name, problem);
  };
}

}  // namespace

DescriptionChoices choices_of(const TableReader& robot, const NamedFile& description, bool& outside) {
  DescriptionChoices choices;
  choices.merge_fixed = robot.choice("fixed_joints").value_or(0) == 0;
  choices.repair = robot.boolean("repair").value_or(false);
  set_readers(
      [&robot, &description, &outside](const std::string& name, std::uintmax_t most, std::string& problem) {
        std::optional<NamedFile> file = read_file_beside(robot, name, description.name, most, problem);
        outside = outside || (file && file->outside);
        return file ? std::optional(std::move(file->text)) : std::nullopt;
      },
      choices);
  return choices;
}

void read_files_beside(const std::filesystem::path& description, bool anywhere, DescriptionChoices& choices) {
  const std::filesystem::path folder = description.parent_path();
  set_readers(
      [folder, anywhere](const std::string& name, std::uintmax_t most,
                         std::string& problem) -> std::optional<std::string> {
        problem = "it lies outside of the folder of the description; --allow-outside-files allows it";
        if (name.find('\0') != name.npos || (!anywhere && !lies_in(folder / name, folder))) return std::nullopt;
        return read_regular_file(folder / name, most, problem);
      },
      choices);
}

}  // namespace lithe
