// Links of solid elements: type = "mesh".
#include <algorithm>
#include <map>

#include "lithe/base/text.h"
#include "lithe/model/mesh/mesh_facts.h"
#include "lithe/read/mesh/mesh_file.h"
#include "lithe/read/mesh/mesh_units.h"
#include "lithe/read/parts.h"
#include "lithe/read/select_nodes.h"
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
  options.include = [&](const std::string& wanted, const std::string& from, std::string& problem) {
    std::optional<NamedFile> found = read_file_beside(reader, wanted, from, largest_mesh_file, problem);
    return found ? std::optional(IncludedFile{found->name, std::move(found->text)}) : std::nullopt;
  };
  std::optional<Mesh> mesh = read_mesh(file->text, file->name, *format, reader.reading().diagnostics, options);
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

// Every solid element gets a material: of its group, of the link, of the file.
class MaterialReader {
 public:
  MaterialReader(const TableReader& reader, MeshPart& part) : reader_(reader), part_(part) {}

  void run() {
    part_.element_materials.assign(part_.mesh.elements.size(), -1);
    for (std::size_t e = 0; e < part_.mesh.elements.size(); ++e)
      if (solid(e) && part_.mesh.elements[e].material >= 0)
        part_.element_materials[e] = of_file(part_.mesh.elements[e].material);
    if (const auto material = reader_.reference("material", reader_.reading().materials, "material"))
      for (std::size_t e = 0; e < part_.mesh.elements.size(); ++e)
        if (solid(e)) part_.element_materials[e] = of_model(*material);
    read_groups();
    if (!reader_.has_or_means("material")) demand_materials();
    check_materials();
  }

 private:
  bool solid(std::size_t e) const { return info(part_.mesh.elements[e].shape).dimension == 3; }

  int of_model(int material) { return place({0, material}, reader_.reading().model.materials[index(material)]); }
  int of_file(int material) { return place({1, material}, part_.mesh.materials[index(material)]); }
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  int place(std::pair<int, int> key, const Material& material) {
    const auto [found, is_new] = places_.emplace(key, static_cast<int>(part_.materials.size()));
    if (is_new) part_.materials.push_back(material);
    return found->second;
  }

  void read_groups() {
    const std::vector<Value>& tables = reader_.tables("groups");
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const TableReader part(reader_.reading(), mesh_group_table(), tables[i], cat(reader_.path(), ".groups[", i, "]"),
                             cat(reader_.owner(), ", ", owner_name("group", tables[i], static_cast<int>(i))));
      const std::optional<std::string> name = part.text("name");
      const auto material = part.reference("material", reader_.reading().materials, "material");
      if (!name || !material) continue;
      const MeshSet* set = part_.mesh.element_set(*name);
      if (!set) {
        NameList known;
        for (const MeshSet& other : part_.mesh.element_sets) known.add(other.name);
        part.error("name", cat("the mesh has no group of elements '", *name, "'", known.hint(*name)));
        continue;
      }
      std::size_t count = 0;
      for (const int e : set->members) {
        if (!solid(index(e))) continue;
        part_.element_materials[index(e)] = of_model(*material);
        ++count;
      }
      if (count == 0) part.error("name", cat("the group '", *name, "' has no solid elements"));
    }
  }

  void demand_materials() {
    std::size_t missing = 0;
    std::int64_t first = 0;
    for (std::size_t e = 0; e < part_.mesh.elements.size(); ++e) {
      if (!solid(e) || part_.element_materials[e] >= 0) continue;
      if (missing++ == 0) first = part_.mesh.elements[e].label;
    }
    if (missing > 0)
      reader_.error(cat("key 'material' is missing: ", missing,
                        missing == 1 ? " element of the mesh has" : " elements of the mesh have",
                        " no material (the first is number ", first, ")"));
  }

  void check_materials() {
    for (const Material& material : part_.materials) {
      const auto refuse = [&](const std::string& message) {
        reader_.error("file", cat("material '", material.name, "': ", message));
      };
      if (!(material.density > 0)) refuse("it has no density");
      if (!(material.young_modulus > 0) || !(material.shear_modulus > 0)) {
        refuse("it has no elastic constants");
        continue;
      }
      const double poisson = material.young_modulus / (2 * material.shear_modulus) - 1;
      if (!(poisson > -1 && poisson < 0.5)) refuse(cat("Poisson's ratio must lie between -1 and 0.5, got ", poisson));
    }
  }

  const TableReader& reader_;
  MeshPart& part_;
  std::map<std::pair<int, int>, int> places_;  // (model or file, number) -> place in part_.materials
};

// Numbers that may be right and hardly are.
void warn(const TableReader& reader, const MeshPart& part, const Link& link) {
  std::vector<const std::vector<int>*> held;
  for (const Spider& spider : link.spiders)
    if (spider.kind == SpiderKind::rigid) held.push_back(&spider.nodes);
  for (const MeshSpider& spider : part.mesh.spiders)
    if (spider.kind == SpiderKind::rigid) held.push_back(&spider.nodes);
  const MeshFacts facts = mesh_facts(part.mesh, held);
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
  MaterialReader(reader, *part).run();
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
