#include "lithe/read/mesh/nastran_springs.h"

namespace lithe {

bool NastranSprings::take(const Card& card) {
  if (card.name == "PELAS") {
    for (const std::size_t first : {0u, 4u})
      if (!card.field(first).empty())
        stiffnesses_[fields_.whole(card, first, "a property")] = fields_.real_or(card, first + 1, 0, "the stiffness");
    return true;
  }
  if (card.name == "PBUSH") {
    std::array<double, 6>& own = bushings_[fields_.whole(card, 0, "a property")];
    own.fill(0);
    for (std::size_t line = 1; line < card.fields.size(); line += 8)
      for (std::size_t k = 0; k < 6 && upper(card.field(line)) == "K"; ++k)
        own[k] = fields_.real_or(card, line + 1 + k, 0, "a stiffness");
    return true;
  }
  static const std::set<std::string> kept = {"CELAS1", "CELAS2", "CBUSH", "MPC", "RBAR", "RROD"};
  if (kept.contains(card.name)) cards_.push_back(card);
  return kept.contains(card.name);
}

void NastranSprings::resolve(const AxesAt& axes_at, const AxesOf& axes_of) {
  axes_at_ = axes_at;
  for (const Card& card : cards_) {
    if (card.name == "CELAS1" || card.name == "CELAS2")
      add_spring(card);
    else if (card.name == "CBUSH")
      add_bushing(card, axes_of);
    else if (card.name == "MPC")
      add_equation(card);
    else if (card.name == "RBAR")
      add_bar(card);
    else if (card.name == "RROD")
      add_rod(card);
    else
      add_partial(card);
  }
}

Vector3 NastranSprings::position_of(const Card& card, std::int64_t node) const {
  const Vector3* position = builder_.position_of(node);
  if (!position) fields_.fail(card, cat("node ", node, " does not exist"));
  return *position;
}

void NastranSprings::add(const Card& card, std::int64_t node, std::int64_t component, double factor,
                         Terms& terms) const {
  if (component < 1 || component > 6) fields_.fail(card, cat("a component 1 to 6 expected, got ", component));
  const Vector3 direction = axes_at_(node, card).col((component - 1) % 3);
  for (int k = 0; k < 3; ++k)
    if (direction(k) != 0) terms.push_back({node, k + (component > 3 ? 3 : 0), factor * direction(k)});
}

void NastranSprings::add_moved(std::int64_t node, const Vector3& direction, const Vector3& arm, double factor,
                               Terms& terms) {
  const Vector3 turning = arm.cross(direction);
  for (int k = 0; k < 3; ++k) {
    if (direction(k) != 0) terms.push_back({node, k, factor * direction(k)});
    if (turning(k) != 0) terms.push_back({node, 3 + k, factor * turning(k)});
  }
}

// CELAS1, EID, PID, G1, C1, G2, C2 and CELAS2, EID, K, G1, C1, G2, C2.
void NastranSprings::add_spring(const Card& card) {
  MeshBuilder::Spring spring{name_of(card), {}, 0, fields_.place_of(card)};
  if (card.name == "CELAS1") {
    const auto found = stiffnesses_.find(fields_.whole_or(card, 1, fields_.whole(card, 0, "an element"), "a property"));
    if (found == stiffnesses_.end()) fields_.fail(card, cat("PELAS ", card.field(1), " does not exist"));
    spring.stiffness = found->second;
  } else {
    spring.stiffness = fields_.real_or(card, 1, 0, "the stiffness");
  }
  for (const std::size_t k : {2u, 4u}) {
    if (card.field(k).empty())
      fields_.fail(card, "a spring to the ground is not supported: the link has none before a joint gives it one");
    add(card, fields_.whole(card, k, "a node"), fields_.whole(card, k + 1, "a component"), k == 2 ? 1 : -1,
        spring.terms);
  }
  builder_.springs.push_back(std::move(spring));
}

// CBUSH, EID, PID, GA, GB, X1 or G0, X2, X3, CID, S, OCID: six springs between two points that move with GA and GB.
void NastranSprings::add_bushing(const Card& card, const AxesOf& axes_of) {
  if (card.field(3).empty())
    fields_.fail(card, "a spring to the ground is not supported: the link has none before a joint gives it one");
  const std::int64_t a = fields_.whole(card, 2, "a node"), b = fields_.whole(card, 3, "a node");
  const auto found = bushings_.find(fields_.whole_or(card, 1, fields_.whole(card, 0, "an element"), "a property"));
  if (found == bushings_.end()) fields_.fail(card, cat("PBUSH ", card.field(1), " does not exist"));
  if (fields_.whole_or(card, 9, -1, "a coordinate system") != -1)
    fields_.fail(card, "a place of the spring in a coordinate system (OCID) is not supported: give S");
  const Vector3 start = position_of(card, a), line = position_of(card, b) - start;
  const Matrix3 axes = bushing_axes(card, line, found->second, axes_of);
  const Vector3 arm = fields_.real_or(card, 8, 0.5, "S") * line;  // of the point from GA
  for (int k = 0; k < 6; ++k) {
    const double stiffness = found->second[static_cast<std::size_t>(k)];
    if (stiffness == 0) continue;
    MeshBuilder::Spring spring{name_of(card), {}, stiffness, fields_.place_of(card)};
    const Vector3 direction = axes.col(k % 3);
    if (k < 3) {
      add_moved(a, direction, arm, -1, spring.terms);
      add_moved(b, direction, arm - line, 1, spring.terms);
    } else {
      for (int j = 0; j < 3; ++j)
        if (direction(j) != 0) {
          spring.terms.push_back({a, 3 + j, -direction(j)});
          spring.terms.push_back({b, 3 + j, direction(j)});
        }
    }
    builder_.springs.push_back(std::move(spring));
  }
}

// Of a coordinate system; or x along the line from GA to GB and a vector in the plane of x and y; or x alone.
Matrix3 NastranSprings::bushing_axes(const Card& card, const Vector3& line, const std::array<double, 6>& stiffness,
                                     const AxesOf& axes_of) const {
  if (!card.field(7).empty()) return axes_of(fields_.whole(card, 7, "a coordinate system"), card);
  if (!(line.norm() > 0)) fields_.fail(card, "its nodes are at the same place: give its axes (CID)");
  Vector3 side;
  if (!card.field(4).empty() && card.field(5).empty() && card.field(6).empty() &&
      card.field(4).find('.') == std::string::npos) {
    side = position_of(card, fields_.whole(card, 4, "a node")) - position_of(card, fields_.whole(card, 2, "a node"));
  } else if (side = fields_.point(card, 4); side.isZero(0)) {
    for (const std::size_t k : {1u, 2u, 4u, 5u})
      if (stiffness[k] != 0) fields_.fail(card, "its axes are missing: CID, or X1, X2, X3, or G0");
    side = line.unitOrthogonal();
  }
  const Vector3 normal = line.cross(side);
  if (!(normal.norm() > 1e-9 * line.norm() * side.norm())) fields_.fail(card, "its orientation is along it");
  Matrix3 axes;
  axes << line.normalized(), normal.normalized().cross(line.normalized()), normal.normalized();
  return axes;
}

// MPC, SID, G1, C1, A1, G2, C2, A2, , , G3, C3, A3, ...: Σ A u = 0.
void NastranSprings::add_equation(const Card& card) {
  const std::int64_t set = fields_.whole(card, 0, "a set");
  if (set_ != 0 && set != set_)
    fields_.fail(card, cat("there are several sets, ", set_, " and ", set, ": keep the one that counts"));
  set_ = set;
  MeshBuilder::Equation equation{cat("MPC in line ", card.line), {}, fields_.place_of(card)};
  for (std::size_t k = 1; k < card.fields.size(); k += k % 8 == 1 ? 3 : 5) {
    if (card.field(k).empty()) continue;
    add(card, fields_.whole(card, k, "a node"), fields_.whole(card, k + 1, "a component"),
        fields_.real_or(card, k + 2, 0, "a factor"), equation.terms);
  }
  builder_.equations.push_back(std::move(equation));
}

// RBAR, EID, GA, GB, CNA, CNB, CMA, CMB: all of one end's motions follow the other's. Bars of one end make a spider.
void NastranSprings::add_bar(const Card& card) {
  const std::string &first = card.field(3), &second = card.field(4);
  const bool of_first = first == "123456" && second.empty(), of_second = second == "123456" && first.empty();
  const std::string& dependent = card.field(of_first ? 6 : 5);
  const bool all = dependent.empty() || dependent == "0" || dependent == "123456";
  if (!(of_first || of_second) || !all)
    fields_.fail(card,
                 "only bars with all motions (123456) of one end free and all of the other following it are "
                 "supported");
  const std::int64_t reference = fields_.whole(card, of_first ? 1 : 2, "a node");
  const auto [place, is_new] = bars_.emplace(reference, builder_.spiders.size());
  if (is_new) {
    MeshBuilder::Spider spider;
    spider.label = fields_.whole(card, 0, "an element");
    spider.reference = reference;
    spider.place = fields_.place_of(card);
    builder_.spiders.push_back(std::move(spider));
  }
  builder_.spiders[place->second].nodes.push_back(fields_.whole(card, of_first ? 2 : 1, "a node"));
}

// RROD, EID, GA, GB: the distance of two nodes stays.
void NastranSprings::add_rod(const Card& card) {
  const std::int64_t a = fields_.whole(card, 1, "a node"), b = fields_.whole(card, 2, "a node");
  const Vector3 line = position_of(card, b) - position_of(card, a);
  if (!(line.norm() > 0)) fields_.fail(card, "its nodes are at the same place");
  MeshBuilder::Equation equation{name_of(card), {}, fields_.place_of(card)};
  add_moved(a, line.normalized(), Vector3::Zero(), -1, equation.terms);
  add_moved(b, line.normalized(), Vector3::Zero(), 1, equation.terms);
  builder_.equations.push_back(std::move(equation));
}

// RBE2, EID, GN, CM, GM1, GM2, ...
void NastranSprings::add_partial(const Card& card) {
  const std::int64_t reference = fields_.whole(card, 1, "a node");
  const std::string& digits = card.field(2);
  for (std::size_t k = 3; k < card.fields.size(); ++k) {
    if (card.fields[k].empty() || card.fields[k].find('.') != std::string::npos) continue;
    const std::int64_t node = fields_.whole(card, k, "a node");
    const Vector3 arm = position_of(card, node) - position_of(card, reference);
    const Matrix3 axes = axes_at_(node, card);
    for (const char digit : digits) {
      if (digit < '1' || digit > '6') fields_.fail(card, cat("components 1 to 6 expected", fields_.got(digits)));
      const Vector3 direction = axes.col((digit - '1') % 3);
      MeshBuilder::Equation equation{name_of(card), {}, fields_.place_of(card)};
      add(card, node, digit - '0', 1, equation.terms);
      if (digit <= '3')
        add_moved(reference, direction, arm, -1, equation.terms);
      else
        for (int j = 0; j < 3; ++j)
          if (direction(j) != 0) equation.terms.push_back({reference, 3 + j, -direction(j)});
      builder_.equations.push_back(std::move(equation));
    }
  }
}

}  // namespace lithe
