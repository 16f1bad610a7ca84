#include "lithe/read/schema/schema.h"

namespace lithe {

const TableSpec& condense_table() {
  static const TableSpec table{
      "[[analyses]] kind = \"condense\"",
      "Mass and stiffness of the mechanism in its initial configuration, condensed to a few nodes; frequencies; "
      "stiffness "
      "and "
      "mass at the tool. Nodes are written `link:node`.",
      {
          {.name = "kind", .type = KeyType::text, .required = true, .sentence = "`condense`."},
          {.name = "name", .type = KeyType::text, .sentence = "Name of the results."},
          {.name = "independent",
           .type = KeyType::texts,
           .sentence = "Nodes that are kept; default: one in every group of nodes that joints and rigid links tie "
                       "together."},
          {.name = "tool", .type = KeyType::text, .sentence = "Node whose 6 x 6 stiffness and mass are wanted."},
          {.name = "held",
           .type = KeyType::texts,
           .sentence = "Joints that are locked, beside those whose motion a drive prescribes."},
          {.name = "count",
           .type = KeyType::integer,
           .range = {0, 100000},
           .default_value = "30",
           .sentence = "Natural frequencies reported."},
          {.name = "route",
           .type = KeyType::choice,
           .choices = "superelements|direct",
           .default_value = "superelements",
           .sentence = "Links condensed first, then the joints; or all at once from the mesh."},
          {.name = "full",
           .type = KeyType::boolean,
           .default_value = "false",
           .sentence = "Also the frequencies and the tool's compliance of the mesh without condensation."},
          {.name = "hold_spins",
           .type = KeyType::boolean,
           .default_value = "true",
           .sentence =
               "A strut between two ball joints, or between one and a hinge or cylinder along it, does not spin about "
               "the line through them; false: that degree of freedom stays, and is found unconstrained."},
          {.name = "imposed", .type = KeyType::tables, .sentence = "Nodes that are held at a displacement."},
      }};
  return table;
}

const TableSpec& imposed_table() {
  static const TableSpec table{
      "[[analyses.imposed]]",
      "A node that condensation holds at a small displacement and rotation from the configuration.",
      {
          {.name = "link", .type = KeyType::text, .required = true, .sentence = "The link."},
          {.name = "node", .type = KeyType::text, .required = true, .sentence = "Node of the link."},
          {.name = "displacement",
           .type = KeyType::vector,
           .unit = "m",
           .default_value = "[0, 0, 0]",
           .sentence = "World axes."},
          {.name = "rotation",
           .type = KeyType::vector,
           .unit = "rad",
           .default_value = "[0, 0, 0]",
           .sentence = "Small rotation, world axes."},
          {.name = "components",
           .type = KeyType::texts,
           .sentence = "Which of x, y, z, rx, ry, rz are imposed, world axes; the others are free. Default: all six."},
      }};
  return table;
}

const TableSpec& sweep_table() {
  static const TableSpec table{
      "[[analyses]] kind = \"sweep\"",
      "An analysis over a grid of tool positions, joint values or numbers of this file. An axis is `\"tool.x = -0.2 : "
      "0.2 : 41\"` (from, to, number of points), `\"joint.NAME = 0 deg : 90 deg : 10\"` (`joint.NAME.2`: second "
      "degree of freedom) or `\"materials.steel.young_modulus = 180 GPa : 210 GPa : 4\"` (a path in this file; items "
      "of arrays by name, those without one by their joint or node, or as `links[0]`).",
      {
          {.name = "kind", .type = KeyType::text, .required = true, .sentence = "`sweep`."},
          {.name = "name", .type = KeyType::text, .sentence = "Name of the results."},
          {.name = "analysis",
           .type = KeyType::text,
           .default_value = "condense",
           .sentence = "What is repeated: `condense`, `modes`, `equilibrium`, `simulate`, `linearise` or "
                       "`inverse_dynamics`, with the settings of the first analysis of that kind in this file; or the "
                       "name of one of them."},
          {.name = "formulation",
           .type = KeyType::choice,
           .choices = "erls_cms|erls_fem|floating_frame|corotational|transfer_functions",
           .sentence = "Equations of motion, where they are used; default: those of the analysis."},
          {.name = "axes",
           .type = KeyType::texts,
           .required = true,
           .sentence = "The grid; the last axis runs fastest."},
          {.name = "set",
           .type = KeyType::texts,
           .sentence = "What is changed for all points: `[\"tool.z = -570 mm\"]`."},
          {.name = "independent", .type = KeyType::texts, .sentence = "As for condense."},
          {.name = "tool", .type = KeyType::text, .sentence = "As for condense; needed for axes of the tool."},
          {.name = "held", .type = KeyType::texts, .sentence = "As for condense."},
          {.name = "orientation",
           .type = KeyType::choice,
           .choices = "automatic|keep|free",
           .default_value = "automatic",
           .sentence =
               "Whether the tool keeps its orientation when it is moved; automatic: where it can turn by itself."},
          {.name = "springs",
           .type = KeyType::choice,
           .choices = "follow|stay",
           .default_value = "follow",
           .sentence =
               "Whether the rest value of a joint spring moves along when a configuration moves its joint; condense "
               "takes springs as relaxed in any case."},
          {.name = "count",
           .type = KeyType::integer,
           .range = {0, 1000},
           .default_value = "6",
           .sentence = "Natural frequencies or eigenvalues per point."},
          {.name = "hold_spins", .type = KeyType::boolean, .default_value = "true", .sentence = "As for condense."},
          {.name = "imposed", .type = KeyType::tables, .sentence = "As for condense."},
      }};
  return table;
}

}  // namespace lithe
