#include "app/reproduce/reproduce_figures.h"

#include <map>

#include "lithe/base/text.h"
#include "lithe/view/drawing.h"

namespace lithe::app {
namespace {

std::map<std::string, FigureFunction>& figure_registry() {
  static std::map<std::string, FigureFunction> functions;
  return functions;
}

}  // namespace

FigureRegistration::FigureRegistration(const std::string& reproduce_case, FigureFunction figures) {
  figure_registry().emplace(reproduce_case, std::move(figures));
}

std::vector<PublishedFigure> figures_of(const std::string& reproduce_case, Progress& progress) {
  const auto found = figure_registry().find(reproduce_case);
  return found == figure_registry().end() ? std::vector<PublishedFigure>() : found->second(progress);
}

const char* verdict_word(const std::optional<bool>& agrees) {
  return !agrees ? "not judged" : *agrees ? "agrees" : "DIFFERS";
}

std::string figure_text(const PublishedFigure& figure, const std::string& path) {
  std::string text = cat(figure.figure, ": ", figure.caption, "\n  ", path, "\n");
  for (const FigureClaim& claim : figure.claims)
    text += cat("  published: ", claim.published, "\n  computed:  ", claim.computed, "  [", verdict_word(claim.agrees),
                "]\n");
  return text + "\n";
}

std::string figure_html(const PublishedFigure& figure) {
  std::string html = cat("<figure id=\"", xml_text(figure.file), "\">\n", figure.svg, "<figcaption><strong>",
                         xml_text(figure.figure), ".</strong> ", xml_text(figure.caption), "</figcaption>\n");
  if (!figure.claims.empty())
    html += "<table><thead><tr><th>the paper says</th><th>computed</th><th></th></tr></thead><tbody>\n";
  for (const FigureClaim& claim : figure.claims)
    html += cat("<tr><td>", xml_text(claim.published), "</td><td>", xml_text(claim.computed), "</td><td class=\"",
                !claim.agrees   ? "open"
                : *claim.agrees ? "good"
                                : "bad",
                "\">", verdict_word(claim.agrees), "</td></tr>\n");
  return html + (figure.claims.empty() ? "" : "</tbody></table>\n") + "</figure>\n";
}

}  // namespace lithe::app
