// Curves of recorded sensors as a picture, without a browser.
#include "lithe/view/plot.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "app/motion/recording.h"
#include "app/program/command.h"
#include "app/terminal/result_directory.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/results/files/file_set.h"

namespace lithe::app {
namespace {

struct Options {
  std::vector<std::string> results, sensors;
  std::string output = "plot.svg", title;
  double from = -1e300, to = 1e300, width = 640, height = 230, resolution = 200;
  bool logarithmic = false;
};

// With several results, curves are named after where they come from.
std::string label_of(const Options& options, const std::string& result, const std::string& column) {
  if (options.results.size() == 1) return column;
  const std::filesystem::path path(result);
  const std::string place = path.has_extension() ? path.parent_path().filename().string() : path.filename().string();
  return cat(column, ", ", place.empty() ? path.stem().string() : place);
}

std::vector<PlotCurve> read_curves(const Options& options, std::string& x_label) {
  std::vector<PlotCurve> curves;
  for (const std::string& result : options.results) {
    Recording recording = read_recording(result);
    if (options.results.size() > 1) recording = in_si_where_known(std::move(recording));  // others may have other units
    x_label = recording.x_unit.empty() ? recording.x_name : cat(recording.x_name, " [", recording.x_unit, "]");
    for (const std::string& sensor : options.sensors)
      for (const Column* column : recording.find(sensor)) {
        PlotCurve curve{label_of(options, result, column->name), column->unit, {}, {}};
        for (std::size_t i = 0; i < recording.times.size(); ++i) {
          if (recording.times[i] < options.from || recording.times[i] > options.to) continue;
          curve.x.push_back(recording.times[i]);
          curve.y.push_back(column->values[i]);
        }
        if (curve.x.empty()) throw InputError(cat(recording.file, ": nothing was recorded between --from and --to"));
        curves.push_back(std::move(curve));
      }
  }
  return curves;
}

// Of a PNG: the library draws no longer sides, and the pixels must fit into memory.
void require_size(const Drawing& drawing, double resolution) {
  constexpr double most = 32767, most_in_all = 4e8;
  const double width = std::ceil(drawing.width * resolution / 72), height = std::ceil(drawing.height * resolution / 72);
  if (std::max(width, height) > most || width * height > most_in_all)
    throw InputError(cat("a picture of ", width, " x ", height, " pixels is too large; at most ", most,
                         " on each side and ", most_in_all, " in all: reduce --width, --height or --resolution"));
}

void write_picture(const Drawing& drawing, const std::filesystem::path& target, double resolution) {
  FileSet files(target.parent_path());
  const std::string name = target.filename().string();
  if (target.extension() == ".png") {
    write_drawing_png(drawing, files.add(name), resolution / 72);
  } else {
    files.write(name, drawing_svg(drawing));
  }
  files.commit();
}

int run(const Options& options, const Output& output) {
  const std::filesystem::path target(options.output);
  if (target.extension() != ".svg" && target.extension() != ".png")
    throw InputError(cat("'", options.output, "': pictures are .svg or .png"));
  PlotOptions plot;
  plot.title = options.title;
  plot.width = options.width;
  plot.panel_height = options.height;
  plot.logarithmic = options.logarithmic;
  const std::vector<PlotCurve> curves = read_curves(options, plot.x_label);
  const Drawing drawing = draw_plot(curves, plot);
  if (target.extension() == ".png") require_size(drawing, options.resolution);
  write_picture(drawing, target, options.resolution);
  if (output.json()) {
    output.print(nlohmann::json{{"curves", curves.size()}, {"files", {options.output}}});
  } else {
    output.print(where_results_lie({target}));
  }
  return exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  command.add_option("RESULT", options->results, "CSV files of results, or directories with a motion.csv").required();
  command
      .add_option("--sensor", options->sensors,
                  "Sensor to draw; may be given several times; those of one unit share a panel")
      .required()
      .one_word_each();
  command.add_option("-o,--output", options->output, "Picture to write: .svg or .png").shows_default();
  command.add_option("--title", options->title, "Title above the plot");
  command.add_option("--from", options->from, "Start of the curves, s");
  command.add_option("--to", options->to, "End of the curves, s");
  command.add_option("--width", options->width, "Width in points").between(200, 5000).shows_default();
  command.add_option("--height", options->height, "Height of each panel in points").between(60, 5000).shows_default();
  command.add_option("--resolution", options->resolution, "Of a PNG, dots per inch").between(36, 1200).shows_default();
  command.add_flag("--log", options->logarithmic, "Logarithmic y axis");
  return [options](const Output& output) { return run(*options, output); };
}

const CommandRegistration registration(
    {.name = "plot",
     .rank = 55,
     .summary = "Recorded sensors as a picture (SVG or PNG)",
     .examples = "  lithe plot results/arm --sensor 'tip position' -o tip.svg\n"
                 "  lithe plot results/arm/motion.csv --sensor torque --sensor angle -o arm.png --from 1 --to 2\n"
                 "  lithe plot results/fine results/coarse --sensor 'tip position.z' -o both.svg\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
