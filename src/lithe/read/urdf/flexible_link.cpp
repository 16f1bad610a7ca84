#include "lithe/read/urdf/flexible_link.h"

#include <charconv>
#include <cmath>
#include <sstream>

#include "lithe/base/decompositions.h"
#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/model/sections/section_properties.h"
#include "lithe/read/parts.h"
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

}  // namespace

std::optional<FlexibleLink> read_flexible(const TableReader& reader, const Link& link) {
  NameList nodes;
  for (const Node& node : link.nodes) nodes.add(node.name);
  const std::string of = cat(" of link '", link.name, "'");
  BeamSegment segment = segment_defaults(reader);
  const bool has_beam = read_beam(reader, segment);
  const std::optional<int> from = reader.reference("from", nodes, "node", of),
                           to = reader.reference("to", nodes, "node", of);
  if (const auto count = reader.integer("elements")) segment.num_elements = *count;
  if (!from || !to || !has_beam) return std::nullopt;
  const Vector3 start = link.nodes[static_cast<std::size_t>(*from)].position,
                end = link.nodes[static_cast<std::size_t>(*to)].position;
  if (!((end - start).norm() > 0)) {
    reader.error("to", "the beam has no length");
    return std::nullopt;
  }
  const Material& material = reader.reading().model.materials[static_cast<std::size_t>(segment.material)];
  const Section& section = reader.reading().model.sections[static_cast<std::size_t>(segment.section)];
  const MassMoments whole = moments_of(link.rigid_inertia);
  const MassMoments beam = moments_of_beam(section, material, start, end, beam_axes(end - start, segment.section_z));
  const MassMoments rest = whole - beam;
  FlexibleLink result;
  constexpr double nothing = 1e-12;
  if (rest.mass > nothing * whole.mass) {
    const std::optional<EndBodies> ends = split_between_ends(rest, (end - start).normalized());
    if (!ends) {
      reader.error(
          cat("the beam (", short_number(beam.mass), " kg) does not fit into the moments of inertia of the link (",
              short_number(whole.mass),
              " kg): lay it where the link's mass is, between nodes of your own (nodes = {...}), take a lighter "
              "section, or give the link its inertia"));
      return std::nullopt;
    }
    result.ends = *ends;
    result.has_ends = true;
  } else if (rest.mass < -nothing * whole.mass || (rest.first.norm() + rest.second.norm() > 1e-9 * whole.mass)) {
    reader.error(cat("the beam has ", short_number(beam.mass), " kg, the link only ", short_number(whole.mass),
                     " kg; take a lighter section, or give the link its mass"));
    return std::nullopt;
  }
  result.beam.name = link.name;
  result.beam.place = reader.place();
  result.beam.nodes = {link.nodes[static_cast<std::size_t>(*from)], link.nodes[static_cast<std::size_t>(*to)]};
  segment.from = 0;
  segment.to = 1;
  result.beam.segments = {segment};
  result.note = cat("link '", link.name, "': a beam of ", short_number(beam.mass), " kg from '",
                    result.beam.nodes[0].name, "' to '", result.beam.nodes[1].name, "'");
  if (result.has_ends)
    result.note += cat("; the other ", short_number(rest.mass),
                       " kg of the description are fixed to its ends, half to each, so that mass, "
                       "centre and inertia are those of the description");
  return result;
}

}  // namespace lithe
