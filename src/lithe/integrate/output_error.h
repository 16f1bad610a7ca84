// Forces, stresses and accelerations that are read of a motion. They see vibrations that are too small for positions to
// see them, and an implicit method must not take those out. docs/theory/integrators.md, section 7.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

struct WatchedOutputs {
  // One number for each entry of `groups`, of a state with its accelerations.
  std::function<void(const State&, const Inputs&, const Accelerations&, Workspace&, std::vector<double>&)> read;
  std::vector<int> groups;    // numbers of a group share the scale of the largest
  std::vector<double> noise;  // of each group: what rounding may make of it
  double tolerance = 0.01;    // error that may build up per second of motion, of that scale
};

// From what is read at the stages of a step of Radau's method and of the one before.
class OutputError {
 public:
  static constexpr int num_stages = 3;
  using Readings = std::vector<double>;

  explicit OutputError(std::shared_ptr<const WatchedOutputs> outputs);
  bool watches() const { return outputs_ != nullptr; }

  void restart();  // of scales, too
  void forget();   // the step before; readings at the beginning of the next one are wanted
  bool wants_begin() const { return !begin_is_known_ && !has_last_; }
  void read_begin(const State& state, const Inputs& inputs, const Accelerations& accelerations, Workspace& workspace);
  void read_stage(int stage, const State& state, const Inputs& inputs, const Accelerations& accelerations,
                  Workspace& workspace);
  // Over what is allowed, for a step h after one of last_step, with the nodes of the stages.
  double estimate(const Eigen::Vector3d& nodes, double h, double last_step);
  void accept();

 private:
  void grow_scales(const Readings& values);
  double first_error(const Eigen::Vector3d& nodes) const;
  double later_error(const Eigen::Vector3d& nodes, double h, double last_step);

  std::shared_ptr<const WatchedOutputs> outputs_;
  bool begin_is_known_ = false, has_last_ = false;
  Readings begin_;
  std::array<Readings, num_stages> stages_, last_stages_;
  Readings third_squares_, fourth_squares_, next_third_squares_, next_fourth_squares_;  // means over the last steps
  std::vector<double> scales_;  // of groups: the largest value so far
};

}  // namespace lithe
