#include "lithe/read/urdf/flexible_link.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "lithe/base/decompositions.h"
#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/model/sections/section_properties.h"
#include "lithe/read/parts.h"
#include "lithe/read/urdf/measured_beam.h"
#include "lithe/read/urdf/measured_stiffness.h"
#include "lithe/read/urdf/words.h"

namespace lithe {

// ∫ρ r rᵀ = tr(I)/2 - I about the centre, and m c cᵀ.
MassMoments moments_of(const RigidInertia& body) {
  const Matrix3 about_centre = 0.5 * body.inertia.trace() * Matrix3::Identity() - body.inertia;
  return {body.mass, body.mass * body.centre, about_centre + body.mass * body.centre * body.centre.transpose()};
}

RigidInertia body_of(const MassMoments& moments) {
  RigidInertia body;
  body.mass = moments.mass;
  if (!(moments.mass > 0)) return body;
  body.centre = moments.first / moments.mass;
  const Matrix3 about_centre = moments.second - moments.mass * body.centre * body.centre.transpose();
  body.inertia = about_centre.trace() * Matrix3::Identity() - about_centre;
  return body;
}

MassMoments moments_of_beam(const Section& section, const Material& material, const Vector3& from, const Vector3& to,
                            const Matrix3& axes) {
  const double length = (to - from).norm(), mass = material.density * section.area * length;
  const Vector3 middle = (from + to) / 2, along = to - from;
  const Vector3 y = axes.col(1), z = axes.col(2);
  return {mass, mass * middle,
          mass * (middle * middle.transpose() + along * along.transpose() / 12) +
              material.density * length *
                  (section.second_moment_z * y * y.transpose() + section.second_moment_y * z * z.transpose())};
}

std::optional<EndBodies> split_between_ends(const MassMoments& moments, const Vector3& direction) {
  if (!(moments.mass > 0)) return std::nullopt;
  const Vector3 centre = moments.first / moments.mass;
  const Matrix3 spread = moments.second / moments.mass - centre * centre.transpose();
  const SymmetricPairs principal = symmetric_pairs(spread);
  constexpr double rounding = 1e-12;
  if (principal.values[0] < -rounding * std::max(spread.norm(), centre.squaredNorm())) return std::nullopt;
  const double along = direction.dot(spread * direction);
  const Vector3 apart = along > 0 ? Vector3(spread * direction / std::sqrt(along)) : Vector3(Vector3::Zero());
  const Matrix3 left = spread - apart * apart.transpose();
  const auto half = [&](double side) {
    const Vector3 own = centre + side * apart;
    return body_of({moments.mass / 2, moments.mass / 2 * own, moments.mass / 2 * (left + own * own.transpose())});
  };
  return EndBodies{half(-1), half(1)};
}

namespace {

struct NamedMaterial {
  const char* name;
  double density, young_modulus, shear_modulus;
};
// Usual values; carbon: a wound tube of standard-modulus fibres, mostly along it.
constexpr NamedMaterial usual_materials[] = {
    {"steel", 7850, 210e9, 80.8e9}, {"aluminium", 2700, 70e9, 26.3e9}, {"titanium", 4430, 114e9, 42.9e9},
    {"carbon", 1550, 100e9, 8e9},   {"glass", 1900, 38e9, 5e9},
};

int find_material(Reading& reading, const std::string& name) {
  if (const std::optional<int> known = reading.materials.find(name)) return *known;
  for (const NamedMaterial& usual : usual_materials)
    if (name == usual.name) {
      reading.materials.add(name);
      reading.model.materials.push_back({name, usual.density, usual.young_modulus, usual.shear_modulus});
      return static_cast<int>(reading.model.materials.size()) - 1;
    }
  return -1;
}

// "60x3": numbers apart by x, in mm.
std::vector<double> sizes_of(std::string_view text) {
  std::vector<double> sizes;
  while (!text.empty()) {
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || !(value > 0) || !std::isfinite(value)) return {};
    sizes.push_back(value / 1000);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.front() != 'x' || text.size() == 1) return {};
    text.remove_prefix(1);
  }
  return sizes;
}

std::optional<Section> usual_section(std::string_view shape, const std::vector<double>& sizes) {
  if (shape == "tube" && sizes.size() == 2 && 2 * sizes[1] < sizes[0])
    return tube_section(sizes[0] / 2, sizes[0] / 2 - sizes[1]);
  if (shape == "rod" && sizes.size() == 1) return circle_section(sizes[0] / 2);
  if (shape == "bar" && sizes.size() == 2) return rectangle_section(sizes[0], sizes[1]);
  return std::nullopt;
}

// beam = "tube 60x3 carbon".
bool read_beam_words(const TableReader& reader, BeamSegment& segment) {
  const std::optional<std::string> text = reader.text("beam");
  if (!text) return false;
  Reading& reading = reader.reading();
  Words words(*text);
  const std::string_view shape = words.next(), sizes = words.next();
  const std::string material(words.next());
  std::optional<Section> section = usual_section(shape, sizes_of(sizes));
  if (!section || material.empty() || !words.done()) {
    reader.error("beam",
                 cat("beam must be like \"tube 60x3 carbon\", \"rod 20 steel\" or \"bar 40x10 aluminium\" (sizes "
                     "in mm: outer diameter x wall, diameter, width x height), got ",
                     in_quotes(*text)));
    return false;
  }
  segment.material = find_material(reading, material);
  if (segment.material < 0) {
    std::string known;
    for (const NamedMaterial& usual : usual_materials) known += cat(known.empty() ? "'" : ", '", usual.name, "'");
    reader.error("beam",
                 cat("there is no material ", in_quotes(material), "; known are ", known, " and those of [materials]"));
    return false;
  }
  section->name = cat(shape, " ", sizes);
  if (const std::optional<int> known = reading.sections.find(section->name)) {
    segment.section = *known;
    return true;
  }
  reading.sections.add(section->name);
  segment.section = static_cast<int>(reading.model.sections.size());
  reading.model.sections.push_back(*std::move(section));
  return true;
}

bool read_beam(const TableReader& reader, BeamSegment& segment) {
  if (reader.has("beam") && (reader.has("material") || reader.has("section"))) {
    reader.error("beam", "give beam, or material and section, not both");
    return false;
  }
  if (reader.has("beam")) return read_beam_words(reader, segment);
  for (const std::string_view key : {"material", "section"})
    if (!reader.has_or_means(key) && (key == "section" || segment.material < 0))
      reader.error(cat("key '", key, "' is missing, or 'beam'"));
  return segment.material >= 0 && segment.section >= 0;
}

// Four digits: enough for a message.
std::string short_number(double value) {
  std::ostringstream text;
  text.precision(4);
  text << value;
  return text.str();
}

// As the finite elements turn a section: z along section_z, else along link z, else along link y.
Matrix3 beam_axes(const Vector3& along, const Vector3& section_z) {
  const Vector3 x = along.normalized();
  Vector3 wanted = section_z;
  if (wanted.norm() == 0) wanted = x.cross(Vector3::UnitZ()).norm() > 1e-6 ? Vector3::UnitZ() : Vector3::UnitY();
  Matrix3 axes;
  axes.col(0) = x;
  axes.col(2) = (wanted - x * x.dot(wanted)).normalized();
  axes.col(1) = axes.col(2).cross(x);
  return axes;
}

// A link of one beam between two nodes, without its material and section.
Link beam_between(const TableReader& reader, const Link& link, int from, int to, int num_elements) {
  Link beam;
  beam.name = link.name;
  beam.place = reader.place();
  beam.nodes = {link.nodes[static_cast<std::size_t>(from)], link.nodes[static_cast<std::size_t>(to)]};
  BeamSegment segment = segment_defaults(reader);
  segment.from = 0;
  segment.to = 1;
  segment.num_elements = num_elements;
  beam.segments = {segment};
  return beam;
}

struct LinkRest {
  MassMoments moments;
  std::optional<EndBodies> ends;  // nothing: no two bodies have them
};

// What the link has beyond its beam.
LinkRest rest_of(const Link& link, const Link& beam, const Section& section, const Material& material) {
  const Vector3 start = beam.nodes[0].position, end = beam.nodes[1].position;
  const MassMoments own =
      moments_of_beam(section, material, start, end, beam_axes(end - start, beam.segments[0].section_z));
  LinkRest rest{moments_of(link.rigid_inertia) - own, std::nullopt};
  rest.ends = split_between_ends(rest.moments, (end - start).normalized());
  return rest;
}

// `own`: mass of the beam; `more`: what is said of it.
std::string note_on(const FlexibleLink& result, double own, const std::string& more, double rest) {
  std::string note = cat("link '", result.beam.name, "': a beam of ", short_number(own), " kg from '",
                         result.beam.nodes[0].name, "' to '", result.beam.nodes[1].name, "'", more);
  if (result.has_ends)
    note += cat("; the other ", short_number(rest),
                " kg of the description are fixed to its ends, half to each, so that mass, centre and inertia are "
                "those of the description");
  return note;
}

// Where the beam's own mass does not fit into the moments of inertia of the link, it gets a lighter material of the
// same stiffness: half of the density, a quarter, ... The rest is that of the lightest one which was tried.
LinkRest lightened(const TableReader& reader, const Link& link, LinkRest rest, Link& beam) {
  BeamSegment& segment = beam.segments[0];
  Model& model = reader.reading().model;
  Material material = model.materials[static_cast<std::size_t>(segment.material)];
  const Section& section = model.sections[static_cast<std::size_t>(segment.section)];
  constexpr int trials = 12;
  for (int i = 0; i < trials && !rest.ends; ++i) {
    material.density /= 2;
    rest = rest_of(link, beam, section, material);
  }
  if (!rest.ends) return rest;
  std::string name = cat(material.name, " of ", link.name);
  while (!reader.reading().materials.add(name)) name += "_";
  material.name = name;
  segment.material = static_cast<int>(model.materials.size());
  model.materials.push_back(std::move(material));
  return rest;
}

std::optional<FlexibleLink> with_beam(const TableReader& reader, const Link& link, FlexibleLink result) {
  const BeamSegment& segment = result.beam.segments[0];
  const Material& material = reader.reading().model.materials[static_cast<std::size_t>(segment.material)];
  const Section& section = reader.reading().model.sections[static_cast<std::size_t>(segment.section)];
  LinkRest rest = rest_of(link, result.beam, section, material);
  const double whole = link.rigid_inertia.mass, full = whole - rest.moments.mass;
  std::string more;
  constexpr double nothing = 1e-12;
  if (rest.moments.mass > nothing * whole) {
    if (!rest.ends) {
      rest = lightened(reader, link, rest, result.beam);
      more = cat(" (of ", short_number(full), " kg that the section has, since more does not fit into the moments of ",
                 "inertia of the link; its stiffness is whole)");
    }
    if (!rest.ends) {
      reader.error(
          cat("the beam (", short_number(full), " kg) does not fit into the moments of inertia of the link (",
              short_number(whole),
              " kg): lay it where the link's mass is, between nodes of your own (nodes = {...}), take a lighter "
              "section, or give the link its inertia"));
      return std::nullopt;
    }
    result.ends = *rest.ends;
    result.has_ends = true;
  } else if (rest.moments.mass < -nothing * whole ||
             (rest.moments.first.norm() + rest.moments.second.norm() > 1e-9 * whole)) {
    reader.error(cat("the beam has ", short_number(full), " kg, the link only ", short_number(whole),
                     " kg; take a lighter section, or give the link its mass"));
    return std::nullopt;
  }
  result.note = note_on(result, whole - rest.moments.mass, more, rest.moments.mass);
  return result;
}

// As much of the mass as fits into the moments of inertia is the beam's, at most half.
std::optional<MeasuredBeam> fitting_beam(const Link& link, double bending, double torsional, FlexibleLink& result) {
  constexpr int trials = 12;
  const double length = (result.beam.nodes[1].position - result.beam.nodes[0].position).norm();
  double share = 0.5;
  for (int i = 0; i < trials; ++i, share /= 2) {
    const MeasuredBeam beam = tube_of_stiffness(bending, torsional, share * link.rigid_inertia.mass, length);
    const LinkRest rest = rest_of(link, result.beam, beam.section, beam.material);
    if (!rest.ends) continue;
    result.ends = *rest.ends;
    result.has_ends = true;
    return beam;
  }
  return std::nullopt;
}

// `stiffness` or `first_frequency`, as measured.
std::optional<FlexibleLink> with_measured(const TableReader& reader, const Link& link, FlexibleLink result) {
  for (const std::string_view key : {"material", "section", "theory", "section_z"})
    if (reader.has(key)) reader.error(key, cat("'", key, "' is that of a beam, which the measured value stands for"));
  const std::optional<double> stiffness = reader.number("stiffness"), frequency = reader.number("first_frequency"),
                              twist = reader.number("torsional_stiffness"), tip_mass = reader.number("tip_mass");
  if (!stiffness && !frequency) return std::nullopt;
  result.beam.segments[0].theory = BeamTheory::euler_bernoulli;  // the measured value has the shear already
  const double length = (result.beam.nodes[1].position - result.beam.nodes[0].position).norm();
  constexpr double round_tube = 2 / 2.6;  // GJ over EI, Poisson's ratio 0.3
  const double bending = stiffness ? *stiffness * std::pow(length, 3) / 3 : 1e4;
  const double torsional = twist ? *twist * length : round_tube * bending;
  std::optional<MeasuredBeam> beam = fitting_beam(link, bending, torsional, result);
  if (!beam) {
    reader.error(cat("the link (", short_number(link.rigid_inertia.mass),
                     " kg) has no moments of inertia from which a beam could take its part; give the link its "
                     "inertia, or lay the beam where its mass is, between nodes of your own (nodes = {...})"));
    return std::nullopt;
  }
  if (frequency) {
    const double factor = stiffness_factor_for(*frequency, *beam, result.beam, result.ends.last, tip_mass.value_or(0));
    beam->material.young_modulus *= factor;
    beam->material.shear_modulus *= factor;
  }
  beam->material.name = beam->section.name = cat(link.name, " measured");
  Reading& reading = reader.reading();
  if (!reading.materials.add(beam->material.name) || !reading.sections.add(beam->section.name)) {
    reader.error(cat("the name '", beam->material.name, "', which the measured beam needs, is used already"));
    return std::nullopt;
  }
  const double EI = beam->material.young_modulus * beam->section.second_moment_z;
  BeamSegment& segment = result.beam.segments[0];
  segment.material = static_cast<int>(reading.model.materials.size());
  segment.section = static_cast<int>(reading.model.sections.size());
  reading.model.materials.push_back(beam->material);
  reading.model.sections.push_back(beam->section);
  const double own = beam->material.density * beam->section.area * length;
  result.note = note_on(result, own,
                        cat(" stands for what was measured, with the bending stiffness ", short_number(EI), " N m^2 (",
                            short_number(3 * EI / std::pow(length, 3)), " N/m at its end); its stresses mean nothing"),
                        link.rigid_inertia.mass - own);
  return result;
}

// `stiffness_matrix`: half of the mass at the nodes of the body that bends, half in the links at its ends.
std::optional<FlexibleLink> with_stiffness_matrix(const TableReader& reader, const Link& link, FlexibleLink result) {
  for (const std::string_view key : {"material", "section", "theory", "section_z", "elements", "mass_model"})
    if (reader.has(key)) reader.error(key, cat("'", key, "' is that of a beam, which the measured matrix stands for"));
  const std::optional<Matrix6> stiffness = read_stiffness_matrix(reader, "stiffness_matrix");
  if (!stiffness) return std::nullopt;
  const Vector3 from = result.beam.nodes[0].position, to = result.beam.nodes[1].position;
  MassMoments half = moments_of(link.rigid_inertia);
  half.mass /= 2, half.first /= 2, half.second /= 2;
  const std::optional<EndBodies> ends = split_between_ends(half, (to - from).normalized());
  if (!ends) {
    reader.error(cat("the link (", short_number(link.rigid_inertia.mass),
                     " kg) needs mass and moments of inertia of a body; give the link its inertia"));
    return std::nullopt;
  }
  result.ends = *ends;
  result.has_ends = true;
  result.beam.segments.clear();
  auto body = std::make_shared<FiniteElementBody>(body_of_stiffness(*stiffness, from, to, *ends));
  body->name = link.name;
  body->place = result.beam.place;
  result.beam.imported = std::move(body);
  result.note = cat("link '", link.name, "' bends at '", result.beam.nodes[1].name,
                    "' as the measured stiffness matrix says; its mass, centre and inertia are split between its two "
                    "ends");
  return result;
}

}  // namespace

std::optional<FlexibleLink> read_flexible(const TableReader& reader, const Link& link) {
  NameList nodes;
  for (const Node& node : link.nodes) nodes.add(node.name);
  const std::string of = cat(" of link '", link.name, "'");
  for (const std::string_view key : {"from", "to"})
    if (!reader.has_or_means(key)) reader.error(cat("key '", key, "' is missing"));
  for (const std::string_view key : {"groups", "units", "interfaces"})
    if (reader.has(key)) reader.error(key, cat("'", key, "' is that of a 'file'"));
  const std::optional<int> from = reader.reference("from", nodes, "node", of),
                           to = reader.reference("to", nodes, "node", of);
  const int num_elements = reader.integer("elements").value_or(BeamSegment().num_elements);
  const bool matrix = reader.has("stiffness_matrix");
  if (matrix)
    for (const std::string_view key : {"beam", "stiffness", "torsional_stiffness", "first_frequency"})
      if (reader.has(key)) reader.error(key, cat("give stiffness_matrix or ", key, ", not both"));
  const bool measured = reader.has("stiffness") || reader.has("first_frequency");
  if (measured && reader.has("beam")) reader.error("beam", "give beam, stiffness or first_frequency, not several");
  if (reader.has("stiffness") && reader.has("first_frequency"))
    reader.error("first_frequency", "give stiffness or first_frequency, not both");
  if (reader.has("torsional_stiffness") && !reader.has("stiffness"))
    reader.error("torsional_stiffness", "'torsional_stiffness' goes with 'stiffness'");
  if (reader.has("tip_mass") && !reader.has("first_frequency"))
    reader.error("tip_mass", "'tip_mass' is what was on the link when 'first_frequency' was measured");
  BeamSegment segment = segment_defaults(reader);
  const bool has_beam = measured || matrix || read_beam(reader, segment);
  if (!from || !to || !has_beam) return std::nullopt;
  FlexibleLink result;
  result.beam = beam_between(reader, link, *from, *to, num_elements);
  if (!((result.beam.nodes[1].position - result.beam.nodes[0].position).norm() > 0)) {
    reader.error("to", cat("the beam has no length: '", result.beam.nodes[0].name, "' and '", result.beam.nodes[1].name,
                           "' are at one place of the link"));
    return std::nullopt;
  }
  if (matrix) return with_stiffness_matrix(reader, link, std::move(result));
  if (measured) return with_measured(reader, link, std::move(result));
  result.beam.segments[0].material = segment.material;
  result.beam.segments[0].section = segment.section;
  return with_beam(reader, link, std::move(result));
}

namespace {

constexpr double near_joint = 1e-3;  // of the link's size: more is another place, less the rounding of a mesh

// Nodes of the file that are joints of the description lie where these are.
void place_joints(const TableReader& reader, const Link& described, Link& part) {
  double size = 0;
  for (const Node& node : part.nodes)
    for (const Node& other : part.nodes) size = std::max(size, (node.position - other.position).norm());
  for (std::size_t i = 0; i < part.nodes.size(); ++i) {
    Node& node = part.nodes[i];
    const auto joint = std::find_if(described.nodes.begin(), described.nodes.end(),
                                    [&](const Node& known) { return known.name == node.name; });
    if (joint == described.nodes.end() || !node.position.allFinite()) continue;
    const double distance = (joint->position - node.position).norm();
    if (distance > near_joint * size)
      reader.error("file", cat("its node '", node.name, "' is ", short_number(1000 * distance),
                               " mm away from the joint of this name; coordinates are in the axes of the link"));
    else if (part.mesh && i >= static_cast<std::size_t>(part.num_plain_nodes()))
      node.position = joint->position;
  }
}

}  // namespace

std::optional<Link> read_flexible_file(const TableReader& reader, const Link& link,
                                       const std::vector<std::string>& joints) {
  for (const std::string_view key :
       {"from", "to", "beam", "section", "elements", "theory", "mass_model", "section_z", "stiffness",
        "stiffness_matrix", "torsional_stiffness", "first_frequency", "tip_mass"})
    if (reader.has(key)) reader.error(key, cat("'", key, "' does not go with 'file'"));
  Link part;
  part.name = link.name;
  part.place = reader.place();
  NameList names;
  const std::size_t errors = reader.reading().diagnostics.errors().size();
  if (reader.text("file").value_or("").ends_with(".h5")) {
    for (const std::string_view key : {"material", "groups", "units", "interfaces"})
      if (reader.has(key)) reader.error(key, cat("'", key, "' is that of a mesh; a reduced body has it in its file"));
    read_reduced_link(reader, names, part);
  } else {
    read_mesh_link(reader, names, part);
  }
  if (reader.reading().diagnostics.errors().size() != errors) return std::nullopt;
  for (const std::string& joint : joints)
    if (!names.find(joint))
      reader.error("file", cat("it has no node '", joint, "', at which the link has a joint",
                               part.mesh ? "; add it to 'interfaces'" : ""));
  place_joints(reader, link, part);
  if (reader.reading().diagnostics.errors().size() != errors) return std::nullopt;
  return part;
}

}  // namespace lithe
