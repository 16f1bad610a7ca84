#include "lithe/fem/node_motions.h"

#include <Eigen/LU>
#include <algorithm>

#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/model/error_at.h"

namespace lithe {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;
using Matrix3x6 = Eigen::Matrix<double, 3, 6>;

// (7): u = R (u_r, ψ_r) of a point of a rigid body that moves with its reference.
Matrix3x6 rigid_rows(const Vector3& arm) {
  Matrix3x6 rows;
  rows << Matrix3::Identity(), -skew(arm);
  return rows;
}

// (8): A (u_r, ψ_r) = Σ w Rᵀ u_i. Rotations are scaled by the spider's size.
struct Averaging {
  Matrix6 reference;
  MatrixX nodes;  // 6 x 3 nodes
};

Averaging averaging(const BodySpider& spider, const FiniteElementBody& body) {
  Averaging result{Matrix6::Zero(), MatrixX(6, 3 * static_cast<Eigen::Index>(spider.nodes.size()))};
  const Vector3& centre = body.node_positions[static_cast<std::size_t>(spider.reference)];
  const auto arm = [&](int node) -> Vector3 { return body.node_positions[static_cast<std::size_t>(node)] - centre; };
  double size = 0;
  for (const int node : spider.nodes) size = std::max(size, arm(node).norm());
  for (std::size_t i = 0; i < spider.nodes.size(); ++i) {
    const double weight = spider.weights.empty() ? 1.0 : spider.weights[i];
    Matrix3x6 rows = rigid_rows(arm(spider.nodes[i]));
    const Matrix3x6 moved = rows;
    rows.rightCols<3>() /= size;
    result.reference += weight * rows.transpose() * moved;
    result.nodes.middleCols<3>(3 * static_cast<Eigen::Index>(i)) = weight * rows.transpose();
  }
  return result;
}

// Which spiders are eliminated one by one, because none touches another, and which become equations.
class SpiderSorter {
 public:
  SpiderSorter(const std::vector<bool>& rotations, int num_kept, const FiniteElementBody& body)
      : rotations_(rotations), num_kept_(num_kept), body_(body), owner_(rotations.size(), nullptr) {}

  void take(const std::vector<BodySpider>& spiders) {
    std::vector<bool> refers(rotations_.size(), false);
    for (const BodySpider& spider : spiders) {
      if (const std::string problem = unheld(spider); !problem.empty()) fail(spider, problem);
      bool alone = owner_[at(spider.reference)] == nullptr;
      for (const int node : spider.nodes) {
        const BodySpider* other = owner_[at(node)];
        if (other && holds_kept(*other) && holds_kept(spider)) {
          fail(spider, cat("it shares a node at (", position(node).transpose(), ") with ", other->name,
                           "; each node may follow one only"));
          break;
        }
        alone = alone && !other && !refers[at(node)] && node >= num_kept_;
      }
      (alone ? separate : chained).push_back(spider);
      if (!alone) continue;
      refers[at(spider.reference)] = true;
      for (const int node : spider.nodes) owner_[at(node)] = &spider;
    }
    diagnostics_.throw_if_any();
  }

  std::vector<BodySpider> separate, chained;

 private:
  static std::size_t at(int node) { return static_cast<std::size_t>(node); }
  const Vector3& position(int node) const { return body_.node_positions[at(node)]; }
  bool holds_kept(const BodySpider& spider) const {
    return spider.kind == SpiderKind::rigid && spider.reference < num_kept_;
  }
  void fail(const BodySpider& spider, const std::string& message) {
    diagnostics_.error(error_at(spider.place, cat("link '", body_.name, "': ", spider.name, ": ", message)));
  }

  // Nodes on a line, or a single one, say nothing of the rotation about it, unless they turn themselves and are held
  // rigidly.
  std::string unheld(const BodySpider& spider) const {
    if (spider.nodes.empty()) return "it has no nodes";
    std::vector<int> nodes;  // that count
    for (std::size_t i = 0; i < spider.nodes.size(); ++i)
      if (spider.weights.empty() || spider.weights[i] != 0) nodes.push_back(spider.nodes[i]);
    if (nodes.empty()) return "the weights of its nodes are zero";
    if (spider.kind == SpiderKind::rigid && spider.turns_nodes &&
        std::any_of(spider.nodes.begin(), spider.nodes.end(),
                    [&](int node) { return rotations_[static_cast<std::size_t>(node)]; }))
      return {};
    Vector3 centre = Vector3::Zero();
    for (const int node : nodes) centre += position(node) / static_cast<double>(nodes.size());
    Matrix3 moments = Matrix3::Zero();
    for (const int node : nodes) moments += (position(node) - centre) * (position(node) - centre).transpose();
    const Vector3 sizes = symmetric_values(moments).values;
    constexpr double flat = 1e-12;  // of squared sizes
    if (sizes(1) > flat * sizes(2) && sizes(2) > 0) return {};
    return cat(nodes.size() == 1 ? "it has a single node" : cat("its ", nodes.size(), " nodes lie on one line"),
               ", which cannot hold a rotation: select an area");
  }

  const std::vector<bool>& rotations_;
  int num_kept_;
  const FiniteElementBody& body_;
  std::vector<const BodySpider*> owner_;  // of a node among the separate ones
  Diagnostics diagnostics_;
};

// (7) and (8) as equations between motions.
void add_equations(const BodySpider& spider, const std::vector<bool>& rotations, const FiniteElementBody& body,
                   std::vector<BodyEquation>& equations) {
  const auto add = [&](std::vector<MotionTerm> terms) {
    std::erase_if(terms, [](const MotionTerm& term) { return term.factor == 0; });
    equations.push_back({spider.name, std::move(terms), spider.place});
  };
  if (spider.kind == SpiderKind::averaging) {
    const Averaging sums = averaging(spider, body);
    const MatrixX share = Eigen::PartialPivLU<Matrix6>(sums.reference).solve(sums.nodes);
    for (int a = 0; a < 6; ++a) {
      std::vector<MotionTerm> terms = {{spider.reference, a, 1}};
      for (int k = 0; k < share.cols(); ++k)
        terms.push_back({spider.nodes[static_cast<std::size_t>(k / 3)], k % 3, -share(a, k)});
      add(std::move(terms));
    }
    return;
  }
  for (const int node : spider.nodes) {
    const auto place = static_cast<std::size_t>(node);
    const Matrix3x6 rows =
        rigid_rows(body.node_positions[place] - body.node_positions[static_cast<std::size_t>(spider.reference)]);
    for (int a = 0; a < 3; ++a) {
      std::vector<MotionTerm> terms = {{node, a, 1}};
      for (int b = 0; b < 6; ++b) terms.push_back({spider.reference, b, -rows(a, b)});
      add(std::move(terms));
    }
    for (int a = 3; a < 6 && spider.turns_nodes && rotations[place]; ++a)
      add({{node, a, 1}, {spider.reference, a, -1}});
  }
}

class MotionBuilder {
 public:
  MotionBuilder(const std::vector<bool>& rotations, const std::vector<BodySpider>& spiders, FiniteElementBody& body)
      : rotations_(rotations), spiders_(spiders), body_(body), owned_(6 * rotations.size(), true) {}

  void build() {
    for (std::size_t node = 0; node < rotations_.size(); ++node)
      for (std::size_t c = 3; c < 6 && !rotations_[node]; ++c) owned_[6 * node + c] = false;
    pivots_.resize(spiders_.size());
    for (std::size_t k = 0; k < spiders_.size(); ++k) choose_dependent(k);
    number_dofs();
    for (std::size_t row = 0; row < owned_.size(); ++row)
      if (owned_[row]) add(row, column_[row], 1);
    for (std::size_t k = 0; k < spiders_.size(); ++k)
      spiders_[k].kind == SpiderKind::rigid ? add_rigid(spiders_[k]) : add_averaging(k);
    body_.node_motions.resize(static_cast<Eigen::Index>(owned_.size()), body_.num_dofs());
    body_.node_motions.setFromTriplets(triplets_.begin(), triplets_.end());
  }

 private:
  const Vector3& position(int node) const { return body_.node_positions[static_cast<std::size_t>(node)]; }
  void add(std::size_t row, int column, double value) {
    if (value != 0) triplets_.emplace_back(static_cast<int>(row), column, value);
  }

  void choose_dependent(std::size_t k) {
    const BodySpider& spider = spiders_[k];
    if (spider.kind == SpiderKind::rigid) {
      for (const int node : spider.nodes)
        for (std::size_t c = 0; c < (spider.turns_nodes ? 6 : 3); ++c)
          owned_[6 * static_cast<std::size_t>(node) + c] = false;
      return;
    }
    const PivotedQr qr(averaging(spider, body_).nodes);
    for (Eigen::Index p = 0; p < 6; ++p) {
      const int column = qr.order().indices()(p);
      pivots_[k].push_back(column);
      owned_[row_of(spider, column)] = false;
    }
  }

  static std::size_t row_of(const BodySpider& spider, int column) {
    return 6 * static_cast<std::size_t>(spider.nodes[static_cast<std::size_t>(column / 3)]) +
           static_cast<std::size_t>(column % 3);
  }

  void number_dofs() {
    column_.assign(owned_.size(), -1);
    body_.dof_starts.clear();
    body_.dof_components.clear();
    for (std::size_t row = 0; row < owned_.size(); ++row) {
      if (row % 6 == 0) body_.dof_starts.push_back(static_cast<int>(body_.dof_components.size()));
      if (!owned_[row]) continue;
      column_[row] = static_cast<int>(body_.dof_components.size());
      body_.dof_components.push_back(static_cast<int>(row % 6));
    }
    body_.dof_starts.push_back(static_cast<int>(body_.dof_components.size()));
  }

  void add_rigid(const BodySpider& spider) {
    const std::size_t reference = 6 * static_cast<std::size_t>(spider.reference);
    for (const int node : spider.nodes) {
      const Matrix3x6 rows = rigid_rows(position(node) - position(spider.reference));
      const std::size_t first = 6 * static_cast<std::size_t>(node);
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 6; ++b)
          add(first + a, column_[reference + b], rows(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)));
        // A node of solids turns with the spider as well: masses there may have an inertia or an offset.
        if (spider.turns_nodes || !rotations_[static_cast<std::size_t>(node)])
          add(first + 3 + a, column_[reference + 3 + a], 1);
      }
    }
  }

  // Dependent displacements: u_d = G_d⁻¹ (A (u_r, ψ_r) - G_rest u_rest).
  void add_averaging(std::size_t k) {
    const BodySpider& spider = spiders_[k];
    const Averaging sums = averaging(spider, body_);
    Matrix6 dependent;
    for (Eigen::Index p = 0; p < 6; ++p) dependent.col(p) = sums.nodes.col(pivots_[k][static_cast<std::size_t>(p)]);
    const Eigen::PartialPivLU<Matrix6> solver(dependent);
    const Matrix6 of_reference = solver.solve(sums.reference);
    const MatrixX of_nodes = solver.solve(sums.nodes);
    for (Eigen::Index p = 0; p < 6; ++p) {
      const std::size_t row = row_of(spider, pivots_[k][static_cast<std::size_t>(p)]);
      for (Eigen::Index b = 0; b < 6; ++b)
        add(row, column_[6 * static_cast<std::size_t>(spider.reference) + static_cast<std::size_t>(b)],
            of_reference(p, b));
      for (int column = 0; column < of_nodes.cols(); ++column)
        if (const std::size_t other = row_of(spider, column); owned_[other])
          add(row, column_[other], -of_nodes(p, column));
    }
  }

  const std::vector<bool>& rotations_;
  const std::vector<BodySpider>& spiders_;
  FiniteElementBody& body_;
  std::vector<bool> owned_;  // per motion of a node: a dof of the body
  std::vector<int> column_;  // its number, or -1
  std::vector<std::vector<int>> pivots_;
  Triplets triplets_;
};

}  // namespace

void set_node_motions(const std::vector<bool>& rotations, const std::vector<BodySpider>& spiders,
                      std::vector<BodyEquation> equations, int num_kept, FiniteElementBody& body) {
  SpiderSorter sorted(rotations, num_kept, body);
  sorted.take(spiders);
  MotionBuilder(rotations, sorted.separate, body).build();
  std::vector<BodyEquation> all;
  for (const BodySpider& spider : sorted.chained) add_equations(spider, rotations, body, all);
  std::move(equations.begin(), equations.end(), std::back_inserter(all));
  eliminate(all, num_kept, body);
}

}  // namespace lithe
