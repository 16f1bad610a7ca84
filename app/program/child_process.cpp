#include "app/program/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "app/terminal/interrupt.h"

namespace lithe::app {
namespace {

constexpr std::size_t most_text = 65536;

[[noreturn]] void become(const std::vector<std::string>& arguments, int output) {
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  std::vector<char*> words;
  std::string program = "lithe";
  words.push_back(program.data());
  std::vector<std::string> copies = arguments;
  for (std::string& word : copies) words.push_back(word.data());
  words.push_back(nullptr);
  // The archive for any Linux starts the program through its own loader; /proc/self/exe is that loader there.
  const char* const launcher = std::getenv("LITHE_LAUNCHER");
  execv(launcher != nullptr ? launcher : "/proc/self/exe", words.data());
  _exit(127);
}

// What the child writes until it ends.
std::string read_all(int input, pid_t child) {
  std::string text;
  char buffer[4096];
  bool told = false;
  while (true) {
    pollfd waiting{input, POLLIN, 0};
    if (interrupted() && !told) told = kill(child, SIGTERM) == 0;
    if (poll(&waiting, 1, 200) <= 0) continue;
    const ssize_t count = read(input, buffer, sizeof buffer);
    if (count <= 0) return text;
    if (text.size() < most_text) text.append(buffer, static_cast<std::size_t>(count));
  }
}

}  // namespace

ChildResult run_this_program(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child == 0) become(arguments, ends[1]);
  close(ends[1]);
  ChildResult result;
  if (child > 0) {
    result.text = read_all(ends[0], child);
    int status = 0;
    if (waitpid(child, &status, 0) == child)
      result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  close(ends[0]);
  return result;
}

bool has_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && access((folder + "/" + name).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace lithe::app
