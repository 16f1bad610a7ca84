// Questions of robots among the analyses of a file: what `lithe size`, `settle`, `contributions`, `shape` and
// `identify` ask, answered by `lithe run`.
#include <initializer_list>

#include "lithe/read/schema/schema.h"

namespace lithe {
namespace {

TableSpec study(std::string_view heading, std::string_view sentence, std::string_view kind,
                std::initializer_list<KeySpec> keys) {
  TableSpec table{heading,
                  sentence,
                  {{.name = "kind", .type = KeyType::text, .required = true, .sentence = kind},
                   {.name = "name", .type = KeyType::text, .sentence = "Name of the results."}}};
  table.keys.insert(table.keys.end(), keys);
  table.keys.push_back({.name = "formulation",
                        .type = KeyType::choice,
                        .choices = "erls_cms|erls_fem|floating_frame|corotational|transfer_functions",
                        .default_value = "erls_cms",
                        .sentence = "Equations of motion."});
  return table;
}

constexpr KeySpec tool_key{
    .name = "tool", .type = KeyType::text, .required = true, .sentence = "The node to look at, `link:node`."};
constexpr KeySpec band_key{.name = "band",
                           .unit = "m",
                           .range = positive,
                           .default_value = "1e-4",
                           .sentence = "Distance from rest that counts as settled."};
constexpr KeySpec after_key{.name = "after",
                            .unit = "s",
                            .range = positive,
                            .default_value = "1",
                            .sentence = "Time that is simulated after the motion."};
constexpr KeySpec tolerance_key{
    .name = "tolerance", .range = {0, 1, false, false}, .default_value = "1e-6", .sentence = "As for simulate."};

}  // namespace

const TableSpec& size_study_table() {
  static const TableSpec table = study(
      "[[analyses]] kind = \"size\"",
      "Which motor is too small: torque, speed and power of every drive on the prescribed motions, as `lithe size`.",
      "`size`.",
      {{.name = "flexible",
        .type = KeyType::boolean,
        .default_value = "false",
        .sentence = "Links and gearboxes bend, or all are rigid."},
       {.name = "end_time",
        .unit = "s",
        .range = positive,
        .sentence = "Length of the cycle; default: until the last motion ends."},
       tolerance_key});
  return table;
}

const TableSpec& settle_study_table() {
  static const TableSpec table =
      study("[[analyses]] kind = \"settle\"",
            "How long and how far the tool swings after the motions, as `lithe settle`.", "`settle`.",
            {{.name = "tool",
              .type = KeyType::text,
              .sentence = "The node to look at, `link:node`; default: all position sensors."},
             band_key,
             after_key,
             tolerance_key});
  return table;
}

const TableSpec& contributions_study_table() {
  static const TableSpec table =
      study("[[analyses]] kind = \"contributions\"",
            "What to stiffen first: shares of links, joints and gearboxes in the compliance of the tool and in natural "
            "frequencies, as `lithe contributions`.",
            "`contributions`.",
            {{.name = "tool",
              .type = KeyType::text,
              .sentence = "The node to look at, `link:node`; default: that of the only position sensor."},
             {.name = "held",
              .type = KeyType::texts,
              .sentence = "Joints that motors hold; default: those with motors or drives."},
             {.name = "count",
              .type = KeyType::integer,
              .range = {1, 1000},
              .default_value = "3",
              .sentence = "Natural frequencies."}});
  return table;
}

const TableSpec& shape_study_table() {
  static const TableSpec table = study(
      "[[analyses]] kind = \"shape\"",
      "Input shapers and durations that leave the tool at rest after the motions, each simulated, as `lithe shape`.",
      "`shape`.",
      {tool_key,
       band_key,
       after_key,
       {.name = "slowest",
        .range = {1, 1000},
        .default_value = "2",
        .sentence = "Longest duration that is tried, of the model's."},
       tolerance_key});
  return table;
}

const TableSpec& identify_study_table() {
  static const TableSpec table = study(
      "[[analyses]] kind = \"identify\"",
      "Numbers of the file fitted to measurements, with confidence intervals, as `lithe identify`.", "`identify`.",
      {{.name = "data",
        .type = KeyType::texts,
        .required = true,
        .sentence = "Measurements, CSV files beside the model file; docs/howto/identify.md has their headings."},
       {.name = "fit",
        .type = KeyType::texts,
        .required = true,
        .sentence = "Numbers to fit: `joints.elbow.stiffness`, or with bounds `path = lower : upper`."},
       {.name = "set",
        .type = KeyType::texts,
        .sentence = "Numbers that were others during the measurement, `path = value`."},
       {.name = "held", .type = KeyType::texts, .sentence = "Joints that were locked while frequencies were measured."},
       {.name = "confidence", .range = {0, 1, false, false}, .default_value = "0.95", .sentence = "Of the intervals."},
       tolerance_key});
  return table;
}

}  // namespace lithe
