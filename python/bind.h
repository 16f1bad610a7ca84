// What the files of this folder share: arrays that own their numbers, and one function per folder of src/lithe.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "lithe/base/math.h"

namespace nb = nanobind;

namespace lithe::python {

void bind_base(nb::module_& module);
void bind_model(nb::module_& module);
void bind_read(nb::module_& module);
void bind_formulate(nb::module_& module);
void bind_integrate(nb::module_& module);
void bind_hooks(nb::module_& module);
void bind_specs(nb::module_& module);
void bind_motion(nb::module_& module);
void bind_statics(nb::module_& module);
void bind_linear(nb::module_& module);
void bind_studies(nb::module_& module);
void bind_robots(nb::module_& module);
void bind_arms(nb::module_& module);
void bind_results(nb::module_& module);
void bind_export(nb::module_& module);
void bind_view(nb::module_& module);

// A NumPy array of numbers that `owner` keeps alive. Strides in numbers.
template <class Number>
nb::object view(const Number* data, const std::vector<std::size_t>& shape, nb::handle owner,
                const std::vector<std::int64_t>& strides = {}) {
  static Number nothing = {};  // where an empty array has no address
  Number* const start = data ? const_cast<Number*>(data) : &nothing;
  return nb::cast(nb::ndarray<nb::numpy, Number>(start, shape.size(), shape.data(), owner,
                                                 strides.empty() ? nullptr : strides.data()));
}

// The same of a value that moves into the array's keeping: nothing is copied.
template <class Kept>
std::pair<Kept*, nb::capsule> keep(Kept&& value) {
  using Plain = std::remove_cvref_t<Kept>;
  auto* const kept = new Plain(std::forward<Kept>(value));
  return {kept, nb::capsule(kept, [](void* pointer) noexcept { delete static_cast<Plain*>(pointer); })};
}

template <class Number>
nb::object array(std::vector<Number> values) {
  const auto [kept, owner] = keep(std::move(values));
  return view<Number>(kept->data(), {kept->size()}, owner);
}

// Vectors become one-dimensional, matrices keep their column-major layout.
template <class Number, int Rows, int Columns>
nb::object array(Eigen::Matrix<Number, Rows, Columns> values) {
  const auto [kept, owner] = keep(std::move(values));
  const auto rows = static_cast<std::size_t>(kept->rows()), columns = static_cast<std::size_t>(kept->cols());
  if constexpr (Columns == 1) return view<Number>(kept->data(), {rows}, owner);
  return view<Number>(kept->data(), {rows, columns}, owner, {1, static_cast<std::int64_t>(rows)});
}

// Points as rows.
inline nb::object array(const std::vector<Vector3>& points) {
  std::vector<double> flat;
  flat.reserve(3 * points.size());
  for (const Vector3& point : points) flat.insert(flat.end(), point.data(), point.data() + 3);
  const auto [kept, owner] = keep(std::move(flat));
  return view<double>(kept->data(), {points.size(), 3}, owner);
}

template <class Item>
nb::object array_or_none(const std::optional<Item>& item) {
  return item ? array(*item) : nb::none();
}

// Names and units of signals.
template <class Signals>
nb::list pairs_of(const Signals& signals) {
  nb::list list;
  for (const auto& signal : signals) list.append(nb::make_tuple(signal.name, signal.unit));
  return list;
}

}  // namespace lithe::python
