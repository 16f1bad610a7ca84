// The linear systems of implicit Runge-Kutta methods: (M + d C + k K) x = r with real and complex d and k.
#pragma once

#include <Eigen/LU>
#include <complex>
#include <memory>

#include "lithe/formulate/contract/equations.h"
#include "lithe/formulate/contract/recursive_solves.h"

namespace lithe {

using ComplexVector = Eigen::VectorXcd;

// Factors of damping and stiffness.
template <class S>
struct TangentShift {
  S damping{}, stiffness{};
};

class ImplicitTangent {
 public:
  virtual ~ImplicitTangent() = default;
  // M a - f at a state, or anything that vanishes with it and is M δa for small changes.
  virtual EvaluationStatus residual(const State&, const Inputs&, const VectorX& accelerations, Workspace&,
                                    VectorX& result) = 0;
  // Derivatives at a state; whether a step should do without new ones while it can.
  virtual EvaluationStatus linearise(const State&, const Inputs&, Workspace&) = 0;
  virtual bool costs_much() const = 0;
  // At the state of the last linearise().
  virtual EvaluationStatus factorise(const TangentShift<double>&, const TangentShift<std::complex<double>>&) = 0;
  virtual void solve(VectorX& values) = 0;
  virtual void solve(ComplexVector& values) = 0;
  // S⁻¹ M with the real factors.
  virtual void filter(VectorX& values) = 0;
};

// With matrices of all coordinates.
class DenseTangent final : public ImplicitTangent {
 public:
  explicit DenseTangent(const Equations& equations);
  EvaluationStatus residual(const State&, const Inputs&, const VectorX& accelerations, Workspace&,
                            VectorX& result) override;
  EvaluationStatus linearise(const State&, const Inputs&, Workspace&) override;
  bool costs_much() const override { return true; }
  EvaluationStatus factorise(const TangentShift<double>&, const TangentShift<std::complex<double>>&) override;
  void solve(VectorX& values) override;
  void solve(ComplexVector& values) override;
  void filter(VectorX& values) override;

 private:
  const Equations& equations_;
  Accelerations accelerations_;
  LinearBlocks blocks_;
  VectorX product_;
  Eigen::PartialPivLU<MatrixX> real_;
  Eigen::PartialPivLU<Eigen::MatrixXcd> complex_;
};

// Link by link, with the stiffness and damping of links and joints alone.
class StructuredTangent final : public ImplicitTangent {
 public:
  StructuredTangent(const Equations& equations, const RecursiveSolves& solves)
      : solves_(solves), workspace_(equations.make_workspace()) {}
  EvaluationStatus residual(const State& state, const Inputs& inputs, const VectorX& accelerations,
                            Workspace& workspace, VectorX& result) override {
    return solves_.residual(state, inputs, accelerations, workspace, result);
  }
  EvaluationStatus linearise(const State& state, const Inputs& inputs, Workspace&) override {
    state_ = state;
    inputs_ = inputs;
    return EvaluationStatus::ok;
  }
  bool costs_much() const override { return false; }
  EvaluationStatus factorise(const TangentShift<double>& real,
                             const TangentShift<std::complex<double>>& complex) override {
    return solves_.factorise_tangent(state_, inputs_, real.damping, real.stiffness, complex.damping, complex.stiffness,
                                     *workspace_);
  }
  void solve(VectorX& values) override { solves_.solve_tangent(*workspace_, values); }
  void solve(ComplexVector& values) override { solves_.solve_tangent(*workspace_, values); }
  void filter(VectorX& values) override { solves_.filter_tangent(*workspace_, values); }

 private:
  const RecursiveSolves& solves_;
  std::unique_ptr<Workspace> workspace_;
  State state_;
  Inputs inputs_;
};

}  // namespace lithe
