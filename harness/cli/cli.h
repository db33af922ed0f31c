#pragma once
// The command line: the one place that prints, asks and decides the exit status.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kata::cli {

struct Session;
using AddCommand = void (*)(CLI::App& app, Session& session);  ///< cli/commands.h

struct Program {
  std::vector<AddCommand> commands;                  ///< in the order of the help
  std::vector<std::string> other_commands = {};      ///< of kata: a word may be meant for them
  int (*without_command)(const Session&) = nullptr;  ///< null: a command has to be named
};

/// What the process exits with: 0 pass, 1 fail, 2 error, 77 not attempted, 130 Ctrl-C.
int run_command(const Program& program, int argc, char** argv);

}  // namespace kata::cli
