#include "lithe/read/mesh/mesh_file.h"

#include <array>

#include "lithe/read/mesh/mesh_builder.h"
#include "lithe/read/mesh/mesh_units.h"

namespace lithe {

std::string_view name_of(MeshFormat format) {
  switch (format) {
    case MeshFormat::gmsh:
      return "Gmsh";
    case MeshFormat::abaqus:
      return "Abaqus or CalculiX";
    case MeshFormat::nastran:
      break;
  }
  return "Nastran";
}

std::optional<MeshFormat> mesh_format(std::string_view text, std::string_view file_name) {
  if (text.starts_with("$MeshFormat")) return MeshFormat::gmsh;
  const std::size_t dot = file_name.rfind('.');
  const std::string ending = dot == std::string_view::npos ? "" : upper(file_name.substr(dot + 1));
  if (ending == "MSH") return MeshFormat::gmsh;
  if (ending == "INP") return MeshFormat::abaqus;
  for (const std::string_view nastran : {"BDF", "NAS", "DAT", "FEM"})
    if (ending == nastran) return MeshFormat::nastran;
  return std::nullopt;
}

std::optional<Mesh> read_mesh(std::string_view text, const std::string& file_name, MeshFormat format,
                              Diagnostics& diagnostics, const MeshReadOptions& options) {
  switch (format) {
    case MeshFormat::gmsh:
      return read_gmsh(text, file_name, diagnostics, options);
    case MeshFormat::abaqus:
      return read_abaqus(text, file_name, diagnostics, options);
    case MeshFormat::nastran:
      break;
  }
  return read_nastran(text, file_name, diagnostics, options);
}

std::optional<MeshUnits> parse_mesh_units(std::string_view text) {
  struct Unit {
    std::string_view name;
    double MeshUnits::*of;
    double value;
  };
  static constexpr std::array<Unit, 11> known = {{{"m", &MeshUnits::length, 1},
                                                  {"mm", &MeshUnits::length, 1e-3},
                                                  {"cm", &MeshUnits::length, 1e-2},
                                                  {"in", &MeshUnits::length, 0.0254},
                                                  {"ft", &MeshUnits::length, 0.3048},
                                                  {"kg", &MeshUnits::mass, 1},
                                                  {"g", &MeshUnits::mass, 1e-3},
                                                  {"t", &MeshUnits::mass, 1e3},
                                                  {"lb", &MeshUnits::mass, 0.45359237},
                                                  {"s", &MeshUnits::time, 1},
                                                  {"ms", &MeshUnits::time, 1e-3}}};
  MeshUnits units;
  std::vector<double MeshUnits::*> given;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::string_view word = text.substr(0, text.find_first_of(" \t,"));
    const Unit* found = nullptr;
    for (const Unit& unit : known)
      if (unit.name == word) found = &unit;
    if (!found) return std::nullopt;
    for (const auto of : given)
      if (of == found->of) return std::nullopt;
    given.push_back(found->of);
    units.*(found->of) = found->value;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return given.empty() ? std::nullopt : std::optional(units);
}

}  // namespace lithe
