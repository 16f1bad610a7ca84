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
#include "lithe/model/orthotropic.h"
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
// A triangle or quadrilateral as the one face that it is.
const ElementFace& face_of_shell(ElementShape shape);

// Nodes in the order of Abaqus: corners first, then the middles of the edges, those of the lower face before those of
// the upper one before the upright ones (for tetrahedra: 01 12 20 03 13 23).
struct MeshElement {
  ElementShape shape = ElementShape::point1;
  int material = -1;       // index into Mesh::materials; -1: the file names none
  std::size_t first = 0;   // of its nodes in Mesh::connectivity
  std::int64_t label = 0;  // its number in the file
  int shell = -1;          // of a face that is a shell: index into Mesh::shells
  int frame = -1;          // index into Mesh::frames; -1: the axes of the link
};

// One layer of a shell; direction 1 of its material is turned by `angle` about the normal, rad.
struct ShellLayer {
  int material = -1;  // index into Mesh::materials, of a MeshPart into MeshPart::materials; -1: not given
  double thickness = 0;
  double angle = 0;
};

// What a shell element is made of, from the bottom to the top: the normal, about which its nodes go counterclockwise,
// points to the top.
struct ShellSection {
  std::vector<ShellLayer> layers;
  double offset = 0;         // of the middle from the nodes, along the normal
  double mass_per_area = 0;  // without stiffness, spread over the thickness
  double thickness() const;
};

// The directions 1, 2, 3 of a material, in the link's axes.
struct ElementFrame {
  bool cylindrical = false;
  Matrix3 axes = Matrix3::Identity();  // columns: the directions; of a cylinder, column 2 is its axis
  Vector3 origin = Vector3::Zero();    // of a cylinder, a point on its axis
  Matrix3 turn = Matrix3::Identity();  // of a cylinder: the directions in its radial, tangential and axial ones
  Matrix3 at(const Vector3& point) const;
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
  bool turns_nodes = true;  // a rigid one holds the rotations of its nodes too, where they have some
};

struct MeshMass {
  int node = -1;
  double mass = 0;
  Matrix3 inertia = Matrix3::Zero();  // about its own centre
  Vector3 offset = Vector3::Zero();   // of its centre from the node
};

struct MeshBeamSection {
  Section section;
  BeamTheory theory = BeamTheory::timoshenko;  // truss: a rod, which carries axial force and torsion alone
  int material = -1;                           // as that of a ShellLayer
  double mass_per_length = 0;                  // without stiffness
  bool is_rod() const { return theory == BeamTheory::truss; }
};

// A line of two nodes that is a beam.
struct MeshBeam {
  int element = 0;
  int section = 0;                   // index into Mesh::beam_sections
  Vector3 side = -Vector3::UnitZ();  // in the plane of the axes x (along the beam) and y of its section
  std::array<Vector3, 2> offsets{Vector3::Zero(), Vector3::Zero()};  // of its ends from their nodes
};

// A share of one of a node's six motions, 0 to 5: displacements, then rotations, along the axes of the link.
struct MotionTerm {
  int node = -1;
  int component = 0;
  double factor = 0;
};

// Σ factor · motion = 0.
struct MeshEquation {
  std::string name;  // "*EQUATION in line 12"
  std::vector<MotionTerm> terms;
  bool if_all_turn = false;  // of rotations: counts only where all of its nodes have them
};

// The elongation, or the turn, of a spring is Σ factor · motion.
struct MeshSpring {
  std::string name;  // "spring 12"
  std::vector<MotionTerm> terms;
  double stiffness = 0;
};

// What a sum of motions is when the link moves as a rigid body: three unit displacements, and three unit rotations
// about the first node. Springs and equations that let it go have zeros.
Vector6 rigid_body_action(const std::vector<Vector3>& positions, const std::vector<MotionTerm>& terms);

struct Mesh {
  std::vector<Vector3> positions;
  std::vector<std::int64_t> node_labels;  // numbers in the file, one per node
  std::vector<MeshElement> elements;
  std::vector<int> connectivity;
  std::vector<MeshSet> node_sets;
  std::vector<MeshSet> element_sets;
  std::vector<ElementMaterial> materials;  // of the file; density or moduli may be missing: zero
  std::vector<ShellSection> shells;
  std::vector<ElementFrame> frames;
  std::vector<MeshSpider> spiders;
  std::vector<MeshMass> masses;
  std::vector<MeshBeamSection> beam_sections;
  std::vector<MeshBeam> beams;
  std::vector<MeshSpring> springs;
  std::vector<MeshEquation> equations;
  std::vector<std::string> warnings;  // of the reader, each a sentence with its line

  int num_nodes() const { return static_cast<int>(positions.size()); }
  int num_elements() const { return static_cast<int>(elements.size()); }
  const int* nodes_of(const MeshElement& element) const { return connectivity.data() + element.first; }
  const MeshSet* node_set(std::string_view name) const;
  const MeshSet* element_set(std::string_view name) const;
  // Nodes of a node set or of the elements of an element set, ascending, each once; empty where there is none.
  std::vector<int> nodes_named(std::string_view name) const;
};

// What a sensor reads of the stress of a mesh: the largest over these nodes of the mesh, from their number on over
// bottoms and tops of shells (fem/shells/shell_layers.h), and after those over nodes on the border of materials
// (fem/mesh_stress.h).
struct StressReading {
  std::string sensor;  // its name
  StressMeasure measure = StressMeasure::von_mises;
  std::vector<int> nodes;
};

// A link of type mesh: the mesh, what its elements are made of, and where the link's named nodes are.
struct MeshPart {
  std::string file;
  Mesh mesh;
  std::vector<ElementMaterial> materials;
  // Per element, index into `materials`, of shells that of the first layer; -1: not part of the structure.
  std::vector<int> element_materials;
  // Of Link::nodes without those of Link::spiders: the mesh node of each.
  std::vector<int> named_nodes;
  std::vector<StressReading> stress_readings;

  bool is_structure(std::size_t element) const { return element_materials[element] >= 0; }
  bool has_rotation(int mesh_node) const { return nodes_with_rotation()[static_cast<std::size_t>(mesh_node)]; }
  // Nodes of shells and beams, references of the file's spiders, and nodes of no element whose rotation a spring or an
  // equation names.
  std::vector<bool> nodes_with_rotation() const;
};

// Units of a file in SI.
struct MeshUnits {
  double length = 1, mass = 1, time = 1;
  double pressure() const { return mass / (length * time * time); }
  double density() const { return mass / (length * length * length); }
};
void convert(Mesh& mesh, const MeshUnits& units);

inline bool is_solid(const MeshElement& element) { return info(element.shape).dimension == 3; }
inline bool is_shell(const MeshElement& element) { return element.shell >= 0; }

// A face of a solid that no other element shares, or a shell.
struct SurfaceFace {
  int element = 0;
  int face = 0;  // index into faces_of(shape)
};
const ElementFace& face_of(const Mesh& mesh, const SurfaceFace& face);
std::vector<SurfaceFace> surface_faces(const Mesh& mesh);
std::vector<SurfaceFace> shell_faces(const Mesh& mesh);

// These faces as triangles of nodes; faces with nodes on their edges in four or six.
std::vector<std::array<int, 3>> triangles(const Mesh& mesh, const std::vector<SurfaceFace>& faces);

}  // namespace lithe
