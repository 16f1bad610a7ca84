// libFuzzer target: meshes of every format, a file that includes itself among them. tools/fuzz mesh
#include <cstdint>
#include <string>

#include "lithe/read/mesh/mesh_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  lithe::MeshReadOptions options;
  options.include = [&](const std::string& name, const std::string&, std::string&) {
    return std::optional(lithe::IncludedFile{name, text});
  };
  lithe::mesh_format(text, "fuzz");
  for (const auto format : {lithe::MeshFormat::gmsh, lithe::MeshFormat::abaqus, lithe::MeshFormat::nastran}) {
    lithe::Diagnostics diagnostics;
    const std::optional<lithe::Mesh> mesh = lithe::read_mesh(text, "fuzz", format, diagnostics, options);
    if (!mesh && !diagnostics.any()) __builtin_trap();  // refused without a word
  }
  return 0;
}
