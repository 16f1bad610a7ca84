// Independent coordinates θ of a mechanism with loops, and the maps β̇ = Γ θ̇, β̈ = Γ θ̈ + γ: docs/theory/kinematics.md,
// (12), (13).
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

// Γ, γ and the workspace behind them. For a tree Γ is the identity, γ is zero and the updates do nothing.
struct VelocityMap {
  VelocityMap(const Mechanism& mechanism, const IndependentCoordinates& coordinates);

  MatrixX matrix;           // Γ, β x θ
  VectorX bias;             // γ
  MatrixX matrix_rate;      // Γ̇
  double conditioning = 1;  // as above, at the last update_map

  struct Work {
    HouseholderSolver solver;               // Ψ_d
    MatrixX independent_block;              // rows x θ of the group
    VectorX residual;                       // rows
    MatrixX rate;                           // rows x coordinates of the group
    std::vector<std::vector<int>> columns;  // per cut and loop coordinate: column of Ψ_d, or -1 - column of Ψ_θ
    std::vector<int> theta;                 // θ index of the group's independent coordinates
    VectorX row_scale;                      // 1/length for translations
  };
  std::vector<Work> work;
};

// θ into the configuration.
void set_independent(const IndependentCoordinates& coordinates, const Eigen::Ref<const VectorX>& theta,
                     Configuration& configuration);
VectorX get_independent(const IndependentCoordinates& coordinates, const Eigen::Ref<const VectorX>& beta);

// Closes the loops by Newton on the dependent coordinates, from where they are, and leaves the poses in `state`. For
// the inner loop of a simulation: allocates nothing, takes no detours.
ClosureStatus close_dependent(const Mechanism& mechanism, const IndependentCoordinates& coordinates,
                              Configuration& configuration, KinematicState& state, VelocityMap& map,
                              double tolerance = 1e-12);

// Γ, after update_position at a closed configuration (12). False at a singular configuration.
bool update_map(const Mechanism& mechanism, const IndependentCoordinates& coordinates, const KinematicState& state,
                VelocityMap& map);
// γ, after update_map and update_velocity (13).
void update_bias(const Mechanism& mechanism, const IndependentCoordinates& coordinates, const KinematicState& state,
                 VelocityMap& map);
// Γ̇, after update_map and update_velocity (14).
void update_map_rate(const Mechanism& mechanism, const IndependentCoordinates& coordinates, const KinematicState& state,
                     VelocityMap& map);

}  // namespace lithe
