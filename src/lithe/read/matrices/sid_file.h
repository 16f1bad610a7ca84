// Standard input data of flexible bodies (SID): a part in modes, as other multibody programs write it
// (docs/howto/reduced_bodies.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lithe/model/finite_element_body.h"
#include "lithe/model/model.h"

namespace lithe {

struct SidBody {
  std::vector<Node> nodes;  // named by their numbers
  FiniteElementBody body;   // these nodes first, which follow the frame of reference and the modes
  std::vector<std::string> warnings;
};

bool is_sid_file(std::string_view text);
// Throws InputError with one sentence and its line for what is no such file, or cannot be a body. `quotes_content`:
// whether messages may show what is in it.
SidBody parse_sid_file(std::string_view text, bool quotes_content);

}  // namespace lithe
