#include "serve/http_server.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <filesystem>
#include <nlohmann/json.hpp>

namespace kata::serve {
namespace {

constexpr std::size_t most_body = 1 << 20;     // bytes: a candidate is a few thousand
constexpr std::size_t most_connections = 256;  // at once, a thread each; others wait
constexpr int patience_s = 5;                  // with a client that sends or reads nothing

constexpr const char* policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'";

}  // namespace

void refuse(Response& response, int status, const std::string& reason) {
  response.status = status;
  response.set_content(reason + "\n", "text/plain; charset=utf-8");
}

void answer(Response& response, const nlohmann::json& json) {
  try {
    response.set_content(json.dump(), "application/json");
  } catch (const nlohmann::json::type_error&) {
    refuse(response, 415, "The file is not UTF-8: edit it elsewhere.");
  }
}

void answer(Response& response, const Result<std::string>& html) {
  if (!html) return refuse(response, 500, html.error().message);
  response.set_content(*html, "text/html; charset=utf-8");
}

std::string type_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".js") return "text/javascript; charset=utf-8";
  if (extension == ".css") return "text/css; charset=utf-8";
  if (extension == ".png") return "image/png";
  return extension == ".svg" ? "image/svg+xml" : "text/html; charset=utf-8";
}

HttpServer::HttpServer(std::function<std::string(const std::string&)> entrance,
                       std::chrono::milliseconds patience)
    : entrance_(std::move(entrance)), access_(0, ""), connections_(patience) {
  server_.new_task_queue = [] { return new httplib::ThreadPool(most_connections); };
  server_.set_payload_max_length(most_body);
  server_.set_read_timeout(patience_s);
  server_.set_write_timeout(patience_s);
  server_.set_keep_alive_max_count(1000);
  server_.set_tcp_nodelay(true);
  // Not SO_REUSEPORT, with which two servers share a port.
  server_.set_socket_options([this](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    socket_ = socket;
  });
  server_.set_default_headers({{"Content-Security-Policy", policy},
                               {"X-Content-Type-Options", "nosniff"},
                               {"Referrer-Policy", "same-origin"},
                               {"Cross-Origin-Resource-Policy", "same-origin"},
                               {"Cache-Control", "no-store"}});
  server_.set_pre_routing_handler(
      [this](const Request& request, Response& response) { return admit(request, response); });
  server_.set_post_routing_handler(
      [this](const Request& request, Response&) { connections_.answered(request.remote_port); });
  server_.set_error_handler([](const Request&, Response& response) {
    if (response.body.empty()) refuse(response, response.status, "There is no such page.");
  });
  server_.set_exception_handler([](const Request&, Response& response, std::exception_ptr) {
    refuse(response, 400, "This request makes no sense here.");
  });
}

HttpServer::~HttpServer() {
  stop();
}

void HttpServer::stop() {
  server_.stop();
  if (thread_.joinable()) thread_.join();
}

void HttpServer::on_get(const std::string& pattern, Handler handler) {
  server_.Get(pattern,
              [this, handler = std::move(handler)](const Request& request, Response& response) {
                connections_.received(request.remote_port);
                handler(request, response);
              });
}

void HttpServer::on_post(const std::string& pattern, Handler handler) {
  server_.Post(pattern,
               [this, handler = std::move(handler)](const Request& request, Response& response) {
                 connections_.received(request.remote_port);
                 handler(request, response);
               });
}

std::optional<Error> HttpServer::listen(int port, const std::string& token) {
  port_ = port;
  const bool bound = port_ == 0 ? (port_ = server_.bind_to_any_port("127.0.0.1")) > 0
                                : server_.bind_to_port("127.0.0.1", port_);
  if (!bound) return Error{fmt::format("port {} is taken: give another with --port", port_)};
  ::listen(socket_, SOMAXCONN);  // more than the library's 5: a page asks for much at once
  access_ = Access(port_, token);
  connections_.watch(port_);
  thread_ = std::thread([this] { server_.listen_after_bind(); });
  while (!server_.is_running()) std::this_thread::yield();
  return {};
}

/// Before a body is read and anything is done.
httplib::Server::HandlerResponse HttpServer::admit(const Request& request, Response& response) {
  using Handled = httplib::Server::HandlerResponse;
  // Or the library compresses every answer, which takes up to a second. The object is not const.
  const_cast<Request&>(request).headers.erase("Accept-Encoding");
  const Asked asked{.host = request.get_header_value("Host"),
                    .origin = request.get_header_value("Origin"),
                    .cookie = request.get_header_value("Cookie"),
                    .changes = request.method != "GET" && request.method != "HEAD"};
  const bool brings_token = request.has_param("token");
  const auto refusal = brings_token ? access_.refuse(asked, request.get_param_value("token"))
                                    : access_.refuse(asked);
  if (refusal) {
    refuse(response, refusal->status, refusal->reason);
    response.set_header("Connection", "close");  // its body is not read
    return Handled::Handled;
  }
  if (!brings_token) return Handled::Unhandled;
  response.set_header("Set-Cookie", access_.cookie());
  response.set_content(entrance_(request.path), "text/html; charset=utf-8");
  return Handled::Handled;
}

HttpServer::Handler for_operator(HttpServer::ForOperator act) {
  return [act = std::move(act)](const Request& request, Response& response) {
    const Problem* const problem = find_problem(request.matches[1]);
    if (!problem) return refuse(response, 404, "There is no such operator.");
    act(*problem, request, response);
  };
}

}  // namespace kata::serve
