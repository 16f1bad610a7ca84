// What is seen of deformed links that carry each other (docs/theory/erls_cms.md, section 9): displacements from the
// rigid mechanism, and cut joints.
#include <limits>

#include "lithe/formulate/erls/dual_work.h"
#include "lithe/formulate/joints/joint_rows_inl.h"
#include "lithe/formulate/links/rigid_jacobians.h"
#include "lithe/kinematics/closure.h"

namespace lithe {

// The rigid mechanism with the same independent coordinates, its loops closed.
const Pose& ErlsCms::rigid_pose(int link, const Configuration& configuration, Work& work) const {
  if (!work.known.valid || !work.known.rigid) {
    if (!work.rigid) work.rigid = std::make_unique<KinematicState>(mechanism_);
    Configuration rigid{work.tree.beta, configuration.references};
    if (!mechanism_.cuts().empty() && !close_loops(mechanism_, rigid, places_).closed())
      rigid.coordinates.setConstant(std::numeric_limits<double>::quiet_NaN());
    update_position(mechanism_, rigid, *work.rigid);
    work.known.rigid = true;
  }
  return work.rigid->in_world[static_cast<std::size_t>(mechanism_.frame_of_link(link))];
}

SignalValue ErlsCms::deformed_cut_motion(int cut, int freedom, Work& work) const {
  const LoopJoint& loop = work.constraints.loops[static_cast<std::size_t>(cut)];
  LoopMotion<double> motion;
  motion.frames.resize(tree_.frames.size());
  const LoopMotionStep<double> step{tree_, work.tree, true};
  for (std::size_t i = 0; i < tree_.frames.size(); ++i) step.frame(static_cast<int>(i), motion);
  const MovingSide<double> a = moving_side(loop.parent, step, motion), b = moving_side(loop.child, step, motion);
  const Matrix3 along = Matrix3::Identity();
  FreedomRows rows;
  freedom_rows<double>(loop.type,
                       relative_motion<double>(ErlsSideNode<double>(a), along, ErlsSideNode<double>(b), along), rows);
  const JointRow& row = rows[static_cast<std::size_t>(freedom)];
  return {row.value, row.rate, row.bias};
}

// Derivatives of a node's displacement or rotation from the rigid mechanism, one column per lane.
MatrixX ErlsCms::displacement_lanes(const Configuration& configuration, const Sensor& sensor, int count,
                                    Work& work) const {
  const TreeWork<ErlsDual>& tree = work.dual->tree;
  const int link = sensor.link;
  const Pose rigid = rigid_pose(link, configuration, work);
  const ErlsNode<ErlsDual> node = erls_node<ErlsDual>(tree_, tree, link, sensor.node);
  const Mat3<ErlsDual> axes = tree.frames[tree_.frame_of_link[link]].R_W * erls_node_axes<ErlsDual>(node.psi);
  Matrix3 F, change;
  for (int i = 0; i < 9; ++i) F(i) = axes(i).value;
  MatrixX of_coordinates(tree_.num_coordinates, count);
  Matrix6X of_node(6, count);
  for (int lane = 0; lane < count; ++lane) {
    for (int c = 0; c < tree_.num_coordinates; ++c) of_coordinates(c, lane) = tree.beta(c).jacobian[lane];
    for (int i = 0; i < 9; ++i) change(i) = axes(i).jacobian[lane];
    const Matrix3 turn = change * F.transpose();
    for (int i = 0; i < 3; ++i) {
      const int a = (i + 1) % 3, b = (i + 2) % 3;
      of_node(i, lane) = node.position(i).jacobian[lane];
      of_node(3 + i, lane) = 0.5 * (turn(b, a) - turn(a, b));
    }
  }
  const Matrix6X of_link = rigid_link_jacobians(mechanism_, places_, of_coordinates, link, *work.rigid);
  const ModalLink& body = tree_.links[static_cast<std::size_t>(link)];
  const Vector3 arm =
      rigid.rotation * Vector3(body.origin + body.node_positions[static_cast<std::size_t>(sensor.node)]);
  const Matrix6X all = displacement_jacobians(rigid.rotation, arm, of_link, F, of_node);
  return sensor.quantity == Quantity::displacement ? MatrixX(all.topRows<3>()) : MatrixX(all.bottomRows<3>());
}

}  // namespace lithe
