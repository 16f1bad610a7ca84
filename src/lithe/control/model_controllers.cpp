#include "lithe/control/model_controllers.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

PredictiveOptions with_weights(PredictiveOptions options, const RegulatorDesign& design) {
  options.state_weight = design.state_weight;
  options.input_weight = design.input_weight;
  return options;
}

}  // namespace

Observer::Observer(const RegulatorDesign& design)
    : a_(design.observer_a),
      b_(design.observer_b),
      c_(design.observer_c),
      d_(design.direct),
      gain_(design.observer_gain),
      num_states_(design.model.num_states()),
      num_plant_states_(design.num_plant_states),
      delay_steps_(design.delay_steps) {
  prediction_.setZero(a_.rows());
  estimate_.setZero(a_.rows());
  acting_.setZero(b_.cols());
  innovation_.setZero(c_.rows());
}

void Observer::reset() {
  prediction_.setZero();
  estimate_.setZero();
  acting_.setZero();
}

void Observer::reset(const VectorX& state, const VectorX& input) {
  reset();
  prediction_.head(num_states_) = state;
  acting_ = input;
}

void Observer::correct(const VectorX& measured) {
  innovation_ = measured;
  innovation_.noalias() -= c_ * prediction_;
  innovation_.noalias() -= d_ * acting_;
  estimate_ = prediction_;
  estimate_.noalias() += gain_ * innovation_;
}

// What acts until the next sample is the input that has waited longest.
void Observer::predict(const VectorX& input) {
  if (delay_steps_ == 0) {
    acting_ = input;
  } else {
    acting_ = estimate_.segment(num_plant_states_, input.size());
  }
  prediction_.noalias() = a_ * estimate_;
  prediction_.noalias() += b_ * input;
}

VectorX Observer::memory() const {
  VectorX result(prediction_.size() + acting_.size());
  result << prediction_, acting_;
  return result;
}

void Observer::restore(const VectorX& memory) {
  prediction_ = memory.head(prediction_.size());
  acting_ = memory.tail(acting_.size());
}

ModelController::ModelController(RegulatorDesign design, OperatingPoint point)
    : design_(std::move(design)), point_(std::move(point)) {
  const Eigen::Index m = point_.inputs.size(), p = static_cast<Eigen::Index>(point_.tracked.size());
  measured_.setZero(point_.measurements.size());
  input_.setZero(m);
  target_input_.setZero(m);
  target_state_.setZero(design_.model.num_states());
  for (VectorX* v : {&value_, &rate_, &acceleration_}) v->setZero(p);
}

void ModelController::read(std::span<const double> measurements) {
  for (Eigen::Index i = 0; i < measured_.size(); ++i)
    measured_[i] = measurements[static_cast<std::size_t>(i)] - point_.measurements[i];
}

void ModelController::targets(std::span<const SignalValue> references, VectorX& state, VectorX& input) {
  for (Eigen::Index i = 0; i < value_.size(); ++i) {
    const SignalValue& r = references[static_cast<std::size_t>(i)];
    value_[i] = r.value - point_.measurements[point_.tracked[static_cast<std::size_t>(i)]];
    rate_[i] = r.rate;
    acceleration_[i] = r.acceleration;
  }
  map_targets(state, input);
}

void ModelController::rest_at(std::span<const double> measurements, VectorX& state, VectorX& input) {
  for (Eigen::Index i = 0; i < value_.size(); ++i) {
    const int k = point_.tracked[static_cast<std::size_t>(i)];
    value_[i] = measurements[static_cast<std::size_t>(k)] - point_.measurements[k];
  }
  rate_.setZero();
  acceleration_.setZero();
  map_targets(state, input);
}

void ModelController::take(std::span<const double> outputs) {
  for (Eigen::Index i = 0; i < input_.size(); ++i) input_[i] = outputs[static_cast<std::size_t>(i)] - point_.inputs[i];
}

void ModelController::map_targets(VectorX& state, VectorX& input) const {
  const TargetMaps& maps = design_.maps;
  const Eigen::Index n = design_.num_plant_states, m = input.size();
  input.noalias() = maps.u0 * value_;
  input.noalias() += maps.u1 * rate_;
  input.noalias() += maps.u2 * acceleration_;
  state.head(n).noalias() = maps.x0 * value_;
  state.head(n).noalias() += maps.x1 * rate_;
  state.head(n).noalias() += maps.x2 * acceleration_;
  for (int k = 0; k < design_.delay_steps; ++k) state.segment(n + k * m, m) = input;
}

void ModelController::write(std::span<double> outputs) {
  for (Eigen::Index i = 0; i < input_.size(); ++i) {
    double total = point_.inputs[i] + input_[i];
    if (point_.limits.size() > 0) total = std::clamp(total, -point_.limits[i], point_.limits[i]);
    outputs[static_cast<std::size_t>(i)] = total;
    input_[i] = total - point_.inputs[i];
  }
}

LqgController::LqgController(RegulatorDesign design, OperatingPoint point)
    : ModelController(std::move(design), std::move(point)), observer_(design_) {
  error_.setZero(design_.model.num_states());
  disturbance_gain_ = disturbance_gain(design_);
}

// Where the mechanism is, which is another configuration than the operating point for most members of a schedule.
void LqgController::start(double, std::span<const double> measurements, std::span<const SignalValue>) {
  rest_at(measurements, target_state_, target_input_);
  observer_.reset(target_state_, target_input_);
}

void LqgController::applied(std::span<const double> outputs) {
  take(outputs);
  observer_.predict(input_);
}

void LqgController::update(double, std::span<const double> measurements, std::span<const SignalValue> references,
                           std::span<double> outputs) {
  read(measurements);
  observer_.correct(measured_);
  targets(references, target_state_, target_input_);
  error_ = observer_.state() - target_state_;
  input_ = target_input_;
  input_.noalias() -= design_.gain * error_;
  if (design_.num_disturbances > 0) input_.noalias() -= disturbance_gain_ * observer_.disturbance();
  write(outputs);
  observer_.predict(input_);
}

MpcController::MpcController(RegulatorDesign design, OperatingPoint point, PredictiveOptions options,
                             std::vector<ReferenceFunction> preview)
    : ModelController(std::move(design), std::move(point)),
      observer_(design_),
      program_(design_.model, with_weights(std::move(options), design_)),
      preview_(std::move(preview)),
      ahead_(preview_.size()) {
  state_.setZero(design_.model.num_states());
  last_input_.setZero(point_.inputs.size());
}

// As of LqgController.
void MpcController::start(double, std::span<const double> measurements, std::span<const SignalValue>) {
  rest_at(measurements, target_state_, target_input_);
  observer_.reset(target_state_, target_input_);
  program_.forget();
  last_input_ = target_input_;
  samples_ = infeasible_ = 0;
}

void MpcController::follow(double, std::span<const double> measurements, std::span<const SignalValue>,
                           std::span<double>) {
  read(measurements);
  observer_.correct(measured_);
}

void MpcController::applied(std::span<const double> outputs) {
  take(outputs);
  last_input_ = input_;
  observer_.predict(input_);
}

void MpcController::look_ahead(double time) {
  const double step = design_.model.sample_time;
  for (Eigen::Index k = 0; k <= program_.input_targets().cols(); ++k) {
    for (std::size_t i = 0; i < preview_.size(); ++i) ahead_[i] = preview_[i].at(time + static_cast<double>(k) * step);
    targets(ahead_, target_state_, target_input_);
    if (design_.num_disturbances > 0) target_input_ -= observer_.disturbance();
    if (k > 0) program_.state_targets().col(k - 1) = target_state_;
    if (k < program_.input_targets().cols()) program_.input_targets().col(k) = target_input_;
  }
}

// The plant feels the input and the estimated disturbance; so do the inputs that still wait.
void MpcController::update(double time, std::span<const double> measurements, std::span<const SignalValue>,
                           std::span<double> outputs) {
  read(measurements);
  observer_.correct(measured_);
  look_ahead(time);
  state_ = observer_.state();
  if (design_.num_disturbances > 0) {
    program_.input_offset() = observer_.disturbance();
    const Eigen::Index m = input_.size();
    for (int k = 0; k < design_.delay_steps; ++k)
      state_.segment(design_.num_plant_states + k * m, m) += observer_.disturbance();
  }
  const PredictiveReport report = program_.solve(state_, last_input_, input_);
  ++samples_;
  if (report.status != QpStatus::solved) ++infeasible_;
  write(outputs);
  last_input_ = input_;
  observer_.predict(input_);
}

VectorX MpcController::memory() const {
  const VectorX observed = observer_.memory();
  const MatrixX& plan = program_.plan();
  VectorX active = VectorX::Zero(program_.program().num_variables());  // side (constraint + 1), in the solver's order
  Eigen::Index count = 0;
  for (const QpSide& side : program_.program().active()) active[count++] = side.side * (side.constraint + 1);
  VectorX result(observed.size() + last_input_.size() + 2 + plan.size() + active.size());
  result << observed, last_input_, static_cast<double>(samples_), static_cast<double>(infeasible_),
      Eigen::Map<const VectorX>(plan.data(), plan.size()), active;
  return result;
}

void MpcController::restore(const VectorX& memory) {
  const Eigen::Index m = last_input_.size(), observed = observer_.memory().size();
  const Eigen::Index horizon = program_.plan().cols(), unknowns = program_.program().num_variables();
  observer_.restore(memory.head(observed));
  last_input_ = memory.segment(observed, m);
  samples_ = static_cast<long>(memory[observed + m]);
  infeasible_ = static_cast<long>(memory[observed + m + 1]);
  std::vector<QpSide> active;
  for (const double code : memory.tail(unknowns))
    if (code != 0) active.push_back({static_cast<int>(std::abs(code)) - 1, code > 0 ? 1 : -1, 0});
  program_.resume(Eigen::Map<const MatrixX>(memory.data() + observed + m + 2, m, horizon), active);
}

std::string MpcController::note() const {
  if (infeasible_ == 0) return {};
  return cat(infeasible_, " of ", samples_, " samples had no plan within all limits; the last plan was kept there");
}

MixedNormController::MixedNormController(MixedNormDesign design, MatrixX plant_c, OperatingPoint point)
    : ModelController(std::move(design.base), std::move(point)),
      system_(std::move(design.observer)),
      c_(std::move(plant_c)),
      entry_(std::move(design.entry)) {
  const Eigen::Index p = c_.rows(), m = input_.size();
  from_measurements_ = system_.b.leftCols(p);
  from_inputs_ = system_.b.rightCols(m);
  const MatrixX own = (MatrixX::Identity(m, m) - system_.d.rightCols(m)).inverse();
  state_gain_ = own * system_.c;
  measurement_gain_ = own * system_.d.leftCols(p);
  state_.setZero(system_.num_states());
  kept_ = state_;
  error_.setZero(p);
  past_.setZero(m, design_.delay_steps + 1);
  predicted_ = target_state_;
}

void MixedNormController::start(double, std::span<const double> measurements, std::span<const SignalValue>) {
  state_.setZero();
  rest_at(measurements, target_state_, target_input_);
  past_ = target_input_.replicate(1, past_.cols());
  predicted_ = target_state_;
}

// The measurements feel the input that acted before the sample.
void MixedNormController::update(double, std::span<const double> measurements, std::span<const SignalValue> references,
                                 std::span<double> outputs) {
  read(measurements);
  targets(references, target_state_, target_input_);
  predicted_ -= target_state_;
  state_.noalias() += entry_ * predicted_;
  predicted_.noalias() = design_.model.a * target_state_;
  predicted_.noalias() += design_.model.b * target_input_;
  error_ = measured_;
  error_.noalias() -= c_ * target_state_.head(design_.num_plant_states);
  error_.noalias() -= design_.direct * past_.col(0);
  input_ = target_input_;
  input_.noalias() += state_gain_ * state_;
  input_.noalias() += measurement_gain_ * error_;
  write(outputs);
  kept_.noalias() = system_.a * state_;
  kept_.noalias() += from_measurements_ * error_;
  for (Eigen::Index k = 0; k + 1 < past_.cols(); ++k) past_.col(k) = past_.col(k + 1);
  go_on();
}

void MixedNormController::applied(std::span<const double> outputs) {
  take(outputs);
  go_on();
}

void MixedNormController::go_on() {
  past_.rightCols(1) = input_;
  state_ = kept_;
  state_.noalias() += from_inputs_ * (input_ - target_input_);
}

VectorX MixedNormController::memory() const {
  VectorX result(state_.size() + predicted_.size() + past_.size());
  result << state_, predicted_, past_.reshaped();
  return result;
}

void MixedNormController::restore(const VectorX& memory) {
  state_ = memory.head(state_.size());
  predicted_ = memory.segment(state_.size(), predicted_.size());
  past_ = memory.tail(past_.size()).reshaped(past_.rows(), past_.cols());
}

OutputFeedbackController::OutputFeedbackController(RegulatorDesign design, MatrixX plant_c, MatrixX gain,
                                                   OperatingPoint point)
    : ModelController(std::move(design), std::move(point)), c_(std::move(plant_c)), gain_(std::move(gain)) {
  target_output_.setZero(c_.rows());
}

void OutputFeedbackController::update(double, std::span<const double> measurements,
                                      std::span<const SignalValue> references, std::span<double> outputs) {
  read(measurements);
  targets(references, target_state_, target_input_);
  target_output_.noalias() = c_ * target_state_.head(design_.num_plant_states);
  target_output_.noalias() += design_.direct * target_input_;
  target_output_ -= measured_;
  input_ = target_input_;
  input_.noalias() += gain_ * target_output_;
  write(outputs);
}

}  // namespace lithe
