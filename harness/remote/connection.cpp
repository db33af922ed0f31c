#include "remote/connection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "remote/feed.h"
#include "remote/version.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/text.h"

namespace kata {
namespace {

using Json = nlohmann::json;

constexpr int exit_of_ssh = 255;
constexpr int exit_without_kata = 42;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// The last line that holds one of these; empty: none does.
std::string line_with(const std::string& text, const std::vector<std::string>& parts) {
  std::string found;
  for (const std::string& line : lines_of(text)) {
    for (const std::string& part : parts) {
      if (line.find(part) != std::string::npos) found = std::string(trimmed(line));
    }
  }
  return found;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// How to try the login by hand.
std::string by_hand(const Place& place) {
  const std::string& ssh = place.remote.ssh;
  return fmt::format("{} {}", ssh.empty() ? "ssh" : ssh, place.remote.host);
}

/// What a line of srun means to a person who waits; empty: nothing.
std::string queue_news(const std::string& line, const Place& place) {
  if (contains(line, "queued and waiting")) {
    return fmt::format("waiting in the queue of {} ({})", place.name, trimmed(line));
  }
  if (contains(line, "has been allocated")) return "starting on " + place.name;
  return contains(line, "kata: building") ? "building kata on " + place.name : "";
}

/// A package has no sources to build there.
std::string how_to_set_up(const Place& place) {
  if (is_installed()) return "Install the same package there";
  return fmt::format("Build it there: {} remote setup {}", command_name(), place.name);
}

Error other_version(const Place& place, const HarnessVersion& theirs) {
  return {fmt::format("{} has a different version of kata: {} there, {} here. {}", place.name,
                      to_string(theirs), to_string(this_harness()), how_to_set_up(place))};
}

bool differs(const HarnessVersion& one, const HarnessVersion& other) {
  const bool both_known = !one.harness.empty() && !other.harness.empty();
  return one.version != other.version || (both_known && one.harness != other.harness);
}

}  // namespace

Result<Place> find_place(const Config& config, const std::string& name) {
  if (const auto found = config.remotes.find(name); found != config.remotes.end())
    return Place{name, found->second};
  std::vector<std::string> names;
  for (const auto& [known, remote] : config.remotes) names.push_back(known);
  if (names.empty()) {
    return Error{
        fmt::format("no machine is known as {0}. Add it: {1} remote add {0} --host "
                    "USER@HOST",
                    name, command_name())};
  }
  return Error{fmt::format("no machine is known as {}. Known: {}. {} remote add --help", name,
                           fmt::join(names, ", "), command_name())};
}

std::string describe(const Place& place) {
  const Remote& remote = place.remote;
  if (remote.srun.empty()) return remote.host;
  return remote.host.empty() ? "Slurm on this machine" : "Slurm through " + remote.host;
}

std::string folder_there(const Place& place) {
  const Remote& remote = place.remote;
  if (remote.host.empty() && remote.folder.empty()) return shell_word(root().string());
  const std::string folder = remote.folder.empty() ? "~/kata-remote" : remote.folder;
  if (folder.starts_with("~/")) return "\"$HOME\"/" + shell_word(folder.substr(2));
  return shell_word(folder);
}

std::vector<std::string> shell_command(const Place& place, const std::string& script) {
  if (place.remote.host.empty()) return {"sh", "-c", script};
  std::vector<std::string> command = words_of(place.remote.ssh.empty() ? "ssh" : place.remote.ssh);
  command.insert(command.end(), {"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o",
                                 "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3"});
  // The login shell may be another than a POSIX one: it only has to start sh.
  command.insert(command.end(), {place.remote.host, "exec sh -c " + shell_word(script)});
  return command;
}

std::string serve_script(const Place& place, bool queued) {
  const Remote& remote = place.remote;
  const std::string srun =
      queued && !remote.srun.empty() ? " --srun " + shell_word(remote.srun) : "";
  std::string script = remote.before.empty() ? "" : remote.before + "\n";
  // A clone's launcher or a package's program; what is packaged here may be so there.
  script += fmt::format(
      "for kata in {0}/harness/kata {0}/bin/kata{1}; do\n"
      "  if test -x \"$kata\"; then exec \"$kata\" serve-jobs{2}; fi\n"
      "done\n"
      "exit {3}",
      folder_there(place), is_installed() ? " \"$(command -v kata)\"" : "", srun,
      exit_without_kata);
  return script;
}

Error explain(const Place& place, const Ending& ending) {
  const std::string& name = place.name;
  const std::string slurm = line_with(ending.said, {"srun: error", "srun: fatal", "srun: option"});
  if (contains(ending.said, "Permission denied")) {
    return {fmt::format("{} refused the login. Set up a key (ssh-copy-id {}), then try: {}", name,
                        place.remote.host, by_hand(place))};
  }
  if (contains(ending.said, "Host key verification failed")) {
    return {fmt::format("ssh does not trust {} yet. Log in once: {}", name, by_hand(place))};
  }
  if (ending.greeted) {
    return {
        fmt::format("the connection to {} broke{}. Nothing is lost here, and the run there "
                    "ends. Repeat the command",
                    name, slurm.empty() ? "" : " (" + slurm + ")")};
  }
  if (!slurm.empty()) {
    return {fmt::format("Slurm did not run the job: {}. {} remote list shows its options", slurm,
                        command_name())};
  }
  if (ending.exit_status == exit_of_ssh && !place.remote.host.empty()) {
    const std::string why = line_with(ending.said, {"ssh: ", "Connection ", "kex_exchange"});
    return {fmt::format("cannot reach {}{}. Try: {}", name, why.empty() ? "" : ": " + why,
                        by_hand(place)),
            why.empty() ? ending.said : ""};
  }
  if (ending.exit_status == exit_without_kata) {
    return {fmt::format("there is no kata on {}. {}", name, how_to_set_up(place))};
  }
  return {fmt::format("kata did not start on {}. {}", name, how_to_set_up(place)), ending.said};
}

std::optional<Error> converse(const Place& place, const Dialogue& dialogue) {
  const auto say = [&](const std::string& what) {
    if (dialogue.progress) dialogue.progress(what);
  };
  const std::vector<std::string> there = shell_command(place, dialogue.script);
  if (find_program(there[0]).empty()) {
    return Error{fmt::format("there is no {} here: install it (Debian: openssh-client)", there[0])};
  }
  Feed feed;
  Ending ending;
  std::optional<Error> wrong_version;
  const auto on_answer = [&](const std::string& line) {
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) return;  // what a login script prints
    if (ending.greeted) return dialogue.on_answer(line);
    if (!json.contains("kata")) return;
    ending.greeted = true;
    const auto theirs = json.get<HarnessVersion>();
    if (!differs(theirs, this_harness())) return feed.send(dialogue.job);
    wrong_version = other_version(place, theirs);
    feed.end();
  };
  const auto on_error_line = [&](const std::string& line) {
    ending.said += line + "\n";
    if (const std::string news = queue_news(line, place); !news.empty()) say(news);
  };
  say("connecting to " + place.name);
  std::vector<std::string> command{"sh", "-c", "exec \"$@\" >&3", "sh"};
  command.insert(command.end(), there.begin(), there.end());
  const Result<Finished> finished =
      run({.arguments = command,
           .input_descriptor = feed.reader(),
           .on_answer = on_answer,
           .on_error_line = on_error_line,
           .wake_on = [] { return std::vector<int>(); },
           .on_wake = [] { return false; }});  // so that an interrupt asks it to end
  if (!finished) return finished.error();
  if (finished->interrupted) return Error{"interrupted"};
  if (wrong_version) return wrong_version;
  ending.exit_status = finished->exit_status;
  if (ending.greeted && finished->exit_status == 0 && finished->signal == 0) return {};
  return explain(place, ending);
}

}  // namespace kata
