// [CMP] Table II: natural frequencies of the free L-shape, for two meshes and two numbers of exported modes.
#include "app/reproduce/cmp_frequencies.h"

#include <algorithm>
#include <cmath>

#include "app/program/embedded.h"
#include "lithe/analyse/modes/modes.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

// A column of the table and the example model behind it. The model's own reduction leaves the modes that the column
// lists: all of the mesh, or the 18 of a Craig-Bampton reduction.
struct ColumnCase {
  const char* heading;
  const char* name;
  const char* model;
};
constexpr ColumnCase columns[] = {{"2el_18", "2 elements, 18 modes", "l_shape_cmp_2"},
                                  {"4el_18", "4 elements, 18 modes", "l_shape_cmp_18"},
                                  {"4el_30", "4 elements, 30 modes", "l_shape_cmp"}};

constexpr const char* element_note =
    "The text names Euler-Bernoulli beams, but the table follows from the two-node linear Timoshenko element of "
    "commercial codes with lumped "
    "mass, shear factor 16/19 and torsion constant 0.142628 a^4; elbow mass and motor inertia are part of the body.";

// Half a unit of the last printed digit would be 0.005 Hz. The three fitted constants of the element (see the note)
// carry the table to 0.02 Hz or 1.5e-4, whichever is larger.
double tolerance(double published) { return std::max(0.02, 1.5e-4 * published); }

std::vector<PublishedRow> rows_of(const ColumnCase& column, const PublishedTable& table) {
  const auto heading = std::find(table.headings.begin(), table.headings.end(), column.heading);
  const auto index = static_cast<std::size_t>(heading - table.headings.begin());
  LinkModesOptions options;
  options.reduced = true;
  const LinkModes modes = link_modes(read_example(column.model), 0, options);
  std::vector<PublishedRow> rows;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const double published = table.number(row, index);
    if (std::isnan(published)) continue;
    const int mode = static_cast<int>(table.number(row, 0));
    rows.push_back({.table = "[CMP] Table II",
                    .case_name = column.name,
                    .quantity = cat("frequency of mode ", mode),
                    .unit = "Hz",
                    .published = published,
                    .computed = modes.frequencies(mode - modes.num_rigid - 1),
                    .gated = true,
                    .tolerance = tolerance(published),
                    .note = element_note});
  }
  return rows;
}

const ReproduceRegistration registration({.name = "cmp-frequencies",
                                          .summary = "[CMP] Table II: natural frequencies of the free L-shape",
                                          .run = cmp_table2_rows});

}  // namespace

std::vector<PublishedRow> cmp_table2_rows(Progress& progress) {
  const PublishedTable table = read_published("cmp_table2_natural_frequencies.csv");
  std::vector<PublishedRow> rows;
  for (const ColumnCase& column : columns) {
    const std::vector<PublishedRow> more = rows_of(column, table);
    rows.insert(rows.end(), more.begin(), more.end());
    progress.update(static_cast<double>(&column - columns + 1) / std::size(columns));
  }
  return rows;
}

}  // namespace lithe::app
