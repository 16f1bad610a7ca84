// Geometric stiffening link by link: what has it, what cannot have it and is told so, and links that fixed joints make
// one body.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/analyse/analyses.h"
#include "lithe/analyse/observe/link_neighbours.h"
#include "lithe/base/diagnostics.h"
#include "lithe/formulate/contract/link_stiffening.h"
#include "lithe/formulate/links/held_link.h"
#include "lithe/read/read_model.h"
#include "lithe/reduce/portable_body.h"
#include "support/flexible_models.h"
#include "support/formulations.h"
#include "support/solid_bar.h"

namespace lithe {
namespace {

using namespace testing;

constexpr double pi = std::numbers::pi;

// A strip of steel of 1 m, 20 mm x 2 mm, along x.
FlexibleBuilder strip_builder() { return FlexibleBuilder(2e11, 7800, 0.02, 0.002); }

Vector3 soft_axis(const Model& model) {  // about which the strip bends easily
  const Section& section = model.sections[0];
  return section.second_moment_y < section.second_moment_z ? Vector3::UnitY() : Vector3::UnitZ();
}

double bending_stiffness(const Model& model) {
  const Section& section = model.sections[0];
  return model.materials[0].young_modulus * std::min(section.second_moment_y, section.second_moment_z);
}

// Clamped and free: 3.516 sqrt(E I/(ρ A L⁴)); pinned at both ends: π² of the same.
TEST(HeldLink, FrequenciesOfABeamAreThoseOfTheHandbook) {
  FlexibleBuilder b = strip_builder();
  const int strip = b.beam("strip", {{0, 0, 0}, {1, 0, 0}}, 10);
  b.hinge("axle", JointType::revolute, -1, {0, 0, 0}, strip, {0, 0, 0}, Vector3::UnitY());
  const Section& section = b.model().sections[0];
  const double unit = bending_stiffness(b.model()) / (7800 * section.area);
  for (const char* formulation : {"erls-cms", "floating-frame"})
    for (const char* reference : {"tangent", "free"}) {
      const auto equations = make_equations(b.model(), {.formulation = formulation, .reference = reference});
      const ModalLink* modes = bending_modes(*equations, strip);
      ASSERT_NE(modes, nullptr);
      EXPECT_NEAR(held_squared_frequency(*modes, 0, -1) / (12.362 * unit), 1, 0.02) << formulation << reference;
      EXPECT_NEAR(held_squared_frequency(*modes, 0, 1) / (std::pow(pi, 4) * unit), 1, 0.02) << formulation << reference;
      EXPECT_NEAR(std::abs(long_axis(*modes).x()), 1, 1e-6);
    }
}

// With m at its tip as well: 3 E I/(L³ (m + 33/140 of the beam's mass)), by Rayleigh's quotient 1.5 % at most above.
TEST(HeldLink, WhatItCarriesMakesItSlower) {
  FlexibleBuilder b = strip_builder();
  const int strip = b.beam("strip", {{0, 0, 0}, {1, 0, 0}}, 10);
  b.hinge("axle", JointType::revolute, -1, {0, 0, 0}, strip, {0, 0, 0}, Vector3::UnitY());
  const auto equations = make_equations(b.model(), {});
  const ModalLink* modes = bending_modes(*equations, strip);
  ASSERT_NE(modes, nullptr);
  const double own = 7800 * b.model().sections[0].area;
  for (const double mass : {0.1, 1.0, 10.0}) {
    const double expected = 3 * bending_stiffness(b.model()) / (mass + 33.0 / 140 * own);
    EXPECT_NEAR(held_squared_frequency(*modes, 0, -1, {{1, mass}}) / expected, 1, 0.015) << mass;
  }
}

TEST(LinkNeighbours, ALinkCarriesWhatNothingElseHolds) {
  const Model chain = spatial_2r();
  const std::vector<CarriedLinks> carried = carried_links(chain, 0);
  ASSERT_EQ(carried.size(), 1u);
  EXPECT_EQ(carried[0].links, std::vector<int>{1});
  EXPECT_TRUE(carried_links(chain, 1).empty());
  const Model loop = flexible_four_bar();
  for (int link = 0; link < 3; ++link) EXPECT_TRUE(carried_links(loop, link).empty()) << link;
}

TEST(LinkNeighbours, LoopsHoldALinkAtTwoNodesAndChainsAtOne) {
  const Model loop = flexible_four_bar();
  for (int link = 0; link < 3; ++link) {
    const HeldNodes held = held_nodes(loop, link);
    EXPECT_GE(held.inboard, 0) << link;
    EXPECT_GE(held.outboard, 0) << link;
    EXPECT_NE(held.inboard, held.outboard) << link;
  }
  const Model chain = spatial_2r();
  for (int link = 0; link < 2; ++link) {
    const HeldNodes held = held_nodes(chain, link);
    EXPECT_EQ(held.inboard, 0) << link;
    EXPECT_EQ(held.outboard, -1) << link;
  }
  EXPECT_EQ(first_of_body(chain), (std::vector<int>{0, 1}));
}

// A bar of solid elements, 0.5 m long.
Link solid_bar(int modes) {
  Link bar = test::link_of({.count = {20, 1, 2}});
  bar.name = "bar";
  bar.reduction.method = ReductionMethod::craig_bampton;
  bar.reduction.num_internal_modes = modes;
  return bar;
}

// The same by its matrices, which say nothing of what forces do to its stiffness.
Link bar_of_matrices(int modes) {
  Model model;
  model.links = {solid_bar(modes)};
  Link bar = model.links[0];
  bar.imported = std::make_shared<const FiniteElementBody>(body_of(portable_body(model, 0, modes)));
  bar.mesh = nullptr;
  bar.spiders.clear();
  bar.reduction = {};
  return bar;
}

// That turns about `axis` at its root, with a mass at its tip.
Model turning(const Link& bar, const Vector3& axis, double speed, double mass_at_tip = 0) {
  ModelBuilder b;
  b.model().links.push_back(bar);
  b.model().gravity.setZero();
  const Matrix3 frame = z_along(axis);
  b.joint("axle", JointType::revolute, -1, {frame, {0, 0, 0}}, 0, {frame, {0, 0, 0}});
  b.model().joints[0].initial_speed = {speed};
  if (mass_at_tip == 0) return b.model();
  const int tool = b.link("tool");
  b.model().links[1].rigid_inertia.mass = mass_at_tip;
  b.model().links[1].rigid_inertia.inertia *= 1e-3;
  b.joint("grip", JointType::fixed, 0, {Matrix3::Identity(), {0.5, 0, 0}}, tool);
  return b.model();
}

SimulatedMotion short_motion(const Model& model, const FormulationChoice& choice, double end) {
  SimulateSpec spec;
  spec.formulation = choice;
  spec.end_time = end;
  spec.output_step = end / 10;
  spec.tolerance = 1e-6;
  return simulate(model, spec);
}

bool any_has(const std::vector<std::string>& sentences, const std::string& part) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& sentence) { return sentence.find(part) != std::string::npos; });
}

// 10 mm x 20 mm of steel, 0.5 m, clamped: ω = 3.516 sqrt(E I/(ρ A L⁴)) across its 10 mm.
TEST(LinkStiffening, ALinkOfMatricesThatTurnsFastIsToldWithItsNumber) {
  const double first = 3.516 * std::sqrt(2.1e11 * 0.01 * 0.01 / 12 / 7850) / 0.25;
  for (const char* formulation : {"erls-cms", "floating-frame"}) {
    const SimulatedMotion fast =
        short_motion(turning(bar_of_matrices(4), Vector3::UnitZ(), 0.5 * first), {formulation}, 1e-3);
    ASSERT_TRUE(any_has(fast.warnings, "its slowest mode held at its joints")) << formulation;
    ASSERT_EQ(fast.deformations.size(), 1u);
    EXPECT_NEAR(fast.deformations[0].spin, 0.25, 0.01) << formulation;
    const SimulatedMotion slow =
        short_motion(turning(bar_of_matrices(4), Vector3::UnitZ(), 0.2 * first), {formulation}, 1e-3);
    EXPECT_TRUE(slow.warnings.empty()) << slow.warnings.front();
    // About its own length nothing pulls at it.
    const SimulatedMotion shaft =
        short_motion(turning(bar_of_matrices(4), Vector3::UnitX(), 0.5 * first), {formulation}, 1e-3);
    EXPECT_FALSE(any_has(shaft.warnings, "slowest mode"));
  }
}

// What hangs on a link is pulled outwards by it and makes it slower: (Ω/ω)² grows by about the inertia.
TEST(LinkStiffening, ALinkOfMatricesFeelsWhatHangsOnIt) {
  const SimulatedMotion light = short_motion(turning(bar_of_matrices(4), Vector3::UnitZ(), 100), {}, 1e-3);
  const SimulatedMotion loaded = short_motion(turning(bar_of_matrices(4), Vector3::UnitZ(), 100, 2), {}, 1e-3);
  const double own = 33.0 / 140 * 7850 * 0.01 * 0.02 * 0.5;
  EXPECT_NEAR(loaded.deformations[0].spin / light.deformations[0].spin / ((2 + own) / own), 1, 0.05);
}

// A bar of matrices at the end of a strip: the strip has geometric stiffening, the bar has not, and both are said as
// they are.
TEST(LinkStiffening, AMixedMechanismTellsWhichLinksHaveNone) {
  FlexibleBuilder b = strip_builder();
  const int strip = b.beam("strip", {{0, 0, 0}, {0.5, 0, 0}}, 4);
  b.model().links.push_back(bar_of_matrices(2));
  const Vector3 axis = soft_axis(b.model()).cross(Vector3::UnitX());
  b.hinge("axle", JointType::revolute, -1, {0, 0, 0}, strip, {0, 0, 0}, axis, {}, {20});
  b.hinge("grip", JointType::fixed, strip, {0.5, 0, 0}, 1, {0, 0, 0}, axis);
  b.model().gravity.setZero();
  for (const Stiffening stiffening : {Stiffening::automatic, Stiffening::on}) {
    const SimulatedMotion motion = short_motion(b.model(), {.geometric_stiffening = stiffening}, 1e-3);
    EXPECT_TRUE(any_has(motion.notes, "that of beams and of meshes: 'bar' have none"));
    EXPECT_FALSE(any_has(motion.warnings, "Euler load")) << "the strip has it";
    EXPECT_TRUE(stiffens_link(*motion.equations, strip));
    EXPECT_FALSE(stiffens_link(*motion.equations, 1));
  }
  EXPECT_TRUE(any_has(short_motion(b.model(), {.geometric_stiffening = Stiffening::off}, 1e-3).warnings, "Euler load"));
}

// A mesh has the terms by itself where it turns fast, with the number of the reason; where they are left out on purpose
// it is told as matrices are.
TEST(LinkStiffening, ASolidLinkThatTurnsFastHasIt) {
  const Model model = turning(solid_bar(4), Vector3::UnitZ(), 100);
  const SimulatedMotion with = short_motion(model, {}, 1e-3);
  EXPECT_TRUE(any_has(with.notes, "its slowest mode held at its joints")) << with.notes.size();
  EXPECT_TRUE(with.warnings.empty()) << with.warnings.front();
  EXPECT_TRUE(stiffens_link(*with.equations, 0));
  const SimulatedMotion without = short_motion(model, {.geometric_stiffening = Stiffening::off}, 1e-3);
  EXPECT_TRUE(any_has(without.warnings, "--geometric-stiffening has it"));
  EXPECT_FALSE(stiffens_link(*short_motion(turning(solid_bar(4), Vector3::UnitZ(), 10), {}, 1e-3).equations, 0));
}

TEST(LinkStiffening, WhatCannotBeHadIsAnErrorWhereItIsAskedFor) {
  FormulationChoice choice{.geometric_stiffening = Stiffening::on};
  EXPECT_THROW(make_equations(turning(bar_of_matrices(4), Vector3::UnitZ(), 0), choice), InputError);
  choice.formulation = "floating-frame";
  EXPECT_THROW(make_equations(turning(bar_of_matrices(4), Vector3::UnitZ(), 0), choice), InputError);
  const Model arm = spatial_2r();
  EXPECT_NO_THROW(make_equations(arm, choice));
  EXPECT_THROW(make_equations(arm, {.gauge = "minimum_norm", .geometric_stiffening = Stiffening::on}), InputError);
  EXPECT_THROW(
      make_equations(arm, {.formulation = "erls-fem", .variant = "published", .geometric_stiffening = Stiffening::on}),
      InputError);
}

// The strip hangs with a mass at its end; as one link, and as four that are welded to each other.
Model hanging(int parts, double mass) {
  FlexibleBuilder b = strip_builder();
  const double length = 1.0 / parts;
  for (int k = 0; k < parts; ++k) {
    const int link = b.beam("part " + std::to_string(k), {{0, 0, 0}, {0, 0, -length}}, 8 / parts);
    if (k == 0)
      b.hinge("hook", JointType::revolute, -1, {0, 0, 0}, link, {0, 0, 0}, Vector3::UnitY());
    else
      b.hinge("weld " + std::to_string(k), JointType::fixed, link - 1, {0, 0, -length}, link, {0, 0, 0},
              Vector3::UnitY());
  }
  b.model().links.back().lumped_masses.push_back({.node = 1, .mass = mass});
  return b.model();
}

// With 20 g at its end the strip carries 12 % of its Euler load at its hook, and 0.8 % of that of a quarter of it.
TEST(JoinedLinks, WeldedLinksAreStiffenedAsOne) {
  const double load = 9.81 * (0.02 + 7800 * 4e-5) / (bending_stiffness(strip_builder().model()) * pi * pi);
  ASSERT_GT(load, 0.02);
  ASSERT_LT(load / 16, 0.02);
  for (const int parts : {1, 4}) {
    const NaturalModesResult found = natural_modes(hanging(parts, 0.02), {});
    ASSERT_EQ(found.failure, "");
    EXPECT_TRUE(any_has(found.notes, "of its Euler load")) << parts;
  }
}

// Two halves of a cantilever each deflect by less than 10 % of their length from where they are clamped.
TEST(JoinedLinks, ADeflectionOfWeldedLinksIsTold) {
  FlexibleBuilder b = strip_builder();
  b.model().gravity.setZero();
  const int inner = b.beam("inner", {{0, 0, 0}, {0.5, 0, 0}}, 4), outer = b.beam("outer", {{0, 0, 0}, {0.5, 0, 0}}, 4);
  b.hinge("wall", JointType::fixed, -1, {0, 0, 0}, inner, {0, 0, 0}, Vector3::UnitZ());
  b.hinge("weld", JointType::fixed, inner, {0.5, 0, 0}, outer, {0, 0, 0}, Vector3::UnitZ());
  const double stiffness = 3 * bending_stiffness(b.model());  // of the whole at its tip, L = 1 m
  Load load;
  load.name = "push";
  load.link = outer;
  load.node = 1;
  load.direction = soft_axis(b.model()).cross(Vector3::UnitX());
  load.signal = SignalConstant{0.12 * stiffness};
  b.model().loads = {load};
  const EquilibriumResult found = find_equilibrium(b.model(), {});
  ASSERT_TRUE(found.found.converged);
  EXPECT_TRUE(any_has(found.warnings, "'inner' and those fixed to it: deflection of 12 % of their length"));
  EXPECT_FALSE(any_has(found.warnings, "'outer' and those fixed to it")) << "once per body";
  for (const auto& link : found.summary.links) EXPECT_LT(link.relative_deflection, 0.1);
}

// A steel slider-crank that is brought to 3,000 rpm: crank of 100 mm, rod of 300 mm and 10 mm in diameter, slider of
// 0.2 kg. The rod carries up to 63 % of its Euler load, pull and push in turn.
const char* const slider_crank = R"(lithe = 1
name = "slider-crank"
space = "planar"
[materials.steel]
density = 7800
young_modulus = "200 GPa"
poisson_ratio = 0.3
[sections.crank]
shape = "rectangle"
width = "12 mm"
height = "12 mm"
[sections.rod]
shape = "circle"
diameter = "10 mm"
[[links]]
name = "crank"
nodes = {bearing = [0, 0, 0], pin = [0.1, 0, 0]}
path = ["bearing", "pin"]
material = "steel"
section = "crank"
elements = 2
[[links]]
name = "rod"
nodes = {crank = [0, 0, 0], middle = [0.15, 0, 0], slider = [0.3, 0, 0]}
path = ["crank", "middle", "slider"]
material = "steel"
section = "rod"
elements = 3
[[links]]
name = "slider"
type = "rigid"
nodes = {pin = [0, 0, 0]}
mass = 0.2
inertia = [2e-4, 2e-4, 2e-4]
[[joints]]
name = "crank bearing"
child = "crank"
child_node = "bearing"
value = "45 deg"
independent = true
[[joints]]
name = "crank pin"
parent = "crank"
parent_node = "pin"
child = "rod"
child_node = "crank"
guess = -1.0233392882276566
[[joints]]
name = "guide"
type = "prismatic"
child = "slider"
child_node = "pin"
axis = [1, 0, 0]
guess = 0.36225827286091977
[[joints]]
name = "slider pin"
parent = "rod"
parent_node = "slider"
child = "slider"
child_node = "pin"
guess = 0.23794112483020827
cut = true
[[drives]]
joint = "crank bearing"
motion = {move = {end_time = 0.075, start_value = "45 deg", end_value = "765 deg"}}
[[sensors]]
name = "torque"
quantity = "joint_force"
joint = "crank bearing"
[[sensors]]
name = "deflection"
quantity = "displacement"
link = "rod"
node = "middle"
component = "y"
)";

double peak_of(const Trajectory& motion, const char* sensor) {
  double peak = 0;
  for (const double value : motion.column(sensor)->values) peak = std::max(peak, std::abs(value));
  return peak;
}

double largest_apart(const Trajectory& a, const Trajectory& b, const char* sensor) {
  double largest = 0;
  const std::vector<double>&one = a.column(sensor)->values, &other = b.column(sensor)->values;
  for (std::size_t i = 0; i < one.size(); ++i) largest = std::max(largest, std::abs(one[i] - other[i]));
  return largest;
}

TEST(FastMechanisms, ASliderCrankAt3000RpmMovesAsWithCorotationalBeams) {
  const Model model = read_model_text(slider_crank, "slider_crank.toml");
  const auto motion_with = [&](const FormulationChoice& choice) {
    SimulateSpec spec;
    spec.formulation = choice;
    spec.end_time = 0.0375;  // where the crank is fastest
    spec.output_step = 1.25e-4;
    spec.tolerance = 1e-4;
    const SimulatedMotion motion = simulate(model, spec);
    EXPECT_EQ(motion.end, RunEnd::finished) << motion.message;
    return motion;
  };
  const SimulatedMotion exact = motion_with({.formulation = "corotational"});
  const SimulatedMotion off = motion_with({.geometric_stiffening = Stiffening::off});
  for (const char* formulation : {"erls-cms", "floating-frame"}) {
    const SimulatedMotion found = motion_with({.formulation = formulation});
    EXPECT_TRUE(any_has(found.notes, "of its Euler load")) << formulation;
    for (const char* sensor : {"torque", "deflection"}) {
      const double peak = peak_of(exact, sensor);
      EXPECT_NEAR(peak_of(found, sensor), peak, 0.01 * peak) << formulation << " " << sensor;
      EXPECT_LT(largest_apart(found, exact, sensor), 0.25 * largest_apart(off, exact, sensor)) << formulation << sensor;
    }
  }
}

}  // namespace
}  // namespace lithe
