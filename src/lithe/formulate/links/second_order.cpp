#include "lithe/formulate/links/second_order.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <queue>

#include "lithe/base/diagnostics.h"
#include "lithe/formulate/links/bent_mesh.h"
#include "lithe/reduce/bases.h"

namespace lithe {

void QuadraticForms::add(const MatrixX& G, const VectorX& scale, double least) {
  for (Eigen::Index l = 0; l < G.cols(); ++l)
    for (Eigen::Index k = 0; k <= l; ++k)
      if (std::abs(G(k, l)) * scale(k) * scale(l) > least)
        entries_.push_back({static_cast<int>(k), static_cast<int>(l), G(k, l)});
  first_.push_back(static_cast<int>(entries_.size()));
}

void QuadraticForms::pack() {
  std::map<std::array<int, 2>, std::vector<double>> by_pair;
  for (int i = 0; i < size(); ++i)
    for (int e = first_[i]; e < first_[i + 1]; ++e) {
      const Entry& entry = entries_[static_cast<std::size_t>(e)];
      std::vector<double>& values = by_pair[{entry.l, entry.k}];
      values.resize(static_cast<std::size_t>(size()));
      values[static_cast<std::size_t>(i)] = entry.value;
    }
  for (const auto& [pair, values] : by_pair) {
    pairs_.push_back({pair[1], pair[0]});
    packed_.insert(packed_.end(), values.begin(), values.end());
  }
}

void QuadraticForms::stack(int d) {
  if (!rows_.empty()) return;
  for (int row = 0; row < size(); ++row)
    if (!empty(row)) rows_.push_back(row);
  const auto rows = static_cast<Eigen::Index>(rows_.size());
  stack_ = MatrixX::Zero(rows * d, d);
  for (Eigen::Index r = 0; r < rows; ++r) {
    const int row = rows_[static_cast<std::size_t>(r)];
    for (int e = first_[row]; e < first_[row + 1]; ++e) {
      const Entry& entry = entries_[static_cast<std::size_t>(e)];
      stack_(entry.k * rows + r, entry.l) = stack_(entry.l * rows + r, entry.k) = entry.value;
    }
  }
}

MatrixX QuadraticForms::matrix(int i, Eigen::Index size) const {
  MatrixX result = MatrixX::Zero(size, size);
  for (int e = first_[i]; e < first_[i + 1]; ++e) {
    const Entry& entry = entries_[static_cast<std::size_t>(e)];
    result(entry.k, entry.l) = result(entry.l, entry.k) = entry.value;
  }
  return result;
}

namespace {

// Symmetric d x d blocks of three components: a vector ½ qᵀ G_c q.
using Quadratic = std::array<MatrixX, 3>;

Quadratic zero_quadratic(Eigen::Index d) { return {MatrixX::Zero(d, d), MatrixX::Zero(d, d), MatrixX::Zero(d, d)}; }

void add(const Quadratic& what, double factor, Quadratic& sum) {
  for (int c = 0; c < 3; ++c) sum[c] += factor * what[c];
}

// sum += factor (of × e)
void add_cross(const Quadratic& of, const Vector3& e, double factor, Quadratic& sum) {
  for (int c = 0; c < 3; ++c) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    sum[c] += (factor * e[b]) * of[a] - (factor * e[a]) * of[b];
  }
}

// Of (A q) × (B q).
void add_product(const Matrix3X& A, const Matrix3X& B, double factor, Quadratic& sum) {
  for (int c = 0; c < 3; ++c) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    const MatrixX moment = A.row(a).transpose() * B.row(b) - A.row(b).transpose() * B.row(a);
    sum[c] += factor * (moment + moment.transpose());
  }
}

struct Displaced {
  Quadratic shift, turn;  // u₂, ψ₂
};

Displaced at_rest(Eigen::Index d) { return {zero_quadratic(d), zero_quadratic(d)}; }

// A beam element as it is passed from one end to the other, with the nodal values of the modes there.
struct Passage {
  int element = -1, from = 0, to = 0;
  Vector3 e = Vector3::UnitX();
  double length = 0;
  Matrix3 shear = Matrix3::Zero();  // Φ of a deflection along each of the section's axes, as a tensor
  bool cut = false;                 // closes a frame: its far end was reached on another way
};

// First-order fields along a passage.
struct BeamFields {
  Matrix3X turn, turn_rate, reach;  // ψ, ψ', u'
};

// Second-order fields of beams, node by node (docs/theory/modal_body.md): strains Γ = u' - ψ × e and κ = ψ' stay as
// they are to second order when
//   ψ₂' = ½ ψ × ψ',    u₂' = ψ₂ × e + ψ × (u' - ½ ψ × e)
class BeamBending {
 public:
  BeamBending(const FiniteElementBody& mesh, const ModalLink& link, int start, Space space);
  bool found() const { return found_; }
  const Displaced& node(int k) const { return nodes_[static_cast<std::size_t>(k)]; }
  Displaced at_point(const MassPoint& point) const;
  Matrix3X turn_at(const MassPoint& point) const;

 private:
  void walk(int start);
  Passage passage(int element, int from) const;
  BeamFields fields(const Passage& passage, double xi) const;
  void advance(const Passage& passage, double part, Displaced& at) const;
  bool relax(int start, Space space);

  const FiniteElementBody& mesh_;
  const ModalLink& link_;
  Eigen::Index d_;
  bool found_ = false, closed_ = false;
  std::vector<Passage> passages_;
  std::vector<Displaced> nodes_;
};

BeamBending::BeamBending(const FiniteElementBody& mesh, const ModalLink& link, int start, Space space)
    : mesh_(mesh), link_(link), d_(link.num_modes), passages_(mesh.elements.size()) {
  nodes_.assign(static_cast<std::size_t>(mesh.num_nodes()), at_rest(d_));
  walk(start);
  if (found_ && closed_) found_ = relax(start, space);
}

// The share of shear in an element's deflections, from its stiffness: k(ψ_a, ψ_b) / k(ψ_a, ψ_a) = (2 - Φ)/(4 + Φ).
Passage BeamBending::passage(int element, int from) const {
  const BeamElement& beam = mesh_.elements[static_cast<std::size_t>(element)];
  Passage p;
  p.element = element;
  p.from = from;
  p.to = beam.node_a == from ? beam.node_b : beam.node_a;
  const Vector3 chord =
      mesh_.node_positions[static_cast<std::size_t>(p.to)] - mesh_.node_positions[static_cast<std::size_t>(from)];
  p.length = chord.norm();
  p.e = chord / p.length;
  const Matrix3 same = beam.axes.transpose() * beam.stiffness.block<3, 3>(3, 3) * beam.axes;
  const Matrix3 other = beam.axes.transpose() * beam.stiffness.block<3, 3>(3, 9) * beam.axes;
  for (int axis : {1, 2}) {
    const double ratio = other(axis, axis) / same(axis, axis);
    const Vector3 along = beam.axes.col(3 - axis);  // deflections along y go with rotations about z
    p.shear += (2 - 4 * ratio) / (1 + ratio) * along * along.transpose();
  }
  return p;
}

// docs/theory/beam_elements.md (5), in vectors: the deflection is that along n, the slope goes with ψ × e.
BeamFields BeamBending::fields(const Passage& p, double xi) const {
  const auto from = static_cast<std::size_t>(p.from), to = static_cast<std::size_t>(p.to);
  const Matrix3X &ua = link_.translation_shapes[from], &ub = link_.translation_shapes[to];
  const Matrix3X &ra = link_.rotation_shapes[from], &rb = link_.rotation_shapes[to];
  const Matrix3 along = p.e * p.e.transpose(), across = Matrix3::Identity() - along, E = skew(p.e);
  const Matrix3 one_plus = across + p.shear;
  // (1 + Φ)⁻¹ across the beam; Φ is diagonal in the section's axes.
  const Matrix3 inverse = (one_plus + along).inverse() * across;
  const double x2 = xi * xi, L = p.length;
  const Matrix3X tilt_a = -E * ra, tilt_b = -E * rb;  // ψ × e
  const Matrix3X bent = across * (ub - ua);
  const Matrix3 P = p.shear;
  // v' and ψ × e of the exact static interpolation.
  const Matrix3X slope = inverse * (((6 * (xi - x2)) * across + P) / L * bent +
                                    ((1 - 4 * xi + 3 * x2) * across + (0.5 - xi) * P) * tilt_a +
                                    ((3 * x2 - 2 * xi) * across - (0.5 - xi) * P) * tilt_b);
  const Matrix3X tilt =
      inverse * ((6 * (xi - x2)) / L * bent + ((1 - 4 * xi + 3 * x2) * across + (1 - xi) * P) * tilt_a +
                 ((3 * x2 - 2 * xi) * across + xi * P) * tilt_b);
  const Matrix3X tilt_rate =
      inverse *
      ((6 * (1 - 2 * xi)) / L * bent + ((6 * xi - 4) * across - P) * tilt_a + ((6 * xi - 2) * across + P) * tilt_b) / L;
  BeamFields result;
  result.turn = E * tilt + along * ((1 - xi) * ra + xi * rb);  // e × (ψ × e) = ψ across
  result.turn_rate = E * tilt_rate + along * (rb - ra) / L;
  result.reach = slope + along * (ub - ua) / L;
  return result;
}

// Over a part of the passage; integrands of degree 4, so that three Gauss points are exact.
void BeamBending::advance(const Passage& p, double part, Displaced& at) const {
  constexpr double points[] = {0.1127016653792583, 0.5, 0.8872983346207417};
  constexpr double weights[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  const double length = part * p.length;
  add_cross(at.turn, p.e, length, at.shift);
  Quadratic twist = zero_quadratic(d_), lever = twist;
  for (int i = 0; i < 3; ++i) {
    const BeamFields f = fields(p, part * points[i]);
    const double weight = weights[i] * length;
    add_product(f.turn, f.reach + 0.5 * skew(p.e) * f.turn, weight, at.shift);
    Quadratic bend = zero_quadratic(d_);
    add_product(f.turn, f.turn_rate, 0.5 * weight, bend);
    add(bend, 1, twist);
    add(bend, (1 - points[i]) * length, lever);
  }
  add_cross(lever, p.e, 1, at.shift);
  add(twist, 1, at.turn);
}

// Breadth first from the inboard node.
void BeamBending::walk(int start) {
  std::vector<char> seen(nodes_.size(), 0), passed(mesh_.elements.size(), 0);
  std::vector<std::vector<int>> at_node(nodes_.size());
  for (std::size_t k = 0; k < mesh_.elements.size(); ++k)
    for (const int node : {mesh_.elements[k].node_a, mesh_.elements[k].node_b})
      at_node[static_cast<std::size_t>(node)].push_back(static_cast<int>(k));
  std::queue<int> queue;
  queue.push(start);
  seen[static_cast<std::size_t>(start)] = 1;
  std::size_t reached = 1;
  while (!queue.empty()) {
    const int node = queue.front();
    queue.pop();
    for (const int element : at_node[static_cast<std::size_t>(node)]) {
      if (passed[static_cast<std::size_t>(element)]) continue;
      passed[static_cast<std::size_t>(element)] = 1;
      Passage& p = passages_[static_cast<std::size_t>(element)] = passage(element, node);
      if (seen[static_cast<std::size_t>(p.to)]) {
        p.cut = closed_ = true;
        continue;
      }
      seen[static_cast<std::size_t>(p.to)] = 1;
      ++reached;
      nodes_[static_cast<std::size_t>(p.to)] = nodes_[static_cast<std::size_t>(node)];
      advance(p, 1, nodes_[static_cast<std::size_t>(p.to)]);
      queue.push(p.to);
    }
  }
  found_ = reached == nodes_.size();
}

// A closed frame cannot keep all strains: the second-order displacements are those of least strain energy,
// K u₂ = Σ K_e (0, Δ_e), with Δ_e what the element's far end does relative to the near one.
bool BeamBending::relax(int start, Space space) {
  const Eigen::Index pairs = d_ * (d_ + 1) / 2;
  MatrixX forces = MatrixX::Zero(mesh_.num_dofs(), pairs);
  for (const Passage& p : passages_) {
    const BeamElement& beam = mesh_.elements[static_cast<std::size_t>(p.element)];
    Displaced end = at_rest(d_);
    advance(p, 1, end);
    MatrixX far(6, pairs);
    for (int c = 0; c < 3; ++c)
      for (Eigen::Index l = 0, pair = 0; l < d_; ++l)
        for (Eigen::Index k = 0; k <= l; ++k, ++pair) {
          far(c, pair) = end.shift[static_cast<std::size_t>(c)](k, l);
          far(3 + c, pair) = end.turn[static_cast<std::size_t>(c)](k, l);
        }
    const MatrixX nodal = beam.stiffness.middleCols(p.to == beam.node_b ? 6 : 0, 6) * far;
    forces.middleRows(6 * beam.node_a, 6) += nodal.topRows(6);
    forces.middleRows(6 * beam.node_b, 6) += nodal.bottomRows(6);
  }
  MatrixX displacements;
  try {
    displacements = HeldBody(mesh_, start, space).displacements(forces);
  } catch (const InputError&) {
    return false;
  }
  for (int node = 0; node < mesh_.num_nodes(); ++node)
    for (int c = 0; c < 3; ++c)
      for (Eigen::Index l = 0, pair = 0; l < d_; ++l)
        for (Eigen::Index k = 0; k <= l; ++k, ++pair) {
          Displaced& at = nodes_[static_cast<std::size_t>(node)];
          const auto row = static_cast<std::size_t>(c);
          at.shift[row](k, l) = at.shift[row](l, k) = displacements(6 * node + c, pair);
          at.turn[row](k, l) = at.turn[row](l, k) = displacements(6 * node + 3 + c, pair);
        }
  return true;
}

// On a beam between its nodes; a point at one node moves with it.
Displaced BeamBending::at_point(const MassPoint& point) const {
  const int first = mesh_.node_of_dof(point.dofs.front()), last = mesh_.node_of_dof(point.dofs.back());
  if (first == last) return nodes_[static_cast<std::size_t>(first)];
  for (const Passage& p : passages_) {
    if (p.element < 0 || std::minmax(p.from, p.to) != std::minmax(first, last)) continue;
    const Vector3 from = mesh_.node_positions[static_cast<std::size_t>(p.from)];
    const double part = (point.position - from).dot(p.e) / p.length;
    Displaced at = nodes_[static_cast<std::size_t>(p.from)];
    advance(p, part, at);
    if (closed_) {  // what the far end does besides
      Displaced end = nodes_[static_cast<std::size_t>(p.from)];
      advance(p, 1, end);
      const Displaced& there = nodes_[static_cast<std::size_t>(p.to)];
      for (std::size_t c = 0; c < 3; ++c) {
        at.shift[c] += part * (there.shift[c] - end.shift[c]);
        at.turn[c] += part * (there.turn[c] - end.turn[c]);
      }
    }
    return at;
  }
  return nodes_[static_cast<std::size_t>(first)];
}

Matrix3X BeamBending::turn_at(const MassPoint& point) const {
  Matrix3X turn = Matrix3X::Zero(3, d_);
  for (std::size_t k = 0; k < point.dofs.size(); ++k) {
    const int node = point.dofs[k] / 6, c = point.dofs[k] % 6;
    const Matrix3X& shapes = c < 3 ? link_.translation_shapes[static_cast<std::size_t>(node)]
                                   : link_.rotation_shapes[static_cast<std::size_t>(node)];
    turn += point.rotation_rows.col(static_cast<Eigen::Index>(k)) * shapes.row(c % 3);
  }
  return turn;
}

// Element (b, c) of ψ₂× + ½ ψ×ψ×: what the section's points do about its middle.
MatrixX section_part(const Quadratic& turn, const Matrix3X& psi, int b, int c) {
  const MatrixX product = psi.row(b).transpose() * psi.row(c);
  MatrixX result = 0.5 * (product + product.transpose());
  if (b == c) {
    result -= psi.transpose() * psi;
  } else {
    const int a = 3 - b - c;
    result += ((b + 1) % 3 == c ? -1.0 : 1.0) * turn[static_cast<std::size_t>(a)];
  }
  return result;
}

FieldMoments field_moments(const FiniteElementBody& mesh, const ModalLink& link, const BeamBending& bending) {
  FieldMoments moments;
  for (MatrixX& m : moments) m = MatrixX::Zero(link.num_modes, link.num_modes);
  for (const MassPoint& point : mesh.mass_points) {
    Displaced at = bending.at_point(point);
    const Matrix3X psi = bending.turn_at(point);
    const int node = point.dofs.front() / 6;
    const Vector3 s = point.position - link.origin;
    const bool on_node = node == point.dofs.back() / 6;
    const Vector3 arm = on_node ? Vector3(point.position - mesh.node_positions[static_cast<std::size_t>(node)])
                                : Vector3(Vector3::Zero());
    for (int b = 0; b < 3; ++b) {
      for (int c = 0; c < 3; ++c)
        if (arm[c] != 0) at.shift[static_cast<std::size_t>(b)] += arm[c] * section_part(at.turn, psi, b, c);
      const auto row = static_cast<std::size_t>(4 * b);
      moments[row] += point.mass * at.shift[static_cast<std::size_t>(b)];
      for (int a = 0; a < 3; ++a) {
        MatrixX& moment = moments[row + 1 + static_cast<std::size_t>(a)];
        moment += (point.mass * s[a]) * at.shift[static_cast<std::size_t>(b)];
        for (int c = 0; c < 3; ++c)
          if (point.section_moment(a, c) != 0) moment += point.section_moment(a, c) * section_part(at.turn, psi, b, c);
      }
    }
  }
  return moments;
}

// Inverse of ∫ρ (1, s)(1, s)ᵀ where there is mass; directions without any get nothing.
Eigen::Matrix4d inverse_moments(const ModalLink& link, double size) {
  Eigen::Matrix4d weights;
  weights << link.mass, link.first_moment.transpose() / size, link.first_moment / size,
      link.second_moment / (size * size);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> eigen(weights);
  constexpr double least = 1e-13;
  Eigen::Vector4d inverse = Eigen::Vector4d::Zero();
  for (int i = 0; i < 4; ++i)
    if (eigen.eigenvalues()(i) > least * eigen.eigenvalues()(3)) inverse(i) = 1 / eigen.eigenvalues()(i);
  Eigen::Matrix4d result = eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
  result.bottomRows<3>() /= size;
  result.rightCols<3>() /= size;
  return result;
}

double extent(const FiniteElementBody& mesh) {
  double size = 0;
  for (const Vector3& node : mesh.node_positions) size = std::max(size, (node - mesh.node_positions[0]).norm());
  return size;
}

bool made_of_beams(const FiniteElementBody& mesh) {
  return !mesh.elements.empty() && !mesh.mass_points.empty() && mesh.nodes_have_rotations;
}

// The affine fields with these moments.
std::array<MatrixX, 12> affine_fields(const FieldMoments& moments, const ModalLink& link, double size) {
  const Eigen::Matrix4d inverse = inverse_moments(link, size);
  std::array<MatrixX, 12> affine;
  for (int b = 0; b < 3; ++b)
    for (int i = 0; i < 4; ++i) {
      MatrixX& G = affine[static_cast<std::size_t>(i == 0 ? b : affine_row(b, i - 1))];
      G = MatrixX::Zero(link.num_modes, link.num_modes);
      for (int j = 0; j < 4; ++j) G += inverse(i, j) * moments[static_cast<std::size_t>(4 * b + j)];
    }
  return affine;
}

SecondOrder packed_forms(const SecondOrderParts& parts, const ModalLink& link, double size, int num_nodes) {
  SecondOrder result;
  const VectorX scale = link.squared_frequencies.cwiseSqrt().cwiseInverse();  // of deflections under equal forces
  // Of what the largest one moves, as a displacement. G_kl/(ω_k ω_l) is also the relative change of stiffness by a unit
  // force: what is left out changes it by this part of what the largest one does, itself part of Euler's load.
  constexpr double least_part = 1e-6;
  double largest = 0;
  for (const std::array<MatrixX, 6>& node : parts.nodes)
    for (std::size_t c = 0; c < 3; ++c)
      largest = std::max(largest, (scale.asDiagonal() * node[c] * scale.asDiagonal()).cwiseAbs().maxCoeff());
  const double least = least_part * largest;
  const std::array<MatrixX, 12> affine = affine_fields(parts.moments, link, size);
  for (std::size_t row = 0; row < 12; ++row) result.field.add(affine[row], scale, row < 3 ? least : least / size);
  result.nodes.resize(static_cast<std::size_t>(num_nodes));
  const MatrixX none = MatrixX::Zero(link.num_modes, link.num_modes);
  for (std::size_t node = 0; node < result.nodes.size(); ++node) {
    const bool moves = node < parts.nodes.size();
    for (std::size_t c = 0; c < 6; ++c)
      result.nodes[node].add(moves ? parts.nodes[node][c] : none, scale, c < 3 ? least : least / size);
    result.nodes[node].pack();
  }
  result.field.pack();
  result.field.stack(link.num_modes);
  return result;
}

std::optional<SecondOrderParts> bent_beams(const FiniteElementBody& mesh, const ModalLink& link, int inboard_node,
                                           Space space) {
  const BeamBending bending(mesh, link, inboard_node, space);
  if (!bending.found()) return std::nullopt;
  SecondOrderParts parts{field_moments(mesh, link, bending), {}};
  for (int node = 0; node < mesh.num_nodes(); ++node) {
    const auto& [shift, turn] = bending.node(node);
    parts.nodes.push_back({shift[0], shift[1], shift[2], turn[0], turn[1], turn[2]});
  }
  return parts;
}

}  // namespace

void bent_products(const ModalLink& link, const MatrixX& P, MatrixX& product) {
  Eigen::Matrix4d weights;  // ½ ∫ρ (1, s)(1, s)ᵀ
  weights << link.mass, link.first_moment.transpose(), link.first_moment, link.second_moment;
  weights *= 0.5;
  const auto row_of = [](int b, int i) { return i == 0 ? b : affine_row(b, i - 1); };
  for (Eigen::Index k = 0; k < P.cols(); ++k)
    for (int b = 0; b < 3; ++b) {
      const Eigen::Vector4d own(P(row_of(b, 0), k), P(row_of(b, 1), k), P(row_of(b, 2), k), P(row_of(b, 3), k));
      const Eigen::Vector4d with = weights * own;
      product(b, k) = link.mode_momentum(b, k) + with[0];
      for (int i = 1; i < 4; ++i) product(row_of(b, i), k) = link.position_mode_stack(3 * (i - 1) + b, k) + with[i];
    }
}

// 1 + PᵀX + XᵀP.
void bent_modal_mass(const ModalLink& link, const QuadraticForms& field, const MatrixX& P, MatrixX& product,
                     MatrixX& mass) {
  bent_products(link, P, product);
  std::array<double, 12 * QuadraticForms::most_modes> some_P, some_X;  // without rows that vanish
  Eigen::Index rows = 0;
  for (int row = 0; row < field.size(); ++row) rows += field.empty(row) ? 0 : 1;
  std::size_t next = 0;
  for (Eigen::Index k = 0; k < P.cols(); ++k)
    for (int row = 0; row < field.size(); ++row) {
      if (field.empty(row)) continue;
      some_P[next] = P(row, k);
      some_X[next++] = product(row, k);
    }
  mass.noalias() = Eigen::Map<const MatrixX>(some_P.data(), rows, P.cols()).transpose() *
                   Eigen::Map<const MatrixX>(some_X.data(), rows, P.cols());
  for (Eigen::Index l = 0; l < mass.cols(); ++l) {
    for (Eigen::Index k = 0; k < l; ++k) mass(k, l) = mass(l, k) = mass(k, l) + mass(l, k);
    mass(l, l) = 1 + 2 * mass(l, l);
  }
}

bool can_bend(const Link& of, const FiniteElementBody& mesh, int num_modes) {
  return num_modes > 0 && num_modes <= QuadraticForms::most_modes && (of.mesh || made_of_beams(mesh));
}

SecondOrder second_order(const Link& of, const FiniteElementBody& mesh, const ModalLink& link, int inboard_node,
                         Space space) {
  if (!can_bend(of, mesh, link.num_modes)) return {};
  const int start = std::max(inboard_node, 0);
  const std::optional<SecondOrderParts> parts =
      of.mesh ? bent_mesh(of, mesh, link, start, space) : bent_beams(mesh, link, start, space);
  return parts ? packed_forms(*parts, link, extent(mesh), mesh.num_nodes()) : SecondOrder{};
}

}  // namespace lithe
