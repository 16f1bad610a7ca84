// What a run says of itself: options it cannot have, where it failed, and what may not be meant.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/motion/energy_scale.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/observe/deformation.h"

namespace lithe {

// Throws where the options of a run that begins at `start_time` make no sense.
void check_options(const SimulateOptions& options, double start_time);

// Of a run that has ended without geometric stiffening: a warning where it matters and the run could not begin again, a
// note where it may.
void tell_left_out(const DeformationWatch& watch, Trajectory& motion);

// Whether anything in the model takes energy away.
bool loses_energy(const Model& model);

// Where nothing damps the links and `steps` over `seconds` followed vibrations of the links that never die out: what
// would help. Empty otherwise.
std::string undamped_note(const Equations& equations, long steps, double seconds);

// Joints, loops and chosen coordinates that a failure may be about: "; loop closed by joint 'pin'".
std::string named_places(const Model& model, EvaluationStatus cause);

// Recorded instants at which the equations could not be evaluated, though the steps around them could.
struct UnknownInstants {
  long count = 0;
  double first_time = 0;
  EvaluationStatus cause = EvaluationStatus::ok;  // at the first

  void look(double time, EvaluationStatus status);
  std::string warning() const;  // empty: there were none
};

// Why a run that reached its end is not to be trusted: its imbalance is of the size of the energy itself. Empty
// otherwise.
std::string broken_balance(const EnergyBalance& energy, const EnergyScale& scale);
// A warning of a balance that is open, but less than that. Empty otherwise.
std::string open_balance(const EnergyBalance& energy, const EnergyScale& scale);

}  // namespace lithe
