// Closing loops with an answer for each group of them that stays open.
#pragma once

#include <string>
#include <vector>

#include "lithe/kinematics/closure.h"

namespace lithe {

// The loop of a group that is farthest from closed.
struct OpenLoop {
  int cut = -1;             // index into Mechanism::cuts()
  double gap = 0;           // m
  double misalignment = 0;  // rad
  std::string message;      // a sentence
};

struct GroupClosures {
  ClosureReport report;        // as of close_loops()
  std::vector<OpenLoop> open;  // one per group of loops that is not closed
};

// As close_loops().
GroupClosures close_groups(const Mechanism& mechanism, Configuration& configuration,
                           const std::vector<bool>& fixed = {}, const ClosureOptions& options = {});

}  // namespace lithe
