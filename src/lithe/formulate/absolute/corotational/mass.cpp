// The mass matrix of a corotational beam (docs/theory/corotational.md, section 3).
#include "lithe/formulate/absolute/corotational/work.h"

namespace lithe {
namespace {

// Sums over the particles at their places ρ, all in the element's axes.
struct PlacedMass {
  Vector3 first = Vector3::Zero();   // Σ m ρ over the line
  Vector3 along = Vector3::Zero();   // Σ m ξ ρ over the line
  Matrix3 second = Matrix3::Zero();  // Σ m ρ ρᵀ
  Matrix3 by_weight[3][2];           // Σ m ρ wᵀ for the axes of both nodes
};

PlacedMass placed_mass(const CorotationalElement& element, const ElementState& state) {
  PlacedMass sums;
  for (auto& of_axis : sums.by_weight)
    for (Matrix3& sum : of_axis) sum.setZero();
  for (const ElementParticle& particle : element.particles) {
    const Vector3 place = place_of(particle, state), heavy = particle.mass * place;
    sums.second.noalias() += heavy * place.transpose();
    for (int i = 0; i < 2; ++i) sums.by_weight[particle.axis][i].noalias() += heavy * particle.weight[i].transpose();
    if (!particle.on_line()) continue;
    sums.first += heavy;
    sums.along += particle.along * heavy;
  }
  return sums;
}

// Σ m ρ× diag(w) from Σ m ρ wᵀ.
Matrix3 crossed(const Matrix3& o) {
  Matrix3 result;
  result << 0, -o(2, 1), o(1, 2), o(2, 0), 0, -o(0, 2), -o(1, 0), o(0, 1), 0;
  return result;
}

// Mass in terms of the velocity of node a, the turn φ of the element's axes, the turns ω of the nodes and the stretch,
// in the element's axes: of the nodes' turns as seen from the element first, then β = ω - φ put in.
struct CorotationalMass {
  Matrix3 node_turn[2], turn_turn[2][2], spin_node, spin_turn[2], spin_spin;
  Vector3 stretch_turn[2], stretch_spin;

  CorotationalMass(const CorotationalElement& element, const ElementState& state) {
    const PlacedMass sums = placed_mass(element, state);
    Matrix3 axes[3][2];
    for (int axis = 0; axis < 3; ++axis)
      for (int i = 0; i < 2; ++i) axes[axis][i] = skew(state.axes[i].col(axis));
    for (int i = 0; i < 2; ++i) {
      node_turn[i] = element.line_weight[i].asDiagonal() * Matrix3(-axes[0][i]);
      stretch_turn[i] = -element.along_weight[i] * axes[0][i].row(0).transpose();
      spin_turn[i].setZero();
      for (int axis = 0; axis < 3; ++axis) spin_turn[i].noalias() -= crossed(sums.by_weight[axis][i]) * axes[axis][i];
      for (int j = 0; j < 2; ++j) {
        turn_turn[i][j].setZero();
        for (int axis = 0; axis < 3; ++axis)
          turn_turn[i][j].noalias() -= axes[axis][i] * element.weights[axis][i][j].asDiagonal() * axes[axis][j];
      }
    }
    spin_node = skew(sums.first) - (node_turn[0] + node_turn[1]).transpose();
    spin_spin = sums.second.trace() * Matrix3::Identity() - sums.second;
    stretch_spin = Vector3(0, sums.along.z(), -sums.along.y()) - stretch_turn[0] - stretch_turn[1];
    for (int i = 0; i < 2; ++i) {
      const Matrix3 both = turn_turn[0][i] + turn_turn[1][i];
      spin_spin += both - spin_turn[i] - spin_turn[i].transpose();
      spin_turn[i] -= both;
    }
  }
};

}  // namespace

Matrix12 element_mass(const CorotationalElement& element, const ElementState& state) {
  Matrix12 result = Matrix12::Zero();
  if (element.particles.empty()) return result;
  const CorotationalMass own(element, state);
  const Matrix3& A = state.node[0];
  // Halves of what stands on both sides of the diagonal; the other half comes with the transpose.
  Eigen::Matrix<double, 3, 12> spin = 0.5 * own.spin_spin * state.spin;
  Vector12 stretch = 0.5 * element.along_mass[1] * state.rate.row(6).transpose();
  spin.leftCols<3>() += own.spin_node * A;
  spin.noalias() += own.stretch_spin * state.rate.row(6);
  stretch.head<3>() += element.along_mass[0] * A.row(0).transpose();
  result.topLeftCorner<3, 3>().diagonal().array() += 0.5 * element.mass;
  for (int i = 0; i < 2; ++i) {
    const Matrix3& turned = state.node[i];
    const int at = 6 * i + 3;
    spin.middleCols<3>(at) += own.spin_turn[i] * turned;
    stretch.segment<3>(at) += turned.transpose() * own.stretch_turn[i];
    result.block<3, 3>(0, at) += A.transpose() * own.node_turn[i] * turned;
    for (int j = 0; j < 2; ++j)
      result.block<3, 3>(at, 6 * j + 3) += 0.5 * turned.transpose() * own.turn_turn[i][j] * state.node[j];
  }
  result.noalias() += state.spin.transpose() * spin;
  result.noalias() += state.rate.row(6).transpose() * stretch.transpose();
  return result + result.transpose();
}

}  // namespace lithe
