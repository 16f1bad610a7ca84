// Which parts of a model its errors may have made wrong, so that checks of the rest report no follow-up errors.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lithe/base/diagnostics.h"
#include "lithe/read/partial_model.h"
#include "lithe/read/tables/document.h"

namespace lithe {

class AffectedParts {
 public:
  // `paths` as in Diagnostic::path: keys whose value is not, or may not be, what the user meant.
  AffectedParts(std::vector<std::string> paths, const Value& document);

  bool none() const { return paths_.empty(); }
  // Whether they leave alone which links the joints connect.
  bool connections_hold() const;
  // Whether they leave alone the places of joints and where the mechanism starts.
  bool configurations_hold() const;
  // Makes rigid stand-ins of the links that are touched and puts unknown nodes at the origin.
  void replace_touched_links(Model& model) const;
  // Whether an error that was found in the model stands at a touched item, or has no place.
  bool explain(const Diagnostic& error) const;

 private:
  bool touch_link(const Model& model, std::size_t index) const;
  bool touch(const std::string& path) const;  // it, a part of it, or what it is a part of
  bool touch_ends_of_joints() const;

  std::vector<std::string> paths_;
  std::set<std::pair<int, int>> places_;  // line and column of every table around them
};

}  // namespace lithe
