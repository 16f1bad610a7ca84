#include "lithe/formulate/numerics/envelope_cholesky.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lithe {

void EnvelopeCholesky::set_structure(const std::vector<int>& first) {
  first_ = first;
  start_.resize(first.size());
  int size = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    start_[i] = size - first[i];
    size += static_cast<int>(i) - first[i] + 1;
  }
  matrix_ = VectorX::Zero(size);
  factor_ = VectorX::Zero(size);
}

double EnvelopeCholesky::factorise(double shift) {
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < size(); ++i) {
    double* row = factor_.data() + start_[i];
    const double* source = matrix_.data() + start_[i];
    for (int j = first_[i]; j < i; ++j) {
      const double* other = factor_.data() + start_[j];
      const int from = std::max(first_[i], first_[j]);
      double sum = source[j];
      for (int k = from; k < j; ++k) sum -= row[k] * other[k];
      row[j] = sum / other[j];
    }
    const double diagonal = source[i] * (1 + shift);
    double pivot = diagonal;
    for (int k = first_[i]; k < i; ++k) pivot -= row[k] * row[k];
    smallest = std::min(smallest, pivot / diagonal);
    if (!(pivot > 0)) return 0;
    row[i] = std::sqrt(pivot);
  }
  return smallest;
}

void EnvelopeCholesky::solve(Eigen::Ref<VectorX> x) const {
  for (int i = 0; i < size(); ++i) {
    const double* row = factor_.data() + start_[i];
    double sum = x[i];
    for (int k = first_[i]; k < i; ++k) sum -= row[k] * x[k];
    x[i] = sum / row[i];
  }
  for (int i = size() - 1; i >= 0; --i) {
    const double* row = factor_.data() + start_[i];
    x[i] /= row[i];
    const double value = x[i];
    for (int k = first_[i]; k < i; ++k) x[k] -= row[k] * value;
  }
}

void EnvelopeCholesky::multiply(const VectorX& x, VectorX& result) const {
  for (int i = 0; i < size(); ++i) result[i] = 0;
  for (int i = 0; i < size(); ++i) {
    const double* row = matrix_.data() + start_[i];
    double sum = row[i] * x[i];
    for (int k = first_[i]; k < i; ++k) {
      sum += row[k] * x[k];
      result[k] += row[k] * x[i];
    }
    result[i] += sum;
  }
}

namespace {

// Vertices of one connected part, breadth first from `start`, few neighbours first.
void append_part(const std::vector<std::vector<int>>& neighbours, int start, std::vector<char>& seen,
                 std::vector<int>& order) {
  const std::size_t begin = order.size();
  order.push_back(start);
  seen[start] = 1;
  for (std::size_t at = begin; at < order.size(); ++at) {
    const std::size_t first_new = order.size();
    for (const int next : neighbours[order[at]])
      if (!seen[next]) {
        seen[next] = 1;
        order.push_back(next);
      }
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(first_new), order.end(), [&](int a, int b) {
      return neighbours[a].size() != neighbours[b].size() ? neighbours[a].size() < neighbours[b].size() : a < b;
    });
  }
}

}  // namespace

std::vector<int> narrow_order(const std::vector<std::vector<int>>& neighbours) {
  const int n = static_cast<int>(neighbours.size());
  std::vector<char> seen(n, 0);
  std::vector<int> order;
  for (int start = 0; start < n; ++start) {
    if (seen[start]) continue;
    // The last vertex of a search from anywhere is far out: begin there.
    std::vector<char> probe_seen = seen;
    std::vector<int> probe;
    append_part(neighbours, start, probe_seen, probe);
    append_part(neighbours, probe.back(), seen, order);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace lithe
