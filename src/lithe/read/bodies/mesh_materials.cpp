// What the elements of a mesh are made of.
#include <map>

#include "lithe/base/text.h"
#include "lithe/model/mesh/mesh.h"
#include "lithe/read/parts.h"

namespace lithe {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// Every element of the structure gets a material: of its group, of the link, of the file. Faces with a thickness
// become shells.
class MaterialReader {
 public:
  MaterialReader(const TableReader& reader, MeshPart& part) : reader_(reader), part_(part), mesh_(part.mesh) {}

  void run() {
    part_.element_materials.assign(mesh_.elements.size(), -1);
    for (std::size_t e = 0; e < mesh_.elements.size(); ++e)
      if (is_solid(mesh_.elements[e]) && mesh_.elements[e].material >= 0)
        part_.element_materials[e] = of_file(mesh_.elements[e].material);
    for (ShellSection& shell : mesh_.shells)
      for (ShellLayer& layer : shell.layers)
        if (layer.material >= 0) layer.material = of_file(layer.material);
    for (MeshBeamSection& beam : mesh_.beam_sections)
      if (beam.material >= 0) beam.material = of_file(beam.material);
    if (const auto material = reader_.reference("material", reader_.reading().materials, "material")) {
      of_link_ = of_model(*material);
      for (std::size_t e = 0; e < mesh_.elements.size(); ++e)
        if (is_solid(mesh_.elements[e])) part_.element_materials[e] = of_link_;
      for (ShellSection& shell : mesh_.shells)
        if (shell.layers.size() == 1) shell.layers[0].material = of_link_;
      for (MeshBeamSection& beam : mesh_.beam_sections) beam.material = of_link_;
    }
    read_groups();
    for (std::size_t e = 0; e < mesh_.elements.size(); ++e)
      if (is_shell(mesh_.elements[e])) part_.element_materials[e] = material_of_shell(mesh_.elements[e]);
    if (!reader_.has_or_means("material")) demand_materials();
    check_materials();
  }

 private:
  // Of its first layer; none where one of them has none.
  int material_of_shell(const MeshElement& element) const {
    const std::vector<ShellLayer>& layers = mesh_.shells[index(element.shell)].layers;
    for (const ShellLayer& layer : layers)
      if (layer.material < 0) return -1;
    return layers.front().material;
  }

  int of_model(int material) { return place({0, material}, reader_.reading().element_material(material)); }
  int of_file(int material) { return place({1, material}, mesh_.materials[index(material)]); }
  int place(std::pair<int, int> key, const ElementMaterial& material) {
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
      if (!name) continue;
      const MeshSet* set = mesh_.element_set(*name);
      if (!set) {
        NameList known;
        for (const MeshSet& other : mesh_.element_sets) known.add(other.name);
        part.error("name", cat("the mesh has no group of elements '", *name, "'", known.hint(*name)));
        continue;
      }
      read_group(part, *name, *set);
    }
  }

  void read_group(const TableReader& part, const std::string& name, const MeshSet& set) {
    const bool shells = part.has("thickness") || part.has("layers");
    if (part.has("thickness") && part.has("layers")) part.error("layers", "give thickness or layers, not both");
    if (part.has("material") && part.has("layers")) part.error("material", "each layer names its material");
    if (part.has("offset") && !shells) part.error("offset", "'offset' is for shells: give a thickness or layers");
    if (!shells && !part.has("frame") && !part.has_or_means("material"))
      part.error("key 'material', 'thickness', 'layers' or 'frame' is missing");
    std::optional<int> material = part.reference("material", reader_.reading().materials, "material");
    if (material) material = of_model(*material);
    if (shells)
      make_shells(part, name, set, material);
    else if (material)
      give_material(part, name, set, *material);
    if (part.has("frame")) give_frame(part, set);
  }

  void make_shells(const TableReader& part, const std::string& name, const MeshSet& set,
                   const std::optional<int>& material) {
    ShellSection shell;
    shell.offset = part.number("offset").value_or(0);
    if (part.has("layers")) {
      const auto layers = read_layers(part, group_layer_table());
      if (!layers) return;
      for (const ReadLayer& layer : *layers)
        shell.layers.push_back({of_model(layer.material), layer.thickness, layer.angle});
    } else {
      const std::optional<double> thickness = part.number("thickness");
      if (!thickness) return;
      shell.layers.push_back({material.value_or(of_link_), *thickness, 0});
    }
    std::size_t count = 0;
    for (const int e : set.members) {
      if (info(mesh_.elements[index(e)].shape).dimension != 2) continue;
      mesh_.elements[index(e)].shell = static_cast<int>(mesh_.shells.size());
      ++count;
    }
    if (count == 0) part.error("name", cat("the group '", name, "' has no faces that could be shells"));
    mesh_.shells.push_back(std::move(shell));
  }

  void give_material(const TableReader& part, const std::string& name, const MeshSet& set, int material) {
    std::size_t count = 0;
    std::map<int, int> changed;  // shells of the file with another material
    for (const int e : set.members) {
      MeshElement& element = mesh_.elements[index(e)];
      if (is_solid(element)) part_.element_materials[index(e)] = material;
      if (is_shell(element)) element.shell = with_material(element.shell, material, changed);
      count += is_solid(element) || is_shell(element) ? 1 : 0;
    }
    if (count == 0)
      part.error("name",
                 cat("the group '", name, "' has no solid elements; its faces are shells if it has a thickness"));
  }

  int with_material(int shell, int material, std::map<int, int>& changed) {
    const auto [found, is_new] = changed.emplace(shell, static_cast<int>(mesh_.shells.size()));
    if (is_new) {
      ShellSection other = mesh_.shells[index(shell)];
      for (ShellLayer& layer : other.layers) layer.material = material;
      mesh_.shells.push_back(std::move(other));
    }
    return found->second;
  }

  void give_frame(const TableReader& group, const MeshSet& set) {
    const Value& table = *group.find("frame");
    if (!expect_table(group.reading(), table, group.path_of("frame"))) return;
    const TableReader part(group.reading(), group_frame_table(), table, group.path_of("frame"),
                           cat(group.owner(), ", frame"));
    const std::optional<ElementFrame> frame = read_frame(part);
    if (!frame) return;
    for (const int e : set.members) mesh_.elements[index(e)].frame = static_cast<int>(mesh_.frames.size());
    mesh_.frames.push_back(*frame);
  }

  static std::optional<ElementFrame> read_frame(const TableReader& part) {
    ElementFrame frame;
    if (part.has("axis")) {
      for (const std::string_view key : {"first", "second"})
        if (part.has(key)) part.error(key, "give an axis, or the vectors 'first' and 'second'");
      const std::optional<Vector3> axis = part.direction("axis"), point = part.vector("point");
      if (!axis || !point) return std::nullopt;
      frame.cylindrical = true;
      frame.origin = *point;
      frame.axes.col(2) = *axis;
      frame.axes.col(0) = axis->unitOrthogonal();
      frame.axes.col(1) = axis->cross(frame.axes.col(0));
      frame.turn << 0, 0, -1, 0, 1, 0, 1, 0, 0;  // along, around, inwards
      return frame;
    }
    if (part.has("point")) part.error("point", "'point' is for a frame with an axis");
    if (!part.has("first") || !part.has("second")) {
      part.error("keys 'first' and 'second', or 'axis', are missing");
      return std::nullopt;
    }
    const std::optional<Vector3> first = part.direction("first"), second = part.direction("second");
    if (!first || !second) return std::nullopt;
    const Vector3 third = first->cross(*second);
    if (!(third.norm() > 1e-6)) {
      part.error("second", "the second vector must not be along the first");
      return std::nullopt;
    }
    frame.axes << *first, third.normalized().cross(*first), third.normalized();
    return frame;
  }

  bool has_no_material(std::size_t e) const {
    return (is_solid(mesh_.elements[e]) || is_shell(mesh_.elements[e])) && part_.element_materials[e] < 0;
  }

  void demand_materials() {
    std::size_t missing = 0;
    std::int64_t first = 0;
    for (std::size_t e = 0; e < mesh_.elements.size(); ++e) {
      if (!has_no_material(e)) continue;
      if (missing++ == 0) first = mesh_.elements[e].label;
    }
    for (const MeshBeam& beam : mesh_.beams) {
      if (mesh_.beam_sections[index(beam.section)].material >= 0) continue;
      if (missing++ == 0) first = mesh_.elements[index(beam.element)].label;
    }
    if (missing > 0)
      reader_.error(cat("key 'material' is missing: ", missing,
                        missing == 1 ? " element of the mesh has" : " elements of the mesh have",
                        " no material (the first is number ", first, ")"));
  }

  void check_materials() {
    for (const ElementMaterial& material : part_.materials) {
      const auto refuse = [&](const std::string& message) {
        reader_.error("file", cat("material '", material.name, "': ", message));
      };
      if (!(material.density > 0)) refuse("it has no density");
      if (const std::string problem = constants_error(material); !problem.empty()) refuse(problem);
    }
  }

  const TableReader& reader_;
  MeshPart& part_;
  Mesh& mesh_;
  int of_link_ = -1;                           // the link's own material
  std::map<std::pair<int, int>, int> places_;  // (model or file, number) -> place in part_.materials
};

}  // namespace

void read_element_materials(const TableReader& reader, MeshPart& part) { MaterialReader(reader, part).run(); }

}  // namespace lithe
