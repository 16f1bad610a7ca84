#include <cmath>
#include <numbers>

#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/read/parts.h"

namespace lithe {

std::string_view unit_of_freedom(std::string_view units, bool rotation) {
  const std::size_t bar = units.find('|');
  return rotation ? units.substr(0, bar) : units.substr(bar + 1);
}

Matrix3 shortest_turn(const Vector3& axis) {
  const Vector3 z = Vector3::UnitZ();
  const Vector3 normal = z.cross(axis);
  const double sine = normal.norm();
  if (sine < 1e-12) return axis.z() > 0 ? Matrix3::Identity() : Matrix3(Vector3(1, -1, -1).asDiagonal());
  return Eigen::AngleAxisd(std::atan2(sine, axis.z()), normal / sine).toRotationMatrix();
}

namespace {

std::vector<std::string_view> freedom_units(JointType type, std::string_view key) {
  const std::string_view units = joint_table().find(key)->unit;
  std::vector<std::string_view> result;
  for (int i = 0; i < num_freedoms(type); ++i) result.push_back(unit_of_freedom(units, is_rotation(type, i)));
  return result;
}

// One [low, high]; an empty array leaves the freedom unlimited.
void read_limit_pair(const TableReader& reader, const Value& value, Joint& joint, int freedom) {
  const auto index = static_cast<std::size_t>(freedom);
  if (value.kind == ValueKind::array && value.items.empty()) return;
  if (value.kind != ValueKind::array || value.items.size() != 2) {
    reader.error("limits", cat("limits must be [low, high], got ", display(value)));
    return;
  }
  const std::string_view unit = freedom_units(joint.type, "limits")[index];
  const std::string what = reader.owner() + ": limits";
  const auto low = read_number(reader.reading(), value.items[0], unit, any_value, reader.path_of("limits"), what);
  const auto high = read_number(reader.reading(), value.items[1], unit, any_value, reader.path_of("limits"), what);
  if (!low || !high) return;
  if (!(*low < *high)) {
    reader.error("limits", cat("the lower limit must be below the upper one, got ", display(value)));
    return;
  }
  joint.limits[index] = {*low, *high};
  const double start = joint.initial_value[index];
  if (start < *low || start > *high) {
    reader.error(reader.has("value") ? "value" : "limits",
                 cat("the initial value ", reader.has("value") ? display(*reader.find("value")) : number_text(start),
                     " is outside the limits ", display(value)));
  }
}

void read_limits(const TableReader& reader, Joint& joint) {
  const Value* value = reader.find("limits");
  if (!value) return;
  const int freedoms = num_freedoms(joint.type);
  const bool nested =
      value->kind == ValueKind::array && !value->items.empty() && value->items[0].kind == ValueKind::array;
  if (freedoms == 1 && !nested) {
    read_limit_pair(reader, *value, joint, 0);
    return;
  }
  if (value->kind != ValueKind::array || static_cast<int>(value->items.size()) != freedoms) {
    reader.error("limits", cat("limits must be ", freedoms, " pairs [low, high], one per degree of freedom, got ",
                               display(*value)));
    return;
  }
  for (int i = 0; i < freedoms; ++i) read_limit_pair(reader, value->items[static_cast<std::size_t>(i)], joint, i);
}

// The joint frame F in the parent's axes: z along the axis; x along second_axis (universal), x_axis, or the shortest
// turn.
std::optional<Matrix3> read_joint_axes(const TableReader& reader, JointType type) {
  const std::optional<Vector3> axis = reader.direction("axis");
  const bool universal = type == JointType::universal;
  if (universal && !reader.has("second_axis")) reader.error("key 'second_axis' is missing (type universal)");
  if (!universal && reader.has("second_axis")) reader.error("second_axis", "'second_axis' is for universal joints");
  if (universal && reader.has("x_axis")) reader.error("x_axis", "a universal joint has its x axis along second_axis");
  const std::string_view x_key = universal ? "second_axis" : "x_axis";
  const std::optional<Vector3> x = reader.direction(x_key);
  if (!axis || (reader.has(x_key) && !x)) return std::nullopt;
  if (!x) return shortest_turn(*axis);
  const double cosine = x->dot(*axis);
  constexpr double least_sine = 1e-6;
  if (universal && std::abs(cosine) > least_sine) {
    reader.error(x_key, cat("second axis must be normal to axis, got an angle of ",
                            number_text(std::round(std::acos(cosine) * 1800 / std::numbers::pi) / 10), " deg"));
    return std::nullopt;
  }
  if (x->cross(*axis).norm() < least_sine) {
    reader.error(x_key, cat("x axis must not be parallel to axis, got ", display(*reader.find(x_key))));
    return std::nullopt;
  }
  Matrix3 result;
  result.col(2) = *axis;
  result.col(0) = (*x - cosine * *axis).normalized();
  result.col(1) = result.col(2).cross(result.col(0));
  return result;
}

void read_parent(const TableReader& reader, Joint& joint) {
  Reading& reading = reader.reading();
  const std::optional<std::string> parent = reader.text("parent");
  if (!parent) return;
  if (*parent == "ground") {
    const bool meant = reader.has("parent") || !reader.has_or_means("parent");
    if (reader.has("parent_node") && meant) reader.error("parent_node", "the ground has no nodes; use parent_point");
    joint.parent_frame.position = reader.vector("parent_point").value_or(Vector3::Zero());
    return;
  }
  if (reader.has("parent_point")) reader.error("parent_point", "'parent_point' is for the ground; use parent_node");
  const std::optional<int> link = reader.reference("parent", reading.links, "link");
  if (!reader.has_or_means("parent_node")) reader.error("key 'parent_node' is missing");
  if (!link) return;
  joint.parent = *link;
  const auto index = static_cast<std::size_t>(*link);
  const std::optional<int> node =
      reader.reference("parent_node", reading.link_nodes[index], "node", cat(" of link '", *parent, "'"));
  if (!node) return;
  joint.parent_node = *node;
  joint.parent_frame.position = reading.model.links[index].nodes[static_cast<std::size_t>(*node)].position;
}

void read_child(const TableReader& reader, Joint& joint) {
  Reading& reading = reader.reading();
  const Value* name = reader.find("child");
  if (name && name->kind == ValueKind::text && name->text == "ground") {
    reader.error("child", "the ground cannot be the child; make it the parent");
    return;
  }
  const std::optional<int> link = reader.reference("child", reading.links, "link");
  if (!link) return;
  joint.child = *link;
  const auto index = static_cast<std::size_t>(*link);
  const std::optional<int> node =
      reader.reference("child_node", reading.link_nodes[index], "node", cat(" of link '", name->text, "'"));
  if (!node) return;
  joint.child_node = *node;
  joint.child_frame.position = reading.model.links[index].nodes[static_cast<std::size_t>(*node)].position;
}

void read_joint(Reading& reading, const Value& table, int index) {
  const TableReader reader(reading, joint_table(), table, cat("joints[", index, "]"),
                           owner_name("joint", table, index));
  Joint joint;
  joint.place = reader.place();
  joint.set_type(static_cast<JointType>(reader.choice("type").value_or(1)));
  read_parent(reader, joint);
  read_child(reader, joint);
  if (joint.parent == joint.child && joint.child >= 0) reader.error("child", "it joins a link to itself");
  // R_PC at zero coordinates is R_PF R_CMᵀ, so R_CM = R_PCᵀ R_PF
  const Matrix3 R_PC = reader.orientation("orientation").value_or(Matrix3::Identity());
  joint.parent_frame.rotation = read_joint_axes(reader, joint.type).value_or(Matrix3::Identity());
  joint.child_frame.rotation = R_PC.transpose() * joint.parent_frame.rotation;
  read_freedoms(reader, joint);
  joint.prefer_cut = reader.boolean("cut").value_or(false);
  joint.independent = reader.boolean("independent");
  add_joint(reading, reader, std::move(joint));
}

}  // namespace

void read_freedoms(const TableReader& reader, Joint& joint) {
  const auto values = [&](std::string_view key) { return reader.numbers(key, freedom_units(joint.type, key)); };
  if (reader.has("guess") && reader.has("value")) reader.error("guess", "give value or guess, not both");
  joint.initial_value = values(reader.has("guess") ? "guess" : "value");
  joint.initial_speed = values("speed");
  joint.inertia = values("inertia");
  joint.stiffness = values("stiffness");
  joint.rest_value = values("rest_value");
  joint.damping = values("damping");
  joint.friction = values("friction");
  joint.friction_speed = reader.number("friction_speed").value_or(1e-3);
  joint.initial_value_given.assign(joint.initial_value.size(), reader.has("value"));
  read_limits(reader, joint);
}

void add_joint(Reading& reading, const TableReader& reader, Joint joint) {
  if (joint.name.empty()) joint.name = reader.text("name").value_or("");
  if (joint.name.empty()) {
    reading.joints.add_unnamed();
  } else if (!reading.joints.add(joint.name)) {
    reader.error("name", "the name is used twice");
    reading.joints.add_unnamed();
  }
  reading.model.joints.push_back(std::move(joint));
}

void read_joints(Reading& reading, const TableReader& file) {
  if (is_named_tables(file, "joints")) return;  // of a robot
  const std::vector<Value>& tables = file.tables("joints");
  for (std::size_t i = 0; i < tables.size(); ++i) read_joint(reading, tables[i], static_cast<int>(i));
}

}  // namespace lithe
