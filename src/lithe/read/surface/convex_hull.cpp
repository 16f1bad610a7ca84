// Quickhull (C. B. Barber, D. P. Dobkin and H. Huhdanpaa, 1996): facets with the points outside of each; the farthest
// point of a facet replaces all facets that it sees by those to the horizon.
#include <algorithm>
#include <array>

#include "lithe/read/surface/surface_mass.h"

namespace lithe {
namespace {

class Hull {
 public:
  explicit Hull(const std::vector<Vector3>& points) : points_(points) {}

  std::vector<int> build() {
    if (!start()) return {};
    for (std::size_t at = 0; at < facets_.size(); ++at)
      if (facets_[at].alive && !facets_[at].outside.empty()) add_farthest(at);  // appends facets
    std::vector<int> triangles;
    for (const Facet& facet : facets_)
      if (facet.alive) triangles.insert(triangles.end(), facet.corners.begin(), facet.corners.end());
    return triangles;
  }

 private:
  struct Facet {
    std::array<int, 3> corners;
    std::array<std::size_t, 3> beyond{};  // the facet across the edge from corner k to k + 1
    Vector3 normal;                       // of length 1, or zero where the corners lie on a line
    std::vector<int> outside;
    bool alive = true;
  };
  struct HorizonEdge {
    int from, to;
    std::size_t beyond;  // the facet that stays
  };

  const Vector3& point(int i) const { return points_[static_cast<std::size_t>(i)]; }
  double height(const Facet& facet, int i) const { return facet.normal.dot(point(i) - point(facet.corners[0])); }

  Facet facet(int a, int b, int c) const {
    Facet result;
    result.corners = {a, b, c};
    const Vector3 normal = (point(b) - point(a)).cross(point(c) - point(a));
    const double length = normal.norm();
    result.normal = length > 0 ? Vector3(normal / length) : Vector3(Vector3::Zero());
    return result;
  }

  template <typename Measure>
  int farthest(const Measure& measure) const {
    int best = 0;
    for (int i = 1; i < static_cast<int>(points_.size()); ++i)
      if (measure(i) > measure(best)) best = i;
    return best;
  }

  // Four corners of a tetrahedron as large as is found quickly.
  bool start() {
    if (points_.size() < 4) return false;
    const int a = farthest([&](int i) { return point(i).x(); });
    const int b = farthest([&](int i) { return (point(i) - point(a)).squaredNorm(); });
    const double size = (point(b) - point(a)).norm();
    if (!(size > 0)) return false;
    const Vector3 along = (point(b) - point(a)) / size;
    const int c = farthest([&](int i) { return (point(i) - point(a)).cross(along).squaredNorm(); });
    const Facet base = facet(a, b, c);
    const int d = farthest([&](int i) { return std::abs(height(base, i)); });
    thickness_ = 1e-12 * size;
    if (!(std::abs(height(base, d)) > 1e3 * thickness_)) return false;
    const bool below = height(base, d) < 0;
    const std::array<int, 3> bottom = below ? std::array{a, b, c} : std::array{a, c, b};
    facets_.push_back(facet(bottom[0], bottom[1], bottom[2]));
    for (std::size_t k = 0; k < 3; ++k) facets_.push_back(facet(bottom[(k + 1) % 3], bottom[k], d));
    for (std::size_t k = 0; k < 3; ++k) {
      facets_[0].beyond[k] = k + 1;
      facets_[k + 1].beyond = {0, (k + 2) % 3 + 1, (k + 1) % 3 + 1};
    }
    std::vector<int> all(points_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    distribute(all, 0);
    return true;
  }

  // Each point to the first facet from `first` on that sees it; those that none sees lie within.
  void distribute(const std::vector<int>& candidates, std::size_t first) {
    for (const int i : candidates)
      for (std::size_t f = first; f < facets_.size(); ++f)
        if (height(facets_[f], i) > thickness_) {
          facets_[f].outside.push_back(i);
          break;
        }
  }

  void add_farthest(std::size_t start_facet) {
    const Facet& seen_first = facets_[start_facet];
    const int apex = *std::max_element(seen_first.outside.begin(), seen_first.outside.end(),
                                       [&](int i, int k) { return height(seen_first, i) < height(seen_first, k); });
    std::vector<std::size_t> seen{start_facet};
    facets_[start_facet].alive = false;
    std::vector<HorizonEdge> horizon;
    for (std::size_t head = 0; head < seen.size(); ++head)
      for (std::size_t k = 0; k < 3; ++k) {
        const Facet& own = facets_[seen[head]];
        const std::size_t other = own.beyond[k];
        if (!facets_[other].alive) continue;
        if (height(facets_[other], apex) > thickness_) {
          facets_[other].alive = false;
          seen.push_back(other);
        } else {
          horizon.push_back({own.corners[k], own.corners[(k + 1) % 3], other});
        }
      }
    // Facets that died after their neighbour was asked lie within the horizon, too.
    std::erase_if(horizon, [&](const HorizonEdge& edge) { return !facets_[edge.beyond].alive; });
    std::vector<int> free;
    for (const std::size_t f : seen) {
      free.insert(free.end(), facets_[f].outside.begin(), facets_[f].outside.end());
      facets_[f].outside = {};
    }
    std::erase(free, apex);
    const std::size_t first = facets_.size();
    close(horizon, apex, first);
    distribute(free, first);
  }

  // A facet from every edge of the horizon to the apex.
  void close(const std::vector<HorizonEdge>& horizon, int apex, std::size_t first) {
    for (const HorizonEdge& edge : horizon) {
      Facet made = facet(edge.from, edge.to, apex);
      made.beyond[0] = edge.beyond;
      Facet& kept = facets_[edge.beyond];
      for (std::size_t k = 0; k < 3; ++k)
        if (kept.corners[k] == edge.to && kept.corners[(k + 1) % 3] == edge.from) kept.beyond[k] = facets_.size();
      facets_.push_back(std::move(made));
    }
    for (std::size_t i = 0; i < horizon.size(); ++i)
      for (std::size_t k = 0; k < horizon.size(); ++k)
        if (horizon[i].to == horizon[k].from) {
          facets_[first + i].beyond[1] = first + k;
          facets_[first + k].beyond[2] = first + i;
        }
  }

  const std::vector<Vector3>& points_;
  std::vector<Facet> facets_;
  double thickness_ = 0;  // a point that is no higher above a facet lies in it
};

}  // namespace

std::vector<int> convex_hull(const std::vector<Vector3>& corners) { return Hull(corners).build(); }

}  // namespace lithe
