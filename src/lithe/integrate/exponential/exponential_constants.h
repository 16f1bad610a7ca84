// The constants of the exponential method, none of which follows from theory. What happens with half and twice of each
// is measured in docs/theory/integrators.md, section 4, "Constants".
#pragma once

namespace lithe {

struct ExponentialConstants {
  // Error control. Steps may be longer than the periods that g contains, where an estimate of one step says less about
  // a run; where inputs depend on time the estimate sees the whole step, and needs less caution.
  static constexpr double caution = 10, caution_of_inputs = 3;

  // Choice of steps where vibrations much faster than them last: growth by a factor that all steps of a window could
  // have had, few at the start and many once the step has settled, since every change lets such vibrations leave
  // something of themselves in slow motion.
  static constexpr int first_window = 4, window = 25;
  static constexpr double growth = 1.6;
  // Elsewhere it grows when that is worth new coefficients. It shrinks as soon as it must.
  static constexpr double growth_without_vibrations = 1.25, shrinking = 0.7;

  // Resonance of the step, |sin(ωh/2)|, with vibrations that it does not resolve, ωh/2 > unresolved_phase, and that
  // last: those that decay faster than lasting_decay, 1/s, die out before they matter.
  static constexpr double unresolved_phase = 2, lasting_decay = 1;
  // Steps are sought at least so far from it, in so many candidates, each shorter by so much of the step.
  static constexpr double far_from_resonance = 0.2, candidate_spacing = 0.01;
  static constexpr int candidates = 20;
  // Fixed steps nearer than this are filtered. The filter averages forces exactly, but not their first moment, so that
  // it should act where it must alone.
  static constexpr double near_resonance = 0.1;

  // Age of the reference beyond which it does not serve: the relative change of mass and stiffness in its modes. Errors
  // that an old one causes are seen, and shorten the step; fixed steps cannot be shortened.
  static constexpr double oldest_reference = 0.4, oldest_at_fixed_steps = 0.1;
  // The next look at the age is where it will be nearly too old; beyond half of that the linearisation, which is paid
  // for, makes a new reference at once.
  static constexpr double nearly_too_old = 0.9, worth_renewing = 0.5;
  // Way of a joint to the first look, and bounds of the others: by the last way, and in rad or m.
  static constexpr double first_look = 0.03, least_of_last_way = 0.25, most_of_last_way = 2;
  static constexpr double least_way = 1e-4, most_way = 1;
  static constexpr int rejections_before_look = 3;
  // Way of a joint beyond which a nearer reference differs from the one there is by more than what vibrations move it.
  static constexpr double far_reference = 1e-4;
  // Up to so many coordinates a whole new reference takes no longer than an evaluation or two. Beyond, a step with a
  // fixed length does one stage; of the eigenvalues so many plane rotations per coordinate, a few products of matrices.
  static constexpr int coordinates_at_once = 16;
  static constexpr long rotations_per_coordinate = 12;

  // Stiffness of a direction that has none, of the largest: rounding of the decomposition.
  static constexpr double no_stiffness = 1e-9;
  // The inverse of the basis is sharpened from where it converges, to rounding.
  static constexpr double sharp = 1e-13, can_be_sharpened = 0.1;
  static constexpr int most_sharpenings = 4;

  // Inputs between the instants of the stages: deviations that are rounding; the error, of what is allowed, that does
  // no harm; and for how many steps the last look at it holds.
  static constexpr double rounding_of_inputs = 1e-13, harmless_error = 0.1;
  static constexpr int steps_between_input_looks = 16;

  // The error of a vibration counts as far as its amplitude is more than this part of the error allowed per second.
  static constexpr double harmless_amplitude = 0.1;
  // How long errors keep their phase to a vibration: means over the steps, each counting so much of the next, and at
  // least this part of a step.
  static constexpr double memory_of_phases = 0.8, least_lasting = 0.1;

  // Quick steps: where a limit makes steps shorter than this part of what accuracy asks for, and full steps have less
  // than this error, after so many of the same length.
  static constexpr double limited_step = 0.9, error_far_below = 0.2, same_length = 1e-6;
  static constexpr int equal_steps = 2;
  // What a prediction and a corrected step may leave of the error allowed; otherwise so many full steps follow.
  static constexpr double error_of_prediction = 0.25, error_of_correction = 0.5;
  static constexpr int steps_without_quick = 20;

  // Whether the mass depends on the configuration is found by moving all joints so far, rad or m: it does not where its
  // relative change is rounding.
  static constexpr double probing_way = 0.01, no_change_of_mass = 1e-6;

  // Steps ωh of the fastest mode, of an explicit method's 3.3, that are called resolved, and how many of them in
  // succession say that an explicit method would do.
  static constexpr double resolved_step = 2, free_step = 0.99;
  static constexpr int resolved_steps = 200;

  // Cost in evaluations, for n coordinates: products with the modes beside an evaluation, and a linearisation with its
  // decomposition, n² work_of_modes. Fitted to 24 to 432 coordinates.
  static constexpr double work_beside_evaluation = 0.004, work_of_linearisation = 5, work_of_modes = 0.025;
};

}  // namespace lithe
