#include "specs.h"

#include <algorithm>

#include "lithe/analyse/compare/compare.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/nearest_name.h"
#include "lithe/base/units.h"

namespace lithe::python {
namespace {

constexpr std::string_view end_stop_names[] = {"spring", "stop", "ignore"};
constexpr std::string_view orientation_names[] = {"automatic", "keep", "free"};

std::string text_of(nb::handle value) { return nb::cast<std::string>(nb::str(value)); }

template <class Kind, std::size_t size>
void set_kind(nb::handle value, const std::string_view (&names)[size], const char* name, Kind& field) {
  const std::string text = text_of(value);
  std::string all;
  for (std::size_t i = 0; i < size; ++i) {
    if (text == names[i]) {
      field = static_cast<Kind>(i);
      return;
    }
    all += (i > 0 ? ", '" : "'") + std::string(names[i]) + "'";
  }
  throw InputError(std::string(name) + " = '" + text + "' is none of " + all);
}

// One overload per type of a field.
void set(nb::handle value, const char*, double& field) {
  if (!nb::isinstance<nb::str>(value)) {
    field = nb::cast<double>(value);
    return;
  }
  std::string why;
  const auto quantity = parse_quantity(text_of(value), &why);
  if (!quantity) throw InputError("'" + text_of(value) + "' is no quantity: " + why);
  field = quantity->in_si();
}
void set(nb::handle value, const char*, int& field) { field = nb::cast<int>(value); }
void set(nb::handle value, const char*, bool& field) { field = nb::cast<bool>(value); }
void set(nb::handle value, const char*, std::string& field) { field = nb::cast<std::string>(value); }
void set(nb::handle value, const char*, std::vector<std::string>& field) {
  field.clear();
  if (nb::isinstance<nb::str>(value)) {
    field.push_back(text_of(value));
  } else {
    for (const nb::handle item : value) field.push_back(nb::cast<std::string>(item));
  }
}
void set(nb::handle value, const char* name, std::vector<double>& field) {
  field.clear();
  for (const nb::handle item : value) set(item, name, field.emplace_back());
}
void set(nb::handle value, const char* name, EndStops& field) { set_kind(value, end_stop_names, name, field); }
// True, False or 'auto', as in the model file.
void set(nb::handle value, const char*, Stiffening& field) {
  if (nb::isinstance<nb::str>(value)) {
    if (text_of(value) != "auto") throw nb::cast_error();
    field = Stiffening::automatic;
  } else {
    field = nb::cast<bool>(value) ? Stiffening::on : Stiffening::off;
  }
}
void set(nb::handle value, const char* name, LineariseAbout& field) {
  set_kind(value, linearise_about_names, name, field);
}
void set(nb::handle value, const char* name, ToolOrientation& field) {
  set_kind(value, orientation_names, name, field);
}
template <class Field>
void set(nb::handle value, const char* name, std::optional<Field>& field) {
  if (value.is_none()) {
    field.reset();
  } else {
    set(value, name, field.emplace());
  }
}
void set(nb::handle value, const char*, FormulationChoice& field) { field = formulation_by_name(text_of(value)); }
void set(nb::handle value, const char* name, std::vector<FormulationChoice>& field) {
  field.clear();
  for (const nb::handle item : value) set(item, name, field.emplace_back());
}
void set(nb::handle value, const char*, SimulateSpec& field) { assign(nb::cast<nb::dict>(value), field); }

// Fields as Python sees them.
nb::object shown(double field) { return nb::float_(field); }
nb::object shown(int field) { return nb::int_(field); }
nb::object shown(bool field) { return nb::bool_(field); }
nb::object shown(const std::string& field) { return nb::cast(field); }
nb::object shown(const std::vector<std::string>& field) { return nb::cast(field); }
nb::object shown(const std::vector<double>& field) { return nb::cast(field); }
nb::object shown(EndStops field) { return nb::cast(std::string(end_stop_names[static_cast<int>(field)])); }
nb::object shown(Stiffening field) {
  return field == Stiffening::automatic ? nb::cast(std::string("auto"))
                                        : nb::object(nb::bool_(field == Stiffening::on));
}
nb::object shown(LineariseAbout field) { return nb::cast(std::string(name_of(field))); }
nb::object shown(ToolOrientation field) { return nb::cast(std::string(orientation_names[static_cast<int>(field)])); }
template <class Field>
nb::object shown(const std::optional<Field>& field) {
  return field ? shown(*field) : nb::none();
}
nb::object shown(const FormulationChoice& field) { return nb::cast(field.formulation); }
nb::object shown(const std::vector<FormulationChoice>& field) {
  nb::list list;
  for (const FormulationChoice& choice : field) list.append(name_of(choice));
  return list;
}
nb::object shown(const SimulateSpec& field);

template <class Spec>
nb::dict all_fields(Spec spec) {
  nb::dict all;
  fields_of(spec, [&](const char* name, auto& field, const char*) { all[name] = shown(field); });
  return all;
}
nb::object shown(const SimulateSpec& field) { return all_fields(field); }

[[noreturn]] void refuse(const std::string& name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  std::string text = "there is no keyword argument '" + name + "'";
  if (near.empty()) {
    text += "; there are";
    for (const std::string& one : known) text += (&one == &known.front() ? " " : ", ") + one;
  } else {
    text += "; did you mean '" + near + "'?";
  }
  throw nb::type_error(text.c_str());
}

template <class Spec>
void assign_fields(const nb::dict& given, Spec& spec) {
  std::vector<std::string> known;
  fields_of(spec, [&](const char* name, auto& field, const char*) {
    known.push_back(name);
    if (!given.contains(name)) return;
    try {
      set(given[name], name, field);
    } catch (const nb::cast_error&) {
      throw nb::type_error(
          ("keyword argument '" + std::string(name) + "' cannot be " + nb::cast<std::string>(nb::repr(given[name])))
              .c_str());
    }
  });
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    if (std::find(known.begin(), known.end(), name) == known.end()) refuse(name, known);
  }
}

// (name, default, description) of every field.
template <class Spec>
nb::list listed(Spec spec = {}) {
  nb::list list;
  fields_of(spec, [&](const char* name, auto& field, const char* text) {
    list.append(nb::make_tuple(name, shown(field), text));
  });
  return list;
}

// The settings that an analysis of a model would use.
template <class Spec>
nb::dict settings(const Model& model, const nb::dict& given) {
  return all_fields(spec_for<Spec>(model, given));
}

template <class Spec>
void add(nb::dict& fields, nb::dict& found, const char* name) {
  fields[name] = listed<Spec>();
  found[name] = nb::cpp_function(settings<Spec>);
}

}  // namespace

void assign(const nb::dict& given, SimulateSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, InverseDynamicsSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, ModesSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, EquilibriumSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, LineariseSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, SpectrumSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, CondenseSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, ControlSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, CompareSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, SweepSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, StateSpaceSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, SettleSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, SizeSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, IdentifySpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, SettleMapSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, ShapeSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, ContributionSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, FeedforwardSpec& spec) { assign_fields(given, spec); }
void assign(const nb::dict& given, FormulationChoice& choice) { assign_fields(given, choice); }

template <>
ModesSpec spec_for<ModesSpec>(const Model& model, const nb::dict& given) {
  ModesSpec wanted;
  assign(given, wanted);
  ModesSpec spec;
  spec.link = wanted.link;
  const std::vector<Analysis> all = analyses_of(model);
  for (const Analysis& analysis : all) {
    const auto* own = std::get_if<ModesSpec>(&analysis.spec);
    if (!own || own->link != wanted.link) continue;
    spec = *own;
    break;
  }
  assign(given, spec);
  return spec;
}

nb::dict shown_fields(const ModesSpec& spec) { return all_fields(spec); }
nb::dict shown_fields(const SimulateSpec& spec) { return all_fields(spec); }
nb::dict shown_fields(const EquilibriumSpec& spec) { return all_fields(spec); }
nb::dict shown_fields(const InverseDynamicsSpec& spec) { return all_fields(spec); }
nb::dict shown_fields(const SpectrumSpec& spec) { return all_fields(spec); }
nb::dict shown_fields(const CondenseSpec& spec) { return all_fields(spec); }
nb::dict shown_fields(const SweepSpec& spec) { return all_fields(spec); }
nb::dict shown_fields(const LineariseSpec& spec) { return all_fields(spec); }
nb::dict shown_fields(const ControlSpec& spec) { return all_fields(spec); }

void bind_specs(nb::module_& module) {
  nb::dict fields, found;
  add<SimulateSpec>(fields, found, "simulate");
  add<InverseDynamicsSpec>(fields, found, "inverse_dynamics");
  add<ModesSpec>(fields, found, "natural_modes");
  add<EquilibriumSpec>(fields, found, "find_equilibrium");
  add<LineariseSpec>(fields, found, "linearise");
  add<SpectrumSpec>(fields, found, "spectrum");
  add<CondenseSpec>(fields, found, "condense");
  add<ControlSpec>(fields, found, "study_control");
  add<CompareSpec>(fields, found, "compare");
  add<SweepSpec>(fields, found, "sweep");
  fields["state_space"] = listed<StateSpaceSpec>();
  fields["settle"] = listed<SettleSpec>();
  fields["settle_map"] = listed<SettleMapSpec>();
  fields["shape_move"] = listed<ShapeSpec>();
  fields["contributions"] = listed<ContributionSpec>();
  fields["elastic_feedforward"] = listed<FeedforwardSpec>();
  fields["size_motors"] = listed<SizeSpec>();
  fields["identify"] = listed<IdentifySpec>();
  fields["equations"] = listed<FormulationChoice>();
  module.attr("spec_fields") = fields;
  module.attr("settings_of") = found;
}

}  // namespace lithe::python
