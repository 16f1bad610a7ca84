#include "lithe/reduce/solvers/front_kernels.h"

#include <Eigen/Cholesky>
#include <algorithm>

namespace lithe {
namespace {

using Index = Eigen::Index;

// Wide enough for products at full speed, narrow enough for a few parts in a front of a thousand unknowns.
constexpr Index part_width = 192;

int num_parts(Index size) { return static_cast<int>((size + part_width - 1) / part_width); }

struct Range {
  Index from, length;
};

Range part_of(Index size, int part) {
  const Index from = part * part_width;
  return {from, std::min(part_width, size - from)};
}

// target -= left leftᵀ, lower half, by columns; the first parts are the longest.
template <class Target, class Left>
void subtract_square_by_columns(Target& target, const Left& left, FrontQueue& queue) {
  const Index n = target.rows();
  queue.split(num_parts(n), [&](int part) {
    const auto [from, width] = part_of(n, part);
    const Index below = n - from - width;
    target.block(from, from, width, width)
        .template selfadjointView<Eigen::Lower>()
        .rankUpdate(left.middleRows(from, width), -1.0);
    target.block(from + width, from, below, width).noalias() -=
        left.bottomRows(below) * left.middleRows(from, width).transpose();
  });
}

bool factorise_block(Eigen::Ref<MatrixX> block) {
  return Eigen::LLT<Eigen::Ref<MatrixX>>(block).info() == Eigen::Success;
}

}  // namespace

bool factorise_lower(MatrixX& matrix, FrontQueue& queue) {
  const Index n = matrix.rows();
  if (n <= 2 * part_width) return factorise_block(matrix);
  for (Index from = 0; from < n; from += part_width) {
    const Index width = std::min(part_width, n - from), below = n - from - width;
    auto pivot = matrix.block(from, from, width, width);
    if (!factorise_block(pivot)) return false;
    auto panel = matrix.block(from + width, from, below, width);
    queue.split(num_parts(below), [&](int part) {
      const auto [first, length] = part_of(below, part);
      auto rows = panel.middleRows(first, length);
      pivot.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(rows);
    });
    auto rest = matrix.bottomRightCorner(below, below);
    subtract_square_by_columns(rest, panel, queue);
  }
  return true;
}

void solve_lower(const MatrixX& factor, MatrixX& rhs, FrontQueue& queue) {
  queue.split(num_parts(rhs.cols()), [&](int part) {
    const auto [from, width] = part_of(rhs.cols(), part);
    auto columns = rhs.middleCols(from, width);
    factor.triangularView<Eigen::Lower>().solveInPlace(columns);
  });
}

void solve_upper(const MatrixX& factor, MatrixX& rhs, FrontQueue& queue) {
  queue.split(num_parts(rhs.cols()), [&](int part) {
    const auto [from, width] = part_of(rhs.cols(), part);
    auto columns = rhs.middleCols(from, width);
    factor.triangularView<Eigen::Lower>().transpose().solveInPlace(columns);
  });
}

void subtract_square(Eigen::Map<MatrixX> target, const MatrixX& rows, FrontQueue& queue) {
  subtract_square_by_columns(target, rows.transpose(), queue);
}

}  // namespace lithe
