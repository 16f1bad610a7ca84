#include <algorithm>
#include <limits>
#include <numeric>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/fem/mesh_stress.h"
#include "lithe/model/coordinate_choice.h"
#include "lithe/read/parts.h"
#include "lithe/read/urdf/drawn_shapes.h"
#include "lithe/reduce/bases.h"

namespace lithe {

std::string owner_name(std::string_view kind, const Value& table, int index) {
  const Value* name = table.find("name");
  if (name && name->kind == ValueKind::text && !name->text.empty()) return cat(kind, " '", name->text, "'");
  return cat(kind, " ", index + 1);
}

namespace {

// A section with layers is of their materials.
void take_material_of_layers(const Reading& reading, BeamSegment& segment) {
  const auto found = reading.section_materials.find(segment.section);
  if (found != reading.section_materials.end()) segment.material = found->second;
}

// What is not given stays: defaults are those of BeamSegment.
void take_element_keys(const TableReader& reader, BeamSegment& segment) {
  if (const auto theory = reader.choice("theory")) segment.theory = static_cast<BeamTheory>(*theory);
  if (const auto model = reader.choice("mass_model")) segment.mass_model = static_cast<MassModel>(*model);
  if (const auto direction = reader.direction("section_z")) segment.section_z = *direction;
}

}  // namespace

BeamSegment segment_defaults(const TableReader& reader) {
  BeamSegment segment;
  segment.material = reader.reference("material", reader.reading().materials, "material").value_or(-1);
  segment.section = reader.reference("section", reader.reading().sections, "section").value_or(-1);
  take_element_keys(reader, segment);
  take_material_of_layers(reader.reading(), segment);
  return segment;
}

namespace {

// Stands for a position that could not be read, so that no follow-up errors are found.
const Vector3 unknown_position = Vector3::Constant(std::numeric_limits<double>::quiet_NaN());

NameList read_nodes(const TableReader& reader, Link& link) {
  NameList names;
  const Value* nodes = reader.find("nodes");
  if (!nodes) return names;
  if (nodes->kind != ValueKind::table) {
    reader.error("nodes", cat("nodes must be a table, name = [x, y, z], got ", display(*nodes)));
    return names;
  }
  if (nodes->members.empty()) reader.error("nodes", "nodes must not be empty");
  for (const Member& member : nodes->members) {
    const std::string what = cat(reader.owner(), ": node '", member.key, "'");
    const std::optional<Vector3> position =
        read_vector(reader.reading(), member.value, "m", reader.path_of("nodes." + member.key), what);
    names.add(member.key);
    link.nodes.push_back({member.key, position.value_or(unknown_position)});
  }
  return names;
}

struct PlacedSegment {
  BeamSegment segment;
  const Value* place;
};

// A beam needs a length, and a section_z that is not along it.
void check_segment(const TableReader& reader, const Link& link, const PlacedSegment& placed) {
  const BeamSegment& segment = placed.segment;
  const auto report = [&](const std::string& message) {
    reader.reading().error(*placed.place, reader.path(), cat(reader.owner(), ": ", message));
  };
  const Node &from = link.nodes[static_cast<std::size_t>(segment.from)],
             &to = link.nodes[static_cast<std::size_t>(segment.to)];
  const Vector3 along = to.position - from.position;
  if (!along.allFinite()) return;  // reported already
  if (!(along.norm() > 0)) {
    report(cat("the beam from '", from.name, "' to '", to.name, "' has no length"));
    return;
  }
  constexpr double least_sine = 1e-6;
  if (segment.section_z.norm() > 0 && along.normalized().cross(segment.section_z).norm() < least_sine) {
    report(cat("section z is parallel to the beam from '", from.name, "' to '", to.name, "'"));
  }
  if (link.rigid) return;
  if (segment.material < 0 && !reader.has_or_means("material")) {
    report(cat("the beam from '", from.name, "' to '", to.name, "' has no material"));
  }
  if (segment.section < 0 && !reader.has_or_means("section")) {
    report(cat("the beam from '", from.name, "' to '", to.name, "' has no section"));
  }
}

std::vector<PlacedSegment> read_path(const TableReader& reader, const NameList& nodes, const BeamSegment& defaults) {
  std::vector<PlacedSegment> result;
  const std::vector<const Value*> names = reader.text_values("path");
  if (names.size() < 2) {
    reader.error("path", "path must name at least two nodes");
    return result;
  }
  const std::vector<int> elements = reader.integers("elements");
  if (elements.size() > 1 && elements.size() != names.size() - 1) {
    reader.error("elements", cat("elements must be one number or ", names.size() - 1,
                                 " (one per segment of the path), got ", elements.size()));
  }
  std::optional<int> from = reader.find_name(*names[0], "path", nodes, "node");
  for (std::size_t i = 1; i < names.size(); ++i) {
    const std::optional<int> to = reader.find_name(*names[i], "path", nodes, "node");
    if (from && to) {
      BeamSegment segment = defaults;
      segment.from = *from;
      segment.to = *to;
      if (!elements.empty()) segment.num_elements = elements[std::min(i, elements.size()) - 1];
      result.push_back({segment, names[i]});
    }
    from = to;
  }
  return result;
}

std::optional<PlacedSegment> read_segment(const TableReader& reader, const NameList& nodes, BeamSegment segment) {
  const std::optional<int> from = reader.reference("from", nodes, "node");
  const std::optional<int> to = reader.reference("to", nodes, "node");
  Reading& reading = reader.reading();
  if (reader.has("material"))
    segment.material = reader.reference("material", reading.materials, "material").value_or(0);
  if (reader.has("section")) segment.section = reader.reference("section", reading.sections, "section").value_or(0);
  take_material_of_layers(reading, segment);
  take_element_keys(reader, segment);
  if (const auto count = reader.integer("elements")) segment.num_elements = *count;
  if (!from || !to) return std::nullopt;
  segment.from = *from;
  segment.to = *to;
  return PlacedSegment{segment, &reader.table()};
}

std::vector<PlacedSegment> read_segments(const TableReader& reader, const NameList& nodes,
                                         const BeamSegment& defaults) {
  std::vector<PlacedSegment> result;
  const std::vector<int> elements = reader.integers("elements");
  if (elements.size() > 1) reader.error("elements", "elements must be one number beside [[links.segments]]");
  const std::vector<Value>& tables = reader.tables("segments");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    BeamSegment segment = defaults;
    if (!elements.empty()) segment.num_elements = elements[0];
    const TableReader part(reader.reading(), segment_table(), tables[i], cat(reader.path(), ".segments[", i, "]"),
                           cat(reader.owner(), ", segment ", i + 1));
    if (const auto placed = read_segment(part, nodes, segment)) result.push_back(*placed);
  }
  return result;
}

// All nodes of a beam link must hang together through its beams.
void check_connection(const TableReader& reader, const Link& link) {
  const std::size_t count = link.nodes.size();
  std::vector<std::vector<int>> neighbours(count);
  for (const BeamSegment& segment : link.segments) {
    neighbours[static_cast<std::size_t>(segment.from)].push_back(segment.to);
    neighbours[static_cast<std::size_t>(segment.to)].push_back(segment.from);
  }
  std::vector<bool> reached(count, false);
  std::vector<int> open = {link.segments.front().from};
  while (!open.empty()) {
    const auto node = static_cast<std::size_t>(open.back());
    open.pop_back();
    if (reached[node]) continue;
    reached[node] = true;
    open.insert(open.end(), neighbours[node].begin(), neighbours[node].end());
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!reached[i]) {
      reader.error("nodes", cat("node '", link.nodes[i].name, "' is not connected to node '",
                                link.nodes[static_cast<std::size_t>(link.segments.front().from)].name, "' by beams"));
    }
  }
}

void read_beams(const TableReader& reader, const NameList& nodes, Link& link) {
  if (reader.has("path") && reader.has("segments")) reader.error("segments", "give path or segments, not both");
  if (!link.rigid && !reader.has_or_means("path") && !reader.has_or_means("segments"))
    reader.error("key 'path' or 'segments' is missing");
  if (reader.has("segments") && reader.find("segments")->items.empty()) {
    reader.error("segments", "segments must not be empty");
  }
  const BeamSegment defaults = segment_defaults(reader);
  const std::vector<PlacedSegment> segments = reader.has("path")       ? read_path(reader, nodes, defaults)
                                              : reader.has("segments") ? read_segments(reader, nodes, defaults)
                                                                       : std::vector<PlacedSegment>{};
  for (const PlacedSegment& placed : segments) {
    check_segment(reader, link, placed);
    link.segments.push_back(placed.segment);
  }
}

void reject(const TableReader& reader, std::initializer_list<std::string_view> keys, std::string_view reason) {
  for (const std::string_view key : keys) {
    if (reader.has(key)) reader.error(key, cat("'", key, "' is ", reason));
  }
}

void read_link(Reading& reading, const Value& table, int index) {
  const TableReader reader(reading, link_table(), table, cat("links[", index, "]"), owner_name("link", table, index));
  Link link;
  link.place = reader.place();
  const int type = reader.choice("type").value_or(0);
  link.rigid = type == 1;
  NameList nodes = read_nodes(reader, link);
  if (type != 3 && type != 4 && !reader.has("interfaces") && !reader.has_or_means("nodes"))
    reader.error("key 'nodes' is missing");
  const std::size_t affected_before = reading.affected.size();
  if (type == 3) {
    reject(reader, {"path", "segments", "section", "elements", "theory", "mass_model", "section_z"},
           "for links of type beams");
    reject(reader, {"mass_matrix", "stiffness_matrix", "node_coordinates", "unknowns"}, "for links of type matrices");
    read_mesh_link(reader, nodes, link);
  } else if (type == 4) {
    reject(reader, {"path", "segments", "material", "section", "elements", "theory", "mass_model", "section_z"},
           "for links of type beams");
    reject(reader, {"mass_matrix", "stiffness_matrix", "node_coordinates", "unknowns"}, "for links of type matrices");
    reject(reader, {"units", "groups", "interfaces"}, "for links of type mesh");
    read_reduced_link(reader, nodes, link);
  } else if (type == 2) {
    reject(reader, {"file", "groups"}, "for links of type mesh");
    reject(reader, {"path", "segments", "material", "section", "elements", "theory", "mass_model", "section_z"},
           "for links of type beams");
    read_imported(reader, nodes, link);
  } else {
    reject(reader, {"mass_matrix", "stiffness_matrix", "node_coordinates", "unknowns"}, "for links of type matrices");
    reject(reader, {"file", "units", "groups", "interfaces"}, "for links of type mesh");
    read_beams(reader, nodes, link);
  }
  const bool ends_are_known = std::none_of(reading.affected.begin() + static_cast<std::ptrdiff_t>(affected_before),
                                           reading.affected.end(), [&](const std::string& affected) {
                                             return affected.starts_with(reader.path_of("path")) ||
                                                    affected.starts_with(reader.path_of("segments"));
                                           });
  if (link.rigid) {
    reject(reader, {"material", "elements", "theory", "mass_model", "damping", "reduction"}, "for flexible links");
    // The lines of a rigid link are drawn with its section.
    if (link.segments.empty())
      reject(reader, {"section", "section_z"},
             "for flexible links, and for rigid ones with a path or segments to draw");
    read_rigid_inertia(reader, link);
    read_shapes(reader);  // errors in them; pages read them again
    read_lumped_masses(reader, nodes, link);
  } else {
    reject(reader, {"mass", "centre", "inertia", "shapes"}, "for rigid links; see [[links.masses]]");
    if (ends_are_known && !link.segments.empty()) check_connection(reader, link);
    read_lumped_masses(reader, nodes, link);
    read_damping(reader, link);
    read_reduction(reader, nodes, link);
  }
  add_link(reading, reader, std::move(link), std::move(nodes));
}

}  // namespace

bool is_named_tables(const TableReader& file, std::string_view key) {
  const Value* value = file.find(key);
  return value && value->kind == ValueKind::table && file.has("robot");
}

void read_rigid_inertia(const TableReader& reader, Link& link) {
  if (!reader.has("mass")) reader.error("key 'mass' is missing (type rigid)");
  link.rigid_inertia.mass = reader.number("mass").value_or(0);
  link.rigid_inertia.centre = reader.vector("centre").value_or(Vector3::Zero());
  link.rigid_inertia.inertia = reader.inertia("inertia", true).value_or(Matrix3::Zero());
}

void read_lumped_masses(const TableReader& reader, const NameList& nodes, Link& link) {
  const std::vector<Value>& tables = reader.tables("masses");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const TableReader part(reader.reading(), lumped_mass_table(), tables[i], cat(reader.path(), ".masses[", i, "]"),
                           cat(reader.owner(), ", mass ", i + 1));
    LumpedMass lump;
    const std::optional<int> node = part.reference("node", nodes, "node");
    lump.mass = part.number("mass").value_or(0);
    lump.inertia = part.inertia("inertia", false).value_or(Matrix3::Zero());
    if (!part.has("mass") && !part.has("inertia")) part.error("key 'mass' or 'inertia' is missing");
    if (!node) continue;
    lump.node = *node;
    link.lumped_masses.push_back(lump);
  }
}

void read_damping(const TableReader& reader, Link& link) {
  const Value* table = reader.find("damping");
  if (!table || !expect_table(reader.reading(), *table, reader.path_of("damping"))) return;
  const TableReader part(reader.reading(), damping_table(), *table, reader.path_of("damping"),
                         reader.owner() + ", damping");
  link.damping.mass_factor = part.number("mass_factor").value_or(0);
  link.damping.stiffness_factor = part.number("stiffness_factor").value_or(0);
  link.damping.modal_ratios = part.numbers("modal_ratios");
}

// A mesh of a few elements may have fewer than the usual 20 with its named nodes held.
int default_mesh_modes(const TableReader& reader, const Link& link) {
  constexpr int usual = 20;
  constexpr std::size_t small = 100;  // nodes: more have more modes
  if (link.mesh->mesh.positions.size() > small || reader.reading().diagnostics.any()) return usual;
  try {
    std::vector<int> held(link.nodes.size());
    std::iota(held.begin(), held.end(), 0);
    return std::clamp(num_inner_dofs(mesh_nodes_of(link), held, reader.reading().model.space), 0, usual);
  } catch (const InputError&) {
    return usual;  // whoever assembles the link says what is wrong
  }
}

namespace {

constexpr int automatic_method = 4;  // among the choices of `method`

// The link that is being read: each analysis chooses its modes.
void leave_to_program(Reading& reading, std::optional<double> tolerance, Link& link) {
  link.reduction = {};
  std::vector<AutomaticReduction> links = automatic_reductions(reading.model);
  AutomaticReduction automatic;
  automatic.link = static_cast<int>(reading.model.links.size());
  if (tolerance) automatic.tolerance = *tolerance;
  links.push_back(automatic);
  set_automatic_reductions(reading.model, std::move(links));
}

// reduction = "auto" or "none".
void read_reduction_word(const TableReader& reader, const Value& word, Link& link) {
  if (word.text == "auto") return leave_to_program(reader.reading(), {}, link);
  link.reduction = {};
  if (word.text != "none")
    reader.error("reduction", cat("the reduction must be 'auto', 'none' or a table, got '", word.text, "'"));
}

// Whether the table leaves the modes to the program: method = "auto", or nothing but the tolerance. Other keys do not
// fit that.
bool read_automatic(const TableReader& part, Link& link) {
  const bool tolerance_alone = part.has("tolerance") && part.table().members.size() == 1;
  if (!tolerance_alone && (!part.has("method") || part.choice("method") != automatic_method)) {
    if (part.has("tolerance")) part.error("tolerance", "'tolerance' is for method auto");
    return false;
  }
  for (const std::string_view key : {"interface_nodes", "internal_modes", "kept_modes", "max_frequency", "ranking"})
    if (part.has(key)) part.error(key, cat("'", key, "' is not for method auto, which chooses the modes itself"));
  leave_to_program(part.reading(), part.number("tolerance"), link);
  return true;
}

}  // namespace

void read_reduction(const TableReader& reader, const NameList& nodes, Link& link) {
  const Value* table = reader.find("reduction");
  if (!table && link.mesh) {  // all modes of a mesh are too many
    link.reduction.method = ReductionMethod::craig_bampton;
    link.reduction.num_internal_modes = default_mesh_modes(reader, link);
  }
  if (table && table->kind == ValueKind::text) return read_reduction_word(reader, *table, link);
  if (!table || !expect_table(reader.reading(), *table, reader.path_of("reduction"))) return;
  const TableReader part(reader.reading(), reduction_table(), *table, reader.path_of("reduction"),
                         reader.owner() + ", reduction");
  if (read_automatic(part, link)) return;
  ReductionChoice& choice = link.reduction;
  choice.method = static_cast<ReductionMethod>(part.choice("method").value_or(0));
  choice.num_internal_modes = part.integer("internal_modes");
  choice.num_kept_modes = part.integer("kept_modes");
  if (const Value* own_name = reader.find("name"))
    for (const std::string_view key : {"internal_modes", "kept_modes"})
      if (part.has(key))
        reader.reading().key_places[cat("links.", own_name->text, ".reduction.", key)] =
            reader.reading().place(*part.find(key));
  choice.max_frequency = part.number("max_frequency");
  choice.ranking = static_cast<ModeRanking>(part.choice("ranking").value_or(0));
  for (const Value* name : part.text_values("interface_nodes")) {
    const std::optional<int> node = part.find_name(*name, "interface_nodes", nodes, "node");
    if (!node) continue;
    std::vector<int>& chosen = choice.interface_nodes;
    if (std::find(chosen.begin(), chosen.end(), *node) != chosen.end()) {
      part.error("interface_nodes", cat("node '", name->text, "' is named twice"));
    }
    chosen.push_back(*node);
  }
  const bool has_internal = choice.method == ReductionMethod::craig_bampton || choice.method == ReductionMethod::rubin;
  if (part.has("internal_modes") && !has_internal) {
    part.error("internal_modes", "'internal_modes' is for craig_bampton and rubin");
  }
}

void add_link(Reading& reading, const TableReader& reader, Link link, NameList nodes) {
  if (link.name.empty()) link.name = reader.text("name").value_or("");
  if (link.name == "ground") reader.error("name", "the name 'ground' is reserved");
  if (link.name.empty()) {
    reading.links.add_unnamed();
  } else if (!reading.links.add(link.name)) {
    reader.error("name", "the name is used twice");
    reading.links.add_unnamed();
  }
  reading.link_nodes.push_back(std::move(nodes));
  reading.model.links.push_back(std::move(link));
}

void read_links(Reading& reading, const TableReader& file) {
  if (is_named_tables(file, "links")) return;  // of a robot
  const std::vector<Value>& tables = file.tables("links");
  for (std::size_t i = 0; i < tables.size(); ++i) read_link(reading, tables[i], static_cast<int>(i));
}

}  // namespace lithe
