#include "lithe/base/nearest_name.h"

#include <algorithm>
#include <array>

namespace lithe {

int edit_distance(std::string_view from, std::string_view to) {
  const std::size_t width = to.size() + 1;
  std::array<std::vector<int>, 3> rows;  // this row and the two before it, rotating
  for (std::vector<int>& row : rows) row.assign(width, 0);
  for (std::size_t j = 0; j < width; ++j) rows[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::vector<int>& row = rows[i % 3];
    const std::vector<int>& above = rows[(i + 2) % 3];
    const std::vector<int>& two_above = rows[(i + 1) % 3];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < width; ++j) {
      const int substitution = above[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({row[j - 1] + 1, above[j] + 1, substitution});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        row[j] = std::min(row[j], two_above[j - 2] + 1);
      }
    }
  }
  return rows[from.size() % 3][to.size()];
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t longest_considered = 100;
  std::string best;
  int best_distance = 0;
  if (name.size() > longest_considered) return best;
  for (const std::string& candidate : known) {
    if (candidate.size() > longest_considered) continue;
    const std::size_t longer = std::max(name.size(), candidate.size());
    const std::size_t shorter = std::min(name.size(), candidate.size());
    const int allowed = std::max(1, static_cast<int>(longer) / 3);
    if (static_cast<int>(longer - shorter) > allowed) continue;
    const int distance = edit_distance(name, candidate);
    if (distance > allowed || distance >= static_cast<int>(longer)) continue;
    if (best.empty() || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace lithe
