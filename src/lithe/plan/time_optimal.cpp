#include "lithe/plan/time_optimal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/plan/jerk_limited.h"

namespace lithe {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// |a u + b x + c| <= limit with u = s̈ and x = ṡ².
struct Row {
  double a, b, c, limit;
};

// factor (a u + b x + c) <= stall (1 - √x / fastest): a motor that drives, on its torque-speed line.
struct LineRow {
  double a, b, c, stall;
  double fastest;  // ṡ at which nothing is left
  double limit(double x) const { return stall * std::max(0.0, 1 - std::sqrt(std::max(x, 0.0)) / fastest); }
};

// What holds at one point of the grid, seen from one side.
struct Bounds {
  std::vector<Row> rows;
  std::vector<LineRow> lines;
  double largest = unlimited;  // of x, by limits of speed
  int holds = -1;              // row of a torque that cannot hold the configuration
};

struct Span {
  double low = -unlimited, high = unlimited;
  double gap() const { return high - low; }
  void cut(double from, double to) {
    low = std::max(low, from);
    high = std::min(high, to);
  }
};

class Grid {
 public:
  Grid(const JointPath& path, const PathLimits& limits, const RigidTorques* torques, int intervals)
      : path_(path), limits_(limits), torques_(torques) {
    constexpr int least_parts = 20;  // of a piece of the path, where its derivatives may change fast
    const double length = path.end() - path.start();
    for (std::size_t k = 1; k < path.nodes().size(); ++k) {
      const double s0 = path.nodes()[k - 1], s1 = path.nodes()[k];
      const int parts = std::max(least_parts, static_cast<int>(std::ceil(intervals * (s1 - s0) / length)));
      for (int i = 0; i < parts; ++i) s_.push_back(s0 + (s1 - s0) * i / parts);
    }
    s_.push_back(path.end());
    for (std::size_t i = 0; i < s_.size(); ++i) {
      after_.push_back(bounds(s_[i], false));
      before_.push_back(bounds(s_[i], true));
    }
  }

  FastestLaw solve() {
    FastestLaw result;
    const std::size_t n = s_.size();
    for (std::size_t i = 0; i < n; ++i)
      for (const Bounds* side : {&after_[i], &before_[i]})
        if (side->holds >= 0) return failed(i, "cannot hold it at rest", side->holds);
    std::vector<double> controllable(n, 0.0), x(n, 0.0), u(n, 0.0);
    for (std::size_t i = n - 1; i-- > 0;) {
      const double most = std::min({after_[i].largest, before_[i].largest, 1e12});
      controllable[i] = largest_from(i, most, controllable[i + 1]);
    }
    for (std::size_t i = 0; i + 1 < n; ++i) {
      u[i] = span(i, x[i], controllable[i + 1]).high;
      x[i + 1] = std::clamp(x[i] + 2 * (s_[i + 1] - s_[i]) * u[i], 0.0, controllable[i + 1]);
      if (!(x[i] + x[i + 1] > 0) || !std::isfinite(u[i])) return failed(i, "there is no way on within the limits", -1);
    }
    result.law = law(x);
    return result;
  }

 private:
  Bounds bounds(double s, bool before) const {
    const PathNode node = path_.at(s, before);
    Bounds result;
    result.largest = limits_.tool.speed * limits_.tool.speed;
    if (limits_.tool.acceleration < unlimited) result.rows.push_back({1, 0, 0, limits_.tool.acceleration});
    const PathTorques torques = torques_ ? torques_->along(node) : PathTorques{};
    for (std::size_t k = 0; k < limits_.coordinates.size(); ++k) {
      const int c = limits_.coordinates[k];
      const MotionLimits& of = limits_.motions[k];
      const double first = std::abs(node.first[c]);
      if (first > 0) result.largest = std::min(result.largest, of.speed / first * (of.speed / first));
      if (of.acceleration < unlimited) result.rows.push_back({node.first[c], node.second[c], 0, of.acceleration});
      if (torques_ && !limits_.lines.empty()) add_line(limits_.lines[k], node.first[c], torques, k, result);
      if (!torques_ || !(limits_.torques[k] < unlimited)) continue;
      result.rows.push_back({torques.inertia[c], torques.velocity[c], torques.rest[c], limits_.torques[k]});
      if (std::abs(torques.rest[c]) >= limits_.torques[k]) result.holds = static_cast<int>(k);
    }
    return result;
  }

  // With τ = a u + b x + c of the joint: it drives where τ has the sign of q'.
  void add_line(const MotorLine& line, double rate, const PathTorques& torques, std::size_t k, Bounds& bounds) const {
    if (!(line.stall_torque < unlimited)) return;
    const int c = limits_.coordinates[k];
    const double sign = rate < 0 ? -1 : 1;
    if (std::abs(torques.rest[c]) >= line.stall_torque) bounds.holds = static_cast<int>(k);
    if (rate == 0)
      return bounds.rows.push_back({torques.inertia[c], torques.velocity[c], torques.rest[c], line.stall_torque});
    const double fastest = line.no_load_speed / std::abs(rate);
    bounds.lines.push_back(
        {sign * torques.inertia[c], sign * torques.velocity[c], sign * torques.rest[c], line.stall_torque, fastest});
    bounds.largest = std::min(bounds.largest, fastest * fastest);
  }

  // u at grid point i and speed x: its own rows, those at the next point with the x that u leads to, and the next
  // point's controllable speeds.
  Span span(std::size_t i, double x, double next) const {
    const double step = 2 * (s_[i + 1] - s_[i]);
    Span result;
    result.cut(-x / step, (next - x) / step);
    for (const Row& row : after_[i].rows) add(row.a, row.b * x + row.c, row.limit, result);
    for (const Row& row : before_[i + 1].rows) add(row.a + row.b * step, row.b * x + row.c, row.limit, result);
    for (const LineRow& row : after_[i].lines) add_above(row.a, row.b * x + row.c, row.limit(x), result);
    // What is left at the next point depends on u: never less than at the largest speed there that the rest allows.
    const double fastest_next = std::min(next, x + step * result.high);
    for (const LineRow& row : before_[i + 1].lines)
      add_above(row.a + row.b * step, row.b * x + row.c, row.limit(fastest_next), result);
    return result;
  }
  // factor u + rest <= limit.
  static void add_above(double factor, double rest, double limit, Span& result) {
    if (std::abs(factor) < 1e-14 * (std::abs(rest) + limit)) {
      if (rest > limit + 1e-9 * std::abs(rest)) result.cut(1, 0);
    } else if (factor > 0) {
      result.cut(-unlimited, (limit - rest) / factor);
    } else {
      result.cut((limit - rest) / factor, unlimited);
    }
  }
  static void add(double factor, double rest, double limit, Span& result) {
    if (std::abs(factor) < 1e-14 * limit) {
      if (std::abs(rest) > limit * (1 + 1e-9)) result.cut(1, 0);
      return;
    }
    const double a = (-limit - rest) / factor, b = (limit - rest) / factor;
    result.cut(std::min(a, b), std::max(a, b));
  }

  // The largest speed from which the next point's are reached. The width of the span is concave in x and not negative
  // at rest, so that halving finds its end.
  double largest_from(std::size_t i, double most, double next) const {
    if (span(i, most, next).gap() >= 0) return most;
    double good = 0, bad = most;
    for (int k = 0; k < 200 && bad - good > 1e-15 * bad; ++k) {
      const double middle = bad > 1e3 * good + 1e-12 ? std::sqrt(bad * std::max(good, 1e-9 * bad)) : (good + bad) / 2;
      (span(i, middle, next).gap() >= 0 ? good : bad) = middle;
    }
    return good;
  }

  FastestLaw failed(std::size_t i, const char* why, int coordinate) const {
    FastestLaw result;
    result.failure = why;
    result.failed_at = s_[i];
    result.coordinate = coordinate;
    return result;
  }

  // Constant accelerations between points, joined where they differ little.
  TimeLaw law(const std::vector<double>& x) const {
    constexpr double little = 0.02;
    const std::size_t n = s_.size();
    std::vector<double> u(n - 1);
    double largest = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      u[i] = (x[i + 1] - x[i]) / (2 * (s_[i + 1] - s_[i]));
      largest = std::max(largest, std::abs(u[i]));
    }
    const auto joined = [&](std::size_t i, std::size_t own) {  // at the point between intervals i - 1 and i
      if (i == 0 || i + 1 == n || std::abs(u[i] - u[i - 1]) > little * largest) return u[own];
      return (u[i] + u[i - 1]) / 2;
    };
    TimeLaw result;
    double time = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const double v0 = std::sqrt(x[i]), v1 = std::sqrt(x[i + 1]);
      time += 2 * (s_[i + 1] - s_[i]) / (v0 + v1);
      result.add(time, {s_[i] - path_.start(), v0, joined(i, i)}, {s_[i + 1] - path_.start(), v1, joined(i + 1, i)});
    }
    return result;
  }

  const JointPath& path_;
  const PathLimits& limits_;
  const RigidTorques* torques_;
  std::vector<double> s_;
  std::vector<Bounds> after_, before_;
};

}  // namespace

FastestLaw time_optimal(const JointPath& path, const PathLimits& limits, const RigidTorques* torques, int intervals) {
  const bool jerk =
      limits.tool.jerk < unlimited || std::any_of(limits.motions.begin(), limits.motions.end(),
                                                  [](const MotionLimits& of) { return of.jerk < unlimited; });
  return jerk ? jerk_limited(path, limits, torques, intervals) : Grid(path, limits, torques, intervals).solve();
}

}  // namespace lithe
