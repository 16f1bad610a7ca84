// The cases of [SC] as variants of the example models: for `lithe reproduce sc` and the tests of the published tables.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/condense/condense.h"

namespace lithe {

// Families of modes of the two-beam frame: in the plane that its hinge turns in, out of it, along and about the bars.
enum class FrameFamily { in_plane, out_of_plane, axial, torsion };
struct FrameMode {
  double frequency = 0;
  FrameFamily family = FrameFamily::in_plane;
};
// Modes of the frame condensed to these nodes (link:node), ascending.
std::vector<FrameMode> frame_modes(const Model& model, const std::vector<std::string>& nodes);
// All beams of another theory.
Model with_theory(Model model, BeamTheory theory);

// [SC] (43) without the energy of the actuators' springs, and the elbows 832.63 mm from the platform's joints, with
// distal links that keep the axial stiffness and the mass of 800 mm: what the printed matrices of the Ragnar robot turn
// out to be.
ToolMatrices printed_ragnar(Model model);
ToolMatrices ragnar_at_home(const Model& model);
// Independent nodes of the Ragnar robot: the elbows B and the tool E.
CondenseOptions ragnar_options(const Model& model);

}  // namespace lithe
