// Couplings, rigid bodies and equations of Abaqus and CalculiX.
#include "lithe/read/mesh/abaqus_reader.h"

namespace lithe {

void AbaqusReader::start_constraint() {
  const std::string& name = keyword_.name;
  if (name == "COUPLING") {
    if (keyword_.has("INFLUENCE RADIUS")) lines_.fail("*COUPLING with INFLUENCE RADIUS is not supported");
    add_coupling("SURFACE", AbaqusDeck::Coupling::Of::surface, true);
    after_coupling_ = true;
    return;
  }
  const bool first = after_coupling_;
  after_coupling_ = false;
  if (name == "KINEMATIC" || name == "DISTRIBUTING") {
    if (!first) lines_.fail(cat("*", name, " without a *COUPLING before it"));
    start_directions();
  } else if (name == "RIGID BODY") {
    start_rigid_body();
  } else if (name == "MPC") {
    data_ = Data::mpc;
  } else if (name == "TIE") {
    start_tie();
  } else if (name == "EQUATION") {
    num_terms_ = 0;
    terms_.clear();
    data_ = Data::equation;
  } else if (abaqus_changes_structure(name)) {
    lines_.fail(cat("*", name, " is not supported: it would change the structure"));
  } else if (!abaqus_is_no_structure(name)) {
    builder_.warn(here(), cat("*", name, " is passed over"));
  }
}

void AbaqusReader::add_coupling(const char* set, AbaqusDeck::Coupling::Of of, bool turns_nodes) {
  AbaqusDeck::Coupling coupling;
  coupling.set = reference(demanded(set));
  coupling.reference = reference(demanded("REF NODE"));
  coupling.of = of;
  coupling.turns_nodes = turns_nodes;
  coupling.place = here();
  deck_.couplings.push_back(std::move(coupling));
}

void AbaqusReader::start_directions() {
  AbaqusDeck::Coupling& coupling = deck_.couplings.back();
  const bool rigid = keyword_.name == "KINEMATIC";
  const std::string method = upper(keyword_.value("WEIGHTING METHOD"));
  if (!method.empty() && method != "UNIFORM")
    lines_.fail(cat("*DISTRIBUTING with WEIGHTING METHOD=", method, " is not supported"));
  coupling.kind = rigid ? SpiderKind::rigid : SpiderKind::averaging;
  data_ = Data::directions;
}

void AbaqusReader::start_rigid_body() {
  if (keyword_.has("ANALYTICAL SURFACE")) lines_.fail("*RIGID BODY with ANALYTICAL SURFACE is not supported");
  bool any = false;
  for (const char* const key : {"ELSET", "NSET", "TIE NSET", "PIN NSET"}) {
    if (!keyword_.has(key)) continue;
    using Of = AbaqusDeck::Coupling::Of;
    add_coupling(key, key[0] == 'E' ? Of::elements : Of::nodes, key[0] != 'P');
    any = true;
  }
  if (!any) lines_.fail("*RIGID BODY needs NSET or ELSET");
}

void AbaqusReader::mpc_data() {
  const std::vector<std::string_view> fields = fields_of_line(line_);
  const std::string type = upper(fields[0]);
  const bool known = type == "BEAM" || type == "PIN" || type == "TIE" || type == "LINK";
  if (!known || fields.size() < 3)
    lines_.fail(
        cat("*MPC: only BEAM, LINK, PIN and TIE with a node or a set, and a node are supported", lines_.got(line_)));
  std::vector<std::int64_t> nodes;
  const std::string name = deck_.set_name(reference(fields[1]));
  if (builder_.has_node_set(name))
    nodes = builder_.labels_of(name);
  else
    nodes = {node_number(fields[1])};
  const std::int64_t other = node_number(fields[2]);
  demand_room(nodes.size());
  if (type == "BEAM") {
    MeshBuilder::Spider spider;
    spider.label = static_cast<std::int64_t>(builder_.spiders.size()) + 1;
    spider.reference = other;
    spider.place = here();
    spider.nodes = std::move(nodes);
    builder_.spiders.push_back(std::move(spider));
    return;
  }
  for (const std::int64_t node : nodes) deck_.pairs.push_back({type, node, other, here()});
}

void AbaqusReader::start_tie() {
  AbaqusDeck::Tie tie;
  tie.name = upper(keyword_.value("NAME"));
  if (keyword_.has("POSITION TOLERANCE")) {
    tie.tolerance = real(keyword_.value("POSITION TOLERANCE"), "the tolerance");
    if (tie.tolerance < 0) lines_.fail("*TIE: POSITION TOLERANCE must not be negative");
  }
  for (const char* const key : {"CYCLIC SYMMETRY", "MULTIHARMONIC", "CONSTRAINT RATIO", "TIED NSET"})
    if (keyword_.has(key)) lines_.fail(cat("*TIE with ", key, " is not supported"));
  deck_.tie = tie;
  data_ = Data::tie;
}

// Slave surface, master surface.
void AbaqusReader::tie_data() {
  const std::vector<std::string_view> fields = fields_of_line(line_);
  if (fields.size() < 2 || fields[1].empty()) lines_.fail("*TIE needs two surfaces, slave and master");
  deck_.tie.slave = reference(fields[0]);
  deck_.tie.master = reference(fields[1]);
  deck_.tie.place = here();
  deck_.ties.push_back(deck_.tie);
}

void AbaqusReader::equation_data() {
  for (const std::string_view field : fields_of_line(line_)) {
    if (field.empty()) continue;
    if (num_terms_ == 0) {
      const std::int64_t count = number(field, "the number of terms");
      constexpr std::int64_t most = 1'000'000;
      if (count < 1 || count > most) lines_.fail(cat("*EQUATION: 1 to ", most, " terms expected", lines_.got(field)));
      num_terms_ = static_cast<std::size_t>(count);
      continue;
    }
    terms_.push_back(upper(field));
    if (terms_.size() == 3 * num_terms_) add_equations();
  }
}

// Of sets the first nodes make an equation, the second ones, and so on.
void AbaqusReader::add_equations() {
  if (has_transform_) lines_.fail("*EQUATION with *TRANSFORM is not supported: write it in the axes of the file");
  std::vector<std::vector<std::int64_t>> nodes;
  std::size_t count = 1;
  for (std::size_t k = 0; k < num_terms_; ++k) {
    const std::string name = deck_.set_name(reference(terms_[3 * k]));
    nodes.push_back(builder_.has_node_set(name) ? builder_.labels_of(name)
                                                : std::vector<std::int64_t>{node_number(terms_[3 * k])});
    std::vector<std::int64_t>& own = nodes.back();
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    count = std::max(count, own.size());
  }
  demand_room(count * num_terms_);
  for (std::size_t i = 0; i < count; ++i) {
    MeshBuilder::Equation equation{cat("*EQUATION in line ", lines_.line()), {}, here()};
    for (std::size_t k = 0; k < num_terms_; ++k) {
      if (nodes[k].size() != 1 && nodes[k].size() != count)
        lines_.fail(cat("*EQUATION: the sets have ", nodes[k].size(), " and ", count, " nodes"));
      const std::int64_t direction = number(terms_[3 * k + 1], "a direction");
      if (direction < 1 || direction > 6)
        lines_.fail(cat("a direction 1 to 6 expected", lines_.got(terms_[3 * k + 1])));
      equation.terms.push_back({nodes[k][nodes[k].size() == 1 ? 0 : i], static_cast<int>(direction) - 1,
                                real(terms_[3 * k + 2], "a factor")});
    }
    builder_.equations.push_back(std::move(equation));
  }
  num_terms_ = 0;
  terms_.clear();
}

void AbaqusReader::direction_data() {
  const std::vector<std::string_view> fields = fields_of_line(line_);
  const std::int64_t first = number(fields[0], "the first direction");
  const std::int64_t last = fields.size() > 1 && !fields[1].empty() ? number(fields[1], "the last direction") : first;
  if (first < 1 || last > 6 || last < first) lines_.fail(cat("directions 1 to 6 expected", lines_.got(line_)));
  AbaqusDeck::Coupling& coupling = deck_.couplings.back();
  coupling.has_directions = true;
  for (std::int64_t k = first; k <= last; ++k) coupling.directions[static_cast<std::size_t>(k - 1)] = true;
}

}  // namespace lithe
