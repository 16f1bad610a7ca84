// libFuzzer target: matrices of finite-element programs, every format. tools/fuzz body_matrix
#include <cstdint>
#include <string>

#include "lithe/read/matrices/body_matrix.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"a.sti", "a.mtx", "a.pch", "a.op4", "a.hb"}) {
    lithe::Diagnostics diagnostics;
    const lithe::MatrixFile file{text, name, lithe::MatrixRole::stiffness, true};
    if (!lithe::read_body_matrix(file, diagnostics) && !diagnostics.any()) __builtin_trap();  // refused without a word
  }
  lithe::Diagnostics diagnostics;
  lithe::read_matrix_unknowns({text, "a.dof", lithe::MatrixRole::stiffness, true}, diagnostics);
  return 0;
}
