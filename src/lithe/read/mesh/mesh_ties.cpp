#include "lithe/read/mesh/mesh_ties.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/base/text.h"
#include "lithe/fem/shells/shell_shapes.h"

namespace lithe {
namespace {

using Tangents = Eigen::Matrix<double, 3, 2>;

// A face of a solid, or a shell, as a surface of its own.
class MasterFace {
 public:
  MasterFace(const Mesh& mesh, const MeshBuilder::Face& face) {
    const MeshElement& element = mesh.elements[static_cast<std::size_t>(face.element)];
    const ElementFace& places = info(element.shape).dimension == 2
                                    ? face_of_shell(element.shape)
                                    : faces_of(element.shape)[static_cast<std::size_t>(face.face)];
    for (const auto& list : {places.corners, places.edges})
      for (const int at : list)
        if (at >= 0) nodes_.push_back(mesh.nodes_of(element)[at]);
    const bool triangle = places.num_corners() == 3, quadratic = places.edges[0] >= 0;
    shape_ = triangle ? (quadratic ? ElementShape::tri6 : ElementShape::tri3)
                      : (quadratic ? ElementShape::quad8 : ElementShape::quad4);
    positions_.resize(static_cast<Eigen::Index>(nodes_.size()), 3);
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      positions_.row(static_cast<Eigen::Index>(k)) = mesh.positions[static_cast<std::size_t>(nodes_[k])].transpose();
    centre_ = positions_.colwise().mean().transpose();
    radius_ = (positions_.rowwise() - centre_.transpose()).rowwise().norm().maxCoeff();
  }

  const std::vector<int>& nodes() const { return nodes_; }
  double size() const { return 2 * radius_; }
  // No point of the face is nearer than this; quadratic faces may bulge beyond their nodes.
  double least_distance(const Vector3& x) const { return (x - centre_).norm() - reach(); }
  double reach() const { return 1.2 * radius_; }
  const Vector3& centre() const { return centre_; }

  struct Nearest {
    Vector2 xi = Vector2::Zero();
    double distance = std::numeric_limits<double>::infinity();
  };
  // By Newton's method for the flat face of each tangent plane, kept inside.
  Nearest nearest(const Vector3& x) const {
    const bool triangle = info(shape_).num_corners == 3;
    Nearest best;
    Vector2 xi = triangle ? Vector2(1.0 / 3, 1.0 / 3) : Vector2(0, 0);
    constexpr int most_steps = 25;
    for (int step = 0; step < most_steps; ++step) {
      const PlaneShape shape = plane_shape(shape_, xi);
      const Vector3 away = x - positions_.transpose() * shape.values;
      if (away.norm() < best.distance) best = {xi, away.norm()};
      const Tangents tangents = positions_.transpose() * shape.gradients;
      const Vector2 change = (tangents.transpose() * tangents).inverse() * (tangents.transpose() * away);
      const Vector2 next = inside(xi + change, triangle);
      if (!next.allFinite() || (next - xi).norm() < 1e-14) break;
      xi = next;
    }
    return best;
  }

  // (14): 3 x 3 factors of the displacement of each node of the face in that of a point x, which is at g = x − x(ξ):
  // its part in the face goes on with the face's gradient, that along the normal turns with it.
  std::vector<Matrix3> factors(const Vector3& x, const Vector2& xi, VectorX& values) const {
    const PlaneShape shape = plane_shape(shape_, xi);
    const Vector3 away = x - positions_.transpose() * shape.values;
    const Tangents tangents = positions_.transpose() * shape.gradients;
    const Matrix2 metric = (tangents.transpose() * tangents).inverse();
    const Vector3 normal = Vector3(tangents.col(0)).cross(Vector3(tangents.col(1))).normalized();
    const Vector2 along = metric * (tangents.transpose() * away);
    const Tangents dual = tangents * metric;
    values = shape.values;
    std::vector<Matrix3> result;
    for (Eigen::Index j = 0; j < positions_.rows(); ++j) {
      const Vector2 gradient = shape.gradients.row(j).transpose();
      result.push_back((shape.values(j) + gradient.dot(along)) * Matrix3::Identity() -
                       away.dot(normal) * (dual * gradient) * normal.transpose());
    }
    return result;
  }

 private:
  static Vector2 inside(Vector2 xi, bool triangle) {
    if (!triangle) return xi.cwiseMax(-1).cwiseMin(1);
    if (xi.sum() > 1) xi -= Vector2::Constant((xi.sum() - 1) / 2);
    xi = xi.cwiseMax(0).cwiseMin(1);
    return xi.sum() > 1 ? Vector2(xi / xi.sum()) : xi;
  }

  std::vector<int> nodes_;
  ElementShape shape_ = ElementShape::tri3;
  ShellNodes positions_;
  Vector3 centre_ = Vector3::Zero();
  double radius_ = 0;
};

// Which faces may be as near to a point as the tolerance: those beside it along the axis in which they spread most.
class FacesBeside {
 public:
  FacesBeside(const std::vector<MasterFace>& faces, double tolerance) {
    if (faces.empty()) return;
    Vector3 low = faces[0].centre(), high = low;
    for (const MasterFace& face : faces) low = low.cwiseMin(face.centre()), high = high.cwiseMax(face.centre());
    (high - low).maxCoeff(&axis_);
    for (std::size_t k = 0; k < faces.size(); ++k) {
      const double place = faces[k].centre()(axis_), reach = faces[k].reach() + tolerance;
      const bool is_known = std::isfinite(place + reach);  // coordinates of 1e308 have no mean
      places_.emplace_back(is_known ? place : 0, k);
      reach_ = is_known ? std::max(reach_, reach) : std::numeric_limits<double>::infinity();
    }
    std::sort(places_.begin(), places_.end());
  }
  // In the order of the faces.
  const std::vector<std::size_t>& at(const Vector3& x) {
    found_.clear();
    const double from = x(axis_) - reach_, to = x(axis_) + reach_;
    for (auto place = std::lower_bound(places_.begin(), places_.end(), std::pair(from, std::size_t{0}));
         place != places_.end() && place->first <= to; ++place)
      found_.push_back(place->second);
    std::sort(found_.begin(), found_.end());
    return found_;
  }

 private:
  Eigen::Index axis_ = 0;
  double reach_ = 0;
  std::vector<std::pair<double, std::size_t>> places_;  // along the axis, and which face
  std::vector<std::size_t> found_;
};

void add_equations(int slave, const Vector3& position, const MasterFace& face, const Vector2& xi,
                   const std::string& name, std::vector<MeshEquation>& equations) {
  VectorX values;
  const std::vector<Matrix3> factors = face.factors(position, xi, values);
  for (int a = 0; a < 3; ++a) {
    MeshEquation moves{name, {{slave, a, 1}}, false}, turns{name, {{slave, 3 + a, 1}}, true};
    for (std::size_t j = 0; j < factors.size(); ++j) {
      for (int b = 0; b < 3; ++b)
        if (factors[j](a, b) != 0) moves.terms.push_back({face.nodes()[j], b, -factors[j](a, b)});
      turns.terms.push_back({face.nodes()[j], 3 + a, -values(static_cast<Eigen::Index>(j))});
    }
    equations.push_back(std::move(moves));
    equations.push_back(std::move(turns));
  }
}

}  // namespace

TiedNodes tie_nodes(const Mesh& mesh, const std::vector<int>& slaves, const std::vector<MeshBuilder::Face>& masters,
                    double tolerance, const std::string& name) {
  constexpr double usual_share = 0.05;  // of the size of a face
  std::vector<MasterFace> faces;
  std::vector<bool> done(mesh.positions.size(), false);
  double size = 0;
  for (const MeshBuilder::Face& face : masters) {
    faces.emplace_back(mesh, face);
    size += faces.back().size() / static_cast<double>(masters.size());
    for (const int node : faces.back().nodes()) done[static_cast<std::size_t>(node)] = true;
  }
  TiedNodes tied;
  tied.tolerance = tolerance >= 0 ? tolerance : usual_share * size;
  FacesBeside beside(faces, tied.tolerance);
  for (const int slave : slaves) {
    if (done[static_cast<std::size_t>(slave)]) continue;
    done[static_cast<std::size_t>(slave)] = true;
    const Vector3& position = mesh.positions[static_cast<std::size_t>(slave)];
    const MasterFace* best = nullptr;
    MasterFace::Nearest nearest;
    for (const std::size_t k : beside.at(position)) {
      const MasterFace& face = faces[k];
      if (face.least_distance(position) > std::min(tied.tolerance, nearest.distance)) continue;
      const MasterFace::Nearest found = face.nearest(position);
      if (!(found.distance < nearest.distance)) continue;
      nearest = found;
      best = &face;
    }
    if (!best || nearest.distance > tied.tolerance)
      tied.left_out.push_back(mesh.node_labels[static_cast<std::size_t>(slave)]);
    else
      add_equations(slave, position, *best, nearest.xi, name, tied.equations);
  }
  return tied;
}

}  // namespace lithe
