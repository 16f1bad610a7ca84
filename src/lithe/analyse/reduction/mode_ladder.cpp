#include "lithe/analyse/reduction/mode_ladder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "lithe/fem/assemble.h"
#include "lithe/model/coordinate_choice.h"
#include "lithe/reduce/bases.h"
#include "lithe/reduce/interface_nodes.h"

namespace lithe {
namespace {

constexpr int fewest_modes = 4;      // of all links together, on the first rung
constexpr int worth_choosing = 64;   // fewer modes cost less than runs to choose among them
constexpr int most_of_a_mesh = 160;  // modes of a body that is too large for all of them

struct HeldMode {
  double squared_frequency;
  std::size_t place;  // among the links
};

}  // namespace

Model with_mode_counts(Model model, const std::vector<LinkModeCount>& counts) {
  set_automatic_reductions(model, {});
  for (const LinkModeCount& count : counts) {
    ReductionChoice& choice = model.links.at(static_cast<std::size_t>(count.link)).reduction;
    choice = {};
    if (count.has_all()) continue;
    choice.method = ReductionMethod::craig_bampton;
    choice.num_internal_modes = count.num_modes;
  }
  return model;
}

ModeLadder::ModeLadder(const Model& model) : model_(model) {
  const std::vector<InterfaceNodes> nodes = interface_nodes(model);
  std::vector<HeldMode> modes;
  std::vector<LinkModeCount> links;
  for (const AutomaticReduction& automatic : automatic_reductions(model)) {
    const Link& link = model.links.at(static_cast<std::size_t>(automatic.link));
    if (link.rigid) continue;
    const FiniteElementBody body = assemble(model, link);
    const std::vector<int>& held = nodes[static_cast<std::size_t>(automatic.link)].all;
    const int inner = num_inner_dofs(body, held, model.space);
    const int count = inner <= largest_dense_problem ? inner : most_of_a_mesh;
    const VectorX found = count > 0 ? held_squared_frequencies(body, held, count, model.space) : VectorX(0);
    for (const double value : found) modes.push_back({value, links.size()});
    // Directions without mass are no modes.
    links.push_back({automatic.link, 0, count == inner ? static_cast<int>(found.size()) : inner});
  }
  std::stable_sort(modes.begin(), modes.end(),
                   [](const HeldMode& a, const HeldMode& b) { return a.squared_frequency < b.squared_frequency; });
  const std::size_t all = modes.size();
  std::vector<std::size_t> sizes{all};
  while (all >= worth_choosing && sizes.back() >= 2 * fewest_modes) sizes.push_back(sizes.back() / 2);
  std::reverse(sizes.begin(), sizes.end());
  for (const std::size_t size : sizes) {
    std::vector<LinkModeCount> counts = links;
    for (std::size_t k = 0; k < size; ++k) ++counts[modes[k].place].num_modes;
    counts_.push_back(std::move(counts));
    cutoffs_.push_back(size < all ? std::sqrt(modes[size].squared_frequency) / (2 * std::numbers::pi)
                                  : std::numeric_limits<double>::infinity());
  }
}

int ModeLadder::num_available() const {
  int sum = 0;
  for (const LinkModeCount& link : counts_.back()) sum += link.num_available;
  return sum;
}

int ModeLadder::num_modes(int rung) const {
  int sum = 0;
  for (const LinkModeCount& link : counts(rung)) sum += link.num_modes;
  return sum;
}

}  // namespace lithe
