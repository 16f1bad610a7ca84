// Bodies become links, each with its frame where its joint is, so that descriptions of both languages are alike. What
// moves nothing here (contacts, tendons, cameras, lights, assets, sensors) is passed over.
#include "lithe/read/mjcf/read_mjcf.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "lithe/base/decompositions.h"
#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/read/mjcf/mjcf_element.h"
#include "lithe/read/mjcf/mjcf_meshes.h"
#include "lithe/read/mjcf/replicate.h"

namespace lithe {
namespace {

class MjcfReader {
 public:
  MjcfReader(const std::string& file, const DescriptionChoices& choices, Diagnostics& diagnostics)
      : choices_(choices), diagnostics_(diagnostics), meshes_(choices) {
    robot_.file = file;
  }

  RobotDescription read(XmlElement root) {
    if (const XmlAttribute* name = root.find("model")) robot_.name = name->value;
    include(root, 0);
    for (const XmlElement* compiler : root.all("compiler")) read_compiler(*compiler);
    for (const XmlElement* defaults : root.all("default")) defaults_.read(*defaults, "");
    expand_replicates(root, {[this](const XmlElement& xml) { return step(xml); },
                             [this](const XmlElement& xml, const std::string& message) { error(xml.line, message); }});
    for (const XmlElement* option : root.all("option")) read_option(*option);
    for (const XmlElement* assets : root.all("asset"))
      for (const XmlElement& asset : assets->children) read_asset(asset);
    DescribedLink world;
    world.name = "world";
    world.line = root.line;
    robot_.links.push_back(world);
    poses_.push_back({});
    for (const XmlElement* body : root.all("worldbody")) read_content(*body, "", 0, {});
    set_bounds();
    set_total_mass();
    for (const XmlElement* tendons : root.all("tendon"))
      for (const XmlElement& child : tendons->children) read_tendon(child);
    for (const XmlElement* equality : root.all("equality"))
      for (const XmlElement& child : equality->children) read_equality(child);
    for (const XmlElement* actuators : root.all("actuator"))
      for (const XmlElement& child : actuators->children) read_actuator(child);
    note_actuators();
    if (const XmlElement* tendon = root.child("tendon"))
      note(tendon->line, "of tendons only fixed ones that <equality> holds are read: they couple joints");
    if (robot_.links.size() == 1) error(root.line, "the model has no bodies");
    return std::move(robot_);
  }

 private:
  void error(int line, const std::string& message) {
    diagnostics_.error({.file = robot_.file, .line = line, .column = 1, .path = {}, .message = message});
  }
  void note(int line, const std::string& message) {
    robot_.notes.push_back(cat(robot_.file, ":", line, ": ", message));
  }
  MjcfElement element(const XmlElement& xml, const std::string& body_class) {
    return {xml, body_class, defaults_, settings_, robot_.file, diagnostics_};
  }

  // What other files hold stands in the place of <include>.
  void include(XmlElement& element, int depth) {
    constexpr int deepest = 10;
    std::vector<XmlElement> children;
    for (XmlElement& child : element.children) {
      if (child.name != "include") {
        include(child, depth);
        children.push_back(std::move(child));
        continue;
      }
      const XmlAttribute* file = child.find("file");
      std::string problem = "nobody reads files here";
      std::optional<std::string> text;
      if (!file) {
        error(child.line, "<include> names no file");
        continue;
      }
      if (depth >= deepest || ++num_includes_ > 100)
        problem = "files include each other too deeply";
      else if (choices_.read_file)
        text = choices_.read_file(file->value, problem);
      if (!text) {
        error(child.line, cat("the included file ", in_quotes(file->value), " is not read: ", problem));
        continue;
      }
      XmlElement other = parse_xml(*text, file->value);
      include(other, depth + 1);
      for (XmlElement& inner : other.children) children.push_back(std::move(inner));
    }
    element.children = std::move(children);
  }

  // Of <replicate>, from one copy to the next.
  Pose step(const XmlElement& xml) {
    XmlElement frame = xml;
    for (XmlAttribute& attribute : frame.attributes)
      if (attribute.name == "offset") attribute.name = "pos";
    const std::string none;
    return element(frame, none).pose();
  }

  void read_compiler(const XmlElement& xml) {
    if (const XmlAttribute* angle = xml.find("angle")) settings_.degrees = angle->value != "radian";
    if (const XmlAttribute* limits = xml.find("autolimits")) settings_.autolimits = limits->value != "false";
    if (const XmlAttribute* geoms = xml.find("inertiafromgeom"); geoms && geoms->value != "auto")
      settings_.inertia_from_geoms = geoms->value == "true";
    for (const char* key : {"assetdir", "meshdir"})
      if (const XmlAttribute* folder = xml.find(key); folder && !folder->value.empty())
        mesh_folder_ = folder->value + "/";
    const std::string none;
    const MjcfElement own = element(xml, none);
    total_mass_ = own.number("settotalmass", total_mass_);
    least_mass_ = own.number("boundmass", least_mass_);
    least_moment_ = own.number("boundinertia", least_moment_);
    if (const XmlAttribute* balance = xml.find("balanceinertia")) balance_ = balance->value == "true";
    if (const std::vector<double> groups = own.numbers("inertiagrouprange", 2, 2); !groups.empty())
      settings_.inertia_groups = {groups[0], groups[1]};
    const XmlAttribute* sequence = xml.find("eulerseq");
    if (!sequence) return;
    if (sequence->value.size() == 3 && sequence->value.find_first_not_of("xyzXYZ") == std::string::npos)
      settings_.euler = sequence->value;
    else
      error(xml.line, cat("eulerseq must be three of the letters x, y, z, got ", in_quotes(sequence->value)));
  }

  void read_asset(const XmlElement& xml) {
    const std::string none;
    const MjcfElement own = element(xml, none);
    if (xml.name == "mesh") meshes_.read(own, mesh_folder_);
    if (xml.name != "material") return;
    if (const std::vector<double> rgba = own.numbers("rgba", 4, 4); !rgba.empty()) materials_[own.text("name")] = rgba;
  }

  // What the compiler is told to do with masses and moments that are too small, or that no body has.
  void set_bounds() {
    if (!(least_mass_ > 0) && !(least_moment_ > 0) && !balance_) return;
    for (const auto& [name, place] : body_of_) {
      std::optional<DescribedInertia>& body = robot_.links[static_cast<std::size_t>(place.first)].inertia;
      if (!body) {
        body = DescribedInertia{};
        body->line = robot_.links[static_cast<std::size_t>(place.first)].line;
      }
      body->mass = std::max(body->mass, least_mass_);
      const SymmetricPairs principal = symmetric_pairs(body->inertia);
      const Vector3 found = principal.values, least = Vector3::Constant(least_moment_);
      Vector3 moments = found.cwiseMax(least);
      if (balance_ && 2 * moments.maxCoeff() > moments.sum()) moments.setConstant(moments.mean());
      const Matrix3 axes = principal.vectors;
      if (moments != found) body->inertia = axes * moments.asDiagonal() * axes.transpose();
    }
  }

  // All masses and moments by one factor, so that they have the sum that the compiler is told.
  void set_total_mass() {
    double sum_of_masses = 0;
    for (const DescribedLink& link : robot_.links)
      if (link.inertia) sum_of_masses += link.inertia->mass;
    if (!(total_mass_ > 0) || !(sum_of_masses > 0)) return;
    for (DescribedLink& link : robot_.links)
      if (link.inertia) {
        link.inertia->mass *= total_mass_ / sum_of_masses;
        link.inertia->inertia *= total_mass_ / sum_of_masses;
      }
  }

  void read_option(const XmlElement& xml) {
    const std::string none;
    if (xml.find("gravity")) robot_.gravity = element(xml, none).vector("gravity", Vector3::Zero());
  }

  std::string name_of(const XmlElement& xml, const char* kind, std::set<std::string>& taken) {
    const XmlAttribute* name = xml.find("name");
    std::string result = name && !name->value.empty() ? name->value : cat(kind, " ", taken.size() + 1);
    if (result.size() > 255 || result == "ground" || (kind == std::string("body") && result == "world")) {
      error(xml.line, cat("a ", kind, " may not have the name ", in_quotes(result)));
    } else if (!taken.insert(result).second) {
      if (name) error(xml.line, cat(kind, " '", result, "': the name is used twice"));
      while (!taken.insert(result).second) result += "_";
    }
    return result;
  }

  // Geoms, sites and bodies within a body whose frame is at `frame` of the link's.
  void read_content(const XmlElement& xml, const std::string& body_class, int link, const Pose& frame) {
    for (const XmlElement& child : xml.children) {
      if (child.name == "geom") {
        read_geom(child, body_class, link, frame);
      } else if (child.name == "site") {
        const XmlAttribute* name = child.find("name");
        if (!name) continue;
        const Pose pose = frame * element(child, body_class).pose();
        sites_.emplace(name->value, std::pair(link, pose));
        robot_.links[static_cast<std::size_t>(link)].points.push_back({name->value, pose.position});
      } else if (child.name == "body") {
        read_body(child, body_class, link, frame);
      } else if (child.name == "frame") {
        const XmlAttribute* own = child.find("childclass");
        read_content(child, own ? own->value : body_class, link, frame * element(child, body_class).pose());
      } else if (child.name == "composite" || child.name == "flexcomp" || child.name == "attach") {
        error(child.line, cat("<", child.name, "> is not read; write the bodies out"));
      }
    }
  }

  int add_link(const std::string& name, int line, int parent, const Pose& origin) {
    DescribedLink link;
    link.name = name;
    link.line = line;
    robot_.links.push_back(std::move(link));
    poses_.push_back(poses_[static_cast<std::size_t>(parent)] * origin);
    return static_cast<int>(robot_.links.size()) - 1;
  }

  void read_body(const XmlElement& xml, const std::string& outer_class, int parent, const Pose& parent_frame) {
    const XmlAttribute* own_class = xml.find("childclass");
    const std::string body_class = own_class ? own_class->value : outer_class;
    const std::string name = name_of(xml, "body", bodies_);
    Pose next = parent_frame * element(xml, body_class).pose();  // of the next link's frame in the parent's
    std::vector<Part> joints, inertials;
    collect_parts(xml, body_class, {}, joints, inertials);
    if (xml.find("gravcomp")) note(xml.line, cat("body '", name, "': gravcomp is passed over"));
    Pose frame;  // of the body in the link's
    int link = parent;
    if (joints.empty()) {
      link = add_link(name, xml.line, parent, next);
      DescribedJoint fixed;
      fixed.name = cat(name, " fixed");
      fixed.line = xml.line;
      fixed.parent = parent;
      fixed.child = link;
      fixed.origin = next;
      robot_.joints.push_back(std::move(fixed));
    }
    for (const Part& each : joints) {
      DescribedJoint joint = read_joint(*each.xml, each.body_class);
      joint.axis = each.frame.rotation * joint.axis;
      const MjcfElement own = element(*each.xml, each.body_class);
      const bool anchored = joint.type == JointType::revolute || joint.type == JointType::spherical;
      Pose anchor;
      if (anchored) anchor.position = each.frame * own.vector("pos", Vector3::Zero());
      const bool last = &each == &joints.back();
      joint.origin = next * anchor;
      joint.parent = link;
      link = add_link(last ? name : cat(name, " before ", joint.name), xml.line, link, joint.origin);
      joint.child = link;
      frame = anchor.inverse();
      next = frame;
      robot_.joints.push_back(std::move(joint));
    }
    body_of_[name] = {link, frame};
    const bool outer_geoms_count = geoms_count_;
    read_inertia(inertials, link, frame);
    read_content(xml, body_class, link, frame);
    geoms_count_ = outer_geoms_count;
  }

  // A joint or <inertial> of a body, with the <frame>s that it lies in.
  struct Part {
    const XmlElement* xml;
    Pose frame;
    std::string body_class;
  };
  void collect_parts(const XmlElement& xml, const std::string& body_class, const Pose& frame, std::vector<Part>& joints,
                     std::vector<Part>& inertials) {
    for (const XmlElement& child : xml.children) {
      if (child.name == "joint" || child.name == "freejoint") {
        joints.push_back({&child, frame, body_class});
      } else if (child.name == "inertial") {
        inertials.push_back({&child, frame, body_class});
      } else if (child.name == "frame") {
        const XmlAttribute* own = child.find("childclass");
        collect_parts(child, own ? own->value : body_class, frame * element(child, body_class).pose(), joints,
                      inertials);
      }
    }
  }

  DescribedJoint read_joint(const XmlElement& xml, const std::string& body_class) {
    const MjcfElement own = element(xml, body_class);
    DescribedJoint joint;
    joint.line = xml.line;
    joint.name = name_of(xml, "joint", joints_);
    const std::string type = xml.name == "freejoint" ? "free" : own.text("type", "hinge");
    if (type == "hinge")
      joint.type = JointType::revolute;
    else if (type == "slide")
      joint.type = JointType::prismatic;
    else if (type == "ball")
      joint.type = JointType::spherical;
    else if (type == "free")
      joint.type = JointType::free;
    else
      error(xml.line,
            cat("joint '", joint.name, "': the type must be hinge, slide, ball or free, got ", in_quotes(type)));
    if (joint.type == JointType::spherical) {
      joint.damping = first(own, "damping");
      if (joint.damping < 0)
        own.error(cat("joint '", joint.name, "': damping must not be negative, got ", joint.damping));
      for (const char* key : {"stiffness", "armature", "frictionloss", "range"})
        if (own.has(key)) note(xml.line, cat("joint '", joint.name, "': ", key, " of a ball joint is passed over"));
    }
    if (num_freedoms(joint.type) != 1) return joint;
    joint.axis = own.vector("axis", Vector3::UnitZ());
    if (!(joint.axis.norm() > 1e-12)) {
      error(xml.line, cat("joint '", joint.name, "': the axis has no length"));
      joint.axis = Vector3::UnitZ();
    }
    joint.axis.normalize();
    const bool turns = joint.type == JointType::revolute;
    const auto value = [&](double number) { return turns ? own.angle(number) : number; };
    const double zero = value(own.number("ref", 0));
    if (zero != 0)
      note(xml.line,
           cat("joint '", joint.name, "': values count from its ref, which is ", zero, turns ? " rad" : " m"));
    joint.damping = first(own, "damping");
    joint.friction = own.number("frictionloss", 0);
    joint.inertia = own.number("armature", 0);
    joint.stiffness = first(own, "stiffness");
    joint.rest_value = value(own.number("springref", 0)) - zero;
    for (const auto& [number, word] : {std::pair(joint.damping, "damping"), std::pair(joint.friction, "frictionloss"),
                                       std::pair(joint.inertia, "armature"), std::pair(joint.stiffness, "stiffness")})
      if (number < 0) own.error(cat("joint '", joint.name, "': ", word, " must not be negative, got ", number));
    const std::vector<double> range = own.numbers("range", 2, 2);
    const std::string limited = own.text("limited", "auto");
    const bool bounded = limited == "true" || (limited == "auto" && settings_.autolimits && own.has("range"));
    if (bounded && range.size() == 2) {
      if (range[0] < range[1])
        joint.limits = {value(range[0]) - zero, value(range[1]) - zero};
      else
        own.error(
            cat("joint '", joint.name, "': the lower limit ", range[0], " is not below the upper one, ", range[1]));
    }
    return joint;
  }

  // Where MuJoCo takes a polynomial, its first coefficient.
  static double first(const MjcfElement& own, std::string_view name) {
    const std::vector<double> values = own.numbers(name, 1, 8);
    return values.empty() ? 0 : values[0];
  }

  void read_inertia(const std::vector<Part>& inertials, int link, const Pose& frame) {
    geoms_count_ = settings_.inertia_from_geoms.value_or(inertials.empty());
    if (inertials.empty() || geoms_count_) return;
    const Part& part = inertials.front();
    const MjcfElement own = element(*part.xml, part.body_class);
    DescribedInertia result;
    result.line = part.xml->line;
    result.mass = own.number("mass", 0);
    if (!part.xml->find("mass")) error(part.xml->line, "<inertial> has no mass");
    result.pose = frame * part.frame * own.pose();
    if (const std::vector<double> f = own.numbers("fullinertia", 6, 6); !f.empty())
      result.inertia << f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2];
    else
      result.inertia = own.vector("diaginertia", Vector3::Zero()).asDiagonal();
    robot_.links[static_cast<std::size_t>(link)].inertia = result;
  }

  // The size of a geom and where it lies; false where it is none that has a body.
  bool read_form(const MjcfElement& own, const std::string& type, LinkShape& shape, Vector3& radii) {
    std::vector<double> size = own.numbers("size", 1, 3);
    const auto at = [&](std::size_t k) { return k < size.size() ? size[k] : 0.0; };
    double length = 2 * at(1);
    shape.pose = own.pose();
    if (const std::vector<double> ends = own.numbers("fromto", 6, 6); !ends.empty()) {
      const Vector3 a(ends[0], ends[1], ends[2]), b(ends[3], ends[4], ends[5]);
      length = (b - a).norm();
      size = {at(0), at(0), length / 2};  // of boxes and ellipsoids; of the others the first counts
      shape.pose = {turned_z(a - b), (a + b) / 2};
    }
    radii = Vector3(at(0), at(1), at(2));
    if (type == "mesh") {
      shape.kind = ShapeKind::mesh;
      const auto drawn = meshes_.drawn(own.text("mesh"));
      shape.size = drawn ? drawn->second : Vector3::Ones();
      shape.file = drawn ? drawn->first : "";
      return true;
    }
    if (type == "box") {
      shape.size = 2 * radii;
      return true;
    }
    shape.kind = type == "sphere" ? ShapeKind::sphere : type == "capsule" ? ShapeKind::capsule : ShapeKind::cylinder;
    shape.size = Vector3(at(0), type == "sphere" ? 0 : length, 0);
    if (type == "sphere" || type == "capsule" || type == "cylinder" || type == "ellipsoid") return true;
    own.error(cat("<geom>: unknown type ", in_quotes(type)));
    return false;
  }

  // Volume, or area of a shell, centre, and inertia per density of a geom; nothing, and a note or an error, where
  // that is not known.
  std::optional<SurfaceMass> body_of_geom(const MjcfElement& own, const std::string& type, const LinkShape& shape,
                                          const Vector3& radii, const DescribedLink& to) {
    const bool shell = own.text("shellinertia") == "true";
    if (type != "mesh" && own.has("mesh")) {
      own.error(cat("<geom>: a ", type, " fitted to a mesh is not read; give its size"));
      return std::nullopt;
    }
    if (type == "mesh") {
      std::string problem;
      const std::optional<SurfaceMass> found = meshes_.mass(own.text("mesh"), shell, problem);
      if (!found)
        note(own.xml().line, cat("link '", to.name, "': the mass of the mesh ", in_quotes(own.text("mesh")),
                                 " is left out: ", problem));
      return found;
    }
    if (type == "ellipsoid" && shell) {
      own.error("<geom>: shellinertia of an ellipsoid is not read; give the body an <inertial>");
      return std::nullopt;
    }
    if (type == "ellipsoid") {
      const Vector3 squares = radii.cwiseProduct(radii);
      const double volume = 4.0 / 3.0 * std::numbers::pi * radii.prod();
      const Vector3 moments = volume / 5 * (Vector3::Constant(squares.sum()) - squares);
      return SurfaceMass{volume, Vector3::Zero(), moments.asDiagonal()};
    }
    const double size = shell ? area(shape) : volume(shape);
    return SurfaceMass{size, Vector3::Zero(), size * (shell ? shell_inertia_per_mass(shape) : inertia_per_mass(shape))};
  }

  void read_geom(const XmlElement& xml, const std::string& body_class, int link, const Pose& frame) {
    const MjcfElement own = element(xml, body_class);
    const std::string type = own.text("type", "sphere");
    if (type == "plane" || type == "hfield" || type == "sdf") return;
    LinkShape shape;
    shape.line = xml.line;
    Vector3 radii;
    if (!read_form(own, type, shape, radii)) return;
    DescribedLink& to = robot_.links[static_cast<std::size_t>(link)];
    const double group = own.number("group", 0);
    const bool counts =
        geoms_count_ && group >= settings_.inertia_groups.first && group <= settings_.inertia_groups.second;
    const bool weightless = own.has("mass") ? own.number("mass", 0) == 0 : own.number("density", 1000) == 0;
    if (link != 0 && counts && !weightless)
      if (const auto body = body_of_geom(own, type, shape, radii, to)) add_mass(own, *body, frame * shape.pose, to);
    std::vector<double> rgba = own.numbers("rgba", 4, 4);
    if (const auto material = materials_.find(own.text("material")); rgba.empty() && material != materials_.end())
      rgba = material->second;
    if (!rgba.empty())
      shape.colour = {std::clamp(rgba[0], 0.0, 1.0), std::clamp(rgba[1], 0.0, 1.0), std::clamp(rgba[2], 0.0, 1.0),
                      std::clamp(rgba[3], 0.0, 1.0)};
    shape.collision = group > 2;  // groups from 3 on are not shown there
    shape.pose = frame * shape.pose;
    if (type == "ellipsoid" || (type == "mesh" ? shape.file.empty() : own.has("mesh"))) return;
    to.shapes.push_back(std::move(shape));
  }

  void add_mass(const MjcfElement& own, const SurfaceMass& body, const Pose& pose, DescribedLink& to) {
    const double density = own.number("density", 1000);
    const double mass = own.has("mass") ? own.number("mass", 0) : density * body.size;
    if (mass < 0) return own.error(cat("<geom>: the mass must not be negative, got ", mass));
    if (mass == 0 || body.size == 0) return;
    const Pose place{pose.rotation, pose * body.centre};
    const DescribedInertia part{mass, place, mass / body.size * body.inertia, own.xml().line};
    RigidInertia total = in_link_axes(part);
    if (to.inertia) total = sum(in_link_axes(*to.inertia), total);
    to.inertia = DescribedInertia{total.mass, {Matrix3::Identity(), total.centre}, total.inertia, part.line};
  }

  // The body's link and its frame there.
  std::optional<std::pair<int, Pose>> body(const XmlElement& xml, std::string_view key, bool needed) {
    const XmlAttribute* name = xml.find(key);
    if (!name) {
      if (needed) error(xml.line, cat("<", xml.name, ">: ", key, " is missing"));
      return needed ? std::nullopt : std::optional(std::pair(0, Pose{}));
    }
    if (name->value == "world") return std::pair(0, Pose{});
    const auto found = body_of_.find(name->value);
    if (found != body_of_.end()) return found->second;
    error(name->line, cat("<", xml.name, ">: the body ", in_quotes(name->value), " does not exist"));
    return std::nullopt;
  }

  std::optional<std::pair<int, Pose>> site(const XmlElement& xml, std::string_view key) {
    const XmlAttribute* name = xml.find(key);
    const auto found = sites_.find(name ? name->value : "");
    if (found != sites_.end()) return found->second;
    error(xml.line, name ? cat("<", xml.name, ">: the site ", in_quotes(name->value), " does not exist")
                         : cat("<", xml.name, ">: ", key, " is missing"));
    return std::nullopt;
  }

  void read_equality(const XmlElement& xml) {
    const std::string none;
    const MjcfElement own = element(xml, none);
    if (own.text("active") == "false") return;
    if (xml.name == "joint") return read_coupling(xml, own);
    if (xml.name == "tendon") return read_tendon_equality(xml, own);
    if (xml.name != "connect" && xml.name != "weld")
      return note(xml.line, cat("the equality <", xml.name, "> is passed over"));
    const bool of_sites = xml.find("site1") != nullptr;
    const auto a = of_sites ? site(xml, "site1") : body(xml, "body1", true),
               b = of_sites ? site(xml, "site2") : body(xml, "body2", false);
    if (!a || !b) return;
    if (a->first == b->first) return error(xml.line, cat("<", xml.name, ">: both ends are on one body"));
    DescribedLoop loop;
    const XmlAttribute* name = xml.find("name");
    loop.name = name ? name->value : cat(xml.name, " ", robot_.loops.size() + 1);
    loop.line = xml.line;
    loop.type = xml.name == "weld" ? JointType::fixed : JointType::spherical;
    loop.a = a->first;
    loop.b = b->first;
    loop.in_a = a->second;
    if (of_sites) {  // these meet, wherever the bodies are placed
      loop.in_b = b->second;
    } else {
      loop.in_a.position = a->second * own.vector("anchor", Vector3::Zero());
      // Of body2 in body1; a quaternion of zeros stands for the poses as they are placed.
      const std::vector<double> p = own.numbers("relpose", 7, 7);
      const Quaternion turn = p.empty() ? Quaternion(0, 0, 0, 0) : Quaternion(p[3], p[4], p[5], p[6]);
      if (turn.norm() > 1e-12) {
        loop.in_a = a->second * Pose{turn.normalized().toRotationMatrix(), {p[0], p[1], p[2]}};
        loop.in_b = b->second;
      } else {
        loop.in_b =
            poses_[static_cast<std::size_t>(loop.b)].inverse() * poses_[static_cast<std::size_t>(loop.a)] * loop.in_a;
      }
    }
    for (const auto& [link, place] : {std::pair(loop.a, loop.in_a), std::pair(loop.b, loop.in_b)})
      robot_.links[static_cast<std::size_t>(link)].points.push_back({loop.node(), place.position});
    robot_.loops.push_back(std::move(loop));
  }

  // joint1 = polynomial of joint2; of that the straight line.
  void read_coupling(const XmlElement& xml, const MjcfElement& own) {
    const int follower = robot_.find_joint(own.text("joint1"));
    if (follower < 0)
      return error(xml.line, cat("<joint>: the joint ", in_quotes(own.text("joint1")), " does not exist"));
    if (!xml.find("joint2")) return note(xml.line, "an equality that holds a joint is passed over; hold it by a drive");
    std::vector<double> polynomial = own.numbers("polycoef", 1, 5);
    polynomial.resize(5, 0.0);
    if (!xml.find("polycoef")) polynomial[1] = 1;
    DescribedMimic mimic;
    mimic.line = xml.line;
    mimic.of = own.text("joint2");
    mimic.offset = polynomial[0];
    mimic.factor = polynomial[1];
    if (polynomial[2] != 0 || polynomial[3] != 0 || polynomial[4] != 0)
      note(xml.line, "of polycoef the constant and the linear term count here");
    robot_.joints[static_cast<std::size_t>(follower)].mimic = mimic;
  }

  // A fixed tendon: a sum of joint values, each with a factor.
  void read_tendon(const XmlElement& xml) {
    const XmlAttribute* name = xml.find("name");
    if (xml.name != "fixed" || !name) return;
    const std::string none;
    for (const XmlElement* part : xml.all("joint")) {
      const MjcfElement own = element(*part, none);
      const int joint = robot_.find_joint(own.text("joint"));
      if (joint < 0) error(part->line, cat("<fixed>: the joint ", in_quotes(own.text("joint")), " does not exist"));
      if (joint >= 0) tendons_[name->value].push_back({joint, own.number("coef", 1)});
    }
  }

  // tendon1 = polynomial of tendon2, or a constant; of that what couples two joints by a straight line.
  void read_tendon_equality(const XmlElement& xml, const MjcfElement& own) {
    const auto refuse = [&](const char* why) { note(xml.line, cat("the equality of a tendon is passed over: ", why)); };
    std::vector<double> polynomial = own.numbers("polycoef", 1, 5);
    polynomial.resize(5, 0.0);
    if (!xml.find("polycoef")) polynomial[1] = 1;
    std::map<int, double> sum;  // of joints, whose value is polynomial[0]
    for (const auto& [key, factor] : {std::pair("tendon1", 1.0), std::pair("tendon2", -polynomial[1])}) {
      if (!xml.find(key)) continue;
      const auto tendon = tendons_.find(own.text(key));
      if (tendon == tendons_.end()) return refuse("it is no fixed tendon");
      for (const auto& [joint, coefficient] : tendon->second) sum[joint] += factor * coefficient;
    }
    std::erase_if(sum, [](const auto& term) { return term.second == 0; });
    if (sum.size() != 2) return refuse("it does not couple two joints");
    if (xml.find("tendon2") && (polynomial[2] != 0 || polynomial[3] != 0 || polynomial[4] != 0))
      note(xml.line, "of polycoef the constant and the linear term count here");
    const auto [leader, of_leader] = *sum.begin();
    const auto [follower, of_follower] = *sum.rbegin();
    DescribedMimic mimic;
    mimic.line = xml.line;
    mimic.of = robot_.joints[static_cast<std::size_t>(leader)].name;
    mimic.factor = -of_leader / of_follower;
    mimic.offset = polynomial[0] / of_follower;
    if (robot_.joints[static_cast<std::size_t>(follower)].mimic) return refuse("its joint follows another already");
    robot_.joints[static_cast<std::size_t>(follower)].mimic = mimic;
  }

  // The force that its actuator can exert on a joint.
  void read_actuator(const XmlElement& xml) {
    const std::string none;
    const MjcfElement own = element(xml, none);
    const XmlAttribute* name = xml.find("joint");
    if (actuator_kinds_.empty()) actuator_line_ = xml.line;
    ++actuator_kinds_[name ? xml.name : cat(xml.name, " of no joint")];
    if (!name) return;
    const int joint = robot_.find_joint(name->value);
    if (joint < 0)
      return error(xml.line, cat("<", xml.name, ">: the joint ", in_quotes(name->value), " does not exist"));
    const std::vector<double> gear = own.numbers("gear", 1, 6);
    std::vector<double> range = own.numbers("forcerange", 2, 2);
    if (range.empty() && xml.name == "motor") range = own.numbers("ctrlrange", 2, 2);
    if (range.size() == 2)
      robot_.joints[static_cast<std::size_t>(joint)].max_force =
          std::max(std::abs(range[0]), std::abs(range[1])) * (gear.empty() ? 1 : std::abs(gear[0]));
  }

  void note_actuators() {
    std::string kinds;
    for (const auto& [kind, count] : actuator_kinds_) kinds += cat(kinds.empty() ? "" : ", ", count, " ", kind);
    if (!kinds.empty())
      note(actuator_line_, cat("of the actuators (", kinds,
                               ") the limits of force of joints are kept, gains and control are not: use [[motors]], "
                               "[[moves]] and [[controllers]]"));
  }

  RobotDescription robot_;
  const DescriptionChoices& choices_;
  Diagnostics& diagnostics_;
  MjcfSettings settings_;
  MjcfDefaults defaults_;
  bool geoms_count_ = false;  // in the inertia of the body that is read
  int num_includes_ = 0;
  std::map<std::string, int> actuator_kinds_;  // how many of each
  int actuator_line_ = 0;                      // of the first
  std::vector<Pose> poses_;                    // of the links in the world, all coordinates zero
  std::map<std::string, std::pair<int, Pose>> body_of_, sites_;
  std::set<std::string> bodies_, joints_;
  double total_mass_ = -1;                    // kg; none where it is not positive
  double least_mass_ = 0, least_moment_ = 0;  // kg and kg m^2, of every body
  bool balance_ = false;                      // moments that no body has become equal
  std::string mesh_folder_;
  std::map<std::string, std::vector<std::pair<int, double>>> tendons_;  // fixed ones: joints and their factors
  MjcfMeshes meshes_;
  std::map<std::string, std::vector<double>> materials_;  // colours by name
};

}  // namespace

RobotDescription read_mjcf(std::string_view text, const std::string& file, const DescriptionChoices& choices) {
  Diagnostics diagnostics;
  return finished(MjcfReader(file, choices, diagnostics).read(parse_xml(text, file)), choices, diagnostics);
}

}  // namespace lithe
