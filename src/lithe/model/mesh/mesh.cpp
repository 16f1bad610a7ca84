#include "lithe/model/mesh/mesh.h"

#include <algorithm>

#include "lithe/model/finite_element_body.h"

namespace lithe {
namespace {

using Corners = std::array<int, 4>;
using Edge = std::array<int, 2>;

const std::vector<Corners> tet_faces = {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}};
const std::vector<Corners> wedge_faces = {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
const std::vector<Corners> hex_faces = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                        {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

// The edge k has node num_corners + k in its middle.
const std::vector<Edge> tet_edges = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
const std::vector<Edge> wedge_edges = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
const std::vector<Edge> hex_edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                     {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

std::vector<ElementFace> with_edges(const std::vector<Corners>& corners, const std::vector<Edge>& edges,
                                    int num_corners) {
  std::vector<ElementFace> faces;
  for (const Corners& face : corners) {
    ElementFace result{face, {-1, -1, -1, -1}};
    const int n = result.num_corners();
    for (int k = 0; k < n; ++k) {
      const int a = face[static_cast<std::size_t>(k)], b = face[static_cast<std::size_t>((k + 1) % n)];
      for (std::size_t e = 0; e < edges.size(); ++e)
        if (edges[e] == Edge{a, b} || edges[e] == Edge{b, a})
          result.edges[static_cast<std::size_t>(k)] = num_corners + static_cast<int>(e);
    }
    faces.push_back(result);
  }
  return faces;
}

// The corners of a face in ascending order say which face it is.
struct FaceKey {
  Corners corners;
  SurfaceFace face;
};

}  // namespace

const ElementShapeInfo& info(ElementShape shape) {
  static constexpr std::array<ElementShapeInfo, 13> table = {{{"point", 1, 0, 1},
                                                              {"2-node line", 2, 1, 2},
                                                              {"3-node line", 3, 1, 2},
                                                              {"3-node triangle", 3, 2, 3},
                                                              {"6-node triangle", 6, 2, 3},
                                                              {"4-node quadrilateral", 4, 2, 4},
                                                              {"8-node quadrilateral", 8, 2, 4},
                                                              {"4-node tetrahedron", 4, 3, 4},
                                                              {"10-node tetrahedron", 10, 3, 4},
                                                              {"6-node wedge", 6, 3, 6},
                                                              {"15-node wedge", 15, 3, 6},
                                                              {"8-node brick", 8, 3, 8},
                                                              {"20-node brick", 20, 3, 8}}};
  return table[static_cast<std::size_t>(shape)];
}

const std::vector<ElementFace>& faces_of(ElementShape shape) {
  static const std::vector<ElementFace> none,
      tet4 = with_edges(tet_faces, {}, 4), tet10 = with_edges(tet_faces, tet_edges, 4),
      wedge6 = with_edges(wedge_faces, {}, 6), wedge15 = with_edges(wedge_faces, wedge_edges, 6),
      hex8 = with_edges(hex_faces, {}, 8), hex20 = with_edges(hex_faces, hex_edges, 8);
  switch (shape) {
    case ElementShape::tet4:
      return tet4;
    case ElementShape::tet10:
      return tet10;
    case ElementShape::wedge6:
      return wedge6;
    case ElementShape::wedge15:
      return wedge15;
    case ElementShape::hex8:
      return hex8;
    case ElementShape::hex20:
      return hex20;
    default:
      return none;
  }
}

const ElementFace& face_of_shell(ElementShape shape) {
  static const ElementFace tri3{{0, 1, 2, -1}, {-1, -1, -1, -1}}, tri6{{0, 1, 2, -1}, {3, 4, 5, -1}},
      quad4{{0, 1, 2, 3}, {-1, -1, -1, -1}}, quad8{{0, 1, 2, 3}, {4, 5, 6, 7}};
  switch (shape) {
    case ElementShape::tri3:
      return tri3;
    case ElementShape::tri6:
      return tri6;
    case ElementShape::quad4:
      return quad4;
    default:
      return quad8;
  }
}

const ElementFace& face_of(const Mesh& mesh, const SurfaceFace& face) {
  const MeshElement& element = mesh.elements[static_cast<std::size_t>(face.element)];
  return is_solid(element) ? faces_of(element.shape)[static_cast<std::size_t>(face.face)]
                           : face_of_shell(element.shape);
}

double ShellSection::thickness() const {
  double sum = 0;
  for (const ShellLayer& layer : layers) sum += layer.thickness;
  return sum;
}

Matrix3 ElementFrame::at(const Vector3& point) const {
  if (!cylindrical) return axes;
  const Vector3 axis = axes.col(2), arm = point - origin;
  Vector3 radial = arm - axis * axis.dot(arm);
  if (!(radial.norm() > 1e-9 * arm.norm())) radial = axes.col(0);  // on the axis
  Matrix3 local;
  local.col(0) = radial.normalized();
  local.col(1) = axis.cross(local.col(0));
  local.col(2) = axis;
  return local * turn;
}

namespace {

bool same_but_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

// Some programs know capitals alone: then small letters match too.
const MeshSet* find_set(const std::vector<MeshSet>& sets, std::string_view name) {
  auto found = std::find_if(sets.begin(), sets.end(), [&](const MeshSet& set) { return set.name == name; });
  if (found == sets.end())
    found = std::find_if(sets.begin(), sets.end(), [&](const MeshSet& set) { return same_but_case(set.name, name); });
  return found == sets.end() ? nullptr : &*found;
}

}  // namespace

const MeshSet* Mesh::node_set(std::string_view name) const { return find_set(node_sets, name); }
const MeshSet* Mesh::element_set(std::string_view name) const { return find_set(element_sets, name); }

std::vector<int> Mesh::nodes_named(std::string_view name) const {
  std::vector<int> nodes;
  if (const MeshSet* set = node_set(name)) {
    nodes = set->members;
  } else if (const MeshSet* of_elements = element_set(name)) {
    for (const int e : of_elements->members) {
      const MeshElement& element = elements[static_cast<std::size_t>(e)];
      nodes.insert(nodes.end(), nodes_of(element), nodes_of(element) + info(element.shape).num_nodes);
    }
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::vector<bool> MeshPart::nodes_with_rotation() const {
  std::vector<bool> turns(mesh.positions.size(), false), in_element(turns);
  const auto mark = [&](std::vector<bool>& marks, const MeshElement& element) {
    for (int k = 0; k < info(element.shape).num_nodes; ++k)
      marks[static_cast<std::size_t>(mesh.nodes_of(element)[k])] = true;
  };
  for (const MeshElement& element : mesh.elements) {
    if (is_shell(element)) mark(turns, element);
    if (is_shell(element) || is_solid(element)) mark(in_element, element);
  }
  for (const MeshBeam& beam : mesh.beams) {
    const MeshElement& line = mesh.elements[static_cast<std::size_t>(beam.element)];
    mark(in_element, line);
    if (!mesh.beam_sections[static_cast<std::size_t>(beam.section)].is_rod()) mark(turns, line);
  }
  for (const MeshSpider& spider : mesh.spiders) turns[static_cast<std::size_t>(spider.reference)] = true;
  const auto mark_terms = [&](const std::vector<MotionTerm>& terms) {
    for (const MotionTerm& term : terms)
      if (const auto node = static_cast<std::size_t>(term.node); term.component >= 3 && !in_element[node])
        turns[node] = true;
  };
  for (const MeshSpring& spring : mesh.springs) mark_terms(spring.terms);
  for (const MeshEquation& equation : mesh.equations)
    if (!equation.if_all_turn) mark_terms(equation.terms);
  return turns;
}

Vector6 rigid_body_action(const std::vector<Vector3>& positions, const std::vector<MotionTerm>& terms) {
  Vector6 action = Vector6::Zero();
  if (terms.empty()) return action;
  const Vector3& origin = positions[static_cast<std::size_t>(terms[0].node)];
  for (const MotionTerm& term : terms) {
    action(term.component) += term.factor;
    if (term.component >= 3) continue;
    const Vector3 arm = positions[static_cast<std::size_t>(term.node)] - origin;
    action.tail<3>() += term.factor * arm.cross(Vector3::Unit(term.component));
  }
  return action;
}

namespace {

// Of a node without dofs of its own.
bool turns_with_others(const FiniteElementBody& body, int node) {
  for (Eigen::Index dof = 0; dof < body.node_motions.cols(); ++dof)
    if (body.node_motions.coeff(6 * node + 3, dof) != 0) return true;
  return false;
}

}  // namespace

bool has_rotation(const Link& link, int node) {
  if (!link.from_elsewhere() || node >= link.num_plain_nodes()) return true;
  if (link.imported) return link.imported->has_rotation(node) || turns_with_others(*link.imported, node);
  return link.mesh->has_rotation(link.mesh->named_nodes[static_cast<std::size_t>(node)]);
}

void convert(Mesh& mesh, const MeshUnits& units) {
  for (Vector3& position : mesh.positions) position *= units.length;
  for (ElementMaterial& material : mesh.materials) {
    material.density *= units.density();
    material.scale_moduli(units.pressure());
  }
  for (ShellSection& shell : mesh.shells) {
    for (ShellLayer& layer : shell.layers) layer.thickness *= units.length;
    shell.offset *= units.length;
    shell.mass_per_area *= units.density() * units.length;
  }
  for (ElementFrame& frame : mesh.frames) frame.origin *= units.length;
  const double area = units.length * units.length;
  for (MeshBeamSection& beam : mesh.beam_sections) {
    beam.section.area *= area;
    for (double* const moment :
         {&beam.section.second_moment_y, &beam.section.second_moment_z, &beam.section.torsion_constant})
      *moment *= area * area;
    beam.mass_per_length *= units.mass / units.length;
  }
  for (MeshBeam& beam : mesh.beams)
    for (Vector3& offset : beam.offsets) offset *= units.length;
  // What a spring or an equation says holds in the lengths of the file.
  const auto convert_terms = [&](std::vector<MotionTerm>& terms) {
    for (MotionTerm& term : terms)
      if (term.component < 3) term.factor /= units.length;
  };
  const double energy = units.mass * area / (units.time * units.time);
  for (MeshSpring& spring : mesh.springs) {
    convert_terms(spring.terms);
    spring.stiffness *= energy;
  }
  for (MeshEquation& equation : mesh.equations) convert_terms(equation.terms);
  for (MeshMass& mass : mesh.masses) {
    mass.mass *= units.mass;
    mass.offset *= units.length;
    mass.inertia *= units.mass * units.length * units.length;
  }
}

std::vector<SurfaceFace> surface_faces(const Mesh& mesh) {
  std::vector<FaceKey> keys;
  for (int e = 0; e < mesh.num_elements(); ++e) {
    const MeshElement& element = mesh.elements[static_cast<std::size_t>(e)];
    const std::vector<ElementFace>& faces = faces_of(element.shape);
    for (std::size_t f = 0; f < faces.size(); ++f) {
      FaceKey key{faces[f].corners, {e, static_cast<int>(f)}};
      for (int& corner : key.corners)
        if (corner >= 0) corner = mesh.nodes_of(element)[corner];
      std::sort(key.corners.begin(), key.corners.end());
      keys.push_back(key);
    }
  }
  std::sort(keys.begin(), keys.end(), [](const FaceKey& a, const FaceKey& b) { return a.corners < b.corners; });
  std::vector<SurfaceFace> result;
  for (std::size_t i = 0; i < keys.size();) {
    std::size_t end = i + 1;
    while (end < keys.size() && keys[end].corners == keys[i].corners) ++end;
    if (end == i + 1) result.push_back(keys[i].face);
    i = end;
  }
  std::sort(result.begin(), result.end(), [](const SurfaceFace& a, const SurfaceFace& b) {
    return a.element != b.element ? a.element < b.element : a.face < b.face;
  });
  return result;
}

std::vector<SurfaceFace> shell_faces(const Mesh& mesh) {
  std::vector<SurfaceFace> result;
  for (int e = 0; e < mesh.num_elements(); ++e)
    if (is_shell(mesh.elements[static_cast<std::size_t>(e)])) result.push_back({e, 0});
  return result;
}

std::vector<std::array<int, 3>> triangles(const Mesh& mesh, const std::vector<SurfaceFace>& faces) {
  std::vector<std::array<int, 3>> result;
  for (const SurfaceFace& surface : faces) {
    const MeshElement& element = mesh.elements[static_cast<std::size_t>(surface.element)];
    const ElementFace& face = face_of(mesh, surface);
    const int* nodes = mesh.nodes_of(element);
    const auto n = static_cast<std::size_t>(face.num_corners());
    const auto corner = [&](std::size_t k) { return nodes[face.corners[k % n]]; };
    const auto edge = [&](std::size_t k) { return nodes[face.edges[k % n]]; };
    if (face.edges[0] < 0) {
      for (std::size_t k = 1; k + 1 < n; ++k) result.push_back({corner(0), corner(k), corner(k + 1)});
      continue;
    }
    for (std::size_t k = 0; k < n; ++k) result.push_back({corner(k), edge(k), edge(k + n - 1)});
    for (std::size_t k = 1; k + 1 < n; ++k) result.push_back({edge(0), edge(k), edge(k + 1)});
  }
  return result;
}

}  // namespace lithe
