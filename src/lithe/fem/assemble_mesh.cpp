#include "lithe/fem/assemble_mesh.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/mesh_beams.h"
#include "lithe/fem/mesh_springs.h"
#include "lithe/fem/mesh_stress.h"
#include "lithe/fem/node_blocks.h"
#include "lithe/fem/node_motions.h"
#include "lithe/fem/shells/shell_element.h"
#include "lithe/fem/shells/shell_layers.h"
#include "lithe/fem/solid_element.h"
#include "lithe/model/error_at.h"

namespace lithe {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;
using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// A sparse sum of many small blocks in bounded memory.
class SparseSum {
 public:
  SparseSum(Eigen::Index rows, Eigen::Index columns) : sum_(rows, columns) {}
  void add(int row, int column, double value) {
    triplets_.emplace_back(row, column, value);
    if (triplets_.size() >= most) flush();
  }
  SparseMatrix result() {
    flush();
    sum_.makeCompressed();
    return std::move(sum_);
  }

 private:
  static constexpr std::size_t most = 20'000'000;
  void flush() {
    SparseMatrix part(sum_.rows(), sum_.cols());
    part.setFromTriplets(triplets_.begin(), triplets_.end());
    triplets_.clear();
    if (sum_.nonZeros() == 0)
      sum_.swap(part);
    else
      sum_ = SparseMatrix(sum_ + part);
  }
  SparseMatrix sum_;
  Triplets triplets_;
};

[[noreturn]] void fail(const Link& link, const std::string& message) {
  throw InputError(std::vector{error_at(link.place, cat("link '", link.name, "': ", message))});
}

SolidNodes nodes_of(const Mesh& mesh, const MeshElement& element) {
  SolidNodes nodes(info(element.shape).num_nodes, 3);
  for (int k = 0; k < nodes.rows(); ++k)
    nodes.row(k) = mesh.positions[static_cast<std::size_t>(mesh.nodes_of(element)[k])].transpose();
  return nodes;
}

// "12, 15, 16 and 8 more"
std::string listed(const std::vector<std::int64_t>& labels) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(labels.size(), most); ++k)
    text += cat(k == 0 ? "" : labels.size() <= most && k + 1 == labels.size() ? " and " : ", ", labels[k]);
  if (labels.size() > most) text += cat(" and ", labels.size() - most, " more");
  return text;
}

class MeshCheck {
 public:
  MeshCheck(const Link& link, const MeshPart& part) : link_(link), part_(part), mesh_(part.mesh) {}

  void run() {
    check_elements();
    check_connection();
  }

 private:
  void check_elements() {
    std::vector<std::int64_t> inside_out, twisted;
    bool any = false;
    for (std::size_t e = 0; e < mesh_.elements.size(); ++e) {
      if (part_.element_materials[e] < 0) continue;
      any = true;
      const MeshElement& element = mesh_.elements[e];
      if (is_shell(element)) {
        if (!(smallest_jacobian(shell_element(part_, element)) > 0)) twisted.push_back(element.label);
      } else if (!(smallest_jacobian(element.shape, nodes_of(mesh_, element)) > 0)) {
        inside_out.push_back(element.label);
      }
    }
    if (!any) fail(link_, cat("the mesh '", part_.file, "' has neither solid nor shell elements"));
    if (!twisted.empty())
      fail(link_, cat("the mesh '", part_.file, "' has ", twisted.size(), twisted.size() == 1 ? " shell" : " shells",
                      " without area or with a corner of 180 degrees or more: number ", listed(twisted)));
    if (!inside_out.empty())
      fail(link_,
           cat("the mesh '", part_.file, "' has ", inside_out.size(), inside_out.size() == 1 ? " element" : " elements",
               " with negative or zero volume: number ", listed(inside_out)));
  }

  // Elements and spiders hold their nodes together; everything must hang together.
  void check_connection() {
    std::vector<int> up(mesh_.positions.size() + link_.spiders.size());
    std::iota(up.begin(), up.end(), 0);
    const auto group = [&](int node) {
      while (up[static_cast<std::size_t>(node)] != node) {
        int& next = up[static_cast<std::size_t>(node)];
        next = up[static_cast<std::size_t>(next)];
        node = next;
      }
      return node;
    };
    const auto tie = [&](int a, int b) { up[static_cast<std::size_t>(group(a))] = group(b); };
    std::vector<bool> used(up.size(), false);
    for (std::size_t e = 0; e < mesh_.elements.size(); ++e) {
      if (part_.element_materials[e] < 0) continue;
      const int* nodes = mesh_.nodes_of(mesh_.elements[e]);
      for (int k = 0; k < info(mesh_.elements[e].shape).num_nodes; ++k) {
        used[static_cast<std::size_t>(nodes[k])] = true;
        tie(nodes[k], nodes[0]);
      }
    }
    const auto tie_spider = [&](int reference, const std::vector<int>& nodes) {
      used[static_cast<std::size_t>(reference)] = true;
      for (const int node : nodes) tie(node, reference);
    };
    for (std::size_t k = 0; k < link_.spiders.size(); ++k)
      tie_spider(static_cast<int>(mesh_.positions.size() + k), link_.spiders[k].nodes);
    for (const MeshSpider& spider : mesh_.spiders) tie_spider(spider.reference, spider.nodes);
    for (const MeshBeam& beam : mesh_.beams) {
      const int* nodes = mesh_.nodes_of(mesh_.elements[static_cast<std::size_t>(beam.element)]);
      tie_spider(nodes[0], {nodes[1]});
    }
    const auto tie_terms = [&](const std::vector<MotionTerm>& terms) {
      for (const MotionTerm& term : terms) tie_spider(term.node, {terms[0].node});
    };
    for (const MeshSpring& spring : mesh_.springs) tie_terms(spring.terms);
    for (const MeshEquation& equation : mesh_.equations) tie_terms(equation.terms);
    std::vector<std::int64_t> pieces;  // a node of each
    std::vector<bool> met(up.size(), false);
    for (std::size_t node = 0; node < mesh_.positions.size(); ++node) {
      if (!used[node] || met[static_cast<std::size_t>(group(static_cast<int>(node)))]) continue;
      met[static_cast<std::size_t>(group(static_cast<int>(node)))] = true;
      pieces.push_back(mesh_.node_labels[node]);
    }
    if (pieces.size() > 1)
      fail(link_,
           cat("the mesh '", part_.file, "' has ", pieces.size(), " pieces that are not connected, with nodes number ",
               listed(pieces), "; merge coincident nodes, or connect the pieces"));
  }

  const Link& link_;
  const MeshPart& part_;
  const Mesh& mesh_;
};

// Adds blocks over motions of nodes (6 per node) to a matrix over the body's dofs: those of a node that follows go to
// those it follows.
class MotionSum {
 public:
  explicit MotionSum(const FiniteElementBody& body)
      : rows_(body.node_motions),
        plain_(static_cast<std::size_t>(rows_.rows()), -1),
        sum_(body.num_dofs(), body.num_dofs()) {
    for (int row = 0; row < rows_.rows(); ++row) {
      RowMatrix::InnerIterator entry(rows_, row);
      if (entry && entry.value() == 1 && !++RowMatrix::InnerIterator(entry))
        plain_[static_cast<std::size_t>(row)] = static_cast<int>(entry.col());
    }
  }

  void add(int row, int column, double value) {
    if (value == 0) return;
    const int i = plain_[static_cast<std::size_t>(row)], j = plain_[static_cast<std::size_t>(column)];
    if (i >= 0 && j >= 0) return sum_.add(i, j, value);
    for (RowMatrix::InnerIterator a(rows_, row); a; ++a)
      for (RowMatrix::InnerIterator b(rows_, column); b; ++b)
        sum_.add(static_cast<int>(a.col()), static_cast<int>(b.col()), a.value() * value * b.value());
  }
  SparseMatrix result() { return sum_.result(); }

 private:
  RowMatrix rows_;
  std::vector<int> plain_;  // the dof that a motion is; -1: a combination of several
  SparseSum sum_;
};

// Rows (u, ψ) of a node over the motions of all nodes. A node of solids has no rotation: an inertia or an offset there
// turns as the nodes of its elements do in the mean, (10) of the theory of solids.
RowMatrix rows_at(const FiniteElementBody& body, int node, const std::vector<int>& neighbours) {
  std::vector<Eigen::Triplet<double>> triplets;
  for (int k = 0; k < (neighbours.empty() ? 6 : 3); ++k) triplets.emplace_back(k, 6 * node + k, 1.0);
  const auto arm = [&](int other) -> Vector3 {
    return body.node_positions[static_cast<std::size_t>(other)] - body.node_positions[static_cast<std::size_t>(node)];
  };
  Matrix3 moments = Matrix3::Zero();
  for (const int other : neighbours) moments -= skew(arm(other)) * skew(arm(other));
  Matrix3 inverse = Matrix3::Zero(), sum = Matrix3::Zero();
  if (!neighbours.empty()) inverse = moments.inverse();
  const auto add = [&](int of, const Matrix3& rows) {
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) triplets.emplace_back(3 + a, 6 * of + b, rows(a, b));
  };
  for (const int other : neighbours) {
    const Matrix3 share = inverse * skew(arm(other));
    add(other, share);
    sum += share;
  }
  if (!neighbours.empty()) add(node, -sum);
  RowMatrix rows(6, body.node_motions.rows());
  rows.setFromTriplets(triplets.begin(), triplets.end());
  return rows;
}

// Mass and inertia that sit at a point beside a node, on the motions of that node. `neighbours`: see rows_at.
MassPoint mass_at(const FiniteElementBody& body, const RowMatrix& all_motions, int node, const MeshMass& lumped,
                  const std::vector<int>& neighbours) {
  const RowMatrix motions = rows_at(body, node, neighbours) * all_motions;
  MassPoint point;
  point.mass = lumped.mass;
  point.position = body.node_positions[static_cast<std::size_t>(node)] + lumped.offset;
  point.section_moment = 0.5 * lumped.inertia.trace() * Matrix3::Identity() - lumped.inertia;
  for (int k = 0; k < 6; ++k)
    for (RowMatrix::InnerIterator entry(motions, k); entry; ++entry)
      point.dofs.push_back(static_cast<int>(entry.col()));
  std::sort(point.dofs.begin(), point.dofs.end());
  point.dofs.erase(std::unique(point.dofs.begin(), point.dofs.end()), point.dofs.end());
  MatrixX rows = MatrixX::Zero(6, static_cast<Eigen::Index>(point.dofs.size()));
  for (int k = 0; k < 6; ++k)
    for (RowMatrix::InnerIterator entry(motions, k); entry; ++entry)
      rows(k, std::lower_bound(point.dofs.begin(), point.dofs.end(), static_cast<int>(entry.col())) -
                  point.dofs.begin()) = entry.value();
  point.rotation_rows = rows.bottomRows<3>();
  point.translation_rows = rows.topRows<3>() - skew(lumped.offset) * rows.bottomRows<3>();
  return point;
}

// The other nodes of the elements at a node of the mesh, as nodes of the body.
std::vector<int> neighbours_of(const MeshPart& part, int mesh_node, const std::vector<int>& place) {
  std::vector<int> result;
  for (std::size_t e = 0; e < part.mesh.elements.size(); ++e) {
    if (!part.is_structure(e)) continue;
    const int* nodes = part.mesh.nodes_of(part.mesh.elements[e]);
    const int count = info(part.mesh.elements[e].shape).num_nodes;
    if (std::find(nodes, nodes + count, mesh_node) == nodes + count) continue;
    for (int k = 0; k < count; ++k)
      if (nodes[k] != mesh_node) result.push_back(place[static_cast<std::size_t>(nodes[k])]);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// Whether a mass at this node of the body needs a rotation that the node has not.
bool lacks_rotation(const MeshMass& mass, const RowMatrix& motions, int node) {
  if (mass.inertia.isZero(0) && mass.offset.isZero(0)) return false;
  for (int k = 3; k < 6; ++k)
    if (RowMatrix::InnerIterator(motions, 6 * node + k)) return false;
  return true;
}

// Lumped masses of the model file and of the mesh file, with (11) of the theory of modal bodies on the mass matrix.
// `place`: the node of the body, per node of the mesh.
void add_masses(const Link& link, const std::vector<int>& place, FiniteElementBody& body) {
  const RowMatrix motions(body.node_motions);
  for (const LumpedMass& lumped : link.lumped_masses)
    body.mass_points.push_back(mass_at(body, motions, lumped.node, {lumped.node, lumped.mass, lumped.inertia}, {}));
  if (link.mesh)
    for (const MeshMass& lumped : link.mesh->mesh.masses) {
      const int node = place[static_cast<std::size_t>(lumped.node)];
      const bool lacks = lacks_rotation(lumped, motions, node);
      body.mass_points.push_back(mass_at(body, motions, node, lumped,
                                         lacks ? neighbours_of(*link.mesh, lumped.node, place) : std::vector<int>()));
    }
  double squares = 0;
  for (const MassPoint& point : body.mass_points) squares += std::pow(static_cast<double>(point.dofs.size()), 2);
  demand_room_for_full_parts(squares, link.name, "its point masses");
  SparseSum added(body.num_dofs(), body.num_dofs());
  for (const MassPoint& point : body.mass_points) {
    const Matrix3& moment = point.section_moment;
    const Matrix3 inertia = moment.trace() * Matrix3::Identity() - moment;
    const MatrixX block = point.mass * point.translation_rows.transpose() * point.translation_rows +
                          point.rotation_rows.transpose() * inertia * point.rotation_rows;
    for (std::size_t i = 0; i < point.dofs.size(); ++i)
      for (std::size_t j = 0; j < point.dofs.size(); ++j)
        added.add(point.dofs[i], point.dofs[j], block(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
  }
  if (!body.mass_points.empty()) body.mass = SparseMatrix(body.mass + added.result());
}

std::string spider_name(const Link& link, std::size_t k) {
  return cat("interface '", link.nodes[static_cast<std::size_t>(link.num_plain_nodes()) + k].name, "'");
}

// Nodes of the body: named ones of the mesh, references of the link's spiders, all others of the mesh that are used.
std::vector<int> number_nodes(const Link& link, const std::vector<bool>& used, const std::vector<int>& named,
                              const std::vector<Vector3>& positions, FiniteElementBody& body) {
  std::vector<int> place(used.size(), -1);
  const auto add = [&](int mesh_node, const Vector3& position) {
    if (mesh_node >= 0) place[static_cast<std::size_t>(mesh_node)] = body.num_nodes();
    body.mesh_nodes.push_back(mesh_node);
    body.node_positions.push_back(position);
  };
  for (const int node : named) add(node, positions[static_cast<std::size_t>(node)]);
  for (std::size_t k = named.size(); k < link.nodes.size(); ++k) add(-1, link.nodes[k].position);
  for (std::size_t node = 0; node < used.size(); ++node)
    if (used[node] && place[node] < 0) add(static_cast<int>(node), positions[node]);
  return place;
}

// Nodes of solids, shells and spiders; those of other elements (points, lines and faces of groups) may be unconnected.
std::vector<bool> used_nodes(const Link& link, const MeshPart& part) {
  const Mesh& mesh = part.mesh;
  std::vector<bool> used(mesh.positions.size(), false);
  for (std::size_t e = 0; e < mesh.elements.size(); ++e)
    for (int k = 0; k < info(mesh.elements[e].shape).num_nodes && part.element_materials[e] >= 0; ++k)
      used[static_cast<std::size_t>(mesh.nodes_of(mesh.elements[e])[k])] = true;
  for (const MeshBeam& beam : mesh.beams)
    for (int k = 0; k < 2; ++k)
      used[static_cast<std::size_t>(mesh.nodes_of(mesh.elements[static_cast<std::size_t>(beam.element)])[k])] = true;
  const auto demand = [&](int node, const std::string& who) {
    if (!used[static_cast<std::size_t>(node)])
      fail(link, cat(who, ": node ", mesh.node_labels[static_cast<std::size_t>(node)], " of '", part.file,
                     "' belongs to no solid, shell or beam"));
  };
  for (std::size_t k = 0; k < link.spiders.size(); ++k)
    for (const int node : link.spiders[k].nodes) demand(node, spider_name(link, k));
  for (const MeshSpider& spider : mesh.spiders) used[static_cast<std::size_t>(spider.reference)] = true;
  for (const MeshSpring& spring : mesh.springs)  // may hold a node that has nothing but a mass
    for (const MotionTerm& term : spring.terms) used[static_cast<std::size_t>(term.node)] = true;
  for (const MeshEquation& equation : mesh.equations)
    for (const MotionTerm& term : equation.terms) used[static_cast<std::size_t>(term.node)] = true;
  for (const MeshSpider& spider : mesh.spiders)
    for (const int node : spider.nodes) demand(node, cat("rigid or averaging element ", spider.label));
  for (std::size_t k = 0; k < part.named_nodes.size(); ++k)
    demand(part.named_nodes[k], cat("node '", link.nodes[k].name, "'"));
  for (const MeshMass& mass : mesh.masses) demand(mass.node, "a point mass");
  return used;
}

// A named node has its own motion: one that a rigid spider of another takes along would have none.
void check_named_nodes(const Link& link, const std::vector<BodySpider>& spiders) {
  for (const BodySpider& spider : spiders)
    for (const int node : spider.nodes)
      if (node < link.num_plain_nodes() && spider.kind == SpiderKind::rigid)
        fail(link, cat("node '", link.nodes[static_cast<std::size_t>(node)].name, "' belongs to ", spider.name,
                       "; use the node of that spider"));
}

std::vector<int> moved(const std::vector<int>& nodes, const std::vector<int>& place) {
  std::vector<int> result;
  for (const int node : nodes) result.push_back(place[static_cast<std::size_t>(node)]);
  return result;
}

std::vector<BodySpider> spiders_of_link(const Link& link, const std::vector<int>& place) {
  std::vector<BodySpider> spiders;
  for (std::size_t k = 0; k < link.spiders.size(); ++k)
    spiders.push_back({link.spiders[k].kind,
                       link.num_plain_nodes() + static_cast<int>(k),
                       moved(link.spiders[k].nodes, place),
                       {},
                       spider_name(link, k),
                       link.spiders[k].place,
                       true});
  return spiders;
}

std::vector<BodyEquation> equations_of(const Link& link, const std::vector<int>& place) {
  std::vector<BodyEquation> equations;
  for (const MeshEquation& equation : link.mesh->mesh.equations) {
    equations.push_back(
        {cat(equation.name, " of '", link.mesh->file, "'"), equation.terms, link.place, equation.if_all_turn});
    for (MotionTerm& term : equations.back().terms) term.node = place[static_cast<std::size_t>(term.node)];
  }
  return equations;
}

// The mean motion of a surface is an integral over its faces: those whose nodes all belong to the spider.
void weigh_by_area(const Link& link, const std::vector<int>& place, std::vector<BodySpider>& spiders) {
  const MeshPart& part = *link.mesh;
  const auto averages = [](const Spider& spider) { return spider.kind == SpiderKind::averaging; };
  if (std::none_of(link.spiders.begin(), link.spiders.end(), averages)) return;
  std::vector<SurfaceFace> faces = surface_faces(part.mesh);
  for (const SurfaceFace& shell : shell_faces(part.mesh)) faces.push_back(shell);
  for (std::size_t k = 0; k < link.spiders.size(); ++k) {
    if (!averages(link.spiders[k])) continue;
    std::vector<bool> chosen(part.mesh.positions.size(), false);
    for (const int node : link.spiders[k].nodes) chosen[static_cast<std::size_t>(node)] = true;
    std::vector<double> weights(place.size(), 0);
    double area = 0;
    for (const SurfaceFace& surface : faces) {
      const MeshElement& element = part.mesh.elements[static_cast<std::size_t>(surface.element)];
      if (part.element_materials[static_cast<std::size_t>(surface.element)] < 0) continue;
      const ElementFace& face = face_of(part.mesh, surface);
      const int* nodes = part.mesh.nodes_of(element);
      bool all = true;
      for (const auto& list : {face.corners, face.edges})
        for (const int node : list) all = all && (node < 0 || chosen[static_cast<std::size_t>(nodes[node])]);
      if (!all) continue;
      const VectorX own = is_shell(element) ? shell_weights(shell_element(part, element))
                                            : face_weights(element.shape, nodes_of(part.mesh, element), face);
      for (Eigen::Index i = 0; i < own.size(); ++i) weights[static_cast<std::size_t>(nodes[i])] += own(i);
      area += own.sum();
    }
    if (!(area > 0)) continue;  // nodes without faces count alike
    for (const int node : link.spiders[k].nodes)
      spiders[k].weights.push_back(weights[static_cast<std::size_t>(node)] / area);
  }
}

void add_solids(const MeshPart& part, const std::vector<int>& place, FiniteElementBody& body) {
  const Mesh& mesh = part.mesh;
  NodeBlocks blocks(part, place, body);
  MotionSum stiffness(body), mass(body);  // of nodes that follow a spider
  std::vector<int> nodes;
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    const MeshElement& element = mesh.elements[e];
    if (part.element_materials[e] < 0 || !is_solid(element)) continue;
    const auto material = static_cast<std::size_t>(part.element_materials[e]);
    const SolidNodes positions = nodes_of(mesh, element);
    const MatrixX k = solid_stiffness(element.shape, positions, solid_elasticity(part, element, positions));
    const MatrixX m = part.materials[material].density * solid_mass_per_density(element.shape, positions);
    nodes.clear();
    for (int i = 0; i < positions.rows(); ++i)
      nodes.push_back(place[static_cast<std::size_t>(mesh.nodes_of(element)[i])]);
    for (int j = 0; j < positions.rows(); ++j)
      for (int i = 0; i < positions.rows(); ++i) {
        const int row = nodes[static_cast<std::size_t>(i)], column = nodes[static_cast<std::size_t>(j)];
        blocks.add(row, column, k.block<3, 3>(3 * i, 3 * j), m(i, j));
        if (blocks.plain(row) && blocks.plain(column)) continue;
        for (int a = 0; a < 3; ++a) {
          mass.add(6 * row + a, 6 * column + a, m(i, j));
          for (int b = 0; b < 3; ++b) stiffness.add(6 * row + a, 6 * column + b, k(3 * i + a, 3 * j + b));
        }
      }
  }
  blocks.move_to(body);
  if (const SparseMatrix rest = stiffness.result(); rest.nonZeros() > 0)
    body.stiffness = SparseMatrix(body.stiffness + rest);
  if (const SparseMatrix rest = mass.result(); rest.nonZeros() > 0) body.mass = SparseMatrix(body.mass + rest);
}

// The nodes at the bottom and the top of shells are nodes of the body that turn with a node of the mesh.
void append_layers(const ShellLayers& layers, const std::vector<int>& place, FiniteElementBody& body) {
  const int count = body.num_nodes();
  Triplets triplets;
  for (int row = 0; row < 6 * count; ++row) triplets.emplace_back(row, row, 1.0);
  for (const ShellLayers::LayerNode& layer : layers.nodes) {
    const int node = place[static_cast<std::size_t>(layer.mesh_node)], first = 6 * body.num_nodes();
    const Matrix3 turning = -skew(layer.arm);
    for (int a = 0; a < 3; ++a) {
      triplets.emplace_back(first + a, 6 * node + a, 1.0);
      triplets.emplace_back(first + 3 + a, 6 * node + 3 + a, 1.0);
      for (int b = 0; b < 3; ++b)
        if (turning(a, b) != 0) triplets.emplace_back(first + a, 6 * node + 3 + b, turning(a, b));
    }
    body.node_positions.push_back(body.node_positions[static_cast<std::size_t>(node)] + layer.arm);
    body.mesh_nodes.push_back(-1);
    body.dof_starts.push_back(body.dof_starts.back());
  }
  SparseMatrix with_layers(6 * body.num_nodes(), 6 * count);
  with_layers.setFromTriplets(triplets.begin(), triplets.end());
  body.node_motions = SparseMatrix(with_layers * body.node_motions);
}

// Mass of one shell over the motions of its nodes: that of a solid between its layers, (9) of the theory of shells.
MatrixX shell_mass(const ShellLayers& layers, std::size_t e, const MatrixX& areas, const Vector3& masses) {
  const auto n = static_cast<int>(areas.rows());
  MatrixX arms(12 * n, 6);  // 3 x 6 of the bottom and the top of each node
  for (int i = 0; i < n; ++i)
    for (int side = 0; side < 2; ++side) {
      const int layer = layers.corner(e, i)[static_cast<std::size_t>(side)];
      arms.middleRows<3>(6 * i + 3 * side) << Matrix3::Identity(),
          -skew(layers.nodes[static_cast<std::size_t>(layer)].arm);
    }
  MatrixX mass(6 * n, 6 * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      Matrix6 sum = Matrix6::Zero();
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
          sum += masses(a + b) * arms.middleRows<3>(6 * i + 3 * a).transpose() * arms.middleRows<3>(6 * j + 3 * b);
      mass.block<6, 6>(6 * i, 6 * j) = areas(i, j) * sum;
    }
  return mass;
}

// Bottoms and tops are those of the whole mesh, of whose shells `part` may hold a share.
void add_shells(const Link& link, const MeshPart& part, const std::vector<int>& place, FiniteElementBody& body) {
  const ShellLayers layers = shell_layers(*link.mesh);
  if (layers.nodes.empty()) return;
  const Mesh& mesh = part.mesh;
  const int first_layer = body.num_nodes() - static_cast<int>(layers.nodes.size());
  MotionSum stiffness(body), mass(body);
  SparseSum node_mass(body.num_nodes(), body.num_nodes());
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    if (layers.first[e] < 0 || !part.is_structure(e)) continue;
    const ShellElement shell = shell_element(part, mesh.elements[e]);
    const MatrixX k = shell_stiffness(shell), areas = shell_areas(shell);
    const Vector3 masses = shell_layer_masses(shell);
    const MatrixX m = shell_mass(layers, e, areas, masses);
    const auto n = static_cast<int>(areas.rows());
    const auto motion = [&](int row) {
      return 6 * place[static_cast<std::size_t>(mesh.nodes_of(mesh.elements[e])[row / 6])] + row % 6;
    };
    for (int j = 0; j < 6 * n; ++j)
      for (int i = 0; i < 6 * n; ++i) {
        stiffness.add(motion(i), motion(j), k(i, j));
        mass.add(motion(i), motion(j), m(i, j));
      }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (std::size_t a = 0; a < 2; ++a)
          for (std::size_t b = 0; b < 2; ++b)
            node_mass.add(first_layer + layers.corner(e, i)[a], first_layer + layers.corner(e, j)[b],
                          masses(static_cast<Eigen::Index>(a + b)) * areas(i, j));
  }
  body.stiffness = SparseMatrix(body.stiffness + stiffness.result());
  body.mass = SparseMatrix(body.mass + mass.result());
  body.node_mass = SparseMatrix(body.node_mass + node_mass.result());
}

}  // namespace

namespace {

// Nodes and dofs of the body; returns the node of each of the mesh's.
std::vector<int> set_nodes(const Link& link, FiniteElementBody& body) {
  const MeshPart& part = *link.mesh;
  body.name = link.name;
  body.place = link.place;
  body.nodes_have_rotations = false;
  const std::vector<int> place =
      number_nodes(link, used_nodes(link, part), part.named_nodes, part.mesh.positions, body);
  std::vector<BodySpider> spiders = spiders_of_link(link, place);
  weigh_by_area(link, place, spiders);
  for (const MeshSpider& spider : part.mesh.spiders)
    spiders.push_back({spider.kind, place[static_cast<std::size_t>(spider.reference)], moved(spider.nodes, place),
                       spider.weights, cat("rigid or averaging element ", spider.label, " of '", part.file, "'"),
                       link.place, spider.turns_nodes});
  std::vector<bool> rotations(body.node_positions.size(), false);
  for (const BodySpider& spider : spiders) rotations[static_cast<std::size_t>(spider.reference)] = true;
  const std::vector<bool> turns = part.nodes_with_rotation();
  for (std::size_t node = 0; node < place.size(); ++node)
    if (turns[node] && place[node] >= 0) rotations[static_cast<std::size_t>(place[node])] = true;
  check_named_nodes(link, spiders);
  set_node_motions(rotations, spiders, equations_of(link, place), static_cast<int>(link.nodes.size()), body);
  const ShellLayers layers = shell_layers(part);
  if (!layers.nodes.empty()) append_layers(layers, place, body);
  return place;
}

}  // namespace

FiniteElementBody mesh_nodes_of(const Link& link) {
  FiniteElementBody body;
  set_nodes(link, body);
  return body;
}

namespace {

// Of `part`, which is that of the link, or has only some of its elements.
FiniteElementBody assemble_elements(const Link& link, const MeshPart& part, bool with_masses) {
  FiniteElementBody body;
  const std::vector<int> place = set_nodes(link, body);
  add_solids(part, place, body);
  add_shells(link, part, place, body);
  if (!with_masses) return body;
  add_mesh_beams(link, place, body);
  add_mesh_springs(part.mesh, place, body);
  add_masses(link, place, body);
  return body;
}

}  // namespace

FiniteElementBody assemble_mesh(const Link& link) {
  MeshCheck(link, *link.mesh).run();
  return assemble_elements(link, *link.mesh, true);
}

FiniteElementBody assemble_share(const Link& link, const std::vector<int>& element_materials, bool with_masses) {
  MeshCheck(link, *link.mesh).run();
  MeshPart part = *link.mesh;
  part.element_materials = element_materials;
  return assemble_elements(link, part, with_masses);
}

FiniteElementBody assemble_imported(const Link& link) {
  const FiniteElementBody& imported = *link.imported;
  FiniteElementBody body;
  body.name = link.name;
  body.place = link.place;
  body.nodes_have_rotations = imported.nodes_have_rotations;
  std::vector<int> named(static_cast<std::size_t>(link.num_plain_nodes()));
  std::iota(named.begin(), named.end(), 0);
  const std::vector<bool> all(imported.node_positions.size(), true);
  const std::vector<int> place = number_nodes(link, all, named, imported.node_positions, body);
  body.mesh_nodes.clear();
  std::vector<bool> rotations(body.node_positions.size(), imported.nodes_have_rotations);
  for (std::size_t k = named.size(); k < link.nodes.size(); ++k) rotations[k] = true;
  const std::vector<BodySpider> spiders = spiders_of_link(link, place);
  check_named_nodes(link, spiders);
  set_node_motions(rotations, spiders, {}, static_cast<int>(link.nodes.size()), body);
  const auto motion_of = [&](Eigen::Index dof) {
    const int node = imported.node_of_dof(static_cast<int>(dof));
    return 6 * place[static_cast<std::size_t>(node)] + imported.component(static_cast<int>(dof));
  };
  const auto through_spiders = [&](const SparseMatrix& matrix) {
    MotionSum sum(body);
    for (int column = 0; column < matrix.outerSize(); ++column)
      for (SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry)
        sum.add(motion_of(entry.row()), motion_of(entry.col()), entry.value());
    return sum.result();
  };
  body.stiffness = through_spiders(imported.stiffness);
  body.mass = through_spiders(imported.mass);
  if (!imported.nodes_have_rotations) {
    SparseSum node_mass(body.num_nodes(), body.num_nodes());
    for (int column = 0; column < imported.mass.outerSize(); ++column)
      for (SparseMatrix::InnerIterator entry(imported.mass, column); entry; ++entry)
        if (entry.row() % 3 == column % 3)
          node_mass.add(place[static_cast<std::size_t>(entry.row() / 3)], place[static_cast<std::size_t>(column / 3)],
                        entry.value() / 3);
    body.node_mass = node_mass.result();
    add_masses(link, {}, body);
  }
  return body;
}

NodeShapes node_shapes(const FiniteElementBody& body, const MatrixX& dofs) {
  const int count = body.num_nodes();
  NodeShapes shapes{MatrixX::Zero(3 * count, dofs.cols()), MatrixX::Zero(3 * count, dofs.cols())};
  if (body.node_motions.rows() > 0) {
    const MatrixX motions = body.node_motions * dofs;
    for (int node = 0; node < count; ++node) {
      shapes.translations.middleRows<3>(3 * node) = motions.middleRows<3>(6 * node);
      shapes.rotations.middleRows<3>(3 * node) = motions.middleRows<3>(6 * node + 3);
    }
    return shapes;
  }
  for (int node = 0; node < count; ++node) {
    shapes.translations.middleRows<3>(3 * node) = dofs.middleRows<3>(body.first_dof(node));
    if (body.has_rotation(node))
      shapes.rotations.middleRows<3>(3 * node) = dofs.middleRows<3>(body.first_dof(node) + 3);
  }
  return shapes;
}

}  // namespace lithe
