// What `lithe reduce` reduces and what it says of the result, by one process or by many.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "lithe/model/model.h"
#include "lithe/reduce/portable_body.h"

namespace lithe::app {

struct ReduceOptions {
  std::string file, link, output, units;
  std::optional<int> modes;
};
std::shared_ptr<ReduceOptions> add_reduce_options(CommandOptions& command);

// Of the model file, or of one made for the mesh. Throws InputError, also for a wrong -o.
Model model_to_reduce(const ReduceOptions& options);
int link_to_reduce(const ReduceOptions& options, const Model& model);

// Throws InputError where the file would be refused by who reads it.
void require_sound(const PortableBody& part);

std::string text_of(const PortableBody& part, const Style& style);
nlohmann::json json_of(const PortableBody& part);

}  // namespace lithe::app
