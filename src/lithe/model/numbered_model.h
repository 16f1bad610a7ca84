// A model whose numbers can be changed and read by their path: what identification fits.
#pragma once

#include <string>

#include "lithe/model/variable_model.h"

namespace lithe {

// Numbers by their path, "joints.elbow.stiffness".
class NumberedModel : public VariableModel {
 public:
  // In SI. Throws InputError where there is no number at the path.
  virtual double number(const std::string& path) const = 0;
};

}  // namespace lithe
