// Templates of transfer_beam.h.
#pragma once

#include "lithe/formulate/transfer/beam.h"

namespace lithe {
namespace transfer_detail {

// The smallest rotation that takes x to the unit vector (c, y, z): rows of A (2).
template <class S>
struct Tilt {
  S c, y, z, yy, yz, zz;  // yy = 1 - y²/(1+c), ...
  Tilt(const S& y_, const S& z_) : y(y_), z(z_) {
    using std::sqrt;
    const S y2 = y * y, z2 = z * z;
    c = sqrt(S(1.0) - y2 - z2);
    const S h = S(1.0) / (c + S(1.0));
    yy = S(1.0) - y2 * h;
    zz = S(1.0) - z2 * h;
    yz = -(y * z * h);
  }
};

// Cosine and sine of the twist φ between the two tilts, from the torsion (49b): K0 + Kc cos φ + Ks sin φ = 2 e2 / l.
template <class S>
void twist(const Tilt<S>& a, const Tilt<S>& b, const S& torsion, S& cosine, S& sine) {
  using std::sqrt;
  const S k0 = a.z * b.y - a.y * b.z;
  const S kc = a.yz * b.yy + a.zz * b.yz - a.yy * b.yz - a.yz * b.zz;
  const S ks = a.zz * b.yy - a.yz * b.yz - a.yz * b.yz + a.yy * b.zz;
  const S inverse = S(1.0) / sqrt(kc * kc + ks * ks);
  const S t = (torsion - k0) * inverse;
  const S u = sqrt(S(1.0) - t * t);
  sine = (t * ks - u * kc) * inverse;
  cosine = (u * ks + t * kc) * inverse;
}

// Q = A(ρ) R_x(φ) A(ρ')ᵀ, columns of the second node's axes.
template <class S>
void second_axes(const Tilt<S>& a, const Tilt<S>& b, const S& cosine, const S& sine, S* columns) {
  const S rows[3][3] = {{a.c, -a.y, -a.z}, {a.y, a.yy, a.yz}, {a.z, a.yz, a.zz}};
  const S other[3][3] = {{b.c, -b.y, -b.z}, {b.y, b.yy, b.yz}, {b.z, b.yz, b.zz}};
  for (int i = 0; i < 3; ++i) {
    const S second = rows[i][1] * cosine + rows[i][2] * sine, third = rows[i][2] * cosine - rows[i][1] * sine;
    for (int j = 0; j < 3; ++j)
      columns[3 * j + i] = rows[i][0] * other[j][0] + second * other[j][1] + third * other[j][2];
  }
}

}  // namespace transfer_detail

template <class S>
void beam_vectors(const BeamForm& form, const S* e, BeamVectors<S>& out) {
  using transfer_detail::Tilt;
  S length = e[0] + form.length;
  if (form.shortens)
    length = length - (2.0 * (e[2] * e[2] + e[3] * e[3] + e[4] * e[4] + e[5] * e[5]) + e[2] * e[3] + e[4] * e[5]) *
                          (1.0 / (30.0 * form.length));
  const S inverse = S(1.0) / length;
  const Tilt<S> a(e[4] * inverse, -(e[2] * inverse)), b(-(e[5] * inverse), e[3] * inverse);
  S cosine, sine;
  transfer_detail::twist(a, b, e[1] * (2.0 / form.length), cosine, sine);
  transfer_detail::second_axes(a, b, cosine, sine, &out[3 * second_x]);
  const S rho[3] = {length * a.c, length * a.y, length * a.z};
  for (int i = 0; i < 3; ++i) out[i] = rho[i];
  if (!form.has_field) return;
  // Derivatives against the chord: those of the axis at its ends (4).
  const S py = -a.y, pz = -a.z, qy = sine * b.z - cosine * b.y, qz = -(sine * b.y) - cosine * b.z;
  const S y_axis[3] = {-a.y, a.yy, a.yz}, z_axis[3] = {-a.z, a.yz, a.zz};
  const S lpy = length * py, lpz = length * pz, lqy = length * qy, lqz = length * qz;
  const S pp = py * py + pz * pz, pq = py * qy + pz * qz, qq = qy * qy + qz * qz;
  for (int i = 0; i < 3; ++i) {
    out[3 * bend_y_first + i] = lpy * y_axis[i];
    out[3 * bend_z_first + i] = lpz * z_axis[i];
    out[3 * bend_y_second + i] = lqy * y_axis[i];
    out[3 * bend_z_second + i] = lqz * z_axis[i];
    out[3 * short_first + i] = rho[i] * pp;
    out[3 * short_mixed + i] = rho[i] * pq;
    out[3 * short_second + i] = rho[i] * qq;
  }
}

template <class S>
void beam_deformations(double length, bool shortens, const S* chord, const S* first_axes, const S* second_axes, S* e) {
  using std::sqrt;
  const auto dot = [](const S* u, const S* v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; };
  const S *py = first_axes + 3, *pz = first_axes + 6, *qy = second_axes + 3, *qz = second_axes + 6;
  e[1] = (dot(pz, qy) - dot(py, qz)) * (0.5 * length);
  e[2] = -dot(pz, chord);
  e[3] = dot(qz, chord);
  e[4] = dot(py, chord);
  e[5] = -dot(qy, chord);
  e[0] = sqrt(dot(chord, chord)) - S(length);
  if (shortens)
    e[0] = e[0] + (2.0 * (e[2] * e[2] + e[3] * e[3] + e[4] * e[4] + e[5] * e[5]) + e[2] * e[3] + e[4] * e[5]) *
                      (1.0 / (30.0 * length));
}

}  // namespace lithe
