#pragma once
// HTTP on 127.0.0.1: who may ask, how much, for how long. Routes are added by whoever has pages.

#include <httplib.h>

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <thread>

#include "problems/spec/problem.h"
#include "serve/access.h"
#include "serve/connections.h"
#include "support/result.h"

namespace kata::serve {

using httplib::Request;
using httplib::Response;

/// A status and a reason, as text.
void refuse(Response& response, int status, const std::string& reason);
/// A text that is no UTF-8 would come back from the browser as another one: it is refused.
void answer(Response& response, const nlohmann::json& json);
/// A page, or status 500.
void answer(Response& response, const Result<std::string>& html);
/// The content type of a file of that name.
std::string type_of(const std::string& path);

class HttpServer {
 public:
  using Handler = httplib::Server::Handler;
  using ForOperator = std::function<void(const Problem&, const Request&, Response&)>;

  /// `entrance`: what a browser is shown that brings the token in its address, by the path.
  /// `patience`: with a client that sends its request, or reads the answer, a little at a time.
  explicit HttpServer(std::function<std::string(const std::string& path)> entrance,
                      std::chrono::milliseconds patience = std::chrono::seconds(60));
  /// No request is under way afterwards.
  ~HttpServer();

  /// Patterns are regular expressions of the whole path.
  void on_get(const std::string& pattern, Handler handler);
  void on_post(const std::string& pattern, Handler handler);

  /// Answers from now on. `port` 0: any. An Error if it is taken.
  std::optional<Error> listen(int port, const std::string& token);
  /// Answers no more.
  void stop();
  int port() const { return port_; }
  std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  httplib::Server::HandlerResponse admit(const Request& request, Response& response);

  std::function<std::string(const std::string&)> entrance_;
  Access access_;
  Connections connections_;
  httplib::Server server_;
  socket_t socket_ = INVALID_SOCKET;
  int port_ = 0;
  std::thread thread_;
};

/// The first match of the path is an operator's name.
HttpServer::Handler for_operator(HttpServer::ForOperator act);

}  // namespace kata::serve
