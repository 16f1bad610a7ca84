#include "lithe/formulate/transfer/transfer_functions.h"

#include <algorithm>
#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/joints/prescribed_start.h"
#include "lithe/formulate/transfer/work.h"
#include "lithe/kinematics/charts.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/kinematics/independent.h"
#include "lithe/model/coordinate_choice.h"
#include "lithe/model/error_at.h"

namespace lithe {
namespace {

const char* const deformation_names[] = {"elongation",
                                         "torsion",
                                         "bending about y at start",
                                         "bending about y at end",
                                         "bending about z at start",
                                         "bending about z at end"};

void load_references(const Configuration& configuration, TransferWork& work) {
  for (std::size_t i = 0; i < work.references.size(); ++i)
    work.references[i] = configuration.references[i].toRotationMatrix();
}

}  // namespace

TransferFunctions::~TransferFunctions() = default;

TransferFunctions::TransferFunctions(const Model& model, const TransferOptions& options)
    : model_(model),
      mechanism_(model_),
      stiffens_(options.bending_shortens),
      tree_(build_transfer_tree(model_, mechanism_, options.bending_shortens)),
      loops_(build_transfer_loops(model_, mechanism_, tree_)) {
  const Model start = with_prescribed_start(model_);
  initial_configuration_ = initial_configuration(mechanism_, start);
  const IndependentCoordinates chosen = choose_independent(mechanism_, start, initial_configuration_);
  initial_rates_ = initial_rates(mechanism_, start, chosen, initial_configuration_);
  independent_joints_.assign(mechanism_.num_coordinates(), false);
  for (const int c : chosen.independent) independent_joints_[c] = true;
  add_nodal_coordinates();
  choose_split(initial_configuration_);
  find_start();
}

std::string TransferFunctions::variable_name(int variable) const {
  if (variable < tree_.num_joint_coordinates) return mechanism_.coordinate_name(variable);
  for (const TransferBeam& beam : tree_.beams) {
    const TransferFrame& frame = tree_.frames[beam.frame];
    if (variable < frame.first || variable >= frame.first + frame.count) continue;
    const int deformation = deformation_in_file(beam, beam.form.order[variable - frame.first]);
    return cat(model_.links[beam.link].name, " element ", beam.element + 1, " ", deformation_names[deformation]);
  }
  const int nodal = variable - (tree_.num_variables - static_cast<int>(nodal_items_.size()));
  return describe(model_, chosen_coordinates(model_)[nodal_items_[nodal]]);
}

std::vector<std::string> TransferFunctions::coordinate_names() const {
  std::vector<std::string> names;
  for (const int index : split_.independent) names.push_back(variable_name(index));
  return names;
}

TransferFunctions::Work::Work(const TransferTree& t, const TransferLoops& loops, const TransferSplit& split,
                              int num_charts)
    : tree(t, num_charts),
      lu(static_cast<Eigen::Index>(split.rows.size())),
      cholesky(static_cast<Eigen::Index>(split.independent.size())),
      tangents(t) {
  const auto rows = static_cast<Eigen::Index>(split.rows.size());
  const auto n = static_cast<Eigen::Index>(split.independent.size());
  jacobian.setZero(loops.num_rows, t.num_variables);
  unknown_columns.setZero(rows, rows);
  given_columns.setZero(rows, n);
  tangent.setZero(rows, n);
  values.value.setZero(loops.num_rows);
  values.rate = values.acceleration = multipliers = values.value;
  gap.setZero(rows);
  step = used_multipliers = gap;
  mass.setZero(n, n);
  rhs.setZero(n);
}

std::unique_ptr<Workspace> TransferFunctions::make_workspace() const {
  return std::make_unique<Work>(tree_, loops_, split_, mechanism_.num_charts());
}

State TransferFunctions::initial_state() const {
  State state;
  state.configuration = initial_configuration_;
  VectorX start = start_, rates = start_rates_;
  if (recentre_charts(mechanism_, state.configuration, rates,
                      1.5))  // only where the file's own angles are near singular
    start.head(tree_.num_joint_coordinates) = state.configuration.coordinates;
  state.coordinates = VectorX::Zero(num_coordinates());
  state.speeds = VectorX::Zero(num_coordinates());
  for (int i = 0; i < num_coordinates(); ++i) {
    state.coordinates(i) = start(split_.independent[i]);
    state.speeds(i) = rates(split_.independent[i]);
  }
  return state;
}

// Where the chosen nodal coordinates are at the initial configuration, and where prescribed ones begin: the unknown
// variables move there, and the configuration with them.
void TransferFunctions::find_start() {
  start_ = start_rates_ = VectorX::Zero(tree_.num_variables);
  start_.head(tree_.num_joint_coordinates) = initial_configuration_.coordinates;
  start_rates_.head(tree_.num_joint_coordinates) = initial_rates_;
  if (nodal_items_.empty() && split_.moved.empty()) return;
  Work work(tree_, loops_, split_, mechanism_.num_charts());
  work.tree.y = start_;
  work.tree.y_rate = start_rates_;
  load_references(initial_configuration_, work.tree);
  update_elements(tree_, work.tree);
  update_frames(tree_, work.tree);
  loop_values(loops_, tree_, work.tree, work.values);
  for (const TransferLoop& loop : loops_.loops)
    if (loop.variable >= 0) {
      start_(loop.variable) = work.values.value(loop.first_row);
      start_rates_(loop.variable) = work.values.rate(loop.first_row);
    }
  for (TransferSplit::Held& held : split_.held) held.value = start_(held.variable);
  const std::vector<ChosenCoordinate>& items = chosen_coordinates(model_);
  for (const TransferSplit::Moved& moved : split_.moved)
    start_(moved.variable) = lithe::evaluate(items[moved.item].motion, 0).value;
  work.tree.y = start_;
  if (!split_.moved.empty() && !split_.unknown.empty() && !close(work)) {
    const ChosenCoordinate& item = items[split_.moved.front().item];
    throw InputError(
        std::vector<Diagnostic>{error_at(item.place, cat("the prescribed motion of ", describe(model_, item),
                                                         " begins at ", start_(split_.moved[0].variable),
                                                         ", which cannot be reached from the initial configuration"))});
  }
  initial_configuration_.coordinates = work.tree.y.head(tree_.num_joint_coordinates);
}

// y and ẏ as far as the state and the inputs give them; unknown joint coordinates start from the last accepted
// configuration, unknown deformations from none.
void TransferFunctions::load_state(const State& state, const Inputs& inputs, Work& work) const {
  TransferWork& tree = work.tree;
  tree.y.setZero();
  tree.y_rate.setZero();
  tree.y_acceleration.setZero();
  tree.y.head(tree_.num_joint_coordinates) = state.configuration.coordinates;
  load_references(state.configuration, tree);
  for (int i = 0; i < num_coordinates(); ++i) {
    tree.y(split_.independent[i]) = state.coordinates(i);
    tree.y_rate(split_.independent[i]) = state.speeds(i);
  }
  for (const int c : split_.prescribed) {
    const TreeFrame& frame = mechanism_.frames()[mechanism_.frame_of_coordinate(c)];
    const SignalValue& motion = inputs.prescribed_motion[frame.joint][frame.freedom];
    tree.y(c) = motion.value;
    tree.y_rate(c) = motion.rate;
    tree.y_acceleration(c) = motion.acceleration;
  }
  for (const TransferSplit::Held& held : split_.held) tree.y(held.variable) = held.value;
  for (const TransferSplit::Moved& moved : split_.moved) {
    const SignalValue& motion = inputs.prescribed_motion[model_.joints.size()][moved.item];
    tree.y(moved.variable) = motion.value;
    tree.y_rate(moved.variable) = motion.rate;
    tree.y_acceleration(moved.variable) = motion.acceleration;
  }
}

void TransferFunctions::load_inputs(const Inputs& inputs, Work& work) const {
  TransferWork& tree = work.tree;
  for (int c = 0; c < tree_.num_joint_coordinates; ++c) {
    const TreeFrame& frame = mechanism_.frames()[mechanism_.frame_of_coordinate(c)];
    tree.joint_drive(c) = inputs.joint_forces[frame.joint][frame.freedom];
  }
  tree.loads.clear();
  for (const NodalLoad& load : inputs.nodal_loads) {
    const NodePlace& place = tree_.nodes[load.link][load.node];
    FrameLoad at{place.frame, load.follows_link, place.offset, load.force, load.torque};
    if (load.follows_link) {  // link axes, as they stand at the node
      at.force = place.link_axes * load.force;
      at.torque = place.link_axes * load.torque;
    }
    tree.loads.push_back(at);
  }
  work.num_applied_loads = tree.loads.size();
}

// Newton on the unknown variables, [LIN] (52).
bool TransferFunctions::close(Work& work) const {
  constexpr int max_iterations = 30;
  const double tolerance = 1e-13 * std::max(1.0, mechanism_.length_scale());
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    update_elements(tree_, work.tree);
    update_frames(tree_, work.tree);
    if (split_.unknown.empty()) return true;
    loop_values(loops_, tree_, work.tree, work.values);
    for (std::size_t r = 0; r < split_.rows.size(); ++r) work.gap(r) = work.values.value(split_.rows[r]);
    if (!factorise_loops(work)) return false;
    if (work.gap.cwiseAbs().maxCoeff() < tolerance) return true;
    work.step.noalias() = work.lu.solve(work.gap);
    if (!work.step.allFinite()) return false;
    const double damp = std::min(1.0, 0.5 / work.step.cwiseAbs().maxCoeff());
    for (std::size_t u = 0; u < split_.unknown.size(); ++u) work.tree.y(split_.unknown[u]) -= damp * work.step(u);
  }
  return work.gap.cwiseAbs().maxCoeff() < 1e4 * tolerance;
}

// Factors of J_u and the first-order transfer functions of the unknown variables, [LIN] (53).
bool TransferFunctions::factorise_loops(Work& work) const {
  loop_jacobian(loops_, tree_, work.tree, work.jacobian);
  for (std::size_t r = 0; r < split_.rows.size(); ++r) {
    for (std::size_t u = 0; u < split_.unknown.size(); ++u)
      work.unknown_columns(r, u) = work.jacobian(split_.rows[r], split_.unknown[u]);
    for (std::size_t i = 0; i < split_.independent.size(); ++i)
      work.given_columns(r, i) = work.jacobian(split_.rows[r], split_.independent[i]);
  }
  work.lu.compute(work.unknown_columns);
  work.tangent = work.lu.permutationP() * work.given_columns;  // solved in place: nothing is allocated
  work.lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(work.tangent);
  work.lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(work.tangent);
  work.tangent = -work.tangent;
  constexpr double singular = 1e9;
  return work.tangent.allFinite() && (work.tangent.size() == 0 || work.tangent.cwiseAbs().maxCoeff() < singular);
}

// ẏ of the unknown variables: Ψ̇ with them at rest, cancelled.
void TransferFunctions::find_rates(Work& work) const {
  if (split_.unknown.empty()) return;
  for (const int u : split_.unknown) work.tree.y_rate(u) = 0;
  work.values.rate.noalias() = work.jacobian * work.tree.y_rate;
  for (std::size_t r = 0; r < split_.rows.size(); ++r) work.gap(r) = work.values.rate(split_.rows[r]);
  work.step.noalias() = work.lu.solve(work.gap);
  for (std::size_t u = 0; u < split_.unknown.size(); ++u) work.tree.y_rate(split_.unknown[u]) = -work.step(u);
}

// ÿ: given ones (null: zero), those of the unknown from Ψ̈ = 0. Leaves elements and frames up to date.
void TransferFunctions::find_accelerations(const VectorX* independent, Work& work) const {
  TransferWork& tree = work.tree;
  for (std::size_t i = 0; i < split_.independent.size(); ++i)
    tree.y_acceleration(split_.independent[i]) = independent != nullptr ? (*independent)(i) : 0.0;
  for (const int u : split_.unknown) tree.y_acceleration(u) = 0;
  update_elements(tree_, tree);
  update_frames(tree_, tree);
  if (split_.unknown.empty()) return;
  loop_values(loops_, tree_, tree, work.values);
  for (std::size_t r = 0; r < split_.rows.size(); ++r) work.gap(r) = work.values.acceleration(split_.rows[r]);
  work.step.noalias() = work.lu.solve(work.gap);
  for (std::size_t u = 0; u < split_.unknown.size(); ++u) tree.y_acceleration(split_.unknown[u]) = -work.step(u);
  update_elements(tree_, tree);
  update_frames(tree_, tree);
}

EvaluationStatus TransferFunctions::update(const State& state, const Inputs& inputs, Work& work) const {
  load_state(state, inputs, work);
  load_inputs(inputs, work);
  if (!split_.unknown.empty() && !close(work)) return EvaluationStatus::loop_not_closed;
  if (fixed_charts_are_singular(mechanism_, work.tree.y)) return EvaluationStatus::singular_angles;
  find_rates(work);
  find_accelerations(nullptr, work);
  return EvaluationStatus::ok;
}

// Nᵀ f: [LIN] (13) with the transfer functions of the unknown variables.
VectorX TransferFunctions::reduced(const VectorX& f, const Work& work) const {
  VectorX result(num_coordinates());
  for (int i = 0; i < num_coordinates(); ++i) {
    result(i) = f(split_.independent[i]);
    for (std::size_t u = 0; u < split_.unknown.size(); ++u) result(i) += work.tangent(u, i) * f(split_.unknown[u]);
  }
  return result;
}

namespace {

void pick_block(const MatrixX& A, const std::vector<int>& rows, const std::vector<int>& columns, MatrixX& result) {
  const auto num_rows = static_cast<Eigen::Index>(rows.size()), num_columns = static_cast<Eigen::Index>(columns.size());
  result.resize(num_rows, num_columns);
  for (Eigen::Index j = 0; j < num_columns; ++j)
    for (Eigen::Index i = 0; i < num_rows; ++i) result(i, j) = A(rows[i], columns[j]);
}

}  // namespace

// Nᵀ A N
void TransferFunctions::project(const MatrixX& A, Work& work, MatrixX& result) const {
  const int n = num_coordinates();
  if (n > 0 && split_.contiguous) {
    result = A.block(split_.independent.front(), split_.independent.front(), n, n);
  } else {
    pick_block(A, split_.independent, split_.independent, result);
  }
  if (split_.unknown.empty()) return;
  pick_block(A, split_.unknown, split_.unknown, work.unknown_block);
  pick_block(A, split_.unknown, split_.independent, work.row_block);
  pick_block(A, split_.independent, split_.unknown, work.column_block);
  work.row_block.noalias() += work.unknown_block * work.tangent;
  result.noalias() += work.tangent.transpose() * work.row_block;
  result.noalias() += work.column_block * work.tangent;
}

EvaluationStatus TransferFunctions::evaluate(const State& state, const Inputs& inputs, Workspace& workspace,
                                             Accelerations& result) const {
  Work& work = static_cast<Work&>(workspace);
  const EvaluationStatus status = update(state, inputs, work);
  if (status != EvaluationStatus::ok) return status;
  update_forces(tree_, work.tree);
  update_mass(tree_, work.tree);
  for (int i = 0; i < num_coordinates(); ++i) {
    work.rhs(i) = -work.tree.forces(split_.independent[i]);
    for (std::size_t u = 0; u < split_.unknown.size(); ++u)
      work.rhs(i) -= work.tangent(u, i) * work.tree.forces(split_.unknown[u]);
  }
  project(work.tree.mass, work, work.mass);
  work.cholesky.compute(work.mass);
  if (work.cholesky.info() != Eigen::Success) return EvaluationStatus::singular_mass;
  result.values.resize(num_coordinates());
  result.values = work.cholesky.solve(work.rhs);
  return result.values.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
}

bool TransferFunctions::accept(State& state, const Inputs& inputs, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  load_state(state, inputs, work);
  if (!split_.unknown.empty() && !close(work)) return false;
  state.configuration.coordinates = work.tree.y.head(tree_.num_joint_coordinates);
  if (!charts_need_recentring(mechanism_, state.configuration)) return false;
  find_rates(work);
  VectorX rates = work.tree.y_rate.head(tree_.num_joint_coordinates);
  recentre_charts(mechanism_, state.configuration, rates);
  for (int i = 0; i < num_joint_coordinates(); ++i) {
    if (split_.independent[i] >= tree_.num_joint_coordinates) continue;
    state.coordinates(i) = state.configuration.coordinates(split_.independent[i]);
    state.speeds(i) = rates(split_.independent[i]);
  }
  return true;
}

}  // namespace lithe
