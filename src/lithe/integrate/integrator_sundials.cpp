#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/integrate/sundials.h"

namespace lithe {
namespace {

struct Method {
  const char* name;
  bool multistep;
  bool implicit;
};
constexpr Method methods[] = {
    {"cvode", true, true}, {"cvode_adams", true, false}, {"arkode", false, true}, {"arkode_explicit", false, false}};

// The library sees z = (x, v), z' = (v, a).
class Sundials final : public Integrator {
 public:
  Sundials(const Method& method, System system, IntegratorOptions options);
  ~Sundials() override;
  std::string name() const override { return method_.name; }
  StepReport step(double limit) override;
  void interpolate(double time, State& result) const override;

 protected:
  StepReport prepare() override;
  void refreshed() override { must_restart_ = true; }
  Attempt attempt(double) override { return {}; }  // step() is the library's
  int error_order() const override { return 1; }

 private:
  static int right_side(double time, N_Vector z, N_Vector result, void* self);
  static int jacobian(double time, N_Vector z, N_Vector, SUNMatrix result, void* self, N_Vector, N_Vector, N_Vector);
  bool create();
  bool create_multistep();
  bool create_runge_kutta();
  void destroy();
  bool restart();
  int advance(double limit, double& time);
  void read_counters();

  Method method_;
  SUNContext context_ = nullptr;
  N_Vector z_ = nullptr, tolerances_ = nullptr, dense_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  void* memory_ = nullptr;
  bool must_restart_ = true;

  State probe_;
  Accelerations probe_accelerations_;
  LinearBlocks blocks_;
  MatrixX solved_;
  Eigen::LLT<MatrixX> cholesky_;
  EvaluationStatus last_status_ = EvaluationStatus::ok;
};

void quiet(int, const char*, const char*, char*, void*) {}  // failures are reported by StepReport

Sundials::Sundials(const Method& method, System system, IntegratorOptions options)
    : Integrator(std::move(system), std::move(options)), method_(method), cholesky_(size()) {
  probe_ = state_;
  probe_accelerations_.values.setZero(size());
  for (MatrixX* m : {&blocks_.mass, &blocks_.damping, &blocks_.stiffness, &solved_}) m->setZero(size(), size());
}

Sundials::~Sundials() { destroy(); }

void Sundials::destroy() {
  if (memory_) method_.multistep ? CVodeFree(&memory_) : ARKStepFree(&memory_);
  if (solver_) SUNLinSolFree(solver_);
  if (matrix_) SUNMatDestroy(matrix_);
  for (N_Vector* v : {&z_, &tolerances_, &dense_})
    if (*v) N_VDestroy(*v);
  if (context_) SUNContext_Free(&context_);
  z_ = tolerances_ = dense_ = nullptr;
  solver_ = nullptr;
  matrix_ = nullptr;
  memory_ = nullptr;
}

int Sundials::right_side(double time, N_Vector z, N_Vector result, void* self_pointer) {
  auto& self = *static_cast<Sundials*>(self_pointer);
  const int n = self.size();
  const double* from = N_VGetArrayPointer(z);
  self.probe_.time = time;
  std::copy(from, from + n, self.probe_.coordinates.data());
  std::copy(from + n, from + 2 * n, self.probe_.speeds.data());
  self.last_status_ = self.evaluate(self.probe_, self.probe_accelerations_);
  if (self.last_status_ != EvaluationStatus::ok) return 1;  // recoverable: the library tries a smaller step
  double* to = N_VGetArrayPointer(result);
  std::copy(from + n, from + 2 * n, to);
  std::copy(self.probe_accelerations_.values.data(), self.probe_accelerations_.values.data() + n, to + n);
  return 0;
}

// [0 I; -M^-1 K  -M^-1 C]
int Sundials::jacobian(double time, N_Vector z, N_Vector, SUNMatrix result, void* self_pointer, N_Vector, N_Vector,
                       N_Vector) {
  auto& self = *static_cast<Sundials*>(self_pointer);
  const int n = self.size();
  const double* from = N_VGetArrayPointer(z);
  self.probe_.time = time;
  std::copy(from, from + n, self.probe_.coordinates.data());
  std::copy(from + n, from + 2 * n, self.probe_.speeds.data());
  self.last_status_ = self.linearise(self.probe_, self.blocks_);
  if (self.last_status_ != EvaluationStatus::ok) return 1;
  self.cholesky_.compute(self.blocks_.mass);
  if (self.cholesky_.info() != Eigen::Success) return 1;
  SUNMatZero(result);
  const auto fill = [&](const MatrixX& block, int first_column) {
    self.solved_ = self.cholesky_.solve(block);
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < n; ++row)
        SM_ELEMENT_D(result, n + row, first_column + column) = -self.solved_(row, column);
  };
  fill(self.blocks_.stiffness, 0);
  fill(self.blocks_.damping, n);
  for (int i = 0; i < n; ++i) SM_ELEMENT_D(result, i, n + i) = 1;
  return 0;
}

bool Sundials::create_multistep() {
  memory_ = CVodeCreate(method_.implicit ? CV_BDF : CV_ADAMS, context_);
  bool good = memory_ && CVodeInit(memory_, right_side, state_.time, z_) == CV_SUCCESS;
  good = good && CVodeSetErrHandlerFn(memory_, quiet, nullptr) == CV_SUCCESS;
  good = good && CVodeSVtolerances(memory_, 1e-12, tolerances_) == CV_SUCCESS;
  good = good && CVodeSetUserData(memory_, this) == CV_SUCCESS;
  good = good && CVodeSetLinearSolver(memory_, solver_, matrix_) == CV_SUCCESS;
  good = good && CVodeSetJacFn(memory_, jacobian) == CV_SUCCESS;
  good = good && CVodeSetMaxStep(memory_, options_.max_step) == CV_SUCCESS;
  good = good && CVodeSetMinStep(memory_, options_.min_step) == CV_SUCCESS;
  return good && CVodeSetMaxErrTestFails(memory_, 30) == CV_SUCCESS;
}

bool Sundials::create_runge_kutta() {
  memory_ = ARKStepCreate(method_.implicit ? nullptr : right_side, method_.implicit ? right_side : nullptr, state_.time,
                          z_, context_);
  bool good = memory_ && ARKStepSetErrHandlerFn(memory_, quiet, nullptr) == ARK_SUCCESS;
  good = good && ARKStepSVtolerances(memory_, 1e-12, tolerances_) == ARK_SUCCESS;
  good = good && ARKStepSetUserData(memory_, this) == ARK_SUCCESS;
  good = good && ARKStepSetOrder(memory_, method_.implicit ? 4 : 5) == ARK_SUCCESS;
  if (method_.implicit) {
    good = good && ARKStepSetLinearSolver(memory_, solver_, matrix_) == ARK_SUCCESS;
    good = good && ARKStepSetJacFn(memory_, jacobian) == ARK_SUCCESS;
  }
  if (options_.fixed_step > 0) return good && ARKStepSetFixedStep(memory_, options_.fixed_step) == ARK_SUCCESS;
  good = good && ARKStepSetMaxStep(memory_, options_.max_step) == ARK_SUCCESS;
  return good && ARKStepSetMinStep(memory_, options_.min_step) == ARK_SUCCESS;
}

bool Sundials::create() {
  destroy();
  const int n = size();
  if (SUNContext_Create(nullptr, &context_) != 0) return false;
  z_ = N_VNew_Serial(2 * n, context_);
  tolerances_ = N_VNew_Serial(2 * n, context_);
  dense_ = N_VNew_Serial(2 * n, context_);
  matrix_ = SUNDenseMatrix(2 * n, 2 * n, context_);
  if (!z_ || !tolerances_ || !dense_ || !matrix_) return false;
  solver_ = SUNLinSol_Dense(z_, matrix_, context_);
  if (!solver_) return false;
  double* tolerance = N_VGetArrayPointer(tolerances_);
  for (int i = 0; i < n; ++i) tolerance[i] = tolerance[n + i] = options_.tolerance / std::max(scale(i), 1e-300);
  std::copy_n(state_.coordinates.data(), n, N_VGetArrayPointer(z_));
  std::copy_n(state_.speeds.data(), n, N_VGetArrayPointer(z_) + n);
  return method_.multistep ? create_multistep() : create_runge_kutta();
}

// A new integrator in place of a reinitialised one: nothing of the past is left, which bit-identical restarts need.
bool Sundials::restart() {
  probe_ = state_;
  must_restart_ = false;
  return create();
}

StepReport Sundials::prepare() {
  must_restart_ = true;
  return {StepStatus::ok, EvaluationStatus::ok, state_.time};
}

int Sundials::advance(double limit, double& time) {
  if (method_.multistep) {
    CVodeSetStopTime(memory_, limit);
    return CVode(memory_, limit, z_, &time, CV_ONE_STEP);
  }
  ARKStepSetStopTime(memory_, limit);
  return ARKStepEvolve(memory_, limit, z_, &time, ARK_ONE_STEP);
}

void Sundials::read_counters() {
  long failures = 0;
  method_.multistep ? CVodeGetNumErrTestFails(memory_, &failures) : ARKStepGetNumErrTestFails(memory_, &failures);
  counters_.rejected = failures;
}

StepReport Sundials::step(double limit) {
  if (limit <= state_.time) return {StepStatus::ok, EvaluationStatus::ok, state_.time};
  input_limit_ = std::nextafter(limit, -std::numeric_limits<double>::infinity());
  if (must_restart_ && !restart()) return {StepStatus::library_failed, EvaluationStatus::ok, state_.time};
  double time = state_.time;
  last_status_ = EvaluationStatus::ok;
  const int flag = advance(limit, time);
  read_counters();
  if (flag < 0 || time <= state_.time) {  // the library only warns of steps that are lost in rounding
    must_restart_ = true;
    if (last_status_ != EvaluationStatus::ok) return failure(last_status_, probe_.time);
    return {StepStatus::library_failed, EvaluationStatus::ok, state_.time};
  }
  const double* z = N_VGetArrayPointer(z_);
  candidate_.time = time;
  std::copy(z, z + size(), candidate_.coordinates.data());
  std::copy(z + size(), z + 2 * size(), candidate_.speeds.data());
  const EvaluationStatus status = evaluate(candidate_, candidate_accelerations_);
  if (status != EvaluationStatus::ok) return failure(status, time);
  next_step_ = time - state_.time;
  const StepReport report = commit(next_step_);
  probe_.configuration = state_.configuration;
  return report;
}

void Sundials::interpolate(double time, State& result) const {
  result.time = time;
  result.configuration = previous_.configuration;
  result.controller_memory = previous_.controller_memory;
  const int flag = method_.multistep ? CVodeGetDky(memory_, time, 0, dense_) : ARKStepGetDky(memory_, time, 0, dense_);
  if (flag != 0) return;
  const double* z = N_VGetArrayPointer(dense_);
  std::copy(z, z + size(), result.coordinates.data());
  std::copy(z + size(), z + 2 * size(), result.speeds.data());
}

}  // namespace

std::vector<std::string> sundials_integrator_names() {
  std::vector<std::string> result;
  for (const Method& method : methods) result.emplace_back(method.name);
  return result;
}

std::unique_ptr<Integrator> make_sundials_integrator(const std::string& name, System system,
                                                     IntegratorOptions options) {
  const bool nothing = system.equations->num_coordinates() == 0;  // every motion is prescribed: the library refuses
  for (const Method& method : methods)
    if (name == method.name && nothing)
      return make_integrator("dormand_prince", std::move(system), std::move(options));
    else if (name == method.name && method.multistep && options.fixed_step > 0)
      throw InputError(cat("the integrator '", name, "' chooses its steps itself: no fixed step"));
    else if (name == method.name)
      return std::make_unique<Sundials>(method, std::move(system), std::move(options));
  return nullptr;
}

std::unique_ptr<Integrator> make_any_integrator(const std::string& name, System system, IntegratorOptions options) {
  if (auto integrator = make_integrator(name, system, options)) return integrator;
  return make_sundials_integrator(name, std::move(system), std::move(options));
}

}  // namespace lithe
