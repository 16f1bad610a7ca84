#include "lithe/model/check/check_couplings.h"

#include <cmath>
#include <set>

#include "lithe/base/text.h"
#include "lithe/model/error_at.h"

namespace lithe {
namespace {

class CouplingCheck {
 public:
  CouplingCheck(const Model& model, const Coupling& coupling, Diagnostics& diagnostics)
      : model_(model), coupling_(coupling), diagnostics_(diagnostics) {}

  void run(std::set<std::pair<int, int>>& following) {
    if (!exists(coupling_.joint, coupling_.freedom)) return;
    if (!following.insert({coupling_.joint, coupling_.freedom}).second)
      error(cat(freedom(coupling_.joint, coupling_.freedom), " follows in another coupling already"));
    if (coupling_.terms.empty()) error("it has no terms");
    if (!std::isfinite(coupling_.offset)) error("the offset is not finite");
    std::set<std::pair<int, int>> tied{{coupling_.joint, coupling_.freedom}};
    for (const CoupledFreedom& term : coupling_.terms) {
      if (!exists(term.joint, term.freedom)) continue;
      if (!tied.insert({term.joint, term.freedom}).second)
        error(cat(freedom(term.joint, term.freedom), " stands in it twice"));
      if (!std::isfinite(term.factor)) error("a factor is not finite");
    }
  }

 private:
  std::string freedom(int joint, int freedom) const {
    const Joint& of = model_.joints[static_cast<std::size_t>(joint)];
    return num_freedoms(of.type) == 1 ? cat("joint '", of.name, "'")
                                      : cat("degree of freedom ", freedom + 1, " of joint '", of.name, "'");
  }

  bool exists(int joint, int freedom) {
    if (joint < 0 || joint >= static_cast<int>(model_.joints.size()) || freedom < 0 ||
        freedom >= num_freedoms(model_.joints[static_cast<std::size_t>(joint)].type)) {
      error(cat("joint ", joint, " has no degree of freedom ", freedom));
      return false;
    }
    const Joint& of = model_.joints[static_cast<std::size_t>(joint)];
    const bool ball = of.type == JointType::spherical || of.type == JointType::free;
    if (!ball || !is_rotation(of.type, freedom)) return true;
    error(cat("joint '", of.name, "' turns about three axes, whose angles cannot be coupled"));
    return false;
  }

  void error(const std::string& message) {
    diagnostics_.error(error_at(coupling_.place, cat("coupling '", coupling_.name, "': ", message)));
  }

  const Model& model_;
  const Coupling& coupling_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_couplings(const Model& model, Diagnostics& diagnostics) {
  std::set<std::pair<int, int>> following;
  for (const Coupling& coupling : model.couplings) CouplingCheck(model, coupling, diagnostics).run(following);
}

}  // namespace lithe
