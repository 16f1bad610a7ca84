// Workspace of ErlsCms with dual numbers. Private to this folder.
#pragma once

#include "lithe/formulate/erls/loops/coordinates_inl.h"
#include "lithe/formulate/erls/work.h"

namespace lithe {

struct ErlsCms::DualWork {
  DualWork(const ErlsTree& tree, const ErlsConstraints& constraints);

  TreeWork<ErlsDual> tree;
  std::unique_ptr<ConstraintSolver<ErlsDual>> solver;  // of the minimum-norm gauge
  // of loops
  LoopMotion<ErlsDual> motion;
  VecX<ErlsDual> closure, elastic;
  MatX<ErlsDual> closure_jacobians, elastic_jacobians;
  MatrixX right_sides;
};

}  // namespace lithe
