#include "lithe/model/sections/section_properties.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lithe {
namespace {

using std::numbers::pi;

}  // namespace

// J = a b³ [1/3 - (64/π⁵)(b/a) Σ_{n odd} tanh(n π a / (2 b)) / n⁵], b the shorter side (Timoshenko and Goodier, Theory
// of Elasticity, section 109, with their 192/π⁵ over 3). Terms fall as n⁻⁵; the tail with tanh = 1 is summed in closed
// form through Σ n⁻⁵ over odd n = 31 ζ(5) / 32.
double rectangle_torsion_constant(double a, double b) {
  if (b > a) std::swap(a, b);
  constexpr double odd_sum = 31.0 / 32.0 * 1.0369277551433699;  // ζ(5)
  double series = odd_sum;
  for (int n = 1; n < 40; n += 2) {
    const double power = std::pow(n, 5);
    // tanh(x) - 1 = -2 / (e^{2x} + 1)
    series -= 2 / (std::exp(n * pi * a / b) + 1) / power;
  }
  return a * b * b * b * (1.0 / 3.0 - 64 / std::pow(pi, 5) * (b / a) * series);
}

Section rectangle_section(double width, double height) {
  Section section;
  section.shape = SectionShape::rectangle;
  section.dimensions = {width, height};
  section.area = width * height;
  section.second_moment_y = width * std::pow(height, 3) / 12;
  section.second_moment_z = height * std::pow(width, 3) / 12;
  section.torsion_constant = rectangle_torsion_constant(width, height);
  section.shear_factor_y = section.shear_factor_z = 5.0 / 6.0;
  return section;
}

Section circle_section(double radius) {
  Section section;
  section.shape = SectionShape::circle;
  section.dimensions = {radius};
  section.area = pi * radius * radius;
  section.second_moment_y = section.second_moment_z = pi / 4 * std::pow(radius, 4);
  section.torsion_constant = pi / 2 * std::pow(radius, 4);
  section.shear_factor_y = section.shear_factor_z = 0.9;
  return section;
}

Section tube_section(double outer_radius, double inner_radius) {
  // (R⁴ - r⁴) as a product, which keeps its digits for thin walls
  const double square_difference = (outer_radius - inner_radius) * (outer_radius + inner_radius);
  const double fourth_difference = square_difference * (outer_radius * outer_radius + inner_radius * inner_radius);
  Section section;
  section.shape = SectionShape::tube;
  section.dimensions = {outer_radius, inner_radius};
  section.area = pi * square_difference;
  section.second_moment_y = section.second_moment_z = pi / 4 * fourth_difference;
  section.torsion_constant = pi / 2 * fourth_difference;
  section.shear_factor_y = section.shear_factor_z = 0.5;
  return section;
}

Section i_section(double width, double height, double flange, double web) {
  const double clear = height - 2 * flange;  // height of the web between the flanges
  Section section;
  section.shape = SectionShape::i_beam;
  section.dimensions = {width, height, flange, web};
  section.area = 2 * width * flange + clear * web;
  section.second_moment_y = (width * std::pow(height, 3) - (width - web) * std::pow(clear, 3)) / 12;
  section.second_moment_z = (2 * flange * std::pow(width, 3) + clear * std::pow(web, 3)) / 12;
  section.torsion_constant = (2 * width * std::pow(flange, 3) + (height - flange) * std::pow(web, 3)) / 3;
  section.shear_factor_y = 5.0 / 6.0 * 2 * width * flange / section.area;
  section.shear_factor_z = clear * web / section.area;
  return section;
}

}  // namespace lithe
