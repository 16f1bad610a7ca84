#include "lithe/reduce/solvers/front_queue.h"

#include <algorithm>
#include <system_error>
#include <thread>

namespace lithe {

void FrontQueue::run(int threads, const std::function<bool(std::size_t, int)>& eliminate) {
  stopped_ = false;
  failure_ = nullptr;
  num_left_ = parents_.size();
  ready_.clear();
  ready_.reserve(parents_.size());  // threads allocate nothing outside of `eliminate`
  missing_.assign(parents_.size(), 0);
  for (const int parent : parents_)
    if (parent >= 0) ++missing_[static_cast<std::size_t>(parent)];
  for (std::size_t front = parents_.size(); front-- > 0;)
    if (missing_[front] == 0) ready_.push_back(front);
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(std::max(threads, 1)));
  try {
    for (int t = 1; t < threads; ++t) others.emplace_back([&, t] { work(t, eliminate); });
  } catch (const std::system_error&) {  // the system gives no more threads
  }
  work(0, eliminate);
  for (std::thread& other : others) other.join();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void FrontQueue::work(int thread, const std::function<bool(std::size_t, int)>& eliminate) {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_over() || !ready_.empty() || !open_.empty(); });
    if (is_over()) return;
    if (!ready_.empty())
      take_front(thread, eliminate, lock);
    else
      take_part(*open_.front(), lock);
  }
}

void FrontQueue::take_front(int thread, const std::function<bool(std::size_t, int)>& eliminate,
                            std::unique_lock<std::mutex>& lock) {
  const std::size_t front = ready_.back();
  ready_.pop_back();
  lock.unlock();
  bool goes_on = false;
  std::exception_ptr failure;
  try {
    goes_on = eliminate(front, thread);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  if (failure && !failure_) failure_ = std::move(failure);
  if (!goes_on) stopped_ = true;
  --num_left_;
  const int parent = parents_[front];
  if (parent >= 0 && --missing_[static_cast<std::size_t>(parent)] == 0)
    ready_.push_back(static_cast<std::size_t>(parent));
  changed_.notify_all();
}

void FrontQueue::split(int count, const std::function<void(int)>& part) {
  if (count == 1) part(0);
  if (count <= 1) return;
  std::unique_lock lock(mutex_);
  OpenParts parts{&part, 0, count, count, nullptr};
  open_.push_back(&parts);
  changed_.notify_all();
  while (parts.next < parts.count) take_part(parts, lock);
  changed_.wait(lock, [&] { return parts.unfinished == 0; });
  if (parts.failure) std::rethrow_exception(std::exchange(parts.failure, nullptr));
}

void FrontQueue::take_part(OpenParts& parts, std::unique_lock<std::mutex>& lock) {
  const int mine = parts.next++;
  if (parts.next == parts.count) std::erase(open_, &parts);
  if (!parts.failure) {
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*parts.part)(mine);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !parts.failure) parts.failure = std::move(failure);
  }
  if (--parts.unfinished == 0) changed_.notify_all();
}

}  // namespace lithe
