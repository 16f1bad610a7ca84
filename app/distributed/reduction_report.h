// What many processes did to reduce a part.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/terminal/output.h"
#include "lithe/reduce/distributed/distributed_reduction.h"

namespace lithe::app {

using StageTimes = std::vector<std::pair<std::string, double>>;  // s

std::string text_of(const std::vector<RankUse>& ranks, const StageTimes& times, const Style& style);
nlohmann::json json_of(const std::vector<RankUse>& ranks);
nlohmann::json json_of(const StageTimes& times);

}  // namespace lithe::app
