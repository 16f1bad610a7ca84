// What makes a description no robot: its tree, its mimic joints, its inertias. Each message names the line.
#include <algorithm>
#include <cmath>
#include <map>

#include "lithe/base/decompositions.h"
#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/read/surface/surface_mass.h"
#include "lithe/read/urdf/robot_description.h"

namespace lithe {
namespace {

class Checker {
 public:
  Checker(RobotDescription& robot, const DescriptionChoices& choices, Diagnostics& diagnostics)
      : robot_(robot), choices_(choices), repair_(choices.repair), diagnostics_(diagnostics) {}

  void run() {
    if (!find_parents()) return;
    check_mimics();
    for (DescribedLink& link : robot_.links) check_inertia(link);
    if (!diagnostics_.any()) check_moved_mass();
  }

 private:
  void error(int line, const std::string& message) {
    constexpr std::size_t most = 200;
    if (diagnostics_.errors().size() < most)
      diagnostics_.error({.file = robot_.file, .line = line, .column = 1, .path = {}, .message = message});
  }
  void note(int line, const std::string& message) {
    robot_.notes.push_back(cat(robot_.file, ":", line, ": ", message));
  }
  const std::string& name(int link) const { return robot_.links[static_cast<std::size_t>(link)].name; }

  // One joint leads to every link but the root.
  bool find_parents() {
    const std::size_t count = robot_.links.size();
    joint_to_.assign(count, -1);
    bool good = true;
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      const DescribedJoint& joint = robot_.joints[j];
      int& known = joint_to_[static_cast<std::size_t>(joint.child)];
      if (joint.parent == joint.child) {
        error(joint.line, cat("joint '", joint.name, "' connects link '", name(joint.child), "' with itself"));
        good = false;
      } else if (known >= 0) {
        error(joint.line,
              cat("joint '", joint.name, "': link '", name(joint.child), "' is already the child of joint '",
                  robot_.joints[static_cast<std::size_t>(known)].name, "'; a URDF is a tree"));
        good = false;
      } else {
        known = static_cast<int>(j);
      }
    }
    return good && find_root() && find_order();
  }

  bool find_root() {
    std::vector<int> roots;
    for (std::size_t i = 0; i < joint_to_.size(); ++i)
      if (joint_to_[i] < 0) roots.push_back(static_cast<int>(i));
    if (roots.size() > 1) {
      error(robot_.links[static_cast<std::size_t>(roots[1])].line,
            cat("the robot has ", roots.size(), " root links, '", name(roots[0]), "' and '", name(roots[1]),
                "'; connect them by joints"));
      return false;
    }
    if (!roots.empty()) robot_.root = roots[0];
    return true;
  }

  // Links from the root outwards; those that are never reached lie on a cycle or beyond one.
  bool find_order() {
    const std::size_t count = robot_.links.size();
    std::vector<std::vector<int>> children(count);
    for (const DescribedJoint& joint : robot_.joints)
      children[static_cast<std::size_t>(joint.parent)].push_back(joint.child);
    if (robot_.root >= 0) order_.push_back(robot_.root);
    for (std::size_t head = 0; head < order_.size(); ++head)
      for (const int child : children[static_cast<std::size_t>(order_[head])]) order_.push_back(child);
    if (order_.size() == count) return true;
    std::vector<bool> reached(count, false);
    for (const int link : order_) reached[static_cast<std::size_t>(link)] = true;
    const int lost = static_cast<int>(std::find(reached.begin(), reached.end(), false) - reached.begin());
    report_cycle(lost);
    return false;
  }

  void report_cycle(int link) {
    const auto above = [&](int l) {
      const int joint = joint_to_[static_cast<std::size_t>(l)];
      return joint < 0 ? -1 : robot_.joints[static_cast<std::size_t>(joint)].parent;
    };
    for (std::size_t i = 0; i < robot_.links.size(); ++i) link = above(link);  // surely on the cycle now
    std::string path = cat("'", name(link), "'");
    int shown = 0;
    for (int at = above(link); at != link; at = above(at))
      if (++shown < 8) path = cat("'", name(at), "', ", path);
    const DescribedJoint& joint = robot_.joints[static_cast<std::size_t>(joint_to_[static_cast<std::size_t>(link)])];
    error(joint.line, cat("joint '", joint.name, "' closes a cycle of links: ", path,
                          "; a URDF is a tree, loops are closed by joints of the model file"));
  }

  void check_mimics() {
    std::map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) index.emplace(robot_.joints[i].name, i);
    for (const DescribedLoop& loop : robot_.loops)
      if (loop.mimic)
        error(loop.mimic->line, cat("joint '", loop.name, "' closes a loop and cannot mimic another as well"));
    for (DescribedJoint& joint : robot_.joints) {
      if (!joint.mimic) continue;
      if (joint.type == JointType::fixed) {
        note(joint.mimic->line, cat("joint '", joint.name, "' is fixed; its mimic is passed over"));
        joint.mimic.reset();
        continue;
      }
      if (repair_) follow_first(joint, index);
      const DescribedMimic& mimic = *joint.mimic;
      const auto found = index.find(mimic.of);
      const auto refuse = [&](const std::string& why) {
        error(mimic.line, cat("joint '", joint.name, "' mimics ", in_quotes(mimic.of), why));
      };
      if (num_freedoms(joint.type) != 1) {
        error(mimic.line, cat("joint '", joint.name, "': only joints of one degree of freedom mimic others"));
      } else if (found == index.end()) {
        refuse(", which does not exist");
      } else if (mimic.of == joint.name) {
        refuse(", itself");
      } else if (const DescribedJoint& other = robot_.joints[found->second]; other.mimic) {
        refuse(cat(", which mimics ", in_quotes(other.mimic->of), "; mimic that one with multiplier ",
                   number_text(mimic.factor * other.mimic->factor), " and offset ",
                   number_text(mimic.factor * other.mimic->offset + mimic.offset), offer));
      } else if (num_freedoms(other.type) != 1) {
        refuse(", which has not one degree of freedom");
      }
    }
  }

  // Who mimics a joint that mimics another follows the first of them.
  void follow_first(DescribedJoint& joint, const std::map<std::string, std::size_t>& index) {
    DescribedMimic& mimic = *joint.mimic;
    const std::string named = mimic.of;
    for (std::size_t i = 0; i < index.size(); ++i) {  // cycles end
      const auto found = index.find(mimic.of);
      if (found == index.end() || !robot_.joints[found->second].mimic) break;
      const DescribedMimic& next = *robot_.joints[found->second].mimic;
      mimic.offset += mimic.factor * next.offset;
      mimic.factor *= next.factor;
      mimic.of = next.of;
    }
    if (mimic.of != named)
      note(mimic.line, cat("joint '", joint.name, "' mimics ", in_quotes(named), ", which mimics another: it follows ",
                           in_quotes(mimic.of), " by the factor ", number_text(mimic.factor), " and the offset ",
                           number_text(mimic.offset)));
  }

  static constexpr const char* offer = "; --repair (or repair = true in [robot]) mends it";

  // A shape of the link that has a volume, to guess an inertia from; contact shapes first, they are simpler.
  static const LinkShape* solid(const DescribedLink& link) {
    for (const bool collision : {true, false})
      for (const LinkShape& shape : link.shapes)
        if (shape.collision == collision && volume(shape) > 0) return &shape;
    return nullptr;
  }

  void check_inertia(DescribedLink& link) {
    if (!link.inertia) return;
    DescribedInertia& body = *link.inertia;
    const std::string what = cat("link '", link.name, "': ");
    if (body.mass < 0) {
      error(body.line, cat(what, "the mass must not be negative, got ", number_text(body.mass), " kg"));
      return;
    }
    const double largest = body.inertia.cwiseAbs().maxCoeff();
    if (largest == 0) {
      if (body.mass > 0 && repair_) guess_inertia(link);
      return;
    }
    if (body.mass == 0) {
      if (!repair_) {
        error(body.line, cat(what, "it has moments of inertia but no mass", offer));
        return;
      }
      note(body.line, cat(what, "moments of inertia without mass were left out"));
      body.inertia.setZero();
      return;
    }
    const SymmetricPairs principal = symmetric_pairs(body.inertia);
    const Vector3 moments = principal.values;
    constexpr double rounding = 1e-9;
    const bool negative = moments[0] < -rounding * largest;
    const bool flat = moments[0] + moments[1] < (1 - rounding) * moments[2];
    if (!negative && !flat) return;
    if (repair_) {
      repair_inertia(link, principal);
    } else if (negative) {
      error(body.line,
            cat(what, "the inertia has a negative principal moment, ", number_text(moments[0]), " kg m^2", offer));
    } else {
      error(body.line, cat(what, "the inertia is not that of a body: the principal moments ", moments[0], " + ",
                           moments[1], " are less than ", moments[2], " kg m^2 (triangle inequality)", offer));
    }
  }

  // The nearest body: second moments of mass P = tr(I)/2 - I along the principal axes must not be negative; those that
  // are become zero, and I = tr(P) - P.
  void repair_inertia(DescribedLink& link, const SymmetricPairs& principal) {
    const Vector3 moments = principal.values;
    const Vector3 spread = (Vector3::Constant(moments.sum() / 2) - moments).cwiseMax(0);
    const Vector3 mended = Vector3::Constant(spread.sum()) - spread;
    const Matrix3 axes = principal.vectors;
    link.inertia->inertia = axes * mended.asDiagonal() * axes.transpose();
    note(link.inertia->line,
         cat("link '", link.name, "': principal moments ", moments[0], ", ", moments[1], ", ", moments[2],
             " kg m^2 are those of no body; taken as ", mended[0], ", ", mended[1], ", ", mended[2]));
  }

  // A mass without inertia, or a link without either: as a solid of its shape, or as a ball of water.
  void guess_inertia(DescribedLink& link) {
    const LinkShape* shape = solid(link);
    DescribedInertia& body = *link.inertia;
    if (shape) {
      const Matrix3& R = shape->pose.rotation;
      const bool same_centre = body.pose.position.norm() == 0;
      const Matrix3 inertia = R * (body.mass * inertia_per_mass(*shape)) * R.transpose();
      body.inertia = body.pose.rotation.transpose() * inertia * body.pose.rotation;
      if (same_centre) body.pose.position = shape->pose.position;
      note(link.line, cat("link '", link.name, "': ", body.mass,
                          " kg without moments of inertia were taken as a solid of the link's shape"));
      return;
    }
    constexpr double water = 1000, ball = 4.18879020478639;  // kg/m^3, 4π/3
    const double radius = std::cbrt(body.mass / (water * ball));
    body.inertia = Matrix3::Identity() * (0.4 * body.mass * radius * radius);
    note(link.line, cat("link '", link.name, "': ", body.mass,
                        " kg without moments of inertia were taken as a ball of radius ", radius, " m"));
  }

  bool has_inertia(int link) const {
    const std::optional<DescribedInertia>& body = robot_.links[static_cast<std::size_t>(link)].inertia;
    return body && (body->mass > 0 || body->inertia.norm() > 0);
  }

  // Every joint that moves must move some mass, or its acceleration is undefined; the links that close a loop move
  // each other's.
  void check_moved_mass() {
    std::vector<bool> moved(robot_.links.size(), false);
    for (const DescribedLoop& loop : robot_.loops)
      for (const int link : {loop.a, loop.b}) moved[static_cast<std::size_t>(link)] = true;
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
      const auto link = static_cast<std::size_t>(*at);
      const int joint_index = joint_to_[link];
      if (has_inertia(*at)) moved[link] = true;
      if (joint_index < 0) continue;
      DescribedJoint& joint = robot_.joints[static_cast<std::size_t>(joint_index)];
      if (!moved[link] && joint.type != JointType::fixed) moved[link] = mend_massless(robot_.links[link], joint);
      if (moved[link]) moved[static_cast<std::size_t>(joint.parent)] = true;
    }
  }

  // A mesh of the link as a body of water: contact shapes first, they are simpler.
  std::optional<DescribedInertia> body_of_mesh(const DescribedLink& link) const {
    if (!choices_.read_mesh) return std::nullopt;
    for (const bool collision : {true, false})
      for (const LinkShape& shape : link.shapes) {
        if (shape.collision != collision || shape.kind != ShapeKind::mesh) continue;
        std::string problem;
        const std::optional<std::string> bytes = choices_.read_mesh(shape.file, problem);
        std::optional<TriangleMesh> mesh = bytes ? read_surface(*bytes, shape.file, problem) : std::nullopt;
        if (!mesh) continue;
        for (std::size_t i = 0; i < mesh->corners.size(); ++i)
          mesh->corners[i] *= static_cast<float>(shape.size[static_cast<int>(i % 3)]);
        const std::optional<SurfaceMass> body = mass_of(*mesh, SurfaceBody::hull, problem);
        if (body)
          return DescribedInertia{1000 * body->size, shape.pose * Pose{Matrix3::Identity(), body->centre},
                                  1000 * body->inertia, link.line};
      }
    return std::nullopt;
  }

  bool mend_massless(DescribedLink& link, DescribedJoint& joint) {
    if (!repair_) {
      error(link.line, cat("link '", link.name, "' has no mass, nor has what it carries, but joint '", joint.name,
                           "' moves it", solid(link) ? "" : "; give it an <inertial> element", offer));
      return true;
    }
    if (const LinkShape* shape = solid(link)) {
      DescribedInertia body;
      body.line = link.line;
      body.mass = 1000 * volume(*shape);
      body.pose.position = shape->pose.position;
      link.inertia = body;
      note(link.line, cat("link '", link.name, "' has no mass: taken as ", body.mass,
                          " kg, its shape filled with water (1000 kg/m^3)"));
      guess_inertia(link);
      return true;
    }
    if (const std::optional<DescribedInertia> body = body_of_mesh(link)) {
      link.inertia = body;
      note(link.line, cat("link '", link.name, "' has no mass: taken as ", body->mass,
                          " kg, the convex hull of its mesh filled with water (1000 kg/m^3)"));
      return true;
    }
    joint.type = JointType::fixed;
    joint.mimic.reset();
    note(joint.line, cat("joint '", joint.name, "' moves nothing that has a mass or a shape: it is taken as fixed"));
    return false;
  }

  RobotDescription& robot_;
  const DescriptionChoices& choices_;
  bool repair_;
  Diagnostics& diagnostics_;
  std::vector<int> joint_to_, order_;
};

}  // namespace

RobotDescription finished(RobotDescription robot, const DescriptionChoices& choices, Diagnostics& diagnostics) {
  diagnostics.throw_if_any();
  Checker(robot, choices, diagnostics).run();
  diagnostics.throw_if_any();
  if (choices.merge_fixed) merge_fixed_joints(robot);
  return robot;
}

}  // namespace lithe
