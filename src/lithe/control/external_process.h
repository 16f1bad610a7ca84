// A controller that runs as a process of its own: over its standard input and output, a Unix socket or a port of this
// machine, in lines of text or in numbers as they are in memory, one question and one answer per sample.
// docs/control.md has the protocol.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lithe/control/controller.h"
#include "lithe/model/control_setup.h"

namespace lithe {

struct ExternalOptions {
  std::vector<std::string>
      command{};  // program and arguments, found as a shell would find them; empty: it runs already
  double sample_time = 1e-3;
  double timeout = 1;         // s of real time that an answer, or a connection, may take
  bool binary = false;        // numbers instead of text
  std::string socket_path{};  // Unix socket where it listens
  int port = 0;               // of 127.0.0.1 where it listens
  std::size_t num_outputs = 1;
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
  std::string note() const override;
  std::string no_restart() const override;
  const RealTimeMargin& margin() const { return margin_; }

 private:
  bool listens() const { return options_.port > 0 || !options_.socket_path.empty(); }
  void launch();
  void run_program(int channel);
  void connect();
  void close();
  void greet(std::size_t num_measurements, std::size_t num_references);
  bool send(const std::string& bytes);
  bool wait_for_more(double until);
  bool is_quiet();
  bool receive_line(std::string& line);
  bool receive_bytes(std::size_t count, std::string& bytes);
  bool ask_text(double time, std::span<const double> measurements, std::span<const SignalValue> references,
                std::span<double> outputs);
  bool ask_binary(double time, std::span<const double> measurements, std::span<const SignalValue> references,
                  std::span<double> outputs);
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
