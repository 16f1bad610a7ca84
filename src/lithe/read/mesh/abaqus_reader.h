// The reader of input files of Abaqus and CalculiX; its functions lie in files by what they read.
#pragma once

#include <limits>
#include <optional>
#include <set>

#include "lithe/read/mesh/abaqus_deck.h"
#include "lithe/read/mesh/abaqus_keywords.h"
#include "lithe/read/mesh/abaqus_systems.h"
#include "lithe/read/mesh/mesh_builder.h"
#include "lithe/read/mesh/mesh_file.h"
#include "lithe/read/mesh/text_lines.h"

namespace lithe {

class AbaqusReader {
 public:
  AbaqusReader(std::string_view text, const std::string& file, const MeshReadOptions& options)
      : lines_(text, file, options), file_(file), num_instances_(count_instances(text)) {}

  Mesh read();

 private:
  static int count_instances(std::string_view text);
  enum class Data {
    skipped,
    node,
    element,
    nset,
    elset,
    surface,
    elastic,
    engineering,
    density,
    mass,
    rotary,
    mpc,
    equation,
    tie,
    spring,
    area,
    directions,
    shell,
    beam,
    orientation,
    system,
    instance
  };
  // The part with its nodes and elements, the assembly around its instance; a file without parts is flat.
  enum class Scope { flat, part, assembly, instance };

  bool next_line();
  bool is_keyword() const { return trimmed(line_).starts_with("*"); }

  AbaqusKeyword read_keyword();
  // False at the first step: what follows is the analysis.
  bool start(const AbaqusKeyword& keyword);
  bool start_scope();
  // A part is read where an instance of it ends, once for each.
  void keep_part();
  void start_instance();
  void replay_part();
  // What was read of the part moves with the instance.
  void finish_instance();
  bool in_assembly() const { return scope_ == Scope::assembly && !keyword_.has("INSTANCE"); }
  bool in_part() const { return scope_ == Scope::part || scope_ == Scope::instance; }
  AbaqusReference reference(std::string_view text) const;
  // The name of something that each instance of a part has.
  std::string own_name(const std::string& name) const;
  std::int64_t node_number(std::string_view text) const;
  MeshFilePlace here() const { return lines_.place(); }

  // The name of a set that is made here. The assembly may have one of a name that the part has, too.
  std::string new_name(const char* key);
  std::string set_of(const char* key) { return deck_.set_name(reference(demanded(key))); }

  void start_nodes();
  void start_node_set();
  void start_surface();
  void start_mass();
  void start_property();
  void start_constraint();
  void add_coupling(const char* set, AbaqusDeck::Coupling::Of of, bool turns_nodes);
  void start_directions();
  void start_rigid_body();
  std::string demanded(const std::string& key);
  std::int64_t number(std::string_view text, const char* what);
  double real(std::string_view text, const char* what);
  void start_element();
  // An element may take several lines: it is whole when it has all its nodes.
  void element_data();
  void add_element();
  void end_element();
  void data();
  std::vector<double> all_numbers(const char* what);
  void elastic_data();
  // E1, E2, E3, nu12, nu13, nu23, G12, G13 and in the next line G23.
  void engineering_data();
  void start_shell_section();
  void shell_data();
  void start_orientation();
  // Two points; of a cylinder on its axis, else on the first axis and in the plane of the first two. Then perhaps an
  // axis and the angle by which the others are turned about it.
  void orientation_data();
  void node_data();
  // Nodes of the assembly have numbers of their own: one that the part has becomes a new one.
  std::int64_t assembly_label(std::int64_t label);
  std::int64_t element_label(std::int64_t label);
  // Numbers of one line: first, last, step with GENERATE.
  std::vector<std::int64_t> generated(const std::vector<std::string_view>& fields);
  void demand_room(std::size_t members) { deck_.demand_room(members, here()); }

  void set_data();
  void surface_data();
  void mass_data();
  void mpc_data();
  void start_tie();
  void tie_data();
  // N, then N terms (node or set, direction, factor) in one line or several.
  void equation_data();
  void add_equations();
  // Lines of a first and a last direction. Without a line all of them are coupled.
  void direction_data();
  void start_spring();

  TextLines lines_;
  std::string file_;
  std::string_view line_;
  AbaqusKeyword keyword_;
  Data data_ = Data::skipped;
  ElementShape shape_ = ElementShape::point1;
  std::string set_;  // that the data go to
  bool after_coupling_ = false, is_mass_ = true, cylindrical_ = false;
  std::optional<BeamTheory> beam_;  // of the elements that are read
  std::optional<AbaqusDeck::SpringKind> spring_;
  std::vector<std::string> terms_;  // of an equation, as far as they are read
  std::size_t num_terms_ = 0;
  bool has_transform_ = false;
  Scope scope_ = Scope::flat;
  struct Part {
    TextLines::Open begin, end;
  };
  std::map<std::string, Part> parts_;
  std::string part_of_instance_;
  int num_instances_ = 0;  // in the file
  int instance_ = -1;      // that is read
  // What there was before it.
  struct {
    std::size_t nodes = 0, beams = 0, frames = 0, properties = 0, springs = 0, equations = 0;
  } before_;
  std::int64_t largest_element_ = 0;
  std::set<std::string> names_of_part_;
  AbaqusNodeSystem system_;
  AbaqusInstancePose instance_pose_;
  std::vector<std::int64_t> numbers_;
  int orientation_lines_ = 0;
  std::vector<double> constants_;  // of an orthotropic material, as far as they are read
  AbaqusDeck deck_;
  MeshBuilder& builder_ = deck_.builder;
};

}  // namespace lithe
