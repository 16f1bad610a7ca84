#include "lithe/read/bodies/select_nodes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "lithe/base/text.h"
#include "lithe/read/parts.h"

namespace lithe {
namespace {

// Stands for a position that could not be found, so that no follow-up errors are listed.
const Vector3 unknown_position = Vector3::Constant(std::numeric_limits<double>::quiet_NaN());

using Distance = std::function<double(const Vector3&)>;

// One selection by geometry: nodes closer than the tolerance belong to it.
struct Selection {
  std::string_view key;
  Distance distance;
  double tolerance = 0;
};

int nearest_node(const std::vector<Vector3>& positions, const Vector3& point) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < positions.size(); ++i)
    if ((positions[i] - point).squaredNorm() < (positions[best] - point).squaredNorm()) best = i;
  return static_cast<int>(best);
}

std::optional<Selection> read_cylinder(const TableReader& part) {
  const std::optional<Vector3> point = part.vector("point"), axis = part.direction("axis");
  const std::optional<double> radius = part.number("radius");
  if (!point || !axis || !radius) return std::nullopt;
  return Selection{"cylinder",
                   [p = *point, a = *axis, r = *radius](const Vector3& x) {
                     const Vector3 arm = x - p;
                     return std::abs((arm - a * a.dot(arm)).norm() - r);
                   },
                   part.number("tolerance").value_or(0.02 * *radius)};
}

std::optional<Selection> read_plane(const TableReader& part, double size) {
  const std::optional<Vector3> point = part.vector("point"), normal = part.direction("normal");
  if (!point || !normal) return std::nullopt;
  return Selection{"plane", [p = *point, n = *normal](const Vector3& x) { return std::abs(n.dot(x - p)); },
                   part.number("tolerance").value_or(1e-6 * size)};
}

std::optional<Selection> read_box(const TableReader& part, double size) {
  const std::optional<Vector3> low = part.vector("low"), high = part.vector("high");
  if (!low || !high) return std::nullopt;
  if (((*high - *low).array() < 0).any()) {
    part.error("high", "a box needs its high corner above its low corner in x, y and z");
    return std::nullopt;
  }
  return Selection{
      "box",
      [l = *low, h = *high](const Vector3& x) { return (x - h).cwiseMax(l - x).cwiseMax(Vector3::Zero()).norm(); },
      1e-6 * size};
}

class InterfaceReader {
 public:
  InterfaceReader(const TableReader& part, const NodeChoice& choice) : part_(part), choice_(choice) {}

  // The selected nodes, or nothing where the table is wrong.
  std::optional<std::vector<int>> nodes() {
    std::vector<int> nodes;
    const std::optional<std::vector<Selection>> selections = read_selections();
    if (!selections) return std::nullopt;
    if (part_.has("group")) {
      if (!read_group(nodes)) return std::nullopt;
    } else {
      for (std::size_t k = 0; k < choice_.positions.size(); ++k)
        if (choice_.surface[k]) nodes.push_back(static_cast<int>(k));
    }
    for (const Selection& selection : *selections) {
      double nearest = std::numeric_limits<double>::infinity();
      std::erase_if(nodes, [&](int node) {
        const double distance = selection.distance(choice_.positions[static_cast<std::size_t>(node)]);
        nearest = std::min(nearest, distance);
        return distance > selection.tolerance;
      });
      if (!nodes.empty()) continue;
      part_.error(selection.key, cat("it selects no node; the nearest is ", nearest, " m away (tolerance ",
                                     selection.tolerance, " m)"));
      return std::nullopt;
    }
    return nodes;
  }

 private:
  std::optional<std::vector<Selection>> read_selections() {
    std::vector<Selection> result;
    bool good = true;
    for (const std::string_view key : {"cylinder", "plane", "box"}) {
      const Value* table = part_.find(key);
      if (!table) continue;
      if (!expect_table(part_.reading(), *table, part_.path_of(key))) return std::nullopt;
      const TableSpec& spec = key == "cylinder" ? cylinder_table() : key == "plane" ? plane_table() : box_table();
      const TableReader reader(part_.reading(), spec, *table, part_.path_of(key), cat(part_.owner(), ", ", key));
      const std::optional<Selection> selection = key == "cylinder" ? read_cylinder(reader)
                                                 : key == "plane"  ? read_plane(reader, choice_.size)
                                                                   : read_box(reader, choice_.size);
      good = good && selection;
      if (selection) result.push_back(*selection);
    }
    if (!good) return std::nullopt;
    if (result.empty() && !part_.has("group")) {
      part_.error("key 'group', 'cylinder', 'plane', 'box', 'number' or 'nearest' is missing");
      return std::nullopt;
    }
    return result;
  }

  bool read_group(std::vector<int>& nodes) {
    const std::optional<std::string> name = part_.text("group");
    if (!name) return false;
    if (!choice_.mesh) {
      part_.error("group", "matrices have no groups; select nodes by geometry");
      return false;
    }
    nodes = choice_.mesh->nodes_named(*name);
    if (nodes.empty()) {
      NameList known;
      for (const auto* sets : {&choice_.mesh->node_sets, &choice_.mesh->element_sets})
        for (const MeshSet& set : *sets) known.add(set.name);
      part_.error("group", cat("the mesh has no group '", *name, "'", known.hint(*name)));
    }
    return !nodes.empty();
  }

  const TableReader& part_;
  const NodeChoice& choice_;
};

// Centre of the faces whose nodes are all selected, weighted by area; where there are none, of the nodes.
Vector3 middle(const NodeChoice& choice, const std::vector<int>& nodes) {
  Vector3 mean = Vector3::Zero();
  for (const int node : nodes)
    mean += choice.positions[static_cast<std::size_t>(node)] / static_cast<double>(nodes.size());
  if (!choice.mesh) return mean;
  std::vector<bool> selected(choice.positions.size(), false);
  for (const int node : nodes) selected[static_cast<std::size_t>(node)] = true;
  Vector3 sum = Vector3::Zero();
  double area = 0;
  for (const std::array<int, 3>& corners : triangles(*choice.mesh, choice.faces)) {
    if (!std::all_of(corners.begin(), corners.end(), [&](int c) { return selected[static_cast<std::size_t>(c)]; }))
      continue;
    const Vector3 &a = choice.positions[static_cast<std::size_t>(corners[0])],
                  &b = choice.positions[static_cast<std::size_t>(corners[1])],
                  &c = choice.positions[static_cast<std::size_t>(corners[2])];
    const double own = (b - a).cross(c - a).norm();
    sum += own * (a + b + c) / 3;
    area += own;
  }
  return area > 0 ? Vector3(sum / area) : mean;
}

Vector3 on_axis(const TableReader& part, const Vector3& point) {
  const TableReader cylinder(part.reading(), cylinder_table(), *part.find("cylinder"), part.path_of("cylinder"),
                             part.owner());
  const Vector3 origin = *cylinder.vector("point"), axis = *cylinder.direction("axis");
  return origin + axis * axis.dot(point - origin);
}

// A node of the mesh by number or place: it becomes a named node without a spider of the model file.
std::optional<int> single_node(const TableReader& part, const NodeChoice& choice) {
  if (part.has("nearest")) {
    const std::optional<Vector3> point = part.vector("nearest");
    return point ? std::optional(nearest_node(choice.positions, *point)) : std::nullopt;
  }
  const std::optional<int> number = part.integer("number");
  if (!number) return std::nullopt;
  if (!choice.mesh) {
    if (*number >= 1 && *number <= static_cast<int>(choice.positions.size())) return *number - 1;
  } else {
    const std::vector<std::int64_t>& labels = choice.mesh->node_labels;
    if (const auto found = std::find(labels.begin(), labels.end(), *number); found != labels.end())
      return static_cast<int>(found - labels.begin());
  }
  part.error("number", cat("the mesh has no node ", *number, " that belongs to an element"));
  return std::nullopt;
}

}  // namespace

NodeChoice choice_of(const std::vector<Vector3>& positions, const Mesh* mesh) {
  NodeChoice choice{positions, mesh, std::vector<bool>(positions.size(), mesh == nullptr), {}, 0};
  if (positions.empty()) return choice;
  Vector3 low = positions.front(), high = low;
  for (const Vector3& p : positions) low = low.cwiseMin(p), high = high.cwiseMax(p);
  choice.size = (high - low).norm();
  if (!mesh) return choice;
  choice.faces = surface_faces(*mesh);
  for (const SurfaceFace& shell : shell_faces(*mesh)) choice.faces.push_back(shell);
  for (const std::array<int, 3>& corners : triangles(*mesh, choice.faces))
    for (const int corner : corners) choice.surface[static_cast<std::size_t>(corner)] = true;
  return choice;
}

std::optional<int> node_at(const TableReader& reader, const NodeChoice& choice, const Node& node) {
  if (!node.position.allFinite() || choice.positions.empty()) return std::nullopt;
  const int best = nearest_node(choice.positions, node.position);
  const double distance = (choice.positions[static_cast<std::size_t>(best)] - node.position).norm();
  if (distance <= 1e-6 * choice.size) return best;
  reader.error("nodes", cat("node '", node.name, "' is at no node of the mesh; the nearest is ", distance,
                            " m away (an interface with 'nearest' takes that one)"));
  return std::nullopt;
}

void name_interfaces(const TableReader& reader, NameList& names, Link& link) {
  for (const Value& table : reader.tables("interfaces")) {
    const Value* name = table.find("name");
    if (!name || name->kind != ValueKind::text || !names.add(name->text)) continue;
    link.nodes.push_back({name->text, unknown_position});
  }
}

void read_interfaces(const TableReader& reader, const NodeChoice& choice, std::vector<int>& plain, NameList& names,
                     Link& link) {
  const std::vector<Value>& tables = reader.tables("interfaces");
  std::vector<Node> references;
  std::vector<std::pair<std::string, std::optional<int>>> singles;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const TableReader part(reader.reading(), interface_table(), tables[i], cat(reader.path(), ".interfaces[", i, "]"),
                           cat(reader.owner(), ", ", owner_name("interface", tables[i], static_cast<int>(i))));
    const std::string name = part.text("name").value_or("");
    if (!name.empty() && !names.add(name)) part.error("name", "the name is used twice");
    const auto chosen = static_cast<SpiderKind>(part.choice("spider").value_or(0));
    if (part.has("number") || part.has("nearest")) {
      singles.emplace_back(name, single_node(part, choice));
      continue;
    }
    const std::optional<std::vector<int>> nodes = InterfaceReader(part, choice).nodes();
    if (!nodes) {
      references.push_back({name, unknown_position});
      link.spiders.push_back({chosen, part.place(), {}});
      continue;
    }
    std::optional<Vector3> position = part.vector("position");
    if (!part.has("position")) {
      position = middle(choice, *nodes);
      if (part.has("cylinder")) position = on_axis(part, *position);
    }
    references.push_back({name, position.value_or(Vector3::Zero())});
    link.spiders.push_back({chosen, part.place(), *nodes});
  }
  for (const auto& [name, node] : singles) {
    link.nodes.push_back({name, node ? choice.positions[static_cast<std::size_t>(*node)] : unknown_position});
    plain.push_back(node.value_or(0));
  }
  link.nodes.insert(link.nodes.end(), references.begin(), references.end());
  NameList ordered;  // as link.nodes: nodes of the mesh before spiders
  for (const Node& node : link.nodes) ordered.add(node.name);
  names = std::move(ordered);
}

}  // namespace lithe
