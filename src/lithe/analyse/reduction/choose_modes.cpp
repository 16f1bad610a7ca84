#include "lithe/analyse/reduction/choose_modes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "lithe/analyse/reduction/modal_response.h"
#include "lithe/analyse/reduction/static_mechanism.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/model/automatic_reduction.h"

namespace lithe {
namespace {

constexpr double judged_periods = 3;
constexpr int num_intervals = 1500;       // of the judged motion
constexpr int most_compared_modes = 120;  // of the richer model at first
// The linear model does not know what is not linear: measured on random mechanisms (docs/modes_of_links.md). By level:
// places, speeds, accelerations.
constexpr double estimate_safety[] = {5, 5, 10};
constexpr double seen_by_linear_model = 0.1;   // of the tolerance: no smaller error is claimed
constexpr int num_configurations = 4;          // beside the initial one
constexpr int least_frequencies = 5;           // natural frequencies that are always judged
constexpr double negligible_component = 1e-6;  // of a vector: a sensor of a direction in which nothing moves
constexpr double rounding = 1e-15;             // m, rad and their rates
constexpr double same_frequency = 1e-6;        // relative: modes of one group stay together

// What the file asks for.
struct ModeQuestion {
  double duration = 1;
  double band = 500;  // Hz: what recorded accelerations can show
  int num_frequencies = least_frequencies;
};

ModeQuestion question_of(const Model& model) {
  ModeQuestion question;
  double output_step = 1e-3;
  for (auto request = model.analyses.rbegin(); request != model.analyses.rend(); ++request) {
    if (request->kind == AnalysisKind::simulate) {
      question.duration = request->number("end_time").value_or(question.duration);
      output_step = request->number("output_step").value_or(output_step);
    }
    if (request->kind == AnalysisKind::modes && !request->text("link"))
      question.num_frequencies =
          std::max(question.num_frequencies, static_cast<int>(request->number("count").value_or(0)));
  }
  question.band = 0.5 / output_step;
  return question;
}

// A wrong frequency shifts phases without end: the motion is judged over a few periods of the slowest vibration.
double judged_duration(const StaticMechanism& mechanism, double duration) {
  double lowest = std::numeric_limits<double>::infinity();
  const double slow = 2 / duration;
  for (const double squared : mechanism.squared_frequencies)
    if (squared > slow * slow) lowest = std::min(lowest, std::sqrt(squared));
  if (mechanism.num_candidates() > 0) lowest = std::min(lowest, std::sqrt(mechanism.candidate_squared(0)));
  return std::min(duration, judged_periods * 2 * std::numbers::pi / lowest);
}

// The static mechanism with the first `count` candidates, in its own modes.
struct Enriched {
  VectorX squared_frequencies;
  MatrixX static_part, dynamic_part;  // shapes
  VectorX damping;
};

Enriched enrich(const StaticMechanism& mechanism, Eigen::Index count) {
  const Eigen::Index n = mechanism.size();
  MatrixX mass = MatrixX::Identity(n + count, n + count), stiffness = MatrixX::Zero(n + count, n + count);
  mass.topRightCorner(n, count) = mechanism.coupling.leftCols(count);
  mass.bottomLeftCorner(count, n) = mechanism.coupling.leftCols(count).transpose();
  stiffness.diagonal() << mechanism.squared_frequencies, mechanism.candidate_squared.head(count);
  SymmetricPairs pairs = symmetric_pairs(stiffness, mass);
  if (!pairs.converged) throw InputError("the modes of the links cannot be told apart");
  Enriched result;
  result.squared_frequencies = pairs.values.cwiseMax(0.0);
  result.static_part = pairs.vectors.topRows(n);
  result.dynamic_part = pairs.vectors.bottomRows(count);
  result.damping =
      (result.static_part.array() * (mechanism.damping * result.static_part).array()).colwise().sum().transpose() +
      (result.dynamic_part.array().square().colwise() * mechanism.candidate_damping.head(count).array())
          .colwise()
          .sum()
          .transpose();
  return result;
}

// Inputs over time: what they change from the start, per interval.
struct SampledInputs {
  double step = 0;
  MatrixX begin, end, place;  // inputs x intervals; place: values of prescribed motions less those at the start
};

SampledInputs sample_inputs(const StaticMechanism& mechanism, double duration) {
  SampledInputs result;
  result.step = duration / num_intervals;
  const auto rows = static_cast<Eigen::Index>(mechanism.inputs.size());
  result.begin = result.end = result.place = MatrixX::Zero(rows, num_intervals);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const ModalInput& input = mechanism.inputs[static_cast<std::size_t>(i)];
    const SignalValue first = evaluate(*input.signal, 0);
    std::vector<double> breaks = break_times(*input.signal);
    std::sort(breaks.begin(), breaks.end());
    for (Eigen::Index n = 0; n < num_intervals; ++n) {
      const double begin = result.step * static_cast<double>(n), end = begin + result.step;
      double from = begin;  // the last jump in the interval, if any, counts from its begin
      if (const auto next = std::lower_bound(breaks.begin(), breaks.end(), end); next != breaks.begin())
        from = std::max(from, *(next - 1));
      const SignalValue a = evaluate(*input.signal, from), b = evaluate(*input.signal, end - 1e-9 * result.step);
      result.begin(i, n) = input.prescribed ? a.acceleration - first.acceleration : a.value - first.value;
      result.end(i, n) = input.prescribed ? b.acceleration - first.acceleration : b.value - first.value;
      if (!input.prescribed) continue;
      result.place(i, n) = evaluate(*input.signal, begin).value - first.value;
      if (begin == 0) continue;
      // A jump of the speed since the last interval is a blow.
      const double before = evaluate(*input.signal, begin - 1e-9 * result.step).rate;
      const double after = evaluate(*input.signal, from).rate;
      const double smooth = std::abs(a.acceleration) * (from - begin) + 1e-6 * (std::abs(before) + std::abs(after));
      if (std::abs(after - before) <= 2 * smooth) continue;
      result.begin(i, n) += (after - before) / result.step;
      result.end(i, n) += (after - before) / result.step;
    }
  }
  return result;
}

// One motion to judge by: the file's own, or a unit step.
struct ModalExcitation {
  VectorX speed, force, candidate_force;
  const SampledInputs* inputs = nullptr;
  bool offsets = false;
  double duration = 1;
};

using SampledReadings = std::vector<MatrixX>;  // components x samples

// SampledReadings, and what of them is rigid motion.
struct ModelMotion {
  SampledReadings all, rigid;
};

ModelMotion judged_readings(const StaticMechanism& mechanism, const Enriched& model, const ModalExcitation& excitation,
                            double band) {
  const Eigen::Index count = model.dynamic_part.rows();
  SampledForce force;
  force.step = excitation.duration / num_intervals;
  const VectorX constant = model.static_part.transpose() * excitation.force +
                           model.dynamic_part.transpose() * excitation.candidate_force.head(count);
  force.begin = force.end = constant.replicate(1, num_intervals);
  if (excitation.inputs) {
    const MatrixX by_input = model.static_part.transpose() * mechanism.input_force +
                             model.dynamic_part.transpose() * mechanism.candidate_input_force.topRows(count);
    force.begin += by_input * excitation.inputs->begin;
    force.end += by_input * excitation.inputs->end;
  }
  // momentum of the static part: M_e (η̇, 0) = (η̇, Bᵀ η̇)
  const VectorX speed =
      model.static_part.transpose() * excitation.speed +
      model.dynamic_part.transpose() * (mechanism.coupling.leftCols(count).transpose() * excitation.speed);
  const OscillatorMotion motion = respond({model.squared_frequencies, model.damping, speed}, force);
  const double edge = 2 * std::numbers::pi * band;
  const VectorX low_pass = (1 + (model.squared_frequencies.array() / (edge * edge)).square()).inverse();
  const double slow = 2 / excitation.duration;
  const VectorX rigid = (model.squared_frequencies.array() < slow * slow).cast<double>();
  const MatrixX* levels[] = {&motion.displacement, &motion.speed, &motion.acceleration};
  ModelMotion result;
  for (const ModalReading& reading : mechanism.readings) {
    MatrixX shapes = reading.rows * model.static_part;
    const MatrixX places = shapes * rigid.asDiagonal() * motion.displacement;
    if (reading.level > 0) shapes = shapes * low_pass.asDiagonal();
    result.all.push_back(shapes * *levels[reading.level]);
    if (excitation.offsets) result.all.back().colwise() += reading.offset;
    MatrixX moved = shapes * rigid.asDiagonal() * *levels[reading.level];
    const double travel = places.size() > 0 ? places.colwise().norm().maxCoeff() : 0;
    const double beyond =
        reading.largest_travel > 0 && travel > reading.largest_travel ? 1 - reading.largest_travel / travel : 0;
    moved *= beyond;
    if (excitation.inputs && reading.level == 0) moved -= reading.direct * excitation.inputs->place;
    result.rigid.push_back(std::move(moved));
  }
  return result;
}

struct JudgedMotion {
  ModalExcitation excitation;
  ModelMotion rich;
  std::vector<double> peaks;
};

// Of a vector, or of the component that a sensor shows.
double largest(const MatrixX& samples, int component) {
  return component < 0 ? samples.colwise().norm().maxCoeff() : samples.row(component).cwiseAbs().maxCoeff();
}

// Compares small models with one that has many modes.
class ModeJudge {
 public:
  ModeJudge(const StaticMechanism& mechanism, const ModeQuestion& question, Eigen::Index num_rich);
  // Raises readings and frequency_error, lowers good_up_to; `peaks`: of each motion and reading.
  void judge(Eigen::Index count, double tolerance, const std::vector<std::vector<double>>& peaks,
             ModeChoice& choice) const;
  std::vector<std::vector<double>> peaks() const;

 private:
  void add_case(ModalExcitation excitation);
  const StaticMechanism& mechanism_;
  const ModeQuestion& question_;
  Enriched rich_;
  SampledInputs inputs_;
  std::vector<JudgedMotion> cases_;
};

ModeJudge::ModeJudge(const StaticMechanism& mechanism, const ModeQuestion& question, Eigen::Index num_rich)
    : mechanism_(mechanism), question_(question), rich_(enrich(mechanism, num_rich)) {
  inputs_ = sample_inputs(mechanism, question.duration);
  ModalExcitation run{mechanism.initial_speed, mechanism.initial_force, mechanism.candidate_force, &inputs_, true,
                      question.duration};
  add_case(std::move(run));
  for (Eigen::Index k = 0; k < mechanism.step_force.cols(); ++k)
    add_case({VectorX::Zero(mechanism.size()), mechanism.step_force.col(k), VectorX::Zero(mechanism.num_candidates()),
              nullptr, false, question.duration});
}

void ModeJudge::add_case(ModalExcitation excitation) {
  JudgedMotion item{std::move(excitation), {}, {}};
  item.rich = judged_readings(mechanism_, rich_, item.excitation, question_.band);
  for (std::size_t r = 0; r < item.rich.all.size(); ++r) {
    const MatrixX moved = item.rich.all[r] - item.rich.rigid[r];
    const double whole = moved.colwise().norm().maxCoeff();
    item.peaks.push_back(std::max({largest(moved, mechanism_.readings[r].component), negligible_component * whole,
                                   mechanism_.readings[r].floor}));
  }
  cases_.push_back(std::move(item));
}

std::vector<std::vector<double>> ModeJudge::peaks() const {
  std::vector<std::vector<double>> result;
  for (const JudgedMotion& item : cases_) result.push_back(item.peaks);
  return result;
}

// Those of the initial configuration, or down to half of them where a sensor moves less in another.
std::vector<std::vector<double>> smallest_peaks(const std::vector<ModeJudge>& judges) {
  const std::vector<std::vector<double>> first = judges.front().peaks();
  std::vector<std::vector<double>> result = first;
  for (const ModeJudge& judge : judges) {
    const std::vector<std::vector<double>> others = judge.peaks();
    for (std::size_t c = 0; c < result.size() && c < others.size(); ++c)
      for (std::size_t r = 0; r < result[c].size() && r < others[c].size(); ++r)
        result[c][r] = std::clamp(others[c][r], 0.5 * first[c][r], result[c][r]);
  }
  return result;
}

void ModeJudge::judge(Eigen::Index count, double tolerance, const std::vector<std::vector<double>>& peaks,
                      ModeChoice& choice) const {
  const Enriched model = enrich(mechanism_, count);
  for (std::size_t c = 0; c < cases_.size(); ++c) {
    const JudgedMotion& item = cases_[c];
    const ModelMotion motion = judged_readings(mechanism_, model, item.excitation, question_.band);
    for (std::size_t r = 0; r < motion.all.size(); ++r) {
      const double difference = largest(motion.all[r] - item.rich.all[r], mechanism_.readings[r].component);
      if (difference <= 1e-12 * peaks[c][r] || difference <= rounding) continue;
      choice.readings[r].error =
          std::max(choice.readings[r].error, estimate_safety[mechanism_.readings[r].level] * difference / peaks[c][r]);
    }
  }
  // Frequencies of a richer model are never higher, one by one (Cauchy), so that they can be compared in order.
  const double slow = 1e-9 * rich_.squared_frequencies.maxCoeff();
  int judged = 0;
  bool good = true;
  double good_up_to = 0;
  for (Eigen::Index k = 0; k < rich_.squared_frequencies.size(); ++k) {
    const double exact = rich_.squared_frequencies(k);
    if (exact <= slow) continue;
    const double error =
        k < model.squared_frequencies.size() ? std::sqrt(model.squared_frequencies(k) / exact) - 1 : 1.0;
    if (judged++ < question_.num_frequencies) choice.frequency_error = std::max(choice.frequency_error, error);
    good = good && error <= tolerance;
    if (good) good_up_to = std::sqrt(exact) / (2 * std::numbers::pi);
  }
  choice.good_up_to = std::min(choice.good_up_to, good_up_to);
}

// In all configurations.
void judge_all(const std::vector<ModeJudge>& judges, Eigen::Index count, double tolerance, ModeChoice& choice) {
  for (ReadingError& reading : choice.readings) reading.error = 0;
  choice.frequency_error = 0;
  choice.good_up_to = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> peaks = smallest_peaks(judges);
  for (const ModeJudge& judge : judges) judge.judge(count, tolerance, peaks, choice);
  choice.error = std::max(choice.frequency_error, seen_by_linear_model * tolerance);
  for (const ReadingError& reading : choice.readings) choice.error = std::max(choice.error, reading.error);
}

// Numbers of candidates that do not part modes of equal frequency, ascending, from none to all.
std::vector<Eigen::Index> group_ends(const VectorX& squared, Eigen::Index last) {
  std::vector<Eigen::Index> ends{0};
  for (Eigen::Index k = 1; k <= last; ++k)
    if (k == squared.size() || squared(k) > (1 + same_frequency) * squared(k - 1)) ends.push_back(k);
  if (ends.back() != last) ends.push_back(last);
  return ends;
}

// The fewest candidates that meet the tolerance: doubling, then halving the interval.
Eigen::Index fewest(const std::vector<ModeJudge>& judges, const std::vector<Eigen::Index>& ends, double tolerance,
                    ModeChoice& choice) {
  const auto good = [&](std::size_t group) {
    judge_all(judges, ends[group], tolerance, choice);
    return choice.error <= tolerance;
  };
  std::size_t bad = 0, high = 0;
  if (!good(0)) {
    high = 1;
    while (high < ends.size() - 1 && !good(high)) {
      bad = high;
      high *= 2;
    }
    high = std::min(high, ends.size() - 1);
    while (high - bad > 1) {
      const std::size_t middle = (bad + high) / 2;
      (good(middle) ? high : bad) = middle;
    }
  }
  good(high);
  return ends[high];
}

}  // namespace

int ModeChoice::num_dynamic() const {
  int sum = 0;
  for (const LinkModeChoice& link : links) sum += link.num_dynamic;
  return sum;
}

int ModeChoice::num_available() const {
  int sum = 0;
  for (const LinkModeChoice& link : links) sum += link.num_available;
  return sum;
}

std::string ModeChoice::worst() const {
  const auto largest = std::max_element(readings.begin(), readings.end(),
                                        [](const ReadingError& a, const ReadingError& b) { return a.error < b.error; });
  return largest == readings.end() || largest->error < frequency_error ? "natural frequencies" : largest->name;
}

void apply(const ModeChoice& choice, Model& model) {
  if (choice.links.empty()) return;
  for (const LinkModeChoice& chosen : choice.links) {
    ReductionChoice& reduction = model.links.at(static_cast<std::size_t>(chosen.link)).reduction;
    reduction = {};
    reduction.method = ReductionMethod::craig_bampton;
    reduction.num_internal_modes = chosen.num_dynamic;
  }
  set_automatic_reductions(model, {});
}

void keep_most(const ModeChoice& other, ModeChoice& choice) {
  if (other.links.size() != choice.links.size() || other.readings.size() != choice.readings.size()) return;
  for (std::size_t i = 0; i < choice.links.size(); ++i)
    choice.links[i].num_dynamic = std::max(choice.links[i].num_dynamic, other.links[i].num_dynamic);
  for (std::size_t i = 0; i < choice.readings.size(); ++i)
    choice.readings[i].error = std::max(choice.readings[i].error, other.readings[i].error);
  choice.error = std::max(choice.error, other.error);
  choice.frequency_error = std::max(choice.frequency_error, other.frequency_error);
  choice.good_up_to = std::min(choice.good_up_to, other.good_up_to);
  apply(choice, choice.model);
}

ModeChoice choose_modes(const Model& model) {
  ModeChoice choice;
  choice.model = model;
  std::vector<int> links;
  choice.tolerance = 1;
  for (const AutomaticReduction& automatic : automatic_reductions(model)) {
    if (model.links.at(static_cast<std::size_t>(automatic.link)).rigid) continue;
    links.push_back(automatic.link);
    choice.tolerance = std::min(choice.tolerance, automatic.tolerance);
  }
  if (links.empty()) return choice;
  try {
    StaticMechanisms mechanisms(model, links);
    std::vector<StaticMechanism> all{mechanisms.at_start()};
    ModeQuestion question = question_of(model);
    question.duration = choice.duration = judged_duration(all.front(), question.duration);
    for (StaticMechanism& other : mechanisms.along_motion(choice.duration, num_configurations))
      all.push_back(std::move(other));
    const StaticMechanism& mechanism = all.front();
    for (const ModalReading& reading : mechanism.readings) choice.readings.push_back({reading.name, 0, reading.floor});
    Eigen::Index chosen = 0;
    for (Eigen::Index rich = std::min<Eigen::Index>(most_compared_modes, mechanism.num_candidates());; rich *= 2) {
      rich = std::min(rich, mechanism.num_candidates());
      std::vector<ModeJudge> judges;
      judges.reserve(all.size());  // they point into themselves
      for (const StaticMechanism& one : all) judges.emplace_back(one, question, rich);
      chosen = fewest(judges, group_ends(mechanism.candidate_squared, rich), choice.tolerance, choice);
      if (chosen <= rich * 2 / 3 || rich == mechanism.num_candidates()) break;
    }
    std::vector<int> counts(links.size(), 0);
    for (Eigen::Index k = 0; k < chosen; ++k)
      ++counts[static_cast<std::size_t>(mechanism.candidate_link[static_cast<std::size_t>(k)])];
    for (std::size_t i = 0; i < links.size(); ++i)
      choice.links.push_back({links[i], counts[i], mechanism.num_available[i]});
    apply(choice, choice.model);
  } catch (const InputError& error) {
    choice.links.clear();
    choice.problem = error.what();
  }
  return choice;
}

}  // namespace lithe
