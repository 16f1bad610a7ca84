#include "lithe/reduce/reduction_store.h"

#include <bit>
#include <span>

namespace lithe {
namespace {

// To be raised whenever the same input gives another basis than before.
constexpr std::uint64_t basis_version = 1;

// Two mixtures of the same words: chance does not give the same 128 bits twice.
class KeyMixture {
 public:
  void add(std::uint64_t word) {
    key_.first = (key_.first ^ word) * 0x9E3779B97F4A7C15u;
    key_.first ^= key_.first >> 29;
    key_.second = (std::rotl(key_.second, 27) + word) * 0xC2B2AE3D27D4EB4Fu;
    key_.second ^= key_.second >> 31;
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(int value) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); }
  template <class Number>
  void add_all(std::span<const Number> numbers) {
    add(static_cast<std::uint64_t>(numbers.size()));
    for (const Number number : numbers) add(number);
  }
  void add(const SparseMatrix& matrix) {
    add(static_cast<std::uint64_t>(matrix.rows()));
    for (int column = 0; column < matrix.outerSize(); ++column) {
      add(column);
      for (SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) {
        add(static_cast<int>(entry.row()));
        add(entry.value());
      }
    }
  }
  ReductionKey key() const { return key_; }

 private:
  ReductionKey key_{0x243F6A8885A308D3u, 0x13198A2E03707344u};
};

ReductionStore* active_store = nullptr;

}  // namespace

ReductionKey reduction_key(const FiniteElementBody& body, const ReductionChoice& choice,
                           const std::vector<int>& interface_nodes, Space space) {
  KeyMixture mixture;
  mixture.add(basis_version);
  mixture.add(body.stiffness);
  mixture.add(body.mass);
  for (const Vector3& position : body.node_positions)  // rigid motions follow from them
    for (const double x : position) mixture.add(x);
  mixture.add(body.nodes_have_rotations ? 1 : 0);
  mixture.add_all(std::span<const int>(body.dof_starts));
  mixture.add_all(std::span<const int>(body.dof_components));
  mixture.add_all(std::span<const int>(interface_nodes));
  mixture.add(space == Space::planar ? 1 : 0);
  mixture.add(static_cast<int>(choice.method));
  mixture.add(static_cast<int>(choice.ranking));
  mixture.add(choice.num_internal_modes.value_or(-1));
  mixture.add(choice.num_kept_modes.value_or(-1));
  mixture.add(choice.max_frequency.value_or(-1.0));
  return mixture.key();
}

void set_reduction_store(ReductionStore* store) { active_store = store; }
ReductionStore* reduction_store() { return active_store; }

}  // namespace lithe
