// Entries of Nastran bulk data, and what they are about.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lithe/read/mesh/mesh_builder.h"

namespace lithe {

constexpr double nastran_degree = 0.017453292519943295;

// One entry: its name in upper case and its fields, those of all continuation lines one after another.
struct Card {
  std::string name;
  std::vector<std::string> fields;
  int file = 0, line = 0;  // of its first line; index into the files

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
  MeshFilePlace place;
};

struct Solid {
  ElementShape linear, quadratic;
  std::vector<int> order;  // of the quadratic one: for each of our nodes the place in the file
};

inline const std::map<std::string, Solid>& solids() {
  static const std::map<std::string, Solid> table = {
      {"CTETRA", {ElementShape::tet4, ElementShape::tet10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}},
      {"CPENTA", {ElementShape::wedge6, ElementShape::wedge15, {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 9, 10, 11}}},
      {"CHEXA", {ElementShape::hex8, ElementShape::hex20, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                                           10, 11, 16, 17, 18, 19, 12, 13, 14, 15}}}};
  return table;
}

// What changes the structure and is not read: an error rather than another structure.
inline const std::set<std::string>& refused() {
  static const std::set<std::string> names = {"CQUADR", "CTRIAR", "CPYRAM", "CBEAM",  "CONROD", "CTUBE",  "CBUSH",
                                              "CELAS1", "CELAS2", "CELAS3", "CELAS4", "CSHEAR", "CMASS1", "CMASS2",
                                              "CONM1",  "RBAR",   "RBE1",   "RROD",   "MPC",    "GENEL",  "CWELD",
                                              "CFAST",  "CGAP",   "CBEND",  "RJOINT", "CSEAM",  "MPCAX",  "RSPLINE"};
  return names;
}

// What a link has no use for: passed over without a word. Other entries that are not read are named in a warning, and
// those of elements (C...) and rigid elements (R...) are errors.
inline bool is_no_structure(const std::string& name) {
  static const std::set<std::string> names = {
      "SPC",    "SPC1",    "SPCADD",  "SPCD",   "SPCOFF", "SUPORT", "SUPORT1", "ASET",   "ASET1",  "BSET",    "BSET1",
      "CSET",   "CSET1",   "OMIT",    "OMIT1",  "QSET",   "QSET1",  "USET",    "USET1",  "SET1",   "SET3",    "SEQGP",
      "PLOTEL", "SPOINT",  "EIGR",    "EIGRL",  "EIGB",   "EIGC",   "EIGP",    "LOAD",   "FORCE",  "FORCE1",  "FORCE2",
      "MOMENT", "MOMENT1", "MOMENT2", "PLOAD",  "PLOAD1", "PLOAD2", "PLOAD4",  "GRAV",   "RFORCE", "ACCEL",   "ACCEL1",
      "TEMP",   "TEMPD",   "TEMPP1",  "TEMPRB", "TLOAD1", "TLOAD2", "RLOAD1",  "RLOAD2", "DLOAD",  "DAREA",   "DELAY",
      "DPHASE", "LSEQ",    "FREQ",    "FREQ1",  "FREQ2",  "FREQ3",  "FREQ4",   "FREQ5",  "TSTEP",  "TSTEPNL", "NLPARM",
      "RANDPS", "RANDT1",  "RCROSS",  "CBARAO", "MAT4",   "MAT5",   "MATT1",   "MATS1"};
  return names.contains(name) || name.starts_with("TABLE") || name.starts_with("TABDMP");
}

// Faces and lines, as mesh generators write them for groups; with a property they are shells, or would be beams.
inline const std::map<std::string, ElementShape>& faces_and_lines() {
  static const std::map<std::string, ElementShape> table = {
      {"CTRIA3", ElementShape::tri3},  {"CTRIA6", ElementShape::tri6}, {"CQUAD4", ElementShape::quad4},
      {"CQUAD8", ElementShape::quad8}, {"CBAR", ElementShape::line2},  {"CROD", ElementShape::line2}};
  return table;
}
inline const std::set<std::string>& properties_of_shells_and_beams() {
  static const std::set<std::string> names = {"PSHELL", "PCOMP", "PCOMPG", "PBAR", "PBARL", "PROD"};
  return names;
}

}  // namespace lithe
