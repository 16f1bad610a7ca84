#include "lithe/base/math.h"

#include <gtest/gtest.h>

#include <limits>

namespace lithe {
namespace {

const double eps = std::numeric_limits<double>::epsilon();

Pose some_pose(double angle, const Vector3& axis, const Vector3& position) {
  return {Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix(), position};
}

TEST(Skew, IsTheCrossProduct) {
  const Vector3 a(1.5, -2, 0.25), b(-3, 0.5, 4);
  EXPECT_EQ((skew(a) * b - a.cross(b)).norm(), 0);
}

TEST(Pose, TimesItsInverseIsTheIdentity) {
  const Pose pose = some_pose(1.2, {1, 2, 3}, {4, -5, 6});
  const Pose product = pose * pose.inverse();
  EXPECT_LT((product.rotation - Matrix3::Identity()).norm(), 16 * eps);
  EXPECT_LT(product.position.norm(), 16 * eps * pose.position.norm());
}

TEST(Pose, ProductActsOnAPointLikeOnePoseAfterTheOther) {
  const Pose first = some_pose(0.7, {0, 1, 1}, {1, 2, 3}), second = some_pose(-2.1, {1, 0, -1}, {-3, 0.5, 1});
  const Vector3 point(0.3, -0.8, 2);
  EXPECT_LT(((first * second) * point - first * (second * point)).norm(), 64 * eps);
}

}  // namespace
}  // namespace lithe
