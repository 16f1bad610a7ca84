// The equivalent rigid-link system: the mechanism with the same joints and rigid links, as a tree of one-freedom frames
// plus cut joints (formulation section 2).
#pragma once

#include <string>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/model.h"

namespace lithe {

enum class FrameMotion { fixed, revolute, prismatic };

// One frame of the tree. A joint with several freedoms is a run of frames, all massless but the last, which carries the
// child link. The pose in the parent frame is   X_PC = X_before · [R_ref] · motion(β) · X_after. R_ref is the chart
// reference of a spherical or free joint (identity elsewhere); it belongs to the first rotation of the run.
struct TreeFrame {
  int parent = -1;      // frame index, always smaller than this frame's; -1 is the ground
  int link = -1;        // link carried (its link frame is this frame); -1 for a massless frame inside a joint
  int joint = -1;       // model joint
  int freedom = -1;     // freedom of that joint; -1 for a fixed one
  int coordinate = -1;  // index into the tree coordinates β; -1 for a fixed frame
  int chart = -1;       // index into the chart references when R_ref is used here
  FrameMotion motion = FrameMotion::fixed;
  Vector3 axis = Vector3::UnitZ();  // of the motion, in the frame X_before (then R_ref) leads to
  Pose before;           // from the parent frame to the joint frame; a real parent's node position is its translation
  Pose after;            // from the moved joint frame to this frame; not identity only for the last frame of a joint
  int parent_node = -1;  // node of the parent's link at which the joint attaches; -1 on ground and inside a joint
  int child_node = -1;   // node of the carried link; -1 on massless frames
};

// A joint that closes a loop. Its residual rows are the directions it constrains, in this order: translations, then
// rotations.
struct CutJoint {
  int joint = -1;         // model joint
  int parent_frame = -1;  // frame of the parent link; -1 is the ground
  int child_frame = -1;
  std::vector<int> loop;  // model joints along the loop it closes, itself included
  int first_row = 0;
  int num_rows = 0;
};

// Topology, built once from a model. Throws InputError (with the joint's or link's place) for links without a way to
// the ground (a floating link needs a joint of type free), joints of a link to itself, and so on.
class Mechanism {
 public:
  explicit Mechanism(const Model& model);

  const std::vector<TreeFrame>& frames() const { return frames_; }
  const std::vector<CutJoint>& cuts() const { return cuts_; }
  int num_coordinates() const { return num_coordinates_; }  // β
  int num_charts() const { return num_charts_; }
  int num_closure_rows() const { return num_closure_rows_; }  // Ψ(β)
  int frame_of_link(int link) const { return frame_of_link_[link]; }
  // β index of a freedom of a joint, -1 if that joint is cut.
  int coordinate_of(int joint, int freedom) const { return coordinate_of_[joint][freedom]; }
  const VectorX& initial_coordinates() const {
    return initial_coordinates_;
  }  // as the joints' initial values say, loops not closed
  const VectorX& initial_speeds() const { return initial_speeds_; }

 private:
  std::vector<TreeFrame> frames_;
  std::vector<CutJoint> cuts_;
  std::vector<int> frame_of_link_;
  std::vector<std::vector<int>> coordinate_of_;
  VectorX initial_coordinates_, initial_speeds_;
  int num_coordinates_ = 0, num_charts_ = 0, num_closure_rows_ = 0;
};

// Tree coordinates with the references of their rotation charts. A spherical joint is R_ref Rx(β1) Ry(β2) Rz(β3);
// before β2 nears a right angle the reference is moved (see `recentre_charts`), so that every orientation can be
// reached.
struct Posture {
  VectorX coordinates;                 // β
  std::vector<Quaternion> references;  // R_ref, one per chart
};

}  // namespace lithe
