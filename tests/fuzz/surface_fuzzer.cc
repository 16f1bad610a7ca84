// libFuzzer target: surfaces of robot descriptions. tools/fuzz surface
#include <cstdint>
#include <string>

#include "lithe/read/surface/surface.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const char* const names[] = {"a.stl", "a.obj", "a.dae", "a"};
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string problem;
  if (const auto mesh = lithe::read_surface(text, names[data[0] & 3], problem)) lithe::simplified(*mesh, 100);
  return 0;
}
