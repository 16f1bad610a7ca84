// Loop closure: Ψ(β) of the cut joints with its derivatives, and the solver that closes loops.
#pragma once

#include <string>
#include <vector>

#include "lithe/kinematics/position.h"

namespace lithe {

// Relative motion of the two sides of a cut joint, in the axes of the joint frame F on the parent side.
struct RelativePose {
  Matrix3 rotation = Matrix3::Identity();  // R_FM
  Vector3 position = Vector3::Zero();      // p_FoMo_F
};
RelativePose relative_pose(const CutJoint& cut, const KinematicState& state);

// Ψ, after update_position. Translations in m, rotations as sines of the misalignment (6), (7): linear near closure.
void closure_residual(const Mechanism& mechanism, const KinematicState& state, Eigen::Ref<VectorX> residual);
// ∂Ψ/∂β, rows x β, after update_position (8).
void closure_jacobian(const Mechanism& mechanism, const KinematicState& state, Eigen::Ref<MatrixX> jacobian);

// Of one cut joint: its rows x its loop's coordinates, in the order of CutJoint::coordinates.
using ClosureBlock = Eigen::Ref<MatrixX, 0, Eigen::OuterStride<>>;

enum class ClosureStatus {
  closed,
  unreachable,  // the nearest approach leaves a gap
  stalled,      // iterations ran out, as happens at singular configurations
};

struct ClosureOptions {
  double tolerance = 1e-12;  // of the residual: rotations in rad, translations relative to the length scale
  int max_iterations = 100;
  int num_restarts = 8;   // from deterministically moved guesses, when a guess leads nowhere (a singular start)
  double max_step = 0.7;  // of one coordinate, rad or length scales
};

struct ClosureReport {
  ClosureStatus status = ClosureStatus::closed;
  int num_iterations = 0;
  int num_restarts = 0;
  int worst_cut = -1;       // index into Mechanism::cuts(); -1 without loops
  double gap = 0;           // m, of the worst loop
  double misalignment = 0;  // rad, of the worst loop
  std::string message;      // a sentence when not closed

  bool closed() const { return status == ClosureStatus::closed; }
};

// Closes all loops from the configuration given, moving only coordinates that are not fixed (empty mask: all may move)
// by damped least squares with steps of small norm. A configuration that cannot be closed is left at the nearest
// approach found.
ClosureReport close_loops(const Mechanism& mechanism, Configuration& configuration, const std::vector<bool>& fixed = {},
                          const ClosureOptions& options = {});

// "the loop of joints 'a', 'b', 'c'", or "coupling 'belt'"
std::string describe_loop(const Mechanism& mechanism, const CutJoint& cut);

}  // namespace lithe
