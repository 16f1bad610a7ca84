// A path of coordinates: β(s) with its first two derivatives, polynomials of degree five between nodes.
#pragma once

#include <vector>

#include "lithe/base/math.h"

namespace lithe {

struct PathNode {
  VectorX value, first, second;  // β, dβ/ds, d²β/ds²
};

class JointPath {
 public:
  explicit JointPath(double start) : ends_{start} {}
  void add(double end, PathNode from, PathNode to);
  // `before`: the limit from below where derivatives jump.
  PathNode at(double s, bool before) const;
  const std::vector<double>& nodes() const { return ends_; }
  double start() const { return ends_.front(); }
  double end() const { return ends_.back(); }
  bool empty() const { return from_.empty(); }

 private:
  std::vector<double> ends_;
  std::vector<PathNode> from_, to_;
};

PathNode between(const PathNode& from, const PathNode& to, double width, double part);

// A straight line over s from 0 to 1.
JointPath straight_path(const VectorX& from, const VectorX& to);
// The cubic spline through points (columns), at rest at both ends, over s from 0 to 1 with knots spaced as the largest
// change of a coordinate.
JointPath spline_path(const MatrixX& points);

}  // namespace lithe
