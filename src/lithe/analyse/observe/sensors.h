// What the sensors of a model read at a state.
#pragma once

#include <string>
#include <vector>

#include "lithe/base/channel.h"
#include "lithe/formulate/contract/equations.h"
#include "lithe/model/stress_measure.h"

namespace lithe {

// Reads sensors of a model, of values, speeds and accelerations.
class SensorReader {
 public:
  // The sensors of the model; without any, the value of every joint freedom.
  explicit SensorReader(const Equations& equations);
  SensorReader(const Equations& equations, std::vector<Sensor> sensors);
  const std::vector<Sensor>& sensors() const { return sensors_; }
  const std::vector<Channel>& channels() const { return channels_; }
  // The sensor of each channel.
  const std::vector<int>& sensor_of_channel() const { return sensor_of_channel_; }
  // One number per channel; NaN where the formulation does not provide the quantity.
  void read(const State& state, const Inputs& inputs, const Accelerations& accelerations, Workspace& workspace,
            std::vector<double>& values) const;
  // Of a stress sensor on a link of solid elements: the stress where it is largest among its points, and which point of
  // the link that is (section_load() gives its two halves). NaN and -1 where the formulation does not provide it.
  struct StressAt {
    Vector6 stress;
    int point = -1;
  };
  StressMeasure measure(std::size_t sensor) const { return solid_[sensor].measure; }
  StressAt stress_at(std::size_t sensor, const State& state, const Inputs& inputs, const Accelerations& accelerations,
                     Workspace& workspace) const;

 private:
  void add_channels(int sensor);
  void add_solid_readings();
  StressAt largest(std::size_t sensor, const Matrix6X& stresses) const;

  const Equations& equations_;
  std::vector<Sensor> sensors_;
  std::vector<Channel> channels_;
  std::vector<int> sensor_of_channel_;
  struct SolidReading {
    StressMeasure measure = StressMeasure::von_mises;
    std::vector<int> points;  // none: no stress of a link of solid elements
    int num_points = 0;       // of the link
  };
  std::vector<SolidReading> solid_;  // per sensor
};

// Drive torque on a freedom: what acts, or what the prescribed motion needs.
double joint_force(const Equations& equations, const State& state, const Inputs& inputs,
                   const Accelerations& accelerations, int joint, int freedom, Workspace& workspace);

}  // namespace lithe
