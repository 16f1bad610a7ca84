// Spherical and free joints have three angles about x, y, z, singular where the second is a right angle. Their
// reference moves along before that happens, unless something acts on the angles.
#pragma once

#include "lithe/kinematics/mechanism.h"

namespace lithe {

// Rx(β1) Ry(β2) Rz(β3)
Matrix3 chart_rotation(const Vector3& angles);
// The inverse of it, with β2 in ±π/2.
Vector3 angles_of_rotation(const Matrix3& R);
// E with ω = E(β) β̇, the joint's angular velocity in the axes of its child side (17). It is also the map from rates in
// the old chart to rates in the chart recentred here, since E(0) = I.
Matrix3 chart_rate_map(const Vector3& angles);

// Where |β2| exceeds `limit` and nothing acts on the angles, the reference absorbs the rotation, the angles become zero
// and the rates are renamed so that poses and angular velocities are unchanged (18). True when a chart moved.
bool recentre_charts(const Mechanism& mechanism, Configuration& configuration, Eigen::Ref<VectorX> rates,
                     double limit = 1.0);
// Whether recentre_charts would move something.
bool charts_need_recentring(const Mechanism& mechanism, const Configuration& configuration, double limit = 1.0);

// The least cosine of a second angle that is not called a right angle: one degree off.
constexpr double least_cosine_of_second_angle = 0.0174524064372835;
// Whether the second angle of a chart that must not move is at a right angle or beyond.
bool fixed_charts_are_singular(const Mechanism& mechanism, const VectorX& coordinates);

// Angles about x, y, z of the whole rotation R_ref R(β), as they read with a reference at rest; β2 in ±π/2.
Vector3 whole_angles(const Mechanism& mechanism, const Configuration& configuration, int chart);

}  // namespace lithe
