// libFuzzer target: tools/fuzz csv_table
#include <cstdint>
#include <string>

#include "lithe/read/tables/csv_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  lithe::Diagnostics diagnostics;
  lithe::parse_csv(text, "fuzz.csv", diagnostics);
  lithe::Diagnostics unquoted;
  lithe::parse_csv(text, "fuzz.csv", unquoted, {.quotes_content = false});
  return 0;
}
