// The user's choice of coordinates.
#include <array>
#include <string_view>

#include "lithe/base/text.h"
#include "lithe/model/coordinate_choice.h"
#include "lithe/read/parts.h"

namespace lithe {
namespace {

struct DeformationName {
  std::string_view name;
  std::array<int, 2> deformations;
};
constexpr DeformationName named_deformations[] = {
    {"elongation", {0, 0}},      {"torsion", {1, 1}},       {"bending_y", {2, 3}},       {"bending_z", {4, 5}},
    {"bending_y_start", {2, 2}}, {"bending_y_end", {3, 3}}, {"bending_z_start", {4, 4}}, {"bending_z_end", {5, 5}}};

void read_deformations(const TableReader& reader, ChosenCoordinate& chosen) {
  NameList known;
  for (const DeformationName& one : named_deformations) known.add(std::string(one.name));
  for (const Value* text : reader.text_values("deformations")) {
    const std::optional<int> index = reader.find_name(*text, "deformations", known, "deformation");
    if (!index) continue;
    const std::array<int, 2>& range = named_deformations[static_cast<std::size_t>(*index)].deformations;
    for (int k = range[0]; k <= range[1]; ++k) chosen.deformations.push_back(k);
  }
  if (reader.has("elements"))
    for (const int number : reader.integers("elements")) chosen.elements.push_back(number - 1);
}

void read_nodal(const TableReader& reader, ChosenCoordinate& chosen) {
  Reading& reading = reader.reading();
  const auto link = static_cast<std::size_t>(chosen.link);
  if (!reader.has("coordinate")) reader.error("key 'coordinate' is missing (of the node)");
  if (reader.has("elements")) reader.error("elements", "'elements' belongs to deformations");
  const std::optional<int> node = reader.reference("node", reading.link_nodes[link], "node",
                                                   cat(" of link '", reading.model.links[link].name, "'"));
  chosen.node = node.value_or(0);
  chosen.component = reader.choice("coordinate").value_or(0);
}

void read_motion(const TableReader& reader, ChosenCoordinate& chosen) {
  if (reader.has("role"))
    reader.error("role", "give role or motion, not both: a prescribed coordinate is no degree of freedom");
  chosen.role = CoordinateRole::prescribed;
  const bool turns = chosen.node >= 0 && chosen.component == node_rotation;
  const std::string_view unit = unit_of_freedom(coordinate_table().find("motion")->unit, turns);
  const std::optional<Signal> signal = read_signal(reader.reading(), *reader.find("motion"), unit,
                                                   reader.path_of("motion"), cat(reader.owner(), ": motion"));
  if (signal) chosen.motion = *signal;
}

void read_coordinate(Reading& reading, const Value& table, int index, CoordinateChoice& choice) {
  const TableReader reader(reading, coordinate_table(), table, cat("coordinates[", index, "]"),
                           cat("coordinate ", index + 1));
  ChosenCoordinate chosen;
  chosen.place = reader.place();
  const std::optional<int> link = reader.reference("link", reading.links, "link");
  if (!link) return;
  chosen.link = *link;
  if (reader.has("node") == reader.has("deformations")) {
    reader.error("exactly one of node and deformations is needed");
    return;
  }
  chosen.role = static_cast<CoordinateRole>(reader.choice("role").value_or(0));
  if (reader.has("node")) {
    read_nodal(reader, chosen);
  } else {
    if (reader.has("coordinate")) reader.error("coordinate", "'coordinate' belongs to a node");
    read_deformations(reader, chosen);
  }
  if (reader.has("motion")) read_motion(reader, chosen);
  choice.items.push_back(std::move(chosen));
}

}  // namespace

void read_coordinates(Reading& reading, const TableReader& file) {
  CoordinateChoice choice = reading.model.coordinates ? *reading.model.coordinates : CoordinateChoice{};
  int index = 0;
  for (const Value& table : file.tables("coordinates")) read_coordinate(reading, table, index++, choice);
  if (!choice.items.empty()) reading.model.coordinates = std::make_shared<const CoordinateChoice>(std::move(choice));
}

}  // namespace lithe
