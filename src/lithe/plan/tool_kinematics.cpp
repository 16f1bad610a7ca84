#include "lithe/plan/tool_kinematics.h"

#include <cmath>

#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/kinematics/closure.h"

namespace lithe {
namespace {

constexpr double reached = 1e-11;    // rad, or parts of the mechanism's size
constexpr double singular = 1e-4;    // conditioning below which joint speeds mean nothing
constexpr double path_error = 1e-9;  // of coordinates between nodes, rad or m
constexpr int deepest = 12;          // halvings of a part of the path

Vector3 turn_between(const Matrix3& from, const Matrix3& to) {
  const Eigen::AngleAxisd turn(Matrix3(to * from.transpose()));
  return turn.angle() * turn.axis();
}

std::string text_of(const Vector3& p) { return cat("[", p.x(), ", ", p.y(), ", ", p.z(), "] m"); }

}  // namespace

ToolKinematics::ToolKinematics(const Model& model, const Mechanism& mechanism, int link, int node,
                               const std::vector<bool>& movable, bool oriented, std::vector<Quaternion> references)
    : model_(model),
      mechanism_(mechanism),
      link_(link),
      node_(node),
      tool_rows_(oriented ? 6 : 3),
      size_(mechanism.length_scale()),
      configuration_{mechanism.initial_coordinates(), std::move(references)},
      state_(mechanism) {
  for (int c = 0; c < mechanism.num_coordinates(); ++c) {
    if (!movable[static_cast<std::size_t>(c)]) continue;
    movable_.push_back(c);
    const TreeFrame& frame = mechanism.frames()[static_cast<std::size_t>(mechanism.frame_of_coordinate(c))];
    limits_.push_back(
        model.joints[static_cast<std::size_t>(frame.joint)].limits[static_cast<std::size_t>(frame.freedom)]);
  }
}

void ToolKinematics::place(const VectorX& coordinates) const {
  configuration_.coordinates = coordinates;
  update_position(mechanism_, configuration_, state_);
}

Pose ToolKinematics::pose(const VectorX& coordinates) const {
  place(coordinates);
  Pose X = state_.in_world[static_cast<std::size_t>(mechanism_.frame_of_link(link_))];
  X.position = X * model_.links[static_cast<std::size_t>(link_)].nodes[static_cast<std::size_t>(node_)].position;
  return X;
}

MatrixX ToolKinematics::jacobian() const {
  const int closure = mechanism_.num_closure_rows();
  MatrixX J = MatrixX::Zero(closure + 6, mechanism_.num_coordinates());
  closure_jacobian(mechanism_, state_, J.topRows(closure));
  const int frame_of_tool = mechanism_.frame_of_link(link_);
  const Vector3 point = state_.in_world[static_cast<std::size_t>(frame_of_tool)] *
                        model_.links[static_cast<std::size_t>(link_)].nodes[static_cast<std::size_t>(node_)].position;
  for (int f = frame_of_tool; f >= 0; f = mechanism_.frames()[static_cast<std::size_t>(f)].parent) {
    const TreeFrame& frame = mechanism_.frames()[static_cast<std::size_t>(f)];
    if (frame.coordinate < 0) continue;
    const Pose& X = state_.in_world[static_cast<std::size_t>(f)];
    const Vector3 omega = X.rotation * frame.unit_angular_velocity;
    J.block<3, 1>(closure, frame.coordinate) =
        (X.rotation * frame.unit_velocity + omega.cross(point - X.position)) / size_;
    J.block<3, 1>(closure + 3, frame.coordinate) = omega;
  }
  MatrixX result(closure + tool_rows_, movable_.size());
  for (std::size_t k = 0; k < movable_.size(); ++k)
    result.col(static_cast<Eigen::Index>(k)) = J.col(movable_[k]).head(closure + tool_rows_);
  return result;
}

// Weighted least norm: the closer a joint with limits comes to one, the more its motion costs, by 1 + |∂H/∂q| with
// H = (high - low)² / (4 (high - q) (q - low)) (T. F. Chan and R. V. Dubey, 1995). Returns w^(-1/2) per coordinate.
VectorX ToolKinematics::ease() const {
  constexpr double least = 1e-2;  // keeps the columns comparable
  VectorX result = VectorX::Ones(static_cast<Eigen::Index>(movable_.size()));
  for (std::size_t k = 0; k < movable_.size(); ++k) {
    if (!limits_[k]) continue;
    const double low = limits_[k]->first, high = limits_[k]->second, q = configuration_.coordinates[movable_[k]];
    const double above = (high - q) * (q - low), width = high - low;
    const double slope = above > 0 ? width * width * std::abs(2 * q - high - low) / (4 * above * above) : 1e300;
    result[static_cast<Eigen::Index>(k)] = std::max(least, 1 / std::sqrt(1 + slope * width));
  }
  return result;
}

VectorX ToolKinematics::least(const MatrixX& J, const VectorX& right) const {
  const VectorX eased = ease();
  const VectorX few = eased.cwiseProduct(shortest_least_squares(J * eased.asDiagonal(), right, 1e-9));
  VectorX all = VectorX::Zero(mechanism_.num_coordinates());
  for (std::size_t k = 0; k < movable_.size(); ++k) all[movable_[k]] = few[static_cast<Eigen::Index>(k)];
  return all;
}

bool ToolKinematics::reach(const ToolPoint& point, VectorX& coordinates) const {
  const int closure = mechanism_.num_closure_rows();
  VectorX residual(closure + tool_rows_);
  double before = 1e300;
  for (int iteration = 0; iteration < 30; ++iteration) {
    const Pose now = pose(coordinates);
    closure_residual(mechanism_, state_, residual.head(closure));
    residual.segment<3>(closure) = (point.position - now.position) / size_;
    if (tool_rows_ == 6) residual.tail<3>() = turn_between(now.rotation, point.orientation);
    residual.head(closure) *= -1;
    const double error = residual.cwiseAbs().maxCoeff();
    if (!std::isfinite(error)) return false;
    if (error <= reached || (error <= 100 * reached && error > 0.3 * before)) return true;
    before = error;
    if (movable_.empty()) return false;
    const VectorX step = least(jacobian(), residual);
    const double largest = step.cwiseAbs().maxCoeff();
    if (largest > 1.5) return false;  // another branch, or none
    coordinates += step;
  }
  return false;
}

double ToolKinematics::conditioning(const VectorX& coordinates) const {
  place(coordinates);
  const MatrixX J = jacobian();
  const VectorX values = singular_values(J).values;
  const int directions = model_.space == Space::planar ? tool_rows_ / 2 + (tool_rows_ == 3 ? 1 : 0) : tool_rows_;
  const Eigen::Index wanted = std::min<Eigen::Index>(directions, J.cols());
  if (values.size() == 0 || J.cols() < directions) return 1;  // fewer axes than the tool has: no measure
  if (mechanism_.num_closure_rows() > 0) return 1;            // loops have redundant rows of their own
  return values[wanted - 1] / values[0];
}

// J β' = x', J β'' = x'' - J' β', with J' β' by a central difference along β'.
PathNode ToolKinematics::node(const ToolPoint& point, const VectorX& coordinates) const {
  const int closure = mechanism_.num_closure_rows();
  place(coordinates);
  const MatrixX J = jacobian();
  VectorX right = VectorX::Zero(closure + tool_rows_);
  right.segment<3>(closure) = point.velocity / size_;
  if (tool_rows_ == 6) right.tail<3>() = point.turn;
  PathNode result;
  result.value = coordinates;
  result.first = least(J, right);
  VectorX few(movable_.size());
  for (std::size_t k = 0; k < movable_.size(); ++k) few[static_cast<Eigen::Index>(k)] = result.first[movable_[k]];
  const double step = 1e-4 / std::max(few.cwiseAbs().maxCoeff(), 1e-9);
  place(coordinates + step * result.first);
  VectorX change = jacobian() * few;
  place(coordinates - step * result.first);
  change = (change - jacobian() * few) / (2 * step);
  right.setZero();
  right.segment<3>(closure) = point.acceleration / size_;
  if (tool_rows_ == 6) right.tail<3>() = point.turn_rate;
  result.second = least(J, right - change);
  return result;
}

namespace {

// Nodes as near as the path between them asks for.
class Follower {
 public:
  Follower(const ToolKinematics& tool, FollowedLeg& result) : tool_(tool), result_(result) {}

  bool piece(const ToolPiece& piece, double before, VectorX& coordinates) {
    piece_ = &piece;
    before_ = before;
    constexpr int parts = 8;
    PathNode from;
    if (!reach(0, coordinates, from)) return fail(0, coordinates);
    for (int k = 1; k <= parts; ++k) {
      const double s0 = piece.length() * (k - 1) / parts, s1 = piece.length() * k / parts;
      PathNode to;
      const VectorX start = coordinates;
      coordinates += (s1 - s0) * from.first;
      if (!reach(s1, coordinates, to)) {
        coordinates = start;
        return fail_between(s0, s1, start);
      }
      if (!halves(s0, from, s1, to, 0)) return false;
      from = to;
    }
    return true;
  }

 private:
  bool reach(double s, VectorX& coordinates, PathNode& node) {
    const ToolPoint point = piece_->at(s);
    if (!tool_.reach(point, coordinates)) return false;
    if (tool_.conditioning(coordinates) < singular) {
      fail_singular(s);
      return false;
    }
    node = tool_.node(point, coordinates);
    return true;
  }

  bool halves(double s0, const PathNode& from, double s1, const PathNode& to, int depth) {
    const double middle = (s0 + s1) / 2;
    const PathNode guess = between(from, to, s1 - s0, 0.5);
    VectorX coordinates = guess.value;
    PathNode node;
    if (!reach(middle, coordinates, node)) return fail(middle, coordinates);
    if ((coordinates - guess.value).cwiseAbs().maxCoeff() > path_error && depth < deepest)
      return halves(s0, from, middle, node, depth + 1) && halves(middle, node, s1, to, depth + 1);
    result_.path.add(before_ + s1, from, to);
    return true;
  }

  // The last place that is reached, by halving.
  bool fail_between(double s0, double s1, const VectorX& start) {
    if (!result_.failure.empty()) return false;
    VectorX coordinates = start;
    double good = s0, bad = s1;
    for (int k = 0; k < 30 && bad - good > 1e-6 * piece_->length(); ++k) {
      const double middle = (good + bad) / 2;
      VectorX trial = coordinates;
      if (tool_.reach(piece_->at(middle), trial)) {
        good = middle;
        coordinates = trial;
        if (tool_.conditioning(coordinates) < singular) return fail_singular(good);
      } else {
        bad = middle;
      }
    }
    return fail(good, coordinates);
  }
  bool fail_singular(double s) {
    return say(s, cat("it comes through a singular configuration at ", text_of(piece_->at(s).position)));
  }
  bool fail(double s, const VectorX&) {
    return say(s, cat("the tool does not get beyond ", text_of(piece_->at(s).position)));
  }
  bool say(double s, std::string text) {
    if (!result_.failure.empty()) return false;
    result_.failure = std::move(text);
    result_.failed_at = before_ + s;
    return false;
  }

  const ToolKinematics& tool_;
  FollowedLeg& result_;
  const ToolPiece* piece_ = nullptr;
  double before_ = 0;
};

}  // namespace

FollowedLeg follow(const ToolKinematics& tool, const ToolLeg& leg, const VectorX& start) {
  FollowedLeg result;
  Follower follower(tool, result);
  VectorX coordinates = start;
  double before = 0;
  for (const auto& piece : leg.pieces) {
    if (!follower.piece(*piece, before, coordinates)) return result;
    before += piece->length();
  }
  return result;
}

}  // namespace lithe
