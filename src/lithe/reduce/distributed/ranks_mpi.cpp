#include <mpi.h>

#include <cstdlib>

#include "lithe/reduce/distributed/ranks.h"

namespace lithe {
namespace {

int count_of(Eigen::Index count) { return static_cast<int>(count); }

}  // namespace

Ranks::Ranks() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

Ranks::~Ranks() { MPI_Finalize(); }

MatrixX Ranks::sum(MatrixX own) const {
  MPI_Allreduce(MPI_IN_PLACE, own.data(), count_of(own.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return own;
}

std::vector<double> Ranks::all(double own) const {
  std::vector<double> values(static_cast<std::size_t>(size_));
  MPI_Allgather(&own, 1, MPI_DOUBLE, values.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
  return values;
}

std::string Ranks::broadcast(std::string text, int from) const {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, from, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, from, MPI_COMM_WORLD);
  return text;
}

MatrixX Ranks::gather_rows(const MatrixX& own) const {
  std::vector<int> counts, starts{0};
  for (const double rows : all(static_cast<double>(own.rows()))) {
    counts.push_back(static_cast<int>(rows));
    starts.push_back(starts.back() + counts.back());
  }
  MatrixX result(is_first() ? starts.back() : 0, own.cols());
  for (Eigen::Index column = 0; column < own.cols(); ++column)
    MPI_Gatherv(own.col(column).data(), count_of(own.rows()), MPI_DOUBLE,
                is_first() ? result.col(column).data() : nullptr, counts.data(), starts.data(), MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
  return result;
}

void Ranks::abandon(int exit_code) const {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();
}

}  // namespace lithe
