// Properties of common beam sections: area, second moments, torsion constant, shear factors.
#pragma once

#include "lithe/model/model.h"

namespace lithe {

// Width along y, height along z. Torsion by the Saint-Venant series; shear factors 5/6.
Section rectangle_section(double width, double height);
// Shear factors 9/10.
Section circle_section(double radius);
// Shear factors 1/2, the value of a thin wall.
Section tube_section(double outer_radius, double inner_radius);
// Flanges normal to z. Thin-walled torsion constant Σ b t³ / 3 (good to about 10 % while every plate is at least 6
// times as wide as thick); shear along z in the web, along y in the flanges (5/6 of them).
Section i_section(double width, double height, double flange, double web);

// Torsion constant of a rectangle with sides a and b: the exact Saint-Venant solution to rounding.
double rectangle_torsion_constant(double a, double b);

}  // namespace lithe
