#include "lithe/analyse/condense/topology.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "lithe/base/diagnostics.h"
#include "lithe/base/nearest_name.h"
#include "lithe/base/text.h"
#include "lithe/model/check/check_rotations.h"
#include "lithe/model/finite_element_body.h"

namespace lithe {
namespace {

template <class Items>
std::string nearest_of(const Items& items, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  const std::string near = nearest_name(name, names);
  return near.empty() ? std::string() : cat("; did you mean '", near, "'?");
}

template <class Items>
int index_of(const Items& items, const std::string& name) {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].name == name) return static_cast<int>(i);
  return -1;
}

// "'a', 'b', 'c' and 5 more"
std::string quoted_list(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), shown); ++i) text += cat(i > 0 ? ", '" : "'", names[i], "'");
  return names.size() > shown ? cat(text, " and ", names.size() - shown, " more") : text;
}

bool carries(const TiedBody& body, const NodeOfLink& node) {
  return body.link == node.link && (body.node < 0 || body.node == node.node);
}

double total_mass(const Link& link) {
  double mass = link.rigid_inertia.mass;
  for (const LumpedMass& lumped : link.lumped_masses) mass += lumped.mass;
  return mass;
}

}  // namespace

NodeOfLink find_node(const Model& model, const std::string& text) {
  // Names may hold colons themselves: every colon may be the one between link and node.
  for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
    const int link = index_of(model.links, text.substr(0, colon));
    if (link < 0) continue;
    const int node = index_of(model.links[link].nodes, text.substr(colon + 1));
    if (node >= 0) return {link, node};
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw InputError(cat("a node is written link:node, got '", text, "'"));
  const std::string link_name = text.substr(0, colon), node_name = text.substr(colon + 1);
  const int link = index_of(model.links, link_name);
  if (link < 0)
    throw InputError(cat("node '", text, "': there is no link '", link_name, "'", nearest_of(model.links, link_name)));
  throw InputError(cat("node '", text, "': link '", link_name, "' has no node '", node_name, "'",
                       nearest_of(model.links[link].nodes, node_name)));
}

std::string node_text(const Model& model, const NodeOfLink& node) {
  if (node.link < 0) return "ground";
  return cat(model.links[node.link].name, ":", model.links[node.link].nodes[node.node].name);
}

int find_joint(const Model& model, const std::string& name) {
  const int joint = index_of(model.joints, name);
  if (joint < 0) throw InputError(cat("there is no joint '", name, "'", nearest_of(model.joints, name)));
  return joint;
}

CondenseTopology::CondenseTopology(const Model& model, const CondenseOptions& options) {
  find_freedoms(model, options);
  find_bodies(model, options);
  check_nodes_without_rotations(model, options);
  if (options.hold_spins) leave_out_spins(model, options);
  connect(model);
  place_independent(model, options);
  for (int s = 0; s < static_cast<int>(subsystems_.size()); ++s) {
    if (subsystems_[s].root.link < 0 && subsystems_[s].role != SubsystemRole::grounded) choose_root(model, s);
    if (subsystems_[s].role == SubsystemRole::grounded) {
      subsystems_[s].root_size = 0;
    } else if (!bodies_[body_of(subsystems_[s].root)].rotations) {
      subsystems_[s].root_size = 3;
    }
    span(model, s);
  }
}

void CondenseTopology::find_freedoms(const Model& model, const CondenseOptions& options) {
  std::set<std::pair<int, int>> prescribed;
  for (const Drive& drive : model.drives)
    if (drive.prescribes_motion) prescribed.insert({drive.joint, drive.freedom});
  const std::set<int> held(options.held_joints.begin(), options.held_joints.end());
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    FreeFreedoms& free = freedoms_.emplace_back();
    for (int f = 0; f < num_freedoms(model.joints[j].type) && held.count(j) == 0; ++f)
      if (prescribed.count({j, f}) == 0) free.freedoms.push_back(f);
    free.ties = free.freedoms.size() < 6;
  }
}

namespace {

bool is_coupled(const Model& model, int j) {
  return std::any_of(model.couplings.begin(), model.couplings.end(), [&](const Coupling& coupling) {
    return coupling.joint == j || std::any_of(coupling.terms.begin(), coupling.terms.end(),
                                              [&](const CoupledFreedom& term) { return term.joint == j; });
  });
}

bool is_driven(const Model& model, int j) {
  return is_coupled(model, j) ||
         std::any_of(model.drives.begin(), model.drives.end(), [&](const Drive& drive) { return drive.joint == j; });
}

bool is_free_ball(const Model& model, const FreeFreedoms& free, int j) {
  const Joint& joint = model.joints[j];
  const auto none = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; });
  };
  return joint.type == JointType::spherical && free.freedoms.size() == 3 && none(joint.stiffness) &&
         none(joint.inertia) && !is_driven(model, j);
}

// A hinge, or the turning of a cylinder, that nothing acts on.
bool is_free_axle(const Model& model, const FreeFreedoms& free, int j) {
  const Joint& joint = model.joints[j];
  if ((joint.type != JointType::revolute && joint.type != JointType::cylindrical) || is_driven(model, j)) return false;
  return std::any_of(free.freedoms.begin(), free.freedoms.end(), [&](int f) {
    return is_rotation(joint.type, f) && joint.stiffness[f] == 0 && joint.inertia[f] == 0;
  });
}

// Whether the ball's centre lies on the axle, both at one link.
bool on_axle(const Model& model, int link, int ball, int axle) {
  const auto frame = [&](int j) {
    const Joint& joint = model.joints[j];
    return joint.parent == link ? joint.parent_frame : joint.child_frame;
  };
  const Vector3 away = frame(ball).position - frame(axle).position;
  return away.cross(frame(axle).rotation.col(2)).norm() <= 1e-9 * away.norm();
}

// Links whose turning somebody wants to see.
std::set<int> observed_links(const CondenseOptions& options) {
  std::set<int> links;
  for (const NodeOfLink& node : options.independent) links.insert(node.link);
  for (const ImposedDisplacement& imposed : options.imposed) links.insert(imposed.link);
  if (options.tool) links.insert(options.tool->link);
  return links;
}

}  // namespace

// A rod between a ball joint and a hinge or cylinder along its own line (a hydraulic cylinder's, for one) turns about
// that line by itself: the hinge keeps its other freedoms. A shaft in two bearings of one body is no such rod.
void CondenseTopology::leave_out_axle_turns(const Model& model, const CondenseOptions& options) {
  const std::set<int> observed = observed_links(options);
  std::vector<std::vector<int>> joints_of(model.links.size());
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    for (const int link : {model.joints[j].parent, model.joints[j].child})
      if (link >= 0) joints_of[link].push_back(j);
  const auto beyond = [&](int link, int j) {
    return model.joints[j].parent == link ? model.joints[j].child : model.joints[j].parent;
  };
  for (int link = 0; link < static_cast<int>(model.links.size()); ++link) {
    const std::vector<int>& joints = joints_of[link];
    if (joints.size() != 2 || observed.count(link) > 0 || beyond(link, joints[0]) == beyond(link, joints[1])) continue;
    for (const int k : {0, 1}) {
      const int ball = joints[k], axle = joints[1 - k];
      if (!is_free_ball(model, freedoms_[ball], ball) || !is_free_axle(model, freedoms_[axle], axle)) continue;
      if (!on_axle(model, link, ball, axle)) continue;
      std::erase_if(freedoms_[axle].freedoms, [&](int f) { return is_rotation(model.joints[axle].type, f); });
      freedoms_[axle].spin_to = ball;
    }
  }
}

// Links between two ball joints that nothing else ties to the rest turn about the line between them as a whole,
// whatever joints there are among them: the second ball loses that freedom.
void CondenseTopology::leave_out_spins(const Model& model, const CondenseOptions& options) {
  leave_out_axle_turns(model, options);
  std::vector<int> strut(model.links.size());
  std::iota(strut.begin(), strut.end(), 0);
  const auto root = [&](int link) {
    while (strut[link] != link) link = strut[link];
    return link;
  };
  std::set<int> held = observed_links(options);
  std::vector<int> balls;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[j];
    if (is_free_ball(model, freedoms_[j], j))
      balls.push_back(j);
    else if (joint.parent < 0 || joint.child < 0)
      held.insert(std::max(joint.parent, joint.child));
    else
      strut[root(joint.child)] = root(joint.parent);
  }
  std::map<int, std::vector<int>> ends;
  for (const int j : balls)
    for (const int link : {model.joints[j].parent, model.joints[j].child})
      if (link >= 0) ends[root(link)].push_back(j);
  for (const auto& [link, joints] : ends) {
    const bool matters = std::any_of(held.begin(), held.end(), [&, l = link](int h) { return root(h) == l; });
    if (matters || joints.size() != 2 || joints[0] == joints[1]) continue;
    // A rod's neighbour may have taken the freedom already; each ball gives one.
    const int last = freedoms_[joints[1]].spin_to < 0 ? joints[1] : joints[0];
    if (freedoms_[last].spin_to >= 0) continue;
    freedoms_[last].freedoms = {0, 1};
    freedoms_[last].spin_to = last == joints[1] ? joints[0] : joints[1];
  }
}

std::vector<int> CondenseTopology::joints_without_spin() const {
  std::vector<int> joints;
  for (int j = 0; j < static_cast<int>(freedoms_.size()); ++j)
    if (freedoms_[j].spin_to >= 0) joints.push_back(j);
  return joints;
}

void CondenseTopology::find_bodies(const Model& model, const CondenseOptions& options) {
  std::vector<std::set<int>> seen(model.links.size());
  const auto see = [&](const NodeOfLink& node) {
    if (node.link >= 0) seen[node.link].insert(node.node);
  };
  for (const Joint& joint : model.joints) see(parent_end(joint)), see(child_end(joint));
  for (const NodeOfLink& node : options.independent) see(node);
  for (const ImposedDisplacement& imposed : options.imposed) see({imposed.link, imposed.node});
  for (const Load& load : model.loads) see({load.link, load.node});
  if (options.tool) see(*options.tool);
  bodies_.push_back({});  // the ground
  for (int i = 0; i < static_cast<int>(model.links.size()); ++i) {
    body_of_.emplace_back(model.links[i].nodes.size(), -1);
    boundary_.emplace_back(seen[i].begin(), seen[i].end());
    if (model.links[i].rigid) {
      body_of_[i].assign(model.links[i].nodes.size(), static_cast<int>(bodies_.size()));
      bodies_.push_back({i, -1, -1, true, {}});
      continue;
    }
    for (const int node : boundary_[i]) {
      body_of_[i][node] = static_cast<int>(bodies_.size());
      bodies_.push_back({i, node, -1, has_rotation(model.links[i], node), {}});
    }
  }
}

// A node of translations alone can carry a ball joint: its rotation means nothing, so the first ball joint there leaves
// no freedom, further ones keep theirs. Every other joint would need the node's rotation.
void CondenseTopology::check_nodes_without_rotations(const Model& model, const CondenseOptions& options) {
  Diagnostics diagnostics;
  const auto refuse = [&](const SourcePlace& place, const std::string& who, const NodeOfLink& node) {
    diagnostics.error({place.file.empty() ? model.file : place.file,
                       place.line,
                       place.column,
                       {},
                       cat(who, " needs the rotation of node '", node_text(model, node), "', which has none (",
                           without_rotations, ")")});
  };
  std::vector<bool> met(bodies_.size(), false);
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[j];
    for (const NodeOfLink& end : {parent_end(joint), child_end(joint)}) {
      const int body = body_of(end);
      if (bodies_[body].rotations) continue;
      const bool ball = joint.type == JointType::spherical && freedoms_[j].freedoms.size() == 3;
      if (!ball) refuse(joint.place, cat("joint '", joint.name, "'"), end);
      if (ball && !met[body]) freedoms_[j].freedoms.clear(), met[body] = true;
    }
  }
  for (const NodeOfLink& node : options.independent)
    if (!bodies_[body_of(node)].rotations) refuse({}, "an independent node", node);
  for (const ImposedDisplacement& imposed : options.imposed)
    if (!bodies_[body_of({imposed.link, imposed.node})].rotations)
      refuse(imposed.place, "an imposed displacement", {imposed.link, imposed.node});
  if (options.tool && !bodies_[body_of(*options.tool)].rotations) refuse({}, "the tool", *options.tool);
  for (const Load& load : model.loads)
    if (load.torque && !bodies_[body_of({load.link, load.node})].rotations)
      refuse(load.place, cat("the torque of load '", load.name, "'"), {load.link, load.node});
  diagnostics.throw_if_any();
}

void CondenseTopology::connect(const Model& model) {
  std::vector<int> group(bodies_.size());
  std::iota(group.begin(), group.end(), 0);
  const auto root = [&](int b) {
    while (group[b] != b) b = group[b] = group[group[b]];
    return b;
  };
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    if (!freedoms_[j].ties) continue;
    const int a = root(body_of(parent_end(model.joints[j]))), b = root(body_of(child_end(model.joints[j])));
    group[std::max(a, b)] = std::min(a, b);
  }
  std::vector<int> index(bodies_.size(), -1);
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    int& s = index[root(b)];
    if (s < 0) s = static_cast<int>(subsystems_.size()), subsystems_.emplace_back();
    bodies_[b].subsystem = s;
    subsystems_[s].bodies.push_back(b);
  }
  subsystems_[0].role = SubsystemRole::grounded;  // the ground is body 0
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    if (freedoms_[j].ties) subsystems_[bodies_[body_of(child_end(model.joints[j]))].subsystem].joints.push_back(j);
}

std::string CondenseTopology::describe(const Model& model, int subsystem) const {
  std::vector<std::string> joints, links;
  for (const int j : subsystems_[subsystem].joints) joints.push_back(model.joints[j].name);
  for (const int b : subsystems_[subsystem].bodies) {
    if (bodies_[b].link < 0) continue;
    const std::string& name = model.links[bodies_[b].link].name;
    if (std::find(links.begin(), links.end(), name) == links.end()) links.push_back(name);
  }
  std::string text =
      subsystems_[subsystem].role == SubsystemRole::grounded ? "the subsystem of the ground" : "the subsystem";
  if (!joints.empty())
    text +=
        cat(subsystems_[subsystem].role == SubsystemRole::grounded ? ", joints " : " of joints ", quoted_list(joints));
  return cat(text, joints.empty() ? " of " : " and ", "links ", quoted_list(links));
}

void CondenseTopology::place_independent(const Model& model, const CondenseOptions& options) {
  Diagnostics diagnostics;
  const auto conflict = [&](const SourcePlace& place, const std::string& message) {
    diagnostics.error({place.file.empty() ? model.file : place.file, place.line, place.column, {}, message});
  };
  const auto claim = [&](const NodeOfLink& node, SubsystemRole role, int imposed, const SourcePlace& place) {
    const int s = bodies_[body_of(node)].subsystem;
    Subsystem& subsystem = subsystems_[s];
    const char* what = role == SubsystemRole::imposed ? "be held at a displacement" : "be independent";
    if (subsystem.role == SubsystemRole::grounded)
      return conflict(place, cat("node '", node_text(model, node), "' cannot ", what, ": it is in ", describe(model, s),
                                 ", where everything follows from the ground and the joints' degrees of freedom"));
    if (subsystem.root.link >= 0)
      return conflict(place, cat("nodes '", node_text(model, subsystem.root), "' and '", node_text(model, node),
                                 "' cannot both be independent: they are in ", describe(model, s),
                                 ", in which at most one node can be"));
    subsystem.root = node;
    subsystem.role = role;
    subsystem.imposed = imposed;
    if (role == SubsystemRole::kept) kept_.push_back(s);
  };
  for (int i = 0; i < static_cast<int>(options.imposed.size()); ++i)
    claim({options.imposed[i].link, options.imposed[i].node}, SubsystemRole::imposed, i, options.imposed[i].place);
  for (const NodeOfLink& node : options.independent) claim(node, SubsystemRole::kept, -1, {});
  diagnostics.throw_if_any();
  if (options.tool) {  // stands for its subsystem where nothing else was chosen
    Subsystem& subsystem = subsystems_[bodies_[body_of(*options.tool)].subsystem];
    if (subsystem.role == SubsystemRole::condensed) subsystem.root = *options.tool;
  }
  if (!options.independent.empty()) return;
  for (int s = 0; s < static_cast<int>(subsystems_.size()); ++s) {
    if (subsystems_[s].role != SubsystemRole::condensed) continue;
    const TiedBody& first = bodies_[subsystems_[s].bodies[0]];
    if (subsystems_[s].joints.empty() && subsystems_[s].root.link < 0 && first.node >= 0) continue;  // only loaded
    subsystems_[s].role = SubsystemRole::kept;
    kept_.push_back(s);
  }
}

// Which node of a rigid link stands for it does not matter, which body does (docs/theory/condensation.md, section 3):
// the heaviest rigid link, or else the parent of the first joint.
void CondenseTopology::choose_root(const Model& model, int s) {
  Subsystem& subsystem = subsystems_[s];
  const TiedBody* heaviest = nullptr;
  for (const int b : subsystem.bodies) {
    const TiedBody& body = bodies_[b];
    if (body.node >= 0) continue;
    if (!heaviest || total_mass(model.links[body.link]) > total_mass(model.links[heaviest->link])) heaviest = &body;
  }
  for (const int j : subsystem.joints)
    for (const NodeOfLink& end : {parent_end(model.joints[j]), child_end(model.joints[j])}) {
      if (end.link < 0 || (heaviest && !carries(*heaviest, end)) || !bodies_[body_of(end)].rotations) continue;
      subsystem.root = end;
      return;
    }
  const TiedBody& only = bodies_[subsystem.bodies.front()];
  subsystem.root = {only.link, std::max(only.node, 0)};
}

// Breadth first from the root, so that paths are short.
void CondenseTopology::span(const Model& model, int s) {
  Subsystem& subsystem = subsystems_[s];
  const int start = subsystem.role == SubsystemRole::grounded ? 0 : body_of(subsystem.root);
  std::map<int, std::vector<int>> joints_of;
  for (const int j : subsystem.joints)
    for (const NodeOfLink& end : {parent_end(model.joints[j]), child_end(model.joints[j])})
      joints_of[body_of(end)].push_back(j);
  std::vector<int> open{start};
  std::set<int> reached{start}, used;
  for (std::size_t next = 0; next < open.size(); ++next) {
    const int body = open[next];
    for (const int j : joints_of[body]) {
      if (!used.insert(j).second) continue;
      const int parent = body_of(parent_end(model.joints[j])), child = body_of(child_end(model.joints[j]));
      const int other = body == parent ? child : parent;
      if (!reached.insert(other).second) {
        subsystem.loop_joints.push_back(j);
        continue;
      }
      bodies_[other].path = bodies_[body].path;
      bodies_[other].path.push_back({j, body == parent ? 1.0 : -1.0});
      open.push_back(other);
    }
  }
}

std::vector<NodeOfLink> CondenseTopology::independent_nodes() const {
  std::vector<NodeOfLink> nodes;
  for (const int s : kept_) nodes.push_back(subsystems_[s].root);
  return nodes;
}

}  // namespace lithe
