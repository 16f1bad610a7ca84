#include "app/consent.h"
#include "app/linearise.h"
#include "app/motion.h"

namespace lithe::app {

LineariseResult run_linearise(const Model& model, const LineariseSpec& spec) {
  require_consent(model, controllers_of(model, spec));
  return linearise(model, spec, TerminalHooks("linearise"));
}

}  // namespace lithe::app
