// The spatial rigid slider-crank of the IFToMM library of computational benchmark problems (www.iftomm-multibody.org,
// after E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, Allyn and Bacon 1989, section 12.2):
// a crank that turns about x, a rod on a ball joint at the crank and a universal joint at the slider, a slider along x.
// Its motion is a quadrature in closed form; the library has solutions that others submitted.
#include <numbers>

#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

constexpr double crank_length = 0.08, rod_length = 0.3, slider_start = 0.2, start_speed = 6, g = 9.81;
constexpr double crank_mass = 0.12, rod_mass = 0.5, slider_mass = 2, crank_inertia = 1e-4, rod_along = 4e-4,
                 rod_across = 4e-3;
const Vector3 bearing(0, 0.1, 0.12);

// The mechanism with the crank at an angle, and its derivatives by the angle. The rod's y axis stays normal to the
// guide: that is the universal joint.
struct Place {
  Vector3 pin, slider, pin_rate, slider_rate, turn_rate;  // turn_rate: of the rod, per unit of the crank's speed
  Matrix3 rod;                                            // axes of the rod: along it, y, z

  explicit Place(double angle) {
    const double s = std::sin(angle), c = std::cos(angle);
    pin = bearing + crank_length * Vector3(0, -s, c);
    pin_rate = crank_length * Vector3(0, -c, -s);
    const double x = std::sqrt(rod_length * rod_length - pin.tail<2>().squaredNorm());
    slider = {x, 0, 0};
    slider_rate = {-pin.dot(pin_rate) / x, 0, 0};
    const Vector3 n = (slider - pin) / rod_length, n_rate = (slider_rate - pin_rate) / rod_length;
    const Vector3 y = Vector3::UnitX().cross(n), y_rate = Vector3::UnitX().cross(n_rate);
    const Vector3 z = n.cross(y.normalized());
    rod << n, y.normalized(), z;
    turn_rate = n.cross(n_rate) + y_rate.dot(z) / y.norm() * n;
  }
  // 2 T / speed²
  double inertia() const {
    const Vector3 centre_rate = 0.5 * (pin_rate + slider_rate), w = rod.transpose() * turn_rate;
    return crank_inertia + 0.25 * crank_mass * pin_rate.squaredNorm() + rod_mass * centre_rate.squaredNorm() +
           slider_mass * slider_rate.squaredNorm() + rod_along * w.x() * w.x() + rod_across * w.tail<2>().squaredNorm();
  }
  double potential() const { return 0.5 * g * (crank_mass * (bearing + pin) + rod_mass * (pin + slider)).z(); }
};

// Energy gives the crank's speed at each angle, and its inverse integrated over the angle the time: three Gauss points
// on each of many short arcs.
class Quadrature {
 public:
  double angle_at(double time) {
    while (time_ + arc_time(step) < time) {
      time_ += arc_time(step);
      angle_ += step;
    }
    double part = (time - time_) / arc_time(step) * step;
    for (int i = 0; i < 20; ++i) part += (time - time_ - arc_time(part)) * speed(angle_ + part);
    return angle_ + part;
  }

 private:
  static constexpr double step = 1e-3;
  static double speed(double angle) {
    const Place start(0), now(angle);
    const double energy = 0.5 * start.inertia() * start_speed * start_speed + start.potential();
    return std::sqrt(2 * (energy - now.potential()) / now.inertia());
  }
  double arc_time(double arc) const {
    const double h = 0.5 * arc, off = std::sqrt(0.6) * h, middle = angle_ + h;
    return h * (5 / speed(middle - off) + 8 / speed(middle) + 5 / speed(middle + off)) / 9;
  }
  double time_ = 0, angle_ = 0;
};

struct Parts {
  int crank = 0, rod = 0, slider = 0;
};

void join(FlexibleBuilder& b, const Parts& parts) {
  const Place start(0);
  b.hinge("bearing", JointType::revolute, -1, bearing, parts.crank, {0, 0, 0}, Vector3::UnitX(), {0}, {start_speed});
  b.hinge("ball", JointType::spherical, parts.crank, {0, 0, crank_length}, parts.rod, {0, 0, 0}, Vector3::UnitZ());
  b.hinge("guide", JointType::prismatic, -1, start.slider, parts.slider, {0, 0, 0}, Vector3::UnitX());
  Matrix3 axes;  // z along the guide, x the rod's y axis
  axes << start.rod.col(1), Vector3::UnitX().cross(Vector3(start.rod.col(1))), Vector3::UnitX();
  const int cross = b.joint("cross", JointType::universal, parts.slider, {axes, Vector3::Zero()}, parts.rod,
                            {axes, start.slider - start.pin});
  b.cut(cross);
  b.model().joints[0].independent = true;
}

// All axes are the world's at the start.
Model rigid_mechanism() {
  FlexibleBuilder b;
  const Place start(0);
  const Parts parts{b.link("crank"), b.link("rod"), b.link("slider")};
  auto& links = b.model().links;
  links[parts.crank].rigid_inertia = {
      crank_mass, {0, 0, 0.5 * crank_length}, Vector3(crank_inertia, 1e-5, 1e-4).asDiagonal()};
  links[parts.rod].rigid_inertia = {
      rod_mass, 0.5 * (start.slider - start.pin),
      start.rod * Vector3(rod_along, rod_across, rod_across).asDiagonal() * start.rod.transpose()};
  links[parts.slider].rigid_inertia = {slider_mass, Vector3::Zero(), Vector3(1e-4, 1e-4, 1e-4).asDiagonal()};
  join(b, parts);
  Sensor sensor;
  sensor.name = "slider";
  sensor.quantity = Quantity::joint_value;
  sensor.joint = 2;
  b.model().sensors.push_back(sensor);
  return b.model();
}

TEST(SpatialSliderCrank, QuadratureAgreesWithTheSolutionsOfTheLibrary) {
  // Slider position in m as submitted to the library by F. Gonzalez; at t = 1 s submissions differ by up to 7e-4 m.
  const struct {
    double time, slider;
  } table[] = {{0.1, 0.226785384}, {0.25, 0.284855404}, {0.5, 0.184952803}, {1, 0.211754668},
               {2, 0.289063554},   {3, 0.228450093},    {4, 0.188208161},   {5, 0.240761815}};
  Quadrature exact;
  for (const auto& row : table) EXPECT_NEAR(Place(exact.angle_at(row.time)).slider.x(), row.slider, 1e-4) << row.time;
}

TEST(SpatialSliderCrank, MovesAsTheQuadratureInEveryFormulation) {
  const Model model = rigid_mechanism();
  for (const char* formulation : {"erls-cms", "floating-frame", "corotational", "transfer-functions"}) {
    const Trajectory motion = run(model, {.formulation = formulation}, 1, {.tolerance = 1e-9, .samples = 50});
    Quadrature exact;
    for (std::size_t i = 1; i < motion.times.size(); ++i)
      EXPECT_NEAR(slider_start + motion.columns[0].values[i], Place(exact.angle_at(motion.times[i])).slider.x(), 1e-7)
          << formulation << ", t = " << motion.times[i];
    EXPECT_LT(std::abs(motion.energy.imbalance()), 1e-7) << formulation;
  }
}

// Crank and rod of rubbery bars of the same masses: the rod sags by a thousandth of its length.
Model flexible_mechanism(double young_modulus) {
  FlexibleBuilder b(young_modulus, 7800, 0.0146, 0.0146);
  const Place start(0);
  const Parts parts{b.beam("crank", {{0, 0, 0}, {0, 0, crank_length}}, 1, 3),
                    b.beam("rod", {{0, 0, 0}, 0.5 * (start.slider - start.pin), start.slider - start.pin}, 2, 6),
                    b.link("slider")};
  b.model().links[parts.slider].rigid_inertia = {slider_mass, Vector3::Zero(), Vector3(1e-4, 1e-4, 1e-4).asDiagonal()};
  join(b, parts);
  Model model = with_tips(b.model());
  model.sensors[1].node = 1;  // the middle of the rod
  return model;
}

// Modes are cut off alike in the first two; what is left is of second order in the deflection, so that it falls
// 256-fold when the bars are 16 times as stiff. Beams without modes differ by what the modes left out, too.
TEST(SpatialSliderCrank, OfFlexibleBarsMovesTheSameInEveryFormulation) {
  double apart[2];
  for (const int stiff : {0, 1}) {
    const Model model = flexible_mechanism(stiff ? 16 * 4e9 : 4e9);
    const RunSettings settings{.tolerance = 1e-8};
    const Trajectory erls = run(model, {}, 0.04, settings);
    apart[stiff] = largest_difference(erls, run(model, {.formulation = "floating-frame"}, 0.04, settings));
    if (stiff) continue;
    const Trajectory beams = run(model, {.formulation = "corotational"}, 0.04,
                                 {.integrator = "generalised_alpha", .tolerance = 1e-7, .step = 5e-5});
    EXPECT_LT(largest_difference(erls, beams), 5e-5);
  }
  EXPECT_LT(apart[0], 2e-5);
  EXPECT_GT(apart[0], 1e-7);           // the deflection is visible in it
  EXPECT_GT(apart[0] / apart[1], 64);  // a first-order error would fall 16-fold
}

}  // namespace
}  // namespace lithe
