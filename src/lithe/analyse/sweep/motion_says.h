// What the motion of a point says of itself: how far its links leave the range of small deformation, how many warnings
// it has, whether geometric stiffening came in.
#pragma once

#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/sweep/sweep.h"

namespace lithe {

// range_used (1 and more: a warning), warnings, geometric_stiffening (0 or 1).
constexpr int num_motion_columns = 3;
void add_motion_columns(std::vector<SweepColumn>& columns);
// Their values; the reason of the point is the warning of the link that is worst.
PointResult motion_says(const Equations& equations, const Trajectory& motion, double* values);

// Of all points together: one sentence each, empty where there is nothing to say.
class MotionSummary {
 public:
  explicit MotionSummary(const std::vector<SweepColumn>& columns);
  // A point that is computed.
  void add(const std::vector<double>& values, const std::string& reason);
  std::string warning() const;
  std::string note() const;

 private:
  int first_ = -1;  // of those columns; -1: none
  long long points_ = 0, warned_ = 0, stiffened_ = 0;
  double worst_ = -1;
  std::string worst_reason_;
};

}  // namespace lithe
