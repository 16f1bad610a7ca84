// Nastran bulk data: free, small and large fields.
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "lithe/read/mesh/mesh_builder.h"
#include "lithe/read/mesh/mesh_file.h"
#include "lithe/read/mesh/text_lines.h"

namespace lithe {
namespace {

// One entry: its name in upper case and its fields, those of all continuation lines one after another.
struct Card {
  std::string name;
  std::vector<std::string> fields;
  int line = 0;

  const std::string& field(std::size_t k) const {
    static const std::string none;
    return k < fields.size() ? fields[k] : none;
  }
};

struct FrameCard {
  char kind = 'R';  // R, C, S
  std::int64_t parent = 0;
  Vector3 origin = Vector3::Zero(), on_z = Vector3::Zero(), in_xz = Vector3::Zero();
  std::array<std::int64_t, 3> nodes{};  // of CORD1
  bool by_nodes = false;
};

struct Solid {
  ElementShape linear, quadratic;
  std::vector<int> order;  // of the quadratic one: for each of our nodes the place in the file
};

const std::map<std::string, Solid>& solids() {
  static const std::map<std::string, Solid> table = {
      {"CTETRA", {ElementShape::tet4, ElementShape::tet10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}},
      {"CPENTA", {ElementShape::wedge6, ElementShape::wedge15, {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 9, 10, 11}}},
      {"CHEXA", {ElementShape::hex8, ElementShape::hex20, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                                           10, 11, 16, 17, 18, 19, 12, 13, 14, 15}}}};
  return table;
}

// What changes the structure and is not read: an error rather than another structure.
const std::set<std::string>& refused() {
  static const std::set<std::string> names = {"CQUADR", "CTRIAR", "CPYRAM", "CBEAM",  "CONROD", "CTUBE",  "CBUSH",
                                              "CELAS1", "CELAS2", "CELAS3", "CELAS4", "CSHEAR", "CMASS1", "CMASS2",
                                              "CONM1",  "RBAR",   "RBE1",   "RROD",   "MPC",    "GENEL",  "CWELD",
                                              "CFAST",  "CGAP",   "CBEND",  "RJOINT", "CSEAM",  "MPCAX",  "RSPLINE"};
  return names;
}

// Faces and lines, as mesh generators write them for groups; with a property they are shells, or would be beams.
const std::map<std::string, ElementShape>& faces_and_lines() {
  static const std::map<std::string, ElementShape> table = {
      {"CTRIA3", ElementShape::tri3},  {"CTRIA6", ElementShape::tri6}, {"CQUAD4", ElementShape::quad4},
      {"CQUAD8", ElementShape::quad8}, {"CBAR", ElementShape::line2},  {"CROD", ElementShape::line2}};
  return table;
}
const std::set<std::string>& properties_of_shells_and_beams() {
  static const std::set<std::string> names = {"PSHELL", "PCOMP", "PCOMPG", "PBAR", "PBARL", "PROD"};
  return names;
}

class NastranReader {
 public:
  NastranReader(std::string_view text, const std::string& file, const MeshReadOptions& options)
      : lines_(text, file, options), file_(file), bulk_(find_bulk(text)) {}

  Mesh read() {
    Card card;
    while (next_card(card)) take(card);
    place_nodes();
    resolve_materials();
    resolve_shells();
    for (MeshBuilder::PointMass& mass : builder_.masses) mass.mass *= mass_factor_, mass.inertia *= mass_factor_;
    for (ElementMaterial& material : builder_.mesh.materials) material.density *= mass_factor_;
    for (ShellSection& shell : builder_.mesh.shells) shell.mass_per_area *= mass_factor_;
    builder_.finish(file_);
    return std::move(builder_.mesh);
  }

 private:
  // A file without BEGIN BULK is bulk data from its first line on.
  static bool find_bulk(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = upper(trimmed(text.substr(at, end - at)));
      if (line.starts_with("BEGIN") && line.find("BULK") != std::string::npos) return false;
      at = end + 1;
    }
    return true;
  }

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
      line = expanded(raw);
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
      return true;
    }
    return false;
  }

  // Tabs go to columns of eight.
  static std::string expanded(std::string_view raw) {
    std::string line;
    for (const char c : raw) {
      if (c != '\t') {
        line.push_back(c);
        continue;
      }
      do line.push_back(' ');
      while (line.size() % 8 != 0);
    }
    return line;
  }

  static bool continues(const std::string& line) {
    return line[0] == ' ' || line[0] == '+' || line[0] == '*' || line[0] == ',';
  }

  bool next_card(Card& card) {
    std::string line;
    if (!next_line(line)) return false;
    card = {};
    card.line = lines_.line();
    if (continues(line)) lines_.fail(cat("a line that continues no entry", lines_.got(line)));
    std::string name;
    add_fields(line, name, card.fields);
    while (!name.empty() && name.back() == '*') name.pop_back();
    card.name = upper(trimmed(name));
    while (next_line(line)) {
      if (!continues(line)) {
        waiting_ = std::move(line);
        break;
      }
      if (card.fields.size() > 1'000'000) lines_.fail("an entry has more than a million fields");
      add_fields(line, name, card.fields);
    }
    return true;
  }

  static void add_fields(const std::string& line, std::string& first, std::vector<std::string>& fields) {
    const auto add = [&](std::string_view text) { fields.emplace_back(trimmed(text)); };
    if (line.find(',') != std::string::npos) {  // free: eight fields, then the mark of the continuation
      std::string_view rest = line;
      for (int k = 0; k < 9; ++k) {
        const std::size_t comma = rest.find(',');
        const std::string_view text = rest.substr(0, comma);
        k == 0 ? void(first = trimmed(text)) : add(text);
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
      }
      return;
    }
    first = trimmed(std::string_view(line).substr(0, 8));
    const bool wide = first.find('*') != std::string::npos;
    for (std::size_t k = 0; k < (wide ? 4u : 8u); ++k) {
      const std::size_t width = wide ? 16 : 8, at = 8 + k * width;
      add(at < line.size() ? std::string_view(line).substr(at, width) : std::string_view());
    }
  }

  [[noreturn]] void fail(const Card& card, const std::string& message) {
    throw MeshFileError{lines_.file(), card.line, cat(card.name, ": ", message)};
  }

  std::int64_t whole(const Card& card, std::size_t k, const char* what) {
    std::int64_t value = 0;
    if (!parse_whole(card.field(k), value))
      fail(card, cat("a whole number expected for ", what, lines_.got(card.field(k))));
    return value;
  }
  std::int64_t whole_or(const Card& card, std::size_t k, std::int64_t otherwise, const char* what) {
    return card.field(k).empty() ? otherwise : whole(card, k, what);
  }

  // 1.5, 1.5E3, 1.5D3 and 1.5+3 are all numbers.
  double real_or(const Card& card, std::size_t k, double otherwise, const char* what) {
    std::string text = upper(card.field(k));
    if (text.empty()) return otherwise;
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (text[i] == 'D') text[i] = 'E';
      if ((text[i] == '+' || text[i] == '-') && text[i - 1] != 'E' && text[i - 1] != 'D') text.insert(i++, "E");
    }
    std::erase(text, '+');
    double value = 0;
    if (!parse_whole(text, value) || !std::isfinite(value))
      fail(card, cat("a number expected for ", what, lines_.got(card.field(k))));
    return value;
  }

  Vector3 point(const Card& card, std::size_t k) {
    return {real_or(card, k, 0, "a coordinate"), real_or(card, k + 1, 0, "a coordinate"),
            real_or(card, k + 2, 0, "a coordinate")};
  }

  void take(const Card& card) {
    if (card.name == "GRID") {
      nodes_.push_back({whole(card, 0, "a node"), whole_or(card, 1, default_frame_, "a coordinate system"),
                        point(card, 2), card.line});
    } else if (card.name == "GRDSET") {
      default_frame_ = whole_or(card, 1, 0, "a coordinate system");
    } else if (const auto solid = solids().find(card.name); solid != solids().end()) {
      add_solid(card, solid->second);
    } else if (card.name.starts_with("CORD")) {
      add_frame(card);
    } else if (card.name == "MAT1") {
      add_material(card);
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
    } else if (const auto face = faces_and_lines().find(card.name); face != faces_and_lines().end()) {
      add_face(card, face->second);
    } else if (properties_of_shells_and_beams().contains(card.name)) {
      shell_cards_.emplace(whole(card, 0, "a property"), card);
    } else if (refused().contains(card.name)) {
      fail(card, "this kind of entry is not supported; without it the structure would be another one");
    }
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
    const int index = builder_.add_element(shape, label, nodes);
    builder_.element_set(std::to_string(property)).push_back(index);
    faces_.push_back({index, property, card});
  }

  // Where the fields of a face stand that follow its nodes: its offset, and its thicknesses at the corners.
  struct FaceFields {
    std::size_t offset, thickness;
  };
  static FaceFields fields_of(ElementShape shape) {
    switch (shape) {
      case ElementShape::tri3:
        return {6, 10};
      case ElementShape::quad4:
        return {7, 10};
      case ElementShape::tri6:
        return {9, 10};
      default:
        return {15, 10};
    }
  }

  void resolve_shells() {
    std::map<std::pair<std::int64_t, double>, int> known;
    for (const Face& face : faces_) {
      const auto property = shell_cards_.find(face.property);
      if (property == shell_cards_.end()) continue;
      MeshElement& element = builder_.mesh.elements[static_cast<std::size_t>(face.element)];
      if (property->second.name != "PSHELL" || info(element.shape).dimension != 2)
        fail(property->second, "beams and layered shells are not supported; layers can be given in the model file");
      const FaceFields fields = fields_of(element.shape);
      for (std::size_t k = 0; k < static_cast<std::size_t>(info(element.shape).num_corners); ++k)
        if (!face.card.field(fields.thickness + k).empty())
          fail(face.card, "thicknesses at the corners are not supported");
      const double offset = real_or(face.card, fields.offset, 0, "the offset");
      const auto [place, is_new] =
          known.emplace(std::pair(face.property, offset), static_cast<int>(builder_.mesh.shells.size()));
      if (is_new) builder_.mesh.shells.push_back(shell_of(property->second, offset));
      element.shell = place->second;
    }
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
    shell.layers = {{found == materials_.end() ? -1 : found->second, thickness, 0}};
    shell.offset = offset;
    shell.mass_per_area = real_or(card, 7, 0, "the mass per area");
    return shell;
  }

  void add_frame(const Card& card) {
    FrameCard frame;
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

  // Components as digits; all three translations are needed, rotations of solids mean nothing.
  bool has_translations(const std::string& digits) const {
    return digits.find('1') != std::string::npos && digits.find('2') != std::string::npos &&
           digits.find('3') != std::string::npos;
  }

  void add_rigid(const Card& card) {
    MeshBuilder::Spider spider{SpiderKind::rigid, whole(card, 0, "an element"), whole(card, 1, "a node"), {}};
    if (!has_translations(card.field(2)))
      fail(card, cat("only elements with all translations (123 or 123456) are supported", lines_.got(card.field(2))));
    for (std::size_t k = 3; k < card.fields.size(); ++k) {
      const std::string& text = card.fields[k];
      if (text.empty() || text.find('.') != std::string::npos) continue;  // the coefficient of expansion
      spider.nodes.push_back(whole(card, k, "a node"));
    }
    builder_.spiders.push_back(std::move(spider));
  }

  void add_averaging(const Card& card) {
    MeshBuilder::Spider spider{SpiderKind::averaging, whole(card, 0, "an element"), whole(card, 2, "a node"), {}};
    double weight = 1;
    for (std::size_t k = 4; k < card.fields.size(); ++k) {
      const std::string text = upper(card.fields[k]);
      if (text.empty()) continue;
      if (text == "ALPHA") break;
      if (text == "UM") fail(card, "chosen dependent degrees of freedom (UM) are not supported");
      if (text.find('.') != std::string::npos) {
        weight = real_or(card, k, 1, "a weight");
        if (!has_translations(card.field(++k)))
          fail(card, cat("only elements with all translations (123) are supported", lines_.got(card.field(k))));
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
    if (whole_or(card, 2, 0, "a coordinate system") != 0)
      fail(card, "a mass in another coordinate system than 0 is not supported");
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
    constexpr double degree = 0.017453292519943295;
    if (frame.kind == 'C')
      return pose *
             Vector3(local.x() * std::cos(local.y() * degree), local.x() * std::sin(local.y() * degree), local.z());
    if (frame.kind == 'S') {
      const double r = local.x(), theta = local.y() * degree, phi = local.z() * degree;
      return pose *
             Vector3(r * std::sin(theta) * std::cos(phi), r * std::sin(theta) * std::sin(phi), r * std::cos(theta));
    }
    return pose * local;
  }

  struct Grid {
    std::int64_t label, frame;
    Vector3 position;
    int line;
  };

  [[noreturn]] void fail_at(int line, const std::string& message) { throw MeshFileError{lines_.file(), line, message}; }

  Vector3 basic_position(const Grid& grid, int depth) {
    if (grid.frame == 0) return grid.position;
    const auto frame = frames_.find(grid.frame);
    if (frame == frames_.end()) fail_at(grid.line, cat("coordinate system ", grid.frame, " does not exist"));
    return in_basic(grid.position, frame->second, pose_of(grid.frame, depth + 1));
  }

  Pose pose_of(std::int64_t label, int depth) {
    constexpr int deepest = 100;
    if (depth > deepest) fail_at(0, cat("coordinate system ", label, " refers to itself"));
    if (label == 0) return {};
    if (const auto known = poses_.find(label); known != poses_.end()) return known->second;
    const auto found = frames_.find(label);
    if (found == frames_.end()) fail_at(0, cat("coordinate system ", label, " does not exist"));
    const FrameCard& frame = found->second;
    std::array<Vector3, 3> points = {frame.origin, frame.on_z, frame.in_xz};
    for (std::size_t k = 0; k < 3; ++k) {
      if (frame.by_nodes) {
        const auto grid = grid_index_.find(frame.nodes[k]);
        if (grid == grid_index_.end())
          fail_at(0, cat("coordinate system ", label, " has node ", frame.nodes[k], ", which does not exist"));
        points[k] = basic_position(nodes_[grid->second], depth + 1);
      } else if (frame.parent != 0) {
        const Pose parent = pose_of(frame.parent, depth + 1);
        points[k] = in_basic(points[k], frames_.at(frame.parent), parent);
      }
    }
    const Vector3 z = points[1] - points[0], in_xz = points[2] - points[0];
    const Vector3 y = z.cross(in_xz);
    if (!(y.norm() > 1e-12 * z.norm() * in_xz.norm()))
      fail_at(0, cat("the three points of coordinate system ", label, " lie on one line"));
    Pose pose;
    pose.position = points[0];
    pose.rotation.col(2) = z.normalized();
    pose.rotation.col(1) = y.normalized();
    pose.rotation.col(0) = pose.rotation.col(1).cross(pose.rotation.col(2));
    return poses_[label] = pose;
  }

  void place_nodes() {
    for (std::size_t k = 0; k < nodes_.size(); ++k) grid_index_.emplace(nodes_[k].label, k);
    for (const Grid& grid : nodes_) builder_.add_node(grid.label, basic_position(grid, 0));
  }

  void resolve_materials() {
    for (const auto& [element, property] : property_of_) {
      const auto found = properties_.find(property);
      if (found == properties_.end()) continue;  // the model file may give the material
      const auto material = materials_.find(found->second);
      if (material != materials_.end())
        builder_.mesh.elements[static_cast<std::size_t>(element)].material = material->second;
    }
  }

  TextLines lines_;
  std::string file_;
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
  struct Face {
    int element = 0;
    std::int64_t property = 0;
    Card card;
  };
  std::vector<Face> faces_;
  std::int64_t default_frame_ = 0;
  double mass_factor_ = 1;
  MeshBuilder builder_;
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
