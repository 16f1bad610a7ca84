// What a model amounts to: masses of its links, freedoms of its mechanism, size of its equations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/model.h"

namespace lithe {

struct LinkInfo {
  std::string name;
  bool rigid = false;
  double mass = 0;                        // kg
  Vector3 centre = Vector3::Zero();       // centre of mass, link frame, m
  Matrix3 inertia = Matrix3::Zero();      // about the centre of mass, link axes, kg m^2
  int num_nodes = 0;                      // of the mesh
  int num_dofs = 0;                       // of the mesh; 0 for a rigid link
  int num_available_modes = 0;            // elastic modes of the reduction
  int num_modes = 0;                      // elastic modes kept
  bool too_many_modes = false;            // all are asked for and none were computed: `num_modes` is 0
  std::optional<double> lowest, highest;  // frequencies of the kept modes of the free link, Hz
  std::optional<double> split_pair;       // frequency of a kept mode whose equal was dropped, Hz
};

struct JointInfo {
  std::string name;
  JointType type = JointType::revolute;
  std::string parent, child;  // link names, "ground"
  std::vector<double>
      values;        // in the initial configuration, m or rad; those of a cut joint as far as the model gives them
  bool cut = false;  // closes a loop
};

struct LoopInfo {
  std::string joint;                // the one that is cut
  std::vector<std::string> joints;  // all along the loop
};

struct MechanismInfo {
  std::vector<LinkInfo> links;
  std::vector<JointInfo> joints;
  std::vector<LoopInfo> loops;
  int gruebler = 0;                      // 6 L - Σ (6 - f): freedoms counted without looking at the geometry
  int num_closure_rows = 0;              // conditions of the cut joints
  int rank = 0;                          // of these, in the initial configuration
  int redundancy = 0;                    // conditions beyond the rank: overconstrained
  int mobility = 0;                      // rigid freedoms
  std::vector<std::string> independent;  // joint coordinates chosen as independent
  bool singular = false;                 // the initial configuration is a singular one
  std::string warning;                   // a sentence when singular, with the loops
  std::vector<std::string> corrections;  // a sentence per given joint value that moved to close its loop
  int num_elastic = 0;                   // elastic modes of all links
};

// Throws InputError where links cannot be meshed or reduced, joints do not make a mechanism, or loops do not close;
// errors of all these stages come together.
MechanismInfo inspect(const Model& model);

// Which stages make sense of a model that was read with errors.
struct InspectionStages {
  bool connections = true;    // the tree and the loops of the joints
  bool configuration = true;  // where and how fast it starts; needs the connections
};
// The errors that `inspect` would throw, of the links and of these stages.
std::vector<Diagnostic> find_errors(const Model& model, const InspectionStages& stages);

// Sentences about what is no error and yet may not be meant: links whose modes are too many to compute or whose kept
// modes part a pair, given values that were corrected, a singular configuration.
std::vector<std::string> notes(const MechanismInfo& info);

std::string_view name_of(JointType type);

}  // namespace lithe
