#include "lithe/results/scene/scene.h"

#include <cmath>
#include <limits>

#include "lithe/fem/assemble.h"
#include "lithe/results/scene/mesh_surface.h"

namespace lithe {
namespace {

// Any axes around a line: of rigid links, whose pieces carry no section.
Matrix3 axes_along(const Vector3& line, const Vector3& wanted_z) {
  Matrix3 axes;
  const Vector3 x = line.normalized();
  Vector3 z = wanted_z - x * x.dot(wanted_z);
  if (z.norm() < 1e-6) z = x.cross(std::abs(x.z()) < 0.9 ? Vector3::UnitZ() : Vector3::UnitY()).cross(x);
  axes.col(0) = x;
  axes.col(2) = z.normalized();
  axes.col(1) = axes.col(2).cross(x);
  return axes;
}

void add_beams(const Model& model, const Link& link, SceneLink& drawn) {
  const FiniteElementBody body = assemble(model, link, true);
  for (std::size_t i = drawn.nodes.size(); i < body.node_positions.size(); ++i)
    drawn.nodes.push_back({"", body.node_positions[i]});
  for (const BeamElement& element : body.elements) {
    const BeamSegment& segment = link.segments[static_cast<std::size_t>(element.segment)];
    const Material& material = model.materials[static_cast<std::size_t>(segment.material)];
    drawn.pieces.push_back({element.node_a, element.node_b, segment.section, element.axes, material.young_modulus,
                            material.shear_modulus});
  }
}

void add_rods(const Link& link, SceneLink& drawn) {
  const auto add = [&](int from, int to, int section, const Vector3& z) {
    const Vector3 line =
        link.nodes[static_cast<std::size_t>(to)].position - link.nodes[static_cast<std::size_t>(from)].position;
    if (line.norm() > 0) drawn.pieces.push_back({from, to, section, axes_along(line, z), 0, 0});
  };
  for (const BeamSegment& segment : link.segments) add(segment.from, segment.to, segment.section, segment.section_z);
  if (!link.segments.empty()) return;
  for (int node = 1; node < static_cast<int>(link.nodes.size()); ++node) add(0, node, -1, Vector3::UnitZ());
}

}  // namespace

Scene make_scene(const Model& model) {
  Scene scene;
  scene.name = model.name;
  scene.file = model.file;
  scene.gravity = model.gravity;
  scene.sections = model.sections;
  if (!model.file.empty()) scene.units = written_units(std::filesystem::path(model.file));
  for (const Link& link : model.links) {
    SceneLink drawn;
    drawn.name = link.name;
    drawn.rigid = link.rigid;
    drawn.masses = link.lumped_masses;
    for (const Node& node : link.nodes) drawn.nodes.push_back({node.name, node.position});
    if (!link.rigid && link.mesh) {
      add_surface(link, drawn);
      scene.links.push_back(std::move(drawn));
      continue;
    }
    if (!link.rigid && link.from_elsewhere()) {
      const std::vector<Vector3> positions = assemble(model, link).node_positions;
      for (std::size_t i = drawn.nodes.size(); i < positions.size(); ++i) drawn.nodes.push_back({"", positions[i]});
    }
    if (link.rigid || link.from_elsewhere()) {
      add_rods(link, drawn);
    } else {
      add_beams(model, link, drawn);
    }
    scene.links.push_back(std::move(drawn));
  }
  for (const Joint& joint : model.joints)
    scene.joints.push_back({joint.name, joint.type, joint.parent, joint.child, joint.parent_node, joint.child_node,
                            joint.parent_frame, joint.child_frame, false});
  for (const Drive& drive : model.drives) scene.joints[static_cast<std::size_t>(drive.joint)].driven = true;
  for (const Load& load : model.loads)
    scene.loads.push_back({load.name, load.link, load.node, load.torque, load.follows_link, load.direction});
  return scene;
}

double scene_size(const Scene& scene) {
  double length = 0;
  for (const SceneLink& link : scene.links) {
    Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (const SceneNode& node : link.nodes) {
      low = low.cwiseMin(node.position);
      high = high.cwiseMax(node.position);
    }
    if (!link.triangles.empty()) length += (high - low).norm();
    for (const ScenePiece& piece : link.pieces)
      length += (link.nodes[static_cast<std::size_t>(piece.to)].position -
                 link.nodes[static_cast<std::size_t>(piece.from)].position)
                    .norm();
  }
  return length > 0 ? length : 1;
}

}  // namespace lithe
