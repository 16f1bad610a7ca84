#include "lithe/read/schema/schema.h"

namespace lithe {

const TableSpec& coupling_table() {
  static const TableSpec table{
      "[[couplings]]",
      "A joint that follows others: value of `joint` = factor times the value of `of` + offset, or the sum of several "
      "`terms` + offset. For belts and chains, parallelograms, gears, differential wrists, lead screws (of a "
      "cylindrical joint, one degree of freedom follows the other). It is a constraint, without play, elasticity or "
      "mass: its "
      "forces do no work. A joint with an elastic gearbox stands for its motor side; add `NAME gear` as a term for "
      "that of the link. Every formulation simulates couplings; `condense` does not know them.",
      {
          {.name = "name", .type = KeyType::text, .sentence = "Its name in messages; default: that of the joint."},
          {.name = "joint", .type = KeyType::text, .required = true, .sentence = "The joint that follows."},
          {.name = "freedom",
           .type = KeyType::integer,
           .range = {1, 6},
           .default_value = "1",
           .sentence = "Its degree of freedom, counted from 1; not the angles of spherical and free joints."},
          {.name = "of",
           .type = KeyType::text,
           .sentence = "The joint that it follows, by its first degree of freedom."},
          {.name = "factor",
           .default_value = "1",
           .sentence = "Of that joint's value; between a slide and a turn with a unit, such as 5 mm/rev."},
          {.name = "offset",
           .unit = "rad|m",
           .default_value = "0",
           .sentence = "Value of the joint where the others are at zero."},
          {.name = "terms", .type = KeyType::tables, .sentence = "Instead of `of` and `factor`: several joints."},
      }};
  return table;
}

const TableSpec& coupling_term_table() {
  static const TableSpec table{"[[couplings.terms]]",
                               "One of the joints that a coupled joint follows.",
                               {
                                   {.name = "joint", .type = KeyType::text, .required = true, .sentence = "The joint."},
                                   {.name = "freedom",
                                    .type = KeyType::integer,
                                    .range = {1, 6},
                                    .default_value = "1",
                                    .sentence = "Its degree of freedom, counted from 1."},
                                   {.name = "factor", .default_value = "1", .sentence = "Of its value."},
                               }};
  return table;
}

}  // namespace lithe
