// Nastran bulk data: free, small and large fields.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "lithe/read/mesh/mesh_builder.h"
#include "lithe/read/mesh/mesh_file.h"
#include "lithe/read/mesh/nastran_cards.h"
#include "lithe/read/mesh/nastran_springs.h"
#include "lithe/read/mesh/nastran_text.h"
#include "lithe/read/mesh/text_lines.h"

namespace lithe {
namespace {

class NastranReader : private NastranFields {
 public:
  NastranReader(std::string_view text, const std::string& file, const MeshReadOptions& options)
      : NastranFields(options.quotes_content),
        lines_(text, file, options),
        file_(file),
        bulk_(is_bulk_from_start(text)) {}

  Mesh read() {
    Card card;
    while (next_card(card)) take(card);
    place_nodes();
    place_masses();
    resolve_materials();
    resolve_shells();
    for (const Face& rod : rods_) add_rod(rod, rod.card, 3, rod_section(rod.card, 4));
    springs_.resolve(
        [&](std::int64_t node, const Card& user) {
          const auto found = turned_nodes_.find(node);
          return found == turned_nodes_.end() ? Matrix3(Matrix3::Identity()) : axes_of(found->second, user);
        },
        [&](std::int64_t system, const Card& user) { return axes_of(system, user); });
    for (MeshBuilder::PointMass& mass : builder_.masses) mass.mass *= mass_factor_, mass.inertia *= mass_factor_;
    for (ElementMaterial& material : builder_.mesh.materials) material.density *= mass_factor_;
    for (ShellSection& shell : builder_.mesh.shells) shell.mass_per_area *= mass_factor_;
    for (MeshBeamSection& beam : builder_.mesh.beam_sections) beam.mass_per_length *= mass_factor_;
    builder_.separate_faces({file_, 0});
    builder_.finish(file_);
    return std::move(builder_.mesh);
  }

 private:
  struct Face {
    int element = 0;
    std::int64_t property = 0;
    Card card;
  };

  bool next_line(std::string& line) {
    if (!waiting_.empty()) {
      line = std::move(waiting_);
      waiting_.clear();
      return true;
    }
    std::string_view raw;
    while (lines_.next(raw)) {
      const std::size_t comment = raw.find('$');
      raw = raw.substr(0, comment);
      if (trimmed(raw).empty()) continue;
      line = expanded_tabs(raw);
      const std::string word = upper(trimmed(line.substr(0, 8)));
      if (!bulk_) {
        bulk_ = word.starts_with("BEGIN");
        continue;
      }
      if (word.starts_with("ENDDATA")) return false;
      if (word.starts_with("INCLUDE")) {
        std::string_view name = trimmed(trimmed(raw).substr(7));
        while (!name.empty() && (name.front() == '\'' || name.front() == '"')) name.remove_prefix(1);
        while (!name.empty() && (name.back() == '\'' || name.back() == '"')) name.remove_suffix(1);
        lines_.include(std::string(name));
        continue;
      }
      if (files_.empty() || files_.back() != lines_.file()) files_.push_back(lines_.file());
      file_of_next_ = static_cast<int>(files_.size()) - 1;
      line_of_next_ = lines_.line();
      return true;
    }
    return false;
  }

  bool next_card(Card& card) {
    std::string line;
    if (!next_line(line)) return false;
    card = {};
    card.line = line_of_next_;
    card.file = file_of_next_;
    if (continues_entry(line)) lines_.fail(cat("a line that continues no entry", got(line)));
    std::string name;
    add_fields_of_line(line, name, card.fields);
    while (!name.empty() && name.back() == '*') name.pop_back();
    card.name = upper(trimmed(name));
    while (next_line(line)) {
      if (!continues_entry(line)) {
        waiting_ = std::move(line);
        break;
      }
      if (card.fields.size() > 1'000'000) lines_.fail("an entry has more than a million fields");
      add_fields_of_line(line, name, card.fields);
    }
    return true;
  }

  void take(const Card& card) {
    if (card.name == "GRID") {
      nodes_.push_back({whole(card, 0, "a node"), whole_or(card, 1, default_frame_, "a coordinate system"),
                        point(card, 2), card.file, card.line});
      if (const std::int64_t system = whole_or(card, 5, turned_default_, "a coordinate system"); system != 0)
        turned_nodes_[whole(card, 0, "a node")] = system;
    } else if (card.name == "GRDSET") {
      default_frame_ = whole_or(card, 1, 0, "a coordinate system");
      turned_default_ = whole_or(card, 5, 0, "a coordinate system");
    } else if (const auto solid = solids().find(card.name); solid != solids().end()) {
      add_solid(card, solid->second);
    } else if (card.name.starts_with("CORD")) {
      add_frame(card);
    } else if (card.name == "MAT1") {
      add_material(card);
    } else if (card.name == "MAT8") {
      add_ply_material(card);
    } else if (card.name == "PSOLID") {
      properties_[whole(card, 0, "a property")] = whole(card, 1, "a material");
    } else if (card.name == "RBE2") {
      add_rigid(card);
    } else if (card.name == "RBE3") {
      add_averaging(card);
    } else if (card.name == "CONM2") {
      add_mass(card);
    } else if (card.name == "PARAM") {
      if (upper(card.field(0)) == "WTMASS") mass_factor_ = real_or(card, 1, 1, "WTMASS");
    } else if (card.name == "CONROD") {
      add_single_rod(card);
    } else if (springs_.take(card)) {
      return;  // until all nodes are known
    } else if (const auto face = faces_and_lines().find(card.name); face != faces_and_lines().end()) {
      add_face(card, face->second);
    } else if (properties_of_shells_and_beams().contains(card.name)) {
      shell_cards_.emplace(whole(card, 0, "a property"), card);
    } else if (refused().contains(card.name)) {
      fail(card, "this kind of entry is not supported; without it the structure would be another one");
    } else if (!is_no_structure(card.name)) {
      pass_over(card);
    }
  }

  void pass_over(const Card& card) {
    if (card.name.starts_with('C') || card.name.starts_with('R'))
      fail(card, "this kind of entry is not known; without it the structure could be another one");
    if (passed_over_.insert(card.name).second)
      builder_.warn(place_of(card), cat("entries ", card.name, " are passed over"));
  }

  void add_solid(const Card& card, const Solid& solid) {
    const std::int64_t label = whole(card, 0, "an element"), property = whole_or(card, 1, label, "a property");
    if (builder_.element(label)) fail(card, cat("element ", label, " is defined twice"));
    std::size_t count = card.fields.size();
    while (count > 0 && card.fields[count - 1].empty()) --count;
    const auto corners = static_cast<std::size_t>(info(solid.linear).num_nodes), all = solid.order.size();
    const std::size_t given = count > 2 ? count - 2 : 0;
    if (given != corners && given != all)
      fail(card, cat("element ", label, " has ", given, " nodes, ", corners, " or ", all, " are needed"));
    std::vector<std::int64_t> nodes;
    for (std::size_t k = 0; k < given; ++k)
      nodes.push_back(whole(card, 2 + (given == all ? static_cast<std::size_t>(solid.order[k]) : k), "a node"));
    builder_.set_place(files_[static_cast<std::size_t>(card.file)], card.line);
    const int index = builder_.add_element(given == all ? solid.quadratic : solid.linear, label, nodes);
    builder_.element_set(std::to_string(property)).push_back(index);
    property_of_.emplace_back(index, property);
  }

  void add_face(const Card& card, ElementShape shape) {
    const std::int64_t label = whole(card, 0, "an element"), property = whole_or(card, 1, label, "a property");
    std::vector<std::int64_t> nodes;
    for (int k = 0; k < info(shape).num_nodes; ++k)
      nodes.push_back(whole(card, 2 + static_cast<std::size_t>(k), "a node"));
    if (builder_.element(label)) fail(card, cat("element ", label, " is defined twice"));
    builder_.set_place(files_[static_cast<std::size_t>(card.file)], card.line);
    const int index = builder_.add_element(shape, label, nodes);
    builder_.element_set(std::to_string(property)).push_back(index);
    faces_.push_back({index, property, card});
  }

  // Where the fields of a face stand that follow its nodes: its offset, and its thicknesses at the corners.
  struct FaceFields {
    std::size_t angle, offset, thickness;
  };
  static FaceFields fields_of(ElementShape shape) {
    switch (shape) {
      case ElementShape::tri3:
        return {5, 6, 10};
      case ElementShape::quad4:
        return {6, 7, 10};
      case ElementShape::tri6:
        return {8, 9, 10};
      default:
        return {14, 15, 10};
    }
  }

  void resolve_shells() {
    std::map<std::pair<std::int64_t, double>, int> known;
    for (const Face& face : faces_) {
      const auto property = shell_cards_.find(face.property);
      if (property == shell_cards_.end()) continue;
      MeshElement& element = builder_.mesh.elements[static_cast<std::size_t>(face.element)];
      const std::string &kind = face.card.name, &section = property->second.name;
      if ((kind == "CBAR" && section.starts_with("PBAR")) || (kind == "CBEAM" && section.starts_with("PBEAM"))) {
        add_beam(face, property->second);
        continue;
      }
      if (kind == "CROD" && section == "PROD") {
        add_rod(face, property->second, 1, rod_section(property->second, 2));
        continue;
      }
      const bool layered = property->second.name == "PCOMP";
      if ((property->second.name != "PSHELL" && !layered) || info(element.shape).dimension != 2)
        fail(property->second,
             info(element.shape).dimension == 2
                 ? cat("this kind of shell is not read: delete the entry and give the thickness or the layers in the ",
                       "model file, [[links.groups]] with name = \"", face.property, "\"")
                 : std::string("of beams and rods CBAR with PBAR or PBARL, CBEAM with PBEAM or PBEAML, and CROD "
                               "with PROD are supported"));
      const FaceFields fields = fields_of(element.shape);
      for (std::size_t k = 0; k < static_cast<std::size_t>(info(element.shape).num_corners); ++k)
        if (!face.card.field(fields.thickness + k).empty())
          fail(face.card, "thicknesses at the corners are not supported");
      const double offset = real_or(face.card, fields.offset, 0, "the offset");
      const auto [place, is_new] =
          known.emplace(std::pair(face.property, offset), static_cast<int>(builder_.mesh.shells.size()));
      if (is_new)
        builder_.mesh.shells.push_back(layered ? layers_of(property->second, offset)
                                               : shell_of(property->second, offset));
      element.shell = place->second;
      if (layered) element.frame = frame_of(face, fields.angle);
    }
  }

  Matrix3 axes_of(std::int64_t system, const Card& user) {
    if (frames_.contains(system) && frames_.at(system).kind != 'R')
      fail(user, cat("directions in the cylindrical or spherical coordinate system ", system, " are not supported"));
    return pose_of(system, 0, place_of(user)).rotation;
  }

  // `material`: its field in the entry of the section.
  void add_rod(const Face& face, const Card& card, std::size_t material, MeshBeamSection section) {
    const std::int64_t label = whole(card, material, "a material");
    const auto found = materials_.find(label);
    if (found == materials_.end())
      warn_of_material(label);
    else
      section.material = found->second;
    builder_.mesh.beams.push_back({face.element, static_cast<int>(builder_.mesh.beam_sections.size())});
    builder_.mesh.beam_sections.push_back(std::move(section));
  }

  // CONROD, EID, G1, G2, MID, A, J, C, NSM.
  void add_single_rod(const Card& card) {
    const std::int64_t label = whole(card, 0, "an element");
    if (builder_.element(label)) fail(card, cat("element ", label, " is defined twice"));
    builder_.set_place(files_[static_cast<std::size_t>(card.file)], card.line);
    const std::vector<std::int64_t> nodes = {whole(card, 1, "a node"), whole(card, 2, "a node")};
    rods_.push_back({builder_.add_element(ElementShape::line2, label, nodes), 0, card});
  }

  // CBAR or CBEAM, EID, PID, GA, GB, X1 or G0, X2, X3, OFFT, PA, PB, W1A, ..., W3B: the vector lies in the plane of
  // bending 1, and starts at the end of the beam.
  void add_beam(const Face& face, const Card& property) {
    const Card& card = face.card;
    for (std::size_t k = 8; k < 10; ++k)
      if (whole_or(card, k, 0, "a pin flag") != 0) fail(card, "pin flags of beams are not supported");
    MeshBeam beam;
    beam.offsets = {point(card, 10), point(card, 13)};
    const std::string offsets_in = upper(card.field(7));
    if (!offsets_in.empty() && offsets_in != "GGG")
      fail(card, cat("orientations and offsets in axes of the beam are not supported", got(offsets_in)));
    beam.element = face.element;
    beam.section = beam_section_of(face.property, property);
    const std::int64_t start = whole(card, 2, "a node");
    if (turned_nodes_.contains(start) ||
        (!beam.offsets[1].isZero(0) && turned_nodes_.contains(whole(card, 3, "a node"))))
      fail(card, "the orientation of a beam in the coordinate system of its node is not supported");
    if (!card.field(4).empty() && card.field(5).empty() && card.field(6).empty() &&
        card.field(4).find('.') == std::string::npos) {
      const std::int64_t towards = whole(card, 4, "a node");
      const Vector3 *a = builder_.position_of(start), *b = builder_.position_of(towards);
      if (!a || !b) fail(card, cat("node ", a ? towards : start, " does not exist"));
      beam.side = *b - *a - beam.offsets[0];
    } else {
      beam.side = point(card, 4);
    }
    if (!(beam.side.norm() > 0)) fail(card, "the orientation of the beam (X1, X2, X3 or G0) is missing");
    builder_.mesh.beams.push_back(beam);
  }

  int beam_section_of(std::int64_t label, const Card& card) {
    const auto [place, is_new] = beam_sections_.emplace(label, static_cast<int>(builder_.mesh.beam_sections.size()));
    if (!is_new) return place->second;
    MeshBeamSection section = beam_section(card);
    const std::int64_t material = whole(card, 1, "a material");
    const auto found = materials_.find(material);
    if (found == materials_.end())
      warn_of_material(material);
    else
      section.material = found->second;
    builder_.mesh.beam_sections.push_back(std::move(section));
    return place->second;
  }

  // PCOMP, PID, Z0, NSM, SB, FT, TREF, GE, LAM, MID1, T1, THETA1, SOUT1, MID2, ...: plies from the bottom to the top.
  ShellSection layers_of(const Card& card, double offset) {
    const std::string lam = upper(card.field(7));
    if (!lam.empty() && lam != "SYM") fail(card, cat("LAM must be empty or SYM", got(lam)));
    ShellSection shell;
    shell.mass_per_area = real_or(card, 2, 0, "the mass per area");
    std::int64_t material = 0;
    double thickness = 0;
    for (std::size_t k = 8; k < card.fields.size(); k += 4) {
      if (card.field(k).empty() && card.field(k + 1).empty() && card.field(k + 2).empty()) continue;
      material = whole_or(card, k, material, "a material");
      thickness = real_or(card, k + 1, thickness, "a thickness");
      if (!(thickness > 0)) fail(card, "the thickness of a ply must be positive");
      const auto found = materials_.find(material);
      if (found == materials_.end()) warn_of_material(material);
      shell.layers.push_back({found == materials_.end() ? -1 : found->second, thickness,
                              real_or(card, k + 2, 0, "an angle") * nastran_degree});
    }
    if (shell.layers.empty()) fail(card, "no ply is given");
    if (lam == "SYM") {
      std::vector<ShellLayer> mirrored(shell.layers.rbegin(), shell.layers.rend());
      shell.layers.insert(shell.layers.end(), mirrored.begin(), mirrored.end());
    }
    shell.offset = offset + (card.field(1).empty() ? 0 : real_or(card, 1, 0, "Z0") + 0.5 * shell.thickness());
    return shell;
  }

  // Angles of plies count from the side between the first two nodes, turned by THETA about the normal, or from the x
  // axis of a coordinate system.
  int frame_of(const Face& face, std::size_t field) {
    ElementFrame frame;
    const std::string& text = face.card.field(field);
    if (!text.empty() && text.find('.') == std::string::npos) {
      const std::int64_t label = whole(face.card, field, "a coordinate system");
      if (label != 0) {
        if (frames_.contains(label) && frames_.at(label).kind != 'R')
          fail(face.card, "plies along a cylindrical or spherical coordinate system are not supported");
        frame.axes = pose_of(label, 0, place_of(face.card)).rotation;
      }
    } else {
      std::array<Vector3, 3> corners;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::int64_t node = builder_.node_label(face.element, static_cast<int>(k));
        const Vector3* position = builder_.position_of(node);
        if (!position) fail(face.card, cat("node ", node, " does not exist"));
        corners[k] = *position;
      }
      const Vector3 side = (corners[1] - corners[0]).normalized();
      const Vector3 normal = side.cross(corners[2] - corners[0]).normalized();
      if (!normal.allFinite()) fail(face.card, "the element has no area");
      const double angle = real_or(face.card, field, 0, "an angle") * nastran_degree;
      frame.axes.col(0) = std::cos(angle) * side + std::sin(angle) * normal.cross(side);
      frame.axes.col(1) = normal.cross(frame.axes.col(0));
      frame.axes.col(2) = normal;
    }
    const ElementFrame* last = builder_.mesh.frames.empty() ? nullptr : &builder_.mesh.frames.back();
    if (!last || !(last->axes - frame.axes).isZero(1e-12)) builder_.mesh.frames.push_back(frame);
    return static_cast<int>(builder_.mesh.frames.size()) - 1;
  }

  // PSHELL, PID, MID1, T, MID2, 12I/T3, MID3, TS/T, NSM: plates of one material alone.
  ShellSection shell_of(const Card& card, double offset) {
    const std::int64_t material = whole(card, 1, "a material");
    for (const std::size_t k : {3u, 5u})
      if (whole_or(card, k, k == 3 ? 0 : material, "a material") != material)
        fail(card, k == 3 ? "MID2 must be the material MID1: membranes and sandwiches are not supported"
                          : "MID3 must be empty or the material MID1");
    if (real_or(card, 4, 1, "12I/T3") != 1) fail(card, "12I/T3 must be 1");
    if (std::abs(real_or(card, 6, 5.0 / 6, "TS/T") - 5.0 / 6) > 1e-3) fail(card, "TS/T must be 0.8333");
    ShellSection shell;
    const double thickness = real_or(card, 2, 0, "the thickness");
    if (!(thickness > 0)) fail(card, "the thickness must be positive");
    const auto found = materials_.find(material);
    if (found == materials_.end()) warn_of_material(material);
    shell.layers = {{found == materials_.end() ? -1 : found->second, thickness, 0}};
    shell.offset = offset;
    shell.mass_per_area = real_or(card, 7, 0, "the mass per area");
    return shell;
  }

  void add_frame(const Card& card) {
    FrameCard frame;
    frame.place = place_of(card);
    const bool by_nodes = card.name.size() == 6 && card.name[4] == '1';
    if (card.name.size() != 6 || (card.name[4] != '1' && card.name[4] != '2'))
      fail(card, "this kind of coordinate system is not supported");
    frame.kind = card.name[5];
    if (frame.kind != 'R' && frame.kind != 'C' && frame.kind != 'S')
      fail(card, "this kind of coordinate system is not supported");
    frame.by_nodes = by_nodes;
    if (!by_nodes) {
      frame.parent = whole_or(card, 1, 0, "a coordinate system");
      frame.origin = point(card, 2);
      frame.on_z = point(card, 5);
      frame.in_xz = point(card, 8);
      frames_[whole(card, 0, "a coordinate system")] = frame;
      return;
    }
    for (std::size_t first : {0u, 4u}) {  // two systems fit into one entry
      if (card.field(first).empty()) continue;
      for (std::size_t k = 0; k < 3; ++k) frame.nodes[k] = whole(card, first + 1 + k, "a node");
      frames_[whole(card, first, "a coordinate system")] = frame;
    }
  }

  void add_material(const Card& card) {
    ElementMaterial material;
    const std::int64_t label = whole(card, 0, "a material");
    material.name = std::to_string(label);
    const double young = real_or(card, 1, 0, "Young's modulus"), shear = real_or(card, 2, 0, "the shear modulus");
    const double poisson = real_or(card, 3, young > 0 && shear > 0 ? young / (2 * shear) - 1 : 0, "Poisson's ratio");
    material.shear_modulus = shear > 0 ? shear : young / (2 * (1 + poisson));
    material.young_modulus = young > 0 ? young : 2 * shear * (1 + poisson);
    material.density = real_or(card, 4, 0, "the density");
    materials_[label] = static_cast<int>(builder_.mesh.materials.size());
    builder_.mesh.materials.push_back(material);
  }

  // MAT8, MID, E1, E2, NU12, G12, G1Z, G2Z, RHO: the plane stress of a ply. Across it stiffness is that along 2, and
  // shear without a modulus that in the plane.
  void add_ply_material(const Card& card) {
    ElementMaterial material;
    const std::int64_t label = whole(card, 0, "a material");
    material.name = std::to_string(label);
    OrthotropicConstants constants;
    const double first = real_or(card, 1, 0, "E1"), second = real_or(card, 2, 0, "E2");
    const double plane = real_or(card, 4, 0, "G12"), poisson = real_or(card, 3, 0, "NU12");
    const auto shear = [&](std::size_t k) {
      const double value = real_or(card, k, 0, "a shear modulus");
      return value > 0 ? value : plane;
    };
    constants.young = Vector3(first, second, second);
    constants.poisson = Vector3(poisson, poisson, 0);
    constants.shear = Vector3(plane, shear(5), shear(6));
    if (!(constants.young.minCoeff() > 0) || !(constants.shear.minCoeff() > 0))
      fail(card, "E1, E2 and G12 must be positive");
    material.density = real_or(card, 7, 0, "the density");
    material.set_orthotropic(constants);
    if (!materials_.emplace(label, static_cast<int>(builder_.mesh.materials.size())).second)
      fail(card, cat("material ", label, " is defined twice"));
    builder_.mesh.materials.push_back(material);
  }

  // Components as digits: all three displacements are needed.
  static bool has_translations(const std::string& digits) { return has_all(digits, "123"); }
  static bool has_all(const std::string& digits, std::string_view wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](char c) { return digits.find(c) != std::string::npos; });
  }

  void add_rigid(const Card& card) {
    MeshBuilder::Spider spider;
    spider.label = whole(card, 0, "an element");
    spider.reference = whole(card, 1, "a node");
    spider.place = place_of(card);
    const std::string& digits = card.field(2);
    spider.turns_nodes = digits.find_first_of("456") != std::string::npos;
    if (!has_translations(digits) || (spider.turns_nodes && !has_all(digits, "456")))
      return springs_.take_partial(card);
    for (std::size_t k = 3; k < card.fields.size(); ++k) {
      const std::string& text = card.fields[k];
      if (text.empty() || text.find('.') != std::string::npos) continue;  // the coefficient of expansion
      spider.nodes.push_back(whole(card, k, "a node"));
    }
    builder_.spiders.push_back(std::move(spider));
  }

  void add_averaging(const Card& card) {
    MeshBuilder::Spider spider;
    spider.kind = SpiderKind::averaging;
    spider.label = whole(card, 0, "an element");
    spider.reference = whole(card, 2, "a node");
    spider.place = place_of(card);
    if (!has_translations(card.field(3)))
      fail(card, cat("only elements whose reference node follows in all displacements (123 or 123456) are supported",
                     got(card.field(3))));
    if (!has_all(card.field(3), "456"))
      builder_.warn(spider.place, cat("RBE3 ", spider.label,
                                      " leaves the rotation of its reference node free; here "
                                      "that is the mean rotation"));
    double weight = 1;
    for (std::size_t k = 4; k < card.fields.size(); ++k) {
      const std::string text = upper(card.fields[k]);
      if (text.empty()) continue;
      if (text == "ALPHA") break;
      if (text == "UM") fail(card, "chosen dependent degrees of freedom (UM) are not supported");
      if (text.find('.') != std::string::npos) {
        weight = real_or(card, k, 1, "a weight");
        if (!has_translations(card.field(++k)))
          fail(card, cat("only elements with all displacements (123) are supported", got(card.field(k))));
        if (card.field(k).find_first_of("456") != std::string::npos)
          builder_.warn(spider.place, cat("RBE3 ", spider.label,
                                          " takes the mean of rotations, too; here of "
                                          "displacements alone"));
        continue;
      }
      spider.nodes.push_back(whole(card, k, "a node"));
      spider.weights.push_back(weight);
    }
    builder_.spiders.push_back(std::move(spider));
  }

  void add_mass(const Card& card) {
    MeshBuilder::PointMass mass;
    mass.node = whole(card, 1, "a node");
    mass.place = place_of(card);
    mass_frames_.push_back(whole_or(card, 2, 0, "a coordinate system"));
    mass.mass = real_or(card, 3, 0, "the mass");
    mass.offset = point(card, 4);
    static constexpr std::array<std::array<int, 2>, 6> places = {{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}}};
    for (std::size_t k = 0; k < places.size(); ++k) {
      const double value = real_or(card, 8 + k, 0, "an inertia");
      const auto [i, j] = places[k];
      mass.inertia(i, j) = mass.inertia(j, i) = i == j ? value : -value;  // products with the sign of Nastran
    }
    builder_.masses.push_back(mass);
  }

  Vector3 in_basic(const Vector3& local, const FrameCard& frame, const Pose& pose) const {
    if (frame.kind == 'C')
      return pose * Vector3(local.x() * std::cos(local.y() * nastran_degree),
                            local.x() * std::sin(local.y() * nastran_degree), local.z());
    if (frame.kind == 'S') {
      const double r = local.x(), theta = local.y() * nastran_degree, phi = local.z() * nastran_degree;
      return pose *
             Vector3(r * std::sin(theta) * std::cos(phi), r * std::sin(theta) * std::sin(phi), r * std::cos(theta));
    }
    return pose * local;
  }

  struct Grid {
    std::int64_t label, frame;
    Vector3 position;
    int file, line;
  };

  [[noreturn]] void fail_at(const Grid& grid, const std::string& message) {
    MeshFilePlace{files_[static_cast<std::size_t>(grid.file)], grid.line}.fail(message);
  }

  Vector3 basic_position(const Grid& grid, int depth) {
    if (grid.frame == 0) return grid.position;
    const auto frame = frames_.find(grid.frame);
    if (frame == frames_.end()) fail_at(grid, cat("coordinate system ", grid.frame, " does not exist"));
    return in_basic(grid.position, frame->second, pose_of(grid.frame, depth + 1, frame->second.place));
  }

  // `user`: who names the system.
  Pose pose_of(std::int64_t label, int depth, const MeshFilePlace& user) {
    constexpr int deepest = 100;
    if (depth > deepest) user.fail(cat("coordinate system ", label, " refers to itself"));
    if (label == 0) return {};
    if (const auto known = poses_.find(label); known != poses_.end()) return known->second;
    const auto found = frames_.find(label);
    if (found == frames_.end()) user.fail(cat("coordinate system ", label, " does not exist"));
    const FrameCard& frame = found->second;
    std::array<Vector3, 3> points = {frame.origin, frame.on_z, frame.in_xz};
    for (std::size_t k = 0; k < 3; ++k) {
      if (frame.by_nodes) {
        const auto grid = grid_index_.find(frame.nodes[k]);
        if (grid == grid_index_.end())
          frame.place.fail(cat("coordinate system ", label, " has node ", frame.nodes[k], ", which does not exist"));
        points[k] = basic_position(nodes_[grid->second], depth + 1);
      } else if (frame.parent != 0) {
        const Pose parent = pose_of(frame.parent, depth + 1, frame.place);
        points[k] = in_basic(points[k], frames_.at(frame.parent), parent);
      }
    }
    const Vector3 z = points[1] - points[0], in_xz = points[2] - points[0];
    const Vector3 y = z.cross(in_xz);
    if (!(y.norm() > 1e-12 * z.norm() * in_xz.norm()))
      frame.place.fail(cat("the three points of coordinate system ", label, " lie on one line"));
    Pose pose;
    pose.position = points[0];
    pose.rotation.col(2) = z.normalized();
    pose.rotation.col(1) = y.normalized();
    pose.rotation.col(0) = pose.rotation.col(1).cross(pose.rotation.col(2));
    return poses_[label] = pose;
  }

  void place_nodes() {
    for (std::size_t k = 0; k < nodes_.size(); ++k) grid_index_.emplace(nodes_[k].label, k);
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const Grid& grid = nodes_[k];
      const Vector3 position = basic_position(grid, 0);
      if (const Vector3* other = builder_.position_of(grid.label); other && *other != position)
        fail_at(grid, cat("node ", grid.label, " is defined twice, with other coordinates in line ",
                          nodes_[grid_index_.at(grid.label)].line));
      builder_.add_node(grid.label, position);
    }
  }

  // Offsets and inertias in axes of their own become those of the basic system; -1: the offset is a point.
  void place_masses() {
    for (std::size_t k = 0; k < builder_.masses.size(); ++k) {
      MeshBuilder::PointMass& mass = builder_.masses[k];
      const std::int64_t frame = mass_frames_[k];
      if (frame == 0) continue;
      if (frame == -1) {
        const Vector3* node = builder_.position_of(mass.node);
        if (!node) mass.place.fail(cat("CONM2: node ", mass.node, " does not exist"));
        mass.offset -= *node;
        continue;
      }
      const auto found = frames_.find(frame);
      if (found == frames_.end()) mass.place.fail(cat("CONM2: coordinate system ", frame, " does not exist"));
      if (found->second.kind != 'R')
        mass.place.fail("CONM2: a mass in a cylindrical or spherical coordinate system is not supported");
      const Matrix3 axes = pose_of(frame, 0, mass.place).rotation;
      mass.offset = axes * mass.offset;
      mass.inertia = axes * mass.inertia * axes.transpose();
    }
  }

  void resolve_materials() {
    for (const auto& [element, property] : property_of_) {
      const auto found = properties_.find(property);
      if (found == properties_.end()) continue;  // the model file may give the material
      const auto material = materials_.find(found->second);
      if (material == materials_.end())
        warn_of_material(found->second);
      else
        builder_.mesh.elements[static_cast<std::size_t>(element)].material = material->second;
    }
  }

  void warn_of_material(std::int64_t label) {
    if (missing_materials_.insert(label).second)
      builder_.warn({file_, 0}, cat("material ", label, " is no MAT1 and is not read: give it in the model file"));
  }

  TextLines lines_;
  std::string file_;
  int file_of_next_ = 0, line_of_next_ = 0;
  bool bulk_ = false;
  std::string waiting_;
  std::vector<Grid> nodes_;
  std::map<std::int64_t, std::size_t> grid_index_;
  std::map<std::int64_t, FrameCard> frames_;
  std::map<std::int64_t, Pose> poses_;
  std::map<std::int64_t, std::int64_t> properties_;  // material of a property
  std::map<std::int64_t, int> materials_;
  std::vector<std::pair<int, std::int64_t>> property_of_;
  std::map<std::int64_t, Card> shell_cards_;
  std::vector<Face> faces_;
  std::int64_t default_frame_ = 0;
  double mass_factor_ = 1;
  std::vector<std::int64_t> mass_frames_;              // of the masses of the builder
  std::map<std::int64_t, int> beam_sections_;          // of a property
  std::map<std::int64_t, std::int64_t> turned_nodes_;  // with a coordinate system for their displacements
  std::int64_t turned_default_ = 0;
  std::vector<Face> rods_;  // CONROD
  std::set<std::string> passed_over_;
  std::set<std::int64_t> missing_materials_;
  MeshBuilder builder_;
  NastranSprings springs_{*this, builder_};
};

}  // namespace

std::optional<Mesh> read_nastran(std::string_view text, const std::string& file_name, Diagnostics& diagnostics,
                                 const MeshReadOptions& options) {
  try {
    return NastranReader(text, file_name, options).read();
  } catch (const MeshFileError& error) {
    diagnostics.error({error.file, error.line, error.line > 0 ? 1 : 0, "", error.message});
    return std::nullopt;
  }
}

}  // namespace lithe
