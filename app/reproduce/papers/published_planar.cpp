#include "app/reproduce/papers/published_planar.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/formulate/add_formulation.h"
#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/reduce/reduce.h"

namespace lithe {

// The plane's part of a link, in its own axes: x, y and the rotation about z of every node.
struct PlanarLink {
  MatrixX mass, stiffness;
  MatrixX turned;  // ∫ρ Nᵀ (z × N): of M_G per unit of angular velocity, before what the rotated axes take off
  Eigen::Index first = 0, num_nodes = 0;
  double mass_factor = 0, stiffness_factor = 0;
};

namespace {

[[noreturn]] void refuse(const SourcePlace& place, const std::string& why) {
  throw InputError(std::vector<Diagnostic>{{.file = place.file,
                                            .line = place.line,
                                            .column = place.column,
                                            .path = {},
                                            .message = cat("planar equations of [EVO]: ", why)}});
}

PlanarLink planar_link(const Model& model, const Link& link) {
  if (link.rigid || link.from_elsewhere()) refuse(link.place, cat("link '", link.name, "' is not made of beams"));
  if (!link.damping.modal_ratios.empty())
    refuse(link.place, cat("link '", link.name, "': the paper has Rayleigh's damping, not modal ratios"));
  const FiniteElementBody body = assemble(model, link);
  PlanarLink result;
  result.num_nodes = body.num_nodes();
  for (const Vector3& p : body.node_positions)
    if (std::abs(p.z()) > 1e-9) refuse(link.place, cat("link '", link.name, "' leaves the x-y plane"));
  const Eigen::Index n = 3 * result.num_nodes;
  const auto place = [](Eigen::Index dof) -> Eigen::Index {  // of a spatial freedom in the plane; -1: out of it
    const Eigen::Index part = dof % 6;
    return part == 0 || part == 1 ? 3 * (dof / 6) + part : part == 5 ? 3 * (dof / 6) + 2 : -1;
  };
  const auto planar = [&](const SparseMatrix& full) {
    MatrixX part = MatrixX::Zero(n, n);
    for (int k = 0; k < full.outerSize(); ++k)
      for (SparseMatrix::InnerIterator it(full, k); it; ++it)
        if (place(it.row()) >= 0 && place(it.col()) >= 0) part(place(it.row()), place(it.col())) = it.value();
    return part;
  };
  result.mass = planar(body.mass);
  result.stiffness = planar(body.stiffness);
  result.turned = MatrixX::Zero(n, n);
  for (const MassPoint& point : body.mass_points)
    for (std::size_t i = 0; i < point.dofs.size(); ++i)
      for (std::size_t j = 0; j < point.dofs.size(); ++j) {
        const Eigen::Index row = place(point.dofs[i]), column = place(point.dofs[j]);
        if (row < 0 || column < 0) continue;
        const auto& rows = point.translation_rows;
        const auto a = static_cast<Eigen::Index>(i), b = static_cast<Eigen::Index>(j);
        result.turned(row, column) += point.mass * (rows(1, a) * rows(0, b) - rows(0, a) * rows(1, b));
      }
  result.mass_factor = link.damping.mass_factor;
  result.stiffness_factor = link.damping.stiffness_factor;
  return result;
}

// Rows of dependent entries become equal: each group of the union has one column of the map.
class Groups {
 public:
  explicit Groups(Eigen::Index size) : root_(static_cast<std::size_t>(size + 1)) {
    for (std::size_t i = 0; i < root_.size(); ++i) root_[i] = i;
  }
  std::size_t ground() const { return root_.size() - 1; }
  void join(std::size_t a, std::size_t b) { root_[find(std::min(a, b))] = find(std::max(a, b)); }
  MatrixX map() {
    std::vector<Eigen::Index> column(root_.size(), -1);
    Eigen::Index count = 0;
    const auto rows = static_cast<Eigen::Index>(ground());
    std::vector<Eigen::Index> of_row;
    for (std::size_t i = 0; i + 1 < root_.size(); ++i) {
      const std::size_t group = find(i);
      if (group == find(ground())) {
        of_row.push_back(-1);
        continue;
      }
      if (column[group] < 0) column[group] = count++;
      of_row.push_back(column[group]);
    }
    MatrixX result = MatrixX::Zero(rows, count);
    for (Eigen::Index i = 0; i < rows; ++i)
      if (of_row[static_cast<std::size_t>(i)] >= 0) result(i, of_row[static_cast<std::size_t>(i)]) = 1;
    return result;
  }

 private:
  std::size_t find(std::size_t i) {
    while (root_[i] != i) i = root_[i] = root_[root_[i]];
    return i;
  }
  std::vector<std::size_t> root_;
};

MatrixX world(const MatrixX& local, const MatrixX& turn) { return turn * local * turn.transpose(); }

}  // namespace

struct PublishedPlanar::Parts {
  explicit Parts(const Model& given) : rigid(reduce(given), ErlsOptions{}) {}
  ErlsCms rigid;  // the equivalent rigid-link system
  std::vector<PlanarLink> links;
  MatrixX kept, ungauged;
  MatrixX joint_rows;     // relative rotation of every joint in the nodes' entries
  Eigen::Index size = 0;  // entries of all links' nodes
};

struct PublishedPlanar::Work : Workspace {
  std::unique_ptr<Workspace> rigid;
  Accelerations rest;
  std::vector<NodeMotion> motions;
  State configuration;
  Blocks blocks;
  VectorX positions;  // of the rigid nodes: x, y of each, and its link's angle
};

PublishedPlanar::PublishedPlanar(const Model& given) {
  auto parts = std::make_unique<Parts>(given);
  for (const Link& link : given.links) {
    parts->links.push_back(planar_link(given, link));
    parts->links.back().first = parts->size;
    parts->size += 3 * parts->links.back().num_nodes;
  }
  Groups with_gauge(parts->size), without(parts->size);
  const std::vector<std::string> names = parts->rigid.coordinate_names();
  parts->joint_rows = MatrixX::Zero(static_cast<Eigen::Index>(given.joints.size()), parts->size);
  for (std::size_t j = 0; j < given.joints.size(); ++j) {
    const Joint& joint = given.joints[j];
    const bool flat =
        std::abs(joint.parent_frame.rotation(2, 2) - 1) < 1e-9 && std::abs(joint.child_frame.rotation(2, 2) - 1) < 1e-9;
    if (joint.type == JointType::fixed ? !flat : joint.type != JointType::revolute || !flat)
      refuse(joint.place, cat("joint '", joint.name, "' is no revolute joint about z"));
    if (joint.type == JointType::revolute && joint.friction[0] > 0)
      refuse(joint.place, cat("joint '", joint.name, "' has friction"));
    const auto entry = [&](int link, int node, int part) -> std::size_t {
      if (link < 0) return with_gauge.ground();
      return static_cast<std::size_t>(parts->links[static_cast<std::size_t>(link)].first + 3 * node + part);
    };
    const auto of = [&](bool child, int part) {
      return child ? entry(joint.child, joint.child_node, part) : entry(joint.parent, joint.parent_node, part);
    };
    const auto row = static_cast<Eigen::Index>(j);
    if (joint.child >= 0) parts->joint_rows(row, static_cast<Eigen::Index>(of(true, 2))) += 1;
    if (joint.parent >= 0) parts->joint_rows(row, static_cast<Eigen::Index>(of(false, 2))) -= 1;
    bool gauge = joint.type == JointType::fixed;
    for (int k = 0; k < parts->rigid.num_joint_coordinates(); ++k)
      gauge = gauge || names[static_cast<std::size_t>(k)] == joint.name;
    for (const Drive& drive : given.drives)
      gauge = gauge || (drive.prescribes_motion && drive.joint == static_cast<int>(j));
    for (int part = 0; part < 3; ++part) {
      if (part < 2 || gauge) with_gauge.join(of(true, part), of(false, part));
      if (part < 2 || joint.type == JointType::fixed) without.join(of(true, part), of(false, part));
    }
  }
  parts->kept = with_gauge.map();
  parts->ungauged = without.map();
  parts_ = std::move(parts);
}

PublishedPlanar::~PublishedPlanar() = default;

const Model& PublishedPlanar::model() const { return parts_->rigid.model(); }
int PublishedPlanar::num_joint_coordinates() const { return parts_->rigid.num_joint_coordinates(); }
int PublishedPlanar::num_coordinates() const { return num_joint_coordinates() + static_cast<int>(parts_->kept.cols()); }
int PublishedPlanar::num_nodes(int link) const {
  return static_cast<int>(parts_->links[static_cast<std::size_t>(link)].num_nodes);
}
const MatrixX& PublishedPlanar::kept() const { return parts_->kept; }
const MatrixX& PublishedPlanar::ungauged() const { return parts_->ungauged; }

std::vector<std::string> PublishedPlanar::coordinate_names() const {
  std::vector<std::string> names = parts_->rigid.coordinate_names();
  names.resize(static_cast<std::size_t>(num_joint_coordinates()));
  for (Eigen::Index k = 0; k < parts_->kept.cols(); ++k) names.push_back(cat("u ", k + 1));
  return names;
}

std::unique_ptr<Workspace> PublishedPlanar::make_workspace() const {
  auto work = std::make_unique<Work>();
  work->rigid = parts_->rigid.make_workspace();
  work->rest.values.setZero(parts_->rigid.num_coordinates());
  work->configuration = parts_->rigid.initial_state();
  return work;
}

State PublishedPlanar::initial_state() const {
  State state = parts_->rigid.initial_state();
  const Eigen::Index joints = num_joint_coordinates();
  const VectorX q = state.coordinates.head(joints), rates = state.speeds.head(joints);
  state.coordinates = state.speeds = VectorX::Zero(num_coordinates());
  state.coordinates.head(joints) = q;
  state.speeds.head(joints) = rates;
  return state;
}

// The links' matrices in world axes.
void PublishedPlanar::turn_links(const Work& work, Blocks& result) const {
  const Parts& parts = *parts_;
  result.mass = result.stiffness = result.coriolis = MatrixX::Zero(parts.size, parts.size);
  for (const PlanarLink& link : parts.links) {
    const Eigen::Index n = 3 * link.num_nodes;
    const double angle = work.positions[link.first + 2], omega = result.velocity[link.first + 2];
    MatrixX turn = MatrixX::Identity(n, n), across = MatrixX::Zero(n, n);
    for (Eigen::Index i = 0; i < link.num_nodes; ++i) {
      turn.block<2, 2>(3 * i, 3 * i) << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
      across.block<2, 2>(3 * i, 3 * i) << 0, -1, 1, 0;
    }
    result.mass.block(link.first, link.first, n, n) = world(link.mass, turn);
    result.stiffness.block(link.first, link.first, n, n) = world(link.stiffness, turn);
    result.coriolis.block(link.first, link.first, n, n) = omega * world(link.turned - link.mass * across, turn);
  }
}

// The rigid mechanism with unit speeds gives S column by column; with the speeds themselves and no accelerations, Ṡ q̇.
EvaluationStatus PublishedPlanar::blocks(const State& state, const Inputs& inputs, Workspace& workspace,
                                         Blocks& result) const {
  Work& work = static_cast<Work&>(workspace);
  const Parts& parts = *parts_;
  const Eigen::Index joints = num_joint_coordinates();
  State& rigid = work.configuration;
  rigid.time = state.time;
  rigid.configuration = state.configuration;
  rigid.coordinates.setZero();
  rigid.coordinates.head(joints) = state.coordinates.head(joints);
  rigid.speeds.setZero();
  Inputs still = inputs;
  for (std::vector<SignalValue>& joint : still.prescribed_motion)
    for (SignalValue& freedom : joint) freedom.rate = freedom.acceleration = 0;
  Accelerations found = work.rest;
  if (const auto status = parts.rigid.evaluate(rigid, still, *work.rigid, found); status != EvaluationStatus::ok)
    return status;
  const auto read = [&](const Inputs& acting, const std::function<void(const NodeMotion&, Eigen::Index)>& take) {
    Eigen::Index at = 0;
    for (std::size_t link = 0; link < parts.links.size(); ++link) {
      parts.rigid.node_motions(rigid, acting, work.rest, static_cast<int>(link), work.motions, *work.rigid);
      for (const NodeMotion& m : work.motions) take(m, 3 * at++);
    }
  };
  result.sensitivity.resize(parts.size, joints);
  for (Eigen::Index k = 0; k < joints; ++k) {
    rigid.speeds[k] = 1;
    read(still, [&](const NodeMotion& m, Eigen::Index at) {
      result.sensitivity.col(k).segment<3>(at) << m.velocity.x(), m.velocity.y(), m.angular_velocity.z();
    });
    rigid.speeds[k] = 0;
  }
  rigid.speeds.head(joints) = state.speeds.head(joints);
  result.convective.resize(parts.size);
  result.velocity.resize(parts.size);
  work.positions.resize(parts.size);
  read(inputs, [&](const NodeMotion& m, Eigen::Index at) {
    result.convective.segment<3>(at) << m.acceleration.x(), m.acceleration.y(), m.angular_acceleration.z();
    work.positions.segment<3>(at) << m.position.x(), m.position.y(),
        std::atan2(m.orientation(1, 0), m.orientation(0, 0));
    result.velocity.segment<3>(at) << m.velocity.x(), m.velocity.y(), m.angular_velocity.z();
  });
  turn_links(work, result);
  return result.sensitivity.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
}

// f_g + f - M Ṡ q̇ - 2 M_G u̇ - damping on the nodes, with what acts on the joints' relative rotations; without K u.
VectorX PublishedPlanar::forces(const State& state, const Inputs& inputs, Work& work) const {
  const Parts& parts = *parts_;
  const Blocks& b = work.blocks;
  const VectorX u = parts.kept * state.coordinates.tail(parts.kept.cols());
  const VectorX rate = parts.kept * state.speeds.tail(parts.kept.cols());
  const Model& m = model();
  VectorX gravity = VectorX::Zero(parts.size);
  for (Eigen::Index at = 0; at < parts.size; at += 3) gravity.segment<2>(at) = m.gravity.head<2>();
  VectorX nodal = b.mass * (gravity - b.convective) - 2 * (b.coriolis * rate);
  for (const PlanarLink& link : parts.links) {
    const Eigen::Index n = 3 * link.num_nodes;
    nodal.segment(link.first, n) -=
        link.mass_factor * (b.mass.block(link.first, link.first, n, n) * rate.segment(link.first, n)) +
        link.stiffness_factor * (b.stiffness.block(link.first, link.first, n, n) * rate.segment(link.first, n));
  }
  for (const NodalLoad& load : inputs.nodal_loads) {
    const Eigen::Index at = parts.links[static_cast<std::size_t>(load.link)].first + 3 * load.node;
    Eigen::Vector2d force = load.force.head<2>();
    if (load.follows_link) force = Eigen::Rotation2Dd(work.positions[at + 2]) * force;
    nodal.segment<2>(at) += force;
    nodal[at + 2] += load.torque.z();
  }
  const VectorX relative = parts.joint_rows * u, rates = parts.joint_rows * (rate + b.velocity);
  const VectorX convective = parts.joint_rows * b.convective;
  for (std::size_t j = 0; j < m.joints.size(); ++j) {
    const Joint& joint = m.joints[j];
    if (joint.type != JointType::revolute) continue;
    const auto row = static_cast<Eigen::Index>(j);
    double torque = inputs.joint_forces[j][0] - joint.damping[0] * rates[row] - joint.inertia[0] * convective[row];
    if (joint.stiffness[0] > 0) {
      const double value =
          parts.rigid.joint_motion(work.configuration, inputs, work.rest, static_cast<int>(j), 0, *work.rigid).value;
      torque -= joint.stiffness[0] * (value + relative[row] - joint.rest_value[0]);
    }
    nodal += torque * parts.joint_rows.row(row).transpose();
  }
  return nodal;
}

// M with the motors' inertias on the joints' relative rotations.
MatrixX PublishedPlanar::inertia(const Work& work) const {
  MatrixX result = work.blocks.mass;
  for (std::size_t j = 0; j < model().joints.size(); ++j) {
    const Joint& joint = model().joints[j];
    if (joint.type != JointType::revolute || joint.inertia[0] == 0) continue;
    const auto row = parts_->joint_rows.row(static_cast<Eigen::Index>(j));
    result += joint.inertia[0] * row.transpose() * row;
  }
  return result;
}

// (11): [SᵀMS SᵀM; MS M] and its right side. Of the first rows K u is missing, as in (10), since K S = 0.
EvaluationStatus PublishedPlanar::mass_and_force(const State& state, const Inputs& inputs, Work& work, MatrixX& mass,
                                                 VectorX& force) const {
  if (const auto status = blocks(state, inputs, work, work.blocks); status != EvaluationStatus::ok) return status;
  const MatrixX& s = work.blocks.sensitivity;
  const MatrixX& p = parts_->kept;
  const VectorX nodal = forces(state, inputs, work);
  MatrixX all(s.rows(), s.cols() + p.cols());
  all << s, p;
  mass = all.transpose() * inertia(work) * all;
  force = all.transpose() * nodal;
  force.tail(p.cols()) -= p.transpose() * (work.blocks.stiffness * (p * state.coordinates.tail(p.cols())));
  return EvaluationStatus::ok;
}

EvaluationStatus PublishedPlanar::evaluate(const State& state, const Inputs& inputs, Workspace& workspace,
                                           Accelerations& accelerations) const {
  MatrixX mass;
  VectorX force;
  const auto status = mass_and_force(state, inputs, static_cast<Work&>(workspace), mass, force);
  if (status != EvaluationStatus::ok) return status;
  accelerations.values = mass.partialPivLu().solve(force);
  return accelerations.values.allFinite() ? EvaluationStatus::ok : EvaluationStatus::singular_mass;
}

EvaluationStatus PublishedPlanar::linearise(const State& state, const Inputs& inputs, Workspace& workspace,
                                            LinearBlocks& result) const {
  Accelerations own;
  own.values.setZero(num_coordinates());
  const auto status = evaluate(state, inputs, workspace, own);
  return status == EvaluationStatus::ok ? linearise_about(state, inputs, own, workspace, result) : status;
}

// Central differences of M ẍ - f: a variant for comparison needs no exact derivatives.
EvaluationStatus PublishedPlanar::linearise_about(const State& state, const Inputs& inputs, const Accelerations& about,
                                                  Workspace& workspace, LinearBlocks& result) const {
  const Eigen::Index n = num_coordinates();
  Work& work = static_cast<Work&>(workspace);
  MatrixX mass;
  VectorX force;
  EvaluationStatus status = mass_and_force(state, inputs, work, result.mass, force);
  const auto missing = [&](const State& at, const Inputs& acting) -> VectorX {
    VectorX acts = VectorX::Zero(n);
    if (status == EvaluationStatus::ok) status = mass_and_force(at, acting, work, mass, acts);
    return status == EvaluationStatus::ok ? VectorX(mass * about.values - acts) : acts;
  };
  result.stiffness.resize(n, n);
  result.damping.resize(n, n);
  for (Eigen::Index k = 0; k < n; ++k)
    for (const bool speed : {false, true}) {
      const double step = k < num_joint_coordinates() ? 1e-6 : 1e-7;
      State above = state, below = state;
      (speed ? above.speeds : above.coordinates)[k] += step;
      (speed ? below.speeds : below.coordinates)[k] -= step;
      (speed ? result.damping : result.stiffness).col(k) =
          (missing(above, inputs) - missing(below, inputs)) / (2 * step);
    }
  std::vector<VectorX> columns;
  for (std::size_t j = 0; j < inputs.joint_forces.size(); ++j)
    for (std::size_t f = 0; f < inputs.joint_forces[j].size(); ++f) {
      Inputs pushed = inputs;
      pushed.joint_forces[j][f] += 1;
      columns.push_back(missing(state, inputs) - missing(state, pushed));
    }
  result.input.resize(n, static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) result.input.col(static_cast<Eigen::Index>(k)) = columns[k];
  return status;
}

bool PublishedPlanar::accept(State& state, const Inputs& inputs, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  const Eigen::Index joints = num_joint_coordinates();
  State rigid = work.configuration;
  rigid.time = state.time;
  rigid.configuration = state.configuration;
  rigid.coordinates.setZero();
  rigid.speeds.setZero();
  rigid.coordinates.head(joints) = state.coordinates.head(joints);
  rigid.speeds.head(joints) = state.speeds.head(joints);
  const bool renamed = parts_->rigid.accept(rigid, inputs, *work.rigid);
  state.configuration = rigid.configuration;
  state.coordinates.head(joints) = rigid.coordinates.head(joints);
  state.speeds.head(joints) = rigid.speeds.head(joints);
  return renamed;
}

Energies PublishedPlanar::energies(const State& state, const Inputs& inputs, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  const Parts& parts = *parts_;
  Energies result;
  if (const auto status = blocks(state, inputs, work, work.blocks); status != EvaluationStatus::ok)
    return unknown_energies(status);
  const VectorX u = parts.kept * state.coordinates.tail(parts.kept.cols());
  const VectorX speed = work.blocks.velocity + parts.kept * state.speeds.tail(parts.kept.cols());
  result.kinetic = 0.5 * speed.dot(work.blocks.mass * speed);
  result.elastic = 0.5 * u.dot(work.blocks.stiffness * u);
  VectorX gravity = VectorX::Zero(parts.size), positions = work.positions + u;
  for (Eigen::Index at = 0; at < parts.size; at += 3) {
    gravity.segment<2>(at) = model().gravity.head<2>();
    positions[at + 2] = u[at + 2];
  }
  result.gravity = -gravity.dot(work.blocks.mass * positions);
  const VectorX relative = parts.joint_rows * u, rates = parts.joint_rows * speed;
  for (std::size_t j = 0; j < model().joints.size(); ++j) {
    const Joint& joint = model().joints[j];
    if (joint.type != JointType::revolute) continue;
    const auto row = static_cast<Eigen::Index>(j);
    result.kinetic += 0.5 * joint.inertia[0] * rates[row] * rates[row];
    if (joint.stiffness[0] == 0) continue;
    const double value =
        parts.rigid.joint_motion(work.configuration, inputs, work.rest, static_cast<int>(j), 0, *work.rigid).value;
    result.elastic += 0.5 * joint.stiffness[0] * std::pow(value + relative[row] - joint.rest_value[0], 2);
  }
  return result;
}

NodeMotion PublishedPlanar::node_motion(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                        int link, int node, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  const Parts& parts = *parts_;
  const Eigen::Index joints = num_joint_coordinates();
  NodeMotion result;
  if (const auto status = blocks(state, inputs, work, work.blocks); status != EvaluationStatus::ok)
    return unknown_motion(status);
  const Blocks& b = work.blocks;
  const Eigen::Index at = parts.links[static_cast<std::size_t>(link)].first + 3 * node;
  const auto three = [&](const VectorX& all) -> Vector3 { return all.segment<3>(at); };
  const Vector3 u = three(parts.kept * state.coordinates.tail(parts.kept.cols()));
  const Vector3 rate = three(parts.kept * state.speeds.tail(parts.kept.cols()) + b.velocity);
  const Vector3 acceleration = three(parts.kept * accelerations.values.tail(parts.kept.cols()) +
                                     b.sensitivity * accelerations.values.head(joints) + b.convective);
  const Vector3 place = three(work.positions);
  result.position = Vector3(place.x() + u.x(), place.y() + u.y(), 0);
  result.velocity = Vector3(rate.x(), rate.y(), 0);
  result.acceleration = Vector3(acceleration.x(), acceleration.y(), 0);
  result.angular_velocity = Vector3(0, 0, rate.z());
  result.angular_acceleration = Vector3(0, 0, acceleration.z());
  result.displacement = Vector3(u.x(), u.y(), 0);
  result.rotation = Vector3(0, 0, u.z());
  result.orientation = Eigen::AngleAxisd(place.z() + u.z(), Vector3::UnitZ()).toRotationMatrix();
  return result;
}

SignalValue PublishedPlanar::joint_motion(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                          int joint, int freedom, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  const Parts& parts = *parts_;
  const Eigen::Index joints = num_joint_coordinates();
  if (blocks(state, inputs, work, work.blocks) != EvaluationStatus::ok) return unknown_value();
  SignalValue result = parts.rigid.joint_motion(work.configuration, inputs, work.rest, joint, freedom, *work.rigid);
  const auto row = parts.joint_rows.row(joint);
  const Blocks& b = work.blocks;
  result.value += (row * (parts.kept * state.coordinates.tail(parts.kept.cols())))(0);
  result.rate = (row * (parts.kept * state.speeds.tail(parts.kept.cols()) + b.velocity))(0);
  result.acceleration = (row * (parts.kept * accelerations.values.tail(parts.kept.cols()) +
                                b.sensitivity * accelerations.values.head(joints) + b.convective))(0);
  return result;
}

void add_published_planar() {
  static const bool added = [] {  // once, however often main() runs (tools/soak_campaigns/fork_server.c)
    add_formulation("published-planar", [](const Model& model, const FormulationChoice&) {
      return std::make_unique<PublishedPlanar>(model);
    });
    return true;
  }();
  static_cast<void>(added);
}

}  // namespace lithe
