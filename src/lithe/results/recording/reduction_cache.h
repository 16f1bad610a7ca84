// Bases of large reductions in files of the user's cache folder.
#pragma once

#include <cstdint>
#include <filesystem>

#include "lithe/reduce/reduction_store.h"

namespace lithe {

// One file per basis, KEY.basis, with a checksum. Files appear whole or not at all; the ones that were not used for the
// longest time go when there are too many bytes. Nothing else in the folder is touched.
class ReductionCache final : public ReductionStore {
 public:
  ReductionCache(std::filesystem::path folder, std::uintmax_t most_bytes);
  std::optional<MatrixX> find(const ReductionKey& key, Eigen::Index num_rows) override;
  void keep(const ReductionKey& key, const MatrixX& basis) override;

 private:
  std::filesystem::path file_of(const ReductionKey& key) const;
  void make_room() const;

  std::filesystem::path folder_;
  std::uintmax_t most_bytes_;
};

// From now on large reductions are kept in the folder LITHE_CACHE, by default `lithe` in XDG_CACHE_HOME or ~/.cache, up
// to 4 GB. LITHE_CACHE=off: nowhere.
void use_reduction_cache();

}  // namespace lithe
