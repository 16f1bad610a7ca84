// A model file to start from, with a comment for every part.
#pragma once

#include <string>
#include <vector>

namespace lithe::app {

struct NewModel {
  std::string name = "arm";
  std::string mechanism = "arm";  // one of new_mechanisms()
  int num_links = 2;              // of an arm
  double size = 1;                // m: reach of the arm, ground bar of the four-bar, length of the blade
  std::string material = "aluminium";
};

const std::vector<std::string>& new_mechanisms();
const std::vector<std::string>& new_materials();
std::string new_model_text(const NewModel& model);

}  // namespace lithe::app
