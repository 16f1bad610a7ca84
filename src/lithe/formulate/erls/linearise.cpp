// Exact linearisation of ErlsCms: the residual of the equations of motion evaluated with Dual numbers.
#include <algorithm>

#include "lithe/formulate/erls/dual_work.h"

namespace lithe {

namespace {
constexpr int lanes = erls_lanes;
using D = ErlsDual;
}  // namespace

ErlsCms::DualWork::DualWork(const ErlsTree& t, const ErlsConstraints& constraints) : tree(t, constraints.num_charts) {
  const VariableSplit& split = constraints.split;
  if (split.open()) return;
  motion.frames.resize(t.frames.size());
  closure.resize(constraints.num_loop_rows);
  elastic.resize(constraints.num_loop_rows);
  if (!split.gauge_coordinates.empty()) {
    solver = std::make_unique<ConstraintSolver<D>>(t, constraints);
    return;
  }
  closure_jacobians.resize(constraints.num_loop_rows, t.num_coordinates);
  elastic_jacobians.resize(constraints.num_loop_rows, t.num_variables());
  right_sides.resize(split.num_rows(), lanes);
}

namespace {

std::vector<int> variable_places(const ErlsTree& tree, const VariableSplit& split) {
  std::vector<int> place(tree.num_variables(), -1);
  int next = 0;
  for (const std::vector<int>* group : {&split.independent, &split.unknown})
    for (int v : *group) place[v] = next++;
  return place;
}

}  // namespace

ErlsCms::Work::Work(const ErlsTree& t, const ErlsConstraints& c, const std::vector<char>& solved)
    : constraints(c),
      tree(t, c.num_charts),
      articulated(t, solved),
      composite(t, variable_places(t, c.split)),
      cholesky(static_cast<Eigen::Index>(c.split.independent.size())) {
  known.references.resize(static_cast<std::size_t>(constraints.num_charts));
  known.prescribed.resize(constraints.split.prescribed.size());
  known.coordinates.resize(static_cast<Eigen::Index>(constraints.split.independent.size()));
  known.speeds.resize(known.coordinates.size());
  known.configuration.resize(t.num_coordinates);
  known.accelerations.resize(known.coordinates.size());
  const auto n = static_cast<Eigen::Index>(constraints.split.independent.size());
  beta_rhs.resize(t.num_coordinates);
  q_rhs.resize(t.num_modes);
  rhs.resize(n);
  follow_split(t);
  if (!constraints.split.open()) {
    unknown_forces.resize(constraints.split.unknown.size());
    multipliers.resize(constraints.split.num_rows());
    const auto u = static_cast<Eigen::Index>(constraints.split.unknown.size());
    variable_matrix.resize(n + u, n + u);
    variable_product.resize(n, n);
    tangent_product.resize(u, n);
  }
  if (!constraints.split.open() || t.published_virtual_displacement) mass.resize(n, n);
  if (t.published_virtual_displacement) lu = Eigen::PartialPivLU<MatrixX>(n);
}
ErlsCms::Work::~Work() = default;

void ErlsCms::Work::follow_split(const ErlsTree& t) {
  place = variable_places(t, constraints.split);
  composite = CompositeMass(t, place);
  if (!constraints.split.open()) solver = std::make_unique<ConstraintSolver<double>>(t, constraints);
  dual.reset();
  mass_factor.reset();
  real_factor.reset();
  complex_factor.reset();
  known.valid = false;
  known.forget_forces();
}

// B: a unit torque on joint freedom (joint, k) acts on β + ε of its coordinate.
void ErlsCms::input_matrix(const Work& work, MatrixX& input) const {
  const VariableSplit& split = work.constraints.split;
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

// Values of the nominal motion, without derivatives.
void ErlsCms::start_sweep(Work& work) const {
  TreeWork<D>& tree = work.dual->tree;
  copy_positions(work.tree, tree);
  for (int v = 0; v < tree_.num_variables(); ++v) {
    variable_rate(tree, v) = D(variable_rate(work.tree, v));
    variable_acceleration(tree, v) = D(variable_acceleration(work.tree, v));
  }
}

// Unit derivatives of the directions `first` and on: coordinates, then speeds.
void ErlsCms::enter_unit_jacobians(Work& work, int first, int count) const {
  TreeWork<D>& tree = work.dual->tree;
  const VariableSplit& split = work.constraints.split;
  const int n = num_coordinates();
  for (int lane = 0; lane < count; ++lane) {
    const bool speed = first + lane >= n;
    const int k = speed ? first + lane - n : first + lane;
    (speed ? variable_rate(tree, split.independent[k]) : variable(tree, split.independent[k])).jacobian[lane] = 1;
    for (std::size_t u = 0; u < split.unknown.size(); ++u)  // the loops stay closed: δunknown = T δx
      (speed ? variable_rate(tree, split.unknown[u]) : variable(tree, split.unknown[u])).jacobian[lane] =
          work.solver->tangent()(static_cast<Eigen::Index>(u), k);
  }
}

bool ErlsCms::follow_gauge(Work& work) const {
  DualWork& dual = *work.dual;
  ConstraintSolver<D>& solver = *dual.solver;
  if (!solver.solve_tangent(tree_, work.constraints, dual.tree)) return false;
  solver.solve_velocity(work.constraints, dual.tree);
  solver.solve_bias(tree_, work.constraints, dual.tree);
  solver.solve_acceleration(work.constraints, dual.tree);
  return true;
}

// How rates and accelerations of the unknown variables change so that the loops stay closed: their rows' first and
// second time derivatives stay zero, Ξ_u δu̇ = -(δΞ_y) ẏ, and the same for ü.
void ErlsCms::follow_loops(Work& work, int count) const {
  DualWork& dual = *work.dual;
  const VariableSplit& split = work.constraints.split;
  loop_jacobians(work.constraints.loops, tree_, dual.tree, dual.closure_jacobians, dual.elastic_jacobians);
  const auto closing = split.closure_rows.size();
  const auto change = [&](auto&& target) {
    work.solver->solve_unknown(dual.right_sides);
    for (std::size_t u = 0; u < split.unknown.size(); ++u)
      for (int lane = 0; lane < count; ++lane)
        target(split.unknown[u]).jacobian[lane] += dual.right_sides(static_cast<Eigen::Index>(u), lane);
  };
  const auto enter = [&](std::size_t row, const D& value) {
    for (int lane = 0; lane < lanes; ++lane)
      dual.right_sides(static_cast<Eigen::Index>(row), lane) = -value.jacobian[lane];
  };
  for (std::size_t row = 0; row < closing + split.elastic_rows.size(); ++row) {
    const bool closes = row < closing;
    const int r = closes ? split.closure_rows[row] : split.elastic_rows[row - closing];
    D sum(0.0);
    for (int v = 0; v < (closes ? tree_.num_coordinates : tree_.num_variables()); ++v)
      sum += (closes ? dual.closure_jacobians(r, v) : dual.elastic_jacobians(r, v)) * variable_rate(work.tree, v);
    enter(row, sum);
  }
  change([&](int v) -> D& { return variable_rate(dual.tree, v); });
  loop_accelerations(work.constraints.loops, tree_, dual.tree, true, dual.motion, dual.closure, dual.elastic);
  for (std::size_t i = 0; i < closing; ++i) enter(i, dual.closure(split.closure_rows[i]));
  for (std::size_t i = 0; i < split.elastic_rows.size(); ++i) enter(closing + i, dual.elastic(split.elastic_rows[i]));
  change([&](int v) -> D& { return variable_acceleration(dual.tree, v); });
}

// F + Ξ_yᵀ λ with the multipliers held: its part on the unknown variables vanishes, so that δ(Nᵀ F) = Nᵀ δ(F + Ξ_yᵀ λ)
// without the derivative of N.
void ErlsCms::add_loop_forces(const Work& work) const {
  DualWork& dual = *work.dual;
  const VariableSplit& split = work.constraints.split;
  const int n = tree_.num_coordinates;
  Eigen::Index row = 0;
  for (int r : split.closure_rows) {
    const double multiplier = work.multipliers(row++);
    for (int c = 0; c < n; ++c) dual.tree.f_beta(c) += dual.closure_jacobians(r, c) * multiplier;
  }
  for (int r : split.elastic_rows) {
    const double multiplier = work.multipliers(row++);
    for (int c = 0; c < n; ++c) {
      dual.tree.f_beta(c) += dual.elastic_jacobians(r, c) * multiplier;
      dual.tree.f_eps(c) += dual.elastic_jacobians(r, n + c) * multiplier;
    }
    for (int k = 0; k < tree_.num_modes; ++k) dual.tree.f_q(k) += dual.elastic_jacobians(r, 2 * n + k) * multiplier;
  }
}

// Columns of K and C: the derivatives of Nᵀ F.
void ErlsCms::collect_jacobians(const Work& work, int first, int count, LinearBlocks& blocks) const {
  DualWork& dual = *work.dual;
  const VariableSplit& split = work.constraints.split;
  const int n = num_coordinates();
  for (int lane = 0; lane < count; ++lane) {
    const int k = first + lane;
    auto column = k < n ? blocks.stiffness.col(k) : blocks.damping.col(k - n);
    for (int i = 0; i < n; ++i) {
      double force = variable_force(dual.tree, split.independent[i]).jacobian[lane];
      for (std::size_t u = 0; u < split.unknown.size(); ++u)
        force += work.solver->tangent()(static_cast<Eigen::Index>(u), i) *
                 variable_force(dual.tree, split.unknown[u]).jacobian[lane];
      column(i) = force;
    }
  }
}

void ErlsCms::collect_gauge_jacobians(const Work& work, int first, int count, LinearBlocks& blocks) const {
  const int n = num_coordinates();
  for (int i = 0; i < n; ++i) {
    const D force = reduced_force<D>(work.constraints, work.dual->solver.get(), work.dual->tree, i);
    for (int lane = 0; lane < count; ++lane) {
      const int k = first + lane;
      (k < n ? blocks.stiffness(i, k) : blocks.damping(i, k - n)) = force.jacobian[lane];
    }
  }
}

// λ that balance the forces of the tree on the unknown variables.
void ErlsCms::find_multipliers(const Inputs& inputs, Work& work) const {
  const std::vector<int>& unknown = work.constraints.split.unknown;
  work.known.forces = KnownForces::none;
  tree_forces<double>(inputs, work.tree);
  for (std::size_t u = 0; u < unknown.size(); ++u)
    work.unknown_forces(static_cast<Eigen::Index>(u)) = variable_force(work.tree, unknown[u]);
  work.solver->multipliers(work.unknown_forces, work.multipliers);
}

// K and C are the derivatives of r(x, ẋ, ẍ) = M ẍ - f by x and ẋ.
EvaluationStatus ErlsCms::linearise_about(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                          Workspace& workspace, LinearBlocks& blocks) const {
  Work& work = static_cast<Work&>(workspace);
  const EvaluationStatus status = observe(state, inputs, accelerations, work);
  if (status != EvaluationStatus::ok) return status;
  if (!work.dual) work.dual = std::make_unique<DualWork>(tree_, work.constraints);
  DualWork& dual = *work.dual;
  const int n = num_coordinates();
  blocks.stiffness.resize(n, n);
  blocks.damping.resize(n, n);
  const bool still = is_still(work), loops = work.solver && !dual.solver;
  if (loops) find_multipliers(inputs, work);
  if (still) elastic_block(true, work, blocks.damping);
  const int num_directions = still ? n : 2 * n;
  for (int first = 0; first < num_directions; first += lanes) {
    const int count = std::min(lanes, num_directions - first);
    start_sweep(work);
    enter_unit_jacobians(work, first, count);
    if (dual.solver && !follow_gauge(work)) return EvaluationStatus::loop_not_closed;
    update_position(tree_, dual.tree);
    if (loops) follow_loops(work, count);
    update_velocity(tree_, dual.tree);
    tree_forces<D>(inputs, dual.tree);
    if (loops) add_loop_forces(work);
    if (dual.solver) {
      collect_gauge_jacobians(work, first, count, blocks);
    } else {
      collect_jacobians(work, first, count, blocks);
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
  return std::all_of(tree_.joints.begin(), tree_.joints.end(), [](const auto& joint) {
    return joint.friction == 0 && (!joint.law || joint.law->breakaway == 0);
  });
}

// Nᵀ A N for a symmetric A over (independent, unknown) in work.variable_matrix.
void ErlsCms::project(Work& work, MatrixX& result) const {
  const int n = num_coordinates();
  const MatrixX& T = work.solver->tangent();
  const auto u = T.rows();
  result = work.variable_matrix.topLeftCorner(n, n);
  const auto across = work.variable_matrix.topRightCorner(n, u);
  const auto unknown = work.variable_matrix.bottomRightCorner(u, u);
  MatrixX& half = work.tangent_product;  // Bᵀ + D T / 2, of the symmetric [A, B; Bᵀ, D]
  if (n <= 32) {                         // coefficient by coefficient: a loop has few unknown variables
    half.noalias() = unknown.lazyProduct(T);
    half = 0.5 * half + across.transpose();
    work.variable_product.noalias() = T.transpose().lazyProduct(half);
  } else {
    half = across.transpose();
    half.noalias() += 0.5 * unknown * T;
    work.variable_product.noalias() = T.transpose() * half;
  }
  result += work.variable_product;
  result += work.variable_product.transpose();
}

void ErlsCms::add_ball_damping(const Work& work, MatrixX& result) const {
  const std::vector<int>& place = work.place;
  const int n = tree_.num_coordinates;
  for (const BallDamper& damper : tree_.ball_dampers) {
    const Matrix3 between = ball_damper_matrix(damper, ball_motion<double>(damper.coordinates, work.tree).angles);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int a : {place[damper.coordinates[i]], place[damper.coordinates[i] + n]})
          for (int b : {place[damper.coordinates[j]], place[damper.coordinates[j] + n]})
            if (a >= 0 && b >= 0) result(a, b) += between(i, j);
  }
}

// Springs of the joints and links, or their dampers, between the variables that `place` lists.
void ErlsCms::elastic_matrix(bool damping, const Work& work, MatrixX& result) const {
  const std::vector<int>& place = work.place;
  result.setZero();
  const int n = tree_.num_coordinates;
  for (int c = 0; c < n; ++c) {
    const double value = damping ? tree_.joints[c].damping : tree_.joints[c].stiffness;
    for (int a : {place[c], place[c + n]})  // on β + ε
      for (int b : {place[c], place[c + n]})
        if (a >= 0 && b >= 0) result(a, b) += value;
  }
  if (damping) add_ball_damping(work, result);
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
  if (!damping || tree_.coupled_damping.size() == 0) return;
  for (int k = 0; k < tree_.num_modes; ++k)
    for (int m = 0; m < tree_.num_modes; ++m) result(place[2 * n + k], place[2 * n + m]) += tree_.coupled_damping(k, m);
}

void ErlsCms::elastic_block(bool damping, Work& work, MatrixX& block) const {
  block.resize(num_coordinates(), num_coordinates());
  elastic_matrix(damping, work, work.solver ? work.variable_matrix : block);
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
