// Links and joints with all poses in the world, as a graph; link_graph.h makes a tree of it. Plugins, sensors, lights,
// physics and the like are passed over.
#include "lithe/read/sdf/read_sdf.h"

#include <algorithm>
#include <memory>
#include <set>

#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/read/sdf/sdf_frames.h"
#include "lithe/read/sdf/sdf_link.h"
#include "lithe/read/urdf/link_graph.h"

namespace lithe {
namespace {

constexpr int world = 0;  // its link

// Where elements stand: the model, and the file.
struct SdfPlace {
  int scope = 0;
  std::string prefix;     // of names
  std::string folder;     // of the file, before names of other files
  double version = 1.07;  // 1.10 is 1.1: later than 1.9
  bool is_static = false;
  int depth = 0;  // of models and included files
};

struct PendingJoint {
  const XmlElement* xml = nullptr;
  SdfPlace place;
  std::string name;
};

class SdfReader {
 public:
  SdfReader(const std::string& file, const DescriptionChoices& choices, Diagnostics& diagnostics)
      : file_(file),
        choices_(choices),
        diagnostics_(diagnostics),
        values_(file, diagnostics),
        frames_(diagnostics, file) {
    frames_.add_scope();
    DescribedLink ground;
    ground.name = "world";
    links_.push_back(ground);
    link_frames_.push_back({0, ""});
  }

  RobotDescription read(const XmlElement& root) {
    SdfPlace place;
    place.version = version_of(root);
    const std::vector<const XmlElement*> worlds = root.all("world"), models = root.all("model");
    if (worlds.size() + models.size() != 1)
      error(root.line, cat("<sdf> must hold one <model> or one <world>, got ", models.size(), " and ", worlds.size()));
    else if (models.size() == 1)
      read_model(*models[0], place, {});
    else
      read_world(*worlds[0], place);
    for (const PendingJoint& joint : pending_)
      if (!is_gearbox(joint)) add_joint(joint);
    for (const PendingJoint& joint : pending_)
      if (is_gearbox(joint)) add_gearbox(joint);
    if (links_.size() == 1) error(root.line, "the file has no links");
    if (diagnostics_.any()) return {};
    return make_tree(!worlds.empty());
  }

 private:
  void error(int line, const std::string& message) { values_.error(line, message); }
  void note(int line, const std::string& message) { notes_.push_back(cat("line ", line, ": ", message)); }

  static double version_of(const XmlElement& root) {
    const XmlAttribute* version = root.find("version");
    if (!version || !version->value.starts_with("1.")) return 1.07;
    int minor = 0;
    for (const char letter : version->value.substr(2))
      if (letter >= '0' && letter <= '9' && minor < 100) minor = 10 * minor + (letter - '0');
    return 1 + minor / 100.0;
  }

  // With the names of the models around it; an error where it is reserved, too long or used twice.
  std::optional<std::string> name_of(const XmlElement& xml, const SdfPlace& place, std::set<std::string>& taken) {
    const XmlAttribute* name = xml.find("name");
    if (!name || name->value.empty()) {
      error(xml.line, cat("a ", xml.name, " has no name"));
      return std::nullopt;
    }
    const std::string full = place.prefix + name->value;
    constexpr std::size_t longest = 255;
    const std::string& own = name->value;
    if (full.size() > longest || own == "world" || (xml.name == "link" && full == "ground") ||
        own.find("::") != own.npos || own.starts_with("__")) {
      error(name->line, cat("a ", xml.name, " may not have the name ", in_quotes(full)));
      return std::nullopt;
    }
    if (taken.insert(full).second) return full;
    error(name->line, cat(xml.name, " '", full, "': the name is used twice"));
    return std::nullopt;
  }

  void add_frame(const XmlElement& xml, SdfFrame frame) {
    frame.line = xml.line;
    frame.pose = values_.pose(xml);
    frame.relative_to = SdfValues::relative_to(xml);
    const std::string name = frame.name;
    if (!frames_.add(std::move(frame)))
      error(xml.line, cat("the name ", in_quotes(name), " is used for two links, joints, frames or models"));
  }

  void read_world(const XmlElement& xml, const SdfPlace& outer) {
    if (xml.child("gravity")) gravity_ = values_.vector(xml, "gravity", Vector3::Zero());
    int moving = 0;
    for (const XmlElement& child : xml.children)
      if (child.name == "include" || child.name == "model") moving += values_.flag(child, "static", false) ? 0 : 1;
    read_content(xml, outer, moving > 1);
  }

  // Links, joints, frames and models of a model or a world.
  void read_content(const XmlElement& xml, const SdfPlace& place, bool prefixed) {
    for (const XmlElement& child : xml.children) {
      if (child.name == "link")
        read_link(child, place);
      else if (child.name == "joint")
        read_joint(child, place);
      else if (child.name == "frame")
        read_frame(child, place);
      else if (child.name == "model")
        read_model(child, place, prefixed || values_.flag(child, "static", false) ? name_attribute(child) : "");
      else if (child.name == "include")
        read_include(child, place, prefixed);
    }
  }

  static std::string name_attribute(const XmlElement& xml) {
    const XmlAttribute* name = xml.find("name");
    return name ? name->value : "";
  }

  // `shown_as` stands before the names in it, if not empty.
  void read_model(const XmlElement& xml, const SdfPlace& outer, const std::string& shown_as) {
    constexpr int deepest = 10;
    if (outer.depth > deepest) return error(xml.line, "models are nested too deep");
    std::set<std::string> any;
    const std::optional<std::string> name = name_of(xml, outer, any);
    if (!name) return;
    if (outer.depth == 0 && name_.empty()) name_ = *name;
    SdfPlace place = outer;
    ++place.depth;
    if (!shown_as.empty()) place.prefix = cat(outer.prefix, shown_as, "/");
    place.is_static = outer.is_static || values_.flag(xml, "static", false);
    place.scope = frames_.add_scope();
    SdfFrame frame;
    frame.name = name_attribute(xml);
    frame.scope = outer.scope;
    frame.model = place.scope;
    add_frame(xml, std::move(frame));
    SdfScope& scope = frames_.scope(place.scope);
    if (const XmlAttribute* placement = xml.find("placement_frame")) scope.placement = placement->value;
    for (const char* kind : {"link", "model", "include"})
      if (const XmlElement* first = xml.child(kind); first && scope.canonical.empty())
        scope.canonical = kind == std::string("include") ? SdfValues::text(*first, "name") : name_attribute(*first);
    if (const XmlAttribute* canonical = xml.find("canonical_link")) scope.canonical = canonical->value;
    if (!place.is_static && outer.depth == 0) bases_.push_back({place.scope, xml.line});
    read_content(xml, place, true);
  }

  // <include> as the model that the other file holds, with what the element itself says of it.
  void read_include(const XmlElement& xml, const SdfPlace& place, bool prefixed) {
    const std::string uri = SdfValues::text(xml, "uri");
    std::string name = uri.starts_with("model://") ? uri.substr(8) : uri;
    if (!name.ends_with(".sdf") && !name.ends_with(".xml")) name += "/model.sdf";
    name = place.folder + name;
    std::string problem = "nobody reads files here";
    std::optional<std::string> text;
    constexpr int deepest = 10, most = 100;
    if (place.depth >= deepest || ++num_includes_ > most)
      problem = "files include each other too deeply";
    else if (choices_.read_file)
      text = choices_.read_file(name, problem);
    if (!text) return error(xml.line, cat("the included file ", in_quotes(name), " is not read: ", problem));
    constexpr std::size_t most_bytes = std::size_t{64} << 20;
    if ((included_bytes_ += text->size()) > most_bytes)
      return error(xml.line, cat("the included files have more than ", most_bytes >> 20, " MB"));
    included_.push_back(std::make_unique<XmlElement>(parse_xml(*text, name)));
    XmlElement& root = *included_.back();
    const XmlElement* found = root.name == "sdf" && root.all("model").size() == 1 ? root.child("model") : nullptr;
    if (!found) return error(xml.line, cat("the included file ", in_quotes(name), " does not hold one SDF model"));
    if (const XmlAttribute* merge = xml.find("merge"); merge && merge->value == "true")
      return error(xml.line,
                   "<include merge=\"true\"> is not read; leave merge out, and name its links with the model");
    const double version = version_of(root);
    XmlElement model = *found;
    for (const char* key : {"static", "pose"})
      if (const XmlElement* own = xml.child(key)) {
        std::erase_if(model.children, [&](const XmlElement& child) { return child.name == key; });
        model.children.push_back(*own);
      }
    const auto set = [&](const char* key, const std::string& value) {
      if (value.empty()) return;
      std::erase_if(model.attributes, [&](const XmlAttribute& attribute) { return attribute.name == key; });
      model.attributes.push_back({key, value, xml.line});
    };
    set("name", SdfValues::text(xml, "name"));
    set("placement_frame", SdfValues::text(xml, "placement_frame"));
    root = std::move(model);
    SdfPlace inside = place;
    inside.folder = name.substr(0, name.find_last_of('/') + 1);
    inside.version = version;
    read_model(root, inside, prefixed || values_.flag(root, "static", false) ? name_attribute(root) : "");
  }

  void read_link(const XmlElement& xml, const SdfPlace& place) {
    const std::optional<std::string> name = name_of(xml, place, link_names_);
    if (!name) return;
    const int index = static_cast<int>(links_.size());
    links_.push_back(read_sdf_link(xml, *name, place.folder, values_, notes_));
    link_frames_.push_back({place.scope, name_attribute(xml)});
    SdfFrame frame;
    frame.name = name_attribute(xml);
    frame.scope = place.scope;
    frame.link = index;
    add_frame(xml, std::move(frame));
    if (place.is_static) statics_.push_back(index);
  }

  void read_frame(const XmlElement& xml, const SdfPlace& place) {
    std::set<std::string> any;
    if (!name_of(xml, place, any)) return;
    SdfFrame frame;
    frame.name = name_attribute(xml);
    frame.scope = place.scope;
    if (const XmlAttribute* to = xml.find("attached_to")) frame.attached_to = to->value;
    add_frame(xml, std::move(frame));
    points_.push_back({xml.line, place.scope, name_attribute(xml)});
  }

  void read_joint(const XmlElement& xml, const SdfPlace& place) {
    const std::optional<std::string> name = name_of(xml, place, joint_names_);
    if (!name) return;
    SdfFrame frame;
    frame.name = name_attribute(xml);
    frame.scope = place.scope;
    frame.attached_to = SdfValues::text(xml, "child");
    for (const char* side : {"parent", "child"})
      if (SdfValues::text(xml, side).empty()) return error(xml.line, cat("joint '", *name, "': it has no ", side));
    if (frame.attached_to == "world") return error(xml.line, cat("joint '", *name, "': the world cannot be the child"));
    add_frame(xml, std::move(frame));
    if (place.is_static)
      note(xml.line, cat("joint '", *name, "' of a static model does not move"));
    else
      pending_.push_back({&xml, place, *name});
  }

  // The pose in the world of what a scope's frame is called.
  std::optional<Pose> in_world(int scope, const std::string& name, int line) {
    const std::optional<Pose> inside = frames_.pose(scope, name, line);
    const std::optional<Pose> model = inside ? model_pose(scope, line) : std::nullopt;
    return model ? std::optional(*model * *inside) : std::nullopt;
  }

  std::optional<Pose> model_pose(int scope, int line) {
    Pose result;
    for (int at = scope; at != 0; at = frames_.scope(at).outer) {
      const SdfScope& model = frames_.scope(at);
      const std::optional<Pose> pose = frames_.pose(model.outer, model.name, line);
      if (!pose) return std::nullopt;
      result = *pose * result;
    }
    return result;
  }

  void add_joint(const PendingJoint& pending) {
    const XmlElement& xml = *pending.xml;
    const SdfPlace& place = pending.place;
    const std::string parent = SdfValues::text(xml, "parent"), child = SdfValues::text(xml, "child");
    GraphJoint joint;
    joint.name = pending.name;
    joint.line = xml.line;
    const std::optional<int> a = parent == "world" ? world : link_of(place.scope, parent, xml.line),
                             b = link_of(place.scope, child, xml.line);
    if (!a || !b) return;
    const std::optional<Pose> at = in_world(place.scope, name_attribute(xml), xml.line), of_a = world_pose(*a),
                              of_b = world_pose(*b);
    if (!at || !of_a || !of_b) return;
    if (*a == *b) return error(xml.line, cat("joint '", joint.name, "' connects a link with itself"));
    joint.a = *a;
    joint.b = *b;
    joint.in_a = of_a->inverse() * *at;
    joint.in_b = of_b->inverse() * *at;
    if (const XmlElement* physics = xml.child("physics"))
      if (const XmlElement* simbody = physics->child("simbody"))
        joint.prefer_cut = values_.flag(*simbody, "must_be_loop_joint", false);
    add_joint_of_type(xml, place, joint, at->rotation);
  }

  void add_joint_of_type(const XmlElement& xml, const SdfPlace& place, GraphJoint joint, const Matrix3& R_WJ) {
    const XmlAttribute* attribute = xml.find("type");
    const std::string type = attribute ? attribute->value : "";
    const auto axis = [&](const char* key, const std::string& name, JointType of) {
      SeriesAxis result;
      result.type = of;
      result.name = name;
      read_axis(xml, key, place, R_WJ, joint.name, result);
      return result;
    };
    if (type == "fixed" || type == "ball") {
      joint.type = type == "ball" ? JointType::spherical : JointType::fixed;
      joints_.push_back(std::move(joint));
    } else if (type == "revolute" || type == "continuous" || type == "prismatic") {
      SeriesAxis only = axis("axis", joint.name, type == "prismatic" ? JointType::prismatic : JointType::revolute);
      if (type == "continuous") only.properties.limits.reset();
      const bool cut = joint.prefer_cut;
      append_in_series(joint, {only}, links_, joints_);
      joints_.back().prefer_cut = cut;
    } else if (type == "universal" || type == "revolute2") {
      const SeriesAxis first = axis("axis", joint.name, JointType::revolute),
                       second = axis("axis2", joint.name + " axis2", JointType::revolute);
      if (std::abs(first.axis.dot(second.axis)) > 1 - 1e-9)
        error(xml.line, cat("joint '", joint.name, "': its two axes are parallel"));
      append_in_series(joint, {first, second}, links_, joints_);
      link_frames_.resize(links_.size(), {-1, ""});
    } else if (type == "screw") {
      error(xml.line, cat("joint '", joint.name, "': joints of the type ", type, " are not read"));
    } else {
      error(xml.line, cat("joint '", joint.name, "': the type must be fixed, revolute, continuous, prismatic, ball, ",
                          "universal or revolute2, got ", in_quotes(type)));
    }
  }

  static bool is_gearbox(const PendingJoint& joint) {
    const XmlAttribute* type = joint.xml->find("type");
    return type && type->value == "gearbox";
  }

  // theta_2 = -ratio theta_1 between two revolute joints of the reference body: the second follows the first.
  void add_gearbox(const PendingJoint& pending) {
    const XmlElement& xml = *pending.xml;
    const int scope = pending.place.scope;
    const std::string what = cat("joint '", pending.name, "': ");
    const std::string body = SdfValues::text(xml, "gearbox_reference_body");
    const std::optional<int> from = link_of(scope, body, xml.line),
                             a = link_of(scope, SdfValues::text(xml, "parent"), xml.line),
                             b = link_of(scope, SdfValues::text(xml, "child"), xml.line);
    const std::optional<Pose> at = in_world(scope, name_attribute(xml), xml.line);
    if (!from || !a || !b || !at) return;
    SeriesAxis first, second;
    read_axis(xml, "axis", pending.place, at->rotation, pending.name, first);
    read_axis(xml, "axis2", pending.place, at->rotation, pending.name, second);
    const GraphJoint* leader = gear_joint(*from, *a, at->rotation * first.axis);
    GraphJoint* follower = gear_joint(*from, *b, at->rotation * second.axis);
    if (!leader || !follower)
      return error(xml.line, cat(what,
                                 "its parent and its child must turn about its axes in revolute joints of the "
                                 "gearbox_reference_body"));
    DescribedMimic mimic;
    mimic.line = xml.line;
    mimic.of = leader->name;
    mimic.factor = -values_.number(xml, "gearbox_ratio", 1) * sense(*leader, at->rotation * first.axis) *
                   sense(*follower, at->rotation * second.axis);
    follower->mimic = mimic;
  }

  Vector3 axis_in_world(const GraphJoint& joint) {
    const std::optional<Pose> pose = joint.a == world ? Pose{} : world_pose(joint.a);
    return pose ? Vector3(pose->rotation * joint.in_a.rotation.col(2)) : Vector3::Zero();
  }
  double sense(const GraphJoint& joint, const Vector3& axis) { return axis_in_world(joint).dot(axis) < 0 ? -1 : 1; }

  // The revolute joint about an axis of the world that carries a link on another one.
  GraphJoint* gear_joint(int carrier, int link, const Vector3& axis) {
    for (GraphJoint& joint : joints_)
      if (joint.type == JointType::revolute && joint.a == carrier && joint.b == link &&
          axis_in_world(joint).cross(axis).norm() < 1e-3)
        return &joint;
    return nullptr;
  }

  void read_axis(const XmlElement& xml, const char* key, const SdfPlace& place, const Matrix3& R_WJ,
                 const std::string& joint_name, SeriesAxis& result) {
    const XmlElement* axis = xml.child(key);
    if (!axis) return error(xml.line, cat("joint '", joint_name, "': it has no <", key, ">"));
    result.axis = values_.vector(*axis, "xyz", Vector3::UnitZ());
    if (!(result.axis.norm() > 1e-12)) {
      error(axis->line, cat("joint '", joint_name, "': the axis has no length"));
      result.axis = Vector3::UnitZ();
    }
    result.axis.normalize();
    const XmlElement* xyz = axis->child("xyz");
    const XmlAttribute* frame = xyz ? xyz->find("expressed_in") : nullptr;
    std::optional<std::string> in;
    if (frame && !frame->value.empty()) in = frame->value;
    // Before 1.5 axes were in the model's frame, until 1.6 on demand.
    if (place.version < 1.065 && values_.flag(*axis, "use_parent_model_frame", place.version < 1.045)) in = "__model__";
    if (in) {
      const std::optional<Pose> pose = in_world(place.scope, *in == "world" ? "" : *in, axis->line);
      if (pose)
        result.axis = R_WJ.transpose() * ((*in == "world" ? Matrix3::Identity() : pose->rotation) * result.axis);
    }
    read_properties(*axis, joint_name, result);
  }

  void read_properties(const XmlElement& axis, const std::string& joint_name, SeriesAxis& result) {
    RobotJointProperties& to = result.properties;
    const std::string what = cat("joint '", joint_name, "': ");
    if (axis.child("initial_position")) note(axis.line, cat(what, "initial_position is passed over"));
    if (const XmlElement* dynamics = axis.child("dynamics")) {
      to.damping = values_.number(*dynamics, "damping", 0);
      to.friction = values_.number(*dynamics, "friction", 0);
      to.stiffness = values_.number(*dynamics, "spring_stiffness", 0);
      to.rest_value = values_.number(*dynamics, "spring_reference", 0);
      for (const auto& [value, word] : {std::pair(to.damping, "damping"), std::pair(to.friction, "friction"),
                                        std::pair(to.stiffness, "spring_stiffness")})
        if (value < 0) error(dynamics->line, cat(what, word, " must not be negative, got ", value));
    }
    if (const XmlElement* limit = axis.child("limit")) {
      read_limit(*limit, what, to);
      // The old way to write a fixed joint.
      const auto is_zero = [&](const char* key) {
        return !SdfValues::text(*limit, key).empty() && values_.number(*limit, key, 0) == 0;
      };
      if (is_zero("lower") && is_zero("upper")) {
        note(limit->line, cat(what, "its limits are both zero: it is fixed"));
        result.type = JointType::fixed;
        to = {};
        return;
      }
    }
    const XmlElement* mimic = axis.child("mimic");
    if (!mimic) return;
    DescribedMimic follows;
    follows.line = mimic->line;
    const XmlAttribute *of = mimic->find("joint"), *which = mimic->find("axis");
    if (!of) return error(mimic->line, cat(what, "<mimic> names no joint"));
    follows.of = of->value + (which && which->value == "axis2" ? " axis2" : "");
    for (std::size_t at = 0; (at = follows.of.find("::", at)) != std::string::npos;) follows.of.replace(at, 2, "/");
    follows.factor = values_.number(*mimic, "multiplier", 1);
    follows.offset = values_.number(*mimic, "offset", 0) - follows.factor * values_.number(*mimic, "reference", 0);
    to.mimic = follows;
  }

  // From 1e16 on numbers stand for no limit, as negative ones do for forces and speeds.
  void read_limit(const XmlElement& limit, const std::string& what, RobotJointProperties& to) {
    constexpr double unlimited = 1e16;
    const auto bound = [&](const char* key, double otherwise) {
      const std::string word = SdfValues::text(limit, key);
      return word == "inf" || word == "+inf" || word == "-inf" ? otherwise : values_.number(limit, key, otherwise);
    };
    const double lower = bound("lower", -unlimited), upper = bound("upper", unlimited);
    if (lower > upper) error(limit.line, cat(what, "the lower limit ", lower, " is above the upper one, ", upper));
    if (lower == upper && lower != 0)
      note(limit.line, cat(what, "the limits leave no range; the joint is taken as unlimited"));
    if (lower < upper && (lower > -unlimited || upper < unlimited)) to.limits = {lower, upper};
    const double force = bound("effort", -1), speed = bound("velocity", -1);
    if (force >= 0 && force < unlimited) to.max_force = force;
    if (speed >= 0 && speed < unlimited) to.max_speed = speed;
  }

  std::optional<int> link_of(int scope, const std::string& name, int line) {
    const std::optional<int> link = frames_.link(scope, name, line);
    if (link && *link < 0) return world;
    return link;
  }

  std::optional<Pose> world_pose(int link) {
    const auto& [scope, name] = link_frames_[static_cast<std::size_t>(link)];
    return in_world(scope, name, links_[static_cast<std::size_t>(link)].line);
  }

  void attach(int link, JointType type, const char* how) {
    const std::optional<Pose> pose = world_pose(link);
    if (!pose) return;
    GraphJoint joint;
    const DescribedLink& moved = links_[static_cast<std::size_t>(link)];
    joint.name = cat(moved.name, how);
    joint.line = moved.line;
    joint.type = type;
    joint.a = world;
    joint.b = link;
    joint.in_a = *pose;
    joints_.push_back(std::move(joint));
  }

  // <frame> elements become named places on their links.
  void add_points() {
    for (const auto& [line, scope, name] : points_) {
      const std::optional<int> link = link_of(scope, name, line);
      const std::optional<Pose> at = in_world(scope, name, line);
      const std::optional<Pose> of_link = link ? world_pose(*link) : std::nullopt;
      if (at && of_link)
        links_[static_cast<std::size_t>(*link)].points.push_back({name, of_link->inverse() * at->position});
    }
  }

  // Models that nothing ties to the world float; one alone is the robot, with its base link as the root.
  RobotDescription make_tree(bool in_a_world) {
    add_points();
    for (const int link : statics_) attach(link, JointType::fixed, " static");
    std::vector<int> group(links_.size());
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = static_cast<int>(i);
    const auto find = [&](int link) {
      while (group[static_cast<std::size_t>(link)] != link)
        link = group[static_cast<std::size_t>(link)] =
            group[static_cast<std::size_t>(group[static_cast<std::size_t>(link)])];
      return link;
    };
    for (const GraphJoint& joint : joints_) group[static_cast<std::size_t>(find(joint.b))] = find(joint.a);
    std::vector<int> candidates;
    for (const auto& [scope, line] : bases_)
      if (const std::optional<int> link = link_of(scope, "", line)) candidates.push_back(*link);
    for (int link = 1; link < static_cast<int>(links_.size()); ++link) candidates.push_back(link);
    std::vector<int> floating;
    const bool tied =
        std::any_of(joints_.begin(), joints_.end(), [](const GraphJoint& j) { return j.a == world || j.b == world; });
    for (const int link : candidates)
      if (find(link) != find(world)) {
        floating.push_back(link);
        group[static_cast<std::size_t>(find(link))] = find(world);
      }
    if (diagnostics_.any()) return {};
    if (floating.size() == 1 && !tied && !in_a_world) return rooted_at(floating[0]);
    for (const int link : floating) attach(link, JointType::free, " free");
    if (diagnostics_.any()) return {};
    return finish(tree_of(std::move(links_), std::move(joints_), world));
  }

  RobotDescription rooted_at(int root) {
    const std::optional<Pose> pose = world_pose(root);
    if (!pose) return {};
    notes_.push_back(cat("nothing ties the model to the world: link '", links_[static_cast<std::size_t>(root)].name,
                         "' is the base"));
    links_.erase(links_.begin());
    for (GraphJoint& joint : joints_) {
      --joint.a;
      --joint.b;
    }
    RobotDescription robot = tree_of(std::move(links_), std::move(joints_), root - 1);
    robot.root_pose = *pose;
    return finish(std::move(robot));
  }

  RobotDescription finish(RobotDescription robot) {
    robot.file = file_;
    robot.name = name_;
    robot.gravity = gravity_;
    for (const std::string& note : notes_)
      robot.notes.push_back(note.starts_with("line ") ? cat(file_, ":", note.substr(5)) : cat(file_, ": ", note));
    return robot;
  }

  std::string file_, name_;
  const DescriptionChoices& choices_;
  Diagnostics& diagnostics_;
  SdfValues values_;
  SdfFrames frames_;
  int num_includes_ = 0;
  std::optional<Vector3> gravity_;
  std::size_t included_bytes_ = 0;
  std::vector<std::unique_ptr<XmlElement>> included_;     // pending joints point into them
  std::vector<DescribedLink> links_;                      // the first is the world
  std::vector<std::pair<int, std::string>> link_frames_;  // scope and name of each link
  std::vector<GraphJoint> joints_;
  std::vector<PendingJoint> pending_;
  std::vector<int> statics_;
  std::vector<std::pair<int, int>> bases_;  // scope and line of the models that move
  struct PendingPoint {
    int line, scope;
    std::string name;
  };
  std::vector<PendingPoint> points_;
  std::set<std::string> link_names_, joint_names_;
  std::vector<std::string> notes_;
};

}  // namespace

RobotDescription read_sdf(std::string_view text, const std::string& file, const DescriptionChoices& choices) {
  Diagnostics diagnostics;
  const XmlElement root = parse_xml(text, file);
  return finished(SdfReader(file, choices, diagnostics).read(root), choices, diagnostics);
}

}  // namespace lithe
