// A model in which numbers can be changed by their path, "materials.steel.young_modulus": what sweeps vary.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lithe/base/diagnostics.h"
#include "lithe/model/model.h"

namespace lithe {

// Makes models with other numbers.
class VariableModel {
 public:
  virtual ~VariableModel() = default;
  // Throws InputError where there is no number at the path.
  virtual void check(const std::string& path) const = 0;
  // With these numbers (SI) in place of its own. Throws InputError where the model is wrong with them.
  virtual Model with(const std::vector<std::pair<std::string, double>>& numbers) const = 0;
};

// Numbers can be read as well: what identification fits.
class NumberedModel : public VariableModel {
 public:
  // In SI. Throws InputError where there is no number at the path.
  virtual double number(const std::string& path) const = 0;
};

// A model made by a program, whose numbers have no paths.
class FixedModel : public VariableModel {
 public:
  explicit FixedModel(Model model) : model_(std::move(model)) {}
  void check(const std::string& path) const override {
    throw InputError("'" + path +
                     "' is neither a tool coordinate nor a joint, and this model has no file with numbers");
  }
  Model with(const std::vector<std::pair<std::string, double>>&) const override { return model_; }

 private:
  Model model_;
};

}  // namespace lithe
