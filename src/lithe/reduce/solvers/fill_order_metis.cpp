#include "lithe/reduce/solvers/fill_order_metis.h"

#include <metis.h>

#include <algorithm>
#include <numeric>

namespace lithe {
namespace {

// Rows below the diagonal in one column.
struct RowsBelow {
  const int* begin;
  const int* end;
};

RowsBelow rows_below(const SparseMatrix& matrix, int column) {
  const int* const rows = matrix.innerIndexPtr();
  const int* const first = rows + matrix.outerIndexPtr()[column];
  const int* const last =
      matrix.isCompressed() ? rows + matrix.outerIndexPtr()[column + 1] : first + matrix.innerNonZeroPtr()[column];
  return {std::upper_bound(first, last, column), last};
}

// The first unknown of each vertex, and their number at the end. Column c + 1 belongs to the vertex of c when below it
// stands what stands below c.
std::vector<int> vertices(const SparseMatrix& matrix) {
  std::vector<int> first;
  const auto size = static_cast<int>(matrix.cols());
  for (int column = 0; column < size; ++column) {
    if (column > 0) {
      const RowsBelow last = rows_below(matrix, column - 1), here = rows_below(matrix, column);
      const bool linked = last.begin != last.end && *last.begin == column;
      if (linked && std::equal(last.begin + 1, last.end, here.begin, here.end)) continue;
    }
    first.push_back(column);
  }
  first.push_back(size);
  return first;
}

struct Graph {
  std::vector<idx_t> starts, neighbours, weights;
};

Graph graph_of(const SparseMatrix& matrix, const std::vector<int>& first) {
  const std::size_t count = first.size() - 1;
  std::vector<int> vertex_of(static_cast<std::size_t>(matrix.cols()));
  for (std::size_t v = 0; v < count; ++v)
    std::fill(vertex_of.begin() + first[v], vertex_of.begin() + first[v + 1], static_cast<int>(v));
  // Every edge once from its lower end, then in both directions.
  const auto each_edge = [&](const auto& action) {
    for (std::size_t v = 0; v < count; ++v) {
      const RowsBelow rows = rows_below(matrix, first[v]);
      int last = static_cast<int>(v);
      for (const int* row = rows.begin; row != rows.end; ++row) {
        const int other = vertex_of[static_cast<std::size_t>(*row)];
        if (other != last) action(v, static_cast<std::size_t>(other));
        last = other;
      }
    }
  };
  Graph graph;
  graph.starts.assign(count + 1, 0);
  each_edge([&](std::size_t a, std::size_t b) { ++graph.starts[a + 1], ++graph.starts[b + 1]; });
  std::partial_sum(graph.starts.begin(), graph.starts.end(), graph.starts.begin());
  graph.neighbours.resize(static_cast<std::size_t>(graph.starts.back()));
  std::vector<idx_t> next(graph.starts.begin(), graph.starts.end() - 1);
  each_edge([&](std::size_t a, std::size_t b) {
    graph.neighbours[static_cast<std::size_t>(next[a]++)] = static_cast<idx_t>(b);
    graph.neighbours[static_cast<std::size_t>(next[b]++)] = static_cast<idx_t>(a);
  });
  for (std::size_t v = 0; v < count; ++v) graph.weights.push_back(first[v + 1] - first[v]);
  return graph;
}

}  // namespace

std::vector<int> nested_dissection(const SparseMatrix& matrix) {
  if (matrix.cols() == 0) return {};
  const std::vector<int> first = vertices(matrix);
  Graph graph = graph_of(matrix, first);
  auto count = static_cast<idx_t>(first.size() - 1);
  std::vector<idx_t> old_of_new(first.size() - 1), new_of_old(first.size() - 1);
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  const int status = METIS_NodeND(&count, graph.starts.data(), graph.neighbours.data(), graph.weights.data(), options,
                                  old_of_new.data(), new_of_old.data());
  if (status != METIS_OK) return {};
  std::vector<int> place(static_cast<std::size_t>(matrix.cols()));
  int next = 0;
  for (const idx_t vertex : old_of_new)
    for (int unknown = first[static_cast<std::size_t>(vertex)]; unknown < first[static_cast<std::size_t>(vertex) + 1];
         ++unknown)
      place[static_cast<std::size_t>(unknown)] = next++;
  return place;
}

}  // namespace lithe
