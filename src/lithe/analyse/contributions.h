// What to stiffen first: the share of every link and of every spring of a joint in the compliance of the tool and in
// natural frequencies.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/analyses.h"
#include "lithe/model/drive_train.h"

namespace lithe {

struct ContributionSpec {
  FormulationChoice formulation = {};
  std::string tool = {};               // "link:node"; empty: only_tool()
  std::vector<std::string> held = {};  // joints that motors hold; empty: those with drives or drive trains, or, without
                                       // any, all that no spring acts on and that follow no other
  int count = 3;                       // natural frequencies
};

// Shares are -∂ln c/∂ln k of a compliance c and ∂ln ω²/∂ln k of a frequency, k the stiffness of the part. They sum up
// to one, but for the part of gravity and loads in the stiffness.
struct Contribution {
  std::string name;
  bool is_joint = false;
  Vector3 compliance = Vector3::Zero();  // along the world's x, y, z
  double mean_compliance = 0;            // of the sum over the three
  std::vector<double> frequencies;       // one per natural frequency
};

struct ContributionResult {
  std::string failure;                   // why there is none; empty: there is
  Vector3 compliance = Vector3::Zero();  // m/N of the tool along x, y, z
  Matrix3 compliance_matrix = Matrix3::Zero();
  std::vector<double> frequencies;  // Hz
  std::vector<Contribution> parts;  // the largest share of the mean compliance first
};

// The node of the model's only position sensor, "link:node". Throws InputError where there is none, or several.
std::string only_tool(const Model& model);

// Throws InputError for an unknown tool, or where nothing bends.
ContributionResult contributions(const Model& model, const std::vector<DriveTrain>& trains,
                                 const ContributionSpec& spec);

}  // namespace lithe
