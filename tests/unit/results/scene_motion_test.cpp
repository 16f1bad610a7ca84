#include "lithe/results/scene/scene_motion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

Model l_shape() { return read_model(LITHE_MODELS_DIR "/l_shape.toml"); }

// World position of a node from frames, shapes and coefficients, as the page computes it.
Vector3 drawn_position(const Scene& scene, const SceneMotion& motion, std::size_t link, std::size_t node,
                       std::size_t time) {
  const LinkMotion& moving = motion.links[link];
  const VectorX values = moving.shapes * moving.coefficients.col(static_cast<Eigen::Index>(time));
  const Vector3 displacement = values.segment<3>(3 * static_cast<Eigen::Index>(node));
  return moving.frames[time] * Vector3(scene.links[link].nodes[node].position + displacement);
}

Trajectory short_motion(const Equations& equations) {
  SimulateOptions options;
  options.end_time = 0.2;
  options.output_step = 0.002;
  return simulate(equations, equations.initial_state(), options);
}

TEST(SceneMotion, PutsEveryNodeWhereTheFormulationHasIt) {
  for (const char* file : {LITHE_MODELS_DIR "/l_shape.toml", LITHE_MODELS_DIR "/four_bar.toml"}) {
    const auto equations = make_equations(read_model(file));
    const Scene scene = make_scene(equations->model());
    const Trajectory motion = short_motion(*equations);
    const SceneMotion seen = sample_motion(*equations, motion);
    ASSERT_EQ(seen.times.size(), motion.states.size());
    const auto workspace = equations->make_workspace();
    Inputs inputs = make_inputs(equations->model());
    Accelerations none;
    none.values = VectorX::Zero(equations->num_coordinates());
    for (const std::size_t time : {std::size_t{0}, seen.times.size() / 2, seen.times.size() - 1}) {
      evaluate_inputs(equations->model(), seen.times[time], inputs);
      for (std::size_t link = 0; link < scene.links.size(); ++link)
        for (std::size_t node = 0; node < scene.links[link].nodes.size(); ++node) {
          const NodeMotion expected = equations->node_motion(motion.states[time], inputs, none, static_cast<int>(link),
                                                             static_cast<int>(node), *workspace);
          // The shapes leave out what is below the tolerance of 1e-7 of the size.
          EXPECT_LT((drawn_position(scene, seen, link, node, time) - expected.position).norm(),
                    2e-7 * scene_size(scene))
              << file << ", link " << link << ", node " << node;
        }
    }
  }
}

TEST(SceneMotion, NeedsFewShapes) {
  const auto equations = make_equations(l_shape());
  const SceneMotion seen = sample_motion(*equations, short_motion(*equations));
  // At most the link's elastic modes and six rigid motions.
  EXPECT_LE(seen.links[0].shapes.cols(), equations->num_coordinates() + 6);
  EXPECT_GE(seen.links[0].shapes.cols(), 2);
}

TEST(SceneMotion, KeepsTheLastInstantWhenItThinsOut) {
  const auto equations = make_equations(l_shape());
  const Trajectory motion = short_motion(*equations);
  SampleOptions options;
  options.max_frames = 7;
  const SceneMotion seen = sample_motion(*equations, motion, options);
  EXPECT_LE(seen.times.size(), 8U);
  EXPECT_EQ(seen.times.back(), motion.times.back());
  EXPECT_EQ(seen.links[0].frames.size(), seen.times.size());
  EXPECT_EQ(static_cast<std::size_t>(seen.links[0].coefficients.cols()), seen.times.size());
}

// Held by its motor, the arm's root carries the weight's moment: the brake's torque is the oracle. The element's forces
// differ from the section's by the weight on the element itself, w L_e²/12 of bending, and the brake feels the weight
// where it sags to, not where the straight arm would have it.
TEST(SceneMotion, RootMomentOfAHeldArmIsTheBrakesTorque) {
  const auto equations = make_equations(l_shape(), {.formulation = "erls-fem"});
  EquilibriumOptions hold;
  hold.hold_all_joints = true;
  const Equilibrium found = equilibrium(*equations, equations->initial_state(), hold);
  ASSERT_TRUE(found.converged) << found.message;
  const SceneMotion seen = sample_configuration(*equations, found.state);
  ASSERT_TRUE(seen.links[0].strained);
  const Scene scene = make_scene(equations->model());
  const VectorX values = seen.links[0].shapes * seen.links[0].coefficients;
  const auto loads = 6 * static_cast<Eigen::Index>(scene.links[0].nodes.size());
  const ScenePiece& first = scene.links[0].pieces[0];
  ASSERT_EQ(first.from, 0);  // the root, where the motor is; the beam's y axis is the motor's
  ASSERT_NEAR(std::abs(first.axes.col(1).y()), 1, 1e-12);
  const double weight_per_length = 2700 * 0.008 * 0.008 * 9.81, element = 0.5 / 8,
               weight = weight_per_length + 0.017 * 9.81;
  const double sag = values.segment<3>(3 * 2).norm();
  ASSERT_LT(sag, 1e-2);
  EXPECT_NEAR(std::abs(values(loads + 2)), std::abs(found.holding_forces[0]),
              weight_per_length * element * element / 12 + weight * sag);
  EXPECT_GT(std::abs(found.holding_forces[0]), 0.1);
}

TEST(ModeSet, GivesTheShapesOfTheModes) {
  const auto equations = make_equations(l_shape());
  const State start = equations->initial_state();
  const MechanismModes modes = mechanism_modes(*equations, start).modes;
  const ModeSet set = mechanism_mode_set(*equations, start, modes, 4);
  ASSERT_EQ(set.frequencies.size(), 4U);
  EXPECT_EQ(set.numbers.front(), 1);
  const Eigen::Index node = 2;  // the tip
  for (int k = 0; k < 4; ++k) {
    const Vector3 in_link = set.modes[0].block<3, 1>(3 * node, k);
    EXPECT_LT((set.link_poses[0].rotation * in_link - modes.translations[0].block<3, 1>(3 * node, k)).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace lithe
