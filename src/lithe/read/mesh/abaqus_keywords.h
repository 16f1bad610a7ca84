// Keywords, fields and types of elements of Abaqus and CalculiX.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lithe/read/mesh/mesh_builder.h"

namespace lithe {

inline std::vector<std::string_view> fields_of_line(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

// *KEYWORD, KEY=VALUE, KEY
struct AbaqusKeyword {
  std::string name;                               // upper case
  std::map<std::string, std::string> parameters;  // keys in upper case, values as written

  bool has(const std::string& key) const { return parameters.contains(key); }
  std::string value(const std::string& key) const {
    const auto found = parameters.find(key);
    return found == parameters.end() ? std::string() : found->second;
  }
};

// The whole of a keyword line, with the lines that continue it.
inline AbaqusKeyword parse_abaqus_keyword(std::string_view whole) {
  AbaqusKeyword keyword;
  const std::vector<std::string_view> fields = fields_of_line(whole.substr(1));
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

// Elements of the same shape differ by integration and theory; we have one of each. Faces and lines are read as mesh
// generators write them, for groups: with a section they would be part of the structure.
inline std::optional<ElementShape> abaqus_shape(const std::string& type) {
  static const std::map<std::string, ElementShape> shapes = {
      {"C3D4", ElementShape::tet4},     {"C3D10", ElementShape::tet10},    {"C3D10M", ElementShape::tet10},
      {"C3D10HS", ElementShape::tet10}, {"C3D10T", ElementShape::tet10},   {"C3D6", ElementShape::wedge6},
      {"C3D15", ElementShape::wedge15}, {"C3D8", ElementShape::hex8},      {"C3D8I", ElementShape::hex8},
      {"C3D8R", ElementShape::hex8},    {"C3D20", ElementShape::hex20},    {"C3D20R", ElementShape::hex20},
      {"MASS", ElementShape::point1},   {"ROTARYI", ElementShape::point1}, {"T3D2", ElementShape::line2},
      {"T3D3", ElementShape::line3},    {"B31", ElementShape::line2},      {"B33", ElementShape::line2},
      {"B31R", ElementShape::line2},    {"B32", ElementShape::line3},      {"B32R", ElementShape::line3},
      {"SPRINGA", ElementShape::line2}, {"SPRING2", ElementShape::line2},  {"DASHPOTA", ElementShape::line2},
      {"DASHPOT2", ElementShape::line2}};
  const auto found = shapes.find(type);
  if (found != shapes.end()) return found->second;
  for (const std::string_view kind : {"CPS", "CPE", "S", "M3D", "SFM3D", "STRI", "CAX"}) {
    if (!type.starts_with(kind) || type.size() == kind.size()) continue;
    switch (type[kind.size()]) {
      case '3':
        return ElementShape::tri3;
      case '6':
        return ElementShape::tri6;
      case '4':
        return ElementShape::quad4;
      case '8':
        return ElementShape::quad8;
      default:
        break;
    }
  }
  return std::nullopt;
}

// What is not read and makes another structure: an error.
inline bool abaqus_changes_structure(const std::string& keyword) {
  static const std::set<std::string> names = {"SHELL GENERAL SECTION",
                                              "NODAL THICKNESS",
                                              "BEAM GENERAL SECTION",
                                              "FRAME SECTION",
                                              "MEMBRANE SECTION",
                                              "SURFACE SECTION",
                                              "GASKET SECTION",
                                              "COHESIVE SECTION",
                                              "CONNECTOR SECTION",
                                              "EMBEDDED ELEMENT",
                                              "DISTRIBUTING COUPLING",
                                              "KINEMATIC COUPLING",
                                              "SHELL TO SOLID COUPLING",
                                              "FASTENER",
                                              "NONSTRUCTURAL MASS",
                                              "REBAR",
                                              "REBAR LAYER",
                                              "NGEN",
                                              "NFILL",
                                              "NCOPY",
                                              "NMAP",
                                              "ELGEN",
                                              "ELCOPY",
                                              "MATRIX INPUT",
                                              "MATRIX ASSEMBLE",
                                              "USER ELEMENT",
                                              "UEL PROPERTY",
                                              "SUBSTRUCTURE PROPERTY",
                                              "CYCLIC SYMMETRY MODEL",
                                              "PRE-TENSION SECTION",
                                              "IMPERFECTION",
                                              "PARAMETER"};
  return names.contains(keyword);
}

// What a link has no use for: passed over without a word. All other keywords are named in a warning.
inline bool abaqus_is_no_structure(const std::string& keyword) {
  static const std::set<std::string> names = {"HEADING",
                                              "PREPRINT",
                                              "RESTART",
                                              "BOUNDARY",
                                              "AMPLITUDE",
                                              "DAMPING",
                                              "DASHPOT",
                                              "INITIAL CONDITIONS",
                                              "PHYSICAL CONSTANTS",
                                              "FILE FORMAT",
                                              "NODE PRINT",
                                              "NODE FILE",
                                              "NODE OUTPUT",
                                              "EL PRINT",
                                              "EL FILE",
                                              "ELEMENT OUTPUT",
                                              "OUTPUT",
                                              "MONITOR",
                                              "EXPANSION",
                                              "CONDUCTIVITY",
                                              "SPECIFIC HEAT",
                                              "PLASTIC",
                                              "CREEP",
                                              "DEPVAR",
                                              "TIME POINTS",
                                              "FRICTION",
                                              "SURFACE BEHAVIOR",
                                              "SURFACE INTERACTION",
                                              "TEMPERATURE",
                                              "SECTION CONTROLS",
                                              "USER MATERIAL",
                                              "CYCLIC HARDENING"};
  return names.contains(keyword);
}

}  // namespace lithe
