// The planar equations of [EVO] against the full ones: the same accelerations as long as nothing is deflected, and a
// difference of first order where it is.
#include <gtest/gtest.h>

#include <cmath>

#include "app/reproduce/papers/published_planar.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

Model linkage(const std::string& name) {
  Model model = read_model(std::string(LITHE_MODELS_DIR "/") + name + ".toml");
  for (Link& link : model.links) link.damping = {};
  model.drives.clear();
  return model;
}

// x, y and the rotation of all nodes: velocities or accelerations.
VectorX nodes_of(const Equations& equations, const State& state, const Inputs& inputs, const Accelerations& a,
                 bool accelerations, Workspace& workspace) {
  std::vector<double> values;
  for (std::size_t link = 0; link < equations.model().links.size(); ++link)
    for (int node = 0; node < equations.num_nodes(static_cast<int>(link)); ++node) {
      const NodeMotion m = equations.node_motion(state, inputs, a, static_cast<int>(link), node, workspace);
      const Vector3 line = accelerations ? m.acceleration : m.velocity;
      const Vector3 turn = accelerations ? m.angular_acceleration : m.angular_velocity;
      values.insert(values.end(), {line.x(), line.y(), turn.z()});
    }
  return Eigen::Map<const VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
}

struct Sides {
  explicit Sides(const Model& model)
      : planar(model), full(make_equations(model, {.formulation = "erls-fem"})), inputs(make_inputs(model)) {
    evaluate_inputs(model, 0, inputs);
    planar_work = planar.make_workspace();
    full_work = full->make_workspace();
    none.values.setZero(planar.num_coordinates());
    zeros.values.setZero(full->num_coordinates());
  }
  VectorX velocities(const State& state) { return nodes_of(*full, state, inputs, zeros, false, *full_work); }
  // Accelerations of all nodes, of both.
  std::pair<VectorX, VectorX> accelerations(const State& one, const State& two) {
    Accelerations a = none, b = zeros;
    EXPECT_EQ(planar.evaluate(one, inputs, *planar_work, a), EvaluationStatus::ok);
    EXPECT_EQ(full->evaluate(two, inputs, *full_work, b), EvaluationStatus::ok);
    return {nodes_of(planar, one, inputs, a, true, *planar_work), nodes_of(*full, two, inputs, b, true, *full_work)};
  }
  PublishedPlanar planar;
  std::unique_ptr<Equations> full;
  Inputs inputs;
  std::unique_ptr<Workspace> planar_work, full_work;
  Accelerations none, zeros;
};

// Speeds of the full equations whose nodes move as those of the planar ones do.
State same_speeds(Sides& sides, const State& planar) {
  State state = sides.full->initial_state();
  const VectorX wanted = nodes_of(sides.planar, planar, sides.inputs, sides.none, false, *sides.planar_work);
  MatrixX columns(wanted.size(), sides.full->num_coordinates());
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    state.speeds.setZero();
    state.speeds[k] = 1;
    columns.col(k) = sides.velocities(state);
  }
  state.speeds = shortest_least_squares(columns, wanted);
  EXPECT_LT((columns * state.speeds - wanted).norm(), 1e-8 * wanted.norm());
  return state;
}

TEST(PublishedPlanar, HasTheFullAccelerationsWhereNothingIsDeflected) {
  for (const char* name : {"four_bar", "five_bar"}) {
    Sides sides(linkage(name));
    State state = sides.planar.initial_state();
    const Eigen::Index joints = sides.planar.num_joint_coordinates();
    for (Eigen::Index k = 0; k < state.speeds.size(); ++k)  // u̇ as well: Coriolis forces are those of the paper
      state.speeds[k] =
          k < joints ? 3 - 5.0 * static_cast<double>(k) : 0.05 * std::sin(1.0 + 7.0 * static_cast<double>(k));
    const auto [planar, full] = sides.accelerations(state, same_speeds(sides, state));
    EXPECT_LT((planar - full).norm(), 1e-6 * full.norm()) << name;
  }
}

TEST(PublishedPlanar, MissesInertiaForcesOfTheDeflection) {
  Sides sides(linkage("four_bar"));
  State state = sides.planar.initial_state();
  state.speeds[0] = 30;
  const State full = same_speeds(sides, state);
  const auto difference = [&](double size) {
    State bent = state, same = full;
    // a shape of the full equations that both have: the fastest way to bend the first link
    same.coordinates[sides.full->num_joint_coordinates()] = size;
    VectorX shape(sides.planar.kept().rows());
    Eigen::Index at = 0;
    for (std::size_t link = 0; link < sides.planar.model().links.size(); ++link)
      for (int node = 0; node < sides.planar.num_nodes(static_cast<int>(link)); ++node) {
        const NodeMotion m =
            sides.full->node_motion(same, sides.inputs, sides.zeros, static_cast<int>(link), node, *sides.full_work);
        shape.segment<3>(3 * at++) << m.displacement.x(), m.displacement.y(), m.rotation.z();
      }
    bent.coordinates.tail(sides.planar.kept().cols()) = shortest_least_squares(sides.planar.kept(), shape);
    const auto [a, b] = sides.accelerations(bent, same);
    return (a - b).norm();
  };
  const double large = difference(1e-4), small = difference(1e-5);
  EXPECT_GT(large, 0);
  EXPECT_NEAR(large / small, 10, 1);  // of first order
}

TEST(PublishedPlanar, RefusesWhatThePaperDoesNotHave) {
  Model rigid = linkage("four_bar");
  rigid.links[0].damping.modal_ratios = {0.01};
  EXPECT_THROW(PublishedPlanar{rigid}, InputError);
  const Model spatial = read_model(LITHE_MODELS_DIR "/spatial_3r.toml");
  EXPECT_THROW(PublishedPlanar{spatial}, InputError);
}

}  // namespace
}  // namespace lithe
