// The static libraries of Debian read the C library's streams directly, which a shared library may not do. The linker
// sends them to these copies instead (--wrap).
#include <cstdio>

extern "C" {
extern FILE* __real_stderr;
extern FILE* __real_stdout;
__attribute__((visibility("hidden"))) FILE* __wrap_stderr = nullptr;
__attribute__((visibility("hidden"))) FILE* __wrap_stdout = nullptr;
}

namespace {
__attribute__((constructor(101))) void copy_streams() {
  __wrap_stderr = __real_stderr;
  __wrap_stdout = __real_stdout;
}
}  // namespace
