// libFuzzer target: tools/fuzz model_file
#include <cstdint>
#include <string_view>

#include "lithe/base/diagnostics.h"
#include "lithe/read/read_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    lithe::read_model_text({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
  } catch (const lithe::InputError&) {
  }
  return 0;
}
