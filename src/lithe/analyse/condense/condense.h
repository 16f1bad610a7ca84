// A mechanism in a configuration, condensed to a few nodes: reduced mass and stiffness, natural frequencies, stiffness
// and mass at the tool. docs/theory/condensation.md derives it; equation numbers below are of that page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lithe/analyse/condense/condensed.h"
#include "lithe/analyse/condense/geometry.h"
#include "lithe/analyse/condense/parts.h"
#include "lithe/analyse/condense/topology.h"
#include "lithe/reduce/solvers/eigensolver.h"
#include "lithe/reduce/superelement.h"

namespace lithe {

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
