#include "lithe/analyse/observe/deformation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>
#include <utility>

#include "lithe/analyse/observe/link_neighbours.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/formulate/add_formulation.h"
#include "lithe/formulate/contract/automatic_stiffening.h"
#include "lithe/formulate/contract/link_stiffening.h"
#include "lithe/formulate/links/held_link.h"
#include "lithe/formulate/links/second_order.h"
#include "lithe/model/sections/section_stress.h"

namespace lithe {
namespace {

// Geometric stiffening is taken in by itself from this part of Euler's load on, which is 1 % of a frequency; from a
// phase of the vibration on; and from a slope of a beam that turns others on.
constexpr double axial_force_that_matters = 0.02, phase_that_matters = 0.25, slope_that_matters = 0.015;
// Of links of meshes: (Ω/ω)², which changes a squared frequency by 1.2 of it at most.
constexpr double spin_that_matters = 0.02;
// Less of them is told. Less than the small part changes a frequency by less than 0.25 %, whatever that does in the
// long run.
constexpr double phase_to_tell = 0.02, slope_to_tell = 0.005, small_axial_force = 0.005;

double rotation_angle(const Matrix3& R) { return std::abs(Eigen::AngleAxisd(R).angle()); }

std::string digits(double value) {
  std::ostringstream out;
  out.precision(3);
  out << value;
  return out.str();
}

double phase_of(const LinkDeformation& link) { return link.axial > small_axial_force ? std::abs(link.phase) : 0; }

std::string when(double time) { return std::isnan(time) ? "" : cat(" at ", digits(time), " s"); }

std::string axial_warning(const LinkDeformation& link) {
  return cat(
      "link '", link.link, "': the force along it", when(link.axial_time), " is ", digits(100 * link.axial),
      " % of its Euler load and changes its bending stiffness by about as much; here such geometric stiffening is "
      "left out; transfer-functions and corotational contain it");
}

std::string spin_text(const LinkDeformation& link) {
  return cat("link '", link.link, "': it turns at ", digits(link.spin_speed), " rad/s", when(link.spin_time),
             ", whose square is ", digits(100 * link.spin), " % of that of its slowest mode held at its joints (",
             digits(link.spin_frequency), " Hz)");
}

std::string spin_warning(const LinkDeformation& link) {
  return cat(spin_text(link), " and changes its bending stiffness by about as much; ",
             link.spin_stiffens ? "here such geometric stiffening is left out; --geometric-stiffening has it"
                                : "links of matrices have no geometric stiffening; make it of beams or of a mesh");
}

std::string push_warning(const LinkDeformation& link) {
  return cat("link '", link.link, "': it is pushed with ", digits(100 * link.push), " % of its Euler load",
             when(link.push_time),
             ", at which a straight beam buckles when it lasts, to any side; how far then hangs on imperfections "
             "that the model does not have");
}

// What hangs on a link beyond its joints and is held by nothing else, at the nodes that carry it.
std::vector<CarriedMass> carried_by(const Equations& equations, int index) {
  std::vector<CarriedMass> carried;
  for (const CarriedLinks& group : carried_links(equations.model(), index)) {
    CarriedMass mass{group.node, 0};
    for (const int link : group.links)
      if (const ModalLink* modes = bending_modes(equations, link)) mass.mass += modes->mass;
    carried.push_back(mass);
  }
  return carried;
}

bool is_beams(const Link& link) { return !link.rigid && !link.segments.empty(); }

}  // namespace

DeformationWatch::DeformationWatch(const Equations& equations) : equations_(equations) {
  const std::vector<Link>& links = equations.model().links;
  for (std::size_t k = 0; k < links.size(); ++k)
    if (is_beams(links[k])) add_beams(static_cast<int>(k));
  join_bodies();
  for (std::size_t k = 0; k < links.size(); ++k)
    if (!links[k].rigid && !is_beams(links[k]) && !stiffens_link(equations, static_cast<int>(k)))
      add_turning(static_cast<int>(k));
}

void DeformationWatch::add_beams(int index) {
  const Model& model = equations_.model();
  const Link& link = model.links[static_cast<std::size_t>(index)];
  Flexible body;
  body.link = index;
  body.stiffens = stiffens_link(equations_, index);
  const FiniteElementBody mesh = assemble(model, link, true);
  body.rest = mesh.node_positions;
  for (const BeamElement& element : mesh.elements) body.elements.emplace_back(element.node_a, element.node_b);
  for (const BeamSegment& segment : link.segments) {
    const Vector3 chord = link.nodes[segment.to].position - link.nodes[segment.from].position;
    body.length += chord.norm();
    for (const int node : {segment.from, segment.to}) {
      if (std::count(body.strain_nodes.begin(), body.strain_nodes.end(), node) > 0) continue;
      body.strain_nodes.push_back(node);
      body.sections.push_back(segment.section);
      body.materials.push_back(segment.material);
    }
  }
  if (const ModalLink* modes = body.stiffens ? nullptr : bending_modes(equations_, index)) {
    const HeldNodes held = held_nodes(model, index);
    const double squared =
        held.inboard < 0 ? 0
                         : held_squared_frequency(*modes, held.inboard, held.outboard, carried_by(equations_, index));
    if (std::isfinite(squared)) body.slowest = std::sqrt(squared);
  }
  double span = 0;
  for (const BeamSegment& a : link.segments)
    for (const BeamSegment& b : link.segments)
      span = std::max(span, (link.nodes[b.to].position - link.nodes[a.from].position).norm());
  body.turns_others = model.links.size() > 1 || span < 0.999 * body.length;
  LinkDeformation deformation;
  deformation.link = link.name;
  bodies_.push_back(std::move(body));
  links_.push_back(deformation);
}

void DeformationWatch::add_turning(int index) {
  const ModalLink* modes = bending_modes(equations_, index);
  const HeldNodes held = held_nodes(equations_.model(), index);
  if (!modes || held.inboard < 0) return;
  turning_.push_back({index, held.inboard,
                      held_squared_frequency(*modes, held.inboard, held.outboard, carried_by(equations_, index)),
                      long_axis(*modes)});
  LinkDeformation deformation;
  deformation.link = equations_.model().links[static_cast<std::size_t>(index)].name;
  deformation.spin_frequency = std::sqrt(turning_.back().squared_frequency) / (2 * std::numbers::pi);
  deformation.spin_stiffens = equations_.model().links[static_cast<std::size_t>(index)].mesh != nullptr &&
                              modes->num_modes <= QuadraticForms::most_modes;
  links_.push_back(deformation);
}

// Links that fixed joints make one body bend as one: how far it reaches, and where their nodes are in the frame of the
// first of them, in the undeformed mechanism.
void DeformationWatch::join_bodies() {
  const Model& model = equations_.model();
  const std::vector<int> first = first_of_body(model);
  std::vector<std::vector<std::size_t>> members(model.links.size());
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    members[static_cast<std::size_t>(first[static_cast<std::size_t>(bodies_[k].link)])].push_back(k);
  if (std::all_of(members.begin(), members.end(), [](const auto& body) { return body.size() < 2; })) return;
  const auto workspace = equations_.make_workspace();
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, 0, inputs);
  const State start = equations_.initial_state();
  const Accelerations still{VectorX::Zero(equations_.num_coordinates())};
  for (const std::vector<std::size_t>& body : members) {
    if (body.size() < 2) continue;
    std::vector<Vector3> named;
    NodeMotion origin;
    for (const std::size_t k : body) {
      Flexible& member = bodies_[k];
      equations_.node_motions(start, inputs, still, member.link, nodes_, *workspace);
      if (k == body.front()) origin = nodes_.front();
      if (k != body.front()) member.first = static_cast<int>(body.front());
      member.joined_axes = origin.orientation.transpose() * nodes_.front().orientation;
      for (const NodeMotion& node : nodes_)
        member.joined_rest.push_back(origin.orientation.transpose() * (node.position - origin.position));
      const std::size_t own = model.links[static_cast<std::size_t>(member.link)].nodes.size();
      named.insert(named.end(), member.joined_rest.begin(),
                   member.joined_rest.begin() + static_cast<std::ptrdiff_t>(std::min(own, member.joined_rest.size())));
    }
    double reach = 0;
    for (const Vector3& one : named)
      for (const Vector3& other : named) reach = std::max(reach, (one - other).norm());
    for (const std::size_t k : body) bodies_[k].reach = reach;
  }
}

void DeformationWatch::look(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                            Workspace& workspace) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    Flexible& body = bodies_[k];
    LinkDeformation& largest = links_[k];
    equations_.node_motions(state, inputs, accelerations, body.link, nodes_, workspace);
    const std::size_t n = std::min(nodes_.size(), body.rest.size());
    const Matrix3 first = nodes_[0].orientation;
    for (std::size_t node = 1; node < n; ++node) {
      const Vector3 moved = first.transpose() * (nodes_[node].position - nodes_[0].position);
      const double deflection = (moved - (body.rest[node] - body.rest[0])).norm() / body.length;
      const double rotation = rotation_angle(first.transpose() * nodes_[node].orientation);
      if (deflection > largest.deflection) {
        largest.deflection = deflection;
        largest.deflection_time = state.time;
      }
      if (rotation > largest.rotation) {
        largest.rotation = rotation;
        largest.rotation_time = state.time;
      }
    }
    // Of a body of several links the first one tells.
    look_at_joined(body, body.first < 0 ? largest : links_[static_cast<std::size_t>(body.first)], state.time);
    look_at_elements(body, largest, state.time);
    look_at_strains(body, largest, state, inputs, accelerations, workspace);
  }
  for (std::size_t k = 0; k < turning_.size(); ++k)
    look_at_spin(turning_[k], links_[bodies_.size() + k], state, inputs, accelerations, workspace);
}

void DeformationWatch::look_at_joined(Flexible& body, LinkDeformation& largest, double time) {
  body.position = nodes_.front().position;
  body.axes = nodes_.front().orientation;
  if (body.first < 0) return;
  const Flexible& first = bodies_[static_cast<std::size_t>(body.first)];
  const std::size_t n = std::min(nodes_.size(), body.joined_rest.size());
  for (std::size_t node = 0; node < n; ++node) {
    const Vector3 moved = first.axes.transpose() * (nodes_[node].position - first.position);
    const double deflection = (moved - body.joined_rest[node]).norm() / std::max(body.reach, body.length);
    const double rotation =
        rotation_angle(first.axes.transpose() * nodes_[node].orientation * body.joined_axes.transpose());
    if (deflection > largest.joined_deflection) {
      largest.joined_deflection = deflection;
      largest.joined_deflection_time = time;
    }
    if (rotation > largest.joined_rotation) {
      largest.joined_rotation = rotation;
      largest.joined_rotation_time = time;
    }
  }
}

// Rotation about the link's own length pulls at nothing that bends.
void DeformationWatch::look_at_spin(const Turning& turning, LinkDeformation& largest, const State& state,
                                    const Inputs& inputs, const Accelerations& accelerations,
                                    Workspace& workspace) const {
  const NodeMotion motion = equations_.node_motion(state, inputs, accelerations, turning.link, turning.node, workspace);
  const Vector3 omega = motion.orientation.transpose() * motion.angular_velocity;
  const double squared = omega.squaredNorm() - std::pow(omega.dot(turning.along), 2);
  const double part = squared / turning.squared_frequency;
  if (!(part > largest.spin)) return;
  largest.spin = part;
  largest.spin_time = state.time;
  largest.spin_speed = std::sqrt(squared);
}

void DeformationWatch::look_at_axial_forces(const State& state, const Inputs& inputs,
                                            const Accelerations& accelerations, Workspace& workspace) {
  const Model& model = equations_.model();
  Vector3 force, moment;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Flexible& body = bodies_[k];
    if (body.stiffens) continue;
    double sum = 0;  // of parts of Euler's load, pulls positive
    std::size_t looked = 0;
    for (; looked < body.strain_nodes.size(); ++looked) {
      if (!equations_.section_load(state, inputs, accelerations, body.link, body.strain_nodes[looked], force, moment,
                                   workspace))
        break;
      look_at_axial_force(body, links_[k], looked, force.x(), state.time);
      sum += force.x() / euler_load(body, looked);
      const Section& section = model.sections[body.sections[looked]];
      const double E = model.materials[body.materials[looked]].young_modulus;
      const double curvature =
          std::hypot(moment.y() / (E * section.second_moment_y), moment.z() / (E * section.second_moment_z));
      const double slope = curvature * body.length / 2;  // as of a force at its end
      if (slope <= links_[k].slope) continue;
      links_[k].slope = slope;
      links_[k].slope_time = state.time;
    }
    if (looked > 0) add_phase(body, links_[k], sum / static_cast<double>(looked), state.time);
  }
  for (std::size_t k = 0; k < turning_.size(); ++k)
    if (LinkDeformation& link = links_[bodies_.size() + k]; link.spin_stiffens)
      look_at_spin(turning_[k], link, state, inputs, accelerations, workspace);
}

// By the trapezium rule between looks: vibrations of the force cancel, whichever steps are looked at.
void DeformationWatch::add_phase(const Flexible& body, LinkDeformation& link, double part, double time) const {
  const double rate = 0.5 * body.slowest * part;
  link.phase += 0.5 * (link.phase_rate + rate) * (time - link.phase_time);
  link.phase_rate = rate;
  link.phase_time = time;
}

void DeformationWatch::begin(double time, double tolerance) {
  start_ = time;
  tolerance_ = tolerance;
  for (LinkDeformation& link : links_) link.phase_time = time;
}

// What small forces and slopes do counts in motions, where it exceeds what positions may be off by.
bool DeformationWatch::exceeds_tolerance(const Flexible& body, const LinkDeformation& link, double part) const {
  const double bow = link.slope * body.length * 2 / 3;  // as of a force at its end
  return tolerance_ > 0 && part * bow > tolerance_ * (link.phase_time - start_);
}

const LinkDeformation* DeformationWatch::above(double axial_limit, double phase_limit, double slope_limit) const {
  const LinkDeformation* found = nullptr;
  double largest = 1;  // of a limit
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const LinkDeformation& link = links_[k];
    double part = link.axial / axial_limit;
    const double slope = bodies_[k].turns_others ? link.slope : 0;
    for (const auto& [value, limit] : {std::pair(phase_of(link), phase_limit), std::pair(slope, slope_limit)})
      if (exceeds_tolerance(bodies_[k], link, value)) part = std::max(part, value / limit);
    if (part <= largest) continue;
    largest = part;
    found = &link;
  }
  for (std::size_t k = bodies_.size(); k < links_.size(); ++k)
    if (links_[k].spin_stiffens && links_[k].spin / spin_that_matters > largest) {
      largest = links_[k].spin / spin_that_matters;
      found = &links_[k];
    }
  return found;
}

const LinkDeformation* DeformationWatch::stiffened_link() const {
  return above(axial_force_that_matters, phase_that_matters, slope_that_matters);
}

const LinkDeformation* DeformationWatch::link_to_tell() const {
  return above(axial_force_that_matters, phase_to_tell, slope_to_tell);
}

void DeformationWatch::look_at_elements(const Flexible& body, LinkDeformation& largest, double time) const {
  const int n = static_cast<int>(nodes_.size());
  for (const auto& [a, b] : body.elements) {
    if (a >= n || b >= n) continue;
    const double bend = rotation_angle(nodes_[a].orientation.transpose() * nodes_[b].orientation);
    if (bend <= largest.bend) continue;
    largest.bend = bend;
    largest.bend_time = time;
  }
}

// Of the whole link, or of the body of which fixed joints make it a part: π² E I / L².
double DeformationWatch::euler_load(const Flexible& body, std::size_t node) const {
  const Model& model = equations_.model();
  const Section& section = model.sections[body.sections[node]];
  const double bending =
      model.materials[body.materials[node]].young_modulus * std::min(section.second_moment_y, section.second_moment_z);
  return bending * std::pow(std::numbers::pi / std::max(body.length, body.reach), 2);
}

// The force along a beam over Euler's load: about the part by which it changes the bending stiffness. Pulls are
// positive.
void DeformationWatch::look_at_axial_force(const Flexible& body, LinkDeformation& largest, std::size_t node,
                                           double force, double time) const {
  const double part = std::abs(force) / euler_load(body, node);
  if (body.stiffens) {
    if (force > 0 || part <= largest.push) return;
    largest.push = part;
    largest.push_time = time;
    return;
  }
  if (part <= largest.axial) return;
  largest.axial = part;
  largest.axial_time = time;
}

// N/(E A) + M_y z/(E I_y) + M_z y/(E I_z) at the corner of the outline where they add up.
void DeformationWatch::look_at_strains(const Flexible& body, LinkDeformation& largest, const State& state,
                                       const Inputs& inputs, const Accelerations& accelerations, Workspace& workspace) {
  const Model& model = equations_.model();
  for (std::size_t i = 0; i < body.strain_nodes.size(); ++i) {
    Vector3 force, moment;
    if (!equations_.section_load(state, inputs, accelerations, body.link, body.strain_nodes[i], force, moment,
                                 workspace))
      return;
    const Section& section = model.sections[body.sections[i]];
    const double E = model.materials[body.materials[i]].young_modulus;
    look_at_axial_force(body, largest, i, force.x(), state.time);
    const SectionFibres edge = extreme_fibres(section);
    const double strain = std::abs(force.x()) / (E * section.area) +
                          std::abs(moment.y()) * edge.z / (E * section.second_moment_y) +
                          std::abs(moment.z()) * edge.y / (E * section.second_moment_z);
    if (strain <= largest.strain) continue;
    largest.strain = strain;
    largest.strain_time = state.time;
    largest.strain_node = model.links[body.link].nodes[body.strain_nodes[i]].name;
  }
}

double range_used(const LinkDeformation& link, bool large_allowed, const SmallRange& range) {
  const double bent = large_allowed
                          ? link.bend / range.bend
                          : std::max({link.deflection / range.deflection, link.joined_deflection / range.deflection,
                                      link.rotation / range.rotation, link.joined_rotation / range.rotation});
  return std::max(
      {bent, link.strain / range.strain, link.axial / range.axial, link.spin / range.spin, link.push / range.push});
}

std::vector<std::string> deformation_warnings(const std::vector<LinkDeformation>& links, bool large_allowed,
                                              const SmallRange& range) {
  std::vector<std::string> warnings;
  const std::string advice = "; compare with the corotational formulation";
  for (const LinkDeformation& link : links) {
    if (!large_allowed && link.deflection > range.deflection)
      warnings.push_back(cat("link '", link.link, "': deflection of ", digits(100 * link.deflection),
                             " % of its length", when(link.deflection_time), ", small is below ",
                             digits(100 * range.deflection), " %", advice));
    else if (!large_allowed && link.joined_deflection > range.deflection)
      warnings.push_back(cat("link '", link.link, "' and those fixed to it: deflection of ",
                             digits(100 * link.joined_deflection), " % of their length",
                             when(link.joined_deflection_time), ", small is below ", digits(100 * range.deflection),
                             " %", advice));
    if (!large_allowed && link.rotation > range.rotation)
      warnings.push_back(cat("link '", link.link, "': sections turn by ", digits(link.rotation), " rad",
                             when(link.rotation_time), ", small is below ", digits(range.rotation), " rad", advice));
    else if (!large_allowed && link.joined_rotation > range.rotation)
      warnings.push_back(cat("link '", link.link, "' and those fixed to it: sections turn by ",
                             digits(link.joined_rotation), " rad", when(link.joined_rotation_time), ", small is below ",
                             digits(range.rotation), " rad", advice));
    if (large_allowed && link.bend > range.bend)
      warnings.push_back(cat("link '", link.link, "': an element bends by ", digits(link.bend), " rad",
                             when(link.bend_time), ", small is below ", digits(range.bend),
                             " rad; divide its beams into more elements"));
    if (link.strain > range.strain)
      warnings.push_back(cat("link '", link.link, "': strain of ", digits(100 * link.strain), " % at node '",
                             link.strain_node, "'", when(link.strain_time), ", linear material is below ",
                             digits(100 * range.strain), " %"));
    if (link.axial > range.axial) warnings.push_back(axial_warning(link));
    if (link.spin > range.spin) warnings.push_back(spin_warning(link));
    if (link.push > range.push) warnings.push_back(push_warning(link));
  }
  return warnings;
}

bool allows_large_deflections(const Equations& equations) {
  return formulation_traits(equations.name()).large_deflections;
}

namespace {

std::vector<LinkDeformation> deformations_at_rest(const Equations& equations, const State& state,
                                                  const Inputs& inputs) {
  const auto workspace = equations.make_workspace();
  Accelerations still;
  still.values = VectorX::Zero(equations.num_coordinates());
  DeformationWatch watch(equations);
  watch.look(state, inputs, still, *workspace);
  std::vector<LinkDeformation> links = watch.links();
  for (LinkDeformation& link : links)
    link.deflection_time = link.rotation_time = link.strain_time = link.bend_time = link.axial_time =
        link.joined_deflection_time = link.joined_rotation_time = link.spin_time = link.push_time =
            std::numeric_limits<double>::quiet_NaN();
  return links;
}

}  // namespace

std::vector<std::string> deformation_warnings(const Equations& equations, const State& state, const Inputs& inputs) {
  return deformation_warnings(deformations_at_rest(equations, state, inputs), allows_large_deflections(equations));
}

std::optional<LinkDeformation> stiffened_link(const Equations& equations, const State& state, const Inputs& inputs) {
  if (equations.has_geometric_stiffening()) return std::nullopt;
  const auto workspace = equations.make_workspace();
  const Accelerations still{VectorX::Zero(equations.num_coordinates())};
  DeformationWatch watch(equations);
  watch.begin(state.time, 0);
  watch.look_at_axial_forces(state, inputs, still, *workspace);
  const LinkDeformation* found = watch.stiffened_link();
  if (!found) return std::nullopt;
  LinkDeformation link = *found;
  link.axial_time = link.spin_time = std::numeric_limits<double>::quiet_NaN();
  return link;
}

bool axial_force_matters(const LinkDeformation& link) {
  return link.axial > axial_force_that_matters || link.spin > spin_that_matters;
}

std::string axial_force_text(const LinkDeformation& link) {
  if (link.spin > spin_that_matters) return spin_text(link);
  const std::string name = cat("link '", link.link, "': "),
                    force = cat(digits(100 * link.axial), " % of its Euler load");
  if (axial_force_matters(link)) return name + force + when(link.axial_time);
  std::string bent, shifted;
  if (link.slope > slope_to_tell) bent = cat("sections turn by ", digits(link.slope), " rad", when(link.slope_time));
  if (phase_of(link) > phase_to_tell)
    shifted = cat(force, " at most, which shifts its vibration by ", digits(phase_of(link)), " rad in ",
                  digits(link.phase_time), " s");
  return cat(name, bent, bent.empty() || shifted.empty() ? "" : "; ", shifted);
}

std::string unstiffened_links(const Equations& equations) {
  if (can_stiffen(equations)) return "";
  const std::vector<Link>& links = equations.model().links;
  bool some = false;
  std::string without;
  for (std::size_t k = 0; k < links.size(); ++k) {
    if (links[k].rigid) continue;
    const bool stiffens = stiffens_link(equations, static_cast<int>(k));
    some = some || stiffens;
    if (!stiffens) without += cat(without.empty() ? "'" : ", '", links[k].name, "'");
  }
  if (!some || without.empty()) return "";
  return cat("geometric stiffening is that of beams and of meshes: ", without, " have none");
}

std::string left_out_stiffening(const Equations& equations, const State& state, const Inputs& inputs) {
  if (equations.has_geometric_stiffening()) return "";
  const SmallRange range;
  double largest = 1;  // of a limit
  std::string warning;
  for (const LinkDeformation& link : deformations_at_rest(equations, state, inputs)) {
    if (link.axial > largest * range.axial) {
      largest = link.axial / range.axial;
      warning = axial_warning(link);
    }
    if (link.spin > largest * range.spin) {
      largest = link.spin / range.spin;
      warning = spin_warning(link);
    }
  }
  return warning;
}

}  // namespace lithe
