// Exact linearisation of ErlsCms: the residual of the equations of motion evaluated with Dual numbers.
#include "lithe/formulate/erls_coordinates_inl.h"
#include "lithe/formulate/erls_work.h"

namespace lithe {

namespace {
constexpr int lanes = 8;
using D = Dual<double, lanes>;
}  // namespace

struct ErlsCms::DualWork {
  DualWork(const ErlsTree& t, const ErlsConstraints& constraints) : tree(t, constraints.num_charts) {
    if (!constraints.split.open()) solver = std::make_unique<ConstraintSolver<D>>(t, constraints);
  }
  TreeWork<D> tree;
  std::unique_ptr<ConstraintSolver<D>> solver;
};

ErlsCms::Work::Work(const ErlsTree& t, const ErlsConstraints& constraints, const std::vector<char>& solved)
    : tree(t, constraints.num_charts),
      articulated(t, solved),
      cholesky(static_cast<Eigen::Index>(constraints.split.independent.size())) {
  const auto n = static_cast<Eigen::Index>(constraints.split.independent.size());
  beta_rhs.resize(t.num_coordinates);
  q_rhs.resize(t.num_modes);
  rhs.resize(n);
  if (!constraints.split.open()) {
    solver = std::make_unique<ConstraintSolver<double>>(t, constraints);
    unknown_forces.resize(constraints.split.unknown.size());
    multipliers.resize(constraints.split.num_rows());
    cut_wrenches.resize(constraints.loops.size());
  }
  if (!constraints.split.open() || t.published_virtual_displacement) mass.resize(n, n);
  if (t.published_virtual_displacement) lu = Eigen::PartialPivLU<MatrixX>(n);
}
ErlsCms::Work::~Work() = default;

// B: a unit torque on joint freedom (joint, k) acts on β + ε of its coordinate.
void ErlsCms::input_matrix(const Work& work, MatrixX& input) const {
  const VariableSplit& split = constraints_.split;
  const int n = num_coordinates();
  std::vector<int> coordinates;
  for (std::size_t joint = 0; joint < model_.joints.size(); ++joint)
    for (int k = 0; k < num_freedoms(model_.joints[joint].type); ++k)
      coordinates.push_back(mechanism_.coordinate_of(static_cast<int>(joint), k));
  input = MatrixX::Zero(n, static_cast<Eigen::Index>(coordinates.size()));
  for (std::size_t column = 0; column < coordinates.size(); ++column) {
    const int c = coordinates[column];
    if (c < 0) continue;
    for (int i = 0; i < n; ++i) {
      if (split.independent[i] == c) input(i, column) += 1;
      for (std::size_t u = 0; u < split.unknown.size(); ++u)
        if (split.unknown[u] == c || split.unknown[u] == c + tree_.num_coordinates)
          input(i, column) += work.solver->tangent()(u, i);
    }
  }
}

EvaluationStatus ErlsCms::linearise(const State& state, const Inputs& inputs, Workspace& workspace,
                                    LinearBlocks& blocks) const {
  Accelerations accelerations;
  const EvaluationStatus status = evaluate(state, inputs, workspace, accelerations);
  return status == EvaluationStatus::ok ? linearise_about(state, inputs, accelerations, workspace, blocks) : status;
}

// K and C are the derivatives of r(x, ẋ, ẍ) = M ẍ - f by x and ẋ.
EvaluationStatus ErlsCms::linearise_about(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                          Workspace& workspace, LinearBlocks& blocks) const {
  Work& work = static_cast<Work&>(workspace);
  const EvaluationStatus status = observe(state, inputs, accelerations, work);
  if (status != EvaluationStatus::ok) return status;
  if (!work.dual) work.dual = std::make_unique<DualWork>(tree_, constraints_);
  TreeWork<D>& tree = work.dual->tree;
  const VariableSplit& split = constraints_.split;
  const int n = num_coordinates(), num_variables = tree_.num_variables();
  blocks.stiffness.resize(n, n);
  blocks.damping.resize(n, n);
  for (int first = 0; first < 2 * n; first += lanes) {
    copy_positions(work.tree, tree);
    for (int v = 0; v < num_variables; ++v) {
      variable_rate(tree, v) = D(variable_rate(work.tree, v));
      variable_acceleration(tree, v) = D(variable_acceleration(work.tree, v));
    }
    const int count = std::min(lanes, 2 * n - first);
    for (int lane = 0; lane < count; ++lane) {
      const int k = first + lane;
      (k < n ? variable(tree, split.independent[k]) : variable_rate(tree, split.independent[k - n])).slope[lane] = 1;
    }
    if (work.dual->solver) {
      ConstraintSolver<D>& solver = *work.dual->solver;
      if (!solver.solve_position(tree_, constraints_, tree, 6) || !solver.solve_tangent(tree_, constraints_, tree))
        return EvaluationStatus::loop_not_closed;
      solver.solve_velocity(constraints_, tree);
      solver.solve_acceleration(tree_, constraints_, tree);
    }
    update_position(tree_, tree);
    update_velocity(tree_, tree);
    tree_forces<D>(inputs, tree);
    for (int i = 0; i < n; ++i) {
      const D force = reduced_force<D>(constraints_, work.dual->solver.get(), tree, i);
      for (int lane = 0; lane < count; ++lane) {
        const int k = first + lane;
        (k < n ? blocks.stiffness(i, k) : blocks.damping(i, k - n)) = force.slope[lane];
      }
    }
  }
  input_matrix(work, blocks.input);
  reduced_mass(work, blocks.mass);
  return EvaluationStatus::ok;
}

namespace {

// How a variable of the tree moves with the independent coordinates: row of N, most often one entry.
using Gradient = std::vector<std::pair<int, double>>;

std::vector<Gradient> variable_gradients(const VariableSplit& split, const ConstraintSolver<double>* solver,
                                         int num_variables) {
  std::vector<Gradient> gradients(num_variables);
  for (std::size_t i = 0; i < split.independent.size(); ++i)
    gradients[split.independent[i]].emplace_back(static_cast<int>(i), 1.0);
  for (std::size_t u = 0; u < split.unknown.size(); ++u)
    for (std::size_t i = 0; i < split.independent.size(); ++i)
      gradients[split.unknown[u]].emplace_back(static_cast<int>(i), solver->tangent()(u, i));
  return gradients;
}

// Nᵀ k N for a stiffness k between two variables.
void add_stiffness(const Gradient& a, const Gradient& b, double stiffness, MatrixX& result) {
  for (const auto& [i, slope] : a)
    for (const auto& [j, other] : b) result(i, j) += stiffness * slope * other;
}

}  // namespace

EvaluationStatus ErlsCms::linearise_elastic(const State& state, const Inputs& inputs, Workspace& workspace,
                                            LinearBlocks& blocks) const {
  Work& work = static_cast<Work&>(workspace);
  const EvaluationStatus status = update_kinematics(state, inputs, work);
  if (status != EvaluationStatus::ok) return status;
  const int n = num_coordinates(), num_joints = tree_.num_coordinates;
  blocks.stiffness = MatrixX::Zero(n, n);
  blocks.damping = MatrixX::Zero(n, n);
  const std::vector<Gradient> rows = variable_gradients(constraints_.split, work.solver.get(), tree_.num_variables());
  for (int c = 0; c < num_joints; ++c)  // on β + ε
    for (int a : {c, c + num_joints})
      for (int b : {c, c + num_joints}) {
        if (tree_.joints[c].stiffness != 0)
          add_stiffness(rows[a], rows[b], tree_.joints[c].stiffness, blocks.stiffness);
        if (tree_.joints[c].damping != 0) add_stiffness(rows[a], rows[b], tree_.joints[c].damping, blocks.damping);
      }
  for (std::size_t link = 0; link < tree_.links.size(); ++link) {
    const ModalLink& body = tree_.links[link];
    const int first = 2 * num_joints + tree_.first_mode[link];
    for (int k = 0; k < body.num_modes; ++k) {
      add_stiffness(rows[first + k], rows[first + k], body.squared_frequencies(k), blocks.stiffness);
      for (int m = 0; body.damped && m < body.num_modes; ++m)
        if (body.damping(k, m) != 0)
          add_stiffness(rows[first + k], rows[first + m], body.damping(k, m), blocks.damping);
    }
  }
  input_matrix(work, blocks.input);
  reduced_mass(work, blocks.mass);
  return EvaluationStatus::ok;
}

}  // namespace lithe
