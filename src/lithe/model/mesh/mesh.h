// A finite-element mesh as files describe it, free of any format: nodes, elements, sets, materials, couplings. SI
// units.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/model.h"
#include "lithe/model/stress_measure.h"

namespace lithe {

enum class ElementShape { point1, line2, line3, tri3, tri6, quad4, quad8, tet4, tet10, wedge6, wedge15, hex8, hex20 };

struct ElementShapeInfo {
  std::string_view name;
  int num_nodes = 0;
  int dimension = 0;
  int num_corners = 0;
};
const ElementShapeInfo& info(ElementShape shape);

// Faces of a solid as corner and edge nodes in the element's own order; three-sided faces end with -1. Seen from
// outside, corners go round counterclockwise.
struct ElementFace {
  std::array<int, 4> corners{-1, -1, -1, -1};
  std::array<int, 4> edges{-1, -1, -1, -1};  // between corner k and the next; -1 of linear elements
  int num_corners() const { return corners[3] < 0 ? 3 : 4; }
};
const std::vector<ElementFace>& faces_of(ElementShape shape);

// Nodes in the order of Abaqus: corners first, then the middles of the edges, those of the lower face before those of
// the upper one before the upright ones (for tetrahedra: 01 12 20 03 13 23).
struct MeshElement {
  ElementShape shape = ElementShape::point1;
  int material = -1;       // index into Mesh::materials; -1: the file names none
  std::size_t first = 0;   // of its nodes in Mesh::connectivity
  std::int64_t label = 0;  // its number in the file
};

struct MeshSet {
  std::string name;
  std::vector<int> members;
};

struct MeshSpider {
  SpiderKind kind = SpiderKind::rigid;
  int reference = -1;  // node
  std::vector<int> nodes;
  std::vector<double> weights;  // of an averaging spider, one per node; empty: all alike
  std::int64_t label = 0;
};

struct MeshMass {
  int node = -1;
  double mass = 0;
  Matrix3 inertia = Matrix3::Zero();  // about its own centre
  Vector3 offset = Vector3::Zero();   // of its centre from the node
};

struct Mesh {
  std::vector<Vector3> positions;
  std::vector<std::int64_t> node_labels;  // numbers in the file, one per node
  std::vector<MeshElement> elements;
  std::vector<int> connectivity;
  std::vector<MeshSet> node_sets;
  std::vector<MeshSet> element_sets;
  std::vector<Material> materials;  // of the file; density or moduli may be missing: zero
  std::vector<MeshSpider> spiders;
  std::vector<MeshMass> masses;

  int num_nodes() const { return static_cast<int>(positions.size()); }
  int num_elements() const { return static_cast<int>(elements.size()); }
  const int* nodes_of(const MeshElement& element) const { return connectivity.data() + element.first; }
  const MeshSet* node_set(std::string_view name) const;
  const MeshSet* element_set(std::string_view name) const;
  // Nodes of a node set or of the elements of an element set, ascending, each once; empty where there is none.
  std::vector<int> nodes_named(std::string_view name) const;
};

// What a sensor reads of the stress of a mesh: the largest over these nodes.
struct StressReading {
  std::string sensor;  // its name
  StressMeasure measure = StressMeasure::von_mises;
  std::vector<int> nodes;
};

// A link of type mesh: the mesh, what its elements are made of, and where the link's named nodes are.
struct MeshPart {
  std::string file;
  Mesh mesh;
  std::vector<Material> materials;
  std::vector<int> element_materials;  // per element, index into `materials`; -1: not part of the structure
  // Of Link::nodes without those of Link::spiders: the mesh node of each.
  std::vector<int> named_nodes;
  std::vector<StressReading> stress_readings;

  // Whether a mesh node carries rotations: it is the reference of one of the file's spiders.
  bool has_rotation(int mesh_node) const;
};

// Units of a file in SI.
struct MeshUnits {
  double length = 1, mass = 1, time = 1;
  double pressure() const { return mass / (length * time * time); }
  double density() const { return mass / (length * length * length); }
};
void convert(Mesh& mesh, const MeshUnits& units);

// A face of a solid that no other element shares.
struct SurfaceFace {
  int element = 0;
  int face = 0;  // index into faces_of(shape)
};
std::vector<SurfaceFace> surface_faces(const Mesh& mesh);

// These faces as triangles of nodes; faces with nodes on their edges in four or six.
std::vector<std::array<int, 3>> triangles(const Mesh& mesh, const std::vector<SurfaceFace>& faces);

}  // namespace lithe
