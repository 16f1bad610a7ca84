// Drawings as PNG files with the library cairo.
#include <cairo/cairo.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "lithe/base/text.h"
#include "lithe/base/write_error.h"
#include "lithe/results/files/mark.h"
#include "lithe/results/files/text_file.h"
#include "lithe/view/drawing.h"

namespace lithe {
namespace {

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Context = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

void draw_line(cairo_t* context, const DrawnLine& line) {
  cairo_set_source_rgb(context, line.colour[0] / 255.0, line.colour[1] / 255.0, line.colour[2] / 255.0);
  cairo_set_line_width(context, line.width);
  cairo_set_dash(context, line.dashes.data(), static_cast<int>(line.dashes.size()), 0);
  for (const DrawnPoint& p : line.points) cairo_line_to(context, p.x, p.y);
  cairo_stroke(context);
}

// cairo refuses text that is no UTF-8, but wants its markup as it is.
std::string plain_text(const std::string& text) {
  std::string result = xml_text(text);
  for (const auto& [code, character] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
    for (std::size_t at = result.find(code); at != std::string::npos; at = result.find(code, at + 1))
      result.replace(at, std::char_traits<char>::length(code), character);
  return result;
}

void draw_text(cairo_t* context, const DrawnText& text) {
  const std::string plain = plain_text(text.text);
  cairo_select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         text.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, text.size);
  cairo_text_extents_t extents;
  cairo_text_extents(context, plain.c_str(), &extents);
  const double share = text.anchor == Anchor::start ? 0 : text.anchor == Anchor::middle ? 0.5 : 1;
  cairo_save(context);
  cairo_set_source_rgb(context, 0.13, 0.145, 0.16);
  cairo_translate(context, text.at.x, text.at.y);
  if (text.upwards) cairo_rotate(context, -3.14159265358979323846 / 2);
  cairo_move_to(context, -share * extents.x_advance, 0);
  cairo_show_text(context, plain.c_str());
  cairo_restore(context);
}

// A word of 32 bits as PNG has it.
std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 255);
  return bytes;
}

// ISO 3309: the check at the end of a part of a PNG file.
std::uint32_t cyclic_check(const std::string& bytes) {
  std::uint32_t check = ~0u;
  for (const char byte : bytes) {
    check ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) check = check >> 1 ^ (check & 1 ? 0xEDB88320u : 0u);
  }
  return ~check;
}

// The mark of this program as a text of the file, behind its signature and heading.
void add_mark(const std::filesystem::path& path) {
  constexpr std::size_t behind_heading = 8 + 25;
  std::ifstream file(path, std::ios::binary);
  std::string png((std::istreambuf_iterator<char>(file)), {});
  if (!file || png.size() < behind_heading) throw WriteError(cat("cannot write '", path.string(), "'"));
  const std::string text = cat("tEXtSoftware", std::string(1, '\0'), program_mark);
  const auto length = static_cast<std::uint32_t>(text.size() - 4);
  write_text_file(png.insert(behind_heading, big_endian(length) + text + big_endian(cyclic_check(text))), path);
}

}  // namespace

void write_drawing_png(const Drawing& drawing, const std::filesystem::path& path, double scale) {
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(drawing.width * scale),
                                                   static_cast<int>(drawing.height * scale)),
                        cairo_surface_destroy);
  const Context context(cairo_create(surface.get()), cairo_destroy);
  cairo_scale(context.get(), scale, scale);
  cairo_set_source_rgb(context.get(), 1, 1, 1);
  cairo_paint(context.get());
  cairo_set_line_join(context.get(), CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(context.get(), CAIRO_LINE_CAP_ROUND);
  for (const DrawnLine& line : drawing.lines) draw_line(context.get(), line);
  for (const DrawnText& text : drawing.texts) draw_text(context.get(), text);
  cairo_status_t status = cairo_status(context.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png(surface.get(), path.string().c_str());
  if (status != CAIRO_STATUS_SUCCESS)
    throw WriteError(cat("cannot write '", path.string(), "': ", cairo_status_to_string(status)));
  add_mark(path);
}

}  // namespace lithe
