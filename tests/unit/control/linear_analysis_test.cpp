#include "lithe/control/linear/linear_analysis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/control/linear/channel_analysis.h"
#include "lithe/control/linear/discretise.h"
#include "lithe/control/linear/reduce_linear.h"
#include "support/random_matrices.h"

namespace lithe {
namespace {

using testing::RandomMatrices;

// numerator / denominator in controllable form; coefficients of rising powers, the denominator's last being 1.
StateSpace transfer(const std::vector<double>& numerator, const std::vector<double>& denominator) {
  const auto n = static_cast<Eigen::Index>(denominator.size()) - 1;
  StateSpace s;
  s.a = MatrixX::Zero(n, n);
  for (Eigen::Index i = 0; i + 1 < n; ++i) s.a(i, i + 1) = 1;
  for (Eigen::Index i = 0; i < n; ++i) s.a(n - 1, i) = -denominator[static_cast<std::size_t>(i)];
  s.b = MatrixX::Zero(n, 1);
  s.b(n - 1, 0) = 1;
  s.c = MatrixX::Zero(1, n);
  for (std::size_t i = 0; i < numerator.size(); ++i) s.c(0, static_cast<Eigen::Index>(i)) = numerator[i];
  s.d = MatrixX::Zero(1, 1);
  return s;
}

// Two masses on a spring with a force on the first; measured: the first (collocated) or the second.
StateSpace two_masses(bool collocated) {
  const double m1 = 2, m2 = 1, k = 100;
  StateSpace s;
  s.a = MatrixX::Zero(4, 4);
  s.a.topRightCorner(2, 2).setIdentity();
  s.a.bottomLeftCorner(2, 2) << -k / m1, k / m1, k / m2, -k / m2;
  s.b = MatrixX::Zero(4, 1);
  s.b(2, 0) = 1 / m1;
  s.c = MatrixX::Zero(1, 4);
  s.c(0, collocated ? 0 : 1) = 1;
  s.d = MatrixX::Zero(1, 1);
  return s;
}

StateSpace random_stable(RandomMatrices& random, int n, int m, int p) {
  StateSpace s;
  s.a = random.matrix(n, n) - 1.5 * std::sqrt(n) * MatrixX::Identity(n, n);
  s.b = random.matrix(n, m);
  s.c = random.matrix(p, n);
  s.d = MatrixX::Zero(p, m);
  return s;
}

TEST(LinearAnalysis, FindsTheZerosThatTheNumeratorHas) {
  const ComplexVector z = transmission_zeros(transfer({2, 1}, {3, 4, 1}));
  ASSERT_EQ(z.size(), 1);
  EXPECT_NEAR(std::abs(z[0] + 2.0), 0, 1e-12);
  EXPECT_EQ(transmission_zeros(transfer({5}, {1, 2, 3, 4, 1})).size(), 0);
}

TEST(LinearAnalysis, CollocatedZerosAreTheLockedFrequenciesAndNonCollocatedAreNone) {
  const ComplexVector z = transmission_zeros(two_masses(true));
  ASSERT_EQ(z.size(), 2);
  EXPECT_NEAR(z[0].imag(), 10, 1e-9);  // √(k/m2), the first mass held
  EXPECT_NEAR(z[0].real(), 0, 1e-9);
  EXPECT_EQ(transmission_zeros(two_masses(false)).size(), 0);
}

TEST(LinearAnalysis, ZerosOfSeveralInputsMakeTheSystemMatrixSingular) {
  RandomMatrices random(3);
  for (int n = 3; n < 9; ++n) {
    const StateSpace s = random_stable(random, n, 2, 2);
    const ComplexVector z = transmission_zeros(s);
    ASSERT_EQ(z.size(), n - 2);  // C B is regular: as many zeros at infinity as inputs
    for (const std::complex<double>& zero : z) {
      ComplexMatrix matrix(n + 2, n + 2);
      matrix << s.a.cast<std::complex<double>>() - zero * ComplexMatrix::Identity(n, n), s.b, s.c, s.d;
      const auto values = matrix.jacobiSvd().singularValues();
      EXPECT_LT(values[n + 1], 1e-10 * values[0]);
    }
  }
}

TEST(LinearAnalysis, NormsAgreeWithClosedForms) {
  EXPECT_NEAR(h2_norm(transfer({1}, {3, 1})), std::sqrt(1.0 / 6), 1e-14);
  const double omega = 40, ratio = 0.01;
  const StateSpace mode = transfer({omega * omega}, {omega * omega, 2 * ratio * omega, 1});
  const PeakGain peak = hinf_norm(mode);
  EXPECT_NEAR(peak.value, 1 / (2 * ratio * std::sqrt(1 - ratio * ratio)), 1e-5);
  EXPECT_NEAR(peak.angular_frequency, omega * std::sqrt(1 - 2 * ratio * ratio), 1e-3);
  EXPECT_TRUE(std::isinf(hinf_norm(transfer({1}, {-1, 1})).value));
  EXPECT_TRUE(std::isinf(h2_norm(two_masses(true))));
}

TEST(LinearAnalysis, TheLargestGainOfASampledSystemIsFound) {
  const StateSpace slow = zero_order_hold(transfer({1}, {2, 1}), 0.1);
  EXPECT_NEAR(hinf_norm(slow).value, 0.5, 1e-6);  // at rest
  // of a delay-free resonance sampled fast, that of the continuous system to the second order of the sample time
  const StateSpace mode = tustin(transfer({1600}, {1600, 8, 1}), 1e-3);
  EXPECT_NEAR(hinf_norm(mode).value, 1 / (0.2 * std::sqrt(1 - 0.01)), 1e-5);
}

TEST(LinearAnalysis, MarginsAgreeWithClosedForms) {
  // 2/(s (s + 1) (s + 2)): gain margin 3 at √2
  const Margins three = margins(transfer({2}, {0, 2, 3, 1}));
  EXPECT_NEAR(three.gain, 3, 1e-9);
  EXPECT_NEAR(three.gain_frequency, std::sqrt(2.0), 1e-9);
  // 1/(s (s + 1)): ω² = (√5 - 1)/2, phase margin 90° - atan ω
  const Margins two = margins(transfer({1}, {0, 1, 1}));
  const double w = std::sqrt((std::sqrt(5.0) - 1) / 2);
  EXPECT_NEAR(two.phase_frequency, w, 1e-9);
  EXPECT_NEAR(two.phase, std::numbers::pi / 2 - std::atan(w), 1e-9);
  EXPECT_NEAR(two.delay, two.phase / w, 1e-9);
  EXPECT_TRUE(std::isinf(two.gain));
}

TEST(LinearAnalysis, ModesOutOfReachOrSightAreSeen) {
  StateSpace s;
  s.a = MatrixX::Zero(3, 3);
  s.a.diagonal() << -1, -2, -3;
  s.b = MatrixX::Zero(3, 1);
  s.b << 1, 0, 1;
  s.c = MatrixX::Zero(1, 3);
  s.c << 1, 1, 0;
  s.d = MatrixX::Zero(1, 1);
  SeparatedSystem separated;  // without integrators
  separated.rest = s;
  separated.integrators.a.resize(0, 0);
  separated.integrators.b.resize(0, 1);
  separated.integrators.c.resize(1, 0);
  separated.integrators.d = MatrixX::Zero(1, 1);
  const std::vector<ModeFigures> modes = ChannelAnalysis(separated, Sampling::none, 0, 0).modes();
  ASSERT_EQ(modes.size(), 3u);
  EXPECT_NEAR(modes[0].controllability[0] * modes[0].observability[0], 1, 1e-12);
  EXPECT_NEAR(modes[1].controllability[0], 0, 1e-12);
  EXPECT_NEAR(modes[2].observability[0], 0, 1e-12);
  EXPECT_EQ(minimal_realisation(s).num_states(), 1);
  EXPECT_NEAR(steady_gain(minimal_realisation(s))(0, 0), steady_gain(s)(0, 0), 1e-12);
}

TEST(LinearAnalysis, FeedbackOfRandomSystemsHasTheResponseOfTheAlgebra) {
  RandomMatrices random(5);
  StateSpace plant = random_stable(random, 4, 2, 3), controller = random_stable(random, 3, 3, 2);
  plant.d = 0.1 * random.matrix(3, 2);
  controller.d = random.matrix(2, 3);
  const StateSpace loop = feedback(plant, controller);
  for (const double w : {0.1, 1.0, 7.0}) {
    const ComplexMatrix g = frequency_response(plant, w), k = frequency_response(controller, w);
    const ComplexMatrix wanted = (ComplexMatrix::Identity(3, 3) + g * k).lu().solve(g);
    EXPECT_LT((frequency_response(loop, w) - wanted).norm(), 1e-12);
    EXPECT_LT((frequency_response(series(plant, controller), w) - k * g).norm(), 1e-12);
  }
  StateSpace gain;  // without states
  gain.a.resize(0, 0);
  gain.b.resize(0, 3);
  gain.c.resize(2, 0);
  gain.d = controller.d;
  const ComplexMatrix g = frequency_response(plant, 2), k = gain.d.cast<std::complex<double>>();
  EXPECT_LT(
      (frequency_response(feedback(plant, gain), 2) - (ComplexMatrix::Identity(3, 3) + g * k).lu().solve(g)).norm(),
      1e-12);
}

TEST(Discretise, HeldInputsGiveTheExactDoubleIntegrator) {
  const StateSpace s = zero_order_hold(transfer({1}, {0, 0, 1}), 0.2);
  EXPECT_NEAR(s.a(0, 1), 0.2, 1e-15);
  EXPECT_NEAR(s.b(0, 0), 0.02, 1e-15);
  EXPECT_NEAR(s.b(1, 0), 0.2, 1e-15);
}

TEST(Discretise, TustinBendsTheFrequencyAxis) {
  RandomMatrices random(6);
  const StateSpace s = random_stable(random, 4, 2, 2);
  const double step = 0.05;
  const StateSpace sampled = tustin(s, step);
  for (const double w : {0.3, 3.0, 30.0}) {
    const double bent = 2 / step * std::tan(w * step / 2);
    EXPECT_LT((frequency_response(sampled, w) - frequency_response(s, bent)).norm(), 1e-13);
  }
}

TEST(Discretise, ADelayTurnsThePhase) {
  RandomMatrices random(7);
  const double step = 0.05;
  const StateSpace s = zero_order_hold(random_stable(random, 3, 2, 2), step), late = with_input_delay(s, 3);
  const double w = 4;
  const std::complex<double> turn = std::polar(1.0, -3 * w * step);
  EXPECT_LT((frequency_response(late, w) - turn * frequency_response(s, w)).norm(), 1e-13);
  EXPECT_THROW(zero_order_hold(s, step), InputError);
}

TEST(BalancedTruncation, KeepsItsErrorBound) {
  RandomMatrices random(8);
  for (int trial = 0; trial < 6; ++trial) {
    const StateSpace s = random_stable(random, 8, 2, 2);
    for (const Eigen::Index order : {2, 4, 6}) {
      const ReducedSystem reduced = balanced_truncation(s, order);
      ASSERT_EQ(reduced.system.num_states(), order) << reduced.message;
      StateSpace difference = s;
      difference.a = MatrixX::Zero(8 + order, 8 + order);
      difference.a.topLeftCorner(8, 8) = s.a;
      difference.a.bottomRightCorner(order, order) = reduced.system.a;
      difference.b.resize(8 + order, 2);
      difference.b << s.b, reduced.system.b;
      difference.c.resize(2, 8 + order);
      difference.c << s.c, -reduced.system.c;
      const double error = hinf_norm(difference).value;
      EXPECT_LE(error, reduced.error_bound * (1 + 1e-6));
      EXPECT_GE(error, reduced.hankel[order] * (1 - 1e-6));  // no reduction is better than that
    }
  }
}

TEST(BalancedTruncation, KeepsAFreeMotionWhole) {
  // 1/s² + a damped mode + a small fast one
  StateSpace s;
  s.a = MatrixX::Zero(6, 6);
  s.a.block<2, 2>(0, 0) << 0, 1, 0, 0;
  s.a.block<2, 2>(2, 2) << 0, 10, -10, -1;
  s.a.block<2, 2>(4, 4) << 0, 100, -100, -10;
  s.b = MatrixX::Zero(6, 1);
  s.b << 0, 1, 0, 1, 0, 0.1;
  s.c = MatrixX::Zero(1, 6);
  s.c << 1, 0, 0.3, 0, 0.01, 0;
  s.d = MatrixX::Zero(1, 1);
  const ReducedSystem reduced = balanced_truncation(s, 4);
  EXPECT_EQ(reduced.kept_unstable, 2);
  ASSERT_EQ(reduced.system.num_states(), 4);
  for (const double w : {0.01, 1.0, 10.0}) {
    const std::complex<double> full = frequency_response(s, w)(0, 0),
                               small = frequency_response(reduced.system, w)(0, 0);
    // the free motion itself is exact up to the split's rounding
    EXPECT_LE(std::abs(full - small), reduced.error_bound + 1e-7 * std::abs(full)) << w;
  }
  EXPECT_LT(reduced.error_bound, 1e-3);
  EXPECT_EQ(balanced_truncation_to(s, 1e-3).system.num_states(), 4);
}

TEST(ModalTruncation, KeepsItsErrorBoundAndTheSlowPoles) {
  StateSpace s;
  s.a = MatrixX::Zero(6, 6);
  for (int k = 0; k < 3; ++k) {
    const double w = 10 * std::pow(3.0, k);
    s.a.block<2, 2>(2 * k, 2 * k) << 0, w, -w, -0.04 * w;
  }
  RandomMatrices random(9);
  const MatrixX t = random.matrix(6, 6) + 3 * MatrixX::Identity(6, 6);
  s.a = t.inverse() * s.a * t;
  s.b = random.matrix(6, 1);
  s.c = random.matrix(2, 6);
  s.d = MatrixX::Zero(2, 1);
  for (const bool with_gain : {false, true}) {
    const ReducedSystem reduced = modal_truncation(s, 3, with_gain);  // 3 would cut a pair
    ASSERT_EQ(reduced.system.num_states(), 4);
    EXPECT_NEAR(std::abs(poles(reduced.system)[3]), 30, 1e-9);
    double worst = 0;
    for (double w = 0.1; w < 1000; w *= 1.02)
      worst = std::max(worst, (frequency_response(s, w) - frequency_response(reduced.system, w)).norm());
    EXPECT_LE(worst, reduced.error_bound * (1 + 1e-9));
    EXPECT_GT(worst, 0.05 * reduced.error_bound);
    if (with_gain) {
      EXPECT_LT((steady_gain(s) - steady_gain(reduced.system)).norm(), 1e-11);
    }
  }
}

TEST(MinimalRealisation, KeepsTheResponse) {
  RandomMatrices random(10);
  const StateSpace core = random_stable(random, 3, 2, 2);
  StateSpace s = core;  // with two states out of reach and two out of sight, mixed
  s.a = MatrixX::Zero(7, 7);
  s.a.topLeftCorner(3, 3) = core.a;
  s.a.block(0, 3, 3, 2) = random.matrix(3, 2);
  s.a.block(3, 3, 2, 2) = -MatrixX::Identity(2, 2) + 0.1 * random.matrix(2, 2);
  s.a.block(5, 0, 2, 7) = random.matrix(2, 7);
  s.a.block(5, 5, 2, 2) -= 3 * MatrixX::Identity(2, 2);
  s.b = MatrixX::Zero(7, 2);
  s.b.topRows(3) = core.b;
  s.b.bottomRows(2) = random.matrix(2, 2);
  s.c = MatrixX::Zero(2, 7);
  s.c.leftCols(3) = core.c;
  s.c.middleCols(3, 2) = random.matrix(2, 2);
  const MatrixX t = random.matrix(7, 7) + 3 * MatrixX::Identity(7, 7);
  s.a = t.inverse() * s.a * t;
  s.b = t.inverse() * s.b;
  s.c = s.c * t;
  const StateSpace small = minimal_realisation(s);
  EXPECT_EQ(small.num_states(), 3);
  EXPECT_LT((frequency_response(small, 1.3) - frequency_response(core, 1.3)).norm(), 1e-9);
}

}  // namespace
}  // namespace lithe
