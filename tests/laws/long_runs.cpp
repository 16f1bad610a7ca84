// Energy over many fixed steps (100,000 for an arm): conserved to the integrator's order, without drift of the
// equations' own.
#include <fstream>

#include "support/flexible_models.h"
#include "support/motion.h"

namespace lithe {
namespace {

using namespace testing;

struct EnergyRecord {
  double largest = 0;  // |E - E0| over the run, relative to the scale
};

// Relative to the energy that moves: kinetic and elastic at the start plus the fall's.
EnergyRecord energy_over(Watched& system, long steps, double step) {
  State state = system.equations.initial_state();
  for (int i = system.equations.num_joint_coordinates(); i < system.equations.num_coordinates(); ++i)
    state.coordinates(i) = 1e-4;
  const double start = system.energy(state);
  const Energies parts = system.equations.energies(state, system.inputs, *system.workspace);
  const double scale = parts.kinetic + parts.elastic, end = static_cast<double>(steps) * step;
  EnergyRecord record;
  long count = 0;
  move_watched(system, state, end, step, [&](const State& now) {
    if (++count % 50 != 0) return;
    record.largest = std::max(record.largest, std::abs(system.energy(now) - start) / scale);
  });
  EXPECT_GE(count, steps);
  return record;
}

// Twice the step makes the error 2^5 as large for a method of order 5; rounding adds eps per step.
void expect_fifth_order(Watched& system, long steps, double step) {
  const EnergyRecord fine = energy_over(system, steps, step);
  const EnergyRecord coarse = energy_over(system, steps / 2, 2 * step);
  ::testing::Test::RecordProperty("energy_error", std::to_string(fine.largest * 1e9) + "e-9");
  EXPECT_LT(fine.largest, 1e-7);
  EXPECT_GT(coarse.largest, 20 * (fine.largest - static_cast<double>(steps) * 2.2e-16));
}

TEST(EnergyOver100000Steps, OfASpatialArmWithFlexibleLinksIsConservedToTheMethodsOrder) {
  Watched system(spatial_2r(7e9, 2));
  expect_fifth_order(system, 100000, 1e-4);
}

// An overconstrained loop with a flexible coupler.
TEST(EnergyOver100000Steps, OfAFourBarWithAFlexibleCouplerIsConservedToTheMethodsOrder) {
  Model model = flexible_four_bar(7e9, true);
  for (Link& link : model.links) link.reduction.num_kept_modes = link.name == "coupler" ? 1 : 0;
  Watched system(model);
  expect_fifth_order(system, 100000, 1e-4);
}

long resident_pages() {
  long total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident;
}

// Ten times longer at steps small enough for rounding to show if it could: no drift, no memory.
TEST(AMillionSteps, OfAFlexibleArmNeitherDriftNorGrowInMemory) {
  Watched system(spatial_2r(7e9, 1));
  State state = system.equations.initial_state();
  const double start = system.energy(state);
  const Energies parts = system.equations.energies(state, system.inputs, *system.workspace);
  const double step = 5e-5;
  long count = 0, early_pages = 0;
  double largest = 0;
  move_watched(system, state, 1000000 * step, step, [&](const State& now) {
    if (++count == 100000) early_pages = resident_pages();
    if (count % 1000 == 0) largest = std::max(largest, std::abs(system.energy(now) - start));
  });
  EXPECT_GE(count, 1000000);
  EXPECT_LT(largest / (parts.kinetic + parts.elastic), 1e-8);
  EXPECT_LE(resident_pages(), early_pages + 64);  // 256 KiB
}

}  // namespace
}  // namespace lithe
