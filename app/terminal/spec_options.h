// Options of a command that change the spec of its analysis, over what the model file says.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/terminal/options.h"
#include "lithe/analyse/specs.h"

namespace lithe::app {

template <class Spec>
class SpecOptions {
 public:
  // `field`: a member of the spec, or a function from the spec to one.
  template <class Field>
  Option add(CommandOptions& command, const std::string& names, Field field, const std::string& text) {
    using Value = std::remove_reference_t<std::invoke_result_t<Field, Spec&>>;
    auto given = std::make_shared<typename Given<Value>::Type>();
    changes_.push_back([given, field](Spec& spec) {
      if (Given<Value>::has(*given)) std::invoke(field, spec) = Given<Value>::value(*given);
    });
    return command.add_option(names, *given, text);
  }
  // Sets a field to true, or to `value`.
  template <class Field, class Value = bool>
  Option add_flag(CommandOptions& command, const std::string& names, Field field, const std::string& text,
                  Value value = true) {
    auto given = std::make_shared<bool>(false);
    changes_.push_back([given, field, value](Spec& spec) {
      if (*given) std::invoke(field, spec) = value;
    });
    return command.add_flag(names, *given, text);
  }
  // What an option implies beyond its field.
  void then(std::function<void(Spec&)> change) { changes_.push_back(std::move(change)); }

  // A spec as the command line changes it; of(): that of the file, or the default.
  Spec over(Spec spec) const {
    for (const auto& change : changes_) change(spec);
    return spec;
  }
  Spec of(const Model& model) const { return over(spec_of<Spec>(model)); }

 private:
  // How an option's value is kept until the model is read.
  template <class Value>
  struct Given {
    using Type = std::optional<Value>;
    static bool has(const Type& given) { return given.has_value(); }
    static const Value& value(const Type& given) { return *given; }
  };
  template <class Value>
  struct Given<std::optional<Value>> {
    using Type = std::optional<Value>;
    static bool has(const Type& given) { return given.has_value(); }
    static const Type& value(const Type& given) { return given; }
  };
  template <class Item>
  struct Given<std::vector<Item>> {
    using Type = std::vector<Item>;
    static bool has(const Type& given) { return !given.empty(); }
    static const Type& value(const Type& given) { return given; }
  };

  std::vector<std::function<void(Spec&)>> changes_;
};

// --formulation and what belongs to single formulations, the same for every command that has equations of motion.
std::function<void(FormulationChoice&)> add_formulation_options(CommandOptions& command);
template <class Spec, class Field>
void add_formulation_options(CommandOptions& command, SpecOptions<Spec>& options, Field field) {
  options.then([change = add_formulation_options(command), field](Spec& spec) { change(std::invoke(field, spec)); });
}

// --end, --output-step, --step, --tolerance, --integrator, --spectral-radius of every command that simulates. `field`:
// a function from the spec to its SimulateSpec.
template <class Spec, class Field>
void add_motion(CommandOptions& command, SpecOptions<Spec>& options, Field field) {
  const auto part = [field](auto member) {
    return [field, member](Spec& spec) -> decltype(auto) { return std::invoke(member, std::invoke(field, spec)); };
  };
  options.add(command, "--end", part(&SimulateSpec::end_time), "Time at which to end, s").positive();
  options.add(command, "--output-step", part(&SimulateSpec::output_step), "Time between recorded values, s").positive();
  options.add(command, "--step", part(&SimulateSpec::step), "Fixed step, s; default: steps chosen by the tolerance")
      .positive();
  options.add(command, "--tolerance", part(&SimulateSpec::tolerance), "Error of node positions per second of motion, m")
      .positive();
  options.add(command, "--integrator", part(&SimulateSpec::integrator),
              "automatic, exponential, dormand_prince, generalised_alpha, radau, cvode, cvode_adams, arkode or "
              "arkode_explicit");
  options.add(command, "--spectral-radius", part(&SimulateSpec::spectral_radius), "Of generalised_alpha, 0 to 1");
}

inline constexpr const char* output_help = "Directory for results; results/<model name> by default";

}  // namespace lithe::app
