// What an input file of Abaqus says by the names of sets, until all of it is read.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lithe/read/mesh/mesh_builder.h"

namespace lithe {

// A set, surface or reference node as a file names it: a number, a name, or INSTANCE.name.
struct AbaqusReference {
  std::string text;  // upper case
  bool in_assembly = false;
  int instance = -1;  // in whose part it stands, or that it belongs to; index into AbaqusDeck::instances
};

// A part where it stands in the assembly. Of several, names and numbers of nodes and elements become different ones.
struct AbaqusInstance {
  std::string name, prefix;
  std::int64_t node_offset = 0, element_offset = 0;
};

struct AbaqusDeck {
  struct Section {
    std::string set, material, orientation;
    double area = 0;  // of rods
    MeshFilePlace place;
  };
  struct Shell {
    std::string set, material, orientation;  // no material: of layers
    double nodes_at = 0;                     // over the middle, as a share of the thickness
    std::vector<ShellLayer> layers;
    std::vector<std::string> materials;  // of the layers
    MeshFilePlace place;
  };
  struct Beam {
    std::string set, material;
    lithe::Section section;
    Vector3 side = -Vector3::UnitZ();  // the first axis of the section
    int num_lines = 0;
    MeshFilePlace place;
  };
  struct Coupling {
    SpiderKind kind = SpiderKind::rigid;
    AbaqusReference set, reference;
    enum class Of { surface, nodes, elements } of = Of::surface;
    bool turns_nodes = true;
    bool has_directions = false;  // else all
    std::array<bool, 6> directions{};
    MeshFilePlace place;
  };
  // Along the line between its nodes, or between a direction of each.
  enum class SpringKind { along, directions };
  struct Spring {
    std::string set, orientation;
    std::vector<std::vector<double>> lines;
    MeshFilePlace place;
  };
  struct Tie {
    std::string name;
    AbaqusReference slave, master;
    double tolerance = -1;
    MeshFilePlace place;
  };
  struct NodePair {
    std::string type;  // of *MPC: PIN, TIE or LINK
    std::int64_t node = 0, other = 0;
    MeshFilePlace place;
  };
  struct PointElement {
    std::int64_t label = 0, node = 0;
    bool is_mass = true;  // else a rotary inertia
    bool has_property = false;
    MeshFilePlace place;
  };
  struct PointProperty {
    std::string set;
    bool is_mass = true;
    double mass = 0;
    Matrix3 inertia = Matrix3::Zero();
    MeshFilePlace place;
  };
  struct Surface {
    std::vector<MeshBuilder::Face> faces;
    std::vector<std::int64_t> nodes;
    std::vector<double> weights;  // one per node
    void add(std::int64_t node, double weight) {
      nodes.push_back(node);
      weights.push_back(weight);
    }
  };

  // Sections, masses and couplings become those of the mesh; throws MeshFileError for names that do not exist.
  void resolve();

  // The number in the mesh of one that a reference gives; false for names.
  bool number_of(const AbaqusReference& reference, bool of_node, std::int64_t& label) const;
  std::int64_t own_number(std::int64_t label, const AbaqusReference& where, bool of_node) const;
  // Of INSTANCE.name the instance, -1 where there is none of that name, and what follows it.
  std::pair<int, std::string> split(const AbaqusReference& reference) const;
  // The instance's name becomes its prefix; names of the assembly come before those of the part.
  std::string set_name(const AbaqusReference& reference) const;
  std::int64_t node_label(const AbaqusReference& reference, const MeshFilePlace& place, bool quotes = true) const;
  std::vector<int> element_set(const std::string& name, const MeshFilePlace& place);
  void demand_room(std::size_t members, const MeshFilePlace& place);
  // Numbers of the mesh, which may be ones that do not exist, or what a reference names: a number, a set,
  // INSTANCE.number.
  void add_nodes_to_set(const std::string& set, const AbaqusReference& reference, const MeshFilePlace& place);
  void add_element_to_set(const std::string& set, std::int64_t label, bool in_assembly, bool may_lack,
                          const MeshFilePlace& place);
  void add_elements_to_set(const std::string& set, const AbaqusReference& reference, const MeshFilePlace& place);
  // Of *BEAM SECTION: the dimensions, then perhaps the first axis of the section. `kind`: RECT, CIRC or PIPE.
  void add_beam_line(const std::vector<double>& numbers, const std::string& kind, const MeshFilePlace& place);
  int find_instance(std::string_view name) const;
  // S1, S2, ... of solids; SPOS, SNEG, S1 or S2 of shells, and E1, E2, ... of their edges. `got`: for messages.
  void add_face(const std::string& surface, int element, const std::string& face, const MeshFilePlace& place,
                const std::string& got);
  std::vector<int> with_second_half(int element) const;
  static std::string of_assembly(const std::string& name) { return "ASSEMBLY." + name; }

  MeshBuilder builder;
  std::vector<Section> sections;
  std::vector<Shell> shells;
  std::vector<Beam> beams;
  std::map<int, BeamTheory> beam_elements;   // B31 and B33, by their index
  std::map<std::string, int> orientations;   // index into Mesh::frames
  std::set<std::string> shell_orientations;  // whose third axis is the normal of shells
  std::vector<Spring> springs;
  std::map<int, SpringKind> spring_elements;  // by index
  std::map<int, int> second_halves;           // of elements with a node in their middle
  Tie tie;                                    // that is read
  std::vector<Tie> ties;
  std::vector<NodePair> pairs;
  std::vector<Coupling> couplings;
  std::vector<PointElement> points;
  std::map<std::int64_t, std::size_t> point_index;  // by number
  std::map<std::string, std::vector<std::size_t>> point_sets;
  std::vector<PointProperty> properties;
  std::map<std::string, Surface> surfaces;
  std::vector<AbaqusInstance> instances;
  std::map<std::int64_t, std::int64_t> assembly_nodes, assembly_elements;  // their numbers in the builder

 private:
  void resolve_sections();
  void resolve_shells();
  void resolve_beams();
  void resolve_masses();
  void resolve_springs();
  void resolve_spring(const Spring& spring, int element, SpringKind kind);
  void resolve_pairs();
  void resolve_ties();
  void add_rod(const Section& section, int element, int material);
  Vector3 position_of(std::int64_t node, const MeshFilePlace& place) const;
  int frame_of(const std::string& orientation, const MeshFilePlace& place) const;
  std::vector<std::int64_t> nodes_of_surface(const std::string& name, const MeshFilePlace& place) const;
  void resolve_coupling(const Coupling& coupling);
  // False for some directions of a rigid coupling alone, which become equations.
  bool set_directions(const Coupling& coupling, MeshBuilder::Spider& spider);
  void add_directions(const Coupling& coupling, const MeshBuilder::Spider& spider);
  void add_face_node(const std::string& surface, int element, int place);
  int material_of(const std::string& name, const char* user, const MeshFilePlace& place) const;
};

}  // namespace lithe
