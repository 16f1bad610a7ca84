// Bodies in absolute coordinates, joined by Lagrange multipliers: what `floating-frame` and `corotational` have in
// common. docs/theory/floating_frame.md derives it.
#pragma once

#include <memory>
#include <vector>

#include "lithe/formulate/absolute/body.h"
#include "lithe/formulate/contract/automatic_stiffening.h"
#include "lithe/formulate/contract/constrained_equations.h"
#include "lithe/formulate/contract/link_stiffening.h"
#include "lithe/formulate/contract/observed_jacobians.h"
#include "lithe/formulate/contract/solid_stress.h"
#include "lithe/formulate/contract/stage_projection.h"
#include "lithe/formulate/joints/joint_rows.h"
#include "lithe/kinematics/position.h"

namespace lithe {

// A side of a joint: a node of a body, or a frame on the ground.
struct JointSide {
  int body = -1;  // -1: the ground
  int node = -1;
  Matrix3 axes = Matrix3::Identity();  // joint frame in the node's axes
  Vector3 position = Vector3::Zero();  // on the ground
};

// Inertia of a motor on a freedom: a coordinate of its own, tied to the freedom by a row.
struct Rotor {
  int joint = 0, freedom = 0;
  double inertia = 0;
  int coordinate = 0;  // in x
};

enum class RowKind {
  constraint,  // a direction that the joint forbids
  prescribed,  // a freedom whose motion is given
  rotor,       // a freedom with a motor's inertia: value - z = 0
  spring,      // a freedom with stiffness or damping: no multiplier, only part of the implicit tangent
  damper,      // a turn of a spherical or free joint with damping: likewise
};
constexpr bool has_multiplier(RowKind kind) { return kind != RowKind::spring && kind != RowKind::damper; }

struct RowPlan {
  RowKind kind = RowKind::constraint;
  int index = 0;  // constraint row, freedom, or axis of a damped turn
  int rotor = -1;
};

// A freedom's part of a coupling.
struct CoupledTerm {
  int coupling = 0;  // whose row follows those of the joints
  int freedom = 0;
  double factor = 1;
};

struct JointPlan {
  int joint = 0;
  JointType type = JointType::fixed;
  JointSide parent, child;
  std::vector<RowPlan> rows;
  int first_row = 0;
  int first_value = 0;                     // in the list of all joint values
  bool sprung = false;                     // stiffness, damping or friction on a freedom
  Vector3 turn_damping = Vector3::Zero();  // of a spherical or free joint, on its angular velocity
  bool freedoms_needed = false;            // their values are followed
  std::vector<CoupledTerm> coupled;
  int first_angle = -1;  // freedom: three angles on which something acts, so that they must not be singular
};

struct AbsolutePlan {
  std::vector<int> first_coordinate, first_frame;  // per body
  std::vector<JointPlan> joints;                   // in the order of their rows
  std::vector<int> plan_of_joint;                  // of model joints
  std::vector<std::vector<int>> joints_of_body;    // indices into joints, ascending
  std::vector<Rotor> rotors;
  std::vector<double> coupling_offsets;  // Σ factor · value - offset = 0
  int num_coordinates = 0, num_frames = 0, num_rows = 0, num_values = 0;

  int num_couplings() const { return static_cast<int>(coupling_offsets.size()); }
  int num_joint_rows() const { return num_rows - num_couplings(); }
};

struct AbsoluteDerivatives;
struct JointWork;
struct NodeWrench;  // left_out_sections.h
namespace absolute_jacobians {
struct NodeChanges;
using Along = Dual<double, 8>;
}  // namespace absolute_jacobians

class AbsoluteEquations final : public ConstrainedEquations,
                                public StageProjection,
                                public ObservedJacobians,
                                public AutomaticStiffening,
                                public LinkStiffening,
                                public SolidStress {
 public:
  // `bodies[i]` is link i of the model; `joint_nodes[j]` are the nodes of joint j's parent and child there (-1:
  // ground). `mode_damping` acts on the coordinates of all reduced bodies, link after link; empty: none.
  AbsoluteEquations(std::string name, const Model& model, std::vector<std::unique_ptr<AbsoluteBody>> bodies,
                    const std::vector<std::pair<int, int>>& joint_nodes, MatrixX mode_damping = {});
  ~AbsoluteEquations() override;

  std::string name() const override { return name_; }
  bool has_geometric_stiffening() const override;
  bool stiffens_link(int link) const override;
  const ModalLink* bending_modes(int link) const override;
  const Model& model() const override { return model_; }
  int num_coordinates() const override { return plan_.num_coordinates; }
  int num_joint_coordinates() const override { return 0; }
  std::vector<std::string> coordinate_names() const override;
  std::unique_ptr<Workspace> make_workspace() const override;
  int num_nodes(int link) const override { return bodies_[link]->num_nodes(); }
  State initial_state() const override { return initial_state_; }

  EvaluationStatus evaluate(const State&, const Inputs&, Workspace&, Accelerations&) const override;
  EvaluationStatus linearise(const State&, const Inputs&, Workspace&, LinearBlocks&) const override;
  EvaluationStatus linearise_about(const State&, const Inputs&, const Accelerations&, Workspace&,
                                   LinearBlocks&) const override;
  EvaluationStatus linearise_elastic(const State&, const Inputs&, Workspace&, LinearBlocks&) const override;
  bool accept(State&, const Inputs&, Workspace&) const override;

  Energies energies(const State&, const Inputs&, Workspace&) const override;
  NodeMotion node_motion(const State&, const Inputs&, const Accelerations&, int link, int node,
                         Workspace&) const override;
  void node_motions(const State&, const Inputs&, const Accelerations&, int link, std::vector<NodeMotion>&,
                    Workspace&) const override;
  double prescribed_force(const State&, const Inputs&, const Accelerations&, int joint, int freedom,
                          Workspace&) const override;
  bool reaction(const State&, const Inputs&, const Accelerations&, int joint, Vector3& force, Vector3& torque,
                Workspace&) const override;
  bool section_load(const State&, const Inputs&, const Accelerations&, int link, int node, Vector3& force,
                    Vector3& moment, Workspace&) const override;
  bool stresses(const State&, const Inputs&, const Accelerations&, int link, Matrix6X& values,
                Workspace&) const override;
  bool strained_shape(const State&, const Inputs&, int link, VectorX&, Workspace&) const override;
  double dissipated_power(const State&, const Inputs&, Workspace&) const override;
  Pose link_pose(const State&, const Inputs&, int link, Workspace&) const override;
  VectorX coordinate_scales(const State&, const Inputs&, Workspace&) const override;
  SignalValue joint_motion(const State&, const Inputs&, const Accelerations&, int joint, int freedom,
                           Workspace&) const override;

  EvaluationStatus sensor_jacobians(const State&, const Inputs&, const Accelerations&, const NearbyMotions&,
                                    const std::vector<Sensor>&, Workspace&,
                                    std::vector<MatrixX>& jacobians) const override;

  int num_multipliers() const override { return plan_.num_rows; }
  void recentre(State& state) const override;
  void move(const State& start, const VectorX& step, const VectorX& velocities, State& result) const override;
  VectorX motion_between(const State& from, const State& to) const override;
  void chart_accelerations(const State&, const VectorX& body_accelerations, VectorX& result) const override;
  EvaluationStatus body_accelerations(const State&, const Inputs&, Workspace&, VectorX& accelerations,
                                      VectorX& multipliers) const override;
  EvaluationStatus residual(const State&, const Inputs&, const VectorX& accelerations, const VectorX& multipliers,
                            Workspace&, VectorX& dynamic, VectorX& constraint) const override;
  EvaluationStatus factorise_tangent(double damping, double stiffness, bool bodies, Workspace&) const override;
  void solve_tangent(Workspace&, VectorX& dynamic, VectorX& constraint) const override;
  void mass_times(const Workspace&, const VectorX& values, VectorX& result) const override;
  MatrixX admissible_directions(const State&, const Inputs&, HeldJoints held, Workspace&) const override;
  EvaluationStatus linearise_constrained(const State&, const Inputs&, const VectorX& accelerations, Workspace&,
                                         ConstrainedLinearisation&) const override;
  bool steady_velocities(const State&, const Inputs&, int joint, int freedom, double speed, Workspace&,
                         VectorX& velocities) const override;
  void scale_gravity(double factor, Workspace&) const override;
  std::string preferred_integrator() const override;
  int mobility() const override;
  double constraint_violation(const State&, const Inputs&, Workspace&) const override;

  bool constrains_deformations() const override { return constrains_deformations_; }
  void project(State&, const Inputs&, Workspace&) const override;
  void keep_admissible(const State&, Workspace&, VectorX& change) const override;
  void whole_stiffness(const State&, const Inputs&, Workspace&, MatrixX& result) const override;

  const AbsoluteBody& body(int link) const { return *bodies_[link]; }

 private:
  struct Work;

  void plan_joints(const std::vector<std::pair<int, int>>& joint_nodes);
  void add_rows(JointPlan& plan, const Joint& joint);
  void add_coupled(JointPlan& plan) const;
  void order_rows();
  void set_initial_state();
  void fill_massless_bodies();
  void look_for_constrained_deformations();

  void load(const State& state, Work& work) const;
  void update(const State& state, const Inputs& inputs, Work& work) const;
  EvaluationStatus factorise_mass(Work& work) const;
  EvaluationStatus solve_filled(Work& work, VectorX& accelerations, VectorX& multipliers) const;
  void remaining(Work& work, const VectorX& accelerations, const VectorX& multipliers, VectorX& forces,
                 VectorX& rows) const;
  MatrixX weight(const MatrixX& mass) const;
  double least_inertia(Work& work) const;
  void update_joints(const State& state, const Inputs& inputs, Work& work) const;
  void update_couplings(Work& work) const;
  void update_joint(const JointPlan& plan, const State& state, const Inputs& inputs, Work& work, int index) const;
  EvaluationStatus angles_status(const Work& work) const;
  void side_frame(const JointSide& side, const Work& work, NodeFrame& frame) const;
  void add_joint_forces(const Inputs& inputs, Work& work) const;
  void add_loads(const Inputs& inputs, Work& work) const;
  void find_mode_rates(Work& work) const;
  void add_mode_damping(Work& work) const;
  MatrixX mode_map(const Work& work) const;
  void differentiate_mode_damping(Work& work, AbsoluteDerivatives&) const;
  void follow(const NodalLoad& load, const Work& work, Vector3& force, Vector3& torque) const;
  double freedom_force(const JointPlan& plan, const Inputs& inputs, const Work& work, int index, int freedom) const;
  void from_chart(const State& state, const VectorX& accelerations, VectorX& result) const;
  void displace(State& state, const VectorX& increments) const;
  void chart_speeds(const State& state, const VectorX& velocities, VectorX& speeds) const;
  void project_positions(State& state, const Inputs& inputs, Work& work) const;
  void project_speeds(State& state, Work& work) const;
  void load_with_accelerations(const State&, const Inputs&, const Accelerations&, Work&) const;
  NodeMotion observed_node(int link, int node, const Pose& rigid, const Work&) const;
  bool observe(const State&, const Inputs&, Work&) const;
  Pose rigid_pose(int link, Work& work) const;
  double continuous_value(const JointPlan& plan, int freedom, double value, const State& state) const;
  VectorX dense_row(const JointRow& row, const JointPlan& plan, const JointWork& joint) const;
  void add_dense_row(const JointRow& row, const JointPlan& plan, const JointWork& joint, double factor,
                     Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>> result) const;
  MatrixX dense_rows(bool freedoms, const Work&) const;
  void dense_blocks(const Work&, LinearBlocks&) const;
  MatrixX holding_rows(HeldJoints held, const Work&) const;
  Vector6 side_acceleration(const JointSide& side, const NodeFrame& frame, const VectorX& accelerations) const;
  void differentiate(const Inputs&, const VectorX& accelerations, const VectorX& multipliers, Work&,
                     AbsoluteDerivatives&) const;
  struct JointJacobians;
  void find_joint_jacobians(const JointPlan&, const JointWork&, const Inputs&, const VectorX& accelerations,
                            const VectorX& multipliers, const Work&, JointJacobians&) const;
  void differentiate_row(const JointPlan&, const JointWork&, std::size_t row, const JointJacobians&,
                         AbsoluteDerivatives&) const;
  void differentiate_joint(int index, const Inputs&, const VectorX& accelerations, const VectorX& multipliers, Work&,
                           AbsoluteDerivatives&) const;
  void differentiate_loads(const Inputs&, const VectorX& accelerations, Work&, AbsoluteDerivatives&) const;
  bool wrenches_on(const State&, const Inputs&, const Accelerations&, int link, Work&,
                   std::vector<NodeWrench>& wrenches) const;
  bool loaded_section(int link, int node, const std::vector<NodeWrench>& wrenches, const Work&, Vector3& force,
                      Vector3& moment) const;
  struct BodyMotions;
  struct JacobianWork;
  void from_chart_motions(const State&, const Accelerations&, const NearbyMotions&, BodyMotions&) const;
  EvaluationStatus jacobian_multipliers(const State&, const Accelerations&, const NearbyMotions&, JacobianWork&) const;
  void node_changes(const JacobianWork&, int link, int node, const NodeFrame&, absolute_jacobians::NodeChanges&) const;
  RelativeJointMotionOf<absolute_jacobians::Along> joint_along(const JacobianWork&, int joint,
                                                               Eigen::Index first) const;
  static absolute_jacobians::Along multiplier_along(const JacobianWork&, int row, Eigen::Index first);
  void read_joint_jacobians(const JacobianWork&, const Sensor&, MatrixX& result) const;
  void read_reaction_jacobians(const JacobianWork&, const Sensor&, MatrixX& result) const;
  void read_node_jacobians(const JacobianWork&, const Sensor&, MatrixX& result) const;
  void read_section_jacobians(const JacobianWork&, const Sensor&, MatrixX& result) const;
  MatrixX energy_jacobians(const JacobianWork&) const;
  void read_jacobians(const JacobianWork&, const MatrixX& energy, const Sensor&, MatrixX& result) const;
  MatrixX commutator(const VectorX& velocities) const;
  void keep_in_world(const VectorX& forces, MatrixX& by_place) const;
  std::vector<bool> bodies_beyond(const JointPlan& plan, bool& parent_moves) const;
  void add_chart_terms(const VectorX& velocities, const VectorX& accelerations, const MatrixX& speed_by_place,
                       ConstrainedLinearisation&) const;

  std::string name_;
  Model model_;
  std::vector<std::unique_ptr<AbsoluteBody>> bodies_;
  AbsolutePlan plan_;
  Mechanism mechanism_;
  std::vector<bool> independent_;  // tree coordinates that place the rigid mechanism
  State initial_state_;
  MatrixX mode_damping_;
  double length_scale_ = 1;
  bool flexible_ = false, has_nodal_frames_ = false;  // a body deforms; a body has a frame at each of its nodes
  bool filled_ = false;                               // a body has no inertia of its own
  bool constrains_deformations_ = false;              // joints at nodes that move when their body deforms
};

}  // namespace lithe
