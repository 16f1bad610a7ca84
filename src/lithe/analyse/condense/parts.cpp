#include "lithe/analyse/condense/parts.h"

#include <algorithm>

#include "lithe/analyse/condense/condense.h"

namespace lithe {
namespace {

StackedMap stacked(const std::vector<PointMap>& maps) {
  StackedMap result;
  for (const PointMap& map : maps) result.columns.insert(result.columns.end(), map.columns.begin(), map.columns.end());
  std::sort(result.columns.begin(), result.columns.end());
  result.columns.erase(std::unique(result.columns.begin(), result.columns.end()), result.columns.end());
  result.matrix =
      MatrixX::Zero(6 * static_cast<Eigen::Index>(maps.size()), static_cast<Eigen::Index>(result.columns.size()));
  for (std::size_t i = 0; i < maps.size(); ++i)
    for (std::size_t k = 0; k < maps[i].columns.size(); ++k) {
      const auto place = std::lower_bound(result.columns.begin(), result.columns.end(), maps[i].columns[k]);
      result.matrix.col(place - result.columns.begin()).segment<6>(6 * static_cast<Eigen::Index>(i)) =
          maps[i].matrix.col(static_cast<Eigen::Index>(k));
    }
  return result;
}

// A joint that leaves all six freedoms: springs between the two ends, δ = S⁻¹ (u_child - G u_parent) with S its screws.
void add_bushing(const CondenseParts& parts, const CondenseGeometry& geometry, int j, CondenseSink& sink) {
  const JointMotion& motion = geometry.joint(j);
  if (motion.stiffness.isZero(0) && motion.inertia.isZero(0) && motion.force.isZero(0)) return;
  std::vector<PointMap> ends(2);
  geometry.point_map(parts.topology.body_of(parent_end(parts.model.joints[j])), motion.point, ends[0]);
  geometry.point_map(parts.topology.body_of(child_end(parts.model.joints[j])), motion.point, ends[1]);
  ends[0].matrix = -ends[0].matrix;
  const StackedMap both = stacked(ends);
  const MatrixX opening = motion.screws.transpose() * (both.matrix.topRows<6>() + both.matrix.bottomRows<6>());
  sink.add(CondensePart::spring, both.columns, opening.transpose() * motion.stiffness * opening);
  sink.add(CondensePart::mass, both.columns, opening.transpose() * motion.inertia * opening);
  sink.add_load(case_loads, both.columns, opening.transpose() * motion.force);
}

// Springs are stiffnesses between joint freedoms: nothing cancels in them.
class SpringEnergy : public CondenseSink {
 public:
  SpringEnergy(const VectorX& motion, StrainEnergy& energy) : motion_(motion), energy_(energy) {}
  void add(CondensePart part, const std::vector<int>& columns, const MatrixX& block) override {
    if (part != CondensePart::spring) return;
    const VectorX z = motion_(columns);
    energy_.value += z.dot(block * z);
    energy_.level += z.cwiseAbs2().dot(block.diagonal());
  }
  void add_load(int, const std::vector<int>&, const VectorX&) override {}

 private:
  const VectorX& motion_;
  StrainEnergy& energy_;
};

}  // namespace

void append_block(const std::vector<int>& columns, const MatrixX& block, CondenseTriplets& triplets) {
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::size_t i = 0; i < columns.size(); ++i)
      triplets.emplace_back(columns[i], columns[j], block(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
}

StackedMap nodes_map(const CondenseParts& parts, const CondenseGeometry& geometry, int link,
                     const std::vector<int>& nodes, const std::vector<int>& rows) {
  std::vector<PointMap> maps(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeOfLink node{link, nodes[i]};
    geometry.point_map(parts.topology.body_of(node), geometry.node_position(node), maps[i]);
  }
  StackedMap map = stacked(maps);
  const Matrix3 R_LW = geometry.link_pose(link).rotation.transpose();
  for (Eigen::Index row = 0; row < map.matrix.rows(); row += 3)
    map.matrix.middleRows<3>(row) = (R_LW * map.matrix.middleRows<3>(row)).eval();
  if (static_cast<Eigen::Index>(rows.size()) < map.matrix.rows()) map.matrix = MatrixX(map.matrix(rows, Eigen::all));
  return map;
}

void add_flexible_links(const CondenseParts& parts, const CondenseGeometry& geometry, CondenseSink& sink) {
  for (int i = 0; i < static_cast<int>(parts.model.links.size()); ++i) {
    if (parts.model.links[i].rigid) continue;
    const Superelement& element = parts.superelements[i];
    const StackedMap map = nodes_map(parts, geometry, i, element.nodes, element.rows);
    sink.add(CondensePart::stiffness, map.columns, map.matrix.transpose() * (element.stiffness * map.matrix));
    sink.add_level(map.columns, map.matrix.cwiseAbs2().transpose() * element.level);
    const MatrixX momentum = element.mass * map.matrix;
    sink.add(CondensePart::mass, map.columns, map.matrix.transpose() * momentum);
    // Weight: a rigid fall of the link is one of its static shapes, so Ψᵀ M g is M_G times that fall.
    const Vector3 g = geometry.link_pose(i).rotation.transpose() * parts.model.gravity;
    VectorX fall = VectorX::Zero(element.mass.rows());
    for (Eigen::Index row = 0; row < fall.size(); ++row)
      if (const int component = element.rows[static_cast<std::size_t>(row)] % 6; component < 3)
        fall(row) = g(component);
    sink.add_load(case_gravity, map.columns, momentum.transpose() * fall);
  }
}

StrainEnergy strain_energy(const CondenseParts& parts, const CondenseGeometry& geometry, const VectorX& motion) {
  StrainEnergy energy;
  for (int i = 0; i < static_cast<int>(parts.model.links.size()); ++i) {
    if (parts.model.links[i].rigid) continue;
    const Superelement& element = parts.superelements[i];
    const StackedMap map = nodes_map(parts, geometry, i, element.nodes, element.rows);
    const VectorX u = map.matrix * motion(map.columns);
    energy.value += u.dot(element.stiffness * u);
    energy.level += u.cwiseAbs2().dot(element.level);
  }
  SpringEnergy springs(motion, energy);
  add_joints(parts, geometry, springs);
  return energy;
}

void add_rigid_links(const CondenseParts& parts, const CondenseGeometry& geometry, CondenseSink& sink) {
  PointMap map;
  for (int i = 0; i < static_cast<int>(parts.model.links.size()); ++i) {
    if (!parts.model.links[i].rigid) continue;
    const Pose& X_WL = geometry.link_pose(i);
    geometry.point_map(parts.topology.body_of({i, 0}), X_WL.position, map);
    map.matrix.topRows<3>() = (X_WL.rotation.transpose() * map.matrix.topRows<3>()).eval();
    map.matrix.bottomRows<3>() = (X_WL.rotation.transpose() * map.matrix.bottomRows<3>()).eval();
    const MatrixX momentum = parts.rigid_masses[i] * map.matrix;
    sink.add(CondensePart::mass, map.columns, map.matrix.transpose() * momentum);
    sink.add_load(case_gravity, map.columns,
                  momentum.topRows<3>().transpose() * (X_WL.rotation.transpose() * parts.model.gravity));
  }
}

void add_joints(const CondenseParts& parts, const CondenseGeometry& geometry, CondenseSink& sink) {
  std::vector<int> columns;
  MatrixX freedoms;
  for (int j = 0; j < static_cast<int>(parts.model.joints.size()); ++j) {
    if (!parts.topology.freedoms(j).ties) {
      add_bushing(parts, geometry, j, sink);
      continue;
    }
    const JointMotion& motion = geometry.joint(j);
    const bool spring = !motion.stiffness.isZero(0), motor = !motion.inertia.isZero(0);
    if (!spring && !motor && motion.force.isZero(0)) continue;
    geometry.joint_map(j, columns, freedoms);
    if (spring) sink.add(CondensePart::spring, columns, freedoms.transpose() * motion.stiffness * freedoms);
    if (motor) sink.add(CondensePart::mass, columns, freedoms.transpose() * motion.inertia * freedoms);
    sink.add_load(case_loads, columns, freedoms.transpose() * motion.force);
  }
}

void add_loads(const CondenseParts& parts, const CondenseGeometry& geometry, CondenseSink& sink) {
  PointMap map;
  for (const Load& load : parts.model.loads) {
    const NodeOfLink node{load.link, load.node};
    Vector3 action = evaluate(load.signal, 0).value * load.direction;
    if (load.follows_link) action = geometry.link_pose(load.link).rotation * action;
    geometry.point_map(parts.topology.body_of(node), geometry.node_position(node), map);
    sink.add_load(case_loads, map.columns, map.matrix.middleRows<3>(load.torque ? 3 : 0).transpose() * action);
  }
}

}  // namespace lithe
