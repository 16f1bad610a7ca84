// States at which a mechanism cannot be placed: its observers say why and give no numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "app/reproduce/papers/published_planar.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

// Bars of 250, 300 and 250 mm over 500 mm: the crank reaches its pin up to about 96 degrees.
Model short_four_bar() {
  return read_model_text(R"(
lithe = 1
gravity = [0, -9.81, 0]
[materials.steel]
density = 7800
young_modulus = "200 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = "10 mm"
height = "20 mm"
[[links]]
name = "crank"
nodes = {a = [0, 0, 0], b = [0.25, 0, 0]}
path = ["a", "b"]
material = "steel"
section = "bar"
[[links]]
name = "coupler"
nodes = {a = [0, 0, 0], b = [0.3, 0, 0]}
path = ["a", "b"]
material = "steel"
section = "bar"
[[links]]
name = "rocker"
nodes = {a = [0, 0, 0], b = [0.25, 0, 0]}
path = ["a", "b"]
material = "steel"
section = "bar"
[[joints]]
name = "bearing"
child = "crank"
child_node = "a"
value = "60 deg"
independent = true
[[joints]]
name = "pin"
parent = "crank"
parent_node = "b"
child = "coupler"
child_node = "a"
guess = -0.9745
[[joints]]
name = "far bearing"
parent_point = [0.5, 0, 0]
child = "rocker"
child_node = "a"
guess = 1.8788
[[joints]]
name = "far pin"
parent = "coupler"
parent_node = "b"
child = "rocker"
child_node = "b"
guess = 1.806
cut = true
)",
                         "short_four_bar.toml");
}

struct Observer {
  explicit Observer(const FormulationChoice& choice) : Observer(make_equations(short_four_bar(), choice)) {}
  explicit Observer(std::unique_ptr<Equations> made)
      : model(made->model()),
        equations(std::move(made)),
        workspace(equations->make_workspace()),
        inputs(make_inputs(model)),
        state(equations->initial_state()) {
    evaluate_inputs(model, 0, inputs);
    still.values.setZero(equations->num_coordinates());
  }
  Energies energies() { return equations->energies(state, inputs, *workspace); }
  NodeMotion tip() { return equations->node_motion(state, inputs, still, 1, 1, *workspace); }
  SignalValue pin() { return equations->joint_motion(state, inputs, still, 1, 0, *workspace); }

  Model model;
  std::unique_ptr<Equations> equations;
  std::unique_ptr<Workspace> workspace;
  Inputs inputs;
  State state;
  Accelerations still;
};

void expect_unknown_where_it_cannot_be_placed(Observer& o) {
  EXPECT_EQ(o.energies().status, EvaluationStatus::ok);
  EXPECT_TRUE(std::isfinite(o.energies().total()));
  EXPECT_EQ(o.tip().status, EvaluationStatus::ok);
  EXPECT_TRUE(o.tip().position.allFinite() && o.tip().displacement.allFinite());
  EXPECT_TRUE(std::isfinite(o.pin().value));

  o.state.coordinates[0] = std::numbers::pi;
  EXPECT_EQ(o.energies().status, EvaluationStatus::loop_not_closed);
  EXPECT_TRUE(std::isnan(o.energies().total()));
  EXPECT_EQ(o.tip().status, EvaluationStatus::loop_not_closed);
  EXPECT_TRUE(std::isnan(o.tip().position.x()) && std::isnan(o.tip().orientation(0, 0)));
  std::vector<NodeMotion> all;
  o.equations->node_motions(o.state, o.inputs, o.still, 1, all, *o.workspace);
  for (const NodeMotion& node : all) EXPECT_EQ(node.status, EvaluationStatus::loop_not_closed);
  EXPECT_TRUE(std::isnan(o.pin().value) && std::isnan(o.pin().rate) && std::isnan(o.pin().acceleration));
}

TEST(AMechanismThatCannotBePlaced, IsObservedAsUnknown) {
  for (const char* formulation : {"erls-cms", "erls-fem", "transfer-functions"}) {
    SCOPED_TRACE(formulation);
    Observer o({.formulation = formulation});
    expect_unknown_where_it_cannot_be_placed(o);
  }
  SCOPED_TRACE("planar equations of [EVO]");
  Observer o(std::make_unique<PublishedPlanar>(short_four_bar()));
  expect_unknown_where_it_cannot_be_placed(o);
}

// Frames of their own carry the links anywhere; but displacements are counted from the rigid mechanism.
TEST(AMechanismThatCannotBePlaced, HasNoDisplacementsInAbsoluteCoordinates) {
  Observer o({.formulation = "floating-frame"});
  ASSERT_EQ(o.tip().status, EvaluationStatus::ok);
  o.state.coordinates[5] += std::numbers::pi * 2 / 3;  // the crank's rotation about z
  EXPECT_EQ(o.tip().status, EvaluationStatus::loop_not_closed);
  EXPECT_TRUE(o.tip().displacement.array().isNaN().all());
  EXPECT_TRUE(o.tip().position.allFinite());
}

}  // namespace
}  // namespace lithe
