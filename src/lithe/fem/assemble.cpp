#include "lithe/fem/assemble.h"

#include <cmath>
#include <numeric>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble_mesh.h"
#include "lithe/fem/beam_element.h"

namespace lithe {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

bool positive(double value) { return std::isfinite(value) && value > 0; }

// The section's z axis: the part of the wished direction that is normal to the beam; zero where there is none.
Vector3 section_z_axis(const BeamSegment& segment, const Vector3& x) {
  const auto normal_part = [&x](const Vector3& wish) -> Vector3 { return wish - x * x.dot(wish); };
  constexpr double parallel = 1e-6;  // sine of the angle below which the direction says nothing
  if (segment.section_z.norm() > 0) {
    const Vector3 z = normal_part(segment.section_z.normalized());
    return z.norm() > parallel ? Vector3(z.normalized()) : Vector3(Vector3::Zero());
  }
  const Vector3 z = normal_part(Vector3::UnitZ());
  return z.norm() > parallel ? z.normalized() : normal_part(Vector3::UnitY()).normalized();
}

// Checks what assembly would divide by or index with. Readers check ranges as well; a model may also be built in code.
class LinkCheck {
 public:
  LinkCheck(const Model& model, const Link& link, bool trusses_allowed)
      : model_(model), link_(link), trusses_allowed_(trusses_allowed) {}

  void run() {
    if (link_.segments.empty()) error("a flexible link needs at least one beam segment");
    for (const BeamSegment& segment : link_.segments) check_segment(segment);
    for (const LumpedMass& lumped : link_.lumped_masses)
      if (!known_node(lumped.node)) error(cat("lumped mass at unknown node number ", lumped.node));
    if (!diagnostics_.any()) check_connection();
    if (!diagnostics_.any()) check_trusses();
    diagnostics_.throw_if_any();
  }

 private:
  void error(const std::string& message) {
    diagnostics_.error({link_.place.file, link_.place.line, link_.place.column, cat("links.", link_.name),
                        cat("link '", link_.name, "': ", message)});
  }

  bool known_node(int node) const { return node >= 0 && node < static_cast<int>(link_.nodes.size()); }

  std::string span(const BeamSegment& segment) const {
    return cat("beam from '", link_.nodes[segment.from].name, "' to '", link_.nodes[segment.to].name, "'");
  }

  void check_segment(const BeamSegment& segment) {
    if (!known_node(segment.from) || !known_node(segment.to))
      return error(cat("beam segment between unknown nodes number ", segment.from, " and ", segment.to));
    const Vector3 along = link_.nodes[segment.to].position - link_.nodes[segment.from].position;
    if (!positive(along.norm()))
      error(cat(span(segment), " has no length"));
    else if (section_z_axis(segment, along.normalized()).norm() == 0)
      error(cat(span(segment), ": the section's z direction is parallel to the beam"));
    if (segment.theory == BeamTheory::truss && !trusses_allowed_)
      error(cat(span(segment),
                " is a truss, which only the formulation transfer-functions has: --formulation transfer-functions"));
    if (segment.num_elements < 1)
      error(cat(span(segment), ": number of elements must be at least 1, got ", segment.num_elements));
    check_material(segment);
    check_section(segment);
  }

  void check_material(const BeamSegment& segment) {
    if (segment.material < 0 || segment.material >= static_cast<int>(model_.materials.size()))
      return error(cat(span(segment), ": unknown material number ", segment.material));
    const Material& material = model_.materials[segment.material];
    const auto demand = [&](const char* what, double value, const char* unit) {
      if (!positive(value))
        error(cat("material '", material.name, "': ", what, " must be positive, got ", value, " ", unit));
    };
    demand("density", material.density, "kg/m^3");
    demand("Young's modulus", material.young_modulus, "Pa");
    demand("shear modulus", material.shear_modulus, "Pa");
  }

  void check_section(const BeamSegment& segment) {
    if (segment.section < 0 || segment.section >= static_cast<int>(model_.sections.size()))
      return error(cat(span(segment), ": unknown section number ", segment.section));
    const Section& section = model_.sections[segment.section];
    const auto demand = [&](const char* what, double value) {
      if (!positive(value)) error(cat("section '", section.name, "': ", what, " must be positive, got ", value));
    };
    demand("area", section.area);
    demand("second moment about y", section.second_moment_y);
    demand("second moment about z", section.second_moment_z);
    demand("torsion constant", section.torsion_constant);
    if (segment.theory == BeamTheory::euler_bernoulli) return;
    demand("shear factor along y", section.shear_factor_y);
    demand("shear factor along z", section.shear_factor_z);
  }

  // All named nodes must hang together through segments: a part by itself would move without stiffness.
  void check_connection() {
    std::vector<int> up(link_.nodes.size());  // towards the node that stands for a group
    std::iota(up.begin(), up.end(), 0);
    const auto group = [&](int node) {
      while (up[node] != node) node = up[node] = up[up[node]];
      return node;
    };
    for (const BeamSegment& segment : link_.segments) up[group(segment.to)] = group(segment.from);
    const int start = link_.segments.front().from;
    for (int node = 0; node < static_cast<int>(link_.nodes.size()); ++node)
      if (group(node) != group(start))
        error(cat("node '", link_.nodes[node].name, "' is not connected by beams to node '", link_.nodes[start].name,
                  "'"));
  }

  // Bars of a link are welded to each other where they meet: at an angle they would not carry axial force alone.
  void check_trusses() {
    const auto direction = [&](const BeamSegment& segment) -> Vector3 {
      return (link_.nodes[segment.to].position - link_.nodes[segment.from].position).normalized();
    };
    constexpr double straight = 1e-6;  // rad
    const BeamSegment& first = link_.segments.front();
    for (const BeamSegment& segment : link_.segments) {
      const bool both = segment.theory == BeamTheory::truss && first.theory == BeamTheory::truss;
      const bool neither = segment.theory != BeamTheory::truss && first.theory != BeamTheory::truss;
      if (neither || (both && direction(segment).cross(direction(first)).norm() < straight)) continue;
      const BeamSegment& truss = segment.theory == BeamTheory::truss ? segment : first;
      return error(cat(span(truss),
                       " is a truss, welded to other beams of the link; write every truss as a link of its ",
                       "own, with hinges (planar) or ball joints at its ends"));
    }
  }

  const Model& model_;
  const Link& link_;
  bool trusses_allowed_;
  Diagnostics diagnostics_;
};

std::vector<int> node_dofs(std::initializer_list<int> nodes) {
  std::vector<int> dofs;
  for (const int node : nodes)
    for (int k = 0; k < 6; ++k) dofs.push_back(6 * node + k);
  return dofs;
}

// Mass and rotary inertia that sit at one node, moving with its translation and rotation.
MassPoint nodal_mass(int node, const Vector3& position, double mass, const Matrix3& section_moment) {
  MassPoint point;
  point.mass = mass;
  point.position = position;
  point.section_moment = section_moment;
  point.dofs = node_dofs({node});
  point.translation_rows = Matrix3X::Zero(3, 6);
  point.translation_rows.leftCols<3>().setIdentity();
  point.rotation_rows = Matrix3X::Zero(3, 6);
  point.rotation_rows.rightCols<3>().setIdentity();
  return point;
}

// ∫ρ y yᵀ of one metre of beam in link axes: ρIz along the section's y, ρIy along its z.
Matrix3 section_moment_per_length(const BeamProperties& beam, const Matrix3& axes) {
  return axes * Vector3(0, beam.rotary_inertia_z, beam.rotary_inertia_y).asDiagonal() * axes.transpose();
}

// From the beam's axes to the link's, three rows and three columns at a time.
template <class Matrix>
Matrix in_link_axes(const Matrix3& axes, const Matrix& of_beam) {
  Matrix turned;
  for (int i = 0; i < of_beam.rows(); i += 3)
    for (int j = 0; j < of_beam.cols(); j += 3)
      turned.template block<3, 3>(i, j).noalias() = axes * of_beam.template block<3, 3>(i, j) * axes.transpose();
  return turned;
}

void add_consistent_mass(const BeamElement& element, const BeamProperties& beam, FiniteElementBody& body) {
  const Vector3 start = body.node_positions[element.node_a];
  const Vector3 along = body.node_positions[element.node_b] - start;
  for (const QuadraturePoint& quadrature : mass_quadrature(beam.theory)) {
    const BeamInterpolation rows = beam_interpolation(beam, quadrature.xi);
    const double length = quadrature.weight * beam.length;
    MassPoint point;
    point.mass = length * beam.mass_per_length;
    point.position = start + quadrature.xi * along;
    point.section_moment = length * section_moment_per_length(beam, element.axes);
    point.dofs = node_dofs({element.node_a, element.node_b});
    point.translation_rows = in_link_axes(element.axes, rows.translation);
    point.rotation_rows = in_link_axes(element.axes, rows.rotation);
    body.mass_points.push_back(std::move(point));
  }
}

void add_lumped_mass(const BeamElement& element, const BeamProperties& beam, FiniteElementBody& body) {
  const double half = beam.length / 2;
  for (const int node : {element.node_a, element.node_b})
    body.mass_points.push_back(nodal_mass(node, body.node_positions[node], half * beam.mass_per_length,
                                          half * section_moment_per_length(beam, element.axes)));
}

void add_element(const BeamSegment& segment, const BeamProperties& beam, BeamElement element, FiniteElementBody& body) {
  element.stiffness = in_link_axes(element.axes, beam_stiffness(beam));
  element.stiffness = (0.5 * (element.stiffness + element.stiffness.transpose())).eval();
  element.first_mass_point = static_cast<int>(body.mass_points.size());
  if (segment.mass_model == MassModel::consistent)
    add_consistent_mass(element, beam, body);
  else
    add_lumped_mass(element, beam, body);
  element.num_mass_points = static_cast<int>(body.mass_points.size()) - element.first_mass_point;
  body.elements.push_back(element);
}

void add_segment(const Model& model, const Link& link, int index, FiniteElementBody& body) {
  const BeamSegment& segment = link.segments[index];
  const Vector3 start = link.nodes[segment.from].position;
  const Vector3 along = link.nodes[segment.to].position - start;
  const int n = segment.num_elements;
  const BeamProperties beam = beam_properties(segment.theory, model.materials[segment.material],
                                              model.sections[segment.section], along.norm() / n);
  BeamElement element;
  element.segment = index;
  element.axes.col(0) = along.normalized();
  element.axes.col(2) = section_z_axis(segment, element.axes.col(0));
  element.axes.col(1) = element.axes.col(2).cross(element.axes.col(0));
  element.node_b = segment.from;
  for (int k = 1; k <= n; ++k) {
    element.node_a = element.node_b;
    element.node_b = k < n ? body.num_nodes() : segment.to;
    if (k < n) body.node_positions.push_back(start + along * (static_cast<double>(k) / n));
    add_element(segment, beam, element, body);
  }
}

// A lumped inertia J about its node acts like section moments ½ tr(J) I - J, for which tr(P) I - P = J, (12). Nothing
// asks J for the triangle inequality, so that inertia about a single axis (a motor on a shaft) can be given.
void add_lumped_masses(const Link& link, FiniteElementBody& body) {
  for (const LumpedMass& lumped : link.lumped_masses)
    body.mass_points.push_back(nodal_mass(lumped.node, link.nodes[lumped.node].position, lumped.mass,
                                          0.5 * lumped.inertia.trace() * Matrix3::Identity() - lumped.inertia));
}

template <class Block>
void add_block(const Block& block, const std::vector<int>& dofs, Triplets& triplets) {
  for (Eigen::Index i = 0; i < block.rows(); ++i)
    for (Eigen::Index j = 0; j < block.cols(); ++j)
      if (block(i, j) != 0) triplets.emplace_back(dofs[i], dofs[j], block(i, j));
}

// (11): M = Σ m Tᵀ T + Rᵀ (tr(P) I - P) R over the mass points, so that the matrix and the invariants can never
// disagree. Points of one element follow each other and are added up before they go to the large matrix.
SparseMatrix mass_of_points(const FiniteElementBody& body) {
  Triplets triplets;
  const auto& points = body.mass_points;
  MatrixX block, turning;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const MassPoint& point = points[k];
    const auto size = static_cast<Eigen::Index>(point.dofs.size());
    if (k == 0 || points[k - 1].dofs != point.dofs) block.setZero(size, size);
    const Matrix3& moment = point.section_moment;
    const Matrix3 inertia = moment.trace() * Matrix3::Identity() - moment;
    turning = inertia.lazyProduct(point.rotation_rows);
    block += point.mass * point.translation_rows.transpose().lazyProduct(point.translation_rows);
    block += point.rotation_rows.transpose().lazyProduct(turning);
    if (k + 1 < points.size() && points[k + 1].dofs == point.dofs) continue;
    block = (0.5 * (block + block.transpose())).eval();
    add_block(block, point.dofs, triplets);
  }
  SparseMatrix mass(body.num_dofs(), body.num_dofs());
  mass.setFromTriplets(triplets.begin(), triplets.end());
  return mass;
}

SparseMatrix stiffness_of_elements(const FiniteElementBody& body) {
  Triplets triplets;
  for (const BeamElement& element : body.elements)
    add_block(element.stiffness, node_dofs({element.node_a, element.node_b}), triplets);
  SparseMatrix stiffness(body.num_dofs(), body.num_dofs());
  stiffness.setFromTriplets(triplets.begin(), triplets.end());
  return stiffness;
}

// The point of a lumped mass where others tell of the body's mass.
MassPoint point_at(const FiniteElementBody& body, const LumpedMass& lumped) {
  const int count = body.num_dofs(lumped.node);
  MassPoint point;
  point.mass = lumped.mass;
  point.position = body.node_positions[static_cast<std::size_t>(lumped.node)];
  point.section_moment = 0.5 * lumped.inertia.trace() * Matrix3::Identity() - lumped.inertia;
  for (int k = 0; k < count; ++k) point.dofs.push_back(body.first_dof(lumped.node) + k);
  point.translation_rows = Matrix3X::Identity(3, count);
  point.rotation_rows = Matrix3X::Zero(3, count);
  if (body.has_rotation(lumped.node)) point.rotation_rows.rightCols<3>().setIdentity();
  return point;
}

// A mass at a node that follows others, on the dofs that it follows.
MassPoint point_that_follows(const FiniteElementBody& body, const LumpedMass& lumped) {
  MassPoint point;
  point.mass = lumped.mass;
  point.position = body.node_positions[static_cast<std::size_t>(lumped.node)];
  point.section_moment = 0.5 * lumped.inertia.trace() * Matrix3::Identity() - lumped.inertia;
  for (int dof = 0; dof < body.num_dofs(); ++dof) point.dofs.push_back(dof);
  const MatrixX rows = MatrixX(body.node_motions).middleRows(6 * static_cast<Eigen::Index>(lumped.node), 6);
  point.translation_rows = rows.topRows<3>();
  point.rotation_rows = rows.bottomRows<3>();
  return point;
}

// Imported matrices with lumped masses and inertias on the diagonal blocks of their nodes.
FiniteElementBody with_lumped_masses(const Link& link) {
  FiniteElementBody body = *link.imported;
  body.name = link.name;
  body.place = link.place;
  Triplets triplets;
  for (const LumpedMass& lumped : link.lumped_masses) {
    if (body.num_dofs(lumped.node) == 0) {
      const MassPoint point = point_that_follows(body, lumped);
      const MatrixX mass = point.mass * point.translation_rows.transpose() * point.translation_rows +
                           point.rotation_rows.transpose() * lumped.inertia * point.rotation_rows;
      add_block(0.5 * (mass + mass.transpose()), point.dofs, triplets);
      body.mass_points.push_back(point);
      continue;
    }
    const int first = body.first_dof(lumped.node);
    for (int k = 0; k < 3; ++k) triplets.emplace_back(first + k, first + k, lumped.mass);
    for (int i = 0; i < 3 && body.has_rotation(lumped.node); ++i)
      for (int j = 0; j < 3; ++j) triplets.emplace_back(first + 3 + i, first + 3 + j, lumped.inertia(i, j));
    if (!body.mass_points.empty()) body.mass_points.push_back(point_at(body, lumped));
  }
  SparseMatrix added(body.num_dofs(), body.num_dofs());
  added.setFromTriplets(triplets.begin(), triplets.end());
  if (!triplets.empty()) body.mass += added;
  return body;
}

}  // namespace

FiniteElementBody assemble(const Model& model, const Link& link, bool trusses_allowed) {
  if (link.mesh) return assemble_mesh(link);
  if (link.imported) return link.spiders.empty() ? with_lumped_masses(link) : assemble_imported(link);
  LinkCheck(model, link, trusses_allowed).run();
  FiniteElementBody body;
  body.name = link.name;
  body.place = link.place;
  for (const Node& node : link.nodes) body.node_positions.push_back(node.position);
  for (std::size_t index = 0; index < link.segments.size(); ++index)
    add_segment(model, link, static_cast<int>(index), body);
  add_lumped_masses(link, body);
  body.mass = mass_of_points(body);
  body.stiffness = stiffness_of_elements(body);
  return body;
}

}  // namespace lithe
