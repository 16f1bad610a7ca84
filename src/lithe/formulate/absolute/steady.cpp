// Steady motions of bodies joined by multipliers: a part of the mechanism turns or slides as a whole.
#include <Eigen/LU>

#include "lithe/formulate/absolute/work.h"
#include "lithe/formulate/joints/joint_rows.h"

namespace lithe {

void AbsoluteEquations::scale_gravity(double factor, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  work.gravity = factor * model_.gravity;
  work.known.forget();
}

// Reached from the joint's child over other joints, without the ground.
std::vector<bool> AbsoluteEquations::bodies_beyond(const JointPlan& plan, bool& parent_moves) const {
  std::vector<bool> moves(bodies_.size(), false);
  std::vector<int> queue{plan.child.body};
  moves[plan.child.body] = true;
  while (!queue.empty()) {
    const int body = queue.back();
    queue.pop_back();
    for (const int j : plan_.joints_of_body[body]) {
      const JointPlan& other = plan_.joints[j];
      if (other.joint == plan.joint) continue;
      const int next = other.parent.body == body ? other.child.body : other.parent.body;
      if (next < 0 || moves[next]) continue;
      moves[next] = true;
      queue.push_back(next);
    }
  }
  parent_moves = plan.parent.body >= 0 && moves[plan.parent.body];
  return moves;
}

// The twist, in the axes of F, that moves one freedom at unit rate and nothing else.
namespace {
Vector6 unit_twist(JointType type, int freedom, const RelativeJointMotion& motion) {
  Matrix6 rates;
  const int constrained = num_constraint_rows(type);
  FreedomRows freedoms;
  freedom_rows(type, motion, freedoms);
  for (int r = 0; r < 6; ++r) {
    const JointRow row = r < constrained ? constraint_row(type, r, motion) : freedoms[r - constrained];
    rates.row(r).head<3>() = row.translation;
    rates.row(r).tail<3>() = row.rotation;
  }
  return rates.partialPivLu().solve(Vector6::Unit(constrained + freedom));
}
}  // namespace

bool AbsoluteEquations::steady_velocities(const State& given, const Inputs& inputs, int joint, int freedom,
                                          double speed, Workspace& workspace, VectorX& velocities) const {
  Work& work = static_cast<Work&>(workspace);
  State state = given;
  state.speeds.setZero();
  load(state, work);
  update_joints(state, inputs, work);
  const int index = plan_.plan_of_joint[joint];
  const JointPlan& plan = plan_.joints[index];
  const JointWork& now = work.joints[index];
  const Vector6 twist = speed * unit_twist(plan.type, freedom, now.motion);
  const Vector3 slide = now.motion.F * twist.head<3>(), spin = now.motion.F * twist.tail<3>();
  bool parent_moves = false;
  const std::vector<bool> moves = bodies_beyond(plan, parent_moves);
  if (parent_moves) return false;
  // With ḋ = slide and w = spin of the child's joint point.
  const Vector3 point = now.child.position;
  velocities.setZero(plan_.num_coordinates);
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    for (int k = 0; moves[b] && k < bodies_[b]->num_frames(); ++k) {
      const BodyFrame& frame = work.frames[plan_.first_frame[b] + k];
      const int o = plan_.first_coordinate[b] + 6 * k;
      velocities.segment<3>(o) = frame.rotation.transpose() * (slide + spin.cross(frame.position - point));
      velocities.segment<3>(o + 3) = frame.rotation.transpose() * spin;
    }
  chart_speeds(state, velocities, state.speeds);
  load(state, work);
  update_joints(state, inputs, work);
  for (const Rotor& rotor : plan_.rotors)
    velocities[rotor.coordinate] = work.joints[plan_.plan_of_joint[rotor.joint]].freedoms[rotor.freedom].rate;
  // Rows of other joints between what moves and what rests must not notice.
  double largest = 0;
  for (const JointPlan& other : plan_.joints)
    for (std::size_t r = 0; r < other.rows.size(); ++r)
      if (other.rows[r].kind == RowKind::constraint)
        largest = std::max(largest, std::abs(work.rate[other.first_row + static_cast<int>(r)]));
  for (int k = 0; k < plan_.num_couplings(); ++k)
    largest = std::max(largest, std::abs(work.rate[plan_.num_joint_rows() + k]));
  return largest <= 1e-6 * std::abs(speed) * std::max(1.0, length_scale_);
}

}  // namespace lithe
