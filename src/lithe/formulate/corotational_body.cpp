#include "lithe/formulate/corotational_body.h"

#include <algorithm>
#include <array>

#include "lithe/formulate/corotational_work.h"

namespace lithe {
CorotationalBody::CorotationalBody(const Model& model, const Link& link, const FiniteElementBody& mesh,
                                   double damping_factor)
    : positions_(mesh.node_positions), nodes_(mesh.node_positions.size()), damping_factor_(damping_factor) {
  num_frames_ = mesh.num_nodes();
  for (const BeamElement& source : mesh.elements) {
    const BeamSegment& segment = link.segments[source.segment];
    const Section& section = model.sections[segment.section];
    const double density = model.materials[segment.material].density;
    CorotationalElement element;
    element.a = source.node_a;
    element.b = source.node_b;
    element.chord = positions_[element.b] - positions_[element.a];
    element.length = element.chord.norm();
    element.y_axis = source.axes.col(1);
    element.stiffness = source.stiffness;
    // Rotary inertia of the section, half at each end; lumped mass likewise.
    const Vector3 principal(section.second_moment_y + section.second_moment_z, section.second_moment_y,
                            section.second_moment_z);
    const Matrix3 inertia =
        source.axes * (0.5 * density * element.length * principal).asDiagonal() * source.axes.transpose();
    const double mass = density * section.area * element.length;
    if (segment.mass_model == MassModel::consistent) element.line_mass = mass;
    for (const int node : {element.a, element.b}) {
      nodes_[node].inertia += inertia;
      if (segment.mass_model == MassModel::lumped) nodes_[node].mass += 0.5 * mass;
    }
    elements_.push_back(element);
    element_axes_.push_back(source.axes);
  }
  for (const LumpedMass& lumped : link.lumped_masses) {
    nodes_[lumped.node].mass += lumped.mass;
    nodes_[lumped.node].inertia += lumped.inertia;
  }
  set_order();
}

void CorotationalBody::set_order() {
  std::vector<std::vector<int>> neighbours(num_frames_);
  for (const CorotationalElement& element : elements_) {
    neighbours[element.a].push_back(element.b);
    neighbours[element.b].push_back(element.a);
  }
  const std::vector<int> order = narrow_order(neighbours);
  place_.resize(num_frames_);
  for (int i = 0; i < num_frames_; ++i) place_[order[i]] = i;
  envelope_.assign(6 * num_frames_, 0);
  for (int node = 0; node < num_frames_; ++node) {
    int first = place_[node];
    for (const int other : neighbours[node]) first = std::min(first, place_[other]);
    for (int i = 0; i < 6; ++i) envelope_[6 * place_[node] + i] = 6 * first;
  }
}

std::unique_ptr<AbsoluteBody::Work> CorotationalBody::make_work() const {
  auto work = std::make_unique<BeamWork>();
  work->frames.resize(num_frames_);
  work->elements.resize(elements_.size());
  work->speeds.setZero(num_speeds());
  return work;
}

BodyFactors CorotationalBody::make_factors() const {
  BodyFactors factors;
  factors.envelope.set_structure(envelope_);
  factors.ordered.setZero(num_speeds());
  return factors;
}

void CorotationalBody::set_state(const BodyFrame* frames, const double*, const double* speeds, Work& base) const {
  BeamWork& work = static_cast<BeamWork&>(base);
  std::copy(frames, frames + num_frames_, work.frames.begin());
  work.speeds = Eigen::Map<const VectorX>(speeds, num_speeds());
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const BodyFrame &a = work.frames[elements_[k].a], &b = work.frames[elements_[k].b];
    work.elements[k] = element_state<double>(elements_[k], {a.position, a.rotation}, {b.position, b.rotation});
  }
}

void CorotationalBody::forces(const Vector3& gravity, const Work& base, Eigen::Ref<VectorX> force) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  for (int node = 0; node < num_frames_; ++node) {
    const Vector3 v = work.speeds.segment<3>(6 * node), w = work.speeds.segment<3>(6 * node + 3);
    force.segment<3>(6 * node) = nodes_[node].mass * (work.frames[node].rotation.transpose() * gravity - w.cross(v));
    force.segment<3>(6 * node + 3) = -w.cross(nodes_[node].inertia * w);
  }
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const CorotationalElement& element = elements_[k];
    const BodyFrame &a = work.frames[element.a], &b = work.frames[element.b];
    const ElementState& state = work.elements[k];
    Vector12 strain = state.strain;
    const Matrix12 T = to_world(a.rotation, b.rotation);
    if (damping_factor_ > 0) {
      Vector12 speeds;
      speeds << work.speeds.segment<6>(6 * element.a), work.speeds.segment<6>(6 * element.b);
      strain += damping_factor_ * (state.rate * (T * speeds));
    }
    const Vector12 elastic = T.transpose() * (state.rate.transpose() * (element.stiffness * strain));
    force.segment<6>(6 * element.a) -= elastic.head<6>();
    force.segment<6>(6 * element.b) -= elastic.tail<6>();
    if (element.line_mass == 0) continue;
    const LineMap line = line_map(element, a, b, work.speeds);
    const std::array<int, 4> place = line_places(element);
    for (int i = 0; i < 4; ++i) {
      Vector3 load = line_weight[i] * gravity;
      for (int j = 0; j < 4; ++j) load -= line_mass[i][j] * line.bias[j];
      force.segment<3>(place[i]) += element.line_mass * (line.map[i].transpose() * load);
    }
  }
}

void CorotationalBody::add_mass_times(const Work& base, const Eigen::Ref<const VectorX>& values,
                                      Eigen::Ref<VectorX> result) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  for (int node = 0; node < num_frames_; ++node) {
    result.segment<3>(6 * node) += nodes_[node].mass * values.segment<3>(6 * node);
    result.segment<3>(6 * node + 3) += nodes_[node].inertia * values.segment<3>(6 * node + 3);
  }
  for (const CorotationalElement& element : elements_) {
    if (element.line_mass == 0) continue;
    const LineMap line = line_map(element, work.frames[element.a], work.frames[element.b], work.speeds);
    const std::array<int, 4> place = line_places(element);
    std::array<Vector3, 4> motion;
    for (int j = 0; j < 4; ++j) motion[j] = line.map[j] * values.segment<3>(place[j]);
    for (int i = 0; i < 4; ++i) {
      Vector3 sum = Vector3::Zero();
      for (int j = 0; j < 4; ++j) sum += line_mass[i][j] * motion[j];
      result.segment<3>(place[i]) += element.line_mass * (line.map[i].transpose() * sum);
    }
  }
}

// Mass of the centre line in body velocities of the two nodes.
void CorotationalBody::add_line_mass(const CorotationalElement& element, const BeamWork& work, Matrix12& mass) const {
  if (element.line_mass == 0) return;
  const LineMap line = line_map(element, work.frames[element.a], work.frames[element.b], work.speeds);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      mass.block<3, 3>(3 * i, 3 * j) += element.line_mass * line_mass[i][j] * line.map[i].transpose() * line.map[j];
}

void CorotationalBody::add_blocks(const Work& base, Eigen::Ref<MatrixX> mass, Eigen::Ref<MatrixX> damping,
                                  Eigen::Ref<MatrixX> stiffness) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  for (int node = 0; node < num_frames_; ++node) {
    mass.block<3, 3>(6 * node, 6 * node).diagonal().array() += nodes_[node].mass;
    mass.block<3, 3>(6 * node + 3, 6 * node + 3) += nodes_[node].inertia;
  }
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const CorotationalElement& element = elements_[k];
    const Matrix12 rate =
        work.elements[k].rate * to_world(work.frames[element.a].rotation, work.frames[element.b].rotation);
    const Matrix12 material = rate.transpose() * element.stiffness * rate;
    Matrix12 line = Matrix12::Zero();
    add_line_mass(element, work, line);
    const int at[] = {6 * element.a, 6 * element.b};
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        mass.block<6, 6>(at[i], at[j]) += line.block<6, 6>(6 * i, 6 * j);
        stiffness.block<6, 6>(at[i], at[j]) += material.block<6, 6>(6 * i, 6 * j);
        damping.block<6, 6>(at[i], at[j]) += damping_factor_ * material.block<6, 6>(6 * i, 6 * j);
      }
  }
}

// S with the material part of the tangent stiffness: symmetric, and enough for Newton's iteration at time steps that
// follow the motion.
bool CorotationalBody::factorise(const Work& base, double damping, double stiffness, BodyFactors& factors) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  EnvelopeCholesky& S = factors.envelope;
  S.set_zero();
  for (int node = 0; node < num_frames_; ++node) {
    const int o = 6 * place_[node];
    for (int i = 0; i < 3; ++i) {
      S.at(o + i, o + i) += nodes_[node].mass;
      for (int j = 0; j <= i; ++j) S.at(o + 3 + i, o + 3 + j) += nodes_[node].inertia(i, j);
    }
  }
  const double factor = stiffness + damping * damping_factor_;
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const CorotationalElement& element = elements_[k];
    Matrix12 block = Matrix12::Zero();
    add_line_mass(element, work, block);
    if (factor > 0) {
      const Matrix12 rate =
          work.elements[k].rate * to_world(work.frames[element.a].rotation, work.frames[element.b].rotation);
      const Matrix12 product = element.stiffness * rate;
      block.noalias() += factor * (rate.transpose() * product);
    }
    const int at[] = {6 * place_[element.a], 6 * place_[element.b]};
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 12; ++j) {
        const int row = at[i / 6] + i % 6, column = at[j / 6] + j % 6;
        if (column <= row) S.at(row, column) += block(i, j);
      }
  }
  return S.factorise() > 0;
}

void CorotationalBody::solve(const BodyFactors& factors, Eigen::Ref<MatrixX> rhs) const {
  VectorX& ordered = factors.ordered;
  for (Eigen::Index k = 0; k < rhs.cols(); ++k) {
    for (int node = 0; node < num_frames_; ++node)
      ordered.segment<6>(6 * place_[node]) = rhs.col(k).segment<6>(6 * node);
    factors.envelope.solve(ordered);
    for (int node = 0; node < num_frames_; ++node)
      rhs.col(k).segment<6>(6 * node) = ordered.segment<6>(6 * place_[node]);
  }
}

void CorotationalBody::node_frame(const Work& base, int node, NodeFrame& result) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  const Matrix3& R = work.frames[node].rotation;
  const Vector3 v = work.speeds.segment<3>(6 * node), w = work.speeds.segment<3>(6 * node + 3);
  result.position = work.frames[node].position;
  result.rotation = R;
  result.velocity = R * v;
  result.angular_velocity = R * w;
  result.acceleration_bias = R * w.cross(v);
  result.angular_bias.setZero();
  result.first = 6 * node;
  result.jacobian.setZero(6, 6);
  result.jacobian.topLeftCorner<3, 3>() = R;
  result.jacobian.bottomRightCorner<3, 3>() = R;
}

void CorotationalBody::add_load(const Work& base, int node, const Vector3& force, const Vector3& torque,
                                Eigen::Ref<VectorX> generalised) const {
  const Matrix3& R = static_cast<const BeamWork&>(base).frames[node].rotation;
  generalised.segment<3>(6 * node) += R.transpose() * force;
  generalised.segment<3>(6 * node + 3) += R.transpose() * torque;
}

// Follower loads turn with the first node; with floating frames they turn with the frame.
Matrix3 CorotationalBody::link_rotation(const Work& base) const {
  return static_cast<const BeamWork&>(base).frames.front().rotation;
}

BodyEnergies CorotationalBody::energies(const Vector3& gravity, const Work& base) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  BodyEnergies result;
  VectorX momentum = VectorX::Zero(num_speeds());
  add_mass_times(base, work.speeds, momentum);
  result.kinetic = 0.5 * work.speeds.dot(momentum);
  for (int node = 0; node < num_frames_; ++node)
    result.gravity -= nodes_[node].mass * gravity.dot(work.frames[node].position);
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const CorotationalElement& element = elements_[k];
    const BodyFrame &a = work.frames[element.a], &b = work.frames[element.b];
    const ElementState& state = work.elements[k];
    result.elastic += 0.5 * state.strain.dot(element.stiffness * state.strain);
    const Vector3 centre = line_weight[0] * a.position + line_weight[1] * (a.rotation * element.chord) +
                           line_weight[2] * b.position + line_weight[3] * (b.rotation * element.chord);
    result.gravity -= element.line_mass * gravity.dot(centre);
    Vector12 speeds;
    speeds << work.speeds.segment<6>(6 * element.a), work.speeds.segment<6>(6 * element.b);
    const Vector12 rate = state.rate * (to_world(a.rotation, b.rotation) * speeds);
    result.dissipated_power += damping_factor_ * rate.dot(element.stiffness * rate);
  }
  return result;
}

bool CorotationalBody::section_load(const Work& base, int node, Vector3& force, Vector3& moment) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const CorotationalElement& element = elements_[k];
    if (element.a != node && element.b != node) continue;
    const Vector12 ends = element.stiffness * work.elements[k].strain;
    const Vector6 end = element.b == node ? Vector6(ends.tail<6>()) : Vector6(-ends.head<6>());
    force = element_axes_[k].transpose() * end.head<3>();
    moment = element_axes_[k].transpose() * end.tail<3>();
    return true;
  }
  return false;
}

}  // namespace lithe
