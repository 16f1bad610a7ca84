#include "lithe/results/checkpoint.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "lithe/base/diagnostics.h"
#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/results/text_file.h"

namespace lithe {
namespace {

constexpr const char* heading = "lithe checkpoint 1";

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

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path), in_(path) {
    std::string line;
    if (!in_ || !std::getline(in_, line) || line != heading) fail("not a checkpoint");
  }
  std::vector<double> list(const std::string& key) {
    std::string word;
    std::size_t count = 0;
    if (!(in_ >> word >> count) || word != key || count > 100000000) fail(cat("'", key, "' is missing"));
    std::vector<double> values(count);
    for (double& value : values) {
      if (!(in_ >> word)) fail(cat("'", key, "' is cut short"));
      char* end = nullptr;
      value = std::strtod(word.c_str(), &end);
      if (end == word.c_str() || *end != '\0') fail(cat(in_quotes(word), " is not a number"));
    }
    return values;
  }
  bool has_more() { return !(in_ >> std::ws).eof(); }
  VectorX vector(const std::string& key) {
    const std::vector<double> values = list(key);
    VectorX result(static_cast<Eigen::Index>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) result[static_cast<Eigen::Index>(i)] = values[i];
    return result;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(cat(path_.string(), ": cannot restart from this file: ", why));
  }

 private:
  std::filesystem::path path_;
  std::ifstream in_;
};

std::string text_of(const Checkpoint& c) {
  std::ostringstream out;
  out << heading << '\n';
  const double numbers[] = {c.state.time, c.next_step, c.start_energy, c.input_work, c.dissipated};
  write_list(out, "numbers", numbers, 5);
  for (const auto& [key, values] : {std::pair<const char*, const VectorX*>{"coordinates", &c.state.coordinates},
                                    {"speeds", &c.state.speeds},
                                    {"posture", &c.state.posture.coordinates},
                                    {"controllers", &c.state.controller_memory}})
    write_list(out, key, values->data(), static_cast<std::size_t>(values->size()));
  std::vector<double> charts, stops(c.stops_touched.begin(), c.stops_touched.end());
  for (const Quaternion& q : c.state.posture.references)
    for (const double value : {q.w(), q.x(), q.y(), q.z()}) charts.push_back(value);
  write_list(out, "charts", charts.data(), charts.size());
  write_list(out, "stops", stops.data(), stops.size());
  const std::vector<double> split(c.state.posture.split.begin(), c.state.posture.split.end());
  if (!split.empty()) write_list(out, "split", split.data(), split.size());
  return out.str();
}

}  // namespace

void write_checkpoint(const Checkpoint& c, const std::filesystem::path& path) {
  const std::filesystem::path temporary = path.string() + ".part";
  std::error_code error, ignored;
  try {
    write_text_file(text_of(c), temporary);
  } catch (const InputError&) {
    std::filesystem::remove(temporary, ignored);
    throw;
  }
  std::filesystem::rename(temporary, path, error);
  if (error) std::filesystem::remove(temporary, ignored);
  if (error) throw InputError(cat(path.string(), ": cannot write the checkpoint: ", error.message()));
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  Reader reader(path);
  Checkpoint c;
  const std::vector<double> numbers = reader.list("numbers");
  if (numbers.size() != 5) reader.fail("'numbers' has the wrong length");
  c.state.time = numbers[0];
  c.next_step = numbers[1];
  c.start_energy = numbers[2];
  c.input_work = numbers[3];
  c.dissipated = numbers[4];
  c.state.coordinates = reader.vector("coordinates");
  c.state.speeds = reader.vector("speeds");
  c.state.posture.coordinates = reader.vector("posture");
  c.state.controller_memory = reader.vector("controllers");
  const std::vector<double> charts = reader.list("charts");
  if (charts.size() % 4 != 0) reader.fail("'charts' has the wrong length");
  for (std::size_t i = 0; i < charts.size(); i += 4)
    c.state.posture.references.emplace_back(charts[i], charts[i + 1], charts[i + 2], charts[i + 3]);
  for (const double touched : reader.list("stops")) c.stops_touched.push_back(touched != 0 ? 1 : 0);
  if (reader.has_more())
    for (const double index : reader.list("split")) c.state.posture.split.push_back(static_cast<int>(index));
  return c;
}

}  // namespace lithe
