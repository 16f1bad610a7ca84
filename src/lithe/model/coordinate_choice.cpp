#include "lithe/model/coordinate_choice.h"

#include <array>
#include <numeric>
#include <set>

#include "lithe/base/text.h"
#include "lithe/model/error_at.h"

namespace lithe {

const std::vector<ChosenCoordinate>& chosen_coordinates(const Model& model) {
  static const std::vector<ChosenCoordinate> none;
  return model.coordinates ? model.coordinates->items : none;
}

std::string describe(const Model& model, const ChosenCoordinate& chosen) {
  constexpr std::array<const char*, 4> components = {"x", "y", "z", "rotation"};
  const Link& link = model.links[static_cast<std::size_t>(chosen.link)];
  if (chosen.node < 0) return cat("deformations of link '", link.name, "'");
  return cat(components[static_cast<std::size_t>(chosen.component)], " of node '",
             link.nodes[static_cast<std::size_t>(chosen.node)].name, "' of link '", link.name, "'");
}

void refuse_chosen_coordinates(const Model& model, const std::string& formulation) {
  const std::vector<ChosenCoordinate>& items = chosen_coordinates(model);
  if (items.empty()) return;
  throw InputError(std::vector<Diagnostic>{error_at(
      items.front().place, cat("the formulation ", formulation, " cannot choose ", describe(model, items.front()),
                               ": use transfer-functions, or leave out the ", "chosen coordinates"))});
}

namespace {

bool in_range(int index, std::size_t size) { return index >= 0 && index < static_cast<int>(size); }

int num_elements(const Link& link) {
  int count = 0;
  for (const BeamSegment& segment : link.segments) count += segment.num_elements;
  return count;
}

std::vector<int> elements_of(const Model& model, const ChosenCoordinate& item) {
  if (!item.elements.empty()) return item.elements;
  std::vector<int> all(static_cast<std::size_t>(num_elements(model.links[static_cast<std::size_t>(item.link)])));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::string error_of_node(const Model& model, const ChosenCoordinate& item) {
  const bool planar = model.space == Space::planar;
  if (!in_range(item.node, model.links[static_cast<std::size_t>(item.link)].nodes.size()))
    return cat("link ", item.link, " has no node ", item.node);
  if (item.component < 0 || item.component > node_rotation) return cat("a node has no component ", item.component);
  if (planar && item.component == 2) return "nodes of a planar model do not move along z";
  if (!planar && item.component == node_rotation)
    return "the rotation of a node is a coordinate of planar models alone; choose x, y or z";
  if (item.role == CoordinateRole::dependent)
    return "a nodal coordinate is dependent unless it is chosen: leave it out";
  return {};
}

std::string error_of_deformations(const Model& model, const ChosenCoordinate& item) {
  const Link& link = model.links[static_cast<std::size_t>(item.link)];
  if (link.rigid || link.segments.empty()) return cat("link '", link.name, "' has no beams that deform");
  if (item.deformations.empty()) return "no deformation is named";
  for (const int k : item.deformations)
    if (k < 0 || k > 5) return cat("a beam has no deformation ", k);
  for (const int k : item.elements)
    if (!in_range(k, static_cast<std::size_t>(num_elements(link))))
      return cat("link '", link.name, "' has ", num_elements(link), " elements, got element ", k + 1);
  return {};
}

}  // namespace

void check_chosen_coordinates(const Model& model, Diagnostics& diagnostics) {
  std::set<std::array<int, 3>> nodal, deformations;
  for (const ChosenCoordinate& item : chosen_coordinates(model)) {
    const auto report = [&](std::string message) { diagnostics.error(error_at(item.place, std::move(message))); };
    if (!in_range(item.link, model.links.size())) {
      report(cat("there is no link ", item.link));
      continue;
    }
    const std::string error = item.node >= 0 ? error_of_node(model, item) : error_of_deformations(model, item);
    if (!error.empty()) {
      report(error);
      continue;
    }
    bool twice = item.node >= 0 && !nodal.insert({item.link, item.node, item.component}).second;
    if (item.node < 0)
      for (const int element : elements_of(model, item))
        for (const int k : item.deformations) twice = !deformations.insert({item.link, element, k}).second || twice;
    if (twice) report(cat("chosen twice: ", describe(model, item)));
  }
}

const std::vector<AutomaticReduction>& automatic_reductions(const Model& model) {
  static const std::vector<AutomaticReduction> none;
  return model.coordinates ? model.coordinates->automatic : none;
}

void set_automatic_reductions(Model& model, std::vector<AutomaticReduction> links) {
  auto choice =
      model.coordinates ? std::make_shared<CoordinateChoice>(*model.coordinates) : std::make_shared<CoordinateChoice>();
  choice->automatic = std::move(links);
  model.coordinates = std::move(choice);
}

Model with_all_modes(Model model) {
  if (!automatic_reductions(model).empty()) set_automatic_reductions(model, {});
  return model;
}

}  // namespace lithe
