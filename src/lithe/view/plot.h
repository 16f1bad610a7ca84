// Curves as a picture for papers: one panel per unit, all over the same x.
#pragma once

#include <string>
#include <vector>

#include "lithe/view/drawing.h"

namespace lithe {

struct PlotCurve {
  std::string label, unit;
  std::vector<double> x, y;
};

struct PlotOptions {
  std::string title;
  std::string x_label = "time [s]";
  double width = 640, panel_height = 230;  // points
  bool logarithmic = false;                // the y axes
};

// NaN interrupts a curve.
Drawing draw_plot(const std::vector<PlotCurve>& curves, const PlotOptions& options);

// Round numbers between two values, about `count` of them.
std::vector<double> plot_ticks(double least, double most, int count);

}  // namespace lithe
