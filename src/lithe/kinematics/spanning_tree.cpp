#include "lithe/kinematics/spanning_tree.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/model/control_setup.h"
#include "lithe/model/error_at.h"

namespace lithe {
namespace {

// Vertices: links, and the ground as the last one.
class Graph {
 public:
  explicit Graph(const Model& model) : model_(model), incident_(model.links.size() + 1) {
    for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
      incident_[vertex(model.joints[j].parent)].push_back(j);
      incident_[vertex(model.joints[j].child)].push_back(j);
    }
  }

  int ground() const { return static_cast<int>(model_.links.size()); }
  int vertex(int link) const { return link < 0 ? ground() : link; }

  // Vertices in breadth-first order from the ground along the joints that `use` allows; `visit(joint, backwards)` sees
  // each joint that discovers a vertex. Returns the depth of every vertex, -1 where there is no way.
  template <class Use, class Visit>
  std::vector<int> walk(const Use& use, const Visit& visit) const {
    std::vector<int> depth(incident_.size(), -1), queue{ground()};
    depth[ground()] = 0;
    for (size_t head = 0; head < queue.size(); ++head) {
      const int here = queue[head];
      for (int j : incident_[here]) {
        if (!use(j)) continue;
        const Joint& joint = model_.joints[j];
        const bool backwards = vertex(joint.child) == here;
        const int there = vertex(backwards ? joint.parent : joint.child);
        if (depth[there] >= 0) continue;
        depth[there] = depth[here] + 1;
        queue.push_back(there);
        visit(j, backwards);
      }
    }
    return depth;
  }

 private:
  const Model& model_;
  std::vector<std::vector<int>> incident_;
};

class UnionFind {
 public:
  explicit UnionFind(int size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }
  bool join(int a, int b) {
    a = root(a), b = root(b);
    if (a == b) return false;
    parent_[std::max(a, b)] = std::min(a, b);
    return true;
  }

 private:
  std::vector<int> parent_;
  int root(int a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }
};

bool valid_side(const Model& model, int link, int node) {
  if (link < 0) return link == -1;
  if (link >= static_cast<int>(model.links.size())) return false;
  return node >= -1 && node < static_cast<int>(model.links[link].nodes.size());
}

void check_values(const Joint& joint, Diagnostics& diagnostics) {
  const size_t freedoms = freedoms_of(joint.type).size();
  const auto check = [&](size_t size, const char* what) {
    if (size != 0 && size != freedoms)
      diagnostics.error(error_at(joint.place, cat("joint '", joint.name, "': ", freedoms, " ", what,
                                                  " wanted, one per degree of freedom, got ", size)));
  };
  check(joint.initial_value.size(), "initial values");
  check(joint.initial_speed.size(), "initial speeds");
  check(joint.initial_value_given.size(), "marks of given initial values");
}

void check_joints(const Model& model, Diagnostics& diagnostics) {
  for (const Joint& joint : model.joints) {
    if (!valid_side(model, joint.parent, joint.parent_node) || !valid_side(model, joint.child, joint.child_node)) {
      diagnostics.error(
          error_at(joint.place, cat("joint '", joint.name, "' names a link or node that does not exist")));
    } else if (joint.parent == joint.child) {
      const std::string what = joint.parent < 0 ? "the ground" : cat("link '", model.links[joint.parent].name, "'");
      diagnostics.error(error_at(joint.place, cat("joint '", joint.name, "' connects ", what, " with itself")));
    }
    check_values(joint, diagnostics);
  }
}

void check_reach(const Model& model, const std::vector<int>& depth, Diagnostics& diagnostics) {
  for (size_t i = 0; i < model.links.size(); ++i) {
    if (depth[i] >= 0) continue;
    diagnostics.error(error_at(model.links[i].place,
                               cat("link '", model.links[i].name,
                                   "' has no way to the ground; connect it through joints, or give it (or a link "
                                   "it is connected with) a joint of type 'free' with the ground")));
  }
}

// Joints whose coordinate matters to the user come first into the tree: there it is a coordinate of the equations.
enum class Rank { prescribed, keep, ordinary, cut };

std::vector<Rank> drive_ranks(const Model& model) {
  std::vector<Rank> ranks(model.joints.size(), Rank::ordinary);
  const auto raise = [&](int joint, Rank rank) {
    if (joint >= 0 && joint < static_cast<int>(ranks.size())) ranks[joint] = std::min(ranks[joint], rank);
  };
  for (const Coupling& coupling : model.couplings) {
    raise(coupling.joint, Rank::keep);
    for (const CoupledFreedom& term : coupling.terms) raise(term.joint, Rank::keep);
  }
  for (const Drive& drive : model.drives) raise(drive.joint, drive.prescribes_motion ? Rank::prescribed : Rank::keep);
  if (model.control)
    for (const ControllerSetup& controller : model.control->controllers)
      for (const Actuator& actuator : controller.actuators) raise(actuator.joint, Rank::keep);
  return ranks;
}

// Whether a joint's freedoms are acted on, or declared to be coordinates.
bool is_active(const Joint& joint, Rank drive) {
  const auto any = [](const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [](double value) { return value != 0; });
  };
  const bool limited = std::any_of(joint.limits.begin(), joint.limits.end(), [](const auto& l) { return !!l; });
  if (freedoms_of(joint.type).empty()) return false;
  return drive != Rank::ordinary || joint.independent.value_or(false) || limited || any(joint.inertia) ||
         any(joint.initial_speed) || any(joint.stiffness) || any(joint.damping) || any(joint.friction);
}

Rank rank_of(const Joint& joint, Rank drive) {
  if (drive == Rank::prescribed) return Rank::prescribed;
  if (joint.prefer_cut || joint.type == JointType::free) return Rank::cut;
  const bool given = std::count(joint.initial_value_given.begin(), joint.initial_value_given.end(), true) > 0;
  return given || is_active(joint, drive) ? Rank::keep : Rank::ordinary;
}

// Kruskal's rule on (rank, depth of both ends, order in the model). Among joints of equal rank the sum of depths
// reproduces the breadth-first tree: a joint that discovers depth k has 2k-1, one between equals 2k.
std::vector<bool> choose_tree(const Model& model, const Graph& graph, const std::vector<int>& depth,
                              const std::vector<Rank>& drives) {
  const int num_joints = static_cast<int>(model.joints.size());
  std::vector<std::tuple<Rank, int, int>> keys;
  for (int j = 0; j < num_joints; ++j) {
    const int sum = depth[graph.vertex(model.joints[j].parent)] + depth[graph.vertex(model.joints[j].child)];
    keys.emplace_back(rank_of(model.joints[j], drives[j]), sum, j);
  }
  std::sort(keys.begin(), keys.end());
  UnionFind sets(graph.ground() + 1);
  std::vector<bool> in_tree(num_joints, false);
  for (const auto& [rank, sum, j] : keys)
    in_tree[j] = sets.join(graph.vertex(model.joints[j].parent), graph.vertex(model.joints[j].child));
  return in_tree;
}

}  // namespace

SpanningTree span(const Model& model) {
  Diagnostics diagnostics;
  check_joints(model, diagnostics);
  const auto invalid = [&](const Joint& joint) {
    return !valid_side(model, joint.parent, -1) || !valid_side(model, joint.child, -1);
  };
  if (std::any_of(model.joints.begin(), model.joints.end(), invalid)) diagnostics.throw_if_any();

  const Graph graph(model);
  const std::vector<int> depth = graph.walk([](int) { return true; }, [](int, bool) {});
  check_reach(model, depth, diagnostics);
  diagnostics.throw_if_any();

  const std::vector<Rank> drives = drive_ranks(model);
  const std::vector<bool> in_tree = choose_tree(model, graph, depth, drives);
  SpanningTree tree;
  graph.walk([&](int j) { return in_tree[j]; }, [&](int j, bool backwards) { tree.order.push_back({j, backwards}); });
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    if (!in_tree[j]) tree.cuts.push_back({j, is_active(model.joints[j], drives[j])});
  return tree;
}

}  // namespace lithe
