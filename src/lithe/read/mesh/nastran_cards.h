// Entries of Nastran bulk data, and what they are about.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lithe/base/text.h"
#include "lithe/model/sections/section_properties.h"
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
  static const std::set<std::string> names = {"CPYRAM", "CTUBE", "CELAS3", "CELAS4", "CSHEAR", "CMASS1",
                                              "CMASS2", "CONM1", "RBE1",   "GENEL",  "CWELD",  "CFAST",
                                              "CGAP",   "CBEND", "RJOINT", "CSEAM",  "MPCAX",  "RSPLINE"};
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
      {"CQUAD8", ElementShape::quad8}, {"CBAR", ElementShape::line2},  {"CROD", ElementShape::line2},
      {"CQUADR", ElementShape::quad4}, {"CTRIAR", ElementShape::tri3}, {"CBEAM", ElementShape::line2}};
  return table;
}
inline const std::set<std::string>& properties_of_shells_and_beams() {
  static const std::set<std::string> names = {"PSHELL", "PCOMP", "PCOMPG", "PBAR", "PBARL", "PBEAM", "PBEAML", "PROD"};
  return names;
}

// Fields of entries as numbers; errors name the line of the entry.
class NastranFields {
 public:
  explicit NastranFields(bool quotes_content) : quotes_content_(quotes_content) {}

  std::string got(const std::string& text) const {
    return quotes_content_ ? cat(", got '", std::string_view(trimmed(text)).substr(0, 40), "'") : std::string();
  }

  [[noreturn]] void fail(const Card& card, const std::string& message) const {
    place_of(card).fail(cat(card.name, ": ", message));
  }

  MeshFilePlace place_of(const Card& card) const { return {files_[static_cast<std::size_t>(card.file)], card.line}; }

  std::int64_t whole(const Card& card, std::size_t k, const char* what) const {
    std::int64_t value = 0;
    if (!parse_whole(card.field(k), value)) fail(card, cat("a whole number expected for ", what, got(card.field(k))));
    return value;
  }
  std::int64_t whole_or(const Card& card, std::size_t k, std::int64_t otherwise, const char* what) const {
    return card.field(k).empty() ? otherwise : whole(card, k, what);
  }

  // 1.5, 1.5E3, 1.5D3 and 1.5+3 are all numbers.
  double real_or(const Card& card, std::size_t k, double otherwise, const char* what) const {
    std::string text = upper(card.field(k));
    if (text.empty()) return otherwise;
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (text[i] == 'D') text[i] = 'E';
      if ((text[i] == '+' || text[i] == '-') && text[i - 1] != 'E' && text[i - 1] != 'D') text.insert(i++, "E");
    }
    std::erase(text, '+');
    double value = 0;
    if (!parse_whole(text, value) || !std::isfinite(value))
      fail(card, cat("a number expected for ", what, got(card.field(k))));
    return value;
  }

  Vector3 point(const Card& card, std::size_t k) const {
    return {real_or(card, k, 0, "a coordinate"), real_or(card, k + 1, 0, "a coordinate"),
            real_or(card, k + 2, 0, "a coordinate")};
  }

  // PROD, PID, MID, A, J, C, NSM; `first`: where A stands, also of CONROD.
  MeshBeamSection rod_section(const Card& card, std::size_t first) const {
    MeshBeamSection result;
    result.theory = BeamTheory::truss;
    result.section.area = real_or(card, first, 0, "A");
    result.section.torsion_constant = real_or(card, first + 1, 0, "J");
    result.mass_per_length = real_or(card, first + 3, 0, "NSM");
    if (!(result.section.area > 0)) fail(card, "A must be positive");
    return result;
  }

  // PBEAM, PID, MID, A, I1, I2, I12, J, NSM, C1, ..., F2, then perhaps stations along the beam, which must be like its
  // start, then K1, K2, S1, ..., and the neutral axis N1, N2 from field 12 of the last block.
  MeshBeamSection constant_section(const Card& card) const {
    MeshBeamSection result;
    Section& section = result.section;
    section.area = real_or(card, 2, 0, "A");
    section.second_moment_z = real_or(card, 3, 0, "I1");
    section.second_moment_y = real_or(card, 4, 0, "I2");
    section.torsion_constant = real_or(card, 6, 0, "J");
    result.mass_per_length = real_or(card, 7, 0, "NSM");
    std::size_t at = 16;
    for (std::string word = upper(card.field(at)); word == "YES" || word == "YESA" || word == "NO";
         word = upper(card.field(at))) {
      for (std::size_t k = 2; k < 8; ++k)
        if (real_or(card, at + k, real_or(card, k, 0, "A"), "A") != real_or(card, k, 0, "A"))
          fail(card, "the section changes along the beam: that is not supported, write several beams");
      at += word == "YES" ? 16 : 8;
    }
    const double shear1 = real_or(card, at, 1, "K1"), shear2 = real_or(card, at + 1, 1, "K2");
    constexpr double rigid = 1e6;
    section.shear_factor_y = shear1 > 0 ? shear1 : rigid;
    section.shear_factor_z = shear2 > 0 ? shear2 : rigid;
    if (shear1 <= 0 && shear2 <= 0) result.theory = BeamTheory::euler_bernoulli;
    if (real_or(card, 5, 0, "I12") != 0) fail(card, "I12 must be 0");
    for (std::size_t k = 12; k < 16; ++k)
      if (real_or(card, at + k, 0, "N") != 0) fail(card, "the neutral axis (N1, N2) must be at the shear centre");
    for (const double value :
         {section.area, section.second_moment_y, section.second_moment_z, section.torsion_constant})
      if (!(value > 0)) fail(card, "A, I1, I2 and J must be positive");
    return result;
  }

  // PBAR, PID, MID, A, I1, I2, J, NSM, C1, ..., F2, K1, K2, I12, and PBARL or PBEAML with a ROD, TUBE or BAR.
  MeshBeamSection beam_section(const Card& card) const {
    if (card.name == "PROD") return rod_section(card, 2);
    if (card.name == "PBEAM") return constant_section(card);
    MeshBeamSection result;
    if (card.name == "PBAR") {
      Section& section = result.section;
      section.area = real_or(card, 2, 0, "A");
      section.second_moment_z = real_or(card, 3, 0, "I1");
      section.second_moment_y = real_or(card, 4, 0, "I2");
      section.torsion_constant = real_or(card, 5, 0, "J");
      const double shear1 = real_or(card, 16, 0, "K1"), shear2 = real_or(card, 17, 0, "K2");
      constexpr double rigid = 1e6;
      section.shear_factor_y = shear1 > 0 ? shear1 : rigid;
      section.shear_factor_z = shear2 > 0 ? shear2 : rigid;
      if (shear1 <= 0 && shear2 <= 0) result.theory = BeamTheory::euler_bernoulli;
      result.mass_per_length = real_or(card, 6, 0, "NSM");
      if (real_or(card, 18, 0, "I12") != 0) fail(card, "I12 must be 0");
      for (const double value :
           {section.area, section.second_moment_y, section.second_moment_z, section.torsion_constant})
        if (!(value > 0)) fail(card, "A, I1, I2 and J must be positive");
      return result;
    }
    const std::string type = upper(card.field(3));
    const auto size = [&](std::size_t k) {
      const double value = real_or(card, 8 + k, 0, "a dimension");
      if (!(value > 0)) fail(card, cat("a dimension must be positive", got(card.field(8 + k))));
      return value;
    };
    std::size_t count = 2;
    if (type == "ROD") {
      result.section = circle_section(size(0));
      count = 1;
    } else if (type == "TUBE") {
      if (!(size(0) > size(1))) fail(card, "the outer radius must be above the inner one");
      result.section = tube_section(size(0), size(1));
    } else if (type == "BAR") {
      result.section = rectangle_section(size(1), size(0));  // height along y, width along z
    } else {
      fail(card, cat("only ROD, TUBE and BAR are supported; write PBAR", got(type)));
    }
    result.mass_per_length = real_or(card, 8 + count, 0, "NSM");
    for (std::size_t k = 9 + count; k < card.fields.size(); ++k)
      if (!card.field(k).empty()) fail(card, "stations along the beam are not supported");
    return result;
  }

 protected:
  std::vector<std::string> files_;  // one after another

 private:
  bool quotes_content_;
};

}  // namespace lithe
