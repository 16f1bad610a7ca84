// A handle of a C library that closes itself.
#pragma once

#include <string>
#include <utility>

namespace lithe {

// Id: the library's type, negative where there is none; Failure: what is thrown then, made of a text.
template <class Id, class Status, class Failure>
class ClosingHandle {
 public:
  using Closer = Status (*)(Id);
  ClosingHandle(Id id, Closer closer, const std::string& problem) : id_(id), closer_(closer) {
    if (id < 0) throw Failure(problem);
  }
  ~ClosingHandle() {
    if (id_ >= 0) closer_(id_);
  }
  ClosingHandle(ClosingHandle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  ClosingHandle(const ClosingHandle&) = delete;
  ClosingHandle& operator=(const ClosingHandle&) = delete;
  operator Id() const { return id_; }

 private:
  Id id_;
  Closer closer_;
};

}  // namespace lithe
