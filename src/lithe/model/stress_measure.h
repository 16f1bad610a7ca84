// Numbers of a stress tensor, whose components have the order xx yy zz xy yz zx.
#pragma once

#include "lithe/base/math.h"

namespace lithe {

// Principal stresses: the largest and the smallest; max_shear: half their difference. Components in link axes.
enum class StressMeasure { von_mises, principal_max, principal_min, max_shear, xx, yy, zz, xy, yz, zx };

double measure_of(const Vector6& stress, StressMeasure measure);

// Its derivatives by the components, each off-diagonal one standing for both of its places. Zero where the tensor is;
// where principal stresses coincide, those of one of the directions.
Eigen::Matrix<double, 1, 6> measure_gradient(const Vector6& stress, StressMeasure measure);

// What "largest" goes by: the value; of the smaller principal stress how far it is below zero, of components the
// magnitude.
double severity(double value, StressMeasure measure);

}  // namespace lithe
