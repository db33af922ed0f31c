#pragma once
// What the commands take, read from CLI11's objects: for the man page and for shells.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kata::cli {

/// An option, or an operand, which has one name.
struct OptionDescription {
  std::vector<std::string> names = {};  ///< "-v", "--verbose"
  std::string value;  ///< "FILE", "auto|gpu", "[NAME]" if it may be left out, or empty
  std::string help;
  bool needs_value = false;  ///< of an operand: it cannot be left out
};

struct CommandDescription {
  std::string name, help;
  std::vector<OptionDescription> operands = {}, options = {};
};

struct ProgramDescription {
  std::string help, footer;
  std::vector<OptionDescription> options = {};    ///< that every command takes
  std::vector<CommandDescription> commands = {};  ///< without hidden ones
};

ProgramDescription describe_program(const CLI::App& app);

}  // namespace kata::cli
