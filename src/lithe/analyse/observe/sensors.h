// What the sensors of a model read at a state.
#pragma once

#include <string>
#include <vector>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

// Name and unit of every number that is recorded, in order: "tip.x" [m].
struct Channel {
  std::string name, unit;
};

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

 private:
  void add_channels(int sensor);

  const Equations& equations_;
  std::vector<Sensor> sensors_;
  std::vector<Channel> channels_;
  std::vector<int> sensor_of_channel_;
};

// Drive torque on a freedom: what acts, or what the prescribed motion needs.
double joint_force(const Equations& equations, const State& state, const Inputs& inputs,
                   const Accelerations& accelerations, int joint, int freedom, Workspace& workspace);

}  // namespace lithe
