// Automatic choice of the modes of links: as many as what the file asks for needs (docs/theory/reduction.md).
#pragma once

#include <string>
#include <vector>

#include "lithe/model/model.h"

namespace lithe {

struct ReadingError {
  std::string name;  // of the sensor, or what stands for it
  double error = 0;  // of its peak
  double floor = 0;  // a smaller peak counts as so much, in the sensor's unit
};

struct LinkModeChoice {
  int link = 0;
  int num_dynamic = 0;    // fixed-interface modes kept
  int num_available = 0;  // of so many
};

struct ModeChoice {
  Model model;                        // with numbers of modes in place of "auto"
  std::vector<LinkModeChoice> links;  // those with "auto"
  double tolerance = 0;
  double duration = 0;                 // s, of the motion that was judged
  double error = 0;                    // estimated, the largest of all readings and frequencies
  std::vector<ReadingError> readings;  // of each sensor
  double frequency_error = 0;          // of the frequencies that are asked for
  double good_up_to = 0;               // Hz: natural frequencies up to here are within the tolerance
  std::string problem;                 // why there is no estimate; all modes are kept then

  int num_dynamic() const;
  int num_available() const;
  std::string worst() const;
};

// A model without "auto" comes back as it is. Never throws for a model that cannot be built: see `problem`.
ModeChoice choose_modes(const Model& model);
// Of two choices for the same links the larger numbers and errors.
void keep_most(const ModeChoice& other, ModeChoice& choice);
// The same numbers of modes for a model that differs in other things.
void apply(const ModeChoice& choice, Model& model);

}  // namespace lithe
