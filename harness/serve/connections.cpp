#include "serve/connections.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <charconv>
#include <condition_variable>
#include <filesystem>

namespace kata::serve {
namespace {

int port_of(const sockaddr_in& address) {
  return address.sin_family == AF_INET ? ntohs(address.sin_port) : 0;
}

/// The client's port if the descriptor is a connection to ours; else 0.
int client_port(int descriptor, int port) {
  sockaddr_in own{}, client{};
  socklen_t own_size = sizeof own, client_size = sizeof client;
  const bool connected =
      getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &own_size) == 0 &&
      getpeername(descriptor, reinterpret_cast<sockaddr*>(&client), &client_size) == 0;
  return connected && port_of(own) == port ? port_of(client) : 0;
}

/// Descriptors of connections to that port, by the client's port.
std::map<int, int> open_connections(int port) {
  std::map<int, int> found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", failed)) {
    const std::string name = entry.path().filename();
    int descriptor = -1;
    std::from_chars(name.data(), name.data() + name.size(), descriptor);
    if (const int client = client_port(descriptor, port)) found[client] = descriptor;
  }
  return found;
}

}  // namespace

void Connections::watch(int port) {
  watcher_ = std::jthread([this, port](const std::stop_token& stop) {
    std::condition_variable_any never;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      end_late_ones(port);
      never.wait_for(lock, stop, patience_ / 4, [] { return false; });
    }
  });
}

void Connections::end_late_ones(int port) {
  const std::map<int, int> open = open_connections(port);
  const std::lock_guard lock(mutex_);
  std::erase_if(seen_, [&](const auto& one) { return !open.contains(one.first); });
  for (const auto& [client, descriptor] : open) {
    const Seen& seen = seen_[client];
    if (!seen.ours && Clock::now() - seen.since > patience_) shutdown(descriptor, SHUT_RDWR);
  }
}

void Connections::received(int client) {
  const std::lock_guard lock(mutex_);
  seen_[client] = {.ours = true};
}

void Connections::answered(int client) {
  const std::lock_guard lock(mutex_);
  seen_[client] = {};
}

}  // namespace kata::serve
