#include "lithe/analyse/linear/linear_modes.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "lithe/base/decompositions.h"

namespace lithe {
namespace {

// Coordinates in which the square of the length is energy: x = Φ q with Φᵀ M Φ = 1, Φᵀ K_s Φ = diag(ω²), and the state
// (Ω q, q̇). The undamped system is then skew-symmetric, whatever the units and however stiff, and its eigenvalues are
// accurate to rounding of the largest.
struct EnergyForm {
  MatrixX shapes;   // Φ
  VectorX weights;  // Ω
  MatrixX system;   // of (Ω q, q̇)
  int negative = -1;
};

// Signs of a symmetric stiffness, which any change of coordinates leaves (Sylvester): here one in which every
// coordinate has about the same stiffness, so that a small one is not lost beside large ones. -1 where it is not
// symmetric.
int num_negative_directions(const LinearModel& model, double largest_frequency) {
  constexpr double rounding = 1e-12, symmetric = 1e-9, soft = 1e-10;
  const VectorX scale = (model.stiffness.diagonal().cwiseAbs() +
                         soft * largest_frequency * largest_frequency * model.mass.diagonal().cwiseAbs())
                            .cwiseMax(1e-300)
                            .cwiseSqrt()
                            .cwiseInverse();
  const MatrixX scaled = scale.asDiagonal() * model.stiffness * scale.asDiagonal();
  if (!((scaled - scaled.transpose()).cwiseAbs().maxCoeff() <= symmetric)) return -1;
  const SymmetricPairs levels = symmetric_values(scaled);
  if (!levels.converged) return -1;
  return static_cast<int>((levels.values.array() < -rounding).count());
}

bool energy_form(const LinearModel& model, EnergyForm& form) {
  const MatrixX mass = 0.5 * (model.mass + model.mass.transpose());
  if (Eigen::LLT<MatrixX>(mass).info() != Eigen::Success) return false;
  const SymmetricPairs modes = symmetric_pairs(0.5 * (model.stiffness + model.stiffness.transpose()), mass);
  if (!modes.converged) return false;
  form.shapes = modes.vectors;
  const double largest = std::max(std::sqrt(modes.values.cwiseAbs().maxCoeff()), 1e-300);
  form.weights = modes.values.cwiseAbs().cwiseSqrt().cwiseMax(1e-4 * largest);
  const Eigen::Index n = model.size();
  const MatrixX stiffness = form.shapes.transpose() * model.stiffness * form.shapes;
  form.negative = num_negative_directions(model, largest);
  form.system = MatrixX::Zero(2 * n, 2 * n);
  form.system.topRightCorner(n, n) = form.weights.asDiagonal();
  form.system.bottomLeftCorner(n, n) = -(stiffness * form.weights.cwiseInverse().asDiagonal());
  form.system.bottomRightCorner(n, n) = -(form.shapes.transpose() * model.damping * form.shapes);
  return true;
}

}  // namespace

double LinearModes::frequency(std::size_t k) const { return std::abs(eigenvalues[k]) / (2 * std::numbers::pi); }

double LinearModes::damping_ratio(std::size_t k) const {
  const double size = std::abs(eigenvalues[k]);
  const double rounding = 1e-13 * std::abs(eigenvalues.back());
  return std::abs(eigenvalues[k].real()) > rounding ? -eigenvalues[k].real() / size : 0.0;
}

bool linear_modes(const LinearModel& model, LinearModes& modes, bool with_shapes) {
  modes = {};
  if (model.size() == 0) return true;
  EnergyForm form;
  if (!energy_form(model, form)) return false;
  const ComplexPairs pairs = with_shapes ? complex_pairs(form.system) : complex_values(form.system);
  if (!pairs.converged) return false;
  const Eigen::VectorXcd& values = pairs.values;
  std::vector<Eigen::Index> order;
  for (Eigen::Index k = 0; k < values.size(); ++k)
    if (values[k].imag() >= 0) order.push_back(k);
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return std::abs(values[a]) < std::abs(values[b]); });
  for (const Eigen::Index k : order) modes.eigenvalues.push_back(values[k]);
  modes.negative_stiffness = form.negative;
  if (!with_shapes) return true;
  const MatrixX to_coordinates = form.shapes * form.weights.cwiseInverse().asDiagonal();
  modes.shapes = to_coordinates * pairs.vectors(Eigen::all, order).topRows(model.size());
  modes.energy_coordinates = form.shapes.transpose() * (0.5 * (model.mass + model.mass.transpose()));
  modes.energy_weights = form.weights;
  return true;
}

MatrixXc energy_shapes(const LinearModes& modes, const LinearModes& frame) {
  const MatrixXc shapes = frame.energy_coordinates * modes.shapes;
  const Eigen::Map<const Eigen::VectorXcd> values(modes.eigenvalues.data(), shapes.cols());
  MatrixXc result(2 * shapes.rows(), shapes.cols());
  result.topRows(shapes.rows()) = frame.energy_weights.asDiagonal() * shapes;
  result.bottomRows(shapes.rows()) = shapes * values.asDiagonal();
  result.colwise().normalize();
  return result;
}

double relative_growth(const LinearModes& modes) {
  if (modes.eigenvalues.empty()) return 0;
  const double largest = std::abs(modes.eigenvalues.back());
  double growth = modes.diverges() ? 1 : -1;
  for (const std::complex<double>& value : modes.eigenvalues)
    if (std::abs(value) > smallest_eigenvalue * largest) growth = std::max(growth, value.real() / std::abs(value));
  return growth;
}

std::vector<MatrixXc> frequency_response(const LinearModel& model, const std::vector<double>& angular_frequencies) {
  std::vector<MatrixXc> responses;
  const std::complex<double> i(0, 1);
  for (const double omega : angular_frequencies) {
    const MatrixXc dynamic = (model.stiffness - omega * omega * model.mass).cast<std::complex<double>>() +
                             i * omega * model.damping.cast<std::complex<double>>();
    const MatrixXc x = dynamic.partialPivLu().solve(model.input.cast<std::complex<double>>());
    responses.push_back((model.position_output.cast<std::complex<double>>() +
                         i * omega * model.speed_output.cast<std::complex<double>>()) *
                            x +
                        model.feedthrough.cast<std::complex<double>>());
  }
  return responses;
}

}  // namespace lithe
