// What `lithe control` says of a loop beyond its own move: other postures, equal settling times.
#include "lithe/analyse/control_study.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lithe/read/read_model.h"

namespace lithe {
namespace {

Model example(const std::string& name) { return read_model(std::string(LITHE_MODELS_DIR "/") + name + ".toml"); }

int index_of(const Model& model, const std::string& controller) {
  for (std::size_t i = 0; i < model.control->controllers.size(); ++i)
    if (model.control->controllers[i].name == controller) return static_cast<int>(i);
  return -1;
}

ControlStudyOptions short_study(const Model& model, const std::vector<std::string>& names, double end) {
  ControlStudyOptions options;
  for (const std::string& name : names) options.controllers.push_back(index_of(model, name));
  options.simulate.end_time = end;
  options.simulate.output_step = 0.002;
  options.vary_payload = options.equal_settling = false;
  return options;
}

// Gains that suit the four-bar where it starts let a mode of some 400 Hz grow where it ends.
TEST(ControlStudy, SeesThatALoopIsUnstableElsewhereOnItsWay) {
  Model model = example("control_four_bar");
  auto control = std::make_shared<ControlSetup>(*model.control);
  ControllerSetup& pid = control->controllers[static_cast<std::size_t>(index_of(model, "pid"))];
  pid.settling_time.reset();
  pid.pid.proportional = {6.62932};
  pid.pid.integral = {164.029};
  pid.pid.derivative = {0.2373};
  model.control = control;
  const ControlStudy study = control_study(model, short_study(model, {"pid"}, 0.05));
  EXPECT_GT(study.runs[0].full_decay, 0);
  EXPECT_LT(study.runs[0].path_decay, 0);
}

TEST(ControlStudy, TunedGainsStandTheWholeMove) {
  for (const char* name : {"control_four_bar", "control_l_shape"}) {
    const Model model = example(name);
    const ControlStudy study = control_study(model, short_study(model, {"pid"}, 0.02));
    EXPECT_GT(study.runs[0].path_decay, 0) << name;
  }
}

TEST(ControlStudy, ComparesControllersAtEqualSettlingTime) {
  const Model model = example("control_arm");
  ControlStudyOptions options = short_study(model, {"pid", "lqg"}, 2);
  options.equal_settling = true;
  const ControlStudy study = control_study(model, options);
  ASSERT_EQ(study.runs.size(), 2U);
  ASSERT_GT(study.equal_settling, 0);
  bool slower = false;
  for (const ControlRun& run : study.runs) {
    ASSERT_GE(run.equal.stretch, 1) << run.name;
    EXPECT_NEAR(run.equal.figures.settling_time, study.equal_settling, 0.05 * study.equal_settling) << run.name;
    if (run.equal.stretch == 1) continue;
    slower = true;  // a slower move needs less
    EXPECT_LT(run.equal.figures.peak_effort, run.figures.peak_effort) << run.name;
    EXPECT_LT(run.equal.figures.peak_deflection, run.figures.peak_deflection) << run.name;
  }
  EXPECT_TRUE(slower);
}

}  // namespace
}  // namespace lithe
