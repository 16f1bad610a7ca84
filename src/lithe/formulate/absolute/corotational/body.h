// A link as beam elements that may turn and bend without limit: every node carries a frame, and each element follows
// its chord and is linear in its own axes (docs/theory/corotational.md).
#pragma once

#include <vector>

#include "lithe/fem/beam_element.h"
#include "lithe/formulate/absolute/body.h"
#include "lithe/formulate/absolute/corotational/element.h"
#include "lithe/model/finite_element_body.h"
#include "lithe/model/model.h"
#include "lithe/reduce/reduced_body.h"

namespace lithe {

class CorotationalBody final : public AbsoluteBody {
 public:
  // `damping_factor` times the stiffness gives the damping. `extra_nodes` of the mesh may be points of joints.
  CorotationalBody(const Model& model, const Link& link, const FiniteElementBody& mesh, double damping_factor);
  // Gives the body the coordinates of its reduced form, in which damping of modes acts.
  void set_damped_modes(const ReducedBody& body);

  int num_nodes() const override { return num_frames_; }
  BodyFrame frame_at_rest(int frame) const override { return {positions_[frame], Matrix3::Identity()}; }
  std::string elastic_name(int) const override { return {}; }
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
  Matrix3 node_rotation(const Work&, int node) const override;
  BodyEnergies energies(const Vector3& gravity, const Work&) const override;
  void energy_gradients(const Vector3& gravity, const Work&, EnergyGradients& result) const override;
  Vector3 rest_position(int node) const override { return positions_[node]; }
  bool section_load(const Vector3& gravity, const Work&, int node, const Eigen::Ref<const VectorX>& accelerations,
                    Vector3& force, Vector3& moment) const override;
  bool section_jacobians(const Vector3& gravity, const Work&, int node, const Eigen::Ref<const VectorX>& accelerations,
                         const BodyChanges& changes, Matrix6X& jacobians) const override;
  int num_damped_modes() const override { return static_cast<int>(mode_strains_.cols()); }
  void mode_rates(const Work&, Eigen::Ref<VectorX> rates) const override;
  void add_mode_forces(const Work&, const Eigen::Ref<const VectorX>& forces,
                       Eigen::Ref<VectorX> generalised) const override;
  void mode_map(const Work&, Eigen::Ref<MatrixX> map) const override;
  void add_mode_derivatives(const Work&, const Eigen::Ref<const VectorX>& forces, Eigen::Ref<MatrixX> rates_by_place,
                            Eigen::Ref<MatrixX> forces_by_place) const override;

 private:
  struct BeamWork;
  struct NodeInertia {
    double mass = 0;
    Matrix3 inertia = Matrix3::Zero();  // about the node, link axes at rest
  };
  void add_lumped_mass(const BeamProperties& beam, CorotationalElement& element);
  void add_node_derivatives(const Vector3& gravity, const BeamWork& work, Eigen::Ref<MatrixX> by_place,
                            Eigen::Ref<MatrixX> by_speed) const;
  void set_order();

  std::vector<Vector3> positions_;
  std::vector<CorotationalElement> elements_;
  std::vector<NodeInertia> nodes_;
  std::vector<int> place_;  // of a node in the order of the factors
  std::vector<int> envelope_;
  double damping_factor_ = 0;
  MatrixX mode_strains_;  // q = mode_strainsᵀ times the strains of all elements, 7 rows each; empty: not needed
};

}  // namespace lithe
