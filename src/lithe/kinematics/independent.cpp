#include "lithe/kinematics/independent.h"

#include <algorithm>

#include "lithe/kinematics/closure_rows.h"

namespace lithe {
namespace {

// Columns of one cut joint into the group's Ψ_d and Ψ_θ, rows scaled.
void fill_blocks(const Mechanism& mechanism, const LoopGroup& group, const KinematicState& state,
                 VelocityMap::Work& work) {
  work.solver.matrix().setZero();
  work.independent_block.setZero();
  int row = 0;
  for (size_t k = 0; k < group.cuts.size(); ++k) {
    const CutJoint& cut = mechanism.cuts()[group.cuts[k]];
    each_column(mechanism, cut, state, sine_rows, [&](int member, const Vector6& rows) {
      const int column = work.columns[k][member];
      MatrixX& target = column >= 0 ? work.solver.matrix() : work.independent_block;
      for (int i = 0; i < cut.num_rows; ++i)
        target(row + i, column >= 0 ? column : -1 - column) = rows[i] * work.row_scale[row + i];
    });
    row += cut.num_rows;
  }
}

VelocityMap::Work make_work(const Mechanism& mechanism, const IndependentCoordinates& coordinates,
                            const GroupSplit& split) {
  const LoopGroup& group = mechanism.loop_groups()[split.group];
  VelocityMap::Work work;
  work.solver = HouseholderSolver(group.num_rows, static_cast<int>(split.dependent.size()));
  work.independent_block = MatrixX::Zero(group.num_rows, split.independent.size());
  work.row_scale = VectorX::Ones(group.num_rows);
  for (int c : split.independent) work.theta.push_back(coordinates.position[c]);
  const auto column_of = [&](int coordinate) {
    const auto find = [&](const std::vector<int>& list) {
      return static_cast<int>(std::lower_bound(list.begin(), list.end(), coordinate) - list.begin());
    };
    return coordinates.position[coordinate] < 0 ? find(split.dependent) : -1 - find(split.independent);
  };
  int row = 0;
  for (int k : group.cuts) {
    const CutJoint& cut = mechanism.cuts()[k];
    for (int i = 0; i < cut.num_rows; ++i)
      if (mechanism.is_length(cut, i)) work.row_scale[row + i] = 1 / mechanism.length_scale();
    work.columns.emplace_back();
    for (const LoopCoordinate& member : cut.coordinates) work.columns.back().push_back(column_of(member.coordinate));
    row += cut.num_rows;
  }
  return work;
}

}  // namespace

VelocityMap::VelocityMap(const Mechanism& mechanism, const IndependentCoordinates& coordinates)
    : matrix(MatrixX::Zero(mechanism.num_coordinates(), coordinates.mobility())) {
  for (int i = 0; i < coordinates.mobility(); ++i) matrix(coordinates.independent[i], i) = 1;
  for (const GroupSplit& split : coordinates.groups) work.push_back(make_work(mechanism, coordinates, split));
}

bool update_map(const Mechanism& mechanism, const IndependentCoordinates& coordinates, const KinematicState& state,
                VelocityMap& map) {
  map.conditioning = 1;
  for (size_t g = 0; g < coordinates.groups.size(); ++g) {
    const GroupSplit& split = coordinates.groups[g];
    VelocityMap::Work& work = map.work[g];
    fill_blocks(mechanism, mechanism.loop_groups()[split.group], state, work);
    map.conditioning = std::min(map.conditioning, work.solver.factorise());
    work.solver.solve_in_place(work.independent_block);
    for (size_t i = 0; i < work.theta.size(); ++i)
      for (size_t k = 0; k < split.dependent.size(); ++k)
        map.matrix(split.dependent[k], work.theta[i]) = -work.independent_block(k, i);
  }
  return map.conditioning > 1e-10;
}

}  // namespace lithe
