// Files of one directory over HTTP, to this machine alone.
#pragma once

#include <filesystem>
#include <string>

namespace lithe::app {

class LocalServer {
 public:
  // Listens on 127.0.0.1; port 0: any free one. Throws InputError when the port is taken.
  LocalServer(std::filesystem::path directory, int port);
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  int port() const { return port_; }
  // Waits for a request for so many seconds and answers it.
  void answer_one(double seconds);

 private:
  void answer(int connection) const;

  std::filesystem::path directory_;
  int socket_ = -1;
  int port_ = 0;
};

// The file that a request may have: a plain name in the directory, no hidden one, no path. Empty: none.
std::filesystem::path requested_file(const std::filesystem::path& directory, const std::string& request);

}  // namespace lithe::app
