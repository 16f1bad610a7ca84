// Formulations with their settings as texts: "erls-cms+minimum_norm".
#include <algorithm>

#include "lithe/analyse/compare/compare.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace

FormulationChoice formulation_by_name(const std::string& name) {
  FormulationChoice choice;
  const std::vector<std::string> parts = split(name, '+');
  choice.formulation = parts.front();
  const std::vector<std::string>& known = formulation_names();
  if (std::find(known.begin(), known.end(), choice.formulation) == known.end()) {
    std::string list;
    for (const std::string& one : known) list += cat(list.empty() ? "'" : ", '", one, "'");
    throw InputError(cat("unknown formulation '", choice.formulation, "'; known: ", list));
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (part == "minimum_norm" || part == "encoder") {
      choice.gauge = part;
    } else if (part == "published" || part == "full") {
      choice.variant = part;
    } else if (part == "tangent" || part == "chord" || part == "free") {
      choice.reference = part;
    } else if (part == "geometric_stiffening") {
      choice.geometric_stiffening = Stiffening::on;
    } else if (part == "no_geometric_stiffening") {
      choice.geometric_stiffening = Stiffening::off;
    } else if (part == "straight_elongation") {
      choice.bending_shortens = false;
    } else {
      throw InputError(
          cat("unknown setting '", part, "' of formulation '", choice.formulation,
              "'; known: 'encoder', 'minimum_norm', 'full', 'published', 'tangent', "
              "'chord', 'free', 'geometric_stiffening', 'no_geometric_stiffening', 'straight_elongation'"));
    }
  }
  return choice;
}

std::string name_of(const FormulationChoice& choice) {
  const FormulationChoice plain;
  std::string name = choice.formulation;
  if (choice.gauge != plain.gauge) name += "+" + choice.gauge;
  if (choice.variant != plain.variant) name += "+" + choice.variant;
  if (choice.reference != plain.reference) name += "+" + choice.reference;
  if (choice.geometric_stiffening == Stiffening::on) name += "+geometric_stiffening";
  if (choice.geometric_stiffening == Stiffening::off) name += "+no_geometric_stiffening";
  if (!choice.bending_shortens) name += "+straight_elongation";
  return name;
}

std::string full_name_of(const FormulationChoice& choice) {
  std::string name = cat(choice.formulation, "+", choice.gauge, "+", choice.variant, "+", choice.reference);
  if (choice.geometric_stiffening == Stiffening::on) name += "+geometric_stiffening";
  if (choice.geometric_stiffening == Stiffening::off) name += "+no_geometric_stiffening";
  if (!choice.bending_shortens) name += "+straight_elongation";
  return name;
}

}  // namespace lithe
