#include "app/spec_options.h"

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/formulation.h"

namespace lithe::app {
namespace {

struct Given {
  std::optional<std::string> formulation, gauge, variant, reference;
  bool geometric_stiffening = false, straight = false;

  // What belongs to other equations would be ignored.
  void refuse_what_does_not_apply(const std::string& name) const {
    const auto refuse = [&](const char* option, const char* owners) {
      throw InputError(cat(option, " belongs to ", owners, "; the formulation is ", name));
    };
    const bool fem = name == "erls-fem", floating = name == "floating-frame";
    if (gauge && !fem && name != "erls-cms") refuse("--gauge", "erls-cms and erls-fem");
    if (variant && !fem && *variant != "full") refuse("--variant", "erls-fem");
    if (reference && !floating) refuse("--reference", "floating-frame");
    if (geometric_stiffening && !floating) refuse("--geometric-stiffening", "floating-frame");
    if (straight && name != "transfer-functions")
      throw InputError(
          cat("--without-quadratic-elongation belongs to the formulation transfer-functions, not to ", name));
  }

  void change(FormulationChoice& choice) const {
    if (formulation && *formulation != choice.formulation) {
      choice.formulation = *formulation;
      choice.variant = FormulationChoice{}.variant;
    }
    refuse_what_does_not_apply(choice.formulation);
    choice.gauge = gauge.value_or(choice.gauge);
    choice.variant = variant.value_or(choice.variant);
    choice.reference = reference.value_or(choice.reference);
    choice.geometric_stiffening = choice.geometric_stiffening || geometric_stiffening;
    choice.bending_shortens = choice.bending_shortens && !straight;
  }
};

}  // namespace

std::function<void(FormulationChoice&)> add_formulation_options(CommandOptions& command) {
  auto given = std::make_shared<Given>();
  command
      .add_option("--formulation", given->formulation,
                  cat("Equations of motion; ", FormulationChoice{}.formulation, " unless the file says otherwise"))
      .one_of(formulation_names());
  command.add_option("--gauge", given->gauge, "Of erls-cms and erls-fem: encoder or minimum_norm")
      .one_of({"encoder", "minimum_norm"});
  command
      .add_option("--variant", given->variant,
                  "Of erls-fem: full; or, as papers print it, published ([CMP]) or published_planar ([EVO])")
      .one_of({"full", "published", "published_planar"});
  command.add_option("--reference", given->reference, "Of floating-frame: tangent, chord or free")
      .one_of({"tangent", "chord", "free"});
  command.add_flag("--geometric-stiffening", given->geometric_stiffening,
                   "Of floating-frame: fast rotation stiffens an arm");
  command.add_flag("--without-quadratic-elongation", given->straight,
                   "Of transfer-functions: elongation without its term quadratic in bending, for comparison");
  return [given](FormulationChoice& choice) { given->change(choice); };
}

}  // namespace lithe::app
