// Input files of Abaqus and CalculiX: the part of the keywords that describes a structure.
#include <array>
#include <cmath>
#include <map>

#include "lithe/read/mesh/abaqus_keywords.h"
#include "lithe/read/mesh/mesh_builder.h"
#include "lithe/read/mesh/mesh_file.h"
#include "lithe/read/mesh/text_lines.h"

namespace lithe {
namespace {

class AbaqusReader {
 public:
  AbaqusReader(std::string_view text, const std::string& file, const MeshReadOptions& options)
      : lines_(text, file, options), file_(file) {}

  Mesh read() {
    while (next_line()) {
      if (is_keyword()) {
        if (!start(read_keyword())) break;
      } else {
        data();
      }
    }
    end_element();
    resolve_sections();
    resolve_masses();
    resolve_couplings();
    builder_.finish(file_);
    return std::move(builder_.mesh);
  }

 private:
  enum class Data {
    skipped,
    node,
    element,
    nset,
    elset,
    surface,
    elastic,
    engineering,
    density,
    mass,
    rotary,
    mpc,
    kinematic,
    shell,
    orientation
  };

  bool next_line() {
    do {
      if (!lines_.next(line_)) return false;
    } while (trimmed(line_).empty() || line_.starts_with("**"));
    return true;
  }
  bool is_keyword() const { return trimmed(line_).starts_with("*"); }

  AbaqusKeyword read_keyword() {
    std::string whole(trimmed(line_));
    while (!whole.empty() && whole.back() == ',') {  // goes on in the next line
      if (!next_line()) break;
      whole += trimmed(line_);
    }
    AbaqusKeyword keyword;
    const std::vector<std::string_view> fields = fields_of_line(std::string_view(whole).substr(1));
    keyword.name = upper(fields[0]);
    for (std::size_t k = 1; k < fields.size(); ++k) {
      const std::size_t equals = fields[k].find('=');
      const std::string key = upper(trimmed(fields[k].substr(0, equals)));
      std::string_view value = equals == std::string_view::npos ? "" : trimmed(fields[k].substr(equals + 1));
      if (value.size() > 1 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
      keyword.parameters[key] = std::string(value);
    }
    return keyword;
  }

  // False at the first step: what follows is the analysis.
  bool start(const AbaqusKeyword& keyword) {
    end_element();
    data_ = Data::skipped;
    keyword_ = keyword;
    const std::string& name = keyword.name;
    if (name == "STEP") return false;
    if (name == "INCLUDE") {
      lines_.include(keyword.value("INPUT"));
    } else if (name == "NODE") {
      data_ = Data::node;
    } else if (name == "ELEMENT") {
      start_element();
    } else if (name == "NSET") {
      data_ = Data::nset;
      builder_.node_set(demanded("NSET"));
    } else if (name == "ELSET") {
      data_ = Data::elset;
      builder_.element_set(demanded("ELSET"));
    } else if (name == "SURFACE") {
      data_ = Data::surface;
      builder_.node_set(demanded("NAME"));
    } else if (name == "MATERIAL") {
      ElementMaterial material;
      material.name = demanded("NAME");
      builder_.mesh.materials.push_back(material);
    } else if (name == "ELASTIC" || name == "DENSITY") {
      start_property();
    } else if (name == "SOLID SECTION") {
      sections_.push_back({demanded("ELSET"), demanded("MATERIAL"), upper(keyword.value("ORIENTATION"))});
    } else if (name == "SHELL SECTION") {
      start_shell_section();
    } else if (name == "ORIENTATION") {
      start_orientation();
    } else if (name == "MASS" || name == "ROTARY INERTIA") {
      demanded("ELSET");
      data_ = name == "MASS" ? Data::mass : Data::rotary;
    } else {
      start_constraint();
    }
    return true;
  }

  void start_property() {
    if (builder_.mesh.materials.empty()) lines_.fail(cat("*", keyword_.name, " before any *MATERIAL"));
    if (keyword_.name == "DENSITY") {
      data_ = Data::density;
      return;
    }
    const std::string type = upper(keyword_.value("TYPE"));
    if (type == "ENGINEERING CONSTANTS" || type == "ENGINEERINGCONSTANTS") {
      constants_.clear();
      data_ = Data::engineering;
      return;
    }
    if (!type.empty() && type != "ISO" && type != "ISOTROPIC")
      lines_.fail(cat("*ELASTIC of type ", type, " is not supported; give the material in the model file"));
    data_ = Data::elastic;
  }

  void start_constraint() {
    const std::string& name = keyword_.name;
    if (name == "COUPLING") {
      couplings_.push_back({true, demanded("SURFACE"), number(keyword_.value("REF NODE"), "REF NODE"), false});
      after_coupling_ = true;
      return;
    }
    const bool first = after_coupling_;
    after_coupling_ = false;
    if (name == "KINEMATIC" || name == "DISTRIBUTING") {
      if (!first) lines_.fail(cat("*", name, " without a *COUPLING before it"));
      couplings_.back().rigid = name == "KINEMATIC";
      data_ = name == "KINEMATIC" ? Data::kinematic : Data::skipped;
    } else if (name == "RIGID BODY") {
      const bool by_elements = keyword_.has("ELSET");
      if (!by_elements && !keyword_.has("NSET")) lines_.fail("*RIGID BODY needs NSET or ELSET");
      couplings_.push_back({true, keyword_.value(by_elements ? "ELSET" : "NSET"),
                            number(keyword_.value("REF NODE"), "REF NODE"), by_elements});
    } else if (name == "MPC") {
      data_ = Data::mpc;
    } else if (name == "EQUATION" || name == "TIE" || name == "SHELL GENERAL SECTION" || name == "NODAL THICKNESS" ||
               name == "BEAM SECTION" || name == "BEAM GENERAL SECTION" || name == "SPRING" ||
               name == "EMBEDDED ELEMENT") {
      lines_.fail(cat("*", name, " is not supported: it would change the structure"));
    } else if (name == "INSTANCE") {
      if (++instances_ > 1) lines_.fail("more than one *INSTANCE; write the part as a flat input file");
      data_ = Data::skipped;
    }
  }

  std::string demanded(const std::string& key) {
    std::string value = upper(keyword_.value(key));
    if (value.empty()) lines_.fail(cat("*", keyword_.name, " needs ", key));
    return value;
  }

  std::int64_t number(std::string_view text, const char* what) {
    std::int64_t value = 0;
    if (!parse_whole(text, value)) lines_.fail(cat("a whole number expected for ", what, lines_.got(text)));
    return value;
  }

  double real(std::string_view text, const char* what) {
    double value = 0;
    std::string copy(text);  // Fortran's exponent
    for (char& c : copy)
      if (c == 'd' || c == 'D') c = 'E';
    if (!parse_whole(copy, value) || !std::isfinite(value))
      lines_.fail(cat("a number expected for ", what, lines_.got(text)));
    return value;
  }

  void start_element() {
    const std::string type = upper(keyword_.value("TYPE"));
    const std::optional<ElementShape> shape = abaqus_shape(type);
    if (!shape)
      lines_.fail(type.empty() ? "*ELEMENT needs TYPE" : cat("elements of type ", type, " are not supported"));
    shape_ = *shape;
    data_ = Data::element;
  }

  // An element may take several lines: it is whole when it has all its nodes.
  void element_data() {
    for (const std::string_view field : fields_of_line(line_)) {
      if (field.empty()) continue;
      numbers_.push_back(number(field, "an element"));
      if (numbers_.size() <= static_cast<std::size_t>(info(shape_).num_nodes)) continue;
      add_element();
    }
  }

  void add_element() {
    const std::int64_t label = numbers_.front();
    numbers_.erase(numbers_.begin());
    std::vector<std::int64_t> nodes = std::move(numbers_);
    numbers_.clear();
    if (shape_ == ElementShape::point1) {
      points_[label] = nodes.front();
      if (keyword_.has("ELSET")) point_sets_[upper(keyword_.value("ELSET"))].push_back(nodes.front());
      return;
    }
    if (builder_.element(label)) lines_.fail(cat("element ", label, " is defined twice"));
    const int index = builder_.add_element(shape_, label, nodes);
    if (keyword_.has("ELSET")) builder_.element_set(upper(keyword_.value("ELSET"))).push_back(index);
  }

  void end_element() {
    if (!numbers_.empty())
      lines_.fail(cat("element ", numbers_.front(), " has ", numbers_.size() - 1, " nodes instead of ",
                      info(shape_).num_nodes, " (", info(shape_).name, ")"));
  }

  void data() {
    switch (data_) {
      case Data::skipped:
        break;
      case Data::node:
        node_data();
        break;
      case Data::element:
        element_data();
        break;
      case Data::nset:
      case Data::elset:
        set_data();
        break;
      case Data::surface:
        surface_data();
        break;
      case Data::elastic:
        elastic_data();
        break;
      case Data::engineering:
        engineering_data();
        break;
      case Data::shell:
        shell_data();
        break;
      case Data::orientation:
        orientation_data();
        break;
      case Data::density:
        builder_.mesh.materials.back().density = real(fields_of_line(line_)[0], "the density");
        data_ = Data::skipped;
        break;
      case Data::mass:
      case Data::rotary:
        mass_data();
        break;
      case Data::mpc:
        mpc_data();
        break;
      case Data::kinematic:
        kinematic_data();
        break;
    }
  }

  void elastic_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    if (fields.size() < 2) lines_.fail("*ELASTIC needs Young's modulus and Poisson's ratio");
    ElementMaterial& material = builder_.mesh.materials.back();
    material.young_modulus = real(fields[0], "Young's modulus");
    material.shear_modulus = material.young_modulus / (2 * (1 + real(fields[1], "Poisson's ratio")));
    data_ = Data::skipped;  // other temperatures
  }

  // E1, E2, E3, nu12, nu13, nu23, G12, G13 and in the next line G23.
  void engineering_data() {
    for (const std::string_view field : fields_of_line(line_))
      if (!field.empty() && constants_.size() < 9) constants_.push_back(real(field, "an elastic constant"));
    if (constants_.size() < 9) return;
    OrthotropicConstants constants;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      constants.young(i) = constants_[k];
      constants.poisson(i) = constants_[3 + k];
      constants.shear(i) = constants_[6 + k];
    }
    builder_.mesh.materials.back().set_orthotropic(constants);
    data_ = Data::skipped;
  }

  void start_shell_section() {
    if (keyword_.has("ORIENTATION"))
      lines_.fail("*SHELL SECTION with ORIENTATION is not supported: give its group a frame in the model file");
    if (keyword_.has("NODAL THICKNESS")) lines_.fail("*SHELL SECTION with NODAL THICKNESS is not supported");
    ShellInFile shell{demanded("ELSET"), keyword_.has("COMPOSITE") ? "" : demanded("MATERIAL"), 0, {}, {}};
    const std::string offset = upper(keyword_.value("OFFSET"));
    // Where the nodes are, as a share of the thickness above the middle.
    if (offset == "SPOS" || offset == "SNEG")
      shell.nodes_at = offset == "SPOS" ? 0.5 : -0.5;
    else if (!offset.empty())
      shell.nodes_at = real(offset, "OFFSET");
    shells_.push_back(shell);
    data_ = Data::shell;
  }

  void shell_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    ShellInFile& shell = shells_.back();
    const bool composite = shell.material.empty();
    const double thickness = real(fields[0], "the thickness");
    if (!(thickness > 0)) lines_.fail(cat("the thickness must be positive", lines_.got(fields[0])));
    if (composite && fields.size() < 3) lines_.fail("a layer needs a thickness and, as third, a material");
    double degrees = 0;
    if (composite && fields.size() > 3 && !fields[3].empty()) degrees = real(fields[3], "the angle of a layer");
    shell.layers.push_back({-1, thickness, degrees * 0.017453292519943295});
    shell.materials.push_back(composite ? upper(fields[2]) : shell.material);
    if (!composite) data_ = Data::skipped;
  }

  void start_orientation() {
    const std::string system = upper(keyword_.value("SYSTEM"));
    if (!system.empty() && system != "RECTANGULAR" && system != "CYLINDRICAL")
      lines_.fail(cat("*ORIENTATION with SYSTEM=", system, " is not supported"));
    if (keyword_.has("DEFINITION") && upper(keyword_.value("DEFINITION")) != "COORDINATES")
      lines_.fail("*ORIENTATION: only DEFINITION=COORDINATES is supported");
    orientations_[demanded("NAME")] = static_cast<int>(builder_.mesh.frames.size());
    builder_.mesh.frames.emplace_back();
    builder_.mesh.frames.back().cylindrical = system == "CYLINDRICAL";
    orientation_lines_ = 0;
    data_ = Data::orientation;
  }

  // Two points; of a cylinder on its axis, else on the first axis and in the plane of the first two. Then perhaps an
  // axis and the angle by which the others are turned about it.
  void orientation_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    ElementFrame& frame = builder_.mesh.frames.back();
    if (++orientation_lines_ == 2) {
      const std::int64_t axis = number(fields[0], "an axis");
      if (axis < 1 || axis > 3) lines_.fail(cat("an axis 1, 2 or 3 expected", lines_.got(fields[0])));
      const double degrees = fields.size() > 1 && !fields[1].empty() ? real(fields[1], "an angle") : 0;
      const Matrix3 turn = Eigen::AngleAxisd(degrees * 0.017453292519943295, Vector3::Unit(axis - 1)).matrix();
      if (frame.cylindrical)
        frame.turn = turn;
      else
        frame.axes = frame.axes * turn;
      data_ = Data::skipped;
      return;
    }
    if (fields.size() < 6) lines_.fail("*ORIENTATION needs two points");
    Vector3 a, b, c = Vector3::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      a(i) = real(fields[k], "a coordinate");
      b(i) = real(fields[3 + k], "a coordinate");
      if (!frame.cylindrical && fields.size() > 6 + k && !fields[6 + k].empty())
        c(i) = real(fields[6 + k], "a coordinate");
    }
    const Vector3 first = (frame.cylindrical ? Vector3(b - a) : Vector3(a - c)).normalized();
    const Vector3 other = frame.cylindrical ? Vector3(first.unitOrthogonal()) : Vector3(first.cross(b - c));
    if (!first.allFinite() || !(other.norm() > 0)) lines_.fail("the points of *ORIENTATION lie on one line");
    frame.origin = frame.cylindrical ? a : Vector3(Vector3::Zero());
    if (frame.cylindrical)
      frame.axes << other, first.cross(other), first;
    else
      frame.axes << first, other.normalized().cross(first), other.normalized();
  }

  void node_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    if (fields.size() < 2) lines_.fail(cat("a node needs a number and coordinates", lines_.got(line_)));
    const std::int64_t label = number(fields[0], "a node");
    Vector3 position = Vector3::Zero();
    for (std::size_t k = 0; k < 3 && k + 1 < fields.size(); ++k)
      if (!fields[k + 1].empty()) position(static_cast<Eigen::Index>(k)) = real(fields[k + 1], "a coordinate");
    builder_.add_node(label, position);
    if (keyword_.has("NSET")) builder_.node_set(upper(keyword_.value("NSET"))).push_back(label);
  }

  // Numbers of one line: first, last, step with GENERATE.
  std::vector<std::int64_t> generated(const std::vector<std::string_view>& fields) {
    if (fields.size() < 2) lines_.fail("GENERATE needs the first and the last number");
    const std::int64_t first = number(fields[0], "the first"), last = number(fields[1], "the last");
    const std::int64_t step = fields.size() > 2 && !fields[2].empty() ? number(fields[2], "the step") : 1;
    if (step < 1 || first < 0 || last < first)
      lines_.fail(cat("numbers ", first, " to ", last, " by ", step, " make no sense"));
    const std::int64_t count = (last - first) / step;
    demand_room(static_cast<std::size_t>(count));
    std::vector<std::int64_t> result;
    for (std::int64_t k = 0; k <= count; ++k) result.push_back(first + k * step);
    return result;
  }

  void demand_room(std::size_t members) {
    if (!builder_.has_room_for(members))
      lines_.fail(cat("sets and couplings have more than ", MeshBuilder::most_members, " members"));
  }

  void set_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    const bool nodes = data_ == Data::nset;
    if (keyword_.has("GENERATE")) {
      for (const std::int64_t label : generated(fields)) add_to_set(nodes, label, true);
      return;
    }
    for (const std::string_view field : fields) {
      std::int64_t label = 0;
      if (field.empty()) continue;
      if (parse_whole(field, label))
        add_to_set(nodes, label, false);
      else
        add_set_to_set(nodes, upper(field));
    }
  }

  void add_to_set(bool nodes, std::int64_t label, bool generated_number) {
    if (nodes) {  // GENERATE may name numbers that do not exist
      if (!generated_number || builder_.has_node(label))
        builder_.node_set(upper(keyword_.value("NSET"))).push_back(label);
      return;
    }
    const int* element = builder_.element(label);
    if (element)
      builder_.element_set(upper(keyword_.value("ELSET"))).push_back(*element);
    else if (const auto point = points_.find(label); point != points_.end())
      point_sets_[upper(keyword_.value("ELSET"))].push_back(point->second);
    else if (!generated_number)
      lines_.fail(cat("element ", label, " does not exist"));
  }

  void add_set_to_set(bool nodes, const std::string& other) {
    if (nodes) {
      if (!builder_.has_node_set(other)) lines_.fail(cat("node set ", other, " does not exist"));
      const std::vector<std::int64_t> members = builder_.node_set(other);
      demand_room(members.size());
      std::vector<std::int64_t>& own = builder_.node_set(upper(keyword_.value("NSET")));
      own.insert(own.end(), members.begin(), members.end());
      return;
    }
    const std::vector<int> members = demanded_element_set(other);
    std::vector<int>& own = builder_.element_set(upper(keyword_.value("ELSET")));
    own.insert(own.end(), members.begin(), members.end());
  }

  std::vector<int> demanded_element_set(const std::string& name) {
    const MeshSet* set = builder_.mesh.element_set(name);
    if (!set) lines_.fail(cat("element set ", name, " does not exist"));
    demand_room(set->members.size());
    return set->members;
  }

  void surface_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    const std::string name = upper(keyword_.value("NAME"));
    if (upper(keyword_.value("TYPE")) == "NODE") {
      std::int64_t label = 0;
      std::vector<std::int64_t> members;
      if (parse_whole(fields[0], label))
        members = {label};
      else if (builder_.has_node_set(upper(fields[0])))
        members = builder_.node_set(upper(fields[0]));
      else
        lines_.fail(cat("node set ", upper(fields[0]), " does not exist"));
      demand_room(members.size());
      std::vector<std::int64_t>& own = builder_.node_set(name);
      own.insert(own.end(), members.begin(), members.end());
      return;
    }
    std::int64_t label = 0;
    std::vector<int> elements;
    if (parse_whole(fields[0], label)) {
      const int* element = builder_.element(label);
      if (!element) lines_.fail(cat("element ", label, " does not exist"));
      elements = {*element};
    } else {
      elements = demanded_element_set(upper(fields[0]));
    }
    const std::string face = fields.size() > 1 ? upper(fields[1]) : "";
    int face_label = 0;
    if (face.size() < 2 || face[0] != 'S' || !parse_whole(face.substr(1), face_label))
      lines_.fail(cat("a face S1, S2, ... expected", lines_.got(face)));
    for (const int element : elements) face_nodes_.push_back({name, element, face_label});
  }

  void mass_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    PointProperty property{upper(keyword_.value("ELSET")), 0, Matrix3::Zero()};
    if (data_ == Data::mass) {
      property.mass = real(fields[0], "the mass");
    } else {
      static constexpr std::array<std::array<int, 2>, 6> places = {{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
      for (std::size_t k = 0; k < places.size() && k < fields.size(); ++k) {
        if (fields[k].empty()) continue;
        const auto [i, j] = places[k];
        property.inertia(i, j) = property.inertia(j, i) = real(fields[k], "an inertia");
      }
    }
    properties_.push_back(property);
    data_ = Data::skipped;
  }

  void mpc_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    const std::string type = upper(fields[0]);
    if (type != "BEAM" || fields.size() < 3)
      lines_.fail(cat("*MPC: only BEAM, node or set, node is supported", lines_.got(line_)));
    MeshBuilder::Spider spider{
        SpiderKind::rigid, static_cast<std::int64_t>(builder_.spiders.size()) + 1, number(fields[2], "a node"), {}};
    std::int64_t label = 0;
    if (parse_whole(fields[1], label))
      spider.nodes = {label};
    else if (builder_.has_node_set(upper(fields[1])))
      spider.nodes = builder_.node_set(upper(fields[1]));
    else
      lines_.fail(cat("node set ", upper(fields[1]), " does not exist"));
    demand_room(spider.nodes.size());
    builder_.spiders.push_back(std::move(spider));
  }

  void kinematic_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    const std::int64_t first = number(fields[0], "the first direction");
    const std::int64_t last = fields.size() > 1 && !fields[1].empty() ? number(fields[1], "the last direction") : first;
    if (first != 1 || last < 3)
      lines_.fail(cat("*KINEMATIC: only all directions (1, 6 or 1, 3) are supported", lines_.got(line_)));
  }

  int material_of(const std::string& name, const char* user) {
    const std::vector<ElementMaterial>& materials = builder_.mesh.materials;
    for (std::size_t k = 0; k < materials.size(); ++k)
      if (materials[k].name == name) return static_cast<int>(k);
    lines_.fail(cat("*", user, " names material ", name, ", which does not exist"));
  }

  void resolve_shells() {
    for (const ShellInFile& shell : shells_) {
      if (shell.layers.empty()) lines_.fail("*SHELL SECTION has no thickness");
      ShellSection section;
      section.layers = shell.layers;
      for (std::size_t k = 0; k < shell.materials.size(); ++k)
        section.layers[k].material = material_of(shell.materials[k], "SHELL SECTION");
      section.offset = -shell.nodes_at * section.thickness();
      for (const int element : demanded_element_set(shell.set)) {
        MeshElement& of = builder_.mesh.elements[static_cast<std::size_t>(element)];
        if (info(of.shape).dimension != 2)
          lines_.fail(cat("*SHELL SECTION on element ", of.label, ", a ", info(of.shape).name, ", is not supported"));
        of.shell = static_cast<int>(builder_.mesh.shells.size());
      }
      builder_.mesh.shells.push_back(std::move(section));
    }
  }

  void resolve_sections() {
    resolve_shells();
    for (const auto& [set, material_name, orientation] : sections_) {
      const int material = material_of(material_name, "SOLID SECTION");
      int frame = -1;
      if (!orientation.empty()) {
        const auto found = orientations_.find(orientation);
        if (found == orientations_.end()) lines_.fail(cat("orientation ", orientation, " does not exist"));
        frame = found->second;
      }
      for (const int element : demanded_element_set(set)) {
        MeshElement& of = builder_.mesh.elements[static_cast<std::size_t>(element)];
        if (info(of.shape).dimension < 3)
          lines_.fail(cat("*SOLID SECTION on element ", of.label, ", a ", info(of.shape).name, ", is not supported"));
        of.material = material;
        of.frame = frame;
      }
    }
  }

  void resolve_masses() {
    for (const PointProperty& property : properties_) {
      const auto found = point_sets_.find(property.set);
      if (found == point_sets_.end()) lines_.fail(cat("element set ", property.set, " of *MASS does not exist"));
      demand_room(found->second.size());
      for (const std::int64_t node : found->second)
        builder_.masses.push_back({node, property.mass, property.inertia, Vector3::Zero()});
    }
  }

  void resolve_couplings() {
    for (const auto& [name, element, face_label] : face_nodes_) {
      const MeshElement& of = builder_.mesh.elements[static_cast<std::size_t>(element)];
      const std::vector<ElementFace>& faces = faces_of(of.shape);  // in the order of Abaqus
      if (face_label < 1 || face_label > static_cast<int>(faces.size()))
        lines_.fail(cat("element ", of.label, " has no face S", face_label));
      const ElementFace& nodes = faces[static_cast<std::size_t>(face_label - 1)];
      for (const auto& places : {nodes.corners, nodes.edges})
        for (const int place : places)
          if (place >= 0) builder_.node_set(name).push_back(builder_.node_label(element, place));
    }
    for (const Coupling& coupling : couplings_) {
      const std::string set = upper(coupling.set);
      MeshBuilder::Spider spider{coupling.rigid ? SpiderKind::rigid : SpiderKind::averaging,
                                 static_cast<std::int64_t>(builder_.spiders.size()) + 1,
                                 coupling.reference,
                                 {}};
      if (coupling.by_elements)
        for (const int element : demanded_element_set(set))
          for (int k = 0; k < info(builder_.mesh.elements[static_cast<std::size_t>(element)].shape).num_nodes; ++k)
            spider.nodes.push_back(builder_.node_label(element, k));
      else if (builder_.has_node_set(set))
        spider.nodes = builder_.node_set(set);
      else
        lines_.fail(cat("surface or node set ", set, " does not exist"));
      demand_room(spider.nodes.size());
      builder_.spiders.push_back(std::move(spider));
    }
  }

  struct Section {
    std::string set, material, orientation;
  };
  struct ShellInFile {
    std::string set, material;  // no material: of layers
    double nodes_at = 0;        // over the middle, as a share of the thickness
    std::vector<ShellLayer> layers;
    std::vector<std::string> materials;  // of the layers
  };
  struct Coupling {
    bool rigid = true;
    std::string set;
    std::int64_t reference = 0;
    bool by_elements = false;
  };
  struct PointProperty {
    std::string set;
    double mass = 0;
    Matrix3 inertia = Matrix3::Zero();
  };
  struct FaceNodes {
    std::string surface;
    int element = 0;
    int face = 0;
  };

  TextLines lines_;
  std::string file_;
  std::string_view line_;
  AbaqusKeyword keyword_;
  Data data_ = Data::skipped;
  ElementShape shape_ = ElementShape::point1;
  bool after_coupling_ = false;
  int instances_ = 0;
  std::vector<std::int64_t> numbers_;
  std::map<std::int64_t, std::int64_t> points_;  // node of a MASS or ROTARYI element
  std::map<std::string, std::vector<std::int64_t>> point_sets_;
  std::vector<Section> sections_;
  std::vector<ShellInFile> shells_;
  std::map<std::string, int> orientations_;  // index into Mesh::frames
  int orientation_lines_ = 0;
  std::vector<double> constants_;  // of an orthotropic material, as far as they are read
  std::vector<Coupling> couplings_;
  std::vector<PointProperty> properties_;
  std::vector<FaceNodes> face_nodes_;
  MeshBuilder builder_;
};

}  // namespace

std::optional<Mesh> read_abaqus(std::string_view text, const std::string& file_name, Diagnostics& diagnostics,
                                const MeshReadOptions& options) {
  try {
    return AbaqusReader(text, file_name, options).read();
  } catch (const MeshFileError& error) {
    diagnostics.error({error.file, error.line, error.line > 0 ? 1 : 0, "", error.message});
    return std::nullopt;
  }
}

}  // namespace lithe
