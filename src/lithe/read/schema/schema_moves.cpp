#include "lithe/read/schema/schema.h"

namespace lithe {

const TableSpec& move_table() {
  static const TableSpec table{
      "[[moves]]",
      "A planned move, which becomes prescribed motions of joints. Through joint values (`joints`, and waypoints with "
      "`joints`), or of the tool (`link` and `node`, and waypoints with `position`). All joints start and end "
      "together. "
      "With `duration` it takes that long; without, it is the fastest of its profile within the limits. Between moves "
      "joints stay where they are. docs/moves.md explains it.",
      {
          {.name = "name", .type = KeyType::text, .sentence = "Name, for messages; default: its number."},
          {.name = "joints",
           .type = KeyType::texts,
           .sentence = "The joints that move, each of one degree of freedom. Default of a tool's move: all on the way "
                       "from the ground to the tool."},
          {.name = "link",
           .type = KeyType::text,
           .sentence = "Link of the tool; left out: waypoints are joint values."},
          {.name = "node", .type = KeyType::text, .sentence = "Node of the link: the tool."},
          {.name = "waypoints", .type = KeyType::tables, .sentence = "Where to, in this order, from where it is."},
          {.name = "profile",
           .type = KeyType::choice,
           .choices = "trapezoid|s_curve|minimum_jerk|spline|time_optimal",
           .default_value = "s_curve",
           .sentence = "How the speed changes. The first three are at rest at every waypoint that has no `blend`. "
                       "`spline`: a cubic spline through joint values, at rest at both ends. `time_optimal`: the "
                       "fastest within limits of speed, acceleration, torque and jerk."},
          {.name = "start_time",
           .unit = "s",
           .range = not_negative,
           .sentence = "When it starts; default: when the move before has ended, and `pause`."},
          {.name = "pause",
           .unit = "s",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Rest after the move before."},
          {.name = "duration", .unit = "s", .range = positive, .sentence = "Of the whole move."},
          {.name = "joint_speed",
           .type = KeyType::numbers,
           .unit = "rad/s|m/s",
           .range = positive,
           .sentence = "Limits of the joints' speeds: one for all, or one per joint. Default: those of [[motors]]."},
          {.name = "joint_acceleration",
           .type = KeyType::numbers,
           .unit = "rad/s^2|m/s^2",
           .range = positive,
           .sentence = "Likewise of accelerations."},
          {.name = "joint_jerk",
           .type = KeyType::numbers,
           .unit = "rad/s^3|m/s^3",
           .range = positive,
           .sentence = "Likewise of the rates of accelerations."},
          {.name = "joint_torque",
           .type = KeyType::numbers,
           .unit = "N m|N",
           .range = positive,
           .sentence = "Likewise of drive torques, of `time_optimal` with rigid links. Default: those of [[motors]]."},
          {.name = "speed",
           .unit = "m/s",
           .range = positive,
           .sentence = "Limit of the tool's speed along its way. A turn on the spot counts rad as m."},
          {.name = "acceleration",
           .unit = "m/s^2",
           .range = positive,
           .sentence = "Likewise of its acceleration along its way."},
          {.name = "jerk", .unit = "m/s^3", .range = positive, .sentence = "Likewise of the rate of that."},
          {.name = "table",
           .type = KeyType::text,
           .sentence = "Instead of waypoints: a CSV file with times in its first column, from 0, and one column per "
                       "joint, in SI units; a cubic spline goes through its rows."},
      }};
  return table;
}

const TableSpec& waypoint_table() {
  static const TableSpec table{
      "[[moves.waypoints]]",
      "Where a move comes to: joint values, or a place of the tool.",
      {
          {.name = "joints",
           .type = KeyType::numbers,
           .unit = "rad|m",
           .sentence = "One value per joint of the move, in its order."},
          {.name = "position", .type = KeyType::vector, .unit = "m", .sentence = "Of the tool, in world axes."},
          {.name = "orientation",
           .type = KeyType::orientation,
           .sentence = "Of the tool's link in world axes. Default: it stays as it is, if the move has six joints or "
                       "more, or an orientation at another waypoint; else it is free."},
          {.name = "via",
           .type = KeyType::vector,
           .unit = "m",
           .sentence = "The tool comes here on an arc of a circle through this point instead of a line."},
          {.name = "blend",
           .unit = "m",
           .range = not_negative,
           .default_value = "0",
           .sentence = "The corner between two lines is rounded, from so far before it to so far after it, and the "
                       "tool does not stop there."},
      }};
  return table;
}

const TableSpec& payload_table() {
  static const TableSpec table{
      "[[payloads]]",
      "A mass at a node of a rigid link, that a robot takes and puts down: at times, or when a move has ended. It is "
      "taken "
      "with the speed that the node has then. What has no motion in time (modes, condensation) sees what is held at "
      "time "
      "0.",
      {
          {.name = "name", .type = KeyType::text, .sentence = "Name, for messages; default: its number."},
          {.name = "link", .type = KeyType::text, .sentence = "Link that carries it, a rigid one."},
          {.name = "node", .type = KeyType::text, .sentence = "Node of the link."},
          {.name = "mass", .unit = "kg", .range = positive, .sentence = "Mass."},
          {.name = "inertia",
           .type = KeyType::inertia,
           .unit = "kg m^2",
           .default_value = "[0, 0, 0]",
           .sentence = "Moments of inertia about the node, link axes: [Ixx, Iyy, Izz] or a 3 x 3 matrix."},
          {.name = "taken",
           .unit = "s",
           .range = not_negative,
           .default_value = "0",
           .sentence = "When it is taken; 0: it is held from the start."},
          {.name = "taken_after", .type = KeyType::text, .sentence = "Instead: the move at whose end."},
          {.name = "put_down", .unit = "s", .range = positive, .sentence = "When it is put down; default: never."},
          {.name = "put_down_after", .type = KeyType::text, .sentence = "Instead: the move at whose end."},
      }};
  return table;
}

}  // namespace lithe
