// Condensation as the analysis of a sweep.
#include <limits>

#include "lithe/analyse/condense/sets.h"
#include "lithe/analyse/sweep/sweep.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

constexpr const char* directions[] = {"x", "y", "z", "rx", "ry", "rz"};

// Ratio of the largest to the smallest eigenvalue, in SI units as they are.
double condition_number(const Matrix6& stiffness) {
  const Vector6 values = symmetric_values(stiffness).values;
  return values[0] > 0 ? values[5] / values[0] : std::numeric_limits<double>::infinity();
}

class CondensePoints : public PointAnalysis {
 public:
  CondensePoints(Model model, const CondenseOptions& options, int num_frequencies)
      : condenser_(std::move(model), options), num_frequencies_(num_frequencies) {}

  const Model& model() const override { return condenser_.model(); }
  const Mechanism& mechanism() const override { return condenser_.mechanism(); }
  std::optional<NodeOfLink> tool() const override { return condenser_.options().tool; }
  std::unique_ptr<Work> make_work() const override { return std::make_unique<Scratch>(condenser_); }

  PointResult evaluate(const PointPlace& place, Work& work, double* values) const override {
    const CondensedModel condensed = condenser_.condense(place.configuration, static_cast<Scratch&>(work).geometry);
    if (condensed.status != CondenseStatus::ok) return {PointStatus::unconstrained, condensed.message};
    const VectorX frequencies = condensed_frequencies(condensed, num_frequencies_);
    for (Eigen::Index k = 0; k < frequencies.size(); ++k) values[k] = frequencies[k];
    if (!condensed.tool) return {};
    const ToolMatrices& tool = *condensed.tool;
    if (tool.status != CondenseStatus::ok) return {PointStatus::unconstrained, tool.message};
    double* next = values + num_frequencies_;
    for (int i = 0; i < 6; ++i)
      for (int j = i; j < 6; ++j, ++next)
        if (tool.stiffness) *next = (*tool.stiffness)(i, j);
    if (tool.stiffness) *next = condition_number(*tool.stiffness);
    ++next;
    const Vector3 sag = tool.displacements.col(case_gravity).head<3>();
    const Vector3 deflection =
        tool.displacements.col(case_loads).head<3>() + tool.displacements.col(case_imposed).head<3>();
    for (const Vector3& shift : {sag, deflection}) {
      for (int k = 0; k < 3; ++k) *next++ = shift[k];
      *next++ = shift.norm();
    }
    const ToolStiffness by_direction = stiffness_by_direction(tool);
    for (int k = 0; k < 6; ++k) *next++ = by_direction.free[k];
    for (int k = 0; k < 6 && tool.compliance; ++k) next[k] = (*tool.compliance)(k, k);
    return {};
  }

 private:
  struct Scratch : Work {
    explicit Scratch(const Condenser& condenser) : geometry(condenser.make_geometry()) {}
    CondenseGeometry geometry;
  };
  Condenser condenser_;
  int num_frequencies_;
};

}  // namespace

std::vector<SweepColumn> condense_columns(int num_frequencies, bool with_tool) {
  using enum SweepShow;
  std::vector<SweepColumn> columns;
  for (int k = 1; k <= num_frequencies; ++k) columns.push_back({cat("frequency_", k), "Hz", k <= 4 ? picture : page});
  if (!with_tool) return columns;
  for (int i = 0; i < 6; ++i)
    for (int j = i; j < 6; ++j)
      columns.push_back({cat("stiffness_", directions[i], "_", directions[j]),
                         i < 3 ? (j < 3 ? "N/m" : "N/rad") : "N m/rad", i == j ? page : files});
  columns.push_back({"condition", "", picture});
  for (const char* what : {"sag", "deflection"}) {
    for (int k = 0; k < 3; ++k) columns.push_back({cat(what, "_", directions[k]), "m"});
    columns.push_back({what, "m", what == std::string("sag") ? picture : files});
  }
  // 1/C_ii, the other directions free; stiffness_i_i above has them locked.
  for (int k = 0; k < 6; ++k)
    columns.push_back({cat("free_stiffness_", directions[k]), k < 3 ? "N/m" : "N m/rad", page});
  for (int k = 0; k < 6; ++k)
    columns.push_back({cat("compliance_", directions[k], "_", directions[k]), k < 3 ? "m/N" : "rad/(N m)", files});
  return columns;
}

std::unique_ptr<PointAnalysis> condense_analysis(Model model, const CondenseOptions& options, int num_frequencies) {
  return std::make_unique<CondensePoints>(std::move(model), options, num_frequencies);
}

}  // namespace lithe
