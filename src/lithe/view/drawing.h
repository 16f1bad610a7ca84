// A drawing of lines and words in points, for pictures in files: SVG by ourselves, PNG by an adaptor.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace lithe {

struct DrawnPoint {
  double x = 0, y = 0;  // from the upper left corner
};

using Colour = std::array<int, 3>;  // red, green, blue, 0 to 255

struct DrawnLine {
  std::vector<DrawnPoint> points;
  Colour colour = {0, 0, 0};
  double width = 1;
  std::vector<double> dashes;  // empty: solid
};

enum class Anchor { start, middle, end };

struct DrawnText {
  DrawnPoint at;
  std::string text;  // UTF-8
  double size = 12;
  Anchor anchor = Anchor::start;
  bool upwards = false;  // turned by a quarter, to read from below
  bool bold = false;
};

struct Drawing {
  double width = 0, height = 0;
  std::string title;  // for screen readers
  std::vector<DrawnLine> lines;
  std::vector<DrawnText> texts;
};

std::string drawing_svg(const Drawing& drawing);
// `scale`: pixels per point. Throws InputError when the file cannot be written.
void write_drawing_png(const Drawing& drawing, const std::filesystem::path& path, double scale);

// Text for XML: markup escaped, bytes that are no UTF-8 or no XML character replaced by '?'.
std::string xml_text(const std::string& text);

}  // namespace lithe
