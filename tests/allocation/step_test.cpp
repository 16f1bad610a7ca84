// No heap calls inside step() and interpolate(): operator new and malloc-based Eigen allocation are counted.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "allocation/heap_calls.h"
#include "support/small_systems.h"

extern "C" void* __libc_malloc(std::size_t);
// Eigen allocates with malloc, the standard library with operator new, which calls malloc: one hook sees both.
extern "C" void* malloc(std::size_t size) {
  lithe::testing::heap_calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}

namespace lithe {
namespace {

using namespace lithe::testing;

TEST(HeapCounter, SeesBothEigenAndTheStandardLibrary) {
  long before = heap_calls;
  VectorX v(100);
  v.setZero();
  EXPECT_GT(heap_calls, before);
  before = heap_calls;
  std::vector<double> w(100);
  EXPECT_GT(heap_calls, before);
  EXPECT_EQ(v[0], w[0]);
}

class EveryIntegrator : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Core, EveryIntegrator, ::testing::Values("dormand_prince", "generalised_alpha", "exponential"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST_P(EveryIntegrator, StepsAndInterpolatesWithoutTheHeap) {
  const RotatingBeam equations(24, 8);
  State start = equations.initial_state(), inside = start;
  start.coordinates[0] = 1;
  IntegratorOptions options;
  options.tolerance = 1e-5;
  options.scales = equations.tip_scales();
  const auto integrator = make_integrator(GetParam(), system_of(equations), options);
  ASSERT_TRUE(integrator->start(start).ok());
  const long before = heap_calls;
  const long linearised = integrator->counters().linearisations;
  bool ok = true;
  for (int i = 0; ok && i < 200; ++i) {
    ok = integrator->step(10).ok();
    integrator->interpolate(0.5 * (integrator->previous().time + integrator->state().time), inside);
  }
  const long after = heap_calls;
  EXPECT_TRUE(ok);
  // The beam's own linearise() makes one temporary vector.
  EXPECT_EQ(after - before, integrator->counters().linearisations - linearised);
}

}  // namespace
}  // namespace lithe
