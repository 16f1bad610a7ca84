// [SC] Figures 10, 11, 13 and 14: the Ragnar robot's matrices, frequencies and workspace.
#include <algorithm>
#include <cmath>
#include <functional>

#include "app/program/embedded.h"
#include "app/reproduce/papers/condensation.h"
#include "app/reproduce/reproduce_figures.h"
#include "app/terminal/output.h"
#include "lithe/analyse/condense/full.h"
#include "lithe/analyse/sweep/sweep.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/view/map_picture.h"
#include "lithe/view/plot.h"

namespace lithe::app {
namespace {

// Which entries of a square matrix are not zero, as squares. `marks`: lines after so many rows, with their names.
std::string pattern_svg(int size, const std::function<bool(int, int)>& filled, const std::string& title,
                        const std::vector<std::pair<int, std::string>>& marks) {
  constexpr double side = 440, left = 60, top = 60;
  const double cell = side / size;
  std::string svg =
      cat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 560 540\" width=\"560\" height=\"540\" "
          "role=\"img\" aria-label=\"",
          xml_text(title), "\">\n<rect width=\"560\" height=\"540\" fill=\"#ffffff\"/>\n",
          "<g font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"#212529\"><text x=\"", left,
          "\" y=\"26\" font-size=\"14\" font-weight=\"600\">", xml_text(title), "</text>\n");
  svg += cat("<rect x=\"", left, "\" y=\"", top, "\" width=\"", side, "\" height=\"", side,
             "\" fill=\"none\" stroke=\"#495057\"/>\n<path fill=\"#0060b0\" d=\"");
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      if (filled(i, j)) svg += cat("M", left + j * cell, " ", top + i * cell, "h", cell, "v", cell, "h-", cell, "z");
  svg += "\"/>\n";
  int from = 0;
  for (const auto& [to, name] : marks) {
    const double middle = 0.5 * (from + to) * cell, end = to * cell;
    svg += cat("<text x=\"", left + middle, "\" y=\"", top - 8, "\" text-anchor=\"middle\">", xml_text(name),
               "</text><text x=\"", left - 8, "\" y=\"", top + middle + 4, "\" text-anchor=\"end\">", xml_text(name),
               "</text>\n");
    if (to < size)
      svg += cat("<path stroke=\"#d6540c\" stroke-dasharray=\"5 3\" fill=\"none\" d=\"M", left + end, " ", top, "v",
                 side, "M", left, " ", top + end, "h", side, "\"/>\n");
    from = to;
  }
  return svg + "</g></svg>\n";
}

// Nodes of all flexible links, inner ones first, with the pairs that beams connect.
PublishedFigure sc_figure_10(const Model& ragnar) {
  struct MeshNode {
    std::size_t body;
    int node;
  };
  std::vector<FiniteElementBody> bodies;
  std::vector<MeshNode> inner, boundary;
  for (const Link& link : ragnar.links) {
    if (link.rigid || link.segments.empty()) continue;
    bodies.push_back(assemble(ragnar, link));
    for (int k = 0; k < bodies.back().num_nodes(); ++k)
      (k < static_cast<int>(link.nodes.size()) ? boundary : inner).push_back({bodies.size() - 1, k});
  }
  std::vector<MeshNode> nodes = inner;
  nodes.insert(nodes.end(), boundary.begin(), boundary.end());
  const auto connected = [&](int i, int j) {
    const MeshNode &a = nodes[static_cast<std::size_t>(i)], &b = nodes[static_cast<std::size_t>(j)];
    if (a.body != b.body) return false;
    return a.node == b.node ||
           std::any_of(bodies[a.body].elements.begin(), bodies[a.body].elements.end(), [&](const BeamElement& element) {
             return (element.node_a == a.node && element.node_b == b.node) ||
                    (element.node_a == b.node && element.node_b == a.node);
           });
  };
  const int count = static_cast<int>(nodes.size()), unknowns = 6 * count;
  return {"[SC] Figure 10",
          "sc_figure_10",
          "Stiffness matrix of the Ragnar robot's links before the joints, nodes as 6 x 6 blocks, partitioned into "
          "inner (I) and boundary (B) nodes.",
          {{"Six beams for a proximal link and twelve for a distal one give 792 degrees of freedom.",
            cat(unknowns, " degrees of freedom, ", 6 * inner.size(), " of them inner."), unknowns == 792},
           {"There is no coupling between nodes of different bodies, as the joints have not been considered yet.",
            "Each block belongs to one link by construction of the mesh.", true}},
          pattern_svg(count, connected, "stiffness, inner and boundary nodes",
                      {{static_cast<int>(inner.size()), "I"}, {count, "B"}})};
}

PublishedFigure sc_figure_11(const CondensedModel& condensed) {
  const MatrixX& K = condensed.stiffness;
  const double level = 1e-9 * K.cwiseAbs().maxCoeff();
  double legs = 0;  // between elbows of different legs
  for (Eigen::Index i = 0; i < 24; ++i)
    for (Eigen::Index j = 0; j < 24; ++j)
      if (i / 6 != j / 6) legs = std::max(legs, std::abs(K(i, j)));
  return {"[SC] Figure 11",
          "sc_figure_11",
          "Stiffness matrix of the reduced model: elbows B of the four legs and the tool E, six coordinates each.",
          {{"The reduced model has five nodes, 30 degrees of freedom.", cat(K.rows(), " degrees of freedom."),
            K.rows() == 30},
           {"Blocks of the nodes B are decoupled among them and coupled to node E.",
            cat("Largest entry between two legs: ", number(legs / K.cwiseAbs().maxCoeff(), 2), " of the largest one."),
            legs < level}},
          pattern_svg(static_cast<int>(K.rows()), [&](int i, int j) { return std::abs(K(i, j)) > level; },
                      "reduced stiffness", {{6, "B1"}, {12, "B2"}, {18, "B3"}, {24, "B4"}, {30, "E"}})};
}

PublishedFigure sc_figure_13(const Condenser& condenser, const CondensedModel& condensed, const Configuration& home) {
  const VectorX reduced = condensed_frequencies(condensed, 30), full = full_model(condenser, home, 30).frequencies;
  PlotCurve a{"reduced", "Hz", {}, {}}, b{"full", "Hz", {}, {}};
  for (Eigen::Index k = 0; k < 30; ++k) {
    a.x.push_back(static_cast<double>(k + 1)), b.x.push_back(static_cast<double>(k + 1));
    a.y.push_back(k < reduced.size() ? reduced[k] : std::nan("")),
        b.y.push_back(k < full.size() ? full[k] : std::nan(""));
  }
  // Static condensation is Ritz's method: no reduced frequency lies below the full one. That both are similar at low
  // frequencies and differ more at high ones is judged by the mean difference of ten modes at a time, which has to
  // grow, and by the tool's translations, the first three, which have to differ less than all others.
  const auto off = [&](Eigen::Index k) { return reduced[k] / full[k] - 1; };
  double low = 0, least = 0, others = 1e300, means[3] = {0, 0, 0};
  for (Eigen::Index k = 0; k < 30; ++k) {
    least = std::min(least, off(k));
    means[k / 10] += off(k) / 10;
    if (k < 3) low = std::max(low, std::abs(off(k)));
    if (k >= 3) others = std::min(others, off(k));
  }
  return {"[SC] Figure 13",
          "sc_figure_13",
          "First 30 natural frequencies of the Ragnar robot at p = [0, 0, -0.5] m, reduced and full model.",
          {{"Both are similar at low frequencies, and differ more at high ones.",
            cat("The first three, the tool's translations, differ by at most ", number(100 * low, 2),
                " %, all others by more; modes 1 to 10 by ", number(100 * means[0], 2), " %, 11 to 20 by ",
                number(100 * means[1], 3), " %, 21 to 30 by ", number(100 * means[2], 3), " % in the mean."),
            least > -1e-6 && low < others && means[0] < means[1] && means[1] < means[2]}},
          drawing_svg(draw_plot(
              {a, b}, {.title = "natural frequencies of the Ragnar robot", .x_label = "mode", .panel_height = 300}))};
}

class FrequencyStore : public SweepStore {
 public:
  explicit FrequencyStore(long long count) : values(static_cast<std::size_t>(count)) {}
  bool is_done(long long) const override { return false; }
  void put(long long index, const PointResult& result, const std::vector<double>& found) override {
    if (result.status == PointStatus::ok) values[static_cast<std::size_t>(index)] = found;
  }
  std::vector<std::vector<double>> values;
};

std::vector<double> evenly(double from, double to, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(from + (to - from) * i / (count - 1));
  return values;
}

PublishedFigure sc_figure_14(const Model& ragnar) {
  constexpr int nx = 13, ny = 19;
  Sweep sweep;
  const auto tool = [](const char* name, int component) {
    SweepVariable variable;
    variable.kind = SweepVariable::Kind::tool;
    variable.name = name;
    variable.unit = "m";
    variable.component = component;
    return variable;
  };
  sweep.axes = {{tool("tool.x", 0), evenly(-0.24, 0.24, nx)}, {tool("tool.y", 1), evenly(-0.45, 0.45, ny)}};
  sweep.settings = {{tool("tool.z", 2), -0.57}};
  sweep.columns = condense_columns(4, true);
  sweep.make_analysis = [&](const std::vector<double>&) {
    return condense_analysis(ragnar, ragnar_options(ragnar), 4);
  };
  FrequencyStore store(sweep.num_points());
  run_sweep(sweep, store, {});
  const auto value = [&](std::size_t k, std::size_t i, std::size_t j) {
    const std::vector<double>& point = store.values[i * ny + j];
    return k < point.size() ? point[k] : std::nan("");
  };
  std::vector<MapPanel> panels;
  for (std::size_t k = 0; k < 4; ++k)
    panels.push_back(
        {cat("frequency ", k + 1, " [Hz]"), [&, k](std::size_t i, std::size_t j) { return value(k, i, j); }});
  // From the middle to the edge, along each axis.
  const double middle = value(0, nx / 2, ny / 2), along_x = middle - value(0, 0, ny / 2),
               along_y = middle - value(0, nx / 2, 0);
  const double corner = std::max({value(0, 0, 0), value(0, nx - 1, 0), value(0, 0, ny - 1), value(0, nx - 1, ny - 1)});
  return {
      "[SC] Figure 14",
      "sc_figure_14",
      "First four natural frequencies over 480 x 900 mm at p_z = -570 mm.",
      {{"The frequencies are more influenced by x than by y.",
        cat("The first one falls from the middle by ", number(along_x / 0.24, 3), " Hz/m to the edge in x and by ",
            number(along_y / 0.45, 3), " Hz/m to the edge in y."),
        std::abs(along_x) / 0.24 > std::abs(along_y) / 0.45},
       {"They decay at the edges of the workspace.",
        cat("First frequency: ", number(middle, 4), " Hz in the middle, at most ", number(corner, 4),
            " Hz in a corner."),
        corner < middle}},
      map_picture({{"x [m]", sweep.axes[0].values}, {"y [m]", sweep.axes[1].values}}, panels, "Ragnar, p_z = -570 mm")};
}

std::vector<PublishedFigure> sc_figures(Progress& progress) {
  const Model ragnar = read_example("ragnar");
  const Condenser condenser(ragnar, ragnar_options(ragnar));
  const Configuration home = initial_configuration(condenser.mechanism(), condenser.model());
  CondenseGeometry geometry = condenser.make_geometry();
  const CondensedModel condensed = condenser.condense(home, geometry);
  std::vector<PublishedFigure> figures{sc_figure_10(ragnar), sc_figure_11(condensed),
                                       sc_figure_13(condenser, condensed, home)};
  progress.update(0.4);
  figures.push_back(sc_figure_14(ragnar));
  return figures;
}

const FigureRegistration sc_registration("sc", sc_figures);

}  // namespace
}  // namespace lithe::app
