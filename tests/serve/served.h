#pragma once
// A server that was started as a person starts it, and what other programs can send to it.

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <httplib.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "desk.h"

namespace kata::test {

class Served {
 public:
  explicit Served(const Desk& desk, std::vector<std::string> options = {"--port", "0"}) {
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    process_ = fork();
    if (process_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      for (const auto& [name, value] : desk.environment()) setenv(name.c_str(), value.c_str(), 1);
      std::vector<std::string> words{KATA_BINARY_DIR "/kata", "serve", "--no-open"};
      words.insert(words.end(), options.begin(), options.end());
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      if (chdir((desk.scratch / "tree").c_str()) == 0) execv(arguments[0], arguments.data());
      _exit(127);
    }
    close(ends[1]);
    std::string said;
    for (char c; said.find("ends it") == std::string::npos && read(ends[0], &c, 1) == 1;) said += c;
    close(ends[0]);
    const std::string before = "http://127.0.0.1:";
    REQUIRE_MESSAGE(contains(said, before), said);
    address = said.substr(said.find(before), said.find("\nCtrl-C") - said.find(before));
    port = std::stoi(address.substr(before.size()));
    token = address.substr(address.find("token=") + 6);
  }
  ~Served() { end(SIGKILL); }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  /// Its exit status, or -1 if the signal ended it.
  int end(int signal) {
    if (process_ <= 0) return -1;
    kill(process_, signal);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(port); }

  /// What the page's own requests carry.
  httplib::Headers own() const {
    return {{"Cookie", "kata_" + std::to_string(port) + "=" + token},
            {"Origin", "http://" + host()}};
  }

  httplib::Result get(const std::string& path, const httplib::Headers& headers) const {
    return answer([&](httplib::Client& client) { return client.Get(path, headers); });
  }
  httplib::Result get(const std::string& path) const { return get(path, own()); }
  httplib::Result post(const std::string& path, const std::string& body,
                       const httplib::Headers& headers) const {
    return answer([&](httplib::Client& client) {
      return client.Post(path, headers, body, "application/json");
    });
  }
  httplib::Result post(const std::string& path, const std::string& body) const {
    return post(path, body, own());
  }

  std::string address, token;
  int port = 0;

 private:
  /// On a busy machine a page may take longer than the library's 5 s.
  template <class Ask>
  httplib::Result answer(const Ask& ask) const {
    httplib::Client client("127.0.0.1", port);
    client.set_read_timeout(60);
    httplib::Result result = ask(client);
    REQUIRE_MESSAGE(result, httplib::to_string(result.error()));
    return result;
  }

  pid_t process_ = 0;
};

/// A session as a terminal holds it.
class Held {
 public:
  Held(const Desk& desk, const std::string& kind)
      : file_(open((desk.scratch / ("home/" + kind + ".lock")).c_str(), O_RDWR | O_CLOEXEC)) {
    REQUIRE(flock(file_, LOCK_EX | LOCK_NB) == 0);
  }
  ~Held() { close(file_); }

 private:
  int file_;
};

/// A connection whose bytes the test writes.
class Raw {
 public:
  explicit Raw(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(static_cast<std::uint16_t>(port));
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(connect(socket_, reinterpret_cast<sockaddr*>(&there), sizeof there) == 0);
  }
  Raw(Raw&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  ~Raw() {
    if (socket_ >= 0) close(socket_);
  }

  void send(const std::string& bytes) const {
    [[maybe_unused]] const ssize_t ignored =
        ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  /// The other side has ended the connection.
  bool is_ended() const {
    char byte;
    const ssize_t count = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count == 0 || (count < 0 && errno != EAGAIN);
  }

  std::string line() const {
    std::string all;
    for (char byte; read(socket_, &byte, 1) == 1 && byte != '\n';) all += byte;
    return all;
  }

  /// Up to the end of what the server sends.
  std::string rest() const {
    std::string all;
    char buffer[4096];
    for (ssize_t count; (count = read(socket_, buffer, sizeof buffer)) > 0;)
      all.append(buffer, static_cast<std::size_t>(count));
    return all;
  }

 private:
  int socket_;
};

}  // namespace kata::test
