// What a thread needs of a body of corotational beams, and the mass of one; shared by the sources that implement it.
#pragma once

#include "lithe/formulate/absolute/corotational/body.h"

namespace lithe {

struct CorotationalBody::BeamWork : Work {
  std::vector<BodyFrame> frames;
  VectorX speeds;
  std::vector<ElementState> elements;
};

// The part of an element's nodes in the body's vector.
inline Vector12 of_nodes(const CorotationalElement& element, const Eigen::Ref<const VectorX>& values) {
  Vector12 result;
  result << values.segment<6>(6 * element.a), values.segment<6>(6 * element.b);
  return result;
}

inline Vector3 place_of(const ElementParticle& particle, const ElementState& state) {
  Vector3 place = particle.rest + Vector3(particle.along * state.strain[6], 0, 0);
  for (int i = 0; i < 2; ++i) place += particle.weight[i].cwiseProduct(state.axes[i].col(particle.axis));
  return place;
}

// Σ m ρ over the line, in the element's axes from node a.
inline Vector3 first_moment(const CorotationalElement& element, const ElementState& state) {
  Vector3 sum = Vector3::Zero();
  for (const ElementParticle& particle : element.particles)
    if (particle.on_line()) sum += particle.mass * place_of(particle, state);
  return sum;
}

// (10), in the nodes' axes.
Matrix12 element_mass(const CorotationalElement& element, const ElementState& state);

}  // namespace lithe
