#include "lithe/analyse/run_remarks.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "lithe/base/text.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/model/coordinate_choice.h"

namespace lithe {
namespace {

std::string named_angles(const Model& model) {
  std::string names;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (acts_on_angles(model, static_cast<int>(j)))
      names += cat(names.empty() ? "; joint '" : "', '", model.joints[j].name);
  return names.empty() ? names : names + "'";
}

// Energy that appears or vanishes: steps too long for what moves, or vibrations of a mesh so coarse that the numerical
// damping of an implicit method takes them away.
std::string open_balance(const EnergyBalance& energy) {
  constexpr double much = 0.005, rounding = 1e-6;
  const double open = std::abs(energy.imbalance());
  const double all = std::abs(energy.start) + std::abs(energy.end) + std::abs(energy.input_work) + energy.dissipated;
  if (!(open > much * energy.largest_kinetic) || !(open > rounding * all)) return {};
  std::ostringstream text;
  text.precision(3);
  text << "the energy balance is open by " << energy.imbalance() << " J, " << 100 * open / energy.largest_kinetic
       << " % of the largest kinetic energy; use a smaller tolerance, or more elements";
  return text.str();
}

// Corotational beams are damped in proportion to stiffness, whatever the model says: docs/theory/corotational.md,
// section 4.
std::string other_damping(const Equations& equations) {
  if (!equations.name().starts_with("corotational")) return {};
  std::string names;
  for (const Link& link : equations.model().links) {
    const std::vector<double>& ratios = link.damping.modal_ratios;
    const bool by_modes = std::any_of(ratios.begin(), ratios.end(), [](double ratio) { return ratio != 0; });
    if (by_modes || link.damping.mass_factor != 0) names += cat(names.empty() ? "'" : ", '", link.name, "'");
  }
  if (names.empty()) return {};
  return cat("damping of ", names, ": corotational beams are damped in proportion to stiffness, so ",
             "that only the first free mode is damped as the file says, higher ones more");
}

}  // namespace

bool loses_energy(const Model& model) {
  for (const Joint& joint : model.joints)
    for (const auto* values : {&joint.damping, &joint.friction})
      for (const double value : *values)
        if (value != 0) return true;
  for (const Link& link : model.links) {
    if (link.damping.mass_factor != 0 || link.damping.stiffness_factor != 0) return true;
    for (const double ratio : link.damping.modal_ratios)
      if (ratio != 0) return true;
  }
  return false;
}

// Where loops cannot be followed, the joints that close them, and chosen nodal coordinates: which posture is singular.
std::string named_places(const Model& model, EvaluationStatus cause) {
  if (cause == EvaluationStatus::singular_angles) return named_angles(model);
  if (cause != EvaluationStatus::loop_not_closed && cause != EvaluationStatus::singular_mass) return {};
  std::string names;
  const Mechanism mechanism(model);
  for (const CutJoint& cut : mechanism.cuts())
    names += cat(names.empty() ? "; loop closed by joint '" : "', '",
                 model.joints[static_cast<std::size_t>(cut.joint)].name);
  if (!names.empty()) names += "'";
  for (const ChosenCoordinate& item : chosen_coordinates(model))
    if (item.node >= 0) names += "; chosen coordinate " + describe(model, item);
  return names;
}

std::vector<std::string> run_warnings(const Equations& equations, const EnergyBalance& energy) {
  std::vector<std::string> warnings;
  for (const std::string& warning : {open_balance(energy), other_damping(equations)})
    if (!warning.empty()) warnings.push_back(warning);
  return warnings;
}

}  // namespace lithe
