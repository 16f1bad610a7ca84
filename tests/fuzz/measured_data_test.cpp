// Damaged measurements are refused, or become channels of finite numbers, as many as there are places.
#include <gtest/gtest.h>

#include <random>

#include "lithe/analyse/studies/measured_channels.h"
#include "lithe/base/diagnostics.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

const std::string whole[] = {
    "# a note\ntime [s],tip.z [mm],angle [deg]\n0,1.5,2\n0.1,-3e2,4\n0.2,5,6\n",
    "frequency [Hz],tip.z of motor real [m/N],tip.z of motor imaginary [m/N]\n1,2e-3,1e-3\n2,1e-3,-4e-3\n",
    "frequency [Hz],tip.z of motor magnitude [m/N],tip.z of motor phase [deg]\n1,2e-3,10\n2,1e-3,-170\n",
    "mode,frequency [Hz],damping ratio\n1,12.5,0.01\n3,40,0.02\n",
};

std::string damaged(std::string text, std::mt19937& random) {
  static const std::string pieces[] = {",",      "\n",        "nan",   "inf",   "-1", "0",    "1e300",
                                       "1e-320", "1e18",      "[",     "] of ", "mm", "Hz",   "time",
                                       "mode",   "frequency", " real", " of ",  "\"", "\xff", "[m]"};
  for (auto edits = 1 + random() % 3; edits > 0; --edits) {
    const std::size_t at = random() % (text.size() + 1);
    if (random() % 2 == 0)
      text.insert(at, pieces[random() % std::size(pieces)]);
    else if (at < text.size())
      text.erase(at, 1 + random() % 6);
  }
  return text;
}

TEST(DamagedMeasurement, IsReadWholeOrRefused) {
  std::mt19937 random(11);
  int read = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = damaged(whole[random() % std::size(whole)], random);
    try {
      const Measurements found = read_measurements({measured_of_text(text, "data.csv")});
      ++read;
      for (const MeasuredChannel& channel : found.channels) {
        ASSERT_EQ(channel.measured.size(), static_cast<Eigen::Index>(channel.at.size())) << text;
        ASSERT_TRUE(channel.measured.allFinite()) << text;
        ASSERT_GT(channel.deviation, 0) << text;
      }
    } catch (const InputError& error) {
      ++refused;
      ASSERT_NE(std::string(error.what()), "") << text;
    }
  }
  EXPECT_GT(read, 2000);
  EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace lithe
