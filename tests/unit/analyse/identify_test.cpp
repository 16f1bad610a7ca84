#include "lithe/analyse/studies/identify.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <new>
#include <numbers>
#include <random>

#include "lithe/analyse/analyses.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

// A flexible arm on a spring with a damper, pushed for a moment.
std::string arm_text(double stiffness, double damping) {
  return cat(
      "lithe = 1\n"
      "materials.aluminium = {density = \"2700 kg/m^3\", young_modulus = \"70 GPa\", poisson_ratio = 0.33}\n"
      "sections.tube = {shape = \"tube\", diameter = \"30 mm\", thickness = \"2 mm\"}\n"
      "loads = [{name = \"push\", link = \"arm\", node = \"tip\", direction = [0, 0, 1], "
      "force = {steps = [[0, 20], [0.05, 0]]}}]\n"
      "sensors = [{name = \"tip\", quantity = \"position\", link = \"arm\", node = \"tip\"}]\n"
      "[[joints]]\nname = \"shoulder\"\nchild = \"arm\"\nchild_node = \"root\"\naxis = [0, 1, 0]\n"
      "stiffness = ",
      stiffness, " # of the gearbox\ndamping = ", damping,
      "\n[[links]]\nname = \"arm\"\nnodes = {root = [0, 0, 0], tip = [\"800 mm\", 0, 0]}\npath = [\"root\", \"tip\"]\n"
      "material = \"aluminium\"\nsection = \"tube\"\nelements = 2\nmasses = [{node = \"tip\", mass = \"1 kg\"}]\n"
      "reduction = {kept_modes = 4}\n");
}

ParametricModel arm_file(double stiffness, double damping) {
  return ParametricModel(arm_text(stiffness, damping), "arm.toml", {});
}

constexpr double true_stiffness = 900, true_damping = 1.5;
const std::vector<std::string> both = {"joints.shoulder.stiffness", "joints.shoulder.damping"};

// What a machine would show, in another formulation.
MeasuredData measured_motion() {
  SimulateSpec spec{.formulation = {.formulation = "floating-frame"}, .end_time = 0.6, .output_step = 2e-3};
  spec.tolerance = 1e-7;
  const SimulatedMotion motion = simulate(arm_file(true_stiffness, true_damping).with({}), spec);
  return {"arm.csv", {{"time", "s", motion.times}, {"tip.z", "m", motion.column("tip.z")->values}}};
}

MeasuredData with_noise(MeasuredData data, double deviation, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, deviation);
  for (std::size_t c = 1; c < data.columns.size(); ++c)
    for (double& value : data.columns[c].values) value += noise(random);
  return data;
}

TEST(Identify, RecoversStiffnessAndDampingFromAMotionOfAnotherFormulation) {
  const ParametricModel file = arm_file(1300, 4);  // 17 % off in frequency
  const IdentifyResult found = identify(file, {with_noise(measured_motion(), 1e-4, 1)}, {.fit = both});
  ASSERT_EQ(found.failure, "");
  EXPECT_TRUE(found.converged);
  ASSERT_EQ(found.numbers.size(), 2u);
  EXPECT_LE(found.numbers[0].lower, true_stiffness);
  EXPECT_GE(found.numbers[0].upper, true_stiffness);
  EXPECT_LE(found.numbers[1].lower, true_damping);
  EXPECT_GE(found.numbers[1].upper, true_damping);
  EXPECT_LT(found.numbers[0].standard_error, 1);
  EXPECT_LT(found.numbers[1].standard_error, 0.03);
  EXPECT_NEAR(found.curves[0].rms_after, 1e-4, 1e-5);  // the noise
  EXPECT_GT(found.curves[0].rms_before, 20 * found.curves[0].rms_after);
  EXPECT_TRUE(found.notes.empty());
  EXPECT_TRUE(found.undetermined.empty());
}

TEST(Identify, FitsAFrequencyResponse) {
  LineariseSpec spec{.formulation = {.formulation = "floating-frame"}, .inputs = {"push"}};
  for (int k = 0; k < 80; ++k) spec.response.push_back(2 * std::pow(60, k / 79.0));
  const LineariseResult truth = linearise(arm_file(true_stiffness, true_damping).with({}), spec);
  ASSERT_EQ(truth.failure, "");
  MeasuredData data{
      "response.csv",
      {{"frequency", "Hz", spec.response}, {"tip.z of push real", "m/N", {}}, {"tip.z of push imaginary", "m/N", {}}}};
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.02);
  for (const MatrixXc& h : truth.response) {
    const std::complex<double> value = h(2, 0) * std::exp(std::complex<double>(noise(random), noise(random)));
    data.columns[1].values.push_back(value.real());
    data.columns[2].values.push_back(value.imag());
  }
  const IdentifyResult found = identify(arm_file(1300, 4), {data}, {.fit = both});
  ASSERT_EQ(found.failure, "");
  EXPECT_LE(found.numbers[0].lower, true_stiffness);
  EXPECT_GE(found.numbers[0].upper, true_stiffness);
  EXPECT_LE(found.numbers[1].lower, true_damping);
  EXPECT_GE(found.numbers[1].upper, true_damping);
  EXPECT_LT(found.numbers[1].standard_error, 0.02 * true_damping);
  EXPECT_NEAR(found.curves[0].rms_after, 0.02, 0.005);
}

// A disc on a spring and a damper: ω² = k / J, ζ = d / (2 sqrt(k J)).
std::string disc_text(double stiffness, double inertia, double damping) {
  return cat("lithe = 1\n[[links]]\nname = \"disc\"\ntype = \"rigid\"\nnodes = {root = [0, 0, 0]}\nmass = 1\n",
             "inertia = [1, 1, ", inertia, "]\n[[joints]]\nname = \"axis\"\nchild = \"disc\"\nchild_node = \"root\"\n",
             "value = 0.2\nrest_value = 0\nstiffness = ", stiffness, "\ndamping = ", damping,
             "\n[[sensors]]\nname = \"angle\"\nquantity = \"joint_value\"\njoint = \"axis\"\n");
}

// The free vibration with k = 300, J = 0.5, d = 0.4 in closed form.
MeasuredData swing_of_disc() {
  MeasuredData data{"swing.csv", {{"time", "s", {}}, {"angle", "rad", {}}}};
  const double omega = std::sqrt(300 / 0.5), decay = 0.4 / (2 * 0.5);
  const double damped = std::sqrt(omega * omega - decay * decay);
  for (int i = 0; i <= 400; ++i) {
    const double t = 2.5e-3 * i;
    data.columns[0].values.push_back(t);
    data.columns[1].values.push_back(0.2 * std::exp(-decay * t) *
                                     (std::cos(damped * t) + decay / damped * std::sin(damped * t)));
  }
  return data;
}

// 95 % of the intervals should hold the truth. Of 40, at most 33 would with a probability of 0.3 %.
TEST(Identify, IntervalsHoldTheTruthAsOftenAsTheySay) {
  const MeasuredData clean = swing_of_disc();
  const ParametricModel file(disc_text(250, 0.5, 1), "disc.toml", {});
  int held = 0;
  double spread = 0, said = 0;
  for (unsigned seed = 100; seed < 120; ++seed) {
    const IdentifyResult found =
        identify(file, {with_noise(clean, 1e-3, seed)}, {.fit = {"joints.axis.stiffness", "joints.axis.damping"}});
    ASSERT_EQ(found.failure, "");
    held += found.numbers[0].lower <= 300 && 300 <= found.numbers[0].upper;
    held += found.numbers[1].lower <= 0.4 && 0.4 <= found.numbers[1].upper;
    spread += std::pow(found.numbers[0].value - 300, 2) / 20;
    said += std::pow(found.numbers[0].standard_error, 2) / 20;
  }
  EXPECT_GE(held, 34);
  EXPECT_NEAR(std::sqrt(spread / said), 1, 0.45);  // of 20 values: chi² within 99 %
}

// A model that has no memory left after some answers.
class Exhausted : public NumberedModel {
 public:
  Exhausted(const ParametricModel& file, int answers) : file_(file), left_(answers) {}
  double number(const std::string& path) const override { return file_.number(path); }
  void check(const std::string& path) const override { file_.check(path); }
  Model with(const std::vector<std::pair<std::string, double>>& numbers) const override {
    if (left_-- <= 0) throw std::bad_alloc();
    return file_.with(numbers);
  }

 private:
  const ParametricModel& file_;
  mutable std::atomic<int> left_;
};

TEST(Identify, AnExceptionOfAnyThreadReachesTheCaller) {
  const ParametricModel file(disc_text(250, 0.5, 1), "disc.toml", {});
  for (const int threads : {1, 2, 4})
    for (const int answers : {0, 1, 3, 6})
      EXPECT_THROW(identify(Exhausted(file, answers), {swing_of_disc()},
                            {.fit = {"joints.axis.stiffness", "joints.axis.damping"}, .threads = threads}),
                   std::bad_alloc);
}

TEST(Identify, AnInterruptLeavesNoNumbers) {
  const ParametricModel file(disc_text(250, 0.5, 1), "disc.toml", {});
  std::atomic<bool> cancel = false;
  RunHooks hooks;
  hooks.cancel = &cancel;
  int calls = 0;
  hooks.progress = [&](double) { cancel = ++calls == 2; };
  const IdentifyResult found =
      identify(file, {swing_of_disc()}, {.fit = {"joints.axis.stiffness", "joints.axis.damping"}}, hooks);
  EXPECT_TRUE(found.cancelled);
  EXPECT_FALSE(found.converged);
  EXPECT_NE(found.failure.find("interrupted"), std::string::npos) << found.failure;
  EXPECT_TRUE(found.numbers.empty());
  EXPECT_TRUE(found.curves.empty());
}

std::string refusal(const std::vector<MeasuredData>& data) {
  const ParametricModel file(disc_text(250, 0.5, 1), "disc.toml", {});
  try {
    identify(file, data, {.fit = {"joints.axis.stiffness"}});
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Identify, RefusesDataThatNoFitCanTake) {
  const Column time{"time", "s", {0, 0.1}}, mode{"mode", "", {1e300, 2}}, frequency{"frequency", "Hz", {1, 2}};
  EXPECT_NE(refusal({{"a", {time, {"angle", "rad", {1}}}}}).find("column 'angle' has 1 values"), std::string::npos);
  EXPECT_NE(refusal({{"a", {time, {"angle", "rad", {1, std::nan("")}}}}}).find("the value nan"), std::string::npos);
  EXPECT_NE(refusal({{"a", {time, {"angle", "furlong", {1, 2}}}}}).find("no unit 'furlong'"), std::string::npos);
  EXPECT_NE(refusal({{"a", {mode, frequency}}}).find("they count from 1 to"), std::string::npos);
  EXPECT_NE(refusal({{"a", {{"frequency", "Hz", {1, 2}}, {"mode", "", {1, 1e18}}}}}).find("they count from 1 to"),
            std::string::npos);
  MeasuredData large{"a", {{"time", "s", {}}, {"angle", "rad", {}}}};
  for (int i = 0; i < 1'300'000; ++i) large.columns[0].values.push_back(i);
  large.columns[1].values = large.columns[0].values;
  EXPECT_NE(refusal({large, large}).find("5200000 measured values"), std::string::npos);  // of all files together
}

TEST(Identify, FitsNaturalFrequenciesAndDampingRatios) {
  const double frequency = 3, ratio = 0.05, inertia = 0.4, omega = 2 * std::numbers::pi * frequency;
  const MeasuredData data{"modes.csv", {{"frequency", "Hz", {frequency}}, {"damping ratio", "", {ratio}}}};
  const ParametricModel file(disc_text(50, inertia, 2), "disc.toml", {});
  const IdentifyResult found = identify(file, {data}, {.fit = {"joints.axis.stiffness", "joints.axis.damping"}});
  ASSERT_EQ(found.failure, "");
  EXPECT_NEAR(found.numbers[0].value, inertia * omega * omega, 1e-6 * inertia * omega * omega);
  EXPECT_NEAR(found.numbers[1].value, 2 * ratio * inertia * omega, 1e-6);
  EXPECT_EQ(found.degrees_of_freedom, 0);
  EXPECT_TRUE(std::isinf(found.numbers[0].upper));
  ASSERT_EQ(found.notes.size(), 1u);
}

TEST(Identify, NamesCombinationsThatTheDataDoNotTell) {
  const MeasuredData data = with_noise(swing_of_disc(), 1e-3, 2);  // tells k / J and d / J alone
  const ParametricModel file(disc_text(250, 0.5, 1), "disc.toml", {});
  const IdentifyResult found =
      identify(file, {data}, {.fit = {"joints.axis.stiffness", "links.disc.inertia[2]", "joints.axis.damping"}});
  ASSERT_EQ(found.failure, "");
  for (const IdentifiedNumber& number : found.numbers) EXPECT_FALSE(number.determined) << number.path;
  ASSERT_EQ(found.undetermined.size(), 1u);
  for (const char* part : {"joints.axis.stiffness", "links.disc.inertia[2]", "joints.axis.damping"})
    EXPECT_NE(found.undetermined[0].find(cat(part, " +1 %")), std::string::npos) << found.undetermined[0];
  EXPECT_NEAR(found.numbers[0].value / found.numbers[1].value, 300 / 0.5, 1e-3 * 600);
  // With the inertia known, the others are.
  const IdentifyResult known = identify(file, {data}, {.fit = {"joints.axis.stiffness", "joints.axis.damping"}});
  EXPECT_LE(known.numbers[0].lower, 300);
  EXPECT_GE(known.numbers[0].upper, 300);
  EXPECT_LE(known.numbers[1].lower, 0.4);
  EXPECT_GE(known.numbers[1].upper, 0.4);
}

TEST(Identify, SaysWhereTheModelDoesNotExplainTheData) {
  MeasuredData data{"swing.csv", {{"time", "s", {}}, {"angle", "rad", {}}}};
  for (int i = 0; i <= 200; ++i) {
    data.columns[0].values.push_back(5e-3 * i);
    data.columns[1].values.push_back(0.2 * std::cos(24.5 * 5e-3 * i) + 0.02 * std::sin(9 * 5e-3 * i));
  }
  const ParametricModel file(disc_text(300, 0.5, 0), "disc.toml", {});
  const IdentifyResult found = identify(file, {data}, {.fit = {"joints.axis.stiffness"}});
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_NE(found.notes[0].find("the intervals are too narrow"), std::string::npos) << found.notes[0];
}

std::string error_of(const MeasuredData& data, const IdentifySpec& spec) {
  try {
    identify(ParametricModel(disc_text(300, 0.5, 0.4), "disc.toml", {}), {data}, spec);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Identify, ErrorsNameWhatIsWrong) {
  const MeasuredData good{"m.csv", {{"time", "s", {0, 0.1, 0.2}}, {"angle", "rad", {0.2, 0.1, 0}}}};
  const std::string k = "joints.axis.stiffness";
  EXPECT_EQ(error_of(good, {.fit = {"joints.axis.stifness"}}),
            "error: parameter 'joints.axis.stifness': there is no 'stifness'; did you mean 'stiffness'?");
  EXPECT_EQ(error_of(good, {.fit = {"joints.axes.stiffness"}}),
            "error: parameter 'joints.axes.stiffness': there is no 'axes'; did you mean 'axis'?");
  EXPECT_EQ(error_of(good, {.fit = {k + " = 1 : 200"}}),
            "error: 'joints.axis.stiffness = 1 : 200': the model has 300, which is not between the bounds");
  EXPECT_EQ(error_of(good, {.fit = {"joints.axis.rest_value"}}),
            "error: 'joints.axis.rest_value' is 0 in the model: give bounds, 'joints.axis.rest_value = 0 : 10'");
  MeasuredData bad = good;
  bad.columns[1].name = "angel";
  EXPECT_EQ(error_of(bad, {.fit = {k}}), "m.csv: error: the model has no sensor 'angel'; did you mean 'angle'?");
  bad = good;
  bad.columns[1].unit = "mm";
  EXPECT_EQ(error_of(bad, {.fit = {k}}), "m.csv: error: column 'angle' is in mm, the sensor in rad");
  bad = good;
  bad.columns[0].values = {0, 0.2, 0.1};
  EXPECT_EQ(error_of(bad, {.fit = {k}}), "m.csv: error: column 'time' must ascend; 0.1 follows 0.2");
  const MeasuredData list{"f.csv", {{"frequency", "Hz", {3}}}};
  EXPECT_EQ(error_of(list, {.fit = {k, "joints.axis.damping"}}),
            "error: 2 numbers cannot be fitted to 1 measured values");
  EXPECT_EQ(error_of(good, {}), "error: nothing to fit: name numbers of the model file, joints.elbow.stiffness");
}

TEST(ParametricModel, WritesNumbersInTheirUnitsAndKeepsComments) {
  const ParametricModel file(
      "lithe = 1 # format\na = {\"\u00fc\" = 1, b = '70 GPa', c = [1, 2e3]} # \u00fc\n[[d]]\nname = \"x\"\n"
      "e = 5# five\n",
      "m.toml", {});
  EXPECT_EQ(file.text_with({{"a.b", 65.5e9}, {"a.c[1]", 2100.25}, {"d.x.e", -1e-7}}),
            "lithe = 1 # format\na = {\"\u00fc\" = 1, b = '65.5 GPa', c = [1, 2100.25]} # \u00fc\n[[d]]\nname = \"x\"\n"
            "e = -1e-7# five\n");
  EXPECT_EQ(file.number("a.b"), 70e9);
  EXPECT_THROW(file.number("a.\"\u00fc\".x"), InputError);
}

}  // namespace
}  // namespace lithe
