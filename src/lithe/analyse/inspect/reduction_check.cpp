#include "lithe/analyse/inspect/reduction_check.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/formulate/add_formulation.h"
#include "lithe/formulate/formulation.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/model/mesh/mesh.h"
#include "lithe/reduce/bases.h"
#include "lithe/reduce/interface_nodes.h"
#include "lithe/reduce/reduce.h"

namespace lithe {
namespace {

constexpr std::size_t most_unknowns_checked = 6000;  // beyond that the answer costs seconds

// Whether a choice can leave static shapes out. The default and internal_modes cannot.
bool may_lose(const Link& link) {
  const ReductionChoice& choice = link.reduction;
  if (link.rigid || wants_too_many_modes(link)) return false;
  return choice.num_kept_modes || !choice.interface_nodes.empty() ||
         (choice.method == ReductionMethod::none && choice.max_frequency);
}

// Static compliance to unit loads at dofs: complete, and with the kept modes.
struct Compliances {
  VectorX complete, kept;
};

Compliances compliances(const FiniteElementBody& mesh, const ReducedBody& body, const std::vector<int>& dofs,
                        int held_node, Space space) {
  const auto count = static_cast<Eigen::Index>(dofs.size());
  MatrixX loads = MatrixX::Zero(mesh.num_dofs(), count), modes = body.nodal_shapes;
  for (Eigen::Index k = 0; k < count; ++k) loads(dofs[static_cast<std::size_t>(k)], k) = 1;
  MatrixX answers;
  if (held_node >= 0) {
    answers = HeldBody(mesh, held_node, space).displacements(loads);
    for (Eigen::Index k = 0; k < modes.cols(); ++k) {
      const Vector3 shift = modes.block<3, 1>(6 * held_node, k), turn = modes.block<3, 1>(6 * held_node + 3, k);
      for (int node = 0; node < mesh.num_nodes(); ++node) {
        const Vector3 arm = mesh.node_positions[static_cast<std::size_t>(node)] -
                            mesh.node_positions[static_cast<std::size_t>(held_node)];
        modes.block<3, 1>(6 * node, k) -= shift + turn.cross(arm);
        modes.block<3, 1>(6 * node + 3, k) -= turn;
      }
    }
  } else {
    answers = attachment_shapes(mesh, dofs, space);
  }
  Compliances result{VectorX(count), VectorX::Zero(count)};
  for (Eigen::Index k = 0; k < count; ++k) {
    const int dof = dofs[static_cast<std::size_t>(k)];
    result.complete(k) = answers(dof, k);
    if (modes.cols() > 0)
      result.kept(k) = (modes.row(dof).transpose().array().square() / body.squared_frequencies.array()).sum();
  }
  return result;
}

// Nodes where something acts or is measured, without the one that holds the link; where there is none, all named ones.
std::vector<int> judged_nodes(const Model& model, int link, int held_node) {
  std::vector<int> nodes = interface_nodes(model, link);
  std::erase(nodes, held_node);
  if (!nodes.empty()) return nodes;
  for (std::size_t k = 0; k < model.links[static_cast<std::size_t>(link)].nodes.size(); ++k)
    if (static_cast<int>(k) != held_node) nodes.push_back(static_cast<int>(k));
  return nodes;
}

ReductionLoss loss_of(const Model& model, int index, int inboard_node) {
  const Link& link = model.links[static_cast<std::size_t>(index)];
  const FiniteElementBody mesh = assemble(model, link);
  const ReducedBody body = reduce_link(model, index, mesh, link.reduction);
  ReductionLoss result;
  result.link = index;
  result.held = mesh.dof_starts.empty() && mesh.nodes_have_rotations;
  const int held_node = result.held ? inboard_node : -1;
  const std::vector<int> moving = moving_dofs(mesh, model.space), nodes = judged_nodes(model, index, held_node);
  std::vector<int> dofs;
  for (const int dof : moving)
    if (std::find(nodes.begin(), nodes.end(), mesh.node_of_dof(dof)) != nodes.end()) dofs.push_back(dof);
  const Compliances found = compliances(mesh, body, dofs, held_node, model.space);
  for (const int node : nodes) {
    NodeDirection softest{node, 0, 0}, most[2];  // of forces, of torques
    double softness[2] = {0, 0}, lost[2] = {0, 0};
    for (std::size_t k = 0; k < dofs.size(); ++k) {
      if (mesh.node_of_dof(dofs[k]) != node) continue;
      const auto row = static_cast<Eigen::Index>(k);
      const double complete = found.complete(row), missing = std::max(0.0, complete - found.kept(row));
      const NodeDirection here{node, mesh.component(dofs[k]), complete > 0 ? missing / complete : 0};
      const int kind = here.direction > 2 ? 1 : 0;
      if (kind == 0 && complete > softness[0]) softest = here;
      softness[kind] = std::max(softness[kind], complete);
      if (missing <= lost[kind]) continue;
      lost[kind] = missing;
      most[kind] = here;
    }
    for (const int kind : {0, 1}) {
      double& ratio = kind == 0 ? result.of_forces : result.of_torques;
      const double here = softness[kind] > 0 ? lost[kind] / softness[kind] : 0;
      if (here > std::max(result.of_forces, result.of_torques)) result.largest = most[kind];
      ratio = std::max(ratio, here);
    }
    if (result.softest.node < 0 || softest.loss > result.softest.loss) result.softest = softest;
  }
  return result;
}

// First frequency of the mechanism as it starts, joints held, Hz.
std::optional<double> first_frequency(const Model& model) {
  const std::unique_ptr<Equations> equations = make_equations(model);
  const auto workspace = equations->make_workspace();
  LinearBlocks blocks;
  const State state = equations->initial_state();
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, state.time, inputs);
  if (equations->linearise_elastic(state, inputs, *workspace, blocks) != EvaluationStatus::ok) return std::nullopt;
  const Eigen::Index joints = equations->num_joint_coordinates(), modes = equations->num_coordinates() - joints;
  if (modes <= 0 || blocks.mass.rows() < joints + modes) return std::nullopt;
  const MatrixX mass = blocks.mass.bottomRightCorner(modes, modes);
  const MatrixX stiffness = blocks.stiffness.bottomRightCorner(modes, modes);
  const SymmetricPairs pairs =
      symmetric_pairs(0.5 * (mass + mass.transpose()), 0.5 * (stiffness + stiffness.transpose()));  // 1/ω²
  const double compliance = pairs.values.size() > 0 ? pairs.values.maxCoeff() : 0;
  if (!pairs.converged || !(compliance > 0)) return std::nullopt;
  return 1 / (2 * std::numbers::pi * std::sqrt(compliance));
}

// Static shapes of all interface nodes, and as many fixed-interface modes as the first frequency needs.
Model completed(Model model, const std::vector<ReductionLoss>& losses) {
  for (const ReductionLoss& loss : losses) {
    Link& link = model.links[static_cast<std::size_t>(loss.link)];
    ReductionChoice choice;
    choice.method = ReductionMethod::craig_bampton;
    const FiniteElementBody mesh = assemble(model, link);
    choice.num_internal_modes = std::clamp(num_inner_dofs(mesh, joint_nodes(model, loss.link), model.space), 0, 10);
    link.reduction = choice;
  }
  return model;
}

std::string percent(double part) {
  std::ostringstream out;
  out.precision(part > 0.995 && part < 1 ? 4 : 3);
  out << 100 * part << " %";
  return out.str();
}

std::string hertz(double frequency) {
  std::ostringstream out;
  out.precision(4);
  out << frequency << " Hz";
  return out.str();
}

std::string direction_name(int direction) {
  return cat(direction < 3 ? "a force along " : "a torque about ", std::string(1, "xyz"[direction % 3]));
}

std::string loss_sentence(const Model& model, const ReductionLoss& loss, const std::string& formulation) {
  const Link& link = model.links[static_cast<std::size_t>(loss.link)];
  const auto where = [&](const NodeDirection& at) {
    return cat("under ", direction_name(at.direction), " at node '", link.nodes[static_cast<std::size_t>(at.node)].name,
               "'");
  };
  std::string text = cat("link '", link.name, "' in ", formulation, ": its modes leave out ",
                         percent(loss.softest.loss), " of the static deflection ", where(loss.softest));
  if (loss.largest.loss > 1.01 * loss.softest.loss)
    text += cat(", and ", percent(loss.largest.loss), " ", where(loss.largest));
  const bool by_count = link.reduction.num_kept_modes || link.reduction.max_frequency;
  text += by_count ? "; 'internal_modes' instead of 'kept_modes' leaves out nothing of it"
                   : "; name that node in 'interface_nodes'";
  return text;
}

}  // namespace

bool uses_reduction(const std::string& formulation) { return formulation_traits(formulation).keeps_reductions; }

ReductionLosses reduction_losses(const Model& model) {
  ReductionLosses result;
  if (std::none_of(model.links.begin(), model.links.end(), may_lose)) return result;
  const Mechanism mechanism(model);
  for (std::size_t k = 0; k < model.links.size(); ++k) {
    const Link& link = model.links[k];
    if (!may_lose(link)) continue;
    const int index = static_cast<int>(k);
    const std::size_t unknowns = link.imported ? static_cast<std::size_t>(link.imported->num_dofs())
                                 : link.mesh   ? 3 * link.mesh->mesh.positions.size()
                                               : 0;
    if (unknowns > most_unknowns_checked) {
      result.unknown.push_back(index);
      continue;
    }
    const ReductionLoss loss =
        loss_of(model, index, mechanism.frames()[static_cast<std::size_t>(mechanism.frame_of_link(index))].child_node);
    if (loss.of_forces > negligible_loss || loss.of_torques > negligible_loss_of_torques) result.links.push_back(loss);
  }
  if (result.links.empty()) return result;
  try {
    result.frequency = first_frequency(model);
    result.complete_frequency = first_frequency(completed(model, result.links));
  } catch (const InputError&) {  // what is wrong with the mechanism is reported elsewhere
    result.frequency.reset();
  }
  return result;
}

std::vector<std::string> reduction_warnings(const Model& model, const ReductionLosses& losses,
                                            const std::string& formulation) {
  std::vector<std::string> result;
  for (const ReductionLoss& loss : losses.links) result.push_back(loss_sentence(model, loss, formulation));
  for (const int link : losses.unknown)
    result.push_back(cat("link '", model.links[static_cast<std::size_t>(link)].name,
                         "': its modes may leave out part of the static deflection; it is too large to say how much"));
  if (losses.frequency && losses.complete_frequency) {
    const double high = *losses.frequency / *losses.complete_frequency - 1;
    if (high > negligible_loss)
      result.push_back(cat("with these modes the first frequency, joints held, is ", hertz(*losses.frequency),
                           " instead of ", hertz(*losses.complete_frequency), " (", percent(high), " high)"));
  }
  return result;
}

std::vector<std::string> reduction_warnings(const Model& model, const std::string& formulation) {
  if (!uses_reduction(formulation)) return {};
  try {
    return reduction_warnings(model, reduction_losses(model), formulation);
  } catch (const InputError&) {  // reported by what the command does
    return {};
  }
}

}  // namespace lithe
