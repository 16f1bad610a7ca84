#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/external_process.h"

namespace lithe {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int patience_at_end = 20;                           // ms, for what a program sends too much
constexpr std::size_t longest_answer = std::size_t{1} << 20;  // bytes

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void append_number(std::string& line, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  if (!line.empty()) line += ' ';
  line += text;
}

// Little-endian, whatever this machine is.
template <class T>
void append_bytes(std::string& bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if constexpr (std::endian::native == std::endian::big) std::reverse(raw, raw + sizeof(T));
  bytes.append(raw, sizeof(T));
}
double number_at(const std::string& bytes, std::size_t index) {
  char raw[sizeof(double)];
  std::memcpy(raw, bytes.data() + index * sizeof(double), sizeof(double));
  if constexpr (std::endian::native == std::endian::big) std::reverse(raw, raw + sizeof(double));
  double value = 0;
  std::memcpy(&value, raw, sizeof(double));
  return value;
}

}  // namespace

ExternalController::ExternalController(ExternalOptions options) : options_(std::move(options)) {
  if (options_.command.empty() && !listens()) throw InputError("external controller: no command and no address given");
}

ExternalController::~ExternalController() { close(); }

// Without an address a socket pair rather than two pipes: writing to a process that has ended then gives an error
// instead of a signal.
void ExternalController::launch() {
  if (listens()) {
    if (!options_.command.empty()) run_program(-1);
    if (failure_.empty()) connect();
    return;
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    fail(cat("cannot open a channel: ", std::strerror(errno)));
    return;
  }
  run_program(ends[1]);
  ::close(ends[1]);
  socket_ = ends[0];
}

// `channel`: its standard input and output; -1: our own.
void ExternalController::run_program(int channel) {
  std::vector<char*> arguments;
  for (std::string& word : options_.command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    if (channel >= 0) {
      dup2(channel, STDIN_FILENO);
      dup2(channel, STDOUT_FILENO);
    }
    execvp(arguments[0], arguments.data());
    _exit(127);  // found by how_it_ended()
  }
  if (process_ < 0) fail(cat("cannot start a process: ", std::strerror(errno)));
}

// Tries until the program listens, or the time is over.
void ExternalController::connect() {
  sockaddr_un by_path{};
  sockaddr_in by_port{};
  by_path.sun_family = AF_UNIX;
  options_.socket_path.copy(by_path.sun_path, sizeof by_path.sun_path - 1);
  by_port.sin_family = AF_INET;
  by_port.sin_port = htons(static_cast<std::uint16_t>(options_.port));
  by_port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool tcp = options_.port > 0;
  const auto* address = tcp ? reinterpret_cast<const sockaddr*>(&by_port) : reinterpret_cast<const sockaddr*>(&by_path);
  const socklen_t size = tcp ? sizeof by_port : sizeof by_path;
  const Clock::time_point begin = Clock::now();
  do {
    socket_ = ::socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ >= 0 && ::connect(socket_, address, size) == 0) {
      const int now = 1;  // small packets at once
      if (tcp) setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
      return;
    }
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
    usleep(5000);
  } while (seconds_since(begin) < options_.timeout);
  const std::string where = tcp ? cat("127.0.0.1:", options_.port) : cat("unix:", options_.socket_path);
  fail(cat("nobody listens at ", where, " within ", options_.timeout, " s"));
}

// The process sees the end of its input; one that does not end by itself is ended.
void ExternalController::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  if (process_ <= 0) return;
  for (int i = 0; i < 100; ++i) {
    if (waitpid(process_, nullptr, WNOHANG) != 0) {
      process_ = -1;
      return;
    }
    usleep(2000);
  }
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::string ExternalController::how_it_ended() {
  int status = 0;
  for (int i = 0; i < 50 && process_ > 0; ++i) {
    const int answer = waitpid(process_, &status, WNOHANG);
    if (answer == process_) {
      process_ = -1;
      if (WIFSIGNALED(status)) return cat("the process was ended by signal ", WTERMSIG(status));
      if (WEXITSTATUS(status) == 127) return cat("the program '", options_.command.front(), "' cannot be started");
      return cat("the process ended with exit code ", WEXITSTATUS(status));
    }
    usleep(2000);
  }
  return process_ > 0 ? "the process closed its output" : "the program closed the connection";
}

void ExternalController::fail(const std::string& why) {
  if (failure_.empty()) failure_ = why;
}

bool ExternalController::send(const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      fail(how_it_ended());
      return false;
    }
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

// `left`: s. False: there is nothing more, and failure_ says why.
bool ExternalController::wait_for_more(double left) {
  pollfd waiting{socket_, POLLIN, 0};
  constexpr double longest = 1e6;  // s at once
  const int ready = left > 0 ? poll(&waiting, 1, static_cast<int>(std::ceil(1000 * std::min(left, longest)))) : 0;
  if (ready < 0 && errno == EINTR) return true;
  if (ready <= 0) {
    fail(cat("no answer within ", options_.timeout, " s"));
    return false;
  }
  char buffer[4096];
  const ssize_t n = recv(socket_, buffer, sizeof buffer, 0);
  if (n <= 0) {
    fail(how_it_ended());
    return false;
  }
  received_.append(buffer, static_cast<std::size_t>(n));
  if (received_.size() > longest_answer) fail(cat("an answer of more than ", longest_answer >> 20, " MB"));
  return failure_.empty();
}

// Whether nothing waits before a question is sent: what came without a question would be taken for its answer, and
// every later answer for that of the sample before.
bool ExternalController::is_quiet() {
  pollfd waiting{socket_, POLLIN, 0};
  char byte = 0;
  const bool more = poll(&waiting, 1, 0) > 0 && recv(socket_, &byte, 1, MSG_PEEK) > 0;
  if (received_.empty() && !more) return true;
  fail(options_.binary ? cat("more than the ", sizeof(double) * options_.num_outputs, " bytes of an answer arrived")
                       : std::string("more than one line arrived for one sample"));
  return false;
}

bool ExternalController::receive_line(std::string& line) {
  const Clock::time_point begin = Clock::now();
  for (;;) {
    if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
      line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return true;
    }
    if (!wait_for_more(options_.timeout - seconds_since(begin))) return false;
  }
}

bool ExternalController::receive_bytes(std::size_t count, std::string& bytes) {
  const Clock::time_point begin = Clock::now();
  while (received_.size() < count)
    if (!wait_for_more(options_.timeout - seconds_since(begin))) return false;
  bytes = received_.substr(0, count);
  received_.erase(0, count);
  return true;
}

void ExternalController::start(double, std::span<const double> measurements, std::span<const SignalValue> references) {
  close();
  failure_.clear();
  received_.clear();
  margin_ = {};
  launch();
  if (failure_.empty()) greet(measurements.size(), references.size());
}

void ExternalController::greet(std::size_t num_measurements, std::size_t num_references) {
  if (options_.binary) {
    std::string bytes = "LTH1";
    for (const std::size_t count : {num_measurements, num_references, options_.num_outputs})
      append_bytes(bytes, static_cast<std::uint32_t>(count));
    append_bytes(bytes, options_.sample_time);
    send(bytes);
    return;
  }
  std::string step;
  append_number(step, options_.sample_time);
  send(cat("lithe 1 ", num_measurements, " ", num_references, " ", step, "\n"));
}

void ExternalController::update(double time, std::span<const double> measurements,
                                std::span<const SignalValue> references, std::span<double> outputs) {
  if (!failure_.empty() || !is_quiet()) return;
  const Clock::time_point begin = Clock::now();
  const bool answered = options_.binary ? ask_binary(time, measurements, references, outputs)
                                        : ask_text(time, measurements, references, outputs);
  if (!answered) return;
  const double took = seconds_since(begin);
  margin_.mean += (took - margin_.mean) / static_cast<double>(++margin_.samples);
  margin_.longest = std::max(margin_.longest, took);
  if (took > options_.sample_time) ++margin_.late;
}

bool ExternalController::ask_text(double time, std::span<const double> measurements,
                                  std::span<const SignalValue> references, std::span<double> outputs) {
  std::string line, answer;
  append_number(line, time);
  for (const double value : measurements) append_number(line, value);
  for (const SignalValue& r : references)
    for (const double value : {r.value, r.rate, r.acceleration}) append_number(line, value);
  if (!send(line + "\n") || !receive_line(answer)) return false;
  const char* at = answer.c_str();
  for (double& output : outputs) {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end == at || !std::isfinite(value)) {
      fail(cat("expected ", outputs.size(), " numbers in the answer, got \"", answer.substr(0, 60), "\""));
      return false;
    }
    output = value;
    at = end;
  }
  if (answer.find_first_not_of(" \t\r", static_cast<std::size_t>(at - answer.c_str())) == std::string::npos)
    return true;
  fail(cat("expected ", outputs.size(), " numbers in the answer, got \"", answer.substr(0, 60), "\""));
  return false;
}

bool ExternalController::ask_binary(double time, std::span<const double> measurements,
                                    std::span<const SignalValue> references, std::span<double> outputs) {
  std::string bytes, answer;
  append_bytes(bytes, time);
  for (const double value : measurements) append_bytes(bytes, value);
  for (const SignalValue& r : references)
    for (const double value : {r.value, r.rate, r.acceleration}) append_bytes(bytes, value);
  if (!send(bytes) || !receive_bytes(sizeof(double) * outputs.size(), answer)) return false;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double value = number_at(answer, i);
    if (!std::isfinite(value)) {
      fail(cat("output ", i + 1, " of the answer is not a finite number"));
      return false;
    }
    outputs[i] = value;
  }
  return true;
}

std::string ExternalController::no_restart() const {
  return "a program keeps its own memory, so that a run with it cannot be restarted from a checkpoint";
}

std::unique_ptr<Controller> make_external_controller(const ControllerSetup& setup) {
  return std::make_unique<ExternalController>(ExternalOptions{.command = setup.external.command,
                                                              .sample_time = setup.sample_time,
                                                              .timeout = setup.external.timeout,
                                                              .binary = setup.external.binary,
                                                              .socket_path = setup.external.socket_path,
                                                              .port = setup.external.port,
                                                              .num_outputs = setup.actuators.size()});
}

std::string ExternalController::note() const {
  if (margin_.samples == 0) return {};
  pollfd waiting{socket_, POLLIN, 0};
  char byte = 0;
  const bool more = !received_.empty() ||
                    (socket_ >= 0 && poll(&waiting, 1, patience_at_end) > 0 && recv(socket_, &byte, 1, MSG_PEEK) > 0);
  const std::string late =
      more ? "it sent more than it was asked for, so answers may be those of earlier samples; " : "";
  return cat(late, "answers took ", 1e6 * margin_.mean, " us on average and ", 1e6 * margin_.longest, " us at most of ",
             1e6 * options_.sample_time, " us per sample; ", margin_.late, " of ", margin_.samples, " were late");
}

}  // namespace lithe
