#include "lithe/kinematics/mechanism.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "lithe/base/text.h"
#include "lithe/kinematics/spanning_tree.h"
#include "lithe/model/control_setup.h"

namespace lithe {
namespace {

Freedom translation(const Vector3& axis) { return {FrameMotion::prismatic, axis}; }
Freedom rotation(const Vector3& axis) { return {FrameMotion::revolute, axis}; }

int num_freedoms_of(JointType type) { return static_cast<int>(freedoms_of(type).size()); }

double value_or_zero(const std::vector<double>& values, int k) {
  return k < static_cast<int>(values.size()) ? values[k] : 0.0;
}

bool has_chart(JointType type) { return type == JointType::spherical || type == JointType::free; }

// (2): constant in the frame's own axes, because the axis does not move in the frame it moves.
void set_unit_velocity(TreeFrame& frame) {
  const Matrix3 R_after_transposed = frame.after.rotation.transpose();
  const Vector3 axis = R_after_transposed * frame.axis;
  if (frame.motion == FrameMotion::prismatic) frame.unit_velocity = axis;
  if (frame.motion != FrameMotion::revolute) return;
  frame.unit_angular_velocity = axis;
  frame.unit_velocity = axis.cross(R_after_transposed * frame.after.position);
}

// The frames of a joint without indices into the mechanism; `chart` marks where R_ref stands.
std::vector<TreeFrame> joint_frames(const Joint& joint, bool backwards, int chart) {
  const std::vector<Freedom>& freedoms = freedoms_of(joint.type);
  const int num = static_cast<int>(freedoms.size());
  const int first_rotation = joint.type == JointType::free ? 3 : 0;
  std::vector<TreeFrame> run;
  for (int i = 0; i < num; ++i) {
    const int k = backwards ? num - 1 - i : i;
    TreeFrame frame;
    frame.freedom = k;
    frame.motion = freedoms[k].motion;
    frame.axis = backwards ? Vector3(-freedoms[k].axis) : freedoms[k].axis;
    if (has_chart(joint.type) && k == (backwards ? first_rotation - 1 : first_rotation)) frame.chart = chart;
    run.push_back(frame);
  }
  if (run.empty() || (backwards && joint.type == JointType::spherical)) {
    run.emplace_back();
    if (has_chart(joint.type)) run.back().chart = chart;
  }
  return run;
}

bool is_angle(const Model& model, int joint, int freedom, int of_joint) {
  return joint == of_joint && is_rotation(model.joints[joint].type, freedom);
}

bool is_driven(const Model& model, int joint) {
  for (const Drive& drive : model.drives)
    if (is_angle(model, drive.joint, drive.freedom, joint)) return true;
  if (!model.control) return false;
  for (const ControllerSetup& controller : model.control->controllers)
    for (const Actuator& actuator : controller.actuators)
      if (is_angle(model, actuator.joint, actuator.freedom, joint)) return true;
  return false;
}

}  // namespace

bool acts_on_angles(const Model& model, int j) {
  const Joint& joint = model.joints[j];
  if (!has_chart(joint.type)) return false;
  for (int k = num_freedoms_of(joint.type) - 3; k < num_freedoms_of(joint.type); ++k) {
    for (const std::vector<double>* values : {&joint.stiffness, &joint.friction, &joint.inertia})
      if (value_or_zero(*values, k) != 0) return true;
    if (k < static_cast<int>(joint.limits.size()) && joint.limits[k]) return true;
  }
  return is_driven(model, j);
}

const std::vector<Freedom>& freedoms_of(JointType type) {
  static const std::vector<std::vector<Freedom>> table = {
      {},
      {rotation(Vector3::UnitZ())},
      {translation(Vector3::UnitZ())},
      {translation(Vector3::UnitZ()), rotation(Vector3::UnitZ())},
      {rotation(Vector3::UnitZ()), rotation(Vector3::UnitX())},
      {rotation(Vector3::UnitX()), rotation(Vector3::UnitY()), rotation(Vector3::UnitZ())},
      {translation(Vector3::UnitX()), translation(Vector3::UnitY()), rotation(Vector3::UnitZ())},
      {translation(Vector3::UnitX()), translation(Vector3::UnitY()), translation(Vector3::UnitZ()),
       rotation(Vector3::UnitX()), rotation(Vector3::UnitY()), rotation(Vector3::UnitZ())},
  };
  return table[static_cast<size_t>(type)];
}

std::string describe_freedom(JointType type, int freedom) {
  const Freedom& f = freedoms_of(type)[freedom];
  Eigen::Index axis = 0;
  f.axis.maxCoeff(&axis);
  return std::string(1, "xyz"[axis]) + (f.motion == FrameMotion::prismatic ? " translation" : " rotation");
}

Mechanism::Mechanism(const Model& model, bool carries) : frame_of_link_(model.links.size(), -1) {
  for (const Joint& joint : model.joints) {
    joint_names_.push_back(joint.name);
    joint_types_.push_back(joint.type);
    coordinate_of_.emplace_back(num_freedoms_of(joint.type), -1);
  }
  cut_of_joint_.assign(model.joints.size(), -1);
  for (const Coupling& coupling : model.couplings) coupling_names_.push_back(coupling.name);
  const SpanningTree tree = span(model);
  for (const TreeJoint& member : tree.order) add_joint(model, member.joint, member.backwards);
  for (const CutChoice& cut : tree.cuts)
    if (carries && cut.carried) carry_joint(model, cut.joint);
  initial_coordinates_.resize(num_coordinates_);
  initial_speeds_.resize(num_coordinates_);
  for (int c = 0; c < num_coordinates_; ++c) {
    const TreeFrame& frame = frames_[frame_of_coordinate_[c]];
    initial_coordinates_[c] = value_or_zero(model.joints[frame.joint].initial_value, frame.freedom);
    initial_speeds_[c] = value_or_zero(model.joints[frame.joint].initial_speed, frame.freedom);
  }
  for (const CutChoice& cut : tree.cuts) add_cut(model, cut.joint, carries && cut.carried);
  for (int k = 0; k < static_cast<int>(model.couplings.size()); ++k) add_coupling(model, k);
  follow_couplings(model);
  group_loops();
  find_length_scale(model);
}

void Mechanism::add_joint(const Model& model, int j, bool backwards) {
  const Joint& joint = model.joints[j];
  std::vector<TreeFrame> run = joint_frames(joint, backwards, num_charts());
  const int tree_parent = backwards ? joint.child : joint.parent;
  const int tree_child = backwards ? joint.parent : joint.child;
  run.front().parent = tree_parent < 0 ? -1 : frame_of_link_[tree_parent];
  run.front().before = backwards ? joint.child_frame : joint.parent_frame;
  run.front().parent_node = tree_parent < 0 ? -1 : (backwards ? joint.child_node : joint.parent_node);
  run.back().after = (backwards ? joint.parent_frame : joint.child_frame).inverse();
  run.back().child_node = backwards ? joint.parent_node : joint.child_node;
  run.back().link = tree_child;
  add_frames(model, j, backwards, std::move(run));
  frame_of_link_[tree_child] = num_frames() - 1;
}

// The freedoms of a joint that closes a loop, on its parent's side: the last frame is the joint's moved frame.
void Mechanism::carry_joint(const Model& model, int j) {
  const Joint& joint = model.joints[j];
  std::vector<TreeFrame> run = joint_frames(joint, false, num_charts());
  run.front().parent = joint.parent < 0 ? -1 : frame_of_link_[joint.parent];
  run.front().before = joint.parent_frame;
  run.front().parent_node = joint.parent < 0 ? -1 : joint.parent_node;
  add_frames(model, j, false, std::move(run));
}

void Mechanism::add_frames(const Model& model, int j, bool backwards, std::vector<TreeFrame> run) {
  const JointType type = model.joints[j].type;
  const int first_coordinate = num_coordinates_;
  int parent = run.front().parent;
  for (TreeFrame& frame : run) {
    frame.parent = parent;
    frame.joint = j;
    frame.backwards = backwards;
    parent = num_frames();
    if (frame.freedom >= 0) {
      frame.coordinate = first_coordinate + frame.freedom;
      coordinate_of_[j][frame.freedom] = frame.coordinate;
      frame_of_coordinate_.resize(std::max<size_t>(frame_of_coordinate_.size(), frame.coordinate + 1), -1);
      frame_of_coordinate_[frame.coordinate] = parent;
    }
    set_unit_velocity(frame);
    frames_.push_back(frame);
  }
  num_coordinates_ += num_freedoms_of(type);
  if (has_chart(type)) {
    const int r = num_coordinates_ - 3;
    charts_.push_back({j, {r, r + 1, r + 2}, acts_on_angles(model, j)});
  }
}

void Mechanism::add_cut(const Model& model, int j, bool carried) {
  const Joint& joint = model.joints[j];
  CutJoint cut;
  cut.joint = j;
  cut.carried = carried;
  cut.type = carried ? JointType::fixed : joint.type;
  cut.parent_frame = joint.parent < 0 ? -1 : frame_of_link_[joint.parent];
  cut.child_frame = joint.child < 0 ? -1 : frame_of_link_[joint.child];
  cut.frame_in_parent = joint.parent_frame;
  cut.frame_in_child = joint.child_frame;
  if (carried) {
    cut.parent_frame = frame_of_coordinate_[coordinate_of_[j].back()];
    cut.frame_in_parent = Pose();
  }
  cut.first_row = num_closure_rows_;
  cut.num_rows = 6 - num_freedoms_of(cut.type);
  num_closure_rows_ += cut.num_rows;
  trace_loop(cut);
  cut_of_joint_[j] = static_cast<int>(cuts_.size());
  cuts_.push_back(std::move(cut));
}

// Left out where a joint that is cut and not carried has no coordinate to be tied.
void Mechanism::add_coupling(const Model& model, int index) {
  const Coupling& coupling = model.couplings[index];
  CutJoint cut;
  cut.joint = coupling.joint;
  cut.coupling = index;
  cut.type = JointType::free;  // no directions
  cut.offset = coupling.offset;
  const auto add = [&](int joint, int freedom, double factor) {
    const int c = coordinate_of_[joint][freedom];
    if (c >= 0) cut.coordinates.push_back({c, frame_of_coordinate_[c], factor});
    cut.loop.push_back(joint);
  };
  for (const CoupledFreedom& term : coupling.terms) add(term.joint, term.freedom, -term.factor);
  add(coupling.joint, coupling.freedom, 1);
  if (cut.coordinates.size() != cut.loop.size()) return;
  cut.first_row = num_closure_rows_;
  cut.num_rows = 1;
  num_closure_rows_ += cut.num_rows;
  cuts_.push_back(std::move(cut));
}

bool Mechanism::is_length(const CutJoint& cut, int row) const {
  if (cut.couples()) return frames_[cut.coordinates.back().frame].motion == FrameMotion::prismatic;
  int translations = 3;
  for (const Freedom& freedom : freedoms_of(cut.type)) translations -= freedom.motion == FrameMotion::prismatic;
  return row < translations;
}

// Couplings may follow from each other, in any order.
void Mechanism::follow_couplings(const Model& model) {
  for (std::size_t pass = 0; pass < model.couplings.size(); ++pass)
    for (const CutJoint& cut : cuts_) {
      if (!cut.couples()) continue;
      const Coupling& coupling = model.couplings[cut.coupling];
      const std::vector<bool>& given = model.joints[coupling.joint].initial_value_given;
      if (coupling.freedom < static_cast<int>(given.size()) && given[coupling.freedom]) continue;
      double value = cut.offset;
      for (const LoopCoordinate& member : cut.coordinates)
        if (&member != &cut.coordinates.back()) value -= member.sign * initial_coordinates_[member.coordinate];
      initial_coordinates_[cut.coordinates.back().coordinate] = value;
    }
}

// Both sides climb to their nearest common ancestor; parents have smaller indices, so the larger index climbs.
void Mechanism::trace_loop(CutJoint& cut) const {
  int child = cut.child_frame, parent = cut.parent_frame;
  while (child != parent) {
    const bool on_child_side = child > parent;
    int& side = on_child_side ? child : parent;
    const TreeFrame& frame = frames_[side];
    if (frame.coordinate >= 0) cut.coordinates.push_back({frame.coordinate, side, on_child_side ? 1.0 : -1.0});
    if (frame.link >= 0) cut.loop.push_back(frame.joint);
    side = frame.parent;
  }
  cut.loop.push_back(cut.joint);
}

void Mechanism::group_loops() {
  std::vector<int> owner(num_coordinates_, -1);  // a cut whose loop moves this coordinate
  std::vector<int> group(cuts_.size());
  std::iota(group.begin(), group.end(), 0);
  const auto root = [&](int g) {
    while (group[g] != g) g = group[g] = group[group[g]];
    return g;
  };
  for (int k = 0; k < static_cast<int>(cuts_.size()); ++k)
    for (const LoopCoordinate& member : cuts_[k].coordinates) {
      if (cuts_[k].num_rows == 0) break;
      int& first = owner[member.coordinate];
      if (first < 0) first = k;
      const int a = root(first), b = root(k);
      group[std::max(a, b)] = std::min(a, b);
    }
  std::vector<int> index(cuts_.size(), -1);
  for (int k = 0; k < static_cast<int>(cuts_.size()); ++k) {
    if (cuts_[k].num_rows == 0) continue;  // a free joint closes nothing
    int& g = index[root(k)];
    if (g < 0) {
      g = static_cast<int>(loop_groups_.size());
      loop_groups_.emplace_back();
    }
    loop_groups_[g].cuts.push_back(k);
    loop_groups_[g].num_rows += cuts_[k].num_rows;
  }
  for (int c = 0; c < num_coordinates_; ++c)
    if (owner[c] >= 0) loop_groups_[index[root(owner[c])]].coordinates.push_back(c);
}

void Mechanism::find_length_scale(const Model& model) {
  constexpr double big = std::numeric_limits<double>::max();
  std::vector<Vector3> low(model.links.size() + 1, Vector3::Constant(big));
  std::vector<Vector3> high(model.links.size() + 1, Vector3::Constant(-big));
  const auto extend = [&](int link, const Vector3& point) {
    const size_t i = link < 0 ? model.links.size() : link;
    low[i] = low[i].cwiseMin(point);
    high[i] = high[i].cwiseMax(point);
  };
  for (const Joint& joint : model.joints) {
    extend(joint.parent, joint.parent_frame.position);
    extend(joint.child, joint.child_frame.position);
  }
  double largest = 0;
  for (size_t i = 0; i < low.size(); ++i)
    if (low[i].x() <= high[i].x()) largest = std::max(largest, (high[i] - low[i]).norm());
  length_scale_ = largest > 0 ? largest : 1.0;
}

std::string Mechanism::coordinate_name(int coordinate) const {
  const TreeFrame& frame = frames_[frame_of_coordinate_[coordinate]];
  const JointType type = joint_types_[frame.joint];
  const std::string& name = joint_names_[frame.joint];
  return num_freedoms_of(type) == 1 ? name : cat(name, " (", describe_freedom(type, frame.freedom), ")");
}

Configuration unclosed_configuration(const Mechanism& mechanism) {
  return {mechanism.initial_coordinates(), std::vector<Quaternion>(mechanism.num_charts(), Quaternion::Identity())};
}

}  // namespace lithe
