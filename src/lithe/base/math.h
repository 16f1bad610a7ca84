// Vectors, matrices and the few rotation formulas that every folder uses.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "lithe/base/eigen_kernels.h"

namespace lithe {

using Vector3 = Eigen::Vector3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using VectorX = Eigen::VectorXd;
using Matrix3 = Eigen::Matrix3d;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Matrix3X = Eigen::Matrix3Xd;
using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using MatrixX = Eigen::MatrixXd;
using Quaternion = Eigen::Quaterniond;

// The matrix of the cross product: skew(a) b = a x b.
inline Matrix3 skew(const Vector3& a) {
  Matrix3 result;
  result << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return result;
}

// A pose by monogram: X_AB maps coordinates in B to coordinates in A, p_A = R_AB p_B + p_AB.
struct Pose {
  Matrix3 rotation = Matrix3::Identity();  // R_AB
  Vector3 position = Vector3::Zero();      // p_AoBo_A

  Pose operator*(const Pose& other) const { return {rotation * other.rotation, position + rotation * other.position}; }
  Vector3 operator*(const Vector3& point) const { return position + rotation * point; }
  Pose inverse() const { return {rotation.transpose(), -(rotation.transpose() * position)}; }
};

}  // namespace lithe
