#include "lithe/analyse/control/configurations.h"

#include <algorithm>
#include <cmath>

#include "lithe/analyse/observe/sensors.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

// Moves joints until sensors read what they shall.
class ConfigurationSolver {
 public:
  ConfigurationSolver(const Equations& equations, const State& start, const std::vector<int>& sensors,
                      const MatrixX& along)
      : equations_(equations),
        workspace_(equations.make_workspace()),
        inputs_(make_inputs(equations.model())),
        reader_(equations, chosen(equations.model(), sensors)),
        state_(start),
        along_(along) {
    const Eigen::Index joints = equations.num_joint_coordinates();
    if (along_.cols() == 0 || along_.cols() >= joints) along_ = MatrixX::Identity(joints, joints);
    evaluate_inputs(equations.model(), start.time, inputs_);
    state_.speeds.setZero();
    rest_.values.setZero(equations.num_coordinates());
  }
  const State& state() const { return state_; }
  VectorX read() { return read(state_); }
  bool go_to(const VectorX& wanted);

 private:
  static std::vector<Sensor> chosen(const Model& model, const std::vector<int>& sensors) {
    std::vector<Sensor> result;
    for (const int sensor : sensors) result.push_back(model.sensors[static_cast<std::size_t>(sensor)]);
    return result;
  }
  VectorX read(const State& state) {
    reader_.read(state, inputs_, rest_, *workspace_, readings_);
    return Eigen::Map<const VectorX>(readings_.data(), static_cast<Eigen::Index>(readings_.size()));
  }
  MatrixX jacobians();

  const Equations& equations_;
  std::unique_ptr<Workspace> workspace_;
  Inputs inputs_;
  SensorReader reader_;
  State state_;
  MatrixX along_;  // directions of the joint coordinates
  Accelerations rest_;
  std::vector<double> readings_;
};

MatrixX ConfigurationSolver::jacobians() {
  constexpr double step = 1e-6;
  MatrixX result(reader_.channels().size(), along_.cols());
  for (Eigen::Index i = 0; i < along_.cols(); ++i) {
    State moved = state_;
    moved.coordinates.head(along_.rows()) += step * along_.col(i);
    const VectorX above = read(moved);
    moved.coordinates.head(along_.rows()) -= 2 * step * along_.col(i);
    result.col(i) = (above - read(moved)) / (2 * step);
  }
  return result;
}

// Newton's iteration; a step of more than 0.2 rad or m is shortened.
bool ConfigurationSolver::go_to(const VectorX& wanted) {
  for (int iteration = 0; iteration < 50; ++iteration) {
    const VectorX error = wanted - read();
    if (!error.allFinite()) return false;
    if (error.norm() <= 1e-9 * (1 + wanted.norm())) return true;
    VectorX step = along_ * shortest_least_squares(jacobians(), error);
    if (!step.allFinite()) return false;
    if (const double size = step.norm(); size > 0.2) step *= 0.2 / size;
    state_.coordinates.head(step.size()) += step;
    equations_.accept(state_, inputs_, *workspace_);
  }
  return false;
}

}  // namespace

MatrixX path_points(const std::vector<ReferenceFunction>& references, int num_points) {
  constexpr int fine = 400;
  double end = 0;
  for (const ReferenceFunction& r : references) end = std::max(end, r.end_time());
  if (!std::isfinite(end) || references.empty()) return {};
  const auto rows = static_cast<Eigen::Index>(references.size());
  MatrixX curve(rows, fine + 1);
  for (Eigen::Index k = 0; k <= fine; ++k)
    for (Eigen::Index i = 0; i < rows; ++i)
      curve(i, k) = references[static_cast<std::size_t>(i)].at(end * static_cast<double>(k) / fine).value;
  VectorX scale(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double range = curve.row(i).maxCoeff() - curve.row(i).minCoeff();
    scale[i] = range > 0 ? 1 / range : 0;
  }
  VectorX length = VectorX::Zero(fine + 1);
  for (Eigen::Index k = 1; k <= fine; ++k)
    length[k] = length[k - 1] + scale.cwiseProduct(curve.col(k) - curve.col(k - 1)).norm();
  if (length[fine] == 0 || num_points < 2) return curve.leftCols(1);
  MatrixX points(rows, num_points);
  Eigen::Index k = 0;
  for (int p = 0; p < num_points; ++p) {
    const double wanted = length[fine] * p / (num_points - 1);
    while (k + 1 < fine && length[k + 1] < wanted) ++k;
    const double gap = length[k + 1] - length[k];
    const double part = gap > 0 ? std::clamp((wanted - length[k]) / gap, 0.0, 1.0) : 0;
    points.col(p) = (1 - part) * curve.col(k) + part * curve.col(k + 1);
  }
  return points;
}

ConfigurationPath configurations_along(const Equations& equations, const State& start, const std::vector<int>& sensors,
                                       const MatrixX& values, const MatrixX& along) {
  constexpr int parts = 10;  // of the way between two configurations, so that loops stay on their branch
  ConfigurationPath path;
  ConfigurationSolver solver(equations, start, sensors, along);
  VectorX from = solver.read();
  for (Eigen::Index k = 0; k < values.cols(); ++k) {
    for (int part = 1; part <= parts; ++part) {
      const VectorX wanted = from + (values.col(k) - from) * (static_cast<double>(part) / parts);
      if (solver.go_to(wanted)) continue;
      path.message = cat("the mechanism cannot follow its references to configuration ", k + 1, " of ", values.cols());
      return path;
    }
    from = values.col(k);
    path.states.push_back(solver.state());
  }
  path.found = true;
  return path;
}

}  // namespace lithe
