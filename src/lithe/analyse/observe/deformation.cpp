#include "lithe/analyse/observe/deformation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/formulate/formulation_traits.h"
#include "lithe/model/sections/section_stress.h"

namespace lithe {
namespace {

// From this part of Euler's load on geometric stiffening is taken in by itself: 1 % of a frequency.
constexpr double axial_force_that_matters = 0.02;

double rotation_angle(const Matrix3& R) { return std::abs(Eigen::AngleAxisd(R).angle()); }

std::string digits(double value) {
  std::ostringstream out;
  out.precision(3);
  out << value;
  return out.str();
}

std::string when(double time) { return std::isnan(time) ? "" : cat(" at ", digits(time), " s"); }

std::string axial_warning(const LinkDeformation& link) {
  return cat(
      "link '", link.link, "': the force along it", when(link.axial_time), " is ", digits(100 * link.axial),
      " % of its Euler load and changes its bending stiffness by about as much; here such geometric stiffening is "
      "left out; transfer-functions and corotational contain it");
}

}  // namespace

DeformationWatch::DeformationWatch(const Equations& equations) : equations_(equations) {
  const Model& model = equations.model();
  for (std::size_t k = 0; k < model.links.size(); ++k) {
    const Link& link = model.links[k];
    if (link.rigid || link.segments.empty()) continue;
    Flexible body;
    body.link = static_cast<int>(k);
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
    LinkDeformation deformation;
    deformation.link = link.name;
    bodies_.push_back(std::move(body));
    links_.push_back(deformation);
  }
}

void DeformationWatch::look(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                            Workspace& workspace) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Flexible& body = bodies_[k];
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
    look_at_elements(body, largest, state.time);
    look_at_strains(body, largest, state, inputs, accelerations, workspace);
  }
}

void DeformationWatch::look_at_axial_forces(const State& state, const Inputs& inputs,
                                            const Accelerations& accelerations, Workspace& workspace) {
  Vector3 force, moment;
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    for (std::size_t i = 0; i < bodies_[k].strain_nodes.size(); ++i) {
      if (!equations_.section_load(state, inputs, accelerations, bodies_[k].link, bodies_[k].strain_nodes[i], force,
                                   moment, workspace))
        break;
      look_at_axial_force(bodies_[k], links_[k], i, force.x(), state.time);
    }
}

const LinkDeformation* DeformationWatch::stiffened_link() const {
  const auto largest =
      std::max_element(links_.begin(), links_.end(),
                       [](const LinkDeformation& a, const LinkDeformation& b) { return a.axial < b.axial; });
  return largest == links_.end() || largest->axial <= axial_force_that_matters ? nullptr : &*largest;
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

// The force along a beam over Euler's load of the whole link, π² E I / L²: about the part by which it changes the
// bending stiffness.
void DeformationWatch::look_at_axial_force(const Flexible& body, LinkDeformation& largest, std::size_t node,
                                           double force, double time) const {
  if (equations_.has_geometric_stiffening()) return;
  const Model& model = equations_.model();
  const Section& section = model.sections[body.sections[node]];
  const double bending =
      model.materials[body.materials[node]].young_modulus * std::min(section.second_moment_y, section.second_moment_z);
  const double part = std::abs(force) / (bending * std::pow(std::numbers::pi / body.length, 2));
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

std::vector<std::string> deformation_warnings(const std::vector<LinkDeformation>& links, bool large_allowed,
                                              const SmallRange& range) {
  std::vector<std::string> warnings;
  const std::string advice = "; compare with the corotational formulation";
  for (const LinkDeformation& link : links) {
    if (!large_allowed && link.deflection > range.deflection)
      warnings.push_back(cat("link '", link.link, "': deflection of ", digits(100 * link.deflection),
                             " % of its length", when(link.deflection_time), ", small is below ",
                             digits(100 * range.deflection), " %", advice));
    if (!large_allowed && link.rotation > range.rotation)
      warnings.push_back(cat("link '", link.link, "': sections turn by ", digits(link.rotation), " rad",
                             when(link.rotation_time), ", small is below ", digits(range.rotation), " rad", advice));
    if (large_allowed && link.bend > range.bend)
      warnings.push_back(cat("link '", link.link, "': an element bends by ", digits(link.bend), " rad",
                             when(link.bend_time), ", small is below ", digits(range.bend),
                             " rad; divide its beams into more elements"));
    if (link.strain > range.strain)
      warnings.push_back(cat("link '", link.link, "': strain of ", digits(100 * link.strain), " % at node '",
                             link.strain_node, "'", when(link.strain_time), ", linear material is below ",
                             digits(100 * range.strain), " %"));
    if (link.axial > range.axial) warnings.push_back(axial_warning(link));
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
  watch.look_at_axial_forces(state, inputs, still, *workspace);
  const LinkDeformation* found = watch.stiffened_link();
  if (!found) return std::nullopt;
  LinkDeformation link = *found;
  link.axial_time = std::numeric_limits<double>::quiet_NaN();
  return link;
}

std::string axial_force_text(const LinkDeformation& link) {
  return cat("link '", link.link, "': ", digits(100 * link.axial), " % of its Euler load", when(link.axial_time));
}

std::string left_out_stiffening(const Equations& equations, const State& state, const Inputs& inputs) {
  if (equations.has_geometric_stiffening()) return "";
  const std::vector<LinkDeformation> links = deformations_at_rest(equations, state, inputs);
  const auto largest = std::max_element(
      links.begin(), links.end(), [](const LinkDeformation& a, const LinkDeformation& b) { return a.axial < b.axial; });
  return largest == links.end() || largest->axial <= SmallRange{}.axial ? "" : axial_warning(*largest);
}

}  // namespace lithe
