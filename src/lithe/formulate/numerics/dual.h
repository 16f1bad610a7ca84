// Numbers with exact derivatives along N directions at once (forward differentiation). A Dual over a Dual carries
// second derivatives. Only the operations that mechanisms need.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <type_traits>

namespace lithe {

template <class S, int N>
struct Dual {
  S value{};
  std::array<S, N> jacobian{};

  Dual() = default;
  Dual(double v) : value(v) {}  // implicit: constants mix freely with duals
  template <class T = S, class = std::enable_if_t<!std::is_same_v<T, double>>>
  Dual(const S& v) : value(v) {}

  // Sums are the most frequent of all: compilers that count their N additions leave them as calls.
  [[gnu::always_inline]] Dual& operator+=(const Dual& b) {
    value += b.value;
    for (int i = 0; i < N; ++i) jacobian[i] += b.jacobian[i];
    return *this;
  }
  [[gnu::always_inline]] Dual& operator-=(const Dual& b) {
    value -= b.value;
    for (int i = 0; i < N; ++i) jacobian[i] -= b.jacobian[i];
    return *this;
  }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  [[gnu::always_inline]] friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  [[gnu::always_inline]] friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend Dual operator-(const Dual& a) {
    Dual r;
    r.value = -a.value;
    for (int i = 0; i < N; ++i) r.jacobian[i] = -a.jacobian[i];
    return r;
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    Dual r;
    r.value = a.value * b.value;
    for (int i = 0; i < N; ++i) r.jacobian[i] = a.jacobian[i] * b.value + a.value * b.jacobian[i];
    return r;
  }
  friend Dual operator*(const Dual& a, double b) {
    Dual r;
    r.value = a.value * b;
    for (int i = 0; i < N; ++i) r.jacobian[i] = a.jacobian[i] * b;
    return r;
  }
  friend Dual operator*(double a, const Dual& b) { return b * a; }
  friend Dual operator/(const Dual& a, const Dual& b) {
    Dual r;
    const S inverse = S(1.0) / b.value;
    r.value = a.value * inverse;
    for (int i = 0; i < N; ++i) r.jacobian[i] = (a.jacobian[i] - r.value * b.jacobian[i]) * inverse;
    return r;
  }
  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend bool operator>(const Dual& a, const Dual& b) { return b.value < a.value; }
  friend bool operator<=(const Dual& a, const Dual& b) { return !(b.value < a.value); }
  friend bool operator>=(const Dual& a, const Dual& b) { return !(a.value < b.value); }
  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend bool operator!=(const Dual& a, const Dual& b) { return !(a.value == b.value); }
};

// f(a) with derivative df at a.
template <class S, int N>
Dual<S, N> chain(const Dual<S, N>& a, const S& f, const S& df) {
  Dual<S, N> r;
  r.value = f;
  for (int i = 0; i < N; ++i) r.jacobian[i] = df * a.jacobian[i];
  return r;
}

template <class S, int N>
Dual<S, N> sin(const Dual<S, N>& a) {
  using std::cos;
  using std::sin;
  return chain(a, S(sin(a.value)), S(cos(a.value)));
}
template <class S, int N>
Dual<S, N> cos(const Dual<S, N>& a) {
  using std::cos;
  using std::sin;
  return chain(a, S(cos(a.value)), S(-sin(a.value)));
}
template <class S, int N>
Dual<S, N> tanh(const Dual<S, N>& a) {
  using std::tanh;
  const S t = tanh(a.value);
  return chain(a, t, S(S(1.0) - t * t));
}
template <class S, int N>
Dual<S, N> exp(const Dual<S, N>& a) {
  using std::exp;
  const S e = exp(a.value);
  return chain(a, e, e);
}
template <class S, int N>
Dual<S, N> log(const Dual<S, N>& a) {
  using std::log;
  return chain(a, S(log(a.value)), S(S(1.0) / a.value));
}
template <class S, int N>
Dual<S, N> sqrt(const Dual<S, N>& a) {
  using std::sqrt;
  const S root = sqrt(a.value);
  return chain(a, root, S(S(0.5) / root));
}
template <class S, int N>
Dual<S, N> abs(const Dual<S, N>& a) {
  return a.value < S(0.0) ? -a : a;
}

template <class S, int N>
Dual<S, N> atan2(const Dual<S, N>& y, const Dual<S, N>& x) {
  using std::atan2;
  Dual<S, N> r;
  r.value = atan2(y.value, x.value);
  const S inverse = S(1.0) / (x.value * x.value + y.value * y.value);
  for (int i = 0; i < N; ++i) r.jacobian[i] = (x.value * y.jacobian[i] - y.value * x.jacobian[i]) * inverse;
  return r;
}

inline double plain_value(double a) { return a; }
template <class S, int N>
double plain_value(const Dual<S, N>& a) {
  return plain_value(a.value);
}

}  // namespace lithe

namespace Eigen {

template <class S, int N>
struct NumTraits<lithe::Dual<S, N>> : NumTraits<double> {
  using Real = lithe::Dual<S, N>;
  using NonInteger = lithe::Dual<S, N>;
  using Nested = lithe::Dual<S, N>;
  using Literal = lithe::Dual<S, N>;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = N,
    AddCost = N,
    MulCost = 3 * N
  };
};

template <class S, int N, class Op>
struct ScalarBinaryOpTraits<lithe::Dual<S, N>, double, Op> {
  using ReturnType = lithe::Dual<S, N>;
};
template <class S, int N, class Op>
struct ScalarBinaryOpTraits<double, lithe::Dual<S, N>, Op> {
  using ReturnType = lithe::Dual<S, N>;
};

namespace internal {

// As Eigen's own, always inlined.
template <int N>
struct scalar_sum_op<lithe::Dual<double, N>, lithe::Dual<double, N>>
    : binary_op_base<lithe::Dual<double, N>, lithe::Dual<double, N>> {
  using result_type = lithe::Dual<double, N>;
  [[gnu::always_inline]] result_type operator()(const result_type& a, const result_type& b) const { return a + b; }
};
template <int N>
struct scalar_difference_op<lithe::Dual<double, N>, lithe::Dual<double, N>>
    : binary_op_base<lithe::Dual<double, N>, lithe::Dual<double, N>> {
  using result_type = lithe::Dual<double, N>;
  [[gnu::always_inline]] result_type operator()(const result_type& a, const result_type& b) const { return a - b; }
};

}  // namespace internal

}  // namespace Eigen
