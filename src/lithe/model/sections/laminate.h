// Plates of layers: stiffness and mass per area by classical lamination theory with transverse shear of first order
// (docs/theory/shell_elements.md).
#pragma once

#include <vector>

#include "lithe/model/orthotropic.h"

namespace lithe {

// From the bottom (-z) to the top. `angle` turns direction 1 from the x axis towards y, rad.
struct Ply {
  const ElementMaterial* material = nullptr;
  double thickness = 0;
  double angle = 0;
};

// N = A ε + B κ, M = B ε + D κ, Q = S γ, in the order xx, yy, xy and xz, yz; z = 0 is the middle.
struct LaminateStiffness {
  Matrix3 a = Matrix3::Zero(), b = Matrix3::Zero(), d = Matrix3::Zero();
  Eigen::Matrix2d shear = Eigen::Matrix2d::Zero();
};
LaminateStiffness laminate_stiffness(const std::vector<Ply>& plies);

// ∫ρ dz, ∫ρ z dz, ∫ρ z² dz.
struct LaminateMass {
  double area = 0, first = 0, second = 0;
};
LaminateMass laminate_mass(const std::vector<Ply>& plies);

double laminate_thickness(const std::vector<Ply>& plies);

// Stress xx, yy, xy from strain in the axes of the plate.
Matrix3 ply_elasticity(const Ply& ply);

}  // namespace lithe
