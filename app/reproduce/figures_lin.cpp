// [LIN] Figure 3: frequencies of the rotating arm; Figure 5: whirl of the unsymmetrical shaft.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/program/embedded.h"
#include "app/reproduce/lin_models.h"
#include "app/reproduce/papers/transfer.h"
#include "app/reproduce/reproduce_figures.h"
#include "app/terminal/output.h"
#include "lithe/base/text.h"
#include "lithe/formulate/formulation.h"
#include "lithe/view/plot.h"

namespace lithe::app {
namespace {

constexpr double top_speed = 1000;  // rad/s

// Cord, (40) and (41): squared frequencies over the squared speed.
constexpr std::array<double, 2> cord_in_plane = {5, 14}, cord_out_of_plane = {1, 6};

PublishedFigure lin_figure_3() {
  const Model arm = read_example("rotating_arm");
  std::vector<PlotCurve> curves;
  for (const char* name : {"arm, in plane 1", "arm, in plane 2", "arm, out of plane 1", "arm, out of plane 2",
                           "cord, in plane 1", "cord, in plane 2", "cord, out of plane 1", "cord, out of plane 2"})
    curves.push_back({name, "rad/s", {}, {}});
  for (double speed = 0; speed <= top_speed; speed += 25) {
    const ArmFrequencies found = arm_frequencies(arm, speed);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto mode = static_cast<Eigen::Index>(k);
      const double values[] = {std::sqrt(found.in_plane(mode + 1)), std::sqrt(found.out_of_plane(mode)),
                               speed * std::sqrt(cord_in_plane[k]), speed * std::sqrt(cord_out_of_plane[k])};
      for (std::size_t c = 0; c < 4; ++c) {
        curves[2 * c + k].x.push_back(speed);
        curves[2 * c + k].y.push_back(values[c]);
      }
    }
  }
  const ArmFrequencies cord = arm_frequencies(arm, 30, {.bending_stiffness = false});
  const ArmFrequencies without = arm_frequencies(arm, 30, {.bending_stiffness = false, .bending_shortens = false});
  double off = 0;
  for (std::size_t k = 0; k < 2; ++k)
    off = std::max(off,
                   std::abs(std::sqrt(cord.in_plane(static_cast<Eigen::Index>(k) + 1) / 900 / cord_in_plane[k]) - 1));
  const double rigid = without.in_plane(matching_mode(cord, 1, without)) / 900;
  return {"[LIN] Figure 3",
          "lin_figure_3",
          "First two bending frequencies of the rotating arm over its speed, in the plane of rotation and out of it, "
          "and those of the cord, (40) and (41).",
          {{"The frequencies of the cord agree with the analytical ones, (40) and (41).",
            cat("In the plane within ", number(100 * off, 2), " % with four elements."), off < 0.01},
           {"Without the quadratic terms of (49a) the cord's frequencies deviate by about 30 per cent.",
            cat("The first squared frequency in the plane becomes ", number(rigid, 4),
                " of the squared speed instead of 5; the paper does not say which mode it means."),
            std::nullopt}},
          drawing_svg(draw_plot(curves, {.title = "rotating arm", .x_label = "speed [rad/s]", .panel_height = 380}))};
}

// Squared whirl frequencies of the first mode over those of the shaft at rest, (45).
std::array<double, 2> whirl_squares(double nu, double eta) {
  const double root = std::sqrt(4 * eta * eta + nu * nu / 4);
  return {1 + eta * eta - root, 1 + eta * eta + root};
}

double nearest(const Whirl& whirl, double unit, double wanted) {
  double best = std::nan("");
  for (const std::complex<double>& squared : whirl.squared_frequencies) {
    const double found = squared.real() / (unit * unit);
    if (!(std::abs(found - wanted) >= std::abs(best - wanted))) best = found;
  }
  return best;
}

double shown_frequency(double squared) { return squared >= 0 ? std::sqrt(squared) : std::nan(""); }

// Both branches of the first mode. `known`: (45) tells where to look; without, each speed starts from the last two.
std::array<PlotCurve, 2> whirl_curves(const Model& shaft, double nu, bool known, const std::string& name, double& off) {
  const double unit = shaft_unit(shaft);
  const auto equations = make_equations(shaft, {.formulation = "transfer-functions"});
  std::array<PlotCurve, 2> curves{PlotCurve{name + ", lower", "omega_1", {}, {}},
                                  PlotCurve{name + ", upper", "omega_1", {}, {}}};
  std::array<std::vector<double>, 2> squares;
  for (int i = 0; i <= 80; ++i) {
    const double eta = 0.025 * i;
    const Whirl whirl = shaft_whirl(*equations, eta * unit);
    for (std::size_t b = 0; b < 2; ++b) {
      std::vector<double>& before = squares[b];
      const std::size_t n = before.size();
      const double expected = known || n < 2 ? whirl_squares(nu, eta)[b] : 2 * before[n - 1] - before[n - 2];
      before.push_back(nearest(whirl, unit, expected));
      if (known) off = std::max(off, std::abs(before.back() - expected) / (1 + eta * eta));
      curves[b].x.push_back(eta);
      curves[b].y.push_back(shown_frequency(before.back()));
    }
  }
  return curves;
}

PublishedFigure lin_figure_5(Progress& progress) {
  std::vector<PlotCurve> curves;
  double off = 0, ignored = 0;
  for (const double nu : {0.0, 0.5, 1.0, 1.5, 1.8}) {
    for (PlotCurve& curve : whirl_curves(shaft_of(nu, 4), nu, true, cat("nu = ", nu), off)) curves.push_back(curve);
    progress.update(0.4 + 0.1 * nu);
  }
  const Model discs = with_discs(shaft_of(0.5, 4), 0.012);
  for (PlotCurve& curve : whirl_curves(discs, 0.5, false, "nu = 0.5 with discs", ignored)) curves.push_back(curve);
  const auto equations = make_equations(discs, {.formulation = "transfer-functions"});
  const double unit = shaft_unit(discs);
  const std::vector<double> ends = unstable_interval(*equations, 1.1 * unit, 1.13 * unit, 600);  // where it closes
  const double width = ends.size() == 2 ? (ends[1] - ends[0]) / unit : 0;
  return {"[LIN] Figure 5",
          "lin_figure_5",
          "Natural frequencies of whirl of the first mode over the shaft's speed, both over omega_1, for nu = 0, 0.5, "
          "1, 1.5 and 1.8 and for nu = 0.5 with unsymmetrical discs; a gap of a lower branch is an unstable interval.",
          {{"The numerical frequencies of the first mode agree perfectly with (45).",
            cat("Squared frequencies within ", number(100 * off, 2), " % of 1 + eta^2, four elements."), off < 0.0032},
           {"Discs with J_p = 0.012 m l^3 remove the unstable interval.",
            cat("With four elements ", number(width, 2),
                " of omega_1 is unstable instead of 0.252. With the two printed digits the continuum keeps 1.1174 to "
                "1.1180; the interval closes at 0.0120254 m l^3."),
            std::nullopt}},
          drawing_svg(
              draw_plot(curves, {.title = "whirl of the shaft", .x_label = "speed / omega_1", .panel_height = 420}))};
}

std::vector<PublishedFigure> lin_figures(Progress& progress) {
  std::vector<PublishedFigure> figures{lin_figure_3()};
  progress.update(0.3);
  figures.push_back(lin_figure_5(progress));
  return figures;
}

const FigureRegistration lin_registration("lin", lin_figures);

}  // namespace
}  // namespace lithe::app
