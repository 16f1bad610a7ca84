// Stresses of a beam's section from what it carries: normal force, bending moments and torque (docs/report.md,
// "Stress").
#pragma once

#include "lithe/base/math.h"
#include "lithe/model/model.h"

namespace lithe {

// Where a section is stressed most. Bending: |M_y| z/I_y + |M_z| y/I_z at the corner of the outline, or the length of
// (M_y, M_z) times y/I for a round section. Torsion: T torsion/J.
struct SectionFibres {
  double y = 0, z = 0;  // half of the outline, m
  double torsion = 0;   // m
  bool round = false;
};
SectionFibres extreme_fibres(const Section& section);

// Pa, at the point of the outline where they add up; shear forces are left out.
struct SectionStress {
  double axial = 0, bending = 0, torsion = 0;
  double von_mises() const;  // sqrt((axial + bending)^2 + 3 torsion^2)
};
// Force and moment in the beam's axes: x along the beam.
SectionStress section_stress(const Section& section, const Vector3& force, const Vector3& moment);
// Its von Mises stress by the six numbers of force and moment; zero where the section is free of stress.
Eigen::Matrix<double, 1, 6> von_mises_gradient(const Section& section, const Vector3& force, const Vector3& moment);

// The section of the first beam at a node, which is what section loads refer to; null where there is none.
const Section* section_at(const Model& model, int link, int node);

}  // namespace lithe
