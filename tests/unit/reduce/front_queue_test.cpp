#include "lithe/reduce/solvers/front_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <stdexcept>

#include "lithe/reduce/solvers/front_kernels.h"

namespace lithe {
namespace {

// Runs `body` as the only front on so many threads.
template <class Body>
void within_a_front(int threads, Body&& body) {
  FrontQueue queue({-1});
  queue.run(threads, [&](std::size_t, int) { return body(queue), true; });
}

MatrixX random_matrix(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937 random(seed);
  return MatrixX::NullaryExpr(rows, columns, [&] { return 2.0 * random() / 4294967295.0 - 1.0; });
}

MatrixX positive_definite(Eigen::Index n) {
  const MatrixX root = random_matrix(n, n, 7);
  MatrixX matrix = root * root.transpose();
  matrix.diagonal().array() += 1;
  return matrix;
}

TEST(FrontQueue, RunsEveryFrontOnceAfterItsChildren) {
  std::vector<int> parents(300);
  for (int k = 0; k < 300; ++k) parents[k] = k == 299 ? -1 : std::min(299, k + 1 + k % 7);
  for (const int threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> done(parents.size());
    std::atomic<int> too_early = 0;
    FrontQueue(parents).run(threads, [&](std::size_t front, int) {
      for (std::size_t child = 0; child < parents.size(); ++child)
        if (parents[child] == static_cast<int>(front) && done[child] != 1) ++too_early;
      ++done[front];
      return true;
    });
    EXPECT_EQ(too_early, 0);
    EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](const std::atomic<int>& times) { return times == 1; }));
  }
}

TEST(FrontQueue, StopsWhenAFrontFails) {
  std::atomic<int> after = 0;
  FrontQueue({1, 2, 3, -1}).run(3, [&](std::size_t front, int) {
    if (front > 1) ++after;
    return front != 1;
  });
  EXPECT_EQ(after, 0);
}

TEST(FrontQueue, AnExceptionOfAFrontLeavesTheCallWhateverItsThread) {
  for (const int threads : {1, 2, 5})
    for (std::size_t bad = 0; bad < 40; bad += 13) {
      std::vector<int> parents(40, 40);
      parents.push_back(-1);
      FrontQueue queue(parents);
      const auto run = [&](bool fails) {
        std::atomic<int> count = 0;
        queue.run(threads, [&](std::size_t front, int) {
          ++count;
          if (fails && front == bad) throw std::runtime_error("no room");
          return true;
        });
        return count.load();
      };
      EXPECT_THROW(run(true), std::runtime_error);
      EXPECT_EQ(run(false), 41);  // and it can go on
    }
}

TEST(FrontQueue, AnExceptionOfAPartEndsItsFrontWhoeverDidThePart) {
  for (const int threads : {1, 2, 5}) {
    FrontQueue queue({1, -1});
    std::atomic<int> parts = 0, after = 0;
    const auto run = [&] {
      queue.run(threads, [&](std::size_t front, int) {
        if (front == 1) return ++after, true;
        queue.split(200, [&](int part) {
          ++parts;
          if (part % 50 == 7) throw std::bad_alloc();
        });
        return ++after, true;
      });
    };
    EXPECT_THROW(run(), std::bad_alloc);
    EXPECT_GE(parts, 8);
    EXPECT_LT(parts, 200);
    EXPECT_EQ(after, 0);
  }
}

TEST(FrontQueue, DoesEveryPartOfASplitFrontOnceBesideOtherFronts) {
  for (const int threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> times(20 * 50);
    FrontQueue queue({20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, -1});
    queue.run(threads, [&](std::size_t front, int) {
      if (front < 20) queue.split(50, [&](int part) { ++times[50 * front + static_cast<std::size_t>(part)]; });
      return true;
    });
    for (const std::atomic<int>& count : times) EXPECT_EQ(count, 1);
  }
}

TEST(FrontKernels, FactoriseSolveAndUpdate) {
  for (const Eigen::Index n : {1, 40, 385, 700}) {
    const MatrixX matrix = positive_definite(n), rhs = random_matrix(n, 450, 3), square = positive_definite(450);
    within_a_front(2, [&](FrontQueue& queue) {
      MatrixX factor = matrix, lower = rhs, upper = rhs, target = square;
      ASSERT_TRUE(factorise_lower(factor, queue));
      const MatrixX l = factor.triangularView<Eigen::Lower>();
      const double rounding = 4e-16 * static_cast<double>(n) * matrix.norm();
      EXPECT_LT((l * l.transpose() - matrix).norm(), rounding);
      solve_lower(factor, lower, queue);
      solve_upper(factor, upper, queue);
      EXPECT_LT((l * lower - rhs).norm(), rounding * lower.norm());
      EXPECT_LT((l.transpose() * upper - rhs).norm(), rounding * upper.norm());
      subtract_square({target.data(), 450, 450}, rhs, queue);
      const MatrixX difference = target - (square - rhs.transpose() * rhs);
      EXPECT_LT(MatrixX(difference.triangularView<Eigen::Lower>()).norm(), 1e-13 * square.norm());
    });
  }
}

TEST(FrontKernels, ReportAMatrixThatIsNotPositiveDefinite) {
  for (const Eigen::Index n : {3, 900}) {
    MatrixX matrix = positive_definite(n);
    matrix(n - 1, n - 1) = -1;
    within_a_front(2, [&](FrontQueue& queue) { EXPECT_FALSE(factorise_lower(matrix, queue)); });
  }
}

TEST(FrontKernels, GiveTheSameNumbersOnAnyNumberOfThreads) {
  const auto factor_on = [](int threads) {
    MatrixX factor = positive_definite(900), rhs = random_matrix(900, 500, 5);
    within_a_front(threads, [&](FrontQueue& queue) {
      EXPECT_TRUE(factorise_lower(factor, queue));
      solve_lower(factor, rhs, queue);
    });
    return rhs;
  };
  const MatrixX alone = factor_on(1);
  EXPECT_EQ(alone, factor_on(2));
  EXPECT_EQ(alone, factor_on(7));
}

}  // namespace
}  // namespace lithe
