#include "support/model_builder.h"

namespace lithe::testing {

// By the shortest way from z: Rodrigues' formula.
Matrix3 z_along(const Vector3& axis) {
  const Vector3 v = Vector3::UnitZ().cross(axis.normalized());
  const double c = axis.normalized().z();
  if (c < -1 + 1e-12) return Vector3(1, -1, -1).asDiagonal();
  return Matrix3::Identity() + skew(v) + skew(v) * skew(v) / (1 + c);
}

Matrix3 rotation(const Vector3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

Pose at(double x, double y, double z) { return {Matrix3::Identity(), {x, y, z}}; }

Model four_bar(double ground, double crank, double coupler, double rocker, double crank_angle, int cut) {
  ModelBuilder b;
  const int a = b.link("crank"), c = b.link("coupler"), r = b.link("rocker");
  const int joints[] = {b.pin("crank_pin", -1, {0, 0, 0}, a), b.pin("coupler_pin", a, {crank, 0, 0}, c),
                        b.pin("rocker_pin", c, {coupler, 0, 0}, r, {rocker, 0, 0}),
                        b.pin("ground_pin", -1, {ground, 0, 0}, r)};
  b.give(joints[0], {crank_angle});
  b.guess(joints[1], {-crank_angle + 0.3}).guess(joints[3], {1.3});
  if (cut >= 0) b.model().joints[cut].prefer_cut = true;
  return b.model();
}

Model chain(int length) {
  ModelBuilder b;
  int previous = -1;
  for (int i = 0; i < length; ++i) {
    const int link = b.link("link" + std::to_string(i));
    const Vector3 axis = i % 2 ? Vector3::UnitY() : Vector3::UnitZ();
    b.joint("joint" + std::to_string(i), JointType::revolute, previous,
            {z_along(axis), {previous < 0 ? 0.0 : 0.1, 0, 0}}, link, {z_along(axis), Vector3::Zero()});
    previous = link;
  }
  return b.model();
}

Vector3 random_vector(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  const double x = uniform(random), y = uniform(random), z = uniform(random);
  return {x, y, z};
}

Pose random_pose(std::mt19937& random) {
  const Vector3 position = random_vector(random), axis = random_vector(random);
  return {rotation(axis, 3 * axis.norm()), position};
}

Model random_tree(int num_links, unsigned seed) {
  std::mt19937 random(seed);
  ModelBuilder b;
  for (int i = 0; i < num_links; ++i) {
    const int link = b.link("link" + std::to_string(i));
    const int near = std::uniform_int_distribution<int>(-1, i - 1)(random);
    const Pose F = random_pose(random), M = random_pose(random);
    const bool backwards = random() % 2;
    const int parent = backwards ? link : near, child = backwards ? near : link;
    b.joint("joint" + std::to_string(i), all_joint_types[i % 8], parent, F, child, M);
  }
  return b.model();
}

Model ladder(int num_cells, double side) {
  ModelBuilder b;
  int rung = b.link("rung0");
  const int base = b.pin("base", -1, {0, 0, 0}, rung);
  b.guess(base, {std::numbers::pi / 2});
  for (int k = 0; k < num_cells; ++k) {
    const std::string n = std::to_string(k);
    const int upper = b.link("upper" + n), lower = b.link("lower" + n), next = b.link("rung" + std::to_string(k + 1));
    const int up = b.pin("up" + n, rung, {side, 0, 0}, upper), low = b.pin("low" + n, rung, {0, 0, 0}, lower);
    const int down = b.pin("down" + n, lower, {side, 0, 0}, next);
    b.pin("close" + n, upper, {side, 0, 0}, next, {side, 0, 0});
    b.guess(up, {-1.5}).guess(low, {-1.5}).guess(down, {1.5});
    rung = next;
  }
  return b.model();
}

}  // namespace lithe::testing
