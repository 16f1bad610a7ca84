// [EVO]: the paper prints equations and no numbers. What its equations (3)-(12) claim is computed here on planar
// linkages of the library; docs/theory/erls_fem.md lists their misprints.
#include <algorithm>
#include <cmath>

#include "app/program/embedded.h"
#include "app/reproduce/papers/published_planar.h"
#include "app/reproduce/reproduce.h"
#include "lithe/analyse/equilibrium/sensitivity.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/formulate/formulation.h"

namespace lithe::app {
namespace {

constexpr const char* law_note =
    "The paper has no parameters; these are linkages of the library. Published is what the equation claims: zero.";
constexpr const char* gauge_note =
    "With all entries of u, as printed, the matrix is singular: u can contain the motion S dq. One entry of u per "
    "rigid "
    "degree of freedom is removed.";
constexpr const char* sign_note =
    "As printed, K has a plus sign in (12), and vibrations grow; with -K they do not. Equilibrium of the linkage "
    "without "
    "gravity.";
constexpr const char* control_note =
    "Section 3 names PID, optimal, predictive, delayed reference and hybrid controllers that yield good results, "
    "without "
    "a number, a mechanism or a figure: there is nothing to compare with. `lithe control` compares these types on any "
    "model.";

struct Linkage {
  std::string name;
  Model model;
};

// Links alone: (11) has no dampers and no motors.
Model bare(Model model) {
  for (Link& link : model.links) link.damping = {};
  for (Joint& joint : model.joints) std::fill(joint.inertia.begin(), joint.inertia.end(), 0.0);
  model.gravity.setZero();
  model.drives.clear();
  return model;
}

PublishedRow law(const std::string& equation, const std::string& linkage, const std::string& quantity, double computed,
                 double tolerance) {
  return {.table = cat("[EVO] ", equation),
          .case_name = linkage,
          .quantity = quantity,
          .unit = "",
          .published = 0,
          .computed = computed,
          .gated = true,
          .tolerance = tolerance,
          .note = law_note};
}

// Positions of the rigid nodes, one coordinate moved.
MatrixX moved_positions(const Equations& equations, State state, const VectorX& step) {
  state.coordinates.head(step.size()) += step;
  return sensitivity(equations, state).positions;
}

// (3) and (5) against differences of the nodes' positions along q(t) = q + q̇ t.
void add_kinematics(const Linkage& linkage, std::vector<PublishedRow>& rows) {
  const auto equations = make_equations(linkage.model, {});
  State state = equations->initial_state();
  const Eigen::Index joints = equations->num_joint_coordinates();
  for (Eigen::Index k = 0; k < joints; ++k) state.speeds[k] = 1 + 0.5 * static_cast<double>(k);
  const Sensitivity s = sensitivity(*equations, state);
  const double h = 1e-4;
  const VectorX rates = state.speeds.head(joints);
  const MatrixX here = s.positions, ahead = moved_positions(*equations, state, h * rates),
                behind = moved_positions(*equations, state, -h * rates);
  const VectorX velocity = s.matrix * s.rates;
  double first = 0, second = 0, speed = 0, bend = 0;
  const auto per_node = static_cast<Eigen::Index>(s.rows.size() / s.nodes.size());
  for (Eigen::Index i = 0; i < here.rows(); ++i)
    for (Eigen::Index part = 0; part < 2; ++part) {
      const double jacobian = (ahead(i, part) - behind(i, part)) / (2 * h);
      const double curve = (ahead(i, part) - 2 * here(i, part) + behind(i, part)) / (h * h);
      first = std::max(first, std::abs(jacobian - velocity[per_node * i + part]));
      second = std::max(second, std::abs(curve - s.convective[per_node * i + part]));
      speed = std::max(speed, std::abs(jacobian));
      bend = std::max(bend, std::abs(curve));
    }
  rows.push_back(law("(3)-(4)", linkage.name, "relative error of S(q) dq", first / speed, 1e-6));
  rows.push_back(law("(5)", linkage.name, "relative error of dS/dt dq/dt", second / bend, 1e-5));
}

int missing_rank(const MatrixX& matrix) {
  const VectorX values = symmetric_values(matrix).values;
  return static_cast<int>((values.array() < 1e-12 * values.maxCoeff()).count());
}

// Largest real part of s with s² M x + σ K x = 0 on the entries that are left.
double growth(const MatrixX& mass, const MatrixX& stiffness, double sign) {
  double largest = 0;
  for (const double level : symmetric_values(0.5 * (stiffness + stiffness.transpose()), mass).values)
    largest = std::max(largest, sign * level < 0 ? std::sqrt(-sign * level) : 0);
  return largest;
}

void add_dynamics(const Linkage& linkage, std::vector<PublishedRow>& rows) {
  const PublishedPlanar equations(linkage.model);
  const auto workspace = equations.make_workspace();
  const Inputs inputs = make_inputs(linkage.model);
  State state = equations.initial_state();
  state.speeds.setZero();
  PublishedPlanar::Blocks b;
  if (equations.blocks(state, inputs, *workspace, b) != EvaluationStatus::ok) return;
  rows.push_back(law("(9)-(10)", linkage.name, "|K S| / (|K| |S|)",
                     (b.stiffness * b.sensitivity).norm() / (b.stiffness.norm() * b.sensitivity.norm()), 1e-12));
  const auto matrix_of = [&](const MatrixX& entries) {
    MatrixX all(entries.rows(), entries.cols() + b.sensitivity.cols());
    all << entries, b.sensitivity;
    return MatrixX(all.transpose() * b.mass * all);
  };
  rows.push_back({.table = "[EVO] (11)",
                  .case_name = linkage.name,
                  .quantity = "missing rank as printed",
                  .unit = "",
                  .published = 0,
                  .computed = static_cast<double>(missing_rank(matrix_of(equations.ungauged()))),
                  .note = gauge_note});
  rows.push_back(law("(11)", linkage.name, "missing rank without one entry of u per degree of freedom",
                     missing_rank(matrix_of(equations.kept())), 0));
  const MatrixX& p = equations.kept();
  MatrixX k = MatrixX::Zero(p.cols() + b.sensitivity.cols(), p.cols() + b.sensitivity.cols());
  k.topLeftCorner(p.cols(), p.cols()) = p.transpose() * b.stiffness * p;
  const MatrixX mass = matrix_of(p);
  const double fastest = std::sqrt(symmetric_values(k, mass).values.maxCoeff());
  rows.push_back({.table = "[EVO] (12)",
                  .case_name = linkage.name,
                  .quantity = "largest growth rate as printed",
                  .unit = "1/s",
                  .published = 0,
                  .computed = growth(mass, k, -1),
                  .note = sign_note});
  rows.push_back(law("(12)", linkage.name, "largest growth rate with -K, of the fastest vibration",
                     growth(mass, k, 1) / fastest, 1e-6));
  const auto full = make_equations(linkage.model, {.formulation = "erls-fem"});
  const auto work = full->make_workspace();
  State rest = full->initial_state();
  rest.speeds.setZero();
  Accelerations none;
  none.values.setZero(full->num_coordinates());
  LinearBlocks blocks;
  if (full->linearise_about(rest, inputs, none, *work, blocks) != EvaluationStatus::ok) return;
  // In a planar model the full equations have the same modes; of a spatial one those out of the plane are passed over.
  const VectorX mine = symmetric_values(k, mass).values;
  const VectorX theirs = symmetric_values(0.5 * (blocks.stiffness + blocks.stiffness.transpose()), blocks.mass).values;
  double worst = 0;
  for (Eigen::Index i = b.sensitivity.cols(); i < std::min<Eigen::Index>(mine.size(), b.sensitivity.cols() + 4); ++i)
    worst = std::max(worst, (theirs.array() - mine[i]).abs().minCoeff() / mine[i]);
  rows.push_back(law("(12)", linkage.name, "relative difference of four natural frequencies from the full equations",
                     0.5 * worst, 1e-6));
}

std::vector<PublishedRow> reproduce_evo(Progress& progress) {
  std::vector<PublishedRow> rows;
  int done = 0;
  for (const char* name : {"four_bar", "five_bar"}) {
    const Linkage linkage{name, bare(read_example(name))};
    add_kinematics(linkage, rows);
    add_dynamics(linkage, rows);
    progress.update(++done / 2.0);
  }
  rows.push_back({.table = "[EVO] 3",
                  .case_name = "controllers",
                  .quantity = "numbers printed",
                  .unit = "",
                  .published = 0,
                  .computed = 0,
                  .note = control_note});
  return rows;
}

const ReproduceRegistration registration(
    {"evo",
     "Evolution of a dynamic model: what its planar equations claim, on a four-bar "
     "and a five-bar",
     reproduce_evo});

}  // namespace
}  // namespace lithe::app
