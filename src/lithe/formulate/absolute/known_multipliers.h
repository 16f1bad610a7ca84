// The multipliers of the state that was evaluated last. Whoever looks at forces asks for them joint by joint, and each
// time they are a solution for the whole mechanism.
#pragma once

#include <algorithm>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

class KnownMultipliers {
 public:
  // Whether they are those of exactly this state under these inputs.
  bool belong_to(const State& state, const Inputs& inputs) const {
    return known_ && same(state, state_) && same(inputs, inputs_);
  }
  void keep(const State& state, const Inputs& inputs, const VectorX& multipliers) {
    known_ = true;
    state_ = state;  // same sizes: allocates nothing after the first time
    inputs_ = inputs;
    values_ = multipliers;
  }
  void forget() { known_ = false; }
  const VectorX& values() const { return values_; }

 private:
  // As std::ranges::equal, which the library of WebAssembly's compiler does not have.
  template <class Range, class Same>
  static bool equal(const Range& a, const Range& b, const Same& same) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
  }
  static bool same(const State& a, const State& b) {
    const Configuration &at = a.configuration, &other = b.configuration;
    return a.time == b.time && a.coordinates == b.coordinates && a.speeds == b.speeds &&
           at.coordinates.size() == other.coordinates.size() && at.coordinates == other.coordinates &&
           equal(at.references, other.references,
                 [](const auto& p, const auto& q) { return p.coeffs() == q.coeffs(); }) &&
           at.split == other.split;
  }
  static bool same(const Inputs& a, const Inputs& b) {
    const auto same_motion = [](const SignalValue& p, const SignalValue& q) {
      return p.value == q.value && p.rate == q.rate && p.acceleration == q.acceleration;
    };
    const auto same_load = [](const NodalLoad& p, const NodalLoad& q) {
      return p.link == q.link && p.node == q.node && p.follows_link == q.follows_link && p.force == q.force &&
             p.torque == q.torque;
    };
    return a.joint_forces == b.joint_forces &&
           equal(a.prescribed_motion, b.prescribed_motion,
                 [&](const auto& p, const auto& q) { return equal(p, q, same_motion); }) &&
           equal(a.nodal_loads, b.nodal_loads, same_load);
  }

  bool known_ = false;
  State state_;
  Inputs inputs_;
  VectorX values_;
};

}  // namespace lithe
