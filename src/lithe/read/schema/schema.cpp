#include "lithe/read/schema/schema.h"

namespace lithe {

const KeySpec* TableSpec::find(std::string_view key) const {
  for (const KeySpec& spec : keys) {
    if (spec.name == key) return &spec;
  }
  return nullptr;
}

std::vector<std::string> split_choices(std::string_view choices) {
  std::vector<std::string> result;
  while (!choices.empty()) {
    const std::size_t bar = std::min(choices.find('|'), choices.size());
    result.emplace_back(choices.substr(0, bar));
    choices.remove_prefix(std::min(bar + 1, choices.size()));
  }
  return result;
}

namespace {

constexpr Range elements_range{1, 10000};
constexpr Range modes_range{0, 1000000};
constexpr Range poisson_range{-1, 0.5, false, false};
constexpr std::string_view theories = "euler_bernoulli|timoshenko|linear_timoshenko|truss";
constexpr std::string_view mass_models = "consistent|lumped";

}  // namespace

const TableSpec& file_table() {
  static const TableSpec table{
      "the file",
      "Keys at the top of the file, and the tables in it.",
      {
          {.name = "lithe", .type = KeyType::integer, .required = true, .sentence = "Version of the file format: 1."},
          {.name = "name", .type = KeyType::text, .sentence = "Name of the mechanism; the file name when left out."},
          {.name = "space",
           .type = KeyType::choice,
           .choices = "spatial|planar",
           .default_value = "spatial",
           .sentence =
               "`planar`: everything lies and moves in the x-y plane; beams have three degrees of freedom per node."},
          {.name = "gravity",
           .type = KeyType::vector,
           .unit = "m/s^2",
           .default_value = "[0, 0, 0]",
           .sentence = "Acceleration of gravity in world axes."},
          {.name = "materials", .type = KeyType::named_tables, .sentence = "Materials by name."},
          {.name = "sections", .type = KeyType::named_tables, .sentence = "Beam sections by name."},
          {.name = "robot", .type = KeyType::table, .sentence = "A robot from its description file (URDF)."},
          {.name = "links", .type = KeyType::tables, .sentence = "The links; [links.NAME] adds to a robot's link."},
          {.name = "joints", .type = KeyType::tables, .sentence = "The joints; [joints.NAME] adds to a robot's joint."},
          {.name = "dh",
           .type = KeyType::table,
           .sentence = "A serial chain by Denavit-Hartenberg rows, instead of or beside links and joints."},
          {.name = "motors", .type = KeyType::tables, .sentence = "Rotors and gearboxes of joints."},
          {.name = "couplings", .type = KeyType::tables, .sentence = "Joints that follow others: belts, gears."},
          {.name = "drives", .type = KeyType::tables, .sentence = "Joint torques, forces and prescribed motions."},
          {.name = "moves", .type = KeyType::tables, .sentence = "Planned moves of joints or of a tool."},
          {.name = "payloads", .type = KeyType::tables, .sentence = "What a robot takes and puts down."},
          {.name = "loads", .type = KeyType::tables, .sentence = "Forces and torques at nodes."},
          {.name = "damping", .type = KeyType::table, .sentence = "Damping of the mechanism's modes."},
          {.name = "coordinates",
           .type = KeyType::tables,
           .sentence = "Nodal coordinates and deformations as degrees of freedom, fixed or moved."},
          {.name = "initial", .type = KeyType::table, .sentence = "The initial configuration beyond the joint values."},
          {.name = "sensors", .type = KeyType::tables, .sentence = "What is recorded."},
          {.name = "references", .type = KeyType::tables, .sentence = "What sensors shall read, for controllers."},
          {.name = "controllers", .type = KeyType::tables, .sentence = "The controllers."},
          {.name = "control", .type = KeyType::table, .sentence = "Which controllers act, and how they are judged."},
          {.name = "analyses", .type = KeyType::tables, .sentence = "What `lithe run` computes, in this order."},
      }};
  return table;
}

const TableSpec& material_table() {
  static const TableSpec table{
      "[materials.NAME]",
      "An elastic material. Isotropic: young_modulus, and Poisson's ratio or the shear modulus. Orthotropic: "
      "young_moduli, shear_moduli and poisson_ratios in the directions 1, 2, 3 of the material; plies of fibres have "
      "direction 1 along them. Meshes turn these directions with `frame` of their groups and with the angles of "
      "layers; "
      "a beam of an orthotropic material runs along direction 1.",
      {
          {.name = "density", .unit = "kg/m^3", .range = positive, .required = true, .sentence = "Mass per volume."},
          {.name = "young_modulus",
           .unit = "Pa",
           .range = positive,
           .sentence = "Young's modulus of an isotropic material.",
           .label = "Young's modulus"},
          {.name = "poisson_ratio",
           .range = poisson_range,
           .sentence = "Poisson's ratio; the shear modulus is E / (2 (1 + ν)).",
           .label = "Poisson's ratio"},
          {.name = "shear_modulus", .unit = "Pa", .range = positive, .sentence = "Shear modulus."},
          {.name = "young_moduli", .type = KeyType::vector, .unit = "Pa", .sentence = "Orthotropic: [E1, E2, E3]."},
          {.name = "shear_moduli", .type = KeyType::vector, .unit = "Pa", .sentence = "Orthotropic: [G12, G13, G23]."},
          {.name = "poisson_ratios",
           .type = KeyType::vector,
           .sentence = "Orthotropic: [ν12, ν13, ν23]; a pull along 1 contracts along 2 by ν12."},
      }};
  return table;
}

const TableSpec& section_table() {
  static const TableSpec table{
      "[sections.NAME]",
      "The section of a beam: x runs along the beam, y and z are its principal axes. The shape gives the area, second "
      "moments, torsion constant and shear factors; each of them may also be written and then replaces the computed "
      "one. Torsion constants: rectangle by the Saint-Venant series, circle and tube the polar moment, I the "
      "thin-walled "
      "sum of width times thickness cubed over 3, good to about 10 % while every plate is at least 6 times as wide as "
      "thick. Shear factors: 5/6 rectangle, 9/10 circle, 1/2 tube (thin-walled value), I the web area (for z) and "
      "5/6 of the flange area (for y) over the whole area. Give shear_factor_y and shear_factor_z where these are not "
      "good enough.",
      {
          {.name = "shape",
           .type = KeyType::choice,
           .choices = "rectangle|circle|tube|i|general",
           .required = true,
           .sentence = "Shape of the section; `general` needs area, second moments and torsion constant."},
          {.name = "width", .unit = "m", .range = positive, .sentence = "Rectangle, I: size along y."},
          {.name = "height", .unit = "m", .range = positive, .sentence = "Rectangle, I: size along z."},
          {.name = "radius", .unit = "m", .range = positive, .sentence = "Circle, tube: outer radius."},
          {.name = "diameter",
           .unit = "m",
           .range = positive,
           .sentence = "Circle, tube: outer diameter, instead of the radius."},
          {.name = "thickness", .unit = "m", .range = positive, .sentence = "Tube: wall thickness."},
          {.name = "layers",
           .type = KeyType::tables,
           .sentence =
               "Tube: the layers of its wall from the inside outwards, instead of `thickness` and of a material "
               "of the beam."},
          {.name = "flange",
           .unit = "m",
           .range = positive,
           .sentence = "I: thickness of the flanges (along z).",
           .label = "flange thickness"},
          {.name = "web",
           .unit = "m",
           .range = positive,
           .sentence = "I: thickness of the web (along y).",
           .label = "web thickness"},
          {.name = "area", .unit = "m^2", .range = positive, .sentence = "A."},
          {.name = "second_moment_y",
           .unit = "m^4",
           .range = positive,
           .sentence = "Iy = ∫ z² dA, resists bending in the x-z plane."},
          {.name = "second_moment_z",
           .unit = "m^4",
           .range = positive,
           .sentence = "Iz = ∫ y² dA, resists bending in the x-y plane."},
          {.name = "torsion_constant", .unit = "m^4", .range = positive, .sentence = "J of Saint-Venant."},
          {.name = "shear_factor_y",
           .range = {0, 2, false, true},
           .sentence = "Part of the area that carries shear along y; `general`: 5/6 when left out."},
          {.name = "shear_factor_z",
           .range = {0, 2, false, true},
           .sentence = "Part of the area that carries shear along z; `general`: 5/6 when left out."},
          {.name = "slenderness_factor",
           .range = not_negative,
           .default_value = "0",
           .sentence =
               "Of beams of theory linear_timoshenko: times (length of an element)² A / 12 I this softens their "
               "shear, as commercial codes do with factors of their own."},
      }};
  return table;
}

const TableSpec& section_layer_table() {
  static const TableSpec table{
      "[[sections.layers]]",
      "A layer of a tube's wall. The stiffnesses of the beam follow from classical lamination theory "
      "(docs/theory/shell_elements.md). Every angle needs its opposite, since beams do not twist when they are pulled.",
      {
          {.name = "material", .type = KeyType::text, .required = true, .sentence = "Its material."},
          {.name = "thickness", .unit = "m", .range = positive, .required = true, .sentence = "Its thickness."},
          {.name = "angle",
           .unit = "rad",
           .default_value = "0",
           .sentence = "Of direction 1 of the material (the fibres) from the axis of the tube."},
      }};
  return table;
}

const TableSpec& link_table() {
  static const TableSpec table{
      "[[links]]",
      "A link. `type = \"beams\"` (default): a frame of straight beams between named nodes, either a polyline `path` "
      "or "
      "`[[links.segments]]`; material, section, elements, theory, mass_model and section_z here are defaults for its "
      "segments. `type = \"rigid\"`: mass, centre and inertia, with named nodes where joints, loads and sensors "
      "attach. `type = \"matrices\"`: mass and stiffness matrices of a finite-element program. "
      "`type = \"mesh\"`: solid and shell elements from a mesh file, with `[[links.interfaces]]` where joints attach. "
      "All positions and axes are in the link's own frame.",
      {
          {.name = "name",
           .type = KeyType::text,
           .required = true,
           .sentence = "Name, any characters; `ground` is reserved."},
          {.name = "type",
           .type = KeyType::choice,
           .choices = "beams|rigid|matrices|mesh|reduced",
           .default_value = "beams",
           .sentence =
               "Flexible beams, a rigid body, or a flexible body given by its matrices, by a mesh, or by the file "
               "of `lithe reduce`."},
          {.name = "nodes",
           .type = KeyType::vectors,
           .unit = "m",
           .sentence = "Named nodes: `nodes = {root = [0, 0, 0], tip = [\"500 mm\", 0, 0]}`. Only links of type mesh "
                       "and reduced, or one with interfaces, may do without."},
          {.name = "path",
           .type = KeyType::texts,
           .sentence = "Nodes joined by beams, in order: `[\"root\", \"elbow\", \"tip\"]`. For a rigid link: lines to "
                       "draw."},
          {.name = "segments", .type = KeyType::tables, .sentence = "Beams one by one, for branched frames."},
          {.name = "material", .type = KeyType::text, .sentence = "Material of all segments that name none."},
          {.name = "section", .type = KeyType::text, .sentence = "Section of all segments that name none."},
          {.name = "elements",
           .type = KeyType::integers,
           .range = elements_range,
           .default_value = "4",
           .sentence = "Beam elements per segment: one number for all, or one per segment of the path."},
          {.name = "theory",
           .type = KeyType::choice,
           .choices = theories,
           .default_value = "timoshenko",
           .sentence =
               "Beam theory; `linear_timoshenko` is the 2-node element of commercial codes with one-point shear "
               "integration, whose number `slenderness_factor` is the section's; `truss` carries axial force alone, in "
               "the formulation transfer_functions."},
          {.name = "mass_model",
           .type = KeyType::choice,
           .choices = mass_models,
           .default_value = "consistent",
           .sentence = "Consistent mass with rotary inertia, or lumped at the nodes."},
          {.name = "section_z",
           .type = KeyType::vector,
           .sentence =
               "Direction whose part normal to the beam is the section's z axis; default: link z, or link y for "
               "a beam along z."},
          {.name = "masses", .type = KeyType::tables, .sentence = "Masses and inertias at nodes."},
          {.name = "shapes", .type = KeyType::tables, .sentence = "Rigid: how the link looks in the report."},
          {.name = "damping", .type = KeyType::table, .sentence = "Damping of the elastic motion."},
          {.name = "reduction",
           .type = KeyType::table,
           .choices = "auto|none",
           .sentence =
               "Which modes describe the elastic motion: \"auto\": as many as the analysis needs; \"none\": all; "
               "or a table."},
          {.name = "mass", .unit = "kg", .range = not_negative, .sentence = "Rigid: mass."},
          {.name = "centre",
           .type = KeyType::vector,
           .unit = "m",
           .default_value = "[0, 0, 0]",
           .sentence = "Rigid: centre of mass."},
          {.name = "inertia",
           .type = KeyType::inertia,
           .unit = "kg m^2",
           .default_value = "[0, 0, 0]",
           .sentence = "Rigid: moments of inertia about the centre of mass, [Ixx, Iyy, Izz] or a 3 x 3 matrix."},
          {.name = "mass_matrix",
           .type = KeyType::text,
           .sentence =
               "Matrices: file beside the model file, of the free body in link axes; per node ux, uy, uz, or "
               "ux, uy, uz and the rotations rx, ry, rz. Matrix Market, CalculiX (.mas), Abaqus (.mtx), Nastran "
               "DMIG or OUTPUT4 (.pch, .op4), Harwell-Boeing (.hb, .rsa), NumPy (.npz, .npy)."},
          {.name = "stiffness_matrix", .type = KeyType::text, .sentence = "Matrices: as the mass matrix."},
          {.name = "node_coordinates",
           .type = KeyType::text,
           .sentence = "Matrices: CSV or Matrix Market file with x, y, z (m) of every node, in the order of the "
                       "matrices, or number, x, y, z; or a mesh file. A named node is the one at its position."},
          {.name = "unknowns",
           .type = KeyType::text,
           .sentence = "Matrices: what the rows are, in any order: CalculiX .dof, Ansys .mapping, or CSV with node and "
                       "direction (1 to 6). Default: as the matrix file says, or node by node."},
          {.name = "file",
           .type = KeyType::text,
           .sentence = "Mesh: file beside the model file, of Gmsh (.msh, versions 2.2 and 4.1), Abaqus or CalculiX "
                       "(.inp) or Nastran (.bdf, .nas, .dat). Reduced: file of `lithe reduce` (.h5), or "
                       "standard input data (.SID_FEM)."},
          {.name = "units",
           .type = KeyType::text,
           .default_value = "m kg s",
           .sentence = "Mesh and matrices: length, mass and time of the files, such as `mm t s` (then stresses are in "
                       "MPa). What the "
                       "model file says is in its own units."},
          {.name = "groups", .type = KeyType::tables, .sentence = "Mesh: materials by group of elements."},
          {.name = "interfaces",
           .type = KeyType::tables,
           .sentence = "Mesh and matrices: nodes that hold part of the surface by a spider."},
      }};
  return table;
}

const TableSpec& segment_table() {
  static const TableSpec table{
      "[[links.segments]]",
      "One straight beam between two nodes of the link. Keys left out come from the link.",
      {
          {.name = "from", .type = KeyType::text, .required = true, .sentence = "Node where the beam starts."},
          {.name = "to", .type = KeyType::text, .required = true, .sentence = "Node where the beam ends."},
          {.name = "material", .type = KeyType::text, .sentence = "Material."},
          {.name = "section", .type = KeyType::text, .sentence = "Section."},
          {.name = "elements", .type = KeyType::integer, .range = elements_range, .sentence = "Number of elements."},
          {.name = "theory", .type = KeyType::choice, .choices = theories, .sentence = "Beam theory."},
          {.name = "mass_model", .type = KeyType::choice, .choices = mass_models, .sentence = "Mass model."},
          {.name = "section_z", .type = KeyType::vector, .sentence = "Direction of the section's z axis."},
      }};
  return table;
}

const TableSpec& lumped_mass_table() {
  static const TableSpec table{
      "[[links.masses]]",
      "A mass, with or without inertia, at a node of a link. An inertia needs a node with rotations.",
      {
          {.name = "node", .type = KeyType::text, .required = true, .sentence = "Node that carries it."},
          {.name = "mass", .unit = "kg", .range = not_negative, .default_value = "0", .sentence = "Mass."},
          {.name = "inertia",
           .type = KeyType::inertia,
           .unit = "kg m^2",
           .default_value = "[0, 0, 0]",
           .sentence =
               "Moments of inertia about the node, link axes: [Ixx, Iyy, Izz] or a 3 x 3 matrix. The inertia of a "
               "disc on one axis alone may be written [0, I, 0]."},
      }};
  return table;
}

const TableSpec& damping_table() {
  static const TableSpec table{
      "[links.damping]",
      "Damping of a link as it is mounted: of its elastic velocity relative to the frame of its rigid link, which is "
      "fixed to the node of its joint towards the ground (`[damping]` damps the modes of the whole mechanism instead). "
      "With the mass matrix M and stiffness matrix K of the link held there: mass_factor M + stiffness_factor K, and "
      "damping ratios of the modes of the link held there. A cantilever with mass_factor alpha has the damping ratio "
      "alpha / (2 omega) in all modes. Rigid motion is not damped. A link on a joint of type `free` is held nowhere: "
      "its modes are those of the free link. The same in all formulations.",
      {
          {.name = "mass_factor",
           .unit = "1/s",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Factor of M."},
          {.name = "stiffness_factor",
           .unit = "s",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Factor of K: the damping ratio stiffness_factor omega / 2 in all modes, however it is held."},
          {.name = "modal_ratios",
           .type = KeyType::numbers,
           .range = {0, 10},
           .sentence =
               "Damping ratio of mode 1, 2, ... of the link as mounted, without what it carries; the last holds "
               "for all further modes."},
      }};
  return table;
}

const TableSpec& reduction_table() {
  static const TableSpec table{
      "[links.reduction]",
      "Which modes of a flexible link are kept. Without this table: all modes, of a link of type mesh craig_bampton "
      "with "
      "20 internal modes. docs/modes_of_links.md helps to choose.",
      {
          {.name = "method",
           .type = KeyType::choice,
           .choices = "none|guyan|craig_bampton|rubin|auto",
           .default_value = "craig_bampton",
           .sentence =
               "none: all free modes; guyan: static; craig_bampton: fixed-interface; rubin: free-interface with "
               "residual flexibility; auto: craig_bampton with as many modes as the analysis needs."},
          {.name = "tolerance",
           .range = {1e-9, 0.5},
           .default_value = "1e-3",
           .sentence = "Of `auto`: largest estimated error of what the analysis tells, relative to its range. The "
                       "smallest of all links counts."},
          {.name = "interface_nodes",
           .type = KeyType::texts,
           .sentence = "Interface nodes, whose static shapes are always kept; default: all nodes with joints, loads, "
                       "masses or sensors."},
          {.name = "internal_modes",
           .type = KeyType::integer,
           .range = modes_range,
           .sentence = "Dynamic modes beside the static shapes: fixed-interface ones (craig_bampton) or free ones "
                       "(rubin); default: all. 0: statically exact, no more. Of links of beams, fixed-interface modes "
                       "of one frequency stay together: a few more than wanted."},
          {.name = "kept_modes",
           .type = KeyType::integer,
           .range = modes_range,
           .sentence = "Truncation as in some papers: so many of the resulting modes, static shapes not spared. Every "
                       "command then tells what is lost. Default: all."},
          {.name = "max_frequency",
           .unit = "Hz",
           .range = positive,
           .sentence =
               "Dynamic modes up to this frequency; static shapes stay (method none has no others than its free "
               "modes, and tells what is lost). Default: all."},
          {.name = "ranking",
           .type = KeyType::choice,
           .choices = "frequency|interface_energy",
           .default_value = "frequency",
           .sentence = "Which modes 'kept_modes' keeps."},
      }};
  return table;
}
}  // namespace lithe
