#include <algorithm>
#include <cmath>

#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/model/sections/laminated_tube.h"
#include "lithe/model/sections/section_properties.h"
#include "lithe/read/parts.h"

namespace lithe {
namespace {

// The members of a table of named tables such as [materials.steel].
std::vector<const Member*> named_tables(Reading& reading, const TableReader& file, std::string_view key) {
  std::vector<const Member*> result;
  const Value* table = file.find(key);
  if (!table || !expect_table(reading, *table, std::string(key))) return result;
  for (const Member& member : table->members) {
    if (expect_table(reading, member.value, cat(key, ".", member.key))) result.push_back(&member);
  }
  return result;
}

// [E1, E2, E3] and its companions.
std::optional<ElementMaterial> read_orthotropic(const TableReader& reader) {
  for (const std::string_view key : {"young_modulus", "poisson_ratio", "shear_modulus"})
    if (reader.has(key)) reader.error(key, cat("'", key, "' is for isotropic materials, 'young_moduli' for others"));
  OrthotropicConstants constants;
  bool good = true;
  for (const auto& [key, values] :
       {std::pair("young_moduli", &constants.young), std::pair("shear_moduli", &constants.shear),
        std::pair("poisson_ratios", &constants.poisson)}) {
    if (!reader.has_or_means(key)) reader.error(cat("key '", key, "' is missing (orthotropic)"));
    const std::optional<Vector3> read = reader.vector(key);
    good = good && read;
    if (read) *values = *read;
  }
  if (!good) return std::nullopt;
  ElementMaterial material;
  material.set_orthotropic(constants);
  if (const std::string problem = constants_error(material); !problem.empty()) {
    reader.error("young_moduli", problem);
    return std::nullopt;
  }
  return material;
}

bool is_orthotropic(const TableReader& reader) {
  return reader.has("young_moduli") || reader.has("shear_moduli") || reader.has("poisson_ratios");
}

Material read_isotropic(const TableReader& reader) {
  Material material;
  if (!reader.has_or_means("young_modulus")) reader.error("key 'young_modulus' (or 'young_moduli') is missing");
  material.young_modulus = reader.number("young_modulus").value_or(0);
  const std::optional<double> poisson = reader.number("poisson_ratio");
  const std::optional<double> shear = reader.number("shear_modulus");
  const bool has_poisson = reader.has("poisson_ratio"), has_shear = reader.has("shear_modulus");
  if (!has_poisson && !has_shear) reader.error("key 'poisson_ratio' or 'shear_modulus' is missing");
  if (has_poisson && has_shear) reader.error("shear_modulus", "give poisson_ratio or shear_modulus, not both");
  if (poisson) material.shear_modulus = material.young_modulus / (2 * (1 + *poisson));
  if (shear) material.shear_modulus = *shear;
  return material;
}

ElementMaterial read_material(const TableReader& reader) {
  ElementMaterial material;
  if (is_orthotropic(reader))
    material = read_orthotropic(reader).value_or(ElementMaterial());
  else
    material = read_isotropic(reader);
  material.density = reader.number("density").value_or(0);
  return material;
}

// Dimensions a shape needs; others are errors.
std::vector<std::string_view> dimension_keys(SectionShape shape, bool by_diameter) {
  const std::string_view round = by_diameter ? "diameter" : "radius";
  switch (shape) {
    case SectionShape::rectangle:
      return {"width", "height"};
    case SectionShape::circle:
      return {round};
    case SectionShape::tube:
      return {round, "thickness"};
    case SectionShape::i_beam:
      return {"width", "height", "flange", "web"};
    case SectionShape::general:
      return {};
  }
  return {};
}

// Values of the shape's dimensions, empty when one is missing or wrong.
std::vector<double> read_dimensions(const TableReader& reader, SectionShape shape, const std::string& shape_name) {
  const std::vector<std::string_view> wanted = dimension_keys(shape, reader.has("diameter"));
  for (const std::string_view key : {"width", "height", "radius", "diameter", "thickness", "flange", "web"}) {
    const bool known = std::find(wanted.begin(), wanted.end(), key) != wanted.end();
    if (reader.has(key) && !known) reader.error(key, cat("'", key, "' is not a dimension of shape ", shape_name));
  }
  std::vector<double> result;
  bool good = true;
  for (const std::string_view key : wanted) {
    if (!reader.has(key)) reader.error(cat("key '", key, "' is missing (shape ", shape_name, ")"));
    const std::optional<double> number = reader.number(key);
    good = good && number;
    result.push_back(key == "diameter" ? number.value_or(0) / 2 : number.value_or(0));
  }
  return good ? result : std::vector<double>{};
}

Section outline_only(SectionShape shape) {
  Section section;
  section.shape = shape;
  return section;
}

Section section_of_shape(const TableReader& reader, SectionShape shape, const std::string& shape_name) {
  const std::vector<double> sizes = read_dimensions(reader, shape, shape_name);
  if (sizes.empty()) return outline_only(shape);
  switch (shape) {
    case SectionShape::rectangle:
      return rectangle_section(sizes[0], sizes[1]);
    case SectionShape::circle:
      return circle_section(sizes[0]);
    case SectionShape::tube:
      if (sizes[1] > sizes[0]) {
        reader.error("thickness", cat("thickness ", number_text(sizes[1]), " m is larger than the radius ",
                                      number_text(sizes[0]), " m"));
      }
      return tube_section(sizes[0], std::max(0.0, sizes[0] - sizes[1]));
    case SectionShape::i_beam:
      if (2 * sizes[2] >= sizes[1]) {
        reader.error("flange", cat("two flanges of ", number_text(sizes[2]), " m do not fit into the height ",
                                   number_text(sizes[1]), " m"));
      }
      if (sizes[3] > sizes[0]) {
        reader.error("web", cat("web thickness ", number_text(sizes[3]), " m is larger than the width ",
                                number_text(sizes[0]), " m"));
      }
      return i_section(sizes[0], sizes[1], sizes[2], sizes[3]);
    case SectionShape::general:
      break;
  }
  return outline_only(shape);
}

// Fourth powers of sizes may leave the range of numbers.
void check_size(const TableReader& reader, const Section& section) {
  for (const auto& [name, value] :
       {std::pair("area", section.area), std::pair("second moment y", section.second_moment_y),
        std::pair("second moment z", section.second_moment_z),
        std::pair("torsion constant", section.torsion_constant)}) {
    if (std::isfinite(value) && value > 0) continue;
    for (const std::string_view key : {"diameter", "radius", "width", "height", "area"})
      if (reader.has(key))
        return reader.error(key, cat(key, " ", display(*reader.find(key)), " gives a ", name, " of ",
                                     number_text(value), ", which is not a positive number"));
  }
}

// A tube of layers is a section of a material of its own.
Section read_layered_tube(const TableReader& reader) {
  Reading& reading = reader.reading();
  for (const std::string_view key :
       {"thickness", "width", "height", "flange", "web", "area", "second_moment_y", "second_moment_z",
        "torsion_constant", "shear_factor_y", "shear_factor_z", "slenderness_factor"})
    if (reader.has(key)) reader.error(key, cat("'", key, "' follows from the layers"));
  const std::string_view round = reader.has("diameter") ? "diameter" : "radius";
  if (!reader.has_or_means(round)) reader.error("key 'radius' is missing (shape tube)");
  const double radius = reader.number(round).value_or(0) * (round == "diameter" ? 0.5 : 1);
  const std::optional<std::vector<ReadLayer>> layers = read_layers(reader, section_layer_table());
  if (!layers || !(radius > 0)) return outline_only(SectionShape::tube);
  std::vector<ElementMaterial> materials;
  for (const ReadLayer& layer : *layers) materials.push_back(reading.element_material(layer.material));
  std::vector<Ply> plies;
  for (std::size_t k = 0; k < layers->size(); ++k) {
    if (!constants_error(materials[k]).empty() || !(materials[k].density > 0)) return outline_only(SectionShape::tube);
    plies.push_back({&materials[k], (*layers)[k].thickness, (*layers)[k].angle});
  }
  if (laminate_thickness(plies) > radius) {
    reader.error("layers", cat("the layers are ", number_text(laminate_thickness(plies)),
                               " m thick, more than the radius ", number_text(radius), " m"));
    return outline_only(SectionShape::tube);
  }
  LaminatedTube tube = laminated_tube(radius, plies);
  if (constexpr double most = 1e-3; tube.coupling > most)
    reader.error("layers",
                 "the layers are not balanced: the tube would twist when it is pulled, which a beam cannot do; "
                 "give every angle a layer of the opposite angle, or make the tube a mesh of shells");
  tube.material.name = cat("layers of ", reader.owner());
  reading.section_materials[static_cast<int>(reading.model.sections.size())] =
      static_cast<int>(reading.model.materials.size());
  reading.materials.add_unnamed();
  reading.model.materials.push_back(tube.material);
  return tube.section;
}

Section read_section(const TableReader& reader) {
  const std::optional<int> choice = reader.choice("shape");
  if (!choice) return {};
  if (reader.has("layers")) {
    if (static_cast<SectionShape>(*choice) == SectionShape::tube) return read_layered_tube(reader);
    reader.error("layers", "layers are for shape tube");
  }
  const std::size_t errors_before = reader.reading().diagnostics.errors().size();
  const auto shape = static_cast<SectionShape>(*choice);
  Section section = section_of_shape(reader, shape, split_choices(section_table().find("shape")->choices)[*choice]);
  struct Property {
    std::string_view key;
    double* value;
    bool needed;  // by shape general
  };
  for (const Property& property : {Property{"area", &section.area, true},
                                   {"second_moment_y", &section.second_moment_y, true},
                                   {"second_moment_z", &section.second_moment_z, true},
                                   {"torsion_constant", &section.torsion_constant, true},
                                   {"shear_factor_y", &section.shear_factor_y, false},
                                   {"shear_factor_z", &section.shear_factor_z, false},
                                   {"slenderness_factor", &section.slenderness_factor, false}}) {
    if (const std::optional<double> number = reader.number(property.key)) *property.value = *number;
    if (property.needed && shape == SectionShape::general && !reader.has(property.key)) {
      reader.error(cat("key '", property.key, "' is missing (shape general)"));
    }
  }
  if (reader.reading().diagnostics.errors().size() == errors_before) check_size(reader, section);
  return section;
}

}  // namespace

std::optional<std::vector<ReadLayer>> read_layers(const TableReader& reader, const TableSpec& spec) {
  const std::vector<Value>& tables = reader.tables("layers");
  if (tables.empty() && reader.has("layers")) reader.error("layers", "layers must be a list with at least one layer");
  std::vector<ReadLayer> layers;
  bool good = !tables.empty();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const TableReader part(reader.reading(), spec, tables[i], cat(reader.path(), ".layers[", i, "]"),
                           cat(reader.owner(), ", layer ", i + 1));
    const std::optional<int> material = part.reference("material", reader.reading().materials, "material");
    const std::optional<double> thickness = part.number("thickness"), angle = part.number("angle");
    good = good && material && thickness && angle;
    if (good) layers.push_back({*material, *thickness, *angle});
  }
  return good ? std::optional(std::move(layers)) : std::nullopt;
}

void read_materials(Reading& reading, const TableReader& file) {
  for (const Member* member : named_tables(reading, file, "materials")) {
    const TableReader reader(reading, material_table(), member->value, "materials." + member->key,
                             cat("material '", member->key, "'"));
    ElementMaterial material = read_material(reader);
    material.name = member->key;
    reading.materials.add(material.name);
    if (material.orthotropic)
      reading.orthotropic[static_cast<int>(reading.model.materials.size())] = *material.orthotropic;
    reading.model.materials.push_back(std::move(material));
  }
}

void read_sections(Reading& reading, const TableReader& file) {
  for (const Member* member : named_tables(reading, file, "sections")) {
    const TableReader reader(reading, section_table(), member->value, "sections." + member->key,
                             cat("section '", member->key, "'"));
    Section section = read_section(reader);
    section.name = member->key;
    reading.sections.add(section.name);
    reading.model.sections.push_back(std::move(section));
  }
}

}  // namespace lithe
