// Natural frequencies and shapes: of a whole mechanism in a configuration; of one link, free in space, held at some of
// its nodes, or as reduced.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/formulate/contract/equations.h"
#include "lithe/model/model.h"

namespace lithe {

// Modes of a mechanism: frequencies, damping and shapes.
struct MechanismModes {
  VectorX frequencies;  // Hz, ascending; negative where the configuration is unstable: -|ω|/2π of a growth rate |ω|
  VectorX damping_ratios;  // of critical, from the diagonal of the modal damping matrix
  int num_rigid = 0;       // of the first modes: motions that no stiffness holds (|ω|² below rounding of the largest)
  MatrixX shapes;          // coordinates x modes, mass-normalised
  std::vector<MatrixX> translations, rotations;      // per link: 3 nodes x modes, world axes
  std::vector<std::vector<Vector3>> node_positions;  // per link, world axes, in the configuration
  bool at_rest =
      true;  // whether the configuration is an equilibrium; if not, drives are taken to hold the mechanism there
  double imbalance = 0;  // largest acceleration of a coordinate at rest, rad/s² or m/s²

  int num_modes() const { return static_cast<int>(frequencies.size()); }
};

// Modes, where the equations could be evaluated.
struct ModesResult {
  EvaluationStatus status = EvaluationStatus::ok;
  MechanismModes modes;
};

// Of the mechanism held at rest in the state's configuration. `count`: how many shapes; all frequencies are given.
ModesResult mechanism_modes(const Equations& equations, State state, const std::optional<int>& count = std::nullopt);

// Which modes of a link are wanted.
struct LinkModesOptions {
  std::vector<int> clamped_nodes;  // indices into Link::nodes whose displacements and rotations are held
  std::optional<int> count;        // elastic modes wanted; all there are, when these are fewer
  // The modes that the link's reduction leaves instead of those of its finite-element mesh; not with clamped nodes.
  bool reduced = false;
};

// Modes of one link.
struct LinkModes {
  std::string link;
  int num_rigid = 0;                    // motions without elastic energy, frequency zero, not listed below
  VectorX frequencies;                  // Hz, of the elastic modes, ascending
  MatrixX translations, rotations;      // 3 nodes x modes, link axes, mass-normalised (1/sqrt(kg); rad per that)
  std::vector<Vector3> node_positions;  // link frame, m; named nodes first
  std::vector<std::string> node_names;  // "" for nodes inside a segment

  int num_modes() const { return static_cast<int>(frequencies.size()); }
  // The number under which papers list mode k: rigid motions come first.
  int number_of(int k) const { return num_rigid + k + 1; }
};

// Throws InputError for a rigid link and for options that cannot be met.
LinkModes link_modes(const Model& model, int link, const LinkModesOptions& options = {});

}  // namespace lithe
