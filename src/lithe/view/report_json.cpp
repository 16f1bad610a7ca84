#include "lithe/view/report_json.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "lithe/model/sections/section_stress.h"

namespace lithe {
namespace {

using Json = nlohmann::json;

std::string base64(const std::vector<unsigned char>& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](std::size_t k) { return k < bytes.size() ? static_cast<std::uint32_t>(bytes[k]) : 0U; };
    const std::uint32_t word = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    text += digits[word >> 18];
    text += digits[word >> 12 & 63];
    text += i + 1 < bytes.size() ? digits[word >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? digits[word & 63] : '=';
  }
  return text;
}

template <class Number, class Word>
std::string packed(const double* values, std::size_t count) {
  std::vector<unsigned char> bytes(count * sizeof(Number));
  for (std::size_t i = 0; i < count; ++i) {
    const Word word = std::bit_cast<Word>(static_cast<Number>(values[i]));
    for (std::size_t k = 0; k < sizeof(Number); ++k)
      bytes[i * sizeof(Number) + k] = static_cast<unsigned char>(word >> (8 * k));
  }
  return base64(bytes);
}

// Floats for what is drawn, doubles for times, which may be close together.
Json floats(const double* values, std::size_t count) { return {{"f32", packed<float, std::uint32_t>(values, count)}}; }
Json floats(const std::vector<double>& values) { return floats(values.data(), values.size()); }
Json doubles(const std::vector<double>& values) {
  return {{"f64", packed<double, std::uint64_t>(values.data(), values.size())}};
}
// Column by column.
Json matrix(const MatrixX& values) {
  Json result = floats(values.data(), static_cast<std::size_t>(values.size()));
  result["rows"] = values.rows();
  return result;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json vector(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

// Position, then the quaternion x, y, z, w.
void append(const Pose& pose, std::vector<double>& numbers) {
  const Quaternion turn(pose.rotation);
  numbers.insert(numbers.end(),
                 {pose.position.x(), pose.position.y(), pose.position.z(), turn.x(), turn.y(), turn.z(), turn.w()});
}
Json pose(const Pose& value) {
  std::vector<double> numbers;
  append(value, numbers);
  return numbers;
}
Json poses(const std::vector<Pose>& values) {
  std::vector<double> numbers;
  for (const Pose& value : values) append(value, numbers);
  return floats(numbers);
}

const char* name_of(SectionShape shape) {
  switch (shape) {
    case SectionShape::rectangle:
      return "rectangle";
    case SectionShape::circle:
      return "circle";
    case SectionShape::tube:
      return "tube";
    case SectionShape::i_beam:
      return "i_beam";
    case SectionShape::general:
      break;
  }
  return "general";
}

const char* name_of(JointType type) {
  static constexpr const char* names[] = {"fixed",     "revolute",  "prismatic", "cylindrical",
                                          "universal", "spherical", "planar",    "free"};
  return names[static_cast<int>(type)];
}

Json section_json(const Section& section) {
  const SectionFibres fibres = extreme_fibres(section);
  return {{"name", section.name},
          {"shape", name_of(section.shape)},
          {"dimensions", section.dimensions},
          {"area", section.area},
          {"iy", section.second_moment_y},
          {"iz", section.second_moment_z},
          {"j", section.torsion_constant},
          {"fibres",
           {{"y", number(fibres.y)},
            {"z", number(fibres.z)},
            {"torsion", number(fibres.torsion)},
            {"round", fibres.round}}}};
}

Json units_json(const std::map<std::string, DisplayUnit>& units) {
  Json result = Json::object();
  for (const auto& [name, shown] : units) result[name] = {{"unit", shown.unit}, {"factor", shown.factor}};
  return result;
}

Json link_json(const SceneLink& link) {
  std::vector<double> positions;
  Json names = Json::array(), pieces = Json::array(), masses = Json::array();
  for (const SceneNode& node : link.nodes) {
    positions.insert(positions.end(), {node.position.x(), node.position.y(), node.position.z()});
    if (!node.name.empty()) names.push_back(node.name);
  }
  for (const ScenePiece& piece : link.pieces)
    pieces.push_back({{"from", piece.from},
                      {"to", piece.to},
                      {"section", piece.section},
                      {"y", vector(piece.axes.col(1))},
                      {"z", vector(piece.axes.col(2))},
                      {"e", piece.young_modulus},
                      {"g", piece.shear_modulus}});
  for (const LumpedMass& mass : link.masses) masses.push_back({{"node", mass.node}, {"mass", mass.mass}});
  Json result = {{"name", link.name},  {"rigid", link.rigid}, {"nodes", floats(positions)},
                 {"nodeNames", names}, {"pieces", pieces},    {"masses", masses}};
  if (link.triangles.empty()) return result;
  std::vector<double> corners;  // whole numbers below 2^24 are exact
  for (const std::array<int, 3>& triangle : link.triangles)
    for (const int node : triangle) corners.push_back(node);
  result["triangles"] = floats(corners);
  if (link.legs.empty()) return result;
  std::vector<double> ends;
  for (const std::array<int, 2>& leg : link.legs)
    for (const int node : leg) ends.push_back(node);
  result["legs"] = floats(ends);
  return result;
}

const char* name_of(ShapeKind kind) {
  static constexpr const char* names[] = {"box", "cylinder", "sphere", "capsule", "mesh"};
  return names[static_cast<int>(kind)];
}

Json shape_json(const SceneShape& drawn) {
  const LinkShape& shape = drawn.shape;
  Json result = {{"link", drawn.link},
                 {"kind", name_of(shape.kind)},
                 {"size", vector(shape.size)},
                 {"pose", pose(shape.pose)},
                 {"collision", shape.collision}};
  if (shape.colour) result["colour"] = *shape.colour;
  if (drawn.mesh >= 0) result["mesh"] = drawn.mesh;
  return result;
}

Json mesh_json(const SceneMesh& mesh) {
  const std::vector<double> corners(mesh.corners.begin(), mesh.corners.end()),
      triangles(mesh.triangles.begin(), mesh.triangles.end());  // whole numbers below 2^24 are exact
  return {{"corners", floats(corners)}, {"triangles", floats(triangles)}};
}

Json scene_json(const Scene& scene) {
  Json sections = Json::array(), links = Json::array(), joints = Json::array(), loads = Json::array();
  for (const Section& section : scene.sections) sections.push_back(section_json(section));
  for (const SceneLink& link : scene.links) links.push_back(link_json(link));
  for (const SceneJoint& joint : scene.joints)
    joints.push_back({{"name", joint.name},
                      {"type", name_of(joint.type)},
                      {"parent", joint.parent},
                      {"child", joint.child},
                      {"parentNode", joint.parent_node},
                      {"childNode", joint.child_node},
                      {"parentFrame", pose(joint.parent_frame)},
                      {"childFrame", pose(joint.child_frame)},
                      {"driven", joint.driven}});
  for (const SceneLoad& load : scene.loads)
    loads.push_back({{"name", load.name},
                     {"link", load.link},
                     {"node", load.node},
                     {"torque", load.torque},
                     {"follows", load.follows_link},
                     {"direction", vector(load.direction)}});
  Json shapes = Json::array(), meshes = Json::array();
  for (const SceneShape& shape : scene.shapes) shapes.push_back(shape_json(shape));
  for (const SceneMesh& mesh : scene.meshes) meshes.push_back(mesh_json(mesh));
  return {{"name", scene.name},
          {"gravity", vector(scene.gravity)},
          {"shapes", shapes},
          {"meshes", meshes},
          {"sections", sections},
          {"links", links},
          {"joints", joints},
          {"loads", loads},
          {"units", units_json(scene.units.by_si_unit)},
          {"sensorUnits", units_json(scene.units.of_sensor)}};
}

Json motion_json(const SceneMotion& motion) {
  Json links = Json::array(), loads = Json::array();
  for (const LinkMotion& link : motion.links)
    links.push_back({{"frames", poses(link.frames)},
                     {"shapes", matrix(link.shapes)},
                     {"coefficients", matrix(link.coefficients)},
                     {"strained", link.strained}});
  for (const std::vector<double>& values : motion.load_values) loads.push_back(floats(values));
  return {{"times", doubles(motion.times)}, {"links", links}, {"loads", loads}};
}

Json facts_json(const ReportFacts& facts) {
  Json list = Json::array();
  for (const auto& [what, value] : facts) list.push_back({what, value});
  return list;
}

Json table_json(const ReportTable& table) {
  Json columns = Json::array(), rows = Json::array();
  for (const Channel& heading : table.columns) columns.push_back({{"name", heading.name}, {"unit", heading.unit}});
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (const auto& cell : row) {
      const double* value = std::get_if<double>(&cell);
      cells.push_back(value ? number(*value) : Json(std::get<std::string>(cell)));
    }
    rows.push_back(std::move(cells));
  }
  return {{"title", table.title}, {"columns", columns}, {"rows", rows}};
}

std::size_t points_per_column(const Report& report) {
  std::size_t columns = 1;
  for (const ReportRun& run : report.runs) columns += run.columns.size() + 1;
  for (const ReportComparison& comparison : report.comparisons) columns += 2 * comparison.differences.size();
  return std::clamp<std::size_t>(max_display_numbers / columns, 400, max_display_points);
}

// Energies are looked at for their small changes.
Json column_values(const Column& column, const DisplayColumn& shown) {
  return column.unit == "J" ? doubles(shown.values) : floats(shown.values);
}

Json run_json(const ReportRun& run, std::size_t max_points) {
  Json columns = Json::array();
  std::vector<double> times = run.times;
  for (const Column& column : run.columns) {
    DisplayColumn shown = display_column(run.times, column.values, max_points);
    columns.push_back({{"name", column.name}, {"unit", column.unit}, {"values", column_values(column, shown)}});
    times = std::move(shown.times);
  }
  return {{"name", run.name},
          {"times", doubles(times)},
          {"samples", run.times.size()},
          {"columns", columns},
          {"computingTime", number(run.computing_time)},
          {"facts", facts_json(run.facts)}};
}

Json spectrum_json(const ReportSpectrum& part) {
  const DisplayColumn shown = display_column(part.spectrum.frequencies, part.spectrum.values, 4000);
  Json peaks = Json::array();
  for (const Peak& peak : part.spectrum.peaks) peaks.push_back({peak.frequency, peak.value});
  return {{"sensor", part.sensor},
          {"unit", part.unit},
          {"run", part.run},
          {"frequencies", floats(shown.times)},
          {"values", floats(shown.values)},
          {"spacing", part.spectrum.line_spacing},
          {"peaks", peaks}};
}

Json mode_set_json(const ModeSet& set) {
  Json links = Json::array();
  for (std::size_t i = 0; i < set.modes.size(); ++i) {
    if (set.modes[i].size() == 0) {
      links.push_back(nullptr);
    } else {
      links.push_back({{"frame", pose(set.link_poses[i])},
                       {"displacement", matrix(set.displacements[i])},
                       {"shapes", matrix(set.modes[i])}});
    }
  }
  return {{"name", set.name},
          {"ofMechanism", set.of_mechanism},
          {"frequencies", set.frequencies},
          {"dampingRatios", set.damping_ratios},
          {"numbers", set.numbers},
          {"links", links}};
}

Json comparison_json(const ReportComparison& comparison, std::size_t max_points) {
  Json differences = Json::array(), tables = Json::array();
  for (const ReportDifference& difference : comparison.differences) {
    const DisplayColumn shown = display_column(difference.times, difference.values, max_points);
    differences.push_back({{"sensor", difference.sensor},
                           {"unit", difference.unit},
                           {"run", difference.run},
                           {"reference", difference.reference},
                           {"times", doubles(shown.times)},
                           {"values", floats(shown.values)}});
  }
  for (const ReportTable& table : comparison.agreement) tables.push_back(table_json(table));
  return {{"name", comparison.name}, {"differences", differences}, {"agreement", tables}};
}

Json axis_json(const Column& axis) {
  return {{"name", axis.name}, {"unit", axis.unit}, {"values", doubles(axis.values)}};
}

Json map_json(const ReportMap& map) {
  Json quantities = Json::array(), configurations = Json::array();
  for (const ReportMapQuantity& quantity : map.quantities)
    quantities.push_back({{"name", quantity.name},
                          {"unit", quantity.unit},
                          {"values", floats(quantity.values)},
                          {"logarithmic", quantity.logarithmic}});
  for (const std::vector<Pose>& configuration : map.configurations)
    configurations.push_back(configuration.empty() ? Json() : poses(configuration));
  return {{"name", map.name},           {"x", axis_json(map.x)},
          {"y", axis_json(map.y)},      {"quantities", quantities},
          {"postures", configurations}, {"home", map.home.empty() ? Json() : poses(map.home)}};
}

Json eigenvalues_json(const ReportEigenvalues& sweep) {
  Json values = Json::array();
  for (const auto& list : sweep.eigenvalues) {
    std::vector<double> numbers;
    for (const std::complex<double>& value : list) numbers.insert(numbers.end(), {value.real(), value.imag()});
    values.push_back(doubles(numbers));
  }
  return {{"name", sweep.name},
          {"parameter", sweep.parameter},
          {"unit", sweep.unit},
          {"parameterValues", doubles(sweep.parameter_values)},
          {"eigenvalues", values},
          {"excitationOrders", sweep.excitation_orders},
          {"hertzPerUnit", sweep.hertz_per_unit}};
}

template <class Items, class Convert>
Json list(const Items& items, const Convert& convert) {
  Json result = Json::array();
  for (const auto& item : items) result.push_back(convert(item));
  return result;
}

Json energy_json(const EnergyBalance& energy) {
  return {{"start", number(energy.start)},           {"end", number(energy.end)},
          {"inputWork", number(energy.input_work)},  {"dissipated", number(energy.dissipated)},
          {"imbalance", number(energy.imbalance())}, {"largestKinetic", number(energy.largest_kinetic)}};
}

// JSON may write these three as escapes inside strings, and has them nowhere else: no text can end the script element.
std::string without_markup(const std::string& json) {
  std::string result;
  result.reserve(json.size() + json.size() / 100);
  for (const char c : json) {
    switch (c) {
      case '<':
        result += "\\u003c";
        break;
      case '>':
        result += "\\u003e";
        break;
      case '&':
        result += "\\u0026";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace

DisplayColumn display_column(const std::vector<double>& times, const std::vector<double>& values,
                             std::size_t max_points) {
  const std::size_t count = std::min(times.size(), values.size()), intervals = std::max<std::size_t>(1, max_points / 2);
  if (count <= max_points) return {times, values};
  DisplayColumn result;
  for (std::size_t k = 0; k < intervals; ++k) {
    const std::size_t begin = k * count / intervals, end = (k + 1) * count / intervals;
    const auto [least, most] = std::minmax_element(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                                   values.begin() + static_cast<std::ptrdiff_t>(end));
    result.times.push_back(times[begin]);
    result.times.push_back(times[begin + (end - begin) / 2]);
    result.values.push_back(least < most ? *least : *most);
    result.values.push_back(least < most ? *most : *least);
  }
  return result;
}

std::string report_json(const Report& report) {
  const std::size_t points = points_per_column(report);
  Json page = {{"title", report.title},
               {"subtitle", report.subtitle},
               {"facts", facts_json(report.facts)},
               {"files", report.files},
               {"runs", list(report.runs, [=](const ReportRun& run) { return run_json(run, points); })},
               {"spectra", list(report.spectra, spectrum_json)},
               {"modes", list(report.modes, mode_set_json)},
               {"comparisons",
                list(report.comparisons, [=](const ReportComparison& part) { return comparison_json(part, points); })},
               {"maps", list(report.maps, map_json)},
               {"eigenvalues", list(report.eigenvalues, eigenvalues_json)},
               {"tables", list(report.tables, table_json)}};
  page["events"] = list(report.events, [](const EventRecord& event) {
    return Json{{"name", event.name}, {"time", event.time}};
  });
  if (report.scene) page["scene"] = scene_json(*report.scene);
  if (report.motion) page["motion"] = motion_json(*report.motion);
  if (report.energy) page["energy"] = energy_json(*report.energy);
  // Bytes that are no UTF-8 (names come from files) are replaced, not refused.
  return without_markup(page.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace lithe
