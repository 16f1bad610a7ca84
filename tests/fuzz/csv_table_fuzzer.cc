// libFuzzer target, built by hand:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3 \
//     tests/fuzz/csv_table_fuzzer.cc src/lithe/base/*.cpp src/lithe/model/*.cpp src/lithe/read/*.cpp -o
//     csv_table_fuzzer
//   ./csv_table_fuzzer -max_total_time=600
#include <cstdint>
#include <string>

#include "lithe/read/csv_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  lithe::Diagnostics diagnostics;
  lithe::parse_csv(text, "fuzz.csv", diagnostics);
  lithe::Diagnostics unquoted;
  lithe::parse_csv(text, "fuzz.csv", unquoted, {.quotes_content = false});
  return 0;
}
