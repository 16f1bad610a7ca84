// The L-shape study of [CMP]: its 44 runs (Tables V and VIII), how each is set up, and what its tables of peaks list.
#pragma once

#include <string>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/model.h"

namespace lithe {

struct LShapeRun {
  bool torque = false;  // a driving torque, or gravity
  int elements = 4;
  int exported = 30;  // modes of the reduced link, the six rigid ones included
  int modes = 30;     // of these, how many are kept, the six rigid ones included

  std::string text() const;  // "gravity, 4 elements, 18 of 30 modes"
};

// All of Tables V and VIII: 6 to 18 modes of each of the three links, and all 30 of the largest.
std::vector<LShapeRun> published_l_shape_runs();

// Name of the model file of a run: "l_shape_cmp_2", "l_shape_cmp_18" or "l_shape_cmp".
std::string published_l_shape_model(int elements, int exported);

// The paper shows the torque as a picture only, and says that it accelerates and brakes fast: 1 N m for 0.2 s, then
// -1 N m for 0.2 s, which turns the arm by about 60 degrees.
Signal published_l_shape_torque();

// The model of a run: the modes kept, and either gravity on an undeformed arm or the torque without gravity. Gravity is
// off in the latter because Table VII lists frequencies of bending out of the plane of the L alone; the weight excites
// those in its plane as well (Table IV). For the same reason the arm under gravity starts without deformation: from
// static equilibrium the vibrations of Table IV would not be there.
Model published_l_shape(Model model, const LShapeRun& run);

// Where a printed peak comes from.
enum class PeakOrigin {
  natural,   // a natural frequency of the arm on its free joint
  sideband,  // of a natural frequency, above or below it by the lowest one of the row
  swing,     // below 1 Hz: the pendulum
};

struct PeakMatch {
  PeakOrigin origin = PeakOrigin::natural;
  double frequency = 0;  // Hz, the computed one that is nearest
};

// `natural`: computed frequencies in Hz. Sidebands are looked for above 1 kHz, where Table VII has them, and only when
// `spacing` > 0.
PeakMatch match_peak(const VectorX& natural, double printed, double spacing);

}  // namespace lithe
