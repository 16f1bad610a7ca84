// libFuzzer target, built by hand:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3 \
//     tests/fuzz/matrix_market_fuzzer.cc src/lithe/base/*.cpp src/lithe/model/*.cpp src/lithe/read/*.cpp -o
//     matrix_market_fuzzer
//   ./matrix_market_fuzzer -max_total_time=600
#include <cstdint>
#include <string>

#include "lithe/read/matrix_market.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  lithe::Diagnostics diagnostics;
  lithe::parse_matrix_market(text, "fuzz.mtx", diagnostics);
  return 0;
}
