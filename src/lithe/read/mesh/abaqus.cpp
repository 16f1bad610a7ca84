// Input files of Abaqus and CalculiX: the part of the keywords that describes a structure.
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "lithe/read/mesh/abaqus_deck.h"
#include "lithe/read/mesh/abaqus_keywords.h"
#include "lithe/read/mesh/abaqus_systems.h"
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
    deck_.resolve();
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
    directions,
    shell,
    beam,
    orientation,
    system,
    instance
  };
  // The part with its nodes and elements, the assembly around its instance; a file without parts is flat.
  enum class Scope { flat, part, assembly, instance };

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
    return parse_abaqus_keyword(whole);
  }

  // False at the first step: what follows is the analysis.
  bool start(const AbaqusKeyword& keyword) {
    end_element();
    data_ = Data::skipped;
    keyword_ = keyword;
    builder_.set_place(lines_.file(), lines_.line());
    const std::string& name = keyword.name;
    if (name == "STEP") return false;
    if (name == "INCLUDE") {
      lines_.include(keyword.value("INPUT"));
    } else if (name == "NODE") {
      start_nodes();
    } else if (name == "ELEMENT") {
      start_element();
    } else if (name == "NSET") {
      start_node_set();
    } else if (name == "ELSET") {
      data_ = Data::elset;
      set_ = new_name("ELSET");
      builder_.element_set(set_);
    } else if (name == "SURFACE") {
      start_surface();
    } else if (name == "MATERIAL") {
      ElementMaterial material;
      material.name = demanded("NAME");
      builder_.mesh.materials.push_back(material);
    } else if (name == "ELASTIC" || name == "DENSITY") {
      start_property();
    } else if (name == "SOLID SECTION") {
      deck_.sections.push_back({set_of("ELSET"), demanded("MATERIAL"), upper(keyword.value("ORIENTATION")), here()});
    } else if (name == "SHELL SECTION") {
      start_shell_section();
    } else if (name == "BEAM SECTION") {
      deck_.beams.push_back({set_of("ELSET"), demanded("MATERIAL"), {}, -Vector3::UnitZ(), 0, here()});
      data_ = Data::beam;
    } else if (name == "ORIENTATION") {
      start_orientation();
    } else if (name == "MASS" || name == "ROTARY INERTIA") {
      start_mass();
    } else if (name == "SYSTEM") {
      system_.reset();
      data_ = Data::system;
    } else if (!start_scope()) {
      start_constraint();
    }
    if (data_ != Data::skipped && keyword.has("INPUT")) lines_.include(keyword.value("INPUT"));
    return true;
  }

  bool start_scope() {
    const std::string& name = keyword_.name;
    if (name == "PART") {
      if (++parts_ > 1) lines_.fail("more than one *PART; write the part as a flat input file");
      scope_ = Scope::part;
    } else if (name == "END PART" || name == "END ASSEMBLY") {
      scope_ = Scope::flat;
    } else if (name == "ASSEMBLY") {
      scope_ = Scope::assembly;
    } else if (name == "INSTANCE") {
      if (!deck_.instance.empty()) lines_.fail("more than one *INSTANCE; write the part as a flat input file");
      deck_.instance = demanded("NAME");
      scope_ = Scope::instance;
      data_ = Data::instance;
    } else if (name == "END INSTANCE") {
      if (instance_pose_.moves()) move_part();
      scope_ = Scope::assembly;
    } else {
      return false;
    }
    system_.reset();
    return true;
  }

  // Nodes and orientations read so far are those of the part.
  void move_part() {
    const Pose& pose = instance_pose_.pose();
    for (Vector3& position : builder_.mesh.positions) position = pose * position;
    for (AbaqusDeck::Beam& beam : deck_.beams) beam.side = pose.rotation * beam.side;
    for (ElementFrame& frame : builder_.mesh.frames) {
      frame.axes = pose.rotation * frame.axes;
      if (frame.cylindrical) frame.origin = pose * frame.origin;
    }
  }

  bool in_assembly() const { return scope_ == Scope::assembly && !keyword_.has("INSTANCE"); }
  AbaqusReference reference(std::string_view text) const { return {upper(text), in_assembly()}; }
  std::int64_t node_number(std::string_view text) const {
    std::int64_t label = 0;
    if (scope_ != Scope::assembly && parse_whole(text, label)) return label;  // most nodes of large files
    return deck_.node_label(reference(text), here(), lines_.quotes_content());
  }
  MeshFilePlace here() const { return lines_.place(); }

  // The name of a set that is made here. The assembly may have one of a name that the part has, too.
  std::string new_name(const char* key) {
    std::string name = demanded(key);
    if (scope_ != Scope::assembly) {
      names_of_part_.insert(name);
      return name;
    }
    return names_of_part_.contains(name) ? AbaqusDeck::of_assembly(name) : name;
  }
  std::string set_of(const char* key) { return deck_.set_name(reference(demanded(key))); }

  void start_nodes() {
    const std::string system = upper(keyword_.value("SYSTEM"));
    if (!system.empty() && system != "R" && system != "C")
      lines_.fail(cat("*NODE with SYSTEM=", system, " is not supported: write rectangular or cylindrical coordinates"));
    cylindrical_ = system == "C";
    data_ = Data::node;
    set_ = keyword_.has("NSET") ? new_name("NSET") : std::string();
  }

  void start_node_set() {
    data_ = Data::nset;
    set_ = new_name("NSET");
    builder_.node_set(set_);
    if (!keyword_.has("ELSET")) return;
    for (const int element : deck_.element_set(set_of("ELSET"), here()))
      for (int k = 0; k < info(builder_.mesh.elements[static_cast<std::size_t>(element)].shape).num_nodes; ++k)
        builder_.node_set(set_).push_back(builder_.node_label(element, k));
  }

  void start_surface() {
    const std::string type = upper(keyword_.value("TYPE"));
    if (keyword_.has("COMBINE") || keyword_.has("CROP") || (!type.empty() && type != "NODE" && type != "ELEMENT"))
      lines_.fail("*SURFACE: only TYPE=ELEMENT and TYPE=NODE are supported");
    data_ = Data::surface;
    set_ = new_name("NAME");
    if (builder_.has_node_set(set_) && !deck_.surfaces.contains(set_))
      builder_.warn(here(), cat("surface and node set ", set_, ": the group of this name has the nodes of both"));
    builder_.node_set(set_);
    deck_.surfaces[set_];
  }

  void start_mass() {
    if (!upper(keyword_.value("TYPE")).empty() && upper(keyword_.value("TYPE")) != "ISOTROPIC")
      lines_.fail(cat("*MASS of type ", upper(keyword_.value("TYPE")), " is not supported"));
    if (keyword_.has("ORIENTATION"))
      lines_.fail(cat("*", keyword_.name, " with ORIENTATION is not supported: give it in the axes of the file"));
    set_ = set_of("ELSET");
    data_ = keyword_.name == "MASS" ? Data::mass : Data::rotary;
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
      if (keyword_.has("INFLUENCE RADIUS")) lines_.fail("*COUPLING with INFLUENCE RADIUS is not supported");
      add_coupling("SURFACE", AbaqusDeck::Coupling::Of::surface, true);
      after_coupling_ = true;
      return;
    }
    const bool first = after_coupling_;
    after_coupling_ = false;
    if (name == "KINEMATIC" || name == "DISTRIBUTING") {
      if (!first) lines_.fail(cat("*", name, " without a *COUPLING before it"));
      start_directions();
    } else if (name == "RIGID BODY") {
      start_rigid_body();
    } else if (name == "MPC") {
      data_ = Data::mpc;
    } else if (abaqus_changes_structure(name)) {
      lines_.fail(cat("*", name, " is not supported: it would change the structure"));
    } else if (!abaqus_is_no_structure(name)) {
      builder_.warn(here(), cat("*", name, " is passed over"));
    }
  }

  void add_coupling(const char* set, AbaqusDeck::Coupling::Of of, bool turns_nodes) {
    AbaqusDeck::Coupling coupling;
    coupling.set = reference(demanded(set));
    coupling.reference = reference(demanded("REF NODE"));
    coupling.of = of;
    coupling.turns_nodes = turns_nodes;
    coupling.place = here();
    deck_.couplings.push_back(std::move(coupling));
  }

  void start_directions() {
    AbaqusDeck::Coupling& coupling = deck_.couplings.back();
    const bool rigid = keyword_.name == "KINEMATIC";
    const std::string method = upper(keyword_.value("WEIGHTING METHOD"));
    if (!method.empty() && method != "UNIFORM")
      lines_.fail(cat("*DISTRIBUTING with WEIGHTING METHOD=", method, " is not supported"));
    coupling.kind = rigid ? SpiderKind::rigid : SpiderKind::averaging;
    data_ = Data::directions;
  }

  void start_rigid_body() {
    if (keyword_.has("ANALYTICAL SURFACE")) lines_.fail("*RIGID BODY with ANALYTICAL SURFACE is not supported");
    bool any = false;
    for (const char* const key : {"ELSET", "NSET", "TIE NSET", "PIN NSET"}) {
      if (!keyword_.has(key)) continue;
      using Of = AbaqusDeck::Coupling::Of;
      add_coupling(key, key[0] == 'E' ? Of::elements : Of::nodes, key[0] != 'P');
      any = true;
    }
    if (!any) lines_.fail("*RIGID BODY needs NSET or ELSET");
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
    is_mass_ = type == "MASS";
    beam_.reset();
    if (type == "B31" || type == "B33") beam_ = type == "B31" ? BeamTheory::timoshenko : BeamTheory::euler_bernoulli;
    set_ = keyword_.has("ELSET") ? new_name("ELSET") : std::string();
    data_ = Data::element;
  }

  // An element may take several lines: it is whole when it has all its nodes.
  void element_data() {
    for (const std::string_view field : fields_of_line(line_)) {
      if (field.empty()) continue;
      numbers_.push_back(numbers_.empty() ? number(field, "an element") : node_number(field));
      if (numbers_.size() <= static_cast<std::size_t>(info(shape_).num_nodes)) continue;
      add_element();
    }
  }

  void add_element() {
    const std::int64_t label = numbers_.front();
    numbers_.erase(numbers_.begin());
    std::vector<std::int64_t> nodes = std::move(numbers_);
    numbers_.clear();
    builder_.set_place(lines_.file(), lines_.line());
    if (shape_ == ElementShape::point1) {
      if (!deck_.point_index.emplace(label, deck_.points.size()).second)
        lines_.fail(cat("element ", label, " is defined twice"));
      if (!set_.empty()) deck_.point_sets[set_].push_back(deck_.points.size());
      deck_.points.push_back({label, nodes.front(), is_mass_, false, here()});
      return;
    }
    if (builder_.element(label)) lines_.fail(cat("element ", label, " is defined twice"));
    const int index = builder_.add_element(shape_, label, nodes);
    if (beam_) deck_.beam_elements.emplace(index, *beam_);
    if (!set_.empty()) builder_.element_set(set_).push_back(index);
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
      case Data::beam:
        deck_.add_beam_line(all_numbers("a number"), upper(keyword_.value("SECTION")), here());
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
      case Data::directions:
        direction_data();
        break;
      case Data::system:
        system_.add_line(all_numbers("a coordinate"), here());
        break;
      case Data::instance:
        if (trimmed(line_) != ",") instance_pose_.add_line(all_numbers("a number"), here());
        break;
    }
  }

  std::vector<double> all_numbers(const char* what) {
    std::vector<double> numbers;
    std::vector<std::string_view> fields = fields_of_line(line_);
    while (!fields.empty() && fields.back().empty()) fields.pop_back();
    for (const std::string_view field : fields) numbers.push_back(field.empty() ? 0 : real(field, what));
    return numbers;
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
    for (const char* const key : {"NODAL THICKNESS", "SHELL THICKNESS", "DENSITY"})
      if (keyword_.has(key)) lines_.fail(cat("*SHELL SECTION with ", key, " is not supported"));
    AbaqusDeck::Shell shell{set_of("ELSET"), keyword_.has("COMPOSITE") ? "" : demanded("MATERIAL"), 0, {}, {}, here()};
    const std::string offset = upper(keyword_.value("OFFSET"));
    // Where the nodes are, as a share of the thickness above the middle.
    if (offset == "SPOS" || offset == "SNEG")
      shell.nodes_at = offset == "SPOS" ? 0.5 : -0.5;
    else if (!offset.empty())
      shell.nodes_at = real(offset, "OFFSET");
    deck_.shells.push_back(shell);
    data_ = Data::shell;
  }

  void shell_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    AbaqusDeck::Shell& shell = deck_.shells.back();
    const bool composite = shell.material.empty();
    const double thickness = real(fields[0], "the thickness");
    if (!(thickness > 0)) lines_.fail(cat("the thickness must be positive", lines_.got(fields[0])));
    if (composite && fields.size() < 3) lines_.fail("a layer needs a thickness and, as third, a material");
    double degrees = 0;
    if (composite && fields.size() > 3 && !fields[3].empty()) degrees = real(fields[3], "the angle of a layer");
    shell.layers.push_back({-1, thickness, degrees * abaqus_degree});
    shell.materials.push_back(composite ? upper(fields[2]) : shell.material);
    if (!composite) data_ = Data::skipped;
  }

  void start_orientation() {
    const std::string system = upper(keyword_.value("SYSTEM"));
    if (!system.empty() && system != "RECTANGULAR" && system != "CYLINDRICAL")
      lines_.fail(cat("*ORIENTATION with SYSTEM=", system, " is not supported"));
    if (keyword_.has("DEFINITION") && upper(keyword_.value("DEFINITION")) != "COORDINATES")
      lines_.fail("*ORIENTATION: only DEFINITION=COORDINATES is supported");
    deck_.orientations[demanded("NAME")] = static_cast<int>(builder_.mesh.frames.size());
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
      const Matrix3 turn = Eigen::AngleAxisd(degrees * abaqus_degree, Vector3::Unit(axis - 1)).matrix();
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
    set_frame(a, b, c, here(), frame);
  }

  void node_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    if (fields.size() < 2) lines_.fail(cat("a node needs a number and coordinates", lines_.got(line_)));
    const std::int64_t label = number(fields[0], "a node");
    Vector3 position = Vector3::Zero();
    for (std::size_t k = 0; k < 3 && k + 1 < fields.size(); ++k)
      if (!fields[k + 1].empty()) position(static_cast<Eigen::Index>(k)) = real(fields[k + 1], "a coordinate");
    position = system_.position(position, cylindrical_);
    const std::int64_t own = scope_ == Scope::assembly ? assembly_label(label) : label;
    if (const Vector3* other = builder_.position_of(own); other && *other != position)
      builder_.warn(here(), cat("node ", label, " is defined twice: the coordinates here count"));
    builder_.add_node(own, position);
    if (!set_.empty()) builder_.node_set(set_).push_back(own);
  }

  // Nodes of the assembly have numbers of their own: one that the part has becomes a new one.
  std::int64_t assembly_label(std::int64_t label) {
    const auto [known, is_new] = deck_.assembly_nodes.emplace(label, label);
    if (!is_new || !builder_.has_node(label)) return known->second;
    if (builder_.largest_node() == std::numeric_limits<std::int64_t>::max())
      lines_.fail("there is no number left for a node of the assembly");
    known->second = builder_.largest_node() + 1;
    builder_.warn(here(), cat("node ", label, " of the assembly is number ", known->second,
                              " here: the part has a node ", label));
    return known->second;
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

  void demand_room(std::size_t members) { deck_.demand_room(members, here()); }

  void set_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    const bool nodes = data_ == Data::nset;
    const MeshFilePlace place = here();
    if (keyword_.has("GENERATE")) {  // may name numbers that do not exist
      for (const std::int64_t label : generated(fields))
        nodes ? deck_.add_node_to_set(set_, label, in_assembly(), true)
              : deck_.add_element_to_set(set_, label, in_assembly(), true, place);
      return;
    }
    for (const std::string_view field : fields) {
      if (field.empty()) continue;
      nodes ? deck_.add_nodes_to_set(set_, reference(field), place)
            : deck_.add_elements_to_set(set_, reference(field), place);
    }
  }

  void surface_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    std::int64_t label = 0;
    if (upper(keyword_.value("TYPE")) == "NODE") {
      const double weight = fields.size() > 1 && !fields[1].empty() ? real(fields[1], "a weight") : 1;
      std::vector<std::int64_t> members;
      const std::string name = deck_.set_name(reference(fields[0]));
      if (builder_.has_node_set(name))
        members = builder_.labels_of(name);
      else if (parse_whole(name, label))
        members = {node_number(fields[0])};
      else
        lines_.fail(cat("node set ", name, " does not exist"));
      demand_room(2 * members.size());
      for (const std::int64_t member : members) deck_.surfaces[set_].add(member, weight);
      std::vector<std::int64_t>& own = builder_.node_set(set_);
      own.insert(own.end(), members.begin(), members.end());
      return;
    }
    std::vector<int> elements;
    const std::string name = deck_.set_name(reference(fields[0]));
    if (parse_whole(name, label)) {
      const int* element = builder_.element(label);
      if (!element) lines_.fail(cat("element ", label, " does not exist"));
      elements = {*element};
    } else {
      elements = deck_.element_set(name, here());
    }
    const std::string face = fields.size() > 1 ? upper(fields[1]) : "";
    for (const int element : elements) deck_.add_face(set_, element, face, here(), lines_.got(face));
  }

  void mass_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    AbaqusDeck::PointProperty property{set_, data_ == Data::mass, 0, Matrix3::Zero(), here()};
    if (property.is_mass) {
      property.mass = real(fields[0], "the mass");
    } else {
      static constexpr std::array<std::array<int, 2>, 6> places = {{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
      for (std::size_t k = 0; k < places.size() && k < fields.size(); ++k) {
        if (fields[k].empty()) continue;
        const auto [i, j] = places[k];
        property.inertia(i, j) = property.inertia(j, i) = real(fields[k], "an inertia");
      }
    }
    deck_.properties.push_back(property);
    data_ = Data::skipped;
  }

  void mpc_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    if (upper(fields[0]) != "BEAM" || fields.size() < 3)
      lines_.fail(cat("*MPC: only BEAM, node or set, node is supported", lines_.got(line_)));
    MeshBuilder::Spider spider;
    spider.label = static_cast<std::int64_t>(builder_.spiders.size()) + 1;
    spider.reference = node_number(fields[2]);
    spider.place = here();
    const std::string name = deck_.set_name(reference(fields[1]));
    if (builder_.has_node_set(name))
      spider.nodes = builder_.labels_of(name);
    else
      spider.nodes = {node_number(fields[1])};
    demand_room(spider.nodes.size());
    builder_.spiders.push_back(std::move(spider));
  }

  // Lines of a first and a last direction. Without a line all of them are coupled.
  void direction_data() {
    const std::vector<std::string_view> fields = fields_of_line(line_);
    const std::int64_t first = number(fields[0], "the first direction");
    const std::int64_t last = fields.size() > 1 && !fields[1].empty() ? number(fields[1], "the last direction") : first;
    if (first < 1 || last > 6 || last < first) lines_.fail(cat("directions 1 to 6 expected", lines_.got(line_)));
    AbaqusDeck::Coupling& coupling = deck_.couplings.back();
    coupling.has_directions = true;
    for (std::int64_t k = first; k <= last; ++k) coupling.directions[static_cast<std::size_t>(k - 1)] = true;
  }

  TextLines lines_;
  std::string file_;
  std::string_view line_;
  AbaqusKeyword keyword_;
  Data data_ = Data::skipped;
  ElementShape shape_ = ElementShape::point1;
  std::string set_;  // that the data go to
  bool after_coupling_ = false, is_mass_ = true, cylindrical_ = false;
  std::optional<BeamTheory> beam_;  // of the elements that are read
  Scope scope_ = Scope::flat;
  int parts_ = 0;
  std::set<std::string> names_of_part_;
  AbaqusNodeSystem system_;
  AbaqusInstancePose instance_pose_;
  std::vector<std::int64_t> numbers_;
  int orientation_lines_ = 0;
  std::vector<double> constants_;  // of an orthotropic material, as far as they are read
  AbaqusDeck deck_;
  MeshBuilder& builder_ = deck_.builder;
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
