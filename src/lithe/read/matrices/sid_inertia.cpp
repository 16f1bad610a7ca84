#include "lithe/read/matrices/sid_inertia.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/reduce/portable_body.h"

namespace lithe {
namespace {

// Powers of the positive part of a symmetric matrix; what rounding leaves below it counts as zero.
MatrixX positive_power(const MatrixX& matrix, double exponent) {
  if (matrix.rows() == 0) return matrix;
  const SymmetricPairs pairs = symmetric_pairs(0.5 * (matrix + matrix.transpose()));
  constexpr double rounding = 1e-14;
  const double least = rounding * std::max(pairs.values.maxCoeff(), 0.0);
  const VectorX powers = pairs.values.unaryExpr([&](double x) { return x > least ? std::pow(x, exponent) : 0.0; });
  return pairs.vectors * powers.asDiagonal() * pairs.vectors.transpose();
}

// Σ_a of the diagonals of 3 x 3 blocks.
MatrixX traces(const MatrixX& blocks) {
  const Eigen::Index d = blocks.rows() / 3;
  MatrixX result = MatrixX::Zero(d, d);
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index k = 0; k < d; ++k) result(i, k) = blocks.block<3, 3>(3 * i, 3 * k).trace();
  return result;
}

MatrixX in_all_directions(const MatrixX& modes) {
  MatrixX result = MatrixX::Zero(3 * modes.rows(), 3 * modes.cols());
  for (Eigen::Index i = 0; i < modes.rows(); ++i)
    for (Eigen::Index k = 0; k < modes.cols(); ++k)
      result.block<3, 3>(3 * i, 3 * k) = modes(i, k) * Matrix3::Identity();
  return result;
}

// Integrals of products of the functions 1, x, y, z, φ_1x, φ_1y, φ_1z, ...: those of a real mass are positive. The mass
// matrix is kept as it is: mass, moments, momentum and angular momentum of the modes, and their kinetic energy.
// Products of modes matter at second order. Many files have the geometric stiffness in them, or have them of another
// mass matrix. What they have besides the least that the others ask for, R, becomes L R Lᵀ with the L nearest to one
// that gives the modal mass: L = T^-½ (T^½ W T^½)^½ T^-½, T the traces of R, W those that are wanted.
MatrixX gram_of(const SidIntegrals& in, std::vector<std::string>& warnings) {
  const Eigen::Index d = in.momentum.cols();
  Eigen::Matrix4d rigid;
  rigid << in.mass, in.first_moment.transpose(), in.first_moment, in.second_moment;
  const SymmetricPairs values = symmetric_values(MatrixX(rigid));
  if (!rigid.allFinite() || !(values.values(0) >= -1e-9 * values.values(3)))
    throw InputError("mass, centre and inertia (mdCM, J) are those of no body");
  MatrixX coupling(4, 3 * d);
  for (Eigen::Index k = 0; k < d; ++k) {
    coupling.block<1, 3>(0, 3 * k) = in.momentum.col(k).transpose();
    coupling.block<3, 3>(1, 3 * k) = in.position_mode[static_cast<std::size_t>(k)];
  }
  const MatrixX least = coupling.transpose() * (positive_power(rigid, -1) * coupling);
  const MatrixX wanted = in.modal_mass - traces(least);
  const double size = in.modal_mass.diagonal().cwiseAbs().maxCoeff();
  if (d > 0 && !(symmetric_values(wanted).values.minCoeff() >= -1e-3 * size))
    throw InputError(
        "the modal mass Me contradicts Ct, Cr and J: the modes would have less mass than their momentum asks for");
  const MatrixX even = in_all_directions(wanted) / 3;
  MatrixX rest = even;
  if (in.products.size() > 0) {
    const MatrixX found = positive_power(in.products - least, 1);
    rest = found + 1e-9 * positive_power(even, 1);
    const double off = (traces(found) - wanted).cwiseAbs().maxCoeff();
    if (off > 0.01 * size)
      warnings.push_back(cat("products of its modes (Oe, Ge) do not add up to the modal mass Me, by ",
                             std::round(1000 * off / size) / 10,
                             " % of it: geometric stiffness is in them, or rounding; "
                             "they are scaled to it"));
  } else if (d > 0) {
    warnings.push_back(
        "products of its modes (linear part of Oe, and Ge) are missing; their mass counts alike in all directions");
  }
  const MatrixX traced = traces(rest), root = positive_power(traced, 0.5), inverse = positive_power(traced, -0.5);
  const MatrixX scale = in_all_directions(inverse * positive_power(root * wanted * root, 0.5) * inverse);
  MatrixX gram(4 + 3 * d, 4 + 3 * d);
  gram << rigid, coupling, coupling.transpose(), least + scale * rest * scale.transpose();
  return gram;
}

// What the coordinates do, as sums of the functions of the Gram matrix: rows of one direction, columns of coordinates.
MatrixX fields(Eigen::Index num_modes, int direction) {
  MatrixX result = MatrixX::Zero(4 + 3 * num_modes, 6 + num_modes);
  result(0, direction) = 1;
  for (int c = 0; c < 3; ++c)
    for (int a = 0; a < 3; ++a) result(1 + a, 3 + c) = Vector3::Unit(c).cross(Vector3::Unit(a))(direction);
  for (Eigen::Index k = 0; k < num_modes; ++k) result(4 + 3 * k + direction, 6 + k) = 1;
  return result;
}

}  // namespace

FiniteElementBody sid_body(const SidIntegrals& in, const MatrixX& stiffness, std::vector<std::string>& warnings) {
  const Eigen::Index d = in.momentum.cols();
  const MatrixX gram = gram_of(in, warnings);
  PortableBody part;
  part.nodes = {{"frame of reference", Vector3::Zero()}};
  part.node_dofs = {6};
  part.stiffness = part.mass = MatrixX::Zero(6 + d, 6 + d);
  part.stiffness.bottomRightCorner(d, d) = stiffness;
  part.inertia.mass = in.mass;
  part.inertia.first_moment = in.first_moment;
  part.inertia.second_moment = in.second_moment;
  part.inertia.mode_momentum.resize(3, 6 + d);
  std::array<MatrixX, 3> of;
  for (int b = 0; b < 3; ++b) of[static_cast<std::size_t>(b)] = fields(d, b);
  for (std::size_t b = 0; b < 3; ++b) {
    const MatrixX with = gram * of[b];
    part.inertia.mode_momentum.row(static_cast<Eigen::Index>(b)) = with.row(0);
    for (std::size_t a = 0; a < 3; ++a) {
      part.inertia.position_mode[a][b] = with.row(static_cast<Eigen::Index>(1 + a)).transpose();
      part.inertia.mode_mode[a][b] = of[a].transpose() * with;
    }
    part.mass += part.inertia.mode_mode[b][b];
  }
  part.mass = (0.5 * (part.mass + part.mass.transpose())).eval();
  if (const std::string fault = fault_of(part); !fault.empty()) throw InputError(fault);
  return body_of(part);
}

}  // namespace lithe
