// Joints, nodes and analyses that [[analyses]] name: a wrong one is found when the file is read, not when its analysis
// has its turn.
#include <algorithm>
#include <array>

#include "lithe/base/text.h"
#include "lithe/read/parts.h"
#include "lithe/read/schema/all_tables.h"

namespace lithe {
namespace {

constexpr std::array<std::string_view, 6> repeatable = {"condense", "modes",     "equilibrium",
                                                        "simulate", "linearise", "inverse_dynamics"};

bool is_repeatable(std::string_view kind) {
  return std::find(repeatable.begin(), repeatable.end(), kind) != repeatable.end();
}

// "elbow", or "elbow.2" for its second degree of freedom.
void check_joint(const TableReader& reader, const Value& value, std::string_view key) {
  const NameList& joints = reader.reading().joints;
  const auto is_gear = [&](const Joint& joint) { return joint.name == value.text; };  // made of [[motors]]
  const std::vector<Joint>& all = reader.reading().model.joints;
  if (std::any_of(all.begin(), all.end(), is_gear)) return;
  const std::size_t dot = value.text.rfind('.');
  const bool numbered = dot != std::string::npos && dot + 1 < value.text.size() &&
                        value.text.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  if (numbered && joints.find(value.text.substr(0, dot))) return;
  reader.find_name(value, key, joints, "joint");
}

// "arm:tip". Names may hold colons themselves.
void check_node(const TableReader& reader, const Value& value, std::string_view key) {
  const Reading& reading = reader.reading();
  const std::string& text = value.text;
  std::optional<int> link;
  for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
    link = reading.links.find(text.substr(0, colon));
    if (link && reading.link_nodes[static_cast<std::size_t>(*link)].find(text.substr(colon + 1))) return;
  }
  const std::size_t colon = text.find(':');
  const auto error = [&](const std::string& message) {
    reader.reading().error(value, reader.path_of(key), cat(reader.owner(), ": ", message));
  };
  if (colon == std::string::npos) return error(cat("a node is written link:node, got ", display(value)));
  const std::string link_name = text.substr(0, colon), node_name = text.substr(colon + 1);
  link = reading.links.find(link_name);
  if (!link)
    return error(cat("node ", display(value), ": there is no link '", link_name, "'", reading.links.hint(link_name)));
  error(cat("node ", display(value), ": link '", link_name, "' has no node '", node_name, "'",
            reading.link_nodes[static_cast<std::size_t>(*link)].hint(node_name)));
}

const Value* text_of(const Value& table, std::string_view key) {
  const Value* value = table.find(key);
  return value && value->kind == ValueKind::text ? value : nullptr;
}

// A kind, or the name of an analysis of such a kind.
void check_repeated(const TableReader& reader, const std::vector<Value>& analyses) {
  const Value* wanted = text_of(reader.table(), "analysis");
  if (!wanted || is_repeatable(wanted->text)) return;
  for (const Value& other : analyses) {
    const Value *kind = text_of(other, "kind"), *name = text_of(other, "name");
    if (kind && name && name->text == wanted->text && is_repeatable(kind->text)) return;
  }
  reader.error("analysis", cat("a sweep cannot repeat ", display(*wanted),
                               "; it repeats condense, modes, equilibrium, simulate, linearise, inverse_dynamics, or "
                               "an analysis of one of these kinds by its name"));
}

}  // namespace

void check_names_of_analysis(const TableReader& reader, const TableSpec& spec, const std::vector<Value>& analyses) {
  // Values of other kinds are reported with the settings.
  const auto each_text = [&](std::string_view key, const auto& check) {
    const Value* value = spec.find(key) ? reader.find(key) : nullptr;
    if (!value) return;
    if (value->kind == ValueKind::text && !value->text.empty()) check(reader, *value, key);
    for (const Value& item : value->items)
      if (item.kind == ValueKind::text) check(reader, item, key);
  };
  each_text("spin", check_joint);
  each_text("held", check_joint);
  each_text("tool", check_node);
  each_text("independent", check_node);
  if (spec.find("axes")) check_repeated(reader, analyses);
}

}  // namespace lithe
