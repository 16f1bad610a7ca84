// Exceptions of helper threads: one that leaves its thread would end the program.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

namespace lithe {

// Keeps the first exception of several threads for the one that waits for them:
//   threads.emplace_back([&] { failure.carry([&] { work(); }); });
//   ... join ...
//   failure.rethrow();
class CarriedFailure {
 public:
  template <class Work>
  void carry(Work&& work) noexcept {
    try {
      std::forward<Work>(work)();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!first_) first_ = std::current_exception();
      any_ = true;
    }
  }
  bool any() const { return any_; }
  // When no other thread is left.
  void rethrow() {
    any_ = false;
    if (first_) std::rethrow_exception(std::exchange(first_, nullptr));
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
  std::atomic<bool> any_ = false;
};

}  // namespace lithe
