// Second-order displacements of beam structures: a bent beam is as long as before, so that its end comes nearer
// (docs/theory/floating_frame.md, section 6).
#include "lithe/formulate/foreshortening.h"

#include <array>
#include <queue>

namespace lithe {
namespace {

// Symmetric d x d blocks of three components, G(q, q)_c = qᵀ G_c q.
using Quadratic = std::array<MatrixX, 3>;

Quadratic zero_quadratic(int d) { return {MatrixX::Zero(d, d), MatrixX::Zero(d, d), MatrixX::Zero(d, d)}; }

void add(const Quadratic& what, double factor, Quadratic& sum) {
  for (int c = 0; c < 3; ++c) sum[c] += factor * what[c];
}

// A beam passed from `from` to `to`. Its straight run was entered with the rotation of node `run_start`.
struct Passage {
  int element = -1;
  int from = 0, to = 0, run_start = 0;
  Vector3 e = Vector3::UnitX();
  double length = 0;
};

class Shortening {
 public:
  Shortening(const FiniteElementBody& mesh, const ModalLink& link, int start)
      : mesh_(mesh), link_(link), nodes_(mesh.num_nodes()), passages_(mesh.elements.size()) {
    walk(start);
  }
  const Quadratic& at_node(int node) const { return nodes_[node]; }
  Quadratic at_point(const MassPoint& point) const;

 private:
  void walk(int start);
  void pass(int element, int from, int run_start);
  Quadratic along(const Passage& passage, double part) const;
  Quadratic direction(const Passage& passage, double xi) const;

  const FiniteElementBody& mesh_;
  const ModalLink& link_;
  std::vector<Quadratic> nodes_;
  std::vector<Passage> passages_;
};

// Second-order change of the beam's direction at ξ, twice: the run's start turns it by ψ0, and inside the run it slopes
// by u relative to that: ψ0 × (ψ0 × e) + 2 ψ0 × u - |u|² e.
Quadratic Shortening::direction(const Passage& p, double xi) const {
  const Matrix3X &ua = link_.translation_shapes[p.from], &ub = link_.translation_shapes[p.to];
  const Matrix3X &ra = link_.rotation_shapes[p.from], &rb = link_.rotation_shapes[p.to];
  const Matrix3X& turn = link_.rotation_shapes[p.run_start];
  const Matrix3 cross = -skew(p.e);  // ψ × e = -e × ψ
  const Matrix3 normal = Matrix3::Identity() - p.e * p.e.transpose();
  const Matrix3X slope = (6 * (xi * xi - xi) / p.length) * normal * (ua - ub) +
                         (1 - 4 * xi + 3 * xi * xi) * cross * ra + (3 * xi * xi - 2 * xi) * cross * rb;
  const Matrix3X u = slope - cross * turn;
  const MatrixX along = p.e.transpose() * turn, square = turn.transpose() * turn, bent = u.transpose() * u;
  Quadratic result;
  for (int c = 0; c < 3; ++c) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    const MatrixX product = turn.row(c).transpose() * along;
    const MatrixX moment = turn.row(a).transpose() * u.row(b) - turn.row(b).transpose() * u.row(a);
    result[c] = 0.5 * (product + product.transpose()) - p.e[c] * (square + bent) + moment + moment.transpose();
  }
  return result;
}

// From the passage's beginning over a part of its length; degree 4 in ξ, so three Gauss points are exact.
Quadratic Shortening::along(const Passage& p, double part) const {
  constexpr double nodes[] = {0.1127016653792583, 0.5, 0.8872983346207417}, weights[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  Quadratic sum = zero_quadratic(link_.num_modes);
  for (int i = 0; i < 3; ++i) add(direction(p, part * nodes[i]), weights[i] * part * p.length, sum);
  return sum;
}

void Shortening::pass(int element, int from, int run_start) {
  const BeamElement& beam = mesh_.elements[element];
  Passage& p = passages_[element];
  p.element = element;
  p.from = from;
  p.to = beam.node_a == from ? beam.node_b : beam.node_a;
  p.run_start = run_start;
  const Vector3 chord = mesh_.node_positions[p.to] - mesh_.node_positions[from];
  p.length = chord.norm();
  p.e = chord / p.length;
}

// Breadth first, so that every node has a shortest way; a closed frame is cut where the ways meet.
void Shortening::walk(int start) {
  std::vector<int> run_start(nodes_.size(), -1), run_segment(nodes_.size(), -1);
  std::vector<char> seen(nodes_.size(), 0);
  for (Quadratic& node : nodes_) node = zero_quadratic(link_.num_modes);
  std::queue<int> queue;
  queue.push(start);
  seen[start] = 1;
  while (!queue.empty()) {
    const int node = queue.front();
    queue.pop();
    for (std::size_t k = 0; k < mesh_.elements.size(); ++k) {
      const BeamElement& beam = mesh_.elements[k];
      if ((beam.node_a != node && beam.node_b != node) || passages_[k].element >= 0) continue;
      const bool same_run = run_segment[node] == beam.segment;
      pass(static_cast<int>(k), node, same_run ? run_start[node] : node);
      const Passage& p = passages_[k];
      if (seen[p.to]) continue;
      seen[p.to] = 1;
      run_start[p.to] = p.run_start;
      run_segment[p.to] = beam.segment;
      nodes_[p.to] = nodes_[node];
      add(along(p, 1), 1, nodes_[p.to]);
      queue.push(p.to);
    }
  }
}

Quadratic Shortening::at_point(const MassPoint& point) const {
  const int per_node = mesh_.dofs_per_node();
  const int first = point.dofs.front() / per_node, last = point.dofs.back() / per_node;
  if (first == last) return nodes_[first];
  for (const Passage& p : passages_) {
    if (p.element < 0 || std::minmax(p.from, p.to) != std::minmax(first, last)) continue;
    const double part = (point.position - mesh_.node_positions[p.from]).dot(p.e) / p.length;
    Quadratic sum = nodes_[p.from];
    add(along(p, part), 1, sum);
    return sum;
  }
  return nodes_[first];
}

// Which modes bend: what shortening does to a mode falls with its frequency over that of the first, so that the lowest
// are enough; more of them where the frame is not fixed to the inboard node, whose turn all modes share.
std::vector<int> low_modes(const ModalLink& link, int inboard_node) {
  const bool turns = link.rotation_shapes[static_cast<std::size_t>(inboard_node)].cwiseAbs().maxCoeff() > 0;
  const double frequency_range = turns ? 400 : 60;
  const int most = turns ? 64 : 24;
  std::vector<int> low;
  const VectorX& squares = link.squared_frequencies;
  for (int k = 0; k < link.num_modes && static_cast<int>(low.size()) < most; ++k)
    if (squares(k) <= frequency_range * frequency_range * squares.minCoeff()) low.push_back(k);
  return low;
}

ModalLink with_modes(const ModalLink& link, const std::vector<int>& modes) {
  ModalLink result;
  result.num_modes = static_cast<int>(modes.size());
  for (const auto& [from, to] : {std::pair{&link.translation_shapes, &result.translation_shapes},
                                 std::pair{&link.rotation_shapes, &result.rotation_shapes}})
    for (const Matrix3X& shapes : *from) to->push_back(shapes(Eigen::all, modes));
  return result;
}

// φ of all modes at a mass point, 3 x d.
Matrix3X shapes_at(const MassPoint& point, int per_node, const ModalLink& link) {
  Matrix3X shapes = Matrix3X::Zero(3, link.num_modes);
  for (std::size_t i = 0; i < point.dofs.size(); ++i) {
    const int node = point.dofs[i] / per_node, c = point.dofs[i] % per_node;
    const Matrix3X& at_node = c < 3 ? link.translation_shapes[node] : link.rotation_shapes[node];
    shapes += point.translation_rows.col(static_cast<Eigen::Index>(i)) * at_node.row(c % 3);
  }
  return shapes;
}

// Rows: the three components of G, as vectors of n² numbers.
MatrixX flat(const Quadratic& G) {
  const Eigen::Index n = G[0].size();
  MatrixX rows(3, n);
  for (int c = 0; c < 3; ++c)
    rows.row(c) = Eigen::Map<const Eigen::RowVectorXd>(G[static_cast<std::size_t>(c)].data(), n);
  return rows;
}

// The rows of `flat` as blocks of d x d with the modes' places in it.
MatrixX spread(const MatrixX& rows, const std::vector<int>& modes, int d) {
  const auto n = static_cast<Eigen::Index>(modes.size());
  MatrixX stack = MatrixX::Zero(rows.rows() * d, d);
  for (Eigen::Index r = 0; r < rows.rows(); ++r)
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        stack(r * d + modes[static_cast<std::size_t>(i)], modes[static_cast<std::size_t>(j)]) = rows(r, i + n * j);
  return stack;
}

// Rows of the projection that count, and modes that bend in them.
BendingMap bending_map(const MatrixX& projection, const std::vector<int>& modes) {
  constexpr double negligible = 1e-7;
  const auto n = static_cast<Eigen::Index>(modes.size());
  BendingMap map;
  const double largest = projection.cwiseAbs().maxCoeff();
  std::vector<Eigen::Index> columns, rows;
  VectorX bends = VectorX::Zero(n);
  for (Eigen::Index k = 0; k < projection.rows(); ++k) {
    const Eigen::RowVectorXd row = projection.row(k);
    if (!(row.cwiseAbs().maxCoeff() > negligible * largest)) continue;
    rows.push_back(k);
    bends = bends.cwiseMax(Eigen::Map<const MatrixX>(row.data(), n, n).cwiseAbs().colwise().maxCoeff().transpose());
  }
  for (Eigen::Index i = 0; i < n; ++i)
    if (bends(i) > negligible * largest) columns.push_back(i);
  const auto size = static_cast<Eigen::Index>(columns.size());
  for (const Eigen::Index i : columns) map.bent.push_back(modes[static_cast<std::size_t>(i)]);
  map.tensor.resize(static_cast<Eigen::Index>(rows.size()) * size, size);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    map.along.push_back(static_cast<int>(rows[r]));
    for (Eigen::Index i = 0; i < size; ++i)
      for (Eigen::Index j = 0; j < size; ++j)
        map.tensor(static_cast<Eigen::Index>(r) * size + i, j) =
            projection(rows[r], columns[static_cast<std::size_t>(i)] + n * columns[static_cast<std::size_t>(j)]);
  }
  return map;
}

}  // namespace

bool can_shorten(const FiniteElementBody& mesh) {
  return !mesh.elements.empty() && mesh.nodes_have_rotations &&
         mesh.elements.size() + 1 == static_cast<std::size_t>(mesh.num_nodes());
}

SecondOrder second_order(const FiniteElementBody& mesh, const ModalLink& link, int inboard_node) {
  SecondOrder result;
  if (!can_shorten(mesh) || link.num_modes == 0) return result;
  const std::vector<int> modes = low_modes(link, inboard_node);
  const ModalLink low = with_modes(link, modes);
  const Shortening shortening(mesh, low, inboard_node);
  const int d = link.num_modes;
  const auto size = static_cast<Eigen::Index>(modes.size() * modes.size());
  MatrixX projection = MatrixX::Zero(d, size), momentum = MatrixX::Zero(3, size), position = MatrixX::Zero(9, size);
  for (const MassPoint& point : mesh.mass_points) {
    const MatrixX G = flat(shortening.at_point(point));
    const Vector3 s = point.position - link.origin;
    projection.noalias() += point.mass * shapes_at(point, mesh.dofs_per_node(), link).transpose() * G;
    momentum += point.mass * G;
    for (int a = 0; a < 3; ++a) position.middleRows(3 * a, 3) += point.mass * s[a] * G;
  }
  if (!(projection.size() > 0 && projection.cwiseAbs().maxCoeff() > 0)) return result;
  result.map = bending_map(projection, modes);
  const double whole = position.norm();
  momentum -= link.mode_momentum * projection;
  position -= link.position_mode_stack * projection;
  constexpr double complete = 1e-6;  // a basis that leaves nothing out
  result.rest_part = position.norm() / whole;
  if (!(result.rest_part > complete)) return result;
  result.rest.momentum = spread(momentum, modes, d);
  result.rest.position = spread(position, modes, d);
  for (int node = 0; node < mesh.num_nodes(); ++node)
    result.rest.nodes.push_back(
        spread(flat(shortening.at_node(node)) - link.translation_shapes[static_cast<std::size_t>(node)] * projection,
               modes, d));
  return result;
}

}  // namespace lithe
