#include "app/models/import_mesh.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "app/models/new_file.h"
#include "app/program/command.h"
#include "app/terminal/table.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/export/mesh_text.h"
#include "lithe/fem/solid_element.h"
#include "lithe/model/mesh/mesh_facts.h"
#include "lithe/read/mesh/mesh_file.h"
#include "lithe/read/mesh/mesh_units.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/read/tables/input_file.h"

namespace lithe::app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& file, const std::string& message) {
  throw InputError({Diagnostic{.file = file, .line = 0, .column = 0, .path = {}, .message = message}});
}

struct ImportedMesh {
  Mesh mesh;
  MeshFormat format = MeshFormat::gmsh;
};

std::string text_of(const fs::path& path) {
  std::string problem;
  std::optional<std::string> text = read_regular_file(path, largest_mesh_file, problem);
  note_in_run(path);
  if (!text) fail(path.string(), problem);
  return *std::move(text);
}

// Included files lie in the folder of the file that names them, or below it.
MeshReadOptions with_includes() {
  MeshReadOptions options;
  options.include = [](const std::string& name, const std::string& from,
                       std::string& problem) -> std::optional<IncludedFile> {
    std::error_code ignored;
    const fs::path folder = fs::path(from).parent_path();
    const fs::path path = fs::weakly_canonical(folder / name, ignored);
    const std::string inside = path.lexically_relative(fs::weakly_canonical(folder / ".", ignored)).string();
    if (inside.empty() || inside.starts_with("..")) {
      problem = "the file lies outside the folder";
      return std::nullopt;
    }
    std::optional<std::string> text = read_regular_file(path, largest_mesh_file, problem);
    return text ? std::optional(IncludedFile{path.string(), *std::move(text)}) : std::nullopt;
  };
  return options;
}

ImportedMesh read_mesh_file(const MeshImport& options) {
  const std::string text = text_of(options.file);
  const std::optional<MeshFormat> format = mesh_format(text, options.file);
  if (!format) fail(options.file, "this is no mesh of a known format");
  Diagnostics diagnostics;
  std::optional<Mesh> mesh = read_mesh(text, options.file, *format, diagnostics, with_includes());
  diagnostics.throw_if_any();
  if (!options.units.empty()) {
    const std::optional<MeshUnits> units = parse_mesh_units(options.units);
    if (!units)
      throw InputError(
          cat("--units must be a length, a mass and a time such as \"mm t s\", got '", options.units, "'"));
    convert(*mesh, *units);
  }
  return {*std::move(mesh), *format};
}

// A set of the mesh with what it is of.
struct Group {
  std::string name;
  std::string kind;  // "solids", "faces", "lines", "nodes"
  std::size_t members = 0;
  std::vector<int> nodes;
  Vector3 low = Vector3::Zero(), high = Vector3::Zero();
  bool area = false;  // its nodes are not on a line: it can hold a rotation
};

void measure(const Mesh& mesh, Group& group) {
  if (group.nodes.empty()) return;
  const auto position = [&](int node) { return mesh.positions[static_cast<std::size_t>(node)]; };
  group.low = group.high = position(group.nodes.front());
  Vector3 centre = Vector3::Zero();
  for (const int node : group.nodes) {
    group.low = group.low.cwiseMin(position(node));
    group.high = group.high.cwiseMax(position(node));
    centre += position(node) / static_cast<double>(group.nodes.size());
  }
  Vector3 longest = Vector3::Zero();
  for (const int node : group.nodes)
    if ((position(node) - centre).norm() > longest.norm()) longest = position(node) - centre;
  group.area = std::any_of(group.nodes.begin(), group.nodes.end(), [&](int node) {
    return (position(node) - centre).cross(longest).norm() > 1e-6 * longest.squaredNorm();
  });
}

std::vector<Group> groups_of(const Mesh& mesh) {
  static constexpr const char* kinds[] = {"points", "lines", "faces", "solids"};
  std::vector<Group> groups;
  for (const MeshSet& set : mesh.element_sets) {
    int dimension = 0;
    for (const int e : set.members)
      dimension = std::max(dimension, info(mesh.elements[static_cast<std::size_t>(e)].shape).dimension);
    groups.push_back({set.name, kinds[dimension], set.members.size(), mesh.nodes_named(set.name)});
  }
  for (const MeshSet& set : mesh.node_sets)
    if (!mesh.element_set(set.name)) {
      std::vector<int> nodes = mesh.nodes_named(set.name);  // surfaces name those of each of their faces
      groups.push_back({set.name, "nodes", nodes.size(), std::move(nodes)});
    }
  for (Group& group : groups) measure(mesh, group);
  return groups;
}

std::vector<const std::vector<int>*> held_nodes(const Mesh& mesh) {
  std::vector<const std::vector<int>*> held;
  for (const MeshSpider& spider : mesh.spiders)
    if (spider.kind == SpiderKind::rigid) held.push_back(&spider.nodes);
  return held;
}

bool has_faces(const Mesh& mesh) {
  return std::any_of(mesh.elements.begin(), mesh.elements.end(),
                     [](const MeshElement& element) { return info(element.shape).dimension == 2; });
}

// Solids that are turned inside out somewhere: also those of positive volume whose edges bend too far.
std::vector<std::int64_t> inside_out(const Mesh& mesh, const MeshFacts& facts) {
  std::vector<std::int64_t> labels = facts.inside_out;
  for (const MeshElement& element : mesh.elements) {
    if (!is_solid(element)) continue;
    SolidNodes nodes(info(element.shape).num_nodes, 3);
    for (Eigen::Index k = 0; k < nodes.rows(); ++k)
      nodes.row(k) = mesh.positions[static_cast<std::size_t>(mesh.nodes_of(element)[k])].transpose();
    if (!(smallest_jacobian(element.shape, nodes) > 0)) labels.push_back(element.label);
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

// What would stop the reduction of this mesh, one sentence each.
std::vector<std::string> faults(const Mesh& mesh, const MeshFacts& facts) {
  std::vector<std::string> result;
  const auto list = [](const std::vector<std::int64_t>& labels) {
    std::string text;
    for (std::size_t k = 0; k < std::min<std::size_t>(labels.size(), 6); ++k) text += cat(k ? ", " : "", labels[k]);
    return labels.size() > 6 ? cat(text, " and ", labels.size() - 6, " more") : text;
  };
  if (facts.num_solids + facts.num_shells == 0)
    result.push_back(has_faces(mesh) ? "the mesh has no solid elements; faces become shells in a model file that gives "
                                       "their group a thickness: [[links.groups]]"
                                     : "the mesh has no solid elements");
  if (const std::vector<std::int64_t> labels = inside_out(mesh, facts); !labels.empty())
    result.push_back(cat(labels.size(), labels.size() == 1 ? " element" : " elements",
                         " with negative or zero volume: number ", list(labels)));
  if (facts.num_pieces > 1)
    result.push_back(cat("the mesh has ", facts.num_pieces,
                         " pieces that are not connected; merge coincident nodes, or connect the pieces"));
  if (!facts.hinges.empty())
    result.push_back(cat("parts of it hang together by ", facts.hinges.size() == 1 ? "node " : "nodes ",
                         list(facts.hinges), " alone and can turn there as on a hinge; join their faces"));
  for (const Material& material : mesh.materials)
    if (!(material.density > 0)) result.push_back(cat("material '", material.name, "' has no density"));
  return result;
}

std::vector<std::string> doubts(const Mesh& mesh, const MeshFacts& facts, double mass, bool has_units) {
  std::vector<ElementMaterial> complete;
  for (const ElementMaterial& material : mesh.materials)
    if (material.density > 0 && material.young_modulus > 0) complete.push_back(material);
  if (facts.num_solids + facts.num_shells == 0) return mesh.warnings;
  std::vector<std::string> result = implausible_numbers(mesh, facts, mass > 0 ? mass : 1, complete, has_units);
  constexpr std::string_view unknown = " and weighs 1 kg";
  for (std::string& sentence : result)
    if (const std::size_t at = sentence.find(unknown); mass <= 0 && at != sentence.npos)
      sentence.erase(at, unknown.size());
  result.insert(result.begin(), mesh.warnings.begin(), mesh.warnings.end());
  return result;
}

double mass_of_file(const Mesh& mesh) {
  std::vector<int> materials;
  for (const MeshElement& element : mesh.elements)
    materials.push_back(is_shell(element) ? mesh.shells[static_cast<std::size_t>(element.shell)].layers[0].material
                                          : element.material);
  double mass = mesh_mass(mesh, materials, mesh.materials);
  for (const MeshMass& lumped : mesh.masses) mass += lumped.mass;
  return mass;
}

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

// Groups that may be interfaces, named sets of nodes before faces; with the one before that has some of the same nodes.
// A group of most of the mesh is none.
std::vector<std::pair<const Group*, const Group*>> interfaces_of(const Mesh& mesh, const std::vector<Group>& groups) {
  std::vector<std::pair<const Group*, const Group*>> result;
  std::vector<const Group*> owner(mesh.positions.size(), nullptr);
  std::vector<bool> follows(mesh.positions.size(), false);  // a spider or a tie of the file
  for (const MeshSpider& spider : mesh.spiders)
    for (const int node : spider.nodes) follows[static_cast<std::size_t>(node)] = true;
  for (const MeshEquation& equation : mesh.equations)
    for (const MotionTerm& term : equation.terms) follows[static_cast<std::size_t>(term.node)] = true;
  for (const char* const kind : {"nodes", "faces"})
    for (const Group& group : groups) {
      if (group.kind != kind || !group.area || 2 * group.nodes.size() > mesh.positions.size()) continue;
      const Group* other = nullptr;
      const auto taken = [&](int node) { return follows[static_cast<std::size_t>(node)]; };
      if (std::any_of(group.nodes.begin(), group.nodes.end(), taken)) continue;
      for (const int node : group.nodes)
        if (const Group* found = owner[static_cast<std::size_t>(node)]; found) other = found;
      result.emplace_back(&group, other);
      if (other) continue;
      for (const int node : group.nodes) owner[static_cast<std::size_t>(node)] = &group;
    }
  return result;
}

bool shell_has_material(const Mesh& mesh, const MeshElement& element) {
  const std::vector<ShellLayer>& layers = mesh.shells[static_cast<std::size_t>(element.shell)].layers;
  return std::all_of(layers.begin(), layers.end(), [](const ShellLayer& layer) { return layer.material >= 0; });
}

// A model file of one link, which a user goes on with.
std::string model_text(const MeshImport& options, const Mesh& mesh, const std::vector<Group>& groups) {
  const std::string name = fs::path(options.file).stem().string();
  bool all_have = true;
  for (const MeshElement& element : mesh.elements)
    if (is_shell(element) ? !shell_has_material(mesh, element) : is_solid(element) && element.material < 0)
      all_have = false;
  std::string text = cat("# From ", fs::path(options.file).filename().string(),
                         " by lithe import. The link hangs on its first interface; change that to your joints.\n",
                         "lithe = 1\nname = ", quoted(name), "\ngravity = [0, 0, -9.81]\n");
  if (!all_have)
    text +=
        "\n[materials.steel]  # the mesh file names none\ndensity = 7850\nyoung_modulus = \"210 GPa\"\n"
        "poisson_ratio = 0.3\n";
  text += cat("\n[[links]]\nname = ", quoted(name),
              "\ntype = \"mesh\"\nfile = ", quoted(fs::path(options.file).filename().string()), "\n");
  if (!options.units.empty()) text += cat("units = ", quoted(options.units), "\n");
  if (!all_have) text += "material = \"steel\"\n";
  std::string first;
  for (const auto& [group, other] : interfaces_of(mesh, groups)) {
    if (other) {
      text += cat("\n# The group ", quoted(group->name), " shares nodes with ", quoted(other->name),
                  ", and a node may follow one interface only.\n");
      continue;
    }
    text += cat("\n[[links.interfaces]]\nname = ", quoted(group->name), "\ngroup = ", quoted(group->name), "\n");
    if (first.empty()) first = group->name;
  }
  for (const MeshSpider& spider : mesh.spiders) {
    const std::int64_t number = mesh.node_labels[static_cast<std::size_t>(spider.reference)];
    text += cat("\n[[links.interfaces]]  # of a spider of the mesh file\nname = \"node ", number,
                "\"\nnumber = ", number, "\n");
    if (first.empty()) first = cat("node ", number);
  }
  if (first.empty())
    return text +
           "\n# The mesh has no groups of faces or nodes. Name where bearings sit, for example:\n"
           "# [[links.interfaces]]\n# name = \"pivot\"\n"
           "# cylinder = {point = [0, 0, 0], axis = [0, 0, 1], radius = \"8 mm\"}\n";
  return text + cat("\n[[joints]]\nname = \"mount\"\ntype = \"fixed\"\nchild = ", quoted(name),
                    "\nchild_node = ", quoted(first), "\n");
}

std::string file_text(const MeshImport& options, const Mesh& mesh, const std::vector<Group>& groups) {
  std::string ending = fs::path(options.output).extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (ending == ".toml") {
    if (fs::weakly_canonical(fs::path(options.output).parent_path() / ".") !=
        fs::weakly_canonical(fs::path(options.file).parent_path() / "."))
      throw InputError("the model file must lie beside the mesh that it names: give -o a name in that folder");
    return model_text(options, mesh, groups);
  }
  if (ending == ".inp") {
    if (!mesh.beams.empty() || !mesh.springs.empty() || !mesh.equations.empty())
      throw InputError("beams, springs and equations are not written to .inp files: write .toml and keep the mesh");
    for (const MeshMass& mass : mesh.masses)
      if (!mass.offset.isZero(0))
        throw InputError(cat("the mass at node ", mesh.node_labels[static_cast<std::size_t>(mass.node)],
                             " has an offset, which an .inp file cannot say: write .toml, or put the mass on a node"));
    return abaqus_text(mesh);
  }
  if (ending == ".msh") return gmsh_text(mesh);
  throw InputError(cat("'", options.output,
                       "': the ending says what to write: .toml (a model), .inp (Abaqus, CalculiX) or .msh (Gmsh)"));
}

std::string size_text(const Vector3& extent) {
  return cat(number(extent.x(), 4), " x ", number(extent.y(), 4), " x ", number(extent.z(), 4), " m");
}

std::string report_text(const ImportedMesh& imported, const MeshFacts& facts, const std::vector<Group>& groups,
                        const MeshImport& options) {
  const Mesh& mesh = imported.mesh;
  std::string text = cat(options.file, ": ", name_of(imported.format), " mesh, ", mesh.num_nodes(), " nodes");
  for (const auto& [shape, count] : facts.shapes)
    if (info(shape).dimension == 3) text += cat(", ", count, " elements (", info(shape).name, ")");
  if (facts.num_shells > 0) text += cat(", ", facts.num_shells, " shells");
  text += cat("\n\nsize       ", size_text(facts.high - facts.low), "\nvolume     ", number(facts.volume, 4), " m^3\n");
  if (const double mass = mass_of_file(mesh); mass > 0) text += cat("mass       ", number(mass, 4), " kg\n");
  for (const Material& material : mesh.materials)
    text += cat("material   ", material.name, ": density ", number(material.density, 4), " kg/m^3, Young's modulus ",
                number(material.young_modulus, 4), " Pa\n");
  if (!mesh.spiders.empty()) text += cat("spiders    ", mesh.spiders.size(), "\n");
  if (!mesh.beams.empty()) text += cat("beams      ", mesh.beams.size(), "\n");
  if (!mesh.springs.empty()) text += cat("springs    ", mesh.springs.size(), "\n");
  if (!mesh.equations.empty()) text += cat("equations  ", mesh.equations.size(), "\n");
  if (!mesh.masses.empty()) text += cat("masses     ", mesh.masses.size(), "\n");
  if (groups.empty()) return text;
  TextTable table({{"group"}, {"of"}, {"members"}, {"nodes"}, {"middle m"}, {"size m"}});
  for (const Group& group : groups) {
    const Vector3 middle = 0.5 * (group.low + group.high), extent = group.high - group.low;
    const auto triple = [](const Vector3& v) {
      return cat(number(v.x(), 4), ", ", number(v.y(), 4), ", ", number(v.z(), 4));
    };
    table.add_row(
        {group.name, group.kind, cat(group.members), cat(group.nodes.size()), triple(middle), triple(extent)});
  }
  return text + "\n" + table.text(Style(false));
}

nlohmann::json triple(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

nlohmann::json report_json(const ImportedMesh& imported, const MeshFacts& facts, const std::vector<Group>& groups,
                           const MeshImport& options) {
  const Mesh& mesh = imported.mesh;
  nlohmann::json value{{"file", options.file},
                       {"format", name_of(imported.format)},
                       {"nodes", mesh.num_nodes()},
                       {"low", triple(facts.low)},
                       {"high", triple(facts.high)},
                       {"volume", json_number(facts.volume)},
                       {"mass", json_number(mass_of_file(mesh))},
                       {"spiders", mesh.spiders.size()},
                       {"beams", mesh.beams.size()},
                       {"springs", mesh.springs.size()},
                       {"equations", mesh.equations.size()},
                       {"masses", mesh.masses.size()}};
  value["elements"] = nlohmann::json::object();
  for (const auto& [shape, count] : facts.shapes) value["elements"][std::string(info(shape).name)] = count;
  value["groups"] = nlohmann::json::array();
  for (const Group& group : groups)
    value["groups"].push_back({{"name", group.name},
                               {"of", group.kind},
                               {"members", group.members},
                               {"nodes", group.nodes.size()},
                               {"low", triple(group.low)},
                               {"high", triple(group.high)}});
  value["materials"] = nlohmann::json::array();
  for (const Material& material : mesh.materials)
    value["materials"].push_back({{"name", material.name},
                                  {"density", json_number(material.density)},
                                  {"young_modulus", json_number(material.young_modulus)}});
  return value;
}

}  // namespace

bool is_mesh_file(const std::string& file) { return mesh_format({}, file).has_value(); }

std::string model_of_mesh(const std::string& file, const std::string& units) {
  const MeshImport options{file, {}, units};
  const ImportedMesh imported = read_mesh_file(options);
  const Mesh& mesh = imported.mesh;
  const std::vector<Group> groups = groups_of(mesh);
  constexpr const char* advice = "; make a model file with `lithe import` and reduce its link";
  for (const MeshElement& element : mesh.elements)
    if (info(element.shape).dimension == 3 && element.material < 0)
      fail(file, cat("the mesh names no material", advice));
  if (interfaces_of(mesh, groups).empty() && mesh.spiders.empty())
    fail(file, cat("the mesh has no groups of faces or nodes that may be interfaces", advice));
  return model_text(options, mesh, groups);
}

int import_mesh(const MeshImport& options, const Output& output) {
  const ImportedMesh imported = read_mesh_file(options);
  const Mesh& mesh = imported.mesh;
  const MeshFacts facts = mesh_facts(mesh, held_nodes(mesh));
  const std::vector<Group> groups = groups_of(mesh);
  const std::vector<std::string> wrong = faults(mesh, facts);
  const std::vector<std::string> doubtful = doubts(mesh, facts, mass_of_file(mesh), !options.units.empty());
  if (!options.output.empty() && !wrong.empty()) {
    std::vector<Diagnostic> errors;
    for (const std::string& sentence : wrong)
      errors.push_back({.file = options.file, .line = 0, .column = 0, .path = {}, .message = sentence});
    throw InputError(std::move(errors));
  }
  if (!options.output.empty()) write_new_file(file_text(options, mesh, groups), options.output);
  if (output.json()) {
    nlohmann::json value = report_json(imported, facts, groups, options);
    value["ok"] = wrong.empty();
    value["errors"] = wrong;
    value["warnings"] = doubtful;
    if (!options.output.empty()) value["written"] = options.output;
    if (wrong.empty()) value["model"] = model_text(options, mesh, groups);
    output.print(value);
  } else {
    std::string text = report_text(imported, facts, groups, options);
    for (const std::string& sentence : doubtful) text += cat("\nwarning: ", sentence, "\n");
    for (const std::string& sentence : wrong) text += cat("\nerror: ", sentence, "\n");
    if (!options.output.empty()) text += cat("\nwritten: ", options.output, "\n");
    output.print(text);
  }
  return wrong.empty() ? exit_ok : exit_bad_input;
}

}  // namespace lithe::app
