// Small beam models for tests, built in code.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <vector>

#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/reduce/solvers/eigensolver.h"

namespace lithe::test {

inline constexpr double pi = std::numbers::pi;

Material steel();
Material aluminium();

// Width along y, height along z.
Section rectangle(double width, double height);

Section tube(double outer, double inner);

struct BeamKind {
  BeamTheory theory = BeamTheory::euler_bernoulli;
  MassModel mass_model = MassModel::consistent;
};

// One flexible link: nodes joined one after the other.
Model polyline(const std::vector<Vector3>& points, int elements_per_segment, const Material& material,
               const Section& section, BeamKind kind = {});

FiniteElementBody straight_beam(double length, int num_elements, const Material& material, const Section& section,
                                BeamKind kind = {});

// The same link, moved and turned as a whole.
Model moved(Model model, const Pose& pose);

Pose skew_pose();

// Angular frequencies of the body when only the dofs in `free` may move.
VectorX frequencies(const FiniteElementBody& body, const std::vector<int>& free);

// Dofs of a straight beam along x that take part in one kind of motion, in node order along the beam.
enum class Motion { axial, torsion, bending_xy, bending_xz };
std::vector<int> dofs_of(const FiniteElementBody& body, Motion motion);

std::vector<int> without(std::vector<int> dofs, const std::vector<int>& held);

// An asymmetric frame in space with three different directions.
std::vector<Vector3> frame_points();

}  // namespace lithe::test
