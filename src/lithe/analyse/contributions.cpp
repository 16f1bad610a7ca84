#include "lithe/analyse/contributions.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/analyse/condense/topology.h"
#include "lithe/analyse/equilibrium/sprung.h"
#include "lithe/analyse/linear/linear_modes.h"
#include "lithe/analyse/sweep/configuration_model.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/automatic_stiffening.h"
#include "lithe/formulate/contract/link_stiffening.h"
#include "lithe/model/control_setup.h"
#include "lithe/model/finite_element_body.h"
#include "lithe/model/joint_law.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {
namespace {

bool is_stiffened(const Equations& equations) {
  if (can_stiffen(equations)) return false;
  const std::vector<Link>& links = equations.model().links;
  for (std::size_t k = 0; k < links.size(); ++k)
    if (!links[k].rigid && stiffens_link(equations, static_cast<int>(k))) return true;
  return false;
}

// Motors hold the driven joints; three unit forces act at the tool.
class Structure {
 public:
  Structure(const Model& model, const std::vector<DriveTrain>& trains, const ContributionSpec& spec)
      : spec_(spec), model_(with_held_joints(model, held_joints(model, trains, spec))) {
    const NodeOfLink tool = find_node(model_, spec.tool.empty() ? only_tool(model) : spec.tool);
    model_.loads.clear();
    for (int k = 0; k < 3; ++k) {
      Load load;
      load.name = cat("force along ", "xyz"[k]);
      load.link = tool.link;
      load.node = tool.node;
      load.direction = Vector3::Unit(k);
      load.signal = SignalConstant{0};
      linear_.inputs.push_back(load.name);
      model_.loads.push_back(std::move(load));
    }
    model_.sensors.clear();
    linear_.formulation = spec.formulation;
    linear_.about = LineariseAbout::held;
  }

  const Model& model() const { return model_; }

  struct Answer {
    std::string failure;
    Matrix3 compliance;
    std::vector<double> squares;  // ω² of the lowest modes
    bool stiffened = false;       // geometric stiffening came in
  };
  // Differences are of models that all have geometric stiffening, or all have none.
  void settle_stiffening(const Answer& now) {
    if (linear_.formulation.geometric_stiffening != Stiffening::automatic) return;
    linear_.formulation.geometric_stiffening = now.stiffened ? Stiffening::on : Stiffening::off;
  }
  Answer answer(const Model& model) const {
    Answer result;
    const LineariseResult linear = linearise(model, linear_);
    result.failure = linear.failure;
    if (!result.failure.empty()) return result;
    result.stiffened = is_stiffened(*linear.equations);
    const LinearModel& of = linear.models.front();
    if (of.size() == 0) {
      result.failure = "nothing moves: links are rigid, and joints are held";
      return result;
    }
    const SymmetricPairs pairs = symmetric_values(MatrixX((of.stiffness + of.stiffness.transpose()) / 2), of.mass);
    if (!pairs.converged || !(pairs.values[0] > smallest_eigenvalue * pairs.values[pairs.values.size() - 1] * 1e-6)) {
      result.failure = "the tool moves freely: a joint has neither spring nor motor; name it with --held";
      return result;
    }
    result.compliance = of.input.transpose() * of.stiffness.partialPivLu().solve(of.input);
    for (int k = 0; k < std::min<int>(spec_.count, static_cast<int>(pairs.values.size())); ++k)
      result.squares.push_back(pairs.values[k]);
    return result;
  }

 private:
  static std::vector<std::string> held_joints(const Model& model, const std::vector<DriveTrain>& trains,
                                              const ContributionSpec& spec) {
    if (!spec.held.empty()) return spec.held;
    std::vector<int> joints;
    for (const DriveTrain& train : trains) joints.push_back(train.joint);
    for (const Drive& drive : model.drives) joints.push_back(drive.joint);
    if (model.control)
      for (const ControllerSetup& controller : model.control->controllers)
        for (const Actuator& actuator : controller.actuators) joints.push_back(actuator.joint);
    const auto is_driven = [&](int j) { return std::find(joints.begin(), joints.end(), j) != joints.end(); };
    std::vector<std::string> names;
    for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
      const Joint& joint = model.joints[static_cast<std::size_t>(j)];
      const bool sprung = num_freedoms(joint.type) > 0 && is_sprung(joint, 0);
      const bool driven = is_driven(j);
      bool follows = false, held_by_others = false;
      for (const Coupling& coupling : model.couplings)
        if (coupling.joint == j) {
          follows = true;
          held_by_others = std::all_of(coupling.terms.begin(), coupling.terms.end(),
                                       [&](const CoupledFreedom& term) { return is_driven(term.joint); });
        }
      if (num_freedoms(joint.type) > 0 && !sprung && ((driven && !held_by_others) || (joints.empty() && !follows)))
        names.push_back(joint.name);
    }
    return names;
  }

  ContributionSpec spec_;
  Model model_;
  LineariseSpec linear_;
};

struct Part {
  std::string name;
  int link = -1, joint = -1;
};

std::vector<Part> parts_of(const Model& model) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < model.links.size(); ++i)
    if (!model.links[i].rigid) parts.push_back({model.links[i].name, static_cast<int>(i), -1});
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int f = 0; f < num_freedoms(model.joints[j].type); ++f)
      if (is_sprung(model.joints[j], f)) {
        parts.push_back({model.joints[j].name, -1, static_cast<int>(j)});
        break;
      }
  return parts;
}

void scale_material(Material& material, double factor) {
  material.young_modulus *= factor;
  material.shear_modulus *= factor;
}

// The model with the stiffness of one part times a factor.
Model scaled(const Model& model, const Part& part, double factor) {
  Model result = model;
  if (part.joint >= 0) {
    Joint& joint = result.joints[static_cast<std::size_t>(part.joint)];
    for (double& stiffness : joint.stiffness) stiffness *= factor;
    if (!joint.law) return result;
    JointLaw law = *joint.law;
    law.offset_stiffness *= factor;
    for (SpringCorner& corner : law.corners) corner.change *= factor;
    joint.law = std::make_shared<const JointLaw>(std::move(law));
    return result;
  }
  Link& link = result.links[static_cast<std::size_t>(part.link)];
  if (link.imported) {
    auto body = std::make_shared<FiniteElementBody>(*link.imported);
    body->stiffness *= factor;
    for (BeamElement& element : body->elements) element.stiffness *= factor;
    link.imported = std::move(body);
  }
  if (link.mesh) {
    auto mesh = std::make_shared<MeshPart>(*link.mesh);
    for (ElementMaterial& material : mesh->materials) material.scale_moduli(factor);
    link.mesh = std::move(mesh);
  }
  for (BeamSegment& segment : link.segments) {  // materials may serve other links as well
    if (segment.material < 0) continue;
    result.materials.push_back(result.materials[static_cast<std::size_t>(segment.material)]);
    segment.material = static_cast<int>(result.materials.size()) - 1;
    Material& own = result.materials.back();
    own.name = cat(own.name, " of ", link.name, " ", segment.material);
    scale_material(own, factor);
  }
  return result;
}

}  // namespace

std::string only_tool(const Model& model) {
  std::vector<std::string> nodes;
  for (const Sensor& sensor : model.sensors) {
    if (sensor.quantity != Quantity::position || sensor.link < 0) continue;
    const Link& link = model.links[static_cast<std::size_t>(sensor.link)];
    const std::string node = cat(link.name, ":", link.nodes[static_cast<std::size_t>(sensor.node)].name);
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  }
  if (nodes.size() == 1) return nodes[0];
  std::string list;
  for (const std::string& node : nodes) list += (list.empty() ? "" : ", ") + node;
  throw InputError(nodes.empty()
                       ? "name the tool, link:node (--tool): the model has no position sensor that would be it"
                       : cat("name the tool, link:node (--tool): position sensors are at several nodes, ", list));
}

ContributionResult contributions(const Model& model, const std::vector<DriveTrain>& trains,
                                 const ContributionSpec& spec) {
  constexpr double step = 0.01;  // of ln k: central differences, an error of 1e-4 of a share
  Structure structure(model, trains, spec);
  const std::vector<Part> parts = parts_of(structure.model());
  if (parts.empty()) throw InputError(cat(model.file, ": nothing bends: links are rigid, and joints have no springs"));
  ContributionResult result;
  const Structure::Answer now = structure.answer(structure.model());
  result.failure = now.failure;
  if (!result.failure.empty()) return result;
  structure.settle_stiffening(now);
  result.compliance_matrix = now.compliance;
  result.compliance = now.compliance.diagonal();
  const double nothing = 1e-12 * now.compliance.trace();  // rounding of a direction that is held
  for (const double square : now.squares) result.frequencies.push_back(std::sqrt(square) / (2 * std::numbers::pi));
  for (const Part& part : parts) {
    const Structure::Answer softer = structure.answer(scaled(structure.model(), part, std::exp(-step))),
                            stiffer = structure.answer(scaled(structure.model(), part, std::exp(step)));
    result.failure = softer.failure.empty() ? stiffer.failure : softer.failure;
    if (!result.failure.empty()) return result;
    Contribution share;
    share.name = part.name;
    share.is_joint = part.joint >= 0;
    const Vector3 less = (softer.compliance - stiffer.compliance).diagonal() / (2 * step);
    for (int k = 0; k < 3; ++k)
      share.compliance[k] = now.compliance(k, k) > nothing ? less[k] / now.compliance(k, k) : 0;
    share.mean_compliance = less.sum() / now.compliance.trace();
    for (std::size_t k = 0; k < now.squares.size(); ++k)
      share.frequencies.push_back(std::log(stiffer.squares[k] / softer.squares[k]) / (2 * step));
    result.parts.push_back(std::move(share));
  }
  std::stable_sort(result.parts.begin(), result.parts.end(),
                   [](const Contribution& a, const Contribution& b) { return a.mean_compliance > b.mean_compliance; });
  return result;
}

}  // namespace lithe
