// What a section of a beam carries: the cut beside a node, with the element's own mass and weight.
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

struct Wrench {
  Vector3 force = Vector3::Constant(NAN), moment = force;
};

Wrench section(Formulated& system, int link, int node) {
  Wrench result;
  EXPECT_TRUE(system.equations->section_load(system.state, system.inputs, system.accelerations, link, node,
                                             result.force, result.moment, *system.workspace));
  return result;
}

Wrench reaction(Formulated& system, int joint) {
  Wrench result;
  EXPECT_TRUE(system.equations->reaction(system.state, system.inputs, system.accelerations, joint, result.force,
                                         result.moment, *system.workspace));
  return result;
}

const std::vector<std::string> formulations = {"erls-cms", "erls-fem", "floating-frame", "corotational",
                                               "transfer-functions"};

Model cantilever(int elements, MassModel mass_model) {
  FlexibleBuilder b(7e10);
  const int beam = b.beam("beam", {{0, 0, 0}, {0.6, 0, 0}}, elements);
  for (BeamSegment& segment : b.model().links[beam].segments) segment.mass_model = mass_model;
  b.hinge("wall", JointType::fixed, -1, {0, 0, 0}, beam, {0, 0, 0}, Vector3::UnitZ());
  return b.model();
}

// A beam at rest under its weight: all of it at the root, nothing at the tip, on any mesh.
TEST(SectionLaws, ABeamUnderItsWeightCarriesItAtTheRootAndNothingAtTheTip) {
  for (const std::string& formulation : formulations)
    for (const int elements : {1, 2, 4})
      for (const MassModel mass_model : {MassModel::consistent, MassModel::lumped}) {
        // There a lumped element's mass belongs to the nodes, beyond its sections.
        if (formulation == "transfer-functions" && mass_model == MassModel::lumped) continue;
        Formulated system(cantilever(elements, mass_model), {.formulation = formulation});
        EquilibriumOptions options;
        options.tolerance = 1e-12;
        const Equilibrium found = equilibrium(*system.equations, system.state, options);
        ASSERT_TRUE(found.converged) << found.message;
        system.state = found.state;
        const Wrench wall = reaction(system, 0), root = section(system, 0, 0), tip = section(system, 0, 1);
        // Places of nodes are rounded to 1e-16 m, and an element answers to its elongation with 5e7 N/m.
        const double weight = wall.force.norm();
        EXPECT_GT(weight, 0.1);
        const std::string what = formulation + " " + std::to_string(elements);
        EXPECT_NEAR(root.force.norm(), weight, 1e-8 * weight) << what;
        EXPECT_NEAR(root.moment.norm(), wall.moment.norm(), 1e-8 * weight) << what;
        EXPECT_LT(tip.force.norm(), 1e-8 * weight) << what;
        EXPECT_LT(tip.moment.norm(), 1e-8 * weight) << what;
      }
}

// Small deformations and their rates beside the motion of the joints.
void shake(Formulated& system, double amplitude) {
  for (Eigen::Index k = 0; k < system.state.coordinates.size(); ++k) {
    const double shape = std::sin(5 + 1.7 * static_cast<double>(k * k + k));
    system.state.coordinates[k] += amplitude * shape;
    system.state.speeds[k] += 100 * amplitude * std::cos(3 * shape);
  }
  if (dynamic_cast<const ConstrainedEquations*>(system.equations.get()) != nullptr)
    for (int k = 0; k < 3; ++k) system.equations->accept(system.state, system.inputs, *system.workspace);
  system.evaluate();
}

// With all modes: the section at the inboard node carries the joint's force, the free tip nothing.
TEST(SectionLaws, InMotionTheInboardSectionCarriesTheJointsForce) {
  for (const std::string& formulation : formulations)
    for (const double damping : {0.0, 1e-4}) {
      Model model = spatial_2r(2e9, -1);
      for (Link& link : model.links) link.damping.stiffness_factor = damping;
      Formulated system(model, {.formulation = formulation});
      shake(system, 1e-5);
      const Wrench shoulder = reaction(system, 0), elbow = reaction(system, 1), upper = section(system, 0, 0),
                   fore = section(system, 1, 0), tip = section(system, 1, 2);
      const double scale = shoulder.force.norm() + elbow.force.norm();
      const std::string what = formulation + (damping > 0 ? " damped" : "");
      EXPECT_GT(elbow.force.norm(), 0.1) << what;
      EXPECT_NEAR(upper.force.norm(), shoulder.force.norm(), 1e-8 * scale) << what;
      EXPECT_NEAR(fore.force.norm(), elbow.force.norm(), 1e-8 * scale) << what;
      EXPECT_LT(tip.force.norm(), 1e-8 * scale) << what;
      EXPECT_LT(tip.moment.norm(), 1e-8 * scale) << what;
    }
}

}  // namespace
}  // namespace lithe
