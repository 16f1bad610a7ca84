// Motions as numbers and back: bit by bit the same.
#include <cmath>
#include <limits>

#include "lithe/analyse/analyses.h"
#include "lithe/analyse/reduction/choose_modes.h"
#include "lithe/formulate/contract/automatic_stiffening.h"
#include "lithe/formulate/formulation.h"
#include "motion.h"
#include "specs.h"

namespace lithe::python {
namespace {

// A sequence of numbers, each list with its length before it.
class Writer {
 public:
  std::vector<double> numbers;
  void one(double value) { numbers.push_back(value); }
  template <class List>
  void list(const List& values) {
    one(static_cast<double>(values.size()));
    for (const auto value : values) one(static_cast<double>(value));
  }
};

class Reader {
 public:
  Reader(const double* data, std::size_t size) : data_(data), size_(size) {}
  double one() {
    if (at_ == size_) throw nb::value_error("the packed motion is cut off");
    return data_[at_++];
  }
  // A whole number from least to most: files may hold anything.
  long long whole(double least, double most) {
    const double value = one();
    if (!(value >= least && value <= most) || value != std::floor(value)) fail();
    return static_cast<long long>(value);
  }
  // Of entries that follow, a number each or more.
  std::size_t count() { return static_cast<std::size_t>(whole(0, static_cast<double>(size_ - at_))); }
  VectorX vector() {
    VectorX values(static_cast<Eigen::Index>(count()));
    for (double& value : values) value = one();
    return values;
  }
  VectorX vector(Eigen::Index size) {
    VectorX values = vector();
    if (values.size() != size) fail();
    return values;
  }
  [[noreturn]] static void fail() { throw nb::value_error("the packed motion does not fit together"); }

 private:
  const double* data_;
  std::size_t size_, at_ = 0;
};

void write(const State& state, Writer& out) {
  out.one(state.time);
  out.list(state.coordinates);
  out.list(state.speeds);
  out.list(state.configuration.coordinates);
  out.one(static_cast<double>(state.configuration.references.size()));
  for (const Quaternion& q : state.configuration.references)
    for (const double part : {q.w(), q.x(), q.y(), q.z()}) out.one(part);
  out.list(state.configuration.split);
  out.list(state.controller_memory);
}

// `like`: a state of the same equations.
State read_state(Reader& in, const State& like) {
  constexpr double most = std::numeric_limits<int>::max();
  State state;
  state.time = in.one();
  state.coordinates = in.vector(like.coordinates.size());
  state.speeds = in.vector(like.speeds.size());
  state.configuration.coordinates = in.vector(like.configuration.coordinates.size());
  state.configuration.references.resize(in.count());
  if (state.configuration.references.size() != like.configuration.references.size()) Reader::fail();
  for (Quaternion& q : state.configuration.references) {
    const double w = in.one(), x = in.one(), y = in.one(), z = in.one();
    q = Quaternion(w, x, y, z);
  }
  state.configuration.split.resize(in.count());
  for (int& index : state.configuration.split) index = static_cast<int>(in.whole(-1, most));
  state.controller_memory = in.vector();
  return state;
}

nb::object packed_states(const SimulatedMotion& motion) {
  Writer out;
  out.one(static_cast<double>(motion.states.size()));
  for (const State& state : motion.states) write(state, out);
  out.one(static_cast<double>(motion.renamed.size()));
  for (const auto& [index, both] : motion.renamed) {
    out.one(static_cast<double>(index));
    out.list(both.first);
    out.list(both.second);
  }
  const EnergyBalance& e = motion.energy;
  for (const double part : {e.start, e.end, e.input_work, e.dissipated, e.largest_kinetic}) out.one(part);
  const IntegratorCounters& c = motion.counters;
  for (const long part : {c.steps, c.rejected, c.evaluations, c.linearisations, c.newton_iterations})
    out.one(static_cast<double>(part));
  out.one(static_cast<double>(motion.end));
  out.one(static_cast<double>(motion.num_recorded));
  return array(std::move(out.numbers));
}

void read_states(Reader in, SimulatedMotion& motion) {
  constexpr double most_counted = 9007199254740992.0;  // 2^53
  const State like = motion.equations->initial_state();
  const auto width = static_cast<Eigen::Index>(motion.coordinate_names.size());
  if (width != like.coordinates.size() || width != like.speeds.size()) Reader::fail();
  motion.states.resize(in.count());
  for (State& state : motion.states) state = read_state(in, like);
  for (std::size_t left = in.count(); left > 0; --left) {
    auto& both = motion.renamed[in.count()];
    both.first = in.vector(width);
    both.second = in.vector(width);
  }
  EnergyBalance& e = motion.energy;
  for (double* part : {&e.start, &e.end, &e.input_work, &e.dissipated, &e.largest_kinetic}) *part = in.one();
  IntegratorCounters& c = motion.counters;
  for (long* part : {&c.steps, &c.rejected, &c.evaluations, &c.linearisations, &c.newton_iterations})
    *part = static_cast<long>(in.whole(0, most_counted));
  motion.end = static_cast<RunEnd>(in.whole(0, static_cast<double>(RunEnd::stopped)));
  motion.num_recorded = in.whole(0, most_counted);
}

std::shared_ptr<const Equations> equations_of(const Model& model, const std::string& kind, const nb::dict& settings) {
  if (kind == "simulate") {
    const FormulationChoice choice = spec_for<SimulateSpec>(model, settings).formulation;
    const nb::gil_scoped_release released;
    return make_equations(model, choice);
  }
  const InverseDynamicsSpec spec = spec_for<InverseDynamicsSpec>(model, settings);
  const nb::gil_scoped_release released;
  return make_equations(inverse_dynamics_model(model, spec), motion_of(spec).formulation);
}

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<double> numbers_of(nb::handle given) {
  const auto numbers = nb::cast<Numbers>(given);
  return std::vector<double>(numbers.data(), numbers.data() + numbers.size());
}

// How modes were chosen, but for the links.
std::vector<double> packed_choice(const ModeChoice* choice) {
  Writer out;
  if (!choice) return {};
  for (const double part : {choice->tolerance, choice->error, choice->good_up_to}) out.one(part);
  out.one(static_cast<double>(choice->trials.size()));
  for (const ModeTrial& trial : choice->trials) {
    out.one(trial.num_modes);
    out.one(trial.error);
  }
  return std::move(out.numbers);
}

void read_choice(const std::vector<double>& numbers, ModeChoice& choice) {
  Reader in(numbers.data(), numbers.size());
  for (double* part : {&choice.tolerance, &choice.error, &choice.good_up_to}) *part = in.one();
  choice.trials.resize(in.count());
  for (ModeTrial& trial : choice.trials) {
    trial.num_modes = static_cast<int>(in.whole(0, std::numeric_limits<int>::max()));
    trial.error = in.one();
  }
}

}  // namespace

nb::dict pack(const SimulatedMotion& motion) {
  nb::dict d;
  nb::list names, units;
  std::vector<double> values;
  for (const Column& column : motion.columns) {
    names.append(column.name);
    units.append(column.unit);
    values.insert(values.end(), column.values.begin(), column.values.end());
  }
  std::vector<int> mode_links, mode_counts, modes_available;  // of `reduction = "auto"`
  if (motion.reduction)
    for (const LinkModeCount& link : motion.reduction->links) {
      mode_links.push_back(link.link);
      mode_counts.push_back(link.num_modes);
      modes_available.push_back(link.num_available);
    }
  d["mode_links"] = mode_links;
  d["mode_counts"] = mode_counts;
  d["modes_available"] = modes_available;
  d["mode_choice"] = array(packed_choice(motion.reduction.get()));
  d["mode_choice_worst"] = motion.reduction ? motion.reduction->worst : std::string();
  std::vector<double> event_times;
  nb::list event_names;
  for (const EventRecord& event : motion.events) {
    event_names.append(event.name);
    event_times.push_back(event.time);
  }
  d["model"] = motion.model;
  d["formulation"] = motion.formulation;
  d["integrator"] = motion.integrator;
  d["message"] = motion.message;
  d["warnings"] = motion.warnings;
  d["notes"] = motion.notes;
  d["stiffened"] = !can_stiffen(*motion.equations);  // no longer those of the model and its settings
  d["coordinate_names"] = motion.coordinate_names;
  d["names"] = names;
  d["units"] = units;
  d["times"] = array(motion.times);
  d["values"] = array(std::move(values));
  d["states"] = packed_states(motion);
  d["event_names"] = event_names;
  d["event_times"] = array(std::move(event_times));
  return d;
}

SimulatedMotion unpack(const Model& model, const std::string& kind, const nb::dict& settings, const nb::dict& packed) {
  SimulatedMotion motion;
  const auto mode_links = nb::cast<std::vector<int>>(packed["mode_links"]),
             mode_counts = nb::cast<std::vector<int>>(packed["mode_counts"]),
             modes_available = nb::cast<std::vector<int>>(packed["modes_available"]);
  if (mode_counts.size() != mode_links.size() || modes_available.size() != mode_links.size()) Reader::fail();
  if (!mode_links.empty()) {
    ModeChoice choice;
    choice.error = std::numeric_limits<double>::quiet_NaN();  // of a file of an earlier version; the notes have it
    for (const int link : mode_links)
      if (link < 0 || link >= static_cast<int>(model.links.size())) Reader::fail();
    for (std::size_t k = 0; k < mode_links.size(); ++k)
      choice.links.push_back({mode_links[k], mode_counts[k], modes_available[k]});
    if (packed.contains("mode_choice")) {
      read_choice(numbers_of(packed["mode_choice"]), choice);
      choice.worst = nb::cast<std::string>(packed["mode_choice_worst"]);
    }
    motion.reduction = std::make_shared<const ModeChoice>(std::move(choice));
  }
  motion.equations =
      equations_of(motion.reduction ? with_mode_counts(model, motion.reduction->links) : model, kind, settings);
  if (nb::cast<bool>(packed["stiffened"]) && can_stiffen(*motion.equations))
    motion.equations = stiffened(*motion.equations);
  motion.model = nb::cast<std::string>(packed["model"]);
  motion.formulation = nb::cast<std::string>(packed["formulation"]);
  motion.integrator = nb::cast<std::string>(packed["integrator"]);
  motion.message = nb::cast<std::string>(packed["message"]);
  motion.warnings = nb::cast<std::vector<std::string>>(packed["warnings"]);
  motion.notes = nb::cast<std::vector<std::string>>(packed["notes"]);
  motion.coordinate_names = nb::cast<std::vector<std::string>>(packed["coordinate_names"]);
  motion.times = numbers_of(packed["times"]);
  const auto names = nb::cast<std::vector<std::string>>(packed["names"]),
             units = nb::cast<std::vector<std::string>>(packed["units"]);
  const std::vector<double> values = numbers_of(packed["values"]);
  const std::size_t rows = names.empty() ? 0 : values.size() / names.size();
  if (units.size() != names.size() || rows * names.size() != values.size() ||
      (!names.empty() && rows != motion.times.size()))
    Reader::fail();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * rows);
    motion.columns.push_back({names[i], units[i], {first, first + static_cast<std::ptrdiff_t>(rows)}});
  }
  const auto event_names = nb::cast<std::vector<std::string>>(packed["event_names"]);
  const std::vector<double> event_times = numbers_of(packed["event_times"]);
  for (std::size_t i = 0; i < std::min(event_names.size(), event_times.size()); ++i)
    motion.events.push_back({event_names[i], event_times[i]});
  const std::vector<double> states = numbers_of(packed["states"]);
  read_states({states.data(), states.size()}, motion);
  if (motion.states.size() != motion.times.size() && !motion.states.empty()) Reader::fail();
  return motion;
}

}  // namespace lithe::python
