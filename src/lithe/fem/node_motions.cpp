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

class MotionBuilder {
 public:
  MotionBuilder(const std::vector<bool>& rotations, const std::vector<BodySpider>& spiders, FiniteElementBody& body)
      : rotations_(rotations), spiders_(spiders), body_(body), owned_(6 * rotations.size(), true) {}

  void build() {
    check();
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

  void check() {
    Diagnostics diagnostics;
    std::vector<int> owner(rotations_.size(), -1);
    for (std::size_t k = 0; k < spiders_.size(); ++k) {
      const BodySpider& spider = spiders_[k];
      const auto fail = [&](const std::string& message) {
        diagnostics.error(error_at(spider.place, cat("link '", body_.name, "': ", spider.name, ": ", message)));
      };
      if (const std::string problem = unheld(spider); !problem.empty()) fail(problem);
      for (const int node : spider.nodes) {
        int& other = owner[static_cast<std::size_t>(node)];
        if (other >= 0 && other != static_cast<int>(k)) {
          fail(cat("it shares a node at (", position(node).transpose(), ") with ",
                   spiders_[static_cast<std::size_t>(other)].name, "; each node may follow one only"));
          break;
        }
        other = static_cast<int>(k);
      }
    }
    for (const BodySpider& spider : spiders_)
      if (owner[static_cast<std::size_t>(spider.reference)] >= 0)
        diagnostics.error(error_at(
            spider.place, cat("link '", body_.name, "': ", spider.name, ": its reference follows another spider")));
    diagnostics.throw_if_any();
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

  // (8): A (u_r, ψ_r) = Σ w Rᵀ u_i. Rotations are scaled by the spider's size.
  struct Averaging {
    Matrix6 reference;
    MatrixX nodes;  // 6 x 3 nodes
  };
  Averaging averaging(const BodySpider& spider) const {
    Averaging result{Matrix6::Zero(), MatrixX(6, 3 * static_cast<Eigen::Index>(spider.nodes.size()))};
    double size = 0;
    for (const int node : spider.nodes) size = std::max(size, (position(node) - position(spider.reference)).norm());
    for (std::size_t i = 0; i < spider.nodes.size(); ++i) {
      const double weight = spider.weights.empty() ? 1.0 : spider.weights[i];
      Matrix3x6 rows = rigid_rows(position(spider.nodes[i]) - position(spider.reference));
      const Matrix3x6 moved = rows;
      rows.rightCols<3>() /= size;
      result.reference += weight * rows.transpose() * moved;
      result.nodes.middleCols<3>(3 * static_cast<Eigen::Index>(i)) = weight * rows.transpose();
    }
    return result;
  }

  void choose_dependent(std::size_t k) {
    const BodySpider& spider = spiders_[k];
    if (spider.kind == SpiderKind::rigid) {
      for (const int node : spider.nodes)
        for (std::size_t c = 0; c < (spider.turns_nodes ? 6 : 3); ++c)
          owned_[6 * static_cast<std::size_t>(node) + c] = false;
      return;
    }
    const PivotedQr qr(averaging(spider).nodes);
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
    const Averaging sums = averaging(spider);
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
                      FiniteElementBody& body) {
  MotionBuilder(rotations, spiders, body).build();
}

}  // namespace lithe
