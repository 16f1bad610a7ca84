// The equivalent rigid-link system: the mechanism with the same joints and rigid links, as a tree of one-freedom frames
// plus cut joints (docs/theory/kinematics.md, whose equation numbers the comments cite).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/model.h"

namespace lithe {

enum class FrameMotion { fixed, revolute, prismatic };

// One frame of the tree. A joint with several freedoms is a run of frames, all massless but the last, which carries the
// link. The pose in the parent frame is (1)
//   X_PC = X_before · [R_ref or R_refᵀ] · motion(β) · X_after.
// R_ref is the chart reference of a spherical or free joint (identity elsewhere); it belongs to the first rotation of
// the run. A joint whose child is nearer to the ground than its parent is traversed backwards: the frames are those of
// the inverse motion, in reversed order with negated axes, so β keeps the user's meaning; R_refᵀ then stands after the
// rotations, in a fixed frame where no further motion follows.
struct TreeFrame {
  int parent = -1;         // frame index, always smaller than this frame's; -1 is the ground
  int link = -1;           // link carried (its link frame is this frame); -1 for a massless frame of a joint
  int joint = -1;          // model joint
  int freedom = -1;        // freedom of that joint; -1 for a fixed frame
  int coordinate = -1;     // index into the tree coordinates β; -1 for a fixed frame
  int chart = -1;          // index into the chart references when R_ref is used here
  bool backwards = false;  // the joint is traversed from its child to its parent; R_refᵀ instead of R_ref
  FrameMotion motion = FrameMotion::fixed;
  Vector3 axis = Vector3::UnitZ();  // of the motion, in the frame X_before (then R_ref) leads to
  Pose before;           // from the parent frame to the joint frame; a real parent's node position is its translation
  Pose after;            // from the moved joint frame to this frame; not identity only for the last frame of a joint
  int parent_node = -1;  // node of the tree parent's link at which the joint attaches; -1 on ground and inside a joint
  int child_node = -1;   // node of the carried link; -1 on massless frames
  // Velocity of this frame per unit β̇, in this frame's own axes and at its origin; constant (2).
  Vector3 unit_velocity = Vector3::Zero();
  Vector3 unit_angular_velocity = Vector3::Zero();
};

// A coordinate that moves the two sides of a cut joint relative to each other, or one that a coupling ties.
struct LoopCoordinate {
  int coordinate = -1;  // β
  int frame = -1;
  double sign = 1;  // +1 on the way to the child side, -1 on the way to the parent side; of a coupling: the factor
};

// A joint that closes a loop. Its residual rows are the directions it constrains, in this order: translations, then
// rotations, in the joint frame on the parent side. Where something acts on its freedoms (springs, drives, limits), a
// run of massless frames on the parent's side carries them as tree coordinates, and what is cut is the fixed connection
// of the last of these frames with the child. A coupling of joint coordinates stands here, too: it cuts no joint, has
// no sides, and one row, Σ factor β - offset (6a).
struct CutJoint {
  int joint = -1;                     // model joint; of a coupling the one that follows
  int coupling = -1;                  // model coupling; -1: none
  bool carried = false;               // its freedoms are tree coordinates
  JointType type = JointType::fixed;  // what is cut: the joint's own type, or fixed where it is carried
  int parent_frame = -1;              // frame of the parent link, or the one that carries the joint; -1 is the ground
  int child_frame = -1;               // -1 when the joint's child is the ground
  Pose frame_in_parent;               // X_PF
  Pose frame_in_child;                // X_CM
  std::vector<int> loop;              // model joints along the loop it closes, itself included (last)
  double offset = 0;                  // of a coupling
  std::vector<LoopCoordinate> coordinates;
  int first_row = 0;
  int num_rows = 0;

  bool couples() const { return coupling >= 0; }
};

// Loops that share coordinates, directly or through others. Groups can be solved one after the other.
struct LoopGroup {
  std::vector<int> cuts;         // indices into cuts()
  std::vector<int> coordinates;  // β, ascending
  int num_rows = 0;
};

// The three angles of a spherical or free joint.
struct Chart {
  int joint = -1;
  std::array<int, 3> coordinates = {-1, -1, -1};  // β of the rotations about x, y, z
  bool fixed = false;                             // something acts on the angles, so that they keep their meaning
};

// Whether a spring, friction, a motor, limits, a drive or a controller acts on the three angles of a spherical or free
// joint. Damping does not: it acts on the angular velocity.
bool acts_on_angles(const Model& model, int joint);

// Topology, built once from a model. Throws InputError (with the joint's or link's place) for links without a way to
// the ground (a floating link needs a joint of type free), joints of a link to itself, and so on.
class Mechanism {
 public:
  // `carries`: whether joints that are cut and acted on keep their freedoms as coordinates, which come last.
  explicit Mechanism(const Model& model, bool carries = true);

  const std::vector<TreeFrame>& frames() const { return frames_; }
  const std::vector<CutJoint>& cuts() const { return cuts_; }
  const std::vector<LoopGroup>& loop_groups() const { return loop_groups_; }
  const std::vector<Chart>& charts() const { return charts_; }
  int num_frames() const { return static_cast<int>(frames_.size()); }
  int num_coordinates() const { return num_coordinates_; }  // β
  int num_charts() const { return static_cast<int>(charts_.size()); }
  int num_closure_rows() const { return num_closure_rows_; }  // Ψ(β)
  int frame_of_link(int link) const { return frame_of_link_[link]; }
  int frame_of_coordinate(int coordinate) const { return frame_of_coordinate_[coordinate]; }
  // β index of a freedom of a joint, -1 if that joint is cut and not carried.
  int coordinate_of(int joint, int freedom) const { return coordinate_of_[joint][freedom]; }
  // Index into cuts(), -1 if the joint is in the tree.
  int cut_of_joint(int joint) const { return cut_of_joint_[joint]; }
  // As the joints' initial values say, loops not closed; joints without a given value follow their couplings.
  const VectorX& initial_coordinates() const { return initial_coordinates_; }
  const VectorX& initial_speeds() const { return initial_speeds_; }
  const std::string& joint_name(int joint) const { return joint_names_[joint]; }
  const std::string& coupling_name(int coupling) const { return coupling_names_[coupling]; }
  // Whether a closure row of the cut measures a length: the row k of it.
  bool is_length(const CutJoint& cut, int row) const;
  // "crank_pin", or "ball (y rotation)" for a joint with several freedoms.
  std::string coordinate_name(int coordinate) const;
  // The largest distance of joints on one link, at least a tiny positive number: makes metres and radians comparable.
  double length_scale() const { return length_scale_; }

 private:
  std::vector<TreeFrame> frames_;
  std::vector<CutJoint> cuts_;
  std::vector<LoopGroup> loop_groups_;
  std::vector<Chart> charts_;
  std::vector<int> frame_of_link_, frame_of_coordinate_, cut_of_joint_;
  std::vector<std::vector<int>> coordinate_of_;
  std::vector<std::string> joint_names_, coupling_names_;
  std::vector<JointType> joint_types_;
  VectorX initial_coordinates_, initial_speeds_;
  double length_scale_ = 1;
  int num_coordinates_ = 0, num_closure_rows_ = 0;

  void add_joint(const Model& model, int joint, bool backwards);
  void carry_joint(const Model& model, int joint);
  void add_frames(const Model& model, int joint, bool backwards, std::vector<TreeFrame> run);
  void add_cut(const Model& model, int joint, bool carried);
  void add_coupling(const Model& model, int index);
  void follow_couplings(const Model& model);
  void trace_loop(CutJoint& cut) const;
  void group_loops();
  void find_length_scale(const Model& model);
};

// One elementary motion of a joint; the joint is their product in the order of its freedoms.
struct Freedom {
  FrameMotion motion = FrameMotion::revolute;
  Vector3 axis = Vector3::UnitZ();
};
const std::vector<Freedom>& freedoms_of(JointType type);
// "z rotation", "x translation".
std::string describe_freedom(JointType type, int freedom);

// Tree coordinates with the references of their rotation charts. A spherical joint is R_ref Rx(β1) Ry(β2) Rz(β3);
// before β2 nears a right angle the reference is moved (see `recentre_charts`), so that every orientation can be
// reached.
struct Configuration {
  VectorX coordinates;                 // β
  std::vector<Quaternion> references;  // R_ref, one per chart
  std::vector<int> split = {};         // a formulation's choice of what follows from the loops; empty: as at the start
};

// The joints' initial values, references at identity, loops not closed.
Configuration unclosed_configuration(const Mechanism& mechanism);

}  // namespace lithe
