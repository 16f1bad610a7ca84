#include "equations.h"

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/capabilities.h"
#include "lithe/integrate/sundials.h"

namespace lithe::python {
namespace {

bool is_double(const Py_buffer& buffer) {
  return buffer.itemsize == sizeof(double) && buffer.format && buffer.format[0] == 'd' && buffer.format[1] == 0;
}

void add_forces(const double* u, Inputs& inputs) {
  for (std::vector<double>& joint : inputs.joint_forces)
    for (double& force : joint) force += *u++;
}

}  // namespace

Numbers::Numbers(nb::handle array) {
  if (PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0) {
    if (is_double(buffer_)) return;
    PyBuffer_Release(&buffer_);
  } else {
    PyErr_Clear();
  }
  const nb::object numpy = nb::module_::import_("numpy");
  const nb::object converted =
      numpy.attr("array")(array, nb::arg("dtype") = "float64", nb::arg("order") = "C", nb::arg("ndmin") = 1);
  if (PyObject_GetBuffer(converted.ptr(), &buffer_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) throw nb::python_error();
}

Py_ssize_t Numbers::num_rows() const {
  Py_ssize_t count = 1;
  for (int i = 0; i + 1 < buffer_.ndim; ++i) count *= buffer_.shape[i];
  return count;
}

nb::object empty_like(nb::handle like, int num_axes, const std::vector<Py_ssize_t>& tail) {
  static PyObject* const empty = nb::object(nb::module_::import_("numpy").attr("empty")).release().ptr();
  if (num_axes <= 1 && tail.size() == 1) {
    PyObject* const size = PyLong_FromSsize_t(tail[0]);
    PyObject* const made = PyObject_CallFunctionObjArgs(empty, size, nullptr);
    Py_DECREF(size);
    if (!made) throw nb::python_error();
    return nb::steal(made);
  }
  nb::list shape;
  if (num_axes > 1) {
    const nb::object own = like.attr("shape");
    for (int i = 0; i + 1 < num_axes; ++i) shape.append(own[i]);
  }
  for (const Py_ssize_t length : tail) shape.append(length);
  return nb::borrow(empty)(shape);
}

EquationsObject::EquationsObject(const Model& model, const FormulationChoice& choice)
    : equations_(make_equations(model, choice)) {
  workspace_ = equations_->make_workspace();
  sensors_ = std::make_unique<SensorReader>(*equations_);
  start_ = state_ = start_state(*equations_);
  inputs_ = make_inputs(equations_->model());
  for (const std::vector<double>& joint : inputs_.joint_forces) num_inputs_ += static_cast<int>(joint.size());
  held_.assign(static_cast<std::size_t>(num_inputs_), 0);
  accelerations_.values = VectorX::Zero(size());
}

std::vector<std::string> EquationsObject::input_names() const {
  std::vector<std::string> names;
  for (const Joint& joint : equations_->model().joints) {
    const int count = num_freedoms(joint.type);
    for (int i = 0; i < count; ++i) names.push_back(count == 1 ? joint.name : cat(joint.name, ".", i + 1));
  }
  return names;
}

void EquationsObject::load(const double* x, const double* v, const double* u, double time) {
  state_.time = time;
  state_.coordinates = Eigen::Map<const VectorX>(x, size());
  state_.speeds = Eigen::Map<const VectorX>(v, size());
  evaluate_inputs(equations_->model(), time, inputs_);
  std::fill(held_.begin(), held_.end(), 0);
  if (!u) return;
  std::copy(u, u + num_inputs_, held_.begin());
  add_forces(u, inputs_);
}

EvaluationStatus EquationsObject::evaluate() {
  return equations_->evaluate(state_, inputs_, *workspace_, accelerations_);
}

EvaluationStatus EquationsObject::linearise(LinearBlocks& blocks) {
  return equations_->linearise(state_, inputs_, *workspace_, blocks);
}

EvaluationStatus EquationsObject::node_motion(int link, int node, NodeMotion& motion) {
  const EvaluationStatus status = evaluate();
  if (status == EvaluationStatus::ok)
    motion = equations_->node_motion(state_, inputs_, accelerations_, link, node, *workspace_);
  return status;
}

EvaluationStatus EquationsObject::mass_matrix(MatrixX& mass) {
  return equations_->mass_matrix(state_, inputs_, *workspace_, mass);
}

EvaluationStatus EquationsObject::jacobian(int link, int node, MatrixX& jacobian) {
  return equations_->node_jacobian(state_, inputs_, link, node, *workspace_, jacobian);
}

EvaluationStatus EquationsObject::inverse_dynamics(const double* wanted, VectorX& forces) {
  if (as_constrained(*equations_))
    throw InputError("inverse dynamics of equations needs independent coordinates; " + equations_->name() +
                     " has constraints between them");
  return equations_->inverse_dynamics(state_, inputs_, {Eigen::Map<const VectorX>(wanted, size())}, *workspace_,
                                      forces);
}

EvaluationStatus EquationsObject::read_sensors(std::vector<double>& values) {
  const EvaluationStatus status = evaluate();
  if (status == EvaluationStatus::ok) sensors_->read(state_, inputs_, accelerations_, *workspace_, values);
  return status;
}

EvaluationStatus EquationsObject::energies(Energies& found) {
  const EvaluationStatus status = evaluate();
  if (status == EvaluationStatus::ok) found = equations_->energies(state_, inputs_, *workspace_);
  return status;
}

bool EquationsObject::accept() { return equations_->accept(state_, inputs_, *workspace_); }

StepReport EquationsObject::start_integrator(const std::string& name, double tolerance) {
  if (!integrator_ || name != integrator_name_ || tolerance != integrator_tolerance_) {
    System system;
    system.equations = equations_.get();
    system.inputs = [this](double time, const State&, Inputs& inputs) {
      evaluate_inputs(equations_->model(), time, inputs);
      add_forces(held_.data(), inputs);
    };
    system.prototype = inputs_;
    IntegratorOptions options;
    options.tolerance = tolerance;
    options.spectral_radius = 0.8;  // steps of any length: vibrations that they do not resolve decay sooner
    options.scales = displacement_scales(*equations_, start_, inputs_);
    integrator_ = make_any_integrator(name, std::move(system), std::move(options));
    if (!integrator_) throw InputError("there is no integrator '" + name + "'");
    integrator_name_ = name;
    integrator_tolerance_ = tolerance;
    next_step_ = 0;
  }
  return integrator_->start(state_, next_step_);
}

StepReport EquationsObject::step(double duration, const std::string& name, double tolerance, bool keep_configuration) {
  const double end = state_.time + duration;
  StepReport report = start_integrator(name, tolerance);
  while (report.ok() && integrator_->state().time < end) {
    report = integrator_->step(end);
    next_step_ = std::max(next_step_, integrator_->next_step());
  }
  next_step_ = std::min(next_step_, duration);
  const State& reached = integrator_->state();
  state_.time = reached.time;
  state_.coordinates = reached.coordinates;
  state_.speeds = reached.speeds;
  if (keep_configuration) state_.configuration = reached.configuration;
  return report;
}

std::pair<int, int> EquationsObject::node_by_name(const std::string& name) const {
  const std::size_t colon = name.rfind(':');
  const Model& model = equations_->model();
  for (std::size_t i = 0; i < model.links.size() && colon != name.npos; ++i) {
    if (model.links[i].name != name.substr(0, colon)) continue;
    for (std::size_t k = 0; k < model.links[i].nodes.size(); ++k)
      if (model.links[i].nodes[k].name == name.substr(colon + 1)) return {static_cast<int>(i), static_cast<int>(k)};
  }
  throw InputError("the model has no node '" + name + "'; nodes are written link:node");
}

void raise_computation_error(const std::string& message) {
  const nb::object type = nb::module_::import_("lithe.errors").attr("ComputationError");
  PyErr_SetString(type.ptr(), message.c_str());
  throw nb::python_error();
}

}  // namespace lithe::python
