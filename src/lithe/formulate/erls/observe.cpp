// What a user looks at besides the motion: forces of prescribed motions, joint reactions, section loads, losses.
#include <algorithm>
#include <cmath>

#include "lithe/formulate/erls/loops/constraints_inl.h"
#include "lithe/formulate/erls/work.h"

namespace lithe {

namespace {

// Drives and loads on nodes.
bool act_alike(const Inputs& a, const Inputs& b) {
  return a.joint_forces == b.joint_forces &&
         std::equal(a.nodal_loads.begin(), a.nodal_loads.end(), b.nodal_loads.begin(), b.nodal_loads.end(),
                    [](const NodalLoad& one, const NodalLoad& other) {
                      return one.link == other.link && one.node == other.node &&
                             one.follows_link == other.follows_link && one.force == other.force &&
                             one.torque == other.torque;
                    });
}

}  // namespace

// Forces on all frames for the state's own accelerations, the reactions of cut joints included.
bool ErlsCms::observe_forces(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                             Work& work) const {
  if (observe(state, inputs, accelerations, work) != EvaluationStatus::ok) return false;
  const bool open = work.constraints.loops.empty();
  const KnownForces all = open ? KnownForces::of_tree : KnownForces::with_cuts;
  if (work.known.forces == all && act_alike(inputs, work.known.inputs)) return true;
  if (open) {
    tree_forces<double>(inputs, work.tree);
  } else {
    find_multipliers(inputs, work);
    work.cut_wrenches = cut_wrenches_of<double>(work.constraints, tree_, work.multipliers, work.tree);
    tree_forces<double>(inputs, cut_loads_of<double>(model_, work.constraints, tree_, work.cut_wrenches, work.tree),
                        work.tree);
  }
  work.known.inputs = inputs;
  work.known.forces = all;
  return true;
}

bool ErlsCms::reaction(const State& state, const Inputs& inputs, const Accelerations& accelerations, int joint,
                       Vector3& force, Vector3& torque, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  if (!observe_forces(state, inputs, accelerations, work)) return false;
  const int cut = mechanism_.cut_of_joint(joint);
  if (cut >= 0) {
    force = work.cut_wrenches[cut].force;
    torque = work.cut_wrenches[cut].torque;
    return true;
  }
  for (std::size_t i = 0; i < tree_.frames.size(); ++i) {
    const TreeFrame& frame = mechanism_.frames()[i];
    if (frame.joint != joint || frame.link < 0) continue;
    const ErlsWrench<double> carried = frame_reaction(work.tree.frames[i], frame.backwards);
    force = carried.force;
    torque = carried.torque;
    return true;
  }
  return false;
}

VectorX ErlsCms::reduced_coordinates(const State& state, const Inputs& inputs, int link, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  const ModalLink& body = tree_.links[link];
  if (body.num_modes == 0 || update_kinematics(state, inputs, work) != EvaluationStatus::ok) return {};
  return body.from_reduced * work.tree.q.segment(tree_.first_mode[link], body.num_modes);
}

bool ErlsCms::strained_shape(const State& state, const Inputs& inputs, int link, VectorX& displacements,
                             Workspace& workspace) const {
  const VectorX q = reduced_coordinates(state, inputs, link, workspace);
  if (q.size() == 0) return false;
  displacements.noalias() = nodal_shapes_[static_cast<std::size_t>(link)] * q;
  return true;
}

bool ErlsCms::section_load(const State& state, const Inputs& inputs, const Accelerations& accelerations, int link,
                           int node, Vector3& force, Vector3& moment, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  std::vector<ErlsLoad<double>> cut_loads;
  return observe_sections(state, inputs, accelerations, link, work, cut_loads) &&
         section_of<double>(inputs, cut_loads, link, node, work.tree, force, moment);
}

// What the sections of a link need; forces only where modes were left out.
bool ErlsCms::observe_sections(const State& state, const Inputs& inputs, const Accelerations& accelerations, int link,
                               Work& work, std::vector<ErlsLoad<double>>& cut_loads) const {
  if (!residuals_[link]) return observe(state, inputs, accelerations, work) == EvaluationStatus::ok;
  if (!observe_forces(state, inputs, accelerations, work)) return false;
  if (!work.constraints.loops.empty())
    cut_loads = cut_loads_of<double>(model_, work.constraints, tree_, work.cut_wrenches, work.tree);
  return true;
}

bool ErlsCms::stresses(const State& state, const Inputs& inputs, const Accelerations& accelerations, int link,
                       Matrix6X& values, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  std::vector<ErlsLoad<double>> cut_loads;
  const auto& sections = sections_[static_cast<std::size_t>(link)];
  if (sections.empty() || !observe_sections(state, inputs, accelerations, link, work, cut_loads)) return false;
  values.resize(6, static_cast<Eigen::Index>(sections.size()));
  for (std::size_t k = 0; k < sections.size(); ++k) {
    Vector3 normal, shear;
    if (!section_of<double>(inputs, cut_loads, link, static_cast<int>(k), work.tree, normal, shear)) return false;
    values.col(static_cast<Eigen::Index>(k)).head<3>() = normal;
    values.col(static_cast<Eigen::Index>(k)).tail<3>() = shear;
  }
  return true;
}

double ErlsCms::fastest_node(const Work& work) const {
  double fastest = 0;
  for (std::size_t link = 0; link < tree_.links.size(); ++link) {
    for (std::size_t node = 0; node < model_.links[link].nodes.size(); ++node)
      fastest = std::max(
          fastest, erls_node<double>(tree_, work.tree, static_cast<int>(link), static_cast<int>(node)).velocity.norm());
  }
  return fastest;
}

// Velocities are linear in the speeds: one pass along the tree for each coordinate, positions and loops solved once.
VectorX ErlsCms::coordinate_scales(const State& state, const Inputs& inputs, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  TreeWork<double>& tree = work.tree;
  const VariableSplit& split = work.constraints.split;
  VectorX speeds = VectorX::Zero(num_coordinates());
  if (update_kinematics(state, inputs, work) != EvaluationStatus::ok) return speeds;
  work.known.valid = false;
  work.known.forget_forces();
  for (int i = 0; i < num_coordinates(); ++i) {
    for (VectorX* v : {&tree.beta_rate, &tree.eps_rate, &tree.q_rate}) v->setZero();
    variable_rate(tree, split.independent[i]) = 1;
    for (std::size_t u = 0; u < split.unknown.size(); ++u)
      variable_rate(tree, split.unknown[u]) = work.solver->tangent()(u, i);
    update_velocity(tree_, tree);
    speeds(i) = fastest_node(work);
  }
  return speeds;
}

double ErlsCms::dissipated_power(const State& state, const Inputs& inputs, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  if (update_kinematics(state, inputs, work) != EvaluationStatus::ok) return std::nan("");
  double power = 0;
  for (int c = 0; c < tree_.num_coordinates; ++c) {
    const ErlsJoint& joint = tree_.joints[c];
    const double rate = work.tree.beta_rate(c) + work.tree.eps_rate(c);
    power += joint.damping * rate * rate + joint.friction * std::tanh(rate / joint.friction_speed) * rate;
    if (joint.law) power += friction_excess<double>(*joint.law, rate, joint.friction_speed) * rate;
  }
  for (const BallDamper& damper : tree_.ball_dampers)
    power += ball_damper_power(damper, ball_motion<double>(damper.coordinates, work.tree));
  for (std::size_t link = 0; link < tree_.links.size(); ++link) {
    const ModalLink& body = tree_.links[link];
    if (!body.damped) continue;
    const auto rates = work.tree.q_rate.segment(tree_.first_mode[link], body.num_modes);
    power += rates.dot(body.damping * rates);
  }
  if (tree_.coupled_damping.size() > 0) power += work.tree.q_rate.dot(tree_.coupled_damping * work.tree.q_rate);
  return power;
}

double ErlsCms::prescribed_force(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                 int joint, int freedom, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  const std::vector<int>& prescribed = work.constraints.split.prescribed;
  const int c = mechanism_.coordinate_of(joint, freedom);
  for (std::size_t p = 0; p < prescribed.size(); ++p) {
    if (prescribed[p] != c) continue;
    if (observe(state, inputs, accelerations, work) != EvaluationStatus::ok) return std::nan("");
    if (work.known.forces != KnownForces::of_tree || !act_alike(inputs, work.known.inputs)) {
      tree_forces<double>(inputs, work.tree);
      work.known.inputs = inputs;
      work.known.forces = KnownForces::of_tree;
    }
    double force = work.tree.f_beta(c);
    if (work.solver)
      for (std::size_t u = 0; u < work.constraints.split.unknown.size(); ++u)
        force += work.solver->prescribed_tangent()(u, p) * variable_force(work.tree, work.constraints.split.unknown[u]);
    return force;
  }
  return std::nan("");
}

template ErlsNode<double> erls_node<double>(const ErlsTree&, const TreeWork<double>&, int, int);

}  // namespace lithe
