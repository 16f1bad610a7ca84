// The planar equations of [EVO] (9)-(12) as they are printed, with their misprints corrected: nodal displacements u in
// world axes on an equivalent rigid-link system r(q), M (r̈ + ü) + 2 M_G u̇ + K u = f. For comparison: inertia forces
// proportional to u and the change of S with u are missing. docs/theory/erls_fem.md.
#pragma once

#include <memory>
#include <vector>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

class PublishedPlanar final : public Equations {
 public:
  // Links of beams in the x-y plane, revolute (about z) and fixed joints. Throws InputError for other models.
  explicit PublishedPlanar(const Model& model);
  ~PublishedPlanar() override;

  std::string name() const override { return "published-planar"; }
  const Model& model() const override;
  int num_coordinates() const override;
  int num_joint_coordinates() const override;
  std::vector<std::string> coordinate_names() const override;
  std::unique_ptr<Workspace> make_workspace() const override;
  int num_nodes(int link) const override;
  State initial_state() const override;
  EvaluationStatus evaluate(const State&, const Inputs&, Workspace&, Accelerations&) const override;
  EvaluationStatus linearise(const State&, const Inputs&, Workspace&, LinearBlocks&) const override;
  EvaluationStatus linearise_about(const State&, const Inputs&, const Accelerations&, Workspace&,
                                   LinearBlocks&) const override;
  bool accept(State&, const Inputs&, Workspace&) const override;
  Energies energies(const State&, const Inputs&, Workspace&) const override;
  NodeMotion node_motion(const State&, const Inputs&, const Accelerations&, int link, int node,
                         Workspace&) const override;
  SignalValue joint_motion(const State&, const Inputs&, const Accelerations&, int joint, int freedom,
                           Workspace&) const override;

  // The blocks of (11) at a state, with all entries of u (`gauge` false), or without one per rigid degree of freedom.
  struct Blocks {
    MatrixX mass, coriolis, stiffness;  // M, M_G, K of all nodes
    MatrixX sensitivity;                // S
    VectorX velocity, convective;       // ṙ = S q̇ and Ṡ q̇, with what prescribed motions add
  };
  EvaluationStatus blocks(const State&, const Inputs&, Workspace&, Blocks&) const;
  // Columns: the entries of u that are left, in those of all links' nodes.
  const MatrixX& kept() const;
  // The same with the entries that the gauge removes.
  const MatrixX& ungauged() const;

 private:
  struct Parts;
  struct Work;
  void turn_links(const Work&, Blocks&) const;
  VectorX forces(const State&, const Inputs&, Work&) const;
  MatrixX inertia(const Work&) const;
  EvaluationStatus mass_and_force(const State&, const Inputs&, Work&, MatrixX& mass, VectorX& force) const;
  std::unique_ptr<const Parts> parts_;
};

// Once, before threads start: every analysis and command knows these equations as the formulation "published-planar".
void add_published_planar();

}  // namespace lithe
