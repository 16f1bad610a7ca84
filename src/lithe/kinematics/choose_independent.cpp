// Which coordinates depend on the others: QR of ∂Ψ/∂β with columns pivoted in the order of the user's wishes.
#include <algorithm>
#include <cmath>
#include <random>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/kinematics/closure_rows.h"
#include "lithe/kinematics/independent.h"
#include "lithe/kinematics/open_loops.h"
#include "lithe/model/control_setup.h"
#include "lithe/model/error_at.h"

namespace lithe {
namespace {

// How readily a coordinate becomes dependent, most readily first. A drive, a spring or a motor's inertia tells a driven
// joint: where drives hold a configuration, forces act on the independent coordinates, and they should not be on ball
// joints. Of a coupling, the joint that follows.
enum class Wish { dependent, following, passive, elastic, driven, independent, prescribed };
constexpr int num_wishes = 7;
constexpr double rank_tolerance = 1e-8;  // relative to the largest scaled column; closure is far more accurate

// ∂Ψ/∂β of a group, translations and slides scaled with the mechanism's length.
MatrixX scaled_jacobian(const Mechanism& mechanism, const LoopGroup& group, const KinematicState& state) {
  MatrixX jacobian = MatrixX::Zero(group.num_rows, group.coordinates.size());
  int row = 0;
  for (int k : group.cuts) {
    const CutJoint& cut = mechanism.cuts()[k];
    each_column(mechanism, cut, state, sine_rows, [&](int member, const Vector6& rows) {
      const LoopCoordinate& m = cut.coordinates[member];
      const auto found = std::lower_bound(group.coordinates.begin(), group.coordinates.end(), m.coordinate);
      const bool slides = mechanism.frames()[m.frame].motion == FrameMotion::prismatic;
      for (int i = 0; i < cut.num_rows; ++i)
        jacobian(row + i, found - group.coordinates.begin()) =
            rows[i] * (mechanism.is_length(cut, i) ? 1 / mechanism.length_scale() : 1) *
            (slides ? mechanism.length_scale() : 1);
    });
    row += cut.num_rows;
  }
  return jacobian;
}

struct Pivots {
  std::vector<int> columns;  // in the order chosen
  double largest = 0, least = 0;
};

// Householder QR; within each class of wishes the longest remaining column comes first.
Pivots pivot(MatrixX a, const std::vector<Wish>& wishes) {
  Pivots result;
  std::vector<bool> used(a.cols(), false);
  const double scale = a.cols() ? std::sqrt(a.colwise().squaredNorm().maxCoeff()) : 0.0;
  Eigen::Index step = 0;
  for (int wish = 0; wish < num_wishes; ++wish)
    while (step < std::min(a.rows(), a.cols())) {
      const Eigen::Index below = a.rows() - step;
      Eigen::Index best = -1;
      double longest = rank_tolerance * scale;
      for (Eigen::Index c = 0; c < a.cols(); ++c) {
        if (used[c] || wishes[c] != static_cast<Wish>(wish)) continue;
        const double norm = a.col(c).tail(below).norm();
        if (norm > longest) longest = norm, best = c;
      }
      if (best < 0) break;
      VectorX v = a.col(best).tail(below);
      v[0] += v[0] >= 0 ? longest : -longest;
      v.normalize();
      a.bottomRows(below) -= 2 * v * (v.transpose() * a.bottomRows(below));
      used[best] = true;
      result.columns.push_back(static_cast<int>(best));
      result.largest = std::max(result.largest, longest);
      result.least = result.columns.size() == 1 ? longest : std::min(result.least, longest);
      ++step;
    }
  return result;
}

std::vector<Wish> wishes_of(const Mechanism& mechanism, const Model& model) {
  std::vector<Wish> wishes(mechanism.num_coordinates(), Wish::passive);
  for (const Coupling& coupling : model.couplings)
    if (const int c = mechanism.coordinate_of(coupling.joint, coupling.freedom); c >= 0) wishes[c] = Wish::following;
  for (const Drive& drive : model.drives) {
    const int c = mechanism.coordinate_of(drive.joint, drive.freedom);
    if (c >= 0) wishes[c] = std::max(wishes[c], drive.prescribes_motion ? Wish::prescribed : Wish::driven);
  }
  if (model.control)
    for (const ControllerSetup& controller : model.control->controllers)
      for (const Actuator& actuator : controller.actuators)
        if (const int c = mechanism.coordinate_of(actuator.joint, actuator.freedom); c >= 0)
          wishes[c] = std::max(wishes[c], Wish::driven);
  for (int c = 0; c < mechanism.num_coordinates(); ++c) {
    if (wishes[c] == Wish::prescribed) continue;
    const TreeFrame& frame = mechanism.frames()[mechanism.frame_of_coordinate(c)];
    const Joint& joint = model.joints[frame.joint];
    const auto has = [&](const std::vector<double>& values) {
      return frame.freedom < static_cast<int>(values.size()) && values[frame.freedom] > 0;
    };
    const Wish sprung = num_freedoms(joint.type) == 1 ? Wish::driven : Wish::elastic;  // an axis, or a soft bearing
    if (has(joint.stiffness) || has(joint.inertia)) wishes[c] = std::max(wishes[c], sprung);
    const std::optional<bool>& mark = joint.independent;
    if (mark) wishes[c] = *mark ? Wish::independent : Wish::dependent;
  }
  return wishes;
}

std::string name_list(const Mechanism& mechanism, const std::vector<int>& coordinates) {
  std::string names;
  for (int c : coordinates) names += (names.empty() ? "'" : ", '") + mechanism.coordinate_name(c) + "'";
  return names;
}

const SourcePlace& place_of(const Mechanism& mechanism, const Model& model, int coordinate) {
  return model.joints[mechanism.frames()[mechanism.frame_of_coordinate(coordinate)].joint].place;
}

// Marks that the pivoting could not honour.
void check_marks(const Mechanism& mechanism, const Model& model, const GroupSplit& split,
                 const std::vector<Wish>& wishes, Diagnostics& diagnostics) {
  const auto pick = [&](const std::vector<int>& from, auto condition) {
    std::vector<int> picked;
    std::copy_if(from.begin(), from.end(), std::back_inserter(picked), [&](int c) { return condition(wishes[c]); });
    return picked;
  };
  const auto demanded = [](Wish wish) { return wish >= Wish::independent; };
  const std::vector<int> refused = pick(split.dependent, demanded);
  if (!refused.empty()) {
    std::vector<int> all = pick(split.independent, demanded);
    all.insert(all.end(), refused.begin(), refused.end());
    std::sort(all.begin(), all.end());
    diagnostics.error(error_at(
        place_of(mechanism, model, refused.front()),
        cat("the joint coordinates ", name_list(mechanism, all),
            " are declared independent or prescribed, but they cannot all move independently: their loops and "
            "couplings leave ",
            split.independent.size(), split.independent.size() == 1 ? " degree of freedom" : " degrees of freedom")));
  }
  const std::vector<int> free = pick(split.independent, [](Wish wish) { return wish == Wish::dependent; });
  for (int c : free)
    diagnostics.error(
        error_at(place_of(mechanism, model, c), cat("joint coordinate '", mechanism.coordinate_name(c),
                                                    "' is declared dependent, but no other coordinates determine it")));
}

GroupSplit split_group(const Mechanism& mechanism, int g, const std::vector<Wish>& wishes, const KinematicState& state,
                       std::vector<double>& conditioning, IndependentCoordinates& result) {
  const LoopGroup& group = mechanism.loop_groups()[g];
  std::vector<Wish> local;
  for (int c : group.coordinates) local.push_back(wishes[c]);
  const Pivots pivots = pivot(scaled_jacobian(mechanism, group, state), local);
  GroupSplit split;
  split.group = g;
  for (int column : pivots.columns) split.dependent.push_back(group.coordinates[column]);
  std::sort(split.dependent.begin(), split.dependent.end());
  std::set_difference(group.coordinates.begin(), group.coordinates.end(), split.dependent.begin(),
                      split.dependent.end(), std::back_inserter(split.independent));
  const int rank = static_cast<int>(split.dependent.size());
  result.rank += rank;
  result.redundancy += group.num_rows - rank;
  conditioning.push_back(rank > 0 ? pivots.least / pivots.largest : 1.0);
  result.conditioning = std::min(result.conditioning, conditioning.back());
  return split;
}

int rank_of_group(const Mechanism& mechanism, const LoopGroup& group, const KinematicState& state) {
  const std::vector<Wish> equal(group.coordinates.size(), Wish::passive);
  return static_cast<int>(pivot(scaled_jacobian(mechanism, group, state), equal).columns.size());
}

// "the loop of joints 'a', 'b', 'c' (cut at 'c')", of every loop in the group.
std::string describe_group(const Mechanism& mechanism, const LoopGroup& group) {
  std::string text;
  for (const int k : group.cuts) {
    const CutJoint& cut = mechanism.cuts()[k];
    text += cat(text.empty() ? "" : " and ", describe_loop(mechanism, cut));
    if (!cut.couples()) text += cat(" (cut at '", mechanism.joint_name(cut.joint), "')");
  }
  return text;
}

// A closed configuration close by, in a direction that the closure allows to first order.
struct Nearby {
  Configuration configuration;
  std::vector<OpenLoop> open;
};

Nearby close_by(const Mechanism& mechanism, const Configuration& configuration, const KinematicState& state,
                const IndependentCoordinates& coordinates) {
  VelocityMap map(mechanism, coordinates);
  update_map(mechanism, coordinates, state, map);
  std::mt19937 random(1);
  VectorX move(coordinates.mobility());
  for (double& m : move) m = 1e-3 * (0.5 + random() / 4294967296.0);
  Nearby nearby{configuration, {}};
  nearby.configuration.coordinates += map.matrix * move;
  ClosureOptions options;
  options.num_restarts = 0;
  nearby.open = close_groups(mechanism, nearby.configuration, {}, options).open;
  return nearby;
}

// What is singular about a group, or nothing. Close by it has the rank of the mechanism at large; a lower rank at the
// configuration itself is a singularity, and so is a first-order motion that no configuration close by continues.
std::string singularity(const Mechanism& mechanism, const GroupSplit& split, double conditioning, const Nearby& nearby,
                        const KinematicState& nearby_state) {
  const LoopGroup& group = mechanism.loop_groups()[split.group];
  const int rank = static_cast<int>(split.dependent.size());
  for (const OpenLoop& open : nearby.open)
    if (std::find(group.cuts.begin(), group.cuts.end(), open.cut) != group.cuts.end())
      return cat("rank ", rank, " and leave a motion that cannot be followed: at joint '",
                 mechanism.joint_name(mechanism.cuts()[open.cut].joint), "' a gap of ", open.gap,
                 " m remains close by");
  const int rank_nearby = rank_of_group(mechanism, group, nearby_state);
  if (rank_nearby > rank) return cat("rank ", rank, ", but ", rank_nearby, " close by");
  if (conditioning >= 1e-5) return {};
  return cat("rank ", rank, " only just: their smallest pivot is ", conditioning, " of the largest");
}

void check_singular(const Mechanism& mechanism, const Configuration& configuration, const KinematicState& state,
                    const std::vector<double>& conditioning, IndependentCoordinates& result) {
  const Nearby nearby = close_by(mechanism, configuration, state, result);
  KinematicState nearby_state(mechanism);
  update_position(mechanism, nearby.configuration, nearby_state);
  for (const GroupSplit& split : result.groups) {
    const std::string why = singularity(mechanism, split, conditioning[split.group], nearby, nearby_state);
    if (why.empty()) continue;
    result.singular = true;
    result.message +=
        cat(result.message.empty() ? "the configuration is singular: " : "; ", "the closure conditions of ",
            describe_group(mechanism, mechanism.loop_groups()[split.group]), " have ", why);
  }
  if (result.singular) result.message += "; move the initial configuration away from it";
}

void collect(const Mechanism& mechanism, const std::vector<Wish>& wishes, const Model& model,
             IndependentCoordinates& result, Diagnostics& diagnostics) {
  std::vector<bool> dependent(mechanism.num_coordinates(), false), in_loop(mechanism.num_coordinates(), false);
  for (const GroupSplit& split : result.groups) {
    for (int c : split.dependent) dependent[c] = in_loop[c] = true;
    for (int c : split.independent) in_loop[c] = true;
  }
  result.position.assign(mechanism.num_coordinates(), -1);
  for (int c = 0; c < mechanism.num_coordinates(); ++c) {
    if (!dependent[c]) result.position[c] = result.mobility();
    (dependent[c] ? result.dependent : result.independent).push_back(c);
    if (!in_loop[c] && wishes[c] == Wish::dependent)
      diagnostics.error(error_at(place_of(mechanism, model, c),
                                 cat("joint coordinate '", mechanism.coordinate_name(c),
                                     "' is declared dependent, but it is in no loop that could determine it")));
  }
}

}  // namespace

IndependentCoordinates choose_independent(const Mechanism& mechanism, const Model& model,
                                          const Configuration& configuration) {
  Diagnostics diagnostics;
  const std::vector<Wish> wishes = wishes_of(mechanism, model);
  KinematicState state(mechanism);
  update_position(mechanism, configuration, state);
  IndependentCoordinates result;
  std::vector<double> conditioning;  // smallest over largest pivot of each group
  for (int g = 0; g < static_cast<int>(mechanism.loop_groups().size()); ++g) {
    result.groups.push_back(split_group(mechanism, g, wishes, state, conditioning, result));
    check_marks(mechanism, model, result.groups.back(), wishes, diagnostics);
  }
  collect(mechanism, wishes, model, result, diagnostics);
  diagnostics.throw_if_any();
  if (!result.trivial()) check_singular(mechanism, configuration, state, conditioning, result);
  return result;
}

}  // namespace lithe
