#include "lithe/results/recording/checkpoint.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "lithe/base/checksum.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/base/write_error.h"
#include "lithe/read/tables/input_file.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/files/text_file.h"

namespace lithe {
namespace {

namespace fs = std::filesystem;

constexpr const char* any_heading = "lithe checkpoint ";
constexpr const char* first_line = "lithe checkpoint 5";

std::string hex(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

void write_list(std::ostream& out, const char* key, const double* values, std::size_t count) {
  out << key << ' ' << count;
  for (std::size_t i = 0; i < count; ++i) out << ' ' << hex(values[i]);
  out << '\n';
}

void write_list(std::ostream& out, const char* key, const std::vector<double>& values) {
  write_list(out, key, values.data(), values.size());
}

// Any bytes, after their number.
void write_text(std::ostream& out, const char* key, const std::string& text) {
  out << key << ' ' << text.size() << ' ' << text << '\n';
}

class Reader {
 public:
  explicit Reader(const fs::path& path) : path_(path) {
    std::string problem;
    const std::optional<std::string> read = read_regular_file(path, most_bytes, problem);
    if (!read) fail(cat("it cannot be read: ", problem));
    const std::string& text = *read;
    if (!text.starts_with(any_heading)) fail("not a checkpoint");
    if (!text.starts_with(cat(first_line, "\n"))) fail("it is of another version of lithe");
    const std::string end = "checksum 0123456789abcdef\n";
    const std::size_t body = text.size() < end.size() ? 0 : text.size() - end.size();
    if (text.substr(body) != cat("checksum ", checksum_text(std::string_view(text).substr(0, body)), "\n"))
      fail("it is damaged or cut short");
    in_.str(text.substr(0, body));
    size_ = body;
    std::string line;
    std::getline(in_, line);
  }
  std::size_t number(const std::string& key) {
    std::string word;
    std::size_t count = 0;
    if (!(in_ >> word >> count) || word != key) fail(cat("'", key, "' is missing"));
    if (count > size_) fail(cat("'", key, "' has the wrong length"));  // before memory is taken for it
    return count;
  }
  std::vector<double> list(const std::string& key) {
    std::vector<double> values(number(key));
    std::string word;
    for (double& value : values) {
      if (!(in_ >> word)) fail(cat("'", key, "' is cut short"));
      char* end = nullptr;
      value = std::strtod(word.c_str(), &end);
      if (end == word.c_str() || *end != '\0') fail(cat(in_quotes(word), " is not a number"));
    }
    return values;
  }
  std::vector<double> list(const std::string& key, std::size_t length) {
    std::vector<double> values = list(key);
    if (values.size() != length) fail(cat("'", key, "' has the wrong length"));
    return values;
  }
  VectorX vector(const std::string& key) {
    const std::vector<double> values = list(key);
    return Eigen::Map<const VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
  }
  std::string text(const std::string& key) {
    std::string result(number(key), '\0');
    in_.get();
    if (!in_.read(result.data(), static_cast<std::streamsize>(result.size()))) fail(cat("'", key, "' is cut short"));
    return result;
  }
  // Whole, and not beyond what a file can count.
  long long whole(double value, const std::string& key) const {
    constexpr double most = 1e15;
    if (!(std::abs(value) <= most) || value != std::floor(value)) fail(cat("'", key, "' is damaged"));
    return static_cast<long long>(value);
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(cat(path_.string(), ": cannot restart from this file: ", why));
  }

 private:
  static constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;
  fs::path path_;
  std::istringstream in_;
  std::size_t size_ = 0;
};

void write_state(std::ostream& out, const Checkpoint& c) {
  write_list(out, "numbers",
             {c.state.time, c.next_step, c.start_energy, c.input_work, c.dissipated, c.stiffened ? 1.0 : 0.0});
  for (const auto& [key, values] : {std::pair<const char*, const VectorX*>{"coordinates", &c.state.coordinates},
                                    {"speeds", &c.state.speeds},
                                    {"posture", &c.state.configuration.coordinates},
                                    {"controllers", &c.state.controller_memory}})
    write_list(out, key, values->data(), static_cast<std::size_t>(values->size()));
  std::vector<double> charts;
  for (const Quaternion& q : c.state.configuration.references)
    charts.insert(charts.end(), {q.w(), q.x(), q.y(), q.z()});
  write_list(out, "charts", charts);
  write_list(out, "stops", std::vector<double>(c.stops_touched.begin(), c.stops_touched.end()));
  write_list(out, "split", std::vector<double>(c.state.configuration.split.begin(), c.state.configuration.split.end()));
}

void write_so_far(std::ostream& out, const RunSoFar& so_far) {
  write_list(out, "recorded",
             {static_cast<double>(so_far.num_recorded), so_far.last_recorded, so_far.end_energy, so_far.largest_kinetic,
              static_cast<double>(so_far.num_steps), so_far.start_time});
  write_text(out, "stiffened", so_far.stiffened_for);
  out << "integrators " << so_far.counters.size() << '\n';
  for (const IntegratorCounters& c : so_far.counters)
    write_list(out, "counters",
               {static_cast<double>(c.steps), static_cast<double>(c.rejected), static_cast<double>(c.evaluations),
                static_cast<double>(c.linearisations), static_cast<double>(c.newton_iterations)});
  out << "events " << so_far.events.size() << '\n';
  for (const EventRecord& event : so_far.events) {
    write_text(out, "event", event.name);
    write_list(out, "at", {event.time});
  }
  out << "links " << so_far.deformations.size() << '\n';
  for (const LinkDeformation& d : so_far.deformations) {
    write_text(out, "link", d.link);
    write_text(out, "node", d.strain_node);
    write_list(out, "deformation",
               {d.deflection, d.rotation, d.strain, d.bend, d.axial, d.deflection_time, d.rotation_time, d.strain_time,
                d.bend_time, d.axial_time, d.joined_deflection, d.joined_rotation, d.joined_deflection_time,
                d.joined_rotation_time, d.spin, d.spin_time, d.spin_speed, d.spin_frequency});
    write_list(out, "axial", {d.phase, d.phase_rate, d.phase_time, d.slope, d.slope_time, d.push, d.push_time});
  }
}

std::string text_of(const Checkpoint& c, const Signature& signature) {
  std::ostringstream out;
  out << first_line << '\n';
  write_text(out, "signature", signature.text());
  write_state(out, c);
  write_so_far(out, c.so_far);
  const std::string body = out.str();
  return cat(body, "checksum ", checksum_text(body), "\n");
}

void read_state(Reader& reader, Checkpoint& c) {
  const std::vector<double> numbers = reader.list("numbers", 6);
  c.state.time = numbers[0];
  c.next_step = numbers[1];
  c.start_energy = numbers[2];
  c.input_work = numbers[3];
  c.dissipated = numbers[4];
  c.stiffened = numbers[5] != 0;
  c.state.coordinates = reader.vector("coordinates");
  c.state.speeds = reader.vector("speeds");
  c.state.configuration.coordinates = reader.vector("posture");
  c.state.controller_memory = reader.vector("controllers");
  if (c.state.speeds.size() != c.state.coordinates.size()) reader.fail("'speeds' has the wrong length");
  const std::vector<double> charts = reader.list("charts");
  if (charts.size() % 4 != 0) reader.fail("'charts' has the wrong length");
  for (std::size_t i = 0; i < charts.size(); i += 4)
    c.state.configuration.references.emplace_back(charts[i], charts[i + 1], charts[i + 2], charts[i + 3]);
  for (const double touched : reader.list("stops")) c.stops_touched.push_back(touched != 0 ? 1 : 0);
  for (const double index : reader.list("split"))
    c.state.configuration.split.push_back(static_cast<int>(reader.whole(index, "split") % (1 << 30)));
}

void read_so_far(Reader& reader, RunSoFar& so_far) {
  const std::vector<double> recorded = reader.list("recorded", 6);
  so_far.num_recorded = reader.whole(recorded[0], "recorded");
  so_far.last_recorded = recorded[1];
  so_far.end_energy = recorded[2];
  so_far.largest_kinetic = recorded[3];
  so_far.num_steps = reader.whole(recorded[4], "recorded");
  so_far.start_time = recorded[5];
  so_far.stiffened_for = reader.text("stiffened");
  for (std::size_t left = reader.number("integrators"); left > 0; --left) {
    const std::vector<double> c = reader.list("counters", 5);
    const auto whole = [&](std::size_t i) { return static_cast<long>(reader.whole(c[i], "counters")); };
    so_far.counters.push_back({whole(0), whole(1), whole(2), whole(3), whole(4)});
  }
  for (std::size_t left = reader.number("events"); left > 0; --left) {
    const std::string name = reader.text("event");
    so_far.events.push_back({name, reader.list("at", 1)[0]});
  }
  for (std::size_t left = reader.number("links"); left > 0; --left) {
    LinkDeformation d;
    d.link = reader.text("link");
    d.strain_node = reader.text("node");
    const std::vector<double> v = reader.list("deformation", 18);
    d.deflection = v[0], d.rotation = v[1], d.strain = v[2], d.bend = v[3], d.axial = v[4];
    d.deflection_time = v[5], d.rotation_time = v[6], d.strain_time = v[7], d.bend_time = v[8], d.axial_time = v[9];
    d.joined_deflection = v[10], d.joined_rotation = v[11], d.joined_deflection_time = v[12];
    d.joined_rotation_time = v[13], d.spin = v[14], d.spin_time = v[15], d.spin_speed = v[16];
    d.spin_frequency = v[17];
    const std::vector<double> axial = reader.list("axial", 7);
    d.phase = axial[0], d.phase_rate = axial[1], d.phase_time = axial[2], d.slope = axial[3];
    d.slope_time = axial[4], d.push = axial[5], d.push_time = axial[6];
    so_far.deformations.push_back(d);
  }
}

// A file of that name that is no checkpoint is somebody's: a model file, for one.
void refuse_foreign_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(path, ignored)) || fs::file_size(path, ignored) == 0) return;
  std::ifstream file(path, std::ios::binary);
  std::string start(std::string(any_heading).size(), '\0');
  if (!file.read(start.data(), static_cast<std::streamsize>(start.size())) || start != any_heading)
    throw WriteError(
        cat("cannot write the checkpoint '", path.string(), "': there is a file of that name that is none"));
}

}  // namespace

void try_checkpoint_place(const fs::path& path) {
  refuse_foreign_file(path);
  FileSet(path.parent_path()).add(path.filename().string());
}

void write_checkpoint(const Checkpoint& c, const fs::path& path, const Signature& signature) {
  refuse_foreign_file(path);
  FileSet files(path.parent_path());
  write_text_file(text_of(c, signature), files.add(path.filename().string()));
  files.commit();
}

SavedCheckpoint load_checkpoint(const fs::path& path) {
  Reader reader(path);
  SavedCheckpoint saved;
  const std::optional<Signature> signature = Signature::read(reader.text("signature"));
  if (!signature) reader.fail("'signature' is damaged");
  saved.signature = *signature;
  read_state(reader, saved.checkpoint);
  read_so_far(reader, saved.checkpoint.so_far);
  return saved;
}

Checkpoint read_checkpoint(const fs::path& path) { return load_checkpoint(path).checkpoint; }

}  // namespace lithe
