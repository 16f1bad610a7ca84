#include "lithe/fem/mesh_stiffening.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>

#include "lithe/fem/shells/shell_element.h"
#include "lithe/fem/solid_element.h"

namespace lithe {
namespace {

// Displacement gradients of the modes at many points, and stress there under each load: sums ∫ σ_ab ∂_a u · ∂_b u.
class GradientSums {
 public:
  GradientSums(Eigen::Index loads, Eigen::Index modes)
      : gradients_(9 * most_points, modes),
        pulled_(9 * most_points, modes),
        stress_(6 * most_points, loads),
        sums_(static_cast<std::size_t>(loads), MatrixX::Zero(modes, modes)) {}

  Eigen::Index num_modes() const { return gradients_.cols(); }
  Eigen::Index num_loads() const { return stress_.cols(); }

  // `gradients`: rows 3 a + c, ∂_a u_c, columns: modes. `stress`: xx, yy, zz, xy, yz, zx, times the volume of the
  // point; columns: loads.
  template <class Gradients, class Stress>
  void add(const Gradients& gradients, const Stress& stress) {
    gradients_.middleRows<9>(9 * count_) = gradients;
    stress_.middleRows<6>(6 * count_) = stress;
    if (++count_ == most_points) flush();
  }

  std::vector<MatrixX> result() {
    flush();
    for (MatrixX& sum : sums_) sum = (0.5 * (sum + sum.transpose())).eval();
    return std::move(sums_);
  }

 private:
  static constexpr Eigen::Index most_points = 256;

  void flush() {
    const Eigen::Index rows = 9 * count_;
    for (std::size_t f = 0; f < sums_.size(); ++f) {
      for (Eigen::Index p = 0; p < count_; ++p) {
        const auto s = stress_.block<6, 1>(6 * p, static_cast<Eigen::Index>(f));
        Matrix3 tensor;
        tensor << s(0), s(3), s(5), s(3), s(1), s(4), s(5), s(4), s(2);
        for (int a = 0; a < 3; ++a)
          pulled_.middleRows<3>(9 * p + 3 * a) = tensor(a, 0) * gradients_.middleRows<3>(9 * p) +
                                                 tensor(a, 1) * gradients_.middleRows<3>(9 * p + 3) +
                                                 tensor(a, 2) * gradients_.middleRows<3>(9 * p + 6);
      }
      sums_[f].noalias() += gradients_.topRows(rows).transpose() * pulled_.topRows(rows);
    }
    count_ = 0;
  }

  MatrixX gradients_, pulled_, stress_;
  Eigen::Index count_ = 0;
  std::vector<MatrixX> sums_;
};

// N, of xx, yy, xy in the axes of a surface, as a tensor in those of the link.
template <class Forces>
MatrixX spatial_tensor(const Matrix3& axes, const Forces& surface) {
  static constexpr int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
  Eigen::Matrix<double, 6, 3> turn;
  for (int row = 0; row < 6; ++row) {
    const int i = pairs[row][0], j = pairs[row][1];
    turn(row, 0) = axes(i, 0) * axes(j, 0);
    turn(row, 1) = axes(i, 1) * axes(j, 1);
    turn(row, 2) = axes(i, 0) * axes(j, 1) + axes(i, 1) * axes(j, 0);
  }
  return turn * surface;
}

class MeshBending {
 public:
  MeshBending(const Link& link, const FiniteElementBody& body, const StaticLoads& loads, const NodeShapes& modes)
      : link_(link),
        part_(*link.mesh),
        mesh_(part_.mesh),
        body_(body),
        loads_(loads),
        modes_(modes),
        place_(mesh_.positions.size(), -1),
        sums_(loads.motions.cols(), modes.translations.cols()) {
    for (int node = 0; node < body.num_nodes(); ++node)
      if (const int of_mesh = body.mesh_nodes[static_cast<std::size_t>(node)]; of_mesh >= 0)
        place_[static_cast<std::size_t>(of_mesh)] = node;
  }

  std::vector<MatrixX> work() {
    find_followers();
    for (std::size_t e = 0; e < mesh_.elements.size(); ++e) {
      if (!part_.is_structure(e)) continue;
      if (is_shell(mesh_.elements[e]))
        add_shell(mesh_.elements[e]);
      else if (is_solid(mesh_.elements[e]))
        add_solid(mesh_.elements[e]);
    }
    for (const MeshBeam& beam : mesh_.beams) add_beam(beam);
    std::vector<MatrixX> work = sums_.result();
    for (std::size_t k = 0; k < link_.spiders.size(); ++k)
      add_spider(link_.num_plain_nodes() + static_cast<int>(k), link_.spiders[k].nodes, work);
    for (const MeshSpider& spider : mesh_.spiders)
      add_spider(place_[static_cast<std::size_t>(spider.reference)], spider.nodes, work);
    for (MatrixX& G : work) G = -G;
    return work;
  }

 private:
  int node_of(const MeshElement& element, Eigen::Index k) const {
    return place_[static_cast<std::size_t>(mesh_.nodes_of(element)[k])];
  }

  // Nodes on which spiders act: what the elements push them with is wanted.
  void find_followers() {
    follows_.assign(static_cast<std::size_t>(body_.num_nodes()), -1);
    const auto mark = [&](const std::vector<int>& nodes) {
      for (const int node : nodes) {
        int& row = follows_[static_cast<std::size_t>(place_[static_cast<std::size_t>(node)])];
        if (row < 0) row = num_followers_++;
      }
    };
    for (const Spider& spider : link_.spiders) mark(spider.nodes);
    for (const MeshSpider& spider : mesh_.spiders) mark(spider.nodes);
    pushed_ = MatrixX::Zero(3 * static_cast<Eigen::Index>(num_followers_), sums_.num_loads());
    for (int node = 0; node < body_.num_nodes(); ++node)
      if (const int row = follows_[static_cast<std::size_t>(node)]; row >= 0)
        pushed_.middleRows<3>(3 * row) = -loads_.forces.middleRows<3>(6 * node);
  }

  // `motions`: 3 of each node, or 6.
  template <class Stiffness>
  void push_followers(const MeshElement& element, int motions, const Stiffness& stiffness, const MatrixX& moved) {
    const Eigen::Index n = info(element.shape).num_nodes;
    bool any = false;
    for (Eigen::Index k = 0; k < n; ++k) any = any || follows_[static_cast<std::size_t>(node_of(element, k))] >= 0;
    if (!any) return;
    const MatrixX forces = stiffness() * moved;
    for (Eigen::Index k = 0; k < n; ++k)
      if (const int row = follows_[static_cast<std::size_t>(node_of(element, k))]; row >= 0)
        pushed_.middleRows<3>(3 * row) += forces.middleRows<3>(motions * k);
  }

  MatrixX moved_nodes(const MeshElement& element, int motions) const {
    const Eigen::Index n = info(element.shape).num_nodes;
    MatrixX moved(motions * n, sums_.num_loads());
    for (Eigen::Index k = 0; k < n; ++k)
      moved.middleRows(motions * k, motions) = loads_.motions.middleRows(6 * node_of(element, k), motions);
    return moved;
  }

  // ∂_a u_c of the modes from the gradients of the interpolation, nodes x 3.
  template <class Gradients, class Displacements>
  MatrixX mode_gradients(const Gradients& gradients, const Displacements& of_node) const {
    MatrixX result = MatrixX::Zero(9, sums_.num_modes());
    for (Eigen::Index k = 0; k < gradients.rows(); ++k) {
      const Matrix3X u = of_node(k);
      for (int a = 0; a < 3; ++a) result.middleRows<3>(3 * a) += gradients(k, a) * u;
    }
    return result;
  }

  void add_solid(const MeshElement& element) {
    SolidNodes nodes(info(element.shape).num_nodes, 3);
    for (Eigen::Index k = 0; k < nodes.rows(); ++k)
      nodes.row(k) = mesh_.positions[static_cast<std::size_t>(mesh_.nodes_of(element)[k])].transpose();
    const Matrix6 elasticity = solid_elasticity(part_, element, nodes);
    const MatrixX moved = moved_nodes(element, 3);
    const MatrixX at_nodes = solid_stress(element.shape, nodes, elasticity) * moved;
    for (const SolidPoint& point : solid_points(element.shape, SolidRule::stiffness)) {
      const Matrix3 jacobian = point.shape.gradients.transpose().lazyProduct(nodes);
      MatrixX stress = MatrixX::Zero(6, moved.cols());
      for (Eigen::Index k = 0; k < nodes.rows(); ++k) stress += point.shape.values(k) * at_nodes.middleRows<6>(6 * k);
      const MatrixX gradients = point.shape.gradients * jacobian.inverse().transpose();
      sums_.add(
          mode_gradients(gradients,
                         [&](Eigen::Index k) { return modes_.translations.middleRows<3>(3 * node_of(element, k)); }),
          (point.weight * jacobian.determinant()) * stress);
    }
    push_followers(
        element, 3, [&] { return solid_stiffness(element.shape, nodes, elasticity); }, moved);
  }

  // The middle surface carries its forces N; what bends within the thickness is left out.
  void add_shell(const MeshElement& element) {
    const ShellElement shell = shell_element(part_, element);
    const ShellNodes normals = shell_normals(shell);
    const MatrixX moved = moved_nodes(element, 6);
    const auto middle = [&](Eigen::Index k) -> Matrix3X {
      const int node = node_of(element, k);
      const Vector3 arm = shell.offset * normals.row(k).transpose();
      return modes_.translations.middleRows<3>(3 * node) - skew(arm) * modes_.rotations.middleRows<3>(3 * node);
    };
    ShellNodes surface = shell.nodes;
    surface += shell.offset * normals;
    for (const ShellForces& point : shell_forces(shell)) {
      const PlaneShape shape = plane_shape(shell.shape, point.xi);
      const Eigen::Matrix<double, 3, 2> axes = point.axes.leftCols<2>();
      const Matrix2 jacobian = shape.gradients.transpose().lazyProduct(surface) * axes;
      const MatrixX gradients = shape.gradients * jacobian.inverse().transpose() * axes.transpose();
      sums_.add(mode_gradients(gradients, middle), spatial_tensor(point.axes, (point.area * point.forces) * moved));
    }
    push_followers(
        element, 6, [&] { return shell_stiffness(shell); }, moved);
  }

  // The force along a beam or rod with the turn of its chord.
  void add_beam(const MeshBeam& beam) {
    const MeshElement& element = mesh_.elements[static_cast<std::size_t>(beam.element)];
    const MeshBeamSection& section = mesh_.beam_sections[static_cast<std::size_t>(beam.section)];
    const std::array<int, 2> nodes = {node_of(element, 0), node_of(element, 1)};
    const auto motion = [&](std::size_t k, const auto& translations, const auto& rotations) -> MatrixX {
      return translations - skew(beam.offsets[k]) * rotations;
    };
    const auto moved = [&](std::size_t k) {
      return motion(k, loads_.motions.middleRows<3>(6 * nodes[k]), loads_.motions.middleRows<3>(6 * nodes[k] + 3));
    };
    const auto shaped = [&](std::size_t k) {
      return motion(k, modes_.translations.middleRows<3>(3 * nodes[k]), modes_.rotations.middleRows<3>(3 * nodes[k]));
    };
    const Vector3 along = body_.node_positions[static_cast<std::size_t>(nodes[1])] + beam.offsets[1] -
                          body_.node_positions[static_cast<std::size_t>(nodes[0])] - beam.offsets[0];
    const double length = along.norm();
    const Vector3 e = along / length;
    const double axial_stiffness =
        part_.materials[static_cast<std::size_t>(section.material)].young_modulus * section.section.area;
    const MatrixX force = (axial_stiffness / length) * (e.transpose() * (moved(1) - moved(0)));
    MatrixX gradients(9, sums_.num_modes());
    const MatrixX apart = (shaped(1) - shaped(0)) / length;
    for (int a = 0; a < 3; ++a) gradients.middleRows<3>(3 * a) = e(a) * apart;
    const Vector6 tensor =
        (Vector6() << e.x() * e.x(), e.y() * e.y(), e.z() * e.z(), e.x() * e.y(), e.y() * e.z(), e.z() * e.x())
            .finished();
    sums_.add(gradients, length * tensor * force);
  }

  // A node at d from its spider's moves by ½ ψ × (ψ × d) besides; the elements push it with r. ½ ψᵀ M ψ is the work.
  void add_spider(int reference, const std::vector<int>& mesh_nodes, std::vector<MatrixX>& work) const {
    const Vector3& centre = body_.node_positions[static_cast<std::size_t>(reference)];
    const Matrix3X turn = modes_.rotations.middleRows<3>(3 * reference);
    for (std::size_t f = 0; f < work.size(); ++f) {
      Matrix3 M = Matrix3::Zero();
      for (const int mesh_node : mesh_nodes) {
        const auto node = static_cast<std::size_t>(place_[static_cast<std::size_t>(mesh_node)]);
        const Vector3 d = body_.node_positions[node] - centre,
                      r = pushed_.block<3, 1>(3 * follows_[node], static_cast<Eigen::Index>(f));
        M += 0.5 * (r * d.transpose() + d * r.transpose()) - r.dot(d) * Matrix3::Identity();
      }
      work[f] += turn.transpose() * M * turn;
    }
  }

  const Link& link_;
  const MeshPart& part_;
  const Mesh& mesh_;
  const FiniteElementBody& body_;
  const StaticLoads& loads_;
  const NodeShapes& modes_;
  std::vector<int> place_;    // node of the body, per node of the mesh
  std::vector<int> follows_;  // row of a node of the body among those of spiders; -1: none
  int num_followers_ = 0;
  MatrixX pushed_;  // by the elements, less the loads there
  GradientSums sums_;
};

}  // namespace

std::vector<MatrixX> second_order_work(const Link& link, const FiniteElementBody& body, const StaticLoads& loads,
                                       const NodeShapes& modes) {
  return MeshBending(link, body, loads, modes).work();
}

}  // namespace lithe
