// Small mechanisms as Model structs, for tests that need no model file. Rigid links of unit mass unless changed.
#pragma once

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "lithe/kinematics/mechanism.h"
#include "lithe/model/model.h"

namespace lithe::testing {

// The rotation whose z axis is `axis`.
Matrix3 z_along(const Vector3& axis);

Matrix3 rotation(const Vector3& axis, double angle);

class ModelBuilder {
 public:
  ModelBuilder() { model_.file = "test.toml"; }

  // A rigid link; nodes are added as joints need them.
  int link(const std::string& name) {
    Link link;
    link.name = name;
    link.place = {model_.file, 100 + static_cast<int>(model_.links.size()), 1};
    link.rigid = true;
    link.rigid_inertia.mass = 1;
    link.rigid_inertia.inertia = Matrix3::Identity();
    model_.links.push_back(link);
    return static_cast<int>(model_.links.size()) - 1;
  }

  int node(int link, const Vector3& position) {
    std::vector<Node>& nodes = model_.links[link].nodes;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].position == position) return static_cast<int>(i);
    nodes.push_back({"n" + std::to_string(nodes.size()), position});
    return static_cast<int>(nodes.size()) - 1;
  }

  // Joint frames F in the parent and M in the child; -1 is the ground. Initial values zero, not given.
  int joint(const std::string& name, JointType type, int parent, const Pose& F, int child, const Pose& M = {}) {
    Joint joint;
    joint.name = name;
    joint.place = {model_.file, 200 + static_cast<int>(model_.joints.size()), 1};
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    joint.parent_frame = F;
    joint.child_frame = M;
    if (parent >= 0) joint.parent_node = node(parent, F.position);
    if (child >= 0) joint.child_node = node(child, M.position);
    const size_t n = freedoms_of(type).size();
    for (auto* values : {&joint.initial_value, &joint.initial_speed, &joint.inertia, &joint.stiffness,
                         &joint.rest_value, &joint.damping, &joint.friction})
      values->assign(n, 0.0);
    joint.limits.resize(n);
    joint.initial_value_given.assign(n, false);
    model_.joints.push_back(joint);
    return static_cast<int>(model_.joints.size()) - 1;
  }

  // At a point with axis z, the links' frames being parallel at zero.
  int pin(const std::string& name, int parent, const Vector3& in_parent, int child,
          const Vector3& in_child = Vector3::Zero()) {
    return joint(name, JointType::revolute, parent, {Matrix3::Identity(), in_parent}, child,
                 {Matrix3::Identity(), in_child});
  }

  ModelBuilder& give(int joint, std::vector<double> values) {
    model_.joints[joint].initial_value_given.assign(values.size(), true);
    return guess(joint, std::move(values));
  }
  ModelBuilder& guess(int joint, std::vector<double> values) {
    model_.joints[joint].initial_value = std::move(values);
    return *this;
  }
  ModelBuilder& cut(int joint) {
    model_.joints[joint].prefer_cut = true;
    return *this;
  }
  int drive(int joint, int freedom = 0, bool prescribed = false) {
    Drive drive;
    drive.name = "drive" + std::to_string(model_.drives.size());
    drive.joint = joint;
    drive.freedom = freedom;
    drive.prescribes_motion = prescribed;
    drive.signal = SignalConstant{0};
    model_.drives.push_back(drive);
    return static_cast<int>(model_.drives.size()) - 1;
  }

  Model& model() { return model_; }

 private:
  Model model_;
};

Pose at(double x, double y, double z = 0);

// Joints 0..3: crank, crank-coupler, coupler-rocker, rocker; links crank, coupler, rocker along their x axes from their
// origins. The ground bar lies along x from the origin. With `cut` (0..3) that joint is cut.
Model four_bar(double ground, double crank, double coupler, double rocker, double crank_angle, int cut = -1);

// A chain of `length` revolute joints with alternating axes.
Model chain(int length);

Vector3 random_vector(std::mt19937& random, double size = 1);

Pose random_pose(std::mt19937& random);

constexpr JointType all_joint_types[] = {JointType::fixed,       JointType::revolute,  JointType::prismatic,
                                         JointType::cylindrical, JointType::universal, JointType::spherical,
                                         JointType::planar,      JointType::free};

// A tree of joints of all types with random frames; some joints are written from the far link to the near one, so that
// they are traversed backwards.
Model random_tree(int num_links, unsigned seed);

// `num_cells` square cells side by side, each of four bars of length `side` pinned at the corners (loops in a row that
// share bars): rung k, upper bar, lower bar, rung k+1. Rung 0 is pinned to the ground with its lower end at the origin.
// Every cell can shear: mobility is 1 + num_cells.
Model ladder(int num_cells, double side = 1);

}  // namespace lithe::testing
