// A flexible link as one floating frame and modes (docs/theory/floating_frame.md, section 3): mass matrix, velocity
// terms and node frames.
#pragma once

#include <vector>

#include "lithe/formulate/absolute/body.h"
#include "lithe/formulate/absolute/left_out_sections.h"
#include "lithe/formulate/links/beam_section.h"
#include "lithe/formulate/links/modal_link.h"
#include "lithe/formulate/links/second_order.h"
#include "lithe/formulate/links/section_residual.h"
#include "lithe/model/finite_element_body.h"

namespace lithe {

class FloatingBody final : public AbsoluteBody, public LeftOutSections {
 public:
  FloatingBody(std::string name, ModalLink link, const ReducedBody& reduced, std::vector<BeamSection> sections,
               SecondOrder second_order);

  int num_nodes() const override { return num_own_nodes_; }
  BodyFrame frame_at_rest(int) const override { return {link_.origin, Matrix3::Identity()}; }
  std::string elastic_name(int k) const override;
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
  Vector3 rest_position(int node) const override { return link_.origin + link_.node_positions[node]; }
  bool section_load(const Vector3& gravity, const Work&, int node, const Eigen::Ref<const VectorX>& accelerations,
                    Vector3& force, Vector3& moment) const override;
  bool section_jacobians(const Vector3& gravity, const Work&, int node, const Eigen::Ref<const VectorX>& accelerations,
                         const BodyChanges& changes, Matrix6X& jacobians) const override;
  const LeftOutSections* left_out_sections() const override { return residuals_ ? this : nullptr; }
  void add_left_out(const Vector3& gravity, const Work&, int node, const Eigen::Ref<const VectorX>& accelerations,
                    const std::vector<NodeWrench>& wrenches, Vector3& force, Vector3& moment) const override;
  void add_left_out_jacobians(const Vector3& gravity, const Work&, int node,
                              const Eigen::Ref<const VectorX>& accelerations, const BodyChanges& changes,
                              const std::vector<NodeWrench>& wrenches, Matrix6X& jacobians) const override;
  bool strained_shape(const Work&, VectorX& displacements) const override;
  bool stiffens() const override { return link_.num_modes == 0 || !second_order_.empty(); }
  int num_damped_modes() const override { return link_.num_modes; }
  void mode_rates(const Work&, Eigen::Ref<VectorX> rates) const override;
  void add_mode_forces(const Work&, const Eigen::Ref<const VectorX>& forces,
                       Eigen::Ref<VectorX> generalised) const override;
  void mode_map(const Work&, Eigen::Ref<MatrixX> map) const override;
  // Of a body of which modes were left out.
  void set_residuals(std::shared_ptr<const SectionResiduals> residuals) { residuals_ = std::move(residuals); }

  const ModalLink& link() const { return link_; }

 private:
  struct ModalWork;
  bool has_section(int node) const {
    return static_cast<std::size_t>(node) < sections_.size() && sections_[static_cast<std::size_t>(node)].exists();
  }
  void update_moments(ModalWork& work) const;
  void bend_moments(ModalWork& work) const;
  // r and ψ of a node in body axes, with their derivatives by q in work.shapes and work.turns.
  void update_shapes(const ModalWork& work, int node, Vector3& r, Vector3& psi) const;
  const QuadraticForms* bent_node(int node) const {
    const auto n = static_cast<std::size_t>(node);
    return n < second_order_.nodes.size() ? &second_order_.nodes[n] : nullptr;
  }
  void add_bent_forces(const ModalWork& work, Eigen::Ref<VectorX> force) const;
  void add_bent_derivatives(const Vector3& gravity, const ModalWork& work,
                            const Eigen::Ref<const VectorX>& accelerations, Eigen::Ref<MatrixX> by_place,
                            Eigen::Ref<MatrixX> by_speed) const;
  void add_elastic_rates(const ModalWork& work, Eigen::Ref<MatrixX> by_speed) const;
  void add_elastic_places(const ModalWork& work, const Vector3& acceleration, const Vector3& alpha,
                          const VectorX& q_second, Eigen::Ref<MatrixX> by_place) const;

  std::string name_;
  ModalLink link_;
  int num_own_nodes_;                  // the points of joints that are no nodes come after them
  MatrixX nodal_shapes_;               // of the reduced body
  std::vector<BeamSection> sections_;  // per node of the mesh, or per point of stress
  std::shared_ptr<const SectionResiduals> residuals_;
  SecondOrder second_order_;
};

}  // namespace lithe
