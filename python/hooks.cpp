#include "hooks.h"

#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/controller.h"
#include "lithe/integrate/sundials.h"
#include "lithe/model/control_setup.h"

namespace lithe::python {
namespace {

using namespace std::chrono_literals;

nb::object copied(std::span<const double> values, std::size_t columns = 0) {
  const auto [kept, owner] = keep(std::vector<double>(values.begin(), values.end()));
  if (columns == 0) return view<double>(kept->data(), {values.size()}, owner);
  return view<double>(kept->data(), {values.size() / columns, columns}, owner);
}

std::span<const double> span_of(const VectorX& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

// The numbers that a function returned: one, or a sequence. Raises ValueError for others than `count` finite ones.
void take_numbers(nb::handle value, std::span<double> numbers, const std::string& what, double time) {
  const auto refuse = [&](const std::string& why) {
    throw nb::value_error(cat(what, " at ", time, " s: ", why).c_str());
  };
  if (value.is_none()) refuse("the function returned None");
  std::size_t count = 0;
  double number = 0;
  if (nb::try_cast(value, number)) {
    numbers[0] = number;
    count = 1;
  } else {
    for (const nb::handle item : value) {
      if (count < numbers.size()) numbers[count] = nb::cast<double>(item);
      ++count;
    }
  }
  if (count != numbers.size())
    refuse(cat("the function returned ", count, count == 1 ? " number" : " numbers", " instead of ", numbers.size()));
  for (const double one : numbers)
    if (!std::isfinite(one)) refuse("the function returned a number that is not finite");
}

// Runs `call` with the interpreter's lock; what it raises ends the run.
template <class Call>
bool with_lock(Stop& stop, const Call& call) {
  const nb::gil_scoped_acquire locked;
  try {
    call();
    return true;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const nb::builtin_exception& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const nb::cast_error&) {
    PyErr_SetString(PyExc_TypeError, "a function of the user returned something that is no number");
  }
  stop.raise_later();
  return false;
}

std::vector<double> flat(std::span<const SignalValue> references) {
  std::vector<double> numbers;
  for (const SignalValue& r : references) numbers.insert(numbers.end(), {r.value, r.rate, r.acceleration});
  return numbers;
}

class FunctionController : public Controller {
 public:
  FunctionController(const Callback& callback, std::string name, Stop& stop)
      : callback_(callback), name_("controller '" + std::move(name) + "'"), stop_(stop) {}
  ~FunctionController() override {
    const nb::gil_scoped_acquire locked;
    callback_ = {};
  }

  void start(double time, std::span<const double> measurements, std::span<const SignalValue> references) override {
    if (callback_.address) return;
    with_lock(stop_, [&] {
      if (nb::hasattr(callback_.function, "start"))
        callback_.function.attr("start")(time, copied(measurements), copied(flat(references), 3));
    });
  }

  void update(double time, std::span<const double> measurements, std::span<const SignalValue> references,
              std::span<double> outputs) override {
    if (stop_.wanted) return;
    if (callback_.address) {
      static_assert(sizeof(SignalValue) == 3 * sizeof(double));
      reinterpret_cast<CompiledController>(callback_.address)(time, measurements.data(),
                                                              reinterpret_cast<const double*>(references.data()),
                                                              outputs.data(), callback_.memory);
      for (const double one : outputs)
        if (!std::isfinite(one))
          failure_ = cat(name_, " at ", time, " s: the function gave a number that is not finite");
      return;
    }
    const bool good = with_lock(stop_, [&] {
      const nb::object result = callback_.function(time, copied(measurements), copied(flat(references), 3));
      take_numbers(result, outputs, name_, time);
    });
    if (!good) failure_ = name_ + " raised an error";
  }

  std::string failure() const override { return failure_; }
  std::string no_restart() const override { return name_ + " keeps its memory to itself"; }

 private:
  Callback callback_;
  std::string name_, failure_;
  Stop& stop_;
};

// Where the result of a function goes.
struct InputPlace {
  enum class Kind { force, motion, load } kind = Kind::force;
  std::string name;
  int joint = 0, freedom = 0;
  std::size_t load = 0;
  Callback* callback = nullptr;
  const Drive* drive = nullptr;
};

std::vector<InputPlace> places_of(const Model& model, std::map<std::string, Callback>& drives,
                                  std::map<std::string, Callback>& loads) {
  std::vector<InputPlace> places;
  for (auto& [name, callback] : drives) {
    const std::size_t before = places.size();
    for (const Drive& drive : model.drives)
      if (drive.name == name)
        places.push_back({drive.prescribes_motion ? InputPlace::Kind::motion : InputPlace::Kind::force,
                          "drive '" + name + "'", drive.joint, drive.freedom, 0, &callback, &drive});
    if (places.size() == before) throw InputError("the model has no drive '" + name + "'");
  }
  for (auto& [name, callback] : loads) {
    const std::size_t before = places.size();
    for (std::size_t i = 0; i < model.loads.size(); ++i)
      if (model.loads[i].name == name)
        places.push_back({InputPlace::Kind::load, "load '" + name + "'", 0, 0, i, &callback, nullptr});
    if (places.size() == before) throw InputError("the model has no load '" + name + "'");
  }
  return places;
}

void call(const InputPlace& place, double time, const State& state, std::span<double> numbers, Stop& stop) {
  if (stop.wanted) return;  // what is computed until the run ends does not count
  if (place.callback->address) {
    reinterpret_cast<CompiledInput>(place.callback->address)(time, state.coordinates.data(), state.speeds.data(),
                                                             numbers.data(), place.callback->memory);
    return;
  }
  with_lock(stop, [&] {
    const nb::object result =
        place.callback->function(time, copied(span_of(state.coordinates)), copied(span_of(state.speeds)));
    take_numbers(result, numbers, place.name, time);
  });
}

void put(const InputPlace& place, const Model& model, double time, const double* numbers, Inputs& inputs) {
  const auto joint = static_cast<std::size_t>(place.joint), freedom = static_cast<std::size_t>(place.freedom);
  if (place.kind == InputPlace::Kind::motion) {
    inputs.prescribed_motion[joint][freedom] = {numbers[0], numbers[1], numbers[2]};
  } else if (place.kind == InputPlace::Kind::force) {
    // In place of the drive's own signal.
    inputs.joint_forces[joint][freedom] += numbers[0] - evaluate(place.drive->signal, time).value;
  } else {
    const Load& load = model.loads[place.load];
    (load.torque ? inputs.nodal_loads[place.load].torque : inputs.nodal_loads[place.load].force) =
        load.direction * numbers[0];
  }
}

Callback callback_of(nb::handle given) {
  Callback callback;
  if (nb::isinstance<nb::tuple>(given)) {  // (address, array or None), made by the Python layer
    callback.address = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(given[0]));
    callback.memory_owner = nb::borrow(given[1]);
    if (!callback.memory_owner.is_none())
      callback.memory = nb::cast<nb::ndarray<double, nb::c_contig>>(callback.memory_owner).data();
  } else {
    callback.function = nb::borrow(given);
  }
  return callback;
}

std::map<std::string, Callback> callbacks(const nb::dict& given) {
  std::map<std::string, Callback> result;
  for (const auto& [name, function] : given) result[nb::cast<std::string>(name)] = callback_of(function);
  return result;
}

}  // namespace

void Stop::raise_later() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);  // before Python 3.12 the value may be a text, or missing
  if (trace) PyException_SetTraceback(value, trace);
  if (!wanted) error = nb::borrow(value);
  wanted = true;
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

nb::object Hooks::take_error() {
  nb::object taken = stop_.error ? std::move(stop_.error) : nb::none();
  stop_.error = {};
  return taken;
}

void Hooks::clear() {
  progress = nb::none();
  controllers.clear();
  drives.clear();
  loads.clear();
}

void Hooks::poll(double part) {
  part_ = part;
  if (here_ != std::thread::id() && here_ != std::this_thread::get_id()) return;  // somebody attends to it
  const auto now = std::chrono::steady_clock::now();
  if (now - last_signal_ < 50ms) return;
  last_signal_ = now;
  look();
}

void Hooks::look() {
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) {
    stop_.raise_later();
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (progress.is_none() || now - last_progress_ < 100ms) return;
  last_progress_ = now;
  with_lock(stop_, [&] { progress(part_.load()); });
}

RunHooks Hooks::run_hooks() {
  RunHooks hooks;
  hooks.progress = [this](double part) { poll(part); };
  hooks.cancel = &stop_.wanted;
  hooks.integrators = make_any_integrator;
  hooks.external = [this](const ControllerSetup& setup) -> std::unique_ptr<Controller> {
    const auto found = controllers.find(setup.name);
    if (found == controllers.end())
      throw InputError("controller '" + setup.name +
                       "' is a program of its own: give a function for it, controllers={'" + setup.name + "': ...}");
    const nb::gil_scoped_acquire locked;
    return std::make_unique<FunctionController>(found->second, setup.name, stop_);
  };
  return hooks;
}

InputFunction Hooks::input_function(const Model& model) {
  return [this, &model, places = places_of(model, drives, loads)](double time, const State& state, Inputs& inputs) {
    evaluate_inputs(model, time, inputs);
    for (const InputPlace& place : places) {
      double numbers[3] = {0, 0, 0};
      call(place, time, state, {numbers, place.kind == InputPlace::Kind::motion ? std::size_t{3} : 1}, stop_);
      put(place, model, time, numbers, inputs);
    }
  };
}

SimulateHooks Hooks::simulate_hooks(const Model& model) {
  SimulateHooks hooks;
  static_cast<RunHooks&>(hooks) = run_hooks();
  if (has_inputs()) hooks.inputs = input_function(model);
  return hooks;
}

void bind_hooks(nb::module_& module) {
  nb::class_<Hooks>(module, "Hooks", "Functions that a long analysis calls.")
      .def(
          "__init__",
          [](Hooks* self, nb::object progress, const nb::dict& controllers, const nb::dict& drives,
             const nb::dict& loads) {
            new (self) Hooks();
            self->progress = std::move(progress);
            self->controllers = callbacks(controllers);
            self->drives = callbacks(drives);
            self->loads = callbacks(loads);
          },
          nb::arg("progress") = nb::none(), nb::arg("controllers") = nb::dict(), nb::arg("drives") = nb::dict(),
          nb::arg("loads") = nb::dict())
      .def("take_error", &Hooks::take_error)
      .def("clear", &Hooks::clear)
      .def_prop_ro("stopped", &Hooks::stopped);
}

}  // namespace lithe::python
