#include "lithe/read/schema/schema.h"

namespace lithe {

const TableSpec& mesh_group_table() {
  static const TableSpec table{
      "[[links.groups]]",
      "What a group of elements of a mesh is made of, in place of the link's material or that of the file. Faces "
      "become "
      "shells by a thickness or by layers; without, a group of faces is a place for interfaces.",
      {
          {.name = "name",
           .type = KeyType::text,
           .required = true,
           .sentence = "Physical group, element set or property of the file."},
          {.name = "material", .type = KeyType::text, .sentence = "Its material; default: that of the link."},
          {.name = "thickness", .unit = "m", .range = positive, .sentence = "Faces: shells of one layer so thick."},
          {.name = "layers",
           .type = KeyType::tables,
           .sentence =
               "Faces: shells of these layers from the bottom to the top, where the normal points. Seen from the "
               "top, the nodes of a face go round counterclockwise."},
          {.name = "offset",
           .unit = "m",
           .default_value = "0",
           .sentence = "Shells: distance of their middle from the nodes, along the normal."},
          {.name = "frame",
           .type = KeyType::table,
           .sentence = "Directions 1, 2, 3 of orthotropic materials; default: x, y, z of the link."},
      }};
  return table;
}

const TableSpec& group_layer_table() {
  static const TableSpec table{
      "[[links.groups.layers]]",
      "A layer of shells, `layers = [{material = \"ply\", thickness = \"0.2 mm\", angle = \"45 deg\"}]`.",
      {
          {.name = "material", .type = KeyType::text, .required = true, .sentence = "Its material."},
          {.name = "thickness", .unit = "m", .range = positive, .required = true, .sentence = "Its thickness."},
          {.name = "angle",
           .unit = "rad",
           .default_value = "0",
           .sentence = "Of direction 1 of the material from direction 1 of the frame, laid into the surface; "
                       "counterclockwise seen from the top."},
      }};
  return table;
}

const TableSpec& group_frame_table() {
  static const TableSpec table{
      "[links.groups.frame]",
      "Directions of orthotropic materials in the link's frame: two vectors, or the axis of a wound tube. In a shell "
      "direction 1 is laid into its surface; where it is normal to it, direction 2 is.",
      {
          {.name = "first", .type = KeyType::vector, .sentence = "Direction 1."},
          {.name = "second",
           .type = KeyType::vector,
           .sentence = "A vector in the plane of 1 and 2, on the side of 2."},
          {.name = "axis",
           .type = KeyType::vector,
           .sentence = "Instead: an axis. Direction 1 is along it, 2 around it, 3 towards it."},
          {.name = "point",
           .type = KeyType::vector,
           .unit = "m",
           .default_value = "[0, 0, 0]",
           .sentence = "A point of the axis."},
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
           .sentence = "The node of the mesh nearest to a point, for loads and sensors. Nodes of solids translate "
                       "only; nodes of shells turn as well and may carry joints."},
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
