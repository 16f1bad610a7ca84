#include "lithe/model/mesh/mesh_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>

#include "lithe/base/text.h"

namespace lithe {
namespace {

bool is_structural(const MeshElement& element) { return is_solid(element) || is_shell(element); }

// Sets that are united one after the other.
class UnitedSets {
 public:
  explicit UnitedSets(std::size_t count) : up_(count) { std::iota(up_.begin(), up_.end(), 0); }
  int of(int item) {
    while (up_[at(item)] != item) {
      up_[at(item)] = up_[at(up_[at(item)])];
      item = up_[at(item)];
    }
    return item;
  }
  void unite(int a, int b) { up_[at(of(a))] = of(b); }

 private:
  static std::size_t at(int item) { return static_cast<std::size_t>(item); }
  std::vector<int> up_;
};

// Whether points fix a body: three of them that are not on a line.
bool fix_a_body(const Mesh& mesh, const std::vector<int>& nodes) {
  if (nodes.size() < 3) return false;
  const auto position = [&](int node) { return mesh.positions[static_cast<std::size_t>(node)]; };
  const Vector3 first = position(nodes[0]);
  Vector3 longest = Vector3::Zero();
  for (const int node : nodes)
    if ((position(node) - first).norm() > longest.norm()) longest = position(node) - first;
  return std::any_of(nodes.begin(), nodes.end(), [&](int node) {
    return (position(node) - first).cross(longest).norm() > 1e-6 * longest.squaredNorm();
  });
}

// Parts of a mesh that hang together by whole faces; what they share beyond that are corners and edges.
class FirmParts {
 public:
  explicit FirmParts(const Mesh& mesh) : mesh_(mesh), parts_(mesh.elements.size()) {
    unite_by_faces();
    unite_shells();
    collect_parts_of_nodes();
  }

  void hold_together(const std::vector<int>& nodes) {
    std::map<int, std::vector<int>> held;
    for (const int node : nodes)
      for (const int element : parts_of_nodes_[static_cast<std::size_t>(node)])
        held[parts_.of(element)].push_back(node);
    int first = -1;
    for (const auto& [part, own] : held) {
      if (!fix_a_body(mesh_, own)) continue;
      if (first >= 0) parts_.unite(part, first);
      first = part;
    }
  }

  // Nodes that two parts share which nothing else fixes to each other.
  std::vector<int> hinges() {
    std::map<std::pair<int, int>, std::vector<int>> shared;
    for (bool changed = true; changed;) {
      changed = false;
      shared = shared_nodes();
      for (const auto& [pair, nodes] : shared) {
        if (parts_.of(pair.first) == parts_.of(pair.second) || !fix_a_body(mesh_, nodes)) continue;
        parts_.unite(pair.first, pair.second);
        changed = true;
      }
    }
    std::vector<int> result;
    for (const auto& [pair, nodes] : shared) result.insert(result.end(), nodes.begin(), nodes.end());
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

 private:
  using Corners = std::array<int, 4>;

  void unite_by_faces() {
    std::vector<std::pair<Corners, int>> faces;
    for (std::size_t e = 0; e < mesh_.elements.size(); ++e)
      for (const ElementFace& face : faces_of(mesh_.elements[e].shape)) {
        Corners corners = face.corners;
        for (int& corner : corners)
          if (corner >= 0) corner = mesh_.nodes_of(mesh_.elements[e])[corner];
        std::sort(corners.begin(), corners.end());
        faces.emplace_back(corners, static_cast<int>(e));
      }
    std::sort(faces.begin(), faces.end());
    for (std::size_t k = 1; k < faces.size(); ++k)
      if (faces[k].first == faces[k - 1].first) parts_.unite(faces[k].second, faces[k - 1].second);
  }

  // Nodes of shells have rotations: a single one holds two shells together.
  void unite_shells() {
    std::vector<int> shell_at(mesh_.positions.size(), -1);
    for (std::size_t e = 0; e < mesh_.elements.size(); ++e)
      for (int k = 0; k < info(mesh_.elements[e].shape).num_nodes && is_shell(mesh_.elements[e]); ++k) {
        int& other = shell_at[static_cast<std::size_t>(mesh_.nodes_of(mesh_.elements[e])[k])];
        if (other >= 0) parts_.unite(static_cast<int>(e), other);
        other = static_cast<int>(e);
      }
  }

  void collect_parts_of_nodes() {
    parts_of_nodes_.resize(mesh_.positions.size());
    for (std::size_t e = 0; e < mesh_.elements.size(); ++e) {
      const MeshElement& element = mesh_.elements[e];
      if (!is_structural(element)) continue;
      const int part = parts_.of(static_cast<int>(e));
      for (int k = 0; k < info(element.shape).num_nodes; ++k) {
        std::vector<int>& parts = parts_of_nodes_[static_cast<std::size_t>(mesh_.nodes_of(element)[k])];
        if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
      }
    }
  }

  std::map<std::pair<int, int>, std::vector<int>> shared_nodes() {
    std::map<std::pair<int, int>, std::vector<int>> shared;
    for (std::size_t node = 0; node < parts_of_nodes_.size(); ++node) {
      std::vector<int> here;
      for (const int part : parts_of_nodes_[node]) here.push_back(parts_.of(part));
      std::sort(here.begin(), here.end());
      here.erase(std::unique(here.begin(), here.end()), here.end());
      for (std::size_t a = 0; a < here.size(); ++a)
        for (std::size_t b = a + 1; b < here.size(); ++b) shared[{here[a], here[b]}].push_back(static_cast<int>(node));
    }
    return shared;
  }

  const Mesh& mesh_;
  UnitedSets parts_;                              // of elements
  std::vector<std::vector<int>> parts_of_nodes_;  // an element of each part that a node belongs to
};

int count_pieces(const Mesh& mesh, const std::vector<const std::vector<int>*>& held_together) {
  UnitedSets pieces(mesh.positions.size());
  std::vector<bool> used(mesh.positions.size(), false);
  for (const MeshElement& element : mesh.elements)
    for (int k = 0; k < info(element.shape).num_nodes && is_structural(element); ++k) {
      pieces.unite(mesh.nodes_of(element)[k], mesh.nodes_of(element)[0]);
      used[static_cast<std::size_t>(mesh.nodes_of(element)[k])] = true;
    }
  for (const std::vector<int>* nodes : held_together)
    for (const int node : *nodes) pieces.unite(node, nodes->front());
  for (const MeshBeam& beam : mesh.beams) {
    const int* nodes = mesh.nodes_of(mesh.elements[static_cast<std::size_t>(beam.element)]);
    pieces.unite(nodes[0], nodes[1]);
  }
  for (const MeshSpider& spider : mesh.spiders)
    for (const int node : spider.nodes) pieces.unite(node, spider.reference);
  const auto unite_terms = [&](const std::vector<MotionTerm>& terms) {
    for (const MotionTerm& term : terms) pieces.unite(term.node, terms[0].node);
  };
  for (const MeshSpring& spring : mesh.springs) unite_terms(spring.terms);
  for (const MeshEquation& equation : mesh.equations) unite_terms(equation.terms);
  // a piece may be named after a node that only spiders use
  std::vector<bool> met(used.size(), false);
  int count = 0;
  for (std::size_t node = 0; node < used.size(); ++node) {
    if (!used[node]) continue;
    const auto root = static_cast<std::size_t>(pieces.of(static_cast<int>(node)));
    if (!met[root]) ++count;
    met[root] = true;
  }
  return count;
}

}  // namespace

namespace {

double shell_area(const Mesh& mesh, const MeshElement& element) {
  const int index = static_cast<int>(&element - mesh.elements.data());
  double area = 0;
  for (const std::array<int, 3>& t : triangles(mesh, {{index, 0}})) {
    const auto position = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
    area += 0.5 * (position(1) - position(0)).cross(position(2) - position(0)).norm();
  }
  return area;
}

}  // namespace

double element_volume(const Mesh& mesh, const MeshElement& element) {
  if (is_shell(element))
    return shell_area(mesh, element) * mesh.shells[static_cast<std::size_t>(element.shell)].thickness();
  const int* nodes = mesh.nodes_of(element);
  const auto position = [&](int node) { return mesh.positions[static_cast<std::size_t>(nodes[node])]; };
  const Vector3 origin = position(0);
  double volume = 0;
  const auto add = [&](int a, int b, int c) {
    volume += (position(a) - origin).dot((position(b) - origin).cross(position(c) - origin)) / 6;
  };
  for (const ElementFace& face : faces_of(element.shape)) {
    const auto n = static_cast<std::size_t>(face.num_corners());
    if (face.edges[0] < 0) {
      for (std::size_t k = 1; k + 1 < n; ++k) add(face.corners[0], face.corners[k], face.corners[k + 1]);
      continue;
    }
    for (std::size_t k = 0; k < n; ++k) add(face.corners[k], face.edges[k], face.edges[(k + n - 1) % n]);
    for (std::size_t k = 1; k + 1 < n; ++k) add(face.edges[0], face.edges[k], face.edges[k + 1]);
  }
  return volume;
}

MeshFacts mesh_facts(const Mesh& mesh) { return mesh_facts(mesh, {}); }

MeshFacts mesh_facts(const Mesh& mesh, const std::vector<const std::vector<int>*>& held_together) {
  MeshFacts facts;
  facts.low.setConstant(std::numeric_limits<double>::infinity());
  facts.high = -facts.low;
  std::map<ElementShape, int> shapes;
  for (const MeshElement& element : mesh.elements) {
    ++shapes[element.shape];
    if (!is_structural(element)) continue;
    ++(is_solid(element) ? facts.num_solids : facts.num_shells);
    const double volume = element_volume(mesh, element);
    facts.volume += volume;
    if (!(volume > 0)) facts.inside_out.push_back(element.label);
    for (int k = 0; k < info(element.shape).num_nodes; ++k) {
      const Vector3& position = mesh.positions[static_cast<std::size_t>(mesh.nodes_of(element)[k])];
      facts.low = facts.low.cwiseMin(position);
      facts.high = facts.high.cwiseMax(position);
    }
  }
  facts.shapes.assign(shapes.begin(), shapes.end());
  if (facts.num_solids + facts.num_shells == 0) facts.low = facts.high = Vector3::Zero();
  facts.num_pieces = count_pieces(mesh, held_together);
  FirmParts parts(mesh);
  for (const std::vector<int>* nodes : held_together) parts.hold_together(*nodes);
  for (const int node : parts.hinges()) facts.hinges.push_back(mesh.node_labels[static_cast<std::size_t>(node)]);
  return facts;
}

double mesh_mass(const Mesh& mesh, const std::vector<int>& element_materials,
                 const std::vector<ElementMaterial>& materials) {
  double mass = 0;
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    const MeshElement& element = mesh.elements[e];
    if (element_materials[e] < 0) continue;
    if (!is_shell(element)) {
      mass += materials[static_cast<std::size_t>(element_materials[e])].density * element_volume(mesh, element);
      continue;
    }
    const ShellSection& shell = mesh.shells[static_cast<std::size_t>(element.shell)];
    double per_area = shell.mass_per_area;
    for (const ShellLayer& layer : shell.layers)
      if (layer.material >= 0)
        per_area += layer.thickness * materials[static_cast<std::size_t>(layer.material)].density;
    mass += per_area * shell_area(mesh, element);
  }
  for (const MeshBeam& beam : mesh.beams) {
    const MeshBeamSection& section = mesh.beam_sections[static_cast<std::size_t>(beam.section)];
    const int* nodes = mesh.nodes_of(mesh.elements[static_cast<std::size_t>(beam.element)]);
    const auto position = [&](int k) { return mesh.positions[static_cast<std::size_t>(nodes[k])]; };
    double per_length = section.mass_per_length;
    if (section.material >= 0)
      per_length += materials[static_cast<std::size_t>(section.material)].density * section.section.area;
    mass += per_length * (position(1) + beam.offsets[1] - position(0) - beam.offsets[0]).norm();
  }
  return mass;
}

namespace {

// What parts of machines are: from foam and rubber to tungsten and diamond, from a millimetre to a crane.
struct Range {
  double least, most;
  bool holds(double value) const { return value >= least && value <= most; }
};
constexpr Range sizes{1e-3, 30}, masses{1e-9, 1e5}, densities{5, 25'000}, moduli{1e4, 1.5e12}, wave_speeds{1, 3e4};

bool plausible(const Material& material) {
  return densities.holds(material.density) && moduli.holds(material.young_modulus) &&
         wave_speeds.holds(std::sqrt(material.young_modulus / material.density));
}

struct NamedUnits {
  const char* name;
  MeshUnits units;
};
constexpr std::array<NamedUnits, 6> usual_units = {{{"mm t s", {1e-3, 1e3, 1}},
                                                    {"mm kg ms", {1e-3, 1, 1e-3}},
                                                    {"mm kg s", {1e-3, 1, 1}},
                                                    {"mm g ms", {1e-3, 1e-3, 1e-3}},
                                                    {"cm g s", {1e-2, 1e-3, 1}},
                                                    {"m kg s", {1, 1, 1}}}};

std::string rounded_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// Units that make the size and all materials of the file plausible, in place of SI.
const char* guessed_units(const Mesh& mesh, const MeshFacts& facts) {
  for (const NamedUnits& guess : usual_units) {
    const bool fits = std::all_of(mesh.materials.begin(), mesh.materials.end(), [&](ElementMaterial material) {
      material.density *= guess.units.density();
      material.young_modulus *= guess.units.pressure();
      return plausible(material);
    });
    if (fits && Range{2e-3, 10}.holds(guess.units.length * facts.size())) return guess.name;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> implausible_numbers(const Mesh& mesh, const MeshFacts& facts, double mass,
                                             const std::vector<ElementMaterial>& materials, bool has_units) {
  // Without units a part of 5 m is more often one of 5 mm, and its mass tells.
  const bool large = !has_units && facts.size() > 5 && mass > 1e4;
  std::vector<std::string> result;
  if (!sizes.holds(facts.size()) || !masses.holds(mass) || large)
    result.push_back(
        cat("the part is ", rounded_number(facts.size()), " m across and weighs ", rounded_number(mass), " kg"));
  for (const Material& material : materials)
    if (!plausible(material))
      result.push_back(cat("material '", material.name, "' has a density of ", rounded_number(material.density),
                           " kg/m^3 and a Young's modulus of ", rounded_number(material.young_modulus),
                           " Pa: sound would run at ",
                           rounded_number(std::sqrt(material.young_modulus / material.density)), " m/s"));
  if (result.empty()) return result;
  const char* guess = has_units ? nullptr : guessed_units(mesh, facts);
  for (std::string& sentence : result) {
    if (guess && std::string_view(guess) != "m kg s")
      sentence += cat("; is the mesh file in other units? units = \"", guess, "\" would fit");
    else
      sentence += has_units ? "; check 'units'" : "; check the units of the mesh file ('units')";
  }
  return result;
}

}  // namespace lithe
