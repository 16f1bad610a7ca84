// libFuzzer target: robot descriptions, and the model files that `lithe import` makes of them. tools/fuzz robot
#include <cstdint>
#include <string>

#include "lithe/base/diagnostics.h"
#include "lithe/read/read_model.h"
#include "lithe/read/urdf/robot_parts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const lithe::DescriptionChoices choices{.merge_fixed = (data[0] & 1) == 0, .repair = (data[0] & 2) != 0};
  try {
    const lithe::RobotDescription robot = lithe::read_description(text, "fuzz.urdf", choices);
    lithe::read_model_text(lithe::model_file_of(robot, (data[0] & 4) != 0), "fuzz.toml");
  } catch (const lithe::InputError&) {
  }
  return 0;
}
