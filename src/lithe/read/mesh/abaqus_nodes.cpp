// Nodes, elements, sets and surfaces of Abaqus and CalculiX.
#include "lithe/read/mesh/abaqus_reader.h"

namespace lithe {

void AbaqusReader::start_nodes() {
  const std::string system = upper(keyword_.value("SYSTEM"));
  if (!system.empty() && system != "R" && system != "C")
    lines_.fail(cat("*NODE with SYSTEM=", system, " is not supported: write rectangular or cylindrical coordinates"));
  cylindrical_ = system == "C";
  data_ = Data::node;
  set_ = keyword_.has("NSET") ? new_name("NSET") : std::string();
}

void AbaqusReader::start_node_set() {
  data_ = Data::nset;
  set_ = new_name("NSET");
  builder_.node_set(set_);
  if (!keyword_.has("ELSET")) return;
  for (const int element : deck_.element_set(set_of("ELSET"), here()))
    for (int k = 0; k < info(builder_.mesh.elements[static_cast<std::size_t>(element)].shape).num_nodes; ++k)
      builder_.node_set(set_).push_back(builder_.node_label(element, k));
}

void AbaqusReader::start_surface() {
  const std::string type = upper(keyword_.value("TYPE"));
  if (keyword_.has("COMBINE") || keyword_.has("CROP") || (!type.empty() && type != "NODE" && type != "ELEMENT"))
    lines_.fail("*SURFACE: only TYPE=ELEMENT and TYPE=NODE are supported");
  data_ = Data::surface;
  set_ = new_name("NAME");
  if (builder_.has_node_set(set_) && !deck_.surfaces.contains(set_))
    builder_.warn(here(), cat("surface and node set ", set_, ": the group of this name has the nodes of both"));
  builder_.node_set(set_);
  deck_.surfaces[set_];
}

void AbaqusReader::start_element() {
  const std::string type = upper(keyword_.value("TYPE"));
  const std::optional<ElementShape> shape = abaqus_shape(type);
  if (!shape) lines_.fail(type.empty() ? "*ELEMENT needs TYPE" : cat("elements of type ", type, " are not supported"));
  shape_ = *shape;
  is_mass_ = type == "MASS";
  beam_.reset();
  spring_.reset();
  if (type.starts_with("B3")) beam_ = type == "B33" ? BeamTheory::euler_bernoulli : BeamTheory::timoshenko;
  if (type == "SPRINGA") spring_ = AbaqusDeck::SpringKind::along;
  if (type == "SPRING2") spring_ = AbaqusDeck::SpringKind::directions;
  if (type.starts_with("DASHPOT"))
    builder_.warn(here(), cat("elements ", type, " are passed over: damping is given in the model file"));
  set_ = keyword_.has("ELSET") ? new_name("ELSET") : std::string();
  data_ = Data::element;
}

void AbaqusReader::element_data() {
  for (const std::string_view field : fields_of_line(line_)) {
    if (field.empty()) continue;
    numbers_.push_back(numbers_.empty() ? number(field, "an element") : node_number(field));
    if (numbers_.size() <= static_cast<std::size_t>(info(shape_).num_nodes)) continue;
    add_element();
  }
}

void AbaqusReader::add_element() {
  const std::int64_t label = element_label(numbers_.front());
  numbers_.erase(numbers_.begin());
  std::vector<std::int64_t> nodes = std::move(numbers_);
  numbers_.clear();
  builder_.set_place(lines_.file(), lines_.line());
  if (shape_ == ElementShape::point1) {
    if (!deck_.point_index.emplace(label, deck_.points.size()).second)
      lines_.fail(cat("element ", label, " is defined twice"));
    if (!set_.empty()) deck_.point_sets[set_].push_back(deck_.points.size());
    deck_.points.push_back({label, nodes.front(), is_mass_, false, here()});
    return;
  }
  if (builder_.element(label)) lines_.fail(cat("element ", label, " is defined twice"));
  const bool halved = shape_ == ElementShape::line3;  // two straight ones, from end to end over the middle
  const int index = halved ? builder_.add_element(ElementShape::line2, label, {nodes[0], nodes[1]})
                           : builder_.add_element(shape_, label, nodes);
  if (halved) deck_.second_halves[index] = builder_.add_element(ElementShape::line2, label, {nodes[1], nodes[2]});
  for (const int part : deck_.with_second_half(index)) {
    if (beam_) deck_.beam_elements.emplace(part, *beam_);
    if (spring_) deck_.spring_elements.emplace(part, *spring_);
    if (!set_.empty()) builder_.element_set(set_).push_back(part);
  }
}

void AbaqusReader::end_element() {
  if (num_terms_ > 0) lines_.fail(cat("*EQUATION ends after ", terms_.size() / 3, " of its ", num_terms_, " terms"));
  if (!numbers_.empty())
    lines_.fail(cat("element ", numbers_.front(), " has ", numbers_.size() - 1, " nodes instead of ",
                    info(shape_).num_nodes, " (", info(shape_).name, ")"));
}

void AbaqusReader::node_data() {
  const std::vector<std::string_view> fields = fields_of_line(line_);
  if (fields.size() < 2) lines_.fail(cat("a node needs a number and coordinates", lines_.got(line_)));
  const std::int64_t label = number(fields[0], "a node");
  Vector3 position = Vector3::Zero();
  for (std::size_t k = 0; k < 3 && k + 1 < fields.size(); ++k)
    if (!fields[k + 1].empty()) position(static_cast<Eigen::Index>(k)) = real(fields[k + 1], "a coordinate");
  position = system_.position(position, cylindrical_);
  const std::int64_t own =
      scope_ == Scope::assembly ? assembly_label(label) : deck_.own_number(label, reference(""), true);
  if (const Vector3* other = builder_.position_of(own); other && *other != position)
    builder_.warn(here(), cat("node ", label, " is defined twice: the coordinates here count"));
  builder_.add_node(own, position);
  if (!set_.empty()) builder_.node_set(set_).push_back(own);
}

std::int64_t AbaqusReader::assembly_label(std::int64_t label) {
  const auto [known, is_new] = deck_.assembly_nodes.emplace(label, label);
  if (!is_new || !builder_.has_node(label)) return known->second;
  if (builder_.largest_node() == std::numeric_limits<std::int64_t>::max())
    lines_.fail("there is no number left for a node of the assembly");
  known->second = builder_.largest_node() + 1;
  builder_.warn(
      here(), cat("node ", label, " of the assembly is number ", known->second, " here: the part has a node ", label));
  return known->second;
}

// As that of a node; masses may have numbers that elements of the part have.
std::int64_t AbaqusReader::element_label(std::int64_t label) {
  std::int64_t own = deck_.own_number(label, reference(""), false);
  if (scope_ == Scope::assembly && shape_ != ElementShape::point1 && builder_.element(label)) {
    own = ++largest_element_;
    deck_.assembly_elements[label] = own;
  }
  largest_element_ = std::max(largest_element_, own);
  if (largest_element_ == std::numeric_limits<std::int64_t>::max())
    lines_.fail("there is no number left for an element of the assembly");
  return own;
}

std::vector<std::int64_t> AbaqusReader::generated(const std::vector<std::string_view>& fields) {
  if (fields.size() < 2) lines_.fail("GENERATE needs the first and the last number");
  const std::int64_t first = number(fields[0], "the first"), last = number(fields[1], "the last");
  const std::int64_t step = fields.size() > 2 && !fields[2].empty() ? number(fields[2], "the step") : 1;
  if (step < 1 || first < 0 || last < first)
    lines_.fail(cat("numbers ", first, " to ", last, " by ", step, " make no sense"));
  const std::int64_t count = (last - first) / step;
  demand_room(static_cast<std::size_t>(count));
  std::vector<std::int64_t> result;
  for (std::int64_t k = 0; k <= count; ++k) result.push_back(first + k * step);
  return result;
}

void AbaqusReader::set_data() {
  const std::vector<std::string_view> fields = fields_of_line(line_);
  const bool nodes = data_ == Data::nset;
  const MeshFilePlace place = here();
  if (keyword_.has("GENERATE")) {  // may name numbers that do not exist
    const AbaqusReference where = reference("");
    for (const std::int64_t given : generated(fields)) {
      const std::int64_t label = deck_.own_number(given, where, nodes);
      if (!nodes)
        deck_.add_element_to_set(set_, label, in_assembly(), true, place);
      else if (builder_.has_node(label))
        builder_.node_set(set_).push_back(label);
    }
    return;
  }
  for (const std::string_view field : fields) {
    if (field.empty()) continue;
    nodes ? deck_.add_nodes_to_set(set_, reference(field), place)
          : deck_.add_elements_to_set(set_, reference(field), place);
  }
}

void AbaqusReader::surface_data() {
  const std::vector<std::string_view> fields = fields_of_line(line_);
  std::int64_t label = 0;
  if (upper(keyword_.value("TYPE")) == "NODE") {
    const double weight = fields.size() > 1 && !fields[1].empty() ? real(fields[1], "a weight") : 1;
    std::vector<std::int64_t> members;
    const std::string name = deck_.set_name(reference(fields[0]));
    if (builder_.has_node_set(name))
      members = builder_.labels_of(name);
    else if (deck_.number_of(reference(fields[0]), true, label))
      members = {label};
    else
      lines_.fail(cat("node set ", name, " does not exist"));
    demand_room(2 * members.size());
    for (const std::int64_t member : members) deck_.surfaces[set_].add(member, weight);
    std::vector<std::int64_t>& own = builder_.node_set(set_);
    own.insert(own.end(), members.begin(), members.end());
    return;
  }
  std::vector<int> elements;
  const std::string name = deck_.set_name(reference(fields[0]));
  if (deck_.number_of(reference(fields[0]), false, label)) {
    const int* element = builder_.element(label);
    if (!element) lines_.fail(cat("element ", label, " does not exist"));
    elements = {*element};
  } else {
    elements = deck_.element_set(name, here());
  }
  const std::string face = fields.size() > 1 ? upper(fields[1]) : "";
  for (const int element : elements) deck_.add_face(set_, element, face, here(), lines_.got(face));
}

}  // namespace lithe
