// Against GNU Octave 7.3.0 with its control package 3.4.0 (SLICOT): care, dare, c2d, hsvd, norm, gram, zero, margin,
// lyap, dlyap of the systems below, printed with `format long g`.
#include <gtest/gtest.h>

#include <numbers>

#include "lithe/control/discretise.h"
#include "lithe/control/linear_analysis.h"
#include "lithe/control/matrix_equations.h"
#include "lithe/control/reduce_linear.h"
#include "lithe/control/riccati.h"

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
  const RiccatiSolution s = solve_riccati(p.a, p.b, p.q, p.r);
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
