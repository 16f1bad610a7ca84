// libFuzzer target, built by hand:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3 \
//     tests/fuzz/model_file_fuzzer.cc src/lithe/base/*.cpp src/lithe/model/*.cpp src/lithe/read/*.cpp -o
//     model_file_fuzzer
//   ./model_file_fuzzer models
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
