// Exact linearisation of ErlsCms: the residual of the equations of motion evaluated with Dual numbers.
#include <algorithm>

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

namespace {

std::vector<int> variable_places(const ErlsTree& tree, const VariableSplit& split) {
  std::vector<int> place(tree.num_variables(), -1);
  int next = 0;
  for (const std::vector<int>* group : {&split.independent, &split.unknown})
    for (int v : *group) place[v] = next++;
  return place;
}

}  // namespace

ErlsCms::Work::Work(const ErlsTree& t, const ErlsConstraints& constraints, const std::vector<char>& solved)
    : tree(t, constraints.num_charts),
      articulated(t, solved),
      composite(t, variable_places(t, constraints.split)),
      place(variable_places(t, constraints.split)),
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
    const auto u = static_cast<Eigen::Index>(constraints.split.unknown.size());
    variable_matrix.resize(n + u, n + u);
    variable_product.resize(n, n);
    tangent_product.resize(u, n);
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
  const bool still = is_still(work);
  if (still) elastic_block(true, work, blocks.damping);
  const int num_directions = still ? n : 2 * n;
  for (int first = 0; first < num_directions; first += lanes) {
    copy_positions(work.tree, tree);
    for (int v = 0; v < num_variables; ++v) {
      variable_rate(tree, v) = D(variable_rate(work.tree, v));
      variable_acceleration(tree, v) = D(variable_acceleration(work.tree, v));
    }
    const int count = std::min(lanes, num_directions - first);
    for (int lane = 0; lane < count; ++lane) {
      const int k = first + lane;
      (k < n ? variable(tree, split.independent[k]) : variable_rate(tree, split.independent[k - n])).slope[lane] = 1;
      for (std::size_t u = 0; k < n && u < split.unknown.size(); ++u)  // the loops stay closed: δunknown = T δx
        variable(tree, split.unknown[u]).slope[lane] = work.solver->tangent()(static_cast<Eigen::Index>(u), k);
    }
    if (work.dual->solver) {
      ConstraintSolver<D>& solver = *work.dual->solver;
      if (!solver.solve_tangent(tree_, constraints_, tree)) return EvaluationStatus::loop_not_closed;
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

// At rest every velocity term is quadratic in what vanishes, so that dampers alone make up C.
bool ErlsCms::is_still(Work& work) const {
  if (tree_.published_virtual_displacement) return false;  // forces act on other displacements than dampers see
  for (int v = 0; v < tree_.num_variables(); ++v)
    if (variable_rate(work.tree, v) != 0) return false;
  return std::all_of(tree_.joints.begin(), tree_.joints.end(), [](const auto& joint) { return joint.friction == 0; });
}

// Nᵀ A N for a symmetric A over (independent, unknown) in work.variable_matrix.
void ErlsCms::project(Work& work, MatrixX& result) const {
  const int n = num_coordinates();
  const MatrixX& T = work.solver->tangent();
  const auto u = T.rows();
  result = work.variable_matrix.topLeftCorner(n, n);
  work.variable_product.noalias() = work.variable_matrix.topRightCorner(n, u) * T;
  result += work.variable_product;
  result += work.variable_product.transpose();
  work.tangent_product.noalias() = work.variable_matrix.bottomRightCorner(u, u) * T;
  result.noalias() += T.transpose() * work.tangent_product;
}

// Springs of the joints and links, or their dampers, between the variables that `place` lists.
void ErlsCms::elastic_matrix(bool damping, const std::vector<int>& place, MatrixX& result) const {
  result.setZero();
  const int n = tree_.num_coordinates;
  for (int c = 0; c < n; ++c) {
    const double value = damping ? tree_.joints[c].damping : tree_.joints[c].stiffness;
    for (int a : {place[c], place[c + n]})  // on β + ε
      for (int b : {place[c], place[c + n]})
        if (a >= 0 && b >= 0) result(a, b) += value;
  }
  for (std::size_t link = 0; link < tree_.links.size(); ++link) {
    const ModalLink& body = tree_.links[link];
    if (damping && !body.damped) continue;
    const int first = 2 * n + tree_.first_mode[link];
    for (int k = 0; k < body.num_modes; ++k) {
      const int row = place[first + k];
      if (!damping) result(row, row) = body.squared_frequencies(k);
      for (int m = 0; damping && m < body.num_modes; ++m) result(row, place[first + m]) = body.damping(k, m);
    }
  }
}

void ErlsCms::elastic_block(bool damping, Work& work, MatrixX& block) const {
  block.resize(num_coordinates(), num_coordinates());
  elastic_matrix(damping, work.place, work.solver ? work.variable_matrix : block);
  if (work.solver) project(work, block);
}

EvaluationStatus ErlsCms::linearise_elastic(const State& state, const Inputs& inputs, Workspace& workspace,
                                            LinearBlocks& blocks) const {
  Work& work = static_cast<Work&>(workspace);
  const EvaluationStatus status = update_kinematics(state, inputs, work);
  if (status != EvaluationStatus::ok) return status;
  elastic_block(false, work, blocks.stiffness);
  elastic_block(true, work, blocks.damping);
  reduced_mass(work, blocks.mass);
  return EvaluationStatus::ok;
}

}  // namespace lithe
