// What a mechanism consists of in one configuration, as small matrices over the coordinates z: flexible links as
// superelements, rigid links, joints, loads. docs/theory/condensation.md, section 5.
#pragma once

#include <vector>

#include "lithe/analyse/condense/geometry.h"
#include "lithe/reduce/superelement.h"

namespace lithe {

enum class CondensePart { stiffness, spring, mass };  // spring: stiffness of a joint

// Takes blocks over z as they come.
class CondenseSink {
 public:
  virtual ~CondenseSink() = default;
  virtual void add(CondensePart part, const std::vector<int>& columns, const MatrixX& block) = 0;
  virtual void add_load(int load_case, const std::vector<int>& columns, const VectorX& force) = 0;
  // Stiffness against each coordinate before anything cancels: rounding is relative to it.
  virtual void add_level(const std::vector<int>&, const VectorX&) {}
};

using CondenseTriplets = std::vector<Eigen::Triplet<double>>;
// The block's entries, at the rows and columns of the whole.
void append_block(const std::vector<int>& columns, const MatrixX& block, CondenseTriplets& triplets);

// Several points of one link over the union of their columns.
struct StackedMap {
  std::vector<int> columns;
  MatrixX matrix;
};

// What the parts are made of; everything outlives them.
struct CondenseParts {
  const Model& model;
  const CondenseTopology& topology;
  const std::vector<Superelement>& superelements;  // per link; empty for rigid ones
  const std::vector<Matrix6>& rigid_masses;        // per link, about its origin in link axes
};

// Motions of the nodes in link axes; `rows` of the six of each, as in a superelement.
StackedMap nodes_map(const CondenseParts& parts, const CondenseGeometry& geometry, int link,
                     const std::vector<int>& nodes, const std::vector<int>& rows);

void add_flexible_links(const CondenseParts& parts, const CondenseGeometry& geometry, CondenseSink& sink);
void add_rigid_links(const CondenseParts& parts, const CondenseGeometry& geometry, CondenseSink& sink);
// Strain energy of a motion, and the level that rounding in it is relative to.
struct StrainEnergy {
  double value = 0, level = 0;
};
StrainEnergy strain_energy(const CondenseParts& parts, const CondenseGeometry& geometry, const VectorX& motion);
// Springs, motors and drives.
void add_joints(const CondenseParts& parts, const CondenseGeometry& geometry, CondenseSink& sink);
void add_loads(const CondenseParts& parts, const CondenseGeometry& geometry, CondenseSink& sink);

}  // namespace lithe
