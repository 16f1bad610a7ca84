#include "lithe/analyse/studies/shape_move.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numbers>

#include "lithe/analyse/studies/settle_map.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

constexpr double pi = std::numbers::pi;

// A cart on rails with a disc on a spring: the cart moves by 0.3 m, accelerating over a third of 0.5 s and braking over
// another. In the frame of the cart the disc is a mass of 2 kg on 2 (2 pi 5)^2 N/m.
constexpr double mass = 2, frequency = 5, duration = 0.5, distance = 0.3;

std::string cart(double damping_ratio, const std::string& profile = "trapezoid") {
  const double omega = 2 * pi * frequency;
  return cat(
      "lithe = 1\n[[links]]\nname = \"cart\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0]}\nmass = 5\n",
      "[[links]]\nname = \"load\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0]}\nmass = ", mass,
      "\n[[joints]]\nname = \"rail\"\ntype = \"prismatic\"\naxis = [1, 0, 0]\nchild = \"cart\"\nchild_node = \"a\"\n",
      "[[joints]]\nname = \"spring\"\ntype = \"prismatic\"\naxis = [1, 0, 0]\nparent = \"cart\"\nparent_node = \"a\"\n",
      "child = \"load\"\nchild_node = \"a\"\nstiffness = ", number_text(mass * omega * omega),
      "\ndamping = ", number_text(2 * damping_ratio * mass * omega),
      "\n[[moves]]\njoints = [\"rail\"]\nwaypoints = [{joints = [", distance, "]}]\nprofile = \"", profile,
      "\"\nduration = ", duration, "\n");
}

ParametricModel file(double damping_ratio, const std::string& profile = "trapezoid") {
  return ParametricModel(cart(damping_ratio, profile), "cart.toml", {});
}

ShapeSpec spec_of_cart() {
  ShapeSpec spec;
  spec.settle.tool = "load:a";
  spec.settle.motion.tolerance = 1e-8;
  spec.settle.after = 4;  // the mean over its second half is the rest: ten periods
  return spec;
}

// Undamped, |∫ a e^{iωt} dt| / ω of +a, 0, -a over thirds of T: 4 a / ω² |sin(ωT/6) sin(ωT/3)|, a = 9/2 d / T².
double residual_of_trapezoid(double time) {
  const double omega = 2 * pi * frequency, acceleration = 4.5 * distance / (time * time);
  return 4 * acceleration / (omega * omega) * std::abs(std::sin(omega * time / 6) * std::sin(omega * time / 3));
}

TEST(ShapeMove, AnInterruptAtAnyMoveLeavesNoBestOne) {
  const Model model = file(0).with({});
  for (const double part : {0.0, 0.2, 0.5}) {
    std::atomic<bool> cancel = part == 0;  // in the first one, it ends the search for a duration
    RunHooks hooks;
    hooks.cancel = &cancel;
    hooks.progress = [&](double done) {
      if (done > part) cancel = true;
    };
    const ShapeResult found = shape_move(model, spec_of_cart(), hooks);
    EXPECT_TRUE(found.cancelled);
    EXPECT_NE(found.failure.find("interrupted"), std::string::npos);
    EXPECT_TRUE(found.moves.empty());
  }
}

TEST(ShapeMove, PredictsAndSimulatesTheVibrationOfATrapezoid) {
  const Model model = file(0).with({});
  const ShapeResult found = shape_move(model, spec_of_cart());
  ASSERT_EQ(found.failure, "");
  ASSERT_EQ(found.modes.size(), 1u);
  EXPECT_NEAR(found.modes[0].frequency, frequency, 1e-9);
  const double expected = residual_of_trapezoid(duration);
  ASSERT_GT(expected, 1e-3);
  EXPECT_NEAR(found.modes[0].vibration, expected, 1e-9);
  EXPECT_NEAR(found.moves[0].tool.residual, expected,
              2e-3 * expected);  // samples beside the crest, and the rest's mean
  // Undamped: every shaper of the mode but EI leaves nothing, EI 5 % at the frequency itself.
  for (const ShapedMove& move : found.moves) {
    ASSERT_EQ(move.failure, "");
    if (move.name.starts_with("ZV")) {
      EXPECT_LT(move.predicted, 1e-12) << move.name;
      EXPECT_LT(move.tool.residual, 1e-6) << move.name;
    }
    if (move.name.starts_with("EI")) {
      EXPECT_NEAR(move.tool.residual, 0.05 * expected, 2e-3 * expected) << move.name;
    }
  }
}

TEST(ShapeMove, FindsTheDurationAtWhichNothingVibrates) {
  const ShapeResult found = shape_move(file(0).with({}), spec_of_cart());
  ASSERT_EQ(found.failure, "");
  const ShapedMove& slower = found.moves.back();
  // Both sines vanish at T = 0.6 s; a little before, what is left is within the band.
  EXPECT_NE(slower.name.find("slower"), std::string::npos);
  EXPECT_LT(slower.move_end, 0.6);
  EXPECT_GT(slower.move_end, 0.58);
  EXPECT_LE(slower.predicted, 1e-4);
  EXPECT_LT(slower.tool.residual, 1.01e-4);
  EXPECT_NEAR(slower.predicted, residual_of_trapezoid(slower.move_end), 1e-9);
}

TEST(ShapeMove, OfADampedModeTheSoonestStillIsBest) {
  ShapeSpec spec = spec_of_cart();
  spec.settle.band = 1e-4;
  const ShapeResult found = shape_move(file(0.02).with({}), spec);
  ASSERT_EQ(found.failure, "");
  const ShapedMove& best = found.moves[found.best];
  EXPECT_NE(found.best, 0u);
  EXPECT_LT(best.still_after(), found.moves[0].still_after() - 0.2);
  for (const ShapedMove& move : found.moves) {
    EXPECT_LE(best.still_after(), move.still_after());
    EXPECT_NEAR(move.tool.residual, move.predicted, 0.1 * found.moves[0].predicted) << move.name;
  }
  // The result's model moves as told: to the same place, at the same time.
  EXPECT_NEAR(evaluate(found.model.drives[0].signal, best.move_end).value, distance, 1e-12);
}

TEST(ShapedSignal, IsTheSumOfItsPartsWithExactDerivatives) {
  const Model model = file(0, "s_curve").with({});
  const Signal& signal = model.drives[0].signal;
  const Shaper shaper{{0, 0.07, 0.19}, {0.3, 0.5, 0.2}};
  const Signal shaped = shaped_signal(signal, 1.3, shaper);
  for (int i = 1; i < 200; ++i) {
    const double t = 0.00517 * i;
    SignalValue sum;
    for (std::size_t k = 0; k < 3; ++k) {
      const double inner = (t - shaper.times[k]) / 1.3;
      const SignalValue part = inner < 0 ? SignalValue{evaluate(signal, 0).value, 0, 0} : evaluate(signal, inner);
      sum.value += shaper.sizes[k] * part.value;
      sum.rate += shaper.sizes[k] * part.rate / 1.3;
      sum.acceleration += shaper.sizes[k] * part.acceleration / 1.69;
    }
    const SignalValue found = evaluate(shaped, t);
    EXPECT_NEAR(found.value, sum.value, 1e-9) << t;
    EXPECT_NEAR(found.rate, sum.rate, 1e-6) << t;
    EXPECT_NEAR(found.acceleration, sum.acceleration, 1e-4) << t;
  }
}

TEST(ShapeMove, ErrorsNameWhatIsMissing) {
  const Model model = file(0).with({});
  const auto error_of = [&](const Model& of, const ShapeSpec& spec) {
    try {
      shape_move(of, spec);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error_of(model, {}), "error: shaping a move needs the tool's node (--tool)");
  Model still = model;
  still.drives.clear();
  EXPECT_EQ(error_of(still, spec_of_cart()), "error: cart.toml: no prescribed motion ends; give [[moves]]");
}

// Motions end at the points of a map: at each, what `settle` says of the move that ends there.
TEST(SettleMap, AgreesWithSettleOfAMoveThatEndsAtThePoint) {
  // An arm of one link whose gearbox swings with an inertia that the payload changes; its move ends at -1 rad.
  const std::string text =
      "lithe = 1\ngravity = [0, -9.81, 0]\n[[links]]\nname = \"arm\"\ntype = \"rigid\"\nmass = 3\n"
      "nodes = {root = [0, 0, 0], tip = [0.6, 0, 0]}\ncentre = [0.3, 0, 0]\ninertia = [0.01, 0.09, 0.09]\n"
      "[[joints]]\nname = \"turn\"\nchild = \"arm\"\nchild_node = \"root\"\nvalue = VALUE\n"
      "[[motors]]\njoint = \"turn\"\nrotor_inertia = 1e-4\nratio = 100\nstiffness = 4000\ndamping = 5\n"
      "[[moves]]\njoints = [\"turn\"]\nwaypoints = [{joints = [TARGET]}]\nprofile = \"trapezoid\"\nduration = 0.3\n";
  const auto at = [&](double from, double to) {
    std::string own = text;
    own.replace(own.find("VALUE"), 5, number_text(from));
    own.replace(own.find("TARGET"), 6, number_text(to));
    return own;
  };
  SettleMapSpec spec;
  spec.settle.tool = "arm:tip";
  spec.settle.band = 5e-5;
  spec.axes = {"joint.turn = -0.8, 0.3", "motors[0].stiffness = 3000, 4000"};
  const ParametricModel model(at(-0.5, -1), "arm.toml", {});
  const SweepResult map = settle_map(model, spec);
  ASSERT_EQ(map.points.size(), 4u);
  const std::vector<double> times = map.column("settling_time"), residuals = map.column("residual"),
                            frequencies = map.column("frequency");
  const double ends[] = {-0.8, 0.3};
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(map.points[2 * i + 1].reason, "");
    const Model moved = ParametricModel(at(ends[i] + 0.5, ends[i]), "arm.toml", {}).with({});
    const SettleResult one = settle(moved, spec.settle);
    ASSERT_EQ(one.points.size(), 1u);
    EXPECT_NEAR(times[2 * i + 1], one.points[0].settling_time, 1e-3);
    EXPECT_NEAR(residuals[2 * i + 1], one.points[0].residual, 1e-6);
    EXPECT_NEAR(frequencies[2 * i + 1], one.points[0].frequency, 1e-3 * frequencies[2 * i + 1]);
    EXPECT_NEAR(frequencies[2 * i] / frequencies[2 * i + 1], std::sqrt(0.75), 5e-3);  // of 3000 and 4000 N m
  }
}

}  // namespace
}  // namespace lithe
