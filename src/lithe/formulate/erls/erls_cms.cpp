#include "lithe/formulate/erls/erls_cms.h"

#include <algorithm>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/erls/build.h"
#include "lithe/formulate/erls/loops/constraints_inl.h"
#include "lithe/formulate/erls/work.h"
#include "lithe/formulate/joints/prescribed_start.h"
#include "lithe/kinematics/charts.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/kinematics/cut_motion.h"
#include "lithe/kinematics/independent.h"

namespace lithe {
namespace {

void load_references(const Configuration& configuration, TreeWork<double>& work) {
  for (std::size_t i = 0; i < work.references.size(); ++i)
    work.references[i] = configuration.references[i].toRotationMatrix();
}

// Of closed chains: where factors link by link cost less than a dense Cholesky decomposition.
constexpr int many_coordinates = 100;

}  // namespace

ErlsCms::~ErlsCms() = default;

ErlsCms::ErlsCms(const ReducedModel& reduced, const ErlsOptions& options)
    : model_(reduced.model), name_(options.name), mechanism_(model_) {
  for (const ReducedBody& body : reduced.bodies) nodal_shapes_.push_back(body.nodal_shapes);
  const bool closed = !mechanism_.cuts().empty() || options.gauge == Gauge::minimum_norm;
  const std::vector<char> displaced(mechanism_.num_coordinates(), closed ? 1 : 0);
  const bool second_order =
      options.geometric_stiffening && options.gauge == Gauge::encoder && options.variant == ErlsVariant::full;
  tree_ = build_erls_tree(reduced, mechanism_, displaced, second_order);
  for (std::size_t i = 0; i < reduced.bodies.size(); ++i)
    sections_.push_back(i < reduced.meshes.size() ? link_sections(model_, static_cast<int>(i), reduced.meshes[i],
                                                                  reduced.bodies[i], tree_.links[i])
                                                  : std::vector<BeamSection>{});
  for (std::size_t i = 0; i < reduced.bodies.size(); ++i) {
    const TreeFrame& inboard = mechanism_.frames()[mechanism_.frame_of_link(static_cast<int>(i))];
    residuals_.push_back(i < reduced.meshes.size() ? section_residuals(model_, static_cast<int>(i), reduced.meshes[i],
                                                                       reduced.bodies[i], inboard.child_node)
                                                   : nullptr);
  }
  tree_.published_virtual_displacement = options.variant == ErlsVariant::published;
  const Model start = with_prescribed_start(model_);
  initial_configuration_ = initial_configuration(mechanism_, start);
  TreeWork<double> work(tree_, mechanism_.num_charts());
  work.beta = initial_configuration_.coordinates;
  load_references(initial_configuration_, work);
  choose_split(model_, mechanism_, tree_, initial_configuration_, work, options.gauge, constraints_);
  initial_rates_ = initial_rates(mechanism_, start, choose_independent(mechanism_, start, initial_configuration_),
                                 initial_configuration_);
  places_.assign(mechanism_.num_coordinates(), false);
  for (const int c : choose_independent(mechanism_, start, initial_configuration_).independent) places_[c] = true;
  solved_.assign(mechanism_.num_coordinates(), 0);
  for (int index : constraints_.split.independent)
    if (index < tree_.num_coordinates) solved_[index] = 1;
}

std::vector<std::string> ErlsCms::coordinate_names() const {
  std::vector<std::string> names;
  const int n = tree_.num_coordinates;
  std::vector<std::string> modes;
  for (std::size_t link = 0; link < tree_.links.size(); ++link)
    for (int k = 0; k < tree_.links[link].num_modes; ++k)
      modes.push_back(cat(model_.links[link].name, " mode ", k + 1));
  for (int index : constraints_.split.independent)
    names.push_back(index < n ? mechanism_.coordinate_name(index) : modes[index - 2 * n]);
  return names;
}

bool ErlsCms::has_geometric_stiffening() const {
  for (std::size_t link = 0; link < tree_.links.size(); ++link)
    if (!stiffens_link(static_cast<int>(link))) return false;
  return true;
}

bool ErlsCms::stiffens_link(int link) const {
  return tree_.links[static_cast<std::size_t>(link)].num_modes == 0 || tree_.bends(link);
}

const ModalLink* ErlsCms::bending_modes(int link) const { return &tree_.links[static_cast<std::size_t>(link)]; }

std::unique_ptr<Workspace> ErlsCms::make_workspace() const {
  auto work = std::make_unique<Work>(tree_, constraints_, solved_);
  work->known.inputs = make_inputs(model_);
  return work;
}

State ErlsCms::initial_state() const {
  State state;
  state.configuration = initial_configuration_;
  VectorX rates = initial_rates_;
  recentre_charts(mechanism_, state.configuration, rates, 1.5);  // only where the file's own angles are near singular
  const int n = num_coordinates();
  state.coordinates = VectorX::Zero(n);
  state.speeds = VectorX::Zero(n);
  for (int i = 0; i < num_joint_coordinates(); ++i) {
    const int c = constraints_.split.independent[i];
    state.coordinates(i) = state.configuration.coordinates(c);
    state.speeds(i) = rates(c);
  }
  return state;
}

void ErlsCms::follow_split(const State& state, Work& work) const {
  if (work.split == state.configuration.split) return;
  work.constraints = constraints_;
  if (!state.configuration.split.empty()) restore_split(state.configuration.split, tree_, work.constraints);
  work.split = state.configuration.split;
  work.follow_split(tree_);
}

// Where the unknown variables of an overconstrained loop hardly follow from the chosen rows any more, other rows and
// dependent modes. The motion is the same; some of x are other modes than before. Needs positions and rates of the
// state in `work`.
bool ErlsCms::renew_split(State& state, Work& work) const {
  constexpr double poor = 0.05;
  if (work.solver->conditioning() > poor) return false;
  const std::vector<int> better = better_split(tree_, work.tree, work.constraints);
  if (better.empty() || better == work.split) return false;
  state.configuration.split = better;
  follow_split(state, work);
  for (int i = num_joint_coordinates(); i < num_coordinates(); ++i) {
    state.coordinates(i) = variable(work.tree, work.constraints.split.independent[i]);
    state.speeds(i) = variable_rate(work.tree, work.constraints.split.independent[i]);
  }
  return true;
}

void ErlsCms::named_coordinates(const State& state, const Inputs& inputs, Workspace& workspace, VectorX& coordinates,
                                VectorX& speeds) const {
  Work& work = static_cast<Work&>(workspace);
  coordinates = state.coordinates;
  speeds = state.speeds;
  if (state.configuration.split.empty() || update_kinematics(state, inputs, work) != EvaluationStatus::ok) return;
  for (int i = num_joint_coordinates(); i < num_coordinates(); ++i) {
    coordinates(i) = variable(work.tree, constraints_.split.independent[i]);
    speeds(i) = variable_rate(work.tree, constraints_.split.independent[i]);
  }
}

// y and ẏ as far as x and the inputs give them; unknown variables start from the last accepted configuration.
void ErlsCms::load_state(const State& state, const Inputs& inputs, Work& work) const {
  TreeWork<double>& tree = work.tree;
  const VariableSplit& split = work.constraints.split;
  if (!split.open()) {
    tree.beta = state.configuration.coordinates;
    tree.eps.setZero();
    tree.eps_rate.setZero();
  }
  load_references(state.configuration, tree);
  const int joints = split.num_joint_coordinates;
  for (int i = 0; i < joints; ++i) {
    tree.beta(split.independent[i]) = state.coordinates(i);
    tree.beta_rate(split.independent[i]) = state.speeds(i);
  }
  if (split.independent.size() - joints == static_cast<std::size_t>(tree_.num_modes)) {
    tree.q = state.coordinates.tail(tree_.num_modes);
    tree.q_rate = state.speeds.tail(tree_.num_modes);
  } else {
    tree.q.setZero();
    for (int i = joints; i < num_coordinates(); ++i) {
      variable(tree, split.independent[i]) = state.coordinates(i);
      variable_rate(tree, split.independent[i]) = state.speeds(i);
    }
  }
  for (int c : split.prescribed) {
    const SignalValue& motion = prescribed_motion(mechanism_, inputs, c);
    tree.beta(c) = motion.value;
    tree.beta_rate(c) = motion.rate;
  }
}

// ÿ as far as the inputs give it, with ẍ = 0.
void ErlsCms::load_accelerations(const Inputs& inputs, Work& work) const {
  work.tree.beta_acceleration.setZero();
  work.tree.eps_acceleration.setZero();
  work.tree.q_acceleration.setZero();
  for (int c : work.constraints.split.prescribed)
    work.tree.beta_acceleration(c) = prescribed_motion(mechanism_, inputs, c).acceleration;
  if (work.solver) work.solver->solve_acceleration(work.constraints, work.tree, true);
}

bool ErlsCms::is_known(const State& state, const Inputs& inputs, const Work& work) const {
  const KnownState& known = work.known;
  if (!known.valid || work.split != state.configuration.split || known.coordinates != state.coordinates ||
      known.speeds != state.speeds || known.configuration != state.configuration.coordinates)
    return false;
  for (std::size_t i = 0; i < known.references.size(); ++i)
    if (known.references[i].coeffs() != state.configuration.references[i].coeffs()) return false;
  for (std::size_t i = 0; i < known.prescribed.size(); ++i) {
    const SignalValue& motion = prescribed_motion(mechanism_, inputs, work.constraints.split.prescribed[i]);
    if (motion.value != known.prescribed[i].value || motion.rate != known.prescribed[i].rate) return false;
  }
  return true;
}

void ErlsCms::remember(const State& state, const Inputs& inputs, Work& work) const {
  KnownState& known = work.known;
  known.coordinates = state.coordinates;
  known.speeds = state.speeds;
  known.configuration = state.configuration.coordinates;
  for (std::size_t i = 0; i < known.references.size(); ++i) known.references[i] = state.configuration.references[i];
  for (std::size_t i = 0; i < known.prescribed.size(); ++i)
    known.prescribed[i] = prescribed_motion(mechanism_, inputs, work.constraints.split.prescribed[i]);
  known.valid = true;
}

EvaluationStatus ErlsCms::update_kinematics(const State& state, const Inputs& inputs, Work& work) const {
  work.known.forget_forces();
  follow_split(state, work);
  if (is_known(state, inputs, work)) {
    load_accelerations(inputs, work);
    return EvaluationStatus::ok;
  }
  work.known.valid = work.known.mass_factorised = work.known.rigid = false;
  load_state(state, inputs, work);
  if (work.solver) {
    ConstraintSolver<double>& solver = *work.solver;
    if (!solver.solve_position(tree_, work.constraints, work.tree, 30)) return EvaluationStatus::loop_not_closed;
    if (!solver.solve_tangent(tree_, work.constraints, work.tree)) return EvaluationStatus::loop_not_closed;
    solver.solve_velocity(work.constraints, work.tree);
    solver.solve_bias(tree_, work.constraints, work.tree);
    update_moments(tree_, work.tree);
  } else {
    update_position(tree_, work.tree);
  }
  if (fixed_charts_are_singular(mechanism_, work.tree.beta)) return EvaluationStatus::singular_angles;
  load_accelerations(inputs, work);
  update_velocity(tree_, work.tree);
  remember(state, inputs, work);
  return EvaluationStatus::ok;
}

EvaluationStatus ErlsCms::evaluate(const State& state, const Inputs& inputs, Workspace& workspace,
                                   Accelerations& result) const {
  Work& work = static_cast<Work&>(workspace);
  const EvaluationStatus status = update_kinematics(state, inputs, work);
  if (status != EvaluationStatus::ok) return status;
  tree_forces<double>(inputs, work.tree);
  result.values.resize(num_coordinates());
  const bool assembled = work.solver || tree_.published_virtual_displacement;
  const EvaluationStatus solved = assembled ? solve_assembled(work, result) : solve_open(work, result);
  if (solved != EvaluationStatus::ok) return solved;
  return result.values.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
}

EvaluationStatus ErlsCms::solve_open(Work& work, Accelerations& result) const {
  work.beta_rhs = -work.tree.f_beta;
  work.q_rhs = -work.tree.f_q;
  if (!work.articulated.factorise(tree_, work.tree)) return EvaluationStatus::singular_mass;
  work.articulated.solve(tree_, work.tree, work.beta_rhs, work.q_rhs);
  const int joints = num_joint_coordinates();
  for (int i = 0; i < joints; ++i) result.values(i) = work.beta_rhs(work.constraints.split.independent[i]);
  result.values.tail(tree_.num_modes) = work.q_rhs;
  return EvaluationStatus::ok;
}

EvaluationStatus ErlsCms::solve_assembled(Work& work, Accelerations& result) const {
  for (int i = 0; i < num_coordinates(); ++i)
    work.rhs(i) = -reduced_force<double>(work.constraints, work.solver.get(), work.tree, i);
  if (tree_.published_virtual_displacement) {
    reduced_mass(work, work.mass);
    work.lu.compute(work.mass);
    result.values.noalias() = work.lu.solve(work.rhs);
    return EvaluationStatus::ok;
  }
  const bool structured = num_coordinates() > many_coordinates && solves_structured();
  if (!work.known.mass_factorised) {  // other inputs at the same state leave it as it is
    if (!(structured ? factorise_structured_mass(work) : factorise_dense_mass(work)))
      return EvaluationStatus::singular_mass;
    work.known.mass_factorised = true;
  }
  result.values = work.rhs;
  if (structured)
    work.mass_factor->solve(tree_, work.constraints, result.values);
  else
    work.cholesky.solveInPlace(result.values);
  return EvaluationStatus::ok;
}

bool ErlsCms::factorise_dense_mass(Work& work) const {
  reduced_mass(work, work.mass);
  work.cholesky.compute(work.mass);
  return work.cholesky.info() == Eigen::Success;
}

// Leaves the accelerations of the work at zero.
bool ErlsCms::factorise_structured_mass(Work& work) const {
  if (!work.mass_factor) work.mass_factor = std::make_unique<LoopFactor<double>>(tree_, work.constraints);
  return work.mass_factor->factorise(tree_, work.constraints, work.solver.get(), work.tree, 0.0, 0.0);
}

// Nᵀ M N
void ErlsCms::reduced_mass(Work& work, MatrixX& mass) const {
  if (tree_.published_virtual_displacement) return mass_by_columns(work, mass);
  mass.resize(num_coordinates(), num_coordinates());
  work.composite.assemble(tree_, work.tree, work.solver ? work.variable_matrix : mass);
  if (work.solver) project(work, mass);
}

// The published variant's mass matrix is not symmetric: inertia forces that unit accelerations cause, column by column.
// Leaves the accelerations of the work at zero.
void ErlsCms::mass_by_columns(Work& work, MatrixX& mass) const {
  TreeWork<double>& tree = work.tree;
  const VariableSplit& split = work.constraints.split;
  const int n = num_coordinates();
  mass.resize(n, n);
  work.known.forget_forces();
  const auto rest = [&] {
    for (VectorX* v : {&tree.beta_acceleration, &tree.eps_acceleration, &tree.q_acceleration}) v->setZero();
  };
  for (int j = 0; j < n; ++j) {
    rest();
    variable_acceleration(tree, split.independent[j]) = 1;
    for (std::size_t u = 0; u < split.unknown.size(); ++u)
      variable_acceleration(tree, split.unknown[u]) = work.solver->tangent()(u, j);
    update_linear_acceleration(tree_, tree);
    inertia_forces(tree_, tree, false);
    collect_forces(tree_, tree, false);
    for (int i = 0; i < n; ++i) mass(i, j) = reduced_force<double>(work.constraints, work.solver.get(), tree, i);
  }
  rest();
}

EvaluationStatus ErlsCms::mass_matrix(const State& state, const Inputs& inputs, Workspace& workspace,
                                      MatrixX& mass) const {
  Work& work = static_cast<Work&>(workspace);
  const EvaluationStatus status = update_kinematics(state, inputs, work);
  if (status == EvaluationStatus::ok) reduced_mass(work, mass);
  return status;
}

// The configuration that evaluate() solved becomes the start of the next solutions. A Work that evaluated this very
// state stays known for it.
bool ErlsCms::accept(State& state, const Inputs& inputs, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  follow_split(state, work);
  if (!is_known(state, inputs, work)) {
    work.known.valid = false;
    load_state(state, inputs, work);
    if (work.solver && !work.solver->solve_position(tree_, work.constraints, work.tree, 30)) return false;
  }
  state.configuration.coordinates = work.tree.beta;
  work.known.configuration = work.tree.beta;
  const bool recentre = charts_need_recentring(mechanism_, state.configuration);
  const VariableSplit& split = work.constraints.split;
  const bool overconstrained = split.num_unknown_joints < work.constraints.num_loop_rows;
  if (!recentre && !overconstrained) return false;
  if (work.solver && !work.known.valid) {
    work.solver->solve_tangent(tree_, work.constraints, work.tree);
    work.solver->solve_velocity(work.constraints, work.tree);
  }
  const bool renewed = overconstrained && renew_split(state, work);
  if (!recentre) return renewed;
  work.known.valid = false;
  recentre_charts(mechanism_, state.configuration, work.tree.beta_rate);
  for (int i = 0; i < num_joint_coordinates(); ++i) {
    const int c = work.constraints.split.independent[i];
    state.coordinates(i) = state.configuration.coordinates(c);
    state.speeds(i) = work.tree.beta_rate(c);
  }
  return true;
}

// Everything at the state with its accelerations, ready to be looked at.
EvaluationStatus ErlsCms::observe(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                  Work& work) const {
  const std::vector<int>& prescribed = work.constraints.split.prescribed;
  const auto same_acceleration = [&, i = 0](int c) mutable {
    return prescribed_motion(mechanism_, inputs, c).acceleration == work.known.prescribed[i++].acceleration;
  };
  if (work.known.observed && work.known.accelerations == accelerations.values && is_known(state, inputs, work) &&
      std::all_of(prescribed.begin(), prescribed.end(), same_acceleration))
    return EvaluationStatus::ok;
  const EvaluationStatus status = update_kinematics(state, inputs, work);
  if (status != EvaluationStatus::ok) return status;
  for (int i = 0; i < num_coordinates(); ++i)
    variable_acceleration(work.tree, work.constraints.split.independent[i]) = accelerations.values(i);
  if (work.solver) work.solver->solve_acceleration(work.constraints, work.tree);
  update_acceleration(tree_, work.tree);
  work.known.accelerations = accelerations.values;
  for (std::size_t i = 0; i < prescribed.size(); ++i)
    work.known.prescribed[i].acceleration = prescribed_motion(mechanism_, inputs, prescribed[i]).acceleration;
  work.known.observed = true;
  return EvaluationStatus::ok;
}

Energies ErlsCms::energies(const State& state, const Inputs& inputs, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  Energies energies;
  if (const auto status = update_kinematics(state, inputs, work); status != EvaluationStatus::ok)
    return unknown_energies(status);
  Matrix9 inertia;
  for (std::size_t i = 0; i < tree_.frames.size(); ++i) {
    const int link = tree_.frames[i].link;
    if (link < 0) continue;
    const FrameWork<double>& f = work.tree.frames[i];
    const ModalLink& body = tree_.links[link];
    Matrix9X coupling(9, body.num_modes);
    link_inertia(tree_, work.tree, static_cast<int>(i), inertia, coupling);
    Vector9 V;
    V.head<3>() = f.v + f.t_rate;
    V.segment<3>(3) = f.omega;
    V.tail<3>() = f.psi_rate;
    energies.kinetic += 0.5 * V.dot(inertia * V);
    const Vector3 centre = body.mass * f.t + body.first_moment + f.psi.cross(body.first_moment);  // ∫ρ r without modes
    Vector3 first_moment = body.mass * f.p_W + f.R_W * centre;
    if (body.num_modes > 0) {
      const auto q = work.tree.q.segment(tree_.first_mode[link], body.num_modes);
      const auto q_rate = work.tree.q_rate.segment(tree_.first_mode[link], body.num_modes);
      MatrixX modal(body.num_modes, body.num_modes);
      modal_mass(tree_, work.tree, link, modal);
      energies.kinetic += V.dot(coupling * q_rate) + 0.5 * q_rate.dot(modal * q_rate);
      energies.elastic += 0.5 * q.dot(body.squared_frequencies.cwiseProduct(q));
      const LinkWork<double>& l = work.tree.links[link];
      first_moment += f.R_W * l.Cq;
      if (tree_.bends(link)) first_moment += f.R_W * (body.mass * l.a + l.b * body.first_moment);
    }
    energies.gravity -= tree_.gravity.dot(first_moment);
  }
  for (int c = 0; c < tree_.num_coordinates; ++c) {
    const ErlsJoint& joint = tree_.joints[c];
    const double stretch = work.tree.beta(c) + work.tree.eps(c) - joint.rest_value;
    const double rate = work.tree.beta_rate(c) + work.tree.eps_rate(c);
    energies.elastic += 0.5 * joint.stiffness * stretch * stretch;
    if (joint.law) energies.elastic += spring_excess_energy<double>(*joint.law, stretch);
    energies.kinetic += 0.5 * joint.inertia * rate * rate;
  }
  return energies;
}

NodeMotion ErlsCms::node_motion(const State& state, const Inputs& inputs, const Accelerations& accelerations, int link,
                                int node, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  if (const auto status = observe(state, inputs, accelerations, work); status != EvaluationStatus::ok)
    return unknown_motion(status);
  return observed_node(link, node, state.configuration, work);
}

void ErlsCms::node_motions(const State& state, const Inputs& inputs, const Accelerations& accelerations, int link,
                           std::vector<NodeMotion>& motions, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  motions.resize(static_cast<std::size_t>(num_nodes(link)));
  if (const auto status = observe(state, inputs, accelerations, work); status != EvaluationStatus::ok) {
    std::fill(motions.begin(), motions.end(), unknown_motion(status));
    return;
  }
  for (std::size_t node = 0; node < motions.size(); ++node)
    motions[node] = observed_node(link, static_cast<int>(node), state.configuration, work);
}

NodeMotion ErlsCms::observed_node(int link, int node, const Configuration& configuration, Work& work) const {
  const FrameWork<double>& f = work.tree.frames[tree_.frame_of_link[link]];
  const ErlsNode<double> seen = erls_node<double>(tree_, work.tree, link, node);
  const Vector3& psi = seen.psi;
  NodeMotion motion;
  motion.position = seen.position;
  motion.velocity = seen.velocity;
  motion.acceleration = seen.acceleration;
  motion.orientation = f.R_W * erls_node_axes<double>(psi);
  motion.angular_velocity = f.R_W * (f.omega + seen.psi_rate);
  motion.angular_acceleration = f.R_W * (f.alpha + f.omega.cross(seen.psi_rate) + seen.psi_acceleration);
  motion.displacement = seen.displacement;
  motion.rotation = f.R_W * psi;
  if (!tree_.carried) return motion;
  const Pose& rigid = rigid_pose(link, configuration, work);
  const ModalLink& body = tree_.links[link];
  motion.displacement = motion.position - rigid * Vector3(body.origin + body.node_positions[node]);
  motion.rotation = rigid.rotation * rotation_vector(rigid.rotation.transpose() * motion.orientation);
  if (!motion.displacement.allFinite()) motion.status = EvaluationStatus::loop_not_closed;
  return motion;
}

// Links that are not carried by deformed ones are counted from the rigid mechanism's own frame.
Pose ErlsCms::link_pose(const State& state, const Inputs& inputs, int link, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  const EvaluationStatus status = update_kinematics(state, inputs, work);
  if (status != EvaluationStatus::ok) {
    const NodeMotion unknown = unknown_motion(status);
    return {unknown.orientation, unknown.position};
  }
  if (tree_.carried) return rigid_pose(link, state.configuration, work);
  const ModalLink& body = tree_.links[static_cast<std::size_t>(link)];
  const ErlsNode<double> first = erls_node<double>(tree_, work.tree, link, 0);
  const Matrix3& rotation = work.tree.frames[static_cast<std::size_t>(tree_.frame_of_link[link])].R_W;
  return {rotation, first.position - first.displacement - rotation * (body.origin + body.node_positions[0])};
}

SignalValue ErlsCms::joint_motion(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                  int joint, int freedom, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  if (observe(state, inputs, accelerations, work) != EvaluationStatus::ok) return unknown_value();
  const int c = mechanism_.coordinate_of(joint, freedom);
  if (c < 0) return cut_joint_motion(mechanism_.cut_of_joint(joint), freedom, state, work);
  if (const int chart = moved_chart(mechanism_, state.configuration, c); chart >= 0)
    return whole_motion(state.configuration, chart, angle_in_chart(mechanism_.charts()[chart], c),
                        ball_motion<double>(mechanism_.charts()[chart].coordinates, work.tree));
  return {work.tree.beta(c) + work.tree.eps(c), work.tree.beta_rate(c) + work.tree.eps_rate(c),
          work.tree.beta_acceleration(c) + work.tree.eps_acceleration(c)};
}

// A joint that closes a loop: the rigid mechanism's coordinate, plus the elastic displacement of its two sides along
// the free direction. Angles about axes that move with each other (universal, spherical) are the rigid mechanism's.
SignalValue ErlsCms::cut_joint_motion(int cut_index, int freedom, const State& state, Work& work) const {
  if (tree_.carried) return deformed_cut_motion(cut_index, freedom, work);
  const CutJoint& cut = mechanism_.cuts()[cut_index];
  KinematicState kinematics(mechanism_);
  update_position(mechanism_, Configuration{work.tree.beta, state.configuration.references}, kinematics);
  update_velocity(mechanism_, work.tree.beta_rate, kinematics);
  update_acceleration(mechanism_, work.tree.beta_acceleration, kinematics);
  const CutMotion rigid = cut_motion(cut, kinematics);
  const SignalValue elastic =
      cut_displacement(work.constraints.loops[cut_index], freedoms_of(cut.type)[freedom], tree_, work.tree);
  return {rigid.value(freedom) + elastic.value, rigid.rate(freedom) + elastic.rate,
          rigid.acceleration(freedom) + elastic.acceleration};
}

template void ErlsCms::tree_forces<double>(const Inputs&, const std::vector<ErlsLoad<double>>&,
                                           TreeWork<double>&) const;

}  // namespace lithe
