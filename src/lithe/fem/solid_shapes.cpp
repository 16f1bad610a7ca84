#include "lithe/fem/solid_shapes.h"

#include <Eigen/LU>
#include <array>
#include <cmath>

namespace lithe {
namespace {

struct LinePoint {
  double x = 0, weight = 0;
};

// Gauss-Legendre on [-1, 1].
std::vector<LinePoint> gauss(int n) {
  if (n == 1) return {{0, 2}};
  if (n == 2) return {{-std::sqrt(1.0 / 3), 1}, {std::sqrt(1.0 / 3), 1}};
  if (n == 3) return {{-std::sqrt(0.6), 5.0 / 9}, {0, 8.0 / 9}, {std::sqrt(0.6), 5.0 / 9}};
  const double root = 2.0 / 7 * std::sqrt(1.2), inner = std::sqrt(3.0 / 7 - root), outer = std::sqrt(3.0 / 7 + root);
  const double heavy = (18 + std::sqrt(30.0)) / 36, light = (18 - std::sqrt(30.0)) / 36;
  return {{-outer, light}, {-inner, heavy}, {inner, heavy}, {outer, light}};
}

struct TrianglePoint {
  double r = 0, s = 0, weight = 0;  // weights sum to 1/2
};

// Degree 2 with 3 points; degree 5 with 7 points (Radon 1948).
std::vector<TrianglePoint> triangle_points(int degree) {
  std::vector<TrianglePoint> points;
  const auto orbit = [&](double a, double weight) {
    points.push_back({a, a, weight / 2});
    points.push_back({1 - 2 * a, a, weight / 2});
    points.push_back({a, 1 - 2 * a, weight / 2});
  };
  if (degree <= 2) {
    orbit(1.0 / 6, 1.0 / 3);
    return points;
  }
  const double root = std::sqrt(15.0);
  points.push_back({1.0 / 3, 1.0 / 3, 0.1125});
  orbit((6 - root) / 21, (155 - root) / 1200);
  orbit((6 + root) / 21, (155 + root) / 1200);
  return points;
}

struct TetPoint {
  Vector3 xi;
  double weight;
};

void tet_corner_orbit(double a, double weight, std::vector<TetPoint>& points) {
  points.push_back({Vector3(a, a, a), weight});
  for (int k = 0; k < 3; ++k) {
    Vector3 xi = Vector3::Constant(a);
    xi(k) = 1 - 3 * a;
    points.push_back({xi, weight});
  }
}

// Degree 2 with 4 points; degree 5 with 14 points, all weights positive (Walkington 2000).
std::vector<TetPoint> tet_points(int degree) {
  std::vector<TetPoint> points;
  if (degree <= 2) {
    tet_corner_orbit((5 - std::sqrt(5.0)) / 20, 1.0 / 24, points);
    return points;
  }
  tet_corner_orbit(0.31088591926330060980, 0.11268792571801585080 / 6, points);
  tet_corner_orbit(0.092735250310891226402, 0.073493043116361949544 / 6, points);
  const double a = 0.045503704125649649492, b = 0.5 - a, weight = 0.042546020777081466438 / 6;
  for (const Vector3& xi :
       {Vector3(a, a, b), Vector3(a, b, a), Vector3(b, a, a), Vector3(a, b, b), Vector3(b, a, b), Vector3(b, b, a)})
    points.push_back({xi, weight});
  return points;
}

void set_tet(bool quadratic, const Vector3& xi, SolidShape& shape) {
  const std::array<double, 4> l = {1 - xi.sum(), xi.x(), xi.y(), xi.z()};
  std::array<Vector3, 4> dl = {Vector3::Constant(-1), Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()};
  for (int i = 0; i < 4; ++i) {
    const auto k = static_cast<std::size_t>(i);
    shape.values(i) = quadratic ? l[k] * (2 * l[k] - 1) : l[k];
    shape.gradients.row(i) = (quadratic ? 4 * l[k] - 1 : 1.0) * dl[k].transpose();
  }
  if (!quadratic) return;
  static constexpr std::array<std::array<std::size_t, 2>, 6> edges = {{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};
  for (int e = 0; e < 6; ++e) {
    const auto [a, b] = edges[static_cast<std::size_t>(e)];
    shape.values(4 + e) = 4 * l[a] * l[b];
    shape.gradients.row(4 + e) = 4 * (l[a] * dl[b] + l[b] * dl[a]).transpose();
  }
}

void set_hex(bool quadratic, const Vector3& xi, SolidShape& shape) {
  static constexpr std::array<std::array<int, 3>, 20> nodes = {
      {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},
       {-1, 1, 1},   {0, -1, -1}, {1, 0, -1},  {0, 1, -1},  {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},
       {0, 1, 1},    {-1, 0, 1},  {-1, -1, 0}, {1, -1, 0},  {1, 1, 0},   {-1, 1, 0}}};
  for (int i = 0; i < (quadratic ? 20 : 8); ++i) {
    const auto& at = nodes[static_cast<std::size_t>(i)];
    // A factor per direction: 1 + ξ ξ_i, or 1 - ξ² in the middle of an edge.
    Vector3 f, df;
    int sum_of_corner = 0;
    for (int a = 0; a < 3; ++a) {
      const int sign = at[static_cast<std::size_t>(a)];
      f(a) = sign ? 1 + sign * xi(a) : 1 - xi(a) * xi(a);
      df(a) = sign ? sign : -2 * xi(a);
      sum_of_corner += sign != 0;
    }
    const bool corner = sum_of_corner == 3;
    const double product = f.prod(), scale = corner ? 0.125 : 0.25;
    Vector3 gradient(df(0) * f(1) * f(2), f(0) * df(1) * f(2), f(0) * f(1) * df(2));
    double value = product;
    if (corner && quadratic) {
      const double bracket = at[0] * xi(0) + at[1] * xi(1) + at[2] * xi(2) - 2;
      gradient = (gradient * bracket + product * Vector3(at[0], at[1], at[2])).eval();
      value = product * bracket;
    }
    shape.values(i) = scale * value;
    shape.gradients.row(i) = scale * gradient.transpose();
  }
}

void set_wedge(bool quadratic, const Vector3& xi, SolidShape& shape) {
  const double z = xi.z();
  const std::array<double, 3> l = {1 - xi.x() - xi.y(), xi.x(), xi.y()};
  const std::array<Eigen::Vector2d, 3> dl = {Eigen::Vector2d(-1, -1), Eigen::Vector2d(1, 0), Eigen::Vector2d(0, 1)};
  const auto set = [&](int node, double value, const Eigen::Vector2d& in_plane, double upright) {
    shape.values(node) = value;
    shape.gradients.row(node) << in_plane.x(), in_plane.y(), upright;
  };
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    for (int level = 0; level < 2; ++level) {
      const double sign = level ? 1 : -1, half = 0.5 * (1 + sign * z), bubble = 0.5 * (1 - z * z);
      if (!quadratic) {
        set(i + 3 * level, l[k] * half, dl[k] * half, l[k] * 0.5 * sign);
        continue;
      }
      const std::size_t next = (k + 1) % 3;
      set(i + 3 * level, l[k] * (2 * l[k] - 1) * half - l[k] * bubble, ((4 * l[k] - 1) * half - bubble) * dl[k],
          l[k] * (2 * l[k] - 1) * 0.5 * sign + l[k] * z);
      set(6 + i + 3 * level, 4 * l[k] * l[next] * half, 4 * half * (l[k] * dl[next] + l[next] * dl[k]),
          2 * sign * l[k] * l[next]);
    }
    if (quadratic) set(12 + i, l[k] * (1 - z * z), (1 - z * z) * dl[k], -2 * z * l[k]);
  }
}

enum class Family { tet, wedge, hex };

Family family(ElementShape shape) {
  switch (shape) {
    case ElementShape::tet4:
    case ElementShape::tet10:
      return Family::tet;
    case ElementShape::wedge6:
    case ElementShape::wedge15:
      return Family::wedge;
    default:
      return Family::hex;
  }
}

bool is_quadratic(ElementShape shape) { return info(shape).num_nodes > info(shape).num_corners; }

ElementShape linear_shape(ElementShape shape) {
  switch (family(shape)) {
    case Family::tet:
      return ElementShape::tet4;
    case Family::wedge:
      return ElementShape::wedge6;
    case Family::hex:
      break;
  }
  return ElementShape::hex8;
}

std::vector<SolidPoint> make_points(ElementShape shape, SolidRule rule) {
  const bool quadratic = is_quadratic(shape), mass = rule == SolidRule::mass, stress = rule == SolidRule::stress;
  std::vector<SolidPoint> points;
  const auto add = [&](const Vector3& xi, double weight) { points.push_back({xi, weight, solid_shape(shape, xi)}); };
  switch (family(shape)) {
    case Family::tet:
      if (!quadratic && !mass)
        add(Vector3::Constant(0.25), 1.0 / 6);
      else
        for (const TetPoint& point : tet_points(quadratic && mass ? 5 : 2)) add(point.xi, point.weight);
      break;
    case Family::wedge:
      for (const TrianglePoint& in_plane : triangle_points(mass ? 5 : 2))
        for (const LinePoint& upright : gauss(stress ? 2 : (quadratic ? 3 : 2) + (mass ? 1 : 0)))
          add({in_plane.r, in_plane.s, upright.x}, in_plane.weight * upright.weight);
      break;
    case Family::hex:
      const std::vector<LinePoint> line = gauss(stress ? 2 : (quadratic ? 3 : 2) + (mass ? 1 : 0));
      for (const LinePoint& c : line)
        for (const LinePoint& b : line)
          for (const LinePoint& a : line) add({a.x, b.x, c.x}, a.weight * b.weight * c.weight);
      break;
  }
  return points;
}

Vector3 reference_position(ElementShape shape, int node) {
  static constexpr double h = 0.5;
  static const std::vector<Vector3> tet = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {h, 0, 0},
                                           {h, h, 0}, {0, h, 0}, {0, 0, h}, {h, 0, h}, {0, h, h}};
  static const std::vector<Vector3> wedge = {{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {0, 0, 1},  {1, 0, 1},
                                             {0, 1, 1},  {h, 0, -1}, {h, h, -1}, {0, h, -1}, {h, 0, 1},
                                             {h, h, 1},  {0, h, 1},  {0, 0, 0},  {1, 0, 0},  {0, 1, 0}};
  static const std::vector<Vector3> hex = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1},
                                           {1, -1, 1},   {1, 1, 1},   {-1, 1, 1}, {0, -1, -1}, {1, 0, -1},
                                           {0, 1, -1},   {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},   {0, 1, 1},
                                           {-1, 0, 1},   {-1, -1, 0}, {1, -1, 0}, {1, 1, 0},   {-1, 1, 0}};
  const auto k = static_cast<std::size_t>(node);
  switch (family(shape)) {
    case Family::tet:
      return tet[k];
    case Family::wedge:
      return wedge[k];
    case Family::hex:
      break;
  }
  return hex[k];
}

// The linear element's functions take any values at its corners to a field; here the field through the stress points.
MatrixX make_extrapolation(ElementShape shape) {
  const std::vector<SolidPoint>& points = solid_points(shape, SolidRule::stress);
  const auto count = static_cast<Eigen::Index>(points.size());
  const int nodes = info(shape).num_nodes;
  if (count == 1) return MatrixX::Ones(nodes, 1);
  const ElementShape linear = linear_shape(shape);
  MatrixX at_points(count, count), at_nodes(nodes, count);
  for (Eigen::Index p = 0; p < count; ++p)
    at_points.row(p) = solid_shape(linear, points[static_cast<std::size_t>(p)].xi).values.transpose();
  for (int i = 0; i < nodes; ++i)
    at_nodes.row(i) = solid_shape(linear, reference_position(shape, i)).values.transpose();
  return at_nodes * at_points.partialPivLu().inverse();
}

constexpr std::array solids = {ElementShape::tet4,    ElementShape::tet10, ElementShape::wedge6,
                               ElementShape::wedge15, ElementShape::hex8,  ElementShape::hex20};

std::size_t index_of(ElementShape shape) {
  for (std::size_t k = 0; k < solids.size(); ++k)
    if (solids[k] == shape) return k;
  return 0;
}

}  // namespace

SolidShape solid_shape(ElementShape shape, const Vector3& xi) {
  SolidShape result;
  result.values.resize(info(shape).num_nodes);
  result.gradients.resize(info(shape).num_nodes, 3);
  switch (family(shape)) {
    case Family::tet:
      set_tet(is_quadratic(shape), xi, result);
      break;
    case Family::wedge:
      set_wedge(is_quadratic(shape), xi, result);
      break;
    case Family::hex:
      set_hex(is_quadratic(shape), xi, result);
      break;
  }
  return result;
}

const std::vector<SolidPoint>& solid_points(ElementShape shape, SolidRule rule) {
  using Rules = std::array<std::array<std::vector<SolidPoint>, 3>, solids.size()>;
  static const Rules rules = [] {
    Rules result;
    for (std::size_t k = 0; k < solids.size(); ++k)
      for (std::size_t r = 0; r < 3; ++r) result[k][r] = make_points(solids[k], static_cast<SolidRule>(r));
    return result;
  }();
  return rules[index_of(shape)][static_cast<std::size_t>(rule)];
}

std::vector<FacePoint> face_points(ElementShape shape, const ElementFace& face) {
  std::array<Vector3, 4> corners;
  for (int k = 0; k < face.num_corners(); ++k)
    corners[static_cast<std::size_t>(k)] = reference_position(shape, face.corners[static_cast<std::size_t>(k)]);
  const auto& [a, b, c, d] = corners;
  std::vector<FacePoint> points;
  if (face.num_corners() == 3) {
    for (const TrianglePoint& p : triangle_points(5))
      points.push_back({solid_shape(shape, a + p.r * (b - a) + p.s * (c - a)), b - a, c - a, p.weight});
    return points;
  }
  for (const LinePoint& s : gauss(3))
    for (const LinePoint& t : gauss(3)) {
      const double s0 = (1 - s.x) / 2, s1 = (1 + s.x) / 2, t0 = (1 - t.x) / 2, t1 = (1 + t.x) / 2;
      const Vector3 xi = s0 * t0 * a + s1 * t0 * b + s1 * t1 * c + s0 * t1 * d;
      points.push_back({solid_shape(shape, xi), (t0 * (b - a) + t1 * (c - d)) / 2, (s0 * (d - a) + s1 * (c - b)) / 2,
                        s.weight * t.weight});
    }
  return points;
}

const MatrixX& stress_extrapolation(ElementShape shape) {
  static const std::array<MatrixX, solids.size()> matrices = [] {
    std::array<MatrixX, solids.size()> result;
    for (std::size_t k = 0; k < solids.size(); ++k) result[k] = make_extrapolation(solids[k]);
    return result;
  }();
  return matrices[index_of(shape)];
}

}  // namespace lithe
