#pragma once
// A conversation with kata on another machine: ssh, Slurm, or both.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "support/result.h"

namespace kata {

/// A machine or cluster that the person has added, under the name that --on takes.
struct Place {
  std::string name;
  Remote remote;
};

/// An Error that lists the names there are.
Result<Place> find_place(const Config& config, const std::string& name);

/// "me@lab", "Slurm through me@lab" or "Slurm on this machine"
std::string describe(const Place& place);

/// Where kata is there, as a shell there reads it.
std::string folder_there(const Place& place);

/// The command that runs a shell script at the place, with its standard input and output.
std::vector<std::string> shell_command(const Place& place, const std::string& script);

/// The script that starts `kata serve-jobs` there; under srun if the place says so and `queued`.
std::string serve_script(const Place& place, bool queued);

struct Dialogue {
  std::string script;  ///< what runs there, as serve_script() has it
  std::string job;     ///< a line: sent as soon as the other kata is known to be the same
  std::function<void(const std::string& what)> progress = {};
  /// Called with each answer, a line of JSON.
  std::function<void(const std::string& line)> on_answer = {};
};

/// Returns when the other side has ended. It ends by itself when this process or the connection
/// does. An Error says why there was no conversation, or why it broke off.
std::optional<Error> converse(const Place& place, const Dialogue& dialogue);

/// What ended a conversation.
struct Ending {
  int exit_status = 0;
  bool greeted = false;   ///< the other kata has answered at all
  std::string said = {};  ///< standard error: ssh's, srun's and the shell's own words
};

/// One line that says what is wrong and what to do.
Error explain(const Place& place, const Ending& ending);

}  // namespace kata
