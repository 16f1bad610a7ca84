#include <algorithm>
#include <cmath>

#include "lithe/base/text.h"
#include "lithe/base/units.h"
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

Material read_material(const TableReader& reader) {
  Material material;
  material.density = reader.number("density").value_or(0);
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

Section read_section(const TableReader& reader) {
  const std::optional<int> choice = reader.choice("shape");
  if (!choice) return {};
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
                                   {"shear_factor_z", &section.shear_factor_z, false}}) {
    if (const std::optional<double> number = reader.number(property.key)) *property.value = *number;
    if (property.needed && shape == SectionShape::general && !reader.has(property.key)) {
      reader.error(cat("key '", property.key, "' is missing (shape general)"));
    }
  }
  if (reader.reading().diagnostics.errors().size() == errors_before) check_size(reader, section);
  return section;
}

}  // namespace

void read_materials(Reading& reading, const TableReader& file) {
  for (const Member* member : named_tables(reading, file, "materials")) {
    const TableReader reader(reading, material_table(), member->value, "materials." + member->key,
                             cat("material '", member->key, "'"));
    Material material = read_material(reader);
    material.name = member->key;
    reading.materials.add(material.name);
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
