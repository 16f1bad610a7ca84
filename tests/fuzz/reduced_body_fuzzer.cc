// libFuzzer target: files of reduced bodies, without the checksum behind them, so that HDF5 sees them; the input is edits of a good one, four bytes each: a place and what is
// written there. tools/fuzz reduced_body
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "lithe/base/diagnostics.h"
#include "lithe/read/matrices/reduced_file.h"
#include "lithe/read/read_model.h"
#include "lithe/results/reduced_body_file.h"

namespace {

constexpr const char* arm = R"(lithe = 1
[materials.steel]
density = 7850
young_modulus = "210 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = 0.01
height = 0.02
[[links]]
name = "arm"
nodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
elements = 2
[[joints]]
name = "axis"
child = "arm"
child_node = "root"
)";

std::string good_file() {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("lithe_reduced_" + std::to_string(getpid()) + ".h5");
  lithe::write_reduced_body(lithe::portable_body(lithe::read_model_text(arm, "arm.toml"), 0, 2), path);
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  std::filesystem::remove(path);
  return bytes.str().substr(0, bytes.str().size() - lithe::reduced_file_tail);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string good = good_file();
  std::string bytes = good;
  for (; size >= 4; data += 4, size -= 4) {
    const std::size_t place = (std::size_t{data[0]} << 16 | std::size_t{data[1]} << 8 | data[2]) % bytes.size();
    bytes[place] = static_cast<char>(data[3]);
  }
  if (size == 1) bytes.resize(bytes.size() * data[0] / 255);
  try {
    const lithe::PortableBody part = lithe::parse_reduced_file(bytes);
    if (!lithe::fault_of(part).empty()) __builtin_trap();
    lithe::body_of(part);
  } catch (const lithe::InputError&) {
  }
  return 0;
}
