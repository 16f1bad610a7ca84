// Files of one directory over HTTP, to this machine alone.
#pragma once

#include <atomic>
#include <filesystem>
#include <list>
#include <string>
#include <thread>

namespace lithe::app {

class LocalServer {
 public:
  // Listens on 127.0.0.1; port 0: any free one. Throws InputError when the port is taken.
  LocalServer(std::filesystem::path directory, int port);
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  int port() const { return port_; }
  // Waits for a client for so many seconds. It is answered by a thread of its own, so that a slow one holds up nobody.
  void answer_one(double seconds);

 private:
  struct Client {
    int connection = -1;
    std::atomic<bool> done = false;
    std::thread thread;
  };

  void answer(int connection) const;
  void remove(std::list<Client>::iterator client);

  std::filesystem::path directory_;
  std::list<Client> clients_;
  int socket_ = -1;
  int port_ = 0;
};

// The file that a request may have: a plain name in the directory, no hidden one, no path. Empty: none.
std::filesystem::path requested_file(const std::filesystem::path& directory, const std::string& request);

}  // namespace lithe::app
