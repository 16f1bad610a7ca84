// What a distributed reduction found, as text, JSON and a file.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/terminal/output.h"
#include "lithe/model/model.h"
#include "lithe/reduce/distributed/distributed_reduction.h"

namespace lithe::app {

using StageTimes = std::vector<std::pair<std::string, double>>;  // s

std::string reduction_text(const Link& link, const DistributedReduction& reduction, const StageTimes& times,
                           const Style& style);
nlohmann::json reduction_json(const Link& link, const DistributedReduction& reduction, const StageTimes& times);

// HDF5; docs/howto/cluster.md has its contents. Whole or not at all.
void write_reduction(const Link& link, const DistributedReduction& reduction, const std::filesystem::path& path);

}  // namespace lithe::app
