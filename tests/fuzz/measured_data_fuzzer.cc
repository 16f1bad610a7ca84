// libFuzzer target: measurements that `identify` takes. tools/fuzz measured_data
#include <cstdint>
#include <string>

#include "lithe/analyse/studies/measured_channels.h"
#include "lithe/base/diagnostics.h"
#include "lithe/read/tables/measured_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const lithe::MeasuredData one =
        lithe::measured_of_text(std::string(reinterpret_cast<const char*>(data), size), "data.csv");
    const lithe::Measurements found = lithe::read_measurements({one, one});
    for (const lithe::MeasuredChannel& channel : found.channels)
      if (channel.measured.size() != static_cast<Eigen::Index>(channel.at.size()) || !channel.measured.allFinite())
        __builtin_trap();
  } catch (const lithe::InputError&) {
  }
  return 0;
}
