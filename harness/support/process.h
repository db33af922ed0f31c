#pragma once
// Child processes: the compilers and the workers.

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/result.h"

namespace kata {

struct ProcessOptions {
  std::vector<std::string> arguments;  ///< the program (looked up in PATH) and its arguments
  std::string input = {};              ///< written to its standard input, which is then closed
  int input_descriptor = -1;           ///< becomes its standard input instead; -1: `input` does
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< added to ours
  std::filesystem::path folder = {};  ///< working folder; empty: ours
  double time_limit_s = 0;            ///< 0: none. Then the whole process group is killed.
  /// The same without an answer for so long, as spent_s() counts it. Asked after each answer;
  /// 0 or not set: no limit.
  std::function<double()> silence_limit_s = {};
  /// For a person's own program: it shares our standard output and error and our process group, so
  /// that the terminal treats it as ours, and has our standard input as descriptor 4. Interrupts go
  /// to it alone, and processes that it started may outlive it.
  bool interactive = false;
  /// Of an interactive child, 0: none. Then it is asked to end: SIGTERM, and SIGKILL if it does
  /// not.
  double processor_limit_s = 0;
  std::size_t output_limit = 1 << 20;  ///< bytes kept of each stream; the rest is read and dropped
  /// If set, the child has descriptor 3 open for writing, and this is called with each line.
  std::function<void(const std::string& line)> on_answer = {};
  /// If set, called with each line of its standard error; Finished::errors then stays empty.
  std::function<void(const std::string& line)> on_error_line = {};
  /// on_wake is called when one of the descriptors that wake_on returns has something to read. If
  /// it returns true, the child is cancelled: SIGTERM, then SIGKILL if it is still running.
  std::function<std::vector<int>()> wake_on = {};
  std::function<bool()> on_wake = {};
};

struct Finished {
  int exit_status = 0;       ///< valid if signal == 0
  int signal = 0;            ///< the signal that ended it
  bool timed_out = false;    ///< one of the limits was over
  bool interrupted = false;  ///< Ctrl-C here, or cancelled: the child was ended
  std::string output = {};   ///< standard output
  std::string errors = {};   ///< standard error
};

/// Runs a program in a process group of its own and waits. When this returns, the whole group has
/// ended. An Error if the program could not be started.
Result<Finished> run(const ProcessOptions& options);

/// Makes SIGINT and SIGTERM end the running child and let run() return; interrupted() then says so.
/// A program that computes meanwhile, and asks interrupted() for 0.1 s no more, is ended with
/// status 2.
void catch_interrupts();
bool interrupted();
/// What a shell says of a program that the signal ended: 130 after Ctrl-C. Of no use before.
int interrupted_status();

/// Waits until one of the descriptors has something to read (or was closed at the other end), the
/// time is over (negative: no limit), or a signal interrupts. Returns those that have something.
std::vector<int> wait_for_input(const std::vector<int>& descriptors, int milliseconds);

/// The full path of a program in PATH, or empty.
std::filesystem::path find_program(const std::string& name);

}  // namespace kata
