// [[moves]]: waypoints, profiles and limits; plan/ makes motions of them when the whole file has been read.
#include <algorithm>
#include <cmath>

#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/plan/plan_moves.h"
#include "lithe/read/parts.h"
#include "lithe/read/tables/csv_table.h"
#include "lithe/read/tables/input_file.h"

namespace lithe {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();

class MoveReader {
 public:
  MoveReader(Reading& reading, const Value& table, int index)
      : reading_(reading),
        reader_(reading, move_table(), table, cat("moves[", index, "]"), owner_name("move", table, index)) {
    move_.place = reader_.place();
    move_.name = reader_.has("name") ? reader_.text("name").value_or("") : cat("move ", index + 1);
  }

  void read() {
    const std::size_t errors = reading_.diagnostics.errors().size();
    read_subject();
    read_timing();
    read_limits();
    if (reader_.has("table")) {
      if (reader_.has("waypoints")) reader_.error("table", "either 'waypoints' or 'table' is needed, not both");
      read_table();
    } else if (!reader_.has_or_means("waypoints")) {
      reader_.error("key 'waypoints' is missing");
    } else {
      read_waypoints();
    }
    if (reading_.diagnostics.errors().size() == errors) reading_.moves.push_back(std::move(move_));
  }

 private:
  const Joint& joint(std::size_t k) const { return reading_.model.joints[static_cast<std::size_t>(move_.joints[k])]; }
  std::vector<std::string_view> units(std::string_view key, const TableSpec& table) const {
    std::vector<std::string_view> result;
    for (std::size_t k = 0; k < move_.joints.size(); ++k)
      result.push_back(unit_of_freedom(table.find(key)->unit, is_rotation(joint(k).type, 0)));
    return result;
  }

  void read_subject() {
    const Value* named = reader_.find("joints");
    if (named && named->kind == ValueKind::array && named->items.empty())
      reader_.error("joints", "'joints' names none; left out, it means all joints on the way to the tool");
    for (const Value* name : reader_.text_values("joints")) {
      const std::optional<int> index = reader_.find_name(*name, "joints", reading_.joints, "joint");
      if (!index) continue;
      const Joint& found = reading_.model.joints[static_cast<std::size_t>(*index)];
      if (num_freedoms(found.type) != 1)
        reading_.error(*name, reader_.path_of("joints"),
                       cat(reader_.owner(), ": joint ", display(*name), " has ", num_freedoms(found.type),
                           " degrees of freedom; a move drives joints of one"));
      else if (std::find(move_.joints.begin(), move_.joints.end(), *index) != move_.joints.end())
        reading_.error(*name, reader_.path_of("joints"),
                       cat(reader_.owner(), ": joint ", display(*name), " is named twice"));
      else
        move_.joints.push_back(*index);
    }
    if (!reader_.has("link") && !reader_.has("node")) {
      if (!reader_.has_or_means("joints"))
        reader_.error("key 'joints' is missing; a move of the tool has 'link' and 'node'");
      return;
    }
    for (const char* key : {"link", "node"})
      if (!reader_.has_or_means(key)) reader_.error(cat("key '", key, "' is missing"));
    const std::optional<int> link = reader_.reference("link", reading_.links, "link");
    if (!link) return;
    const std::optional<int> node =
        reader_.reference("node", reading_.link_nodes[static_cast<std::size_t>(*link)], "node",
                          cat(" of link '", reading_.model.links[static_cast<std::size_t>(*link)].name, "'"));
    if (!node) return;
    move_.link = *link;
    move_.node = *node;
    if (reader_.has_or_means("joints")) return;
    move_.joints = joints_to_tool(reading_.model, *link);
    if (move_.joints.empty()) reader_.error("key 'joints' is missing: which of them lead to the tool is not clear");
  }

  bool of_tool() const { return reader_.has("link") || reader_.has("node"); }

  void read_timing() {
    move_.profile = static_cast<MoveProfile>(reader_.choice("profile").value_or(1));
    move_.start_time = reader_.number("start_time");
    move_.pause = reader_.number("pause").value_or(0);
    move_.duration = reader_.number("duration");
    if (reader_.has("start_time") && reader_.has("pause"))
      reader_.error("pause", "'pause' is the time after the move before; it does not go with 'start_time'");
    if (move_.profile == MoveProfile::time_optimal && reader_.has("duration"))
      reader_.error("duration", "a time-optimal move finds its duration itself");
    if (move_.profile == MoveProfile::spline && of_tool())
      reader_.error("profile", "a spline goes through joint values; the tool goes on lines and arcs");
  }

  // One value for all joints, or one per joint. What is left out is what motors allow, unless the move has a duration:
  // whether they can do that is what `lithe size` answers.
  std::vector<double> joint_limits(std::string_view key, double (*of_motor)(const DriveTrain&)) {
    std::vector<double> result(std::max<std::size_t>(move_.joints.size(), 1), none);
    for (const DriveTrain& train : reading_.drive_trains)
      for (std::size_t k = 0; k < move_.joints.size(); ++k)
        if (train.joint == move_.joints[k] && of_motor && !move_.duration) result[k] = of_motor(train);
    const Value* value = reader_.find(key);
    if (!value) return result;
    const KeySpec& spec = *move_table().find(key);
    const bool list = value->kind == ValueKind::array;
    if (move_.joints.empty()) return result;
    const std::vector<std::string_view> unit = units(key, move_table());
    if (list && value->items.size() != unit.size()) {
      reader_.error(key, cat(reader_.label(key), " must be one number or ", unit.size(), ", one per joint, got ",
                             display(*value)));
      return result;
    }
    for (std::size_t k = 0; k < result.size(); ++k) {
      const auto read = read_number(reading_, list ? value->items[k] : *value, unit[k], spec.range,
                                    reader_.path_of(key), cat(reader_.owner(), ": ", reader_.label(key)));
      if (!read) return result;
      result[k] = *read;
    }
    return result;
  }

  // Torque-speed lines of the motors, at the joint.
  void read_motor_lines() {
    move_.motor_lines.resize(move_.joints.size());
    for (const DriveTrain& train : reading_.drive_trains)
      for (std::size_t k = 0; k < move_.joints.size(); ++k)
        if (train.joint == move_.joints[k] && train.stall_torque && train.no_load_speed)
          move_.motor_lines[k] = {*train.stall_torque * train.ratio, *train.no_load_speed / train.ratio};
  }

  void read_limits() {
    const std::vector<double> speeds = joint_limits("joint_speed",
                                                    [](const DriveTrain&train) {
                                                      return train.max_speed ? *train.max_speed / train.ratio : none;
                                                    }),
                              accelerations = joint_limits("joint_acceleration", nullptr),
                              jerks = joint_limits("joint_jerk", nullptr);
    move_.joint_torques = joint_limits("joint_torque", [](const DriveTrain& train) {
      return std::min(train.max_torque ? *train.max_torque * train.ratio : none, train.gear_max_torque.value_or(none));
    });
    for (std::size_t k = 0; k < speeds.size(); ++k)
      move_.joint_limits.push_back({speeds[k], accelerations[k], jerks[k]});
    read_motor_lines();
    for (const char* key : {"speed", "acceleration", "jerk"})
      if (reader_.has(key) && !of_tool())
        reader_.error(key, cat("'", key, "' is that of a tool; joints have 'joint_", key, "'"));
    move_.tool_limits = {reader_.number("speed").value_or(none), reader_.number("acceleration").value_or(none),
                         reader_.number("jerk").value_or(none)};
    if (move_.duration || reader_.has("table")) return;
    if (move_.profile == MoveProfile::s_curve || move_.profile == MoveProfile::trapezoid) {
      const auto given = [&](std::string_view joint_key, std::string_view key) {
        return reader_.has(joint_key) || (of_tool() && reader_.has(key));
      };
      const bool speed = given("joint_speed", "speed") ||
                         std::none_of(speeds.begin(), speeds.end(), [](double v) { return std::isinf(v); });
      const bool jerk = move_.profile == MoveProfile::trapezoid || given("joint_jerk", "jerk");
      if (speed && jerk && given("joint_acceleration", "acceleration")) return;
      reader_.error(cat("it needs 'duration', or limits to be the fastest within: of speed, acceleration",
                        move_.profile == MoveProfile::s_curve ? " and jerk" : "", " (",
                        of_tool() ? "speed, acceleration, ... of the tool, or " : "", "joint_speed, joint_acceleration",
                        move_.profile == MoveProfile::s_curve ? ", joint_jerk" : "", ")"));
    }
  }

  void read_waypoints() {
    int number = 0;
    for (const Value& table : reader_.tables("waypoints")) {
      const TableReader reader(reading_, waypoint_table(), table, cat(reader_.path(), ".waypoints[", number, "]"),
                               cat(reader_.owner(), ": waypoint ", number + 1));
      ++number;
      MoveWaypoint waypoint;
      waypoint.place = reader.place();
      for (const char* key : {"position", "orientation", "via", "blend"})
        if (reader.has(key) && !of_tool())
          reader.error(key, cat("'", key, "' is of a tool, which is named by 'link' and 'node' of the move"));
      if (of_tool()) {
        if (reader.has("joints")) reader.error("joints", "the move is that of a tool; give 'position'");
        if (!reader.has_or_means("position")) reader.error("key 'position' is missing");
        waypoint.position = reader.vector("position").value_or(Vector3::Zero());
        waypoint.orientation = reader.orientation("orientation");
        waypoint.via = reader.vector("via");
        waypoint.blend = reader.number("blend").value_or(0);
      } else {
        if (!reader.has_or_means("joints")) reader.error("key 'joints' is missing");
        read_joint_values(reader, waypoint);
      }
      move_.waypoints.push_back(std::move(waypoint));
    }
    if (number == 0) reader_.error("waypoints", "a move needs one waypoint or more");
  }

  void read_joint_values(const TableReader& reader, MoveWaypoint& waypoint) {
    const Value* value = reader.find("joints");
    if (!value || move_.joints.empty()) return;
    const std::vector<std::string_view> unit = units("joints", waypoint_table());
    const std::size_t count = value->kind == ValueKind::array ? value->items.size() : 1;
    if (count != unit.size())
      return reader.error("joints", cat("joints needs one value per joint of the move, that is ", unit.size(), ", got ",
                                        display(*value)));
    waypoint.joints = reader.numbers("joints", unit);
  }

  void read_table() {
    if (of_tool()) return reader_.error("table", "a table has joint values; the tool goes on lines and arcs");
    const std::optional<NamedFile> file = read_named_file(reader_, "table", largest_table_file);
    if (!file) return;
    Diagnostics errors;
    const CsvTable csv = parse_csv(file->text, file->name, errors, {.quotes_content = !file->outside});
    for (const Diagnostic& error : errors.errors()) reading_.diagnostics.error(error);
    if (errors.any()) return;
    if (csv.columns.size() != move_.joints.size() + 1)
      return reader_.error("table", cat("the table needs a column of times and one per joint, that is ",
                                        move_.joints.size() + 1, ", but has ", csv.columns.size()));
    move_.table_times = csv.columns[0];
    if (move_.table_times.size() < 2) return reader_.error("table", "the table needs two rows or more");
    for (std::size_t i = 0; i < move_.table_times.size(); ++i)
      if (i == 0 ? move_.table_times[0] != 0 : !(move_.table_times[i] > move_.table_times[i - 1])) {
        reading_.diagnostics.error({.file = file->name,
                                    .line = csv.lines[i],
                                    .column = csv.place_of(i, 0),
                                    .path = {},
                                    .message = i == 0 ? "times must begin with 0" : "times must increase"});
        return;
      }
    move_.table_values.assign(csv.columns.begin() + 1, csv.columns.end());
  }

  Reading& reading_;
  TableReader reader_;
  Move move_;
};

}  // namespace

void read_moves(Reading& reading, const TableReader& file) {
  int index = 0;
  for (const Value& table : file.tables("moves")) MoveReader(reading, table, index++).read();
}

}  // namespace lithe
