// References, controllers and how they are judged.
#include <algorithm>
#include <memory>

#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/model/control_setup.h"
#include "lithe/model/sensor_unit.h"
#include "lithe/read/parts.h"

namespace lithe {
namespace {

constexpr std::string_view kinds[] = {"pid", "lqg", "predictive", "output_feedback", "mixed_norm", "external"};

// The index of a sensor that reads one number.
std::optional<int> read_sensor_name(const TableReader& reader, const Value& value, std::string_view key) {
  Reading& reading = reader.reading();
  const std::optional<int> index = reader.find_name(value, key, reading.sensors, "sensor");
  if (!index) return std::nullopt;
  const Sensor& sensor = reading.model.sensors[static_cast<std::size_t>(*index)];
  if (!is_vector(sensor.quantity) || sensor.component >= 0) return index;
  reading.error(value, reader.path_of(key),
                cat(reader.owner(), ": sensor ", display(value), " reads three numbers; give it a component"));
  return std::nullopt;
}

std::optional<int> read_sensor_key(const TableReader& reader, std::string_view key) {
  if (!reader.has(key) || !reader.text(key)) return std::nullopt;
  return read_sensor_name(reader, *reader.find(key), key);
}

class ControlReader {
 public:
  explicit ControlReader(Reading& reading) : reading_(reading) {}
  void read_reference(const Value& table, int index);
  void read_controller(const Value& table, int index);
  void read_judgement(const Value& table);
  ControlSetup setup;

 private:
  void read_s_curve(const TableReader& reader, Reference& reference);
  void follow_moves(const TableReader& reader, const Sensor& sensor);
  void read_actuators(const TableReader& reader, ControllerSetup& c);
  void read_names(const TableReader& reader, ControllerSetup& c);
  void check_references(const TableReader& reader, const ControllerSetup& c);
  void read_numbers(const TableReader& reader, ControllerSetup& c);
  void read_pid(const TableReader& reader, ControllerSetup& c);
  void read_model_based(const TableReader& reader, ControllerSetup& c);
  void read_output_limits(const TableReader& reader, ControllerSetup& c);
  void read_shaper(const TableReader& reader, ControllerSetup& c);
  void read_delayed(const TableReader& reader, ControllerSetup& c);
  void read_external(const TableReader& reader, ControllerSetup& c);
  void read_address(const TableReader& reader, ControllerSetup& c);
  void check_keys(const TableReader& reader, ControllerKind kind);
  std::vector<double> list(const TableReader& reader, std::string_view key, std::size_t count, std::string_view per);

  Reading& reading_;
  NameList references_, controllers_;
};

void ControlReader::read_s_curve(const TableReader& reader, Reference& reference) {
  const Value& table = *reader.find("s_curve");
  if (!expect_table(reading_, table, reader.path_of("s_curve"))) return;
  const TableReader part(reading_, s_curve_table(), table, reader.path_of("s_curve"), cat(reader.owner(), ": s_curve"));
  const std::string_view unit =
      unit_of(reading_.model, reading_.model.sensors[static_cast<std::size_t>(reference.sensor)]);
  SCurveMove move;
  move.start_time = part.number("start_time").value_or(0);
  move.start_value = part.number("start_value", unit).value_or(0);
  move.end_value = part.number("end_value", unit).value_or(0);
  move.max_speed = part.number("max_speed").value_or(1);
  move.max_acceleration = part.number("max_acceleration").value_or(1);
  move.max_jerk = part.number("max_jerk").value_or(1);
  reference.s_curve = move;
}

// The sensor reads the value of a joint that a move drives, or that of its motor.
void ControlReader::follow_moves(const TableReader& reader, const Sensor& sensor) {
  MoveReference follower{static_cast<int>(setup.references.size()), sensor.joint, 1};
  bool is_value = sensor.quantity == Quantity::joint_value && sensor.parts.empty();
  if (sensor.quantity == Quantity::joint_value && sensor.parts.size() == 1 &&
      sensor.parts[0].kind == SensorPart::Kind::value) {
    follower.joint = sensor.parts[0].joint;
    follower.factor = sensor.parts[0].factor;
    is_value = true;
  }
  if (!is_value)
    return reader.error("moves", cat("a move plans values of joints; sensor '", sensor.name, "' reads no such value"));
  for (const Move& move : reading_.moves)
    if (std::find(move.joints.begin(), move.joints.end(), follower.joint) != move.joints.end())
      return reading_.move_references.push_back(follower);
  if (reading_.diagnostics.any()) return;  // perhaps the move has errors
  reader.error("moves", cat("no move drives joint '",
                            reading_.model.joints[static_cast<std::size_t>(follower.joint)].name, "'"));
}

void ControlReader::read_reference(const Value& table, int index) {
  const TableReader reader(reading_, reference_table(), table, cat("references[", index, "]"),
                           owner_name("reference", table, index));
  Reference reference;
  reference.place = reader.place();
  reference.name = reader.text("name").value_or("");
  if (reference.name.empty()) {
    references_.add_unnamed();
  } else if (!references_.add(reference.name)) {
    reader.error("name", "the name is used twice");
    references_.add_unnamed();
  }
  if (const auto sensor = read_sensor_key(reader, "sensor")) {
    reference.sensor = *sensor;
    const std::string_view unit = unit_of(reading_.model, reading_.model.sensors[static_cast<std::size_t>(*sensor)]);
    const bool of_moves = reader.boolean("moves").value_or(false);
    const int count = static_cast<int>(reader.has("signal")) + static_cast<int>(reader.has("s_curve")) + of_moves;
    if (count != 1) reader.error(cat("exactly one of signal, s_curve and moves is needed, got ", count));
    if (of_moves) follow_moves(reader, reading_.model.sensors[static_cast<std::size_t>(*sensor)]);
    if (reader.has("signal"))
      reference.signal =
          read_signal(reading_, *reader.find("signal"), unit, reader.path_of("signal"), cat(reader.owner(), ": signal"))
              .value_or(SignalConstant{});
    if (reader.has("s_curve")) read_s_curve(reader, reference);
  }
  setup.references.push_back(std::move(reference));
}

// Exactly `count` numbers, one per joint or measurement; nothing when the key is absent.
std::vector<double> ControlReader::list(const TableReader& reader, std::string_view key, std::size_t count,
                                        std::string_view per) {
  if (!reader.has(key)) return {};
  const Value& value = *reader.find(key);
  const std::size_t given = value.kind == ValueKind::array ? value.items.size() : 1;
  if (given != count) {
    reader.error(key,
                 cat(reader.label(key), " needs one number per ", per, ", that is ", count, ", got ", display(value)));
    return {};
  }
  return reader.numbers(key);
}

void ControlReader::read_actuators(const TableReader& reader, ControllerSetup& c) {
  for (const Value* name : reader.text_values("joints")) {
    const std::optional<int> joint = reader.find_name(*name, "joints", reading_.joints, "joint");
    if (!joint) continue;
    const Joint& found = reading_.model.joints[static_cast<std::size_t>(*joint)];
    if (num_freedoms(found.type) != 1) {
      reading_.error(*name, reader.path_of("joints"),
                     cat(reader.owner(), ": joint ", display(*name), " has ", num_freedoms(found.type),
                         " degrees of freedom; a controller drives joints of one"));
      continue;
    }
    for (const Drive& drive : reading_.model.drives)
      if (drive.prescribes_motion && drive.joint == *joint)
        reading_.error(*name, reader.path_of("joints"),
                       cat(reader.owner(), ": the motion of joint ", display(*name), " is prescribed by a drive"));
    c.actuators.push_back({*joint, 0});
  }
}

void ControlReader::read_names(const TableReader& reader, ControllerSetup& c) {
  read_actuators(reader, c);
  for (const Value* name : reader.text_values("measurements"))
    if (const auto sensor = read_sensor_name(reader, *name, "measurements")) c.measurements.push_back(*sensor);
  for (const Value* name : reader.text_values("references"))
    if (const auto reference = reader.find_name(*name, "references", references_, "reference"))
      c.references.push_back(*reference);
}

void ControlReader::check_references(const TableReader& reader, const ControllerSetup& c) {
  if (c.kind == ControllerKind::external) return;
  if (c.references.size() != c.actuators.size()) {
    const std::string message =
        cat("one reference per joint is needed, that is ", c.actuators.size(), ", got ", c.references.size());
    if (reader.has("references")) {
      reader.error("references", message);
    } else {
      reader.error(message);
    }
    return;
  }
  for (std::size_t i = 0; i < c.references.size(); ++i) {
    const Reference& reference = setup.references[static_cast<std::size_t>(c.references[i])];
    bool read = false;
    for (const int sensor : c.measurements) read = read || sensor == reference.sensor;
    if (!read)
      reader.error("references", cat("reference '", reference.name, "' is about sensor '",
                                     reading_.model.sensors[static_cast<std::size_t>(reference.sensor)].name,
                                     "', which is not among the measurements"));
  }
}

// Keys that another type has.
void ControlReader::check_keys(const TableReader& reader, ControllerKind kind) {
  struct Owner {
    std::string_view key;
    std::vector<ControllerKind> kinds;
  };
  using K = ControllerKind;
  static const std::vector<K> with_model{K::lqg, K::predictive, K::output_feedback, K::mixed_norm};
  static const std::vector<Owner> owners{
      {"proportional", {K::pid}},
      {"integral", {K::pid}},
      {"derivative", {K::pid}},
      {"filter_time", {K::pid}},
      {"feedforward", {K::pid}},
      {"bandwidth", {K::pid}},
      {"settling_time", {K::pid, K::lqg, K::predictive, K::output_feedback}},
      {"allowed_errors", with_model},
      {"allowed_efforts", with_model},
      {"disturbances", with_model},
      {"measurement_noise", with_model},
      {"rejects_disturbance", {K::lqg, K::predictive, K::mixed_norm}},
      {"horizon", {K::predictive}},
      {"rate_limits", {K::predictive}},
      {"output_limits", {K::predictive}},
      {"softness", {K::predictive}},
      {"peak_gain", {K::output_feedback, K::mixed_norm}},
      {"peak_gain_ratio", {K::mixed_norm}},
      {"order", {K::mixed_norm}},
      {"postures", {K::pid, K::lqg, K::predictive, K::output_feedback, K::mixed_norm}},
      {"delayed_reference", {K::pid, K::lqg, K::output_feedback, K::mixed_norm, K::external}},
      {"command", {K::external}},
      {"address", {K::external}},
      {"protocol", {K::external}},
      {"timeout", {K::external}}};
  for (const Owner& owner : owners) {
    if (!reader.has(owner.key)) continue;
    bool fits_kind = false;
    for (const K k : owner.kinds) fits_kind = fits_kind || k == kind;
    if (!fits_kind)
      reader.error(owner.key, cat("'", owner.key, "' does not belong to type ", kinds[static_cast<std::size_t>(kind)]));
  }
}

void ControlReader::read_numbers(const TableReader& reader, ControllerSetup& c) {
  c.sample_time = reader.number("sample_time").value_or(1e-3);
  c.delay = reader.number("delay").value_or(0);
  c.seed = static_cast<std::uint64_t>(reader.integer("seed").value_or(1));
  c.configurations = static_cast<int>(reader.integer("postures").value_or(1));
  c.settling_time = reader.number("settling_time");
  constexpr double shortest = 1e-9, most_delayed = 1e4, most_settling = 1e6;  // s; samples that are kept
  if (c.sample_time > 0 && c.sample_time < shortest)
    reader.error("sample_time", cat("sample_time must be at least ", shortest, " s, got ", c.sample_time, " s"));
  const auto limit = [&](const char* key, double duration, double most) {
    if (const double samples = duration / c.sample_time; samples > most)
      reader.error(key, cat("'", key, "' lasts ", samples, " samples of ", c.sample_time, " s; at most ", most));
  };
  if (c.sample_time >= shortest) limit("delay", c.delay, most_delayed);
  if (c.sample_time >= shortest) limit("settling_time", c.settling_time.value_or(0), most_settling);
  c.bandwidth = reader.number("bandwidth");
  c.quantisation = list(reader, "quantisation", c.measurements.size(), "measurement");
  c.noise = list(reader, "noise", c.measurements.size(), "measurement");
  std::vector<std::string_view> units;
  for (const Actuator& a : c.actuators)
    units.push_back(is_rotation(reading_.model.joints[static_cast<std::size_t>(a.joint)].type, a.freedom) ? "N m"
                                                                                                          : "N");
  const auto of_joints = [&](std::string_view key) -> std::vector<double> {
    if (!reader.has(key)) return {};
    const Value& value = *reader.find(key);
    const std::size_t given = value.kind == ValueKind::array ? value.items.size() : 1;
    if (given == units.size()) return reader.numbers(key, units);
    reader.error(
        key, cat(reader.label(key), " needs one number per joint, that is ", units.size(), ", got ", display(value)));
    return {};
  };
  c.limits = of_joints("limits");
  c.model_based.allowed_efforts = of_joints("allowed_efforts");
  c.model_based.disturbances = of_joints("disturbances");
}

void ControlReader::read_pid(const TableReader& reader, ControllerSetup& c) {
  c.pid.proportional = list(reader, "proportional", c.actuators.size(), "joint");
  c.pid.integral = list(reader, "integral", c.actuators.size(), "joint");
  c.pid.derivative = list(reader, "derivative", c.actuators.size(), "joint");
  c.pid.filter_time = reader.number("filter_time").value_or(0);
  c.pid.feedforward = reader.boolean("feedforward").value_or(true);
  if (c.kind != ControllerKind::pid) return;
  const int ways = static_cast<int>(reader.has("proportional")) + static_cast<int>(c.settling_time.has_value()) +
                   static_cast<int>(c.bandwidth.has_value());
  if (ways != 1)
    reader.error(cat("exactly one of proportional, settling_time and bandwidth is needed (type pid), got ", ways));
}

void ControlReader::read_output_limits(const TableReader& reader, ControllerSetup& c) {
  const Value* value = reader.find("output_limits");
  if (!value) return;
  if (value->kind != ValueKind::array || value->items.size() != c.measurements.size()) {
    reader.error("output_limits", cat("output_limits needs one pair [low, high] per measurement, that is ",
                                      c.measurements.size(), ", got ", display(*value)));
    return;
  }
  const std::string what = reader.owner() + ": output_limits", path = reader.path_of("output_limits");
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    const Value& pair = value->items[i];
    c.model_based.output_limits.emplace_back(-infinite, infinite);
    if (pair.kind == ValueKind::array && pair.items.empty()) continue;
    if (pair.kind != ValueKind::array || pair.items.size() != 2) {
      reader.error("output_limits", cat("output_limits must be pairs [low, high], got ", display(pair)));
      continue;
    }
    const std::string_view unit =
        unit_of(reading_.model, reading_.model.sensors[static_cast<std::size_t>(c.measurements[i])]);
    const auto low = read_number(reading_, pair.items[0], unit, any_value, path, what);
    const auto high = read_number(reading_, pair.items[1], unit, any_value, path, what);
    if (!low || !high) continue;
    if (!(*low < *high))
      reader.error("output_limits", cat("the lower limit must be below the upper one, got ", display(pair)));
    c.model_based.output_limits.back() = {*low, *high};
  }
}

void ControlReader::read_model_based(const TableReader& reader, ControllerSetup& c) {
  ModelBasedSetup& m = c.model_based;
  m.design_modes = reader.integer("design_modes").value_or(3);
  m.allowed_errors = list(reader, "allowed_errors", c.measurements.size(), "measurement");
  m.measurement_noise = list(reader, "measurement_noise", c.measurements.size(), "measurement");
  m.rejects_disturbance = reader.boolean("rejects_disturbance").value_or(true);
  m.horizon = reader.integer("horizon").value_or(30);
  m.rate_limits = list(reader, "rate_limits", c.actuators.size(), "joint");
  m.softness = reader.number("softness").value_or(0);
  m.peak_gain = reader.number("peak_gain");
  m.peak_gain_ratio = reader.number("peak_gain_ratio");
  m.order = static_cast<int>(reader.integer("order").value_or(0));
  if (m.peak_gain && m.peak_gain_ratio)
    reader.error("peak_gain_ratio", "peak_gain and peak_gain_ratio are two ways to say the same; give one of them");
  read_output_limits(reader, c);
  if (c.kind == ControllerKind::pid || c.kind == ControllerKind::external) return;
  for (const std::string_view key : {"allowed_errors", "allowed_efforts"})
    if (!reader.has(key))
      reader.error(cat("key '", key, "' is missing (type ", kinds[static_cast<std::size_t>(c.kind)], ")"));
  bool weighs = m.allowed_errors.empty();
  for (const double error : m.allowed_errors) weighs = weighs || error > 0;
  if (!weighs) reader.error("allowed_errors", "at least one allowed error must not be 0");
}

void ControlReader::read_shaper(const TableReader& reader, ControllerSetup& c) {
  const Value* table = reader.find("shaper");
  if (!table || !expect_table(reading_, *table, reader.path_of("shaper"))) return;
  const TableReader part(reading_, shaper_table(), *table, reader.path_of("shaper"), cat(reader.owner(), ": shaper"));
  if (const auto type = part.choice("type")) c.shaping.kind = static_cast<ShaperKind>(*type + 1);
  c.shaping.frequency = part.number("frequency");
  c.shaping.damping_ratio = part.number("damping_ratio").value_or(0);
  c.shaping.tolerance = part.number("tolerance").value_or(0.05);
}

void ControlReader::read_delayed(const TableReader& reader, ControllerSetup& c) {
  const Value* table = reader.find("delayed_reference");
  if (!table || !expect_table(reading_, *table, reader.path_of("delayed_reference"))) return;
  const TableReader part(reading_, delayed_reference_table(), *table, reader.path_of("delayed_reference"),
                         cat(reader.owner(), ": delayed_reference"));
  c.delayed_reference.gain = part.number("gain").value_or(0);
  c.delayed_reference.least_speed = part.number("least_speed").value_or(0.01);
  if (const auto sensor = read_sensor_key(part, "sensor")) c.delayed_reference.sensor = *sensor;
}

void ControlReader::read_external(const TableReader& reader, ControllerSetup& c) {
  for (const Value* word : reader.text_values("command")) c.external.command.push_back(word->text);
  c.external.timeout = reader.number("timeout").value_or(1);
  if (const auto protocol = reader.choice("protocol")) c.external.binary = *protocol == 1;
  read_address(reader, c);
  if (c.kind == ControllerKind::external && c.external.command.empty() && !reader.has("address"))
    reader.error("one of the keys 'command' and 'address' is needed (type external)");
}

// `unix:PATH` or `127.0.0.1:PORT`: a simulation talks to no other machine.
void ControlReader::read_address(const TableReader& reader, ControllerSetup& c) {
  const auto address = reader.text("address");
  if (!address) return;
  const std::string unix_prefix = "unix:", loopback = "127.0.0.1:";
  if (address->rfind(unix_prefix, 0) == 0) {
    c.external.socket_path = address->substr(unix_prefix.size());
    if (!c.external.socket_path.empty() && c.external.socket_path.size() < 108) return;
    reader.error("address", "the path of a Unix socket must have 1 to 107 characters");
    return;
  }
  const std::string port = address->rfind(loopback, 0) == 0 ? address->substr(loopback.size()) : "";
  const bool digits = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
  c.external.port = digits ? std::stoi(port) : 0;
  if (c.external.port < 1 || c.external.port > 65535)
    reader.error("address", cat("the address must be unix:PATH or 127.0.0.1:PORT, got '", *address, "'"));
}

void ControlReader::read_controller(const Value& table, int index) {
  const TableReader reader(reading_, controller_table(), table, cat("controllers[", index, "]"),
                           owner_name("controller", table, index));
  ControllerSetup c;
  c.place = reader.place();
  c.name = reader.text("name").value_or("");
  if (c.name.empty()) {
    controllers_.add_unnamed();
  } else if (!controllers_.add(c.name)) {
    reader.error("name", "the name is used twice");
    controllers_.add_unnamed();
  }
  const std::optional<int> kind = reader.choice("type");
  const std::size_t before = reading_.diagnostics.errors().size();
  read_names(reader, c);
  if (kind && reading_.diagnostics.errors().size() == before) {
    c.kind = static_cast<ControllerKind>(*kind);
    check_references(reader, c);
    check_keys(reader, c.kind);
    read_numbers(reader, c);
    read_pid(reader, c);
    read_model_based(reader, c);
    read_shaper(reader, c);
    read_delayed(reader, c);
    read_external(reader, c);
  }
  setup.controllers.push_back(std::move(c));
}

void ControlReader::read_judgement(const Value& table) {
  if (!expect_table(reading_, table, "control")) return;
  const TableReader reader(reading_, control_table(), table, "control", "control");
  ControlJudgement& j = setup.judgement;
  j.place = reader.place();
  for (const Value* name : reader.text_values("active"))
    if (const auto controller = reader.find_name(*name, "active", controllers_, "controller"))
      setup.active.push_back(*controller);
  if (const auto sensor = read_sensor_key(reader, "sensor")) j.sensor = *sensor;
  if (const auto sensor = read_sensor_key(reader, "deflection")) j.deflection = *sensor;
  const bool by_reference = !reader.has("sensor") && !setup.references.empty();
  const int judged = by_reference ? setup.references.front().sensor : j.sensor;
  const std::vector<Sensor>& sensors = reading_.model.sensors;  // a reference may name one that is not there
  const bool known = judged >= 0 && judged < static_cast<int>(sensors.size());
  const std::string_view unit = known ? unit_of(reading_.model, sensors[static_cast<std::size_t>(judged)]) : "";
  j.settling_band = reader.number("settling_band", unit).value_or(1e-3);
  j.payload_change = reader.number("payload_change").value_or(0.2);
  const auto link = reader.reference("payload_link", reading_.links, "link");
  if (reader.has("payload_link") != reader.has("payload_node"))
    reader.error("payload_link and payload_node belong together");
  if (!link) return;
  const auto at = static_cast<std::size_t>(*link);
  const auto node = reader.reference("payload_node", reading_.link_nodes[at], "node",
                                     cat(" of link '", reading_.model.links[at].name, "'"));
  if (!node) return;
  j.payload_link = *link;
  j.payload_node = *node;
  double mass = 0;
  for (const LumpedMass& lumped : reading_.model.links[at].lumped_masses)
    if (lumped.node == *node) mass += lumped.mass;
  if (!(mass > 0)) reader.error("payload_node", "there is no mass at the payload node");
}

}  // namespace

void read_control(Reading& reading, const TableReader& file) {
  ControlReader control(reading);
  int index = 0;
  for (const Value& table : file.tables("references")) control.read_reference(table, index++);
  index = 0;
  for (const Value& table : file.tables("controllers")) control.read_controller(table, index++);
  if (const Value* table = file.find("control")) control.read_judgement(*table);
  if (control.setup.controllers.empty() && control.setup.references.empty()) return;
  if (control.setup.active.empty() && !control.setup.controllers.empty()) control.setup.active = {0};
  reading.model.control = std::make_shared<const ControlSetup>(std::move(control.setup));
}

}  // namespace lithe
