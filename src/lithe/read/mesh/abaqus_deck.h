// What an input file of Abaqus says by the names of sets, until all of it is read.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lithe/read/mesh/mesh_builder.h"

namespace lithe {

// A set, surface or reference node as a file names it: a number, a name, or INSTANCE.name.
struct AbaqusReference {
  std::string text;  // upper case
  bool in_assembly = false;
};

struct AbaqusDeck {
  struct Section {
    std::string set, material, orientation;
    MeshFilePlace place;
  };
  struct Shell {
    std::string set, material;  // no material: of layers
    double nodes_at = 0;        // over the middle, as a share of the thickness
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

  // The instance's name is cut off; names of the assembly come before those of the part.
  std::string set_name(const AbaqusReference& reference) const;
  std::int64_t node_label(const AbaqusReference& reference, const MeshFilePlace& place, bool quotes = true) const;
  std::vector<int> element_set(const std::string& name, const MeshFilePlace& place);
  void demand_room(std::size_t members, const MeshFilePlace& place);
  // A number, which may be one that does not exist, or what a reference names: a number, a set, INSTANCE.number.
  void add_node_to_set(const std::string& set, std::int64_t label, bool in_assembly, bool may_lack);
  void add_nodes_to_set(const std::string& set, const AbaqusReference& reference, const MeshFilePlace& place);
  void add_element_to_set(const std::string& set, std::int64_t label, bool in_assembly, bool may_lack,
                          const MeshFilePlace& place);
  void add_elements_to_set(const std::string& set, const AbaqusReference& reference, const MeshFilePlace& place);
  // Of *BEAM SECTION: the dimensions, then perhaps the first axis of the section. `kind`: RECT, CIRC or PIPE.
  void add_beam_line(const std::vector<double>& numbers, const std::string& kind, const MeshFilePlace& place);
  // S1, S2, ... of solids; SPOS, SNEG, S1 or S2 of shells, and E1, E2, ... of their edges. `got`: for messages.
  void add_face(const std::string& surface, int element, const std::string& face, const MeshFilePlace& place,
                const std::string& got);
  static std::string of_assembly(const std::string& name) { return "ASSEMBLY." + name; }

  MeshBuilder builder;
  std::vector<Section> sections;
  std::vector<Shell> shells;
  std::vector<Beam> beams;
  std::map<int, BeamTheory> beam_elements;  // B31 and B33, by their index
  std::map<std::string, int> orientations;  // index into Mesh::frames
  std::vector<Coupling> couplings;
  std::vector<PointElement> points;
  std::map<std::int64_t, std::size_t> point_index;  // by number
  std::map<std::string, std::vector<std::size_t>> point_sets;
  std::vector<PointProperty> properties;
  std::map<std::string, Surface> surfaces;
  std::string instance;                                 // upper case; empty: none
  std::map<std::int64_t, std::int64_t> assembly_nodes;  // their numbers in the builder

 private:
  void resolve_sections();
  void resolve_shells();
  void resolve_beams();
  void resolve_masses();
  void resolve_coupling(const Coupling& coupling);
  void set_directions(const Coupling& coupling, MeshBuilder::Spider& spider);
  void add_face_node(const std::string& surface, int element, int place);
  int material_of(const std::string& name, const char* user, const MeshFilePlace& place) const;
};

}  // namespace lithe
