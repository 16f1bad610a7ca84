// How often the heap was asked for memory; step_test.cpp replaces malloc.
#pragma once

#include <atomic>

namespace lithe::testing {

inline std::atomic<long> heap_calls{0};

}  // namespace lithe::testing
