// The stages of an evaluation take no memory from the heap. Eigen allocates with malloc, so malloc itself is counted;
// this program replaces it (glibc), save under a sanitizer, which has its own.
#include <gtest/gtest.h>

#include <atomic>

#include "lithe/kinematics/charts.h"
#include "lithe/kinematics/independent.h"
#include "support/model_builder.h"

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define LITHE_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LITHE_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef LITHE_COUNTS_ALLOCATIONS
#define LITHE_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<long> num_allocations{0};
}

#if LITHE_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(size_t size);
void* malloc(size_t size) {
  num_allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
}
#endif

namespace lithe {
namespace {

void expect_no_allocation(const Model& model) {
  const Mechanism mechanism(model);
  Configuration configuration = unclosed_configuration(mechanism);
  ASSERT_TRUE(close_loops(mechanism, configuration).closed());
  const IndependentCoordinates independent = choose_independent(mechanism, model, configuration);
  KinematicState state(mechanism);
  VelocityMap map(mechanism, independent);
  const VectorX speeds = VectorX::Ones(independent.mobility());
  VectorX rates(mechanism.num_coordinates());
  const long before = num_allocations;
  update_position(mechanism, configuration, state);
  const bool regular = update_map(mechanism, independent, state, map);
  rates.noalias() = map.matrix * speeds;
  update_velocity(mechanism, rates, state);
  update_acceleration(mechanism, rates, state);
  recentre_charts(mechanism, configuration, rates, 0.0);
  const long after = num_allocations;
  EXPECT_EQ(after - before, 0);
  EXPECT_TRUE(regular);
}

TEST(Allocation, IsSeenByTheCounter) {
  if (!LITHE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "allocations are counted by replacing malloc of glibc";
  const long before = num_allocations;
  const VectorX vector = VectorX::Ones(1000);
  EXPECT_GT(vector.sum(), 0);
  EXPECT_GT(num_allocations, before);
}

TEST(Allocation, DoesNotHappenInTheStagesOfATree) { expect_no_allocation(testing::random_tree(16, 3)); }

TEST(Allocation, DoesNotHappenInTheStagesOfLoops) {
  expect_no_allocation(testing::four_bar(4, 1.5, 3.5, 2.5, 0.8));
  expect_no_allocation(testing::ladder(5));
}

}  // namespace
}  // namespace lithe
