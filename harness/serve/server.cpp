#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "report/json.h"
#include "serve/access.h"
#include "serve/checks.h"
#include "serve/exercise_file.h"
#include "serve/pages.h"
#include "serve/serve.h"
#include "support/files.h"

namespace kata::serve {
namespace {

using Json = nlohmann::json;
using httplib::Request;
using httplib::Response;

constexpr std::size_t most_body = 1 << 20;     // bytes: a candidate is a few thousand
constexpr std::size_t most_connections = 256;  // at once, a thread each; others wait
constexpr int patience_s = 5;                  // with a client that sends or reads nothing

constexpr const char* policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'";

/// What the page may have of CodeMirror; nothing else of the disk can be asked for.
constexpr std::array codemirror_files = {"lib/codemirror.js",
                                         "lib/codemirror.css",
                                         "mode/clike/clike.js",
                                         "keymap/vim.js",
                                         "keymap/emacs.js",
                                         "addon/dialog/dialog.js",
                                         "addon/dialog/dialog.css",
                                         "addon/search/search.js",
                                         "addon/search/searchcursor.js",
                                         "addon/edit/matchbrackets.js",
                                         "addon/edit/closebrackets.js",
                                         "addon/comment/comment.js"};

std::filesystem::path codemirror_folder() {
  const char* const other = std::getenv("KATA_CODEMIRROR");
  return other ? other : "/usr/share/javascript/codemirror";
}

std::string type_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".js") return "text/javascript; charset=utf-8";
  if (extension == ".css") return "text/css; charset=utf-8";
  if (extension == ".png") return "image/png";
  return extension == ".svg" ? "image/svg+xml" : "text/html; charset=utf-8";
}

void refuse(Response& response, int status, const std::string& reason) {
  response.status = status;
  response.set_content(reason + "\n", "text/plain; charset=utf-8");
}

/// A text that is no UTF-8 would come back from the browser as another one.
void answer(Response& response, const Json& json) {
  try {
    response.set_content(json.dump(), "application/json");
  } catch (const Json::type_error&) {
    refuse(response, 415, "The file is not UTF-8: edit it elsewhere.");
  }
}

void answer(Response& response, const Result<std::string>& html) {
  if (!html) return refuse(response, 500, html.error().message);
  response.set_content(*html, "text/html; charset=utf-8");
}

Json file_json(const FileText& file) {
  return {{"text", file.text}, {"version", file.version}};
}

class HttpServer : public Server {
 public:
  HttpServer(const Settings& settings, Pages pages)
      : pages_(std::move(pages)), checks_(settings), access_(0, "") {
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
    server_.set_error_handler([](const Request&, Response& response) {
      if (response.body.empty()) refuse(response, response.status, "There is no such page.");
    });
    server_.set_exception_handler([](const Request&, Response& response, std::exception_ptr) {
      refuse(response, 400, "This request makes no sense here.");
    });
    add_pages();
    add_exercise();
    add_checks();
  }

  ~HttpServer() override {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  std::optional<Error> listen(const Settings& settings) {
    port_ = settings.port;
    const bool bound = port_ == 0 ? (port_ = server_.bind_to_any_port("127.0.0.1")) > 0
                                  : server_.bind_to_port("127.0.0.1", port_);
    if (!bound) return Error{fmt::format("port {} is taken: give another with --port", port_)};
    ::listen(socket_, SOMAXCONN);  // more than the library's 5: a page asks for much at once
    access_ = Access(port_, settings.token);
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
    return {};
  }

  int port() const override { return port_; }

 private:
  using Handled = httplib::Server::HandlerResponse;

  /// Before a body is read and anything is done.
  Handled admit(const Request& request, Response& response) {
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
    response.set_content(pages_.entrance(request.path), "text/html; charset=utf-8");
    return Handled::Handled;
  }

  void add_pages() {
    const auto home = [this](const Request& request, Response& response) {
      answer(response, pages_.operators(request.get_param_value("track")));
    };
    server_.Get("/", home);
    server_.Get("/index.html", home);
    server_.Get("/favicon.ico", [](const Request&, Response& response) { response.status = 204; });
    server_.Get("/practice", [this](const Request&, Response& response) {
      answer(response, pages_.practice());
    });
    server_.Get("/quiz",
                [this](const Request&, Response& response) { answer(response, pages_.quiz()); });
    server_.Post("/quiz", [this](const Request& request, Response& response) {
      const auto failed =
          pages_.keep_grade(request.get_param_value("card"), request.get_param_value("grade"));
      if (failed) return refuse(response, 400, failed->message);
      response.set_redirect("/quiz", 303);
    });
    server_.Get("/codemirror/(.+)", [](const Request& request, Response& response) {
      const std::string path = request.matches[1];
      const bool known = std::find(codemirror_files.begin(), codemirror_files.end(), path) !=
                         codemirror_files.end();
      const auto text = known ? read_file(codemirror_folder() / path) : std::nullopt;
      if (!text) return refuse(response, 404, "There is no such page.");
      response.set_content(*text, type_of(path));
    });
    server_.Get("/exercises/(\\w+)/(?:index.html)?",
                for_operator([this](const auto& problem, auto&, auto& response) {
                  answer(response, pages_.exercise(problem));
                }));
    server_.Get("/exercises/(\\w+)/beside/(\\w+)",
                for_operator([this](const auto& problem, auto& request, auto& response) {
                  answer(response, pages_.difference(problem, request.matches[2]));
                }));
    server_.Get("/(.+\\.(?:html|css|js|png|svg))",
                [this](const Request& request, Response& response) {
                  const std::string path = request.matches[1];
                  const auto text = pages_.file(path);
                  if (!text) return refuse(response, 404, "There is no such page.");
                  response.set_content(*text, type_of(path));
                });
  }

  void add_exercise() {
    server_.Get("/api/text/(\\w+)",
                for_operator([](const auto& problem, auto& request, auto& response) {
                  const Result<FileText> file = read_exercise(problem.name);
                  if (!file) return refuse(response, 404, file.error().message);
                  const bool same = file->version == request.get_param_value("version");
                  answer(response, same ? Json{{"version", file->version}} : file_json(*file));
                }));
    server_.Post(
        "/api/text/(\\w+)", for_operator([](const auto& problem, auto& request, auto& response) {
          const Json sent = Json::parse(request.body);
          const Result<Saved> saved = save_exercise(problem.name, sent.at("text"), sent.at("base"));
          if (!saved) return refuse(response, 500, saved.error().message);
          response.status = saved->conflict ? 409 : 200;
          answer(response, file_json(saved->now));
        }));
    server_.Post("/api/hint/(\\w+)",
                 for_operator([this](const auto& problem, auto&, auto& response) {
                   answer(response, pages_.hint(problem.name));
                 }));
  }

  void add_checks() {
    server_.Post("/api/checks/(\\w+)",
                 for_operator([this](const auto& problem, auto&, auto& response) {
                   const Result<std::int64_t> id = checks_.start(problem);
                   if (!id) return refuse(response, 404, id.error().message);
                   answer(response, Json{{"id", *id}});
                 }));
    server_.Get("/api/checks/(\\d{1,18})", [this](const Request& request, Response& response) {
      const std::string seen = request.get_param_value("seen");
      const auto state =
          checks_.state(std::stoll(request.matches[1]), seen.empty() ? -1 : std::stoi(seen));
      if (!state) return refuse(response, 404, "The server does not know this check.");
      answer(response, state_json(*state));
    });
  }

  Json state_json(const CheckState& state) const {
    const Report* const shown = state.report         ? &*state.report
                                : state.right_so_far ? &*state.right_so_far
                                                     : nullptr;
    Json json = {{"version", state.version},
                 {"done", state.report.has_value()},
                 {"progress", state.progress},
                 {"findings", Json(shown ? shown->findings : state.findings)},
                 {"remark", state.remark}};
    if (!shown) return json;
    const Result<std::string> html = pages_.result(*shown, state.text);
    json["html"] = html ? *html : html.error().message;
    // As text, so that what a candidate printed may be anything.
    if (state.report) json["report"] = to_json_text(*shown);
    return Json::parse(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  using ForOperator = std::function<void(const Problem&, const Request&, Response&)>;

  /// The first match of the path is an operator's name.
  static httplib::Server::Handler for_operator(ForOperator act) {
    return [act = std::move(act)](const Request& request, Response& response) {
      const Problem* const problem = find_problem(request.matches[1]);
      if (!problem) return refuse(response, 404, "There is no such operator.");
      act(*problem, request, response);
    };
  }

  Pages pages_;
  Checks checks_;
  Access access_;
  httplib::Server server_;
  socket_t socket_ = INVALID_SOCKET;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace

std::string make_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", random());
  return token;
}

Result<std::string> find_codemirror() {
  for (const char* const name : codemirror_files) {
    if (!std::filesystem::exists(codemirror_folder() / name)) {
      return Error{fmt::format("CodeMirror's {} is missing in {}: apt-get install libjs-codemirror",
                               name, codemirror_folder().string())};
    }
  }
  return codemirror_folder().string();
}

Result<std::unique_ptr<Server>> Server::start(const Settings& settings) {
  if (const Result<std::string> found = find_codemirror(); !found) return found.error();
  Result<Pages> pages = Pages::read(settings.keys);
  if (!pages) return pages.error();
  auto server = std::make_unique<HttpServer>(settings, std::move(*pages));
  if (const auto failed = server->listen(settings)) return *failed;
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace kata::serve
