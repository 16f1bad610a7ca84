#include "lithe/analyse/condense/condense.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <numbers>
#include <numeric>

#include "lithe/analyse/condense/dense.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/model/error_at.h"
#include "lithe/reduce/reduce.h"
#include "lithe/reduce/solvers/static_condensation.h"

namespace lithe {
namespace {

// Systems up to this many coordinates are reduced as dense matrices.
constexpr int largest_dense_system = 400;
// Energies below this part of their level are rounding.
constexpr double rounding = 1e-12;
constexpr double least_pivot = 1e-14;
// Numbers of static shapes that are held in memory.
constexpr double largest_shapes = 3e7;
// More independent nodes are no condensed model.
constexpr std::size_t most_nodes = 400;

class DenseSink : public CondenseSink {
 public:
  explicit DenseSink(int size)
      : system{MatrixX::Zero(size, size), MatrixX::Zero(size, size), MatrixX::Zero(size, num_load_cases),
               VectorX::Zero(size)},
        springs(MatrixX::Zero(size, size)) {}

  void add(CondensePart part, const std::vector<int>& columns, const MatrixX& block) override {
    MatrixX& matrix = part == CondensePart::mass ? system.mass : system.stiffness;
    scatter(columns, block, matrix);
    if (part == CondensePart::spring) scatter(columns, block, springs);
  }
  void add_load(int load_case, const std::vector<int>& columns, const VectorX& force) override {
    for (std::size_t i = 0; i < columns.size(); ++i)
      system.loads(columns[i], load_case) += force[static_cast<Eigen::Index>(i)];
  }
  void add_level(const std::vector<int>& columns, const VectorX& level) override {
    for (std::size_t i = 0; i < columns.size(); ++i) system.level[columns[i]] += level[static_cast<Eigen::Index>(i)];
  }

  DenseSystem system;
  MatrixX springs;

 private:
  static void scatter(const std::vector<int>& columns, const MatrixX& block, MatrixX& matrix) {
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t i = 0; i < columns.size(); ++i)
        matrix(columns[i], columns[j]) += block(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  }
};

class SparseSink : public CondenseSink {
 public:
  explicit SparseSink(int size) : loads(MatrixX::Zero(size, num_load_cases)), level(VectorX::Zero(size)), size_(size) {}

  void add(CondensePart part, const std::vector<int>& columns, const MatrixX& block) override {
    append_block(columns, block, part == CondensePart::mass ? mass_ : stiffness_);
  }
  void add_load(int load_case, const std::vector<int>& columns, const VectorX& force) override {
    for (std::size_t i = 0; i < columns.size(); ++i)
      loads(columns[i], load_case) += force[static_cast<Eigen::Index>(i)];
  }
  void add_level(const std::vector<int>& columns, const VectorX& added) override {
    for (std::size_t i = 0; i < columns.size(); ++i) level[columns[i]] += added[static_cast<Eigen::Index>(i)];
  }
  SparseMatrix stiffness() const { return assembled(stiffness_); }
  SparseMatrix mass() const { return assembled(mass_); }

  MatrixX loads;
  VectorX level;

 private:
  SparseMatrix assembled(const CondenseTriplets& triplets) const {
    SparseMatrix matrix(size_, size_);
    matrix.setFromTriplets(triplets.begin(), triplets.end());
    return matrix;
  }
  int size_;
  CondenseTriplets stiffness_, mass_;
};

void add_all(const CondenseParts& parts, const CondenseGeometry& geometry, CondenseSink& sink) {
  add_flexible_links(parts, geometry, sink);
  add_rigid_links(parts, geometry, sink);
  add_joints(parts, geometry, sink);
  add_loads(parts, geometry, sink);
}

// Mass of a rigid link about its origin: momentum (p, L) = M (v, ω).
Matrix6 rigid_mass(const Link& link) {
  const InertiaInvariants& inertia = rigid_body(link).invariants;
  Matrix6 mass = Matrix6::Zero();
  mass.topLeftCorner<3, 3>() = inertia.mass * Matrix3::Identity();
  mass.topRightCorner<3, 3>() = -skew(inertia.first_moment);
  mass.bottomLeftCorner<3, 3>() = skew(inertia.first_moment);
  mass.bottomRightCorner<3, 3>() = inertia.second_moment.trace() * Matrix3::Identity() - inertia.second_moment;
  return mass;
}

// Angles of joints that turn about any axis are none of the coordinates here, nor are freedoms of joints that tie
// nothing.
void check_coupling(const Model& model, const CondenseTopology& topology, const Coupling& coupling) {
  std::vector<CoupledFreedom> members = coupling.terms;
  members.push_back({coupling.joint, coupling.freedom, 1});
  for (const CoupledFreedom& member : members) {
    const Joint& joint = model.joints[static_cast<std::size_t>(member.joint)];
    const bool ball = joint.type == JointType::spherical || joint.type == JointType::free;
    if (topology.freedoms(member.joint).ties && !(ball && is_rotation(joint.type, member.freedom))) continue;
    throw InputError(std::vector<Diagnostic>{error_at(
        coupling.place, cat("coupling '", coupling.name, "': condensation knows no couplings of joint '", joint.name,
                            "', which turns about any axis or leaves all six degrees of freedom; "
                            "'lithe modes', 'lithe equilibrium' and 'lithe contributions' answer with them"))});
  }
}

std::vector<int> without(int size, const std::vector<int>& taken) {
  std::vector<bool> is_taken(size, false);
  for (const int i : taken) is_taken[i] = true;
  std::vector<int> rest;
  for (int i = 0; i < size; ++i)
    if (!is_taken[i]) rest.push_back(i);
  return rest;
}

}  // namespace

Condenser::Condenser(Model model, CondenseOptions options)
    : model_(std::move(model)),
      options_(std::move(options)),
      topology_(model_, options_),
      mechanism_(model_),
      superelements_(model_.links.size()),
      rigid_masses_(model_.links.size(), Matrix6::Zero()) {
  for (const Coupling& coupling : model_.couplings) check_coupling(model_, topology_, coupling);
  if (topology_.kept().size() > most_nodes)
    throw InputError(cat(model_.file, ": ", topology_.kept().size(),
                         " independent nodes are no condensed model (at most ", most_nodes, "); choose some of them"));
  std::vector<Diagnostic> errors;
  for (std::size_t i = 0; i < model_.links.size(); ++i) {
    const Link& link = model_.links[i];
    try {
      if (link.rigid) {
        rigid_masses_[i] = rigid_mass(link);
      } else {
        superelements_[i] =
            superelement(assemble(model_, statically_coarse(link)), topology_.boundary(static_cast<int>(i)));
      }
    } catch (const InputError& error) {
      errors.insert(errors.end(), error.errors().begin(), error.errors().end());
    }
  }
  if (!errors.empty()) throw InputError(std::move(errors));
}

std::vector<int> Condenser::retained_columns(const CondenseGeometry& geometry) const {
  std::vector<int> columns;
  for (std::size_t s = 0; s < topology_.subsystems().size(); ++s) {
    const SubsystemRole role = topology_.subsystems()[s].role;
    if (role == SubsystemRole::kept || role == SubsystemRole::imposed)
      for (int k = 0; k < 6; ++k) columns.push_back(geometry.root_column(static_cast<int>(s)) + k);
  }
  if (options_.tool) {
    const PointMap map = tool_map(geometry);
    const TiedBody& body = topology_.bodies()[topology_.body_of(*options_.tool)];
    // On the root's own body the root's coordinates are all it depends on.
    if (body.path.empty() && topology_.subsystems()[body.subsystem].root_size == 6)
      columns.insert(columns.end(), map.columns.begin(), map.columns.begin() + 6);
    else
      columns.insert(columns.end(), map.columns.begin(), map.columns.end());
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

PointMap Condenser::tool_map(const CondenseGeometry& geometry) const {
  PointMap map;
  geometry.point_map(topology_.body_of(*options_.tool), geometry.node_position(*options_.tool), map);
  return map;
}

void Condenser::set_unconstrained(const CondenseGeometry& geometry, const VectorX& z, CondensedModel& result) const {
  result.status = CondenseStatus::unconstrained;
  result.message = describe_unconstrained(geometry, z);
}

std::optional<RetainedSystem> Condenser::reduce_dense(const CondenseGeometry& geometry, CondensedModel& result) const {
  DenseSink sink(geometry.num_coordinates());
  add_all(parts(), geometry, sink);
  const IsUnconstrained is_unconstrained = [&](const VectorX& motion) {
    const StrainEnergy energy = strain_energy(parts(), geometry, motion);
    return energy.value <= rounding * energy.level;
  };
  const std::vector<int> retained = retained_columns(geometry);
  VectorX unconstrained;
  MatrixX energy, shape;
  if (!options_.spring_energy) energy = sink.system.stiffness - sink.springs;
  std::optional<DenseSystem> system =
      condense_dense(sink.system, retained, without(geometry.num_coordinates(), retained), is_unconstrained,
                     unconstrained, options_.spring_energy ? nullptr : &energy, &shape);
  if (!system) {
    set_unconstrained(geometry, unconstrained, result);
    return std::nullopt;
  }
  return RetainedSystem{
      std::move(system->stiffness), std::move(system->mass), std::move(system->loads), retained, std::move(shape),
      sink.system.level(retained)};
}

std::optional<RetainedSystem> Condenser::reduce_sparse(const CondenseGeometry& geometry, CondensedModel& result) const {
  SparseSink sink(geometry.num_coordinates());
  add_all(parts(), geometry, sink);
  return condense_sparse(geometry, sink.stiffness(), sink.mass(), sink.loads, geometry.blocks(), result, sink.level);
}

// Retained columns are whole blocks of roots; where the tool hangs on joints, those are whole blocks too.
std::optional<RetainedSystem> Condenser::condense_sparse(const CondenseGeometry& geometry,
                                                         const SparseMatrix& stiffness, const SparseMatrix& mass,
                                                         const MatrixX& loads, const std::vector<int>& blocks,
                                                         CondensedModel& result, const VectorX& level) const {
  std::vector<int> kept_blocks, columns;
  for (const int column : retained_columns(geometry))
    if (std::find(kept_blocks.begin(), kept_blocks.end(), blocks[column]) == kept_blocks.end())
      kept_blocks.push_back(blocks[column]);
  for (const int block : kept_blocks)
    for (int i = 0; i < static_cast<int>(blocks.size()); ++i)
      if (blocks[i] == block) columns.push_back(i);
  StaticCondensation condensed = condense_statically(stiffness, mass, loads, blocks, kept_blocks,
                                                     level.size() > 0 ? least_pivot : 0.0, largest_shapes, {}, level);
  if (condensed.unconstrained_unknown >= 0) {
    VectorX motion = VectorX::Zero(geometry.num_coordinates());
    if (condensed.unconstrained_unknown < motion.size()) motion[condensed.unconstrained_unknown] = 1;
    set_unconstrained(geometry, motion, result);
    return std::nullopt;
  }
  return RetainedSystem{std::move(condensed.stiffness),
                        std::move(condensed.mass),
                        std::move(condensed.loads),
                        columns,
                        {},
                        level.size() > 0 ? VectorX(level(columns)) : level};
}

CondensedModel Condenser::condense(const Configuration& configuration, CondenseGeometry& geometry) const {
  geometry.update(configuration);
  CondensedModel failed;
  const bool dense = geometry.num_coordinates() <= largest_dense_system || !options_.spring_energy;
  const std::optional<RetainedSystem> system = dense ? reduce_dense(geometry, failed) : reduce_sparse(geometry, failed);
  return system ? finish(geometry, *system) : failed;
}

}  // namespace lithe
