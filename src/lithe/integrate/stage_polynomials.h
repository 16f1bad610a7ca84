// Polynomials through values at a few instants, as weights of the values.
#pragma once

#include <array>
#include <cstddef>

namespace lithe {

// The value at `x`.
template <std::size_t n>
std::array<double, n> lagrange_weights(const std::array<double, n>& nodes, double x) {
  std::array<double, n> weights;
  for (std::size_t i = 0; i < n; ++i) {
    weights[i] = 1;
    for (std::size_t j = 0; j < n; ++j)
      if (j != i) weights[i] *= (x - nodes[j]) / (nodes[i] - nodes[j]);
  }
  return weights;
}

// The derivative of order n - 1.
template <std::size_t n>
std::array<double, n> derivative_weights(const std::array<double, n>& nodes) {
  std::array<double, n> weights;
  double factorial = 1;
  for (std::size_t i = 2; i < n; ++i) factorial *= static_cast<double>(i);
  for (std::size_t i = 0; i < n; ++i) {
    weights[i] = factorial;
    for (std::size_t j = 0; j < n; ++j)
      if (j != i) weights[i] /= nodes[i] - nodes[j];
  }
  return weights;
}

}  // namespace lithe
