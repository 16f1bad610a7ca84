// [robot]: a description as links and joints of the model, with what the file adds to them.
#include <algorithm>
#include <map>
#include <tuple>

#include "lithe/base/text.h"
#include "lithe/read/mjcf/read_mjcf.h"
#include "lithe/read/parts.h"
#include "lithe/read/sdf/read_sdf.h"
#include "lithe/read/tables/input_file.h"
#include "lithe/read/urdf/description_files.h"
#include "lithe/read/urdf/flexible_link.h"
#include "lithe/read/urdf/robot_parts.h"
#include "lithe/read/urdf/robot_to_model.h"

namespace lithe {

RobotDescription read_description(std::string_view text, const std::string& file, const DescriptionChoices& choices) {
  // The first element tells the format.
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    if (rest.starts_with("!--")) {
      at = std::min(text.find("-->", at), text.size() - 1);
      continue;
    }
    if (rest.starts_with("mujoco")) return read_mjcf(text, file, choices);
    if (rest.starts_with("sdf")) return read_sdf(text, file, choices);
    if (!rest.starts_with('?') && !rest.starts_with('!')) break;
  }
  return read_urdf(text, file, choices);
}

namespace {

// The members of [links.NAME] or [joints.NAME], and which of them a robot's link or joint has taken.
class Additions {
 public:
  Additions(Reading& reading, const TableReader& file, std::string_view key) : reading_(reading), key_(key) {
    if (!is_named_tables(file, key)) return;  // an array of tables is the file's own
    const Value* value = file.find(key);
    for (const Member& member : value->members)
      if (expect_table(reading, member.value, path(member.key))) {
        places_.emplace(member.key, members_.size());
        members_.push_back(&member);
      }
    taken_.resize(members_.size(), false);
  }

  std::string path(const std::string& name) const { return cat(key_, ".", name); }

  const Value* take(const std::string& name) {
    const auto found = places_.find(name);
    if (found == places_.end()) return nullptr;
    taken_[found->second] = true;
    return &members_[found->second]->value;
  }

  void report_unknown(const NameList& names) const {
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (!taken_[i])
        reading_.error_at(members_[i]->line, members_[i]->column, path(members_[i]->key),
                          cat("the robot has no ", key_.substr(0, key_.size() - 1), " '", members_[i]->key, "'",
                              names.hint(members_[i]->key)));
  }

 private:
  Reading& reading_;
  std::string_view key_;
  std::vector<const Member*> members_;
  std::map<std::string, std::size_t> places_;  // in members_
  std::vector<bool> taken_;
};

Value number_value(double number, const Value& place) {
  Value value;
  value.kind = ValueKind::real;
  value.number = number;
  value.line = place.line;
  value.column = place.column;
  return value;
}

class RobotReader {
 public:
  RobotReader(const TableReader& reader, Additions& links, Additions& joints)
      : reading_(reader.reading()), reader_(reader), link_additions_(links), joint_additions_(joints) {}

  void read() {
    const std::optional<NamedFile> file = read_named_file(reader_, "file", largest_description);
    prefix_ = reader_.text("prefix").value_or("");
    const bool free_base = reader_.choice("base").value_or(0) == 1;
    const Pose base{reader_.orientation("base_orientation").value_or(Matrix3::Identity()),
                    reader_.vector("base_position").value_or(Vector3::Zero())};
    if (!file) return;
    bool outside = file->outside;
    const DescriptionChoices choices = choices_of(reader_, *file, outside);
    try {
      robot_ = read_description(file->text, file->name, choices);
    } catch (const InputError& error) {
      if (outside)  // what is in it stays unknown to who only named it
        reader_.error("file", "the file and those that it includes are no robot description without errors");
      else
        for (const Diagnostic& found : error.errors()) reading_.diagnostics.error(found);
      return;
    }
    base_name_ = base_joint_name(robot_);
    nodes_ = nodes_of_links(robot_, base_name_);
    for (int i = 0; i < static_cast<int>(robot_.links.size()); ++i) add_robot_link(i);
    add_base(base, free_base);
    add_part_joints();
    for (const DescribedJoint& joint : robot_.joints) add_robot_joint(joint);
    for (auto& [coupling, of] : mimics_) {
      coupling.terms[0].joint = reading_.joints.find(of).value_or(0);
      reading_.model.couplings.push_back(std::move(coupling));
    }
    for (const DescribedLoop& loop : robot_.loops) add_loop(loop);
    for (const std::string& note : robot_.notes) reading_.notes.push_back(note);
    note_differences();
  }

 private:
  SourcePlace place(int line) const { return {robot_.file, line, 1}; }

  // What the description has and the model file has to say itself.
  void note_differences() const {
    constexpr double little = 0.02;  // descriptions say 9.8 as well
    if (const auto& there = robot_.gravity; there && (*there - reading_.model.gravity).norm() > little)
      reading_.notes.push_back(cat(robot_.file, ": gravity is [", there->x(), ", ", there->y(), ", ", there->z(),
                                   "] m/s^2 there; here it is that of the model file"));
    for (const DescribedJoint& joint : robot_.joints)
      if (joint.ratio && num_freedoms(joint.type) == 1)
        reading_.notes.push_back(cat(robot_.file, ":", joint.line, ": joint '", prefix_, joint.name,
                                     "' has a transmission with the reduction ", *joint.ratio,
                                     ": give its motor in [[motors]] with this ratio"));
  }

  void add_robot_link(int index) {
    const DescribedLink& described = robot_.links[static_cast<std::size_t>(index)];
    places_.emplace_back();
    Link link;
    link.name = prefix_ + described.name;
    link.place = place(described.line);
    link.rigid = true;
    link.nodes = nodes_[static_cast<std::size_t>(index)];
    for (Node& node : link.nodes) node.name = prefix_ + node.name;
    if (described.inertia) link.rigid_inertia = in_link_axes(*described.inertia);
    static const Value empty;
    const Value* addition = link_additions_.take(link.name);
    const TableReader reader(reading_, robot_link_table(), addition ? *addition : empty,
                             link_additions_.path(link.name), cat("link '", link.name, "'"));
    if (addition) add_to_link(reader, link);
    NameList nodes;
    for (const Node& node : link.nodes)
      if (!nodes.add(node.name)) reader.error("nodes", cat("the node '", node.name, "' is there already"));
    const Value* flexible = addition ? addition->find("flexible") : nullptr;
    if (flexible && expect_table(reading_, *flexible, reader.path_of("flexible"))) {
      if (flexible->find("file"))
        add_file_link(reader, *flexible, link, index);
      else
        add_flexible_link(reader, *flexible, link);
      return;
    }
    for (const std::string_view key : {"damping", "reduction"})
      if (reader.has(key)) reader.error(key, cat("'", key, "' is for flexible links"));
    if (addition) read_lumped_masses(reader, nodes, link);
    put_link(reader, std::move(link));
  }

  int put_link(const TableReader& reader, Link link) {
    const int index = static_cast<int>(reading_.model.links.size());
    NameList nodes;
    for (std::size_t i = 0; i < link.nodes.size(); ++i) {
      nodes.add(link.nodes[i].name);
      places_.back().try_emplace(link.nodes[i].name, index, static_cast<int>(i));
    }
    add_link(reading_, reader, std::move(link), std::move(nodes));
    return index;
  }

  // Names of the nodes at which the link has joints.
  std::vector<std::string> joints_at(int link) const {
    std::vector<std::string> names;
    if (link == robot_.root) names.push_back(prefix_ + base_name_);
    for (const DescribedJoint& joint : robot_.joints)
      if (joint.parent == link || joint.child == link) names.push_back(prefix_ + joint.name);
    for (const DescribedLoop& loop : robot_.loops)
      if (loop.a == link || loop.b == link) names.push_back(prefix_ + loop.node());
    return names;
  }

  // A mesh or a reduced body in the place of the link.
  void add_file_link(const TableReader& reader, const Value& table, const Link& link, int index) {
    const TableReader keys(reading_, flexible_table(), table, reader.path_of("flexible"),
                           reader.owner() + ", flexible");
    std::optional<Link> part = read_flexible_file(keys, link, joints_at(index));
    if (!part) return void(put_link(reader, link));
    NameList nodes;
    for (const Node& node : part->nodes) nodes.add(node.name);
    read_lumped_masses(reader, nodes, *part);
    read_damping(reader, *part);
    read_reduction(reader, nodes, *part);
    reading_.notes.push_back(cat("link '", link.name, "': its mass and inertia are those of its file, not the ",
                                 link.rigid_inertia.mass, " kg of the description"));
    put_link(reader, *std::move(part));
  }

  // A beam, and rigid links at its ends for what is left of the mass and for nodes that are not on the beam.
  void add_flexible_link(const TableReader& reader, const Value& table, const Link& link) {
    const TableReader keys(reading_, flexible_table(), table, reader.path_of("flexible"),
                           reader.owner() + ", flexible");
    std::optional<FlexibleLink> flexible = read_flexible(keys, link);
    if (!flexible) {
      put_link(reader, link);
      return;
    }
    NameList nodes;
    for (const Node& node : flexible->beam.nodes) nodes.add(node.name);
    read_lumped_masses(reader, nodes, flexible->beam);
    read_damping(reader, flexible->beam);
    if (!reader.has("reduction") && flexible->beam.imported) {
      flexible->beam.reduction.method = ReductionMethod::guyan;  // it has no inner nodes
    } else if (!reader.has("reduction")) {  // static shapes and the two lowest modes: what a move excites
      flexible->beam.reduction.method = ReductionMethod::craig_bampton;
      flexible->beam.reduction.num_internal_modes = 2;
    }
    read_reduction(reader, nodes, flexible->beam);
    const std::vector<Node> ends = flexible->beam.nodes;
    const int beam = put_link(reader, std::move(flexible->beam));
    for (const bool tip : {false, true}) {
      const Node &own = ends[tip ? 1 : 0], &other = ends[tip ? 0 : 1];
      Link part;
      part.name = cat(link.name, tip ? " tip" : " root");
      part.place = link.place;
      part.rigid = true;
      part.nodes = {own};
      for (const Node& node : link.nodes) {
        const double to_own = (node.position - own.position).norm(), to_other = (node.position - other.position).norm();
        if (node.name != own.name && node.name != other.name && (tip ? to_own < to_other : to_own <= to_other))
          part.nodes.push_back(node);
      }
      if (flexible->has_ends) part.rigid_inertia = tip ? flexible->ends.last : flexible->ends.first;
      if (!flexible->has_ends && part.nodes.size() == 1) continue;
      part_joints_.push_back({beam, static_cast<int>(reading_.model.links.size()), tip ? 1 : 0, part.name});
      put_link(reader, std::move(part));
    }
    reading_.notes.push_back(flexible->note);
  }

  // The parts of flexible links, fixed to their beams.
  void add_part_joints() {
    for (const PartJoint& part : part_joints_) {
      Joint joint;
      joint.name = part.name;
      joint.place = reading_.model.links[static_cast<std::size_t>(part.link)].place;
      joint.set_type(JointType::fixed);
      joint.parent = part.beam;
      joint.child = part.link;
      joint.parent_node = part.node;
      joint.child_node = 0;
      joint.parent_frame.position = joint.child_frame.position =
          reading_.model.links[static_cast<std::size_t>(part.link)].nodes[0].position;
      finish_joint(std::move(joint), {});
    }
  }

  void add_to_link(const TableReader& reader, Link& link) {
    if (reader.has("mass")) link.rigid_inertia.mass = reader.number("mass").value_or(0);
    if (reader.has("centre")) link.rigid_inertia.centre = reader.vector("centre").value_or(Vector3::Zero());
    if (reader.has("inertia")) link.rigid_inertia.inertia = reader.inertia("inertia", true).value_or(Matrix3::Zero());
    if (const Value* nodes = reader.find("nodes"); nodes && nodes->kind == ValueKind::table)
      for (const Member& member : nodes->members) {
        const auto position = read_vector(reading_, member.value, "m", reader.path_of("nodes." + member.key),
                                          cat(reader.owner(), ": node '", member.key, "'"));
        link.nodes.push_back({member.key, position.value_or(Vector3::Zero())});
      }
  }

  // The link of the model and its node that stand for a node of the description.
  std::pair<int, int> place_of(int link, const std::string& node) const {
    const auto& places = places_[static_cast<std::size_t>(link)];
    const auto found = places.find(prefix_ + node);
    return found == places.end() ? std::pair(0, 0) : found->second;
  }

  // The joint of the root link with the ground.
  void add_base(const Pose& base, bool free_base) {
    Joint joint;
    joint.name = prefix_ + base_name_;
    joint.place = place(robot_.links[static_cast<std::size_t>(robot_.root)].line);
    joint.set_type(free_base ? JointType::free : JointType::fixed);
    std::tie(joint.child, joint.child_node) = place_of(robot_.root, base_name_);
    joint.parent_frame = base * robot_.root_pose;
    finish_joint(std::move(joint), {});
  }

  void add_robot_joint(const DescribedJoint& described) {
    Joint joint;
    joint.name = prefix_ + described.name;
    joint.place = place(described.line);
    joint.set_type(described.type);
    std::tie(joint.parent, joint.parent_node) = place_of(described.parent, described.name);
    std::tie(joint.child, joint.child_node) = place_of(described.child, described.name);
    // As of [[joints]]: F on the parent has z along the axis, R_CM = R_PCᵀ R_PF.
    const bool has_axis = described.type != JointType::fixed && described.type != JointType::free;
    const Matrix3& R_PC = described.origin.rotation;
    joint.parent_frame = {has_axis ? shortest_turn(R_PC * described.axis) : Matrix3(Matrix3::Identity()),
                          described.origin.position};
    joint.child_frame.rotation = R_PC.transpose() * joint.parent_frame.rotation;
    finish_joint(std::move(joint), described);
  }

  void add_loop(const DescribedLoop& loop) {
    Joint joint;
    joint.name = prefix_ + loop.name;
    joint.place = place(loop.line);
    joint.set_type(loop.type);
    std::tie(joint.parent, joint.parent_node) = place_of(loop.a, loop.node());
    std::tie(joint.child, joint.child_node) = place_of(loop.b, loop.node());
    joint.parent_frame = loop.in_a;
    joint.child_frame = loop.in_b;
    DescribedJoint described;
    static_cast<RobotJointProperties&>(described) = loop;
    described.line = loop.line;
    described.type = loop.type;
    finish_joint(std::move(joint), described);
  }

  // Limits of speed and force hold for moves and in `lithe size`; zero stands for unknown in descriptions in the wild.
  void add_described_limits(const DescribedJoint& described) {
    if (num_freedoms(described.type) != 1) return;
    DriveTrain train;
    train.place = place(described.line);
    train.joint = static_cast<int>(reading_.model.joints.size());
    train.described = true;
    if (described.max_speed.value_or(0) > 0) train.max_speed = described.max_speed;
    if (described.max_force.value_or(0) > 0) train.gear_max_torque = described.max_force;
    if (described.mimic) {
      const DescribedMimic& mimic = *described.mimic;
      Coupling coupling;
      coupling.name = prefix_ + described.name;
      coupling.place = place(mimic.line);
      coupling.joint = train.joint;
      coupling.terms = {{.factor = mimic.factor}};
      coupling.offset = mimic.offset;
      mimics_.push_back({std::move(coupling), prefix_ + mimic.of});
    }
    if (train.max_speed || train.gear_max_torque) reading_.drive_trains.push_back(train);
  }

  // Keys of [joints.NAME], or what the description says where they are left out.
  void finish_joint(Joint joint, const std::optional<DescribedJoint>& described) {
    const Value* addition = joint_additions_.take(joint.name);
    Value merged;
    if (addition) merged = *addition;
    const auto set = [&](const char* key, Value value) {
      if (!merged.find(key)) merged.members.push_back({key, merged.line, merged.column, std::move(value)});
    };
    if (described && num_freedoms(described->type) == 1) {
      if (!merged.find("guess")) set("value", number_value(initial_value(robot_, *described), merged));
      set("damping", number_value(described->damping, merged));
      set("inertia", number_value(described->inertia, merged));
      set("stiffness", number_value(described->stiffness, merged));
      set("rest_value", number_value(described->rest_value, merged));
      set("friction", number_value(described->friction, merged));
      if (described->limits) {
        Value limits = number_value(0, merged);
        limits.kind = ValueKind::array;
        for (const double limit : {described->limits->first, described->limits->second})
          limits.items.push_back(number_value(limit, merged));
        set("limits", limits);
      }
    }
    if (described && described->type == JointType::spherical && described->damping != 0) {
      Value damping = number_value(0, merged);
      damping.kind = ValueKind::array;
      damping.items.assign(3, number_value(described->damping, merged));  // all act on the angular velocity
      set("damping", damping);
    }
    const TableReader reader(reading_, robot_joint_table(), merged, joint_additions_.path(joint.name),
                             cat("joint '", joint.name, "'"));
    read_freedoms(reader, joint);
    if (described && described->mimic && !(addition && addition->find("value")))
      joint.initial_value_given.assign(joint.initial_value_given.size(), false);
    joint.prefer_cut = reader.boolean("cut").value_or(false);
    joint.independent = reader.boolean("independent");
    if (described) add_described_limits(*described);
    add_joint(reading_, reader, std::move(joint));
  }

  Reading& reading_;
  const TableReader& reader_;
  Additions &link_additions_, &joint_additions_;
  RobotDescription robot_;
  std::string prefix_, base_name_;
  std::vector<std::pair<Coupling, std::string>> mimics_;  // and whom they follow
  struct PartJoint {
    int beam, link, node;
    std::string name;
  };
  std::vector<PartJoint> part_joints_;
  std::vector<std::vector<Node>> nodes_;                            // of each described link
  std::vector<std::map<std::string, std::pair<int, int>>> places_;  // of each described link's nodes
};

}  // namespace

void read_robots(Reading& reading, const TableReader& file) {
  Additions links(reading, file, "links"), joints(reading, file, "joints");
  const Value* robot = file.find("robot");
  if (!robot) return;
  const bool several = robot->kind == ValueKind::array;
  if (!several && !expect_table(reading, *robot, "robot")) return;
  const std::size_t count = several ? robot->items.size() : 1;
  const std::size_t errors_before = reading.diagnostics.errors().size();
  for (std::size_t i = 0; i < count; ++i) {
    const Value& table = several ? robot->items[i] : *robot;
    const std::string path = several ? cat("robot[", i, "]") : "robot";
    if (!expect_table(reading, table, path)) continue;
    const TableReader reader(reading, robot_table(), table, path, "robot");
    RobotReader(reader, links, joints).read();
  }
  if (reading.diagnostics.errors().size() != errors_before) return;  // unknown names would be follow-up errors
  links.report_unknown(reading.links);
  joints.report_unknown(reading.joints);
}

}  // namespace lithe
