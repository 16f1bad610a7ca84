// The shape of a link of beams under everything that acts on it at an instant, as the modes that it keeps cannot show
// it: docs/theory/reduction.md, "Static correction". What moves obeys Ω q + D q̇ = Φᵀ f, so that
//   Φ q + (K⁻¹ - Φ Ω⁻¹ Φᵀ) f = K⁻¹ f      f: loads, forces of joints, weight and inertia
// with the stress of damping, and nobody needs to know the modes.
#pragma once

#include <memory>
#include <vector>

#include "lithe/formulate/contract/equations.h"
#include "lithe/model/finite_element_body.h"
#include "lithe/reduce/bases.h"

namespace lithe {

class StaticShape {
 public:
  StaticShape(const Equations& equations, int link);
  // Whether the link moves in modes some of which may have been left out.
  bool wanted() const { return held_ != nullptr; }
  // Displacements of all dofs of the mesh, link axes, up to a rigid motion. `nodes`: of the mesh, at accelerations that
  // obey the equations of motion. False where forces in joints are not known.
  bool find(const State& state, const Inputs& inputs, const Accelerations& accelerations,
            const std::vector<NodeMotion>& nodes, Workspace& workspace, VectorX& displacements);

 private:
  void move(const std::vector<NodeMotion>& nodes);
  void add_inertia(const NodeMotion& frame);
  bool add_joints(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                  const std::vector<NodeMotion>& nodes, Workspace& workspace);
  void add_wrench(int node, const Vector3& force, const Vector3& torque, const Matrix3& to_link);

  const Equations& equations_;
  int link_, base_ = 0;  // base: the held node, whose axes are those of everything below
  FiniteElementBody mesh_;
  std::unique_ptr<HeldBody> held_;  // null: not wanted
  MatrixX motion_;                  // of all dofs beside the frame of the base node: value, rate, second rate
  VectorX forces_;
};

}  // namespace lithe
