// Links of solid and shell elements: type = "mesh".
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "lithe/base/text.h"
#include "lithe/model/mesh/mesh_facts.h"
#include "lithe/read/bodies/select_nodes.h"
#include "lithe/read/mesh/mesh_file.h"
#include "lithe/read/mesh/mesh_units.h"
#include "lithe/read/parts.h"
#include "lithe/read/tables/input_file.h"

namespace lithe {
namespace {

std::optional<Mesh> read_file(const TableReader& reader, std::string& name) {
  if (!reader.has("file")) {
    if (!reader.has_or_means("file")) reader.error("key 'file' is missing (type mesh)");
    return std::nullopt;
  }
  const std::optional<NamedFile> file = read_named_file(reader, "file", largest_mesh_file);
  if (!file) return std::nullopt;
  name = reader.text("file").value_or("");
  const std::optional<MeshFormat> format = mesh_format(file->text, file->name);
  if (!format) {
    reader.error("file", cat("'", name,
                             "' is no mesh of a known format: Gmsh (.msh), Abaqus or CalculiX (.inp), "
                             "Nastran (.bdf, .nas, .dat)"));
    return std::nullopt;
  }
  MeshReadOptions options;
  options.quotes_content = !file->outside;
  bool outside = file->outside;
  options.include = [&](const std::string& wanted, const std::string& from, std::string& problem) {
    std::optional<NamedFile> found = read_file_beside(reader, wanted, from, largest_mesh_file, problem);
    outside = outside || (found && found->outside);
    return found ? std::optional(IncludedFile{found->name, std::move(found->text)}) : std::nullopt;
  };
  Diagnostics own;
  std::optional<Mesh> mesh = read_mesh(file->text, file->name, *format, own, options);
  for (Diagnostic error : own.errors()) {
    if (outside) error.message = "this cannot be read as a mesh";  // its words may be anybody's
    reader.reading().diagnostics.error(std::move(error));
  }
  if (!mesh) reader.reading().affected.push_back(reader.path_of("file"));
  if (mesh && reader.has("units")) {
    const std::optional<MeshUnits> units = parse_mesh_units(reader.text("units").value_or(""));
    if (!units)
      reader.error("units", cat("units must be a length, a mass and a time such as \"mm t s\", got '",
                                reader.text("units").value_or(""), "'"));
    else
      convert(*mesh, *units);
  }
  return mesh;
}

// Nodes of solids have no rotation: an inertia or an offset there turns with the elements around it in the mean.
void warn_of_masses(const TableReader& reader, const MeshPart& part, const std::vector<const std::vector<int>*>& held) {
  std::vector<bool> turns(part.mesh.positions.size(), false);
  for (const std::vector<int>* nodes : held)
    for (const int node : *nodes) turns[static_cast<std::size_t>(node)] = true;
  std::size_t count = 0;
  std::int64_t first = 0;
  for (const MeshMass& mass : part.mesh.masses) {
    if (mass.inertia.isZero(0) && mass.offset.isZero(0)) continue;
    if (turns[static_cast<std::size_t>(mass.node)] || part.has_rotation(mass.node)) continue;
    if (count++ == 0) first = part.mesh.node_labels[static_cast<std::size_t>(mass.node)];
  }
  if (count > 0)
    reader.reading().notes.push_back(
        cat(reader.owner(), ", mesh '", part.file, "': ", count, count == 1 ? " mass" : " masses",
            " with inertia or offset at nodes of solids, which have no rotation (the first at node ", first,
            "): they turn with the elements around them in the mean; a spider (RBE2, RBE3) says what holds them"));
}

// A beam's end on solids alone turns there as on a ball joint.
void warn_of_beams(const TableReader& reader, const MeshPart& part, const std::vector<const std::vector<int>*>& held) {
  if (part.mesh.beams.empty()) return;
  std::vector<bool> solid(part.mesh.positions.size(), false), turns(part.mesh.positions.size(), false);
  for (const MeshElement& element : part.mesh.elements)
    for (int k = 0; k < info(element.shape).num_nodes; ++k) {
      const auto node = static_cast<std::size_t>(part.mesh.nodes_of(element)[k]);
      if (is_solid(element)) solid[node] = true;
      if (is_shell(element)) turns[node] = true;
    }
  for (const std::vector<int>* nodes : held)
    for (const int node : *nodes) turns[static_cast<std::size_t>(node)] = true;
  for (const MeshBeam& beam : part.mesh.beams) {
    if (part.mesh.beam_sections[static_cast<std::size_t>(beam.section)].is_rod()) continue;
    const MeshElement& element = part.mesh.elements[static_cast<std::size_t>(beam.element)];
    for (int k = 0; k < 2; ++k) {
      const auto node = static_cast<std::size_t>(part.mesh.nodes_of(element)[k]);
      if (!solid[node] || turns[node]) continue;
      reader.reading().notes.push_back(
          cat(reader.owner(), ", mesh '", part.file, "': beam ", element.label, " ends at node ",
              part.mesh.node_labels[node],
              " of solids, where it can turn as on a ball joint; a rigid spider (RBE2) holds its rotation"));
      return;
    }
  }
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// Springs and equations that act on the link as the ground would: which, and how many more.
void warn_of_ground(const TableReader& reader, const MeshPart& part, double size) {
  std::string first;
  std::size_t count = 0;
  const auto check = [&](const std::string& name, const std::vector<MotionTerm>& terms, const char* what) {
    double largest = 0;  // factor of a displacement, or of a rotation where there is none
    for (const bool of_rotations : {false, true})
      for (const MotionTerm& term : terms)
        if ((term.component >= 3) == of_rotations && (!of_rotations || largest == 0))
          largest = std::max(largest, std::abs(term.factor));
    const Vector6 action = rigid_body_action(part.mesh.positions, terms) / std::max(largest, 1e-300);
    constexpr double rounding = 1e-6;
    const bool moves = action.head<3>().norm() > rounding;
    if (!moves && action.tail<3>().norm() <= rounding * size) return;
    if (count++ > 0) return;
    first = cat(name, what, moves ? "when the whole link moves" : "when the whole link turns", ", by ",
                rounded(moves ? action.head<3>().norm() : action.tail<3>().norm()), moves ? " m per m" : " m per rad");
  };
  for (const MeshSpring& spring : part.mesh.springs) check(spring.name, spring.terms, " acts ");
  for (const MeshEquation& equation : part.mesh.equations)
    if (!equation.if_all_turn) check(equation.name, equation.terms, " is violated ");
  if (count == 0) return;
  if (count > 1) first += cat(", and so do ", count - 1, " more");
  reader.reading().notes.push_back(
      cat(reader.owner(), ", mesh '", part.file, "': ", first,
          "; results depend on the node that the link hangs on: let both ends be at one place, or use an element that "
          "knows its length (SPRINGA, CBUSH)"));
}

// What a spring says of a rotation that its node has not is nothing.
void warn_of_springs(const TableReader& reader, const MeshPart& part,
                     const std::vector<const std::vector<int>*>& held) {
  std::vector<bool> turns = part.nodes_with_rotation();
  for (const std::vector<int>* nodes : held)
    for (const int node : *nodes) turns[static_cast<std::size_t>(node)] = true;
  for (const MeshSpring& spring : part.mesh.springs)
    for (const MotionTerm& term : spring.terms) {
      const auto node = static_cast<std::size_t>(term.node);
      if (term.component < 3 || turns[node]) continue;
      reader.reading().notes.push_back(cat(reader.owner(), ", mesh '", part.file, "': ", spring.name,
                                           " names the rotation of node ", part.mesh.node_labels[node],
                                           " of solids, which has none, and does nothing there; a rigid spider "
                                           "(RBE2) gives it one"));
      return;
    }
}

// Numbers that may be right and hardly are.
void warn(const TableReader& reader, const MeshPart& part, const Link& link) {
  std::vector<const std::vector<int>*> held;
  for (const Spider& spider : link.spiders)
    if (spider.kind == SpiderKind::rigid) held.push_back(&spider.nodes);
  for (const MeshSpider& spider : part.mesh.spiders)
    if (spider.kind == SpiderKind::rigid) held.push_back(&spider.nodes);
  for (const std::string& warning : part.mesh.warnings)
    reader.reading().notes.push_back(cat(reader.owner(), ": ", warning));
  warn_of_masses(reader, part, held);
  warn_of_beams(reader, part, held);
  warn_of_springs(reader, part, held);
  const MeshFacts facts = mesh_facts(part.mesh, held);
  warn_of_ground(reader, part, facts.size());
  const double mass = mesh_mass(part.mesh, part.element_materials, part.materials);
  const auto say = [&](const std::string& sentence) {
    reader.reading().notes.push_back(cat(reader.owner(), ", mesh '", part.file, "': ", sentence));
  };
  for (const std::string& sentence : implausible_numbers(part.mesh, facts, mass, part.materials, reader.has("units")))
    say(sentence);
  if (facts.hinges.empty()) return;
  std::string list;
  for (std::size_t k = 0; k < std::min<std::size_t>(facts.hinges.size(), 6); ++k)
    list += cat(k == 0 ? "" : ", ", facts.hinges[k]);
  if (facts.hinges.size() > 6) list += cat(" and ", facts.hinges.size() - 6, " more");
  say(cat("parts of it hang together by ", facts.hinges.size() == 1 ? "node " : "nodes ", list,
          " alone and can turn there as on a hinge; join their faces"));
}

}  // namespace

void read_mesh_link(const TableReader& reader, NameList& names, Link& link) {
  auto part = std::make_shared<MeshPart>();
  const bool planar = reader.reading().model.space == Space::planar;
  if (planar) reader.error("type", "links of type mesh are for models in space");
  std::optional<Mesh> mesh = read_file(reader, part->file);
  if (!mesh || planar) return name_interfaces(reader, names, link);
  part->mesh = *std::move(mesh);
  read_element_materials(reader, *part);
  const NodeChoice choice = choice_of(part->mesh.positions, &part->mesh);
  for (const Node& node : link.nodes) part->named_nodes.push_back(node_at(reader, choice, node).value_or(0));
  read_interfaces(reader, choice, part->named_nodes, names, link);
  std::vector<int> sorted = part->named_nodes;
  std::sort(sorted.begin(), sorted.end());
  const bool good =
      std::all_of(link.nodes.begin(), link.nodes.end(), [](const Node& node) { return node.position.allFinite(); });
  if (good && std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    reader.error("two named nodes are the same node of the mesh");
  if (link.nodes.empty()) reader.error("key 'interfaces' or 'nodes' is missing: the link has no named node");
  if (good && !reader.reading().diagnostics.any()) warn(reader, *part, link);
  link.mesh = std::move(part);
}

}  // namespace lithe
