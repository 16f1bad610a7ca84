#include "lithe/read/sdf/sdf_frames.h"

#include "lithe/base/in_quotes.h"
#include "lithe/base/nearest_name.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

constexpr std::string_view itself = "__model__";

// "a::b::c" as "a" and "b::c".
std::pair<std::string_view, std::string_view> split(std::string_view name) {
  const std::size_t colons = name.find("::");
  if (colons == name.npos) return {name, {}};
  return {name.substr(0, colons), name.substr(colons + 2)};
}

}  // namespace

bool SdfFrames::add(SdfFrame frame) {
  const int index = static_cast<int>(frames_.size());
  const bool is_new = scope(frame.scope).names.emplace(frame.name, index).second;
  if (frame.model >= 0) {
    scope(frame.model).outer = frame.scope;
    scope(frame.model).name = frame.name;
  }
  frames_.push_back(std::move(frame));
  known_.push_back(Known::no);
  poses_.emplace_back();
  return is_new;
}

std::nullopt_t SdfFrames::error(int line, const std::string& message) {
  constexpr std::size_t most = 200;
  if (diagnostics_.errors().size() < most)
    diagnostics_.error({.file = file_, .line = line, .column = 1, .path = {}, .message = message});
  return std::nullopt;
}

int SdfFrames::find(int scope_index, std::string_view name, int line) {
  const std::map<std::string, int>& names = scope(scope_index).names;
  const auto found = names.find(std::string(name));
  if (found != names.end()) return found->second;
  std::vector<std::string> known;
  constexpr std::size_t most = 1000, most_errors = 100;  // a search for each of many errors would not end
  if (diagnostics_.errors().size() < most_errors)
    for (const auto& [key, index] : names)
      if (known.size() < most) known.push_back(key);
  const std::string near = nearest_name(name, known);
  error(line, cat("there is no link, joint, frame or model ", in_quotes(name),
                  near.empty() ? "" : cat("; did you mean '", near, "'?")));
  return -1;
}

// Chains that refer forwards are followed by recursion.
bool SdfFrames::too_deep(int depth, int line) {
  constexpr int deepest = 500;
  if (depth <= deepest) return false;
  error(line, cat("a chain of more than ", deepest, " frames refers to this one, or a circle of them"));
  return true;
}

std::optional<Pose> SdfFrames::pose(int scope_index, std::string_view name, int line, int depth) {
  if (name.empty() || name == itself || (scope_index == 0 && name == "world")) return Pose{};
  const auto [first, rest] = split(name);
  const int frame = find(scope_index, first, line);
  if (frame < 0 || too_deep(depth, line)) return std::nullopt;
  const std::optional<Pose> outer = pose_of(frame, depth + 1);
  if (!outer || rest.empty()) return outer;
  const int model = frames_[static_cast<std::size_t>(frame)].model;
  if (model < 0) return error(line, cat(in_quotes(first), " of ", in_quotes(name), " is not a model"));
  const std::optional<Pose> inner = pose(model, rest, line, depth + 1);
  return inner ? std::optional(*outer * *inner) : std::nullopt;
}

std::optional<Pose> SdfFrames::pose_of(int index, int depth) {
  const auto i = static_cast<std::size_t>(index);
  const SdfFrame frame = frames_[i];
  if (known_[i] == Known::yes) return poses_[i];
  if (known_[i] == Known::failed) return std::nullopt;
  if (known_[i] == Known::wanted)
    return error(frame.line, cat("the pose of ", in_quotes(frame.name), " is relative to itself, by other frames"));
  known_[i] = Known::wanted;
  const std::string& from = frame.relative_to.empty() ? frame.attached_to : frame.relative_to;
  const std::optional<Pose> base = pose(frame.scope, from, frame.line, depth);
  std::optional<Pose> placed;
  if (frame.model >= 0)
    placed = pose(frame.model, scope(frame.model).placement, frame.line, depth);
  else
    placed = Pose{};
  known_[i] = Known::failed;
  if (!base || !placed) return std::nullopt;
  known_[i] = Known::yes;
  poses_[i] = *base * frame.pose * placed->inverse();
  return poses_[i];
}

std::optional<int> SdfFrames::link(int scope_index, std::string_view name, int line, int depth) {
  if (too_deep(depth, line)) return std::nullopt;
  if (name.empty() || name == itself) {
    if (scope_index == 0) return -1;
    const std::string canonical = scope(scope_index).canonical;
    if (canonical.empty()) return error(line, "the model has no links");
    return link(scope_index, canonical, line, depth + 1);
  }
  const auto [first, rest] = split(name);
  const int index = find(scope_index, first, line);
  if (index < 0) return std::nullopt;
  const SdfFrame frame = frames_[static_cast<std::size_t>(index)];
  if (!rest.empty() && frame.model < 0)
    return error(line, cat(in_quotes(first), " of ", in_quotes(name), " is not a model"));
  if (frame.model >= 0) return link(frame.model, rest, line, depth + 1);
  if (frame.link >= 0) return frame.link;
  return link(scope_index, frame.attached_to, line, depth + 1);
}

}  // namespace lithe
