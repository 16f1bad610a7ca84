// Questions of robots among the analyses of a model file; the program answers them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lithe/model/measured_data.h"
#include "lithe/model/model.h"

namespace lithe {

// Stands after the first `after` of the model's own analyses.
struct StudyRequest {
  std::string kind;  // "size", "settle", "contributions", "shape", "identify"
  AnalysisRequest settings;
  std::vector<MeasuredData> data;  // of identify
  std::size_t after = 0;
};

}  // namespace lithe
