// libFuzzer target: checkpoints, recordings and their checksums made right. tools/fuzz saved_run
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "lithe/base/checksum.h"
#include "lithe/base/diagnostics.h"
#include "lithe/results/recording/checkpoint.h"
#include "lithe/results/recording/recording_file.h"

namespace {

void read_all(const std::string& path) {
  try {
    lithe::load_checkpoint(path);
  } catch (const lithe::InputError&) {
  }
  try {
    lithe::RecordingReader reader(path);
    lithe::RecordedRow row;
    while (reader.next(row)) {
    }
  } catch (const lithe::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/tmp/lithe_saved_run_" + std::to_string(getpid());
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string& text : {bytes, bytes + "checksum " + lithe::checksum_text(bytes) + "\n"}) {
    std::ofstream(path, std::ios::binary) << text;
    read_all(path);
  }
  return 0;
}
