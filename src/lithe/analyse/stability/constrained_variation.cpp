#include "lithe/analyse/stability/constrained_variation.h"

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "lithe/base/text.h"
#include "lithe/control/linear/matrix_equations.h"

namespace lithe {
namespace {

Inputs acting_at(const Model& model, double time) {
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, time, inputs);
  return inputs;
}

}  // namespace

// Recentres the state.
bool ConstrainedVariation::find(State& state, Point& point) {
  const std::unique_ptr<Workspace> workspace = equations_.make_workspace();
  const Inputs inputs = acting_at(equations_.model(), state.time);
  equations_.recentre(state);
  VectorX accelerations = VectorX::Zero(equations_.num_coordinates()),
          multipliers = VectorX::Zero(equations_.num_multipliers());
  EvaluationStatus status = equations_.body_accelerations(state, inputs, *workspace, accelerations, multipliers);
  ConstrainedLinearisation linear;
  if (status == EvaluationStatus::ok)
    status = equations_.linearise_constrained(state, inputs, accelerations, *workspace, linear);
  if (status != EvaluationStatus::ok) {
    message = cat("no linear model at ", state.time, " s: ", describe(status));
    return false;
  }
  const Eigen::PartialPivLU<MatrixX> mass(linear.mass);
  point = {
      linear.directions,        linear.directions_rate, linear.directions_acceleration, linear.onto,
      linear.velocity_by_place, linear.speed_by_place,  -mass.solve(linear.stiffness),  -mass.solve(linear.damping)};
  return true;
}

// ż, z̈ of (z, ż) where z = L ξ. With the point's own z' = Q z, Q = (L N)⁻¹:
//   z'' = by_place z' + by_speed ż',  Q̇ = -Q L Ṅ Q,  Q̈ = -Q L N̈ Q - 2 Q̇ L Ṅ Q.
bool ConstrainedVariation::system_matrix(const Point& point, const MatrixX& measure, MatrixX& result) {
  const MatrixX back = measure * point.directions;
  const MatrixX Q = back.inverse();
  if (!Q.allFinite()) return false;
  const MatrixX turning = measure * point.rate * Q, Q_rate = -Q * turning;
  const MatrixX Q_acceleration = -Q * (measure * point.acceleration * Q) - 2 * Q_rate * turning;
  const Eigen::Index n = Q.rows();
  result = MatrixX::Zero(2 * n, 2 * n);
  result.topRightCorner(n, n).setIdentity();
  result.bottomLeftCorner(n, n) = back * (point.by_place * Q + point.by_speed * Q_rate - Q_acceleration);
  result.bottomRightCorner(n, n) = back * (point.by_speed * Q - 2 * Q_rate);
  return true;
}

// The point's own (z, ż) of those that `measure` gives: z' = Q z, ż' = Q ż + Q̇ z.
bool ConstrainedVariation::own_measure(const Point& point, const MatrixX& measure, MatrixX& result) {
  const MatrixX Q = MatrixX(measure * point.directions).inverse();
  const Eigen::Index n = Q.rows();
  result = MatrixX::Zero(2 * n, 2 * n);
  result.topLeftCorner(n, n) = result.bottomRightCorner(n, n) = Q;
  result.bottomLeftCorner(n, n) = -Q * (measure * point.rate * Q);
  return Q.allFinite();
}

// Each step by Magnus' series to order 4, as where coordinates are independent (floquet.cpp).
bool ConstrainedVariation::monodromy(std::vector<State> states, double step, MatrixX& result) {
  message.clear();
  if (!find(states.front(), start_)) return false;
  const Eigen::Index n = start_.directions.cols();
  if (n == 0) {
    message = "all motion is prescribed: nothing can grow";
    return false;
  }
  result = MatrixX::Identity(2 * n, 2 * n);
  MatrixX first, second, change;
  Point from = start_, to;
  for (std::size_t i = 1; i + 2 < states.size(); i += 3) {
    if (cancel && *cancel) {
      message = "interrupted";
      return false;
    }
    const MatrixX measure = from.onto;
    bool same = true;
    for (const std::size_t k : {i, i + 1}) {
      if (!find(states[k], to)) return false;
      same = same && to.directions.cols() == n && system_matrix(to, measure, k == i ? first : second);
    }
    const bool last = i + 5 >= states.size();
    if (!last && !find(states[i + 2], to)) return false;
    if (last) to = start_;
    same = same && to.directions.cols() == n && own_measure(to, measure, change);
    if (!same) {
      message = cat("the directions that the constraints leave change on the way (at ", states[i].time, " s)");
      return false;
    }
    const MatrixX omega =
        0.5 * step * (first + second) - std::numbers::sqrt3 / 12 * step * step * (first * second - second * first);
    result = (change * (matrix_exponential(omega) * result)).eval();
    from = to;
  }
  if (!result.allFinite()) message = "the linearised motion is not finite";
  return message.empty();
}

VectorX ConstrainedVariation::gap(State start, State end, double& size) const {
  equations_.recentre(start);
  equations_.recentre(end);
  const Eigen::Index n = start_.directions.cols();
  VectorX result(2 * n);
  result.head(n) = start_.onto * equations_.motion_between(start, end);
  result.tail(n) = start_.onto * (end.speeds - start.speeds - start_.velocity_by_place * result.head(n));
  size = std::hypot((start_.directions * result.head(n)).norm(), (start_.directions * result.tail(n)).norm());
  return result;
}

void ConstrainedVariation::change(State& start, const VectorX& change) const {
  const std::unique_ptr<Workspace> workspace = equations_.make_workspace();
  const Eigen::Index n = start_.directions.cols();
  equations_.recentre(start);
  start.coordinates += start_.directions * change.head(n);
  start.speeds += start_.directions * change.tail(n) + start_.speed_by_place * change.head(n);
  equations_.accept(start, acting_at(equations_.model(), start.time), *workspace);
  equations_.recentre(start);
}

}  // namespace lithe
