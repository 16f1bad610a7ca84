#include "lithe/base/nearest_name.h"

#include <gtest/gtest.h>

namespace lithe {
namespace {

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("arm", ""), 3);
  EXPECT_EQ(edit_distance("", "arm"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("radius", "raduis"), 1);  // a swap of neighbours is one slip of the fingers
  EXPECT_EQ(edit_distance("link", "links"), 1);
}

TEST(EditDistance, IsSymmetric) { EXPECT_EQ(edit_distance("flange", "angle"), edit_distance("angle", "flange")); }

TEST(NearestName, FindsTheMeantOne) {
  EXPECT_EQ(nearest_name("yuong_modulus", {"shear_modulus", "young_modulus", "density"}), "young_modulus");
}

TEST(NearestName, SuggestsNothingFarAway) {
  EXPECT_EQ(nearest_name("colour", {"name", "mass"}), "");
  EXPECT_EQ(nearest_name("x", {"y"}), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'x'), {"mass"}), "");
}

}  // namespace
}  // namespace lithe
