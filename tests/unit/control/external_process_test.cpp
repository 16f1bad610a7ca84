#include "lithe/control/external_process.h"

#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"

namespace lithe {
namespace {

ExternalController shell(const char* script, double timeout = 5) {
  return ExternalController({.command = {"sh", "-c", script}, .sample_time = 0.01, .timeout = timeout});
}

struct Answers {
  std::vector<double> outputs;
  std::string failure;
};

// So many samples with one measurement (2, 4, 6 ...) and one reference.
Answers ask(ExternalController& controller, int samples) {
  Answers result;
  std::vector<double> u(1);
  const SignalValue r{0.5, 0, 0};
  for (int k = 0; k < samples && controller.failure().empty(); ++k) {
    const double y = 2.0 * (k + 1);
    if (k == 0) controller.start(0, {&y, 1}, {&r, 1});
    controller.update(0.01 * k, {&y, 1}, {&r, 1}, u);
    if (controller.failure().empty()) result.outputs.push_back(u[0]);
  }
  result.failure = controller.failure();
  return result;
}

TEST(ExternalController, AnswersLineByLineAndItsMarginIsTold) {
  ExternalController controller = shell("read greeting; while read time y rest; do echo $y; done");
  const Answers answers = ask(controller, 5);
  EXPECT_EQ(answers.failure, "");
  EXPECT_EQ(answers.outputs, (std::vector<double>{2, 4, 6, 8, 10}));
  EXPECT_EQ(controller.margin().samples, 5);
  EXPECT_GT(controller.margin().longest, 0);
  EXPECT_NE(controller.note().find("us per sample"), std::string::npos);
}

TEST(ExternalController, GreetsWithTheSizes) {
  ExternalController controller = shell("read a b c d e; while read line; do echo $c; done");
  EXPECT_EQ(ask(controller, 1).outputs, std::vector<double>{1});  // one measurement
}

TEST(ExternalController, AProcessThatEndsIsReportedAndItsAnswersKept) {
  ExternalController controller = shell("read a; read b; echo 0.5; exit 3");
  const Answers answers = ask(controller, 5);
  EXPECT_EQ(answers.outputs, std::vector<double>{0.5});
  EXPECT_EQ(answers.failure, "the process ended with exit code 3");
}

TEST(ExternalController, AProcessThatHangsIsReported) {
  ExternalController controller = shell("read a; read b; sleep 5", 0.05);
  EXPECT_EQ(ask(controller, 2).failure, "no answer within 0.05 s");
}

TEST(ExternalController, NonsenseIsReported) {
  ExternalController controller = shell("read a; while read line; do echo none; done");
  EXPECT_EQ(ask(controller, 2).failure, "expected 1 numbers in the answer, got \"none\"");
  ExternalController missing({.command = {"no-such-program-anywhere"}, .sample_time = 0.01, .timeout = 1});
  EXPECT_EQ(ask(missing, 2).failure, "the program 'no-such-program-anywhere' cannot be started");
  EXPECT_THROW(ExternalController({.command = {}, .sample_time = 0.01, .timeout = 1}), InputError);
}

}  // namespace
}  // namespace lithe
