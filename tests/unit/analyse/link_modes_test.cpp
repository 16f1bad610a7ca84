#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/analyse/modes/modes.h"
#include "lithe/base/diagnostics.h"

namespace lithe {
namespace {

// A rod along x with different stiffness in its two bending planes.
struct Rod {
  double length = 0.8, width = 0.012, height = 0.02, density = 7800, young = 2.1e11, shear = 0.8e11;
  double area() const { return width * height; }
  double second_moment_y() const { return width * std::pow(height, 3) / 12; }
  double second_moment_z() const { return height * std::pow(width, 3) / 12; }
};

Model model_of(const Rod& rod, int num_elements) {
  Model model;
  model.materials.push_back({"steel", rod.density, rod.young, rod.shear});
  Section section;
  section.area = rod.area();
  section.second_moment_y = rod.second_moment_y();
  section.second_moment_z = rod.second_moment_z();
  section.torsion_constant = 1e-8;
  model.sections.push_back(section);
  Link link;
  link.name = "rod";
  link.nodes = {{"left", Vector3::Zero()}, {"right", Vector3(rod.length, 0, 0)}};
  BeamSegment segment;
  segment.to = 1;
  segment.num_elements = num_elements;
  segment.theory = BeamTheory::euler_bernoulli;
  link.segments.push_back(segment);
  model.links.push_back(link);
  return model;
}

// f = λ² / (2π L²) sqrt(E I / (ρ A)) of a slender rod, I the smaller second moment (here Iz).
double slender(const Rod& rod, double lambda) {
  return lambda * lambda / (2 * std::numbers::pi * rod.length * rod.length) *
         std::sqrt(rod.young * rod.second_moment_z() / (rod.density * rod.area()));
}

// First bending mode with slender-rod eigenvalue λ and derivative factor s = L² ∫φ'² / ∫φ². Rotary inertia, which the
// element has and the slender rod has not, lowers the frequency by s (r / L)² / 2 to first order (Rayleigh), r² = I /
// A; cubic elements of size h raise it by (λ h / L)⁴ / 1440.
void expect_first_bending(const Rod& rod, const LinkModes& modes, double lambda, double jacobian_factor,
                          int num_elements) {
  const double rotary = jacobian_factor * rod.second_moment_z() / rod.area() / (rod.length * rod.length) / 2;
  const double mesh = std::pow(lambda / num_elements, 4) / 1440;
  EXPECT_NEAR(modes.frequencies(0) / slender(rod, lambda), 1 - rotary + mesh, mesh / 2 + 2 * rotary * rotary);
}

TEST(LinkModes, ClampedRodBendsLikeTheCantileverOfTheTextbook) {
  const Rod rod;
  LinkModesOptions options;
  options.clamped_nodes = {0};
  const LinkModes modes = link_modes(model_of(rod, 16), 0, options);
  EXPECT_EQ(modes.num_rigid, 0);
  expect_first_bending(rod, modes, 1.875104068711961, 4.6478, 16);
}

TEST(LinkModes, FreeRodHasSixRigidMotionsAndTheTextbookFrequency) {
  const Rod rod;
  const LinkModes modes = link_modes(model_of(rod, 16), 0);
  EXPECT_EQ(modes.num_rigid, 6);
  EXPECT_EQ(modes.number_of(0), 7);
  expect_first_bending(rod, modes, 4.730040744862704, 49.4808, 16);
}

TEST(LinkModes, RodHeldAtBothEndsKeepsTheEndsStill) {
  const Rod rod;
  LinkModesOptions options;
  options.clamped_nodes = {0, 1};
  options.count = 3;
  const LinkModes modes = link_modes(model_of(rod, 8), 0, options);
  ASSERT_EQ(modes.num_modes(), 3);
  EXPECT_EQ(modes.translations.topRows(6).norm(), 0);
  EXPECT_EQ(modes.rotations.topRows(6).norm(), 0);
  EXPECT_GT(modes.translations.norm(), 0);
  expect_first_bending(rod, modes, 4.730040744862704, 12.3026, 8);
}

TEST(LinkModes, SparseAndDenseSolversAgreeOnALargeMesh) {
  const Rod rod;
  LinkModesOptions options;
  options.clamped_nodes = {0};
  options.count = 4;
  const LinkModes large = link_modes(model_of(rod, 120), 0, options);  // 720 dofs: sparse
  const LinkModes small = link_modes(model_of(rod, 60), 0, options);   // 360 dofs: dense
  ASSERT_EQ(large.num_modes(), 4);
  // Bending converges with the fourth power of the element size: the meshes agree far below 1e-6.
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(large.frequencies(k) / small.frequencies(k), 1, 1e-6) << k;
}

TEST(LinkModes, GivesAllModesWhenMoreAreWanted) {
  LinkModesOptions options;
  options.count = 1000;
  EXPECT_EQ(link_modes(model_of(Rod{}, 2), 0, options).num_modes(), 3 * 6 - 6);
}

TEST(LinkModes, RefusesWhatCannotBe) {
  Model model = model_of(Rod{}, 2);
  LinkModesOptions unknown_node;
  unknown_node.clamped_nodes = {7};
  EXPECT_THROW(link_modes(model, 0, unknown_node), InputError);
  LinkModesOptions none;
  none.count = 0;
  EXPECT_THROW(link_modes(model, 0, none), InputError);
  model.links[0].rigid = true;
  EXPECT_THROW(link_modes(model, 0), InputError);
}

}  // namespace
}  // namespace lithe
