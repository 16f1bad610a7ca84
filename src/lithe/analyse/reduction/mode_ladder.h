// Nested choices of the modes of links: static shapes of their interface nodes, and all fixed-interface modes of these
// links up to a frequency (docs/theory/reduction.md).
#pragma once

#include <vector>

#include "lithe/model/model.h"

namespace lithe {

struct LinkModeCount {
  int link = 0;  // in Model::links
  int num_modes = 0, num_available = 0;

  bool has_all() const { return num_modes == num_available; }
};

// The model with these numbers of fixed-interface modes; a link with all of them is as `reduction = "none"` leaves it,
// bit by bit. None are left to the program any more.
Model with_mode_counts(Model model, const std::vector<LinkModeCount>& counts);

class ModeLadder {
 public:
  // Of the links whose modes the model leaves to the program. Throws InputError where a link cannot be assembled.
  explicit ModeLadder(const Model& model);

  // Each rung has about twice as many modes as the one below; the last has all of them, of bodies too large for that
  // the lowest. One rung alone: there is nothing to save.
  int num_rungs() const { return static_cast<int>(counts_.size()); }
  // Fixed-interface modes of each of these links.
  const std::vector<LinkModeCount>& counts(int rung) const { return counts_[static_cast<std::size_t>(rung)]; }
  int num_modes(int rung) const;
  int num_available() const;
  bool has_all(int rung) const { return num_modes(rung) == num_available(); }
  // Hz: the lowest fixed-interface frequency that is left out; infinite where there is none.
  double cutoff(int rung) const { return cutoffs_[static_cast<std::size_t>(rung)]; }
  Model model_at(int rung) const { return with_mode_counts(model_, counts(rung)); }

 private:
  const Model& model_;
  std::vector<std::vector<LinkModeCount>> counts_;
  std::vector<double> cutoffs_;
};

}  // namespace lithe
