// Topology: which joints form the tree, which are cut, and what is refused.
#include "lithe/kinematics/mechanism.h"

#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"
#include "support/model_builder.h"

namespace lithe {
namespace {

using testing::ModelBuilder;

std::string error_text(const Model& model) {
  try {
    const Mechanism mechanism(model);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
}

TEST(Mechanism, OrdersParentsFirstAndFindsEveryLink) {
  const Model model = testing::random_tree(200, 4);
  const Mechanism mechanism(model);
  EXPECT_TRUE(mechanism.cuts().empty());
  std::vector<int> seen(model.links.size(), 0);
  for (int i = 0; i < mechanism.num_frames(); ++i) {
    const TreeFrame& frame = mechanism.frames()[i];
    EXPECT_LT(frame.parent, i);
    if (frame.link >= 0) {
      ++seen[frame.link];
      EXPECT_EQ(mechanism.frame_of_link(frame.link), i);
    }
    if (frame.coordinate >= 0) {
      EXPECT_EQ(mechanism.coordinate_of(frame.joint, frame.freedom), frame.coordinate);
      EXPECT_EQ(mechanism.frame_of_coordinate(frame.coordinate), i);
    }
  }
  for (int count : seen) EXPECT_EQ(count, 1);
}

TEST(Mechanism, ReportsAllErrorsWithTheirPlaces) {
  ModelBuilder b;
  const int arm = b.link("arm");
  b.link("satellite");
  const int lone = b.link("lone");
  b.pin("shoulder", -1, {0, 0, 0}, arm);
  b.pin("loop", lone, {0, 0, 0}, lone);
  const std::string text = error_text(b.model());
  expect_contains(text, "test.toml:101:1: error: link 'satellite' has no way to the ground");
  expect_contains(text, "test.toml:102:1: error: link 'lone' has no way to the ground");
  expect_contains(text, "type 'free'");
  expect_contains(text, "test.toml:201:1: error: joint 'loop' connects link 'lone' with itself");
}

TEST(Mechanism, RefusesUnknownLinksAndWrongNumbersOfValues) {
  ModelBuilder b;
  const int arm = b.link("arm");
  const int hinge = b.pin("hinge", -1, {0, 0, 0}, arm);
  b.model().joints[hinge].initial_value = {1, 2};
  expect_contains(error_text(b.model()), "1 initial values wanted, one per degree of freedom, got 2");
  b.model().joints[hinge].child = 7;
  expect_contains(error_text(b.model()), "names a link or node that does not exist");
}

TEST(Mechanism, CutsTheJointFarthestFromTheGroundUnlessToldOtherwise) {
  EXPECT_EQ(Mechanism(testing::four_bar(4, 1, 4, 2, 0)).cuts()[0].joint, 2);
  EXPECT_EQ(Mechanism(testing::four_bar(4, 1, 4, 2, 0, 1)).cuts()[0].joint, 1);
  // A motor at the joint that would be cut keeps it in the tree.
  Model model = testing::four_bar(4, 1, 4, 2, 0);
  model.joints[2].inertia[0] = 0.1;
  EXPECT_EQ(Mechanism(model).cuts()[0].joint, 1);
}

TEST(Mechanism, NamesTheJointsOfALoopOnly) {
  // An arm carries a four-bar: the arm's joint is in no loop.
  ModelBuilder b;
  const int arm = b.link("arm"), crank = b.link("crank"), coupler = b.link("coupler"), rocker = b.link("rocker");
  b.pin("arm_pin", -1, {0, 0, 0}, arm);
  b.pin("p1", arm, {0, 0, 0}, crank);
  b.pin("p2", crank, {1, 0, 0}, coupler);
  b.pin("p3", arm, {2, 0, 0}, rocker);
  b.pin("p4", coupler, {2, 0, 0}, rocker, {1, 0, 0});
  const Mechanism mechanism(b.model());
  ASSERT_EQ(mechanism.cuts().size(), 1u);
  std::vector<int> loop = mechanism.cuts()[0].loop;
  EXPECT_EQ(loop.back(), mechanism.cuts()[0].joint);
  std::sort(loop.begin(), loop.end());
  EXPECT_EQ(loop, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(mechanism.cuts()[0].coordinates.size(), 3u);
}

TEST(Mechanism, OfAThousandLinksIsBuiltFromTheGroundUp) {
  const Mechanism mechanism(testing::chain(1000));
  EXPECT_EQ(mechanism.num_frames(), 1000);
  EXPECT_EQ(mechanism.num_coordinates(), 1000);
}

TEST(Mechanism, AFreeJointBesideAnotherWayConstrainsNothing) {
  ModelBuilder b;
  const int body = b.link("body");
  b.joint("floating", JointType::free, -1, {}, body);
  b.pin("hinge", -1, {0, 0, 0}, body);
  const Mechanism mechanism(b.model());
  EXPECT_EQ(mechanism.num_coordinates(), 1);
  EXPECT_EQ(mechanism.num_closure_rows(), 0);
}

TEST(Mechanism, CountsFreedomsAsTheModelDoes) {
  for (JointType type : testing::all_joint_types)
    EXPECT_EQ(static_cast<int>(freedoms_of(type).size()), num_freedoms(type));
}

}  // namespace
}  // namespace lithe
