// A mechanism as a page or another program draws it: links with their sections, joints, drives, loads and the ground.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/link_shape.h"
#include "lithe/model/model.h"
#include "lithe/read/tables/written_units.h"

namespace lithe {

// A straight piece between two nodes with the section's outline around it.
struct ScenePiece {
  int from = 0, to = 0;                // nodes of the link
  int section = -1;                    // index into Model::sections; -1: a thin rod
  Matrix3 axes = Matrix3::Identity();  // R_LB: columns are the beam's x, y, z in the link frame
  // Of the material, for stresses and strain energy; zero where the piece is rigid.
  double young_modulus = 0, shear_modulus = 0;
};

struct SceneNode {
  std::string name;                    // empty inside a segment
  Vector3 position = Vector3::Zero();  // link frame
};

struct SceneLink {
  std::string name;
  bool rigid = false;
  std::vector<SceneNode> nodes;  // named ones first, then those of the mesh: the numbering of node_motion()
  std::vector<ScenePiece> pieces;
  // Of a link of solid elements: its surface instead of pieces, seen from outside counterclockwise. Its nodes are the
  // named ones and those of the surface; `body_nodes`: of each, the node of node_motion().
  std::vector<std::array<int, 3>> triangles;
  std::vector<int> body_nodes;
  // Beams of the mesh, then legs of its spiders: the node that holds the surface, a node of the surface.
  std::vector<std::array<int, 2>> legs;
  std::vector<LumpedMass> masses;
};

struct SceneJoint {
  std::string name;
  JointType type = JointType::revolute;
  int parent = -1, child = -1;  // links; -1: the ground
  int parent_node = -1, child_node = -1;
  Pose parent_frame, child_frame;
  bool driven = false;
};

struct SceneLoad {
  std::string name;
  int link = 0, node = 0;
  bool torque = false, follows_link = false;
  Vector3 direction = Vector3::UnitX();
};

// How a rigid link looks by its description.
struct SceneShape {
  int link = 0;
  LinkShape shape;
  int mesh = -1;  // index into Scene::meshes
};

struct SceneMesh {
  std::vector<float> corners;  // x, y, z of each
  std::vector<int> triangles;  // three corners each
};

struct Scene {
  std::string name;
  std::string file;  // of the model
  Vector3 gravity = Vector3::Zero();
  std::vector<Section> sections;
  std::vector<SceneLink> links;
  std::vector<SceneJoint> joints;
  std::vector<SceneLoad> loads;
  std::vector<SceneShape> shapes;  // see described_shapes.h
  std::vector<SceneMesh> meshes;
  WrittenUnits units;  // of the model file, to show values in
};

Scene make_scene(const Model& model);
// Length of all pieces and of surfaces together, m; 1 where there are none.
double scene_size(const Scene& scene);

}  // namespace lithe
