#include "app/reproduce.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "app/embedded.h"
#include "app/table.h"
#include "app/verb.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

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

int run(const std::string& name, const Output& output) {
  Progress progress("reproducing " + name);
  const std::vector<PublishedRow> rows = registry().at(name).run(progress);
  progress.finish();
  if (output.json()) {
    output.print(as_json(rows));
  } else {
    output.print(as_text(rows, output.style()));
  }
  const bool all_agree = std::all_of(rows.begin(), rows.end(), [](const PublishedRow& row) { return row.agrees(); });
  return all_agree ? exit_ok : exit_failed;
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

int run_or_list(const std::string& name, const Output& output) {
  if (name.empty()) return list(output);
  if (registry().count(name) > 0) return run(name, output);
  throw InputError(cat("there is no case '", name, "' to reproduce; the cases are: ", joined(reproduce_names())));
}

const VerbRegistration registration(
    {.name = "reproduce",
     .rank = 70,
     .summary = "Compute a published table and compare; without a name, list what there is",
     .examples = "  lithe reproduce\n  lithe reproduce cmp-frequencies\n  lithe reproduce cmp-frequencies --json\n",
     .set_up = [](Command& command) -> Action {
       auto name = std::make_shared<std::string>();
       command.add_option("NAME", *name, "Name of the case");
       return [name](const Output& output) { return run_or_list(*name, output); };
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
