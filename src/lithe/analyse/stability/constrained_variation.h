// Motions next to a periodic one where coordinates obey constraints: docs/theory/linearisation.md, section 8.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "lithe/formulate/contract/constrained_equations.h"

namespace lithe {

// Small motions are measured by z = L ξ with a matrix L that is constant over a step, ξ being those of the frames in
// their own axes; at the start of each step L is Nᵀ M of the directions N that the constraints leave there.
class ConstrainedVariation {
 public:
  explicit ConstrainedVariation(const ConstrainedEquations& equations) : equations_(equations) {}

  std::string message;                        // why the last call failed
  const std::atomic<bool>* cancel = nullptr;  // set: monodromy() ends early

  // (z, ż) after a period by (z, ż) before it. `states` are the start, and for each step of the duration `step` its two
  // Gauss points and its end; the last of them is taken for the start.
  bool monodromy(std::vector<State> states, double step, MatrixX& result);
  // From the start to where it came back to, as (z, ż), and its size in all coordinates. After monodromy().
  VectorX gap(State start, State end, double& size) const;
  // Changes the start by (z, ż), with the constraints kept.
  void change(State& start, const VectorX& change) const;

 private:
  struct Point {
    MatrixX directions, rate, acceleration;  // N, Ṅ, N̈
    MatrixX onto, velocity_by_place, speed_by_place;
    MatrixX by_place, by_speed;  // z̈ of (z, ż)
  };
  bool find(State& state, Point& point);
  static bool system_matrix(const Point& point, const MatrixX& measure, MatrixX& result);
  static bool own_measure(const Point& point, const MatrixX& measure, MatrixX& result);

  const ConstrainedEquations& equations_;
  Point start_;
};

}  // namespace lithe
