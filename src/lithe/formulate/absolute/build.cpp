// From a model and its bodies to rows, coordinates and the initial state.
#include <algorithm>

#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/formulate/absolute/work.h"
#include "lithe/formulate/joints/ball_damper.h"
#include "lithe/formulate/joints/joint_values.h"
#include "lithe/formulate/joints/prescribed_start.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/kinematics/independent.h"

namespace lithe {
namespace {

JointSide joint_side(int link, int node, const Pose& frame) {
  JointSide side;
  side.body = link;
  side.node = node;
  side.axes = frame.rotation;
  side.position = frame.position;
  return side;
}

bool prescribed(const Model& model, int joint, int freedom) {
  return std::any_of(model.drives.begin(), model.drives.end(), [&](const Drive& drive) {
    return drive.prescribes_motion && drive.joint == joint && drive.freedom == freedom;
  });
}

}  // namespace

AbsoluteEquations::~AbsoluteEquations() = default;

AbsoluteEquations::AbsoluteEquations(std::string name, const Model& model,
                                     std::vector<std::unique_ptr<AbsoluteBody>> bodies,
                                     const std::vector<std::pair<int, int>>& joint_nodes, MatrixX mode_damping)
    : name_(std::move(name)),
      model_(model),
      bodies_(std::move(bodies)),
      mechanism_(model_),
      mode_damping_(std::move(mode_damping)) {
  for (const auto& body : bodies_) {
    plan_.first_coordinate.push_back(plan_.num_coordinates);
    plan_.first_frame.push_back(plan_.num_frames);
    plan_.num_coordinates += body->num_speeds();
    plan_.num_frames += body->num_frames();
    has_nodal_frames_ = has_nodal_frames_ || body->num_frames() > 1;
    flexible_ = flexible_ || body->num_elastic() > 0 || body->num_frames() > 1;
  }
  plan_joints(joint_nodes);
  order_rows();
  length_scale_ = mechanism_.length_scale();
  set_initial_state();
  fill_massless_bodies();
  look_for_constrained_deformations();
}

void AbsoluteEquations::look_for_constrained_deformations() {
  auto workspace = make_workspace();
  Work& work = static_cast<Work&>(*workspace);
  load(initial_state_, work);
  NodeFrame frame;
  for (const JointPlan& plan : plan_.joints) {
    for (const RowPlan& row : plan.rows)  // a given path, which stages must not leave either
      constrains_deformations_ = constrains_deformations_ || (flexible_ && row.kind == RowKind::prescribed);
    constrains_deformations_ = constrains_deformations_ || (flexible_ && !plan.coupled.empty());
    for (const JointSide& side : {plan.parent, plan.child}) {
      if (side.body < 0 || bodies_[side.body]->num_elastic() == 0) continue;
      bodies_[side.body]->node_frame(*work.bodies[side.body], side.node, frame);
      constexpr double still = 1e-9;
      if (frame.jacobian.rightCols(bodies_[side.body]->num_elastic()).norm() > still) constrains_deformations_ = true;
    }
  }
}

// Rigid links without mass or moment of inertia: their blocks of M are singular, though the mechanism's mass need not
// be. How much to add follows from the least inertia that the joints leave, at the start, to a motion that has any.
void AbsoluteEquations::fill_massless_bodies() {
  constexpr double hardly = 1e-9, part = 1e-4;
  auto workspace = make_workspace();
  Work& work = static_cast<Work&>(*workspace);
  load(initial_state_, work);
  const auto mass_column = [&](std::size_t b, int k) {
    VectorX column = VectorX::Zero(bodies_[b]->num_speeds());
    bodies_[b]->add_mass_times(*work.bodies[b], VectorX::Unit(column.size(), k), column);
    return column;
  };
  double largest = 0;
  for (std::size_t b = 0; b < bodies_.size(); ++b) largest = std::max(largest, mass_column(b, 0)[0]);
  if (!(largest > 0)) return;
  const double moment = largest * length_scale_ * length_scale_;
  const Vector6 unit = (Vector6() << Vector3::Constant(largest), Vector3::Constant(moment)).finished();
  const Vector6 scale = unit.cwiseSqrt().cwiseInverse();
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (bodies_[b]->num_speeds() != 6) continue;
    Matrix6 mass;
    for (int k = 0; k < 6; ++k) mass.col(k) = scale[k] * scale.cwiseProduct(Vector6(mass_column(b, k)));
    if (symmetric_values(mass).values[0] > hardly) continue;
    bodies_[b]->fill(largest, moment);
    filled_ = true;
  }
  if (!filled_) return;
  const double factor = part * least_inertia(work);
  for (auto& body : bodies_)
    if (body->filled()) body->fill(factor * largest, factor * moment);
}

// Freedoms with inertia get a rotor, prescribed ones a row, sprung ones and damped turns a row of the implicit tangent.
void AbsoluteEquations::add_rows(JointPlan& plan, const Joint& joint) {
  for (int row = 0; row < num_constraint_rows(plan.type); ++row) plan.rows.push_back({RowKind::constraint, row, -1});
  for (int freedom = 0; freedom < num_freedoms(plan.type); ++freedom) {
    if (prescribed(model_, plan.joint, freedom)) plan.rows.push_back({RowKind::prescribed, freedom, -1});
    if (const double inertia = freedom_value(joint.inertia, freedom); inertia > 0) {
      plan.rows.push_back({RowKind::rotor, freedom, static_cast<int>(plan_.rotors.size())});
      plan_.rotors.push_back({plan.joint, freedom, inertia, plan_.num_coordinates++});
    }
    const bool sprung = freedom_value(joint.stiffness, freedom) != 0 || freedom_damping(joint, freedom) != 0;
    if (sprung) plan.rows.push_back({RowKind::spring, freedom, -1});
    plan.sprung = plan.sprung || sprung || freedom_value(joint.friction, freedom) != 0 || joint.law;
  }
  plan.turn_damping = turn_damping(joint);
  for (int axis = 0; axis < 3; ++axis)
    if (plan.turn_damping[axis] != 0) plan.rows.push_back({RowKind::damper, axis, -1});
}

void AbsoluteEquations::add_coupled(JointPlan& plan) const {
  for (int k = 0; k < static_cast<int>(model_.couplings.size()); ++k) {
    const Coupling& coupling = model_.couplings[k];
    if (coupling.joint == plan.joint) plan.coupled.push_back({k, coupling.freedom, 1});
    for (const CoupledFreedom& term : coupling.terms)
      if (term.joint == plan.joint) plan.coupled.push_back({k, term.freedom, -term.factor});
  }
}

void AbsoluteEquations::plan_joints(const std::vector<std::pair<int, int>>& joint_nodes) {
  plan_.joints_of_body.resize(bodies_.size());
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    JointPlan plan;
    plan.joint = static_cast<int>(j);
    plan.type = joint.type;
    plan.parent = joint_side(joint.parent, joint_nodes[j].first, joint.parent_frame);
    plan.child = joint_side(joint.child, joint_nodes[j].second, joint.child_frame);
    plan.first_value = plan_.num_values;
    plan_.num_values += num_freedoms(joint.type);
    add_rows(plan, joint);
    add_coupled(plan);
    // Angles about three axes are singular somewhere: only where something acts on them.
    const bool three_angles = plan.type == JointType::spherical || plan.type == JointType::free;
    const bool on_angles = acts_on_angles(model_, plan.joint);
    const bool acted_on =
        on_angles || plan.sprung || !plan.coupled.empty() ||
        std::any_of(plan.rows.begin(), plan.rows.end(),
                    [](const RowPlan& row) { return row.kind == RowKind::prescribed || row.kind == RowKind::rotor; }) ||
        std::any_of(model_.drives.begin(), model_.drives.end(),
                    [&](const Drive& drive) { return drive.joint == plan.joint; }) ||
        std::any_of(joint.limits.begin(), joint.limits.end(), [](const auto& l) { return !!l; });
    if (on_angles) plan.first_angle = num_freedoms(plan.type) - 3;
    plan.freedoms_needed = num_freedoms(plan.type) > 0 && (!three_angles || acted_on);
    plan_.joints.push_back(std::move(plan));
  }
}

// Joints in an order that keeps the complement narrow.
void AbsoluteEquations::order_rows() {
  const int n = static_cast<int>(plan_.joints.size());
  std::vector<std::vector<int>> of_body(bodies_.size()), neighbours(n);
  for (int j = 0; j < n; ++j)
    for (const int body : {plan_.joints[j].parent.body, plan_.joints[j].child.body})
      if (body >= 0) of_body[body].push_back(j);
  for (const std::vector<int>& joints : of_body)
    for (const int a : joints)
      for (const int b : joints)
        if (a != b) neighbours[a].push_back(b);
  std::vector<JointPlan> ordered;
  for (const int j : narrow_order(neighbours)) ordered.push_back(std::move(plan_.joints[j]));
  plan_.joints = std::move(ordered);
  plan_.plan_of_joint.resize(n);
  for (int j = 0; j < n; ++j) {
    JointPlan& plan = plan_.joints[j];
    plan.first_row = plan_.num_rows;
    plan_.num_rows += static_cast<int>(plan.rows.size());
    plan_.plan_of_joint[plan.joint] = j;
    for (const int body : {plan.parent.body, plan.child.body})
      if (body >= 0) plan_.joints_of_body[body].push_back(j);
  }
  for (const Coupling& coupling : model_.couplings) plan_.coupling_offsets.push_back(coupling.offset);
  plan_.num_rows += plan_.num_couplings();
}

// The rigid mechanism's configuration and speeds, undeformed; rotors and joint values follow from the frames.
void AbsoluteEquations::set_initial_state() {
  const Model start = with_prescribed_start(model_);
  const Mechanism moving(start);  // the same mechanism, with the drives' values and speeds
  const Configuration configuration = initial_configuration(moving, start);
  const IndependentCoordinates independent = choose_independent(moving, start, configuration);
  independent_.assign(mechanism_.num_coordinates(), false);
  for (const int c : independent.independent) independent_[c] = true;
  KinematicState rigid(mechanism_);
  update_position(mechanism_, configuration, rigid);
  update_velocity(mechanism_, initial_rates(moving, start, independent, configuration), rigid);

  State& state = initial_state_;
  state.coordinates = VectorX::Zero(plan_.num_coordinates);
  state.speeds = VectorX::Zero(plan_.num_coordinates);
  state.configuration.coordinates = VectorX::Zero(3 * plan_.num_frames + plan_.num_values);
  state.configuration.references.resize(plan_.num_frames);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const int tree_frame = mechanism_.frame_of_link(static_cast<int>(b));
    const Pose& link = rigid.in_world[tree_frame];
    const Vector3 &v = rigid.velocity[tree_frame], &w = rigid.angular_velocity[tree_frame];
    for (int k = 0; k < bodies_[b]->num_frames(); ++k) {
      const BodyFrame rest = bodies_[b]->frame_at_rest(k);
      const int f = plan_.first_frame[b] + k, o = plan_.first_coordinate[b] + 6 * k;
      state.configuration.coordinates.segment<3>(3 * f) = link * rest.position;
      state.configuration.references[f] = Quaternion(link.rotation * rest.rotation).normalized();
      state.speeds.segment<3>(o) = rest.rotation.transpose() * (v + w.cross(rest.position));
      state.speeds.segment<3>(o + 3) = rest.rotation.transpose() * w;
    }
  }
  for (const JointPlan& plan : plan_.joints)
    for (int freedom = 0; freedom < num_freedoms(plan.type); ++freedom) {
      const int c = mechanism_.coordinate_of(plan.joint, freedom);
      state.configuration.coordinates[3 * plan_.num_frames + plan.first_value + freedom] =
          c >= 0 ? configuration.coordinates[c] : freedom_value(model_.joints[plan.joint].initial_value, freedom);
    }
  auto workspace = make_workspace();
  Inputs inputs = make_inputs(model_);
  evaluate_inputs(model_, 0, inputs);
  Work& work = static_cast<Work&>(*workspace);
  load(state, work);
  update_joints(state, inputs, work);
  for (const JointPlan& plan : plan_.joints) {  // angles of a joint that closes a loop: as the loop leaves them
    if (plan.first_angle < 0 || mechanism_.coordinate_of(plan.joint, plan.first_angle) >= 0) continue;
    const int at = plan.first_value + plan.first_angle;
    state.configuration.coordinates.segment<3>(3 * plan_.num_frames + at) = work.values.segment<3>(at);
  }
  for (const Rotor& rotor : plan_.rotors) {
    const JointPlan& plan = plan_.joints[plan_.plan_of_joint[rotor.joint]];
    state.coordinates[rotor.coordinate] = work.values[plan.first_value + rotor.freedom];
    state.speeds[rotor.coordinate] = work.joints[plan_.plan_of_joint[rotor.joint]].freedoms[rotor.freedom].rate;
  }
}

std::vector<std::string> AbsoluteEquations::coordinate_names() const {
  std::vector<std::string> names;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const AbsoluteBody& body = *bodies_[b];
    for (int k = 0; k < body.num_frames(); ++k)
      for (const char* what : {"x", "y", "z", "turn x", "turn y", "turn z"})
        names.push_back(body.num_frames() > 1 ? cat(model_.links[b].name, " node ", k + 1, " ", what)
                                              : cat(model_.links[b].name, " ", what));
    for (int k = 0; k < body.num_elastic(); ++k) names.push_back(body.elastic_name(k));
  }
  for (const Rotor& rotor : plan_.rotors)
    names.push_back(cat(model_.joints[rotor.joint].name, num_freedoms(model_.joints[rotor.joint].type) > 1
                                                             ? cat(" rotor ", rotor.freedom + 1)
                                                             : std::string(" rotor")));
  return names;
}

std::unique_ptr<Workspace> AbsoluteEquations::make_workspace() const {
  auto work = std::make_unique<Work>(mechanism_);
  work->gravity = model_.gravity;
  work->frames.resize(plan_.num_frames);
  for (const auto& body : bodies_) work->bodies.push_back(body->make_work());
  work->joints.resize(plan_.joints.size());
  work->jacobians.resize(plan_.joints.size());
  for (std::size_t j = 0; j < plan_.joints.size(); ++j) work->joints[j].rows.resize(plan_.joints[j].rows.size());
  for (VectorX* v : {&work->nu, &work->force, &work->accelerations, &work->scratch}) v->setZero(plan_.num_coordinates);
  for (VectorX* v : {&work->value, &work->rate, &work->bias, &work->multipliers, &work->row_scratch, &work->softness})
    v->setZero(plan_.num_rows);
  work->values.setZero(plan_.num_values);
  work->couplings.setZero(plan_.num_couplings(), plan_.num_coordinates);
  set_up(plan_, bodies_, work->mass);
  set_up(plan_, bodies_, work->tangent);
  return work;
}

// Nodes held by stiff beams need an implicit method: radau, or where its dense matrices cost more than what its order
// saves, generalised-alpha, which solves link by link. Modes of an open chain are best solved exactly; in a loop their
// directions turn with the configuration, and an explicit method of high order is faster than an implicit one of second
// order. So do the directions of joint springs: the modes of a reference, measured by forces of deformation, do not
// follow them, and what is left over does not fall with the step (2 mm at any tolerance on a sprung cart with a mast).
std::string AbsoluteEquations::preferred_integrator() const {
  constexpr int costly_matrices = 300;
  if (has_nodal_frames_) return plan_.num_coordinates <= costly_matrices ? "radau" : "generalised_alpha";
  const bool sprung = std::any_of(model_.joints.begin(), model_.joints.end(), [](const Joint& joint) {
    return std::any_of(joint.stiffness.begin(), joint.stiffness.end(), [](double k) { return k != 0; });
  });
  return flexible_ && !sprung && mechanism_.cuts().empty() ? "exponential" : "dormand_prince";
}

int AbsoluteEquations::mobility() const {
  return static_cast<int>(std::count(independent_.begin(), independent_.end(), true));
}

VectorX AbsoluteEquations::coordinate_scales(const State& state, const Inputs&, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  load(state, work);
  VectorX scales = VectorX::Constant(plan_.num_coordinates, 1e-6);
  for (const Rotor& rotor : plan_.rotors) scales[rotor.coordinate] = 1e-3;
  NodeFrame frame;
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    for (int node = 0; node < static_cast<int>(model_.links[b].nodes.size()) || node == 0; ++node) {
      if (node >= bodies_[b]->num_nodes()) continue;
      bodies_[b]->node_frame(*work.bodies[b], node, frame);
      auto own = scales.segment(plan_.first_coordinate[b] + frame.first, frame.jacobian.cols());
      own = own.cwiseMax(frame.jacobian.topRows<3>().colwise().norm().transpose());
    }
  return scales;
}

}  // namespace lithe
