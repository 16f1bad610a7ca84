#include "lithe/view/map_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "lithe/base/text.h"
#include "lithe/view/drawing.h"

namespace lithe {
namespace {

constexpr double panel_width = 390, panel_height = 330, left = 64, right = 86, top = 34, bottom = 46, header = 44;
constexpr std::size_t most_cells = 160;  // per axis

std::string number(double value, const char* format = "%.2f") {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Dark blue to yellow, evenly rising in lightness.
std::string colour(double part) {
  static constexpr std::array<std::array<double, 3>, 6> stops = {
      {{48, 18, 92}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {189, 223, 38}, {253, 231, 37}}};
  const double x = std::clamp(part, 0.0, 1.0) * (stops.size() - 1);
  const auto k = std::min<std::size_t>(static_cast<std::size_t>(x), stops.size() - 2);
  const double t = x - static_cast<double>(k);
  char text[16];
  int rgb[3];
  for (std::size_t c = 0; c < 3; ++c)
    rgb[c] = static_cast<int>(std::lround(stops[k][c] * (1 - t) + stops[k + 1][c] * t));
  std::snprintf(text, sizeof text, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
  return text;
}

// At most so many places of an axis, first and last included.
std::vector<std::size_t> thinned(std::size_t count) {
  const std::size_t shown = std::min(count, most_cells);
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < shown; ++k) places.push_back(shown == 1 ? 0 : k * (count - 1) / (shown - 1));
  return places;
}

struct Span {
  double low = 1e300, high = -1e300;
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
  double part(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

std::string text_at(double x, double y, const std::string& text, const char* anchor = "middle", int size = 11) {
  return cat("<text x=\"", number(x), "\" y=\"", number(y), "\" font-size=\"", size, "\" text-anchor=\"", anchor, "\">",
             xml_text(text), "</text>\n");
}

std::string frame_text(const MapAxis& axis, double width, double height) {
  return text_at(left, top + height + 16, number(axis.values.front(), "%.4g"), "start") +
         text_at(left + width, top + height + 16, number(axis.values.back(), "%.4g"), "end") +
         text_at(left + width / 2, top + height + 32, axis.title);
}

std::string upright(double x, double y, const std::string& text) {
  return cat("<text x=\"", number(x), "\" y=\"", number(y),
             "\" font-size=\"11\" text-anchor=\"middle\" transform=\"rotate(-90 ", number(x), " ", number(y), ")\">",
             xml_text(text), "</text>\n");
}

std::string scale_text(const Span& span, double width, double height) {
  std::string svg;
  constexpr int steps = 24;
  const double x = left + width + 12, step = height / steps;
  for (int k = 0; k < steps; ++k)
    svg += cat("<rect x=\"", number(x), "\" y=\"", number(top + height - (k + 1) * step), "\" width=\"10\" height=\"",
               number(step + 0.5), "\" fill=\"", colour((k + 0.5) / steps), "\"/>\n");
  return svg + text_at(x + 14, top + 9, number(span.high, "%.4g"), "start") +
         text_at(x + 14, top + height, number(span.low, "%.4g"), "start");
}

// Runs of cells in a row with the same colour become one rectangle.
std::string cells_text(const std::vector<std::vector<double>>& rows, const Span& span, double width, double height) {
  std::string svg;
  const double cell_height = height / static_cast<double>(rows.size());
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const double cell_width = width / static_cast<double>(rows[j].size());
    const auto fill = [&](std::size_t i) {
      return std::isfinite(rows[j][i]) ? colour(span.part(rows[j][i])) : std::string("#e9ecef");
    };
    for (std::size_t i = 0; i < rows[j].size();) {
      std::size_t end = i + 1;
      while (end < rows[j].size() && fill(end) == fill(i)) ++end;
      svg += cat("<rect x=\"", number(left + static_cast<double>(i) * cell_width), "\" y=\"",
                 number(top + height - static_cast<double>(j + 1) * cell_height), "\" width=\"",
                 number(static_cast<double>(end - i) * cell_width + 0.4), "\" height=\"", number(cell_height + 0.4),
                 "\" fill=\"", fill(i), "\"/>\n");
      i = end;
    }
  }
  return svg;
}

std::string map_panel(const std::vector<MapAxis>& axes, const MapPanel& panel) {
  const double width = panel_width - left - right, height = panel_height - top - bottom;
  std::vector<std::vector<double>> rows;
  Span span;
  for (const std::size_t j : thinned(axes[1].values.size())) {
    rows.emplace_back();
    for (const std::size_t i : thinned(axes[0].values.size())) {
      rows.back().push_back(panel.value(i, j));
      span.add(rows.back().back());
    }
  }
  std::string svg = cells_text(rows, span, width, height) + frame_text(axes[0], width, height);
  svg += text_at(left - 6, top + height, number(axes[1].values.front(), "%.4g"), "end");
  svg += text_at(left - 6, top + 9, number(axes[1].values.back(), "%.4g"), "end");
  svg += upright(18, top + height / 2, axes[1].title);
  return span.empty() ? svg : svg + scale_text(span, width, height);
}

std::string line_panel(const MapAxis& axis, const MapPanel& panel) {
  const double width = panel_width - left - 20, height = panel_height - top - bottom;
  Span span, along;
  for (std::size_t i = 0; i < axis.values.size(); ++i) span.add(panel.value(i, 0)), along.add(axis.values[i]);
  std::string path;
  bool pen_down = false;
  for (const std::size_t i : thinned(axis.values.size())) {
    const double value = panel.value(i, 0);
    if (!std::isfinite(value)) {
      pen_down = false;
      continue;
    }
    path += cat(pen_down ? "L" : "M", number(left + along.part(axis.values[i]) * width), " ",
                number(top + height * (1 - span.part(value))));
    pen_down = true;
  }
  std::string svg = cat("<rect x=\"", left, "\" y=\"", top, "\" width=\"", number(width), "\" height=\"",
                        number(height), "\" fill=\"none\" stroke=\"#ced4da\"/>\n<path d=\"", path,
                        "\" fill=\"none\" stroke=\"#1c7ed6\" stroke-width=\"2\"/>\n");
  svg += frame_text(axis, width, height);
  if (span.empty()) return svg;
  return svg + text_at(left - 6, top + height, number(span.low, "%.4g"), "end") +
         text_at(left - 6, top + 9, number(span.high, "%.4g"), "end");
}

}  // namespace

std::string map_picture(const std::vector<MapAxis>& axes, const std::vector<MapPanel>& panels,
                        const std::string& title) {
  const int count = static_cast<int>(panels.size()), columns = std::clamp(count, 1, 2);
  const int rows = (count + columns - 1) / columns;
  const double width = columns * panel_width, height = header + rows * panel_height;
  std::string svg = cat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", width, " ", height, "\" width=\"",
                        width, "\" height=\"", height, "\" role=\"img\" aria-label=\"", xml_text(title), "\">\n",
                        "<style>text{font-family:system-ui,sans-serif;fill:#212529}</style>\n",
                        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
  svg += cat("<text x=\"24\" y=\"28\" font-size=\"17\" font-weight=\"600\">", xml_text(title), "</text>\n");
  for (int k = 0; k < count; ++k) {
    svg += cat("<g transform=\"translate(", (k % columns) * panel_width, " ", header + (k / columns) * panel_height,
               ")\">\n");
    svg += text_at(left, top - 12, panels[static_cast<std::size_t>(k)].title, "start", 14);
    svg += axes.size() > 1 ? map_panel(axes, panels[static_cast<std::size_t>(k)])
                           : line_panel(axes[0], panels[static_cast<std::size_t>(k)]);
    svg += "</g>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace lithe
