// At rest a corotational beam has the mass and stiffness of the linear element: it agrees with the other formulations
// on any mesh, and in motion up to terms of second order in the deflection.
#include "lithe/analyse/modes.h"
#include "support/formulations.h"

namespace lithe::testing {
namespace {

VectorX frequencies(const Model& model, const char* formulation) {
  const auto equations = make_equations(model, {.formulation = formulation});
  const ModesResult found = mechanism_modes(*equations, equations->initial_state(), 12);
  EXPECT_GE(found.modes.num_modes(), 12) << formulation;
  return found.modes.frequencies.head(12);
}

TEST(CorotationalAtRest, HasTheFrequenciesOfLinearElementsOnTheCoarsestMesh) {
  for (const BeamTheory theory : {BeamTheory::euler_bernoulli, BeamTheory::timoshenko, BeamTheory::linear_timoshenko})
    for (const MassModel mass : {MassModel::consistent, MassModel::lumped}) {
      Model model = l_shape(7e10, 1);
      model.gravity.setZero();
      for (Joint& joint : model.joints) joint.initial_speed = {0};
      for (BeamSegment& segment : model.links[0].segments) segment.theory = theory, segment.mass_model = mass;
      model.sections[0].shear_factor_y = model.sections[0].shear_factor_z = 0.85;
      const VectorX linear = frequencies(model, "erls-fem"), ours = frequencies(model, "corotational");
      // rounding of the largest stiffness shows in the lowest frequencies
      for (int k = 0; k < 12; ++k)
        EXPECT_NEAR(ours[k], linear[k], 1e-9 * linear[k] + 1e-6) << static_cast<int>(theory) << " mode " << k;
    }
}

// Over the same number of vibrations: a frequency that is off at second order adds up with every one of them.
TEST(CorotationalInMotion, DiffersFromErlsAtSecondOrderOnACoarseMesh) {
  double difference[2];
  for (const int stiff : {0, 1}) {
    const Model model = with_tips(spatial_2r(stiff ? 16 * 7e10 : 7e10, -1));
    const RunSettings settings{.tolerance = stiff ? 1e-10 : 1e-8, .samples = 10};
    const double end = stiff ? 0.005 : 0.02;
    difference[stiff] =
        largest_difference(run(model, {}, end, settings), run(model, {.formulation = "corotational"}, end, settings));
  }
  EXPECT_GT(difference[0], 1e-7);
  EXPECT_GT(difference[0] / difference[1], 100);
}

}  // namespace
}  // namespace lithe::testing
