#include "lithe/control/design/optimise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace lithe {
namespace {

struct Corner {
  VectorX point;
  double value = 0;
};

class Simplex {
 public:
  Simplex(const std::function<double(const VectorX&)>& function, const VectorX& start, const VectorX& step)
      : function_(function) {
    corners_.push_back(at(start));
    for (Eigen::Index i = 0; i < start.size(); ++i) {
      VectorX point = start;
      point[i] += step[i];
      corners_.push_back(at(point));
    }
    sort();
  }

  bool small(double tolerance) const {
    const double spread = std::abs(corners_.back().value - corners_.front().value);
    return spread <= tolerance * (std::abs(corners_.front().value) + 1e-300);
  }
  const Corner& best() const { return corners_.front(); }
  int evaluations() const { return evaluations_; }

  // Reflect the worst corner through the others; further if that was good, back towards them if not.
  void move() {
    const std::size_t n = corners_.size() - 1;
    VectorX centre = VectorX::Zero(corners_.front().point.size());
    for (std::size_t i = 0; i < n; ++i) centre += corners_[i].point / static_cast<double>(n);
    const VectorX away = centre - corners_.back().point;
    Corner reflected = at(centre + away);
    if (reflected.value < corners_.front().value) {
      Corner further = at(centre + 2 * away);
      corners_.back() = further.value < reflected.value ? std::move(further) : std::move(reflected);
    } else if (reflected.value < corners_[n - 1].value) {
      corners_.back() = std::move(reflected);
    } else {
      const bool outside = reflected.value < corners_.back().value;
      Corner nearer = at(centre + (outside ? 0.5 : -0.5) * away);
      if (nearer.value < std::min(reflected.value, corners_.back().value)) {
        corners_.back() = std::move(nearer);
      } else {
        for (std::size_t i = 1; i < corners_.size(); ++i)
          corners_[i] = at(0.5 * (corners_[i].point + corners_.front().point));
      }
    }
    sort();
  }

 private:
  Corner at(const VectorX& point) {
    ++evaluations_;
    const double value = function_(point);
    return {point, std::isnan(value) ? std::numeric_limits<double>::infinity() : value};
  }
  void sort() {
    std::stable_sort(corners_.begin(), corners_.end(),
                     [](const Corner& p, const Corner& q) { return p.value < q.value; });
  }

  const std::function<double(const VectorX&)>& function_;
  std::vector<Corner> corners_;
  int evaluations_ = 0;
};

}  // namespace

SimplexResult minimise(const std::function<double(const VectorX&)>& function, const VectorX& start, const VectorX& step,
                       int max_evaluations, double tolerance) {
  SimplexResult result{start, function(start), 1};
  for (int round = 0; round < 2; ++round) {
    Simplex simplex(function, result.point, round == 0 ? step : VectorX(0.25 * step));
    while (simplex.evaluations() < max_evaluations / 2 && !simplex.small(tolerance)) simplex.move();
    result.evaluations += simplex.evaluations();
    if (simplex.best().value <= result.value) {
      result.point = simplex.best().point;
      result.value = simplex.best().value;
    }
  }
  return result;
}

}  // namespace lithe
