// Springs, rods, and nodes that are glued to others, of Abaqus and CalculiX.
#include "lithe/base/text.h"
#include "lithe/read/mesh/abaqus_reader.h"

namespace lithe {

void AbaqusReader::start_spring() {
  if (keyword_.has("NONLINEAR")) lines_.fail("*SPRING with NONLINEAR is not supported");
  const std::string orientation = own_name(upper(keyword_.value("ORIENTATION")));
  if (has_transform_ && orientation.empty())
    lines_.fail("*SPRING with *TRANSFORM is not supported: write it in the axes of the file");
  deck_.springs.push_back({set_of("ELSET"), orientation, {}, here()});
  data_ = Data::spring;
}

std::vector<int> AbaqusDeck::with_second_half(int element) const {
  const auto found = second_halves.find(element);
  return found == second_halves.end() ? std::vector<int>{element} : std::vector<int>{element, found->second};
}

int AbaqusDeck::frame_of(const std::string& orientation, const MeshFilePlace& place) const {
  if (orientation.empty()) return -1;
  const auto found = orientations.find(orientation);
  if (found == orientations.end()) place.fail(cat("orientation ", orientation, " does not exist"));
  return found->second;
}

Vector3 AbaqusDeck::position_of(std::int64_t node, const MeshFilePlace& place) const {
  const Vector3* position = builder.position_of(node);
  if (!position) place.fail(cat("node ", node, " does not exist"));
  return *position;
}

void AbaqusDeck::add_rod(const Section& section, int element, int material) {
  if (!(section.area > 0))
    section.place.fail(cat("*SOLID SECTION on element ", builder.mesh.elements[static_cast<std::size_t>(element)].label,
                           ", a rod: its area is missing in the next line"));
  MeshBeamSection rod;
  rod.theory = BeamTheory::truss;
  rod.section.area = section.area;
  rod.material = material;
  builder.mesh.beams.push_back({element, static_cast<int>(builder.mesh.beam_sections.size())});
  builder.mesh.beam_sections.push_back(rod);
}

void AbaqusDeck::resolve_springs() {
  std::map<int, SpringKind> left = spring_elements;
  for (const Spring& spring : springs)
    for (const int element : element_set(spring.set, spring.place)) {
      const auto found = left.find(element);
      if (found == left.end())
        spring.place.fail(cat("*SPRING on element ", builder.mesh.elements[static_cast<std::size_t>(element)].label,
                              ", which is no spring or has a stiffness already"));
      resolve_spring(spring, element, found->second);
      left.erase(found);
    }
  if (!left.empty())
    builder.place_of_element(left.begin()->first)
        .fail(cat("element ", builder.mesh.elements[static_cast<std::size_t>(left.begin()->first)].label,
                  " is a spring without *SPRING"));
}

// An empty line before the stiffness of SPRINGA is no line here.
void AbaqusDeck::resolve_spring(const Spring& spring, int element, SpringKind kind) {
  const MeshElement& of = builder.mesh.elements[static_cast<std::size_t>(element)];
  const bool along = kind == SpringKind::along;
  if (spring.lines.empty() || spring.lines.size() > 2 || (!along && spring.lines.size() != 2) ||
      spring.lines.back().empty())
    spring.place.fail(along ? "*SPRING of SPRINGA needs one stiffness, in its second line"
                            : "*SPRING of SPRING2 needs two directions, and one stiffness in the next line");
  MeshBuilder::Spring made{cat("spring ", of.label), {}, spring.lines.back()[0], spring.place};
  const std::int64_t a = builder.node_label(element, 0), b = builder.node_label(element, 1);
  const auto add = [&](std::int64_t node, const Vector3& direction, int first, double factor) {
    for (int k = 0; k < 3; ++k)
      if (direction(k) != 0) made.terms.push_back({node, first + k, factor * direction(k)});
  };
  if (along) {
    const Vector3 line = position_of(b, spring.place) - position_of(a, spring.place);
    if (!(line.norm() > 0)) spring.place.fail(cat(made.name, " has no length: use SPRING2"));
    add(a, line.normalized(), 0, -1);
    add(b, line.normalized(), 0, 1);
  } else {
    const int frame = frame_of(spring.orientation, spring.place);
    for (std::size_t k = 0; k < 2; ++k) {
      const double direction = k < spring.lines[0].size() ? spring.lines[0][k] : 0;
      if (!(direction >= 1 && direction <= 6) || direction != static_cast<int>(direction))
        spring.place.fail("*SPRING of SPRING2 needs two directions 1 to 6");
      const int component = static_cast<int>(direction) - 1;
      const std::int64_t node = k == 0 ? a : b;
      const Matrix3 axes =
          frame < 0 ? Matrix3(Matrix3::Identity())
                    : builder.mesh.frames[static_cast<std::size_t>(frame)].at(position_of(node, spring.place));
      add(node, axes.col(component % 3), component < 3 ? 0 : 3, k == 0 ? 1 : -1);
    }
  }
  builder.springs.push_back(std::move(made));
}

void AbaqusDeck::resolve_pairs() {
  for (const NodePair& pair : pairs) {
    const std::string name = cat("*MPC ", pair.type, " in line ", pair.place.line);
    if (pair.type == "LINK") {
      const Vector3 line = position_of(pair.other, pair.place) - position_of(pair.node, pair.place);
      if (!(line.norm() > 0)) pair.place.fail(cat(name, ": the nodes are at the same place: use PIN"));
      MeshBuilder::Equation equation{name, {}, pair.place};
      for (int k = 0; k < 3; ++k)
        if (line(k) != 0) {
          equation.terms.push_back({pair.node, k, line(k) / line.norm()});
          equation.terms.push_back({pair.other, k, -line(k) / line.norm()});
        }
      builder.equations.push_back(std::move(equation));
      continue;
    }
    for (int k = 0; k < (pair.type == "TIE" ? 6 : 3); ++k)
      builder.equations.push_back({name, {{pair.node, k, 1}, {pair.other, k, -1}}, pair.place, k >= 3});
  }
}

// Rows of (7) of the theory of solids.
void AbaqusDeck::add_directions(const Coupling& coupling, const MeshBuilder::Spider& spider) {
  const Vector3 centre = position_of(spider.reference, coupling.place);
  const std::string name = cat("*KINEMATIC in line ", coupling.place.line);
  for (const std::int64_t node : spider.nodes) {
    if (node == spider.reference) continue;
    const Vector3 arm = position_of(node, coupling.place) - centre;
    for (int k = 0; k < 6; ++k) {
      if (!coupling.directions[static_cast<std::size_t>(k)]) continue;
      MeshBuilder::Equation equation{name, {{node, k, 1}, {spider.reference, k, -1}}, coupling.place};
      const Vector3 turning = k < 3 ? Vector3(arm.cross(Vector3::Unit(k))) : Vector3(Vector3::Zero());
      for (int j = 0; j < 3; ++j)
        if (turning(j) != 0) equation.terms.push_back({spider.reference, 3 + j, -turning(j)});
      builder.equations.push_back(std::move(equation));
    }
  }
}

std::vector<std::int64_t> AbaqusDeck::nodes_of_surface(const std::string& name, const MeshFilePlace& place) const {
  if (const auto surface = surfaces.find(name); surface != surfaces.end()) return surface->second.nodes;
  if (!builder.has_node_set(name)) place.fail(cat("surface or node set ", name, " does not exist"));
  return builder.labels_of(name);
}

void AbaqusDeck::resolve_ties() {
  for (const Tie& of : ties) {
    MeshBuilder::Tie made{
        cat("*TIE ", of.name, of.name.empty() ? "" : " ", "in line ", of.place.line), {}, {}, of.tolerance, of.place};
    made.slaves = nodes_of_surface(set_name(of.slave), of.place);
    const std::string master = set_name(of.master);
    const auto surface = surfaces.find(master);
    if (surface == surfaces.end() || surface->second.faces.empty())
      of.place.fail(cat("*TIE: the master ", master, " is no surface of faces"));
    made.masters = surface->second.faces;
    demand_room(made.slaves.size() + made.masters.size(), of.place);
    builder.ties.push_back(std::move(made));
  }
}

}  // namespace lithe
