#include "app/reproduce/reproduce.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "app/program/command.h"
#include "app/program/embedded.h"
#include "app/reproduce/reproduce_page.h"
#include "app/reproduce/reproduce_site.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/table.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/results/files/file_set.h"

namespace lithe::app {
namespace {

std::map<std::string, ReproduceCase>& registry() {
  static std::map<std::string, ReproduceCase> cases;
  return cases;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  std::istringstream stream(line);
  while (std::getline(stream, cell, ',')) cells.push_back(cell);
  if (!line.empty() && line.back() == ',') cells.emplace_back();
  return cells;
}

nlohmann::json as_json(const std::vector<PublishedRow>& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const PublishedRow& row : rows) {
    list.push_back({{"table", row.table},
                    {"case", row.case_name},
                    {"quantity", row.quantity},
                    {"unit", row.unit},
                    {"published", json_number(row.published)},
                    {"computed", json_number(row.computed)},
                    {"gated", row.gated},
                    {"agrees", row.gated ? nlohmann::json(row.agrees()) : nlohmann::json()},
                    {"note", row.note}});
  }
  return {{"rows", list}};
}

std::string verdict(const PublishedRow& row, const Style& style) {
  if (!row.gated) return style.dim("not judged");
  return row.agrees() ? style.good("agrees") : style.bad("DIFFERS");
}

// Notes once each, in the order of their first row.
std::string notes_of(const std::vector<PublishedRow>& rows) {
  std::string text;
  std::set<std::string> seen;
  for (const PublishedRow& row : rows) {
    if (!row.note.empty() && seen.insert(row.note).second)
      text += cat("\n", row.table, ", ", row.case_name, ": ", row.note, "\n");
  }
  return text;
}

std::string as_text(const std::vector<PublishedRow>& rows, const Style& style) {
  TextTable table({{"table", Align::left},
                   {"case", Align::left},
                   {"quantity", Align::left},
                   {"published"},
                   {"computed"},
                   {"difference"},
                   {"unit", Align::left},
                   {"", Align::left}});
  for (const PublishedRow& row : rows) {
    table.add_row({row.table, row.case_name, row.quantity, number(row.published, 8), number(row.computed, 8),
                   number(row.computed - row.published, 3), row.unit, verdict(row, style)});
  }
  const auto gated = std::count_if(rows.begin(), rows.end(), [](const PublishedRow& row) { return row.gated; });
  const auto agreeing =
      std::count_if(rows.begin(), rows.end(), [](const PublishedRow& row) { return row.gated && row.agrees(); });
  return table.text(style) + notes_of(rows) + cat("\n", agreeing, " of ", gated, " values agree.\n");
}

struct Options {
  std::string name, directory;
  bool figures = false, page = false, site = false;
};

// All cases, each table once: cmp holds the rows of cmp-frequencies.
std::vector<std::string> all_names() {
  std::vector<std::string> names = reproduce_names();
  std::erase(names, "cmp-frequencies");
  return names;
}

ReproducedCase reproduce(const std::string& name, bool with_figures) {
  Progress progress("reproducing " + name);
  ReproducedCase result{registry().at(name).name, registry().at(name).summary, registry().at(name).run(progress), {}};
  if (with_figures) result.figures = figures_of(name, progress);
  progress.finish();
  return result;
}

nlohmann::json figures_json(const std::vector<PublishedFigure>& figures) {
  nlohmann::json list = nlohmann::json::array();
  for (const PublishedFigure& figure : figures) {
    nlohmann::json claims = nlohmann::json::array();
    for (const FigureClaim& claim : figure.claims)
      claims.push_back({{"published", claim.published},
                        {"computed", claim.computed},
                        {"agrees", claim.agrees ? nlohmann::json(*claim.agrees) : nlohmann::json()}});
    list.push_back(
        {{"figure", figure.figure}, {"file", figure.file + ".svg"}, {"caption", figure.caption}, {"claims", claims}});
  }
  return list;
}

bool agrees(const ReproducedCase& result) {
  for (const PublishedRow& row : result.rows)
    if (!row.agrees()) return false;
  for (const PublishedFigure& figure : result.figures)
    for (const FigureClaim& claim : figure.claims)
      if (claim.agrees && !*claim.agrees) return false;
  return true;
}

// Pictures and the pages, beside each other.
std::vector<std::filesystem::path> write_files(const std::vector<ReproducedCase>& results, const Options& options) {
  if (!options.figures && !options.page && !options.site) return {};
  FileSet files(options.directory.empty() ? "results/reproduce" : options.directory);
  for (const ReproducedCase& result : results)
    for (const PublishedFigure& figure : result.figures)
      if (options.figures) files.write(figure.file + ".svg", figure.svg);
  if (options.page) files.write("reproduce.html", reproduce_page(results));
  if (options.site) files.write("validation.md", validation_page(results));
  files.commit();
  return files.paths();
}

nlohmann::json results_json(const std::vector<ReproducedCase>& results, bool all) {
  nlohmann::json cases = nlohmann::json::array();
  for (const ReproducedCase& result : results) {
    nlohmann::json value = as_json(result.rows);
    if (!result.figures.empty()) value["figures"] = figures_json(result.figures);
    if (all) value["name"] = result.name;
    cases.push_back(value);
  }
  return all ? nlohmann::json{{"cases", cases}} : cases.front();
}

std::string results_text(const std::vector<ReproducedCase>& results, const Options& options, const Style& style) {
  std::string text;
  for (const ReproducedCase& result : results) {
    if (options.name == "all") text += cat("\n", style.bold(result.name), ": ", result.summary, "\n\n");
    text += as_text(result.rows, style);
    for (const PublishedFigure& figure : result.figures) text += "\n" + figure_text(figure, figure.file + ".svg");
  }
  return text;
}

int run(const Options& options, const Output& output) {
  const bool all = options.name == "all";
  std::vector<ReproducedCase> results;
  for (const std::string& name : all ? all_names() : std::vector<std::string>{options.name})
    results.push_back(reproduce(name, options.figures || options.page));
  const std::vector<std::filesystem::path> paths = write_files(results, options);
  if (output.json()) {
    nlohmann::json value = results_json(results, all);
    if (!paths.empty()) value["files"] = paths_json(paths);
    output.print(value);
  } else {
    output.print(results_text(results, options, output.style()) +
                 (paths.empty() ? "" : "\n" + where_results_lie(paths)));
  }
  return std::all_of(results.begin(), results.end(), agrees) ? exit_ok : exit_failed;
}

int list(const Output& output) {
  nlohmann::json names = nlohmann::json::array();
  TextTable table({{"name", Align::left}, {"what", Align::left}});
  for (const auto& [name, reproduce_case] : registry()) {
    names.push_back({{"name", name}, {"summary", reproduce_case.summary}});
    table.add_row({name, reproduce_case.summary});
  }
  if (output.json()) {
    output.print(nlohmann::json{{"cases", names}});
  } else {
    output.print(table.text(output.style()));
  }
  return exit_ok;
}

int run_or_list(Options options, const Output& output) {
  if (options.name.empty() && options.site) options.name = "all";
  if (options.name.empty() && (options.figures || options.page))
    throw InputError("--figures and --page need the name of a case, or all");
  if (options.name.empty()) return list(output);
  if (options.name == "all" || registry().count(options.name) > 0) return run(options, output);
  throw InputError(
      cat("there is no case '", options.name, "' to reproduce; the cases are: all, ", joined(reproduce_names())));
}

const CommandRegistration registration(
    {.name = "reproduce",
     .rank = 70,
     .summary = "Compute published tables and figures and compare; without a name, list what there is",
     .examples =
         "  lithe reproduce\n  lithe reproduce cmp-frequencies\n  lithe reproduce cmp-frequencies --json\n"
         "  lithe reproduce lin --figures -o pictures\n  lithe reproduce all --page\n  lithe reproduce --site\n",
     .set_up = [](CommandOptions& command) -> Action {
       auto options = std::make_shared<Options>();
       command.add_option("NAME", options->name, "Name of the case, or all");
       command.add_flag("--figures", options->figures, "Draw the paper's figures as SVG, with what its text says");
       command.add_flag("--page", options->page, "Write one page with tables, figures, agreement and reasons");
       command.add_flag("--site", options->site, "Write validation.md, the page of the documentation site; all cases");
       command.add_option("-o,--output", options->directory,
                          "Directory for figures and pages; results/reproduce by default");
       return [options](const Output& output) { return run_or_list(*options, output); };
     }});

}  // namespace

bool PublishedRow::agrees() const {
  return !gated || std::abs(computed - published) <= tolerance;  // a NaN never agrees
}

std::vector<std::string> reproduce_names() {
  std::vector<std::string> names;
  for (const auto& [name, reproduce_case] : registry()) names.push_back(name);
  return names;
}

ReproduceRegistration::ReproduceRegistration(ReproduceCase reproduce_case) {
  registry().emplace(reproduce_case.name, reproduce_case);
}

double PublishedTable::number(std::size_t row, std::size_t column) const {
  const std::string& text = texts.at(row).at(column);
  return text.empty() ? std::numeric_limits<double>::quiet_NaN() : std::stod(text);
}

PublishedTable read_published(const std::string& file_name) {
  PublishedTable table;
  std::istringstream stream{std::string(published_table(file_name))};
  std::string line;
  while (std::getline(stream, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells = split(line);
    if (table.headings.empty()) {
      table.headings = std::move(cells);
    } else {
      cells.resize(table.headings.size());
      table.texts.push_back(std::move(cells));
    }
  }
  return table;
}

}  // namespace lithe::app
