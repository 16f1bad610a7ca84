// Bases of large reductions that are kept from one run to the next, known by what they were made of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lithe/model/finite_element_body.h"
#include "lithe/model/model.h"

namespace lithe {

// Of all numbers that a basis follows from: matrices, dofs, the choice, interface nodes.
struct ReductionKey {
  std::uint64_t first = 0, second = 0;
  bool operator==(const ReductionKey&) const = default;
};
ReductionKey reduction_key(const FiniteElementBody& body, const ReductionChoice& choice,
                           const std::vector<int>& interface_nodes, Space space);

class ReductionStore {
 public:
  virtual ~ReductionStore() = default;
  // The basis with so many rows; nothing where it was not kept, or is no longer whole.
  virtual std::optional<MatrixX> find(const ReductionKey& key, Eigen::Index num_rows) = 0;
  // May fail without a word: the next run computes again.
  virtual void keep(const ReductionKey& key, const MatrixX& basis) = 0;

 protected:
  ReductionStore() = default;
  ReductionStore(const ReductionStore&) = delete;
  ReductionStore& operator=(const ReductionStore&) = delete;
};

// For bodies of `smallest_for_library` unknowns and more (sparse_factor.h). Not to be called while another thread
// reduces a body; a null pointer: nothing is kept.
void set_reduction_store(ReductionStore* store);
ReductionStore* reduction_store();

}  // namespace lithe
