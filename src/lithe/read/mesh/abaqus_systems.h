// Where the nodes of an input file of Abaqus are: *SYSTEM, *NODE, SYSTEM= and the data lines of *INSTANCE.
#pragma once

#include <cmath>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/read/mesh/mesh_builder.h"

namespace lithe {

constexpr double abaqus_degree = 0.017453292519943295;

// Rectangular or cylindrical coordinates in axes that *SYSTEM gives.
class AbaqusNodeSystem {
 public:
  void reset() {
    pose_ = {};
    num_lines_ = 0;
  }
  // a and perhaps b, then perhaps c: the origin, a point on axis 1, a point in the plane of axes 1 and 2. Without c
  // axis 3 is that of the file.
  void add_line(const std::vector<double>& numbers, const MeshFilePlace& place) {
    const auto point = [&](std::size_t k) { return Vector3(numbers[k], numbers[k + 1], numbers[k + 2]); };
    const bool first = num_lines_++ == 0;
    if (num_lines_ > 2 || numbers.size() < 3 || (first && numbers.size() != 3 && numbers.size() != 6))
      place.fail("*SYSTEM needs one or two points, and perhaps a third in the next line");
    if (first) {
      pose_.position = point(0);
      if (numbers.size() == 3) return;
      along_ = point(3) - pose_.position;
      const Vector3 flat(along_.x(), along_.y(), 0);
      if (flat.norm() > 1e-12 * along_.norm()) set_axes(flat, Vector3::UnitZ());
      return;
    }
    const Vector3 normal = along_.cross(point(0) - pose_.position);
    if (!(normal.norm() > 1e-12 * along_.squaredNorm())) place.fail("the points of *SYSTEM lie on one line");
    set_axes(along_, normal);
  }
  Vector3 position(const Vector3& given, bool cylindrical) const {
    if (!cylindrical) return pose_ * given;
    const double angle = given.y() * abaqus_degree;
    return pose_ * Vector3(given.x() * std::cos(angle), given.x() * std::sin(angle), given.z());
  }

 private:
  void set_axes(const Vector3& x, const Vector3& z) {
    pose_.rotation.col(0) = x.normalized();
    pose_.rotation.col(2) = z.normalized();
    pose_.rotation.col(1) = pose_.rotation.col(2).cross(pose_.rotation.col(0));
  }
  Pose pose_;
  Vector3 along_ = Vector3::Zero();
  int num_lines_ = 0;
};

// A translation, and in the next line two points of an axis and an angle: the turn comes after the translation.
class AbaqusInstancePose {
 public:
  void add_line(const std::vector<double>& numbers, const MeshFilePlace& place) {
    const auto point = [&](std::size_t k) { return Vector3(numbers[k], numbers[k + 1], numbers[k + 2]); };
    if (++num_lines_ == 1 && numbers.size() == 3) {
      pose_.position = point(0);
    } else if (num_lines_ == 2 && numbers.size() == 7) {
      const Vector3 a = point(0), axis = point(3) - a;
      if (!(axis.norm() > 0)) place.fail("the two points of the axis of *INSTANCE are the same");
      const Matrix3 turn = Eigen::AngleAxisd(numbers[6] * abaqus_degree, axis.normalized()).toRotationMatrix();
      pose_ = Pose{turn, a - turn * a} * pose_;
    } else {
      place.fail("*INSTANCE needs a line of 3 numbers (translation) and perhaps one of 7 (axis and angle)");
    }
  }
  bool moves() const { return num_lines_ > 0; }
  const Pose& pose() const { return pose_; }

 private:
  Pose pose_;
  int num_lines_ = 0;
};

// The axes of *ORIENTATION from its points: of a cylinder two on its axis, else one on the first axis and one in the
// plane of the first two, from the origin c.
inline void set_frame(const Vector3& a, const Vector3& b, const Vector3& c, const MeshFilePlace& place,
                      ElementFrame& frame) {
  const Vector3 first = (frame.cylindrical ? Vector3(b - a) : Vector3(a - c)).normalized();
  const Vector3 other = frame.cylindrical ? Vector3(first.unitOrthogonal()) : Vector3(first.cross(b - c));
  if (!first.allFinite() || !(other.norm() > 0)) place.fail("the points of *ORIENTATION lie on one line");
  frame.origin = frame.cylindrical ? a : Vector3(Vector3::Zero());
  if (frame.cylindrical)
    frame.axes << other, first.cross(other), first;
  else
    frame.axes << first, other.normalized().cross(first), other.normalized();
}

}  // namespace lithe
