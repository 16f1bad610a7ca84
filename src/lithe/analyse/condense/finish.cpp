// From the retained coordinates to the result: the independent nodes, and the tool.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/analyse/condense/condense.h"
#include "lithe/analyse/condense/dense.h"
#include "lithe/analyse/condense/sets.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/reduce/balanced_modes.h"

namespace lithe {
namespace {

// Below this part of its diagonal a matrix counts as singular.
constexpr double singular = 1e-12;

VectorX part_of(const VectorX& level, const std::vector<int>& columns) {
  return level.size() > 0 ? VectorX(level(columns)) : VectorX();
}

// The larger of the diagonal and the level before anything cancelled.
VectorX sizes(const MatrixX& matrix, const VectorX& level) {
  return level.size() > 0 ? VectorX(matrix.diagonal().cwiseMax(level)) : VectorX(matrix.diagonal());
}

// Number of directions in which a symmetric matrix resists, with its diagonal scaled to one.
Eigen::Index rank_of(const MatrixX& matrix, const VectorX& level = {}) {
  if (matrix.rows() == 0) return 0;
  const VectorX size = sizes(matrix, level);
  VectorX scale(matrix.rows());
  for (Eigen::Index i = 0; i < scale.size(); ++i) scale[i] = size[i] > 0 ? 1 / std::sqrt(size[i]) : 0.0;
  const SymmetricPairs levels = symmetric_values(scale.asDiagonal() * matrix * scale.asDiagonal());
  return (levels.values.array() > singular).count();
}

bool is_rounding(const MatrixX& stiffness, const VectorX& level, const VectorX& z) {
  return z.dot(stiffness * z) <= singular * z.cwiseAbs2().dot(sizes(stiffness, level));
}

// Where each z coordinate is in the retained system; -1: eliminated.
std::vector<int> places_of(const RetainedSystem& system, int num_coordinates) {
  std::vector<int> place(num_coordinates, -1);
  for (std::size_t i = 0; i < system.columns.size(); ++i)
    if (system.columns[i] < num_coordinates) place[system.columns[i]] = static_cast<int>(i);
  return place;
}

// The retained coordinates by what becomes of them.
struct Roles {
  std::vector<int> kept, imposed, others;
  VectorX imposed_values;
};

Roles roles_of(const CondenseTopology& topology, const CondenseOptions& options, const CondenseGeometry& geometry,
               const RetainedSystem& system) {
  const std::vector<int> place = places_of(system, geometry.num_coordinates());
  Roles roles;
  std::vector<double> values;
  std::vector<bool> taken(system.columns.size(), false);
  const auto take = [&](int s, std::vector<int>& list) {
    for (int k = 0; k < 6; ++k) {
      list.push_back(place[geometry.root_column(s) + k]);
      taken[list.back()] = true;
    }
  };
  for (const int s : topology.kept()) take(s, roles.kept);
  for (std::size_t s = 0; s < topology.subsystems().size(); ++s) {
    const Subsystem& subsystem = topology.subsystems()[s];
    if (subsystem.role != SubsystemRole::imposed) continue;
    const Vector6 imposed = imposed_components(options.imposed[subsystem.imposed]);
    for (int k = 0; k < 6; ++k) {
      if (std::isnan(imposed[k])) continue;  // free: follows statically
      roles.imposed.push_back(place[geometry.root_column(static_cast<int>(s)) + k]);
      taken[roles.imposed.back()] = true;
      values.push_back(imposed[k]);
    }
  }
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (!taken[i]) roles.others.push_back(static_cast<int>(i));
  roles.imposed_values = Eigen::Map<VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
  return roles;
}

// Imposed displacements act as the forces that their stiffness hands on.
DenseSystem with_imposed_loads(const RetainedSystem& system, const Roles& roles) {
  DenseSystem result{system.stiffness, system.mass, system.loads, system.level};
  if (!roles.imposed.empty())
    result.loads.col(case_imposed) -= system.stiffness(Eigen::all, roles.imposed) * roles.imposed_values;
  return result;
}

VectorX in_coordinates(const CondenseGeometry& geometry, const RetainedSystem& system, const VectorX& motion) {
  if (system.shape.cols() == motion.size() && motion.size() > 0) return system.shape * motion;
  VectorX z = VectorX::Zero(geometry.num_coordinates());
  for (std::size_t i = 0; i < system.columns.size(); ++i)
    if (system.columns[i] < z.size()) z[system.columns[i]] = motion[static_cast<Eigen::Index>(i)];
  return z;
}

std::string sentence_list(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), shown); ++i) text += (i > 0 ? ", " : "") + names[i];
  return names.size() > shown ? cat(text, " and ", names.size() - shown, " more") : text;
}

std::vector<int> joined(std::vector<int> a, const std::vector<int>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

std::string Condenser::describe_unconstrained(const CondenseGeometry& geometry, const VectorX& z) const {
  const std::vector<std::string> names = geometry.participants(z);
  const bool one = names.size() == 1;
  return cat("no stiffness holds ", sentence_list(names), ": ", one ? "it" : "they",
             " can move while the independent nodes are at rest; give ", one ? "it" : "one of them",
             " a stiffness, hold it, or prescribe its motion");
}

// What moves when the reduced model moves without resistance.
std::string Condenser::free_motion_note(const CondenseGeometry& geometry, const RetainedSystem& system,
                                        const std::vector<int>& kept, const MatrixX& stiffness,
                                        Eigen::Index count) const {
  VectorX scale(stiffness.rows());
  for (Eigen::Index i = 0; i < scale.size(); ++i) scale[i] = stiffness(i, i) > 0 ? 1 / std::sqrt(stiffness(i, i)) : 1.0;
  const SymmetricPairs levels = symmetric_pairs(scale.asDiagonal() * stiffness * scale.asDiagonal());
  VectorX motion = VectorX::Zero(system.stiffness.rows());
  motion(kept) = scale.cwiseProduct(levels.vectors.col(0));
  return cat(count, count == 1 ? " motion meets" : " motions meet", " no stiffness; one of ",
             sentence_list(geometry.participants(in_coordinates(geometry, system, motion))));
}

namespace {

// Which freedoms were left out, by their joints.
std::string spin_note(const Model& model, const CondenseTopology& topology) {
  std::vector<std::string> pairs;
  for (const int j : topology.joints_without_spin())
    pairs.push_back(cat("'", model.joints[topology.freedoms(j).spin_to].name, "' and '", model.joints[j].name, "'"));
  if (pairs.empty()) return {};
  return cat(pairs.size() == 1 ? "a strut does not spin about the line through its"
                               : cat(pairs.size(), " struts do not spin about the line through their"),
             " joints, which nothing else would hold: ", sentence_list(pairs));
}

}  // namespace

CondensedModel Condenser::finish(const CondenseGeometry& geometry, const RetainedSystem& system) const {
  CondensedModel result;
  result.num_coordinates = geometry.num_coordinates();
  result.num_redundant = geometry.num_redundant();
  for (int s = 0; s < static_cast<int>(topology_.subsystems().size()); ++s)
    if (geometry.num_redundant(s) > 0)
      result.notes.push_back(cat(topology_.describe(model_, s), " has loops with ", geometry.num_redundant(s),
                                 geometry.num_redundant(s) == 1 ? " redundant constraint" : " redundant constraints"));
  if (const std::string note = spin_note(model_, topology_); !note.empty()) result.notes.push_back(note);
  result.nodes = topology_.independent_nodes();
  for (const NodeOfLink& node : result.nodes) result.positions.push_back(geometry.node_position(node));
  const Roles roles = roles_of(topology_, options_, geometry, system);
  const DenseSystem loaded = with_imposed_loads(system, roles);
  VectorX unconstrained;
  std::optional<DenseSystem> reduced = condense_dense(
      loaded, roles.kept, roles.others,
      [&](const VectorX& z) { return is_rounding(loaded.stiffness, loaded.level, z); }, unconstrained);
  if (!reduced) {
    set_unconstrained(geometry, in_coordinates(geometry, system, unconstrained), result);
    return result;
  }
  result.stiffness = std::move(reduced->stiffness);
  result.mass = std::move(reduced->mass);
  result.loads = std::move(reduced->loads);
  const Eigen::Index free = result.stiffness.rows() - rank_of(result.stiffness, part_of(system.level, roles.kept));
  if (free > 0)
    result.notes.push_back(free_motion_note(geometry, system, roles.kept, result.stiffness, free));
  else if (result.stiffness.rows() > 0)
    result.displacements = result.stiffness.ldlt().solve(result.loads);
  if (options_.tool)
    result.tool = tool_matrices(
        geometry, {loaded.stiffness, loaded.mass, loaded.loads, system.columns, system.shape, loaded.level});
  return result;
}

ToolMatrices Condenser::tool_matrices(const CondenseGeometry& geometry, const RetainedSystem& system) const {
  const PointMap map = tool_map(geometry);
  const TiedBody& body = topology_.bodies()[topology_.body_of(*options_.tool)];
  const Subsystem& subsystem = topology_.subsystems()[body.subsystem];
  const bool on_root = body.path.empty() && subsystem.root_size == 6 && subsystem.role != SubsystemRole::imposed;
  if (!on_root) return compliance_of_tool(geometry, system, map);
  const int first = places_of(system, geometry.num_coordinates())[geometry.root_column(body.subsystem)];
  return reduce_to_tool(geometry, system, first, map.matrix.leftCols<6>());
}

// [SC] section 4.2: a second static reduction, of all but the six coordinates that the tool moves with.
ToolMatrices Condenser::reduce_to_tool(const CondenseGeometry& geometry, const RetainedSystem& system, int first,
                                       const Matrix6& tool_from_root) const {
  const Roles roles = roles_of(topology_, options_, geometry, system);
  std::vector<int> own, others;
  for (int k = 0; k < 6; ++k) own.push_back(first + k);
  for (const int i : joined(roles.kept, roles.others))
    if (i < first || i >= first + 6) others.push_back(i);
  ToolMatrices tool;
  VectorX unconstrained;
  const std::optional<DenseSystem> reduced = condense_dense(
      {system.stiffness, system.mass, system.loads, system.level}, own, others,
      [&](const VectorX& z) { return is_rounding(system.stiffness, system.level, z); }, unconstrained);
  if (!reduced) {
    tool.status = CondenseStatus::unconstrained;
    tool.message = cat("with the tool at rest, ",
                       describe_unconstrained(geometry, in_coordinates(geometry, system, unconstrained)));
    return tool;
  }
  const Matrix6 root_from_tool = tool_from_root.inverse();
  tool.stiffness = root_from_tool.transpose() * reduced->stiffness * root_from_tool;
  tool.mass = root_from_tool.transpose() * reduced->mass * root_from_tool;
  const VectorX level = system.level.size() > 0
                            ? VectorX(root_from_tool.cwiseAbs2().transpose() * part_of(system.level, own))
                            : VectorX();
  if (rank_of(*tool.stiffness, level) < 6) {
    tool.message = "the tool can move without resistance: its stiffness is singular";
    return tool;
  }
  const Eigen::LDLT<MatrixX> factor(*tool.stiffness);
  tool.compliance = factor.solve(MatrixX::Identity(6, 6));
  tool.displacements = factor.solve(root_from_tool.transpose() * reduced->loads);
  return tool;
}

// A tool that hangs on joints of its subsystem: from its compliance C = T K⁻¹ Tᵀ, (17).
ToolMatrices Condenser::compliance_of_tool(const CondenseGeometry& geometry, const RetainedSystem& system,
                                           const PointMap& map) const {
  const Roles roles = roles_of(topology_, options_, geometry, system);
  const std::vector<int> place = places_of(system, geometry.num_coordinates());
  MatrixX T = MatrixX::Zero(6, system.stiffness.rows());
  for (std::size_t k = 0; k < map.columns.size(); ++k)
    if (place[map.columns[k]] >= 0) T.col(place[map.columns[k]]) = map.matrix.col(static_cast<Eigen::Index>(k));
  const std::vector<int> moving = joined(roles.kept, roles.others);
  const MatrixX K = system.stiffness(moving, moving), M = system.mass(moving, moving), T_m = T(Eigen::all, moving);
  ToolMatrices tool;
  if (rank_of(K, part_of(system.level, moving)) < K.rows()) {
    tool.status = CondenseStatus::unconstrained;
    const SymmetricPairs levels = symmetric_pairs(K);
    VectorX motion = VectorX::Zero(system.stiffness.rows());
    motion(moving) = levels.vectors.col(0);
    tool.message = cat("the tool's stiffness is not defined: ",
                       describe_unconstrained(geometry, in_coordinates(geometry, system, motion)));
    return tool;
  }
  const Eigen::LDLT<MatrixX> factor(K);
  const MatrixX X = factor.solve(T_m.transpose());
  const Matrix6 C = T_m * X;
  tool.compliance = 0.5 * (C + C.transpose());
  tool.displacements = T_m * factor.solve(system.loads(moving, Eigen::all));
  if (!roles.imposed.empty())
    tool.displacements.col(case_imposed) += T(Eigen::all, roles.imposed) * roles.imposed_values;
  const Eigen::Index rank = rank_of(*tool.compliance);
  if (rank < 6) {
    tool.message = cat("the tool can move in ", rank, " of 6 directions only: its stiffness is infinite in the others");
    return tool;
  }
  tool.stiffness = tool.compliance->ldlt().solve(Matrix6::Identity());
  const MatrixX shape = X * *tool.stiffness;
  tool.mass = shape.transpose() * M * shape;
  return tool;
}

namespace {

VectorX to_frequencies(const VectorX& squared, int count) {
  const double highest = squared.size() > 0 ? squared[squared.size() - 1] : 0.0;
  VectorX frequencies = squared.head(std::min<Eigen::Index>(count, squared.size()));
  for (double& value : frequencies) value = value > 1e-15 * highest ? std::sqrt(value) / (2 * std::numbers::pi) : 0.0;
  return frequencies;
}

}  // namespace

VectorX condensed_frequencies(const CondensedModel& model, int count) {
  return to_frequencies(balanced_modes(model.stiffness, model.mass, false).squared_frequencies, count);
}

CondensedModes condensed_modes(const CondensedModel& model, int count) {
  const NaturalModes modes = balanced_modes(model.stiffness, model.mass, true);
  CondensedModes result{to_frequencies(modes.squared_frequencies, count), {}};
  result.shapes = modes.shapes.leftCols(result.frequencies.size());
  for (Eigen::Index k = 0; k < result.shapes.cols(); ++k) {  // the largest component is positive
    Eigen::Index largest = 0;
    result.shapes.col(k).cwiseAbs().maxCoeff(&largest);
    if (result.shapes(largest, k) < 0) result.shapes.col(k) = -result.shapes.col(k);
  }
  return result;
}

}  // namespace lithe
