#include "lithe/read/mesh/abaqus_deck.h"

#include <limits>

#include "lithe/base/text.h"
#include "lithe/model/sections/section_properties.h"

namespace lithe {

void AbaqusDeck::resolve() {
  resolve_shells();
  resolve_sections();
  resolve_beams();
  resolve_masses();
  resolve_springs();
  resolve_pairs();
  resolve_ties();
  for (const Coupling& coupling : couplings) resolve_coupling(coupling);
}

int AbaqusDeck::find_instance(std::string_view name) const {
  for (std::size_t k = 0; k < instances.size(); ++k)
    if (instances[k].name == name) return static_cast<int>(k);
  return -1;
}

std::pair<int, std::string> AbaqusDeck::split(const AbaqusReference& reference) const {
  const std::size_t dot = reference.text.find('.');
  if (dot != std::string::npos)
    if (const int found = find_instance(reference.text.substr(0, dot)); found >= 0)
      return {found, reference.text.substr(dot + 1)};
  return {reference.instance, reference.text};
}

std::string AbaqusDeck::set_name(const AbaqusReference& reference) const {
  const auto [instance, name] = split(reference);
  if (instance >= 0) return instances[static_cast<std::size_t>(instance)].prefix + name;
  if (!reference.in_assembly) return name;
  const std::string own = of_assembly(name);
  const bool known =
      builder.has_node_set(own) || builder.mesh.element_set(own) || surfaces.contains(own) || point_sets.contains(own);
  return known ? own : name;
}

std::int64_t AbaqusDeck::own_number(std::int64_t label, const AbaqusReference& where, bool of_node) const {
  if (where.instance >= 0) {
    const AbaqusInstance& instance = instances[static_cast<std::size_t>(where.instance)];
    const std::int64_t offset = of_node ? instance.node_offset : instance.element_offset;
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    return label > largest - offset ? largest : label + offset;
  }
  if (!where.in_assembly) return label;
  const auto& numbers = of_node ? assembly_nodes : assembly_elements;
  const auto own = numbers.find(label);
  return own == numbers.end() ? label : own->second;
}

bool AbaqusDeck::number_of(const AbaqusReference& reference, bool of_node, std::int64_t& label) const {
  const auto [instance, text] = split(reference);
  if (!parse_whole(text, label)) return false;
  label = own_number(label, {text, reference.in_assembly, instance}, of_node);
  return true;
}

std::int64_t AbaqusDeck::node_label(const AbaqusReference& reference, const MeshFilePlace& place, bool quotes) const {
  std::int64_t label = 0;
  if (number_of(reference, true, label)) return label;
  const std::string text = split(reference).second;
  const std::string name = set_name(reference);
  const std::string shown = quotes ? cat(" '", text.substr(0, 40), "'") : std::string();
  if (!builder.has_node_set(name)) place.fail(cat("a node or a set of one node expected, got", shown));
  const std::vector<std::int64_t>& members = builder.labels_of(name);
  if (members.size() != 1) place.fail(cat("the node set", shown, " must have one node here, it has ", members.size()));
  return members.front();
}

void AbaqusDeck::demand_room(std::size_t members, const MeshFilePlace& place) {
  if (!builder.has_room_for(members))
    place.fail(cat("sets and couplings have more than ", MeshBuilder::most_members, " members"));
}

std::vector<int> AbaqusDeck::element_set(const std::string& name, const MeshFilePlace& place) {
  const MeshSet* set = builder.mesh.element_set(name);
  if (!set) place.fail(cat("element set ", name, " does not exist"));
  demand_room(set->members.size(), place);
  return set->members;
}

void AbaqusDeck::add_nodes_to_set(const std::string& set, const AbaqusReference& reference,
                                  const MeshFilePlace& place) {
  if (std::int64_t label = 0; number_of(reference, true, label)) {
    builder.node_set(set).push_back(label);
    return;
  }
  const std::string other = set_name(reference);
  if (!builder.has_node_set(other)) place.fail(cat("node set ", other, " does not exist"));
  const std::vector<std::int64_t> members = builder.labels_of(other);
  demand_room(members.size(), place);
  std::vector<std::int64_t>& own = builder.node_set(set);
  own.insert(own.end(), members.begin(), members.end());
}

void AbaqusDeck::add_element_to_set(const std::string& set, std::int64_t label, bool in_assembly, bool may_lack,
                                    const MeshFilePlace& place) {
  const int* element = builder.element(label);
  const auto point = point_index.find(label);
  if (point != point_index.end() && (!element || in_assembly))
    point_sets[set].push_back(point->second);
  else if (element)
    for (const int part : with_second_half(*element)) builder.element_set(set).push_back(part);
  else if (!may_lack)
    place.fail(cat("element ", label, " does not exist"));
}

void AbaqusDeck::add_elements_to_set(const std::string& set, const AbaqusReference& reference,
                                     const MeshFilePlace& place) {
  const auto [instance, text] = split(reference);
  if (std::int64_t label = 0; number_of(reference, false, label))
    return add_element_to_set(set, label, reference.in_assembly && instance < 0, false, place);
  const std::string other = set_name(reference);
  if (const auto found = point_sets.find(other); found != point_sets.end()) {
    const std::vector<std::size_t> members = found->second;
    demand_room(members.size(), place);
    std::vector<std::size_t>& own = point_sets[set];
    own.insert(own.end(), members.begin(), members.end());
    if (!builder.mesh.element_set(other)) return;
  }
  const std::vector<int> members = element_set(other, place);
  std::vector<int>& own = builder.element_set(set);
  own.insert(own.end(), members.begin(), members.end());
}

int AbaqusDeck::material_of(const std::string& name, const char* user, const MeshFilePlace& place) const {
  const std::vector<ElementMaterial>& materials = builder.mesh.materials;
  for (std::size_t k = 0; k < materials.size(); ++k)
    if (materials[k].name == name) return static_cast<int>(k);
  place.fail(cat("*", user, " names material ", name, ", which does not exist"));
}

void AbaqusDeck::resolve_shells() {
  for (const Shell& shell : shells) {
    if (shell.layers.empty()) shell.place.fail("*SHELL SECTION has no thickness");
    ShellSection section;
    section.layers = shell.layers;
    for (std::size_t k = 0; k < shell.materials.size(); ++k)
      section.layers[k].material = material_of(shell.materials[k], "SHELL SECTION", shell.place);
    section.offset = -shell.nodes_at * section.thickness();
    const int frame = frame_of(shell.orientation, shell.place);
    if (frame >= 0 && !shell_orientations.contains(shell.orientation))
      for (const ShellLayer& layer : section.layers)
        if (builder.mesh.materials[static_cast<std::size_t>(layer.material)].orthotropic)
          shell.place.fail(cat("orientation ", shell.orientation, " of a shell of orthotropic material needs a second ",
                               "line \"3, angle\": the third axis is the one along the normal"));
    for (const int element : element_set(shell.set, shell.place)) {
      MeshElement& of = builder.mesh.elements[static_cast<std::size_t>(element)];
      if (info(of.shape).dimension != 2)
        shell.place.fail(
            cat("*SHELL SECTION on element ", of.label, ", a ", info(of.shape).name, ", is not supported"));
      of.shell = static_cast<int>(builder.mesh.shells.size());
      of.frame = frame;
    }
    builder.mesh.shells.push_back(std::move(section));
  }
}

void AbaqusDeck::resolve_sections() {
  for (const Section& section : sections) {
    const int material = material_of(section.material, "SOLID SECTION", section.place);
    const int frame = frame_of(section.orientation, section.place);
    for (const int element : element_set(section.set, section.place)) {
      MeshElement& of = builder.mesh.elements[static_cast<std::size_t>(element)];
      if (of.shape == ElementShape::line2 && !beam_elements.contains(element)) {
        add_rod(section, element, material);
        continue;
      }
      if (info(of.shape).dimension < 3)
        section.place.fail(
            cat("*SOLID SECTION on element ", of.label, ", a ", info(of.shape).name, ", is not supported"));
      of.material = material;
      of.frame = frame;
    }
  }
}

void AbaqusDeck::add_beam_line(const std::vector<double>& numbers, const std::string& kind,
                               const MeshFilePlace& place) {
  Beam& beam = beams.back();
  if (++beam.num_lines == 2) {
    if (numbers.size() != 3) place.fail("*BEAM SECTION: three numbers expected, the first axis of the section");
    beam.side = Vector3(numbers[0], numbers[1], numbers[2]);
    return;
  }
  if (beam.num_lines > 2) place.fail("*BEAM SECTION has two lines at most");
  const bool round = kind == "CIRC", pipe = kind == "PIPE";
  if (!round && !pipe && kind != "RECT")
    place.fail(cat("*BEAM SECTION: only RECT, CIRC and PIPE are supported, got ", kind.empty() ? "none" : kind));
  if (numbers.size() != (round ? 1u : 2u)) place.fail(cat("*BEAM SECTION: ", round ? 1 : 2, " dimensions expected"));
  for (const double number : numbers)
    if (!(number > 0)) place.fail("*BEAM SECTION: dimensions must be positive");
  if (pipe && !(numbers[1] < numbers[0])) place.fail("*BEAM SECTION: the wall is thicker than the radius");
  beam.section = round  ? circle_section(numbers[0])
                 : pipe ? tube_section(numbers[0], numbers[0] - numbers[1])
                        : rectangle_section(numbers[0], numbers[1]);
}

void AbaqusDeck::resolve_beams() {
  std::map<int, BeamTheory> left = beam_elements;
  for (const Beam& beam : beams) {
    if (beam.num_lines == 0) beam.place.fail("*BEAM SECTION has no dimensions");
    const int material = material_of(beam.material, "BEAM SECTION", beam.place);
    for (const int element : element_set(beam.set, beam.place)) {
      const auto found = left.find(element);
      if (found == left.end())
        beam.place.fail(cat("*BEAM SECTION on element ", builder.mesh.elements[static_cast<std::size_t>(element)].label,
                            ", which is no B31 or B33 or has a section already"));
      builder.mesh.beams.push_back({element, static_cast<int>(builder.mesh.beam_sections.size()), beam.side});
      builder.mesh.beam_sections.push_back({beam.section, found->second, material});
      left.erase(found);
    }
  }
  if (!left.empty())
    builder.place_of_element(left.begin()->first)
        .fail(cat("element ", builder.mesh.elements[static_cast<std::size_t>(left.begin()->first)].label,
                  " is a beam without *BEAM SECTION"));
}

void AbaqusDeck::resolve_masses() {
  for (const PointProperty& property : properties) {
    const char* const keyword = property.is_mass ? "*MASS" : "*ROTARY INERTIA";
    const auto found = point_sets.find(property.set);
    if (found == point_sets.end())
      property.place.fail(cat("element set ", property.set, " of ", keyword, " does not exist"));
    demand_room(found->second.size(), property.place);
    for (const std::size_t k : found->second) {
      PointElement& point = points[k];
      if (point.is_mass != property.is_mass) continue;
      point.has_property = true;
      builder.masses.push_back({point.node, property.mass, property.inertia, Vector3::Zero(), point.place});
    }
  }
  for (const PointElement& point : points)
    if (!point.has_property)
      point.place.fail(cat("element ", point.label, " of type ", point.is_mass ? "MASS" : "ROTARYI", " has no ",
                           point.is_mass ? "*MASS" : "*ROTARY INERTIA", " for its set"));
}

void AbaqusDeck::add_face(const std::string& surface, int element, const std::string& face, const MeshFilePlace& place,
                          const std::string& got) {
  const MeshElement& of = builder.mesh.elements[static_cast<std::size_t>(element)];
  int number = 0;
  const bool numbered = face.size() > 1 && parse_whole(std::string_view(face).substr(1), number);
  const bool flat = info(of.shape).dimension == 2, edge = flat && numbered && face[0] == 'E';
  if (!(numbered && (face[0] == 'S' || edge)) && !(flat && (face == "SPOS" || face == "SNEG")))
    place.fail(cat("a face S1, S2, ... expected", got));
  const ElementFace& whole = face_of_shell(of.shape);
  const int num_faces = edge ? whole.num_corners() : flat ? 2 : static_cast<int>(faces_of(of.shape).size());
  if (numbered && (number < 1 || number > num_faces))
    place.fail(cat("element ", of.label, " has no ", edge ? "edge " : "face ", face));
  if (edge) {
    const auto k = static_cast<std::size_t>(number - 1), n = static_cast<std::size_t>(num_faces);
    for (const int at : {whole.corners[k], whole.corners[(k + 1) % n], whole.edges[k]})
      add_face_node(surface, element, at);
    return;
  }
  surfaces[surface].faces.push_back({element, flat ? 0 : number - 1});
  const ElementFace& nodes = flat ? whole : faces_of(of.shape)[static_cast<std::size_t>(number - 1)];
  for (const auto& places : {nodes.corners, nodes.edges})
    for (const int at : places) add_face_node(surface, element, at);
}

void AbaqusDeck::add_face_node(const std::string& surface, int element, int place) {
  if (place < 0) return;
  const std::int64_t label = builder.node_label(element, place);
  surfaces[surface].add(label, 1);
  builder.node_set(surface).push_back(label);
}

bool AbaqusDeck::set_directions(const Coupling& coupling, MeshBuilder::Spider& spider) {
  spider.turns_nodes = coupling.turns_nodes;
  if (!coupling.has_directions) return true;
  const auto& given = coupling.directions;
  const auto all = [&](std::size_t first) { return given[first] && given[first + 1] && given[first + 2]; };
  const bool turns = given[3] || given[4] || given[5];
  if (!all(0) || (turns && !all(3))) {
    if (spider.kind == SpiderKind::rigid) return false;
    coupling.place.fail(
        "*DISTRIBUTING of some directions alone is not supported: all (1, 6) or the displacements (1, 3)");
  }
  spider.turns_nodes = turns;
  if (!turns && spider.kind == SpiderKind::averaging)
    builder.warn(coupling.place,
                 "the coupling leaves the rotation of its reference node free; here that is the mean rotation");
  return true;
}

void AbaqusDeck::resolve_coupling(const Coupling& coupling) {
  MeshBuilder::Spider spider;
  spider.kind = coupling.kind;
  spider.label = static_cast<std::int64_t>(builder.spiders.size()) + 1;
  spider.reference = node_label(coupling.reference, coupling.place);
  spider.place = coupling.place;
  const bool whole = set_directions(coupling, spider);
  const std::string set = set_name(coupling.set);
  const auto surface = surfaces.find(set);
  if (coupling.of == Coupling::Of::elements) {
    for (const int element : element_set(set, coupling.place))
      for (int k = 0; k < info(builder.mesh.elements[static_cast<std::size_t>(element)].shape).num_nodes; ++k)
        spider.nodes.push_back(builder.node_label(element, k));
  } else if (coupling.of == Coupling::Of::surface && surface != surfaces.end()) {
    spider.nodes = surface->second.nodes;
    spider.weights = surface->second.weights;
    spider.faces = surface->second.faces;
  } else if (builder.has_node_set(set)) {
    spider.nodes = builder.labels_of(set);
  } else {
    coupling.place.fail(cat("surface or node set ", set, " does not exist"));
  }
  if (spider.kind == SpiderKind::rigid) spider.weights.clear(), spider.faces.clear();
  if (spider.weights.empty() && spider.kind == SpiderKind::averaging) spider.weights.assign(spider.nodes.size(), 1);
  demand_room(spider.nodes.size(), coupling.place);
  if (!whole) return add_directions(coupling, spider);
  builder.spiders.push_back(std::move(spider));
}

}  // namespace lithe
