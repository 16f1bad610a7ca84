#include "lithe/analyse/inspect/inspect.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/kinematics/independent.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/model/coordinate_choice.h"
#include "lithe/reduce/interface_nodes.h"
#include "lithe/reduce/reduce.h"

namespace lithe {
namespace {

// Inertia about the centre of mass from the second moment about the link origin (Steiner).
Matrix3 central_inertia(const InertiaInvariants& body, const Vector3& centre) {
  const Matrix3 moment = body.second_moment - body.mass * centre * centre.transpose();
  return moment.trace() * Matrix3::Identity() - moment;
}

LinkInfo describe_link(const Link& link, const FiniteElementBody& mesh, const ReducedBody& body) {
  LinkInfo info;
  info.name = link.name;
  info.rigid = link.rigid;
  info.mass = body.invariants.mass;
  if (info.mass > 0) info.centre = body.invariants.first_moment / info.mass;
  info.inertia = central_inertia(body.invariants, info.centre);
  info.num_nodes = body.num_nodes();
  info.num_dofs = link.rigid ? 0 : mesh.num_dofs();
  info.num_available_modes = body.num_available_modes;
  info.num_modes = body.num_modes();
  if (info.num_modes > 0) {
    info.lowest = std::sqrt(body.squared_frequencies.minCoeff()) / (2 * std::numbers::pi);
    info.highest = std::sqrt(body.squared_frequencies.maxCoeff()) / (2 * std::numbers::pi);
  }
  return info;
}

bool has_truss(const Link& link) {
  return std::any_of(link.segments.begin(), link.segments.end(),
                     [](const BeamSegment& segment) { return segment.theory == BeamTheory::truss; });
}

// A link without modes is no error where nothing but its static condensation is wanted, nor are trusses, which have
// no modes of their own; here their mass counts.
Model without_too_many_modes(Model model) {
  ReductionChoice no_modes;
  no_modes.num_kept_modes = 0;
  for (Link& link : model.links) {
    const bool truss = has_truss(link);
    if (wants_too_many_modes(link) || truss) link.reduction = no_modes;
    for (BeamSegment& segment : link.segments)
      if (truss) segment.theory = BeamTheory::euler_bernoulli;
  }
  return model;
}

// A link that is equally stiff in two directions has modes in pairs, of which any mix is a mode as well: one kept alone
// bends in a direction that chance decides. Seen by keeping one mode more.
std::optional<double> split_pair(const Model& model, int index, const FiniteElementBody& mesh,
                                 const ReducedBody& body) {
  const Link& link = model.links[static_cast<std::size_t>(index)];
  constexpr int most_dofs = 600;  // beyond that the modes cost more than the note is worth
  constexpr double rounding = 1e-6;
  const int kept = body.num_modes();
  const bool cut_off = !link.rigid && link.reduction.num_kept_modes && kept > 0 && kept < body.num_available_modes;
  if (!cut_off || link.reduction.ranking != ModeRanking::frequency || mesh.num_dofs() > most_dofs) return std::nullopt;
  ReductionChoice one_more = link.reduction;
  one_more.num_kept_modes = kept + 1;
  const VectorX squared = reduce_link(model, index, mesh, one_more).squared_frequencies;
  if (squared.size() <= kept || squared(kept) - squared(kept - 1) > rounding * squared(kept)) return std::nullopt;
  return std::sqrt(squared(kept)) / (2 * std::numbers::pi);
}

void describe_links(const Model& model, MechanismInfo& info) {
  const ReducedModel reduced = reduce(without_too_many_modes(with_all_modes(model)));
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    info.links.push_back(describe_link(model.links[i], reduced.meshes[i], reduced.bodies[i]));
    info.links.back().too_many_modes = wants_too_many_modes(model.links[i]);
    info.links.back().split_pair = split_pair(model, static_cast<int>(i), reduced.meshes[i], reduced.bodies[i]);
    info.num_elastic += info.links.back().num_modes;
  }
}

std::string link_name(const Model& model, int link) {
  return link < 0 ? "ground" : model.links[static_cast<std::size_t>(link)].name;
}

JointInfo describe_joint(const Model& model, int index, const Mechanism& mechanism,
                         const Configuration& configuration) {
  const Joint& joint = model.joints[static_cast<std::size_t>(index)];
  JointInfo info{joint.name, joint.type, link_name(model, joint.parent), link_name(model, joint.child), {}, false};
  info.cut = mechanism.cut_of_joint(index) >= 0;
  for (int freedom = 0; freedom < num_freedoms(joint.type); ++freedom) {
    const int coordinate = mechanism.coordinate_of(index, freedom);
    if (coordinate >= 0) info.values.push_back(configuration.coordinates(coordinate));
  }
  return info;
}

// Given values that loops moved by more than a file's last digits.
std::vector<std::string> corrections(const Model& model, const Mechanism& mechanism,
                                     const Configuration& configuration) {
  constexpr double worth_telling = 1e-6;  // rad or m
  std::vector<std::string> result;
  for (int c = 0; c < mechanism.num_coordinates(); ++c) {
    const TreeFrame& frame = mechanism.frames()[mechanism.frame_of_coordinate(c)];
    const Joint& joint = model.joints[frame.joint];
    if (joint.type == JointType::spherical || joint.type == JointType::free) continue;  // their charts may move
    const double given = joint.initial_value[frame.freedom], found = configuration.coordinates[c];
    if (!joint.initial_value_given[frame.freedom] || std::abs(found - given) <= worth_telling) continue;
    result.push_back(cat("the initial value ", given, " of '", mechanism.coordinate_name(c), "' was corrected to ",
                         found, " to close its loop"));
  }
  return result;
}

void describe_mechanism(const Model& model, MechanismInfo& info) {
  const Mechanism mechanism(model);
  const Configuration configuration = initial_configuration(mechanism, model);
  const IndependentCoordinates coordinates = choose_independent(mechanism, model, configuration);
  const int all = model.space == Space::planar ? 3 : 6;
  info.gruebler = all * static_cast<int>(model.links.size());
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    info.gruebler -= all - num_freedoms(model.joints[i].type);
    info.joints.push_back(describe_joint(model, static_cast<int>(i), mechanism, configuration));
  }
  int num_loops = 0;
  for (const CutJoint& cut : mechanism.cuts()) {
    info.gruebler -= cut.couples();
    if (cut.couples()) continue;
    ++num_loops;
    LoopInfo loop{mechanism.joint_name(cut.joint), {}};
    for (const int joint : cut.loop) loop.joints.push_back(mechanism.joint_name(joint));
    info.loops.push_back(loop);
  }
  // In the plane each cut joint has three conditions fewer, those that lead out of it.
  const int out_of_plane = model.space == Space::planar ? 3 * num_loops : 0;
  info.num_closure_rows = mechanism.num_closure_rows() - out_of_plane;
  info.rank = coordinates.rank;
  info.redundancy = coordinates.redundancy - out_of_plane;
  info.mobility = coordinates.mobility();
  for (const int coordinate : coordinates.independent)
    info.independent.push_back(mechanism.coordinate_name(coordinate));
  info.singular = coordinates.singular;
  info.warning = coordinates.message;
  info.corrections = corrections(model, mechanism, configuration);
  initial_rates(mechanism, model, coordinates, configuration);  // throws where the loops forbid the given speeds
}

void check_connections(const Model& model, MechanismInfo&) { Mechanism{model}; }

}  // namespace

namespace {

using Stage = void (*)(const Model&, MechanismInfo&);

void run_stages(const Model& model, const std::vector<Stage>& stages, MechanismInfo& info, Diagnostics& diagnostics) {
  for (const Stage stage : stages) {
    try {
      stage(model, info);
    } catch (const InputError& error) {
      for (const Diagnostic& entry : error.errors()) diagnostics.error(entry);
    }
  }
}

}  // namespace

MechanismInfo inspect(const Model& model) {
  MechanismInfo info;
  Diagnostics diagnostics;
  run_stages(model, {&describe_links, &describe_mechanism}, info, diagnostics);
  diagnostics.throw_if_any();
  return info;
}

std::vector<Diagnostic> find_errors(const Model& model, const InspectionStages& stages) {
  MechanismInfo info;
  Diagnostics diagnostics;
  std::vector<Stage> wanted = {&describe_links};
  if (stages.connections) wanted.push_back(stages.configuration ? &describe_mechanism : &check_connections);
  run_stages(model, wanted, info, diagnostics);
  return diagnostics.errors();
}

std::vector<std::string> notes(const MechanismInfo& info) {
  std::vector<std::string> result;
  for (const LinkInfo& link : info.links)
    if (link.too_many_modes)
      result.push_back(cat("link '", link.name, "' has ", link.num_dofs,
                           " unknowns and no number of modes: 'condense' needs none, other analyses do"));
  for (const LinkInfo& link : info.links)
    if (link.split_pair)
      result.push_back(cat("link '", link.name, "': its ", link.num_modes,
                           link.num_modes == 1 ? " mode parts" : " modes part", " a pair of equal frequencies at ",
                           *link.split_pair, " Hz, so it bends in one of two equal directions alone; keep one mode ",
                           "more or less"));
  result.insert(result.end(), info.corrections.begin(), info.corrections.end());
  if (info.singular) result.push_back(info.warning);
  return result;
}

std::string_view name_of(JointType type) {
  switch (type) {
    case JointType::fixed:
      return "fixed";
    case JointType::revolute:
      return "revolute";
    case JointType::prismatic:
      return "prismatic";
    case JointType::cylindrical:
      return "cylindrical";
    case JointType::universal:
      return "universal";
    case JointType::spherical:
      return "spherical";
    case JointType::planar:
      return "planar";
    case JointType::free:
      return "free";
  }
  return "unknown";
}

}  // namespace lithe
