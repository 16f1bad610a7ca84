// The frames of an SDF file. Every model is a scope of names; a frame is placed relative to another one of its scope or
// of a model within it ("model::frame"). http://sdformat.org/tutorials?tut=pose_frame_semantics
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lithe/base/diagnostics.h"
#include "lithe/base/math.h"

namespace lithe {

struct SdfFrame {
  std::string name;
  int line = 0;
  int scope = 0;
  Pose pose;                // relative to the frame `relative_to`
  std::string relative_to;  // empty: `attached_to`, and if that is empty, too, the model
  std::string attached_to;  // with whose link it moves; of a joint its child; empty: the model
  int link = -1;            // of a link
  int model = -1;           // of a model: its scope
};

struct SdfScope {
  std::map<std::string, int> names;
  std::string canonical;  // the link that stands for the model
  std::string placement;  // of a model: the frame of it that its pose places; empty: its own
  int outer = 0;          // the scope of the model around it, and its name there
  std::string name;
};

class SdfFrames {
 public:
  explicit SdfFrames(Diagnostics& diagnostics, const std::string& file) : diagnostics_(diagnostics), file_(file) {}

  int add_scope() {
    scopes_.emplace_back();
    return static_cast<int>(scopes_.size()) - 1;
  }
  SdfScope& scope(int index) { return scopes_[static_cast<std::size_t>(index)]; }
  const SdfScope& scope(int index) const { return scopes_[static_cast<std::size_t>(index)]; }
  // False where the scope has the name already.
  bool add(SdfFrame frame);

  // Of a frame in the frame of its scope's model; nothing, and an error, where there is none or where frames refer to
  // each other in a circle. Empty and "__model__" are the model itself.
  std::optional<Pose> pose(int scope, std::string_view name, int line) { return pose(scope, name, line, 0); }
  // The link with which the frame moves; -1 where the scope is the world's.
  std::optional<int> link(int scope, std::string_view name, int line) { return link(scope, name, line, 0); }

 private:
  std::optional<Pose> pose(int scope, std::string_view name, int line, int depth);
  std::optional<int> link(int scope, std::string_view name, int line, int depth);
  std::optional<Pose> pose_of(int frame, int depth);
  int find(int scope, std::string_view name, int line);
  bool too_deep(int depth, int line);
  std::nullopt_t error(int line, const std::string& message);

  enum class Known { no, wanted, yes, failed };  // failed: its error is reported
  Diagnostics& diagnostics_;
  const std::string& file_;
  std::vector<SdfScope> scopes_;
  std::vector<SdfFrame> frames_;
  std::vector<Known> known_;  // whether the pose of a frame is
  std::vector<Pose> poses_;
};

}  // namespace lithe
