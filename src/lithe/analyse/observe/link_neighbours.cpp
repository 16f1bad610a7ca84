#include "lithe/analyse/observe/link_neighbours.h"

#include <algorithm>
#include <numeric>

namespace lithe {
namespace {

// Sets of links, and of the ground as the last.
class Sets {
 public:
  explicit Sets(const Model& model) : first_(model.links.size() + 1) { std::iota(first_.begin(), first_.end(), 0); }
  int ground() const { return static_cast<int>(first_.size()) - 1; }
  int place(int link) const { return link < 0 ? ground() : link; }
  int first(int link) const {
    int at = place(link);
    while (first_[static_cast<std::size_t>(at)] != at) at = first_[static_cast<std::size_t>(at)];
    return at;
  }
  void join(int a, int b) {
    const int one = first(a), other = first(b);
    first_[static_cast<std::size_t>(std::max(one, other))] = std::min(one, other);
  }

 private:
  std::vector<int> first_;
};

struct End {
  int node = -1, beyond = -1;  // the set at the joint's other side
  Vector3 position;
};

// What hangs together when the link and its joints are taken away.
Sets without(const Model& model, int link) {
  Sets others(model);
  for (const Joint& joint : model.joints)
    if (joint.parent != link && joint.child != link && joint.type != JointType::free)
      others.join(joint.parent, joint.child);
  return others;
}

std::vector<End> ends_of(const Model& model, int link, const Sets& others) {
  std::vector<End> ends;
  for (const Joint& joint : model.joints) {
    if (joint.type == JointType::free) continue;
    if (joint.parent == link)
      ends.push_back({joint.parent_node, others.first(joint.child), joint.parent_frame.position});
    if (joint.child == link) ends.push_back({joint.child_node, others.first(joint.parent), joint.child_frame.position});
  }
  std::erase_if(ends, [](const End& end) { return end.node < 0; });
  return ends;
}

}  // namespace

HeldNodes held_nodes(const Model& model, int link) {
  const Sets others = without(model, link);
  const std::vector<End> ends = ends_of(model, link, others);
  HeldNodes held;
  double farthest = 0;
  for (std::size_t i = 0; i < ends.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double apart = (ends[i].position - ends[j].position).norm();
      if (ends[i].beyond != ends[j].beyond || apart <= farthest) continue;
      farthest = apart;
      held = {ends[j].node, ends[i].node};
    }
  if (held.outboard >= 0) return held;
  for (const End& end : ends)
    if (held.inboard < 0 || end.beyond == others.first(-1)) held.inboard = end.node;
  return held;
}

std::vector<CarriedLinks> carried_links(const Model& model, int link) {
  const Sets others = without(model, link);
  const std::vector<End> ends = ends_of(model, link, others);
  const int inboard = held_nodes(model, link).inboard;
  std::vector<CarriedLinks> carried;
  for (const End& end : ends) {
    const auto same = [&](const End& other) { return other.beyond == end.beyond; };
    if (end.node == inboard || end.beyond == others.first(-1) || std::count_if(ends.begin(), ends.end(), same) > 1)
      continue;
    CarriedLinks group{end.node, {}};
    for (int k = 0; k < static_cast<int>(model.links.size()); ++k)
      if (k != link && others.first(k) == end.beyond) group.links.push_back(k);
    carried.push_back(std::move(group));
  }
  return carried;
}

std::vector<int> first_of_body(const Model& model) {
  Sets bodies(model);
  for (const Joint& joint : model.joints)
    if (joint.type == JointType::fixed && joint.parent >= 0 && joint.child >= 0) bodies.join(joint.parent, joint.child);
  std::vector<int> first;
  for (int link = 0; link < static_cast<int>(model.links.size()); ++link) first.push_back(bodies.first(link));
  return first;
}

}  // namespace lithe
