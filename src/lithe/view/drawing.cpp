#include "lithe/view/drawing.h"

#include <cstdio>

#include "lithe/base/text.h"

namespace lithe {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string colour_text(const Colour& colour) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", colour[0] & 255, colour[1] & 255, colour[2] & 255);
  return text;
}

std::string line_svg(const DrawnLine& line) {
  std::string points;
  for (const DrawnPoint& p : line.points) points += cat(points.empty() ? "" : " ", number(p.x), ",", number(p.y));
  std::string dashes;
  for (const double dash : line.dashes) dashes += cat(dashes.empty() ? "" : " ", number(dash));
  return cat("<polyline points=\"", points, "\" stroke=\"", colour_text(line.colour), "\" stroke-width=\"",
             number(line.width), "\"", dashes.empty() ? "" : cat(" stroke-dasharray=\"", dashes, "\""), "/>\n");
}

std::string text_svg(const DrawnText& text) {
  static constexpr const char* anchors[] = {"start", "middle", "end"};
  const std::string place = cat(number(text.at.x), " ", number(text.at.y));
  return cat("<text x=\"", number(text.at.x), "\" y=\"", number(text.at.y), "\" font-size=\"", number(text.size),
             "\" text-anchor=\"", anchors[static_cast<int>(text.anchor)], "\"",
             text.bold ? " font-weight=\"bold\"" : "",
             text.upwards ? cat(" transform=\"rotate(-90 ", place, ")\"") : "", ">", xml_text(text.text), "</text>\n");
}

// Length of the UTF-8 character that starts here, or 0 where there is none.
std::size_t character_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(at);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
  const std::size_t length = first >= 0xF0 && first < 0xF5   ? 4
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xC2 && first < 0xE0 ? 2
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates and what lies beyond the last character.
  if (first == 0xE0 && byte(at + 1) < 0xA0) return 0;
  if (first == 0xED && byte(at + 1) > 0x9F) return 0;
  if (first == 0xF0 && byte(at + 1) < 0x90) return 0;
  if (first == 0xF4 && byte(at + 1) > 0x8F) return 0;
  return length;
}

}  // namespace

std::string xml_text(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    if (length == 0) {
      result += '?';
      ++i;
      continue;
    }
    switch (text[i]) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += text.substr(i, length);
    }
    i += length;
  }
  return result;
}

std::string drawing_svg(const Drawing& drawing) {
  std::string svg = cat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", number(drawing.width), " ",
                        number(drawing.height), "\" width=\"", number(drawing.width), "\" height=\"",
                        number(drawing.height), "\" role=\"img\" aria-label=\"", xml_text(drawing.title), "\">\n");
  svg += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  svg += "<g fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n";
  for (const DrawnLine& line : drawing.lines) svg += line_svg(line);
  svg += "</g>\n<g font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" fill=\"#212529\">\n";
  for (const DrawnText& text : drawing.texts) svg += text_svg(text);
  return svg + "</g>\n</svg>\n";
}

}  // namespace lithe
