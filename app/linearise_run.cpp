#include "app/consent.h"
#include "app/control_choice.h"
#include "app/interrupt.h"
#include "app/linearise.h"
#include "app/mode_choice.h"
#include "app/progress.h"
#include "lithe/integrate/sundials.h"

namespace lithe::app {

LineariseResult run_linearise(const Model& model, const LineariseSpec& spec) {
  if (spec.about == LineariseAbout::motion) require_consent(model, acting_controllers(model, spec.motion.controllers));
  forget_mode_choice_of(spec.formulation.formulation);
  const InterruptGuard guard;
  Progress progress("linearise");
  RunHooks hooks;
  hooks.progress = [&progress](double part) { progress.update(part); };
  hooks.cancel = &interrupt_flag();
  hooks.external = make_allowed_controller;
  hooks.integrators = make_any_integrator;
  return linearise(model, spec, hooks);
}

}  // namespace lithe::app
