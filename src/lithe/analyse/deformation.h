// How far links leave the range of small deformation, in which ERLS and floating-frame equations are valid.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lithe/formulate/equations.h"

namespace lithe {

// Largest values of one link over a motion, measured in the frame of its first node.
struct LinkDeformation {
  std::string link;
  double deflection = 0;  // of a node over the link's length
  double rotation = 0;    // of a node's axes, rad
  double strain = 0;      // at the outline of a section; 0 where the formulation tells no section loads
  double bend = 0;        // rotation from one end of a beam element to the other, rad
  double deflection_time = 0, rotation_time = 0, strain_time = 0, bend_time = 0;  // NaN: at rest
  std::string strain_node;
};

// Beyond these, terms that small-deformation formulations leave out exceed about 1 % of what they keep: a rotation φ
// shortens a beam by φ²/2 of its length, and metals yield near a strain of 0.2 to 0.5 %. Formulations for large
// deflections are linear within an element, whose chord is φ²/24 shorter than the arc when it bends by φ.
struct SmallRange {
  double deflection = 0.1, rotation = 0.14, strain = 0.005, bend = 0.5, stiffening = 0.02;
};

// Follows the links of a model along a motion; what it needs is made once.
class DeformationWatch {
 public:
  explicit DeformationWatch(const Equations& equations);
  void look(const State& state, const Inputs& inputs, const Accelerations& accelerations, Workspace& workspace);
  const std::vector<LinkDeformation>& links() const { return links_; }
  // Of the links, and on geometric stiffening that the formulation leaves out.
  std::vector<std::string> warnings() const;

 private:
  struct Flexible {
    int link = 0;
    double length = 0;
    std::vector<Vector3> rest;  // of all nodes, link frame
    std::vector<std::pair<int, int>> elements;
    std::vector<int> strain_nodes;  // named nodes at beams
    std::vector<int> sections;      // of those nodes
    std::vector<int> materials;
  };
  void look_at_elements(const Flexible& body, LinkDeformation& largest, double time) const;
  void look_at_force(const Flexible& body, double force, double bending_stiffness, double time);
  void look_at_strains(const Flexible& body, LinkDeformation& largest, const State&, const Inputs&,
                       const Accelerations&, Workspace&);

  const Equations& equations_;
  std::vector<Flexible> bodies_;
  std::vector<LinkDeformation> links_;
  std::vector<NodeMotion> nodes_;
  double stiffening_ = 0, stiffening_time_ = 0;  // left out: part of the bending stiffness of stiffening_link_
  int stiffening_link_ = -1;
};

// Whether a formulation follows deflections of any size.
bool allows_large_deflections(const Equations& equations);

// What a formulation leaves out, as a sentence.
std::string left_out_text(double part);

// One sentence per link and measure that leaves the range, with numbers; empty when all is small.
std::vector<std::string> deformation_warnings(const std::vector<LinkDeformation>& links, bool large_allowed,
                                              const SmallRange& range = {});

// The same of one state at rest.
std::vector<std::string> deformation_warnings(const Equations& equations, const State& state, const Inputs& inputs);

}  // namespace lithe
