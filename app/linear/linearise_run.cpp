#include "app/linear/linearise.h"
#include "app/motion/motion.h"
#include "app/terminal/consent.h"

namespace lithe::app {

LineariseResult run_linearise(const Model& model, const LineariseSpec& spec) {
  require_consent(model, controllers_of(model, spec));
  return linearise(model, spec, TerminalHooks("linearise"));
}

}  // namespace lithe::app
