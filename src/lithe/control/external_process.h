// A controller that runs as a process of its own and speaks lines of text over its standard input and output, one pair
// per sample. docs/control.md has the protocol.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lithe/control/controller.h"
#include "lithe/model/control_setup.h"

namespace lithe {

struct ExternalOptions {
  std::vector<std::string> command;  // program and arguments, found as a shell would find them
  double sample_time = 1e-3;
  double timeout = 1;  // s of real time that an answer may take
};

// How long the process takes to answer, against the sample time.
struct RealTimeMargin {
  long samples = 0, late = 0;  // late: longer than the sample time
  double mean = 0, longest = 0;
};

class ExternalController : public Controller {
 public:
  explicit ExternalController(ExternalOptions options);
  ~ExternalController() override;
  ExternalController(const ExternalController&) = delete;
  ExternalController& operator=(const ExternalController&) = delete;

  void start(double time, std::span<const double> measurements, std::span<const SignalValue> references) override;
  void update(double time, std::span<const double> measurements, std::span<const SignalValue> references,
              std::span<double> outputs) override;
  std::string failure() const override { return failure_; }
  std::string remark() const override;
  const RealTimeMargin& margin() const { return margin_; }

 private:
  void launch();
  void close();
  bool send(const std::string& line);
  bool receive(std::string& line);
  void fail(const std::string& why);
  std::string how_it_ended();

  ExternalOptions options_;
  RealTimeMargin margin_;
  int socket_ = -1, process_ = -1;
  std::string received_, failure_;
};

// The controller of an `external` set-up: what make_control_loop() takes.
std::unique_ptr<Controller> make_external_controller(const ControllerSetup& setup);

}  // namespace lithe
