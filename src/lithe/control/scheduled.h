// Gain scheduling: controllers designed at several configurations along the references, blended by where the references
// are.
#pragma once

#include <memory>
#include <vector>

#include "lithe/control/controller.h"

namespace lithe {

// Piecewise linear weights of points along a path: those of the two neighbours of the nearest place of the path.
class PathWeights {
 public:
  // `points`: one column per point, in their order along the path.
  explicit PathWeights(MatrixX points);
  Eigen::Index num_points() const { return points_.cols(); }
  // Fills `weights`, which add up to 1.
  void find(const VectorX& place, VectorX& weights) const;

 private:
  MatrixX points_;
  VectorX scale_;  // 1/range of each coordinate
};

// All members follow every sample, with what the blend really applies told to each, so that their observers are right
// when their turn comes; u = Σ w_k u_k. Limits of inputs and their rates that each member keeps, the blend keeps.
class ScheduledController : public Controller {
 public:
  // `points`: values of the references at the members' configurations, one column each.
  ScheduledController(std::vector<std::unique_ptr<Controller>> members, MatrixX points, std::size_t num_outputs);
  void start(double time, std::span<const double> measurements, std::span<const SignalValue> references) override;
  void update(double time, std::span<const double> measurements, std::span<const SignalValue> references,
              std::span<double> outputs) override;
  void applied(std::span<const double> outputs) override;
  VectorX memory() const override;
  void restore(const VectorX& memory) override;
  std::string failure() const override;
  std::string note() const override;

 private:
  std::vector<std::unique_ptr<Controller>> members_;
  PathWeights path_;
  VectorX place_, weights_;
  std::vector<std::vector<double>> proposals_;  // per member
};

}  // namespace lithe
