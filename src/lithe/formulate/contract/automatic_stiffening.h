// Equations that leave the second-order displacements of beams out, and can be made again with them where an analysis
// finds that they matter (Stiffening::automatic).
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

class AutomaticStiffening {
 public:
  using Maker = std::function<std::shared_ptr<const Equations>()>;
  virtual ~AutomaticStiffening() = default;

  void set_stiffened(Maker make) { make_ = std::move(make); }
  bool can_stiffen() const { return make_ != nullptr; }
  // Made when it is asked for the first time; null where there is none.
  std::shared_ptr<const Equations> stiffened() const;

 private:
  Maker make_;
  mutable std::once_flag once_;
  mutable std::shared_ptr<const Equations> made_;
};

// Whether the equations lack second-order displacements only as long as nobody asks for them.
bool can_stiffen(const Equations& equations);
// The same equations with them; null where there are none.
std::shared_ptr<const Equations> stiffened(const Equations& equations);

}  // namespace lithe
