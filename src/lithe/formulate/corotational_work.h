// What a thread needs of a body of corotational beams, and the mass of their lines; shared by the sources that
// implement it.
#pragma once

#include <array>

#include "lithe/formulate/corotational_body.h"

namespace lithe {

struct CorotationalBody::BeamWork : Work {
  std::vector<BodyFrame> frames;
  VectorX speeds;
  std::vector<ElementState> elements;
};

// Weights of (p_a, L t_a, p_b, L t_b), t the beam's tangent at a node: ∫ N_i N_j and ∫ N_i of Hermite's polynomials.
inline constexpr double line_mass[4][4] = {{156 / 420.0, 22 / 420.0, 54 / 420.0, -13 / 420.0},
                                           {22 / 420.0, 4 / 420.0, 13 / 420.0, -3 / 420.0},
                                           {54 / 420.0, 13 / 420.0, 156 / 420.0, -22 / 420.0},
                                           {-13 / 420.0, -3 / 420.0, -22 / 420.0, 4 / 420.0}};
inline constexpr double line_weight[4] = {0.5, 1.0 / 12, 0.5, -1.0 / 12};

// The world motion (ṗ, ω) of both nodes from their body velocities: block diagonal of the rotations.
inline Matrix12 to_world(const Matrix3& Ra, const Matrix3& Rb) {
  Matrix12 T = Matrix12::Zero();
  T.block<3, 3>(0, 0) = T.block<3, 3>(3, 3) = Ra;
  T.block<3, 3>(6, 6) = T.block<3, 3>(9, 9) = Rb;
  return T;
}

// Rates of (p_a, L t_a, p_b, L t_b) from the body velocities of the two nodes: ṗ = R v, L ṫ = -L R (e × ω).
struct LineMap {
  std::array<Matrix3, 4> map;   // columns of v_a, ω_a, v_b, ω_b
  std::array<Vector3, 4> bias;  // accelerations when v̇ = ω̇ = 0
};

inline LineMap line_map(const CorotationalElement& element, const BodyFrame& a, const BodyFrame& b,
                        const Eigen::Ref<const VectorX>& speeds) {
  LineMap line;
  const Matrix3 cross = skew(element.chord);
  for (int side = 0; side < 2; ++side) {
    const Matrix3& R = side == 0 ? a.rotation : b.rotation;
    const int o = 6 * (side == 0 ? element.a : element.b);
    const Vector3 v = speeds.segment<3>(o), w = speeds.segment<3>(o + 3);
    line.map[2 * side] = R;
    line.map[2 * side + 1] = -R * cross;
    line.bias[2 * side] = R * w.cross(v);
    line.bias[2 * side + 1] = R * w.cross(w.cross(element.chord));
  }
  return line;
}

// Places of the four blocks in the body's speeds.
inline std::array<int, 4> line_places(const CorotationalElement& e) {
  return {6 * e.a, 6 * e.a + 3, 6 * e.b, 6 * e.b + 3};
}

}  // namespace lithe
