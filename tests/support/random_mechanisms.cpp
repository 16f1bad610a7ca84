#include "support/random_mechanisms.h"

#include <numbers>

namespace lithe::testing {
namespace {

class RandomBuilder {
 public:
  explicit RandomBuilder(const RandomMechanism& choice)
      : choice_(choice), random_(choice.seed), b_(2.1e11 * choice.stiffness, 7800, 0.014, 0.02) {}

  Model build() {
    switch (choice_.kind) {
      case MechanismKind::closed:
        platform_on_legs();
        break;
      default:
        tree();
    }
    finish();
    return b_.model();
  }

 private:
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

  int beam(const std::string& name, const Vector3& along) {
    const int link = b_.beam(name, {{0, 0, 0}, along}, choice_.elements);
    b_.model().links[link].damping.modal_ratios.assign(1, choice_.damping);
    return link;
  }

  void tree() {
    int parent = -1;
    std::vector<Vector3> tips;
    Vector3 at = Vector3::Zero();
    for (int i = 0; i < choice_.links; ++i) {
      const Vector3 along = random_vector(random_).normalized() * between(0.25, 0.6);
      const int link = beam("link" + std::to_string(i), along);
      const bool slides = choice_.kind == MechanismKind::sliding && i == 1;
      const Vector3 axis = slides ? along.normalized() : random_vector(random_).normalized();
      const int joint =
          b_.hinge("joint" + std::to_string(i), slides ? JointType::prismatic : JointType::revolute, parent, at, link,
                   {0, 0, 0}, axis, {slides ? 0.05 : 0.0}, {slides ? between(-0.2, 0.2) : between(-1.5, 1.5)});
      if (slides) b_.model().joints[joint].stiffness = {2e3};
      if (choice_.kind == MechanismKind::geared) {
        b_.model().joints[joint].stiffness = {between(2e3, 3e4)};
        b_.model().joints[joint].damping = {between(0.1, 2.0)};
        b_.model().joints[joint].inertia = {between(0.01, 0.1)};
      }
      tips.push_back(along);
      const bool branches = choice_.kind == MechanismKind::branched && i > 0;
      parent = branches ? static_cast<int>(between(0, i + 0.999)) : link;
      at = tips[static_cast<std::size_t>(parent)];
    }
    b_.model().links.back().lumped_masses.push_back({1, between(0.1, 1.0), 1e-3 * Matrix3::Identity()});
  }

  // Legs in planes through the vertical: a hinge across the plane at the ground, one at the knee, a ball at the
  // platform.
  void platform_on_legs() {
    const int platform = b_.link("platform");
    b_.model().links[platform].rigid_inertia = {between(0.5, 2.0), {0, 0, 0}, 4e-3 * Matrix3::Identity()};
    const double height = between(0.4, 0.5), turn = between(0, 1);
    for (int i = 0; i < choice_.links; ++i) {
      const double angle = turn + 2 * std::numbers::pi * i / choice_.links + between(-0.1, 0.1);
      const Vector3 out(std::cos(angle), std::sin(angle), 0), up(0, 0, 1), across = out.cross(up);
      const Vector3 foot = 0.3 * out, knee = 0.42 * out + 0.5 * height * up, top = 0.12 * out + height * up;
      const std::string n = std::to_string(i);
      const int lower = beam("lower" + n, knee - foot), upper = beam("upper" + n, top - knee);
      b_.hinge("foot" + n, JointType::universal, -1, foot, lower, {0, 0, 0}, across);
      b_.hinge("knee" + n, JointType::revolute, lower, knee - foot, upper, {0, 0, 0}, across);
      const int ball =
          b_.hinge("ball" + n, JointType::spherical, upper, top - knee, platform, top - height * up, across);
      if (i > 0) b_.model().joints[ball].prefer_cut = true;
      Joint& drive = b_.model().joints[ball - 1];
      drive.stiffness = {between(200, 800)};
      drive.damping = {between(0.1, 1.0)};
    }
  }

  void finish() {
    Model& model = b_.model();
    b_.drive(0);
    SignalSine pull;
    pull.amplitude = between(0.5, 2.0);
    pull.frequency = between(1.0, 3.0);
    model.drives.back().signal = pull;
    for (std::size_t k = 0; k < model.links.size(); ++k) {
      Sensor sensor;
      sensor.name = model.links[k].name;
      sensor.link = static_cast<int>(k);
      sensor.node = static_cast<int>(model.links[k].nodes.size()) - 1;
      model.sensors.push_back(sensor);
    }
  }

  RandomMechanism choice_;
  std::mt19937 random_;
  FlexibleBuilder b_;
};

}  // namespace

const char* describe(MechanismKind kind) {
  switch (kind) {
    case MechanismKind::serial:
      return "serial";
    case MechanismKind::branched:
      return "branched";
    case MechanismKind::closed:
      return "closed";
    case MechanismKind::geared:
      return "geared";
    case MechanismKind::sliding:
      return "sliding";
  }
  return "";
}

Model random_mechanism(const RandomMechanism& choice) { return RandomBuilder(choice).build(); }

}  // namespace lithe::testing
