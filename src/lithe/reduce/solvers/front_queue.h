// Fronts of an elimination on several threads: each after those that it needs, and large ones in parts that idle
// threads share, so that the last fronts, which everything waits for, do not leave the others without work.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace lithe {

class FrontQueue {
 public:
  // `parents`: the front that waits for each; -1 for none.
  explicit FrontQueue(std::vector<int> parents) : parents_(std::move(parents)) {}

  // Calls `eliminate(front, thread)` once for each front, threads numbered from 0; stops early when one returns false.
  // Of those that are ready the last one goes first, which keeps few results in memory. An exception of `eliminate`, on
  // whatever thread, stops it as well and leaves this call.
  void run(int threads, const std::function<bool(std::size_t, int)>& eliminate);

  // Within `eliminate`: calls part(0), ..., part(count - 1), each once, on this thread and those that have no front to
  // work on. Returns when all are done. After an exception of a part no further one begins, and it leaves this call.
  void split(int count, const std::function<void(int)>& part);

 private:
  struct OpenParts {
    const std::function<void(int)>* part;
    int next, count, unfinished;
    std::exception_ptr failure;  // of the first part that failed
  };

  void work(int thread, const std::function<bool(std::size_t, int)>& eliminate);
  void take_front(int thread, const std::function<bool(std::size_t, int)>& eliminate,
                  std::unique_lock<std::mutex>& lock);
  void take_part(OpenParts& parts, std::unique_lock<std::mutex>& lock);
  bool is_over() const { return stopped_ || num_left_ == 0; }

  std::vector<int> parents_;
  std::vector<std::size_t> missing_, ready_;  // children that a front waits for; fronts that wait for none
  std::vector<OpenParts*> open_;
  std::size_t num_left_ = 0;
  bool stopped_ = false;
  std::exception_ptr failure_;  // of the first front that failed
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace lithe
