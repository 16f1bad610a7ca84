// Which nodes of a mechanism move together through joints and rigid links, and whose motion stands for them: [SC]
// section 3.1 as a statement about graphs (docs/theory/condensation.md, section 3). Nothing here depends on the
// configuration.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lithe/analyse/condense/condensed.h"

namespace lithe {

// "arm:tip": node and link of that name. Throws InputError for unknown ones.
NodeOfLink find_node(const Model& model, const std::string& text);
std::string node_text(const Model& model, const NodeOfLink& node);
inline NodeOfLink parent_end(const Joint& joint) { return {joint.parent, joint.parent < 0 ? -1 : joint.parent_node}; }
inline NodeOfLink child_end(const Joint& joint) { return {joint.child, joint.child < 0 ? -1 : joint.child_node}; }
// Index of a joint; throws InputError for an unknown one.
int find_joint(const Model& model, const std::string& name);

// Which nodes stay, which are held, and where the tool is.
struct CondenseOptions {
  std::vector<NodeOfLink> independent;  // nodes that are kept; empty: chosen automatically
  std::optional<NodeOfLink> tool;
  std::vector<ImposedDisplacement> imposed;
  std::vector<int> held_joints;
  // A strut between two ball joints, or between one and a hinge or cylinder along it, can spin about the line through
  // them, which no stiffness holds and which moves nothing else: that freedom is left out.
  bool hold_spins = true;
  // [SC] (43) literally: the energy of joint springs is left out of the reduced stiffness. For comparison only.
  bool spring_energy = true;
};

// The ground, a rigid link, or one node of a flexible link: what a joint ties to others.
struct TiedBody {
  struct Step {
    int joint = -1;
    double sign = 1;  // +1 from parent to child
  };
  int link = -1;  // -1: the ground
  int node = -1;  // of a flexible link
  int subsystem = -1;
  bool rotations = true;   // false: a node of an imported body with translations alone
  std::vector<Step> path;  // joints from the subsystem's root to this body
};

// Bodies that joints tie together once the flexible links are cut.
struct Subsystem {
  SubsystemRole role = SubsystemRole::condensed;
  NodeOfLink root;    // node whose displacement stands for the whole; none where grounded
  int root_size = 6;  // its coordinates: 3 for a lone node without rotations, 0 where grounded
  int imposed = -1;   // index into CondenseOptions::imposed
  std::vector<int> bodies, joints;
  std::vector<int> loop_joints;  // joints beyond a tree
};

// Freedoms of a joint that may move: neither held nor prescribed.
struct FreeFreedoms {
  std::vector<int> freedoms;
  int spin_to = -1;  // the joint at the other end of a strut whose spin about the line to it is left out
  bool ties = true;  // constrains something; a joint that leaves all six freedoms is a spring between two bodies
};

// The bodies that move as one, and the groups of bodies that only independent nodes connect.
class CondenseTopology {
 public:
  // Throws InputError, naming the subsystem, for nodes that cannot all be independent.
  CondenseTopology(const Model& model, const CondenseOptions& options);

  const std::vector<TiedBody>& bodies() const { return bodies_; }
  const std::vector<Subsystem>& subsystems() const { return subsystems_; }
  const FreeFreedoms& freedoms(int joint) const { return freedoms_[joint]; }
  // Nodes of a flexible link that others see, ascending.
  const std::vector<int>& boundary(int link) const { return boundary_[link]; }
  // Body of a node: of its rigid link, or its own; -1 for a node inside a flexible link.
  int body_of(const NodeOfLink& node) const { return node.link < 0 ? 0 : body_of_[node.link][node.node]; }
  // Subsystems whose roots are kept, in the order of the reduced coordinates.
  const std::vector<int>& kept() const { return kept_; }
  std::vector<NodeOfLink> independent_nodes() const;
  // Joints whose strut does not spin.
  std::vector<int> joints_without_spin() const;
  // "the subsystem of joints 'a', 'b' and links 'c'"
  std::string describe(const Model& model, int subsystem) const;

 private:
  void find_freedoms(const Model& model, const CondenseOptions& options);
  void leave_out_axle_turns(const Model& model, const CondenseOptions& options);
  void leave_out_spins(const Model& model, const CondenseOptions& options);
  void find_bodies(const Model& model, const CondenseOptions& options);
  void connect(const Model& model);
  void place_independent(const Model& model, const CondenseOptions& options);
  void check_nodes_without_rotations(const Model& model, const CondenseOptions& options);
  void choose_root(const Model& model, int subsystem);
  void span(const Model& model, int subsystem);

  std::vector<FreeFreedoms> freedoms_;
  std::vector<std::vector<int>> boundary_, body_of_;
  std::vector<TiedBody> bodies_;
  std::vector<Subsystem> subsystems_;
  std::vector<int> kept_;
};

}  // namespace lithe
