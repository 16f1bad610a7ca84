// Rotary and distributed inertia of TransferNetwork: vectors w(x) with a constant mass matrix, whose transfer functions
// are chained to those of the coordinates. With them (22)-(28) keep their form.
#include <algorithm>
#include <limits>

#include "app/reproduce/papers/network.h"
#include "app/reproduce/papers/network_inl.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/transfer/beam.h"
#include "lithe/formulate/transfer/jet.h"

namespace lithe {
namespace {

// Of the field that BeamForm::mass weighs: the first node, chord, bending (both planes in one vector: their
// interpolation is the same without shear), shortening, and the sections' directions.
template <class S>
void beam_field(const S* start, const S* l, const std::array<S, 9>& first, const std::array<S, 9>& second, S* w) {
  using std::sqrt;
  const S squared = network::dot3(l, l), length = sqrt(squared);
  S t[2][3];  // the tangents of the axis at the ends, without their part along the chord
  const S* tangents[] = {first.data(), second.data()};
  for (int end = 0; end < 2; ++end) {
    const S along = network::dot3(tangents[end], l) / squared;
    for (int i = 0; i < 3; ++i) t[end][i] = tangents[end][i] - along * l[i];
  }
  const S shortening[] = {network::dot3(t[0], t[0]), network::dot3(t[0], t[1]), network::dot3(t[1], t[1])};
  for (int i = 0; i < 3; ++i) {
    const auto put = [&](int vector, const S& value) { w[3 * vector + i] = value; };
    put(0, start[i]);
    put(1 + chord, l[i]);
    put(1 + bend_y_first, length * t[0][i]);
    put(1 + bend_z_first, S(0.0));
    put(1 + bend_y_second, length * t[1][i]);
    put(1 + bend_z_second, S(0.0));
    for (int k = 0; k < 3; ++k) put(1 + short_first + k, shortening[k] * l[i]);
    for (int k = 0; k < 2; ++k) {
      put(9 + k, first[3 * (1 + k) + i]);
      put(11 + k, second[3 * (1 + k) + i]);
    }
  }
}

// Σ_c weights_bc a_c for vectors of three numbers each, column by column.
MatrixX weighted(const MatrixX& weights, const MatrixX& vectors) {
  MatrixX result = MatrixX::Zero(vectors.rows(), vectors.cols());
  for (Eigen::Index b = 0; b < weights.rows(); ++b)
    for (Eigen::Index c = 0; c < weights.cols(); ++c)
      result.middleRows(3 * b, 3) += weights(b, c) * vectors.middleRows(3 * c, 3);
  return result;
}

}  // namespace

// ½ tr(J) 1 - J weighs the node's axes: ½ Σ weights_ij ė_i·ė_j is the energy ½ ω·J ω.
void TransferNetwork::set_inertia(int rotation, const Matrix3& inertia) {
  inertias_.push_back({-1, rotation, 0.5 * inertia.trace() * Matrix3::Identity() - inertia});
}

void TransferNetwork::set_beam_mass(int beam, const BeamProperties& properties) {
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const Beam* found = std::get_if<Beam>(&elements_[k].kind);
    if (elements_[k].first_deformation != beam || found == nullptr) continue;
    BeamProperties slender = properties;
    slender.theory = BeamTheory::euler_bernoulli;
    slender.shear_stiffness_y = slender.shear_stiffness_z = std::numeric_limits<double>::infinity();
    slender.length = found->length;
    inertias_.push_back({static_cast<int>(k), -1, beam_form(slender, MassModel::consistent, found->shortens).mass});
    return;
  }
  throw InputError(cat("no beam has ", beam, " as its first deformation"));
}

template <class S>
void TransferNetwork::inertial_vectors(const Inertia& inertia, const std::vector<S>& x, std::vector<S>& w) const {
  w.resize(static_cast<std::size_t>(3 * inertia.weights.rows()));
  if (inertia.rotation >= 0) {
    const std::array<S, 9> axes = network::rotation_columns(&x[static_cast<std::size_t>(inertia.rotation)]);
    std::copy(axes.begin(), axes.end(), w.begin());
    return;
  }
  const Beam& beam = std::get<Beam>(elements_[static_cast<std::size_t>(inertia.beam)].kind);
  const S l[3] = {x[beam.second] - x[beam.first], x[beam.second + 1] - x[beam.first + 1],
                  x[beam.second + 2] - x[beam.first + 2]};
  beam_field(&x[beam.first], l, network::turned_axes(&x[beam.first_rotation], beam.axes),
             network::turned_axes(&x[beam.second_rotation], beam.second_axes), w.data());
}

void TransferNetwork::add_inertia(const Inertia& inertia, const MatrixX& position, const VectorX& rate,
                                  const VectorX& bias, MatrixX& mass, VectorX& force) const {
  const Eigen::Index rows = 3 * inertia.weights.rows(), n = position.cols();
  MatrixX first(rows, n);
  VectorX acceleration(rows);
  std::vector<Jet<network::Line>> x(x_.size()), w;
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index i = 0; i < x_.size(); ++i) {
      x[i].value.value = x_(i);
      x[i].value.jacobian[0] = position(i, k);
      x[i].rate.value = rate(i);
      x[i].acceleration.value = bias(i);
    }
    inertial_vectors(inertia, x, w);
    for (Eigen::Index r = 0; r < rows; ++r) {
      first(r, k) = w[r].value.jacobian[0];
      acceleration(r) = w[r].acceleration.value;
    }
  }
  const MatrixX weighted_first = weighted(inertia.weights, first);
  mass += first.transpose() * weighted_first;
  force -= weighted_first.transpose() * acceleration;
}

// Σ_r force_r ∂²w_r/∂q²
MatrixX TransferNetwork::inertial_force_jacobians(const Inertia& inertia, const NetworkMotion& motion,
                                                  const VectorX& force) const {
  const Eigen::Index n = motion.position.cols();
  MatrixX jacobians(n, n);
  std::vector<network::Curve> x(x_.size()), w;
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index k = 0; k < n; ++k) {
      for (Eigen::Index i = 0; i < x_.size(); ++i) {
        x[i].value.value = x_(i);
        x[i].value.jacobian[0] = motion.position(i, j);
        x[i].jacobian[0].value = motion.position(i, k);
        x[i].jacobian[0].jacobian[0] = motion.second[static_cast<std::size_t>(i)](j, k);
      }
      inertial_vectors(inertia, x, w);
      jacobians(j, k) = 0;
      for (Eigen::Index r = 0; r < force.size(); ++r) jacobians(j, k) += force(r) * w[r].jacobian[0].jacobian[0];
    }
  return jacobians;
}

void TransferNetwork::add_inertia(const Inertia& inertia, const NetworkMotion& motion, TransferLinear& linear) const {
  const Eigen::Index rows = 3 * inertia.weights.rows(), n = motion.position.cols();
  MatrixX first(rows, n), by_rate(rows, n), by_acceleration(rows, n);
  VectorX acceleration(rows);
  std::vector<Jet<network::Line>> x(x_.size()), w;
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index i = 0; i < x_.size(); ++i) {
      x[i].value.value = x_(i);
      x[i].rate.value = motion.rate(i);
      x[i].acceleration.value = motion.acceleration(i);
      x[i].value.jacobian[0] = motion.position(i, k);
      x[i].rate.jacobian[0] = motion.by_rate(i, k);
      x[i].acceleration.jacobian[0] = motion.by_acceleration(i, k);
    }
    inertial_vectors(inertia, x, w);
    for (Eigen::Index r = 0; r < rows; ++r) {
      first(r, k) = w[r].value.jacobian[0];
      by_rate(r, k) = w[r].rate.jacobian[0];
      by_acceleration(r, k) = w[r].acceleration.jacobian[0];
      acceleration(r) = w[r].acceleration.value;
    }
  }
  const MatrixX weighted_first = weighted(inertia.weights, first);
  linear.mass += weighted_first.transpose() * first;
  linear.damping += 2 * weighted_first.transpose() * by_rate;
  linear.geometric += weighted_first.transpose() * by_acceleration;
  linear.geometric += inertial_force_jacobians(inertia, motion, weighted(inertia.weights, acceleration));
}

}  // namespace lithe
