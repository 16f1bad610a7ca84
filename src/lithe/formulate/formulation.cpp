#include "lithe/formulate/formulation.h"

#include <algorithm>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/corotational.h"
#include "lithe/formulate/erls_cms.h"
#include "lithe/formulate/floating_frame.h"
#include "lithe/formulate/transfer_functions.h"
#include "lithe/reduce/reduce.h"

namespace lithe {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "'" : ", '") + name + "'";
  return list;
}

void check_name(const char* what, const std::string& given, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), given) == known.end())
    throw InputError(cat("unknown ", what, " '", given, "'; known: ", listed(known)));
}

}  // namespace

const std::vector<std::string>& formulation_names() {
  static const std::vector<std::string> names = {"erls-cms", "erls-fem", "floating-frame", "corotational",
                                                 "transfer-functions"};
  return names;
}

std::unique_ptr<Equations> make_equations(const Model& model, const FormulationChoice& choice) {
  check_name("formulation", choice.formulation, formulation_names());
  check_name("gauge", choice.gauge, {"encoder", "minimum_norm"});
  check_name("variant", choice.variant, {"full", "published"});
  check_name("reference condition", choice.reference, {"tangent", "chord", "free"});
  if (choice.formulation == "floating-frame") {
    FloatingFrameOptions floating;
    floating.reference = choice.reference == "chord"  ? ReferenceCondition::chord
                         : choice.reference == "free" ? ReferenceCondition::free
                                                      : ReferenceCondition::tangent;
    floating.geometric_stiffening = choice.geometric_stiffening;
    return make_floating_frame(reduce(model), floating);
  }
  if (choice.formulation == "corotational") return make_corotational(model);
  if (choice.formulation == "transfer-functions")
    return std::make_unique<TransferFunctions>(model, TransferOptions{.bending_shortens = choice.bending_shortens});
  ErlsOptions options;
  options.name = choice.formulation;
  options.gauge = choice.gauge == "encoder" ? Gauge::encoder : Gauge::minimum_norm;
  if (choice.formulation == "erls-cms") {
    if (choice.variant != "full")
      throw InputError("the variant 'published' belongs to erls-fem; erls-cms has every term");
    return std::make_unique<ErlsCms>(reduce(model), options);
  }
  options.variant = choice.variant == "full" ? ErlsVariant::full : ErlsVariant::published;
  return std::make_unique<ErlsCms>(reduce(model, ReductionChoice{}), options);
}

}  // namespace lithe
