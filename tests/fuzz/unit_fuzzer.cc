// libFuzzer target: units and quantities as written in files and options. tools/fuzz unit
#include <cstdint>
#include <string>

#include "lithe/base/units.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string why;
  lithe::parse_unit(text, &why);
  return 0;
}
