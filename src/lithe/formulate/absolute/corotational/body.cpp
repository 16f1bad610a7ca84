#include "lithe/formulate/absolute/corotational/body.h"

#include <algorithm>

#include "lithe/formulate/absolute/corotational/work.h"

namespace lithe {
namespace {

// What a row of the interpolation takes of a freedom of node a or b.
double taken(const Matrix3x12& rows, int row, int column, int side) { return rows(row, column + 6 * side); }

// (6): a point of the line; (7): points of the section along y and z as seen from there, with its second moments. A
// turn ψ of a node moves its x axis by (0, ψ_z, -ψ_y), its y axis by (-ψ_z, 0, ψ_x), its z axis by (ψ_y, -ψ_x, 0).
void add_particles(const BeamProperties& beam, const QuadraturePoint& quadrature, CorotationalElement& element) {
  const BeamInterpolation rows = beam_interpolation(beam, quadrature.xi);
  const double length = quadrature.weight * beam.length;
  const double masses[] = {beam.mass_per_length, beam.rotary_inertia_z, beam.rotary_inertia_y};
  for (int axis = 0; axis < 3; ++axis) {
    ElementParticle particle;
    particle.axis = axis;
    particle.mass = length * masses[axis];
    for (int i = 0; i < 2; ++i) {
      const double deflect_y = taken(rows.translation, 1, 5, i), deflect_z = -taken(rows.translation, 2, 4, i),
                   twist = taken(rows.rotation, 0, 3, i), turn_y = taken(rows.rotation, 1, 4, i),
                   turn_z = taken(rows.rotation, 2, 5, i);
      if (axis == 0) particle.weight[i] = {0.5 * (deflect_y + deflect_z), deflect_y, deflect_z};
      if (axis == 1) particle.weight[i] = {turn_z, twist, twist};
      if (axis == 2) particle.weight[i] = {turn_y, twist, twist};
    }
    // At rest the nodes' axes are the element's.
    const Vector3 unit = Vector3::Unit(axis);
    particle.along = axis == 0 ? quadrature.xi : 0;
    particle.rest = axis == 0 ? Vector3(quadrature.xi * beam.length, 0, 0) : unit;
    particle.rest -= (particle.weight[0] + particle.weight[1]).cwiseProduct(unit);
    element.particles.push_back(particle);
  }
}

void set_mass(const BeamProperties& beam, CorotationalElement& element) {
  element.mass = beam.mass_per_length * beam.length;
  for (const QuadraturePoint& point : mass_quadrature(beam.theory)) add_particles(beam, point, element);
  for (int i = 0; i < 2; ++i) {
    element.line_weight[i].setZero();
    for (auto& of_axis : element.weights) of_axis[i][0] = of_axis[i][1] = Vector3::Zero();
  }
  for (const ElementParticle& particle : element.particles) {
    const double first = particle.mass * particle.along;
    element.along_mass[0] += first;
    element.along_mass[1] += first * particle.along;
    for (int i = 0; i < 2; ++i) {
      const Vector3 heavy = particle.mass * particle.weight[i];
      for (int j = 0; j < 2; ++j) element.weights[particle.axis][i][j] += heavy.cwiseProduct(particle.weight[j]);
      element.along_weight[i] += first * particle.weight[i].x();
      if (particle.on_line()) element.line_weight[i] += heavy;
    }
  }
}

// The linear element's matrix in beam axes, on (0, ψ_a, stretch along x, ψ_b).
void set_stiffness(const Matrix12& of_link, CorotationalElement& element) {
  Matrix12 of_beam;
  for (int i = 0; i < 12; i += 3)
    for (int j = 0; j < 12; j += 3)
      of_beam.block<3, 3>(i, j) = element.axes.transpose() * of_link.block<3, 3>(i, j) * element.axes;
  element.end_loads << of_beam.middleCols<3>(3), of_beam.rightCols<3>(), of_beam.col(6);
  element.stiffness << element.end_loads.middleRows<3>(3), element.end_loads.bottomRows<3>(), element.end_loads.row(6);
  element.stiffness = (0.5 * (element.stiffness + element.stiffness.transpose())).eval();
}

}  // namespace

CorotationalBody::CorotationalBody(const Model& model, const Link& link, const FiniteElementBody& mesh,
                                   double damping_factor)
    : positions_(mesh.node_positions), nodes_(mesh.node_positions.size()), damping_factor_(damping_factor) {
  num_frames_ = mesh.num_nodes();
  for (const BeamElement& source : mesh.elements) {
    const BeamSegment& segment = link.segments[source.segment];
    CorotationalElement element;
    element.a = source.node_a;
    element.b = source.node_b;
    element.axes = source.axes;
    element.length = (positions_[element.b] - positions_[element.a]).norm();
    set_stiffness(source.stiffness, element);
    const BeamProperties beam = beam_properties(segment.theory, model.materials[segment.material],
                                                model.sections[segment.section], element.length);
    if (segment.mass_model == MassModel::consistent)
      set_mass(beam, element);
    else
      add_lumped_mass(beam, element);
    elements_.push_back(element);
  }
  for (const LumpedMass& lumped : link.lumped_masses) {
    nodes_[lumped.node].mass += lumped.mass;
    nodes_[lumped.node].inertia += lumped.inertia;
  }
  set_order();
}

// Mass and rotary inertia, half at each end.
void CorotationalBody::add_lumped_mass(const BeamProperties& beam, CorotationalElement& element) {
  const double half = 0.5 * element.length;
  const Vector3 principal(beam.rotary_inertia_y + beam.rotary_inertia_z, beam.rotary_inertia_y, beam.rotary_inertia_z);
  element.lumped_mass = half * beam.mass_per_length;
  element.lumped_inertia = element.axes * (half * principal).asDiagonal() * element.axes.transpose();
  for (const int node : {element.a, element.b}) {
    nodes_[node].mass += element.lumped_mass;
    nodes_[node].inertia += element.lumped_inertia;
  }
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
  const Vector12 none = Vector12::Zero();
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const CorotationalElement& element = elements_[k];
    const Vector12 own = element_force<double>(element, work.elements[k], of_nodes(element, work.speeds), none, gravity,
                                               damping_factor_);
    force.segment<6>(6 * element.a) -= own.head<6>();
    force.segment<6>(6 * element.b) -= own.tail<6>();
  }
}

void CorotationalBody::add_mass_times(const Work& base, const Eigen::Ref<const VectorX>& values,
                                      Eigen::Ref<VectorX> result) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  for (int node = 0; node < num_frames_; ++node) {
    result.segment<3>(6 * node) += nodes_[node].mass * values.segment<3>(6 * node);
    result.segment<3>(6 * node + 3) += nodes_[node].inertia * values.segment<3>(6 * node + 3);
  }
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const CorotationalElement& element = elements_[k];
    if (element.particles.empty()) continue;
    const Vector12 own = mass_times<double>(element, work.elements[k], of_nodes(element, values));
    result.segment<6>(6 * element.a) += own.head<6>();
    result.segment<6>(6 * element.b) += own.tail<6>();
  }
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
    const Eigen::Matrix<double, 7, 12>& rate = work.elements[k].rate;
    const Matrix12 material = rate.transpose() * element.stiffness * rate;
    const Matrix12 own = element_mass(element, work.elements[k]);
    const int at[] = {6 * element.a, 6 * element.b};
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        mass.block<6, 6>(at[i], at[j]) += own.block<6, 6>(6 * i, 6 * j);
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
    Matrix12 block = element_mass(element, work.elements[k]);
    if (factor > 0) {
      const Eigen::Matrix<double, 7, 12>& rate = work.elements[k].rate;
      const Eigen::Matrix<double, 7, 12> product = factor * element.stiffness * rate;
      block.noalias() += rate.transpose() * product;
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

Matrix3 CorotationalBody::node_rotation(const Work& base, int node) const {
  return static_cast<const BeamWork&>(base).frames[node].rotation;
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
    const ElementState& state = work.elements[k];
    result.elastic += 0.5 * state.strain.dot(element.stiffness * state.strain);
    result.gravity -=
        gravity.dot(element.mass * work.frames[element.a].position + state.E * first_moment(element, state));
    const Vector7Of<double> rate = state.rate * of_nodes(element, work.speeds);
    result.dissipated_power += damping_factor_ * rate.dot(element.stiffness * rate);
  }
  return result;
}

bool CorotationalBody::section_load(const Vector3& gravity, const Work& base, int node,
                                    const Eigen::Ref<const VectorX>& accelerations, Vector3& force,
                                    Vector3& moment) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const CorotationalElement& element = elements_[k];
    if (element.a != node && element.b != node) continue;
    section_wrench<double>(element, element.b == node, work.elements[k], of_nodes(element, work.speeds),
                           of_nodes(element, accelerations), gravity, damping_factor_, force, moment);
    return true;
  }
  return false;
}

}  // namespace lithe
