#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/external_process.h"

namespace lithe {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void append_number(std::string& line, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  if (!line.empty()) line += ' ';
  line += text;
}

}  // namespace

ExternalController::ExternalController(ExternalOptions options) : options_(std::move(options)) {
  if (options_.command.empty()) throw InputError("external controller: no command given");
}

ExternalController::~ExternalController() { close(); }

// A socket pair rather than two pipes: writing to a process that has ended then gives an error instead of a signal.
void ExternalController::launch() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    fail(cat("cannot open a channel: ", std::strerror(errno)));
    return;
  }
  std::vector<char*> arguments;
  for (std::string& word : options_.command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    dup2(ends[1], STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);  // found by how_it_ended()
  }
  ::close(ends[1]);
  socket_ = ends[0];
  if (process_ < 0) fail(cat("cannot start a process: ", std::strerror(errno)));
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
  return "the process closed its output";
}

void ExternalController::fail(const std::string& why) {
  if (failure_.empty()) failure_ = why;
}

bool ExternalController::send(const std::string& line) {
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t n = ::send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      fail(how_it_ended());
      return false;
    }
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

bool ExternalController::receive(std::string& line) {
  const Clock::time_point begin = Clock::now();
  for (;;) {
    if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
      line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return true;
    }
    const double left = options_.timeout - seconds_since(begin);
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = left > 0 ? poll(&waiting, 1, static_cast<int>(std::ceil(1000 * left))) : 0;
    if (ready < 0 && errno == EINTR) continue;
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
  }
}

void ExternalController::start(double, std::span<const double> measurements, std::span<const SignalValue> references) {
  close();
  failure_.clear();
  received_.clear();
  margin_ = {};
  launch();
  if (!failure_.empty()) return;
  std::string line = cat("lithe 1 ", measurements.size(), " ", references.size(), " ");
  std::string step;
  append_number(step, options_.sample_time);
  send(line + step + "\n");
}

void ExternalController::update(double time, std::span<const double> measurements,
                                std::span<const SignalValue> references, std::span<double> outputs) {
  if (!failure_.empty()) return;
  std::string line;
  append_number(line, time);
  for (const double value : measurements) append_number(line, value);
  for (const SignalValue& r : references)
    for (const double value : {r.value, r.rate, r.acceleration}) append_number(line, value);
  const Clock::time_point begin = Clock::now();
  std::string answer;
  if (!send(line + "\n") || !receive(answer)) return;
  const double took = seconds_since(begin);
  margin_.mean += (took - margin_.mean) / static_cast<double>(++margin_.samples);
  margin_.longest = std::max(margin_.longest, took);
  if (took > options_.sample_time) ++margin_.late;
  const char* at = answer.c_str();
  for (double& output : outputs) {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end == at || !std::isfinite(value)) {
      fail(cat("expected ", outputs.size(), " numbers in the answer, got \"", answer.substr(0, 60), "\""));
      return;
    }
    output = value;
    at = end;
  }
}

std::unique_ptr<Controller> make_external_controller(const ControllerSetup& setup) {
  return std::make_unique<ExternalController>(ExternalOptions{
      .command = setup.external.command, .sample_time = setup.sample_time, .timeout = setup.external.timeout});
}

std::string ExternalController::remark() const {
  if (margin_.samples == 0) return {};
  return cat("answers took ", 1e6 * margin_.mean, " us on average and ", 1e6 * margin_.longest, " us at most of ",
             1e6 * options_.sample_time, " us per sample; ", margin_.late, " of ", margin_.samples, " were late");
}

}  // namespace lithe
