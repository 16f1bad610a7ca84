#include "app/program/open_browser.h"

#include <sys/wait.h>
#include <unistd.h>

namespace lithe::app {

// Without a shell: names may hold any character.
bool open_in_browser(const std::string& address) {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    execlp("xdg-open", "xdg-open", address.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace lithe::app
