#include "lithe/plan/tool_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "lithe/base/text.h"
#include "lithe/model/error_at.h"

namespace lithe {
namespace {

constexpr double no_way = 1e-9;  // m

// A turn from one orientation to another about a fixed axis, spread over a length: evenly, or from rest to rest.
class Turn {
 public:
  Turn(const Matrix3& from, const Matrix3& to, double length, bool gently)
      : from_(from), length_(length), gently_(gently) {
    const Eigen::AngleAxisd turn(Matrix3(to * from.transpose()));
    axis_ = turn.axis();
    angle_ = turn.angle();
  }
  double angle() const { return angle_; }
  void set_length(double length) { length_ = length; }
  void apply(double s, ToolPoint& point) const {
    const double x = length_ > 0 ? s / length_ : 0;
    double part = x, rate = 1, second = 0;
    if (gently_) {
      part = x * x * x * (10 + x * (6 * x - 15));
      rate = 30 * x * x * (1 - x) * (1 - x);
      second = 60 * x * (1 - x) * (1 - 2 * x);
    }
    point.orientation = Eigen::AngleAxisd(angle_ * part, axis_).toRotationMatrix() * from_;
    if (!(length_ > 0)) return;
    point.turn = axis_ * (angle_ * rate / length_);
    point.turn_rate = axis_ * (angle_ * second / (length_ * length_));
  }

 private:
  Matrix3 from_;
  Vector3 axis_;
  double angle_ = 0, length_ = 0;
  bool gently_ = false;
};

class LinePiece : public ToolPiece {
 public:
  LinePiece(const Vector3& from, const Vector3& to, Turn turn) : from_(from), turn_(std::move(turn)) {
    length_ = (to - from).norm();
    if (length_ > no_way)
      direction_ = (to - from) / length_;
    else
      length_ = turn_.angle();
    turn_.set_length(length_);
  }
  double length() const override { return length_; }
  ToolPoint at(double s) const override {
    ToolPoint point;
    point.position = from_ + s * direction_;
    point.velocity = direction_;
    turn_.apply(s, point);
    return point;
  }

 private:
  Vector3 from_, direction_ = Vector3::Zero();
  double length_ = 0;
  Turn turn_;
};

class ArcPiece : public ToolPiece {
 public:
  ArcPiece(const Vector3& centre, const Vector3& from, const Vector3& normal, double angle, Turn turn)
      : centre_(centre), x_(from - centre), y_(normal.cross(from - centre)), angle_(angle), turn_(std::move(turn)) {
    turn_.set_length(length());
  }
  double length() const override { return angle_ * x_.norm(); }
  ToolPoint at(double s) const override {
    const double r = x_.norm(), a = s / r;
    ToolPoint point;
    point.position = centre_ + std::cos(a) * x_ + std::sin(a) * y_;
    point.velocity = (std::cos(a) * y_ - std::sin(a) * x_) / r;
    point.acceleration = -(std::cos(a) * x_ + std::sin(a) * y_) / (r * r);
    turn_.apply(s, point);
    return point;
  }

 private:
  Vector3 centre_, x_, y_;
  double angle_;
  Turn turn_;
};

// A rounded corner: the Bezier curve of degree five whose first three and last three control points lie evenly on the
// lines before and after, so that it begins and ends straight.
class BlendPiece : public ToolPiece {
 public:
  BlendPiece(const Vector3& corner, const Vector3& before, const Vector3& after, double reach, const Matrix3& R)
      : R_(R) {
    for (int k = 0; k < 3; ++k) {
      points_[static_cast<std::size_t>(k)] = corner - before * (reach * (1 - 0.4 * k));
      points_[static_cast<std::size_t>(5 - k)] = corner + after * (reach * (1 - 0.4 * k));
    }
    lengths_[0] = 0;
    for (int i = 0; i < intervals; ++i)
      lengths_[static_cast<std::size_t>(i) + 1] = lengths_[static_cast<std::size_t>(i)] + gauss(i, 1);
  }
  double length() const override { return lengths_.back(); }
  ToolPoint at(double s) const override {
    const auto next = std::upper_bound(lengths_.begin() + 1, lengths_.end() - 1, s);
    const int i = static_cast<int>(next - lengths_.begin()) - 1;
    double part = (s - lengths_[static_cast<std::size_t>(i)]) /
                  (lengths_[static_cast<std::size_t>(i) + 1] - lengths_[static_cast<std::size_t>(i)]);
    for (int k = 0; k < 3; ++k)  // Newton's method for the place at this length
      part -= (lengths_[static_cast<std::size_t>(i)] + gauss(i, part) - s) * intervals /
              derivative((i + part) / intervals, 1).norm();
    const double u = std::clamp((i + part) / intervals, 0.0, 1.0);
    const Vector3 first = derivative(u, 1), second = derivative(u, 2);
    ToolPoint point;
    point.position = derivative(u, 0);
    point.velocity = first.normalized();
    point.acceleration = (second - point.velocity * second.dot(point.velocity)) / first.squaredNorm();
    point.orientation = R_;
    return point;
  }

 private:
  static constexpr int intervals = 64;
  // By de Casteljau's scheme.
  Vector3 derivative(double u, int order) const {
    std::array<Vector3, 6> p = points_;
    int degree = 5;
    double factor = 1;
    for (int k = 0; k < order; ++k, --degree) {
      factor *= degree;
      for (int i = 0; i < degree; ++i)
        p[static_cast<std::size_t>(i)] = p[static_cast<std::size_t>(i) + 1] - p[static_cast<std::size_t>(i)];
    }
    for (; degree > 0; --degree)
      for (int i = 0; i < degree; ++i)
        p[static_cast<std::size_t>(i)] =
            (1 - u) * p[static_cast<std::size_t>(i)] + u * p[static_cast<std::size_t>(i) + 1];
    return factor * p[0];
  }
  // Length of a part of an interval, by three points of Gauss.
  double gauss(int interval, double part) const {
    const double h = part / intervals, start = static_cast<double>(interval) / intervals, off = std::sqrt(0.6);
    return h / 18 *
           (5 * derivative(start + h * (1 - off) / 2, 1).norm() + 8 * derivative(start + h / 2, 1).norm() +
            5 * derivative(start + h * (1 + off) / 2, 1).norm());
  }

  std::array<Vector3, 6> points_;
  std::array<double, intervals + 1> lengths_;
  Matrix3 R_;
};

[[noreturn]] void refuse(const MoveWaypoint& waypoint, const std::string& message) {
  throw InputError(std::vector<Diagnostic>{error_at(waypoint.place, "waypoint: " + message)});
}

std::unique_ptr<ToolPiece> arc(const Vector3& from, const MoveWaypoint& to, Turn turn) {
  const Vector3 a = *to.via - from, b = to.position - from, across = a.cross(b);
  if (!(across.norm() > 1e-9 * a.norm() * b.norm()) || a.norm() < no_way || b.norm() < no_way)
    refuse(to, "an arc needs three different points that are not on one line: where it starts, 'via' and 'position'");
  const Vector3 offset =
      (b.squaredNorm() * across.cross(a) - a.squaredNorm() * across.cross(b)) / (2 * across.squaredNorm());
  const Vector3 centre = from + offset, normal = across.normalized();
  const Vector3 start = from - centre, end = to.position - centre;
  double angle = std::atan2(normal.dot(start.cross(end)), start.dot(end));
  if (angle <= 0) angle += 2 * std::numbers::pi;  // from, via and end follow each other about the normal
  return std::make_unique<ArcPiece>(centre, from, normal, angle, std::move(turn));
}

}  // namespace

double ToolLeg::length() const {
  double sum = 0;
  for (const auto& piece : pieces) sum += piece->length();
  return sum;
}

std::vector<ToolLeg> tool_legs(const Pose& start, const std::vector<MoveWaypoint>& waypoints) {
  std::vector<ToolLeg> legs(1);
  Vector3 at = start.position;
  Matrix3 R = start.rotation;
  double taken = 0;  // of the next line, by the blend before it
  for (std::size_t i = 0; i < waypoints.size(); ++i) {
    const MoveWaypoint& to = waypoints[i];
    const bool last = i + 1 == waypoints.size(), rounded = to.blend > 0 && !last;
    const Matrix3 R_to = to.orientation.value_or(R);
    const Turn turn(R, R_to, 0, rounded || taken > 0);
    if (to.via) {
      if (rounded || taken > 0) refuse(to, "corners between lines alone are rounded, not those of arcs");
      legs.back().pieces.push_back(arc(at, to, turn));
      at = to.position;
    } else {
      const double way = (to.position - at).norm() + taken;
      if (way < no_way && turn.angle() < no_way) refuse(to, "it is where the tool is already");
      if (rounded && way < no_way) refuse(to, "a turn on the spot has no corner to round");
      Vector3 end = to.position, before = Vector3::Zero(), after = Vector3::Zero();
      if (rounded) {
        before = (to.position - at).normalized();
        after = waypoints[i + 1].position - to.position;
        if (taken + to.blend > way * (1 + 1e-12) || to.blend > after.norm())
          refuse(to, cat("the corner is rounded over ", to.blend, " m, but the lines beside it have ", way - taken,
                         " m and ", after.norm(), " m"));
        after.normalize();
        end -= to.blend * before;
      }
      if ((end - at).norm() > no_way || turn.angle() > no_way)
        legs.back().pieces.push_back(std::make_unique<LinePiece>(at, end, turn));
      at = end;
      if (rounded && before.dot(after) < -1 + 1e-9) refuse(to, "the way turns back here; there is no corner to round");
      if (rounded && before.dot(after) < 1 - 1e-12) {
        legs.back().pieces.push_back(std::make_unique<BlendPiece>(to.position, before, after, to.blend, R_to));
        at = to.position + to.blend * after;
      }
    }
    taken = rounded ? (at - to.position).norm() : 0;
    R = R_to;
    if (rounded) continue;
    legs.back().last_waypoint = static_cast<int>(i);
    if (!last) legs.emplace_back();
  }
  return legs;
}

}  // namespace lithe
