#include "app/reproduce/lin_models.h"

#include <cmath>

#include "app/program/embedded.h"

namespace lithe::app {

Model with_elements(Model model, int elements) {
  for (Link& link : model.links)
    for (BeamSegment& segment : link.segments) segment.num_elements = elements;
  return model;
}

// sqrt(EI / (m l^4)) of the arm.
double arm_unit(const Model& arm) {
  const Section& section = arm.sections[0];
  const Material& material = arm.materials[0];
  const double length = (arm.links[0].nodes[1].position - arm.links[0].nodes[0].position).norm();
  return std::sqrt(material.young_modulus * section.second_moment_z / (material.density * section.area)) /
         (length * length);
}

// The shaft of the example with another asymmetry.
Model shaft_of(double nu, int elements) {
  Model shaft = with_elements(read_example("unsymmetrical_shaft"), elements);
  Section& section = shaft.sections[0];
  const double mean = 0.5 * (section.second_moment_y + section.second_moment_z);
  section.second_moment_y = mean * (1 - nu / 2);
  section.second_moment_z = mean * (1 + nu / 2);
  return shaft;
}

// Frequency of the symmetrical shaft, (47).
double shaft_unit(const Model& shaft) {
  const Section& section = shaft.sections[0];
  const Material& material = shaft.materials[0];
  const double mean = 0.5 * (section.second_moment_y + section.second_moment_z), length = 1;
  return std::pow(M_PI / length, 2) * std::sqrt(material.young_modulus * mean / (material.density * section.area));
}

Model with_discs(Model shaft, double moment) {
  if (moment == 0) return shaft;
  const double line = shaft.materials[0].density * shaft.sections[0].area;
  for (const int node : {0, 1})
    shaft.links[0].lumped_masses.push_back({node, 0, Matrix3(Vector3(moment * line, moment * line, 0).asDiagonal())});
  return shaft;
}

}  // namespace lithe::app
