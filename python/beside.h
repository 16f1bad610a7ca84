// Computations that do not ask whether to end: they run in a thread beside that of the interpreter, which looks for
// Ctrl-C meanwhile.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "bind.h"

namespace lithe::python {

// One more computation that nobody waits for. While any runs, the process ends without the destructors of static
// objects, which it may use.
class LeftAlone {
 public:
  LeftAlone();
  ~LeftAlone();
  LeftAlone(const LeftAlone&) = delete;
  LeftAlone& operator=(const LeftAlone&) = delete;
};

// What `compute` gives. `watch` is called every 50 ms until then, here, with the interpreter's lock: false leaves the
// computation alone, to go on to its end without anybody, and raises the Python error that is set. It must then own all
// that it uses; its result is dropped.
template <class Compute, class Watch>
auto computed_beside(Compute compute, const Watch& watch) {
  using Result = std::invoke_result_t<Compute&>;
  struct Shared {
    std::mutex mutex;
    std::condition_variable ended;
    std::optional<Result> result;
    std::exception_ptr failure;
    std::unique_ptr<LeftAlone> left_alone;
  };
  const auto shared = std::make_shared<Shared>();
  std::thread([shared, compute = std::move(compute)]() mutable {
    std::optional<Result> result;
    std::exception_ptr failure;
    try {
      result.emplace(compute());
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(shared->mutex);
    shared->result = std::move(result);
    shared->failure = failure;
    shared->ended.notify_all();
  }).detach();
  const auto has_ended = [&] { return shared->result || shared->failure; };
  while (true) {
    {
      const nb::gil_scoped_release released;
      std::unique_lock lock(shared->mutex);
      if (shared->ended.wait_for(lock, std::chrono::milliseconds(50), has_ended)) break;
    }
    if (watch()) continue;
    const std::lock_guard lock(shared->mutex);
    if (!has_ended()) shared->left_alone = std::make_unique<LeftAlone>();
    throw nb::python_error();
  }
  if (shared->failure) std::rethrow_exception(shared->failure);
  return std::move(*shared->result);
}

// Ctrl-C raises KeyboardInterrupt.
template <class Compute>
auto computed_beside(Compute compute) {
  return computed_beside(std::move(compute), [] { return PyErr_CheckSignals() == 0; });
}

}  // namespace lithe::python
