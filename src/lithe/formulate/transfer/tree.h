// A mechanism as a tree of elements: each one carries a frame from its parent's by a few coordinates, a hinge or slider
// by one, a beam by its deformations. Its position is then an explicit function of the coordinates, and the transfer
// functions of [LIN] follow frame by frame. docs/theory/transfer_functions.md derives it.
#pragma once

#include <memory>
#include <vector>

#include "lithe/formulate/joints/ball_damper.h"
#include "lithe/formulate/joints/joint_element.h"
#include "lithe/formulate/transfer/beam.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/model/finite_element_body.h"
#include "lithe/model/model.h"

namespace lithe {

// Inertia of a rigid body at a frame, in the frame's axes.
struct FrameInertia {
  double mass = 0;
  Vector3 moment = Vector3::Zero();   // ∫ρ s
  Matrix3 inertia = Matrix3::Zero();  // about the frame's origin

  void add(double m, const Vector3& centre, const Matrix3& about_centre);
};

// One element of the tree and the frame at its far end.
struct TransferFrame {
  int parent = -1;                          // -1: the ground; always smaller than this frame's index
  FrameMotion motion = FrameMotion::fixed;  // of a joint
  int beam = -1;                            // index into TransferTree::beams; -1: a joint or a rigid offset
  int first = 0, count = 0;                 // its variables in y
  int chart = -1;                           // reference rotation of a spherical or free joint
  bool chart_transposed = false;
  Vector3 axis = Vector3::UnitZ();
  Pose before, after;
  FrameInertia body;
};

// Where a node of a link is: a frame, its place there, and the link's axes at rest in the frame's.
struct NodePlace {
  int frame = -1;
  Vector3 offset = Vector3::Zero();
  Matrix3 link_axes = Matrix3::Identity();  // R_FL
  Vector3 rest = Vector3::Zero();           // in the link frame, undeformed
};

// A beam element of a link.
struct TransferBeam {
  BeamForm form;
  int link = 0, node_a = 0, node_b = 0;  // in the direction of the tree
  bool reversed = false;                 // against the direction of the mesh
  int element = 0;                       // of the link's mesh
  int frame = -1;
  Matrix3 axes = Matrix3::Identity();  // R_LB in the direction of the tree
  double damping_factor = 0;           // of the stresses, S ė
};

// Damping of a link in proportion to its mass or to its modes' critical damping: forces on the rates of all its
// deformations, which are variables one after the other.
struct LinkDamping {
  int first = 0;
  MatrixX matrix;
};

// Force and moment in the section next to a node of the beam, beam axes of the model, for stresses: linear in these.
Vector6 section_of(const TransferBeam& beam, int node, const Vector6& stress);

// y: the joints' tree coordinates β, then the beams' free deformations in the order of the links, then nodal
// coordinates that the user chose, which rows of their own tie to the others.
struct TransferTree {
  std::vector<TransferFrame> frames;
  std::vector<TransferBeam> beams;
  std::vector<JointElement> joints;  // per β
  std::vector<BallDamper> ball_dampers;
  std::vector<LinkDamping> link_damping;      // of links that have such damping
  std::vector<std::vector<NodePlace>> nodes;  // per link and node
  std::vector<int> root_frame;                // per link
  std::vector<int> frame_of_coordinate;       // per β
  // Beams that would close a loop inside a link end at a frame of their own, welded to the node.
  struct Weld {
    NodePlace end, node;
    int link = 0;
  };
  std::vector<Weld> welds;
  Vector3 gravity = Vector3::Zero();
  int num_joint_coordinates = 0, num_variables = 0;
};

// A deformation of a beam as the file counts it, from the first node of its segment.
constexpr int deformation_in_file(const TransferBeam& beam, int deformation) {
  return beam.reversed && deformation >= 2 ? deformation ^ 1 : deformation;
}

// Throws InputError for links that are not made of beams. `shortens`: with the quadratic term of [LIN] (49a).
TransferTree build_transfer_tree(const Model& model, const Mechanism& mechanism, bool shortens);

}  // namespace lithe
