#include "app/reproduce/papers/l_shape.h"

#include <cmath>

#include "lithe/base/text.h"

namespace lithe {

std::string LShapeRun::text() const {
  return cat(torque ? "torque" : "gravity", ", ", elements, " elements, ", modes, " of ", exported, " modes");
}

std::vector<LShapeRun> published_l_shape_runs() {
  std::vector<LShapeRun> runs;
  for (const bool torque : {false, true}) {
    for (const auto& [elements, exported] : {std::pair(2, 18), std::pair(4, 18), std::pair(4, 30)})
      for (int modes = 6; modes <= 18; modes += 2) runs.push_back({torque, elements, exported, modes});
    runs.push_back({torque, 4, 30, 30});
  }
  return runs;
}

std::string published_l_shape_model(int elements, int exported) {
  if (elements == 2) return "l_shape_cmp_2";
  return exported == 18 ? "l_shape_cmp_18" : "l_shape_cmp";
}

Signal published_l_shape_torque() { return SignalSteps{{0.0, 0.2, 0.4}, {1.0, -1.0, 0.0}}; }

Model published_l_shape(Model model, const LShapeRun& run) {
  model.links[0].reduction.num_kept_modes = run.modes - 6;
  if (run.torque) {
    Drive drive;
    drive.name = "motor";
    drive.signal = published_l_shape_torque();
    model.drives = {drive};
    model.gravity.setZero();
  }
  return model;
}

PeakMatch match_peak(const VectorX& natural, double printed, double spacing) {
  constexpr double swing_limit = 1, sideband_limit = 1000;  // Hz
  PeakMatch best{PeakOrigin::natural, natural[0]};
  const auto consider = [&](PeakOrigin origin, double frequency) {
    if (std::abs(frequency - printed) < std::abs(best.frequency - printed)) best = {origin, frequency};
  };
  for (const double frequency : natural) {
    consider(PeakOrigin::natural, frequency);
    if (spacing <= 0 || printed < sideband_limit) continue;
    consider(PeakOrigin::sideband, frequency - spacing);
    consider(PeakOrigin::sideband, frequency + spacing);
  }
  if (printed < swing_limit) best.origin = PeakOrigin::swing;
  return best;
}

}  // namespace lithe
