#include "lithe/read/urdf/link_graph.h"

#include <algorithm>
#include <numeric>

#include "lithe/base/text.h"

namespace lithe {
namespace {

Matrix3 z_along(const Vector3& axis) {
  return Quaternion::FromTwoVectors(Vector3::UnitZ(), axis).normalized().toRotationMatrix();
}

int rank_of(const GraphJoint& joint) {
  if (joint.prefer_cut) return 4;
  switch (joint.type) {
    case JointType::prismatic:
      return 1;
    case JointType::revolute:
      return 2;
    case JointType::spherical:
      return 3;
    default:
      return 0;
  }
}

// Which joints a spanning tree needs, those of low rank first (Kruskal).
std::vector<bool> spanning_tree(std::size_t num_links, const std::vector<GraphJoint>& joints) {
  std::vector<std::size_t> order(joints.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t k) { return rank_of(joints[i]) < rank_of(joints[k]); });
  std::vector<std::size_t> above(num_links);
  std::iota(above.begin(), above.end(), std::size_t{0});
  const auto group = [&](int link) {
    auto at = static_cast<std::size_t>(link);
    for (; above[at] != at; at = above[at]) above[at] = above[above[at]];
    return at;
  };
  std::vector<bool> needed(joints.size(), false);
  for (const std::size_t j : order) {
    const std::size_t a = group(joints[j].a), b = group(joints[j].b);
    needed[j] = a != b;
    above[b] = a;
  }
  return needed;
}

class TreeBuilder {
 public:
  TreeBuilder(std::vector<DescribedLink> links, std::vector<GraphJoint> joints, int root)
      : joints_(std::move(joints)), needed_(spanning_tree(links.size(), joints_)), moved_(links.size()) {
    robot_.links = std::move(links);
    robot_.root = root;
  }

  RobotDescription build() {
    walk();
    for (std::size_t j = 0; j < joints_.size(); ++j)
      if (needed_[j])
        add_joint(joints_[j]);
      else
        add_loop(joints_[j]);
    for (std::size_t i = 0; i < robot_.links.size(); ++i) move_content(robot_.links[i], moved_[i].inverse());
    for (const DescribedLoop& loop : robot_.loops)
      for (const auto& [link, frame] : {std::pair(loop.a, loop.in_a), std::pair(loop.b, loop.in_b)})
        robot_.links[static_cast<std::size_t>(link)].points.push_back({loop.node(), frame.position});
    return std::move(robot_);
  }

 private:
  Pose& moved(int link) { return moved_[static_cast<std::size_t>(link)]; }

  // From the root outwards: turns joints round and finds the new frames of the links.
  void walk() {
    std::vector<std::vector<std::size_t>> at_link(robot_.links.size());
    for (std::size_t j = 0; j < joints_.size(); ++j)
      if (needed_[j])
        for (const int link : {joints_[j].a, joints_[j].b}) at_link[static_cast<std::size_t>(link)].push_back(j);
    std::vector<bool> reached(robot_.links.size(), false);
    std::vector<int> order{robot_.root};
    reached[static_cast<std::size_t>(robot_.root)] = true;
    for (std::size_t head = 0; head < order.size(); ++head)
      for (const std::size_t j : at_link[static_cast<std::size_t>(order[head])]) {
        GraphJoint& joint = joints_[j];
        const int far = joint.a == order[head] ? joint.b : joint.a;
        if (reached[static_cast<std::size_t>(far)]) continue;  // from where the walk came
        if (joint.a == far) turn_round(joint);
        reached[static_cast<std::size_t>(joint.b)] = true;
        order.push_back(joint.b);
        if (joint.type != JointType::fixed && joint.type != JointType::free)
          moved(joint.b).position = joint.in_b.position;
      }
  }

  // X_AB = Rot(z, q) is X_BA = Rot(-z, q): the same value about the opposite axis.
  static void turn_round(GraphJoint& joint) {
    const Matrix3 over = Eigen::AngleAxisd(EIGEN_PI, Vector3::UnitX()).toRotationMatrix();
    std::swap(joint.a, joint.b);
    std::swap(joint.in_a, joint.in_b);
    if (joint.type != JointType::revolute && joint.type != JointType::prismatic) return;
    joint.in_a.rotation *= over;
    joint.in_b.rotation *= over;
  }

  void add_joint(const GraphJoint& from) {
    DescribedJoint joint;
    static_cast<RobotJointProperties&>(joint) = from;
    joint.name = from.name;
    joint.line = from.line;
    joint.type = from.type;
    joint.parent = from.a;
    joint.child = from.b;
    joint.origin = moved(from.a).inverse() * (from.in_a * from.in_b.inverse()) * moved(from.b);
    joint.axis = from.in_b.rotation.col(2);
    robot_.joints.push_back(std::move(joint));
  }

  void add_loop(const GraphJoint& from) {
    DescribedLoop loop;
    static_cast<RobotJointProperties&>(loop) = from;
    loop.name = from.name;
    loop.line = from.line;
    loop.type = from.type;
    loop.a = from.a;
    loop.b = from.b;
    loop.in_a = moved(from.a).inverse() * from.in_a;
    loop.in_b = moved(from.b).inverse() * from.in_b;
    robot_.loops.push_back(std::move(loop));
  }

  static void move_content(DescribedLink& link, const Pose& by) {
    if (link.inertia) link.inertia->pose = by * link.inertia->pose;
    for (LinkShape& shape : link.shapes) shape.pose = by * shape.pose;
    for (DescribedPoint& point : link.points) point.position = by * point.position;
  }

  RobotDescription robot_;
  std::vector<GraphJoint> joints_;
  std::vector<bool> needed_;
  std::vector<Pose> moved_;  // the new frame of each link in its old one
};

}  // namespace

void append_in_series(const GraphJoint& joint, const std::vector<SeriesAxis>& axes, std::vector<DescribedLink>& links,
                      std::vector<GraphJoint>& joints) {
  Pose before = joint.in_a;
  int from = joint.a;
  for (const SeriesAxis& axis : axes) {
    const Pose turned{z_along(axis.axis), Vector3::Zero()};
    const bool last = &axis == &axes.back();
    GraphJoint part;
    static_cast<RobotJointProperties&>(part) = axis.properties;
    part.name = axis.name;
    part.line = joint.line;
    part.type = axis.type;
    part.a = from;
    part.in_a = before * turned;
    part.in_b = last ? joint.in_b * turned : turned;
    part.b = last ? joint.b : static_cast<int>(links.size());
    if (!last) {
      DescribedLink carrier;
      carrier.name = cat(axis.name, " carrier");
      carrier.line = joint.line;
      links.push_back(std::move(carrier));
    }
    from = part.b;
    before = {};
    joints.push_back(std::move(part));
  }
}

RobotDescription tree_of(std::vector<DescribedLink> links, std::vector<GraphJoint> joints, int root) {
  return TreeBuilder(std::move(links), std::move(joints), root).build();
}

}  // namespace lithe
