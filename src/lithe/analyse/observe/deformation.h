// How far links leave the range of small deformation, in which ERLS and floating-frame equations are valid.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

// Largest values of one link over a motion, measured in the frame of its first node; `joined`: of the body that fixed
// joints make of it and others, in the frame of that body's first node.
struct LinkDeformation {
  std::string link;
  double deflection = 0;  // of a node over the link's length
  double rotation = 0;    // of a node's axes, rad
  double strain = 0;      // at the outline of a section; 0 where the formulation tells no section loads
  double bend = 0;        // rotation from one end of a beam element to the other, rad
  double axial = 0;       // force along a beam over Euler's load of the body; 0 where geometric stiffening counts it
  double deflection_time = 0, rotation_time = 0, strain_time = 0, bend_time = 0, axial_time = 0;  // NaN: at rest
  double joined_deflection = 0, joined_rotation = 0, joined_deflection_time = 0, joined_rotation_time = 0;
  // (Ω/ω)²: speed across the link's length over its slowest mode, held at its joints; of links that are no beams and
  // are without geometric stiffening.
  double spin = 0, spin_time = 0;
  bool spin_stiffens = false;                 // it could have it: it is a mesh
  double spin_speed = 0, spin_frequency = 0;  // Ω, rad/s, and ω/2π, Hz
  // Of beams: what forces along the link have shifted the phase of its slowest mode by so far, ½ ω ∫N/N_E dt, rad; its
  // rate when it was looked at last; the largest angle by which moments turn its sections, rad.
  double phase = 0, phase_rate = 0, phase_time = 0, slope = 0, slope_time = 0;
  double push = 0, push_time = 0;  // largest push along a beam over Euler's load, where geometric stiffening counts it
  std::string strain_node;
};

// Beyond these, terms that small-deformation formulations leave out exceed about 1 % of what they keep: a rotation φ
// shortens a beam by φ²/2 of its length, and metals yield near a strain of 0.2 to 0.5 %. Formulations for large
// deflections are linear within an element, whose chord is φ²/24 shorter than the arc when it bends by φ. A force along
// a beam changes its bending stiffness by about its part of Euler's load: 5 % are 2.5 % of a frequency. Rotation
// changes that of a link by about (Ω/ω)²: 1.2 and 0.2 of it across and in the plane of rotation (Southwell).
struct SmallRange {
  double deflection = 0.1, rotation = 0.14, strain = 0.005, bend = 0.5, axial = 0.05, spin = 0.05, push = 1;
};

// Follows the links of a model along a motion; what it needs is made once.
class DeformationWatch {
 public:
  explicit DeformationWatch(const Equations& equations);
  void look(const State& state, const Inputs& inputs, const Accelerations& accelerations, Workspace& workspace);
  // The same of forces along beams alone, at a small part of the cost.
  void look_at_axial_forces(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                            Workspace& workspace);
  // Of a motion whose positions may be off by `tolerance` metres per second.
  void begin(double time, double tolerance);
  // The link in which geometric stiffening matters most, null where none does (docs/theory/erls_cms.md, section 9).
  const LinkDeformation* stiffened_link() const;
  // The same from where what it does is worth telling.
  const LinkDeformation* link_to_tell() const;
  const std::vector<LinkDeformation>& links() const { return links_; }
  // Goes on from what was seen before, from `start_time` on: the same links.
  void resume(const std::vector<LinkDeformation>& seen, double start_time) {
    if (seen.size() != links_.size()) return;
    links_ = seen;
    start_ = start_time;
  }

 private:
  struct Flexible {
    int link = 0;
    bool stiffens = false;
    double length = 0;
    bool turns_others = false;  // its bending turns other links or beams of its own
    double slowest = 0;         // ω of the slowest mode, held at its joints, rad/s; 0: not known
    std::vector<Vector3> rest;  // of all nodes, link frame
    std::vector<std::pair<int, int>> elements;
    std::vector<int> strain_nodes;  // named nodes at beams
    std::vector<int> sections;      // of those nodes
    std::vector<int> materials;
    // Of a link that fixed joints join to an earlier one: the first one's index in bodies_, and where nodes are there.
    int first = -1;
    std::vector<Vector3> joined_rest;
    Matrix3 joined_axes = Matrix3::Identity();
    double reach = 0;  // of the whole body, from one named node to another
    // Its first node now.
    Vector3 position = Vector3::Zero();
    Matrix3 axes = Matrix3::Identity();
  };
  // A link of solids or shells, or of matrices, without geometric stiffening.
  struct Turning {
    int link = 0, node = 0;
    double squared_frequency = 0;  // held at its joints
    Vector3 along = Vector3::UnitX();
  };
  void add_beams(int link);
  void add_turning(int link);
  void join_bodies();
  void look_at_joined(Flexible& body, LinkDeformation& largest, double time);
  void look_at_spin(const Turning& turning, LinkDeformation& largest, const State&, const Inputs&, const Accelerations&,
                    Workspace&) const;
  void look_at_elements(const Flexible& body, LinkDeformation& largest, double time) const;
  void look_at_axial_force(const Flexible& body, LinkDeformation& largest, std::size_t node, double force,
                           double time) const;
  double euler_load(const Flexible& body, std::size_t node) const;
  // The link furthest above any of the limits, null where none is.
  const LinkDeformation* above(double axial_limit, double phase_limit, double slope_limit) const;
  bool exceeds_tolerance(const Flexible& body, const LinkDeformation& link, double part) const;
  void add_phase(const Flexible& body, LinkDeformation& link, double part, double time) const;
  void look_at_strains(const Flexible& body, LinkDeformation& largest, const State&, const Inputs&,
                       const Accelerations&, Workspace&);

  const Equations& equations_;
  std::vector<Flexible> bodies_;
  std::vector<Turning> turning_;
  std::vector<LinkDeformation> links_;  // of bodies_, then of turning_
  double start_ = 0, tolerance_ = 0;
  std::vector<NodeMotion> nodes_;
};

// Whether a formulation follows deflections of any size.
bool allows_large_deflections(const Equations& equations);

// The largest of a link's measures over its limit: above 1 there is a warning.
double range_used(const LinkDeformation& link, bool large_allowed, const SmallRange& range = {});

// One sentence per link and measure that leaves the range, with numbers; empty when all is small.
std::vector<std::string> deformation_warnings(const std::vector<LinkDeformation>& links, bool large_allowed,
                                              const SmallRange& range = {});

// In a state at rest, or of a steady motion, the link in which geometric stiffening matters; none elsewhere.
std::optional<LinkDeformation> stiffened_link(const Equations& equations, const State& state, const Inputs& inputs);
// Whether the force along the link matters at an instant, whatever it does in the long run.
bool axial_force_matters(const LinkDeformation& link);
// "link 'rod': 2.1 % of its Euler load at 0.003 s", or what a small force has done in the long run.
std::string axial_force_text(const LinkDeformation& link);
// Where some links have geometric stiffening and others cannot have it, a sentence that names those; empty elsewhere.
std::string unstiffened_links(const Equations& equations);

// A sentence where geometric stiffening, which the formulation leaves out, matters in this state; empty elsewhere.
std::string left_out_stiffening(const Equations& equations, const State& state, const Inputs& inputs);

// The same of one state at rest.
std::vector<std::string> deformation_warnings(const Equations& equations, const State& state, const Inputs& inputs);

}  // namespace lithe
