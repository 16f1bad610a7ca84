#include "lithe/export/mesh_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <numbers>
#include <string_view>

#include "lithe/base/text.h"

namespace lithe {
namespace {

// The shortest text that is read as the same number, but 20 characters at most, since CalculiX reads no more.
std::string shortest(double value) {
  constexpr std::ptrdiff_t most = 20;
  std::array<char, 40> buffer{};
  const auto text = [&](std::to_chars_result result) {
    return std::string_view(buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data()));
  };
  std::string_view written = text(std::to_chars(buffer.data(), buffer.data() + buffer.size(), value));
  for (int digits = 14; std::ssize(written) > most; --digits)
    written =
        text(std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific, digits));
  return std::string(written);
}

std::string mesh_name(std::string name) {
  for (char& c : name)
    if (c == ' ' || c == ',' || c == '\t' || c == '"' || c == '=' || c == '*') c = '_';
  return name.empty() ? "_" : name;
}

bool is_structural(const MeshElement& element) { return is_solid(element) || is_shell(element); }

std::string_view abaqus_type(ElementShape shape) {
  switch (shape) {
    case ElementShape::tet4:
      return "C3D4";
    case ElementShape::tet10:
      return "C3D10";
    case ElementShape::wedge6:
      return "C3D6";
    case ElementShape::wedge15:
      return "C3D15";
    case ElementShape::hex8:
      return "C3D8I";
    case ElementShape::tri3:
      return "S3";
    case ElementShape::tri6:
      return "S6";
    case ElementShape::quad4:
      return "S4";
    case ElementShape::quad8:
      return "S8R";
    default:
      return "C3D20";
  }
}

// Numbers in lines of at most twelve: Abaqus reads sixteen in a line.
void add_numbers(const std::vector<std::int64_t>& numbers, std::string& text) {
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    text += std::to_string(numbers[k]);
    text += k + 1 == numbers.size() ? "\n" : k % 12 == 11 ? ",\n" : ", ";
  }
}

class AbaqusWriter {
 public:
  explicit AbaqusWriter(const Mesh& mesh) : mesh_(mesh) {}

  std::string text() {
    text_ = "** written by Lithe, SI units\n";
    add_nodes();
    add_elements();
    add_sets();
    add_materials();
    add_shells();
    add_spiders();
    add_masses();
    return std::move(text_);
  }

 private:
  std::int64_t label(int node) const { return mesh_.node_labels[static_cast<std::size_t>(node)]; }

  void add_nodes() {
    text_ += "*NODE\n";
    for (std::size_t node = 0; node < mesh_.positions.size(); ++node) {
      text_ += std::to_string(mesh_.node_labels[node]);
      for (const double x : mesh_.positions[node]) text_ += ", " + shortest(x);
      text_ += '\n';
    }
  }

  void add_elements() {
    const ElementShape* last = nullptr;
    for (const MeshElement& element : mesh_.elements) {
      largest_label_ = std::max(largest_label_, element.label);
      if (!is_structural(element)) continue;
      if (!last || *last != element.shape) text_ += cat("*ELEMENT, TYPE=", abaqus_type(element.shape), "\n");
      last = &element.shape;
      std::vector<std::int64_t> numbers{element.label};
      for (int k = 0; k < info(element.shape).num_nodes; ++k) numbers.push_back(label(mesh_.nodes_of(element)[k]));
      add_numbers(numbers, text_);
    }
  }

  void add_node_set(const std::string& name, const std::vector<int>& nodes) {
    if (nodes.empty()) return;
    std::vector<std::int64_t> numbers;
    for (const int node : nodes) numbers.push_back(label(node));
    text_ += cat("*NSET, NSET=", mesh_name(name), "\n");
    add_numbers(numbers, text_);
  }

  void add_element_set(const std::string& name, const std::vector<int>& elements) {
    std::vector<std::int64_t> numbers;
    for (const int e : elements)
      if (is_structural(mesh_.elements[static_cast<std::size_t>(e)]))
        numbers.push_back(mesh_.elements[static_cast<std::size_t>(e)].label);
    if (numbers.empty()) return;
    text_ += cat("*ELSET, ELSET=", mesh_name(name), "\n");
    add_numbers(numbers, text_);
  }

  void add_sets() {
    for (const MeshSet& set : mesh_.node_sets) add_node_set(set.name, set.members);
    for (const MeshSet& set : mesh_.element_sets) {
      add_element_set(set.name, set.members);
      bool faces = false;
      for (const int e : set.members) faces = faces || !is_structural(mesh_.elements[static_cast<std::size_t>(e)]);
      if (faces && !mesh_.node_set(set.name)) add_node_set(set.name, mesh_.nodes_named(set.name));
    }
  }

  void add_materials() {
    for (std::size_t m = 0; m < mesh_.materials.size(); ++m) {
      const ElementMaterial& material = mesh_.materials[m];
      std::vector<int> members;
      for (std::size_t e = 0; e < mesh_.elements.size(); ++e)
        if (mesh_.elements[e].material == static_cast<int>(m) && is_solid(mesh_.elements[e]))
          members.push_back(static_cast<int>(e));
      text_ += cat("*MATERIAL, NAME=", mesh_name(material.name), "\n");
      if (material.orthotropic)
        add_constants(*material.orthotropic);
      else if (material.young_modulus > 0 && material.shear_modulus > 0)
        text_ += cat("*ELASTIC\n", shortest(material.young_modulus), ", ",
                     shortest(material.young_modulus / (2 * material.shear_modulus) - 1), "\n");
      if (material.density > 0) text_ += cat("*DENSITY\n", shortest(material.density), "\n");
      const std::string set = cat("LITHE_MATERIAL_", m + 1);
      add_element_set(set, members);
      if (!members.empty()) text_ += cat("*SOLID SECTION, ELSET=", set, ", MATERIAL=", mesh_name(material.name), "\n");
    }
  }

  void add_constants(const OrthotropicConstants& constants) {
    text_ += "*ELASTIC, TYPE=ENGINEERING CONSTANTS\n";
    int written = 0;
    for (const Vector3* values : {&constants.young, &constants.poisson, &constants.shear})
      for (const double value : *values) {
        ++written;
        text_ += shortest(value) + (written < 8 ? ", " : "\n");
      }
  }

  void add_shells() {
    for (std::size_t k = 0; k < mesh_.shells.size(); ++k) {
      const ShellSection& shell = mesh_.shells[k];
      std::vector<int> members;
      for (std::size_t e = 0; e < mesh_.elements.size(); ++e)
        if (mesh_.elements[e].shell == static_cast<int>(k)) members.push_back(static_cast<int>(e));
      const bool known = std::all_of(shell.layers.begin(), shell.layers.end(),
                                     [](const ShellLayer& layer) { return layer.material >= 0; });
      if (members.empty() || !known) continue;
      const std::string set = cat("LITHE_SHELL_", k + 1);
      add_element_set(set, members);
      const auto material = [&](const ShellLayer& layer) {
        return mesh_name(mesh_.materials[static_cast<std::size_t>(layer.material)].name);
      };
      text_ += cat("*SHELL SECTION, ELSET=", set);
      if (shell.offset != 0) text_ += cat(", OFFSET=", shortest(-shell.offset / shell.thickness()));
      if (shell.layers.size() == 1 && shell.layers[0].angle == 0) {
        text_ += cat(", MATERIAL=", material(shell.layers[0]), "\n", shortest(shell.layers[0].thickness), "\n");
        continue;
      }
      text_ += ", COMPOSITE\n";
      for (const ShellLayer& layer : shell.layers)
        text_ += cat(shortest(layer.thickness), ", 3, ", material(layer), ", ",
                     shortest(layer.angle * 180 / std::numbers::pi), "\n");
    }
  }

  void add_spiders() {
    for (std::size_t k = 0; k < mesh_.spiders.size(); ++k) {
      const MeshSpider& spider = mesh_.spiders[k];
      const std::string set = cat("LITHE_SPIDER_", k + 1);
      add_node_set(set, spider.nodes);
      const bool rigid = spider.kind == SpiderKind::rigid;
      if (rigid && spider.turns_nodes) {
        text_ += cat("*RIGID BODY, NSET=", set, ", REF NODE=", label(spider.reference), "\n");
        continue;
      }
      text_ += cat("*SURFACE, TYPE=NODE, NAME=", set, "_FACE\n");
      if (rigid || spider.weights.empty()) text_ += cat(set, "\n");
      for (std::size_t i = 0; i < spider.weights.size() && !rigid; ++i)
        text_ += cat(label(spider.nodes[i]), ", ", shortest(spider.weights[i]), "\n");
      text_ +=
          cat("*COUPLING, CONSTRAINT NAME=", set, "_TIE, SURFACE=", set, "_FACE, REF NODE=", label(spider.reference),
              rigid ? "\n*KINEMATIC\n1, 3\n" : "\n*DISTRIBUTING\n1, 6\n");
    }
  }

  void add_masses() {
    std::int64_t number = largest_label_;
    for (const MeshMass& mass : mesh_.masses) {
      const std::string set = cat("LITHE_MASS_", ++number);
      text_ += cat("*ELEMENT, TYPE=MASS, ELSET=", set, "\n", number, ", ", label(mass.node), "\n*MASS, ELSET=", set,
                   "\n", shortest(mass.mass), "\n");
      if (mass.inertia.isZero(0)) continue;
      const Matrix3& j = mass.inertia;
      const std::string of_inertia = cat("LITHE_INERTIA_", ++number);
      text_ += cat("*ELEMENT, TYPE=ROTARYI, ELSET=", of_inertia, "\n", number, ", ", label(mass.node),
                   "\n*ROTARY INERTIA, ELSET=", of_inertia, "\n", shortest(j(0, 0)), ", ", shortest(j(1, 1)), ", ",
                   shortest(j(2, 2)), ", ", shortest(j(0, 1)), ", ", shortest(j(0, 2)), ", ", shortest(j(1, 2)), "\n");
    }
  }

  const Mesh& mesh_;
  std::string text_;
  std::int64_t largest_label_ = 0;
};

struct GmshType {
  int number = 0;
  std::vector<int> order;  // our place of each of its nodes; empty: the same
};

GmshType gmsh_type(ElementShape shape) {
  switch (shape) {
    case ElementShape::point1:
      return {15, {}};
    case ElementShape::line2:
      return {1, {}};
    case ElementShape::line3:
      return {8, {}};
    case ElementShape::tri3:
      return {2, {}};
    case ElementShape::tri6:
      return {9, {}};
    case ElementShape::quad4:
      return {3, {}};
    case ElementShape::quad8:
      return {16, {}};
    case ElementShape::tet4:
      return {4, {}};
    case ElementShape::tet10:
      return {11, {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}};
    case ElementShape::wedge6:
      return {6, {}};
    case ElementShape::wedge15:
      return {18, {0, 1, 2, 3, 4, 5, 6, 8, 12, 7, 13, 14, 9, 11, 10}};
    case ElementShape::hex8:
      return {5, {}};
    case ElementShape::hex20:
      break;
  }
  return {17, {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 9, 17, 10, 18, 19, 12, 15, 13, 14}};
}

}  // namespace

std::string abaqus_text(const Mesh& mesh) { return AbaqusWriter(mesh).text(); }

std::string gmsh_text(const Mesh& mesh) {
  std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
  std::vector<std::vector<int>> groups(mesh.elements.size());  // of every element, from 1
  text += cat("$PhysicalNames\n", mesh.element_sets.size(), "\n");
  for (std::size_t k = 0; k < mesh.element_sets.size(); ++k) {
    int dimension = 0;
    for (const int e : mesh.element_sets[k].members) {
      groups[static_cast<std::size_t>(e)].push_back(static_cast<int>(k) + 1);
      dimension = std::max(dimension, info(mesh.elements[static_cast<std::size_t>(e)].shape).dimension);
    }
    text += cat(dimension, " ", k + 1, " \"", mesh.element_sets[k].name, "\"\n");
  }
  text += cat("$EndPhysicalNames\n$Nodes\n", mesh.positions.size(), "\n");
  for (std::size_t node = 0; node < mesh.positions.size(); ++node) {
    text += std::to_string(mesh.node_labels[node]);
    for (const double x : mesh.positions[node]) text += " " + shortest(x);
    text += '\n';
  }
  std::size_t count = 0;
  for (const std::vector<int>& of_element : groups) count += std::max<std::size_t>(of_element.size(), 1);
  text += cat("$EndNodes\n$Elements\n", count, "\n");
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    const MeshElement& element = mesh.elements[e];
    const GmshType type = gmsh_type(element.shape);
    if (groups[e].empty()) groups[e].push_back(0);
    for (const int group : groups[e]) {  // the same element once for every group
      text += cat(element.label, " ", type.number, " 2 ", group, " 1");
      for (int k = 0; k < info(element.shape).num_nodes; ++k) {
        const int place = type.order.empty() ? k : type.order[static_cast<std::size_t>(k)];
        text += ' ';
        text += std::to_string(mesh.node_labels[static_cast<std::size_t>(mesh.nodes_of(element)[place])]);
      }
      text += '\n';
    }
  }
  return text + "$EndElements\n";
}

}  // namespace lithe
