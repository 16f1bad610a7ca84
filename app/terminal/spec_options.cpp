#include "app/terminal/spec_options.h"

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/add_formulation.h"
#include "lithe/formulate/formulation.h"

namespace lithe::app {
namespace {

struct Given {
  std::optional<std::string> formulation, gauge, variant, reference;
  bool stiffening = false, no_stiffening = false, straight = false;

  // What belongs to other equations would be ignored.
  void refuse_what_does_not_apply(const std::string& name) const {
    const auto belongs = [&](bool asked, const char* option, bool FormulationTraits::*trait) {
      if (asked && !(formulation_traits(name).*trait))
        throw InputError(cat(option, " belongs to ", formulations_with(trait), "; the formulation is ", name));
    };
    belongs(gauge.has_value(), "--gauge", &FormulationTraits::has_gauge);
    belongs(variant && *variant != "full", "--variant", &FormulationTraits::has_variants);
    belongs(reference.has_value(), "--reference", &FormulationTraits::has_reference);
    belongs(stiffening, "--geometric-stiffening", &FormulationTraits::has_geometric_stiffening);
    belongs(no_stiffening, "--no-geometric-stiffening", &FormulationTraits::has_geometric_stiffening);
    if (stiffening && no_stiffening)
      throw InputError("--geometric-stiffening and --no-geometric-stiffening exclude each other");
    belongs(straight, "--without-quadratic-elongation", &FormulationTraits::has_quadratic_elongation);
  }

  void change(FormulationChoice& choice) const {
    choice.formulation = formulation.value_or(choice.formulation);
    refuse_what_does_not_apply(choice.formulation);
    choice.gauge = gauge.value_or(choice.gauge);
    choice.variant = variant.value_or(choice.variant);
    choice.reference = reference.value_or(choice.reference);
    if (stiffening) choice.geometric_stiffening = Stiffening::on;
    if (no_stiffening) choice.geometric_stiffening = Stiffening::off;
    choice.bending_shortens = choice.bending_shortens && !straight;
  }
};

}  // namespace

std::function<void(FormulationChoice&)> add_formulation_options(CommandOptions& command) {
  auto given = std::make_shared<Given>();
  command.add_option("--formulation", given->formulation, "Equations of motion").one_of(formulation_names());
  command.add_option("--gauge", given->gauge, "Of erls-cms and erls-fem: encoder or minimum_norm")
      .one_of({"encoder", "minimum_norm"});
  command
      .add_option("--variant", given->variant,
                  "Of erls-fem: full; or published, without the terms that [CMP] leaves out")
      .one_of({"full", "published"});
  command.add_option("--reference", given->reference, "Of floating-frame: tangent, chord or free");
  command.add_flag("--geometric-stiffening", given->stiffening,
                   "Of erls-cms, erls-fem and floating-frame: always; by default where it matters");
  command.add_flag("--no-geometric-stiffening", given->no_stiffening, "The same: never");
  command.add_flag("--without-quadratic-elongation", given->straight,
                   "Of transfer-functions: elongation without its term quadratic in bending, for comparison");
  return [given](FormulationChoice& choice) { given->change(choice); };
}

}  // namespace lithe::app
