// Drives, loads, sensors, the initial configuration and the analyses.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/fem/mesh_stress.h"
#include "lithe/model/sensor_unit.h"
#include "lithe/read/parts.h"
#include "lithe/read/read_model.h"
#include "lithe/read/tables/input_file.h"

namespace lithe {
namespace {

// Freedom of a joint from its number (from 1), checked against the joint.
std::optional<int> read_freedom(const TableReader& reader, const Joint& joint) {
  const std::optional<int> number = reader.integer("freedom");
  if (!number) return std::nullopt;
  const int freedoms = num_freedoms(joint.type);
  if (*number <= freedoms) return *number - 1;
  reader.error("freedom", cat("joint '", joint.name, "' has ", freedoms,
                              freedoms == 1 ? " degree of freedom" : " degrees of freedom", ", got ", *number));
  return std::nullopt;
}

// The one of `keys` that is present; several or none are reported.
std::optional<std::string_view> exactly_one(const TableReader& reader, std::vector<std::string_view> keys) {
  std::optional<std::string_view> found;
  std::string list;
  int count = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    list += (i == 0 ? "" : i + 1 == keys.size() ? " and " : ", ") + std::string(keys[i]);
    if (!reader.has(keys[i])) continue;
    found = keys[i];
    ++count;
  }
  if (count == 1) return found;
  reader.error(cat("exactly one of ", list, " is needed, got ", count));
  return std::nullopt;
}

// A written initial value must agree with the motion that overrides it.
void check_start(const TableReader& reader, const Drive& drive, Joint& joint, std::string_view unit) {
  const auto freedom = static_cast<std::size_t>(drive.freedom);
  const double start = evaluate(drive.signal, 0).value;
  if (!joint.initial_value_given[freedom]) {
    joint.initial_value[freedom] = start;
    joint.initial_value_given[freedom] = true;
    return;
  }
  if (std::abs(start - joint.initial_value[freedom]) <= 1e-9 * (1 + std::abs(start))) return;
  reader.error("motion", cat("motion starts at ", number_text(start), " ", unit, ", but joint '", joint.name,
                             "' has the initial value ", number_text(joint.initial_value[freedom]), " ", unit));
}

void read_drive(Reading& reading, const Value& table, int index, std::set<std::pair<int, int>>& prescribed) {
  const TableReader reader(reading, drive_table(), table, cat("drives[", index, "]"),
                           owner_name("drive", table, index));
  Drive drive;
  drive.place = reader.place();
  const std::optional<int> joint_index = reader.reference("joint", reading.joints, "joint");
  const std::optional<std::string_view> key = exactly_one(reader, {"torque", "force", "motion"});
  if (!joint_index || !key) return;
  Joint& joint = reading.model.joints[static_cast<std::size_t>(*joint_index)];
  drive.joint = *joint_index;
  drive.name = reader.text("name").value_or(joint.name);
  drive.prescribes_motion = *key == "motion";
  const std::optional<int> freedom = read_freedom(reader, joint);
  if (!freedom) return;
  drive.freedom = *freedom;
  const bool rotation = is_rotation(joint.type, *freedom);
  if ((*key == "torque" && !rotation) || (*key == "force" && rotation)) {
    reader.error(*key, cat("degree of freedom ", *freedom + 1, " of joint '", joint.name, "' is a ",
                           rotation ? "rotation; use torque" : "translation; use force"));
    return;
  }
  const std::string_view unit = unit_of_freedom(drive_table().find(*key)->unit, rotation);
  const std::optional<Signal> signal =
      read_signal(reading, *reader.find(*key), unit, reader.path_of(*key), cat(reader.owner(), ": ", *key));
  if (!signal) return;
  drive.signal = *signal;
  if (drive.prescribes_motion) {
    if (prescribed.insert({drive.joint, drive.freedom}).second) {
      check_start(reader, drive, joint, unit);
    } else {
      reader.error("motion", cat("the motion of degree of freedom ", *freedom + 1, " of joint '", joint.name,
                                 "' is prescribed twice"));
    }
  }
  reading.model.drives.push_back(std::move(drive));
}

// A vector, which is a constant load, or a signal along `direction`.
bool read_load_signal(const TableReader& reader, std::string_view key, Load& load) {
  Reading& reading = reader.reading();
  const Value& value = *reader.find(key);
  const std::string_view unit = load_table().find(key)->unit;
  const std::string what = cat(reader.owner(), ": ", key);
  if (value.kind == ValueKind::array) {
    if (reader.has("direction")) reader.error("direction", cat("'direction' does not belong to a ", key, " vector"));
    const std::optional<Vector3> vector = read_vector(reading, value, unit, reader.path_of(key), what);
    if (!vector) return false;
    const double size = vector->norm();
    if (size > 0) load.direction = *vector / size;
    load.signal = SignalConstant{size};
    return true;
  }
  if (!reader.has("direction")) reader.error("key 'direction' is missing");
  const std::optional<Vector3> direction = reader.direction("direction");
  const std::optional<Signal> signal = read_signal(reading, value, unit, reader.path_of(key), what);
  if (!direction || !signal) return false;
  load.direction = *direction;
  load.signal = *signal;
  return true;
}

struct LinkNode {
  int link, node;
};

std::optional<LinkNode> read_link_node(const TableReader& reader) {
  Reading& reading = reader.reading();
  const std::optional<int> link = reader.reference("link", reading.links, "link");
  if (!link) return std::nullopt;
  const auto index = static_cast<std::size_t>(*link);
  const std::optional<int> node = reader.reference("node", reading.link_nodes[index], "node",
                                                   cat(" of link '", reading.model.links[index].name, "'"));
  if (!node) return std::nullopt;
  return LinkNode{*link, *node};
}

void read_load(Reading& reading, const Value& table, int index) {
  const TableReader reader(reading, load_table(), table, cat("loads[", index, "]"), owner_name("load", table, index));
  Load load;
  load.place = reader.place();
  load.name = reader.has("name") ? reader.text("name").value_or("") : cat("load ", index + 1);
  load.follows_link = reader.boolean("follower").value_or(false);
  const std::optional<LinkNode> at = read_link_node(reader);
  const std::optional<std::string_view> key = exactly_one(reader, {"force", "torque"});
  if (!key || !read_load_signal(reader, *key, load) || !at) return;
  load.torque = *key == "torque";
  load.link = at->link;
  load.node = at->node;
  reading.model.loads.push_back(std::move(load));
}

// Where the stress of a link from a mesh is read: a node, a group, or the whole surface.
std::vector<int> read_stressed_nodes(const TableReader& reader, const Link& link, Sensor& sensor) {
  const MeshPart& part = *link.mesh;
  if (reader.has("group") && reader.has("node")) reader.error("group", "give 'node' or 'group', not both");
  if (const std::optional<std::string> group = reader.text("group")) {
    if (!part.mesh.node_set(*group) && !part.mesh.element_set(*group)) {
      NameList known;
      for (const MeshSet& set : part.mesh.node_sets) known.add(set.name);
      for (const MeshSet& set : part.mesh.element_sets) known.add(set.name);
      reader.error("group", cat("the mesh has no group '", *group, "'", known.hint(*group)));
      return {};
    }
    std::vector<int> places = stress_places(part, part.mesh.nodes_named(*group));
    if (places.empty())
      reader.error("group", cat("no node of an element of the mesh is in group ", display(*reader.find("group"))));
    return places;
  }
  if (!reader.has("node")) return stress_places_on_surface(part);
  const std::optional<int> node =
      reader.reference("node", reader.reading().link_nodes[static_cast<std::size_t>(sensor.link)], "node",
                       cat(" of link '", link.name, "'"));
  if (!node) return {};
  sensor.node = *node;
  const auto index = static_cast<std::size_t>(*node);
  if (*node < link.num_plain_nodes() && index < part.named_nodes.size())
    if (std::vector<int> places = stress_places(part, {part.named_nodes[index]}); !places.empty()) return places;
  reader.error("node", cat("node ", display(*reader.find("node")),
                           " belongs to no element and has no stress of its "
                           "own; write 'group', or name a node of the mesh by an interface with 'nearest'"));
  return {};
}

void read_solid_stress(const TableReader& reader, Link& link, Sensor& sensor) {
  StressReading reading;
  reading.sensor = sensor.name;
  reading.measure = static_cast<StressMeasure>(reader.choice("measure").value_or(0));
  reading.nodes = read_stressed_nodes(reader, link, sensor);
  if (reading.nodes.empty()) return;
  auto part = std::make_shared<MeshPart>(*link.mesh);
  part->stress_readings.push_back(std::move(reading));
  link.mesh = std::move(part);
}

void read_stress_subject(const TableReader& reader, Sensor& sensor) {
  Reading& reading = reader.reading();
  const std::optional<int> index = reader.reference("link", reading.links, "link");
  if (!index) return;
  sensor.link = *index;
  Link& link = reading.model.links[static_cast<std::size_t>(*index)];
  if (link.mesh) return read_solid_stress(reader, link, sensor);
  for (const std::string_view key : {"group", "measure"})
    if (reader.has(key)) reader.error(key, cat("'", key, "' belongs to the stress of a link of type mesh"));
  if (link.imported || link.rigid)
    return reader.error("link", cat("quantity stress needs a link of beams or of type mesh, but ",
                                    display(*reader.find("link")), link.rigid ? " is rigid" : " is given by matrices"));
  if (!reader.has("node")) return reader.error("key 'node' is missing (quantity stress)");
  if (const std::optional<LinkNode> at = read_link_node(reader)) sensor.node = at->node;
}

void read_sensor_subject(const TableReader& reader, Sensor& sensor) {
  Reading& reading = reader.reading();
  const std::string quantity = reader.find("quantity")->text;
  const auto want = [&](std::string_view key, bool wanted) {
    if (wanted && !reader.has_or_means(key)) reader.error(cat("key '", key, "' is missing (quantity ", quantity, ")"));
    if (!wanted && reader.has(key)) reader.error(key, cat("'", key, "' does not belong to quantity ", quantity));
  };
  const bool stress = sensor.quantity == Quantity::stress;
  want("link", needs_node(sensor.quantity));
  if (!stress) want("node", needs_node(sensor.quantity));
  if (!stress) want("group", false);
  if (!stress) want("measure", false);
  want("joint", needs_joint(sensor.quantity));
  if (!needs_freedom(sensor.quantity)) want("freedom", false);
  if (!is_vector(sensor.quantity)) want("component", false);
  if (stress) return read_stress_subject(reader, sensor);
  if (needs_node(sensor.quantity)) {
    const std::optional<LinkNode> at = read_link_node(reader);
    if (!at) return;
    sensor.link = at->link;
    sensor.node = at->node;
    const bool of_section = sensor.quantity == Quantity::section_force || sensor.quantity == Quantity::section_moment;
    if (of_section && reading.model.links[static_cast<std::size_t>(at->link)].rigid) {
      reader.error("link", cat("quantity ", quantity, " needs a link of beams, but ", display(*reader.find("link")),
                               " is rigid"));
    }
  } else if (needs_joint(sensor.quantity)) {
    const std::optional<int> joint = reader.reference("joint", reading.joints, "joint");
    if (!joint) return;
    sensor.joint = *joint;
    if (needs_freedom(sensor.quantity)) {
      sensor.freedom = read_freedom(reader, reading.model.joints[static_cast<std::size_t>(*joint)]).value_or(0);
    }
  }
}

// The columns that a sensor fills in files of results.
std::vector<std::string> columns_of(const Sensor& sensor) {
  if (!is_vector(sensor.quantity) || sensor.component >= 0) return {sensor.name};
  return {sensor.name + ".x", sensor.name + ".y", sensor.name + ".z"};
}

// In an HDF5 file a slash makes a group, which needs a name, and "." is the group itself.
bool has_nameless_group(const std::string& name) {
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('/', start), name.size());
    const std::string part = name.substr(start, end - start);
    if (part.empty() || part == ".") return true;
    start = end + 1;
  }
  return false;
}

using Columns = std::map<std::string, std::string>;  // name of a column -> its sensor

// Another sensor's column whose name is a group of this one (`a` of `a/b`), or in a group of this one.
Columns::const_iterator group_conflict(const Columns& taken, const std::string& column, const std::string& owner) {
  for (std::size_t slash = column.find('/'); slash != column.npos; slash = column.find('/', slash + 1)) {
    const auto found = taken.find(column.substr(0, slash));
    if (found != taken.end() && found->second != owner) return found;
  }
  const std::string group = column + "/";
  for (auto at = taken.lower_bound(group); at != taken.end() && at->first.starts_with(group); ++at)
    if (at->second != owner) return at;
  return taken.end();
}

// A sensor whose columns would have the name of others in the table of results, or none that a file can hold.
void check_columns(const TableReader& reader, const Sensor& sensor, Columns& taken) {
  if (sensor.name.empty()) return;
  for (const std::string& column : columns_of(sensor)) {
    if (has_nameless_group(column))
      return reader.error("name",
                          cat("the name cannot stand in a file of results: its parts between slashes must not be "
                              "empty or \".\", got ",
                              display(*reader.find("name"))));
    const auto same = taken.find(column);
    if (same != taken.end() && same->second != sensor.name)
      return reader.error(
          "name", cat("its column '", column, "' has the name of ",
                      same->second.empty() ? "the column of times" : cat("one of sensor '", same->second, "'")));
    const auto group = group_conflict(taken, column, sensor.name);
    if (group != taken.end())
      return reader.error("name", cat("columns '", column, "' and '", group->first,
                                      "' cannot stand in one file of results: a slash makes a group"));
    taken.emplace(column, sensor.name);
  }
}

// The unit to show it in must measure the same.
void check_unit(const TableReader& reader, const Sensor& sensor) {
  if (!reader.has("unit")) return;
  const std::string text = reader.text("unit").value_or("");
  const std::string own(unit_of(reader.reading().model, sensor));
  std::string error;
  const std::optional<Unit> unit = parse_unit(text, &error);
  if (!unit) return reader.error("unit", error);
  if (!fits(unit->dimension, parse_unit(own)->dimension))
    reader.error("unit", cat(display(*reader.find("unit")), " does not measure quantity ",
                             reader.find("quantity")->text, ", whose SI unit is ", own));
}

// What a sensor on one side of a drive train reads, by the joints that stand for it.
void read_side(const TableReader& reader, Sensor& sensor) {
  using Kind = SensorPart::Kind;
  const std::optional<int> side = reader.choice("side");
  if (!side || sensor.joint < 0) return;
  const Reading& reading = reader.reading();
  const auto train =
      std::find_if(reading.drive_trains.begin(), reading.drive_trains.end(),
                   [&](const DriveTrain& each) { return each.joint == sensor.joint && !each.described; });
  if (!needs_freedom(sensor.quantity) || train == reading.drive_trains.end())
    return reader.error("side",
                        "sides are those of a drive train: joint_value, joint_speed, joint_acceleration or "
                        "joint_force of a joint with one of [[motors]]");
  const bool force = sensor.quantity == Quantity::joint_force;
  const Kind kind =
      force ? Kind::drive_force
            : static_cast<Kind>(static_cast<int>(sensor.quantity) - static_cast<int>(Quantity::joint_value));
  sensor.of_motor = *side == 0;
  if (sensor.of_motor) {
    sensor.parts = {{kind, train->joint, force ? 1 / train->ratio : train->ratio}};
  } else if (train->gear >= 0) {
    if (force) sensor.parts = {{Kind::spring_force, train->gear, -1}};
    if (!force) sensor.parts = {{kind, train->joint, 1}, {kind, train->gear, 1}};
  } else {
    sensor.parts = {{kind, train->joint, 1}};
    if (force) sensor.parts.push_back({Kind::acceleration, train->joint, -train->inertia});
  }
}

void read_sensor(Reading& reading, const Value& table, int index, Columns& columns) {
  const TableReader reader(reading, sensor_table(), table, cat("sensors[", index, "]"),
                           owner_name("sensor", table, index));
  Sensor sensor;
  sensor.place = reader.place();
  sensor.name = reader.text("name").value_or("");
  if (!sensor.name.empty() && !reading.sensors.add(sensor.name)) reader.error("name", "the name is used twice");
  sensor.component = reader.choice("component").value_or(-1);
  if (const std::optional<int> quantity = reader.choice("quantity")) {
    sensor.quantity = static_cast<Quantity>(*quantity);
    read_sensor_subject(reader, sensor);
    read_side(reader, sensor);
    check_columns(reader, sensor, columns);
    check_unit(reader, sensor);
  }
  reading.model.sensors.push_back(std::move(sensor));
}

struct KindOfAnalysis {
  std::string_view name;
  const TableSpec& (*table)();
};
constexpr KindOfAnalysis analysis_kinds[] = {{"modes", modes_table},
                                             {"simulate", simulate_table},
                                             {"equilibrium", equilibrium_table},
                                             {"inverse_dynamics", inverse_dynamics_table},
                                             {"spectrum", spectrum_table},
                                             {"condense", condense_table},
                                             {"sweep", sweep_table},
                                             {"linearise", linearise_table},
                                             {"control", control_study_table}};

constexpr KindOfAnalysis study_kinds[] = {{"size", size_study_table},
                                          {"settle", settle_study_table},
                                          {"contributions", contributions_study_table},
                                          {"shape", shape_study_table},
                                          {"identify", identify_study_table}};

// Settings as the schema types say, defaults included.
void read_settings(const TableReader& reader, const TableSpec& spec, AnalysisRequest& request) {
  for (const KeySpec& key : spec.keys) {
    const std::string name(key.name);
    if (key.type == KeyType::number) {
      if (const auto number = reader.number(key.name)) request.settings.emplace_back(name, *number);
    } else if (key.type == KeyType::integer) {
      if (const auto number = reader.integer(key.name))
        request.settings.emplace_back(name, static_cast<double>(*number));
    } else if (key.type == KeyType::boolean) {
      if (const auto truth = reader.boolean(key.name)) request.settings.emplace_back(name, *truth);
    } else if (key.type == KeyType::switched) {
      if (const auto truth = reader.switched(key.name)) request.settings.emplace_back(name, *truth);
    } else if (key.type == KeyType::choice) {
      const std::optional<int> choice = reader.choice(key.name);
      if (choice) request.settings.emplace_back(name, split_choices(key.choices)[static_cast<std::size_t>(*choice)]);
    } else if (key.type == KeyType::texts) {
      std::vector<std::string> texts;
      for (const Value* text : reader.text_values(key.name)) texts.push_back(text->text);
      if (!texts.empty()) request.settings.emplace_back(name, std::move(texts));
    } else if (key.type == KeyType::tables) {
      continue;  // read by `read_imposed`
    } else if (const auto text = reader.text(key.name)) {
      if (name != "kind") request.settings.emplace_back(name, *text);
    }
  }
}

// Where the file names components, the others are free: NaN.
void free_components(const TableReader& reader, ImposedDisplacement& imposed) {
  if (!reader.has("components")) return;
  static const std::vector<std::string> names = {"x", "y", "z", "rx", "ry", "rz"};
  std::vector<std::string> given;
  for (const Value* value : reader.text_values("components")) given.push_back(value->text);
  for (const std::string& name : given)
    if (std::find(names.begin(), names.end(), name) == names.end())
      reader.error("components", cat("unknown component '", name, "'; expected x, y, z, rx, ry or rz"));
  for (int k = 0; k < 6; ++k) {
    if (std::find(given.begin(), given.end(), names[static_cast<std::size_t>(k)]) != given.end()) continue;
    double& value = (k < 3 ? imposed.displacement : imposed.rotation)[k % 3];
    if (value != 0)
      reader.error("components", cat("component '", names[static_cast<std::size_t>(k)], "' has the value ", value,
                                     ", but is not among the imposed ones"));
    value = std::numeric_limits<double>::quiet_NaN();
  }
}

void read_imposed(const TableReader& analysis, AnalysisRequest& request) {
  int index = 0;
  for (const Value& table : analysis.tables("imposed")) {
    const TableReader reader(analysis.reading(), imposed_table(), table, cat(analysis.path(), ".imposed[", index, "]"),
                             cat("imposed displacement ", index + 1));
    ++index;
    ImposedDisplacement imposed;
    imposed.place = reader.place();
    imposed.displacement = reader.vector("displacement").value_or(Vector3::Zero());
    imposed.rotation = reader.vector("rotation").value_or(Vector3::Zero());
    free_components(reader, imposed);
    const std::optional<LinkNode> at = read_link_node(reader);
    if (!at) continue;
    imposed.link = at->link;
    imposed.node = at->node;
    request.imposed.push_back(std::move(imposed));
  }
}

// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) text += (i + 1 < names.size() ? ", " : " and ") + names[i];
  return text;
}

// As on the command line: an option of other equations is an error, not ignored.
void check_formulation_keys(const TableReader& reader, const AnalysisRequest& request) {
  const std::optional<std::string> formulation = request.text("formulation");
  if (!formulation) return;
  struct Owner {
    std::string_view key, formulations;
  };
  for (const Owner& owner : {Owner{"gauge", "erls_cms|erls_fem"},
                             {"variant", "erls_fem"},
                             {"reference", "floating_frame"},
                             {"geometric_stiffening", "erls_cms|erls_fem|floating_frame"},
                             {"quadratic_elongation", "transfer_functions"}}) {
    const std::vector<std::string> owners = split_choices(owner.formulations);
    if (!reader.has(owner.key) || std::find(owners.begin(), owners.end(), *formulation) != owners.end()) continue;
    reader.error(owner.key,
                 cat("'", owner.key, "' belongs to ", listed(owners), ", but the formulation is ", *formulation));
  }
  if (!request.flag("geometric_stiffening").value_or(false)) return;
  struct Plain {
    const char *key, *value;
  };
  for (const Plain& plain : {Plain{"gauge", "encoder"}, {"variant", "full"}}) {
    const std::string given = request.text(plain.key).value_or(plain.value);
    if (given != plain.value)
      reader.error("geometric_stiffening", cat("geometric stiffening needs the ", plain.key, " '", plain.value,
                                               "'; with '", given, "' it would be left out"));
  }
}

void check_modes(const TableReader& reader) {
  const Value* name = reader.find("link");
  if (!name || name->kind != ValueKind::text || name->text.empty()) return;  // reported with the settings
  const std::optional<int> link = reader.reference("link", reader.reading().links, "link");
  if (!link || !reader.reading().model.links[static_cast<std::size_t>(*link)].rigid) return;
  reader.error("link", cat("link ", display(*reader.find("link")), " is rigid, so it has no elastic modes"));
}

// What would otherwise be found after minutes of simulation.
void check_spectrum(const TableReader& reader, const AnalysisRequest& request) {
  const Model& model = reader.reading().model;
  if (const std::optional<int> index = reader.reference("sensor", reader.reading().sensors, "sensor")) {
    const Sensor& sensor = model.sensors[static_cast<std::size_t>(*index)];
    const bool three = is_vector(sensor.quantity) && sensor.component < 0;
    if (three && !request.text("component"))
      reader.error("sensor", cat("sensor '", sensor.name, "' records three numbers; give the component x, y or z"));
    if (!three && request.text("component"))
      reader.error("component", cat("sensor '", sensor.name, "' records one number, which has no component"));
  }
  const auto simulation =
      std::find_if(model.analyses.rbegin(), model.analyses.rend(),
                   [](const AnalysisRequest& before) { return before.kind == AnalysisKind::simulate; });
  if (simulation == model.analyses.rend())
    return reader.error("kind", "there is no analysis of kind 'simulate' before it");
  const double end =
      std::min(request.number("end_time").value_or(1e300), simulation->number("end_time").value_or(1e300));
  const double start = request.number("start_time").value_or(0);
  if (!(start < end))
    reader.error("start_time",
                 cat("the start time must be before the end of the recording at ", end, " s, got ", start, " s"));
}

// The measurements of `identify`, under the same rules as other files that the model file names.
std::vector<MeasuredData> read_data(const TableReader& reader) {
  std::vector<MeasuredData> data;
  for (const Value* name : reader.text_values("data")) {
    std::string problem;
    const std::optional<NamedFile> file =
        read_file_beside(reader, name->text, reader.reading().file, largest_table_file, problem);
    if (!file) {
      reader.reading().error(*name, reader.path_of("data"),
                             cat(reader.owner(), ": the file ", display(*name), " is not read: ", problem));
      continue;
    }
    try {
      data.push_back(measured_of_text(file->text, file->name));
    } catch (const InputError& error) {
      if (file->outside)
        reader.error("data", cat("the file ", display(*name), " is no measurement"));
      else
        for (const Diagnostic& found : error.errors()) reader.reading().diagnostics.error(found);
    }
  }
  return data;
}

bool read_study(Reading& reading, const Value& table, const std::string& kind, const std::string& path,
                const std::string& owner, const std::vector<Value>& all) {
  for (const KindOfAnalysis& known : study_kinds) {
    if (kind != known.name) continue;
    const TableReader reader(reading, known.table(), table, path, owner);
    StudyRequest request;
    request.kind = kind;
    request.settings.place = reader.place();
    request.after = reading.model.analyses.size();
    read_settings(reader, known.table(), request.settings);
    check_names_of_analysis(reader, known.table(), all);
    if (kind == "identify") request.data = read_data(reader);
    reading.studies.push_back(std::move(request));
    return true;
  }
  return false;
}

void read_analysis(Reading& reading, const Value& table, int index, const std::vector<Value>& all) {
  const std::string path = cat("analyses[", index, "]"), owner = owner_name("analysis", table, index);
  const Value* kind = table.find("kind");
  if (kind && kind->kind == ValueKind::text && read_study(reading, table, kind->text, path, owner, all)) return;
  for (int i = 0; kind && i < static_cast<int>(std::size(analysis_kinds)); ++i) {
    if (kind->kind != ValueKind::text || kind->text != analysis_kinds[i].name) continue;
    const TableSpec& spec = analysis_kinds[i].table();
    const TableReader reader(reading, spec, table, path, owner);
    AnalysisRequest request;
    request.place = reader.place();
    request.kind = static_cast<AnalysisKind>(i);
    read_settings(reader, spec, request);
    check_formulation_keys(reader, request);
    check_names_of_analysis(reader, spec, all);
    if (spec.find("imposed")) read_imposed(reader, request);
    if (request.kind == AnalysisKind::modes) check_modes(reader);
    if (request.kind == AnalysisKind::spectrum) check_spectrum(reader, request);
    reading.model.analyses.push_back(std::move(request));
    return;
  }
  NameList names;
  for (const KindOfAnalysis& known : analysis_kinds) names.add(std::string(known.name));
  for (const KindOfAnalysis& known : study_kinds) names.add(std::string(known.name));
  if (!kind) reading.error(table, path, owner + ": key 'kind' is missing");
  if (kind) {
    reading.error(*kind, path + ".kind", cat(owner, ": unknown kind ", display(*kind), names.hint(kind->text)));
  }
}

void read_target(Reading& reading, const Value& table, int index) {
  const TableReader reader(reading, target_table(), table, cat("initial.targets[", index, "]"),
                           cat("target ", index + 1));
  PoseTarget target;
  target.place = reader.place();
  target.position = reader.vector("position").value_or(Vector3::Zero());
  target.orientation = reader.orientation("orientation");
  const std::optional<LinkNode> at = read_link_node(reader);
  if (!at) return;
  target.link = at->link;
  target.node = at->node;
  reading.model.initial_configuration.targets.push_back(std::move(target));
}

}  // namespace

void read_drives(Reading& reading, const TableReader& file) {
  std::set<std::pair<int, int>> prescribed;
  int index = 0;
  for (const Value& table : file.tables("drives")) read_drive(reading, table, index++, prescribed);
}

void read_loads(Reading& reading, const TableReader& file) {
  int index = 0;
  for (const Value& table : file.tables("loads")) read_load(reading, table, index++);
}

void read_sensors(Reading& reading, const TableReader& file) {
  int index = 0;
  std::map<std::string, std::string> columns = {{"time", ""}};  // and the sensor that fills them
  for (const Value& table : file.tables("sensors")) read_sensor(reading, table, index++, columns);
}

void read_analyses(Reading& reading, const TableReader& file) {
  int index = 0;
  const std::vector<Value>& all = file.tables("analyses");
  for (const Value& table : all) read_analysis(reading, table, index++, all);
}

void read_initial_configuration(Reading& reading, const TableReader& file) {
  const Value* table = file.find("initial");
  if (!table || !expect_table(reading, *table, "initial")) return;
  const TableReader reader(reading, initial_table(), *table, "initial", "initial");
  reading.model.initial_configuration.static_equilibrium = reader.boolean("static_equilibrium").value_or(false);
  int index = 0;
  for (const Value& target : reader.tables("targets")) read_target(reading, target, index++);
}

}  // namespace lithe
