// [[couplings]]: belts, gears, differentials, lead screws: linear equations between the values of joints.
#include "lithe/base/text.h"
#include "lithe/read/parts.h"

namespace lithe {
namespace {

// "" where both turn or both slide, else "m/rad" or "rad/m".
std::string_view unit_of_factor(bool follower_turns, bool other_turns) {
  if (follower_turns == other_turns) return "";
  return follower_turns ? "rad/m" : "m/rad";
}

bool turns(const Reading& reading, int joint, int freedom) {
  return is_rotation(reading.model.joints[static_cast<std::size_t>(joint)].type, freedom);
}

// Joint and freedom that the table names.
std::optional<CoupledFreedom> read_coupled(const TableReader& reader, std::string_view joint_key) {
  const std::optional<int> joint = reader.reference(joint_key, reader.reading().joints, "joint");
  if (!joint) return std::nullopt;
  const Joint& of = reader.reading().model.joints[static_cast<std::size_t>(*joint)];
  const int freedoms = num_freedoms(of.type);
  const int number = joint_key == "joint" ? reader.integer("freedom").value_or(1) : 1;
  if (number > freedoms) {
    reader.error(reader.has("freedom") ? "freedom" : joint_key,
                 cat("joint '", of.name, "' has ", freedoms,
                     freedoms == 1 ? " degree of freedom" : " degrees of freedom", ", got ", number));
    return std::nullopt;
  }
  return CoupledFreedom{*joint, number - 1, 1};
}

void read_terms(const TableReader& reader, Coupling& coupling) {
  Reading& reading = reader.reading();
  const bool follower_turns = turns(reading, coupling.joint, coupling.freedom);
  const auto add = [&](const TableReader& of, std::string_view joint_key) {
    std::optional<CoupledFreedom> term = read_coupled(of, joint_key);
    if (!term) return;
    term->factor =
        of.number("factor", unit_of_factor(follower_turns, turns(reading, term->joint, term->freedom))).value_or(1);
    coupling.terms.push_back(*term);
  };
  if (reader.has("of") == reader.has("terms")) {
    reader.error("exactly one of 'of' and 'terms' is needed");
    return;
  }
  if (reader.has("of")) return add(reader, "of");
  if (reader.has("factor")) reader.error("factor", "'factor' belongs to 'of'; the terms have factors of their own");
  const std::vector<Value>& terms = reader.tables("terms");
  if (terms.empty()) reader.error("terms", "there are no terms");
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const TableReader term(reading, coupling_term_table(), terms[i], cat(reader.path_of("terms"), "[", i, "]"),
                           cat(reader.owner(), ", term ", i + 1));
    add(term, "joint");
  }
}

void read_coupling(Reading& reading, const Value& table, std::size_t index) {
  const TableReader reader(reading, coupling_table(), table, cat("couplings[", index, "]"),
                           owner_name("coupling", table, static_cast<int>(index)));
  Coupling coupling;
  coupling.place = reader.place();
  const std::optional<CoupledFreedom> follower = read_coupled(reader, "joint");
  if (!follower) return;
  coupling.joint = follower->joint;
  coupling.freedom = follower->freedom;
  coupling.name = reader.text("name").value_or(reading.model.joints[static_cast<std::size_t>(coupling.joint)].name);
  const std::string_view units = coupling_table().find("offset")->unit;
  coupling.offset =
      reader.number("offset", unit_of_freedom(units, turns(reading, coupling.joint, coupling.freedom))).value_or(0);
  const std::size_t errors = reading.diagnostics.errors().size();
  read_terms(reader, coupling);
  if (reading.diagnostics.errors().size() == errors) reading.model.couplings.push_back(std::move(coupling));
}

}  // namespace

void read_couplings(Reading& reading, const TableReader& file) {
  const std::vector<Value>& tables = file.tables("couplings");
  for (std::size_t i = 0; i < tables.size(); ++i) read_coupling(reading, tables[i], i);
}

}  // namespace lithe
