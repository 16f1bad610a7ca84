#include "lithe/read/schema/schema.h"

namespace lithe {

const TableSpec& mesh_group_table() {
  static const TableSpec table{
      "[[links.groups]]",
      "What a group of solid elements of a mesh is made of, in place of the link's material or that of the file.",
      {
          {.name = "name",
           .type = KeyType::text,
           .required = true,
           .sentence = "Physical group, element set or property of the file."},
          {.name = "material", .type = KeyType::text, .required = true, .sentence = "Its material."},
      }};
  return table;
}

const TableSpec& interface_table() {
  static const TableSpec table{
      "[[links.interfaces]]",
      "A node of a link of type mesh (or of type matrices without rotations) that holds part of its surface: a "
      "bearing, "
      "a flange, a bolt hole. It has a position and a rotation, so joints, torques and inertias attach to it. Where "
      "several of group, cylinder, plane and box are given, the nodes are those that meet all of them.",
      {
          {.name = "name", .type = KeyType::text, .required = true, .sentence = "Name of the node."},
          {.name = "group",
           .type = KeyType::text,
           .sentence = "Physical group, node set, element set or surface of the file."},
          {.name = "cylinder", .type = KeyType::table, .sentence = "Nodes of the surface on a cylinder."},
          {.name = "plane", .type = KeyType::table, .sentence = "Nodes of the surface on a plane."},
          {.name = "box", .type = KeyType::table, .sentence = "Nodes of the surface in a box."},
          {.name = "number",
           .type = KeyType::integer,
           .range = {0, 2147483647},
           .sentence = "A node of the file by its number, such as the reference of one of the file's own spiders."},
          {.name = "nearest",
           .type = KeyType::vector,
           .unit = "m",
           .sentence = "The node of the mesh nearest to a point; it translates only, for loads and sensors."},
          {.name = "spider",
           .type = KeyType::choice,
           .choices = "rigid|averaging",
           .default_value = "rigid",
           .sentence =
               "rigid: the surface moves as one body (RBE2); averaging: the node follows the mean motion of the "
               "surface and does not stiffen it (RBE3)."},
          {.name = "position",
           .type = KeyType::vector,
           .unit = "m",
           .sentence = "Position of the node; default: the middle of the surface, of a cylinder on its axis."},
      }};
  return table;
}

const TableSpec& cylinder_table() {
  static const TableSpec table{
      "[links.interfaces.cylinder]",
      "A cylinder in the link's frame: `cylinder = {point = [0, 0, 0], axis = [0, 0, 1], radius = \"10 mm\"}`.",
      {
          {.name = "point", .type = KeyType::vector, .unit = "m", .required = true, .sentence = "A point of its axis."},
          {.name = "axis", .type = KeyType::vector, .required = true, .sentence = "Direction of its axis."},
          {.name = "radius", .unit = "m", .range = positive, .required = true, .sentence = "Radius."},
          {.name = "tolerance",
           .unit = "m",
           .range = positive,
           .sentence = "Largest distance from the cylinder; default: 2 % of the radius."},
      }};
  return table;
}

const TableSpec& plane_table() {
  static const TableSpec table{
      "[links.interfaces.plane]",
      "A plane in the link's frame: `plane = {point = [0.1, 0, 0], normal = [1, 0, 0]}`.",
      {
          {.name = "point", .type = KeyType::vector, .unit = "m", .required = true, .sentence = "A point of it."},
          {.name = "normal", .type = KeyType::vector, .required = true, .sentence = "Its normal."},
          {.name = "tolerance",
           .unit = "m",
           .range = positive,
           .sentence = "Largest distance from the plane; default: a millionth of the mesh's size."},
      }};
  return table;
}

const TableSpec& box_table() {
  static const TableSpec table{
      "[links.interfaces.box]",
      "A box along the link's axes: `box = {low = [0, 0, 0], high = [0.01, 0.02, 0.02]}`.",
      {
          {.name = "low", .type = KeyType::vector, .unit = "m", .required = true, .sentence = "Its lowest corner."},
          {.name = "high", .type = KeyType::vector, .unit = "m", .required = true, .sentence = "Its highest corner."},
      }};
  return table;
}

}  // namespace lithe
