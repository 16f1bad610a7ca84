#include "lithe/control/scheduled.h"

#include <algorithm>
#include <limits>

namespace lithe {

PathWeights::PathWeights(MatrixX points) : points_(std::move(points)) {
  scale_.resize(points_.rows());
  for (Eigen::Index i = 0; i < points_.rows(); ++i) {
    const double range = points_.row(i).maxCoeff() - points_.row(i).minCoeff();
    scale_[i] = range > 0 ? 1 / range : 0;
  }
}

void PathWeights::find(const VectorX& place, VectorX& weights) const {
  weights.setZero();
  if (points_.cols() == 1) {
    weights[0] = 1;
    return;
  }
  double least = std::numeric_limits<double>::infinity(), best_part = 0;
  Eigen::Index best = 0;
  for (Eigen::Index k = 0; k + 1 < points_.cols(); ++k) {
    double along = 0, length = 0, distance = 0;
    for (Eigen::Index i = 0; i < place.size(); ++i) {
      const double step = scale_[i] * (points_(i, k + 1) - points_(i, k));
      along += step * scale_[i] * (place[i] - points_(i, k));
      length += step * step;
    }
    const double part = length > 0 ? std::clamp(along / length, 0.0, 1.0) : 0;
    for (Eigen::Index i = 0; i < place.size(); ++i) {
      const double gap = scale_[i] * (place[i] - points_(i, k) - part * (points_(i, k + 1) - points_(i, k)));
      distance += gap * gap;
    }
    if (distance < least) least = distance, best = k, best_part = part;
  }
  weights[best] = 1 - best_part;
  weights[best + 1] = best_part;
}

ScheduledController::ScheduledController(std::vector<std::unique_ptr<Controller>> members, MatrixX points,
                                         std::size_t num_outputs)
    : members_(std::move(members)), path_(std::move(points)) {
  weights_.setZero(path_.num_points());
  proposals_.assign(members_.size(), std::vector<double>(num_outputs));
}

void ScheduledController::start(double time, std::span<const double> measurements,
                                std::span<const SignalValue> references) {
  place_.resize(static_cast<Eigen::Index>(references.size()));
  for (const auto& member : members_) member->start(time, measurements, references);
}

void ScheduledController::update(double time, std::span<const double> measurements,
                                 std::span<const SignalValue> references, std::span<double> outputs) {
  place_.resize(static_cast<Eigen::Index>(references.size()));
  for (std::size_t i = 0; i < references.size(); ++i) place_[static_cast<Eigen::Index>(i)] = references[i].value;
  path_.find(place_, weights_);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (weights_[static_cast<Eigen::Index>(k)] > 0) {
      members_[k]->update(time, measurements, references, proposals_[k]);
    } else {
      members_[k]->follow(time, measurements, references, proposals_[k]);
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = 0;
    for (std::size_t k = 0; k < members_.size(); ++k)
      outputs[i] += weights_[static_cast<Eigen::Index>(k)] * proposals_[k][i];
  }
  applied(outputs);
}

void ScheduledController::applied(std::span<const double> outputs) {
  for (const auto& member : members_) member->applied(outputs);
}

VectorX ScheduledController::memory() const {
  VectorX result;
  for (const auto& member : members_) {
    const VectorX part = member->memory();
    result.conservativeResize(result.size() + part.size());
    result.tail(part.size()) = part;
  }
  return result;
}

void ScheduledController::restore(const VectorX& memory) {
  Eigen::Index at = 0;
  for (const auto& member : members_) {
    const Eigen::Index size = member->memory().size();
    member->restore(memory.segment(at, size));
    at += size;
  }
}

std::string ScheduledController::failure() const {
  for (const auto& member : members_)
    if (std::string why = member->failure(); !why.empty()) return why;
  return {};
}

std::string ScheduledController::note() const {
  for (const auto& member : members_)
    if (std::string note = member->note(); !note.empty()) return note;
  return {};
}

}  // namespace lithe
