// S(q) against closed forms of a chain and a four-bar, and against differences of positions in space.
#include "lithe/analyse/equilibrium/sensitivity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

Model library(const std::string& name) { return read_model(std::string(LITHE_MODELS_DIR "/") + name + ".toml"); }

Eigen::Index row_of(const Sensitivity& s, const std::string& name) {
  for (std::size_t i = 0; i < s.rows.size(); ++i)
    if (s.rows[i].name == name) return static_cast<Eigen::Index>(i);
  ADD_FAILURE() << "no row " << name;
  return 0;
}

// Crank a, coupler b, rocker c, ground d: rates of coupler and rocker from the loop's velocity, and the accelerations
// that constant crank speed brings.
TEST(Sensitivity, OfAFourBarIsItsVelocityDiagram) {
  const auto equations = make_equations(library("four_bar"), {});
  const State start = equations->initial_state();
  const Sensitivity s = sensitivity(*equations, start);
  ASSERT_EQ(s.status, EvaluationStatus::ok);
  ASSERT_EQ(s.matrix.cols(), 1);
  EXPECT_EQ(s.columns[0].unit, "rad");
  const double a = 0.1, b = 0.35, c = 0.25, d = 0.4, crank = M_PI / 3, speed = 2 * M_PI;
  // coupler and rocker angles: circles about the crank pin and the rocker's bearing
  const double px = a * std::cos(crank), py = a * std::sin(crank), dx = d - px, dy = -py, gap = std::hypot(dx, dy);
  const double along = (b * b - c * c + gap * gap) / (2 * gap), off = std::sqrt(b * b - along * along);
  const double x = px + (along * dx - off * dy) / gap, y = py + (along * dy + off * dx) / gap;
  const double coupler = std::atan2(y - py, x - px), rocker = std::atan2(y, x - d);
  const double coupler_rate = a * std::sin(rocker - crank) / (b * std::sin(coupler - rocker));
  const double rocker_rate = a * std::sin(coupler - crank) / (c * std::sin(coupler - rocker));
  EXPECT_NEAR(s.matrix(row_of(s, "coupler:crank rz"), 0), coupler_rate, 1e-9);
  EXPECT_NEAR(s.matrix(row_of(s, "rocker:pin rz"), 0), rocker_rate, 1e-9);
  EXPECT_NEAR(s.matrix(row_of(s, "rocker:pin x"), 0), -c * std::sin(rocker) * rocker_rate, 1e-9);
  EXPECT_NEAR(s.matrix(row_of(s, "coupler:rocker y"), 0), c * std::cos(rocker) * rocker_rate, 1e-9);
  EXPECT_NEAR(s.matrix(row_of(s, "rocker:pin z"), 0), 0, 1e-12);
  EXPECT_NEAR(s.rates[0], speed, 1e-12);
  const double w2 = crank, w3 = coupler, w4 = rocker, s3 = coupler_rate, s4 = rocker_rate;
  const double alpha4 =
      (a * std::cos(w3 - w2) + b * s3 * s3 - c * s4 * s4 * std::cos(w3 - w4)) / (c * std::sin(w4 - w3));
  EXPECT_NEAR(s.convective[row_of(s, "rocker:pin rz")], alpha4 * speed * speed, 1e-6);
}

// Drives that prescribe a motion have a column each, after the free coordinates.
TEST(Sensitivity, PrescribedJointsHaveColumns) {
  Model model = library("four_bar");
  const Sensitivity free = sensitivity(*make_equations(model, {}), make_equations(model, {})->initial_state());
  Drive drive;
  drive.joint = 0;
  drive.prescribes_motion = true;
  drive.signal = SignalConstant{M_PI / 3};
  model.drives.push_back(drive);
  model.joints[0].initial_speed = {0};
  const auto equations = make_equations(model, {});
  const Sensitivity driven = sensitivity(*equations, equations->initial_state());
  ASSERT_EQ(driven.num_free, 0);
  ASSERT_EQ(driven.matrix.cols(), 1);
  EXPECT_EQ(driven.columns[0].name, "crank bearing");
  EXPECT_LT((driven.matrix - free.matrix).norm(), 1e-9);
}

// Positions of all nodes, those of the mesh included, differ by S dq.
TEST(Sensitivity, AgreesWithDifferencesInSpace) {
  for (const char* name : {"industrial_6r", "spatial_slider_crank", "planar_3rrr"}) {
    const auto equations = make_equations(library(name), {});
    const State start = equations->initial_state();
    const Sensitivity s = sensitivity(*equations, start);
    ASSERT_EQ(s.status, EvaluationStatus::ok) << name;
    const Eigen::Index per_node = static_cast<Eigen::Index>(s.rows.size() / s.nodes.size());
    for (Eigen::Index k = 0; k < s.num_free; ++k) {
      State moved = start;
      const double step = 1e-5;
      moved.coordinates[k] += step;
      const MatrixX above = sensitivity(*equations, moved).positions;
      moved.coordinates[k] -= 2 * step;
      const MatrixX jacobian = (above - sensitivity(*equations, moved).positions) / (2 * step);
      const Eigen::Index lines = per_node == 3 ? 2 : 3;
      for (Eigen::Index i = 0; i < jacobian.rows(); ++i)
        for (Eigen::Index part = 0; part < lines; ++part)
          EXPECT_NEAR(s.matrix(per_node * i + part, k), jacobian(i, part), 1e-7)
              << name << " " << s.nodes[i] << " " << k;
    }
  }
}

}  // namespace
}  // namespace lithe
