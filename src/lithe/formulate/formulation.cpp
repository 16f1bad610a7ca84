#include "lithe/formulate/formulation.h"

#include <algorithm>
#include <map>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/absolute/corotational/corotational.h"
#include "lithe/formulate/absolute/floating/floating_frame.h"
#include "lithe/formulate/add_formulation.h"
#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/formulate/links/second_order.h"
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
      {"floating-frame", {{.keeps_reductions = true, .has_reference = true, .has_geometric_stiffening = true}, {}}},
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

namespace {

// Links whose second-order displacements are known: those that bend in modes and are made of beams.
bool has_bending_links(const ReducedModel& reduced) {
  for (std::size_t k = 0; k < reduced.bodies.size() && k < reduced.meshes.size(); ++k)
    if (can_bend(reduced.model.links[k], reduced.meshes[k], reduced.bodies[k].num_modes())) return true;
  return false;
}

// What is asked for and cannot be had is an error.
void check_stiffening(const FormulationChoice& choice, const ReducedModel& reduced) {
  if (choice.geometric_stiffening != Stiffening::on) return;
  if (choice.gauge != "encoder")
    throw InputError(
        cat("geometric stiffening needs the gauge 'encoder'; with '", choice.gauge, "' it would be left out"));
  if (choice.variant != "full")
    throw InputError(
        cat("geometric stiffening needs the variant 'full'; with '", choice.variant, "' it would be left out"));
  std::string flexible;
  for (const ReducedBody& body : reduced.bodies)
    if (body.num_modes() > 0) flexible += cat(flexible.empty() ? "'" : ", '", body.name, "'");
  if (!flexible.empty() && !has_bending_links(reduced))
    throw InputError(
        cat("geometric stiffening is that of beams and of meshes; no link that bends is made of them: ", flexible));
}

}  // namespace

EquationsMaker::EquationsMaker(const Model& model, const FormulationChoice& choice) : choice_(choice) {
  check_name("formulation", choice.formulation, formulation_names());
  check_name("gauge", choice.gauge, {"encoder", "minimum_norm"});
  check_name("variant", choice.variant, {"full", "published"});
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
  if (reduced_) check_stiffening(choice, *reduced_);
}

EquationsMaker::EquationsMaker(const EquationsMaker& other)
    : choice_(other.choice_), reduced_(other.reduced_ ? std::make_shared<ReducedModel>(*other.reduced_) : nullptr) {}

namespace {

ErlsOptions erls_options(const FormulationChoice& choice) {
  ErlsOptions options;
  options.name = choice.formulation;
  options.gauge = choice.gauge == "encoder" ? Gauge::encoder : Gauge::minimum_norm;
  options.variant = choice.variant == "full" ? ErlsVariant::full : ErlsVariant::published;
  return options;
}

FloatingFrameOptions floating_options(const FormulationChoice& choice) {
  FloatingFrameOptions options;
  options.reference = choice.reference == "chord"  ? ReferenceCondition::chord
                      : choice.reference == "free" ? ReferenceCondition::free
                                                   : ReferenceCondition::tangent;
  return options;
}

// With Stiffening::automatic the equations are made without second-order displacements and know how to get them.
template <class Make>
std::unique_ptr<Equations> made_by(const Make& make, Stiffening choice, bool possible) {
  auto equations = make(choice == Stiffening::on);
  if (choice == Stiffening::automatic && possible)
    equations->set_stiffened([make]() -> std::shared_ptr<const Equations> { return make(true); });
  return equations;
}

}  // namespace

std::unique_ptr<Equations> EquationsMaker::make(const Model& model) {
  if (const KnownFormulation& own = known().at(choice_.formulation); own.make) return own.make(model, choice_);
  if (choice_.formulation == "corotational") return make_corotational(model);
  if (choice_.formulation == "transfer-functions")
    return std::make_unique<TransferFunctions>(model, TransferOptions{.bending_shortens = choice_.bending_shortens});
  // Equations that were made before may still come back to what they were made of.
  if (reduced_.use_count() > 1) reduced_ = std::make_shared<ReducedModel>(*reduced_);
  reduced_->model = model;
  const std::shared_ptr<const ReducedModel> reduced = reduced_;
  if (choice_.formulation == "floating-frame") {
    const auto floating = [reduced, options = floating_options(choice_)](bool stiffening) {
      FloatingFrameOptions wanted = options;
      wanted.geometric_stiffening = stiffening;
      return make_floating_frame(*reduced, wanted);
    };
    return made_by(floating, choice_.geometric_stiffening, has_bending_links(*reduced));
  }
  const ErlsOptions options = erls_options(choice_);
  const auto erls = [reduced, options](bool stiffening) {
    ErlsOptions wanted = options;
    wanted.geometric_stiffening = stiffening;
    return std::make_unique<ErlsCms>(*reduced, wanted);
  };
  const bool possible =
      options.gauge == Gauge::encoder && options.variant == ErlsVariant::full && has_bending_links(*reduced);
  return made_by(erls, choice_.geometric_stiffening, possible);
}

}  // namespace lithe
