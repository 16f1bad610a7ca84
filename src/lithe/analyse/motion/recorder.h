// What a simulation records, instant by instant: into a Trajectory, and into a recorder that keeps it elsewhere.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lithe/analyse/observe/sensors.h"
#include "lithe/formulate/contract/equations.h"

namespace lithe {

// One row on its way to a recorder; valid during the call alone.
struct RecordedInstant {
  const State& state;                 // its time is that of the instant
  const std::vector<double>& values;  // one per column
  // Under the coordinate names of the equations; those of the state, unless it has chosen others
  // (Configuration::split).
  const VectorX &coordinates, &speeds;
};

// Takes the rows of a simulation.
class Recorder {
 public:
  virtual ~Recorder() = default;
  // Before the first instant; once more, where the run begins again: what was added before is void then. May throw, as
  // the others: the simulation ends with that.
  virtual void begin(const std::vector<Channel>& columns, const std::vector<std::string>& coordinate_names) = 0;
  virtual void add(const RecordedInstant& instant) = 0;
  // After every step and at the end: what was added is now safe.
  virtual void flush() = 0;
};

// Recorded values one instant after the other, from the first one on.
struct RecordedValues {
  double time = 0;
  std::vector<double> values;  // one per column
};

// Gives recorded rows one after the other.
class RowReader {
 public:
  virtual ~RowReader() = default;
  virtual bool next(RecordedValues& row) = 0;  // false: there are no more
};

// A recorder that hands its instants out again, as often as asked.
class ReplayRecorder : public Recorder {
 public:
  virtual std::unique_ptr<RowReader> rows() const = 0;
};

}  // namespace lithe
