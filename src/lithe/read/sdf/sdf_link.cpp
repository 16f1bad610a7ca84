#include "lithe/read/sdf/sdf_link.h"

#include <algorithm>

#include "lithe/base/text.h"

namespace lithe {
namespace {

class LinkReader {
 public:
  LinkReader(const std::string& folder, const SdfValues& values, DescribedLink& link, std::vector<std::string>& notes)
      : folder_(folder), values_(values), link_(link), notes_(notes) {}

  void read(const XmlElement& element) {
    for (const XmlElement* visual : element.all("visual")) read_shape(*visual, false);
    for (const XmlElement* collision : element.all("collision")) {
      const std::size_t before = link_.shapes.size();
      read_shape(*collision, true);
      contacts_.push_back({collision, link_.shapes.size() > before ? static_cast<int>(before) : -1});
    }
    const XmlElement* inertial = element.child("inertial");
    const XmlAttribute* automatic = inertial ? inertial->find("auto") : nullptr;
    if (automatic && (automatic->value == "true" || automatic->value == "1"))
      inertia_of_shapes(*inertial);
    else
      read_inertia(element, inertial);
  }

 private:
  void read_inertia(const XmlElement& element, const XmlElement* inertial) {
    DescribedInertia body;
    body.line = inertial ? inertial->line : element.line;
    body.mass = 1;
    body.inertia = Matrix3::Identity();
    link_.inertia = body;
    if (!inertial) {
      notes_.push_back(cat("line ", element.line, ": link '", link_.name,
                           "' has no <inertial>: SDF gives it 1 kg and moments of inertia of 1 kg m^2"));
      return;
    }
    body.mass = values_.number(*inertial, "mass", 1);
    body.pose = values_.pose(*inertial);
    const std::string from = SdfValues::relative_to(*inertial);
    if (!from.empty()) values_.error(inertial->line, "the pose of <inertial> is in the frame of its link");
    if (const XmlElement* inertia = inertial->child("inertia")) {
      const auto moment = [&](const char* name, double otherwise) { return values_.number(*inertia, name, otherwise); };
      const double xy = moment("ixy", 0), xz = moment("ixz", 0), yz = moment("iyz", 0);
      body.inertia << moment("ixx", 1), xy, xz, xy, moment("iyy", 1), yz, xz, yz, moment("izz", 1);
    }
    link_.inertia = body;
  }

  // <inertial auto="true">: that of the contact shapes, each with its density.
  void inertia_of_shapes(const XmlElement& inertial) {
    constexpr double water = 1000;  // kg/m^3, the density of SDF
    const double usual = values_.number(inertial, "density", water);
    RigidInertia total;
    for (const auto& [collision, index] : contacts_) {
      const double density = values_.number(*collision, "density", usual);
      const LinkShape* shape = index < 0 ? nullptr : &link_.shapes[static_cast<std::size_t>(index)];
      const double mass = shape ? density * volume(*shape) : 0;
      if (mass > 0)
        total = sum(total, in_link_axes({mass, shape->pose, mass * inertia_per_mass(*shape), collision->line}));
      else
        values_.error(collision->line, cat("link '", link_.name, "': <inertial auto> needs collision shapes that are ",
                                           "boxes, cylinders, spheres or capsules, of a density above zero"));
    }
    if (total.mass == 0) values_.error(inertial.line, cat("link '", link_.name, "': it has no collision shapes"));
    link_.inertia = DescribedInertia{total.mass, {Matrix3::Identity(), total.centre}, total.inertia, inertial.line};
  }

  void read_shape(const XmlElement& element, bool collision) {
    const XmlElement* geometry = element.child("geometry");
    if (!geometry || geometry->children.empty()) return;
    const XmlElement& form = geometry->children.front();
    LinkShape shape;
    shape.pose = values_.pose(element);
    if (!SdfValues::relative_to(element).empty())
      notes_.push_back(cat("line ", element.line, ": link '", link_.name,
                           "': a shape's pose is taken as in its link's ", "frame, relative_to is passed over"));
    shape.collision = collision;
    shape.line = form.line;
    if (form.name == "box") {
      shape.size = values_.vector(form, "size", Vector3::Ones());
    } else if (form.name == "cylinder" || form.name == "capsule") {
      shape.kind = form.name == "capsule" ? ShapeKind::capsule : ShapeKind::cylinder;
      shape.size = Vector3(values_.number(form, "radius", 1), values_.number(form, "length", 1), 0);
    } else if (form.name == "sphere") {
      shape.kind = ShapeKind::sphere;
      shape.size = Vector3(values_.number(form, "radius", 1), 0, 0);
    } else if (form.name == "mesh") {
      shape.kind = ShapeKind::mesh;
      shape.size = values_.vector(form, "scale", Vector3::Ones());
      const std::string name = SdfValues::text(form, "uri");
      shape.file = name.find("://") == name.npos ? folder_ + name : name;
    } else {
      if (form.name != "plane" && form.name != "empty")
        notes_.push_back(cat("line ", form.line, ": link '", link_.name, "': the geometry <", form.name,
                             "> is not drawn; known are box, cylinder, sphere, capsule and mesh"));
      return;
    }
    if (shape.kind != ShapeKind::mesh && !(shape.size.minCoeff() >= 0)) {
      values_.error(form.line, cat("link '", link_.name, "': the size of <", form.name, "> must not be negative"));
      return;
    }
    const XmlElement* material = element.child("material");
    const XmlElement* diffuse = material ? material->child("diffuse") : nullptr;
    if (const auto rgba = diffuse ? values_.numbers(*diffuse, 4) : std::nullopt)
      shape.colour = {std::clamp((*rgba)[0], 0.0, 1.0), std::clamp((*rgba)[1], 0.0, 1.0),
                      std::clamp((*rgba)[2], 0.0, 1.0), std::clamp((*rgba)[3], 0.0, 1.0)};
    link_.shapes.push_back(std::move(shape));
  }

  const std::string& folder_;
  const SdfValues& values_;
  DescribedLink& link_;
  std::vector<std::string>& notes_;
  std::vector<std::pair<const XmlElement*, int>> contacts_;  // <collision>, and which shape it is; -1: none
};

}  // namespace

DescribedLink read_sdf_link(const XmlElement& element, const std::string& name, const std::string& folder,
                            const SdfValues& values, std::vector<std::string>& notes) {
  DescribedLink link;
  link.name = name;
  link.line = element.line;
  LinkReader(folder, values, link, notes).read(element);
  return link;
}

}  // namespace lithe
