// Elastic constants of a material with three planes of symmetry: wood, plies of fibres, printed parts.
#pragma once

#include <optional>
#include <string>

#include "lithe/base/math.h"
#include "lithe/model/model.h"

namespace lithe {

// In the directions 1, 2, 3 of the material. A pull along i contracts along j by poisson ij.
struct OrthotropicConstants {
  Vector3 young = Vector3::Zero();    // E1, E2, E3, Pa
  Vector3 shear = Vector3::Zero();    // G12, G13, G23, Pa
  Vector3 poisson = Vector3::Zero();  // ν12, ν13, ν23
};

// A material of solid and shell elements. An orthotropic one has E1 and the mean of G12 and G13 as its moduli: what a
// beam along direction 1 is made of.
struct ElementMaterial : Material {
  std::optional<OrthotropicConstants> orthotropic;

  ElementMaterial() = default;
  ElementMaterial(Material isotropic) : Material(std::move(isotropic)) {}  // NOLINT: every material is one
  void set_orthotropic(const OrthotropicConstants& constants);
  void scale_moduli(double factor);
};

// Stress from strain in the order 11, 22, 33, 12, 23, 31; shear strains are angles. Material axes.
Matrix6 elasticity(const ElementMaterial& material);
// The same in other axes: columns of `axes` are the directions 1, 2, 3.
Matrix6 turned(const Matrix6& elasticity, const Matrix3& axes);

// In plane stress: 11, 22, 12.
Matrix3 plane_elasticity(const ElementMaterial& material);
// Shear 13 and 23.
Eigen::Vector2d transverse_shear_moduli(const ElementMaterial& material);

// What is wrong with the constants, such as strain that would release energy; empty where nothing is.
std::string constants_error(const ElementMaterial& material);

}  // namespace lithe
