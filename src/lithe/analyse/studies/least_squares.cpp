#include "lithe/analyse/studies/least_squares.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "lithe/base/decompositions.h"

namespace lithe {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

class Differences {
 public:
  Differences(const ResidualFunction& residuals, const LeastSquaresOptions& options)
      : residuals_(residuals),
        lower_(options.lower),
        upper_(options.upper),
        change_(options.change),
        relative_(VectorX::Constant(options.lower.size(), 1e-3)) {}

  // Central, or to one side where the other is out of bounds or has no answer. False: neither side has one.
  bool jacobian(const VectorX& at, const VectorX& here, double factor, MatrixX& result) {
    std::vector<VectorX> points;
    std::vector<std::pair<double, double>> sides;  // where the points lie; 0: left out
    for (Eigen::Index j = 0; j < at.size(); ++j) {
      const double step = factor * relative_[j] * size_of(at[j]);
      const double above = at[j] + step <= upper_[j] ? step : 0, below = at[j] - step >= lower_[j] ? -step : 0;
      sides.emplace_back(above, below);
      for (const double by : {above, below}) {
        points.push_back(at);
        points.back()[j] += by;
      }
    }
    const std::vector<VectorX> found = residuals_(points);
    result.resize(here.size(), at.size());
    for (Eigen::Index j = 0; j < at.size(); ++j) {
      auto [above, below] = sides[static_cast<std::size_t>(j)];
      const VectorX &up = found[static_cast<std::size_t>(2 * j)], &down = found[static_cast<std::size_t>(2 * j + 1)];
      if (up.size() == 0) above = 0;
      if (down.size() == 0) below = 0;
      if (above == below) return false;
      result.col(j) = ((above != 0 ? up : here) - (below != 0 ? down : here)) / (above - below);
    }
    if (factor == 1) choose_steps(at, result);
    return true;
  }

 private:
  static double size_of(double unknown) { return std::max(std::abs(unknown), 0.1); }

  // Of the next Jacobian.
  void choose_steps(const VectorX& at, const MatrixX& jacobian) {
    for (Eigen::Index j = 0; j < at.size(); ++j) {
      const double rms = jacobian.col(j).norm() / std::sqrt(static_cast<double>(jacobian.rows()));
      if (rms > 0) relative_[j] = std::clamp(change_ / (rms * size_of(at[j])), 1e-5, 0.05);
    }
  }

  const ResidualFunction& residuals_;
  const VectorX &lower_, &upper_;
  double change_;
  VectorX relative_;  // steps, of an unknown's size
};

class LevenbergMarquardt {
 public:
  LevenbergMarquardt(const ResidualFunction& residuals, const VectorX& start, const LeastSquaresOptions& options)
      : residuals_(residuals), options_(options), differences_(residuals, options) {
    fit_.unknowns = start.cwiseMax(options.lower).cwiseMin(options.upper);
  }

  LeastSquaresFit run() {
    fit_.residuals = residuals_({fit_.unknowns}).front();
    if (fit_.residuals.size() == 0) fit_.failure = "the model has no answer with the starting values";
    scales_ = VectorX::Zero(fit_.unknowns.size());
    while (fit_.failure.empty() && !fit_.converged && fit_.iterations < options_.max_iterations) {
      if (options_.cancelled && options_.cancelled()) break;
      iterate();
      ++fit_.iterations;
      if (options_.iteration) options_.iteration(fit_.iterations);
    }
    return std::move(fit_);
  }

 private:
  void iterate() {
    MatrixX jacobian;
    if (!differences_.jacobian(fit_.unknowns, fit_.residuals, 1, jacobian)) {
      fit_.failure = "the model has no answer beside the values found so far";
      return;
    }
    const VectorX gradient = jacobian.transpose() * fit_.residuals;
    const MatrixX normal = jacobian.transpose() * jacobian;
    for (Eigen::Index j = 0; j < scales_.size(); ++j) scales_[j] = std::max(scales_[j], normal(j, j));
    const double before = fit_.residuals.squaredNorm() / 2;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      const VectorX step = step_of(normal, gradient);
      if (step.norm() <= options_.tolerance * (1 + fit_.unknowns.norm())) {
        fit_.converged = true;
        return;
      }
      const VectorX trial = fit_.unknowns + step;
      const VectorX found = residuals_({trial}).front();
      const double after = found.size() == 0 ? infinite : found.squaredNorm() / 2;
      const double predicted = -gradient.dot(step) - step.dot(normal * step) / 2;
      const double gain = (before - after) / predicted;
      if (after < before && gain > 1e-4) {
        fit_.unknowns = trial;
        fit_.residuals = found;
        // What is left to gain would move no unknown by a hundredth of its standard error.
        const double left = static_cast<double>(found.size()) * (before - after) / before;
        fit_.converged = left < 1e-4 && damping_ < 1e-2;
        damping_ *= std::max(1.0 / 3, 1 - std::pow(2 * gain - 1, 3));
        growth_ = 2;
        return;
      }
      damping_ *= growth_;
      growth_ *= 2;
    }
    fit_.converged = true;  // nothing along the descent is better: rounding and the differences' error are reached
  }

  // (JᵀJ + λ D) δ = -Jᵀr over the unknowns that may move, cut at the bounds.
  VectorX step_of(const MatrixX& normal, const VectorX& gradient) const {
    const VectorX& x = fit_.unknowns;
    std::vector<Eigen::Index> free;
    for (Eigen::Index j = 0; j < x.size(); ++j)
      if (scales_[j] > 0 && !(x[j] <= options_.lower[j] && gradient[j] > 0) &&
          !(x[j] >= options_.upper[j] && gradient[j] < 0))
        free.push_back(j);
    VectorX step = VectorX::Zero(x.size());
    if (free.empty()) return step;
    MatrixX matrix = normal(free, free);
    for (std::size_t k = 0; k < free.size(); ++k)
      matrix(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(k)) += damping_ * scales_[free[k]];
    const VectorX right = gradient(free);
    step(free) = -matrix.llt().solve(right);
    return (x + step).cwiseMax(options_.lower).cwiseMin(options_.upper) - x;
  }

  static constexpr int most_attempts = 20;
  const ResidualFunction& residuals_;
  const LeastSquaresOptions& options_;
  Differences differences_;
  LeastSquaresFit fit_;
  VectorX scales_;
  double damping_ = 1e-3, growth_ = 2;
};

// Abramowitz and Stegun, 26.7.3 and 26.7.4: P(|T| <= t).
double student_probability(double t, int degrees_of_freedom) {
  const double angle = std::atan2(t, std::sqrt(static_cast<double>(degrees_of_freedom)));
  const double sine = std::sin(angle), cosine = std::cos(angle);
  const bool odd = degrees_of_freedom % 2 == 1;
  double term = odd ? cosine : 1, sum = degrees_of_freedom == 1 ? 0 : term;
  for (int k = odd ? 3 : 2; k < degrees_of_freedom; k += 2) {
    term *= cosine * cosine * (k - 1) / k;
    sum += term;
  }
  return odd ? (angle + sine * sum) * 2 / std::numbers::pi : sine * sum;
}

// From the Jacobian with columns of length 1 and its error.
void tell_directions(const MatrixX& jacobian, const MatrixX& error, const VectorX& lengths, FitStatistics& result) {
  const Eigen::Index num_unknowns = lengths.size();
  const SingularPairs pairs = singular_pairs(jacobian, true);
  MatrixX covariance = MatrixX::Zero(num_unknowns, num_unknowns);
  VectorX untold =
      VectorX::Zero(num_unknowns);  // the largest component of each unknown in a direction that is not told
  double smallest = 1;
  for (Eigen::Index k = 0; k < num_unknowns; ++k) {
    const VectorX direction = pairs.v.col(k);
    const double size = k < pairs.values.size() ? pairs.values[k] : 0;
    if (size > std::max(1e-9, 3 * (error * direction).norm())) {
      covariance += direction * direction.transpose() / (size * size);
      smallest = std::min(smallest, size);
      continue;
    }
    untold = untold.cwiseMax(direction.cwiseAbs());
    result.free_directions.push_back(direction.cwiseQuotient(lengths).normalized());
  }
  const double blur = std::clamp(3 * error.norm() / smallest, 1e-6, 0.3);  // of a component, by the Jacobian's error
  for (Eigen::Index i = 0; i < num_unknowns; ++i) {
    const bool known = untold[i] < blur;
    result.determined[static_cast<std::size_t>(i)] = known;
    if (known) result.standard_errors[i] = result.deviation * std::sqrt(covariance(i, i)) / lengths[i];
    for (Eigen::Index j = 0; j < num_unknowns; ++j)
      if (i != j && covariance(i, i) > 0 && covariance(j, j) > 0)
        result.correlation(i, j) = covariance(i, j) / std::sqrt(covariance(i, i) * covariance(j, j));
  }
}

}  // namespace

LeastSquaresFit fit_least_squares(const ResidualFunction& residuals, const VectorX& start,
                                  const LeastSquaresOptions& options) {
  return LevenbergMarquardt(residuals, start, options).run();
}

FitStatistics fit_statistics(const ResidualFunction& residuals, const LeastSquaresFit& fit,
                             const LeastSquaresOptions& options) {
  const Eigen::Index num_unknowns = fit.unknowns.size(), num_residuals = fit.residuals.size();
  FitStatistics result;
  result.degrees_of_freedom = static_cast<int>(num_residuals - num_unknowns);
  result.deviation = result.degrees_of_freedom > 0
                         ? std::sqrt(fit.residuals.squaredNorm() / static_cast<double>(result.degrees_of_freedom))
                         : infinite;
  result.standard_errors = VectorX::Constant(num_unknowns, infinite);
  result.correlation = MatrixX::Identity(num_unknowns, num_unknowns);
  result.determined.assign(static_cast<std::size_t>(num_unknowns), false);
  MatrixX first, fine, coarse;
  Differences differences(residuals, options);
  if (!differences.jacobian(fit.unknowns, fit.residuals, 1, first) ||
      !differences.jacobian(fit.unknowns, fit.residuals, 1, fine) ||
      !differences.jacobian(fit.unknowns, fit.residuals, 2, coarse))
    return result;
  MatrixX jacobian = (4 * fine - coarse) / 3, error = (fine - coarse) / 3;
  VectorX lengths = jacobian.colwise().norm();
  const double largest = lengths.maxCoeff();
  if (!(largest > 0)) return result;
  for (Eigen::Index j = 0; j < num_unknowns; ++j) {
    if (!(lengths[j] > 1e-12 * largest)) lengths[j] = largest;  // of what does nothing: as it is
    jacobian.col(j) /= lengths[j];
    error.col(j) /= lengths[j];
  }
  tell_directions(jacobian, error, lengths, result);
  return result;
}

double student_quantile(double probability, int degrees_of_freedom) {
  if (degrees_of_freedom < 1) return infinite;
  constexpr int many = 10000;  // beyond, the normal distribution is as good: 1/(4 n) relative
  const int count = std::min(degrees_of_freedom, many);
  double low = 0, high = 1;
  while (student_probability(high, count) < probability) high *= 2;
  for (int k = 0; k < 80; ++k) {
    const double middle = (low + high) / 2;
    (student_probability(middle, count) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace lithe
