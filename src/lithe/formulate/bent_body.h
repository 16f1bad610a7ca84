// A floating body whose coordinates strain it without stretching its bent beams: docs/theory/floating_frame.md,
// section 6. Inertia is that of the body displaced by η(q), elasticity and damping act on q.
#pragma once

#include "lithe/formulate/floating_body.h"

namespace lithe {

class BentBody final : public AbsoluteBody {
 public:
  BentBody(FloatingBody body, BendingMap map);

  int num_nodes() const override { return body_.num_nodes(); }
  BodyFrame frame_at_rest(int frame) const override { return body_.frame_at_rest(frame); }
  std::string elastic_name(int k) const override { return body_.elastic_name(k); }
  std::unique_ptr<Work> make_work() const override;
  BodyFactors make_factors() const override;
  void set_state(const BodyFrame* frames, const double* elastic, const double* speeds, Work&) const override;
  void forces(const Vector3& gravity, const Work&, Eigen::Ref<VectorX> force) const override;
  void add_load(const Work&, int node, const Vector3& force, const Vector3& torque,
                Eigen::Ref<VectorX> generalised) const override;
  void add_mass_times(const Work&, const Eigen::Ref<const VectorX>& values, Eigen::Ref<VectorX> result) const override;
  void add_blocks(const Work&, Eigen::Ref<MatrixX> mass, Eigen::Ref<MatrixX> damping,
                  Eigen::Ref<MatrixX> stiffness) const override;
  void add_derivatives(const Vector3& gravity, const Work&, const Eigen::Ref<const VectorX>& accelerations,
                       Eigen::Ref<MatrixX> by_place, Eigen::Ref<MatrixX> by_speed) const override;
  bool factorise(const Work&, double damping, double stiffness, BodyFactors&) const override;
  void solve(const BodyFactors&, Eigen::Ref<MatrixX> rhs) const override;
  void node_frame(const Work&, int node, NodeFrame& result) const override;
  void node_derivatives(const Work&, int node, const Eigen::Ref<const VectorX>& accelerations, const Vector3& force,
                        const Vector3& torque, NodeDerivatives& result) const override;
  Matrix3 link_rotation(const Work&) const override;
  BodyEnergies energies(const Vector3& gravity, const Work&) const override;
  void energy_gradients(const Vector3& gravity, const Work&, EnergyGradients& result) const override;
  Vector3 rest_position(int node) const override { return body_.rest_position(node); }
  bool section_load(const Vector3& gravity, const Work&, int node, const Eigen::Ref<const VectorX>& accelerations,
                    Vector3& force, Vector3& moment) const override;
  bool section_slopes(const Vector3& gravity, const Work&, int node, const Eigen::Ref<const VectorX>& accelerations,
                      const BodyChanges& changes, Matrix6X& slopes) const override;
  bool strained_shape(const Work&, VectorX& displacements) const override;

 private:
  struct BentWork;
  void to_coordinates(const BentWork& work, Eigen::Ref<VectorX> force) const;
  // ν̇ of the displaced body for accelerations of the coordinates.
  VectorX displaced_acceleration(const BentWork& work, const Eigen::Ref<const VectorX>& accelerations) const;

  FloatingBody body_;
  BendingMap map_;
};

}  // namespace lithe
