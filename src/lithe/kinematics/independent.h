// Independent coordinates θ of a mechanism with loops, and the map β̇ = Γ θ̇: docs/theory/kinematics.md, (12).
#pragma once

#include <string>
#include <vector>

#include "lithe/kinematics/closure.h"
#include "lithe/kinematics/householder.h"

namespace lithe {

// The split of one loop group.
struct GroupSplit {
  int group = -1;                // index into Mechanism::loop_groups()
  std::vector<int> dependent;    // β, ascending
  std::vector<int> independent;  // β, ascending
};

struct IndependentCoordinates {
  std::vector<int> independent;    // β index of each θ, ascending
  std::vector<int> dependent;      // all others, ascending
  std::vector<int> position;       // θ index of each β, -1 for dependent ones
  std::vector<GroupSplit> groups;  // one per loop group
  int rank = 0;                    // of ∂Ψ/∂β
  int redundancy = 0;              // closure rows beyond the rank: an overconstrained mechanism
  bool singular = false;           // the rank is higher close by: freedoms at this configuration are not all real
  double conditioning = 1;         // smallest over largest pivot among dependent coordinates
  std::string message;             // a sentence when singular

  int mobility() const { return static_cast<int>(independent.size()); }
  bool trivial() const { return dependent.empty(); }  // a tree: θ = β
};

// Honours the joints' `independent` marks; prescribed freedoms are independent; driven ones are where possible; the
// rest by pivoted QR of ∂Ψ/∂β at the configuration, which must be closed. Throws InputError naming the joints where
// marks and prescribed motions contradict the loops.
IndependentCoordinates choose_independent(const Mechanism& mechanism, const Model& model,
                                          const Configuration& configuration);

// Γ and the workspace behind it. For a tree Γ is the identity and the update does nothing.
struct VelocityMap {
  VelocityMap(const Mechanism& mechanism, const IndependentCoordinates& coordinates);

  MatrixX matrix;           // Γ, β x θ
  double conditioning = 1;  // as above, at the last update_map

  struct Work {
    HouseholderSolver solver;               // Ψ_d
    MatrixX independent_block;              // rows x θ of the group
    std::vector<std::vector<int>> columns;  // per cut and loop coordinate: column of Ψ_d, or -1 - column of Ψ_θ
    std::vector<int> theta;                 // θ index of the group's independent coordinates
    VectorX row_scale;                      // 1/length for translations
  };
  std::vector<Work> work;
};

// Γ, after update_position at a closed configuration (12). False at a singular configuration.
bool update_map(const Mechanism& mechanism, const IndependentCoordinates& coordinates, const KinematicState& state,
                VelocityMap& map);
}  // namespace lithe
