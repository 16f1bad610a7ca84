// Formulation by geometric transfer functions [LIN]: beams with deformations as coordinates, geometric stiffening
// included, joints as hinges and sliders, closed chains by dependent coordinates. docs/theory/transfer_functions.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lithe/formulate/contract/observed_jacobians.h"
#include "lithe/formulate/transfer/loops.h"
#include "lithe/formulate/transfer/tree.h"

namespace lithe {

struct TransferOptions {
  bool bending_shortens = true;  // [LIN] (49a) with its term quadratic in bending
};

// Which variables of the tree are independent, given and found by closing loops, and by which rows.
struct TransferSplit {
  std::vector<int> independent, prescribed, unknown, rows;  // prescribed: joint coordinates
  int num_joint_coordinates = 0;       // how many of the independent are joint coordinates or nodal ones in their place
  bool contiguous = true;              // the independent follow one another in y
  bool ends_with_independent = false;  // ... to its end, there are no unknown ones, and no element has both kinds
  // By the user's choice: held at a value, or moved as an item of the model's chosen coordinates says.
  struct Held {
    int variable = 0;
    double value = 0;
  };
  struct Moved {
    int variable = 0, item = 0;
  };
  std::vector<Held> held;
  std::vector<Moved> moved;
};

class TransferFunctions final : public Equations, public ObservedJacobians {
 public:
  // Throws InputError for links without beams, loops that cannot be closed and drives that cannot act.
  explicit TransferFunctions(const Model& model, const TransferOptions& options = {});
  ~TransferFunctions() override;

  std::string name() const override { return "transfer-functions"; }
  bool has_geometric_stiffening() const override { return stiffens_; }
  const Model& model() const override { return model_; }
  int num_coordinates() const override { return static_cast<int>(split_.independent.size()); }
  int num_joint_coordinates() const override { return split_.num_joint_coordinates; }
  std::vector<std::string> coordinate_names() const override;
  std::unique_ptr<Workspace> make_workspace() const override;
  int num_nodes(int link) const override { return static_cast<int>(tree_.nodes[link].size()); }
  State initial_state() const override;

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
  double dissipated_power(const State&, const Inputs&, Workspace&) const override;
  Pose link_pose(const State&, const Inputs&, int link, Workspace&) const override;
  SignalValue joint_motion(const State&, const Inputs&, const Accelerations&, int joint, int freedom,
                           Workspace&) const override;

  EvaluationStatus sensor_jacobians(const State&, const Inputs&, const Accelerations&, const NearbyMotions&,
                                    const std::vector<Sensor>&, Workspace&,
                                    std::vector<MatrixX>& jacobians) const override;
  bool has_transfer_functions() const override { return true; }

  const TransferTree& tree() const { return tree_; }
  const TransferSplit& split() const { return split_; }

 private:
  struct Work;

  struct Wish;  // of the user for a variable

  void add_nodal_coordinates();
  std::vector<Wish> read_wishes();
  void wish_deformations(int item, std::vector<Wish>& wishes) const;
  void choose_split(const Configuration& configuration);
  void choose_unknown(const Configuration& configuration, const std::vector<Wish>& wishes,
                      std::vector<char>& dependent);
  void check_choice(const std::vector<Wish>& wishes, const std::vector<char>& dependent) const;
  void order_independent(const std::vector<Wish>& wishes, const std::vector<char>& dependent);
  void find_start();
  std::string variable_name(int variable) const;
  void load_state(const State&, const Inputs&, Work&) const;
  void load_inputs(const Inputs&, Work&) const;
  bool close(Work&) const;
  bool factorise_loops(Work&) const;
  void find_rates(Work&) const;
  void find_accelerations(const VectorX* independent, Work&) const;
  EvaluationStatus update(const State&, const Inputs&, Work&) const;
  EvaluationStatus observe(const State&, const Inputs&, const Accelerations&, Work&) const;
  bool observe_forces(const State&, const Inputs&, const Accelerations&, Work&) const;
  void find_multipliers(Work&) const;
  double force_on_chosen(int item, const Work&) const;
  Vector6 stress_of(const TransferBeam& beam, const Work&) const;
  VectorX reduced(const VectorX& of_variables, const Work&) const;
  void project(const MatrixX& of_variables, Work&, MatrixX& result) const;
  void add_loop_jacobians(Work&, LinearBlocks&) const;
  void loop_transfer_jacobians(const Work&, MatrixX& X1, MatrixX& X2) const;
  void update_element_tangents(Work&) const;
  void update_tangents(Work&) const;
  struct Changes;
  void find_variable_changes(const NearbyMotions&, const Work&, Changes&) const;
  void find_force_changes(const Work&, Changes&) const;
  void read_node_jacobians(const State&, const Work&, const Changes&, const Sensor&, MatrixX& result) const;
  void read_joint_jacobians(const State&, const Work&, const Changes&, int coordinate, MatrixX& result) const;
  void read_cut_jacobians(const Work&, const Changes&, const Sensor&, MatrixX& result) const;
  void read_reaction_jacobians(const Work&, const Changes&, const Sensor&, MatrixX& result) const;
  void read_section_jacobians(const Work&, const Changes&, const Sensor&, MatrixX& result) const;
  MatrixX energy_jacobians(const Work&, const Changes&) const;
  void read_jacobians(const State&, const Work&, const Changes&, const MatrixX& energy, const Sensor&,
                      MatrixX& result) const;
  const TransferBeam* beam_at(int link, int node) const;
  Vector6 passed_wrench(int frame, const Work&) const;
  static Vector6 section_signs(const TransferBeam& beam);
  void input_matrix(const Work&, MatrixX& input) const;
  Configuration rigid_configuration(const State&, const Work&) const;
  Pose rigid_pose(const State&, int link, const Work&) const;
  NodeMotion observed_node(int link, int node, const Pose& rigid, const Work&) const;
  SignalValue cut_motion_of(int joint, int freedom, const Work&) const;

  Model model_;
  Mechanism mechanism_;
  bool stiffens_;
  TransferTree tree_;
  TransferLoops loops_;
  TransferSplit split_;
  std::vector<bool> independent_joints_;  // tree coordinates that place the rigid mechanism
  std::vector<int> nodal_items_;          // per nodal coordinate: the model's chosen coordinate
  std::vector<char> for_joint_;           // per nodal coordinate: it stands in the place of a joint's
  Configuration initial_configuration_;
  VectorX initial_rates_;
  VectorX start_, start_rates_;  // y and ẏ at the beginning, of the unknown joint coordinates a guess
};

}  // namespace lithe
