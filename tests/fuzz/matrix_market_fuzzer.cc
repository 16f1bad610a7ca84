// libFuzzer target: tools/fuzz matrix_market
#include <cstdint>
#include <string>

#include "lithe/read/tables/matrix_market.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  lithe::Diagnostics diagnostics;
  lithe::parse_matrix_market(text, "fuzz.mtx", diagnostics);
  return 0;
}
