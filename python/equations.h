// Equations of motion with what one thread needs to evaluate them: the inner loop for people who write their own.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bind.h"
#include "lithe/analyse/observe/sensors.h"
#include "lithe/formulate/formulation.h"
#include "lithe/integrate/integrator.h"

namespace lithe::python {

// Numbers of any array, C order, without a copy where it has doubles in that order already.
class Numbers {
 public:
  explicit Numbers(nb::handle array);
  ~Numbers() { PyBuffer_Release(&buffer_); }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  const double* data() const { return static_cast<const double*>(buffer_.buf); }
  double* writable() { return static_cast<double*>(buffer_.buf); }
  int num_axes() const { return buffer_.ndim; }
  Py_ssize_t last_axis() const { return buffer_.ndim > 0 ? buffer_.shape[buffer_.ndim - 1] : 1; }
  Py_ssize_t num_rows() const;  // of the last axis

 private:
  Py_buffer buffer_ = {};
};

// numpy.empty(shape of `like` without its last axis + tail).
nb::object empty_like(nb::handle like, int num_axes, const std::vector<Py_ssize_t>& tail);

class EquationsObject {
 public:
  EquationsObject(const Model& model, const FormulationChoice& choice);

  const Equations& equations() const { return *equations_; }
  int size() const { return equations_->num_coordinates(); }
  int num_inputs() const { return num_inputs_; }
  std::vector<std::string> input_names() const;

  // One row of arguments into state and inputs.
  void load(const double* x, const double* v, const double* u, double time);
  EvaluationStatus evaluate();
  const State& state() const { return state_; }
  const Accelerations& accelerations() const { return accelerations_; }

  std::mutex mutex;

  EvaluationStatus linearise(LinearBlocks& blocks);
  EvaluationStatus mass_matrix(MatrixX& mass);
  EvaluationStatus node_motion(int link, int node, NodeMotion& motion);
  EvaluationStatus jacobian(int link, int node, MatrixX& jacobian);
  EvaluationStatus inverse_dynamics(const double* accelerations, VectorX& forces);
  EvaluationStatus read_sensors(std::vector<double>& values);
  EvaluationStatus energies(Energies& found);
  bool accept();
  void reset() { state_.configuration = start_.configuration; }
  const State& start() const { return start_; }
  const SensorReader& sensors() const { return *sensors_; }
  // From the loaded state over `duration`, inputs held.
  StepReport step(double duration, const std::string& integrator, double tolerance, bool keep_configuration);
  // "link:node". Throws InputError.
  std::pair<int, int> node_by_name(const std::string& name) const;

 private:
  StepReport start_integrator(const std::string& name, double tolerance);

  std::unique_ptr<Equations> equations_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<SensorReader> sensors_;
  std::unique_ptr<Integrator> integrator_;
  std::string integrator_name_;
  double integrator_tolerance_ = 0, next_step_ = 0;
  State start_, state_;
  Inputs inputs_;
  std::vector<double> held_;  // u of the loaded row
  Accelerations accelerations_;
  int num_inputs_ = 0;
};

[[noreturn]] void raise_computation_error(const std::string& message);

}  // namespace lithe::python
