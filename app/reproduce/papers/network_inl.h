// Rotations from Euler parameters for any kind of number. Private to transfer_network*.cpp.
#pragma once

#include <array>

#include "lithe/base/math.h"
#include "lithe/formulate/numerics/dual.h"

namespace lithe::network {

using Line = Dual<double, 1>;
using Curve = Dual<Line, 1>;

// Columns of R(λ): quadratic in the Euler parameters, a rotation where their length is one.
template <class S>
std::array<S, 9> rotation_columns(const S* l) {
  const S &w = l[0], &x = l[1], &y = l[2], &z = l[3];
  return {w * w + x * x - y * y - z * z, 2.0 * (x * y + w * z),         2.0 * (x * z - w * y),
          2.0 * (x * y - w * z),         w * w - x * x + y * y - z * z, 2.0 * (y * z + w * x),
          2.0 * (x * z + w * y),         2.0 * (y * z - w * x),         w * w - x * x - y * y + z * z};
}

// R A for constant axes A, columns one after the other.
template <class S>
std::array<S, 9> turned_axes(const S* l, const Matrix3& axes) {
  const std::array<S, 9> R = rotation_columns(l);
  std::array<S, 9> result;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) result[3 * j + i] = R[i] * axes(0, j) + R[3 + i] * axes(1, j) + R[6 + i] * axes(2, j);
  return result;
}

template <class S>
S dot3(const S* a, const S* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

}  // namespace lithe::network
