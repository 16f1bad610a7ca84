// Equivalent rigid-link system with component mode synthesis: flexible links by a few modes, open and closed chains.
// docs/theory/erls_cms.md derives what is implemented.
#pragma once

#include <memory>
#include <vector>

#include "lithe/formulate/contract/automatic_stiffening.h"
#include "lithe/formulate/contract/equations.h"
#include "lithe/formulate/contract/link_stiffening.h"
#include "lithe/formulate/contract/named_coordinates.h"
#include "lithe/formulate/contract/observed_jacobians.h"
#include "lithe/formulate/contract/recursive_solves.h"
#include "lithe/formulate/contract/solid_stress.h"
#include "lithe/formulate/erls/loops/coordinates.h"
#include "lithe/formulate/erls/tree/tree.h"
#include "lithe/formulate/links/beam_section.h"
#include "lithe/formulate/links/section_residual.h"
#include "lithe/reduce/reduce.h"

namespace lithe {

enum class ErlsVariant {
  full,       // every term
  published,  // [CMP] (5)-(7): virtual displacement without δR u; for comparison, it does not conserve energy
};

struct ErlsOptions {
  Gauge gauge = Gauge::encoder;
  ErlsVariant variant = ErlsVariant::full;
  // Second-order displacements: forces along beams change their stiffness. With the encoder gauge and all terms.
  bool geometric_stiffening = false;
  std::string name = "erls-cms";
};

template <class S>
struct ErlsLoad;
template <class S>
struct ErlsWrench;

class ErlsCms final : public Equations,
                      public RecursiveSolves,
                      public ObservedJacobians,
                      public AutomaticStiffening,
                      public LinkStiffening,
                      public SolidStress,
                      public NamedCoordinates {
 public:
  // Throws InputError when loops cannot be closed or the declared independent coordinates cannot be.
  explicit ErlsCms(const ReducedModel& reduced, const ErlsOptions& options = {});
  ~ErlsCms() override;

  std::string name() const override { return name_; }
  const Model& model() const override { return model_; }
  int num_coordinates() const override { return static_cast<int>(constraints_.split.independent.size()); }
  int num_joint_coordinates() const override { return constraints_.split.num_joint_coordinates; }
  std::vector<std::string> coordinate_names() const override;
  bool has_geometric_stiffening() const override;
  bool stiffens_link(int link) const override;
  const ModalLink* bending_modes(int link) const override;
  std::unique_ptr<Workspace> make_workspace() const override;
  State initial_state() const override;

  EvaluationStatus evaluate(const State&, const Inputs&, Workspace&, Accelerations&) const override;
  EvaluationStatus linearise(const State&, const Inputs&, Workspace&, LinearBlocks&) const override;
  EvaluationStatus linearise_elastic(const State&, const Inputs&, Workspace&, LinearBlocks&) const override;
  EvaluationStatus linearise_about(const State&, const Inputs&, const Accelerations&, Workspace&,
                                   LinearBlocks&) const override;
  bool accept(State&, const Inputs&, Workspace&) const override;

  // Open chains with the encoder gauge.
  bool solves_recursively() const override;
  double fastest_vibration() const override;
  EvaluationStatus implicit_correction(const State&, const Inputs&, const VectorX& accelerations, double damping,
                                       double stiffness, Workspace&, VectorX& correction) const override;
  void filter_implicitly(Workspace&, VectorX& values) const override;
  bool solves_structured() const override;
  EvaluationStatus residual(const State&, const Inputs&, const VectorX& accelerations, Workspace&,
                            VectorX& result) const override;
  EvaluationStatus factorise_tangent(const State&, const Inputs&, double damping, double stiffness,
                                     std::complex<double> complex_damping, std::complex<double> complex_stiffness,
                                     Workspace&) const override;
  void solve_tangent(Workspace&, VectorX& values) const override;
  void solve_tangent(Workspace&, Eigen::VectorXcd& values) const override;
  void filter_tangent(Workspace&, VectorX& values) const override;

  Energies energies(const State&, const Inputs&, Workspace&) const override;
  NodeMotion node_motion(const State&, const Inputs&, const Accelerations&, int link, int node,
                         Workspace&) const override;
  void node_motions(const State&, const Inputs&, const Accelerations&, int link, std::vector<NodeMotion>&,
                    Workspace&) const override;
  SignalValue joint_motion(const State&, const Inputs&, const Accelerations&, int joint, int freedom,
                           Workspace&) const override;

  int num_nodes(int link) const override { return static_cast<int>(tree_.links[link].node_positions.size()); }
  Pose link_pose(const State&, const Inputs&, int link, Workspace&) const override;
  EvaluationStatus mass_matrix(const State&, const Inputs&, Workspace&, MatrixX& mass) const override;
  VectorX coordinate_scales(const State&, const Inputs&, Workspace&) const override;

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
  EvaluationStatus sensor_jacobians(const State&, const Inputs&, const Accelerations&, const NearbyMotions&,
                                    const std::vector<Sensor>&, Workspace&,
                                    std::vector<MatrixX>& jacobians) const override;
  // Elastic coordinates of a link in the basis of its reduced body: displacements are its nodal shapes times these,
  // plus a rigid motion. Empty where the loops cannot be closed.
  VectorX reduced_coordinates(const State&, const Inputs&, int link, Workspace&) const;

  const Mechanism& mechanism() const { return mechanism_; }
  const ErlsTree& tree() const { return tree_; }
  // Of a state whose configuration has none of its own.
  const VariableSplit& split() const { return constraints_.split; }
  // Coordinates and speeds as coordinate_names() has them, where the loops made the state choose others.
  void named_coordinates(const State&, const Inputs&, Workspace&, VectorX& coordinates, VectorX& speeds) const override;

 private:
  struct Work;
  struct DualWork;

  void follow_split(const State& state, Work& work) const;
  bool renew_split(State& state, Work& work) const;
  void load_state(const State& state, const Inputs& inputs, Work& work) const;
  void load_accelerations(const Inputs& inputs, Work& work) const;
  bool is_known(const State& state, const Inputs& inputs, const Work& work) const;
  void remember(const State& state, const Inputs& inputs, Work& work) const;
  EvaluationStatus update_kinematics(const State& state, const Inputs& inputs, Work& work) const;
  EvaluationStatus observe(const State&, const Inputs&, const Accelerations&, Work&) const;
  NodeMotion observed_node(int link, int node, const Configuration& configuration, Work& work) const;
  // Of the rigid mechanism; NaN where its loops cannot be closed.
  const Pose& rigid_pose(int link, const Configuration& configuration, Work& work) const;
  MatrixX displacement_lanes(const Configuration& configuration, const Sensor& sensor, int count, Work& work) const;
  double fastest_node(const Work& work) const;
  // Inertia, gravity, elastic and applied forces on all variables of the tree, for the accelerations set there.
  template <class S>
  void tree_forces(const Inputs& inputs, TreeWork<S>& tree) const;
  template <class S>
  void tree_forces(const Inputs& inputs, const std::vector<ErlsLoad<S>>& more, TreeWork<S>& tree) const;
  EvaluationStatus solve_open(Work& work, Accelerations& result) const;
  EvaluationStatus solve_assembled(Work& work, Accelerations& result) const;
  bool observe_forces(const State&, const Inputs&, const Accelerations&, Work&) const;
  void solve_implicit(Work& work, VectorX& values) const;
  void reduced_mass(Work& work, MatrixX& mass) const;
  bool factorise_dense_mass(Work& work) const;
  bool factorise_structured_mass(Work& work) const;
  void mass_by_columns(Work& work, MatrixX& mass) const;
  void project(Work& work, MatrixX& result) const;
  void elastic_matrix(bool damping, const Work& work, MatrixX& result) const;
  void add_ball_damping(const Work& work, MatrixX& result) const;
  void elastic_block(bool damping, Work& work, MatrixX& block) const;
  bool is_still(Work& work) const;
  void start_sweep(Work& work) const;
  void enter_unit_jacobians(Work& work, int first, int count) const;
  void find_multipliers(const Inputs& inputs, Work& work) const;
  bool follow_gauge(Work& work) const;
  void follow_loops(Work& work, int count) const;
  void add_loop_forces(const Work& work) const;
  void collect_jacobians(const Work& work, int first, int count, LinearBlocks& blocks) const;
  void collect_gauge_jacobians(const Work& work, int first, int count, LinearBlocks& blocks) const;
  void input_matrix(const Work& work, MatrixX& input) const;
  void enter_jacobians(const NearbyMotions& motions, Eigen::Index first, int count, Work& work) const;
  void jacobian_multipliers(const Work& work, int count, VecX<ErlsDual>& multipliers) const;
  void read_motion_jacobians(Work& work, const Configuration& configuration, const Sensor& sensor, Eigen::Index first,
                             int count, MatrixX& jacobians) const;
  void read_drive_jacobians(const Work& work, const Sensor& sensor, Eigen::Index first, int count,
                            MatrixX& jacobians) const;
  void read_reaction_jacobians(const Work& work, const std::vector<ErlsWrench<ErlsDual>>& cuts, const Sensor& sensor,
                               Eigen::Index first, int count, MatrixX& jacobians) const;
  void read_section_jacobians(const Inputs& inputs, const std::vector<ErlsLoad<ErlsDual>>& cut_loads,
                              const Sensor& sensor, Eigen::Index first, int count, const Work& work,
                              MatrixX& jacobians) const;
  void read_load_jacobians(const Inputs& inputs, const std::vector<Sensor>& sensors, Eigen::Index first, int count,
                           Work& work, std::vector<MatrixX>& jacobians) const;
  // `cut_loads`: of the joints that close loops. Sections of links of which modes were left out need the forces of
  // joints: of the tree, after tree_forces(), and these.
  bool observe_sections(const State&, const Inputs&, const Accelerations&, int link, Work&,
                        std::vector<ErlsLoad<double>>& cut_loads) const;
  template <class S>
  bool section_of(const Inputs& inputs, const std::vector<ErlsLoad<S>>& cut_loads, int link, int node,
                  const TreeWork<S>& tree, Eigen::Matrix<S, 3, 1>& force, Eigen::Matrix<S, 3, 1>& moment) const;
  template <class S>
  void add_left_out(const SectionResidual& residual, const Inputs& inputs, const std::vector<ErlsLoad<S>>& cut_loads,
                    int link, const TreeWork<S>& tree, SectionLoad<S>& load) const;
  SignalValue cut_joint_motion(int cut, int freedom, const State& state, Work& work) const;
  SignalValue deformed_cut_motion(int cut, int freedom, Work& work) const;

  Model model_;
  std::string name_;
  std::vector<std::vector<BeamSection>> sections_;                  // per link and node
  std::vector<std::shared_ptr<const SectionResiduals>> residuals_;  // per link of which modes were left out
  std::vector<MatrixX> nodal_shapes_;                               // per link, of the reduced body
  Mechanism mechanism_;
  ErlsTree tree_;
  ErlsConstraints constraints_;  // as chosen at the initial configuration
  Configuration initial_configuration_;
  VectorX initial_rates_;     // β̇
  std::vector<char> solved_;  // per tree coordinate: independent
  std::vector<bool> places_;  // per tree coordinate: places the rigid mechanism, from which displacements are counted
};

}  // namespace lithe
