// Integrators apart from the rest: gains that exist are found, those that do not are named.
#include "lithe/control/linear/channel_analysis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/control/linear/discretise.h"
#include "lithe/control/linear/reduce_linear.h"

namespace lithe {
namespace {

// A double integrator 1/s² beside an oscillator k/(s² + 2 ζ ω s + ω²); outputs: their sum, and the oscillator alone.
SeparatedSystem flexible_axis(double damping_ratio, double omega = 30, double gain = 2) {
  SeparatedSystem system;
  system.num_double = 1;
  system.integrators.a = (MatrixX(2, 2) << 0, 1, 0, 0).finished();
  system.integrators.b = (MatrixX(2, 1) << 0, 1).finished();
  system.integrators.c = (MatrixX(2, 2) << 1, 0, 0, 0).finished();
  system.integrators.d = MatrixX::Zero(2, 1);
  system.rest.a = (MatrixX(2, 2) << 0, omega, -omega, -2 * damping_ratio * omega).finished();
  system.rest.b = (MatrixX(2, 1) << 0, 1).finished();
  system.rest.c = (MatrixX(2, 2) << gain / omega, 0, gain / omega, 0).finished();
  system.rest.d = MatrixX::Zero(2, 1);
  system.rest.inputs = {{"u", "N"}};
  system.rest.outputs = {{"sum", "m"}, {"bend", "m"}};
  return system;
}

TEST(ChannelAnalysis, GainsOfWhatDoesNotSeeTheIntegratorAreFinite) {
  const double zeta = 0.02, omega = 30, gain = 2;
  const ChannelAnalysis analysis(flexible_axis(zeta, omega, gain), Sampling::none, 0, 0);
  EXPECT_FALSE(analysis.is_stable());
  EXPECT_FALSE(analysis.has_undamped());
  const ChannelFigures bend = analysis.figures(1, 0), sum = analysis.figures(0, 0);
  EXPECT_EQ(bend.steady, GainLimit::finite);
  EXPECT_NEAR(bend.steady_gain, gain / (omega * omega), 1e-14);
  EXPECT_EQ(bend.peak_limit, GainLimit::finite);
  EXPECT_NEAR(bend.peak.value, gain / (omega * omega) / (2 * zeta * std::sqrt(1 - zeta * zeta)), 1e-11);
  EXPECT_NEAR(bend.peak.angular_frequency, omega * std::sqrt(1 - 2 * zeta * zeta), 1e-4);
  EXPECT_EQ(bend.num_states, 2);
  EXPECT_EQ(sum.steady, GainLimit::integrator);
  EXPECT_EQ(sum.peak_limit, GainLimit::integrator);
  // (s² + ω² + 2 ζ ω s + k s²) / ...: zeros at s = ω/√(1 + k), to first order in ζ
  ASSERT_EQ(sum.zeros.size(), 2);
  EXPECT_NEAR(std::abs(sum.zeros[0]), omega / std::sqrt(1 + gain), 1e-9);
}

TEST(ChannelAnalysis, NamesUndampedAndUnstableModes) {
  const ChannelFigures undamped = ChannelAnalysis(flexible_axis(0), Sampling::none, 0, 0).figures(1, 0);
  EXPECT_EQ(undamped.peak_limit, GainLimit::undamped_pole);
  EXPECT_NEAR(undamped.peak.angular_frequency, 30, 1e-9);
  EXPECT_NEAR(undamped.steady_gain, 2.0 / 900, 1e-14);  // exists all the same
  const ChannelFigures unstable = ChannelAnalysis(flexible_axis(-0.1), Sampling::none, 0, 0).figures(1, 0);
  EXPECT_EQ(unstable.peak_limit, GainLimit::unstable_pole);
}

// A moment beside a motor: what the links do to it cancels but for rounding.
TEST(ChannelAnalysis, RoundingBesideADirectPartIsNoMode) {
  SeparatedSystem system = flexible_axis(0.02);
  system.integrators.c.row(1).setZero();
  system.rest.c.row(1).setConstant(1e-14);
  system.rest.d(1, 0) = -1;
  const ChannelAnalysis analysis(system, Sampling::none, 0, 0);
  const ChannelFigures moment = analysis.figures(1, 0);
  EXPECT_EQ(moment.num_states, 0);
  EXPECT_EQ(moment.zeros.size(), 0);
  EXPECT_EQ(moment.steady_gain, -1);
  EXPECT_EQ(moment.peak.value, 1);
  EXPECT_TRUE(std::isinf(moment.margins.phase));
  for (const ModeFigures& mode : analysis.modes()) {
    EXPECT_EQ(mode.observability[1], 0);
    EXPECT_GT(mode.observability[0], 0);
  }
}

// Poles and residues against the matrices, continuous, sampled both ways and late.
TEST(ChannelAnalysis, RespondsAsTheMatricesDo) {
  const SeparatedSystem system = flexible_axis(0.05);
  const double step = 0.004;
  const auto sampled = [&](bool hold) {
    const auto map = [&](const StateSpace& s) { return hold ? zero_order_hold(s, step) : tustin(s, step); };
    return sum(map(system.integrators), map(system.rest));
  };
  struct Case {
    Sampling sampling;
    int delay;
    StateSpace whole;
  };
  const Case cases[] = {{Sampling::none, 0, system.whole()},
                        {Sampling::hold, 0, sampled(true)},
                        {Sampling::hold, 2, with_input_delay(sampled(true), 2)},
                        {Sampling::tustin, 1, with_input_delay(sampled(false), 1)}};
  for (const Case& c : cases) {
    const ChannelAnalysis analysis(system, c.sampling, step, c.delay);
    for (const double w : {0.3, 7.0, 30.0, 200.0})
      for (const int output : {0, 1}) {
        const std::complex<double> wanted = frequency_response(c.whole, w)(output, 0);
        EXPECT_LT(std::abs(analysis.response(output, 0, w) - wanted), 1e-9 * std::abs(wanted))
            << static_cast<int>(c.sampling) << " " << w;
      }
  }
}

// L = 1/s² + ... crosses |L| = 1 at a phase that the closed form gives: margins() of the matrices is the reference.
TEST(ChannelAnalysis, MarginsAreThoseOfTheMatrices) {
  SeparatedSystem system = flexible_axis(0.05);
  system.integrators.c(0, 1) = 0.5;  // rate feedback makes a loop with margins
  const Margins wanted = margins([&] {
    StateSpace one = system.whole();
    one.c = MatrixX(one.c.topRows(1));
    one.d = MatrixX(one.d.topRows(1));
    return one;
  }());
  const Margins found = ChannelAnalysis(system, Sampling::none, 0, 0).figures(0, 0).margins;
  EXPECT_NEAR(found.phase, wanted.phase, 1e-8);
  EXPECT_NEAR(found.delay, wanted.delay, 1e-8);
}

// Modes with the largest gains stay, as in the balanced truncation of the same modes with light damping.
TEST(ModalTruncation, ByGainKeepsWhatBalancedTruncationKeeps) {
  const double omegas[] = {10, 25, 60, 140}, gains[] = {0.01, 3, 0.2, 5};
  const auto chain = [&](double damping_ratio) {
    StateSpace s;
    s.a = MatrixX::Zero(8, 8);
    s.b = MatrixX::Zero(8, 1);
    s.c = MatrixX::Zero(1, 8);
    s.d = MatrixX::Zero(1, 1);
    for (int k = 0; k < 4; ++k) {
      s.a.block<2, 2>(2 * k, 2 * k) << 0, omegas[k], -omegas[k], -2 * damping_ratio * omegas[k];
      s.b(2 * k + 1, 0) = 1;
      s.c(0, 2 * k) = gains[k];
    }
    return s;
  };
  const ReducedSystem modal = modal_truncation(chain(0), 4, false, ModeOrder::gain);
  EXPECT_TRUE(std::isinf(modal.error_bound));
  const ReducedSystem balanced = balanced_truncation(chain(1e-3), 4);
  ASSERT_EQ(modal.system.num_states(), 4);
  const ComplexVector kept = poles(modal.system), like = poles(balanced.system);
  for (Eigen::Index k = 0; k < 4; ++k) EXPECT_NEAR(std::abs(kept[k]), std::abs(like[k]), 1e-3 * std::abs(like[k]));
}

}  // namespace
}  // namespace lithe
