// The largest stress of a motion: how large, where and when.
#pragma once

#include <string>
#include <vector>

#include "lithe/results/scene/scene_motion.h"

namespace lithe {

struct StressPeak {
  std::string link;
  double von_mises = 0;  // Pa, at the outline of a section (model/sections/section_stress.h)
  double time = 0;       // s
  std::string place;     // "node 'root'", "0.2 m from node 'root'"

  std::string text() const;  // "12.3 MPa in link 'arm' at node 'root', 0.31 s"
};

// One per link of beams whose formulation tells its section loads, and of solid elements, largest first. At both ends
// of every beam element, at all nodes of a surface, at the instants of the motion.
std::vector<StressPeak> stress_peaks(const Scene& scene, const SceneMotion& motion);

}  // namespace lithe
