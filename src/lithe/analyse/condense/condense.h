// A mechanism in a configuration, condensed to a few nodes: reduced mass and stiffness, natural frequencies, stiffness
// and mass at the tool. docs/theory/condensation.md derives it; equation numbers below are of that page.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "lithe/analyse/condense/geometry.h"
#include "lithe/analyse/condense/parts.h"
#include "lithe/analyse/condense/topology.h"
#include "lithe/reduce/solvers/eigensolver.h"
#include "lithe/reduce/superelement.h"

namespace lithe {

// Whether a mechanism could be condensed.
enum class CondenseStatus {
  ok,
  unconstrained,  // something moves that no stiffness holds while the independent nodes are at rest
  unreachable     // no such configuration (sweeps)
};

// Load cases: what the columns of loads and displacements are.
enum LoadCase { case_gravity = 0, case_loads = 1, case_imposed = 2, num_load_cases = 3 };

// The second reduction, to one node. World axes; translations, then rotations.
struct ToolMatrices {
  CondenseStatus status = CondenseStatus::ok;
  std::string message;  // a sentence where something is not there
  std::optional<Matrix6> stiffness,
      mass;                           // not there where the tool cannot move in all six directions, or moves freely
  std::optional<Matrix6> compliance;  // not there where the tool moves freely
  Eigen::Matrix<double, 6, num_load_cases> displacements =
      Eigen::Matrix<double, 6, num_load_cases>::Constant(std::nan(""));  // NaN where the tool moves freely
};

// Mass and stiffness of the independent nodes, and what loads and gravity do to them.
struct CondensedModel {
  CondenseStatus status = CondenseStatus::ok;
  std::string message;             // a sentence when not ok
  std::vector<std::string> notes;  // redundant constraints and the like
  std::vector<NodeOfLink> nodes;   // independent ones, six coordinates each
  std::vector<Vector3> positions;  // of those
  MatrixX stiffness, mass;         // K_L, M_L
  MatrixX loads;                   // reduced, per load case
  MatrixX displacements;           // of the independent nodes per load case; empty where stiffness is singular
  std::optional<ToolMatrices> tool;
  int num_redundant = 0;    // constraints of loops of rigid links and joints
  int num_coordinates = 0;  // before the reduction, with links as superelements
};

// Natural frequencies (Hz) and mass-orthonormal shapes of the reduced model; the first `count`.
struct CondensedModes {
  VectorX frequencies;  // rigid motions 0
  MatrixX shapes;       // coordinates of the independent nodes x modes
};
CondensedModes condensed_modes(const CondensedModel& model, int count);
// The frequencies alone; quicker.
VectorX condensed_frequencies(const CondensedModel& model, int count);

// A dense system over some of the coordinates z, the others eliminated.
struct RetainedSystem {
  MatrixX stiffness, mass, loads;
  std::vector<int> columns;  // z coordinate of each
  MatrixX shape{};           // z x retained: how the others follow; empty where that is not known
  VectorX level{};           // stiffness against each before anything cancelled; empty: the diagonal
};

// What does not depend on the configuration: subsystems, superelements. Shared by threads.
class Condenser {
 public:
  // Throws InputError for nodes that cannot be independent and for links that are no bodies.
  Condenser(Model model, CondenseOptions options);
  Condenser(const Condenser&) = delete;
  Condenser& operator=(const Condenser&) = delete;

  const Model& model() const { return model_; }
  const CondenseOptions& options() const { return options_; }
  const Mechanism& mechanism() const { return mechanism_; }
  const CondenseTopology& topology() const { return topology_; }
  CondenseParts parts() const { return {model_, topology_, superelements_, rigid_masses_}; }
  CondenseGeometry make_geometry() const { return CondenseGeometry(model_, mechanism_, topology_); }

  // Superelements first, then joints. `geometry` is scratch, one per thread; the configuration must be closed.
  CondensedModel condense(const Configuration& configuration, CondenseGeometry& geometry) const;

  // For other routes: coordinates that the result is made of (roots that are kept or imposed, and what the tool's
  // motion depends on), and the result from a system in which the others are eliminated.
  std::vector<int> retained_columns(const CondenseGeometry& geometry) const;
  CondensedModel finish(const CondenseGeometry& geometry, const RetainedSystem& system) const;
  // From sparse matrices over z and perhaps further unknowns; nothing, and the reason in `result`, where something is
  // unconstrained. Without the `level` of the coordinates nothing is found unconstrained that rounding holds.
  std::optional<RetainedSystem> condense_sparse(const CondenseGeometry& geometry, const SparseMatrix& stiffness,
                                                const SparseMatrix& mass, const MatrixX& loads,
                                                const std::vector<int>& blocks, CondensedModel& result,
                                                const VectorX& level = {}) const;
  PointMap tool_map(const CondenseGeometry& geometry) const;
  // The sentence about a motion z that nothing holds.
  std::string describe_unconstrained(const CondenseGeometry& geometry, const VectorX& z) const;

 private:
  std::optional<RetainedSystem> reduce_dense(const CondenseGeometry& geometry, CondensedModel& result) const;
  std::optional<RetainedSystem> reduce_sparse(const CondenseGeometry& geometry, CondensedModel& result) const;
  std::string free_motion_note(const CondenseGeometry& geometry, const RetainedSystem& system,
                               const std::vector<int>& kept, const MatrixX& stiffness, Eigen::Index count) const;
  void set_unconstrained(const CondenseGeometry& geometry, const VectorX& z, CondensedModel& result) const;
  ToolMatrices tool_matrices(const CondenseGeometry& geometry, const RetainedSystem& system) const;
  ToolMatrices reduce_to_tool(const CondenseGeometry& geometry, const RetainedSystem& system, int first,
                              const Matrix6& tool_from_root) const;
  ToolMatrices compliance_of_tool(const CondenseGeometry& geometry, const RetainedSystem& system,
                                  const PointMap& map) const;

  Model model_;
  CondenseOptions options_;
  CondenseTopology topology_;
  Mechanism mechanism_;
  std::vector<Superelement> superelements_;  // of flexible links
  std::vector<Matrix6> rigid_masses_;        // of rigid links, about their origin in link axes
};

}  // namespace lithe
