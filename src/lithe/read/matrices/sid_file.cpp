#include "lithe/read/matrices/sid_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "lithe/base/diagnostics.h"
#include "lithe/read/matrices/matrix_lines.h"
#include "lithe/read/matrices/sid_inertia.h"

namespace lithe {
namespace {

constexpr int most_modes = 500, most_nodes = 100'000;

std::string lower(std::string_view text) {
  std::string result(trimmed(text));
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// An expansion M0 + Σ M1_k q_k. M1_k stand side by side.
struct Expansion {
  int order = 0, rows = 0, columns = 0, modes = 0, structure = 3;
  int line = 0;  // where it begins; 0: the file has none
  MatrixX constant, linear;

  bool given() const { return line > 0; }
  // Of column c of M1_k, in row r.
  double slope(Eigen::Index r, Eigen::Index k, Eigen::Index c) const {
    return linear.size() == 0 ? 0 : linear(r, k * columns + c);
  }
};

struct SidNode {
  std::string name;
  Expansion origin, phi, psi;
};

struct SidData {
  double mass = 0;
  int num_modes = -1;
  std::vector<SidNode> nodes;
  std::map<std::string, Expansion> parts;  // mdcm, j, ct, ...
};

// Lines "key = value", "name" that opens a block, "end name" that closes it.
class SidReader {
 public:
  explicit SidReader(const MatrixFile& file) : lines_(file) {}

  SidData read() {
    SidData data;
    while (next()) {
      if (word_ == "refmod") {
        read_refmod(data);
      } else if (word_ == "new node") {
        if (data.nodes.size() >= most_nodes) fail(cat("more than ", most_nodes, " nodes"));
        read_node(data);
      } else if (is_part(word_)) {
        demand_modes(data);
        const std::string name = word_;  // which changes with every line
        data.parts[name] = read_expansion(name, data.num_modes);
      }
      if (word_ == "end part") {
        complete(data);
        return data;
      }
    }
    fail("the file ends before 'end part'");
  }

 private:
  static bool is_part(const std::string& word) {
    static constexpr std::array<std::string_view, 11> parts = {"mdcm", "j",  "ct",     "cr", "me", "gr",
                                                               "ge",   "oe", "ksigma", "ke", "de"};
    return std::find(parts.begin(), parts.end(), word) != parts.end();
  }

  [[noreturn]] void fail(const std::string& message) const { lines_.fail(message); }

  // The next line that says something, as `word_` and `value_`.
  bool next() {
    std::string_view line;
    while (lines_.next(line)) {
      const std::size_t equals = line.find('=');
      std::string_view left = trimmed(line.substr(0, equals));
      if (left.empty()) continue;
      value_ = equals == line.npos ? std::string_view() : trimmed(line.substr(equals + 1));
      word_.clear();
      for (const std::string_view field : matrix_fields(left, " \t"))
        word_ += (word_.empty() ? "" : " ") + lower(field);
      return true;
    }
    return false;
  }
  void demand_next(std::string_view block) {
    if (!next()) fail(cat("the file ends within '", block, "'"));
  }
  void demand_modes(const SidData& data) const {
    if (data.num_modes < 0) fail("'nelastq' of 'refmod', the number of modes, must come first");
  }

  void read_refmod(SidData& data) {
    for (demand_next("refmod"); word_ != "end refmod"; demand_next("refmod")) {
      if (word_ == "mass") data.mass = lines_.real(value_, "the mass");
      if (word_ == "nelastq") data.num_modes = lines_.index(value_, "the number of modes");
    }
    if (!(data.mass > 0)) fail("'mass' of 'refmod' is missing, or not above zero");
    if (data.num_modes > most_modes) fail(cat(data.num_modes, " modes; at most ", most_modes, " are possible"));
  }

  void read_node(SidData& data) {
    demand_modes(data);
    SidNode node;
    node.name = std::string(value_);
    if (node.name.empty() || node.name.size() > 60) fail("a node has no name, or a very long one");
    for (demand_next("node"); word_ != "end node"; demand_next("node")) {
      Expansion* part = word_ == "origin" ? &node.origin
                        : word_ == "phi"  ? &node.phi
                        : word_ == "psi"  ? &node.psi
                                          : nullptr;
      if (part) {
        *part = read_expansion(std::string(word_), data.num_modes);
      } else if (word_ == "ap" || word_ == "sigma") {
        skip(std::string(word_));
      }
    }
    const auto fits = [&](const Expansion& part, int columns) { return part.rows == 3 && part.columns == columns; };
    if (!fits(node.origin, 1)) fail("the 'origin' of a node must be 3 x 1");
    if (!fits(node.phi, data.num_modes)) fail(cat("the 'phi' of a node must be 3 x ", data.num_modes));
    if (node.psi.given() && !fits(node.psi, data.num_modes))
      fail(cat("the 'psi' of a node must be 3 x ", data.num_modes));
    data.nodes.push_back(std::move(node));
  }

  void skip(const std::string& name) {
    const std::string end = "end " + name;
    do demand_next(name);
    while (word_ != end);
  }

  struct Entry {
    bool linear = false;
    std::array<int, 3> at{1, 1, 1};
    double value = 0;
  };

  // m0( 1, 2) or m1( 1, 2, 3)
  Entry entry() const {
    Entry result;
    result.linear = word_[1] == '1';
    const std::size_t open = word_.find('('), close = word_.find(')');
    if (open == word_.npos || close == word_.npos || close < open) fail("an entry has no indices in brackets");
    const auto fields = matrix_fields(std::string_view(word_).substr(open + 1, close - open - 1), " ,");
    if (fields.size() != (result.linear ? 3u : 2u)) fail("an entry has too many indices, or too few");
    for (std::size_t k = 0; k < fields.size(); ++k) result.at[k] = lines_.index(fields[k], "an index");
    result.value = lines_.real(value_, "an entry");
    return result;
  }

  Expansion read_expansion(const std::string& name, int num_modes) {
    Expansion part;
    part.line = lines_.line();
    std::vector<Entry> entries;
    const std::string end = "end " + name;
    for (demand_next(name); word_ != end; demand_next(name)) {
      if (word_ == "order") part.order = lines_.index(value_, "the order", 0);
      if (word_ == "nrow") part.rows = lines_.index(value_, "the number of rows");
      if (word_ == "ncol") part.columns = lines_.index(value_, "the number of columns");
      if (word_ == "nq") part.modes = lines_.index(value_, "the number of modes", 0);
      if (word_ == "structure") part.structure = lines_.index(value_, "the structure", 0);
      if (word_.starts_with("m0") || word_.starts_with("m1")) entries.push_back(entry());
    }
    check_size(part, name, num_modes);
    fill(part, entries, name);
    return part;
  }

  void check_size(const Expansion& part, const std::string& name, int num_modes) const {
    if (part.rows < 1 || part.columns < 1) fail(cat("'nrow' or 'ncol' of '", name, "' is missing"));
    const int most = std::max(9, 3 * num_modes);
    if (part.rows > most || part.columns > most)
      fail(cat("'", name, "' is ", part.rows, " x ", part.columns, ", too large for ", num_modes, " modes"));
    if (part.modes > num_modes) fail(cat("'", name, "' depends on ", part.modes, " modes, of ", num_modes));
    if (part.structure > 4) fail(cat("'structure' of '", name, "' must be 0 to 4"));
  }

  // Structure 0: zero, 1: diagonal, 2: symmetric, 3: any, 4: one. M1 has its indices as row, mode, column; some
  // programs write row, column, mode.
  void fill(Expansion& part, const std::vector<Entry>& entries, const std::string& name) const {
    part.constant = MatrixX::Zero(part.rows, part.columns);
    if (part.structure == 4) part.constant.diagonal().setOnes();
    if (part.order > 0 && part.modes > 0)
      part.linear = MatrixX::Zero(part.rows, static_cast<Eigen::Index>(part.columns) * part.modes);
    bool mode_last = false;
    for (const Entry& of : entries)
      mode_last = mode_last || (of.linear && (of.at[2] > part.columns || of.at[1] > part.modes));
    for (const Entry& of : entries) {
      const int row = of.at[0] - 1, column = (of.linear && !mode_last ? of.at[2] : of.at[1]) - 1,
                mode = of.linear ? (mode_last ? of.at[2] : of.at[1]) - 1 : 0;
      if (row >= part.rows || column >= part.columns || (of.linear && mode >= part.modes))
        fail(cat("an entry of '", name, "' lies outside of its ", part.rows, " x ", part.columns, " numbers"));
      if (!of.linear) {
        part.constant(row, column) = of.value;
        if (part.structure == 2 && column < part.rows && row < part.columns) part.constant(column, row) = of.value;
      } else if (part.linear.size() > 0) {
        part.linear(row, static_cast<Eigen::Index>(mode) * part.columns + column) = of.value;
      }
    }
  }

  void complete(SidData& data) const {
    demand_modes(data);
    const int d = data.num_modes;
    if (data.nodes.empty()) fail("the file has no nodes");
    const auto demand = [&](const char* name, int rows, int columns) {
      const Expansion& part = data.parts[name];
      if (!part.given()) fail(cat("'", name, "' is missing"));
      if (part.rows != rows || part.columns != columns)
        fail(cat("'", name, "' must be ", rows, " x ", columns, ", not ", part.rows, " x ", part.columns));
    };
    demand("mdcm", 3, 1);
    if (const Expansion& inertia = data.parts["j"]; !inertia.given() || inertia.rows != 3) demand("j", 6, 1);
    if (data.parts["j"].rows == 3) demand("j", 3, 3);
    demand("ct", d, 3);
    demand("cr", d, 3);
    demand("me", d, d);
    demand("ke", d, d);
    if (data.parts["ge"].given()) demand("ge", d, 3 * d);
    if (data.parts["oe"].given()) demand("oe", d, 6);
  }

  MatrixLines lines_;
  std::string word_;
  std::string_view value_;
};

constexpr std::array<std::pair<int, int>, 6> pairs_of_j = {{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};

Matrix3 symmetric(const std::array<double, 6>& values) {
  Matrix3 result;
  for (std::size_t k = 0; k < 6; ++k) {
    const auto [a, b] = pairs_of_j[k];
    result(a, b) = result(b, a) = values[k];
  }
  return result;
}

Matrix3 inertia_of(const Expansion& j) {
  if (j.rows == 3) return 0.5 * (j.constant + j.constant.transpose());
  std::array<double, 6> values;
  for (std::size_t k = 0; k < 6; ++k) values[k] = j.constant(static_cast<Eigen::Index>(k), 0);
  return symmetric(values);
}

Matrix3 inertia_slope(const Expansion& j, Eigen::Index mode) {
  if (j.linear.size() == 0) return Matrix3::Zero();
  if (j.rows == 3) {
    const Matrix3 slope = j.linear.middleCols<3>(3 * mode);
    return 0.5 * (slope + slope.transpose());
  }
  std::array<double, 6> values;
  for (std::size_t k = 0; k < 6; ++k) values[k] = j.slope(static_cast<Eigen::Index>(k), mode, 0);
  return symmetric(values);
}

// Oe has columns for ω_x², ω_y², ω_z², ω_x ω_y, ω_y ω_z, ω_x ω_z. Its constant part is that of J: programs that write
// the last two the other way round are known by it.
bool ends_with_yz(const Expansion& oe, const SidIntegrals& in) {
  double as_written = 0, swapped = 0;
  for (Eigen::Index k = 0; k < oe.rows; ++k) {
    const Matrix3& s = in.position_mode[static_cast<std::size_t>(k)];
    const double yz = s(1, 2) + s(2, 1), xz = s(0, 2) + s(2, 0);
    as_written += std::pow(oe.constant(k, 4) - yz, 2) + std::pow(oe.constant(k, 5) - xz, 2);
    swapped += std::pow(oe.constant(k, 4) - xz, 2) + std::pow(oe.constant(k, 5) - yz, 2);
  }
  return swapped < as_written;
}

SidIntegrals integrals_of(SidData& data) {
  const Eigen::Index d = data.num_modes;
  SidIntegrals in;
  in.mass = data.mass;
  in.first_moment = data.parts["mdcm"].constant;
  const Expansion &j = data.parts["j"], &cr = data.parts["cr"], &oe = data.parts["oe"], &ge = data.parts["ge"];
  const Matrix3 inertia = inertia_of(j);
  in.second_moment = 0.5 * inertia.trace() * Matrix3::Identity() - inertia;
  in.momentum = data.parts["ct"].constant.transpose();
  for (Eigen::Index k = 0; k < d; ++k) {
    // ∫ρ s φᵀ: its symmetric part is in J, the other one in Cr = ∫ρ s × φ.
    const Matrix3 slope = inertia_slope(j, k);
    const Vector3 turn = cr.constant.row(k).transpose();
    in.position_mode.push_back(0.5 * (0.5 * slope.trace() * Matrix3::Identity() - slope - skew(turn)));
  }
  in.modal_mass = 0.5 * (data.parts["me"].constant + data.parts["me"].constant.transpose());
  if (!oe.given() || oe.linear.size() == 0 || !ge.given()) return in;
  const bool swapped = ends_with_yz(oe, in);
  const std::array<std::array<Eigen::Index, 3>, 3> column = {
      {{0, 3, swapped ? 4 : 5}, {3, 1, swapped ? 5 : 4}, {swapped ? 4 : 5, swapped ? 5 : 4, 2}}};
  in.products = MatrixX(3 * d, 3 * d);
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index k = 0; k < d; ++k) {
      Matrix3 block;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
          const Eigen::Index c = column[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
          const double even = oe.slope(i, k, c);
          block(a, b) = a == b ? in.modal_mass(i, k) + even : 0.5 * even;
        }
      const Vector3 turn = 0.5 * ge.constant.block<1, 3>(i, 3 * k).transpose();  // ∫ρ φ_k × φ_i
      block += 0.5 * skew(turn);
      in.products.block<3, 3>(3 * i, 3 * k) = block;
    }
  return in;
}

// Nodes follow the frame of reference and the modes.
void add_nodes(const SidData& data, FiniteElementBody& body) {
  const Eigen::Index d = data.num_modes;
  std::vector<Vector3> positions;
  std::vector<Eigen::Triplet<double>> motions;
  for (const SidNode& node : data.nodes) {
    const Vector3 x = node.origin.constant;
    const auto first = static_cast<int>(6 * positions.size());
    const bool turns = node.psi.given() && node.psi.structure != 0;
    const Matrix3 arm = -skew(x);
    for (int a = 0; a < 3; ++a) {
      motions.emplace_back(first + a, a, 1.0);
      for (int b = 0; b < 3; ++b)
        if (arm(a, b) != 0) motions.emplace_back(first + a, 3 + b, arm(a, b));
      if (turns) motions.emplace_back(first + 3 + a, 3 + a, 1.0);
      for (Eigen::Index k = 0; k < d; ++k) {
        motions.emplace_back(first + a, static_cast<int>(6 + k), node.phi.constant(a, k));
        if (turns) motions.emplace_back(first + 3 + a, static_cast<int>(6 + k), node.psi.constant(a, k));
      }
    }
    positions.push_back(x);
  }
  const auto count = static_cast<int>(positions.size());
  for (int column = 0; column < body.node_motions.outerSize(); ++column)
    for (SparseMatrix::InnerIterator entry(body.node_motions, column); entry; ++entry)
      motions.emplace_back(6 * count + static_cast<int>(entry.row()), column, entry.value());
  body.node_positions.insert(body.node_positions.begin(), positions.begin(), positions.end());
  body.dof_starts.insert(body.dof_starts.begin(), positions.size(), 0);
  body.node_motions.resize(6 * static_cast<Eigen::Index>(body.node_positions.size()), body.num_dofs());
  body.node_motions.setFromTriplets(motions.begin(), motions.end());
}

}  // namespace

bool is_sid_file(std::string_view text) {
  const std::string head = lower(text.substr(0, 4000));
  return head.find("refmod") != head.npos && head.find("part") != head.npos;
}

SidBody parse_sid_file(std::string_view text, bool quotes_content) {
  try {
    SidData data = SidReader({text, "", MatrixRole::mass, quotes_content}).read();
    SidBody result;
    for (const SidNode& node : data.nodes) result.nodes.push_back({node.name, node.origin.constant});
    const MatrixX& stiffness = data.parts["ke"].constant;
    if ((stiffness - stiffness.transpose()).cwiseAbs().maxCoeff() > 1e-6 * stiffness.cwiseAbs().maxCoeff())
      throw InputError("'Ke' is not symmetric");
    result.body = sid_body(integrals_of(data), 0.5 * (stiffness + stiffness.transpose()), result.warnings);
    add_nodes(data, result.body);
    const auto is_zero = [&](const char* name) {
      const Expansion& part = data.parts[name];
      return !part.given() || part.structure == 0 || part.constant.isZero(0);
    };
    if (!is_zero("de"))
      result.warnings.push_back("its damping (De) is left out; give the link damping in the model file");
    if (!is_zero("ksigma")) result.warnings.push_back("its reference stress (ksigma) is left out");
    return result;
  } catch (const MatrixFileError& error) {
    throw InputError(cat("line ", error.line, ": ", error.message));
  }
}

}  // namespace lithe
