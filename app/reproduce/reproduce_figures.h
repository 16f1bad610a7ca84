// Figures of the papers as this program computes them, each beside what the text says of it. Files in app/reproduce/
// register them under the name of their case.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/terminal/progress.h"

namespace lithe::app {

// A sentence of the paper about a figure, and what is found.
struct FigureClaim {
  std::string published;
  std::string computed;
  std::optional<bool> agrees;  // none: it cannot be judged, the sentence says why
};

struct PublishedFigure {
  std::string figure;   // "[CMS] Figure 3"
  std::string file;     // "cms_figure_3"
  std::string caption;  // what is drawn
  std::vector<FigureClaim> claims;
  std::string svg;
};

using FigureFunction = std::function<std::vector<PublishedFigure>(Progress&)>;
struct FigureRegistration {
  FigureRegistration(const std::string& reproduce_case, FigureFunction figures);
};

// Of a case, in the order of the paper; none where it has none.
std::vector<PublishedFigure> figures_of(const std::string& reproduce_case, Progress& progress);

std::string figure_text(const PublishedFigure& figure, const std::string& path);
// A part of the page: caption, picture, claims.
std::string figure_html(const PublishedFigure& figure);
const char* verdict_word(const std::optional<bool>& agrees);

}  // namespace lithe::app
