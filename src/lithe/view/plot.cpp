#include "lithe/view/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "lithe/base/text.h"

namespace lithe {
namespace {

constexpr double left = 72, right = 16, top = 34, gap = 30, bottom = 46;
constexpr Colour ink = {73, 80, 87}, grid = {222, 226, 230};
// Told apart by colour-blind readers, too, and in grey.
constexpr Colour palette[] = {{0, 96, 176}, {214, 84, 12}, {0, 132, 92}, {168, 50, 126}, {154, 107, 0}, {91, 75, 196}};
const std::vector<std::vector<double>> dashes = {{}, {6, 3}, {2, 2.5}, {8, 3, 2, 3}};

struct Range {
  double least = INFINITY, most = -INFINITY;
  void add(double value) {
    if (std::isfinite(value)) least = std::min(least, value), most = std::max(most, value);
  }
  // Never empty, with some air around it where asked for.
  Range padded(double air) const {
    if (!(least <= most)) return {0, 1};
    const double extent = most - least, pad = extent > 0 ? air * extent : (most != 0 ? 0.05 * std::abs(most) : 1);
    return {least - pad, most + pad};
  }
};

std::string tick_text(double value, double step) {
  if (std::abs(value) < 1e-9 * step) value = 0;
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// Where the names of curves stand, row by row downwards from 0. Widths of letters are estimated: 0.6 of the size.
std::vector<DrawnPoint> name_places(const std::vector<const PlotCurve*>& curves, double width) {
  std::vector<DrawnPoint> places;
  double x = left, y = 0;
  for (const PlotCurve* curve : curves) {
    const double needed = 25 + 6.6 * static_cast<double>(curve->label.size());
    if (x > left && x + needed > width - right) x = left, y += 16;
    places.push_back({x, y});
    x += needed + 20;
  }
  return places;
}

// "m/s^2" -> "m/s²"
std::string pretty_unit(std::string unit) {
  for (const auto& [plain, pretty] : {std::pair{"^2", "²"}, std::pair{"^3", "³"}})
    for (std::size_t at = unit.find(plain); at != std::string::npos; at = unit.find(plain)) unit.replace(at, 2, pretty);
  return unit;
}

struct ShownUnit {
  double factor = 1;
  std::string unit;
};

// Values that are all very small or very large get a prefix: 0.0004 m are 400 µm.
ShownUnit shown_unit(double largest, const std::string& unit) {
  static const std::set<std::string> with_prefix = {"m", "m/s", "m/s^2", "N", "N m", "Pa", "J", "W", "rad", "rad/s"};
  constexpr std::pair<double, const char*> prefixes[] = {{1e9, "G"},  {1e6, "M"},  {1e3, "k"},
                                                         {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}};
  const bool readable = !std::isfinite(largest) || (largest >= 0.01 && largest < 1e4);
  if (with_prefix.contains(unit) && !readable && largest >= 1e-9)
    for (const auto& [size, prefix] : prefixes)
      if (largest >= size) return {1 / size, prefix + pretty_unit(unit)};
  return {1, pretty_unit(unit)};
}

class Panel {
 public:
  Panel(std::vector<const PlotCurve*> curves, const PlotOptions& options, const Range& x, double y_top,
        Drawing& drawing)
      : curves_(std::move(curves)), options_(options), x_(x), top_(y_top), drawing_(drawing) {
    Range range;
    for (const PlotCurve* curve : curves_)
      for (const double value : curve->y) range.add(value);
    const std::string& unit = curves_.front()->unit;
    unit_ = options_.logarithmic ? ShownUnit{1, pretty_unit(unit)}
                                 : shown_unit(std::max(std::abs(range.least), std::abs(range.most)), unit);
    range = {};
    for (const PlotCurve* curve : curves_)
      for (const double value : curve->y) range.add(shown(value));
    y_ = range.padded(0.06);
  }

  void draw(bool last) {
    draw_grid(last);
    for (std::size_t i = 0; i < curves_.size(); ++i) draw_curve(*curves_[i], i);
    draw_names();
  }

 private:
  double shown(double value) const {
    return options_.logarithmic ? (value > 0 ? std::log10(value) : NAN) : value * unit_.factor;
  }
  double height() const { return options_.panel_height; }
  double at_x(double x) const { return left + (x - x_.least) / (x_.most - x_.least) * (options_.width - left - right); }
  double at_y(double y) const { return top_ + (y_.most - y) / (y_.most - y_.least) * height(); }

  void draw_grid(bool last) {
    const std::vector<double> xs = plot_ticks(x_.least, x_.most, 8), ys = plot_ticks(y_.least, y_.most, 5);
    for (const double x : xs) {
      drawing_.lines.push_back({{{at_x(x), top_}, {at_x(x), top_ + height()}}, grid, 0.6, {}});
      if (last)
        drawing_.texts.push_back(
            {{at_x(x), top_ + height() + 15}, tick_text(x, xs.back() - xs.front()), 10.5, Anchor::middle});
    }
    for (const double y : ys) {
      drawing_.lines.push_back({{{left, at_y(y)}, {options_.width - right, at_y(y)}}, grid, 0.6, {}});
      const std::string text = options_.logarithmic ? cat("1e", y) : tick_text(y, ys.back() - ys.front());
      drawing_.texts.push_back({{left - 6, at_y(y) + 3.8}, text, 10.5, Anchor::end});
    }
    const double l = left, r = options_.width - right, b = top_ + height();
    drawing_.lines.push_back({{{l, top_}, {l, b}, {r, b}, {r, top_}, {l, top_}}, ink, 0.8, {}});
    if (!unit_.unit.empty())
      drawing_.texts.push_back({{16, top_ + height() / 2}, unit_.unit, 11.5, Anchor::middle, true});
    if (last) drawing_.texts.push_back({{(l + r) / 2, b + 34}, options_.x_label, 11.5, Anchor::middle});
  }

  void draw_curve(const PlotCurve& curve, std::size_t index) {
    DrawnLine line;
    const auto finish = [&] {
      if (line.points.size() > 1) drawing_.lines.push_back(line);
      line.points.clear();
    };
    line.colour = palette[index % std::size(palette)];
    line.dashes = dashes[index % dashes.size()];
    line.width = 1.3;
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
      const double y = shown(curve.y[i]);
      if (!std::isfinite(y)) {
        finish();
      } else {
        line.points.push_back({at_x(curve.x[i]), at_y(y)});
      }
    }
    finish();
  }

  // Above the panel, in as many rows as they need.
  void draw_names() {
    const std::vector<DrawnPoint> places = name_places(curves_, options_.width);
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      const double x = places[i].x, y = top_ - 9 - (places.back().y - places[i].y);
      drawing_.lines.push_back(
          {{{x, y}, {x + 20, y}}, palette[i % std::size(palette)], 1.6, dashes[i % dashes.size()]});
      drawing_.texts.push_back({{x + 25, y + 4}, curves_[i]->label, 11});
    }
  }

  std::vector<const PlotCurve*> curves_;
  const PlotOptions& options_;
  Range x_, y_;
  ShownUnit unit_;
  double top_;
  Drawing& drawing_;
};

// Thousands of points within one pixel serve nobody: least and most of each twentieth of a point.
PlotCurve thinned(const PlotCurve& curve, std::size_t most) {
  const std::size_t count = std::min(curve.x.size(), curve.y.size());
  if (count <= most) return curve;
  PlotCurve result{curve.label, curve.unit, {}, {}};
  for (std::size_t k = 0; k < most / 2; ++k) {
    const std::size_t begin = k * count / (most / 2), end = (k + 1) * count / (most / 2);
    std::size_t low = begin, high = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (curve.y[i] < curve.y[low]) low = i;
      if (curve.y[i] > curve.y[high]) high = i;
    }
    for (const std::size_t i : {std::min(low, high), std::max(low, high)}) {
      result.x.push_back(curve.x[i]);
      result.y.push_back(curve.y[i]);
    }
  }
  return result;
}

}  // namespace

std::vector<double> plot_ticks(double least, double most, int count) {
  const double raw = (most - least) / std::max(1, count), power = std::pow(10, std::floor(std::log10(raw)));
  const double lead = raw / power, step = (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
  std::vector<double> result;
  for (double k = std::ceil(least / step - 1e-9); k * step <= most + 1e-9 * step; ++k) result.push_back(k * step);
  return result;
}

Drawing draw_plot(const std::vector<PlotCurve>& curves, const PlotOptions& options) {
  std::vector<PlotCurve> drawn;
  Range x;
  for (const PlotCurve& curve : curves) {
    drawn.push_back(thinned(curve, static_cast<std::size_t>(8 * options.width)));
    for (const double value : curve.x) x.add(value);
  }
  std::vector<std::string> units;
  for (const PlotCurve& curve : drawn)
    if (std::find(units.begin(), units.end(), curve.unit) == units.end()) units.push_back(curve.unit);
  Drawing drawing;
  drawing.title = options.title;
  drawing.width = options.width;
  double y = options.title.empty() ? top - 8 : top + 18;
  if (!options.title.empty()) drawing.texts.push_back({{left, 22}, options.title, 13.5, Anchor::start, false, true});
  for (std::size_t u = 0; u < units.size(); ++u) {
    std::vector<const PlotCurve*> members;
    for (const PlotCurve& curve : drawn)
      if (curve.unit == units[u]) members.push_back(&curve);
    y += name_places(members, options.width).back().y;
    Panel(std::move(members), options, x.padded(0), y, drawing).draw(u + 1 == units.size());
    y += options.panel_height + gap;
  }
  drawing.height = y - gap + bottom;
  return drawing;
}

}  // namespace lithe
