#include "lithe/analyse/deformation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/formulate/left_out_stiffening.h"

namespace lithe {
namespace {

// Distances of the outline from the section's axes.
struct Outline {
  double y = 0, z = 0;
};

Outline outline(const Section& section) {
  const auto& d = section.dimensions;
  switch (section.shape) {
    case SectionShape::rectangle:
    case SectionShape::i_beam:
      return {0.5 * d[0], 0.5 * d[1]};
    case SectionShape::circle:
    case SectionShape::tube:
      return {d[0], d[0]};
    case SectionShape::general:
      break;
  }
  // A rectangle of the same second moments.
  return {std::sqrt(3 * section.second_moment_z / section.area), std::sqrt(3 * section.second_moment_y / section.area)};
}

double rotation_angle(const Matrix3& R) { return std::abs(Eigen::AngleAxisd(R).angle()); }

std::string digits(double value) {
  std::ostringstream out;
  out.precision(3);
  out << value;
  return out.str();
}

std::string when(double time) { return std::isnan(time) ? "" : cat(" at ", digits(time), " s"); }

}  // namespace

DeformationWatch::DeformationWatch(const Equations& equations) : equations_(equations) {
  const Model& model = equations.model();
  for (std::size_t k = 0; k < model.links.size(); ++k) {
    const Link& link = model.links[k];
    if (link.rigid || link.segments.empty()) continue;
    Flexible body;
    body.link = static_cast<int>(k);
    const FiniteElementBody mesh = assemble(model, link);
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
    bodies_.push_back(std::move(body));
    LinkDeformation deformation;
    deformation.link = link.name;
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
  const LeftOutStiffening left_out = left_out_stiffening(equations_, state, inputs, accelerations, workspace);
  if (left_out.part <= stiffening_) return;
  stiffening_ = left_out.part;
  stiffening_time_ = state.time;
  stiffening_link_ = left_out.link;
}

std::vector<std::string> DeformationWatch::warnings() const {
  std::vector<std::string> warnings = deformation_warnings(links_, allows_large_deflections(equations_));
  if (stiffening_ > SmallRange{}.stiffening)
    warnings.push_back(cat("link '", equations_.model().links[static_cast<std::size_t>(stiffening_link_)].name, "': ",
                           left_out_text(stiffening_), when(stiffening_time_), "; use floating-frame or corotational"));
  return warnings;
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

// The force along a beam over Euler's load of the link: the part by which it changes the bending stiffness.
void DeformationWatch::look_at_force(const Flexible& body, double force, double bending_stiffness, double time) {
  const double euler = std::pow(std::numbers::pi / body.length, 2) * bending_stiffness;
  const double part = left_out_part(equations_, body.link) * std::abs(force) / euler;
  if (part <= stiffening_) return;
  stiffening_ = part;
  stiffening_time_ = time;
  stiffening_link_ = body.link;
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
    const Outline edge = outline(section);
    look_at_force(body, force.x(), E * std::min(section.second_moment_y, section.second_moment_z), state.time);
    const double strain = std::abs(force.x()) / (E * section.area) +
                          std::abs(moment.y()) * edge.z / (E * section.second_moment_y) +
                          std::abs(moment.z()) * edge.y / (E * section.second_moment_z);
    if (strain <= largest.strain) continue;
    largest.strain = strain;
    largest.strain_time = state.time;
    largest.strain_node = model.links[body.link].nodes[body.strain_nodes[i]].name;
  }
}

std::string left_out_text(double part) {
  return cat("geometric stiffening that this formulation leaves out would change its bending stiffness by about ",
             digits(100 * part), " %");
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
  }
  return warnings;
}

bool allows_large_deflections(const Equations& equations) {
  const std::string name = equations.name();
  return name.starts_with("corotational") || name.starts_with("transfer-functions");
}

std::vector<std::string> deformation_warnings(const Equations& equations, const State& state, const Inputs& inputs) {
  const auto workspace = equations.make_workspace();
  Accelerations still;
  still.values = VectorX::Zero(equations.num_coordinates());
  DeformationWatch watch(equations);
  watch.look(state, inputs, still, *workspace);
  std::vector<LinkDeformation> links = watch.links();
  for (LinkDeformation& link : links)
    link.deflection_time = link.rotation_time = link.strain_time = link.bend_time =
        std::numeric_limits<double>::quiet_NaN();
  return deformation_warnings(links, allows_large_deflections(equations));
}

}  // namespace lithe
