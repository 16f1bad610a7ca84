#include "lithe/model/sections/section_stress.h"

#include <algorithm>
#include <cmath>

namespace lithe {
namespace {

// Saint-Venant's torsion of a rectangle: the largest shear stress is T c/J with c = 0.676 of the short side for a
// square and all of it for a thin strip. The fit stays within 0.5 % of the series (Timoshenko and Goodier, Theory of
// Elasticity, 3rd ed., section 109).
double rectangle_torsion(double half_y, double half_z) {
  const double shorter = 2 * std::min(half_y, half_z), ratio = std::max(half_y, half_z) / std::min(half_y, half_z);
  return shorter * (1 - 0.322 * std::exp(-1.5 * (ratio - 1)));
}

double sign(double value) { return value < 0 ? -1 : 1; }

}  // namespace

SectionFibres extreme_fibres(const Section& section) {
  const auto& d = section.dimensions;
  switch (section.shape) {
    case SectionShape::rectangle:
      return {0.5 * d[0], 0.5 * d[1], rectangle_torsion(0.5 * d[0], 0.5 * d[1]), false};
    case SectionShape::circle:
    case SectionShape::tube:
      return {d[0], d[0], d[0], true};
    case SectionShape::i_beam:  // thin walls: T t/J with the thicker of flange and web
      return {0.5 * d[0], 0.5 * d[1], std::max(d[2], d[3]), false};
    case SectionShape::general:
      break;
  }
  // A rectangle of the same area and radii of gyration.
  const double y = std::sqrt(3 * section.second_moment_z / section.area);
  const double z = std::sqrt(3 * section.second_moment_y / section.area);
  return {y, z, rectangle_torsion(y, z), false};
}

double SectionStress::von_mises() const { return std::hypot(axial + bending, std::sqrt(3.0) * torsion); }

SectionStress section_stress(const Section& section, const Vector3& force, const Vector3& moment) {
  const SectionFibres fibres = extreme_fibres(section);
  SectionStress result;
  result.axial = std::abs(force.x()) / section.area;
  result.bending = fibres.round ? std::hypot(moment.y(), moment.z()) * fibres.y / section.second_moment_z
                                : std::abs(moment.y()) * fibres.z / section.second_moment_y +
                                      std::abs(moment.z()) * fibres.y / section.second_moment_z;
  result.torsion = std::abs(moment.x()) * fibres.torsion / section.torsion_constant;
  return result;
}

Eigen::Matrix<double, 1, 6> von_mises_gradient(const Section& section, const Vector3& force, const Vector3& moment) {
  const SectionFibres fibres = extreme_fibres(section);
  const SectionStress stress = section_stress(section, force, moment);
  Eigen::Matrix<double, 1, 6> gradient = Eigen::Matrix<double, 1, 6>::Zero();
  const double total = stress.von_mises();
  if (total == 0) return gradient;
  const double normal = (stress.axial + stress.bending) / total, shear = 3 * stress.torsion / total;
  gradient(0) = normal * sign(force.x()) / section.area;
  gradient(3) = shear * sign(moment.x()) * fibres.torsion / section.torsion_constant;
  const double both = std::hypot(moment.y(), moment.z());
  if (!fibres.round) {
    gradient(4) = normal * sign(moment.y()) * fibres.z / section.second_moment_y;
    gradient(5) = normal * sign(moment.z()) * fibres.y / section.second_moment_z;
  } else if (both > 0) {
    gradient(4) = normal * moment.y() / both * fibres.y / section.second_moment_z;
    gradient(5) = normal * moment.z() / both * fibres.y / section.second_moment_z;
  }
  return gradient;
}

const Section* section_at(const Model& model, int link, int node) {
  for (const BeamSegment& segment : model.links[static_cast<std::size_t>(link)].segments)
    if (segment.from == node || segment.to == node) return &model.sections[static_cast<std::size_t>(segment.section)];
  return nullptr;
}

}  // namespace lithe
