#pragma once
// What a command takes, in our own words, so that CLI11 (ten seconds to compile) is included where
// these are implemented and nowhere else.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kata::cli {

/// What a number may be.
struct Limits {
  std::uint64_t least = 0, most = std::numeric_limits<std::uint64_t>::max();
};

/// One command of the program. The values that it fills in must live as long as the program.
class Command {
 public:
  Command(CLI::App& app, const std::string& name, const std::string& help);

  /// Positional; `text` is what the help page calls it.
  Command& operand(const std::string& text, std::string& value, const std::string& help);
  Command& optional_operand(const std::string& text, std::string& value, const std::string& help);

  /// All that remain.
  Command& operands(const std::string& text, std::vector<std::string>& values,
                    const std::string& help);

  /// --name VALUE
  Command& option(const std::string& name, const std::string& type, std::string& value,
                  const std::string& help);
  /// The same, as often as one likes.
  Command& list(const std::string& name, const std::string& type, std::vector<std::string>& values,
                const std::string& help);
  Command& choice(const std::string& name, const std::vector<std::string>& choices,
                  std::string& value, const std::string& help);
  Command& number(const std::string& name, std::optional<std::uint64_t>& value,
                  const std::string& help, Limits limits = {});

  /// --name or --name VALUE; the former gives an empty string.
  Command& option_with_default(const std::string& name, const std::string& type,
                               std::optional<std::string>& value, const std::string& help);
  Command& flag(const std::string& name, bool& value, const std::string& help);
  /// For kata itself: not in the help.
  Command& hidden_flag(const std::string& name, bool& value);
  Command& hidden_option(const std::string& name, std::string& value);
  Command& exclusive(const std::string& one_name, const std::string& other_name);
  Command& hidden();

  /// What it does when it is chosen.
  void does(const std::function<void()>& action);

 private:
  CLI::App& command_;
};

}  // namespace kata::cli
