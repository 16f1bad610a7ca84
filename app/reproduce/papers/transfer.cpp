#include "app/reproduce/papers/transfer.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "lithe/analyse/stability/steady_motion.h"
#include "lithe/base/decompositions.h"
#include "lithe/formulate/formulation.h"

namespace lithe {

TrussFourBar truss_four_bar(double length, double stiffness, double mass, double gravity) {
  TrussFourBar result;
  TransferNetwork& network = result.network;
  const double half = length / std::sqrt(2.0);
  const int n1 = network.add_position("1", {0, 0, 0}), n2 = network.add_position("2", {-half, half, 0});
  const int n3 = network.add_position("3", {half, half, 0}), n4 = network.add_position("4", {0, 2 * half, 0});
  network.add_truss("1", n1, n2);
  network.add_truss("2", n1, n3);
  const int spring = network.add_truss("3", n2, n3);
  network.add_truss("4", n2, n4);
  network.add_truss("5", n3, n4);
  for (const int fixed : {n1, n1 + 1, n1 + 2, n2 + 2, n3 + 2, n4 + 2, n4})
    network.set_coordinate(fixed, TransferRole::fixed);
  network.set_deformation(spring, TransferRole::independent);
  network.set_stiffness(spring, stiffness);
  for (int k = 0; k < 3; ++k) network.set_mass(n4 + k, mass);
  network.set_force(n4, {0, -mass * gravity, 0});
  result.order = {n1, n1 + 1, n4, n2, n2 + 1, n3, n3 + 1, n4 + 1};
  return result;
}

namespace {

// Coordinates whose name says so.
std::vector<int> coordinates_named(const Equations& equations, const std::vector<std::string>& parts) {
  std::vector<int> found;
  const std::vector<std::string> names = equations.coordinate_names();
  for (std::size_t k = 0; k < names.size(); ++k)
    for (const std::string& part : parts)
      if (names[k].find(part) != std::string::npos) found.push_back(static_cast<int>(k));
  return found;
}

SymmetricPairs modes_of(const MatrixX& stiffness, const MatrixX& mass, const std::vector<int>& kept) {
  const MatrixX K = stiffness(kept, kept), M = mass(kept, kept);
  return symmetric_pairs(0.5 * (K + K.transpose()), M);
}

}  // namespace

ArmFrequencies arm_frequencies(const Model& model, double speed, const ArmOptions& options) {
  FormulationChoice choice{.formulation = "transfer-functions"};
  choice.bending_shortens = options.bending_shortens;
  const auto equations = make_equations(model, choice);
  const State start = equations->initial_state();
  const SteadyMotion motion = steady_motion(*equations, start, make_inputs(model), SteadyFreedom{0, 0}, speed);
  const auto workspace = equations->make_workspace();
  Accelerations none;
  none.values = VectorX::Zero(equations->num_coordinates());
  LinearBlocks blocks;
  ArmFrequencies result;
  result.converged = motion.found && equations->linearise_about(motion.state, motion.inputs, none, *workspace,
                                                                blocks) == EvaluationStatus::ok;
  if (!result.converged) return result;
  MatrixX stiffness = blocks.stiffness;
  if (!options.bending_stiffness) {
    LinearBlocks elastic;
    equations->linearise_elastic(motion.state, motion.inputs, *workspace, elastic);
    stiffness -= elastic.stiffness;
  }
  std::vector<int> in_plane = coordinates_named(*equations, {"bending about z"});
  for (int k = equations->num_joint_coordinates() - 1; k >= 0; --k) in_plane.insert(in_plane.begin(), k);
  const auto planar = modes_of(stiffness, blocks.mass, in_plane);
  result.in_plane = planar.values;
  result.in_plane_shapes = planar.vectors;
  result.in_plane_mass = blocks.mass(in_plane, in_plane);
  result.out_of_plane = modes_of(stiffness, blocks.mass, coordinates_named(*equations, {"bending about y"})).values;
  return result;
}

int matching_mode(const ArmFrequencies& arm, int mode, const ArmFrequencies& other) {
  const VectorX likeness =
      (other.in_plane_shapes.transpose() * (arm.in_plane_mass * arm.in_plane_shapes.col(mode))).cwiseAbs();
  Eigen::Index best = 0;
  likeness.maxCoeff(&best);
  return static_cast<int>(best);
}

bool Whirl::stable() const {
  const double scale = squared_frequencies.cwiseAbs().maxCoeff();
  for (const std::complex<double>& squared : squared_frequencies)
    if (squared.real() < -1e-12 * scale || std::abs(squared.imag()) > 1e-7 * std::abs(squared)) return false;
  return true;
}

// Eigenvalues s of M s² + C s + K on the bending coordinates; ω² = -s², each once.
Whirl shaft_whirl(const Equations& equations, double speed) {
  Inputs inputs = make_inputs(equations.model());
  for (const Drive& drive : equations.model().drives)
    if (drive.prescribes_motion) {
      inputs.prescribed_motion[drive.joint][drive.freedom] = {0, speed, 0};
      break;
    }
  const auto workspace = equations.make_workspace();
  State state = equations.initial_state();
  state.speeds.setZero();
  Accelerations none;
  none.values = VectorX::Zero(equations.num_coordinates());
  LinearBlocks blocks;
  Whirl result;
  if (equations.linearise_about(state, inputs, none, *workspace, blocks) != EvaluationStatus::ok) return result;
  const std::vector<int> bending = coordinates_named(equations, {"bending"});
  const auto n = static_cast<Eigen::Index>(bending.size());
  const Eigen::LLT<MatrixX> mass(MatrixX(blocks.mass(bending, bending)));
  MatrixX A = MatrixX::Zero(2 * n, 2 * n);
  A.topRightCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) = -mass.solve(MatrixX(blocks.stiffness(bending, bending)));
  A.bottomRightCorner(n, n) = -mass.solve(MatrixX(blocks.damping(bending, bending)));
  const Eigen::VectorXcd s = complex_values(A).values;
  std::vector<std::complex<double>> squared;
  for (const std::complex<double>& one : s) squared.push_back(-one * one);
  std::sort(squared.begin(), squared.end(), [](const auto& a, const auto& b) { return a.real() < b.real(); });
  result.squared_frequencies.resize(n);  // eigenvalues come as ±s
  for (Eigen::Index k = 0; k < n; ++k) result.squared_frequencies(k) = squared[static_cast<std::size_t>(2 * k)];
  result.converged = true;
  return result;
}

std::vector<double> unstable_interval(const Equations& equations, double from, double to, int steps) {
  const auto stable = [&](double speed) { return shaft_whirl(equations, speed).stable(); };
  const auto boundary = [&](double a, double b) {  // of different stability
    const bool at_a = stable(a);
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (a + b);
      (stable(middle) == at_a ? a : b) = middle;
    }
    return 0.5 * (a + b);
  };
  std::vector<double> ends;
  double last = from;
  bool last_stable = stable(from);
  for (int k = 1; k <= steps && ends.size() < 2; ++k) {
    const double speed = from + (to - from) * k / steps;
    const bool now = stable(speed);
    if (now != last_stable) ends.push_back(boundary(last, speed));
    last = speed;
    last_stable = now;
  }
  return ends;
}

}  // namespace lithe
