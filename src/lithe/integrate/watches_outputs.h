// Integrators that take out vibrations which they do not resolve, and keep those that show in the run and in what is
// read of it.
#pragma once

#include <memory>

#include "lithe/integrate/output_error.h"

namespace lithe {

class WatchesOutputs {
 public:
  virtual ~WatchesOutputs() = default;
  // How long the run is, s, and what is read besides positions (null: nothing), from the next start() on.
  virtual void watch(double duration, std::shared_ptr<const WatchedOutputs> outputs) = 0;
  // The accelerations inside the last step, more accurately than evaluate() finds them there: what is missing in a
  // stiff coordinate makes its square of the frequency times as much of an acceleration. False: they are not known.
  virtual bool interpolate_accelerations(double time, VectorX& result) const = 0;
};

}  // namespace lithe
