#include "lithe/read/schema/schema.h"

namespace lithe {

const TableSpec& coordinate_table() {
  static const TableSpec table{
      "[[coordinates]]",
      "Which nodal coordinates and deformations are degrees of freedom, for the formulation transfer_functions. "
      "Without "
      "it the choice is automatic: joints and deformations are degrees of freedom, as far as loops leave them, and "
      "joints may be "
      "chosen by their `independent`. Give a `node` and its `coordinate`, or `deformations`. An independent nodal "
      "coordinate takes the place of a joint's, or of a deformation where no joint moves it. Fixed deformations make a "
      "link rigid in that respect; a fixed or moved node is a support. The motion is the same whichever coordinates "
      "are independent.",
      {
          {.name = "link", .type = KeyType::text, .required = true, .sentence = "The link."},
          {.name = "node", .type = KeyType::text, .sentence = "Node of the link."},
          {.name = "coordinate",
           .type = KeyType::choice,
           .choices = "x|y|z|rotation",
           .sentence = "Of the node's position in world axes; `rotation`: its angle, in a planar model."},
          {.name = "deformations",
           .type = KeyType::texts,
           .sentence = "Of the link's beams: `elongation`, `torsion`, `bending_y`, `bending_z` (about that axis of the "
                       "section), and at one end `bending_y_start`, `bending_y_end`, `bending_z_start`, "
                       "`bending_z_end`."},
          {.name = "elements",
           .type = KeyType::integers,
           .range = {1, 1000000},
           .sentence = "With deformations: numbers of the elements, from 1 along the path or segments; default: all."},
          {.name = "role",
           .type = KeyType::choice,
           .choices = "independent|dependent|fixed",
           .default_value = "independent",
           .sentence = "A degree of freedom, found from the others, or held where it is at the start."},
          {.name = "motion",
           .type = KeyType::signal,
           .unit = "rad|m",
           .sentence = "Instead of a role: its value as a function of time."},
      }};
  return table;
}

}  // namespace lithe
