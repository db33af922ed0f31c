#include "remote/setup.h"

#include <fmt/format.h>

#include "support/paths.h"
#include "support/process.h"

namespace kata {
namespace {

constexpr const char* marker = ".kata-remote";
constexpr int exit_not_ours = 3;
constexpr int exit_no_rsync = 4;

/// A folder that somebody works in is never written over.
std::string claim_script(const Place& place) {
  return fmt::format(
      "command -v rsync >/dev/null || exit {2}\n"
      "if [ -e {0} ] && [ ! -e {0}/{1} ]; then exit {3}; fi\n"
      "mkdir -p {0} && : >{0}/{1} && cd {0} && pwd",
      folder_there(place), marker, exit_no_rsync, exit_not_ours);
}

std::string build_script(const Place& place, bool install) {
  const std::string& before = place.remote.before;
  return fmt::format("{}{}exec {}/harness/kata {}--version", before, before.empty() ? "" : "\n",
                     folder_there(place), install ? "--yes " : "");
}

/// As rsync's --rsh takes it: the command without the host and the script.
std::string ssh_of(const Place& place) {
  std::vector<std::string> words = shell_command(place, "");
  words.resize(words.size() - 2);
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Error failed_there(const Place& place, const Finished& finished) {
  if (finished.exit_status == exit_no_rsync) {
    return {fmt::format("{} has no rsync: install it there", place.name)};
  }
  if (finished.exit_status == exit_not_ours) {
    return {
        fmt::format("{} on {} exists, and kata remote setup did not make it. Choose another "
                    "with {} remote add {} --folder FOLDER",
                    folder_there(place), place.name, command_name(), place.name)};
  }
  return explain(place, {.exit_status = finished.exit_status, .said = finished.errors});
}

/// The folder's full path there, or an Error.
Result<std::string> claim(const Place& place) {
  const Result<Finished> finished = run({.arguments = shell_command(place, claim_script(place))});
  if (!finished) return finished.error();
  if (finished->interrupted) return Error{"interrupted"};
  if (finished->exit_status != 0 || finished->signal != 0) return failed_there(place, *finished);
  std::string path = finished->output;
  while (path.ends_with('\n')) path.pop_back();
  return path.substr(path.rfind('\n') + 1);  // below what a login script prints
}

/// Without times: what did not change keeps its own there, and is not built again.
std::optional<Error> copy_tree(const Place& place, const std::string& folder) {
  if (find_program("rsync").empty()) return Error{"there is no rsync here: install it"};
  const Result<Finished> finished =
      run({.arguments = {"rsync", "--recursive", "--links", "--perms", "--checksum", "--delete",
                         "--relative", "--exclude=.git", "--rsh=" + ssh_of(place),
                         "./CMakeLists.txt", "./CMakePresets.json", "./exercises", "./solutions",
                         "./harness", place.remote.host + ":" + folder + "/"},
           .folder = root()});
  if (!finished) return finished.error();
  if (finished->interrupted) return Error{"interrupted"};
  if (finished->exit_status == 0 && finished->signal == 0) return {};
  return Error{fmt::format("rsync could not copy kata to {}; its own words:", place.name),
               finished->errors};
}

}  // namespace

std::optional<Error> set_up(const Place& place, bool install,
                            const std::function<void(const std::string& what)>& progress) {
  if (is_installed()) return {};  // no sources here; the same package has to be there
  if (!place.remote.host.empty()) {
    progress("copying kata to " + place.name);
    const Result<std::string> folder = claim(place);
    if (!folder) return folder.error();
    if (const auto error = copy_tree(place, *folder)) return error;
  }
  progress("building kata on " + place.name + ", which takes a few minutes");
  const Result<Finished> built =
      run({.arguments = shell_command(place, build_script(place, install))});
  if (!built) return built.error();
  if (built->interrupted) return Error{"interrupted"};
  if (built->exit_status == 0 && built->signal == 0) return {};
  return Error{fmt::format("kata could not be built on {}; its own words are above. Packages may "
                           "be missing: {} --yes remote setup {} installs them",
                           place.name, command_name(), place.name),
               built->errors};
}

}  // namespace kata
