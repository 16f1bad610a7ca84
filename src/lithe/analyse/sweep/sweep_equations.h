// Analyses with equations of motion, of any formulation, as the analysis of a sweep. docs/condense.md.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/motion/spectrum.h"
#include "lithe/analyse/observe/rigid_model.h"
#include "lithe/analyse/sweep/configuration_model.h"
#include "lithe/analyse/sweep/sweep.h"
#include "lithe/formulate/formulation.h"

namespace lithe {

struct EquationsPointOptions {
  FormulationChoice formulation;
  std::optional<NodeOfLink> tool;
  std::vector<std::string> held;     // joints that are locked: names, or "joint.2"
  bool moves_configuration = false;  // whether points have configurations of their own: Sweep::moves_configuration()
  SpringRest springs = SpringRest::follows;
};

// Also tells its columns, which are the same for models that differ in numbers alone.
class EquationsPoints : public PointAnalysis {
 public:
  EquationsPoints(const Model& model, EquationsPointOptions options);

  const Model& model() const override { return model_; }
  const Mechanism& mechanism() const override { return mechanism_; }
  std::optional<NodeOfLink> tool() const override { return options_.tool; }
  std::unique_ptr<Work> make_work() const override;
  PointResult evaluate(const PointPlace& place, Work& work, double* values) const override;
  std::vector<SweepColumn> columns() const;

 protected:
  // The numbers of one point, in the order of the columns.
  virtual PointResult answer(const Equations& equations, const PointPlace& place, double* values) const = 0;
  virtual std::vector<SweepColumn> columns_of(const Equations& equations) const = 0;
  // The equations with geometric stiffening where it is left to the analysis and matters; null elsewhere.
  virtual std::shared_ptr<const Equations> stiffened_at(const Equations& equations, const PointPlace& place) const;
  const EquationsPointOptions& options() const { return options_; }

 private:
  std::unique_ptr<Equations> equations_at(const Configuration& configuration, EquationsMaker& maker) const;

  Model model_;
  EquationsPointOptions options_;
  Mechanism mechanism_;
  Configuration home_;
  EquationsMaker maker_;
};

// Natural frequencies and damping ratios of the mechanism in the configuration (mechanism_modes).
std::unique_ptr<EquationsPoints> modes_points(const Model& model, const EquationsPointOptions& options, int count);

// Joint values, forces of brakes, sensors, displacement of the tool and of the node that moves most.
struct EquilibriumPointOptions {
  bool hold_joints = brakes_are_on;
  double tolerance = EquilibriumOptions{}.tolerance;
  // Coordinates whose brakes have columns; empty: all joint coordinates. Loops may choose others in other
  // configurations and with other parameters, so a sweep names those of its first point.
  std::vector<std::string> brakes;
};
std::unique_ptr<EquationsPoints> equilibrium_points(const Model& model, const EquationsPointOptions& options,
                                                    const EquilibriumPointOptions& wanted);

// Eigenvalues of the linear model: frequency, damping ratio and real part of each, the largest growth rate, whether it
// is stable.
struct LinearPointOptions {
  std::string about = "held";  // or "equilibrium", "initial"
  std::string spin;            // joint, or joint.2, that turns steadily; its speed is the point's, or `speed`
  double speed = 0;
  bool speed_varies = false;  // an axis or a setting gives the speed
  int count = 6;
  int buckling = 0;  // load factors wanted
};
std::unique_ptr<EquationsPoints> linear_points(const Model& model, const EquationsPointOptions& options,
                                               const LinearPointOptions& wanted);

// Of each sensor over the motion: least, most, peak (largest absolute value), final, rms, settling time, frequency of
// the highest peak in the spectrum; energies at the end.
struct MotionPointOptions {
  SimulateOptions simulation;  // output, integrator, tolerance
  SpectrumOptions spectrum;
  double band = 0.02;  // settled: within this part of the range from the final value (mean of the last twentieth)
  // Controllers that act, made for every point; empty: none.
  std::function<std::shared_ptr<ControlLoop>(const Equations&)> control;
};
std::unique_ptr<EquationsPoints> simulate_points(const Model& model, const EquationsPointOptions& options,
                                                 const MotionPointOptions& wanted);

// Peak and rms force (or torque) and peak power of every drive that prescribes a motion. Throws InputError without one.
std::unique_ptr<EquationsPoints> inverse_dynamics_points(const Model& model, const EquationsPointOptions& options,
                                                         const MotionPointOptions& wanted, bool flexible);
// The model whose sensors are the forces of those drives. Throws InputError without one.
Model with_drive_sensors(Model model, bool with_speeds);

// The time from which on the values stay within `band` of their range about the mean of the last twentieth; NaN where
// they never do.
double settling_time(const std::vector<double>& times, const std::vector<double>& values, double band);

}  // namespace lithe
