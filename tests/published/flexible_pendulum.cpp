// The very flexible pendulum of J. L. Escalona, H. A. Hussien and A. A. Shabana, Application of the absolute nodal
// co-ordinate formulation to multibody system dynamics, J. Sound Vib. 214 (1998) 833-851: length 1.2 m, area 18 cm²,
// second moment 1.215e-8 m⁴, density 5540 kg/m³, E = 0.7 MPa, released from the horizontal. It bends like a rope and
// stretches by several per cent. The paper shows it in figures; numbers come from a discretisation written here.
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;
using Point = Eigen::Vector2d;

constexpr double length = 1.2, area = 1.8e-3, second_moment = 1.215e-8, density = 5540, g = 9.81;

// Masses on a line of springs that resist stretching, and bending by the angle between neighbours: the discrete
// elastica, of second order in the spacing. Everything follows from the places of the masses in the plane.
class Chain {
 public:
  Chain(double young_modulus, int segments)
      : E(young_modulus), h_(length / segments), places_(segments + 1), speeds_(segments + 1, Point::Zero()) {
    for (int i = 0; i <= segments; ++i) places_[i] = {i * h_, 0};
  }
  Point tip() const { return places_.back(); }

  void advance(double time, int steps) {  // Runge and Kutta's fourth-order method
    const double dt = time / steps;
    for (int s = 0; s < steps; ++s) {
      const Points p = places_, v = speeds_;
      const Points a1 = accelerations(p), v2 = moved(v, a1, dt / 2);
      const Points a2 = accelerations(moved(p, v, dt / 2)), v3 = moved(v, a2, dt / 2);
      const Points a3 = accelerations(moved(p, v2, dt / 2)), v4 = moved(v, a3, dt);
      const Points a4 = accelerations(moved(p, v3, dt));
      for (std::size_t i = 0; i < p.size(); ++i) {
        places_[i] += dt / 6 * (v[i] + 2 * v2[i] + 2 * v3[i] + v4[i]);
        speeds_[i] += dt / 6 * (a1[i] + 2 * a2[i] + 2 * a3[i] + a4[i]);
      }
    }
  }

 private:
  using Points = std::vector<Point>;
  static Points moved(Points points, const Points& rates, double dt) {
    for (std::size_t i = 0; i < points.size(); ++i) points[i] += dt * rates[i];
    return points;
  }
  static Point across(const Point& e) { return Point(-e.y(), e.x()) / e.squaredNorm(); }

  Points accelerations(const Points& p) const {
    const int n = static_cast<int>(p.size()) - 1;
    Points force(p.size(), Point::Zero());
    for (int i = 0; i < n; ++i) {
      const Point e = p[i + 1] - p[i], pull = E * area * (e.norm() / h_ - 1) * e.normalized();
      force[i] += pull;
      force[i + 1] -= pull;
    }
    for (int i = 1; i < n; ++i) {
      const Point before = p[i] - p[i - 1], after = p[i + 1] - p[i];
      const double angle = std::atan2(before.x() * after.y() - before.y() * after.x(), before.dot(after));
      const double moment = E * second_moment / h_ * angle;
      const Point on_after = moment * across(after), on_before = moment * across(before);
      force[i + 1] -= on_after;
      force[i] += on_after + on_before;
      force[i - 1] -= on_before;
    }
    for (int i = 0; i <= n; ++i) force[i] = force[i] / (density * area * h_ * (i == n ? 0.5 : 1)) - Point(0, g);
    force[0].setZero();
    return force;
  }

  double E, h_;
  Points places_, speeds_;
};

// Tips of two chains extrapolated to none of the spacing.
std::vector<Point> exact_tips(double E, double end, int samples) {
  Chain coarse(E, 40), fine(E, 80);
  // Four steps in the time that a wave takes from one mass to the next.
  const int steps = static_cast<int>(4 * end / samples * std::sqrt(E / density) * 40 / length);
  std::vector<Point> tips;
  for (int i = 0; i < samples; ++i) {
    coarse.advance(end / samples, steps);
    fine.advance(end / samples, 2 * steps);
    tips.push_back((4 * fine.tip() - coarse.tip()) / 3);
  }
  return tips;
}

Model pendulum(double E, int elements) {
  FlexibleBuilder b;
  Section section;
  section.area = area;
  section.second_moment_y = section.second_moment_z = second_moment;
  section.torsion_constant = 2 * second_moment;
  b.model().materials = {{"rubber", density, E, E / 2.6}};
  b.model().sections = {section};
  const int rope = b.beam("rope", {{0, 0, 0}, {length, 0, 0}}, elements);
  b.hinge("pivot", JointType::revolute, -1, {0, 0, 0}, rope, {0, 0, 0}, Vector3::UnitY());
  return with_tips(b.model());
}

// Largest distance of the tips for each number of elements.
std::vector<double> errors(double E, double end, const std::vector<int>& meshes) {
  constexpr int samples = 12;
  const std::vector<Point> exact = exact_tips(E, end, samples);
  std::vector<double> result;
  for (const int elements : meshes) {
    const Trajectory motion =
        run(pendulum(E, elements), {.formulation = "corotational"}, end, {.tolerance = 1e-6, .samples = samples});
    double largest = 0;
    for (int i = 0; i < samples; ++i) {
      const Point tip(motion.columns[0].values[i + 1], motion.columns[2].values[i + 1]);
      largest = std::max(largest, (tip - exact[i]).norm());
      EXPECT_NEAR(motion.columns[1].values[i + 1], 0, 1e-9);  // out of the plane
    }
    result.push_back(largest);
    EXPECT_LT(std::abs(motion.energy.imbalance()), 3e-5 * density * area * length * g * length);
    ::testing::Test::RecordProperty(std::to_string(elements) + " elements", std::to_string(1e3 * largest) + " mm");
  }
  return result;
}

// The paper's: while it falls the root bends by a radian within a few centimetres.
TEST(FlexiblePendulum, FallsAsTheChainAndConvergesWithTheMesh) {
  const std::vector<double> error = errors(0.7e6, 0.3, {8, 16, 32});
  EXPECT_LT(error[2], 4e-4);
  EXPECT_GT(error[0] / error[1], 3.5);  // second order: 4
  EXPECT_GT(error[1] / error[2], 3.5);
}

// Thirty times as stiff it bends by a fifth of its length on the way and swings through to the other side.
TEST(FlexiblePendulum, SwingsThroughAsTheChainAndConvergesWithTheMesh) {
  const std::vector<double> error = errors(2e7, 0.5, {8, 16});
  EXPECT_LT(error[1], 8e-3);
  EXPECT_GT(error[0] / error[1], 3.5);
}

}  // namespace
}  // namespace lithe
