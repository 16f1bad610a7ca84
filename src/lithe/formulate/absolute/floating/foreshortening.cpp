// Second-order displacements of beam structures: a bent beam is as long as before, so that its end comes nearer
// (docs/theory/floating_frame.md, section 6).
#include <array>
#include <queue>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/absolute/floating/floating_frame.h"

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

// Second-order change of the beam's direction at ξ, twice: the run's start turns it by ψ0, and inside the run it
// derivatives by u relative to that: ψ0 × (ψ0 × e) + 2 ψ0 × u - |u|² e.
Quadratic Shortening::direction(const Passage& p, double xi) const {
  const Matrix3X &ua = link_.translation_shapes[p.from], &ub = link_.translation_shapes[p.to];
  const Matrix3X &ra = link_.rotation_shapes[p.from], &rb = link_.rotation_shapes[p.to];
  const Matrix3X& turn = link_.rotation_shapes[p.run_start];
  const Matrix3 cross = -skew(p.e);  // ψ × e = -e × ψ
  const Matrix3 normal = Matrix3::Identity() - p.e * p.e.transpose();
  const Matrix3X jacobian = (6 * (xi * xi - xi) / p.length) * normal * (ua - ub) +
                            (1 - 4 * xi + 3 * xi * xi) * cross * ra + (3 * xi * xi - 2 * xi) * cross * rb;
  const Matrix3X u = jacobian - cross * turn;
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
  const int first = mesh_.node_of_dof(point.dofs.front()), last = mesh_.node_of_dof(point.dofs.back());
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

}  // namespace

Foreshortening foreshortening(const FiniteElementBody& mesh, const ModalLink& link, int inboard_node) {
  if (mesh.elements.empty())
    throw InputError(cat("link '", mesh.name, "': geometric stiffening needs beams, the link has none"));
  // What shortening does to a mode falls with its frequency squared over that of the first: high modes are left as they
  // are, and with them the mass matrix of a nearly complete basis stays positive definite.
  constexpr double frequency_range = 20;
  ModalLink low = link;
  for (int k = 0; k < link.num_modes; ++k)
    if (link.squared_frequencies(k) > frequency_range * frequency_range * link.squared_frequencies(0))
      for (int node = 0; node < mesh.num_nodes(); ++node) {
        low.translation_shapes[node].col(k).setZero();
        low.rotation_shapes[node].col(k).setZero();
      }
  const Shortening shortening(mesh, low, inboard_node);
  const int d = link.num_modes;
  Foreshortening result;
  result.momentum.setZero(3 * d, d);
  result.position.setZero(9 * d, d);
  for (const MassPoint& point : mesh.mass_points) {
    const Quadratic G = shortening.at_point(point);
    const Vector3 s = point.position - link.origin;
    for (int b = 0; b < 3; ++b) {
      result.momentum.middleRows(b * d, d) += point.mass * G[b];
      for (int a = 0; a < 3; ++a) result.position.middleRows((3 * a + b) * d, d) += point.mass * s[a] * G[b];
    }
  }
  for (int node = 0; node < mesh.num_nodes(); ++node) {
    MatrixX stacked(3 * d, d);
    for (int c = 0; c < 3; ++c) stacked.middleRows(c * d, d) = shortening.at_node(node)[c];
    result.nodes.push_back(std::move(stacked));
  }
  return result;
}

}  // namespace lithe
