// The processes of a run under mpirun, numbered from 0. Everything but `rank()` and `size()` is to be called by all of
// them together.
#pragma once

#include <string>
#include <vector>

#include "lithe/base/math.h"

namespace lithe {

class Ranks {
 public:
  // Begins and ends MPI: one object, in main().
  Ranks();
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }

  MatrixX sum(MatrixX own) const;
  // One entry per process, the same on all.
  std::vector<double> all(double own) const;
  // The text of that process.
  std::string broadcast(std::string text, int from = 0) const;
  // Rows of all processes one below the other on the first, an empty matrix on the others.
  MatrixX gather_rows(const MatrixX& own) const;
  // Ends all processes at once: an error of one that the others cannot know of.
  [[noreturn]] void abandon(int exit_code) const;

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace lithe
