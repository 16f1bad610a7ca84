// Parts of Abaqus and their instances in the assembly.
#include "lithe/read/mesh/abaqus_reader.h"

namespace lithe {

int AbaqusReader::count_instances(std::string_view text) {
  int count = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text[at] == '*' && upper(text.substr(at, std::min<std::size_t>(end - at, 9))) == "*INSTANCE") ++count;
    at = end + 1;
  }
  return count;
}

bool AbaqusReader::start_scope() {
  const std::string& name = keyword_.name;
  if (name == "PART") {
    if (in_part()) lines_.fail("*PART inside a *PART or an *INSTANCE");
    keep_part();
  } else if (name == "END PART") {
    scope_ == Scope::part&& instance_ >= 0 ? finish_instance() : void(scope_ = Scope::flat);
  } else if (name == "END ASSEMBLY") {
    scope_ = Scope::flat;
  } else if (name == "ASSEMBLY") {
    if (in_part()) lines_.fail("*ASSEMBLY inside a *PART or an *INSTANCE");
    scope_ = Scope::assembly;
  } else if (name == "INSTANCE") {
    start_instance();
  } else if (name == "END INSTANCE") {
    if (scope_ != Scope::instance) lines_.fail("*END INSTANCE without an *INSTANCE before it");
    replay_part();
  } else {
    return false;
  }
  system_.reset();
  return true;
}

// Without an instance in the file a part is read where it stands.
void AbaqusReader::keep_part() {
  const std::string name = upper(keyword_.value("NAME"));
  if (num_instances_ == 0) {
    if (!parts_.empty()) lines_.fail("more than one *PART, and no *INSTANCE of them in this file");
    parts_[name];
    scope_ = Scope::part;
    return;
  }
  Part part{lines_.mark(), {}};
  do {
    if (!next_line()) lines_.fail(cat("*PART ", name, " has no *END PART"));
  } while (!is_keyword() || parse_abaqus_keyword(trimmed(line_)).name != "END PART");
  part.end = lines_.mark();
  if (part.end.name != part.begin.name) lines_.fail(cat("*PART ", name, " must end in the file in which it begins"));
  if (!parts_.emplace(name, std::move(part)).second) lines_.fail(cat("*PART ", name, " is defined twice"));
}

void AbaqusReader::start_instance() {
  if (in_part()) lines_.fail("*INSTANCE inside a *PART or an *INSTANCE");
  constexpr std::size_t most = 1000;
  if (deck_.instances.size() >= most) lines_.fail(cat("more than ", most, " instances"));
  AbaqusInstance instance{demanded("NAME"), {}};
  if (deck_.find_instance(instance.name) >= 0) lines_.fail(cat("*INSTANCE ", instance.name, " is defined twice"));
  part_of_instance_ = demanded("PART");
  if (!parts_.contains(part_of_instance_)) lines_.fail(cat("*PART ", part_of_instance_, " does not exist"));
  if (num_instances_ > 1) instance.prefix = instance.name + ".";
  // Numbers of the first instance stay; those of others go on after a power of ten.
  const auto after = [&](std::int64_t largest) {
    std::int64_t offset = 0;
    if (largest > 0)
      for (offset = 10; offset <= largest; offset *= 10)
        if (offset > 1'000'000'000'000'000) lines_.fail("there are no numbers left for this *INSTANCE");
    return offset;
  };
  instance.node_offset = after(builder_.largest_node());
  instance.element_offset = after(largest_element_);
  if (instance.node_offset > 0)
    builder_.warn(here(), cat("of instance ", instance.name, " nodes have their numbers plus ", instance.node_offset,
                              " here, elements plus ", instance.element_offset));
  instance_ = static_cast<int>(deck_.instances.size());
  deck_.instances.push_back(std::move(instance));
  instance_pose_ = {};
  before_ = {builder_.mesh.positions.size(), deck_.beams.size(),   builder_.mesh.frames.size(),
             deck_.properties.size(),        deck_.springs.size(), builder_.equations.size()};
  scope_ = Scope::instance;
  data_ = Data::instance;
}

void AbaqusReader::replay_part() {
  const Part& part = parts_.at(part_of_instance_);
  scope_ = Scope::part;
  lines_.replay(part.begin, part.end);
}

void AbaqusReader::finish_instance() {
  scope_ = Scope::assembly;
  instance_ = -1;
  if (!instance_pose_.moves()) return;
  const Pose& pose = instance_pose_.pose();
  const Matrix3& turn = pose.rotation;
  if (!(turn - Matrix3::Identity()).isZero(1e-12) &&
      (deck_.springs.size() > before_.springs || builder_.equations.size() > before_.equations))
    lines_.fail(
        "springs and equations of a part whose instance is turned are not supported: write them in the assembly");
  for (std::size_t k = before_.nodes; k < builder_.mesh.positions.size(); ++k)
    builder_.mesh.positions[k] = pose * builder_.mesh.positions[k];
  for (std::size_t k = before_.beams; k < deck_.beams.size(); ++k) deck_.beams[k].side = turn * deck_.beams[k].side;
  for (std::size_t k = before_.properties; k < deck_.properties.size(); ++k)
    deck_.properties[k].inertia = turn * deck_.properties[k].inertia * turn.transpose();
  for (std::size_t k = before_.frames; k < builder_.mesh.frames.size(); ++k) {
    ElementFrame& frame = builder_.mesh.frames[k];
    frame.axes = turn * frame.axes;
    if (frame.cylindrical) frame.origin = pose * frame.origin;
  }
}

AbaqusReference AbaqusReader::reference(std::string_view text) const {
  int instance = in_part() ? instance_ : -1;
  if (scope_ == Scope::assembly && keyword_.has("INSTANCE"))
    instance = deck_.find_instance(upper(keyword_.value("INSTANCE")));
  return {upper(text), in_assembly(), instance};
}

std::string AbaqusReader::own_name(const std::string& name) const {
  if (name.empty() || !in_part() || instance_ < 0) return name;
  return deck_.instances[static_cast<std::size_t>(instance_)].prefix + name;
}

}  // namespace lithe
