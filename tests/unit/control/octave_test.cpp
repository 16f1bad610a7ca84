// Against GNU Octave 7.3.0 with its control package 3.4.0 (SLICOT): care, dare, c2d, hsvd, norm, gram, zero, margin,
// lyap, dlyap of the systems below, printed with `format long g`.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/control/linear/discretise.h"
#include "lithe/control/linear/linear_analysis.h"
#include "lithe/control/linear/matrix_equations.h"
#include "lithe/control/linear/reduce_linear.h"
#include "lithe/control/linear/riccati.h"
#include "unit/control/continuous_riccati.h"

namespace lithe {
namespace {

MatrixX matrix(Eigen::Index rows, Eigen::Index columns, std::initializer_list<double> by_rows) {
  MatrixX result(rows, columns);
  Eigen::Index i = 0;
  for (const double value : by_rows) {
    result(i / columns, i % columns) = value;
    ++i;
  }
  return result;
}

// Two oscillators on one force.
struct Pair {
  MatrixX a = matrix(4, 4, {0, 1, 0, 0, -4, -0.1, 4, 0.05, 0, 0, 0, 1, 2, 0.02, -2, -0.03});
  MatrixX b = matrix(4, 1, {0, 1, 0, 0.5}), q = VectorX{{10, 1, 5, 0.1}}.asDiagonal(), r = matrix(1, 1, {0.5});
  StateSpace system() const {
    return {a, b, matrix(2, 4, {1, 0, 0, 0, 0, 0, 1, 0}), MatrixX::Zero(2, 1), 0, {}, {}, {}};
  }
};

StateSpace three_states() {
  return {matrix(3, 3, {-1, 2, 0, -2, -0.5, 1, 0, 0.3, -3}),
          matrix(3, 1, {1, 0, 2}),
          matrix(1, 3, {1, 0, 1}),
          MatrixX::Zero(1, 1),
          0,
          {},
          {},
          {}};
}

void expect_near(const MatrixX& found, const MatrixX& wanted, double relative = 1e-12) {
  EXPECT_LT((found - wanted).cwiseAbs().maxCoeff(), relative * wanted.cwiseAbs().maxCoeff()) << found;
}

TEST(Octave, Care) {
  const Pair p;
  const RiccatiSolution s = testing::solve_riccati(p.a, p.b, p.q, p.r);
  ASSERT_TRUE(s.solved);
  expect_near(s.gain, matrix(1, 4, {4.339715117269698, 2.395960097013045, 1.13751045778197, 1.998523654298544}));
  expect_near(s.x, matrix(4, 4,
                          {13.85754738705699, 1.121393551221831, -7.246766031351212, 2.096928014826035,
                           1.121393551221831, 1.67254683244577, 0.01231292824434793, -0.949133567878495,
                           -7.246766031351212, 0.01231292824434793, 12.75955752169629, 1.112884601293274,
                           2.096928014826035, -0.949133567878495, 1.112884601293274, 3.896790790055534}));
}

TEST(Octave, SampledAndDare) {
  const Pair p;
  const StateSpace d = zero_order_hold(p.system(), 0.1);
  expect_near(d.b,
              matrix(4, 1, {0.004979262795927015, 0.09929631302623922, 0.002504965742280009, 0.05018994077429116}));
  expect_near(d.a.row(1),
              matrix(1, 4, {-0.3935444768320585, 0.9703165177870439, 0.3935444768320585, 0.0247323194689176}));
  const RiccatiSolution s = solve_discrete_riccati(d.a, d.b, p.q, p.r);
  ASSERT_TRUE(s.solved);
  expect_near(s.gain, matrix(1, 4, {3.395825059383674, 2.199271915241132, 1.227525987432855, 1.745748310040431}));
  expect_near(s.x.diagonal(),
              matrix(4, 1, {144.1208268103311, 17.30803134816573, 130.2181431236267, 39.06781109086825}));
  const StateSpace t = tustin(p.system(), 0.1);
  expect_near(t.a.row(3),
              matrix(1, 4, {0.1963735502644337, 0.01174717150136194, -0.1963735502644337, 0.9872298456470607}));
  expect_near(t.d, matrix(2, 1, {0.002478530820417563, 0.001256702617906115}));
}

TEST(Octave, CareOfAnUnstableSystemOfTwoInputs) {
  const MatrixX a = matrix(3, 3, {1, 0.5, 0, 0, 2, 1, 0.3, 0, -1}), b = matrix(3, 2, {0, 1, 1, 0, 0, 0.5});
  const RiccatiSolution s =
      testing::solve_riccati(a, b, VectorX{{1, 2, 0.5}}.asDiagonal(), MatrixX(VectorX{{1, 0.2}}.asDiagonal()));
  ASSERT_TRUE(s.solved);
  expect_near(s.x, matrix(3, 3,
                          {0.83368281155714463, -0.2828466255430927, -0.27534338872309283, -0.2828466255430927,
                           4.2751506052463775, 1.2234732130211463, -0.27534338872309283, 1.2234732130211463,
                           0.70930501978027727}));
  expect_near(s.gain, matrix(2, 3,
                             {-0.2828466255430927, 4.2751506052463775, 1.2234732130211463, 3.4800555859779911,
                              1.6444499048374022, 0.39654560583522902}));
}

// Three modes of 1, 40 and 900 rad/s with a damping ratio of 1e-4.
TEST(Octave, CareOfLightlyDampedModesOverDecades) {
  const double omega[] = {1, 40, 900};
  MatrixX a = MatrixX::Zero(6, 6), b = MatrixX::Zero(6, 1), q = MatrixX::Zero(6, 6);
  for (int i = 0; i < 3; ++i) {
    a(2 * i, 2 * i + 1) = omega[i];
    a(2 * i + 1, 2 * i) = -omega[i];
    a(2 * i + 1, 2 * i + 1) = -2e-4 * omega[i];
    b(2 * i + 1, 0) = 1.0 / (i + 1);
    q(2 * i, 2 * i) = 1;
    q(2 * i + 1, 2 * i + 1) = 0.5;
  }
  const RiccatiSolution s = testing::solve_riccati(a, b, q, matrix(1, 1, {0.01}));
  ASSERT_TRUE(s.solved);
  // conditioned like the spread of the frequencies
  expect_near(s.x.diagonal(),
              matrix(6, 1,
                     {0.83316324697384547, 0.085752347716359686, 0.25723755677305571, 0.2482326034262381,
                      0.35161965486444946, 0.35159301356130696}),
              1e-10);
  expect_near(s.gain,
              matrix(1, 6,
                     {9.0125842765432527, 8.2927615764774139, 3.0395118606540672, 11.847539638400404,
                      0.20377298412875347, 11.71755640407323}),
              1e-10);
}

// An unstable mode that the input hardly reaches: X is of the order 1/1e-4².
TEST(Octave, RiccatiOfANearlyUncontrollableUnstableMode) {
  const MatrixX b = matrix(2, 1, {1e-4, 1}), one = MatrixX::Identity(2, 2), r = matrix(1, 1, {1});
  const RiccatiSolution c = testing::solve_riccati(matrix(2, 2, {0.5, 0, 0, -1}), b, one, r);
  ASSERT_TRUE(c.solved);
  expect_near(c.x, matrix(2, 2, {162853937.87153509, -3523.969889408047, -3523.969889408047, 0.49046817414803828}),
              1e-8);
  expect_near(c.gain, matrix(1, 2, {12761.423897745464, 0.13807118520723355}), 1e-8);
  const RiccatiSolution d = solve_discrete_riccati(matrix(2, 2, {1.05, 0, 0, 0.5}), b, one, r);
  ASSERT_TRUE(d.solved);
  // Octave's own dare is good to 8e-8 here; the second numbers are those of the recursion with 70 digits.
  expect_near(d.x, matrix(2, 2, {48068615.11402604, -1565.2122377476794, -1565.2122377476794, 1.1837487254215739}),
              2e-7);
  expect_near(d.x, matrix(2, 2, {48068618.869503479, -1565.2123600336761, -1565.2123600336761, 1.1837487294034552}));
  expect_near(d.gain, matrix(1, 2, {1447.5388865520268, 0.21842961499417943}));
}

TEST(Octave, DareOfAnUnstableSystemWithALightlyDampedMode) {
  const double c = std::cos(0.4), s = std::sin(0.4);
  const MatrixX a = matrix(4, 4, {1.02, 0.1, 0, 0, 0, 0.99, 0, 0.05, 0, 0, c, s, 0, 0, -0.9999 * s, 0.9999 * c});
  const RiccatiSolution found = solve_discrete_riccati(a, matrix(4, 1, {0.005, 0.1, 0.01, 0.08}),
                                                       VectorX{{1, 0.1, 1, 1}}.asDiagonal(), matrix(1, 1, {0.1}));
  ASSERT_TRUE(found.solved);
  expect_near(found.x.diagonal(),
              matrix(4, 1, {13.525475969061716, 5.1158481408574223, 8.855322934383322, 6.8066645411623243}), 1e-11);
  expect_near(found.gain,
              matrix(1, 4, {2.9145283772675876, 2.7126165618288582, 1.4067661198319372, 2.9858356118522984}), 1e-11);
}

TEST(Octave, NormsGramiansAndHankelValues) {
  const StateSpace s = three_states();
  EXPECT_NEAR(h2_norm(s), 1.401929206517782, 1e-13);
  EXPECT_NEAR(hinf_norm(s).value, 1.248328262865867, 1e-7);  // norm(S, inf, 1e-10)
  const auto g = gramians(s);
  ASSERT_TRUE(g);
  expect_near(g->controllability, matrix(3, 3,
                                         {0.3808898230863543, -0.05955508845682247, 0.4622525836398664,
                                          -0.05955508845682247, 0.1050972149238044, -0.06656156945174287,
                                          0.4622525836398664, -0.06656156945174287, 0.6600105097214923}));
  expect_near(g->observability, matrix(3, 3,
                                       {0.3829041863723945, 0.05854790681380249, 0.1576020318794883,
                                        0.05854790681380249, 0.3626335610439655, 0.2140698896479241, 0.1576020318794883,
                                        0.2140698896479241, 0.2380232965493079}));
  expect_near(balanced_truncation(s, 3).hankel,
              matrix(3, 1, {0.64509386877887, 0.1805089214582966, 0.05056656783094127}));
}

TEST(Octave, LyapunovZerosAndMargins) {
  expect_near(
      *solve_lyapunov(three_states().a, MatrixX::Identity(3, 3)),
      matrix(3, 3,
             {0.706691189350148, 0.1033455946750745, 0.05079698721317214, 0.1033455946750745, 0.7588018917498683,
              0.08609213522508317, 0.05079698721317214, 0.08609213522508317, 0.175275880189175}));
  const Pair p;
  const MatrixX d = 0.9 * zero_order_hold(p.system(), 0.1).a;
  expect_near(solve_discrete_lyapunov(d, MatrixX::Identity(4, 4))->diagonal(),
              matrix(4, 1, {5.837989695627568, 14.40431831248974, 5.521658580067368, 6.702752854401786}));
  StateSpace one = p.system();
  one.c = one.c.topRows(1).eval();
  one.d = MatrixX::Zero(1, 1);
  const ComplexVector z = transmission_zeros(one);
  ASSERT_EQ(z.size(), 2);
  EXPECT_NEAR(std::abs(z[0] - std::complex<double>(-0.0275, 1.999810928562998)), 0, 1e-11);
  // 20/(s⁴ + 6 s³ + 11 s² + 6 s)
  const StateSpace loop{matrix(4, 4, {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -6, -11, -6}),
                        matrix(4, 1, {0, 0, 0, 1}),
                        matrix(1, 4, {20, 0, 0, 0}),
                        MatrixX::Zero(1, 1),
                        0,
                        {},
                        {},
                        {}};
  const Margins m = margins(loop);
  EXPECT_NEAR(m.gain, 0.5, 1e-9);
  EXPECT_NEAR(m.gain_frequency, 1, 1e-9);
  EXPECT_NEAR(m.phase * 180 / std::numbers::pi, 334.5853563666354 - 360, 1e-8);
  EXPECT_NEAR(m.phase_frequency, 1.417472493391052, 1e-9);
}

}  // namespace
}  // namespace lithe
