#include "lithe/kinematics/independent.h"

#include <algorithm>
#include <cmath>

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

double fill_residual(const Mechanism& mechanism, const LoopGroup& group, const KinematicState& state,
                     VelocityMap::Work& work) {
  int row = 0;
  for (int k : group.cuts) {
    const CutJoint& cut = mechanism.cuts()[k];
    put_residual(cut, state, sines, work.residual.segment(row, cut.num_rows));
    row += cut.num_rows;
  }
  work.residual.array() *= work.row_scale.array();
  return work.residual.size() ? work.residual.cwiseAbs().maxCoeff() : 0.0;
}

VelocityMap::Work make_work(const Mechanism& mechanism, const IndependentCoordinates& coordinates,
                            const GroupSplit& split) {
  const LoopGroup& group = mechanism.loop_groups()[split.group];
  VelocityMap::Work work;
  work.solver = HouseholderSolver(group.num_rows, static_cast<int>(split.dependent.size()));
  work.independent_block = MatrixX::Zero(group.num_rows, split.independent.size());
  work.residual = VectorX::Zero(group.num_rows);
  work.rate = MatrixX::Zero(group.num_rows, split.independent.size());
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
    : matrix(MatrixX::Zero(mechanism.num_coordinates(), coordinates.mobility())),
      bias(VectorX::Zero(mechanism.num_coordinates())),
      matrix_rate(MatrixX::Zero(mechanism.num_coordinates(), coordinates.mobility())) {
  for (int i = 0; i < coordinates.mobility(); ++i) matrix(coordinates.independent[i], i) = 1;
  for (const GroupSplit& split : coordinates.groups) work.push_back(make_work(mechanism, coordinates, split));
}

void set_independent(const IndependentCoordinates& coordinates, const Eigen::Ref<const VectorX>& theta,
                     Configuration& configuration) {
  for (int i = 0; i < coordinates.mobility(); ++i) configuration.coordinates[coordinates.independent[i]] = theta[i];
}

VectorX get_independent(const IndependentCoordinates& coordinates, const Eigen::Ref<const VectorX>& beta) {
  VectorX theta(coordinates.mobility());
  for (int i = 0; i < coordinates.mobility(); ++i) theta[i] = beta[coordinates.independent[i]];
  return theta;
}

ClosureStatus close_dependent(const Mechanism& mechanism, const IndependentCoordinates& coordinates,
                              Configuration& configuration, KinematicState& state, VelocityMap& map, double tolerance) {
  constexpr int max_iterations = 25;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    update_position(mechanism, configuration, state);
    bool closed = true;
    for (size_t g = 0; g < coordinates.groups.size(); ++g) {
      const GroupSplit& split = coordinates.groups[g];
      const LoopGroup& group = mechanism.loop_groups()[split.group];
      VelocityMap::Work& work = map.work[g];
      const double error = fill_residual(mechanism, group, state, work);
      if (error <= tolerance) continue;
      if (!std::isfinite(error)) return ClosureStatus::stalled;
      closed = false;
      fill_blocks(mechanism, group, state, work);
      if (work.solver.factorise() < 1e-12) return ClosureStatus::stalled;
      work.solver.solve_in_place(work.residual);
      for (size_t k = 0; k < split.dependent.size(); ++k)
        configuration.coordinates[split.dependent[k]] -= work.residual[k];
    }
    if (closed) return ClosureStatus::closed;
  }
  return ClosureStatus::stalled;
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

void update_bias(const Mechanism& mechanism, const IndependentCoordinates& coordinates, const KinematicState& state,
                 VelocityMap& map) {
  for (size_t g = 0; g < coordinates.groups.size(); ++g) {
    const GroupSplit& split = coordinates.groups[g];
    VelocityMap::Work& work = map.work[g];
    int row = 0;
    for (int k : mechanism.loop_groups()[split.group].cuts) {
      const CutJoint& cut = mechanism.cuts()[k];
      closure_velocity_product(mechanism, cut, state, work.residual.data() + row);
      row += cut.num_rows;
    }
    work.residual.array() *= work.row_scale.array();
    work.solver.solve_in_place(work.residual);
    for (size_t k = 0; k < split.dependent.size(); ++k) map.bias[split.dependent[k]] = -work.residual[k];
  }
}

void update_map_rate(const Mechanism& mechanism, const IndependentCoordinates& coordinates, const KinematicState& state,
                     VelocityMap& map) {
  for (size_t g = 0; g < coordinates.groups.size(); ++g) {
    const GroupSplit& split = coordinates.groups[g];
    VelocityMap::Work& work = map.work[g];
    work.rate.setZero();
    int row = 0;
    for (int k : mechanism.loop_groups()[split.group].cuts) {
      const CutJoint& cut = mechanism.cuts()[k];
      each_column_rate(mechanism, cut, state, [&](int member, const Vector6& rows) {
        const int coordinate = cut.coordinates[member].coordinate;
        for (size_t i = 0; i < work.theta.size(); ++i) {
          const double gamma = map.matrix(coordinate, work.theta[i]);
          for (int r = 0; r < cut.num_rows; ++r) work.rate(row + r, i) += rows[r] * work.row_scale[row + r] * gamma;
        }
      });
      row += cut.num_rows;
    }
    work.solver.solve_in_place(work.rate);
    for (size_t i = 0; i < work.theta.size(); ++i)
      for (size_t k = 0; k < split.dependent.size(); ++k)
        map.matrix_rate(split.dependent[k], work.theta[i]) = -work.rate(k, i);
  }
}

}  // namespace lithe
