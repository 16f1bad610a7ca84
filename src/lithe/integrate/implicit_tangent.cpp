#include "lithe/integrate/implicit_tangent.h"

namespace lithe {

DenseTangent::DenseTangent(const Equations& equations)
    : equations_(equations), real_(equations.num_coordinates()), complex_(equations.num_coordinates()) {
  const int n = equations.num_coordinates();
  accelerations_.values.setZero(n);
  product_.setZero(n);
  for (MatrixX* m : {&blocks_.mass, &blocks_.damping, &blocks_.stiffness}) m->setZero(n, n);
}

EvaluationStatus DenseTangent::residual(const State& state, const Inputs& inputs, const VectorX& accelerations,
                                        Workspace& workspace, VectorX& result) {
  const EvaluationStatus status = equations_.evaluate(state, inputs, workspace, accelerations_);
  if (status != EvaluationStatus::ok) return status;
  accelerations_.values = accelerations - accelerations_.values;
  result.noalias() = blocks_.mass * accelerations_.values;
  return result.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
}

EvaluationStatus DenseTangent::linearise(const State& state, const Inputs& inputs, Workspace& workspace) {
  return equations_.linearise(state, inputs, workspace, blocks_);
}

EvaluationStatus DenseTangent::factorise(const TangentShift<double>& real,
                                         const TangentShift<std::complex<double>>& complex) {
  real_.compute(blocks_.mass + real.damping * blocks_.damping + real.stiffness * blocks_.stiffness);
  complex_.compute(blocks_.mass.cast<std::complex<double>>() + complex.damping * blocks_.damping +
                   complex.stiffness * blocks_.stiffness);
  return EvaluationStatus::ok;
}

void DenseTangent::solve(VectorX& values) { values = real_.solve(values).eval(); }

void DenseTangent::solve(ComplexVector& values) { values = complex_.solve(values).eval(); }

void DenseTangent::filter(VectorX& values) {
  product_.noalias() = blocks_.mass * values;
  values = real_.solve(product_);
}

}  // namespace lithe
