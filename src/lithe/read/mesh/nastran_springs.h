// Springs and equations of Nastran bulk data, until all nodes are known.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "lithe/read/mesh/mesh_builder.h"
#include "lithe/read/mesh/nastran_cards.h"

namespace lithe {

class NastranSprings {
 public:
  NastranSprings(const NastranFields& fields, MeshBuilder& builder) : fields_(fields), builder_(builder) {}

  // Keeps an entry that is a spring, an equation or a rigid bar; false for all others.
  bool take(const Card& card);
  // RBE2 with some of the components: each of its nodes follows the reference in those.
  void take_partial(const Card& card) { cards_.push_back(card); }

  // The axes of a node's displacements, and the axes of a coordinate system.
  using AxesAt = std::function<Matrix3(std::int64_t node, const Card& user)>;
  using AxesOf = std::function<Matrix3(std::int64_t system, const Card& user)>;
  void resolve(const AxesAt& axes_at, const AxesOf& axes_of);

 private:
  using Terms = std::vector<MeshBuilder::Term>;
  void add_spring(const Card& card);
  void add_bushing(const Card& card, const AxesOf& axes_of);
  void add_equation(const Card& card);
  void add_bar(const Card& card);
  void add_rod(const Card& card);
  void add_partial(const Card& card);
  // factor times a component, a digit 1 to 6, of a node's motion in its own axes.
  void add(const Card& card, std::int64_t node, std::int64_t component, double factor, Terms& terms) const;
  // factor times a direction of a node's motion, carried over by `arm`: u + ψ × arm.
  static void add_moved(std::int64_t node, const Vector3& direction, const Vector3& arm, double factor, Terms& terms);
  Vector3 position_of(const Card& card, std::int64_t node) const;
  Matrix3 bushing_axes(const Card& card, const Vector3& line, const std::array<double, 6>& stiffness,
                       const AxesOf& axes_of) const;
  std::string name_of(const Card& card) const { return cat(card.name, " ", card.field(0)); }

  const NastranFields& fields_;
  MeshBuilder& builder_;
  AxesAt axes_at_;
  std::vector<Card> cards_;
  std::map<std::int64_t, double> stiffnesses_;              // of PELAS
  std::map<std::int64_t, std::array<double, 6>> bushings_;  // of PBUSH
  std::map<std::int64_t, std::size_t> bars_;                // spider of a reference
  std::int64_t set_ = 0;                                    // of MPC
};

}  // namespace lithe
