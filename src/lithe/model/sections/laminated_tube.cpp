#include "lithe/model/sections/laminated_tube.h"

#include <cmath>
#include <numbers>

#include "lithe/model/sections/section_properties.h"

namespace lithe {

// Classical lamination theory of a wall without hoop force (Kollár and Springer, Mechanics of Composite Structures,
// 2003, chapter 6): all layers have the hoop strain -A_xs/A_ss ε. One isotropic layer gives E A, E I, G J exactly.
LaminatedTube laminated_tube(double outer_radius, const std::vector<Ply>& plies) {
  const LaminateStiffness wall = laminate_stiffness(plies);
  const double hoop = wall.a(0, 1) / wall.a(1, 1);
  const double inner_radius = outer_radius - laminate_thickness(plies);
  double axial = 0, bending = 0, torsion = 0, shear = 0, mass = 0, radius = inner_radius;
  for (const Ply& ply : plies) {
    const double next = radius + ply.thickness;
    const double area = std::numbers::pi * (next - radius) * (next + radius);
    const double square = (next * next + radius * radius) / 4;  // second moment over area
    const Matrix3 q = ply_elasticity(ply);
    const double along = q(0, 0) - q(0, 1) * hoop;
    axial += along * area;
    bending += along * area * square;
    shear += q(2, 2) * area;
    torsion += q(2, 2) * area * 2 * square;
    mass += ply.material->density * area;
    radius = next;
  }
  LaminatedTube tube;
  tube.section = tube_section(outer_radius, inner_radius);
  const double area = tube.section.area;
  tube.material.density = mass / area;
  tube.material.young_modulus = axial / area;
  tube.material.shear_modulus = shear / area;
  tube.section.second_moment_y = tube.section.second_moment_z = bending / tube.material.young_modulus;
  tube.section.torsion_constant = torsion / tube.material.shear_modulus;
  const double twist = wall.a(0, 2) - hoop * wall.a(1, 2), stretch = wall.a(0, 0) - hoop * wall.a(0, 1);
  tube.coupling = std::abs(twist) / std::sqrt(stretch * wall.a(2, 2));
  return tube;
}

}  // namespace lithe
