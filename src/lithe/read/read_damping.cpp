#include "lithe/read/read_damping.h"

#include "lithe/model/mechanism_damping.h"

namespace lithe {

const TableSpec& mechanism_damping_table() {
  static const TableSpec table{
      "[damping]",
      "Damping of the modes of the mechanism as assembled: those that `lithe modes` lists for the initial "
      "configuration "
      "without gravity. Joints with prescribed motion are held, all others move. It acts on the deformation of the "
      "links: rigid motion is not damped, and of modes with joint springs only the links' share of the elastic energy. "
      "The damping forces stay as they are when the mechanism moves on, so that ratios in other configurations differ. "
      "It adds to `[links.damping]`.",
      {
          {.name = "ratio",
           .range = {0, 10},
           .default_value = "0",
           .sentence = "Damping ratio of every mode: 0.01 is 1 % of critical damping."},
          {.name = "mass_factor",
           .unit = "1/s",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Rayleigh's alpha of [EVO] (20): the damping ratio alpha / (2 omega) in every mode."},
          {.name = "stiffness_factor",
           .unit = "s",
           .range = not_negative,
           .default_value = "0",
           .sentence = "Rayleigh's beta: the damping ratio beta omega / 2 in every mode."},
      }};
  return table;
}

void read_mechanism_damping(Reading& reading, const TableReader& file) {
  const Value* table = file.find("damping");
  if (!table || !expect_table(reading, *table, "damping")) return;
  const TableReader part(reading, mechanism_damping_table(), *table, "damping", "damping");
  Damping damping;
  damping.mass_factor = part.number("mass_factor").value_or(0);
  damping.stiffness_factor = part.number("stiffness_factor").value_or(0);
  if (const double ratio = part.number("ratio").value_or(0); ratio != 0) damping.modal_ratios = {ratio};
  set_mechanism_damping(reading.model, std::move(damping));
}

}  // namespace lithe
