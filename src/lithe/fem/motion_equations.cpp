#include "lithe/fem/motion_equations.h"

#include <cmath>
#include <map>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/model/error_at.h"

namespace lithe {
namespace {

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Row = std::map<int, double>;  // factors of dofs

class Elimination {
 public:
  Elimination(int num_kept, FiniteElementBody& body)
      : body_(body),
        motions_(body.node_motions),
        kept_(body.first_dof(num_kept)),
        step_(static_cast<std::size_t>(body.num_dofs()), -1) {
    Vector3 low = body.node_positions[0], high = low;
    for (const Vector3& position : body.node_positions) low = low.cwiseMin(position), high = high.cwiseMax(position);
    size_ = std::max((high - low).norm(), 1e-9);
  }

  void take(const BodyEquation& equation) {
    Row row = over_dofs(equation);
    double largest = 0;
    for (const auto& [dof, factor] : row) largest = std::max(largest, weight(dof, factor));
    substitute(row);
    constexpr double rounding = 1e-9;
    std::erase_if(row, [&](const auto& entry) { return weight(entry.first, entry.second) <= rounding * largest; });
    if (row.empty()) return;  // it follows from the others
    const int dependent = choose(row, equation);
    if (dependent < 0)
      return fail(equation, cat("it holds a motion of node ", first_node(row), ", which is an ",
                                "interface or a named node and must move freely"));
    const double pivot = row.at(dependent);
    row.erase(dependent);
    for (auto& [dof, factor] : row) factor /= -pivot;
    step_[static_cast<std::size_t>(dependent)] = static_cast<int>(rows_.size());
    rows_.push_back(std::move(row));
  }

  void finish() {
    diagnostics_.throw_if_any();
    for (std::size_t k = rows_.size(); k-- > 0;) substitute(rows_[k]);
    std::vector<int> column(step_.size(), -1), components, starts;
    for (int node = 0; node < body_.num_nodes(); ++node) {
      starts.push_back(static_cast<int>(components.size()));
      for (int dof = body_.first_dof(node); dof < body_.first_dof(node + 1); ++dof) {
        if (step_[static_cast<std::size_t>(dof)] >= 0) continue;
        column[static_cast<std::size_t>(dof)] = static_cast<int>(components.size());
        components.push_back(body_.component(dof));
      }
    }
    starts.push_back(static_cast<int>(components.size()));
    std::vector<Eigen::Triplet<double>> triplets;
    for (std::size_t dof = 0; dof < column.size(); ++dof) {
      if (column[dof] >= 0) {
        triplets.emplace_back(static_cast<int>(dof), column[dof], 1.0);
        continue;
      }
      for (const auto& [other, factor] : rows_[static_cast<std::size_t>(step_[dof])])
        triplets.emplace_back(static_cast<int>(dof), column[static_cast<std::size_t>(other)], factor);
    }
    SparseMatrix rest(static_cast<Eigen::Index>(column.size()), static_cast<Eigen::Index>(components.size()));
    rest.setFromTriplets(triplets.begin(), triplets.end());
    body_.node_motions = SparseMatrix(body_.node_motions * rest);
    body_.dof_starts = std::move(starts);
    body_.dof_components = std::move(components);
  }

 private:
  // Rotations count by what they move at the far end of the body.
  double weight(int dof, double factor) const { return std::abs(factor) / (body_.component(dof) < 3 ? 1 : size_); }

  void fail(const BodyEquation& equation, const std::string& message) {
    diagnostics_.error(error_at(equation.place, cat("link '", body_.name, "': ", equation.name, ": ", message)));
  }

  Row over_dofs(const BodyEquation& equation) {
    Row row;
    for (const MotionTerm& term : equation.terms) {
      RowMatrix::InnerIterator entry(motions_, 6 * term.node + term.component);
      if (!entry && equation.if_all_turn) return {};
      if (!entry && term.factor != 0)
        fail(equation, cat("it names a rotation of a node at (",
                           body_.node_positions[static_cast<std::size_t>(term.node)].transpose(), "), which has none"));
      for (; entry; ++entry) row[static_cast<int>(entry.col())] += term.factor * entry.value();
    }
    return row;
  }

  // Until no dof of the row follows others. What an earlier equation gave may have followed others later.
  void substitute(Row& row) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto entry = row.begin(); entry != row.end();) {
        const int step = step_[static_cast<std::size_t>(entry->first)];
        if (step < 0) {
          ++entry;
          continue;
        }
        const double factor = entry->second;
        entry = row.erase(entry);
        for (const auto& [other, share] : rows_[static_cast<std::size_t>(step)]) row[other] += factor * share;
        changed = true;
      }
    }
  }

  // The first motion that the equation names where its factor is not small, else that of the largest factor; -1: all
  // dofs must stay.
  int choose(const Row& row, const BodyEquation& equation) const {
    double largest = 0;
    int best = -1;
    for (const auto& [dof, factor] : row)
      if (dof >= kept_ && weight(dof, factor) > largest) largest = weight(dof, factor), best = dof;
    for (const MotionTerm& term : equation.terms) {
      const RowMatrix::InnerIterator entry(motions_, 6 * term.node + term.component);
      if (!entry || entry.value() != 1) continue;
      const auto found = row.find(static_cast<int>(entry.col()));
      if (found == row.end() || found->first < kept_) continue;
      if (weight(found->first, found->second) > 0.1 * largest) return found->first;
    }
    return best;
  }

  std::string first_node(const Row& row) const {
    const int node = body_.node_of_dof(row.begin()->first);
    return cat("at (", body_.node_positions[static_cast<std::size_t>(node)].transpose(), ")");
  }

  FiniteElementBody& body_;
  RowMatrix motions_;
  int kept_;               // dofs before it stay
  std::vector<int> step_;  // of every dof: the equation that took it, or -1
  std::vector<Row> rows_;  // of dependent dofs
  double size_ = 1;
  Diagnostics diagnostics_;
};

}  // namespace

void eliminate(const std::vector<BodyEquation>& equations, int num_kept, FiniteElementBody& body) {
  if (equations.empty()) return;
  Elimination elimination(num_kept, body);
  for (const BodyEquation& equation : equations) elimination.take(equation);
  elimination.finish();
}

}  // namespace lithe
