#include <initializer_list>

#include "lithe/read/schema/schema.h"

namespace lithe {
namespace {

void copy_keys(const TableSpec& from, std::initializer_list<std::string_view> names, TableSpec& to) {
  for (const std::string_view name : names) to.keys.push_back(*from.find(name));
}

TableSpec make_row_table() {
  TableSpec table{
      "[[dh.rows]]",
      "One joint and the link it moves. The link is a straight beam from `inboard` to `outboard`, a beam with "
      "a `corner`, or rigid; its other keys are those of [[links]].",
      {
          {.name = "name", .type = KeyType::text, .required = true, .sentence = "Name of the link."},
          {.name = "a", .unit = "m", .default_value = "0", .sentence = "Length along x."},
          {.name = "alpha", .unit = "rad", .default_value = "0", .sentence = "Twist about x."},
          {.name = "d",
           .unit = "m",
           .default_value = "0",
           .sentence = "Offset along z; a prismatic joint's value is added to it."},
          {.name = "theta",
           .unit = "rad",
           .default_value = "0",
           .sentence = "Angle about z; a revolute joint's value is added to it."},
          {.name = "joint", .type = KeyType::table, .sentence = "Type and properties of the joint."},
          {.name = "route",
           .type = KeyType::choice,
           .choices = "straight|corner",
           .default_value = "straight",
           .sentence = "Beam straight from inboard to outboard, or through the node `corner` where the "
                       "lengths a and d meet."},
      }};
  copy_keys(link_table(),
            {"type", "material", "section", "elements", "theory", "mass_model", "section_z", "masses", "damping",
             "reduction", "mass", "centre", "inertia"},
            table);
  for (KeySpec& key : table.keys)
    if (key.name == "type") key.choices = "beams|rigid", key.sentence = "Flexible beams or a rigid body.";
  return table;
}

TableSpec make_joint_table() {
  TableSpec table{"[dh.rows.joint]",
                  "Properties of a row's joint, as in [[joints]].",
                  {
                      {.name = "name", .type = KeyType::text, .sentence = "Name; default: that of the link."},
                      {.name = "type",
                       .type = KeyType::choice,
                       .choices = "revolute|prismatic",
                       .default_value = "revolute",
                       .sentence = "Kind of joint."},
                  }};
  copy_keys(joint_table(),
            {"value", "guess", "speed", "inertia", "stiffness", "rest_value", "damping", "friction", "friction_speed",
             "limits", "independent"},
            table);
  return table;
}

}  // namespace

const TableSpec& dh_table() {
  static const TableSpec table{
      "[dh]",
      "A serial chain on the ground by Denavit-Hartenberg rows; it expands into ordinary links and joints, to which "
      "drives, loads and sensors refer by name. The link's frame is the DH frame that moves with it. Convention "
      "`standard`: row i leads from frame i-1 to frame i by Rz(theta) Tz(d) Tx(a) Rx(alpha); joint i moves along z of "
      "frame i-1; node `outboard` of link i is the origin of frame i, and `inboard` the origin of frame i-1 at joint "
      "value zero. Convention `modified`: Rx(alpha) Tx(a) Rz(theta) Tz(d); joint i moves along z of frame i; "
      "`inboard` is the origin of frame i, and `outboard` that of frame i+1 at joint value zero (so a link's length "
      "stands in the row after it), for the last link `tool`.",
      {
          {.name = "convention",
           .type = KeyType::choice,
           .choices = "standard|modified",
           .default_value = "standard",
           .sentence = "Order of the four steps."},
          {.name = "base_position",
           .type = KeyType::vector,
           .unit = "m",
           .default_value = "[0, 0, 0]",
           .sentence = "Origin of frame 0 in the world."},
          {.name = "base_orientation", .type = KeyType::orientation, .sentence = "Axes of frame 0 in the world."},
          {.name = "tool",
           .type = KeyType::vector,
           .unit = "m",
           .sentence = "Modified convention: node `outboard` of the last link, in its frame."},
          {.name = "rows", .type = KeyType::tables, .required = true, .sentence = "The rows."},
      }};
  return table;
}

const TableSpec& dh_row_table() {
  static const TableSpec table = make_row_table();
  return table;
}

const TableSpec& dh_joint_table() {
  static const TableSpec table = make_joint_table();
  return table;
}

}  // namespace lithe
