#include "lithe/reduce/portable_body.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/model/error_at.h"
#include "lithe/reduce/bases.h"
#include "lithe/reduce/invariants.h"
#include "lithe/reduce/solvers/eigensolver.h"

namespace lithe {
namespace {

constexpr int default_num_modes = 20;
constexpr int no_motion = 6;  // as a component: the dof of a mode, see body_of()

// Of the functions 1, x, y, z, φ_1x, φ_1y, φ_1z, φ_2x, ...: their products, integrated over the mass. Everything in
// InertiaInvariants is an entry of this matrix.
MatrixX gram_matrix(const InertiaInvariants& in) {
  const Eigen::Index s = in.num_modes(), size = 4 + 3 * s;
  MatrixX gram = MatrixX::Zero(size, size);
  gram(0, 0) = in.mass;
  gram.block<3, 1>(1, 0) = in.first_moment;
  gram.block<3, 3>(1, 1) = in.second_moment;
  for (Eigen::Index j = 0; j < s; ++j)
    for (int b = 0; b < 3; ++b) {
      const Eigen::Index row = 4 + 3 * j + b;
      gram(row, 0) = in.mode_momentum(b, j);
      for (int a = 0; a < 3; ++a) gram(row, 1 + a) = in.position_mode[a][b](j);
      for (Eigen::Index i = 0; i < s; ++i)
        for (int a = 0; a < 3; ++a) gram(row, 4 + 3 * i + a) = in.mode_mode[a][b](i, j);
    }
  gram.topRightCorner(4, size - 4) = gram.bottomLeftCorner(size - 4, 4).transpose();
  gram.block<1, 3>(0, 1) = gram.block<3, 1>(1, 0).transpose();
  return 0.5 * (gram + gram.transpose());
}

// NaN where squares and products of the entries overflow: then no comparison holds.
double smallest_of(const SymmetricPairs& pairs) {
  const bool known = pairs.converged && pairs.values.allFinite();
  return known ? pairs.values.minCoeff() : std::numeric_limits<double>::quiet_NaN();
}

struct GramFactor {
  MatrixX rows;         // G = rows rowsᵀ
  double smallest = 0;  // eigenvalue of G scaled to a diagonal of ones: never negative for a mass
};

GramFactor gram_factor(const MatrixX& gram) {
  const VectorX scale = gram.diagonal().cwiseMax(0.0).cwiseSqrt();
  const VectorX inverse = scale.unaryExpr([](double x) { return x > 0 ? 1 / x : 0.0; });
  const SymmetricPairs pairs = symmetric_pairs(inverse.asDiagonal() * gram * inverse.asDiagonal());
  constexpr double rounding = 1e-15;
  const Eigen::Index kept = (pairs.values.array() > rounding * pairs.values.maxCoeff()).count();
  return {scale.asDiagonal() * pairs.vectors.rightCols(kept) * pairs.values.tail(kept).cwiseSqrt().asDiagonal(),
          smallest_of(pairs)};
}

// Points with masses and displacements whose sums are the integrals: with G = B Bᵀ, and a reflection Q that makes the
// row of the function 1 in B Q the same number √(m/n) everywhere, each column is a point of mass m/n with the values
// column / √(m/n).
std::vector<MassPoint> points_of(const InertiaInvariants& inertia) {
  MatrixX B = gram_factor(gram_matrix(inertia)).rows;
  const Eigen::Index n = B.cols();
  const double root = std::sqrt(inertia.mass / static_cast<double>(n));
  const VectorX wanted = VectorX::Constant(n, root * (B.row(0).sum() > 0 ? -1 : 1));
  const VectorX normal = B.row(0).transpose() - wanted;  // not small, by the sign
  B -= (2 / normal.squaredNorm()) * (B * normal) * normal.transpose();
  B /= wanted(0);
  std::vector<int> dofs(static_cast<std::size_t>(inertia.num_modes()));
  std::iota(dofs.begin(), dofs.end(), 0);
  std::vector<MassPoint> points(static_cast<std::size_t>(n));
  for (Eigen::Index k = 0; k < n; ++k) {
    MassPoint& point = points[static_cast<std::size_t>(k)];
    point.mass = inertia.mass / static_cast<double>(n);
    point.position = B.block<3, 1>(1, k);
    point.dofs = dofs;
    point.translation_rows = Eigen::Map<const Matrix3X>(B.col(k).data() + 4, 3, inertia.num_modes());
    point.rotation_rows = Matrix3X::Zero(3, inertia.num_modes());
  }
  return points;
}

// Rigid motions of the nodes, which hold the part, in its coordinates: three translations, three turns over the size.
MatrixX rigid_motions(const PortableBody& part, double size) {
  MatrixX motions = MatrixX::Zero(part.stiffness.rows(), 6);
  Eigen::Index row = 0;
  for (std::size_t k = 0; k < part.nodes.size(); ++k) {
    motions.block<3, 3>(row, 0).setIdentity();
    motions.block<3, 3>(row, 3) = -skew((part.nodes[k].position - part.nodes[0].position) / size);
    if (part.node_dofs[k] == 6) motions.block<3, 3>(row + 3, 3) = Matrix3::Identity() / size;
    row += part.node_dofs[k];
  }
  return motions;
}

double size_of(const PortableBody& part) {
  double size = 0;
  for (const Node& node : part.nodes) size = std::max(size, (node.position - part.nodes[0].position).norm());
  return size > 0 ? size : 1;
}

std::string fault_of_matrix(const MatrixX& matrix, const std::string& name) {
  if (!matrix.allFinite()) return cat(name, " has entries that are no numbers");
  const double largest = matrix.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return cat(name, " is zero");
  if ((matrix - matrix.transpose()).cwiseAbs().maxCoeff() > 1e-9 * largest) return cat(name, " is not symmetric");
  const VectorX scale = matrix.diagonal().unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 0.0; });
  const double smallest = smallest_of(symmetric_values(scale.asDiagonal() * matrix * scale.asDiagonal()));
  if (!(smallest >= -1e-9 && matrix.diagonal().minCoeff() >= 0)) return cat(name, " is indefinite");
  return {};
}

}  // namespace

int PortableBody::num_node_coordinates() const { return std::accumulate(node_dofs.begin(), node_dofs.end(), 0); }

PortableBody portable_body(const FiniteElementBody& body, const std::vector<Node>& nodes, const MatrixX& basis) {
  PortableBody part;
  part.name = body.name;
  part.nodes = nodes;
  for (std::size_t k = 0; k < nodes.size(); ++k) part.node_dofs.push_back(body.num_dofs(static_cast<int>(k)));
  part.stiffness = basis.transpose() * (body.stiffness * basis);
  part.mass = basis.transpose() * (body.mass * basis);
  part.stiffness = (0.5 * (part.stiffness + part.stiffness.transpose())).eval();
  part.mass = (0.5 * (part.mass + part.mass.transpose())).eval();
  remove_rounding(part);
  part.inertia = inertia_invariants(body, basis);
  part.num_unknowns = body.num_dofs();
  return part;
}

PortableBody portable_body(const Model& model, int link, std::optional<int> num_modes) {
  const Link& of = model.links.at(static_cast<std::size_t>(link));
  const auto fail = [&](const std::string& message) {
    return InputError(std::vector{error_at(of.place, cat("link '", of.name, "': ", message))});
  };
  if (of.rigid) throw fail("it is rigid; only flexible links are reduced");
  if (model.space == Space::planar) throw fail("links of models in the plane are not written");
  const FiniteElementBody body = assemble(model, of);
  std::vector<int> held;
  for (std::size_t k = 0; k < of.nodes.size(); ++k) {
    const int dofs = body.num_dofs(static_cast<int>(k));
    if (dofs != 3 && dofs != 6) throw fail(cat("its node '", of.nodes[k].name, "' follows a spider"));
    held.push_back(static_cast<int>(k));
  }
  DynamicModes dynamic{num_modes, {}};
  if (!num_modes) dynamic.count = of.reduction.num_internal_modes;
  if (!num_modes && of.reduction.max_frequency) {
    const double omega = 2 * std::numbers::pi * *of.reduction.max_frequency;
    dynamic.squared_limit = omega * omega;
  }
  const int inner = num_inner_dofs(body, held, model.space);
  if (num_modes && *num_modes > inner) throw fail(cat(*num_modes, " modes wanted, but there are only ", inner));
  if (!dynamic.count && !dynamic.squared_limit) dynamic.count = default_num_modes;
  if (dynamic.count) dynamic.count = std::min(*dynamic.count, inner);
  try {
    return portable_body(body, of.nodes, craig_bampton_basis(body, held, dynamic));
  } catch (const InputError& error) {
    throw fail(error.errors().empty() ? error.what() : error.errors().front().message);
  }
}

void remove_rounding(PortableBody& part) {
  const Eigen::Index held = part.num_node_coordinates(), modes = part.num_modes();
  part.stiffness.topRightCorner(held, modes).setZero();
  part.stiffness.bottomLeftCorner(modes, held).setZero();
  const MatrixX rigid = rigid_motions(part, size_of(part)).topRows(held);
  const MatrixX strained = orthogonal_factor(rigid).rightCols(held - rigid.cols());  // of a single node: nothing
  const MatrixX stiffness = strained.transpose() * part.stiffness.topLeftCorner(held, held) * strained;
  part.stiffness.topLeftCorner(held, held) = strained * stiffness * strained.transpose();
}

VectorX held_frequencies(const PortableBody& part) {
  const Eigen::Index count = part.num_modes();
  const VectorX squared =
      part.stiffness.diagonal().tail(count).cwiseQuotient(part.mass.diagonal().tail(count)).cwiseMax(0.0);
  return squared.cwiseSqrt() / (2 * std::numbers::pi);
}

// Of motions orthogonal to the rigid ones, as (9) and (10) of the theory of reduction.
VectorX free_frequencies(const PortableBody& part) {
  const MatrixX rigid = rigid_motions(part, size_of(part));
  const VectorX scale = part.mass.diagonal().cwiseSqrt().cwiseInverse();
  const MatrixX coupling = scale.asDiagonal() * part.mass * rigid;
  const MatrixX elastic = scale.asDiagonal() * orthogonal_factor(coupling).rightCols(part.mass.rows() - rigid.cols());
  const NaturalModes modes =
      natural_modes(elastic.transpose() * part.stiffness * elastic, elastic.transpose() * part.mass * elastic);
  return modes.squared_frequencies.cwiseMax(0.0).cwiseSqrt() / (2 * std::numbers::pi);
}

std::string fault_of(const PortableBody& part) {
  for (const Node& node : part.nodes)
    if (!node.position.allFinite()) return cat("the position of node '", node.name, "' is no number");
  for (const auto& [matrix, name] :
       {std::pair{&part.stiffness, "the stiffness matrix"}, {&part.mass, "the mass matrix"}})
    if (const std::string fault = fault_of_matrix(*matrix, name); !fault.empty()) return fault;
  const MatrixX gram = gram_matrix(part.inertia);
  if (!gram.allFinite() || !(part.inertia.mass > 0)) return "its inertia has entries that are no numbers, or no mass";
  if (!(gram.diagonal().minCoeff() >= 0 && gram_factor(gram).smallest >= -1e-9))
    return "its inertia is that of no body: the integrals contradict each other";
  const auto& products = part.inertia.mode_mode;
  const MatrixX mass = products[0][0] + products[1][1] + products[2][2];
  if (!((mass - part.mass).cwiseAbs().maxCoeff() <= 1e-6 * part.mass.cwiseAbs().maxCoeff()))
    return "the products of inertia do not add up to the mass matrix";
  const MatrixX motions = rigid_motions(part, size_of(part));
  const MatrixX forces = part.stiffness * motions;
  const double level = (part.stiffness.cwiseAbs() * motions.cwiseAbs()).maxCoeff();
  if (!(forces.cwiseAbs().maxCoeff() <= 1e-6 * level)) return "a rigid motion of its nodes takes force";
  return {};
}

FiniteElementBody body_of(const PortableBody& part) {
  FiniteElementBody body;
  body.name = part.name;
  body.nodes_have_rotations = false;
  for (std::size_t k = 0; k < part.nodes.size(); ++k) {
    body.node_positions.push_back(part.nodes[k].position);
    body.dof_starts.push_back(static_cast<int>(body.dof_components.size()));
    for (int c = 0; c < part.node_dofs[k]; ++c) body.dof_components.push_back(c);
  }
  // Each mode is the dof of a node of its own, which does not move.
  for (int mode = 0; mode < part.num_modes(); ++mode) {
    body.node_positions.push_back(part.nodes[0].position);
    body.dof_starts.push_back(static_cast<int>(body.dof_components.size()));
    body.dof_components.push_back(no_motion);
  }
  body.dof_starts.push_back(static_cast<int>(body.dof_components.size()));
  std::vector<Eigen::Triplet<double>> motions;
  for (std::size_t k = 0; k < part.nodes.size(); ++k)
    for (int dof = body.dof_starts[k]; dof < body.dof_starts[k + 1]; ++dof)
      motions.emplace_back(6 * static_cast<int>(k) + body.component(dof), dof, 1.0);
  body.node_motions.resize(6 * static_cast<Eigen::Index>(body.num_nodes()), body.num_dofs());
  body.node_motions.setFromTriplets(motions.begin(), motions.end());
  body.stiffness = part.stiffness.sparseView(0, 0);
  body.mass = part.mass.sparseView(0, 0);
  body.mass_points = points_of(part.inertia);
  return body;
}

}  // namespace lithe
