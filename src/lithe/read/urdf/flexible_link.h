// A link of a description that bends: a beam with what the description says beyond the beam at its two ends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lithe/read/tables/table_reader.h"

namespace lithe {

// Mass, first and second moments about the link's origin: bodies add up, and differences make sense.
struct MassMoments {
  double mass = 0;
  Vector3 first = Vector3::Zero();   // ∫ρ r
  Matrix3 second = Matrix3::Zero();  // ∫ρ r rᵀ
  MassMoments operator-(const MassMoments& other) const {
    return {mass - other.mass, first - other.first, second - other.second};
  }
};
MassMoments moments_of(const RigidInertia& body);
RigidInertia body_of(const MassMoments& moments);
// Of a straight beam; `axes`: columns are the beam's x, y, z in the link frame.
MassMoments moments_of_beam(const Section& section, const Material& material, const Vector3& from, const Vector3& to,
                            const Matrix3& axes);

// Two bodies of half the mass each whose moments add up to those given, one towards -direction, one towards +direction.
// Nothing where no body has such moments. With C the covariance of the mass and v = C e / sqrt(eᵀ C e), the centres are
// c ∓ v, and C - v vᵀ, which has no negative eigenvalues, is left to both.
struct EndBodies {
  RigidInertia first, last;
};
std::optional<EndBodies> split_between_ends(const MassMoments& moments, const Vector3& direction);

// The keys of [links.NAME] flexible, read: a link of beams with nodes `from` and `to`.
struct FlexibleLink {
  Link beam;
  EndBodies ends;
  bool has_ends = false;  // some mass is left for them
  std::string note;
};
// `link`: as the description has it, rigid. Errors are reported at the key.
std::optional<FlexibleLink> read_flexible(const TableReader& reader, const Link& link);
// Likewise with `file`: a mesh or a reduced body with nodes at the link's `joints`.
std::optional<Link> read_flexible_file(const TableReader& reader, const Link& link,
                                       const std::vector<std::string>& joints);

}  // namespace lithe
