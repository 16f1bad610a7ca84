// Controllers and references that the model file describes; how they act is in control/.
#pragma once

namespace lithe {

struct ControlSetup {};

}  // namespace lithe
