// How a scene moves: the rigid mechanism plus small displacements of all nodes, in a form small enough for a page.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/modes/modes.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/results/scene/scene.h"

namespace lithe {

// Displacements of a link's nodes are few shapes times functions of time, whatever the formulation: `shapes` spans what
// was seen, to a tolerance. Rows of `shapes`, link axes:
//   3 nodes translations, then 3 nodes rotations, then (if strained) 6 per piece: normal force, torque, and the moments
//   about y and z at its first and at its second end, beam axes.
// Of a link with a surface, the last are 6 per node instead: the stress xx, yy, zz, xy, yz, zx, Pa.
struct LinkMotion {
  std::vector<Pose> frames;  // X_WL of the rigid mechanism, one per time
  MatrixX shapes;            // rows x shapes
  MatrixX coefficients;      // shapes x times
  bool strained = false;
  // Of a link with a surface, over all nodes of it: the largest von Mises stress, Pa, when and where.
  double largest_stress = 0, largest_stress_time = 0;
  Vector3 largest_stress_place = Vector3::Zero();
};

struct SceneMotion {
  std::vector<double> times;
  std::vector<LinkMotion> links;
  std::vector<std::vector<double>> load_values;  // per load, one per time
};

struct SampleOptions {
  int max_frames = 2000;       // of the recorded states, evenly chosen
  double max_numbers = 1.5e6;  // fewer frames where shapes, frames and coefficients would hold more numbers
  double tolerance = 1e-7;     // of a displacement, as a part of the mechanism's size
};

// Of a trajectory with states.
SceneMotion sample_motion(const Equations& equations, const Trajectory& motion, const SampleOptions& options = {});
// Of a single state.
SceneMotion sample_configuration(const Equations& equations, const State& state);

// Natural modes to pick from, in the configuration they were found in.
struct ModeSet {
  bool of_mechanism = true;            // false: links by themselves, without joints and ground
  std::string name;                    // "the mechanism in its configuration", "link 'arm', free"
  std::vector<double> frequencies;     // Hz, one per listed mode; negative: unstable
  std::vector<double> damping_ratios;  // may be empty
  std::vector<int> numbers;            // under which papers list them, from 1
  // Per link of the scene, rows as LinkMotion::shapes without strains; `modes` is empty for a link that is not shown.
  std::vector<Pose> link_poses;
  std::vector<MatrixX> displacements;  // static ones, in the configuration: rows x 1
  std::vector<MatrixX> modes;          // per link: rows x modes
};

ModeSet mechanism_mode_set(const Equations& equations, const State& state, const MechanismModes& modes, int count);
ModeSet link_mode_set(const Model& model, int link, const LinkModes& modes, const std::string& name);

}  // namespace lithe
