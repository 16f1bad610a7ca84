// A beam that stands for what was measured on a link: the stiffness at its end, or its first natural frequency.
#pragma once

#include <optional>

#include "lithe/model/model.h"

namespace lithe {

struct MeasuredBeam {
  Material material;
  Section section;
};

// A thin tube of a tenth of the length, with this bending and torsional stiffness and this mass.
MeasuredBeam tube_of_stiffness(double bending, double torsional, double mass, double length);

// Factor of the moduli with which the beam, clamped at its first node, has this lowest natural frequency (Hz). Fixed to
// its last node is `tip`, placed in the link frame, and there the mass `tip_mass`.
double stiffness_factor_for(double frequency, const MeasuredBeam& beam, const Link& link, const RigidInertia& tip,
                            double tip_mass);

}  // namespace lithe
