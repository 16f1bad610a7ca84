#include "app/models/inspected_model.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "app/terminal/table.h"
#include "lithe/analyse/inspect/reduction_check.h"
#include "lithe/analyse/inspect/redundancy.h"
#include "lithe/base/text.h"
#include "lithe/model/coordinate_choice.h"

namespace lithe::app {
namespace {

nlohmann::json vector_json(const Vector3& vector) { return {vector.x(), vector.y(), vector.z()}; }

nlohmann::json matrix_json(const Matrix3& matrix) {
  nlohmann::json rows = nlohmann::json::array();
  for (int i = 0; i < 3; ++i) rows.push_back({matrix(i, 0), matrix(i, 1), matrix(i, 2)});
  return rows;
}

nlohmann::json link_json(const LinkInfo& link) {
  nlohmann::json value{{"name", link.name},
                       {"rigid", link.rigid},
                       {"mass_kg", link.mass},
                       {"centre_m", vector_json(link.centre)},
                       {"inertia_kg_m2", matrix_json(link.inertia)},
                       {"nodes", link.num_nodes},
                       {"dofs", link.num_dofs},
                       {"available_modes", link.num_available_modes},
                       {"modes", link.num_modes}};
  if (link.lowest) value["frequencies_hz"] = {*link.lowest, *link.highest};
  return value;
}

// Part of the static compliance that the kept modes of a link do not have.
nlohmann::json loss_json(const Model& model, const ReductionLoss& loss) {
  const Link& link = model.links[static_cast<std::size_t>(loss.link)];
  const auto at = [&](const NodeDirection& where) -> nlohmann::json {
    const char* names[] = {"force x", "force y", "force z", "torque x", "torque y", "torque z"};
    return {{"node", link.nodes[static_cast<std::size_t>(where.node)].name},
            {"direction", names[where.direction]},
            {"part", where.loss}};
  };
  return {{"link", link.name}, {"softest", at(loss.softest)}, {"largest", at(loss.largest)}};
}

nlohmann::json losses_json(const Model& model, const ReductionLosses& losses) {
  nlohmann::json links = nlohmann::json::array();
  for (const ReductionLoss& loss : losses.links) links.push_back(loss_json(model, loss));
  nlohmann::json value{{"links", links}};
  if (losses.frequency && losses.complete_frequency) {
    value["first_frequency_hz"] = *losses.frequency;
    value["complete_first_frequency_hz"] = *losses.complete_frequency;
  }
  return value;
}

nlohmann::json joint_json(const JointInfo& joint) {
  return {{"name", joint.name},      {"type", name_of(joint.type)}, {"parent", joint.parent},
          {"child", joint.child},    {"values", joint.values},      {"freedoms", num_freedoms(joint.type)},
          {"closes_loop", joint.cut}};
}

nlohmann::json as_json(const Model& model, const MechanismInfo& info, const Redundancy& redundancy) {
  nlohmann::json links = nlohmann::json::array(), joints = links, loops = links;
  for (const LinkInfo& link : info.links) links.push_back(link_json(link));
  for (const JointInfo& joint : info.joints) joints.push_back(joint_json(joint));
  for (const LoopInfo& loop : info.loops) loops.push_back({{"cut", loop.joint}, {"joints", loop.joints}});
  return {{"name", model.name},
          {"links", links},
          {"joints", joints},
          {"loops", loops},
          {"gruebler", info.gruebler},
          {"closure_conditions", info.num_closure_rows},
          {"rank", info.rank},
          {"redundancy", info.redundancy},
          {"out_of_plane_redundancy", redundancy.out_of_plane},
          {"planar", redundancy.planar},
          {"freedoms", info.mobility},
          {"independent_coordinates", info.independent},
          {"singular", info.singular},
          {"elastic_modes", info.num_elastic},
          {"compliance_left_out", losses_json(model, reduction_losses(model))},
          {"programs", programs_json(model)},
          {"notes", notes(info)}};
}

std::string link_table(const MechanismInfo& info, const Style& style) {
  TextTable table({{"link", Align::left},
                   {"mass kg"},
                   {"centre m", Align::left},
                   {"Ixx kg m²"},
                   {"Iyy kg m²"},
                   {"Izz kg m²"},
                   {"dofs"},
                   {"modes"},
                   {"lowest Hz"},
                   {"highest Hz"}});
  for (const LinkInfo& link : info.links) {
    const std::string centre =
        cat(number(link.centre.x(), 4), " ", number(link.centre.y(), 4), " ", number(link.centre.z(), 4));
    table.add_row({link.name, number(link.mass, 5), centre, number(link.inertia(0, 0), 4),
                   number(link.inertia(1, 1), 4), number(link.inertia(2, 2), 4),
                   link.rigid ? "rigid" : cat(link.num_dofs), cat(link.num_modes),
                   link.lowest ? number(*link.lowest, 5) : "", link.highest ? number(*link.highest, 5) : ""});
  }
  return table.text(style);
}

std::string joint_table(const MechanismInfo& info, const Style& style) {
  TextTable table({{"joint", Align::left},
                   {"type", Align::left},
                   {"parent", Align::left},
                   {"child", Align::left},
                   {"degrees of freedom"},
                   {"value (rad, m)", Align::left}});
  for (const JointInfo& joint : info.joints) {
    std::vector<std::string> values;
    for (const double value : joint.values) values.push_back(number(value, 6));
    table.add_row({joint.name, std::string(name_of(joint.type)), joint.parent, joint.child,
                   cat(num_freedoms(joint.type)), joint.cut ? "closes a loop" : joined(values, " ")});
  }
  return table.text(style);
}

std::string mechanism_text(const Model& model, const MechanismInfo& info, const Redundancy& redundancy) {
  std::string text;
  for (const LoopInfo& loop : info.loops) text += cat("loop closed by '", loop.joint, "': ", joined(loop.joints), "\n");
  text += cat("degrees of freedom: ", info.mobility, " (Gruebler count ", redundancy.planar ? "in the plane " : "",
              info.gruebler, "; ", info.num_closure_rows, " closure conditions of rank ", info.rank, ")\n");
  if (redundancy.num_redundant > 0) text += redundancy.sentence() + "\n";
  text += cat("independent coordinates: ", info.independent.empty() ? "none" : joined(info.independent),
              "\nelastic modes: ", info.num_elastic, "\n");
  if (!automatic_reductions(model).empty())
    text += "note: these are all modes; each analysis chooses how many it needs (reduction = \"auto\")\n";
  for (const std::string& note : notes(info)) text += cat("note: ", note, "\n");
  return text;
}

int print_info(const std::string& path, const Output& output) {
  const auto [model, info] = inspect_file(path);
  const Redundancy redundancy = find_redundancy(model, info);
  if (output.json()) {
    output.print(as_json(model, info, redundancy));
    return exit_ok;
  }
  const Style style = output.style();
  output.print(cat(style.bold(model.name), "\n\n", link_table(info, style), "\n", joint_table(info, style), "\n",
                   mechanism_text(model, info, redundancy), external_text(model)));
  return exit_ok;
}

const CommandRegistration registration(
    {.name = "info",
     .rank = 20,
     .summary = "Masses of the links, joints, loops and degrees of freedom of a model",
     .examples = "  lithe info arm.toml\n  lithe info arm.toml --json\n",
     .set_up = [](CommandOptions& command) -> Action {
       auto path = std::make_shared<std::string>();
       add_model_file(command, *path);
       return [path](const Output& output) { return print_info(*path, output); };
     }});

}  // namespace
}  // namespace lithe::app
