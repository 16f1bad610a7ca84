#include "lithe/analyse/inspect.h"

#include <cmath>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/kinematics/independent.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/kinematics/posture.h"
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

// A link without modes is no mistake where nothing but its static condensation is wanted.
Model without_too_many_modes(Model model) {
  ReductionChoice no_modes;
  no_modes.num_kept_modes = 0;
  for (Link& link : model.links)
    if (wants_too_many_modes(link)) link.reduction = no_modes;
  return model;
}

void describe_links(const Model& model, MechanismInfo& info) {
  const ReducedModel reduced = reduce(without_too_many_modes(model));
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    info.links.push_back(describe_link(model.links[i], reduced.meshes[i], reduced.bodies[i]));
    info.links.back().too_many_modes = wants_too_many_modes(model.links[i]);
    info.num_elastic += info.links.back().num_modes;
  }
}

std::string link_name(const Model& model, int link) {
  return link < 0 ? "ground" : model.links[static_cast<std::size_t>(link)].name;
}

JointInfo describe_joint(const Model& model, int index, const Mechanism& mechanism, const Posture& posture) {
  const Joint& joint = model.joints[static_cast<std::size_t>(index)];
  JointInfo info{joint.name, joint.type, link_name(model, joint.parent), link_name(model, joint.child), {}, false};
  info.cut = mechanism.cut_of_joint(index) >= 0;
  for (int freedom = 0; freedom < num_freedoms(joint.type); ++freedom) {
    const int coordinate = mechanism.coordinate_of(index, freedom);
    if (coordinate >= 0) info.values.push_back(posture.coordinates(coordinate));
  }
  return info;
}

void describe_mechanism(const Model& model, MechanismInfo& info) {
  const Mechanism mechanism(model);
  const Posture posture = initial_posture(mechanism, model);
  const IndependentCoordinates coordinates = choose_independent(mechanism, model, posture);
  info.gruebler = 6 * static_cast<int>(model.links.size());
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    info.gruebler -= 6 - num_freedoms(model.joints[i].type);
    info.joints.push_back(describe_joint(model, static_cast<int>(i), mechanism, posture));
  }
  for (const CutJoint& cut : mechanism.cuts()) {
    LoopInfo loop{mechanism.joint_name(cut.joint), {}};
    for (const int joint : cut.loop) loop.joints.push_back(mechanism.joint_name(joint));
    info.loops.push_back(loop);
  }
  info.num_closure_rows = mechanism.num_closure_rows();
  info.rank = coordinates.rank;
  info.redundancy = coordinates.redundancy;
  info.mobility = coordinates.mobility();
  for (const int coordinate : coordinates.independent)
    info.independent.push_back(mechanism.coordinate_name(coordinate));
  info.singular = coordinates.singular;
  info.warning = coordinates.message;
}

}  // namespace

MechanismInfo inspect(const Model& model) {
  MechanismInfo info;
  Diagnostics diagnostics;
  for (const auto stage : {&describe_links, &describe_mechanism}) {
    try {
      stage(model, info);
    } catch (const InputError& error) {
      for (const InputMistake& mistake : error.mistakes()) diagnostics.error(mistake);
    }
  }
  diagnostics.throw_if_any();
  return info;
}

std::vector<std::string> remarks(const MechanismInfo& info) {
  std::vector<std::string> result;
  for (const LinkInfo& link : info.links)
    if (link.too_many_modes)
      result.push_back(cat("link '", link.name, "' has ", link.num_dofs,
                           " unknowns and no number of modes: 'condense' needs none, other analyses do"));
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
