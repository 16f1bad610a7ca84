// A link as beam elements that may turn and bend without limit: every node carries a frame, and each element follows
// its chord and is linear in its own axes (docs/theory/corotational.md).
#pragma once

#include <vector>

#include "lithe/formulate/absolute_body.h"
#include "lithe/model/finite_element_body.h"
#include "lithe/model/model.h"

namespace lithe {

using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

// One element: rest geometry in the link frame, stiffness, and the mass that its centre line carries.
struct CorotationalElement {
  int a = 0, b = 0;
  Vector3 chord;   // at rest, from a to b
  Vector3 y_axis;  // of the beam at rest, link axes
  double length = 0;
  Matrix12 stiffness;    // link axes, (u_a, ψ_a, u_b, ψ_b)
  double line_mass = 0;  // ρ A L when the mass is consistent, 0 when it is lumped to the nodes
};

// An element's deformation and how it follows from small motions (δp_a, δθ_a, δp_b, δθ_b), world axes.
struct ElementState {
  Matrix3 E;        // from link axes at rest to the element's
  Vector12 strain;  // (0, ψ_a, u_b, ψ_b) in the element's axes
  Matrix12 rate;    // δstrain = rate · motion
};
ElementState element_state(const CorotationalElement& element, const BodyFrame& a, const BodyFrame& b);

class CorotationalBody final : public AbsoluteBody {
 public:
  // `damping_factor` times the stiffness gives the damping. `extra_nodes` of the mesh may be points of joints.
  CorotationalBody(const Model& model, const Link& link, const FiniteElementBody& mesh, double damping_factor);

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
  bool factorise(const Work&, double damping, double stiffness, BodyFactors&) const override;
  void solve(const BodyFactors&, Eigen::Ref<MatrixX> rhs) const override;
  void node_frame(const Work&, int node, NodeFrame& result) const override;
  Matrix3 link_rotation(const Work&) const override;
  BodyEnergies energies(const Vector3& gravity, const Work&) const override;
  Vector3 rest_position(int node) const override { return positions_[node]; }
  bool section_load(const Work&, int node, Vector3& force, Vector3& moment) const override;

 private:
  struct BeamWork;
  struct NodeInertia {
    double mass = 0;
    Matrix3 inertia = Matrix3::Zero();  // about the node, link axes at rest
  };
  void add_line_mass(const CorotationalElement& element, const BeamWork& work, Matrix12& mass) const;
  void set_order();

  std::vector<Vector3> positions_;
  std::vector<CorotationalElement> elements_;
  std::vector<Matrix3> element_axes_;  // beam axes at rest, link frame
  std::vector<NodeInertia> nodes_;
  std::vector<int> place_;  // of a node in the order of the factors
  std::vector<int> envelope_;
  double damping_factor_ = 0;
};

}  // namespace lithe
