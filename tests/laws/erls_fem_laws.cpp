// ERLS-FEM: the full variant is ERLS-CMS with all modes kept; the published one differs from it at first order in the
// deflection, because its virtual displacement lacks a term (docs/theory/erls_fem.md, section 3).
#include "lithe/formulate/formulation.h"
#include "support/flexible_models.h"
#include "support/motion.h"

namespace lithe {
namespace {

using namespace testing;

TEST(ErlsFem, FullVariantAcceleratesAsErlsCmsWithAllModesKept) {
  Watched cms(spatial_2r(7e10, -1));
  const auto fem = make_equations(spatial_2r(7e10, 2), {.formulation = "erls-fem"});
  ASSERT_EQ(fem->num_coordinates(), cms.equations.num_coordinates());
  State state = fem->initial_state();
  for (int i = 2; i < fem->num_coordinates(); ++i) {
    state.coordinates(i) = 1e-4 * (i % 5 - 2.2);
    state.speeds(i) = 1e-2 * (i % 7 - 3.1);
  }
  const auto workspace = fem->make_workspace();
  Accelerations found;
  ASSERT_EQ(fem->evaluate(state, cms.inputs, *workspace, found), EvaluationStatus::ok);
  ASSERT_EQ(cms.evaluate(state), EvaluationStatus::ok);
  EXPECT_LT((found.values - cms.accelerations.values).norm(), 1e-12 * found.values.norm());
}

double published_difference(double young_modulus, double step) {
  const Model model = spatial_2r(young_modulus, 3);
  ErlsOptions published_options;
  published_options.variant = ErlsVariant::published;
  Watched full(model), published(model, published_options);
  const State a = move(full, full.equations.initial_state(), 0.1, step);
  const State b = move(published, published.equations.initial_state(), 0.1, step);
  return largest_distance(full.positions(a), published.positions(b));
}

// Deflections fall with 1/E: first order is 16-fold, second order 256-fold.
TEST(ErlsFem, PublishedVariantDiffersAtFirstOrderInTheDeflection) {
  const double soft = published_difference(7e9, 2e-4), stiff = published_difference(16 * 7e9, 5e-5);
  RecordProperty("ratio", std::to_string(soft / stiff));
  EXPECT_GT(soft, 1e-6);
  EXPECT_GT(soft / stiff, 5);
  EXPECT_LT(soft / stiff, 60);
}

}  // namespace
}  // namespace lithe
