// Natural modes K φ = ω² M φ of dense and of large sparse matrices.
#pragma once

#include "lithe/model/finite_element_body.h"

namespace lithe {

// Ascending in frequency, shapes mass-orthonormal.
struct NaturalModes {
  VectorX squared_frequencies;
  MatrixX shapes;
};

// All modes with finite frequency. Directions without mass follow statically; throws InputError when they have no
// stiffness either.
NaturalModes natural_modes(const MatrixX& stiffness, const MatrixX& mass);

// The lowest `count` modes of sparse matrices, by a dense solution for small ones and by the sparse solver for large
// ones.
NaturalModes lowest_modes(const SparseMatrix& stiffness, const SparseMatrix& mass, int count);

// Number of modes with ω² below the given value, from the signs of the pivots of K - ω² M (Sylvester's law of inertia).
int count_modes_below(const SparseMatrix& stiffness, const SparseMatrix& mass, double squared_frequency);

// Matrices up to this size are solved densely.
inline constexpr int largest_dense_problem = 600;

// All modes of a matrix need a dense solution; throws InputError where that would take minutes and gigabytes.
inline constexpr int largest_dense_size = 4000;
void demand_dense_size(int num_unknowns);

// A sparse solver finds the lowest `count` modes with the help of a shift σ < 0, for which K - σ M is positive
// definite. The core has one of its own (subspace iteration); an adaptor may put a faster one in its place. Not to be
// called while another thread reduces a body.
using SparseEigenSolver = NaturalModes (*)(const SparseMatrix& stiffness, const SparseMatrix& mass, int count,
                                           double shift);
void set_sparse_eigensolver(SparseEigenSolver solver);
NaturalModes subspace_iteration(const SparseMatrix& stiffness, const SparseMatrix& mass, int count, double shift);

}  // namespace lithe
