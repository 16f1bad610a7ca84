#include "lithe/reduce/interface_nodes.h"

#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"
#include "lithe/fem/assemble.h"
#include "lithe/reduce/reduce.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

// Five nodes in a row with one element between them, held at the first.
Model row() {
  testing::FlexibleBuilder b;
  const int arm = b.beam("arm", {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}, {0.3, 0, 0}, {0.4, 0, 0}}, 1);
  b.hinge("clamp", JointType::fixed, -1, {0, 0, 0}, arm, {0, 0, 0}, Vector3::UnitZ());
  return b.model();
}

Load load_at(int node) {
  Load load;
  load.node = node;
  return load;
}

Sensor sensor_at(Quantity quantity, int node) {
  Sensor sensor;
  sensor.quantity = quantity;
  sensor.link = 0;
  sensor.node = node;
  return sensor;
}

TEST(InterfaceNodes, AreThoseWithJointsLoadsMassesAndSensors) {
  Model model = row();
  EXPECT_EQ(interface_nodes(model, 0), std::vector<int>{0});
  model.loads.push_back(load_at(3));
  model.loads.push_back(load_at(3));
  EXPECT_EQ(interface_nodes(model, 0), (std::vector<int>{0, 3}));
  model.links[0].lumped_masses.push_back({2, 1.0, Matrix3::Zero()});
  model.sensors.push_back(sensor_at(Quantity::position, 4));
  model.sensors.push_back(sensor_at(Quantity::total_energy, 1));  // of no node
  EXPECT_EQ(interface_nodes(model, 0), (std::vector<int>{0, 2, 3, 4}));
  EXPECT_EQ(joint_nodes(model, 0), std::vector<int>{0});
}

// A sensor more makes an inner node one of the interface; the number of modes asked for stays possible.
TEST(InterfaceNodes, TakeTheirModesFromTheInnerOnes) {
  Model model = row();
  const FiniteElementBody mesh = assemble(model, model.links[0]);  // 30 dofs, 24 inner ones
  ReductionChoice choice;
  choice.method = ReductionMethod::craig_bampton;
  choice.num_internal_modes = 4;
  EXPECT_EQ(reduce_link(model, 0, mesh, choice).num_modes(), 4);
  model.sensors.push_back(sensor_at(Quantity::position, 4));
  EXPECT_EQ(reduce_link(model, 0, mesh, choice).num_modes(), 6 + 4);
  choice.num_internal_modes = 20;  // of 18 that are left
  EXPECT_EQ(reduce_link(model, 0, mesh, choice).num_modes(), 24);
  choice.num_internal_modes = 25;
  EXPECT_THROW(reduce_link(model, 0, mesh, choice), InputError);
  choice.interface_nodes = {0, 4};
  choice.num_internal_modes = 20;
  EXPECT_THROW(reduce_link(model, 0, mesh, choice), InputError);
}

}  // namespace
}  // namespace lithe
