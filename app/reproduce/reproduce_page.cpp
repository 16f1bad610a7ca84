#include "app/reproduce/reproduce_page.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/terminal/output.h"
#include "lithe/base/text.h"
#include "lithe/view/drawing.h"

namespace lithe::app {
namespace {

constexpr const char* papers[][2] = {{"CMS", "Vidoni et al. 2017"},
                                     {"CMP", "its companion study, finite elements against component mode synthesis"},
                                     {"LIN", "Jonker 1991"},
                                     {"EVO", "Boscariol et al. 2017"},
                                     {"SC", "Cammarata et al. 2019"}};

constexpr const char* styles =
    ":root{color-scheme:light dark;--ink:#17202b;--bg:#f3f5f8;--panel:#fff;--line:#e1e6ec;--muted:#5a6777}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e7ecf2;--bg:#0e1318;--panel:#161c23;--line:#2a333d;--muted:#9aa7b5}"
    "}"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--bg);margin:0 auto;max-width:68rem;"
    "padding:1rem}h2{margin-top:2.5rem}section,figure{background:var(--panel);border:1px solid var(--line);"
    "border-radius:.6rem;padding:.8rem 1rem;margin:1rem 0;overflow-x:auto}figure svg{max-width:100%;height:auto;"
    "background:#fff;border-radius:.3rem;display:block}table{border-collapse:collapse;font-size:.86rem;width:100%;"
    "font-variant-numeric:tabular-nums}th,td{text-align:left;padding:.2rem .6rem .2rem 0;border-bottom:1px solid "
    "var(--line);vertical-align:top}th{color:var(--muted);font-weight:500}td.n{text-align:right;white-space:nowrap}"
    ".good{color:#0a8a5f}.bad{color:#d1480b;font-weight:600}.open,.note{color:var(--muted)}"
    "details summary{cursor:pointer}figcaption{margin:.6rem 0}";

struct Count {
  int judged = 0, agreeing = 0, open = 0;
  void add(bool is_judged, bool is_agreeing) {
    judged += is_judged;
    agreeing += is_judged && is_agreeing;
    open += !is_judged;
  }
};

Count count_of(const ReproducedCase& part) {
  Count count;
  for (const PublishedRow& row : part.rows) count.add(row.gated, row.agrees());
  for (const PublishedFigure& figure : part.figures)
    for (const FigureClaim& claim : figure.claims) count.add(claim.agrees.has_value(), claim.agrees.value_or(false));
  return count;
}

// Numbers of notes, in the order of their first row.
std::string cell(const std::string& text, const char* kind = nullptr) {
  return kind ? cat("<td class=\"", kind, "\">", text, "</td>") : cat("<td>", text, "</td>");
}

std::string rows_html(const std::vector<PublishedRow>& rows) {
  std::vector<std::string> notes;
  std::string html =
      "<table><thead><tr><th>case</th><th>quantity</th><th>published</th><th>computed</th><th>difference</th>"
      "<th>unit</th><th></th><th>note</th></tr></thead><tbody>\n";
  for (const PublishedRow& row : rows) {
    std::string mark;
    if (!row.note.empty()) {
      const auto at = std::find(notes.begin(), notes.end(), row.note);
      mark = cat(at - notes.begin() + 1);
      if (at == notes.end()) notes.push_back(row.note);
    }
    const char* verdict = !row.gated ? "open" : row.agrees() ? "good" : "bad";
    html += "<tr>" + cell(xml_text(row.case_name)) + cell(xml_text(row.quantity)) +
            cell(std::isnan(row.published) ? "" : number(row.published, 7), "n") + cell(number(row.computed, 7), "n") +
            cell(std::isnan(row.published) ? "" : number(row.computed - row.published, 2), "n") +
            cell(xml_text(row.unit)) +
            cell(verdict_word(row.gated ? std::optional<bool>(row.agrees()) : std::nullopt), verdict) +
            cell(mark, "n") + "</tr>\n";
  }
  html += "</tbody></table>\n<ol class=\"note\">\n";
  for (const std::string& sentence : notes) html += cat("<li>", xml_text(sentence), "</li>\n");
  return html + "</ol>\n";
}

std::string tables_html(const ReproducedCase& part) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<PublishedRow>> tables;
  for (const PublishedRow& row : part.rows) {
    if (tables.count(row.table) == 0) names.push_back(row.table);
    tables[row.table].push_back(row);
  }
  std::string html;
  for (const std::string& name : names) {
    Count count;
    for (const PublishedRow& row : tables[name]) count.add(row.gated, row.agrees());
    html += cat("<section><details", count.agreeing < count.judged || tables[name].size() <= 40 ? " open" : "",
                "><summary><strong>", xml_text(name), "</strong>: ", count.agreeing, " of ", count.judged,
                " judged values agree, ", count.open, " not judged</summary>\n", rows_html(tables[name]),
                "</details></section>\n");
  }
  return html;
}

}  // namespace

std::string reproduce_page(const std::vector<ReproducedCase>& cases) {
  std::string summary, body;
  for (const ReproducedCase& part : cases) {
    const Count count = count_of(part);
    summary += cat("<tr><td><a href=\"#case-", xml_text(part.name), "\">", xml_text(part.name), "</a></td><td>",
                   xml_text(part.summary), "</td><td class=\"n\">", count.agreeing, " of ", count.judged,
                   "</td><td class=\"n\">", count.open, "</td><td class=\"n\">", part.figures.size(), "</td></tr>\n");
    body += cat("<h2 id=\"case-", xml_text(part.name), "\">", xml_text(part.summary), "</h2>\n", tables_html(part));
    for (const PublishedFigure& figure : part.figures) body += figure_html(figure);
  }
  std::string sources;
  for (const auto& paper : papers) sources += cat("<li>[", paper[0], "] ", xml_text(paper[1]), "</li>\n");
  return cat(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><link rel=\"icon\" href=\"data:,\"><title>Published results, "
      "reproduced</title><style>",
      styles,
      "</style></head><body>\n<h1>Published results, reproduced</h1>\n<p>Computed by Lithe. Values and sentences "
      "of the papers beside what the program finds; where they cannot be judged or differ, the note says "
      "why.</p>\n<ul>\n",
      sources,
      "</ul>\n<section><table><thead><tr><th>case</th><th></th><th>agree</th><th>not judged</th>"
      "<th>figures</th></tr></thead><tbody>\n",
      summary, "</tbody></table></section>\n", body, "</body></html>\n");
}

}  // namespace lithe::app
