// Equations of motion: single states and batches of them over leading axes.
#include <limits>
#include <memory>

#include "equations.h"
#include "lithe/formulate/formulation.h"
#include "specs.h"

namespace lithe::python {
namespace {

// The lock of one object; waiting for another thread lets go of the interpreter.
class Locked {
 public:
  explicit Locked(std::mutex& mutex) : mutex_(mutex) {
    if (mutex_.try_lock()) return;
    const nb::gil_scoped_release released;
    mutex_.lock();
  }
  ~Locked() { mutex_.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  std::mutex& mutex_;
};

struct Arguments {
  Numbers x, v;
  std::optional<Numbers> u;
  double time;

  Arguments(const EquationsObject& self, nb::handle given_x, nb::handle given_v, nb::handle given_u, double given_time)
      : x(given_x), v(given_v), time(given_time) {
    if (!given_u.is_none()) u.emplace(given_u);
    check(x, "x", self.size(), x.num_rows());
    check(v, "v", self.size(), x.num_rows());
    if (u) check(*u, "u", self.num_inputs(), u->num_rows() == 1 ? 1 : x.num_rows());
  }
  static void check(const Numbers& numbers, const char* name, Py_ssize_t size, Py_ssize_t rows) {
    if (numbers.last_axis() == size && numbers.num_rows() == rows) return;
    throw nb::value_error((std::string(name) + " has " + std::to_string(numbers.num_rows()) + " rows of " +
                           std::to_string(numbers.last_axis()) + " numbers; " + std::to_string(rows) + " of " +
                           std::to_string(size) + " are needed")
                              .c_str());
  }
  const double* u_row(Py_ssize_t row, Py_ssize_t size) const {
    return u ? u->data() + (u->num_rows() == 1 ? 0 : row * size) : nullptr;
  }
};

void refuse(EvaluationStatus status) { raise_computation_error(describe(status)); }

// Calls compute(row) for every row, and spoil(row) for those that fail; a single one raises.
template <class Compute, class Spoil>
void each_row(EquationsObject& self, const Arguments& given, const Compute& compute, const Spoil& spoil) {
  constexpr int many_coordinates = 40;  // a call with more takes long beside letting go of the interpreter
  const Py_ssize_t rows = given.x.num_rows(), n = self.size();
  const bool single = given.x.num_axes() <= 1;
  const Locked locked(self.mutex);
  EvaluationStatus last = EvaluationStatus::ok;
  const auto all = [&] {
    for (Py_ssize_t row = 0; row < rows; ++row) {
      self.load(given.x.data() + row * n, given.v.data() + row * n, given.u_row(row, self.num_inputs()), given.time);
      last = compute(row);
      if (last != EvaluationStatus::ok && !single) spoil(row);
    }
  };
  if (single && n <= many_coordinates) {
    all();
  } else {
    const nb::gil_scoped_release released;
    all();
  }
  if (single && last != EvaluationStatus::ok) refuse(last);
}

// One row of numbers per state: arrays of the shapes `tails` behind the leading axes of x.
class Rows {
 public:
  Rows(nb::handle x, const Arguments& given, const std::vector<std::vector<Py_ssize_t>>& tails) {
    for (const std::vector<Py_ssize_t>& tail : tails) {
      arrays_.push_back(empty_like(x, given.x.num_axes(), tail));
      numbers_.push_back(std::make_unique<Numbers>(arrays_.back()));
      widths_.push_back(1);
      for (const Py_ssize_t length : tail) widths_.back() *= length;
    }
  }
  double* at(std::size_t array, Py_ssize_t row) { return numbers_[array]->writable() + row * widths_[array]; }
  void spoil(Py_ssize_t row) {
    for (std::size_t k = 0; k < widths_.size(); ++k)
      std::fill_n(at(k, row), widths_[k], std::numeric_limits<double>::quiet_NaN());
  }
  const nb::object& operator[](std::size_t array) const { return arrays_[array]; }

 private:
  std::vector<nb::object> arrays_;
  std::vector<std::unique_ptr<Numbers>> numbers_;
  std::vector<Py_ssize_t> widths_;
};

// Calls compute(row, out) for every row; a row that fails is NaN, a single one raises.
template <class Compute>
nb::object rows_of(EquationsObject& self, nb::handle x, const Arguments& given, const std::vector<Py_ssize_t>& tail,
                   const Compute& compute) {
  nb::object result = empty_like(x, given.x.num_axes(), tail);
  Numbers out(result);
  Py_ssize_t width = 1;
  for (const Py_ssize_t length : tail) width *= length;
  each_row(
      self, given, [&](Py_ssize_t row) { return compute(row, out.writable() + row * width); },
      [&](Py_ssize_t row) {
        std::fill_n(out.writable() + row * width, width, std::numeric_limits<double>::quiet_NaN());
      });
  return result;
}

nb::object evaluate(EquationsObject& self, nb::handle x, nb::handle v, nb::handle u, double time) {
  const Arguments given(self, x, v, u, time);
  return rows_of(self, x, given, {self.size()}, [&](Py_ssize_t, double* out) {
    const EvaluationStatus status = self.evaluate();
    std::copy_n(self.accelerations().values.data(), self.size(), out);
    return status;
  });
}

nb::object sensors(EquationsObject& self, nb::handle x, nb::handle v, nb::handle u, double time) {
  const Arguments given(self, x, v, u, time);
  std::vector<double> values;
  const auto count = static_cast<Py_ssize_t>(self.sensors().channels().size());
  return rows_of(self, x, given, {count}, [&](Py_ssize_t, double* out) {
    const EvaluationStatus status = self.read_sensors(values);
    if (status == EvaluationStatus::ok) std::copy(values.begin(), values.end(), out);
    return status;
  });
}

// Row-major, as NumPy has it.
template <class Matrix>
void copy_rows(const Matrix& matrix, double* out) {
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(out, matrix.rows(),
                                                                                     matrix.cols()) = matrix;
}

nb::object mass_matrix(EquationsObject& self, nb::handle x, double time) {
  const Arguments given(self, x, x, nb::none(), time);
  MatrixX mass;
  return rows_of(self, x, given, {self.size(), self.size()}, [&](Py_ssize_t row, double* out) {
    const VectorX still = VectorX::Zero(self.size());
    self.load(given.x.data() + row * self.size(), still.data(), nullptr, time);
    const EvaluationStatus status = self.mass_matrix(mass);
    if (status == EvaluationStatus::ok) copy_rows(mass, out);
    return status;
  });
}

nb::tuple linearise(EquationsObject& self, nb::handle x, nb::handle v, nb::handle u, double time) {
  const Arguments given(self, x, v, u, time);
  const Py_ssize_t n = self.size(), m = self.num_inputs();
  Rows rows(x, given, {{n, n}, {n, n}, {n, n}, {n, m}});
  LinearBlocks blocks;
  each_row(
      self, given,
      [&](Py_ssize_t row) {
        const EvaluationStatus status = self.linearise(blocks);
        if (status != EvaluationStatus::ok) return status;
        const MatrixX* const found[] = {&blocks.mass, &blocks.damping, &blocks.stiffness, &blocks.input};
        for (std::size_t k = 0; k < 4; ++k) copy_rows(*found[k], rows.at(k, row));
        return status;
      },
      [&](Py_ssize_t row) { rows.spoil(row); });
  return nb::make_tuple(rows[0], rows[1], rows[2], rows[3]);
}

nb::object jacobian(EquationsObject& self, const std::string& node, nb::handle x, double time) {
  const Arguments given(self, x, x, nb::none(), time);
  const auto [link, index] = self.node_by_name(node);
  MatrixX matrix;
  const int of_link = link, of_node = index;
  return rows_of(self, x, given, {6, self.size()}, [&](Py_ssize_t, double* out) {
    const EvaluationStatus status = self.jacobian(of_link, of_node, matrix);
    if (status == EvaluationStatus::ok) copy_rows(matrix, out);
    return status;
  });
}

nb::object inverse_dynamics(EquationsObject& self, nb::handle x, nb::handle v, nb::handle a, double time) {
  const Arguments given(self, x, v, nb::none(), time);
  const Numbers wanted(a);
  Arguments::check(wanted, "a", self.size(), given.x.num_rows());
  VectorX forces;
  return rows_of(self, x, given, {self.size()}, [&](Py_ssize_t row, double* out) {
    const EvaluationStatus status = self.inverse_dynamics(wanted.data() + row * self.size(), forces);
    if (status == EvaluationStatus::ok) std::copy_n(forces.data(), self.size(), out);
    return status;
  });
}

nb::dict node_motion(EquationsObject& self, const std::string& node, nb::handle x, nb::handle v, nb::handle u,
                     double time) {
  static const char* const names[] = {"position",     "velocity",         "acceleration",
                                      "displacement", "angular_velocity", "angular_acceleration",
                                      "orientation"};
  const Arguments given(self, x, v, u, time);
  const auto [link, index] = self.node_by_name(node);
  const int of_link = link, of_node = index;
  Rows rows(x, given, {{3}, {3}, {3}, {3}, {3}, {3}, {3, 3}});
  NodeMotion motion;
  each_row(
      self, given,
      [&](Py_ssize_t row) {
        const EvaluationStatus status = self.node_motion(of_link, of_node, motion);
        if (status != EvaluationStatus::ok) return status;
        const Vector3 found[] = {motion.position,     motion.velocity,         motion.acceleration,
                                 motion.displacement, motion.angular_velocity, motion.angular_acceleration};
        for (std::size_t k = 0; k < 6; ++k) std::copy_n(found[k].data(), 3, rows.at(k, row));
        copy_rows(motion.orientation, rows.at(6, row));
        return status;
      },
      [&](Py_ssize_t row) { rows.spoil(row); });
  nb::dict d;
  for (std::size_t k = 0; k < 7; ++k) d[names[k]] = rows[k];
  return d;
}

// Kinetic, gravity, elastic: numbers of a single state, arrays over the leading axes of several.
nb::tuple energies(EquationsObject& self, nb::handle x, nb::handle v, double time) {
  const Arguments given(self, x, v, nb::none(), time);
  const nb::object found = rows_of(self, x, given, {3}, [&](Py_ssize_t, double* out) {
    Energies parts;
    const EvaluationStatus status = self.energies(parts);
    out[0] = parts.kinetic;
    out[1] = parts.gravity;
    out[2] = parts.elastic;
    return status;
  });
  if (given.x.num_axes() <= 1) return nb::make_tuple(nb::float_(found[0]), nb::float_(found[1]), nb::float_(found[2]));
  const auto part = [&](int k) { return nb::object(found[nb::make_tuple(nb::ellipsis(), k)]); };
  return nb::make_tuple(part(0), part(1), part(2));
}

nb::tuple accept(EquationsObject& self, nb::handle x, nb::handle v, double time) {
  const Arguments given(self, x, v, nb::none(), time);
  if (given.x.num_axes() > 1)
    throw nb::value_error("accept takes one state: the object remembers one configuration of the mechanism");
  const Locked locked(self.mutex);
  self.load(given.x.data(), given.v.data(), nullptr, time);
  const EvaluationStatus status = self.evaluate();
  if (status != EvaluationStatus::ok) refuse(status);
  self.accept();
  return nb::make_tuple(array(self.state().coordinates), array(self.state().speeds));
}

nb::tuple step(EquationsObject& self, nb::handle x, nb::handle v, double duration, nb::handle u, double time,
               const std::string& integrator, double tolerance) {
  const Arguments given(self, x, v, u, time);
  nb::object new_x = empty_like(x, given.x.num_axes(), {self.size()});
  nb::object new_v = empty_like(x, given.x.num_axes(), {self.size()});
  Numbers out_x(new_x), out_v(new_v);
  const bool single = given.x.num_axes() <= 1;
  const Py_ssize_t rows = given.x.num_rows(), n = self.size();
  std::string failure;
  {
    const Locked locked(self.mutex);
    const nb::gil_scoped_release released;
    for (Py_ssize_t row = 0; row < rows; ++row) {
      self.load(given.x.data() + row * n, given.v.data() + row * n, given.u_row(row, self.num_inputs()), time);
      const StepReport report = self.step(duration, integrator, tolerance, single);
      const bool good = report.ok();
      if (!good) failure = report.text();
      for (Py_ssize_t i = 0; i < n; ++i) {
        out_x.writable()[row * n + i] = good ? self.state().coordinates(i) : std::nan("");
        out_v.writable()[row * n + i] = good ? self.state().speeds(i) : std::nan("");
      }
    }
  }
  if (single && !failure.empty()) raise_computation_error(failure);
  return nb::make_tuple(new_x, new_v);
}

template <class Class>
void bind_calls(Class& bound) {
  const auto no_u = nb::arg("u") = nb::none();
  const auto at = nb::arg("time") = 0.0;
  bound.def("evaluate", evaluate, nb::arg("x"), nb::arg("v"), no_u, at)
      .def("sensors", sensors, nb::arg("x"), nb::arg("v"), no_u, at)
      .def("linearise", linearise, nb::arg("x"), nb::arg("v"), no_u, at)
      .def("mass_matrix", mass_matrix, nb::arg("x"), at)
      .def("jacobian", jacobian, nb::arg("node"), nb::arg("x"), at)
      .def("inverse_dynamics", inverse_dynamics, nb::arg("x"), nb::arg("v"), nb::arg("a"), at)
      .def("node_motion", node_motion, nb::arg("node"), nb::arg("x"), nb::arg("v"), no_u, at)
      .def("energies", energies, nb::arg("x"), nb::arg("v"), at)
      .def("accept", accept, nb::arg("x"), nb::arg("v"), at)
      .def("step", step, nb::arg("x"), nb::arg("v"), nb::arg("duration"), no_u, at, nb::arg("integrator") = "automatic",
           nb::arg("tolerance") = 1e-6);
}

}  // namespace

void bind_formulate(nb::module_& module) {
  nb::class_<EquationsObject> bound(module, "Equations");
  bound
      .def(
          "__init__",
          [](EquationsObject* self, const Model& model, const nb::dict& given) {
            FormulationChoice choice = spec_of<SimulateSpec>(model).formulation;
            assign(given, choice);
            const nb::gil_scoped_release released;
            new (self) EquationsObject(model, choice);
          },
          nb::arg("model"), nb::arg("settings"))
      .def_prop_ro("name", [](const EquationsObject& self) { return self.equations().name(); })
      .def_prop_ro("num_coordinates", &EquationsObject::size)
      .def_prop_ro("num_joint_coordinates",
                   [](const EquationsObject& self) { return self.equations().num_joint_coordinates(); })
      .def_prop_ro("num_inputs", &EquationsObject::num_inputs)
      .def_prop_ro("coordinate_names", [](const EquationsObject& self) { return self.equations().coordinate_names(); })
      .def_prop_ro("input_names", &EquationsObject::input_names)
      .def_prop_ro("sensor_names", [](const EquationsObject& self) { return pairs_of(self.sensors().channels()); })
      .def_prop_ro("start",
                   [](const EquationsObject& self) {
                     return nb::make_tuple(array(self.start().coordinates), array(self.start().speeds));
                   })
      .def("reset", &EquationsObject::reset);
  bind_calls(bound);
  module.def("formulation_names", [] { return formulation_names(); });
}

}  // namespace lithe::python
