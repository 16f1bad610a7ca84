// A link of a description whose stiffness at the tip was measured in all six directions: a body of two nodes.
#pragma once

#include <optional>

#include "lithe/model/finite_element_body.h"
#include "lithe/read/urdf/flexible_link.h"

namespace lithe {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

// Six rows of six numbers in SI units: forces and moments at `to` over displacements and rotations there, link axes,
// the link held at `from`. Nothing, and an error at the key, for anything else, and for a matrix that resists some
// motion with negative force. Measured matrices are never quite symmetric: their symmetric part counts.
std::optional<Matrix6> read_stiffness_matrix(const TableReader& reader, std::string_view key);

// The body between two nodes that has this stiffness, with the mass of `ends` at its own nodes: a massless spring with
// six directions, K₁₂ = [-G I]ᵀ K [-G I], where G moves `to` rigidly with `from`.
FiniteElementBody body_of_stiffness(const Matrix6& stiffness, const Vector3& from, const Vector3& to,
                                    const EndBodies& ends);

}  // namespace lithe
