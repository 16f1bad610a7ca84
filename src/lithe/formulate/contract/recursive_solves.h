// What an implicit integrator asks of equations whose linear systems are solved link by link, at a cost that grows
// linearly with the number of links: docs/theory/integrators.md, section 3.
#pragma once

#include <complex>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

class RecursiveSolves {
 public:
  virtual ~RecursiveSolves() = default;

  // Whether the mechanism at hand is one of those.
  virtual bool solves_recursively() const = 0;
  // The highest angular frequency of a link on its own, rad/s; 0: rigid links.
  virtual double fastest_vibration() const = 0;
  // -S⁻¹ (M a - f) at a state, S = M + damping C + stiffness K with C and K of the links and of the joints' springs and
  // dampers. Never throws or allocates after the first time.
  virtual EvaluationStatus implicit_correction(const State& state, const Inputs& inputs, const VectorX& accelerations,
                                               double damping, double stiffness, Workspace& workspace,
                                               VectorX& correction) const = 0;
  // Whether the four below serve the mechanism at hand, loops included.
  virtual bool solves_structured() const = 0;
  // M a - f.
  virtual EvaluationStatus residual(const State& state, const Inputs& inputs, const VectorX& accelerations,
                                    Workspace& workspace, VectorX& result) const = 0;
  // Factors of M + d C + k K at a state, C and K as above, for a real and a complex pair (d, k).
  virtual EvaluationStatus factorise_tangent(const State& state, const Inputs& inputs, double damping, double stiffness,
                                             std::complex<double> complex_damping,
                                             std::complex<double> complex_stiffness, Workspace& workspace) const = 0;
  virtual void solve_tangent(Workspace& workspace, VectorX& values) const = 0;
  virtual void solve_tangent(Workspace& workspace, Eigen::VectorXcd& values) const = 0;
  // (M + d C + k K)⁻¹ M with the real factors.
  virtual void filter_tangent(Workspace& workspace, VectorX& values) const = 0;
  // Multiplies by S⁻¹ M of the last correction.
  virtual void filter_implicitly(Workspace& workspace, VectorX& values) const = 0;
};

}  // namespace lithe
