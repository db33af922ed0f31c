#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "practice/drill/bug.h"
#include "practice/exercise/reset.h"
#include "practice/sealed.h"
#include "report/json.h"
#include "serve/checks.h"
#include "serve/drill_room.h"
#include "serve/edited_file.h"
#include "serve/http_server.h"
#include "serve/interview_room.h"
#include "serve/pages.h"
#include "serve/presence.h"
#include "serve/serve.h"
#include "support/diff.h"
#include "support/files.h"
#include "support/paths.h"

namespace kata::serve {
namespace {

using Json = nlohmann::json;

constexpr int see_other = 303;  // the browser asks for the page again, and not for the change

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

Json file_json(const FileText& file) {
  return {{"text", file.text}, {"version", file.version}};
}

/// Unless the page has that version.
void send_text(const std::filesystem::path& path, const Request& request, Response& response) {
  const Result<FileText> file = read_text(path);
  if (!file) return refuse(response, 404, file.error().message);
  const bool same = file->version == request.get_param_value("version");
  answer(response, same ? Json{{"version", file->version}} : file_json(*file));
}

void take_text(const std::filesystem::path& path, const Request& request, Response& response) {
  const Json sent = Json::parse(request.body);
  const Result<Saved> saved = save_text(path, sent.at("text"), sent.at("base"));
  if (!saved) return refuse(response, 500, saved.error().message);
  response.status = saved->conflict ? 409 : 200;
  answer(response, file_json(saved->now));
}

std::size_t number_in(const Request& request, const char* name) {
  return std::stoul(request.get_param_value(name));
}

/// Counts as an open page until the browser ends the connection. After a while the answer ends, and
/// the page asks again at once: Connections would end it.
void hold_open(Response& response, Presence& presence) {
  static constexpr auto step = std::chrono::milliseconds(250);
  constexpr int most_steps = 120;
  response.set_chunked_content_provider(
      "text/event-stream",
      [here = presence.page(), steps = 0](std::size_t, httplib::DataSink& sink) mutable {
        constexpr std::string_view ask_again = "retry: 100\n\n";
        if (steps++ == most_steps) return sink.done(), true;
        if (steps > 1) std::this_thread::sleep_for(step);  // a write tells whether it is gone
        return sink.write(ask_again.data(), ask_again.size());
      });
}

class PageServer : public Server {
 public:
  PageServer(const Settings& settings, Pages pages)
      : settings_(settings),
        pages_(std::move(pages)),
        checks_(settings),
        drills_([this] { return http_.address(); }),
        interview_([this] { return http_.address(); }),
        drill_pages_([this] { drills_.leave(); }),
        interview_pages_([this] { interview_.leave(); }),
        http_([this](const std::string& path) { return pages_.entrance(path); }) {
    add_pages();
    add_quiz();
    add_drill();
    add_interview();
    add_exercise();
    add_files();
    add_checks();
    add_presence();
  }

  std::optional<Error> listen() { return http_.listen(settings_.port, settings_.token); }

  int port() const override { return http_.port(); }

 private:
  void add_pages() {
    const auto home = [this](const Request& request, Response& response) {
      answer(response, pages_.operators(request.get_param_value("track")));
    };
    http_.on_get("/", home);
    http_.on_get("/index.html", home);
    http_.on_get("/favicon.ico", [](const Request&, Response& response) { response.status = 204; });
    http_.on_get("/practice", [this](const Request&, Response& response) {
      answer(response, pages_.practice());
    });
    http_.on_post("/plan", [this](const Request& request, Response& response) {
      const auto failed =
          pages_.keep_plan(request.get_param_value("until"), request.get_param_value("minutes"));
      if (failed) return answer(response, pages_.practice(failed->message));
      response.set_redirect("/practice", see_other);
    });
    http_.on_get("/codemirror/(.+)", [](const Request& request, Response& response) {
      const std::string path = request.matches[1];
      const bool known = std::find(codemirror_files.begin(), codemirror_files.end(), path) !=
                         codemirror_files.end();
      const auto text = known ? read_file(codemirror_folder() / path) : std::nullopt;
      if (!text) return refuse(response, 404, "There is no such page.");
      response.set_content(*text, type_of(path));
      response.headers.erase("Cache-Control");
      response.set_header("Cache-Control", "private, max-age=86400");
    });
  }

  void add_quiz() {
    http_.on_get("/quiz",
                 [this](const Request&, Response& response) { answer(response, pages_.quiz()); });
    http_.on_post("/quiz", [this](const Request& request, Response& response) {
      const auto failed =
          pages_.keep_grade(request.get_param_value("card"), request.get_param_value("grade"));
      if (failed) return refuse(response, 400, failed->message);
      response.set_redirect("/quiz", see_other);
    });
  }

  void add_drill() {
    http_.on_get("/drill", [this](const Request&, Response& response) {
      const Result<Json> shown = drills_.shown();
      answer(response, shown ? pages_.drill(*shown) : shown.error());
    });
    http_.on_get("/drill/end", [this](const Request&, Response& response) {
      if (!drills_.is_over()) return response.set_redirect("/drill", see_other);
      answer(response, pages_.drill(drills_.ended()));
    });
    http_.on_post("/drill/enter", [this](const Request& request, Response& response) {
      const auto here = drill_pages_.at_work();
      drills_.enter(request.get_param_value("kind"), request.get_param_value("operator"),
                    request.has_param("untimed"));
      response.set_redirect("/drill", see_other);
    });
    http_.on_post("/drill/leave", [this](const Request&, Response& response) {
      drills_.leave();
      response.set_redirect("/drill", see_other);
    });
    http_.on_post("/drill/answer", [this](const Request& request, Response& response) {
      const auto here = drill_pages_.at_work();
      drills_.answer(number_in(request, "question"), request.get_param_value("answer"));
      response.set_redirect(drills_.is_over() ? "/drill/end" : "/drill", see_other);
    });
    http_.on_post("/drill/pass", [this](const Request& request, Response& response) {
      drills_.pass(number_in(request, "question"));
      response.set_redirect(drills_.is_over() ? "/drill/end" : "/drill", see_other);
    });
  }

  void add_interview() {
    http_.on_get("/interview", [this](const Request& request, Response& response) {
      const InterviewRoom::Heard heard = interview_.hear(std::string::npos);
      answer(response, pages_.interview(open_interview(), heard.running, heard.text,
                                        request.get_param_value("remark")));
    });
    const auto begun = [](const std::optional<Error>& failed, Response& response) {
      if (failed) return refuse(response, 409, failed->message);
      response.set_redirect("/interview", see_other);
    };
    http_.on_post("/interview/begin", [this, begun](const Request& request, Response& response) {
      begun(interview_.begin({.operator_name = request.get_param_value("operator"),
                              .minutes = request.get_param_value("minutes"),
                              .rounds = request.get_param_value("rounds"),
                              .whiteboard = request.has_param("whiteboard")}),
            response);
    });
    http_.on_post("/interview/resume", [this, begun](const Request&, Response& response) {
      begun(interview_.resume(), response);
    });
    http_.on_post("/interview/end", [this, begun](const Request&, Response& response) {
      auto failed = interview_.resume();
      if (!failed) failed = interview_.say("give up");
      begun(failed, response);
    });
    http_.on_post("/api/interview", [this](const Request& request, Response& response) {
      const auto failed = interview_.say(Json::parse(request.body).at("line"));
      if (failed) return refuse(response, 409, failed->message);
      response.status = 204;
    });
    http_.on_get("/api/interview", [this](const Request& request, Response& response) {
      const std::string seen = request.get_param_value("seen");
      answer(response, interview_json(seen.empty() ? 0 : std::stoul(seen)));
    });
  }

  Json interview_json(std::size_t seen) {
    const InterviewRoom::Heard heard = interview_.hear(seen);
    const std::optional<OpenInterview> open = open_interview();
    Json json = {{"text", heard.text},
                 {"bytes", heard.text.size()},
                 {"running", heard.running},
                 {"phase", "over"},
                 {"left_ms", Json()},
                 {"at_repair", false},
                 {"file", Json()},
                 {"open", open.has_value()},
                 {"whiteboard", false},
                 {"elsewhere", open && !heard.running && SessionLock::is_held("interview")}};
    if (open) {
      using Phase = Interview::Phase;
      const Phase phase = open->state.phase;
      json["phase"] = phase == Phase::questions ? "questions"
                      : phase == Phase::drills  ? "drills"
                                                : "working";
      if (phase != Phase::questions) json["left_ms"] = open->left.count();
      json["file"] = open->bug_in.empty() ? "/api/text/" + open->state.operator_name
                                          : "/api/drill/text/" + open->bug_in;
      json["at_repair"] = open->at_repair;
      json["whiteboard"] = open->state.whiteboard;
    }
    return Json::parse(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  void add_exercise() {
    http_.on_get("/exercises/(\\w+)/(?:index.html)?",
                 for_operator([this](const auto& problem, auto&, auto& response) {
                   answer(response, pages_.exercise(problem));
                 }));
    http_.on_get("/exercises/(\\w+)/beside/(\\w+)",
                 for_operator([this](const auto& problem, auto& request, auto& response) {
                   answer(response, pages_.difference(problem, yours_name, request.matches[2]));
                 }));
    http_.on_get("/exercises/(\\w+)/from/(\\w+)/to/(\\w+)",
                 for_operator([this](const auto& problem, auto& request, auto& response) {
                   answer(response,
                          pages_.difference(problem, request.matches[2], request.matches[3]));
                 }));
    http_.on_get("/exercises/(\\w+)/report",
                 for_operator([this](const auto& problem, auto&, auto& response) {
                   answer(response, pages_.report(problem, settings_.backend));
                 }));
    http_.on_get("/(.+\\.(?:html|css|js|png|svg))",
                 [this](const Request& request, Response& response) {
                   const std::string path = request.matches[1];
                   const auto text = pages_.file(path);
                   if (!text) return refuse(response, 404, "There is no such page.");
                   response.set_content(*text, type_of(path));
                 });
    http_.on_post("/api/hint/(\\w+)",
                  for_operator([this](const auto& problem, auto&, auto& response) {
                    answer(response, pages_.hint(problem.name));
                  }));
    http_.on_post("/api/reset/(\\w+)", for_operator([](const auto& problem, auto&, auto& response) {
                    const auto kept = reset_exercise(problem.name, History::open());
                    if (!kept) return refuse(response, 500, kept.error().message);
                    answer(response, Json{{"kept", *kept ? Json(**kept) : Json()}});
                  }));
  }

  void add_files() {
    http_.on_post("/api/difference", [](const Request& request, Response& response) {
      const Json sent = Json::parse(request.body);
      response.set_content(unified_diff(sent.at("before"), sent.at("after")),
                           "text/plain; charset=utf-8");
    });
    http_.on_get("/api/text/(\\w+)",
                 for_operator([](const auto& problem, auto& request, auto& response) {
                   send_text(exercise(problem.name), request, response);
                 }));
    http_.on_post("/api/text/(\\w+)",
                  for_operator([](const auto& problem, auto& request, auto& response) {
                    take_text(exercise(problem.name), request, response);
                  }));
    http_.on_get("/api/drill/text/(\\w+)",
                 for_operator([](const auto& problem, auto& request, auto& response) {
                   send_text(drill::bug_file(problem.name), request, response);
                 }));
    http_.on_post("/api/drill/text/(\\w+)",
                  for_operator([](const auto& problem, auto& request, auto& response) {
                    const std::filesystem::path file = drill::bug_file(problem.name);
                    if (const auto reason = sealed(file))
                      return refuse(response, 403, reason->message);
                    take_text(file, request, response);
                  }));
  }

  void add_checks() {
    http_.on_post("/api/checks/(\\w+)",
                  for_operator([this](const auto& problem, auto&, auto& response) {
                    const Result<std::int64_t> id = checks_.start(problem);
                    if (!id) return refuse(response, 404, id.error().message);
                    answer(response, Json{{"id", *id}});
                  }));
    http_.on_get("/api/checks/(\\d{1,18})", [this](const Request& request, Response& response) {
      const std::string seen = request.get_param_value("seen");
      const auto state =
          checks_.state(std::stoll(request.matches[1]), seen.empty() ? -1 : std::stoi(seen));
      if (!state) return refuse(response, 404, "The server does not know this check.");
      answer(response, state_json(*state));
    });
  }

  void add_presence() {
    http_.on_get("/api/here/(drill|interview)", [this](const Request& request, Response& response) {
      hold_open(response, request.matches[1] == "drill" ? drill_pages_ : interview_pages_);
    });
  }

  Json state_json(const CheckState& state) const {
    const Report* const shown = state.report         ? &*state.report
                                : state.right_so_far ? &*state.right_so_far
                                                     : nullptr;
    Json json = {{"version", state.version},
                 {"done", state.report.has_value()},
                 {"progress", state.progress},
                 {"findings", shown ? finding_rows(*shown) : finding_rows(state.findings)},
                 {"remark", state.remark}};
    if (!shown) return json;
    const Result<std::string> html = pages_.result(*shown, state.text);
    json["html"] = html ? *html : html.error().message;
    // As text, so that what a candidate printed may be anything.
    if (state.report) json["report"] = to_json_text(*shown);
    return Json::parse(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  Settings settings_;
  Pages pages_;
  Checks checks_;
  DrillRoom drills_;
  InterviewRoom interview_;
  Presence drill_pages_, interview_pages_;
  HttpServer http_;  // the last: no request is under way when the others go
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
  auto server = std::make_unique<PageServer>(settings, std::move(*pages));
  if (const auto failed = server->listen()) return *failed;
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace kata::serve
