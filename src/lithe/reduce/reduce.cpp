#include "lithe/reduce/reduce.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/fem/assemble_mesh.h"
#include "lithe/model/coordinate_choice.h"
#include "lithe/model/error_at.h"
#include "lithe/model/mesh/mesh.h"
#include "lithe/reduce/bases.h"
#include "lithe/reduce/interface_nodes.h"
#include "lithe/reduce/invariants.h"
#include "lithe/reduce/key_error.h"
#include "lithe/reduce/reduction_store.h"
#include "lithe/reduce/solvers/eigensolver.h"
#include "lithe/reduce/solvers/sparse_factor.h"

namespace lithe {
namespace {

std::vector<int> checked_interface(const FiniteElementBody& body, const ReductionChoice& choice,
                                   const std::vector<int>& default_nodes) {
  std::vector<int> nodes = choice.interface_nodes.empty() ? default_nodes : choice.interface_nodes;
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  for (const int node : nodes)
    if (node < 0 || node >= body.num_nodes()) throw InputError(cat("unknown interface node number ", node));
  const bool needs_nodes = choice.method != ReductionMethod::none || choice.ranking == ModeRanking::interface_energy;
  if (needs_nodes && nodes.empty()) throw InputError("this reduction needs interface nodes, but no joint is attached");
  return nodes;
}

double squared_limit(const ReductionChoice& choice) {
  const double omega = 2 * std::numbers::pi * choice.max_frequency.value();
  return omega * omega;
}

// All free modes; of a large body only as many of the lowest as the choice keeps.
MatrixX free_basis(const FiniteElementBody& body, const ReductionChoice& choice, Space space) {
  const int n = static_cast<int>(moving_dofs(body, space).size());
  const bool by_frequency = choice.ranking == ModeRanking::frequency && (choice.num_kept_modes || choice.max_frequency);
  if (n <= largest_dense_problem || !by_frequency) return unit_basis(body, space);
  int count = n;
  if (choice.num_kept_modes) count = std::min(count, *choice.num_kept_modes + (space == Space::planar ? 3 : 6));
  if (choice.max_frequency)  // in space: an upper bound of those in the plane
    count = std::min(count, count_modes_below(body.stiffness, body.mass, squared_limit(choice)));
  return free_modes(body, count, space).shapes;
}

MatrixX reduction_basis(const FiniteElementBody& body, const ReductionChoice& choice,
                        const std::vector<int>& interface_nodes, Space space) {
  DynamicModes dynamic{choice.num_internal_modes, {}};
  if (choice.max_frequency) dynamic.squared_limit = squared_limit(choice);
  switch (choice.method) {
    case ReductionMethod::guyan:
      return static_modes(body, interface_nodes, space);
    case ReductionMethod::craig_bampton:
      return craig_bampton_basis(body, interface_nodes, dynamic, space);
    case ReductionMethod::rubin:
      return rubin_basis(body, interface_nodes, dynamic, space);
    case ReductionMethod::none:
      break;
  }
  return free_basis(body, choice, space);
}

// The same, kept from an earlier run where the body is large.
MatrixX kept_or_new_basis(const FiniteElementBody& body, const ReductionChoice& choice,
                          const std::vector<int>& interface_nodes, Space space) {
  ReductionStore* const store = body.num_dofs() >= smallest_for_library ? reduction_store() : nullptr;
  if (!store) return reduction_basis(body, choice, interface_nodes, space);
  const ReductionKey key = reduction_key(body, choice, interface_nodes, space);
  if (std::optional<MatrixX> kept = store->find(key, body.num_dofs())) return *std::move(kept);
  MatrixX basis = reduction_basis(body, choice, interface_nodes, space);
  if (basis.allFinite()) store->keep(key, basis);
  return basis;
}

// Columns of unit mass; those without (nodes of shells turn about their normal without any) get the stiffness of the
// stiffest of the others, so that neither drowns the other in rounding.
void scale_columns(const FiniteElementBody& body, MatrixX& basis) {
  const auto products = [&](const SparseMatrix& matrix) {
    VectorX values(basis.cols());
    for (Eigen::Index k = 0; k < basis.cols(); ++k) values(k) = basis.col(k).dot(matrix * basis.col(k));
    return values;
  };
  const VectorX mass = products(body.mass);
  const auto heavy = (mass.array() > 1e-14 * mass.maxCoeff()).eval();
  if (heavy.all()) {
    basis.array().rowwise() /= mass.cwiseSqrt().transpose().array();
    return;
  }
  const VectorX stiffness = products(body.stiffness);
  double level = 0;
  for (Eigen::Index k = 0; k < basis.cols(); ++k)
    if (heavy(k)) level = std::max(level, stiffness(k) / mass(k));
  for (Eigen::Index k = 0; k < basis.cols(); ++k) {
    if (heavy(k))
      basis.col(k) /= std::sqrt(mass(k));
    else if (stiffness(k) > 0 && level > 0)
      basis.col(k) *= std::sqrt(level / stiffness(k));
  }
}

// The part of span(V) that is mass-orthogonal to the rigid modes: V Z with Z spanning the null space of Rᵀ M V, (9).
MatrixX elastic_part(const FiniteElementBody& body, const MatrixX& rigid, MatrixX basis) {
  scale_columns(body, basis);
  const MatrixX coupling = basis.transpose() * (body.mass * rigid);
  MatrixX elastic = basis * orthogonal_factor(coupling).rightCols(basis.cols() - rigid.cols());
  elastic -= rigid * (rigid.transpose() * (body.mass * elastic));  // rounding of the static shapes
  return elastic;
}

// Elastic natural modes of the reduced space, (10); rigid motions are exact and apart.
NaturalModes elastic_modes(const FiniteElementBody& body, const MatrixX& basis, Space space) {
  const MatrixX rigid = rigid_modes(body, space);
  if (basis.cols() <= rigid.cols()) return {VectorX(0), MatrixX(body.num_dofs(), 0)};
  const MatrixX elastic = elastic_part(body, rigid, basis);
  NaturalModes modes =
      natural_modes(elastic.transpose() * (body.stiffness * elastic), elastic.transpose() * (body.mass * elastic));
  modes.shapes = elastic * modes.shapes;
  modes.shapes -= rigid * (rigid.transpose() * (body.mass * modes.shapes));
  return modes;
}

// Share of mode k in the strain energy that unit loads at the interface dofs store, averaged over these dofs, (11).
VectorX interface_energy_shares(const FiniteElementBody& body, const NaturalModes& modes,
                                const std::vector<int>& interface_nodes) {
  // A mechanism's zero frequencies count as the smallest that rounding can tell from zero.
  const double smallest = std::numeric_limits<double>::epsilon() * modes.squared_frequencies.maxCoeff();
  VectorX shares = VectorX::Zero(modes.squared_frequencies.size());
  int count = 0;
  for (const int node : interface_nodes)
    for (int dof = body.first_dof(node); dof < body.first_dof(node + 1); ++dof, ++count) {
      const VectorX energy =
          modes.shapes.row(dof).transpose().array().square() / modes.squared_frequencies.array().max(smallest);
      if (energy.sum() > 0) shares += energy / energy.sum();
    }
  return shares / std::max(1.0, static_cast<double>(count));
}

// Indices of the kept modes, ascending in frequency.
std::vector<int> selected_modes(const FiniteElementBody& body, const ReductionChoice& choice, const NaturalModes& modes,
                                const std::vector<int>& interface_nodes) {
  const int available = static_cast<int>(modes.squared_frequencies.size());
  std::vector<int> selected(available);
  std::iota(selected.begin(), selected.end(), 0);
  if (choice.max_frequency && choice.method == ReductionMethod::none)  // others limit their dynamic modes alone
    std::erase_if(selected, [&](int k) { return modes.squared_frequencies(k) > squared_limit(choice); });
  if (!choice.num_kept_modes) return selected;
  const int wanted = *choice.num_kept_modes;
  if (wanted < 0 || wanted > available)
    throw InputError(std::vector{
        error_of_key("kept_modes", cat(wanted, " elastic modes wanted, but the reduction has ", available))});
  if (choice.ranking == ModeRanking::interface_energy) {
    const VectorX shares = interface_energy_shares(body, modes, interface_nodes);
    std::stable_sort(selected.begin(), selected.end(), [&](int a, int b) { return shares(a) > shares(b); });
  }
  selected.resize(std::min<std::size_t>(selected.size(), static_cast<std::size_t>(wanted)));
  std::sort(selected.begin(), selected.end());
  return selected;
}

// Largest component positive, so that the same model gives the same modes everywhere; among components equal up to
// rounding (symmetric bodies) the first one decides.
void fix_signs(MatrixX& shapes) {
  constexpr double rounding = 1e-6;
  for (auto shape : shapes.colwise()) {
    const double largest = shape.cwiseAbs().maxCoeff();
    for (const double value : shape) {
      if (std::abs(value) < (1 - rounding) * largest) continue;
      if (value < 0) shape = -shape;
      break;
    }
  }
}

// Removes what the eigensolver leaves of non-orthonormality: U ← U L⁻ᵀ with Uᵀ M U = L Lᵀ.
void orthonormalise(const FiniteElementBody& body, MatrixX& shapes) {
  if (shapes.cols() == 0) return;
  const Eigen::LLT<MatrixX> factor(shapes.transpose() * (body.mass * shapes));
  shapes = factor.matrixL().solve(shapes.transpose()).transpose().eval();
}

// Rayleigh damping α M + β K and ratios ζ_k give α + β ω_k² + 2 ζ_k ω_k on the diagonal, (12). Ratios count the elastic
// modes before selection.
MatrixX modal_damping(const Damping& damping, const VectorX& squared_frequencies, const std::vector<int>& selected) {
  VectorX diagonal = damping.mass_factor + damping.stiffness_factor * squared_frequencies.array();
  for (std::size_t k = 0; k < selected.size() && !damping.modal_ratios.empty(); ++k) {
    const std::size_t index = std::min<std::size_t>(selected[k], damping.modal_ratios.size() - 1);
    const auto row = static_cast<Eigen::Index>(k);
    diagonal(row) += 2 * damping.modal_ratios[index] * std::sqrt(squared_frequencies(row));
  }
  return diagonal.asDiagonal();
}

// Numbers so large or small that their squares and products are lost.
void demand_finite(const FiniteElementBody& body, const MatrixX& basis, const NaturalModes& modes) {
  const bool complete = modes.shapes.cols() == modes.squared_frequencies.size() && basis.allFinite() &&
                        modes.shapes.allFinite() && modes.squared_frequencies.allFinite();
  if (complete) return;
  throw InputError(cat("its modes cannot be computed: the largest entries of mass and stiffness are ",
                       body.mass.coeffs().cwiseAbs().maxCoeff(), " kg (or kg m^2) and ",
                       body.stiffness.coeffs().cwiseAbs().maxCoeff(), " N/m (or N m)"));
}

ReducedBody reduce_unplaced(const FiniteElementBody& body, const ReductionChoice& choice, const Damping& damping,
                            const std::vector<int>& default_nodes, Space space) {
  const std::vector<int> interface_nodes = checked_interface(body, choice, default_nodes);
  const MatrixX basis = kept_or_new_basis(body, choice, interface_nodes, space);
  const NaturalModes modes = elastic_modes(body, basis, space);
  demand_finite(body, basis, modes);
  const std::vector<int> selected = selected_modes(body, choice, modes, interface_nodes);
  ReducedBody reduced;
  reduced.name = body.name;
  reduced.node_positions = body.node_positions;
  reduced.num_finite_element_dofs = static_cast<int>(moving_dofs(body, space).size());
  // Of a large body's free modes only the wanted ones were computed.
  const auto num_not_computed =
      choice.method == ReductionMethod::none ? reduced.num_finite_element_dofs - basis.cols() : 0;
  reduced.num_available_modes = static_cast<int>(modes.squared_frequencies.size() + num_not_computed);
  reduced.nodal_shapes = modes.shapes(Eigen::all, selected);
  reduced.squared_frequencies = modes.squared_frequencies(selected).cwiseMax(0.0);
  orthonormalise(body, reduced.nodal_shapes);
  fix_signs(reduced.nodal_shapes);
  NodeShapes shapes = node_shapes(body, reduced.nodal_shapes);
  reduced.translation_shapes = std::move(shapes.translations);
  reduced.rotation_shapes = std::move(shapes.rotations);
  reduced.damping = modal_damping(damping, reduced.squared_frequencies, selected);
  reduced.invariants = inertia_invariants(body, reduced.nodal_shapes);
  return reduced;
}

}  // namespace

ReducedBody reduce(const FiniteElementBody& body, const ReductionChoice& choice, const Damping& damping,
                   const std::vector<int>& interface_nodes, Space space) {
  try {
    return reduce_unplaced(body, choice, damping, interface_nodes, space);
  } catch (const InputError& error) {  // where the link stands in its file
    std::vector<Diagnostic> errors = error.errors();
    for (Diagnostic& entry : errors)
      entry = {body.place.file, body.place.line, body.place.column,
               cat("links.", body.name, ".reduction", entry.path.empty() ? "" : ".", entry.path),
               cat("link '", body.name, "': ", entry.message)};
    throw InputError(std::move(errors));
  }
}

bool wants_too_many_modes(const Link& link) {
  std::size_t num_nodes = link.nodes.size();
  for (const BeamSegment& segment : link.segments) num_nodes += static_cast<std::size_t>(segment.num_elements - 1);
  const auto num_unknowns = link.imported ? static_cast<std::size_t>(link.imported->num_dofs())
                            : link.mesh   ? 3 * link.mesh->mesh.positions.size()
                                          : 6 * num_nodes;
  if (link.rigid || num_unknowns <= largest_dense_size) return false;
  const ReductionChoice& choice = link.reduction;
  switch (choice.method) {
    case ReductionMethod::none:
      return !choice.num_kept_modes && !choice.max_frequency;
    case ReductionMethod::guyan:
      return false;
    case ReductionMethod::craig_bampton:
    case ReductionMethod::rubin:
      break;
  }
  return !choice.num_internal_modes && !choice.max_frequency;
}

ReducedBody rigid_body(const Link& link) {
  ReducedBody body;
  body.name = link.name;
  for (const Node& node : link.nodes) body.node_positions.push_back(node.position);
  const auto num_rows = static_cast<Eigen::Index>(3 * link.nodes.size());
  body.translation_shapes = body.rotation_shapes = MatrixX(num_rows, 0);
  body.damping = MatrixX(0, 0);
  body.nodal_shapes = MatrixX(0, 0);
  // Inertia J about the point itself as section moments: ½ tr(J) I - J.
  const auto point = [](double mass, const Vector3& position, const Matrix3& inertia) {
    MassPoint result;
    result.mass = mass;
    result.position = position;
    result.section_moment = 0.5 * inertia.trace() * Matrix3::Identity() - inertia;
    return result;
  };
  const RigidInertia& inertia = link.rigid_inertia;
  std::vector<MassPoint> points{point(inertia.mass, inertia.centre, inertia.inertia)};
  for (const LumpedMass& lumped : link.lumped_masses)
    points.push_back(point(lumped.mass, link.nodes.at(lumped.node).position, lumped.inertia));
  body.invariants = rigid_invariants(points);
  return body;
}

namespace {

// Beams that hang together bend in every mode. A frequency of zero is a rigid motion that rounding took for a mode, as
// when a mass at a node hides all the rest.
void demand_stiff_modes(const Link& link, const ReducedBody& body) {
  const bool has_truss = std::any_of(link.segments.begin(), link.segments.end(),
                                     [](const BeamSegment& segment) { return segment.theory == BeamTheory::truss; });
  const bool good = body.num_modes() == 0 || body.squared_frequencies.minCoeff() > 0;
  if (good || has_truss || link.from_elsewhere() || link.lumped_masses.empty()) return;
  const auto heaviest = std::max_element(link.lumped_masses.begin(), link.lumped_masses.end(),
                                         [](const LumpedMass& a, const LumpedMass& b) { return a.mass < b.mass; });
  throw InputError(std::vector{error_at(
      link.place,
      cat("link '", link.name, "': its masses are too different for numbers of double precision: with ", heaviest->mass,
          " kg at node '", link.nodes.at(heaviest->node).name, "' a rigid motion cannot be told from a mode"))});
}

}  // namespace

// A load or sensor more makes an inner node one of the interface: no reason to refuse a number of fixed-interface modes
// that was possible without.
ReducedBody reduce_link(const Model& model, int link, const FiniteElementBody& mesh, ReductionChoice choice,
                        const InterfaceNodes& nodes) {
  const bool by_model = choice.method == ReductionMethod::craig_bampton && choice.interface_nodes.empty();
  if (by_model && choice.num_internal_modes) {
    const auto inner = [&](const std::vector<int>& interface) { return num_inner_dofs(mesh, interface, model.space); };
    if (*choice.num_internal_modes <= inner(nodes.joints))
      choice.num_internal_modes = std::min(*choice.num_internal_modes, inner(nodes.all));
  }
  return reduce(mesh, choice, model.links.at(static_cast<std::size_t>(link)).damping, nodes.all, model.space);
}

ReducedBody reduce_link(const Model& model, int link, const FiniteElementBody& mesh, const ReductionChoice& choice) {
  return reduce_link(model, link, mesh, choice, interface_nodes(model).at(static_cast<std::size_t>(link)));
}

namespace {

// Modes that nobody has chosen: not every analysis can.
std::vector<Diagnostic> open_choices(const Model& model) {
  std::vector<Diagnostic> errors;
  for (const AutomaticReduction& automatic : automatic_reductions(model)) {
    const Link& link = model.links.at(static_cast<std::size_t>(automatic.link));
    if (link.rigid) continue;
    errors.push_back(error_at(
        link.place,
        cat("link '", link.name,
            "': reduction = \"auto\" works in simulate, inverse-dynamics, modes, linearise about rest and statespace; "
            "here give it a number, reduction = {internal_modes = 4}, or freeze the number that one of these commands "
            "chooses: --freeze-reduction FILE")));
  }
  return errors;
}

}  // namespace

ReducedModel reduce(const Model& model, const std::optional<ReductionChoice>& choice) {
  ReducedModel reduced{model, {}, {}};
  std::vector<Diagnostic> errors;
  if (!choice) errors = open_choices(model);
  if (!errors.empty()) throw InputError(std::move(errors));
  const std::vector<InterfaceNodes> nodes = interface_nodes(model);
  for (std::size_t k = 0; k < model.links.size(); ++k) {
    const Link& link = model.links[k];
    reduced.meshes.emplace_back();
    reduced.bodies.emplace_back();
    if (link.rigid) {
      reduced.bodies.back() = rigid_body(link);
      continue;
    }
    try {
      reduced.meshes.back() = assemble(model, link);
      reduced.bodies.back() =
          reduce_link(model, static_cast<int>(k), reduced.meshes.back(), choice.value_or(link.reduction), nodes[k]);
      demand_stiff_modes(link, reduced.bodies.back());
    } catch (const InputError& error) {
      errors.insert(errors.end(), error.errors().begin(), error.errors().end());
    }
  }
  if (!errors.empty()) throw InputError(std::move(errors));
  return reduced;
}

}  // namespace lithe
