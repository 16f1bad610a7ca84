#include "lithe/results/scene/stress_peak.h"

#include <algorithm>
#include <cstdio>

#include "lithe/base/text.h"
#include "lithe/model/sections/section_stress.h"

namespace lithe {
namespace {

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

// How far a place is from the nearest node that has a name.
std::string place_of(const SceneLink& link, const Vector3& position) {
  const SceneNode* nearest = nullptr;
  for (const SceneNode& other : link.nodes)
    if (!other.name.empty() &&
        (nearest == nullptr || (other.position - position).norm() < (nearest->position - position).norm()))
      nearest = &other;
  if (nearest == nullptr) return "";
  return cat(rounded((nearest->position - position).norm()), " m from node '", nearest->name, "'");
}

// A node that has a name, or how far it is from the nearest one that has.
std::string place_of(const SceneLink& link, int node) {
  const SceneNode& here = link.nodes[static_cast<std::size_t>(node)];
  if (!here.name.empty()) return cat("node '", here.name, "'");
  const std::string place = place_of(link, here.position);
  return place.empty() ? cat("node ", node + 1) : place;
}

// A point of a surface in the link's frame.
StressPeak surface_peak(const SceneLink& link, const LinkMotion& motion) {
  const Vector3& p = motion.largest_stress_place;
  return {link.name, motion.largest_stress, motion.largest_stress_time,
          cat("(", rounded(p.x()), ", ", rounded(p.y()), ", ", rounded(p.z()), ") m, ", place_of(link, p))};
}

StressPeak peak_of(const Scene& scene, const SceneLink& link, const LinkMotion& motion,
                   const std::vector<double>& times) {
  StressPeak peak;
  peak.link = link.name;
  const Eigen::Index rows = 6 * static_cast<Eigen::Index>(link.pieces.size());
  const MatrixX loads = motion.shapes.bottomRows(rows) * motion.coefficients;
  int node = 0;
  for (Eigen::Index i = 0; i < loads.cols(); ++i)
    for (std::size_t p = 0; p < link.pieces.size(); ++p) {
      const ScenePiece& piece = link.pieces[p];
      if (piece.section < 0 || piece.young_modulus == 0) continue;
      const Section& section = scene.sections[static_cast<std::size_t>(piece.section)];
      const auto load = loads.col(i).segment<6>(6 * static_cast<Eigen::Index>(p));  // N, T, M_y and M_z at both ends
      for (const bool second : {false, true}) {
        const int at = second ? 4 : 2;
        const double stress =
            section_stress(section, Vector3(load(0), 0, 0), Vector3(load(1), load(at), load(at + 1))).von_mises();
        if (stress <= peak.von_mises) continue;
        peak.von_mises = stress;
        peak.time = times[static_cast<std::size_t>(i)];
        node = second ? piece.to : piece.from;
      }
    }
  peak.place = place_of(link, node);
  return peak;
}

}  // namespace

std::string StressPeak::text() const {
  return cat(rounded(1e-6 * von_mises), " MPa in link '", link, "' at ", place, ", ", rounded(time), " s");
}

std::vector<StressPeak> stress_peaks(const Scene& scene, const SceneMotion& motion) {
  std::vector<StressPeak> peaks;
  for (std::size_t i = 0; i < scene.links.size() && i < motion.links.size(); ++i)
    if (motion.links[i].strained)
      peaks.push_back(scene.links[i].triangles.empty() ? peak_of(scene, scene.links[i], motion.links[i], motion.times)
                                                       : surface_peak(scene.links[i], motion.links[i]));
  std::stable_sort(peaks.begin(), peaks.end(),
                   [](const StressPeak& a, const StressPeak& b) { return a.von_mises > b.von_mises; });
  return peaks;
}

}  // namespace lithe
