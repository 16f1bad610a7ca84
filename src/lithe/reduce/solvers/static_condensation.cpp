#include "lithe/reduce/solvers/static_condensation.h"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "lithe/base/decompositions.h"
#include "lithe/reduce/solvers/front_kernels.h"

namespace lithe {
namespace {

using IntList = std::vector<int>;

// Blocks with their unknowns and neighbours. Neighbours are other blocks with an entry in either matrix.
struct BlockGraph {
  std::vector<IntList> unknowns, neighbours;

  BlockGraph(const SparseMatrix& stiffness, const SparseMatrix& mass, const IntList& block) {
    const int num_blocks = block.empty() ? 0 : 1 + *std::max_element(block.begin(), block.end());
    unknowns.resize(num_blocks);
    neighbours.resize(num_blocks);
    for (int i = 0; i < static_cast<int>(block.size()); ++i) unknowns[block[i]].push_back(i);
    for (const SparseMatrix* matrix : {&stiffness, &mass})
      for (int column = 0; column < matrix->outerSize(); ++column)
        for (SparseMatrix::InnerIterator entry(*matrix, column); entry; ++entry)
          if (block[entry.row()] != block[column] &&
              (neighbours[block[column]].empty() || neighbours[block[column]].back() != block[entry.row()]))
            neighbours[block[column]].push_back(block[entry.row()]);
    for (IntList& list : neighbours) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }
};

// Approximate minimum degree on the inner blocks.
IntList elimination_order(const BlockGraph& graph, const std::vector<bool>& kept) {
  IntList inner, position(graph.unknowns.size(), -1);
  for (int b = 0; b < static_cast<int>(kept.size()); ++b)
    if (!kept[b]) position[b] = static_cast<int>(inner.size()), inner.push_back(b);
  std::vector<Eigen::Triplet<double>> triplets;
  for (const int b : inner) {
    triplets.emplace_back(position[b], position[b], 1.0);
    for (const int other : graph.neighbours[b])
      if (!kept[other]) triplets.emplace_back(position[other], position[b], 1.0);
  }
  const auto n = static_cast<Eigen::Index>(inner.size());
  if (n == 0) return inner;
  SparseMatrix pattern(n, n);
  pattern.setFromTriplets(triplets.begin(), triplets.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern, permutation);
  IntList order(inner.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = inner[permutation.indices()[static_cast<int>(k)]];
  return order;
}

// Nested dissection by place: blocks between two halves come last, each half likewise before. Regular frames have
// whole layers of nodes at one place along an axis; such a layer is a better border than one that runs in steps.
class Dissection {
 public:
  Dissection(const BlockGraph& graph, const std::vector<Vector3>& places)
      : graph_(graph), places_(places), side_(graph.unknowns.size(), -1) {}

  void append(IntList blocks, IntList& order) {
    constexpr std::size_t leaf = 24;
    if (blocks.size() <= leaf) {
      order.insert(order.end(), blocks.begin(), blocks.end());
      return;
    }
    Parts best;
    for (int axis = 0; axis < 3; ++axis) {
      std::sort(blocks.begin(), blocks.end(),
                [&](int a, int b) { return std::pair(places_[a][axis], a) < std::pair(places_[b][axis], b); });
      for (const Parts& parts : {cut_in_the_middle(blocks), cut_at_a_layer(blocks, axis)})
        if (cost(parts) < cost(best)) best = parts;
    }
    if (best.first.empty()) best.between = std::move(blocks);  // all of them touch each other
    append(std::move(best.first), order);
    append(std::move(best.second), order);
    order.insert(order.end(), best.between.begin(), best.between.end());
  }

 private:
  struct Parts {
    IntList first, second, between;
  };

  // The border's size, more where the halves differ in size; an empty half is no cut at all.
  static double cost(const Parts& parts) {
    const double a = static_cast<double>(parts.first.size()), b = static_cast<double>(parts.second.size());
    if (a == 0 || b == 0) return 1e300;
    return static_cast<double>(parts.between.size()) * std::pow((a + b) / (2 * std::min(a, b)), 0.5);
  }

  // Sorted blocks: those of the first half that touch the second.
  Parts cut_in_the_middle(const IntList& blocks) {
    const auto middle = blocks.begin() + static_cast<std::ptrdiff_t>(blocks.size() / 2);
    Parts parts{{}, {middle, blocks.end()}, {}};
    const int mark = next_mark_++;
    for (const int b : parts.second) side_[b] = mark;
    for (auto b = blocks.begin(); b != middle; ++b) (touches(*b, mark) ? parts.between : parts.first).push_back(*b);
    return parts;
  }

  // Sorted blocks: all that lie where the middle one does, as far as they join the two sides.
  Parts cut_at_a_layer(const IntList& blocks, int axis) {
    const double middle = places_[blocks[blocks.size() / 2]][axis];
    const double width = 1e-9 * (places_[blocks.back()][axis] - places_[blocks.front()][axis]);
    Parts parts;
    for (const int b : blocks) {
      const double from = places_[b][axis] - middle;
      (from < -width ? parts.first : from > width ? parts.second : parts.between).push_back(b);
    }
    const int mark = next_mark_++;
    for (const int b : parts.second) side_[b] = mark;
    IntList inside;  // what reaches across a layer belongs to the border, too
    for (const int b : parts.first) (touches(b, mark) ? parts.between : inside).push_back(b);
    parts.first = std::move(inside);
    return parts;
  }

  bool touches(int block, int mark) const {
    const IntList& others = graph_.neighbours[block];
    return std::any_of(others.begin(), others.end(), [&](int o) { return side_[o] == mark; });
  }

  const BlockGraph& graph_;
  const std::vector<Vector3>& places_;
  IntList side_;
  int next_mark_ = 0;
};

IntList dissected_order(const BlockGraph& graph, const std::vector<bool>& kept, const std::vector<Vector3>& places) {
  IntList inner, order;
  for (int b = 0; b < static_cast<int>(kept.size()); ++b)
    if (!kept[b]) inner.push_back(b);
  Dissection(graph, places).append(inner, order);
  return order;
}

// What the elimination of each block touches, in positions: inner blocks by their turn, kept ones after them.
struct Symbolic {
  IntList order;                   // block of every position; kept ones at the end
  IntList position;                // of every block
  std::vector<IntList> structure;  // later positions that are coupled to this one when its turn comes, ascending
  IntList parent;                  // first of those if it is inner, else -1
  int num_inner = 0;

  Symbolic(const BlockGraph& graph, const IntList& inner, const IntList& kept) { analyse(graph, inner, kept); }

  // Multiplications, up to a common factor.
  double work(const BlockGraph& graph) const {
    double sum = 0;
    for (int k = 0; k < num_inner; ++k) {
      double later = 0;
      for (const int p : structure[k]) later += static_cast<double>(graph.unknowns[order[p]].size());
      sum += static_cast<double>(graph.unknowns[order[k]].size()) * later * later;
    }
    return sum;
  }

  void analyse(const BlockGraph& graph, const IntList& inner, const IntList& kept) {
    number(graph, inner, kept);
    find_structure(graph);
    const IntList after = postorder();
    number(graph, after, kept);
    find_structure(graph);
  }

 private:
  void number(const BlockGraph& graph, const IntList& inner, const IntList& kept) {
    num_inner = static_cast<int>(inner.size());
    order = inner;
    order.insert(order.end(), kept.begin(), kept.end());
    position.assign(graph.unknowns.size(), -1);
    for (std::size_t k = 0; k < order.size(); ++k) position[order[k]] = static_cast<int>(k);
  }

  void find_structure(const BlockGraph& graph) {
    structure.assign(num_inner, {});
    parent.assign(num_inner, -1);
    std::vector<IntList> children(num_inner);
    IntList mark(order.size(), -1);
    for (int k = 0; k < num_inner; ++k) {
      IntList& list = structure[k];
      const auto add = [&](int p) {
        if (p <= k || mark[p] == k) return;
        mark[p] = k;
        list.push_back(p);
      };
      for (const int b : graph.neighbours[order[k]]) add(position[b]);
      for (const int child : children[k])
        for (const int p : structure[child]) add(p);
      std::sort(list.begin(), list.end());
      if (list.empty() || list.front() >= num_inner) continue;
      parent[k] = list.front();
      children[list.front()].push_back(k);
    }
  }

  // Blocks in the order of a depth-first walk of the elimination tree: children directly before their parents.
  IntList postorder() const {
    std::vector<IntList> children(num_inner);
    IntList roots, result, open;
    for (int k = 0; k < num_inner; ++k) (parent[k] < 0 ? roots : children[parent[k]]).push_back(k);
    std::vector<std::size_t> next(num_inner, 0);
    for (const int root : roots) {
      open.push_back(root);
      while (!open.empty()) {
        const int k = open.back();
        if (next[k] < children[k].size()) {
          open.push_back(children[k][next[k]++]);
          continue;
        }
        result.push_back(order[k]);
        open.pop_back();
      }
    }
    return result;
  }
};

// Consecutive positions that are eliminated in one front: each is the next one's child with the same later neighbours,
// or nearly so: a few zeros in a larger front cost less than moving it.
struct Supernode {
  int first = 0, last = 0;  // positions, inclusive
  int parent = -1;          // supernode
};

constexpr int most_relaxed_joining = 32;

std::vector<Supernode> supernodes_of(const Symbolic& symbolic) {
  std::vector<Supernode> result;
  IntList owner(symbolic.num_inner, -1);
  for (int k = 0; k < symbolic.num_inner; ++k) {
    bool joins = !result.empty() && symbolic.parent[k - 1] == k;
    if (joins) {
      const double first = static_cast<double>(symbolic.structure[result.back().first].size());
      const int before = k - result.back().first;
      const double merged = static_cast<double>(symbolic.structure[k].size()) + before;
      joins = merged <= (before < most_relaxed_joining ? 1.25 * first + 2 : first);
    }
    if (!joins) result.push_back({k, k, -1});
    result.back().last = k;
    owner[k] = static_cast<int>(result.size()) - 1;
  }
  for (Supernode& node : result) {
    const int parent = symbolic.parent[node.last];
    if (parent >= 0) node.parent = owner[parent];
  }
  return result;
}

// How the unknowns of an eliminated front follow the later ones, u₁ = -S u₂ with S = L⁻ᵀ R, K₁₁ = L Lᵀ.
struct Following {
  IntList own, later;  // unknowns
  MatrixX factor, r;
};

// A square matrix, of which the lower half counts, in memory that fronts hand on to each other: fresh memory from the
// system costs as much as the arithmetic of a small front.
class HandedMatrix {
 public:
  using View = Eigen::Map<MatrixX>;
  View view() { return {numbers_.data(), size_, size_}; }
  Eigen::Map<const MatrixX> view() const { return {numbers_.data(), size_, size_}; }

  // Zero, in the given memory.
  void set_zero(Eigen::Index size, std::vector<double> memory) {
    size_ = size;
    numbers_ = std::move(memory);
    numbers_.assign(static_cast<std::size_t>(size * size), 0.0);
  }
  std::vector<double> give_up() {
    size_ = 0;
    return std::exchange(numbers_, {});
  }

 private:
  std::vector<double> numbers_;
  Eigen::Index size_ = 0;
};

// Memory of matrices that are no longer needed.
class MemoryPool {
 public:
  // The smallest piece that is large enough, or none.
  std::vector<double> take(Eigen::Index size) {
    const std::lock_guard lock(mutex_);
    const auto found = pieces_.lower_bound(static_cast<std::size_t>(size * size));
    return found == pieces_.end() ? std::vector<double>{} : std::move(pieces_.extract(found).mapped());
  }
  void give(std::vector<double> piece) {
    if (piece.capacity() == 0) return;
    const std::lock_guard lock(mutex_);
    pieces_.emplace(piece.capacity(), std::move(piece));
  }

 private:
  std::mutex mutex_;
  std::multimap<std::size_t, std::vector<double>> pieces_;  // by capacity
};

// What an eliminated front leaves to the next: dense matrices over positions, lower halves. Mass and loads only where
// they are carried along.
struct Remainder {
  IntList positions;
  HandedMatrix stiffness, mass;
  MatrixX loads;
};

// A symmetric matrix of a front: 1 is eliminated, 2 is left. Lower halves of 11 and 22.
struct FrontMatrix {
  MatrixX a11, a12;
  HandedMatrix a22;

  void set_zero(Eigen::Index own, Eigen::Index later, MemoryPool& pool) {
    a11.setZero(own, own);
    a12.setZero(own, later);
    a22.set_zero(later, pool.take(later));
  }
  // Adds to the rows from i and the columns from j, i at least j; no part lies on both sides of the border.
  template <class Block>
  void add(Eigen::Index i, Eigen::Index j, const Block& block) {
    const Eigen::Index own = a11.rows(), rows = block.rows(), columns = block.cols();
    if (j >= own)
      a22.view().block(i - own, j - own, rows, columns) += block;
    else if (i >= own)
      a12.block(j, i - own, columns, rows) += block.transpose();
    else
      a11.block(i, j, rows, columns) += block;
  }
  void add_entry(Eigen::Index i, Eigen::Index j, double value) {
    const Eigen::Index own = a11.rows();
    if (j >= own)
      a22.view()(i - own, j - own) += value;
    else
      (i >= own ? a12(j, i - own) : a11(i, j)) += value;
  }
};

struct Front {
  FrontMatrix stiffness, mass;
  MatrixX loads;
};

// A pivot at most so large a part of its level counts as unconstrained.
struct FreeMotionLimits {
  double least_pivot = 0;
  VectorX level;
};

class Elimination {
 public:
  Elimination(const SparseMatrix& stiffness, const SparseMatrix& mass, const MatrixX& loads, const BlockGraph& graph,
              const Symbolic& symbolic, const IntList& block, FreeMotionLimits limits, double largest_shapes)
      : stiffness_(stiffness),
        mass_(mass),
        loads_(loads),
        graph_(graph),
        symbolic_(symbolic),
        block_(block),
        limits_(std::move(limits)),
        supernodes_(supernodes_of(symbolic)),
        children_(supernodes_.size() + 1),
        size_(symbolic.order.size()),
        place_(stiffness.rows(), 0),
        queue_(parents()),
        carries_mass_(static_cast<double>(stiffness.rows()) * num_kept_unknowns(graph, symbolic) > largest_shapes) {
    for (std::size_t p = 0; p < size_.size(); ++p) {
      const IntList& unknowns = graph.unknowns[symbolic.order[p]];
      size_[p] = static_cast<int>(unknowns.size());
      for (std::size_t i = 0; i < unknowns.size(); ++i) place_[unknowns[i]] = static_cast<int>(i);
    }
    for (std::size_t s = 0; s < supernodes_.size(); ++s)
      children_[supernodes_[s].parent < 0 ? supernodes_.size() : static_cast<std::size_t>(supernodes_[s].parent)]
          .push_back(s);
  }

  StaticCondensation run() {
    eliminate_all(num_threads());
    if (unconstrained_ >=
        0) {  // once more, one by one: which of several unconstrained ones is found must not be chance
      names_unconstrained_ = true;
      eliminate_all(1);
    }
    if (unconstrained_ >= 0) return {.stiffness = {}, .mass = {}, .loads = {}, .unconstrained_unknown = unconstrained_};
    return std::move(result_);
  }

 private:
  // Offsets of positions in the present front; one per thread.
  struct Scratch {
    explicit Scratch(const Symbolic& symbolic) : offset(symbolic.order.size(), -1) {}
    IntList offset;
  };

  // Threads begin to pay when there is a tenth of a second of work for them.
  int num_threads() const {
    constexpr double enough = 3e9, most = 8;
    const double cores = std::max(1u, std::thread::hardware_concurrency());
    return symbolic_.work(graph_) < enough ? 1 : static_cast<int>(std::min(cores, most));
  }

  // The kept positions are the last front, which waits for all that have no other parent.
  IntList parents() const {
    const int kept = static_cast<int>(supernodes_.size());
    IntList result;
    for (const Supernode& node : supernodes_) result.push_back(node.parent < 0 ? kept : node.parent);
    result.push_back(-1);
    return result;
  }

  // Every front waits for its children alone, whose parts are added in their order: the numbers do not depend on the
  // threads.
  void eliminate_all(int threads) {
    unconstrained_ = -1;
    rests_.assign(supernodes_.size(), {});
    following_.assign(supernodes_.size(), {});
    std::vector<Scratch> scratch(static_cast<std::size_t>(threads), Scratch(symbolic_));
    queue_.run(threads, [&](std::size_t front, int thread) {
      Scratch& own = scratch[static_cast<std::size_t>(thread)];
      if (front == supernodes_.size()) return finish(own), true;
      const int unconstrained = eliminate(front, own);
      if (unconstrained >= 0) unconstrained_ = unconstrained;
      return unconstrained < 0;
    });
  }

  // What has come together on the kept positions.
  void finish(Scratch& scratch) {
    IntList kept(symbolic_.order.size() - symbolic_.num_inner);
    std::iota(kept.begin(), kept.end(), symbolic_.num_inner);
    Front front = gather(kept, static_cast<int>(kept.size()), supernodes_.size(), scratch);
    MatrixX &stiffness = front.stiffness.a11, &mass = front.mass.a11;
    stiffness.triangularView<Eigen::StrictlyUpper>() = stiffness.transpose();
    if (!carries_mass_) {
      result_ = with_shapes(kept, std::move(stiffness));
      return;
    }
    mass.triangularView<Eigen::StrictlyUpper>() = mass.transpose();
    result_ = {std::move(stiffness), std::move(mass), std::move(front.loads), -1};
  }

  static double num_kept_unknowns(const BlockGraph& graph, const Symbolic& symbolic) {
    double count = 0;
    for (std::size_t p = symbolic.num_inner; p < symbolic.order.size(); ++p)
      count += static_cast<double>(graph.unknowns[symbolic.order[p]].size());
    return count;
  }

  IntList unknowns_of(const IntList& positions) const {
    IntList list;
    for (const int p : positions) {
      const IntList& own = graph_.unknowns[symbolic_.order[p]];
      list.insert(list.end(), own.begin(), own.end());
    }
    return list;
  }

  // Ψ front by front from the last one back; then Ψᵀ M Ψ and Ψᵀ f.
  StaticCondensation with_shapes(const IntList& kept, MatrixX stiffness) {
    const IntList kept_unknowns = unknowns_of(kept);
    const auto num_kept = static_cast<Eigen::Index>(kept_unknowns.size());
    MatrixX shape = MatrixX::Zero(stiffness_.rows(), num_kept), momentum(stiffness_.rows(), num_kept);
    for (std::size_t k = 0; k < kept_unknowns.size(); ++k) shape(kept_unknowns[k], static_cast<Eigen::Index>(k)) = 1;
    constexpr Eigen::Index at_once = 32;
    queue_.split(static_cast<int>((num_kept + at_once - 1) / at_once), [&](int part) {
      const Eigen::Index from = part * at_once, width = std::min(at_once, num_kept - from);
      follow(shape.middleCols(from, width));
      momentum.middleCols(from, width).noalias() = mass_ * shape.middleCols(from, width);
    });
    MatrixX mass = shape.transpose() * momentum;
    mass = (0.5 * (mass + mass.transpose())).eval();
    return {std::move(stiffness), std::move(mass), shape.transpose() * loads_, -1};
  }

  // Rows of the eliminated unknowns from those of the kept ones.
  void follow(Eigen::Ref<MatrixX> shape) const {
    MatrixX later, own;
    for (auto front = following_.rbegin(); front != following_.rend(); ++front) {
      later = shape(front->later, Eigen::all);
      own.noalias() = -front->r * later;
      front->factor.triangularView<Eigen::Lower>().transpose().solveInPlace(own);
      shape(front->own, Eigen::all) = own;
    }
  }

  // A front over `positions` from the matrices' own entries in the columns of its first `num_own` positions and from
  // what the children of supernode `s` left.
  Front gather(const IntList& positions, int num_own, std::size_t s, Scratch& scratch) {
    IntList& offset = scratch.offset;
    int n = 0, own = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      offset[positions[i]] = n;
      n += size_[positions[i]];
      if (static_cast<int>(i) < num_own) own = n;
    }
    Front front;
    front.stiffness.set_zero(own, n - own, pool_);
    if (carries_mass_) front.mass.set_zero(own, n - own, pool_), front.loads = MatrixX::Zero(n, loads_.cols());
    for (int i = 0; i < num_own; ++i) {
      add_entries(stiffness_, positions[i], offset, front.stiffness);
      if (!carries_mass_) continue;
      add_entries(mass_, positions[i], offset, front.mass);
      const IntList& unknowns = graph_.unknowns[symbolic_.order[positions[i]]];
      for (std::size_t k = 0; k < unknowns.size(); ++k)
        front.loads.row(offset[positions[i]] + static_cast<int>(k)) += loads_.row(unknowns[k]);
    }
    for (const std::size_t child : children_[s]) {
      add_remainder(rests_[child], own, offset, front);
      pool_.give(rests_[child].stiffness.give_up());
      pool_.give(rests_[child].mass.give_up());
      rests_[child] = {};
    }
    for (const int p : positions) offset[p] = -1;
    return front;
  }

  // Entries of a position's columns in its own rows and in those of later positions.
  void add_entries(const SparseMatrix& matrix, int position, const IntList& offset, FrontMatrix& front) const {
    for (const int column : graph_.unknowns[symbolic_.order[position]]) {
      const int j = offset[position] + place_[column];
      for (SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) {
        const int p = position_of(static_cast<int>(entry.row()));
        if (p < position) continue;
        const int i = offset[p] + place_[entry.row()];
        if (i >= j) front.add_entry(i, j, entry.value());
      }
    }
  }

  int position_of(int unknown) const { return symbolic_.position[block_[unknown]]; }

  // Unknowns that follow each other in a part and in the front.
  struct Run {
    int from = 0, to = 0, length = 0;
  };

  // A run ends where the front's own unknowns do.
  std::vector<Run> runs_of(const Remainder& part, int own, const IntList& offset) const {
    std::vector<Run> runs;
    int from = 0;
    for (const int p : part.positions) {
      const int to = offset[p];
      if (runs.empty() || to != runs.back().to + runs.back().length || to == own) runs.push_back({from, to, 0});
      runs.back().length += size_[p];
      from += size_[p];
    }
    return runs;
  }

  // Positions ascend in both, so lower halves meet lower halves.
  void add_remainder(const Remainder& part, int own, const IntList& offset, Front& front) const {
    const std::vector<Run> runs = runs_of(part, own, offset);
    for (auto column = runs.begin(); column != runs.end(); ++column) {
      for (auto row = column; row != runs.end(); ++row) {
        front.stiffness.add(row->to, column->to,
                            part.stiffness.view().block(row->from, column->from, row->length, column->length));
        if (carries_mass_)
          front.mass.add(row->to, column->to,
                         part.mass.view().block(row->from, column->from, row->length, column->length));
      }
      if (carries_mass_)
        front.loads.middleRows(column->to, column->length) += part.loads.middleRows(column->from, column->length);
    }
  }

  // (5)-(7) of the page: with S = K₁₁⁻¹ K₁₂ the rest is K₂₂ - K₂₁ S, M₂₂ - Sᵀ Y - Yᵀ S with Y = M₁₂ - ½ M₁₁ S, f₂ - Sᵀ
  // f₁.
  // Returns an unknown that nothing holds (0 for any when names do not matter), or -1.
  int eliminate(std::size_t index, Scratch& scratch) {
    const Supernode& node = supernodes_[index];
    IntList positions(node.last - node.first + 1);
    std::iota(positions.begin(), positions.end(), node.first);
    const int num_own = static_cast<int>(positions.size());
    const IntList& later = symbolic_.structure[node.last];
    positions.insert(positions.end(), later.begin(), later.end());
    Front front = gather(positions, num_own, index, scratch);
    MatrixX &k11 = front.stiffness.a11, &s = front.stiffness.a12;
    const MatrixX block = names_unconstrained_ ? k11 : MatrixX();
    if (!factorise_lower(k11, queue_) || !is_held(k11, node))
      return names_unconstrained_ ? least_constrained_unknown(block, node) : 0;
    solve_lower(k11, s, queue_);
    Remainder& rest = rests_[index];
    rest = {later, std::move(front.stiffness.a22), {}, {}};
    subtract_square(rest.stiffness.view(), s, queue_);
    if (carries_mass_) {
      solve_upper(k11, s, queue_);
      carry_mass(front, rest);
    } else {
      following_[index] = {own_unknowns(node), unknowns_of(later), std::move(k11), std::move(s)};
    }
    return -1;
  }

  static void carry_mass(Front& front, Remainder& rest) {
    MatrixX &m11 = front.mass.a11, &y = front.mass.a12;
    const MatrixX& s = front.stiffness.a12;
    m11.triangularView<Eigen::StrictlyUpper>() = m11.transpose();
    y.noalias() -= 0.5 * m11 * s;
    rest.mass = std::move(front.mass.a22);
    HandedMatrix::View mass = rest.mass.view();
    mass.triangularView<Eigen::Lower>() -= s.transpose() * y;
    mass.triangularView<Eigen::Lower>() -= y.transpose() * s;
    rest.loads = front.loads.bottomRows(s.cols());
    rest.loads.noalias() -= s.transpose() * front.loads.topRows(s.rows());
  }

  IntList own_unknowns(const Supernode& node) const {
    IntList positions(node.last - node.first + 1);
    std::iota(positions.begin(), positions.end(), node.first);
    return unknowns_of(positions);
  }

  // Pivots are compared with the matrix's own diagonal: what elimination leaves of it is stiffness, or rounding.
  bool is_held(const MatrixX& factor, const Supernode& node) const {
    Eigen::Index i = 0;
    for (const int unknown : own_unknowns(node)) {
      const double root = factor(i, i);
      if (!(root * root > limits_.least_pivot * limits_.level[unknown])) return false;
      ++i;
    }
    return true;
  }

  int least_constrained_unknown(const MatrixX& block, const Supernode& node) const {
    Eigen::Index softest = 0;
    symmetric_pairs(block).vectors.col(0).cwiseAbs().maxCoeff(&softest);
    return own_unknowns(node)[static_cast<std::size_t>(softest)];
  }

  const SparseMatrix &stiffness_, &mass_;
  const MatrixX& loads_;
  const BlockGraph& graph_;
  const Symbolic& symbolic_;
  const IntList& block_;
  FreeMotionLimits limits_;
  std::vector<Supernode> supernodes_;
  std::vector<std::vector<std::size_t>> children_;  // of every supernode, and last of the kept positions
  std::vector<Remainder> rests_;                    // of supernodes whose parent has not taken them yet
  IntList size_;                                    // unknowns of a position
  IntList place_;                                   // of an unknown in its block
  FrontQueue queue_;
  bool carries_mass_;
  bool names_unconstrained_ = false;  // keeps what it takes to say which unknown is unconstrained
  MemoryPool pool_;
  std::vector<Following> following_;
  std::atomic<int> unconstrained_ = -1;
  StaticCondensation result_;
};

}  // namespace

StaticCondensation condense_statically(const SparseMatrix& stiffness, const SparseMatrix& mass, const MatrixX& loads,
                                       const std::vector<int>& block, const std::vector<int>& kept_blocks,
                                       double least_pivot, double largest_shapes, const std::vector<Vector3>& positions,
                                       const VectorX& level) {
  const BlockGraph graph(stiffness, mass, block);
  std::vector<bool> kept(graph.unknowns.size(), false);
  for (const int b : kept_blocks) kept[b] = true;
  Symbolic symbolic(graph, elimination_order(graph, kept), kept_blocks);
  if (positions.size() == graph.unknowns.size()) {
    const Symbolic dissected(graph, dissected_order(graph, kept, positions), kept_blocks);
    if (dissected.work(graph) < symbolic.work(graph)) symbolic = dissected;
  }
  const VectorX diagonal = stiffness.diagonal();
  return Elimination(stiffness, mass, loads, graph, symbolic, block,
                     {least_pivot, level.size() > 0 ? VectorX(diagonal.cwiseMax(level)) : diagonal}, largest_shapes)
      .run();
}

}  // namespace lithe
