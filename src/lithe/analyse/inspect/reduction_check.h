// What a reduction leaves out of a link's statics, and what that does to the mechanism (docs/theory/reduction.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lithe/model/model.h"

namespace lithe {

// A direction of a node in link axes: 0-2 forces along x, y, z; 3-5 torques about them.
struct NodeDirection {
  int node = -1;
  int direction = 0;
  double loss = 0;  // part of the static compliance there that the kept modes do not have, 0 to 1
};

// Of the link held at its inboard node (of a link whose nodes have no rotations: of the free one).
struct ReductionLoss {
  int link = 0;
  bool held = true;
  NodeDirection softest;  // the largest loss among the softest directions of nodes where something acts or is measured
  // The one that matters most: with the largest compliance lost over that of the same node in its softest direction of
  // the same kind, forces or torques. Stretching a rod that bends easily is nothing.
  NodeDirection largest;
  double of_forces = 0, of_torques = 0;  // that ratio: the largest of each kind
};

struct ReductionLosses {
  std::vector<ReductionLoss> links;  // those that lose more than is negligible
  std::vector<int> unknown;          // links too large to say
  // Hz, first frequency of the mechanism as it starts, with its joints held: with the modes as chosen, and with static
  // shapes of all interface nodes. Unset where nothing is lost, or where it cannot be computed.
  std::optional<double> frequency, complete_frequency;
};

inline constexpr double negligible_loss = 1e-3, negligible_loss_of_torques = 0.05;

ReductionLosses reduction_losses(const Model& model);
// The same as sentences that name the formulation; none for formulations that do not reduce.
std::vector<std::string> reduction_warnings(const Model& model, const ReductionLosses& losses,
                                            const std::string& formulation);
std::vector<std::string> reduction_warnings(const Model& model, const std::string& formulation = "erls-cms");
bool uses_reduction(const std::string& formulation);

}  // namespace lithe
