#include "lithe/formulate/formulation.h"

#include <algorithm>
#include <map>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/absolute/corotational/corotational.h"
#include "lithe/formulate/absolute/floating/floating_frame.h"
#include "lithe/formulate/add_formulation.h"
#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/formulate/erls/published_planar.h"
#include "lithe/formulate/transfer/transfer_functions.h"
#include "lithe/model/coordinate_choice.h"
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

struct KnownFormulation {
  FormulationTraits traits;
  FormulationFactory make;  // empty: EquationsMaker::make() knows it
};

std::vector<std::string>& all_names() {
  static std::vector<std::string> names = {"erls-cms", "erls-fem", "floating-frame", "corotational",
                                           "transfer-functions"};
  return names;
}

std::map<std::string, KnownFormulation>& known() {
  static std::map<std::string, KnownFormulation> all = {
      {"erls-cms", {{.keeps_reductions = true, .has_gauge = true, .has_geometric_stiffening = true}, {}}},
      {"erls-fem", {{.has_gauge = true, .has_variants = true, .has_geometric_stiffening = true}, {}}},
      {"floating-frame",
       {{.keeps_reductions = true,
         .campbell_stiffened = false,
         .has_reference = true,
         .has_geometric_stiffening = true},
        {}}},
      {"corotational", {{.large_deflections = true}, {}}},
      {"transfer-functions",
       {{.large_deflections = true, .chosen_coordinates = true, .has_quadratic_elongation = true}, {}}}};
  return all;
}

}  // namespace

const std::vector<std::string>& formulation_names() { return all_names(); }

void add_formulation(const std::string& name, FormulationFactory make, const FormulationTraits& traits) {
  if (known().contains(name)) throw InputError(cat("there is a formulation '", name, "' already"));
  all_names().push_back(name);
  known()[name] = {traits, std::move(make)};
}

const FormulationTraits& formulation_traits(const std::string& name) {
  static const FormulationTraits none;
  const auto at = known().find(name);
  return at == known().end() ? none : at->second.traits;
}

std::string formulations_with(bool FormulationTraits::*trait) {
  std::vector<std::string> names;
  for (const std::string& name : all_names())
    if (formulation_traits(name).*trait) names.push_back(name);
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list += cat(i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
  return list;
}

std::unique_ptr<Equations> make_equations(const Model& model, const FormulationChoice& choice) {
  return EquationsMaker(model, choice).make(model);
}

EquationsMaker::EquationsMaker(const Model& model, const FormulationChoice& choice) : choice_(choice) {
  check_name("formulation", choice.formulation, formulation_names());
  check_name("gauge", choice.gauge, {"encoder", "minimum_norm"});
  check_name("variant", choice.variant, {"full", "published", "published_planar"});
  check_name("reference condition", choice.reference, {"tangent", "chord", "free"});
  const KnownFormulation& own = known().at(choice.formulation);
  if (own.make) return;
  if (!own.traits.chosen_coordinates) refuse_chosen_coordinates(model, choice.formulation);
  if (choice.formulation == "erls-cms" && choice.variant != "full")
    throw InputError(cat("the variant '", choice.variant, "' belongs to erls-fem; erls-cms has every term"));
  if (choice.formulation == "erls-fem")
    reduced_ = std::make_shared<ReducedModel>(reduce(model, ReductionChoice{}));
  else if (own.traits.keeps_reductions)
    reduced_ = std::make_shared<ReducedModel>(reduce(model));
}

EquationsMaker::EquationsMaker(const EquationsMaker& other)
    : choice_(other.choice_), reduced_(other.reduced_ ? std::make_shared<ReducedModel>(*other.reduced_) : nullptr) {}

std::unique_ptr<Equations> EquationsMaker::make(const Model& model) {
  if (const KnownFormulation& own = known().at(choice_.formulation); own.make) return own.make(model, choice_);
  if (choice_.formulation == "corotational") return make_corotational(model);
  if (choice_.formulation == "transfer-functions")
    return std::make_unique<TransferFunctions>(model, TransferOptions{.bending_shortens = choice_.bending_shortens});
  if (choice_.variant == "published_planar") return std::make_unique<PublishedPlanar>(model);
  reduced_->model = model;
  if (choice_.formulation == "floating-frame") {
    FloatingFrameOptions floating;
    floating.reference = choice_.reference == "chord"  ? ReferenceCondition::chord
                         : choice_.reference == "free" ? ReferenceCondition::free
                                                       : ReferenceCondition::tangent;
    floating.geometric_stiffening = choice_.geometric_stiffening;
    return make_floating_frame(*reduced_, floating);
  }
  ErlsOptions options;
  options.name = choice_.formulation;
  options.gauge = choice_.gauge == "encoder" ? Gauge::encoder : Gauge::minimum_norm;
  options.geometric_stiffening = choice_.geometric_stiffening;
  options.variant = choice_.variant == "full" ? ErlsVariant::full : ErlsVariant::published;
  return std::make_unique<ErlsCms>(*reduced_, options);
}

}  // namespace lithe
