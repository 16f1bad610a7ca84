#include "lithe/analyse/motion/payloads/payload_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/analyse/motion/recorder.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/model/error_at.h"
#include "lithe/plan/payloads.h"

namespace lithe {
namespace {

// The parts of a run are one recording.
class OneRecording : public Recorder {
 public:
  explicit OneRecording(Recorder& recorder) : recorder_(recorder) {}
  void begin(const std::vector<Channel>& columns, const std::vector<std::string>& coordinate_names) override {
    if (!goes_on) recorder_.begin(columns, coordinate_names);
  }
  void add(const RecordedInstant& instant) override { recorder_.add(instant); }
  void flush() override { recorder_.flush(); }

  bool goes_on = false;

 private:
  Recorder& recorder_;
};

bool has_payloads(const Model& model) { return model.control && !model.control->payloads.empty(); }

bool holds_what_it_should(const Model& model, double time) {
  return std::all_of(model.control->payloads.begin(), model.control->payloads.end(),
                     [time](const Payload& payload) { return payload.held == payload.held_at(time); });
}

bool changes_at(const Model& model, double time) {
  return std::any_of(model.control->payloads.begin(), model.control->payloads.end(),
                     [time](const Payload& payload) { return payload.taken == time || payload.put_down == time; });
}

[[noreturn]] void refuse(const Model& model) {
  const Payload& first = model.control->payloads.front();
  throw InputError(std::vector<Diagnostic>{
      error_at(first.place, cat("payload '", first.name,
                                "' is taken or put down during the motion, which this analysis does not know; "
                                "simulate, inverse_dynamics, size and settle do"))});
}

double energy(const Equations& equations, const State& state, const SimulateOptions& options) {
  Inputs inputs = make_inputs(equations.model());
  if (options.inputs)
    options.inputs(state.time, state, inputs);
  else
    evaluate_inputs(equations.model(), state.time, inputs);
  return equations.energies(state, inputs, *equations.make_workspace()).total();
}

void append_new(std::vector<std::string>& all, std::vector<std::string>& more) {
  for (std::string& text : more)
    if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(std::move(text));
}

ColumnRange joined(const ColumnRange& a, const ColumnRange& b) {
  return {a.first, b.last, std::min(a.least, b.least), std::max(a.most, b.most)};
}

// The part's rows and states follow those of the run so far; all else it has counted on from there.
void append(Trajectory& whole, Trajectory part) {
  std::vector<ColumnRange> ranges;
  for (std::size_t c = 0; c < whole.columns.size(); ++c) {
    std::vector<double>& values = whole.columns[c].values;
    const std::vector<double>& more = part.columns[c].values;
    if (!values.empty() && !more.empty()) ranges.push_back(joined(whole.range(c), part.range(c)));
    values.insert(values.end(), more.begin(), more.end());
  }
  if (ranges.size() == whole.columns.size()) whole.ranges = std::move(ranges);
  const std::size_t num_states = whole.states.size();
  whole.times.insert(whole.times.end(), part.times.begin(), part.times.end());
  whole.states.insert(whole.states.end(), part.states.begin(), part.states.end());
  for (auto& [index, names] : part.renamed) whole.renamed[num_states + index] = std::move(names);
  const double start_energy = whole.energy.start;
  whole.energy = part.energy;
  whole.energy.start = start_energy;
  if (!whole.equations) whole.equations = part.equations;
  whole.integrator = part.integrator;
  whole.counters = part.counters;
  whole.events = std::move(part.events);
  whole.end = part.end;
  whole.report = part.report;
  whole.message = std::move(part.message);
  whole.deformations = std::move(part.deformations);
  append_new(whole.warnings, part.warnings);
  append_new(whole.notes, part.notes);
  whole.last = std::move(part.last);
  whole.num_recorded = part.num_recorded;
}

}  // namespace

Trajectory run_with_payloads(const Equations& equations, const Checkpoint& start, const SimulateOptions& given,
                             bool fresh, RunPart run) {
  if (!has_payloads(equations.model())) return run(equations, start, given, fresh);
  const double from = start.state.time, end = given.end_time;
  std::vector<double> ends = payload_changes(equations.model(), from, end);
  const bool holds_others = !holds_what_it_should(equations.model(), from);  // a run that goes on later
  const bool changes_now = !fresh && changes_at(equations.model(), from);
  if (ends.empty() && !holds_others && !changes_now) return run(equations, start, given, fresh);
  if (!given.remake) refuse(equations.model());
  std::shared_ptr<const Equations> remade;
  const Equations* now = &equations;
  if (holds_others) {
    remade = given.remake(with_payloads(equations.model(), from));
    now = remade.get();
  }
  ends.push_back(end);
  SimulateOptions options = given;
  std::optional<OneRecording> recording;
  if (given.recorder) options.recorder = &recording.emplace(*given.recorder);
  Trajectory whole;
  Checkpoint next = start;
  if (changes_now) {  // the run before ended at this instant, without the change
    const double before_it = std::nextafter(from, -std::numeric_limits<double>::infinity());
    const std::shared_ptr<const Equations> before = given.remake(with_payloads(equations.model(), before_it));
    next.input_work += energy(*now, start.state, given) - energy(*before, start.state, given);
  }
  for (std::size_t k = 0; k < ends.size(); ++k) {
    options.end_time = ends[k];
    Trajectory part = run(*now, next, options, fresh && k == 0);
    if (k == 0)
      whole = std::move(part);
    else
      append(whole, std::move(part));
    if (whole.end != RunEnd::finished || k + 1 == ends.size()) break;
    next = whole.last;
    std::shared_ptr<const Equations> changed = given.remake(with_payloads(now->model(), ends[k]));
    next.input_work += energy(*changed, next.state, given) - energy(*now, next.state, given);
    remade = std::move(changed);
    now = remade.get();
    options.recorded_before = nullptr;
    options.start = nullptr;  // it does not begin again
    if (recording) recording->goes_on = true;
  }
  return whole;
}

}  // namespace lithe
