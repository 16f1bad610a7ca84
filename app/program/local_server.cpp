#include "app/program/local_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_clients = 64;  // at once

bool send_all(int connection, std::string_view text) {
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t count = send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

std::string content_type(const fs::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".html") return "text/html; charset=utf-8";
  if (ending == ".csv") return "text/csv; charset=utf-8";
  if (ending == ".svg") return "image/svg+xml";
  return "application/octet-stream";
}

std::string heading(const std::string& status, const std::string& type, std::uintmax_t size) {
  return cat("HTTP/1.1 ", status, "\r\nContent-Type: ", type, "\r\nContent-Length: ", size,
             "\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n");
}

// Piece by piece: files of results may be larger than the memory.
void send_file(int connection, std::ifstream& file, std::uintmax_t size) {
  std::string piece(1 << 16, '\0');
  while (size > 0 && file) {
    file.read(piece.data(), static_cast<std::streamsize>(std::min<std::uintmax_t>(piece.size(), size)));
    const auto count = static_cast<std::size_t>(file.gcount());
    if (count == 0 || !send_all(connection, {piece.data(), count})) return;
    size -= count;
  }
}

// "%20" -> " "; nothing where the digits are none.
std::string decoded(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    if (i + 2 >= text.size() || !std::isxdigit(static_cast<unsigned char>(text[i + 1])) ||
        !std::isxdigit(static_cast<unsigned char>(text[i + 2])))
      return "";
    result += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
    i += 2;
  }
  return result;
}

}  // namespace

fs::path requested_file(const fs::path& directory, const std::string& request) {
  std::istringstream line(request.substr(0, request.find('\r')));
  std::string method, target;
  line >> method >> target;
  if ((method != "GET" && method != "HEAD") || target.empty() || target[0] != '/') return {};
  std::string name = decoded(target.substr(1, target.find_first_of("?#") - 1));
  if (target == "/") name = "report.html";
  if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos || name.find('\\') != std::string::npos ||
      name.find('\0') != std::string::npos)
    return {};
  std::error_code error;
  const fs::path path = directory / name;
  return fs::is_regular_file(fs::symlink_status(path, error)) ? path : fs::path();
}

LocalServer::LocalServer(fs::path directory, int port) : directory_(std::move(directory)) {
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t size = sizeof address;
  if (socket_ < 0 || bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(socket_, 8) != 0 ||
      getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const std::string reason = std::strerror(errno);
    if (socket_ >= 0) close(socket_);
    throw InputError(cat("cannot serve on port ", port, ": ", reason));
  }
  port_ = ntohs(address.sin_port);
}

LocalServer::~LocalServer() {
  while (!clients_.empty()) remove(clients_.begin());
  close(socket_);
}

// One that is not done is cut off.
void LocalServer::remove(std::list<Client>::iterator client) {
  if (!client->done) shutdown(client->connection, SHUT_RDWR);
  client->thread.join();
  close(client->connection);
  clients_.erase(client);
}

void LocalServer::answer_one(double seconds) {
  pollfd waiting{socket_, POLLIN, 0};
  if (poll(&waiting, 1, static_cast<int>(1000 * seconds)) <= 0) return;
  const int connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) return;
  for (auto client = clients_.begin(); client != clients_.end();) {
    const auto next = std::next(client);
    if (client->done) remove(client);
    client = next;
  }
  if (clients_.size() >= most_clients) remove(clients_.begin());  // the oldest
  const timeval patience{10, 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  Client& client = clients_.emplace_back();
  client.connection = connection;
  try {
    client.thread = std::thread([this, &client] {
      try {
        answer(client.connection);
      } catch (const std::exception&) {  // no memory for this client: it goes without the rest of its answer
      }
      shutdown(client.connection, SHUT_RDWR);
      client.done = true;
    });
  } catch (const std::system_error&) {  // no thread to be had: this one client goes without an answer
    close(connection);
    clients_.pop_back();
  }
}

void LocalServer::answer(int connection) const {
  std::string request;
  char buffer[4096];
  while (request.find("\r\n\r\n") == std::string::npos && request.size() < 65536) {
    const ssize_t count = recv(connection, buffer, sizeof buffer, 0);
    if (count <= 0) return;
    request.append(buffer, static_cast<std::size_t>(count));
  }
  const bool head = request.rfind("HEAD ", 0) == 0;
  // Pages of other sites must not reach these files under a name of their own.
  std::string lower = request;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool local = lower.find(cat("\r\nhost: 127.0.0.1:", port_, "\r\n")) != std::string::npos ||
                     lower.find(cat("\r\nhost: localhost:", port_, "\r\n")) != std::string::npos;
  const fs::path path = local ? requested_file(directory_, request) : fs::path();
  std::ifstream in(path, std::ios::binary);
  if (path.empty() || !in) {
    const std::string body = "not here\n";
    send_all(connection, heading("404 Not Found", "text/plain", body.size()) + (head ? "" : body));
    return;
  }
  in.seekg(0, std::ios::end);
  const auto size = static_cast<std::uintmax_t>(std::max<std::streamoff>(0, in.tellg()));
  in.seekg(0);
  if (send_all(connection, heading("200 OK", content_type(path), size)) && !head) send_file(connection, in, size);
}

}  // namespace lithe::app
