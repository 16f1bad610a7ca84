#include "lithe/read/schema/schema.h"

namespace lithe {
const TableSpec& joint_table() {
  static const TableSpec table{
      "[[joints]]",
      "A joint between a parent (a link or the ground) and a child link. Degrees of freedom in order: revolute: "
      "rotation about "
      "the axis; prismatic: translation along it; cylindrical: translation, rotation; universal: rotation about `axis` "
      "(parent), then about `second_axis` (child); spherical: three angles [a, b, c] about x, y, z of the joint, each "
      "about the axis as the ones before have turned it: R = Rx(a) Ry(b) Rz(c); planar: translations along "
      "x and y, rotation about the axis; free: three translations along the parent's joint axes, then three angles as "
      "of a spherical joint; fixed: none. Three angles are singular where the second is a right angle: a run that "
      "comes within one degree of it ends with a message if `stiffness`, `friction`, `inertia`, `limits`, a drive or "
      "a controller acts on them; without these the joint turns freely. Keys of a degree of freedom take one value for "
      "a joint of one degree of freedom, or an array with one value per degree of freedom.",
      {
          {.name = "name", .type = KeyType::text, .required = true, .sentence = "Name, any characters."},
          {.name = "type",
           .type = KeyType::choice,
           .choices = "fixed|revolute|prismatic|cylindrical|universal|spherical|planar|free",
           .default_value = "revolute",
           .sentence = "Kind of joint."},
          {.name = "parent",
           .type = KeyType::text,
           .default_value = "ground",
           .sentence = "A link, or `ground` (world axes)."},
          {.name = "parent_node", .type = KeyType::text, .sentence = "Node of the parent link; needed for a link."},
          {.name = "parent_point",
           .type = KeyType::vector,
           .unit = "m",
           .default_value = "[0, 0, 0]",
           .sentence = "Point of the ground."},
          {.name = "child", .type = KeyType::text, .required = true, .sentence = "The link that moves."},
          {.name = "child_node", .type = KeyType::text, .required = true, .sentence = "Node of the child link."},
          {.name = "axis",
           .type = KeyType::vector,
           .default_value = "[0, 0, 1]",
           .sentence = "Joint axis z in the parent's link axes."},
          {.name = "second_axis",
           .type = KeyType::vector,
           .sentence = "Universal: second axis at zero coordinates, in the parent's link axes, normal to `axis`."},
          {.name = "x_axis",
           .type = KeyType::vector,
           .sentence = "Direction of the joint's x axis (part normal to `axis`); default: parent x turned the shortest "
                       "way."},
          {.name = "orientation",
           .type = KeyType::orientation,
           .sentence = "Child link axes relative to the parent's when all coordinates are zero; default: parallel."},
          {.name = "value",
           .type = KeyType::numbers,
           .unit = "rad|m",
           .default_value = "0",
           .sentence =
               "Initial value. A joint whose value is written keeps it when loops are closed, others may move. Values "
               "of "
               "one loop that miss closing it by less than 0.01 rad (1 % of its length, for slides) are corrected; "
               "`lithe check` says so."},
          {.name = "guess",
           .type = KeyType::numbers,
           .unit = "rad|m",
           .sentence = "Instead of `value`, for a joint that follows from a loop or target: where the search starts."},
          {.name = "speed",
           .type = KeyType::numbers,
           .unit = "rad/s|m/s",
           .default_value = "0",
           .sentence = "Initial speed."},
          {.name = "inertia",
           .type = KeyType::numbers,
           .unit = "kg m^2|kg",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Motor inertia on this degree of freedom."},
          {.name = "stiffness",
           .type = KeyType::numbers,
           .unit = "N m/rad|N/m",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Spring about `rest_value`."},
          {.name = "rest_value",
           .type = KeyType::numbers,
           .unit = "rad|m",
           .default_value = "0",
           .sentence = "Where the spring is relaxed."},
          {.name = "damping",
           .type = KeyType::numbers,
           .unit = "N m s/rad|N s/m",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Viscous damping; of the turns of a spherical or free joint: of the angular velocity about the "
                       "joint axes of the child."},
          {.name = "friction",
           .type = KeyType::numbers,
           .unit = "N m|N",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Coulomb friction, smoothed over `friction_speed`."},
          {.name = "friction_speed",
           .range = positive,
           .default_value = "1e-3",
           .sentence = "Speed (SI) over which friction changes sign."},
          {.name = "limits",
           .type = KeyType::limits,
           .unit = "rad|m",
           .sentence = "[low, high] of the degree of freedom, or one pair per degree of freedom ([] for a degree of "
                       "freedom without limits)."},
          {.name = "cut",
           .type = KeyType::boolean,
           .default_value = "false",
           .sentence = "Cut the loop at this joint rather than at another."},
          {.name = "independent",
           .type = KeyType::boolean,
           .sentence = "Whether its coordinates are independent; default: chosen automatically."},
      }};
  return table;
}

const TableSpec& drive_table() {
  static const TableSpec table{
      "[[drives]]",
      "What moves a degree of freedom of a joint: exactly one of torque, force and motion.",
      {
          {.name = "name", .type = KeyType::text, .sentence = "Name; default: that of the joint."},
          {.name = "joint", .type = KeyType::text, .required = true, .sentence = "The joint."},
          {.name = "freedom",
           .type = KeyType::integer,
           .range = {1, 6},
           .default_value = "1",
           .sentence = "Degree of freedom of the joint, counted from 1."},
          {.name = "torque", .type = KeyType::signal, .unit = "N m", .sentence = "Torque on a rotation."},
          {.name = "force", .type = KeyType::signal, .unit = "N", .sentence = "Force on a translation."},
          {.name = "motion",
           .type = KeyType::signal,
           .unit = "rad|m",
           .sentence = "Prescribed value of the degree of freedom."},
      }};
  return table;
}

const TableSpec& load_table() {
  static const TableSpec table{
      "[[loads]]",
      "A force or a torque at a node: direction times a signal. Exactly one of force and torque. Either a vector "
      "(constant "
      "load), or a signal with `direction`.",
      {
          {.name = "name", .type = KeyType::text, .sentence = "Name."},
          {.name = "link", .type = KeyType::text, .required = true, .sentence = "The link."},
          {.name = "node", .type = KeyType::text, .required = true, .sentence = "Node of the link."},
          {.name = "force",
           .type = KeyType::signal,
           .unit = "N",
           .sentence = "Force: a vector [Fx, Fy, Fz], or a signal along `direction`."},
          {.name = "torque",
           .type = KeyType::signal,
           .unit = "N m",
           .sentence = "Torque: a vector [Tx, Ty, Tz], or a signal about `direction`."},
          {.name = "direction",
           .type = KeyType::vector,
           .sentence = "Direction of the signal (made a unit vector); needed with a signal."},
          {.name = "follower",
           .type = KeyType::boolean,
           .default_value = "false",
           .sentence = "Direction in the axes of the deformed node (link axes at rest), turning with it, instead of "
                       "world axes."},
      }};
  return table;
}

const TableSpec& signal_table() {
  static const TableSpec table{
      "signals",
      "A function of time: a number or quantity (constant), or a table with exactly one of constant, steps, ramp, "
      "sine, "
      "chirp, move, points and table.",
      {
          {.name = "constant", .unit = "as its use", .sentence = "`{constant = \"2 N m\"}`."},
          {.name = "steps",
           .type = KeyType::points,
           .unit = "as its use",
           .sentence = "`{steps = [[0, 1], [0.5, -1], [1, 0]]}`: from each time on that value; 0 before the first."},
          {.name = "ramp", .type = KeyType::table, .sentence = "Linear from a start to an end."},
          {.name = "sine", .type = KeyType::table, .sentence = "A sine."},
          {.name = "chirp", .type = KeyType::table, .sentence = "A sine whose frequency rises linearly."},
          {.name = "move",
           .type = KeyType::table,
           .sentence = "Quintic from a start to an end, at rest with no acceleration at both. Keys as for ramp."},
          {.name = "points",
           .type = KeyType::points,
           .unit = "as its use",
           .sentence = "`{points = [[0, 0], [1, 2]]}`: interpolated; held before the first and after the last."},
          {.name = "table",
           .type = KeyType::text,
           .sentence = "`{table = \"torque.csv\"}`: as points, from a CSV file in the folder of the model file."},
          {.name = "column",
           .type = KeyType::column,
           .default_value = "2",
           .sentence = "With table: column of the values, its name in the header line or its number from 1."},
          {.name = "time_column",
           .type = KeyType::column,
           .default_value = "1",
           .sentence = "With table: column of the times in s."},
          {.name = "unit", .type = KeyType::text, .sentence = "With table: unit of the values; default: SI."},
          {.name = "interpolation",
           .type = KeyType::choice,
           .choices = "linear|smooth",
           .default_value = "linear",
           .sentence = "With points or table: linear, or a natural cubic spline."},
      }};
  return table;
}

const TableSpec& ramp_table() {
  static const TableSpec table{
      "ramp and move",
      "`{ramp = {end_time = 1, end_value = 2}}`, `{move = {end_time = \"0.5 s\", end_value = \"90 deg\"}}`. Held "
      "before "
      "and after.",
      {
          {.name = "start_time", .unit = "s", .default_value = "0", .sentence = "Start."},
          {.name = "end_time", .unit = "s", .required = true, .sentence = "End, after the start."},
          {.name = "start_value", .unit = "as its use", .default_value = "0", .sentence = "Value until the start."},
          {.name = "end_value", .unit = "as its use", .required = true, .sentence = "Value from the end on."},
      }};
  return table;
}

const TableSpec& sine_table() {
  static const TableSpec table{
      "sine",
      "`{sine = {amplitude = 1, frequency = \"5 Hz\"}}`: offset + amplitude sin(2π frequency (t - start_time) + "
      "phase); "
      "before start_time the offset alone.",
      {
          {.name = "amplitude", .unit = "as its use", .required = true, .sentence = "Amplitude."},
          {.name = "frequency", .unit = "Hz", .range = positive, .required = true, .sentence = "Frequency."},
          {.name = "phase", .unit = "rad", .default_value = "0", .sentence = "Phase."},
          {.name = "offset", .unit = "as its use", .default_value = "0", .sentence = "Offset."},
          {.name = "start_time", .unit = "s", .default_value = "0", .sentence = "Start."},
      }};
  return table;
}

const TableSpec& chirp_table() {
  static const TableSpec table{
      "chirp",
      "`{chirp = {amplitude = 1, start_frequency = 1, end_frequency = 100, end_time = 10}}`: zero before and after.",
      {
          {.name = "amplitude", .unit = "as its use", .required = true, .sentence = "Amplitude."},
          {.name = "start_frequency",
           .unit = "Hz",
           .range = not_negative,
           .required = true,
           .sentence = "Frequency at the start."},
          {.name = "end_frequency",
           .unit = "Hz",
           .range = not_negative,
           .required = true,
           .sentence = "Frequency at the end."},
          {.name = "start_time", .unit = "s", .default_value = "0", .sentence = "Start."},
          {.name = "end_time", .unit = "s", .required = true, .sentence = "End, after the start."},
      }};
  return table;
}

const TableSpec& orientation_table() {
  static const TableSpec table{
      "orientations",
      "A rotation vector `[0, 0, \"90 deg\"]`, or a table with `rotation`, or with `rpy`, or with `axis` and `angle`.",
      {
          {.name = "rotation",
           .type = KeyType::vector,
           .unit = "rad",
           .sentence = "Rotation vector: axis times angle."},
          {.name = "axis", .type = KeyType::vector, .sentence = "Axis of the rotation."},
          {.name = "angle", .unit = "rad", .sentence = "Angle about the axis."},
          {.name = "rpy",
           .type = KeyType::vector,
           .unit = "rad",
           .sentence = "Roll, pitch, yaw about the fixed axes x, y, z: R = Rz(yaw) Ry(pitch) Rx(roll)."},
      }};
  return table;
}

const TableSpec& initial_table() {
  static const TableSpec table{
      "[initial]",
      "The initial configuration, beyond the joints' `value`.",
      {
          {.name = "targets", .type = KeyType::tables, .sentence = "Poses that nodes must reach."},
          {.name = "static_equilibrium",
           .type = KeyType::boolean,
           .default_value = "false",
           .sentence =
               "Start from the deformed shape at rest under gravity and loads. Joints move to their "
               "equilibrium too, unless every "
               "degree of freedom has a `value`: then they are held. In a model with controllers and springs on joints "
               "that these do not drive (elastic gearboxes), the driven joints are held and springs settle."},
      }};
  return table;
}

const TableSpec& target_table() {
  static const TableSpec table{
      "[[initial.targets]]",
      "Where a node shall be at the start; joint values that are not written are solved for, through the loops.",
      {
          {.name = "link", .type = KeyType::text, .required = true, .sentence = "The link."},
          {.name = "node", .type = KeyType::text, .required = true, .sentence = "Node of the link."},
          {.name = "position",
           .type = KeyType::vector,
           .unit = "m",
           .required = true,
           .sentence = "Position in world axes."},
          {.name = "orientation",
           .type = KeyType::orientation,
           .sentence = "Orientation of the link in world axes; default: free."},
      }};
  return table;
}

const TableSpec& sensor_table() {
  static const TableSpec table{
      "[[sensors]]",
      "A recorded quantity. Node quantities (position, velocity, acceleration, displacement, rotation, section_force, "
      "section_moment, stress) need link and node; joint quantities need joint, and joint_value to joint_force a "
      "degree of freedom; "
      "energies need nothing. section_force and section_moment are what the part of the beam beyond the node (towards "
      "the "
      "beam's x axis) exerts on the part before it, in the beam's axes; the cut lies inside the first beam element at "
      "the node, so that lumped masses, loads and joints at the node are on its other side. The element's own inertia "
      "and weight are included. stress of a link of beams is the largest von Mises stress of that section, from normal "
      "force, bending and torsion. stress of a link of type mesh is that at a node, the mean over the elements at it; "
      "without a node it is the largest over a group of the mesh, or over the whole surface.",
      {
          {.name = "name", .type = KeyType::text, .required = true, .sentence = "Name of the column."},
          {.name = "quantity",
           .type = KeyType::choice,
           .choices = "position|velocity|acceleration|displacement|rotation|joint_value|joint_speed|joint_acceleration|"
                      "joint_force|kinetic_energy|gravity_energy|elastic_energy|total_energy|reaction_force|"
                      "reaction_torque|section_force|section_moment|stress",
           .required = true,
           .sentence = "What is recorded."},
          {.name = "link", .type = KeyType::text, .sentence = "Link of a node quantity."},
          {.name = "node", .type = KeyType::text, .sentence = "Node of the link."},
          {.name = "group",
           .type = KeyType::text,
           .sentence = "Stress of a link of type mesh: the largest over this group of the mesh, instead of at a node."},
          {.name = "measure",
           .type = KeyType::choice,
           .choices = "von_mises|principal_max|principal_min|max_shear|xx|yy|zz|xy|yz|zx",
           .default_value = "von_mises",
           .sentence = "Stress of a link of type mesh: which number of the tensor. Components are in link axes; the "
                       "largest of several is that of the largest magnitude. Beams have von_mises alone."},
          {.name = "joint", .type = KeyType::text, .sentence = "Joint of a joint quantity."},
          {.name = "freedom",
           .type = KeyType::integer,
           .range = {1, 6},
           .default_value = "1",
           .sentence = "Degree of freedom of the joint, counted from 1."},
          {.name = "side",
           .type = KeyType::choice,
           .choices = "motor|link",
           .sentence = "Of a joint with a motor: value, speed, acceleration and torque (joint_force) of the motor, in "
                       "its own units, or of the link: the angle behind an elastic gearbox, the torque at its output. "
                       "Left out: those of the joint."},
          {.name = "component",
           .type = KeyType::choice,
           .choices = "x|y|z",
           .sentence = "One component of a vector; default: all three."},
          {.name = "unit",
           .type = KeyType::text,
           .sentence = "Unit in which the report page shows it, such as mm, deg, rpm or MPa; files of results are in "
                       "SI units. Default: the unit that the file writes such quantities in."},
      }};
  return table;
}
}  // namespace lithe
