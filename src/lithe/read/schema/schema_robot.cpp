#include <initializer_list>

#include "lithe/read/schema/schema.h"

namespace lithe {
namespace {

void copy_keys(const TableSpec& from, std::initializer_list<std::string_view> names, TableSpec& to) {
  for (const std::string_view name : names) to.keys.push_back(*from.find(name));
}

TableSpec make_robot_link_table() {
  TableSpec table{
      "[links.NAME] beside [robot]",
      "What the model file adds to a link of the robot, or replaces. Nodes, masses, damping and reduction are as in "
      "[[links]]; positions are in the link's frame, as the description has it.",
      {
          {.name = "flexible", .type = KeyType::table, .sentence = "Makes the link bend: see below."},
          {.name = "nodes", .type = KeyType::vectors, .unit = "m", .sentence = "More named nodes."},
      }};
  copy_keys(link_table(), {"mass", "centre", "inertia", "masses", "damping", "reduction"}, table);
  return table;
}

TableSpec make_robot_joint_table() {
  TableSpec table{"[joints.NAME] beside [robot]",
                  "What the model file adds to a joint of the robot, or replaces; keys as in [[joints]].",
                  {}};
  copy_keys(joint_table(),
            {"value", "guess", "speed", "inertia", "stiffness", "rest_value", "damping", "friction", "friction_speed",
             "limits", "cut", "independent"},
            table);
  return table;
}

}  // namespace

const TableSpec& robot_table() {
  static const TableSpec table{
      "[robot]",
      "A robot from its description file (URDF, MJCF or SDF), used in place. Its links and joints have the names that "
      "they "
      "have "
      "there. Every link has a node at each of its joints, named after the joint. Links on fixed joints become part of "
      "the link that carries them, with a node of their name. `[[robot]]`, several times, places several robots; "
      "`prefix` keeps their names apart. docs/robots.md explains it.",
      {
          {.name = "file",
           .type = KeyType::text,
           .required = true,
           .sentence = "The description, beside the model file."},
          {.name = "prefix", .type = KeyType::text, .sentence = "Put before the names of its links and joints."},
          {.name = "base",
           .type = KeyType::choice,
           .choices = "fixed|free",
           .default_value = "fixed",
           .sentence = "The root link is fixed to the ground, or moves freely."},
          {.name = "base_position",
           .type = KeyType::vector,
           .unit = "m",
           .default_value = "[0, 0, 0]",
           .sentence = "Where the frame of the root link is."},
          {.name = "base_orientation", .type = KeyType::orientation, .sentence = "How it is turned."},
          {.name = "fixed_joints",
           .type = KeyType::choice,
           .choices = "merge|keep",
           .default_value = "merge",
           .sentence = "Links on fixed joints become part of the link that carries them, or stay links."},
          {.name = "repair",
           .type = KeyType::boolean,
           .default_value = "false",
           .sentence = "Inertias that no body has are replaced by the nearest that one has, missing ones are taken "
                       "from the shapes; a note says which."},
      }};
  return table;
}

const TableSpec& robot_link_table() {
  static const TableSpec table = make_robot_link_table();
  return table;
}

const TableSpec& robot_joint_table() {
  static const TableSpec table = make_robot_joint_table();
  return table;
}

const TableSpec& flexible_table() {
  static const TableSpec table{
      "[links.NAME] flexible",
      "Makes a link of the robot bend: it becomes a beam between two of its nodes. Mass, centre and inertia of the "
      "description are kept exactly: what the beam itself has not is fixed to its ends, as the rigid links `NAME root` "
      "and `NAME tip`, which also carry the link's other nodes, each at the nearer end. Without "
      "[links.NAME.reduction]: "
      "static shapes and the two lowest modes.",
      {
          {.name = "from", .type = KeyType::text, .sentence = "Node (joint) where the beam starts."},
          {.name = "to", .type = KeyType::text, .sentence = "Node (joint) where the beam ends."},
          {.name = "beam",
           .type = KeyType::text,
           .sentence = "Section and material in short, sizes in mm: `tube 60x3 carbon` (outer diameter x wall), "
                       "`rod 20 steel`, `bar 40x10 aluminium` (width x height). The material is one of [materials], "
                       "or steel, aluminium, titanium, carbon, glass with usual values."},
          {.name = "material",
           .type = KeyType::text,
           .sentence = "Instead of `beam`: a material of the file; also that of a mesh."},
          {.name = "section", .type = KeyType::text, .sentence = "Instead of `beam`: a section of the file."},
          {.name = "elements",
           .type = KeyType::integer,
           .range = {1, 1000},
           .default_value = "4",
           .sentence = "Elements."},
          *link_table().find("theory"),
          *link_table().find("mass_model"),
          *link_table().find("section_z"),
          {.name = "stiffness",
           .unit = "N/m",
           .range = positive,
           .sentence = "Instead of a beam's section: force over deflection at `to` across the beam, measured with the "
                       "link held at `from`."},
          {.name = "torsional_stiffness",
           .unit = "N m/rad",
           .range = positive,
           .sentence = "Beside `stiffness`: likewise of the twist; default: that of a round steel tube that bends as "
                       "measured."},
          {.name = "stiffness_matrix",
           .type = KeyType::matrix,
           .sentence = "Instead of a beam's section: forces (N) and moments (N m) at `to` over displacements (m) and "
                       "rotations (rad) there, x, y, z each, in link axes, measured with the link held at `from`."},
          {.name = "first_frequency",
           .unit = "Hz",
           .range = positive,
           .sentence = "Instead of a beam's section: the lowest natural frequency of the link alone, measured with "
                       "the link held at `from` and `to` free."},
          {.name = "tip_mass",
           .unit = "kg",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Beside `first_frequency`: the mass that was at `to` when it was measured."},
          {.name = "file",
           .type = KeyType::text,
           .sentence = "Instead of a beam: a mesh, or the file of `lithe reduce`, in the axes of the link. Its mass "
                       "counts, not that of the description."},
          *link_table().find("units"),
          *link_table().find("groups"),
          {.name = "interfaces",
           .type = KeyType::tables,
           .sentence = "Of a mesh: what each joint of the link holds, as [[links.interfaces]]; their names are those "
                       "of the joints."},
      }};
  return table;
}

const TableSpec& motor_table() {
  static const TableSpec table{
      "[[motors]]",
      "The drive train of a joint: rotor, gear ratio and, with `stiffness`, an elastic gearbox. The joint then turns "
      "the "
      "rotor: its value and speed are the motor's over the ratio, and drives and controllers act there with the "
      "motor's "
      "torque times the ratio. The gearbox is a second joint, `NAME gear`, whose value is its deflection: the link's "
      "angle is "
      "the sum of both, the torque through the gearbox is stiffness times deflection. Sensors and controllers may use "
      "either. The rotor's spin counts relative to the link that carries the motor (M. W. Spong, 1987).",
      {
          {.name = "joint",
           .type = KeyType::text,
           .required = true,
           .sentence = "The joint, of one degree of freedom."},
          {.name = "rotor_inertia",
           .unit = "kg m^2",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Of the rotor and all that turns with its speed, about its own axis."},
          {.name = "ratio",
           .unit = "|rad/m",
           .range = positive,
           .default_value = "1",
           .sentence = "Motor speed over joint speed; of a prismatic joint in rad/m (2 pi over the lead of a screw)."},
          {.name = "stiffness",
           .type = KeyType::numbers,
           .unit = "N m/rad|N/m",
           .range = positive,
           .sentence = "Of the gearbox, at its output, as catalogues give it; left out: rigid. [K1, K2, K3] for a "
                       "curve of several slopes, as of harmonic drives."},
          {.name = "stiffness_torques",
           .type = KeyType::numbers,
           .unit = "N m|N",
           .range = positive,
           .sentence = "[T1, T2]: torques at which the slope of the curve changes."},
          {.name = "backlash",
           .unit = "rad|m",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Play of the gearbox at its output, from one end to the other."},
          {.name = "damping",
           .unit = "N m s/rad|N s/m",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Of the gearbox, beside its stiffness."},
          {.name = "friction",
           .unit = "N m|N",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Coulomb friction of motor and gearbox, as felt at the output; added to that of the joint."},
          {.name = "viscous_friction",
           .unit = "N m s/rad|N s/m",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Friction in proportion to the speed, likewise."},
          {.name = "static_friction",
           .unit = "N m|N",
           .range = not_negative,
           .sentence = "Friction at rest, likewise: at speed v friction is Coulomb + (static - Coulomb) "
                       "exp(-(v/v_s)^2), the Stribeck effect."},
          {.name = "stribeck_speed", .unit = "rad/s|m/s", .range = positive, .sentence = "v_s, of the joint."},
          {.name = "friction_factor",
           .range = not_negative,
           .default_value = "1",
           .sentence = "Factor of all friction above, such as 3 for a cold gearbox."},
          {.name = "gyroscopic",
           .type = KeyType::boolean,
           .default_value = "false",
           .sentence = "The rotor is a body of its own, `NAME spinning rotor`, on the joint `NAME spin`, about the "
                       "axis of the joint: its angular momentum acts on the link that carries the motor. Its mass "
                       "stays that of this link."},
          {.name = "max_torque",
           .unit = "N m",
           .range = positive,
           .sentence = "Peak torque of the motor: a limit of `lithe size`, of time-optimal moves and of controllers."},
          {.name = "stall_torque",
           .unit = "N m",
           .range = positive,
           .sentence = "Torque at rest on the motor's torque-speed line; at higher speed controllers get less, down to "
                       "nothing at `no_load_speed`."},
          {.name = "no_load_speed", .unit = "rad/s", .range = positive, .sentence = "The other end of this line."},
          {.name = "rated_torque",
           .unit = "N m",
           .range = positive,
           .sentence = "Torque that the motor stands for ever; `lithe size` compares the RMS torque with it."},
          {.name = "max_speed", .unit = "rad/s", .range = positive, .sentence = "Of the motor, such as 3000 rpm."},
          {.name = "gear_max_torque",
           .unit = "N m|N",
           .range = positive,
           .sentence = "Peak torque of the gearbox, at its output."},
          {.name = "gear_rated_torque",
           .unit = "N m|N",
           .range = positive,
           .sentence = "Torque of the gearbox for its rated life, at its output; compared with the cubic mean."},
          {.name = "efficiency",
           .range = {0, 1, false, true},
           .default_value = "1",
           .sentence = "Of the gearbox, in `lithe size`: what the motor gives more when it drives, and less when it "
                       "brakes. It does not act in simulations."},
          {.name = "torque_constant",
           .range = positive,
           .sentence = "Of the motor, N m per ampere, a number without unit: for current and heat."},
          {.name = "winding_resistance",
           .range = positive,
           .sentence = "Of the winding, ohm, a number without unit: its heat is resistance times current squared."},
      }};
  return table;
}

const TableSpec& shape_table() {
  static const TableSpec table{
      "[[links.shapes]]",
      "How a rigid link looks in the report. Shapes have no influence on the motion.",
      {
          {.name = "kind",
           .type = KeyType::choice,
           .choices = "box|cylinder|sphere|capsule|mesh",
           .required = true,
           .sentence = "Cylinders and capsules lie along z, their centre at `position`."},
          {.name = "size", .type = KeyType::vector, .unit = "m", .sentence = "Box: edges along x, y, z."},
          {.name = "radius", .unit = "m", .range = positive, .sentence = "Cylinder, sphere, capsule."},
          {.name = "length",
           .unit = "m",
           .range = not_negative,
           .sentence = "Cylinder; capsule without its round ends."},
          {.name = "file",
           .type = KeyType::text,
           .sentence = "Mesh: STL, OBJ or COLLADA file beside the model file; `package://` names are looked for in "
                       "the folders above it. A file that cannot be read is a warning."},
          {.name = "scale",
           .type = KeyType::vector,
           .default_value = "[1, 1, 1]",
           .sentence = "Mesh: factors of x, y, z."},
          {.name = "position",
           .type = KeyType::vector,
           .unit = "m",
           .default_value = "[0, 0, 0]",
           .sentence = "Origin of the shape in the link frame."},
          {.name = "orientation", .type = KeyType::orientation, .sentence = "How the shape is turned."},
          {.name = "colour", .type = KeyType::numbers, .range = {0, 1}, .sentence = "[red, green, blue, opacity]."},
          {.name = "collision",
           .type = KeyType::boolean,
           .default_value = "false",
           .sentence = "A shape for contact: drawn where the link has no other."},
      }};
  return table;
}

}  // namespace lithe
