#include "lithe/analyse/sweep/motion_says.h"

#include <algorithm>

#include "lithe/base/text.h"

namespace lithe {
namespace {

constexpr const char* names[num_motion_columns] = {"range_used", "warnings", "geometric_stiffening"};

}  // namespace

void add_motion_columns(std::vector<SweepColumn>& columns) {
  for (const char* name : names) columns.push_back({name, ""});
}

PointResult motion_says(const Equations& equations, const Trajectory& motion, double* values) {
  const Equations& used = motion.equations ? *motion.equations : equations;
  const bool large = allows_large_deflections(used);
  const LinkDeformation* worst = nullptr;
  double range = 0;
  for (const LinkDeformation& link : motion.deformations)
    if (const double part = range_used(link, large); part > range) range = part, worst = &link;
  values[0] = range;
  values[1] = static_cast<double>(motion.warnings.size());
  values[2] = used.has_geometric_stiffening() && !equations.has_geometric_stiffening() ? 1 : 0;
  if (motion.warnings.empty()) return {};
  if (!worst || range <= 1) return {PointStatus::ok, motion.warnings.front()};
  return {PointStatus::ok, deformation_warnings({*worst}, large).front()};
}

MotionSummary::MotionSummary(const std::vector<SweepColumn>& columns) {
  const auto at =
      std::find_if(columns.begin(), columns.end(), [](const SweepColumn& column) { return column.name == names[0]; });
  if (at != columns.end()) first_ = static_cast<int>(at - columns.begin());
}

void MotionSummary::add(const std::vector<double>& values, const std::string& reason) {
  if (first_ < 0) return;
  const double* own = values.data() + first_;
  ++points_;
  if (own[2] > 0) ++stiffened_;
  if (!(own[1] > 0)) return;
  ++warned_;
  if (own[0] <= worst_) return;
  worst_ = own[0];
  worst_reason_ = reason;
}

std::string MotionSummary::warning() const {
  if (warned_ == 0) return "";
  return cat("the motions of ", warned_, " of ", points_, " points have warnings; the worst: ", worst_reason_);
}

std::string MotionSummary::note() const {
  if (stiffened_ == 0) return "";
  return cat("with geometric stiffening, which matters there, at ", stiffened_, " of ", points_, " points");
}

}  // namespace lithe
