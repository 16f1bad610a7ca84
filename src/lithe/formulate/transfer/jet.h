// Numbers that carry their first two time derivatives, over numbers with or without derivatives: with Dual derivatives
// they give the contractions of second and third derivatives with velocities that [LIN] Appendix II asks for.
#pragma once

#include "lithe/formulate/numerics/dual.h"

namespace lithe {

template <class S>
struct Jet {
  S value{}, rate{}, acceleration{};

  Jet() = default;
  Jet(double v) : value(v) {}  // implicit: constants mix freely with jets
  Jet(const S& v, const S& r, const S& a) : value(v), rate(r), acceleration(a) {}

  Jet& operator+=(const Jet& b) {
    value += b.value;
    rate += b.rate;
    acceleration += b.acceleration;
    return *this;
  }
  Jet& operator-=(const Jet& b) {
    value -= b.value;
    rate -= b.rate;
    acceleration -= b.acceleration;
    return *this;
  }
  friend Jet operator+(Jet a, const Jet& b) { return a += b; }
  friend Jet operator-(Jet a, const Jet& b) { return a -= b; }
  friend Jet operator-(const Jet& a) { return {-a.value, -a.rate, -a.acceleration}; }
  friend Jet operator*(const Jet& a, const Jet& b) {
    return {a.value * b.value, a.rate * b.value + a.value * b.rate,
            a.acceleration * b.value + 2.0 * (a.rate * b.rate) + a.value * b.acceleration};
  }
  friend Jet operator*(const Jet& a, double b) { return {a.value * b, a.rate * b, a.acceleration * b}; }
  friend Jet operator*(double a, const Jet& b) { return b * a; }
  friend Jet operator/(const Jet& a, const Jet& b) {
    const S inverse = S(1.0) / b.value;
    Jet r;
    r.value = a.value * inverse;
    r.rate = (a.rate - r.value * b.rate) * inverse;
    r.acceleration = (a.acceleration - 2.0 * (r.rate * b.rate) - r.value * b.acceleration) * inverse;
    return r;
  }
};

template <class S>
Jet<S> sqrt(const Jet<S>& a) {
  using std::sqrt;
  Jet<S> r;
  r.value = sqrt(a.value);
  const S half = S(0.5) / r.value;
  r.rate = a.rate * half;
  r.acceleration = (a.acceleration - 2.0 * (r.rate * r.rate)) * half;
  return r;
}

}  // namespace lithe
