#include "lithe/formulate/equations.h"

namespace lithe {

std::string describe(EvaluationStatus status) {
  switch (status) {
    case EvaluationStatus::ok:
      return "ok";
    case EvaluationStatus::loop_not_closed:
      return "a loop does not close: the posture is singular or out of reach";
    case EvaluationStatus::singular_mass:
      return "the mass matrix is not positive definite";
    case EvaluationStatus::not_finite:
      return "a value is not finite";
  }
  return "unknown";
}

}  // namespace lithe
