// Materials, sections, orientations and point masses of Abaqus and CalculiX.
#include "lithe/read/mesh/abaqus_reader.h"

namespace lithe {

void AbaqusReader::start_mass() {
  if (!upper(keyword_.value("TYPE")).empty() && upper(keyword_.value("TYPE")) != "ISOTROPIC")
    lines_.fail(cat("*MASS of type ", upper(keyword_.value("TYPE")), " is not supported"));
  if (keyword_.has("ORIENTATION"))
    lines_.fail(cat("*", keyword_.name, " with ORIENTATION is not supported: give it in the axes of the file"));
  set_ = set_of("ELSET");
  data_ = keyword_.name == "MASS" ? Data::mass : Data::rotary;
}

void AbaqusReader::start_property() {
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

void AbaqusReader::elastic_data() {
  const std::vector<std::string_view> fields = fields_of_line(line_);
  if (fields.size() < 2) lines_.fail("*ELASTIC needs Young's modulus and Poisson's ratio");
  ElementMaterial& material = builder_.mesh.materials.back();
  material.young_modulus = real(fields[0], "Young's modulus");
  material.shear_modulus = material.young_modulus / (2 * (1 + real(fields[1], "Poisson's ratio")));
  data_ = Data::skipped;  // other temperatures
}

void AbaqusReader::engineering_data() {
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

void AbaqusReader::start_shell_section() {
  for (const char* const key : {"NODAL THICKNESS", "SHELL THICKNESS", "DENSITY"})
    if (keyword_.has(key)) lines_.fail(cat("*SHELL SECTION with ", key, " is not supported"));
  AbaqusDeck::Shell shell{set_of("ELSET"),
                          keyword_.has("COMPOSITE") ? "" : demanded("MATERIAL"),
                          own_name(upper(keyword_.value("ORIENTATION"))),
                          0,
                          {},
                          {},
                          here()};
  const std::string offset = upper(keyword_.value("OFFSET"));
  // Where the nodes are, as a share of the thickness above the middle.
  if (offset == "SPOS" || offset == "SNEG")
    shell.nodes_at = offset == "SPOS" ? 0.5 : -0.5;
  else if (!offset.empty())
    shell.nodes_at = real(offset, "OFFSET");
  deck_.shells.push_back(shell);
  data_ = Data::shell;
}

void AbaqusReader::shell_data() {
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

void AbaqusReader::start_orientation() {
  const std::string system = upper(keyword_.value("SYSTEM"));
  if (!system.empty() && system != "RECTANGULAR" && system != "CYLINDRICAL")
    lines_.fail(cat("*ORIENTATION with SYSTEM=", system, " is not supported"));
  if (keyword_.has("DEFINITION") && upper(keyword_.value("DEFINITION")) != "COORDINATES")
    lines_.fail("*ORIENTATION: only DEFINITION=COORDINATES is supported");
  deck_.orientations[own_name(demanded("NAME"))] = static_cast<int>(builder_.mesh.frames.size());
  builder_.mesh.frames.emplace_back();
  builder_.mesh.frames.back().cylindrical = system == "CYLINDRICAL";
  orientation_lines_ = 0;
  data_ = Data::orientation;
}

void AbaqusReader::orientation_data() {
  const std::vector<std::string_view> fields = fields_of_line(line_);
  ElementFrame& frame = builder_.mesh.frames.back();
  if (++orientation_lines_ == 2) {
    const std::int64_t axis = number(fields[0], "an axis");
    if (axis < 1 || axis > 3) lines_.fail(cat("an axis 1, 2 or 3 expected", lines_.got(fields[0])));
    if (axis == 3) deck_.shell_orientations.insert(own_name(demanded("NAME")));
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

void AbaqusReader::mass_data() {
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

}  // namespace lithe
