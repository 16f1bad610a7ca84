// The beam of the formulation transfer-functions: its deformations, their inverse and all derivatives.
#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "lithe/formulate/transfer/beam_inl.h"
#include "lithe/formulate/transfer/jet.h"
#include "lithe/formulate/transfer/motion.h"

namespace lithe {
namespace {

using Complex = std::complex<double>;
constexpr double length = 0.3;

BeamProperties properties(BeamTheory theory = BeamTheory::timoshenko) {
  const Material material{"metal", 2700, 7e10, 7e10 / 2.66};
  Section section;
  section.area = 1e-4;
  section.second_moment_y = 2e-9;
  section.second_moment_z = 1e-9;
  section.torsion_constant = 1.5e-9;
  return beam_properties(theory, material, section, length);
}

std::array<double, 6> some_deformations(int seed, double size) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> uniform(-size * length, size * length);
  std::array<double, 6> e{};
  for (double& one : e) one = uniform(random);
  return e;
}

TEST(TransferBeam, TheSecondNodeHasTheDeformationsThatPlacedIt) {
  for (const bool shortens : {false, true}) {
    const BeamForm form = beam_form(properties(), MassModel::consistent, shortens);
    for (int seed = 0; seed < 20; ++seed) {
      const std::array<double, 6> e = some_deformations(seed, 0.3);
      BeamVectors<double> out;
      beam_vectors(form, e.data(), out);
      const Eigen::Map<const Matrix3> Q(&out[3 * second_x]);
      EXPECT_LT((Q.transpose() * Q - Matrix3::Identity()).norm(), 1e-14);
      EXPECT_NEAR(Q.determinant(), 1, 1e-14);
      // Anywhere in space: deformations do not see rigid motions.
      const Matrix3 R = Eigen::AngleAxisd(0.3 * seed, Vector3(1, -2, 0.5).normalized()).toRotationMatrix();
      const Vector3 along = R * Vector3(out[0], out[1], out[2]);
      const Matrix3 far = R * Q;
      std::array<double, 6> again{};
      beam_deformations(length, shortens, along.data(), R.data(), far.data(), again.data());
      for (int k = 0; k < 6; ++k) EXPECT_NEAR(again[k], e[k], 1e-14) << k;
    }
  }
}

// Complex step: Im f(e + i h) / h has no cancellation, so h can be tiny and the derivative is exact.
TEST(TransferBeam, JacobiansAreThoseOfTheComplexStep) {
  const BeamForm form = beam_form(properties(), MassModel::consistent, true);
  const std::array<double, 6> e = some_deformations(3, 0.2);
  std::array<Dual<double, 6>, 6> dual;
  for (int k = 0; k < 6; ++k) {
    dual[k].value = e[k];
    dual[k].jacobian[k] = 1;
  }
  BeamVectors<Dual<double, 6>> jacobians;
  beam_vectors(form, dual.data(), jacobians);
  for (int k = 0; k < 6; ++k) {
    constexpr double step = 1e-100;
    std::array<Complex, 6> z;
    for (int j = 0; j < 6; ++j) z[j] = Complex(e[j], j == k ? step : 0.0);
    BeamVectors<Complex> out;
    beam_vectors(form, z.data(), out);
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(jacobians[i].jacobian[k], out[i].imag() / step, 1e-13);
  }
}

// Jets and second derivatives by the complex step over first ones.
TEST(TransferBeam, RatesAccelerationsAndSecondDerivativesAreExact) {
  const BeamForm form = beam_form(properties(), MassModel::consistent, true);
  const std::array<double, 6> e = some_deformations(5, 0.2), rate = some_deformations(6, 2),
                              acc = some_deformations(7, 9);
  constexpr double step = 1e-100;
  std::array<Jet<double>, 6> jets;
  std::array<Dual<Complex, 1>, 6> along;  // derivative along the rate, and the complex step along it once more
  for (int k = 0; k < 6; ++k) {
    jets[k] = {e[k], rate[k], acc[k]};
    along[k].value = Complex(e[k], step * rate[k]);
    along[k].jacobian[0] = Complex(rate[k], step * acc[k]);
  }
  BeamVectors<Jet<double>> motion;
  beam_vectors(form, jets.data(), motion);
  BeamVectors<Dual<Complex, 1>> check;
  beam_vectors(form, along.data(), check);
  Eigen::Matrix<double, 3, num_beam_vectors> weights;
  for (int k = 0; k < num_beam_vectors; ++k) weights.col(k) = Vector3(1 + k, 2 - k, 0.5 * k);
  double curvature = 0;
  for (std::size_t i = 0; i < motion.size(); ++i) {
    EXPECT_NEAR(motion[i].rate, check[i].jacobian[0].real(), 1e-12);
    EXPECT_NEAR(motion[i].acceleration, check[i].jacobian[0].imag() / step, 1e-11);
    curvature += weights(static_cast<Eigen::Index>(i % 3), static_cast<Eigen::Index>(i / 3)) * motion[i].acceleration;
  }
  // rateᵀ H rate + derivatives·acceleration is the acceleration of the weighted sum.
  std::array<Dual<double, 6>, 6> dual;
  for (int k = 0; k < 6; ++k) {
    dual[k].value = e[k];
    dual[k].jacobian[k] = 1;
  }
  BeamVectors<Dual<double, 6>> jacobians;
  beam_vectors(form, dual.data(), jacobians);
  const Matrix6 hessian = weighted_hessian(form, e.data(), 6, weights);
  const Eigen::Map<const Vector6> v(rate.data());
  double sum = v.dot(hessian * v);
  for (std::size_t i = 0; i < jacobians.size(); ++i)
    for (int k = 0; k < 6; ++k)
      sum += weights(static_cast<Eigen::Index>(i % 3), static_cast<Eigen::Index>(i / 3)) * jacobians[i].jacobian[k] *
             acc[k];
  EXPECT_NEAR(sum, curvature, 1e-11 * std::abs(curvature));
  EXPECT_LT((hessian - hessian.transpose()).norm(), 1e-12 * hessian.norm());
}

// Deformation energy of small motions is that of the finite element.
TEST(TransferBeam, StiffnessIsThatOfTheFiniteElement) {
  for (const BeamTheory theory : {BeamTheory::euler_bernoulli, BeamTheory::timoshenko, BeamTheory::linear_timoshenko}) {
    const BeamProperties beam = properties(theory);
    const BeamForm form = beam_form(beam, MassModel::consistent, true);
    const Matrix12 K = beam_stiffness(beam);
    for (int seed = 0; seed < 5; ++seed) {
      const std::array<double, 6> small = some_deformations(seed, 1e-7);
      const Eigen::Map<const Vector6> e(small.data());
      BeamVectors<double> out;
      beam_vectors(form, small.data(), out);
      Eigen::Matrix<double, 12, 1> u = Eigen::Matrix<double, 12, 1>::Zero();
      u.segment<3>(6) = Vector3(out[0] - length, out[1], out[2]);
      const Eigen::Map<const Matrix3> Q(&out[3 * second_x]);
      u.tail<3>() = 0.5 * Vector3(Q(2, 1) - Q(1, 2), Q(0, 2) - Q(2, 0), Q(1, 0) - Q(0, 1));
      EXPECT_NEAR(e.dot(form.stiffness * e), u.dot(K * u), 1e-5 * u.dot(K * u));
      const Vector6 ends = end_forces(form, form.stiffness * e);
      EXPECT_LT((ends - (K * u).tail<6>()).norm(), 1e-5 * ends.norm());
    }
  }
}

// The shortening of a bent axis between its ends: ½ ∫ w'² of the cubic, [LIN] (49a).
TEST(TransferBeam, TheChordShortensByTheJacobianSquared) {
  const BeamForm form = beam_form(properties(BeamTheory::euler_bernoulli), MassModel::consistent, true);
  const std::array<double, 6> e = {0, 0, 0.01, -0.004, 0.006, 0.003};
  BeamVectors<double> out;
  beam_vectors(form, e.data(), out);
  const double chord_length = std::sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
  double lost = 0;
  constexpr int steps = 2000;
  for (int k = 0; k < steps; ++k) {  // midpoint rule; w' of the two planes from the derivatives at the ends
    const double x = (k + 0.5) / steps, first = 1 - 4 * x + 3 * x * x, second = 3 * x * x - 2 * x;
    const double z = first * e[2] - second * e[3], y = -first * e[4] + second * e[5];
    lost += 0.5 * (z * z + y * y) / (length * length) * length / steps;
  }
  EXPECT_NEAR(length - chord_length, lost, 1e-6 * lost);
}

}  // namespace
}  // namespace lithe
