#include "lithe/integrate/exponential/exponential.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/formulate/contract/capabilities.h"

namespace lithe {
namespace {

// Krogstad's method (J. Comput. Phys. 203 (2005) 72), one term per line: row i of the tableau, force g_j, phi_k of the
// node (0: h/2, 1: h), factor. The stages sit at 0, h/2, h/2, h; row 4 is the result. phi_k(z/2) stands for the
// integral over half the step, so its factor is twice the one in the paper.
struct Term {
  int row, force, node, phi;
  double factor;
};
constexpr Term tableau[] = {
    {1, 0, 0, 1, 1},                                                                         //
    {2, 0, 0, 1, 1}, {2, 0, 0, 2, -2}, {2, 1, 0, 2, 2},                                      //
    {3, 0, 1, 1, 1}, {3, 0, 1, 2, -2}, {3, 2, 1, 2, 2},                                      //
    {4, 0, 1, 1, 1}, {4, 0, 1, 2, -3}, {4, 0, 1, 3, 4},  {4, 1, 1, 2, 2}, {4, 1, 1, 3, -4},  //
    {4, 2, 1, 2, 2}, {4, 2, 1, 3, -4}, {4, 3, 1, 2, -1}, {4, 3, 1, 3, 4},
};
constexpr int row_node[] = {0, 0, 0, 1, 1};

}  // namespace

Exponential::Exponential(System system, IntegratorOptions options)
    : Integrator(std::move(system), std::move(options)), cholesky_(size()), tridiagonal_(size()), eigen_(size()) {
  constrained_ = as_constrained(*system_.equations) != nullptr;
  constraints_ = stage_projection(*system_.equations);
  projects_stages_ = constraints_ && constraints_->constrains_deformations();
  const int n = size();
  for (MatrixX* m : {&blocks_.mass, &blocks_.damping, &blocks_.stiffness, &mass_, &basis_, &inverse_basis_, &product_,
                     &scratch_matrix_, &dense_basis_, &next_basis_, &next_inverse_})
    m->setZero(n, n);
  for (VectorX* v : {&reference_,       &stiffness_,
                     &damping_,         &next_force_,
                     &force_now_,       &scratch_,
                     &error_y_,         &error_w_,
                     &error_x_,         &error_v_,
                     &dense_reference_, &dense_stiffness_,
                     &dense_damping_,   &dense_y_,
                     &dense_w_,         &watched_,
                     &renewal_at_,      &next_damping_,
                     &filter_,          &change_of_force_,
                     &bend_of_force_,   &stage_accelerations_.values,
                     &quick_begin_,     &quick_end_,
                     &quick_excess_,    &quick_begin_change_,
                     &coupled_change_,  &coupled_bend_})
    v->setZero(n);
  for (VectorX* v : {&coupled_state_, &coupled_motion_}) v->setZero(2 * n);
  for (auto* group : {&yy_, &yv_, &vy_, &vv_})
    for (VectorX& v : *group) v.setZero(n);
  for (auto* group : {&position_weights_, &speed_weights_})
    for (auto& row : *group)
      for (VectorX& v : row) v.setZero(n);
  for (auto& group : quick_weights_)
    for (VectorX& v : group) v.setZero(n);
  for (Modal* m : {&now_, &stage_modal_, &filtered_modal_, &next_, &dense_start_, &correction_}) {
    m->y.setZero(n);
    m->w.setZero(n);
  }
  for (VectorX& v : forces_) v.setZero(n);
  for (auto* group : {&dense_forces_, &smooth_y_, &smooth_w_})
    for (VectorX& v : *group) v.setZero(n);
  row_scratch_[0].setZero(n / 2);
  row_scratch_[1].setZero(n - n / 2);
  duration_.resize(n);
  samples_.resize(n);
  for (VectorX* v : {&past_forces_[0], &past_forces_[1], &past_modal_.y, &past_modal_.w, &middle_accelerations_.values})
    v->setZero(n);
  stage_ = state_;
  middle_ = state_;
  prepare_inputs();
}

// Modes of the symmetric part of the linearisation in blocks_: basisᵀ M basis = I, basisᵀ K basis = diag(stiffness).
// False when M is not positive definite.
bool Exponential::factorise_mass() {
  mass_ = 0.5 * (blocks_.mass + blocks_.mass.transpose());
  cholesky_.compute(mass_);
  return cholesky_.info() == Eigen::Success;
}

// L⁻¹ K L⁻ᵀ, to be written as Q T Qᵀ
void Exponential::scale_rows() {
  product_ = 0.5 * (blocks_.stiffness + blocks_.stiffness.transpose());
  cholesky_.matrixL().solveInPlace(product_);
}

void Exponential::scale_columns() {
  scratch_matrix_ = product_.transpose();
  cholesky_.matrixL().solveInPlace(scratch_matrix_);
  product_ = 0.5 * (scratch_matrix_ + scratch_matrix_.transpose());
}

// Half of the columns at a time.
void Exponential::turn_basis(int half) {
  const Eigen::Index middle = size() / 2;
  auto columns = half == 0 ? next_basis_.leftCols(middle) : next_basis_.rightCols(size() - middle);
  columns = half == 0 ? eigen_.vectors().leftCols(middle) : eigen_.vectors().rightCols(size() - middle);
  tridiagonal_.matrixQ().applyThisOnTheLeft(columns, row_scratch_[static_cast<std::size_t>(half)]);
}

void Exponential::transform_basis() { cholesky_.matrixU().solveInPlace(next_basis_); }

void Exponential::invert_basis() { next_inverse_.noalias() = next_basis_.transpose() * mass_; }

// Damping: the diagonal in modal coordinates is exact, the rest stays in the remainder.
void Exponential::find_damping() {
  product_.noalias() = blocks_.damping * next_basis_;
  for (Eigen::Index k = 0; k < next_damping_.size(); ++k)
    next_damping_[k] = std::max(0.0, next_basis_.col(k).dot(product_.col(k)));
}

// Negative stiffness (a raised pendulum) stays in the remainder.
void Exponential::install_reference() {
  stiffness_ = eigen_.values().cwiseMax(0.0);
  scratch_.noalias() = basis_ * duration_.last();
  duration_.last().noalias() = next_inverse_ * scratch_;
  samples_.forget_last();
  basis_.swap(next_basis_);
  damping_.swap(next_damping_);
  inverse_basis_.swap(next_inverse_);
  if (constraints_) measure_by_deformation();
  reference_ = renewal_at_;
  way_of_reference_ = 0;
  reference_is_new_ = true;
  step_ = change_step_ = 0;
  equal_steps_ = 0;
  coupling_ = Coupling::unknown;
  avoid_resonance_ = true;
}

// Of coordinates with constraints, modes are measured by the forces of deformation, y = φᵀ K x / ω², in place of
// momenta, φᵀ M x: the same for what the modes themselves do, but a rigid motion along given paths then has no part in
// them. The other columns are made to have none, either.
void Exponential::measure_by_deformation() {
  const double none = Constants::no_stiffness * stiffness_.maxCoeff();
  constraints_->whole_stiffness(state_, inputs_, *workspace_, product_);
  for (Eigen::Index k = 0; k < stiffness_.size(); ++k)
    if (stiffness_[k] > none) inverse_basis_.row(k).noalias() = basis_.col(k).transpose() * product_ / stiffness_[k];
  scratch_matrix_.noalias() = inverse_basis_ * basis_;
  for (Eigen::Index j = 0; j < stiffness_.size(); ++j)
    for (Eigen::Index k = 0; k < stiffness_.size() && stiffness_[j] <= none; ++k)
      if (stiffness_[k] > none) basis_.col(j) -= scratch_matrix_(k, j) * basis_.col(k);
  sharpen_inverse();
}

// The stiffness of deformation is not quite the one that the modes belong to (prestress). Every stage goes to modes and
// back, so that even a small difference would add up: X + (1 - X B) X, twice or three times (Newton and Schulz).
void Exponential::sharpen_inverse() {
  for (int i = 0; i < Constants::most_sharpenings; ++i) {
    scratch_matrix_.noalias() = -inverse_basis_ * basis_;
    scratch_matrix_.diagonal().array() += 1;
    const double off = scratch_matrix_.cwiseAbs().maxCoeff();
    if (!(off > Constants::sharp) || off > Constants::can_be_sharpened) return;
    product_ = inverse_basis_;
    inverse_basis_.noalias() += scratch_matrix_ * product_;
  }
}

bool Exponential::take_reference() {
  renewal_ = Renewal::none;
  if (size() == 0) return true;  // every motion is prescribed: there is nothing to decompose
  if (!factorise_mass()) return false;
  renewal_at_ = state_.coordinates;
  scale_rows();
  scale_columns();
  tridiagonal_.compute(product_);
  eigen_.start(tridiagonal_.diagonal(), tridiagonal_.subDiagonal());
  if (eigen_.advance(std::numeric_limits<long>::max()) != TridiagonalModes::Progress::done) return false;
  turn_basis(0);
  turn_basis(1);
  transform_basis();
  find_damping();
  invert_basis();
  install_reference();
  return true;
}

// A plane rotation moves two columns: as much work as a few products of matrices.
Exponential::Stage Exponential::solve_portion() {
  switch (eigen_.advance(Constants::rotations_per_coordinate * size())) {
    case TridiagonalModes::Progress::under_way:
      return Stage::again;
    case TridiagonalModes::Progress::done:
      return Stage::done;
    case TridiagonalModes::Progress::failed:
      break;
  }
  return Stage::over;
}

// One stage of looking at the reference or of finding the next.
Exponential::Stage Exponential::renew_stage(double h) {
  switch (renewal_) {
    case Renewal::none:
      return Stage::over;
    case Renewal::factorise:
      return factorise_mass() ? Stage::done : Stage::over;
    case Renewal::multiply_mass:
      product_.noalias() = mass_ * basis_;
      break;
    case Renewal::compare_mass:
      remainder_found_ = changed_mass();
      break;
    case Renewal::multiply_stiffness:
      product_.noalias() = blocks_.stiffness * basis_;
      break;
    case Renewal::compare_stiffness:
      remainder_found_ = std::max(remainder_found_, changed_stiffness(h));
      return judge_reference() ? Stage::over : Stage::done;
    case Renewal::scale_rows:
      scale_rows();
      break;
    case Renewal::scale_columns:
      scale_columns();
      break;
    case Renewal::reduce:
      tridiagonal_.compute(product_);
      eigen_.start(tridiagonal_.diagonal(), tridiagonal_.subDiagonal());
      break;
    case Renewal::solve:
      return solve_portion();
    case Renewal::turn:
      turn_basis(0);
      break;
    case Renewal::turn_rest:
      turn_basis(1);
      break;
    case Renewal::transform:
      transform_basis();
      break;
    case Renewal::damp:
      find_damping();
      break;
    case Renewal::invert:
      invert_basis();
      break;
    case Renewal::install:
      install_reference();
      renew_past_forces();
      express_state();
      return Stage::over;
  }
  return Stage::done;
}

void Exponential::continue_renewal(double h) {
  const Stage stage = renew_stage(h);
  if (stage == Stage::done) renewal_ = static_cast<Renewal>(static_cast<int>(renewal_) + 1);
  if (stage == Stage::over) renewal_ = Renewal::none;
}

StepReport Exponential::prepare() {
  stage_.configuration = state_.configuration;
  const EvaluationStatus status = linearise_elastic(state_, blocks_);
  if (status != EvaluationStatus::ok) return failure(status, state_.time);
  if (!take_reference()) return failure(EvaluationStatus::singular_mass, state_.time);
  look();
  watch_distance_ = Constants::first_look;
  duration_.reset();
  samples_.reset();
  past_step_ = 0;
  resolved_steps_ = 0;
  samples_matter_ = mass_depends_on_configuration();
  rejected_before_ = counters_.rejected;
  steps_at_this_size_ = quick_pause_ = 0;
  step_has_settled_ = false;  // a restarted run knows nothing of earlier steps
  step_before_adjustment_ = 0;
  equal_steps_ = 0;
  change_step_ = 0;
  error_per_deviation_ = std::numeric_limits<double>::infinity();
  steps_since_deviation_ = 0;
  full_error_ = 1;
  wants_near_reference_ = false;
  refreshed();
  return {StepStatus::ok, EvaluationStatus::ok, state_.time};
}

// Inputs may have jumped, after which samples from before tell nothing.
void Exponential::refreshed() {
  past_step_ = 0;
  express_state();
}

void Exponential::express_state() {
  to_modal(state_, now_);
  remainder(now_, accelerations_, force_now_);
  force_is_filtered_ = false;
}

void Exponential::to_modal(const State& state, Modal& result) {
  scratch_ = state.coordinates - reference_;
  result.y.noalias() = inverse_basis_ * scratch_;
  result.w.noalias() = inverse_basis_ * state.speeds;
}

// g = modal acceleration + stiffness y + damping w
void Exponential::remainder(const Modal& modal, const Accelerations& accelerations, VectorX& result) {
  result.noalias() = inverse_basis_ * accelerations.values;
  result.array() += stiffness_.array() * modal.y.array() + damping_.array() * modal.w.array();
}

void Exponential::set_step(double h) {
  // Steps between regular instants differ by the rounding of the time; their coefficients do not.
  if (std::abs(h - step_) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(state_.time)) return;
  step_ = h;
  set_filter(h);
  for (auto* group : {&position_weights_, &speed_weights_})
    for (auto& row : *group)
      for (VectorX& v : row) v.setZero();
  for (Eigen::Index k = 0; k < stiffness_.size(); ++k) {
    const OscillatorFunctions f[2] = {oscillator_functions(stiffness_[k], damping_[k], 0.5 * h),
                                      oscillator_functions(stiffness_[k], damping_[k], h)};
    for (int node = 0; node < 2; ++node) {
      yy_[node][k] = f[node].yy;
      yv_[node][k] = f[node].yv;
      vy_[node][k] = f[node].vy;
      vv_[node][k] = f[node].vv;
    }
    for (int phi = 1; phi <= 3; ++phi) {
      quick_weights_[0][phi - 1][k] = f[1].position[phi];
      quick_weights_[1][phi - 1][k] = f[1].speed[phi];
    }
    for (const Term& t : tableau) {
      position_weights_[t.row][t.force][k] += t.factor * f[t.node].position[t.phi];
      speed_weights_[t.row][t.force][k] += t.factor * f[t.node].speed[t.phi];
    }
  }
}

// A fixed step cannot get out of the way of a resonance (see distance_from_resonance). Where there is one, forces are
// taken where vibrations are ψ times as large: the mean that the step's nodes give of cos(ωt + c), whatever c, is then
// the true one, ψ = [sin(φ)/φ] / [(4 + 2 cos φ)/6], φ = ωh/2. ψ = 1 + O(h⁴), and 0 in resonance.
void Exponential::set_filter(double h) {
  filtered_ = options_.fixed_step > 0 && distance_from_resonance(h) < Constants::near_resonance;
  if (!filtered_) return;
  for (Eigen::Index k = 0; k < stiffness_.size(); ++k) {
    const double phase = 0.5 * h * std::sqrt(stiffness_[k]);
    const bool resonant = resonance_of(k, h) < Constants::near_resonance;
    filter_[k] = resonant ? std::sin(phase) / phase * 6 / (4 + 2 * std::cos(phase)) : 1.0;
  }
}

// What is not vibration but deflection under the force g stays.
void Exponential::filter(const Modal& modal, const VectorX& force) {
  for (Eigen::Index k = 0; k < filter_.size(); ++k) {
    const double rest = filter_[k] < 1 ? force[k] / stiffness_[k] : 0.0;
    filtered_modal_.y[k] = rest + filter_[k] * (modal.y[k] - rest);
    filtered_modal_.w[k] = filter_[k] * modal.w[k];
  }
}

// exp(c h A) u + sum_j a_ij g_j
void Exponential::combine(int row, Modal& result) const {
  const int c = row_node[row];
  result.y.array() = yy_[c].array() * now_.y.array() + yv_[c].array() * now_.w.array();
  result.w.array() = vy_[c].array() * now_.y.array() + vv_[c].array() * now_.w.array();
  for (int j = 0; j < std::min(row, num_stages); ++j) {
    if (row == 3 && j == 1) continue;  // the only zero of the tableau
    result.y.array() += position_weights_[row][j].array() * forces_[j].array();
    result.w.array() += speed_weights_[row][j].array() * forces_[j].array();
  }
}

EvaluationStatus Exponential::evaluate_at(Modal& modal, double time, VectorX& force) {
  stage_.time = time;
  stage_.coordinates = reference_;
  stage_.coordinates.noalias() += basis_ * modal.y;
  stage_.speeds.noalias() = basis_ * modal.w;
  if (projects_stages_) {
    if (system_.inputs) system_.inputs(std::min(time, input_limit_), stage_, inputs_);
    constraints_->project(stage_, inputs_, *workspace_);
    to_modal(stage_, modal);
  }
  const EvaluationStatus status = evaluate(stage_, stage_accelerations_);
  if (status == EvaluationStatus::ok) remainder(modal, stage_accelerations_, force);
  return status;
}

EvaluationStatus Exponential::evaluate_stage(int row, double time, Modal& modal, VectorX& force) {
  combine(row, modal);
  if (!filtered_) return evaluate_at(modal, time, force);
  filter(modal, forces_[row - 1]);
  const EvaluationStatus status = evaluate_at(filtered_modal_, time, force);
  if (row < num_stages || status != EvaluationStatus::ok) return status;
  return evaluate_at(modal, time, scratch_);  // the state itself, for its accelerations
}

EvaluationStatus Exponential::filter_first_force() {
  if (force_is_filtered_ == filtered_) return EvaluationStatus::ok;
  filter(now_, force_now_);
  force_is_filtered_ = filtered_;
  return evaluate_at(filtered_ ? filtered_modal_ : now_, state_.time, force_now_);
}

Integrator::Attempt Exponential::attempt(double h) {
  set_step(h);
  stage_.configuration = state_.configuration;
  if (const EvaluationStatus status = filter_first_force(); status != EvaluationStatus::ok)
    return {failure(status, state_.time), 0};
  forces_[0] = force_now_;
  middle_is_known_ = false;
  if (Attempt quick; quick_is_worth_it(h) && attempt_quick(h, quick)) return quick;
  const double middle = state_.time + 0.5 * h, end = candidate_.time;
  for (int i = 1; i < num_stages; ++i) {
    const double time = i == 3 ? end : middle;
    const EvaluationStatus status = evaluate_stage(i, time, stage_modal_, forces_[i]);
    if (status != EvaluationStatus::ok) return {failure(status, time), 0};
    if (i == 2) keep_middle();
  }
  const EvaluationStatus status = evaluate_stage(num_stages, end, next_, next_force_);
  if (status != EvaluationStatus::ok) return {failure(status, end), 0};
  candidate_.coordinates = stage_.coordinates;
  candidate_.speeds = stage_.speeds;
  candidate_accelerations_.values = stage_accelerations_.values;
  full_error_ = estimate_error(h);
  return {{StepStatus::ok, EvaluationStatus::ok, end}, full_error_};
}

// Two differences that come free. The result with g at its own end in place of the fourth stage's: an embedded formula
// of order 3 (that g begins the next step); it is blind to the coordinates of slow modes, where its weight vanishes.
// And the two stages in the middle, whose difference is of the order of the coordinates' error. Both are blind to
// forces that depend on time alone, which are looked at separately. A speed's error counts for as long as the errors of
// the steps keep their sign, 1/ω of its mode and 1 s at most.
double Exponential::estimate_error(double h) {
  scratch_ = next_force_ - forces_[3];
  error_y_ = position_weights_[num_stages][3].cwiseProduct(scratch_);
  error_w_ = speed_weights_[num_stages][3].cwiseProduct(scratch_);
  scratch_ = forces_[2] - forces_[1];
  error_y_ += position_weights_[num_stages][2].cwiseProduct(scratch_);
  add_error_of_sampling(h);
  bound_by_amplitudes(h);
  add_error_of_inputs(h);
  return weighed_error(h);
}

// A vibration is wrong by no more than its amplitude in the end: one that is harmless asks for no accuracy. What inputs
// may still make of it is no part of this.
void Exponential::bound_by_amplitudes(double h) {
  for (Eigen::Index k = 0; k < error_w_.size(); ++k) {
    const double frequency = std::sqrt(stiffness_[k]);
    if (!(frequency > 1)) continue;
    const double amplitude = std::hypot(now_.y[k] - forces_[0][k] / stiffness_[k], now_.w[k] / frequency);
    const double most = amplitude * h / (Constants::caution * Constants::harmless_amplitude);
    error_y_[k] = std::clamp(error_y_[k], -most, most);
    error_w_[k] = std::clamp(error_w_[k], -most * frequency, most * frequency);
  }
}

// The errors of the modes in error_y_ and error_w_ against what is allowed.
double Exponential::weighed_error(double h) {
  for (Eigen::Index k = 0; k < error_w_.size(); ++k) {
    const double lasting = duration_.seconds(k, error_w_[k], h, error_order() + 1);
    error_w_[k] *= std::min(lasting, 1 / std::max(1.0, std::sqrt(stiffness_[k])));
  }
  error_x_.noalias() = basis_ * error_y_;
  error_v_.noalias() = basis_ * error_w_;
  if (projects_stages_) {
    constraints_->keep_admissible(stage_, *workspace_, error_x_);
    constraints_->keep_admissible(stage_, *workspace_, error_v_);
  }
  double largest = 0;
  for (Eigen::Index i = 0; i < error_x_.size(); ++i) {
    const double error = scale(i) * (std::abs(error_x_[i]) + std::abs(error_v_[i]));
    if (!(error <= largest)) largest = error;
  }
  return Constants::caution * largest / (options_.tolerance * h);
}

// Where vibrations much faster than the steps last, the step grows only after some steps that all could have been 1.6
// times as long, few at the start and many once it has settled: every change lets such vibrations leave something of
// themselves in slow motion. Elsewhere it grows when that is worth new coefficients. It shrinks as soon as it must.
double Exponential::choose_step(double h, double factor) {
  const bool rings = distance_from_resonance(h) < 1;
  const int patience = !rings ? 1 : step_has_settled_ ? Constants::window : Constants::first_window;
  const double worth_it = rings ? Constants::growth : Constants::growth_without_vibrations;
  least_factor_ = steps_at_this_size_ == 0 ? factor : std::min(least_factor_, factor);
  ++steps_at_this_size_;
  if (factor < 2) step_has_settled_ = true;
  const bool full_window = steps_at_this_size_ >= patience;
  const bool grows = full_window && least_factor_ >= worth_it, shrinks = factor < Constants::shrinking;
  if (full_window || shrinks) steps_at_this_size_ = 0;
  if (grows) return favourable_step(h * least_factor_);
  if (shrinks) return favourable_step(h * factor);
  return avoid_resonance_ ? favourable_step(std::max(h, step_before_adjustment_)) : h;
}

// A vibration of many periods per step looks to slow motion like one of frequency ω modulo 2π/h. Where that is zero,
// its forces do not average out but drive the slow motion step after step. The least |sin(ωh/2)| of such vibrations, 1
// without any; damped ones die out before they matter.
double Exponential::distance_from_resonance(double h) const {
  double least = 1;
  for (Eigen::Index k = 0; k < stiffness_.size(); ++k) least = std::min(least, resonance_of(k, h));
  return least;
}

double Exponential::resonance_of(Eigen::Index mode, double h) const {
  const double phase = 0.5 * h * std::sqrt(stiffness_[mode]);
  const bool lasts = damping_[mode] < 2 * Constants::lasting_decay;
  return phase > Constants::unresolved_phase && lasts ? std::abs(std::sin(phase)) : 1.0;
}

double Exponential::favourable_step(double h) {
  avoid_resonance_ = false;
  step_before_adjustment_ = h;
  double best = h, best_distance = distance_from_resonance(h);
  for (int i = 1; i < Constants::candidates && best_distance < Constants::far_from_resonance; ++i) {
    const double shorter = h * (1 - Constants::candidate_spacing * i), distance = distance_from_resonance(shorter);
    if (distance > best_distance) best = shorter, best_distance = distance;
  }
  return best;
}

void Exponential::accepted(double h) {
  follow_force(h);
  remember_forces(h);
  count_resolved_steps();
  std::swap(dense_start_, now_);
  std::swap(now_, next_);
  std::swap(force_now_, next_force_);
  duration_.accept();
  samples_.accept(stiffness_, h);
  dense_forces_[0] = forces_[0];
  dense_forces_[1] = -3 * forces_[0] + 2 * (forces_[1] + forces_[2]) - forces_[3];
  dense_forces_[2] = 4 * (forces_[0] - forces_[1] - forces_[2] + forces_[3]);
  if (reference_is_new_) {
    dense_basis_ = basis_;
    dense_reference_ = reference_;
    dense_stiffness_ = stiffness_;
    dense_damping_ = damping_;
    reference_is_new_ = false;
  }
  watch_reference(h);
}

void Exponential::leave_out_still_directions() {
  const double none = Constants::no_stiffness * stiffness_.maxCoeff();
  for (Eigen::Index k = 0; k < stiffness_.size(); ++k)
    if (stiffness_[k] <= none) {
      scratch_matrix_.col(k).setZero();
      scratch_matrix_.row(k).setZero();
    }
}

// How far the modes of the reference are from those of the linearisation in blocks_: the largest row sum of
// |basisᵀ M basis - I| and of |basisᵀ K basis - diag(ω²)|_jk / (s_j s_k), s = max(ω, 2/h). Of constrained equations the
// columns without stiffness are left out: directions that the constraints forbid, in which nothing moves.
double Exponential::changed_mass() {
  scratch_matrix_.noalias() = basis_.transpose() * product_;
  scratch_matrix_.diagonal().array() -= 1;
  if (constrained_) leave_out_still_directions();
  return scratch_matrix_.cwiseAbs().colwise().sum().maxCoeff();
}

double Exponential::changed_stiffness(double h) {
  scratch_matrix_.noalias() = basis_.transpose() * product_;
  scratch_matrix_.diagonal() -= stiffness_;
  if (constrained_) leave_out_still_directions();
  scratch_ = stiffness_.cwiseSqrt().cwiseMax(2 / h).cwiseInverse();
  double largest = 0;
  for (Eigen::Index k = 0; k < scratch_.size(); ++k)
    largest = std::max(largest, scratch_[k] * scratch_matrix_.col(k).cwiseAbs().dot(scratch_));
  return largest;
}

// The age, as found by changed_mass() and changed_stiffness(), beyond which the reference does not serve.
double Exponential::oldest_reference() const {
  return options_.fixed_step > 0 ? Constants::oldest_at_fixed_steps : Constants::oldest_reference;
}

// Whether the reference stays until the next look, which is where it will be nearly too old if it ages with the way of
// the joints. One that is half way there is renewed at once: the linearisation is paid for.
bool Exponential::judge_reference() {
  const bool stays = remainder_found_ <= Constants::worth_renewing * oldest_reference();
  const double age_left = Constants::nearly_too_old * oldest_reference() - (stays ? remainder_found_ : 0.0);
  const double way_left = age_left * way_of_reference_ / std::max(remainder_found_, 1e-12);
  watch_distance_ = std::clamp(way_left, Constants::least_of_last_way * way_of_reference_,
                               Constants::most_of_last_way * way_of_reference_);
  watch_distance_ = std::clamp(watch_distance_, Constants::least_way, Constants::most_way);
  return stays;
}

void Exponential::look() {
  watched_ = state_.coordinates;
  watched_configuration_ = state_.configuration.coordinates;  // same size: allocates nothing after the first time
}

// The largest way of a joint since then. Prescribed joints move the mechanism without being among the coordinates; the
// configuration, which is that of the step's beginning, knows them.
double Exponential::moved_since_look() const {
  const int joints = std::max(1, system_.equations->num_joint_coordinates());
  double moved = (state_.coordinates - watched_).head(std::min(joints, size())).cwiseAbs().maxCoeff();
  if (watched_configuration_.size() > 0 && watched_configuration_.size() == state_.configuration.coordinates.size())
    moved = std::max(moved, (state_.configuration.coordinates - watched_configuration_).cwiseAbs().maxCoeff());
  return moved;
}

// Whether the mechanism has moved from the reference by more than what vibrations move it.
bool Exponential::reference_is_far() const {
  const int joints = std::max(1, system_.equations->num_joint_coordinates());
  return (state_.coordinates - reference_).head(std::min(joints, size())).cwiseAbs().maxCoeff() >
         Constants::far_reference;
}

// Looks at the linearisation again when the mechanism has moved on or steps were rejected, and takes a new reference
// when the remainder has become stiff, or where a nearer one may save evaluations. With fixed steps, which real time
// asks for, one stage of looking and of the new reference per step, unless all of it takes no longer than an evaluation
// or two: it is then a few steps old, which costs accuracy no more than the watch distance does.
void Exponential::watch_reference(double h) {
  if (size() == 0) return;  // every motion is prescribed
  const bool spread = options_.fixed_step > 0 && size() > Constants::coordinates_at_once;
  if (renewal_ == Renewal::none) {
    const bool rejected = counters_.rejected > rejected_before_ + Constants::rejections_before_look;
    const bool nearer = wants_near_reference_ && reference_is_far();
    if (wants_near_reference_ && !nearer) couple_modes();
    wants_near_reference_ = false;
    if (!rejected && !nearer && moved_since_look() < watch_distance_) return;
    rejected_before_ = counters_.rejected;
    if (linearise_elastic(state_, blocks_) != EvaluationStatus::ok) return;
    way_of_reference_ += moved_since_look();
    look();
    renewal_at_ = state_.coordinates;
    renewal_ = Renewal::factorise;
    if (nearer) {
      if (!factorise_mass()) return;
      renewal_ = Renewal::scale_rows;
    }
    if (spread) return;
  }
  do continue_renewal(h);
  while (!spread && renewal_ != Renewal::none);
}

void Exponential::interpolate(double time, State& result) const {
  const double t = time - previous_.time, s = t / (state_.time - previous_.time);
  for (Eigen::Index k = 0; k < dense_y_.size(); ++k) {
    const OscillatorFunctions f = oscillator_functions(dense_stiffness_[k], dense_damping_[k], t);
    const double y = dense_start_.y[k], w = dense_start_.w[k];
    const double g0 = dense_forces_[0][k], g1 = s * dense_forces_[1][k], g2 = s * s * dense_forces_[2][k];
    dense_y_[k] = f.yy * y + f.yv * w + f.position[1] * g0 + f.position[2] * g1 + f.position[3] * g2;
    dense_w_[k] = f.vy * y + f.vv * w + f.speed[1] * g0 + f.speed[2] * g1 + f.speed[3] * g2;
  }
  result.time = time;
  result.configuration = previous_.configuration;
  result.controller_memory = previous_.controller_memory;
  result.coordinates = dense_reference_;
  result.coordinates.noalias() += dense_basis_ * dense_y_;
  result.speeds.noalias() = dense_basis_ * dense_w_;
}

}  // namespace lithe
