// Exponential Runge-Kutta of order 4: the linear part of the motion about a reference state, split into its modes, is
// solved exactly, so that steps may be hundreds of times longer than the period of the highest mode.
// docs/theory/integrators.md, section 4.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <array>

#include "lithe/formulate/contract/stage_projection.h"
#include "lithe/integrate/error_duration.h"
#include "lithe/integrate/exponential/coupled_modes.h"
#include "lithe/integrate/exponential/exponential_constants.h"
#include "lithe/integrate/exponential/oscillator_functions.h"
#include "lithe/integrate/exponential/phase_duration.h"
#include "lithe/integrate/exponential/smoothed_steps.h"
#include "lithe/integrate/exponential/tridiagonal_modes.h"
#include "lithe/integrate/integrator.h"
#include "lithe/integrate/known_instants.h"

namespace lithe {

class Exponential : public Integrator, public SmoothedSteps, public KnowsInstants {
 public:
  Exponential(System system, IntegratorOptions options);
  std::string name() const override { return "exponential"; }
  void interpolate(double time, State& result) const override;
  double smooth(double from, double to, std::array<State, 3>& result) const override;
  bool known_instants(KnownInstants& result) const override;
  Workspace* known_workspace() override { return workspace_.get(); }
  bool explicit_would_do() const override { return resolved_steps_ >= Constants::resolved_steps; }
  // Products with the modes beside each evaluation, and decompositions.
  double work(const IntegratorCounters& counted) const override {
    const double n = size();
    return static_cast<double>(counted.evaluations) * (1 + Constants::work_beside_evaluation * n) +
           static_cast<double>(counted.linearisations) *
               (Constants::work_of_linearisation + Constants::work_of_modes * n * n);
  }

 protected:
  StepReport prepare() override;
  Attempt attempt(double h) override;
  int error_order() const override { return 3; }
  void refreshed() override;
  void accepted(double h) override;
  double guess_first_step() const override;
  double choose_step(double h, double factor) override;
  double favourable_step(double h) override;

 private:
  using Constants = ExponentialConstants;
  static constexpr int num_stages = 4;
  static constexpr int num_rows = num_stages + 1;  // the stages and the result

  // Modal coordinates about the reference: x = reference + basis y.
  struct Modal {
    VectorX y, w;  // coordinate and speed
  };

  // Whether the reference still serves, and a new one, are found in stages that can be spread over several steps, so
  // that no step takes long.
  enum class Renewal {
    none,
    factorise,
    multiply_mass,
    compare_mass,
    multiply_stiffness,
    compare_stiffness,
    scale_rows,
    scale_columns,
    reduce,
    solve,
    turn,
    turn_rest,
    transform,
    damp,
    invert,
    install,
  };
  bool factorise_mass();
  void scale_rows();
  void scale_columns();
  void turn_basis(int half);
  void transform_basis();
  void find_damping();
  void invert_basis();
  void install_reference();
  enum class Stage { again, done, over };
  Stage renew_stage(double h);
  Stage solve_portion();
  void measure_by_deformation();
  void sharpen_inverse();
  bool take_reference();
  void continue_renewal(double h);
  double changed_mass();
  double changed_stiffness(double h);
  bool judge_reference();
  void leave_out_still_directions();
  void watch_reference(double h);
  double oldest_reference() const;
  void look();
  double moved_since_look() const;
  bool reference_is_far() const;
  double distance_from_resonance(double h) const;
  double resonance_of(Eigen::Index mode, double h) const;
  void set_step(double h);
  void set_filter(double h);
  void filter(const Modal& modal, const VectorX& force);
  EvaluationStatus filter_first_force();
  void express_state();
  void to_modal(const State& state, Modal& result);
  void remainder(const Modal& modal, const Accelerations& accelerations, VectorX& result);
  void combine(int row, Modal& result) const;
  EvaluationStatus evaluate_at(Modal& modal, double time, VectorX& force);
  EvaluationStatus evaluate_stage(int row, double time, Modal& modal, VectorX& force);
  double estimate_error(double h);
  bool mass_depends_on_configuration();
  void count_resolved_steps();
  void keep_middle();
  void remember_forces(double h);
  void renew_past_forces();
  void add_error_of_sampling(double h);
  double share_that_adds_up(Eigen::Index mode, double position, double speed, double h);
  void bound_by_amplitudes(double h);
  double weighed_error(double h);
  void prepare_inputs();
  void pack_inputs(double time, VectorX& result);
  void deviate_inputs();
  EvaluationStatus force_of_deviation(const VectorX& deviation, VectorX& result);
  bool deviations_matter(double size) const;
  void add_error_of_inputs(double h);
  void note_error_of_inputs(double size, double h);
  bool quick_is_worth_it(double h) const;
  bool attempt_quick(double h, Attempt& result);
  void quick_force(const Modal& at, const VectorX& force, bool coupled, VectorX& result) const;
  void quick_motion(const VectorX& x2, const VectorX& x3, Modal& result);
  void predict_quick();
  void find_quick_error();
  void follow_force(double h);
  void couple_modes();
  EvaluationStatus correct_quick(double h, double& error);

  LinearBlocks blocks_;
  Eigen::LLT<MatrixX> cholesky_;
  Eigen::Tridiagonalization<MatrixX> tridiagonal_;
  TridiagonalModes eigen_;
  MatrixX mass_, basis_, inverse_basis_, product_, scratch_matrix_;
  VectorX reference_, stiffness_, damping_;
  std::array<Eigen::RowVectorXd, 2> row_scratch_;
  Renewal renewal_ = Renewal::none;
  VectorX renewal_at_;  // coordinates that the reference under way belongs to
  MatrixX next_basis_, next_inverse_;
  VectorX next_damping_;
  double remainder_found_ = 0;  // how far the reference is from today's modes

  double step_ = 0;                           // that the coefficients below belong to
  std::array<VectorX, 2> yy_, yv_, vy_, vv_;  // propagators over h/2 and h
  std::array<std::array<VectorX, num_stages>, num_rows> position_weights_, speed_weights_;

  bool filtered_ = false, force_is_filtered_ = false;  // forces are taken where vibrations are smaller by `filter_`
  VectorX filter_;

  Modal now_, stage_modal_, filtered_modal_, next_;
  std::array<VectorX, num_stages> forces_;  // g at the stages
  VectorX next_force_, force_now_, scratch_, error_y_, error_w_, error_x_, error_v_;
  ErrorDuration duration_;  // of the modes' speeds
  PhaseDuration samples_;   // of what samples of g have missed

  // What g does between the instants of the stages, told by the step before: exponential_sampling.cpp.
  bool samples_matter_ = false;
  int resolved_steps_ = 0;              // one after the other, shorter than the period of any mode
  double past_step_ = 0;                // 0: unknown
  std::array<VectorX, 2> past_forces_;  // g at its beginning and in its middle
  Modal past_modal_;
  State middle_;  // of the step under way, or of the last one
  bool middle_is_known_ = false;
  Accelerations middle_accelerations_;

  // What inputs do between the instants of the stages: exponential_inputs.cpp.
  Inputs stage_inputs_;
  std::unique_ptr<Workspace> input_workspace_;
  Accelerations input_accelerations_;
  std::array<VectorX, 3> packed_inputs_;     // all numbers of the inputs at 0, h/2, h
  std::array<VectorX, 2> input_deviations_;  // from the parabola through them, at Gauss's two points
  std::array<VectorX, 2> deviation_forces_;  // the change of g by them
  double error_per_deviation_ = 0;           // that the last look has found
  int steps_since_deviation_ = 0;
  State stage_;
  Accelerations stage_accelerations_;

  // The last step, for dense output; the reference is copied only after it has changed.
  bool reference_is_new_ = true;
  Modal dense_start_;
  std::array<VectorX, 3> dense_forces_;
  MatrixX dense_basis_;
  VectorX dense_reference_, dense_stiffness_, dense_damping_;
  mutable VectorX dense_y_, dense_w_;
  mutable std::array<VectorX, 3> smooth_y_, smooth_w_;

  VectorX watched_, watched_configuration_;  // coordinates at the last look at the linearisation
  double watch_distance_ = 0;
  double way_of_reference_ = 0;  // of joints from the reference to the last look
  long rejected_before_ = 0;
  bool constrained_ = false;
  const StageProjection* constraints_ = nullptr;
  bool projects_stages_ = false;  // constraints contain deformations

  bool step_has_settled_ = false;  // it has once been as long as the error allows
  int steps_at_this_size_ = 0;
  double least_factor_ = 0;  // by which each of these could have been longer
  double step_before_adjustment_ = 0;
  bool avoid_resonance_ = true;  // the frequencies have changed since the step was chosen

  // One evaluation a step, or two, where something else than accuracy limits it: exponential_quick.cpp.
  std::array<std::array<VectorX, 3>, 2> quick_weights_;  // of phi_1 to phi_3 over h, for coordinates and speeds
  VectorX change_of_force_, bend_of_force_;              // g at the end minus at the beginning of the last step; and
                                                         // how that differs from the step before
  double change_step_ = 0;                               // that step
  int equal_steps_ = 0;                                  // so many, and with the same reference
  double full_error_ = 1;                                // of the last step with all stages
  int quick_pause_ = 0;                                  // steps until it is tried again
  Modal correction_;                                     // of a prediction
  VectorX quick_begin_, quick_end_, quick_begin_change_, quick_excess_;
  bool wants_near_reference_ = false;  // g varies too much for quick steps; about a nearer reference it is smaller

  // What couples the modes, for quick steps where that makes g ring.
  enum class Coupling { unknown, known, useless };
  Coupling coupling_ = Coupling::unknown;
  CoupledModes coupled_;
  MatrixX coupling_stiffness_, coupling_damping_;  // without the diagonals that the modes have anyway
  VectorX coupled_change_, coupled_bend_, coupled_state_, coupled_motion_;
  int coupled_steps_ = 0;       // equal ones since it is known
  bool quick_coupled_ = false;  // the quick step under way uses it
};

}  // namespace lithe
