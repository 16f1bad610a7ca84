#include "lithe/view/mode_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "lithe/base/text.h"
#include "lithe/view/drawing.h"

namespace lithe {
namespace {

constexpr double panel_width = 300, panel_height = 250, margin = 24, header = 44;
using Point = Eigen::Vector2d;

// A view from above the horizon: world z upwards on the page, where not seen from its end.
struct View {
  Eigen::Matrix<double, 2, 3> axes;  // right, down

  View(double azimuth, double elevation) {
    const double ca = std::cos(azimuth), sa = std::sin(azimuth), ce = std::cos(elevation), se = std::sin(elevation);
    axes << -sa, ca, 0, ca * se, sa * se, -ce;
  }
  Point operator()(const Vector3& p) const { return axes * p; }
};

// Found where the mechanism's nodes spread over the largest area, so that no link is seen from its end, then turned
// aside so that motion towards that viewer shows too.
View best_view(const MechanismModes& modes) {
  Vector3 mean = Vector3::Zero();
  int count = 0;
  for (const auto& nodes : modes.node_positions)
    for (const Vector3& p : nodes) mean += p, ++count;
  mean /= std::max(1, count);
  Matrix3 spread = Matrix3::Zero();
  for (const auto& nodes : modes.node_positions)
    for (const Vector3& p : nodes) spread += (p - mean) * (p - mean).transpose();
  constexpr double degree = std::numbers::pi / 180;
  constexpr double elevation = 30 * degree, aside = 35 * degree;
  double best = -50 * degree, largest = 0;
  for (int azimuth = -170; azimuth <= 180; azimuth += 10) {
    const View view(azimuth * degree, elevation);
    const double area = (view.axes * spread * view.axes.transpose()).determinant();
    if (area > largest * (1 + 1e-9)) best = azimuth * degree, largest = area;
  }
  return View(best + aside, elevation);
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string pair(const Point& p) { return number(p.x()) + " " + number(p.y()); }

struct Box {
  Point low = Point::Constant(1e300), high = Point::Constant(-1e300);
  void add(const Point& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
};

double mechanism_size(const MechanismModes& modes) {
  Vector3 low = Vector3::Constant(1e300), high = -low;
  for (const auto& nodes : modes.node_positions)
    for (const Vector3& p : nodes) low = low.cwiseMin(p), high = high.cwiseMax(p);
  return std::max((high - low).norm(), 1e-9);
}

double largest_displacement(const MechanismModes& modes, int mode) {
  double largest = 1e-300;
  for (const MatrixX& translation : modes.translations)
    for (Eigen::Index node = 0; 3 * node < translation.rows(); ++node)
      largest = std::max(largest, translation.block<3, 1>(3 * node, mode).norm());
  return largest;
}

// A beam between displaced nodes bends as a cubic: its end derivatives are the chord turned by the nodes' rotations.
struct Curve {
  Vector3 start, control1, control2, end;
};

Curve displaced_wire(const MechanismModes& modes, const Wire& wire, int mode, double scale) {
  const auto& nodes = modes.node_positions[wire.link];
  const Vector3 chord = nodes[wire.to] - nodes[wire.from];
  const auto moved = [&](const std::vector<MatrixX>& shapes, int node) {
    return Vector3(scale * shapes[wire.link].block<3, 1>(3 * node, mode));
  };
  Curve curve;
  curve.start = nodes[wire.from] + moved(modes.translations, wire.from);
  curve.end = nodes[wire.to] + moved(modes.translations, wire.to);
  curve.control1 = curve.start + (chord + moved(modes.rotations, wire.from).cross(chord)) / 3;
  curve.control2 = curve.end - (chord + moved(modes.rotations, wire.to).cross(chord)) / 3;
  return curve;
}

class Panel {
 public:
  Panel(const MechanismModes& modes, const std::vector<Wire>& wires, const View& view, int mode, double amplitude)
      : modes_(modes), wires_(wires), view_(view), mode_(mode), scale_(amplitude / largest_displacement(modes, mode)) {}

  void extend(Box& box) const {
    for (const Wire& wire : wires_)
      for (double side : {0.0, 1.0, -1.0}) {
        const Curve c = displaced_wire(modes_, wire, mode_, side * scale_);
        for (const Vector3& p : {c.start, c.control1, c.control2, c.end}) box.add(view_(p));
      }
  }

  template <class Place>
  std::string text(const Place& place) const {
    std::string result;
    for (const auto& [side, style] : {std::pair{0.0, "rest"}, std::pair{-1.0, "back"}, std::pair{1.0, "shape"}}) {
      std::string path;
      for (const Wire& wire : wires_) {
        const Curve c = displaced_wire(modes_, wire, mode_, side * scale_);
        path += "M" + pair(place(view_(c.start))) + "C" + pair(place(view_(c.control1))) + " " +
                pair(place(view_(c.control2))) + " " + pair(place(view_(c.end)));
      }
      result += cat("<path class=\"", style, "\" d=\"", path, "\"/>\n");
    }
    return result;
  }

 private:
  const MechanismModes& modes_;
  const std::vector<Wire>& wires_;
  View view_;
  int mode_;
  double scale_;
};

std::string panel_label(const MechanismModes& modes, int mode) {
  char text[64];
  std::snprintf(text, sizeof text, "mode %d: %.4g Hz", mode + 1, modes.frequencies(mode));
  return text;
}

constexpr const char* style =
    "<style>text{font-family:system-ui,sans-serif;fill:#212529}.rest{stroke:#adb5bd;stroke-width:5}"
    ".back{stroke:#74c0fc;stroke-width:2;stroke-dasharray:4 3}.shape{stroke:#c92a2a;stroke-width:3}"
    "path{fill:none;stroke-linecap:round;stroke-linejoin:round}</style>\n";

}  // namespace

std::string mode_picture(const MechanismModes& modes, const std::vector<Wire>& wires, const std::string& title,
                         const ModePictureOptions& options) {
  const int with_shape = modes.translations.empty() ? 0 : static_cast<int>(modes.translations[0].cols());
  const int count = std::max(0, std::min(options.num_panels, with_shape - modes.num_rigid));
  const double size = mechanism_size(modes);
  const View view = best_view(modes);
  std::vector<Panel> panels;
  Box box;
  for (int k = 0; k < count; ++k) {
    panels.emplace_back(modes, wires, view, modes.num_rigid + k, options.amplitude * size);
    panels.back().extend(box);
  }
  const int columns = std::max(1, std::min(options.num_columns, count));
  const int rows = (count + columns - 1) / columns;
  const double width = columns * panel_width, height = header + rows * panel_height;
  const Point extent = (box.high - box.low).cwiseMax(1e-9);
  const double zoom = std::min((panel_width - 2 * margin) / extent.x(), (panel_height - 2 * margin - 24) / extent.y());
  std::string svg = cat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", width, " ", height, "\" width=\"",
                        width, "\" height=\"", height, "\" role=\"img\" aria-label=\"", xml_text(title), "\">\n");
  svg += style;
  svg += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  svg += cat("<text x=\"", margin, "\" y=\"28\" font-size=\"17\" font-weight=\"600\">", xml_text(title), "</text>\n");
  for (int k = 0; k < count; ++k) {
    const Point corner((k % columns) * panel_width, header + (k / columns) * panel_height);
    const Point centre = corner + Point(panel_width / 2, panel_height / 2 + 10);
    const Point middle = 0.5 * (box.low + box.high);
    svg += cat("<text x=\"", corner.x() + margin, "\" y=\"", corner.y() + 20, "\" font-size=\"14\">",
               panel_label(modes, modes.num_rigid + k), "</text>\n");
    svg += panels[k].text([&](const Point& p) { return Point(centre + zoom * (p - middle)); });
  }
  return svg + "</svg>\n";
}

}  // namespace lithe
