#include "lithe/analyse/sweep/track_configuration.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "lithe/base/decompositions.h"
#include "lithe/kinematics/charts.h"
#include "lithe/kinematics/closure.h"
#include "lithe/kinematics/cut_motion.h"

namespace lithe {
namespace {

// Small against the distance between different solutions of usual mechanisms, large enough to be quick.
constexpr double largest_stride = 0.15;  // of the mechanism's size, or rad
constexpr double largest_newton_step = 0.6;
constexpr double tolerance = 1e-12;
constexpr int most_iterations = 40;  // folded and stretched arms: the error falls by a quarter each time
constexpr int most_halvings = 4;

double wrapped(double angle) {
  constexpr double full_turn = 6.283185307179586476925;
  return std::remainder(angle, full_turn);
}

Vector3 rotation_vector(const Matrix3& R) {
  const Eigen::AngleAxisd turn(R);
  return turn.angle() * turn.axis();
}

int rank_of(const MatrixX& matrix) {
  if (matrix.size() == 0) return 0;
  return static_cast<int>(PivotedQr(matrix, 1e-8).rank());
}

// Closure rows of a cut joint are translations first, as many as it forbids: lengths in units of the mechanism's size.
template <class Rows>
void scale_translations(const Mechanism& mechanism, Rows&& rows) {
  for (const CutJoint& cut : mechanism.cuts()) {
    for (int k = 0; k < cut.num_rows; ++k)
      if (mechanism.is_length(cut, k)) rows.row(cut.first_row + k) /= mechanism.length_scale();
  }
}

}  // namespace

struct ConfigurationTracker::Work {
  explicit Work(const Mechanism& mechanism) : state(mechanism) {}
  KinematicState state;
  std::vector<int> unknowns;
  VectorX residual;
  MatrixX jacobian;
};

ConfigurationTracker::ConfigurationTracker(const Model& model, const Mechanism& mechanism,
                                           std::optional<NodeOfLink> tool, Configuration home)
    : model_(model),
      mechanism_(mechanism),
      tool_(tool),
      home_(std::move(home)),
      fixed_(mechanism.num_coordinates(), false) {
  for (const Drive& drive : model.drives) {
    const int c = drive.prescribes_motion ? mechanism.coordinate_of(drive.joint, drive.freedom) : -1;
    if (c >= 0) fixed_[c] = true;
  }
  if (tool_) count_freedoms();
}

Pose ConfigurationTracker::tool_pose(const KinematicState& state) const {
  Pose X = state.in_world[mechanism_.frame_of_link(tool_->link)];
  X.position = X * model_.links[tool_->link].nodes[tool_->node].position;
  return X;
}

// Velocity and angular velocity of the tool per unit rate of every coordinate, world axes.
MatrixX ConfigurationTracker::tool_jacobian(const KinematicState& state) const {
  MatrixX result = MatrixX::Zero(6, mechanism_.num_coordinates());
  const Vector3 point = tool_pose(state).position;
  for (int f = mechanism_.frame_of_link(tool_->link); f >= 0; f = mechanism_.frames()[f].parent) {
    const TreeFrame& frame = mechanism_.frames()[f];
    if (frame.coordinate < 0) continue;
    const Pose& X = state.in_world[f];
    const Vector3 omega = X.rotation * frame.unit_angular_velocity;
    result.block<3, 1>(0, frame.coordinate) = X.rotation * frame.unit_velocity + omega.cross(point - X.position);
    result.block<3, 1>(3, frame.coordinate) = omega;
  }
  return result;
}

// Ranks of the tool's motion in the null space of the loops.
void ConfigurationTracker::count_freedoms() {
  KinematicState state(mechanism_);
  update_position(mechanism_, home_, state);
  tool_at_home_ = tool_pose(state);
  const double size = mechanism_.length_scale();
  MatrixX closure(mechanism_.num_closure_rows(), mechanism_.num_coordinates());
  closure_jacobian(mechanism_, state, closure);
  MatrixX tool = tool_jacobian(state);
  tool.topRows<3>() /= size;
  scale_translations(mechanism_, closure);
  const int closed = rank_of(closure);
  MatrixX both(closure.rows() + 6, closure.cols());
  both << closure, tool;
  pose_freedoms_ = rank_of(both) - closed;
  position_freedoms_ = rank_of(both.topRows(closure.rows() + 3)) - closed;
}

double ConfigurationTracker::value_of(const ConfigurationGoal::JointValue& joint, const Configuration& configuration,
                                      const Work& work) const {
  const int c = mechanism_.coordinate_of(joint.joint, joint.freedom);
  if (c >= 0) return configuration.coordinates[c];
  return cut_values(mechanism_.cuts()[mechanism_.cut_of_joint(joint.joint)], work.state)[joint.freedom];
}

// What the configuration now has of all that the goal asks for.
ConfigurationGoal ConfigurationTracker::present(const ConfigurationGoal& goal, const Configuration& configuration,
                                                Work& work) const {
  update_position(mechanism_, configuration, work.state);
  ConfigurationGoal now = goal;
  if (goal.tool_position) now.tool_position = tool_pose(work.state).position;
  if (goal.tool_orientation) now.tool_orientation = tool_pose(work.state).rotation;
  for (ConfigurationGoal::JointValue& joint : now.joints) joint.value = value_of(joint, configuration, work);
  return now;
}

double ConfigurationTracker::distance(const ConfigurationGoal& from, const ConfigurationGoal& to) const {
  double largest = 0;
  if (to.tool_position) largest = (*to.tool_position - *from.tool_position).norm() / mechanism_.length_scale();
  if (to.tool_orientation)
    largest = std::max(largest, rotation_vector(*to.tool_orientation * from.tool_orientation->transpose()).norm());
  for (std::size_t i = 0; i < to.joints.size(); ++i) {
    const bool rotation = is_rotation(model_.joints[to.joints[i].joint].type, to.joints[i].freedom);
    largest = std::max(
        largest, std::abs(to.joints[i].value - from.joints[i].value) / (rotation ? 1.0 : mechanism_.length_scale()));
  }
  return largest;
}

ConfigurationGoal ConfigurationTracker::between(const ConfigurationGoal& from, const ConfigurationGoal& to,
                                                double part) const {
  if (part >= 1) return to;
  ConfigurationGoal goal = to;
  if (to.tool_position) goal.tool_position = *from.tool_position + part * (*to.tool_position - *from.tool_position);
  if (to.tool_orientation) {
    const Quaternion a(*from.tool_orientation), b(*to.tool_orientation);
    goal.tool_orientation = a.slerp(part, b).toRotationMatrix();
  }
  for (std::size_t i = 0; i < to.joints.size(); ++i)
    goal.joints[i].value = from.joints[i].value + part * (to.joints[i].value - from.joints[i].value);
  return goal;
}

// Loops, tool and values of cut joints; lengths in units of the mechanism's size.
void ConfigurationTracker::residual(const ConfigurationGoal& goal, const Configuration& configuration,
                                    Work& work) const {
  update_position(mechanism_, configuration, work.state);
  const double size = mechanism_.length_scale();
  VectorX& out = work.residual;
  const int num_closure = mechanism_.num_closure_rows();
  out.resize(num_closure + (goal.tool_position ? 3 : 0) + (goal.tool_orientation ? 3 : 0) +
             static_cast<int>(goal.joints.size()));
  closure_residual(mechanism_, work.state, out.head(num_closure));
  scale_translations(mechanism_, out.head(num_closure));
  int row = num_closure;
  if (goal.tool_position) {
    out.segment<3>(row) = (tool_pose(work.state).position - *goal.tool_position) / size;
    row += 3;
  }
  if (goal.tool_orientation) {
    out.segment<3>(row) = rotation_vector(tool_pose(work.state).rotation * goal.tool_orientation->transpose());
    row += 3;
  }
  for (const ConfigurationGoal::JointValue& joint : goal.joints) {
    const bool rotation = is_rotation(model_.joints[joint.joint].type, joint.freedom);
    const double off = value_of(joint, configuration, work) - joint.value;
    out[row++] = rotation ? (mechanism_.cut_of_joint(joint.joint) >= 0 ? wrapped(off) : off) : off / size;
  }
}

void ConfigurationTracker::jacobian(const ConfigurationGoal& goal, Work& work) const {
  const double size = mechanism_.length_scale();
  const int num_closure = mechanism_.num_closure_rows();
  MatrixX& out = work.jacobian;
  out.setZero(work.residual.size(), mechanism_.num_coordinates());
  closure_jacobian(mechanism_, work.state, out.topRows(num_closure));
  scale_translations(mechanism_, out.topRows(num_closure));
  int row = num_closure;
  const MatrixX tool = tool_ ? tool_jacobian(work.state) : MatrixX();
  if (goal.tool_position) {
    out.middleRows<3>(row) = tool.topRows<3>() / size;
    row += 3;
  }
  if (goal.tool_orientation) {
    out.middleRows<3>(row) = tool.bottomRows<3>();
    row += 3;
  }
  for (const ConfigurationGoal::JointValue& joint : goal.joints) {
    const double unit = is_rotation(model_.joints[joint.joint].type, joint.freedom) ? 1.0 : 1 / size;
    const int c = mechanism_.coordinate_of(joint.joint, joint.freedom);
    if (c >= 0) {
      out(row++, c) = unit;
      continue;
    }
    const CutJoint& cut = mechanism_.cuts()[mechanism_.cut_of_joint(joint.joint)];
    MatrixX rates(num_freedoms(cut.type), cut.coordinates.size());
    cut_jacobian(mechanism_, cut, work.state, rates);
    for (std::size_t k = 0; k < cut.coordinates.size(); ++k)
      out(row, cut.coordinates[k].coordinate) = unit * rates(joint.freedom, static_cast<Eigen::Index>(k));
    ++row;
  }
}

// Of the coordinates, 0 for those that stay.
VectorX ConfigurationTracker::scales(const ConfigurationGoal& goal) const {
  const double size = mechanism_.length_scale();
  VectorX scale(mechanism_.num_coordinates());
  for (int c = 0; c < scale.size(); ++c) {
    const bool slides = mechanism_.frames()[mechanism_.frame_of_coordinate(c)].motion == FrameMotion::prismatic;
    scale[c] = fixed_[c] && !goal.tool_position ? 0.0 : slides ? size : 1.0;
  }
  for (const ConfigurationGoal::JointValue& joint : goal.joints)
    if (const int c = mechanism_.coordinate_of(joint.joint, joint.freedom); c >= 0 && scale[c] == 0)
      scale[c] = is_rotation(model_.joints[joint.joint].type, joint.freedom) ? 1.0 : size;
  return scale;
}

// Gauss-Newton with steps of least norm: closed loops may have redundant rows, the goal may leave freedoms.
bool ConfigurationTracker::solve(const ConfigurationGoal& goal, Configuration& configuration, Work& work) const {
  const VectorX scale = scales(goal);
  double before = 1e300;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    residual(goal, configuration, work);
    if (work.residual.size() == 0) return true;  // nothing is asked for
    const double error = work.residual.cwiseAbs().maxCoeff();
    if (!std::isfinite(error)) return false;
    if (error <= tolerance || (error <= 1e-9 && error > 0.3 * before)) return true;
    if (scale.size() == 0) return error <= 1e-9;  // nothing can move
    before = error;
    jacobian(goal, work);
    VectorX step = shortest_least_squares(work.jacobian * scale.asDiagonal(), work.residual, 1e-9);
    const double largest = step.size() > 0 ? step.cwiseAbs().maxCoeff() : 0;
    if (largest > largest_newton_step) step *= largest_newton_step / largest;
    configuration.coordinates -= scale.cwiseProduct(step);
  }
  return false;
}

bool ConfigurationTracker::reach(const ConfigurationGoal& goal, Configuration& configuration) const {
  Work work(mechanism_);
  Configuration trial = configuration;
  VectorX rates = VectorX::Zero(mechanism_.num_coordinates());
  const ConfigurationGoal start = present(goal, trial, work);
  double part = 0, stride = std::min(1.0, largest_stride / std::max(distance(start, goal), 1e-12));
  for (int halvings = 0; part < 1;) {
    Configuration next = trial;
    const double to = std::min(1.0, part + stride);
    if (!solve(between(start, goal, to), next, work)) {
      if (++halvings > most_halvings) return false;
      stride /= 2;
      continue;
    }
    trial = next;
    part = to;
    recentre_charts(mechanism_, trial, rates);
  }
  configuration = trial;
  return true;
}

// Levenberg and Marquardt: from far away, and through folded and stretched configurations; solve() does the rest.
bool ConfigurationTracker::descend(const ConfigurationGoal& goal, Configuration& configuration, Work& work) const {
  constexpr int most_descents = 80;
  constexpr double near = 1e-3, slow = 0.995;
  const VectorX scale = scales(goal);
  VectorX rates = VectorX::Zero(mechanism_.num_coordinates());
  residual(goal, configuration, work);
  double error = work.residual.norm(), damping = 0.1;
  int slow_steps = 0;
  for (int k = 0; k < most_descents && error > near && slow_steps < 8 && damping < 1e6; ++k) {
    jacobian(goal, work);
    const MatrixX J = work.jacobian * scale.asDiagonal();
    const VectorX residual_here = work.residual;
    MatrixX stacked = MatrixX::Zero(J.rows() + J.cols(), J.cols());
    stacked << J, std::sqrt(damping) * MatrixX::Identity(J.cols(), J.cols());
    VectorX right = VectorX::Zero(stacked.rows());
    right.head(J.rows()) = residual_here;
    VectorX step = shortest_least_squares(stacked, right, 1e-12);
    if (const double largest = step.cwiseAbs().maxCoeff(); largest > largest_newton_step)
      step *= largest_newton_step / largest;
    Configuration trial = configuration;
    trial.coordinates -= scale.cwiseProduct(step);
    residual(goal, trial, work);
    const double now = work.residual.norm();
    if (!(now < error)) {
      damping *= 5;
      work.residual = residual_here;
      update_position(mechanism_, configuration, work.state);
      continue;
    }
    slow_steps = now > slow * error ? slow_steps + 1 : 0;
    damping = std::max(damping / 4, 1e-9);
    error = now;
    configuration = trial;
    recentre_charts(mechanism_, configuration, rates);
    residual(goal, configuration, work);
  }
  return error <= near && solve(goal, configuration, work);
}

bool ConfigurationTracker::search(const ConfigurationGoal& goal, Configuration& configuration) const {
  constexpr int most_starts = 8;
  Work work(mechanism_);
  const VectorX scale = scales(goal);
  if (scale.size() == 0) return false;
  std::minstd_rand numbers(1);
  const auto random = [&] {
    return 2 * static_cast<double>(numbers() - numbers.min()) / (numbers.max() - numbers.min()) - 1;
  };
  for (int start = 0; start < most_starts; ++start) {
    Configuration trial = configuration;
    const double size = start == 0 ? 0 : 0.4 * start;  // rad, or parts of the mechanism's size
    for (Eigen::Index c = 0; c < scale.size(); ++c) trial.coordinates[c] += size * random() * std::min(scale[c], 1.0);
    if (!descend(goal, trial, work)) continue;
    configuration = trial;
    return true;
  }
  return false;
}

}  // namespace lithe
