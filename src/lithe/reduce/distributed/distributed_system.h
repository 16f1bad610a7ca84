// Mass and stiffness of the inner dofs of a body, spread over the processes by rows: PETSc's matrices, factorised by
// parallel MUMPS. All functions are to be called by all processes together.
#pragma once

#include <memory>
#include <vector>

#include "lithe/reduce/distributed/dof_layout.h"
#include "lithe/reduce/distributed/mesh_share.h"
#include "lithe/reduce/distributed/ranks.h"

// PETSc's own type, for the adaptors alone.
struct _p_Mat;

namespace lithe {

// Columns of displacements: rows of this process, and all those of the interface.
struct DistributedColumns {
  MatrixX inner, interface;
};

class DistributedSystem {
 public:
  // Takes the share's mass and stiffness and leaves them empty.
  DistributedSystem(const Ranks& ranks, const DofLayout& layout, MeshShare& share);
  ~DistributedSystem();

  // Factorises K_II; throws InputError where the interface does not hold the body or memory does not suffice.
  void factorise();
  double factor_entries() const;  // on this process

  // u_I = -K_II⁻¹ K_IB, one column for each dof of the interface.
  MatrixX static_shapes() const;
  DistributedColumns times_stiffness(const DistributedColumns& columns) const;
  DistributedColumns times_mass(const DistributedColumns& columns) const;
  // Number of eigenvalues of K_II φ = λ M_II φ below a level.
  int count_below(double level) const;
  // Values at dofs of the body from columns over the rows.
  MatrixX at(const std::vector<int>& dofs, const DistributedColumns& columns) const;
  int num_own_rows() const;
  int num_rows() const;  // of all processes

  struct Objects {
    _p_Mat *stiffness = nullptr, *mass = nullptr, *factor = nullptr;
  };
  Objects objects() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// For the adaptors: errors of PETSc and SLEPc become std::runtime_error, with the words of the library.
void begin_catching_petsc_errors();
void end_catching_petsc_errors();
void demand_petsc(int code);

}  // namespace lithe
