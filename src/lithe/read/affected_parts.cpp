#include "lithe/read/affected_parts.h"

#include <algorithm>
#include <charconv>

#include "lithe/base/text.h"

namespace lithe {
namespace {

// Whether `path` is `part` or stands inside it.
bool is_within(const std::string& path, const std::string& part) {
  return path.starts_with(part) && (path.size() == part.size() || path[part.size()] == '.' || path[part.size()] == '[');
}

// "joints" of "joints[3].axis".
std::string list_of(const std::string& path) { return path.substr(0, path.find_first_of(".[")); }

// "axis" of "joints[3].axis", "nodes.tip" of "links[0].nodes.tip"; nothing for the table itself.
std::string key_of(const std::string& path) {
  const std::size_t bracket = path.find(']');
  return bracket == path.npos || bracket + 2 > path.size() ? "" : path.substr(bracket + 2);
}

// The item of an array or the member of a table that the front of `rest` names, taken off.
const Value* take_step(const Value& value, std::string_view& rest) {
  if (rest.starts_with('[')) {
    std::size_t index = 0;
    const std::size_t end = std::min(rest.find(']'), rest.size());
    std::from_chars(rest.data() + 1, rest.data() + end, index);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return index < value.items.size() ? &value.items[index] : nullptr;
  }
  if (rest.starts_with('.')) rest.remove_prefix(1);
  const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
  const Value* found = value.find(rest.substr(0, end));
  rest.remove_prefix(end);
  return found;
}

void make_rigid(Link& link) {
  link.rigid = true;
  link.rigid_inertia = {};
  link.segments.clear();
  link.imported.reset();
  link.mesh.reset();
  link.spiders.clear();
  link.lumped_masses.clear();
  link.reduction = {};
}

// A node whose position could not be read.
void put_unknown_nodes_at_origin(Model& model) {
  for (Link& link : model.links)
    for (Node& node : link.nodes)
      if (!node.position.allFinite()) node.position.setZero();
  for (Joint& joint : model.joints)
    for (Pose* frame : {&joint.parent_frame, &joint.child_frame})
      if (!frame->position.allFinite()) frame->position.setZero();
}

}  // namespace

AffectedParts::AffectedParts(std::vector<std::string> paths, const Value& document) : paths_(std::move(paths)) {
  for (const std::string& path : paths_) {
    std::string_view rest = path;
    const Value* value = &document;
    while (!rest.empty() && (value = take_step(*value, rest))) places_.insert({value->line, value->column});
  }
}

bool AffectedParts::touch(const std::string& path) const {
  return std::any_of(paths_.begin(), paths_.end(), [&](const std::string& affected) {
    return is_within(affected, path) || is_within(path, affected);
  });
}

bool AffectedParts::touch_ends_of_joints() const {
  return std::any_of(paths_.begin(), paths_.end(), [](const std::string& path) {
    const std::string key = key_of(path);
    return list_of(path) == "dh" ||
           (list_of(path) == "joints" && (key.empty() || key.starts_with("parent") || key.starts_with("child")));
  });
}

bool AffectedParts::connections_hold() const {
  return !touch_ends_of_joints() && std::none_of(paths_.begin(), paths_.end(), [](const std::string& path) {
    return path == "links" || (list_of(path) == "links" && key_of(path) == "name");
  });
}

bool AffectedParts::configurations_hold() const {
  return connections_hold() && std::none_of(paths_.begin(), paths_.end(), [](const std::string& path) {
           const std::string list = list_of(path), key = key_of(path);
           return list == "joints" || list == "couplings" || list == "drives" || list == "initial" || list == "space" ||
                  (list == "links" && (key.empty() || is_within(key, "nodes") || key == "type"));
         });
}

bool AffectedParts::touch_link(const Model& model, std::size_t index) const {
  if (touch(cat("links[", index, "]")) || touch("space") || touch_ends_of_joints()) return true;
  const std::vector<BeamSegment>& segments = model.links[index].segments;
  const auto is_touched = [&](const char* list, const auto& items, int item) {
    return item >= 0 && item < static_cast<int>(items.size()) &&
           touch(cat(list, ".", items[static_cast<std::size_t>(item)].name));
  };
  return std::any_of(segments.begin(), segments.end(), [&](const BeamSegment& segment) {
    return is_touched("materials", model.materials, segment.material) ||
           is_touched("sections", model.sections, segment.section);
  });
}

void AffectedParts::replace_touched_links(Model& model) const {
  bool any = false;
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    if (!touch_link(model, i)) continue;
    make_rigid(model.links[i]);
    any = true;
  }
  if (any) model.coordinates.reset();  // they may count the elements of such a link
  put_unknown_nodes_at_origin(model);
}

bool AffectedParts::explain(const Diagnostic& error) const {
  return error.line == 0 || places_.contains({error.line, error.column});
}

}  // namespace lithe
