// kata serve: a page on this machine.
#include "serve/serve.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/backend.h"
#include "cli/candidate.h"
#include "cli/commands.h"
#include "practice/interview/interview.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/process.h"

namespace kata::cli {
namespace {

using Json = nlohmann::json;

struct ServeOptions {
  std::string name;
  std::optional<std::uint64_t> port;
  std::string host;
  bool no_open = false;
};

constexpr int usual_port = 8323;

/// Port and token stay the same, so that open pages find a server that is started again.
struct Kept {
  int port = usual_port;
  std::string token;
};

std::filesystem::path kept_file() {
  return state_folder() / "serve" / "address.json";
}

Kept read_kept() {
  const Json json = Json::parse(read_file(kept_file()).value_or(""), nullptr, false);
  const bool valid = json.is_object() && json.value("port", Json()).is_number_integer() &&
                     json.value("token", Json()).is_string();
  if (!valid) return {.token = serve::make_token()};
  return {.port = json["port"], .token = json["token"]};
}

/// A folder that only the person may look into.
std::error_code make_folder() {
  std::error_code failed;
  const std::filesystem::path folder = kept_file().parent_path();
  std::filesystem::create_directories(folder, failed);
  if (!failed) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  return failed;
}

void keep(const Kept& kept, const std::error_code& no_folder) {
  const std::string reason =
      no_folder
          ? no_folder.message()
          : write_file(kept_file(), Json{{"port", kept.port}, {"token", kept.token}}.dump() + "\n");
  if (!reason.empty()) warn("the address will be another one at the next start: " + reason);
}

/// The port that was asked for, else the last one, else any.
Result<std::unique_ptr<serve::Server>> start(const ServeOptions& options,
                                             serve::Settings settings) {
  if (options.port) {
    settings.port = static_cast<int>(*options.port);
    return serve::Server::start(settings);
  }
  auto server = serve::Server::start(settings);
  if (server || settings.port == 0) return server;
  settings.port = 0;
  auto other = serve::Server::start(settings);
  return other ? std::move(other) : std::move(server);
}

/// By its name; of a file, the name of the file or of its folder.
Result<const Problem*> operator_of(const std::string& what) {
  if (!what.ends_with(".cu")) return find_operator(what);
  const std::filesystem::path file = std::filesystem::absolute(what);
  for (const auto& name : {file.stem(), file.parent_path().filename()}) {
    if (const Problem* const found = find_problem(name.string())) return found;
  }
  return Error{fmt::format("{} names no operator: give the operator's name", what)};
}

/// By way of a file that only the person may read: everybody on a machine can see the arguments of
/// a program. In a session of its own, since the browser may be the program that we start.
void open_browser(const std::string& address) {
  const std::filesystem::path way = kept_file().parent_path() / "open.html";
  const std::string text = fmt::format(
      "<!DOCTYPE html>\n<title>kata</title>\n<meta http-equiv=\"refresh\" content=\"0; url={}\">\n",
      address);
  if (find_program("xdg-open").empty() || !write_file(way, text).empty()) return;
  run({.arguments = {"sh", "-c", "setsid -f xdg-open \"$1\" >/dev/null 2>&1", "sh", way.string()}});
}

void show(const Kept& kept, const std::string& path, const char* words, bool no_open) {
  const std::string address =
      fmt::format("http://127.0.0.1:{}{}?token={}", kept.port, path, kept.token);
  fmt::print("{}\n  {}\n", words, address);
  std::fflush(stdout);
  if (!no_open) open_browser(address);
}

int serve_page(const ServeOptions& options, Session& session) {
  if (!options.host.empty() && options.host != "127.0.0.1" && options.host != "localhost") {
    return fail(
        {fmt::format("the page is for this machine: it is at 127.0.0.1 only, not at {}. "
                     "From another machine: ssh -L {}:127.0.0.1:{} <this machine>",
                     options.host, usual_port, usual_port)});
  }
  std::string path = "/";
  if (!options.name.empty()) {
    const Result<const Problem*> problem = operator_of(options.name);
    if (!problem) return fail(problem.error());
    path = fmt::format("/exercises/{}/index.html", (*problem)->name);
  }
  const std::error_code no_folder = make_folder();
  const SessionLock lock("serve");
  if (!lock.ours() && !options.port) {
    show(read_kept(), path, "The page is there already:", options.no_open);
    return 0;
  }
  const Result<Backend> backend = choose_backend(session.config.backend);
  if (!backend) return fail(backend.error());
  Kept kept = read_kept();
  auto server = start(options, {.port = kept.port,
                                .token = kept.token,
                                .backend = *backend,
                                .with_emulator = wants_both(session.config.backend, {}),
                                .chip = session.config.chip,
                                .keys = session.config.page_keys});
  if (!server) return fail(server.error());
  kept.port = (*server)->port();
  if (lock.ours()) keep(kept, no_folder);
  show(kept, path, "The page is at", options.no_open);
  fmt::print("Ctrl-C ends it.\n");
  std::fflush(stdout);
  session.says_how_it_ended = true;
  while (!interrupted()) wait_for_input({}, -1);
  return 0;
}

}  // namespace

void add_serve(CLI::App& app, Session& session) {
  static ServeOptions options;
  Command(app, "serve", "Practise in a browser: a page on this machine")
      .optional_operand("operator", options.name, "Open at this exercise, or at that of a file")
      .number("--port", options.port, "The port; else the one of the last start", {.most = 65535})
      .option("--host", "ADDRESS", options.host, "127.0.0.1, which is the only one")
      .flag("--no-open", options.no_open, "Print the address, and open no browser")
      .does([&session] { session.status = serve_page(options, session); });
}

}  // namespace kata::cli
