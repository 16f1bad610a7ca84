// Errors and units.
#include "bind.h"
#include "lithe/base/computation_error.h"
#include "lithe/base/units.h"
#include "lithe/base/write_error.h"

namespace lithe::python {
namespace {

nb::object error_class(const char* name) { return nb::module_::import_("lithe.errors").attr(name); }

void raise_input_error(const InputError& error) {
  nb::list list;
  for (const Diagnostic& entry : error.errors())
    list.append(nb::make_tuple(entry.file, entry.line, entry.column, entry.path, entry.message));
  const nb::object type = error_class("InputError"), value = type(error.what(), list);
  PyErr_SetObject(type.ptr(), value.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const ComputationError& error) {
    PyErr_SetString(error_class("ComputationError").ptr(), error.what());
  } catch (const InputError& error) {
    raise_input_error(error);
  } catch (const WriteError& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  }
}

double in_si(const std::string& text) {
  std::string why;
  const std::optional<MeasuredValue> value = parse_quantity(text, &why);
  if (!value) throw InputError("'" + text + "' is no quantity: " + why);
  return value->in_si();
}

}  // namespace

void bind_base(nb::module_& module) {
  nb::register_exception_translator(translate);
  module.def("in_si", in_si, nb::arg("text"), "The SI value of a quantity: in_si('8 mm') is 0.008.");
}

}  // namespace lithe::python
