#include "cli/cli.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/description.h"
#include "cli/terminal/terminal.h"
#include "config/config.h"
#include "problems/spec/problem.h"
#include "remote/version.h"
#include "report/layout.h"
#include "support/nearest.h"
#include "support/paths.h"
#include "support/process.h"

namespace kata::cli {
namespace {

constexpr const char* footer =
    "\nName an operator, or give the path of any .cu file.\n"
    "Exit status: 0 pass, 1 fail, 2 error, 77 not attempted, 130 Ctrl-C.\n"
    "`kata` alone says what to do next.";

bool has_command(const CLI::App& app, const std::string& name) {
  const auto same = [&](const CLI::App* command) { return command->get_name() == name; };
  return !app.get_subcommands(same).empty();
}

std::vector<std::string> visible_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

/// `kata sofmax` or `kata chekc`: CLI11 would only say that it did not expect that.
Error no_such_command(const CLI::App& app, const std::vector<std::string>& others,
                      const std::string& word) {
  if (find_problem(word)) {
    return {fmt::format("{0} is an operator, not a command. Did you mean: {1} check {0}", word,
                        command_name())};
  }
  std::vector<std::string> names = visible_commands(app);
  names.insert(names.end(), others.begin(), others.end());
  const std::string meant = nearest(word, names);
  const std::string question =
      meant.empty() ? "" : fmt::format(" Did you mean: {} {}?", command_name(), meant);
  return {fmt::format("there is no command {}.{} {} --help lists all commands", word, question,
                      command_name())};
}

/// Removes what follows `--` of `kata run` from the words: these are the program's arguments.
std::vector<std::string> take_program_arguments(std::vector<std::string>& words) {
  const auto separator = std::find(words.begin(), words.end(), "--");
  if (separator == words.end() || std::find(words.begin(), separator, "run") == separator) {
    return {};
  }
  std::vector<std::string> arguments(separator + 1, words.end());
  words.erase(separator, words.end());
  return arguments;
}

/// These work while the config file is wrong: they repair it, show it, or build kata.
bool needs_config(const std::vector<std::string>& words) {
  constexpr std::array without = {"config", "entry-points", "-h", "--help", "--version"};
  return std::none_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(without.begin(), without.end(), word) != without.end();
  });
}

/// The person's settings, if all of them can be used.
std::optional<Error> load_config(const std::vector<std::string>& words, Session& session) {
  Result<Config> config = read_config();
  if (!config) return needs_config(words) ? std::optional(config.error()) : std::nullopt;
  session.config = std::move(*config);
  for (const Setting& one : session.config.unknown) {
    warn(fmt::format("{}:{}: {}", shown(config_file()), one.line, no_such_setting(one.key)));
  }
  choose_color(session.config.color);
  return {};
}

/// `kata complete <words>`, for shells: a line for each, its help behind a tab.
int complete(const ProgramDescription& program, const std::vector<std::string>& words) {
  for (const Completion& one : completions(program, words)) {
    fmt::print("{}\t{}\n", one.word, one.help);
  }
  return 0;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// The first long option that the command does not have: CLI11 may name what follows it, or what is
/// missing, instead. Empty if it has all of them.
std::string unknown_option(const std::vector<std::string>& words,
                           const std::vector<std::string>& known) {
  for (const std::string& word : words) {
    if (word == "--") break;
    const std::string name = word.substr(0, word.find('='));
    if (name.starts_with("--") && std::ranges::find(known, name) == known.end()) return name;
  }
  return "";
}

/// CLI11 lists what is too much backwards.
std::string words_of(const CLI::ParseError& error, const CLI::App& app) {
  const std::vector<std::string> extra = app.remaining(true);
  if (extra.empty() || !dynamic_cast<const CLI::ExtrasError*>(&error)) return error.what();
  return fmt::format("not expected: {}", fmt::join(extra, " "));
}

/// What the command lacks that must be there; empty if that is not the error.
std::string what_is_needed(const CLI::ParseError& error, const CLI::App& app) {
  if (!dynamic_cast<const CLI::RequiredError*>(&error)) return {};
  for (const CLI::App* command : app.get_subcommands()) {
    const auto lacks = [](const CLI::Option* option) {
      return option->get_positional() && option->get_required() && option->count() == 0;
    };
    for (const CLI::Option* option : command->get_options(lacks)) {
      std::string name = option->get_name(true);
      std::ranges::replace(name, '-', ' ');  // operator-or-file
      const bool is_operator = name.starts_with("operator");
      return fmt::format("{0} needs {1} {2}{3} {4} {0} {5}", command->get_name(),
                         is_operator ? "an" : "a", name,
                         is_operator ? ", for example:" : ". Try:", command_name(),
                         is_operator ? "relu" : "--help");
    }
  }
  return {};
}

/// CLI11's exit codes are its own; ours are 0 for help and 2 for every wrong usage.
int after_parse_error(CLI::App& app, const std::vector<std::string>& words,
                      const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);  // prints the help
  const auto chosen = app.get_subcommands();
  const std::string command =
      command_name() + (chosen.empty() ? "" : " " + chosen.front()->get_name());
  std::vector<std::string> known = option_names(app);
  if (!chosen.empty()) std::ranges::copy(option_names(*chosen.front()), std::back_inserter(known));
  const std::string unknown = unknown_option(words, known);
  if (const std::string needed = what_is_needed(error, app); unknown.empty() && !needed.empty())
    return fail({needed});
  if (unknown.empty())
    return fail({fmt::format("{}. Try: {} --help", words_of(error, app), command)},
                dynamic_cast<const CLI::ValidationError*>(&error) &&
                    std::ranges::find(words, "--json") != words.end());
  // The dashes are not what was mistyped.
  const auto bare = [](std::string name) { return name.erase(0, name.find_first_not_of('-')); };
  std::vector<std::string> names;
  for (const std::string& one : known) names.push_back(bare(one));
  const std::string near = nearest(bare(unknown), names);
  const std::string meant =
      near.empty()
          ? ""
          : known[static_cast<std::size_t>(std::ranges::find(names, near) - names.begin())];
  return fail({fmt::format("{} has no option {}.{} Try: {} --help", command, unknown,
                           meant.empty() ? "" : fmt::format(" Did you mean {}?", meant), command)});
}

/// What run_command() does; throws std::system_error.
int run(const Program& program, int argc, char** argv) {
  CLI::App app{"kata: practise CUDA operators for interviews, with or without a GPU", "kata"};
  Session session;
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const std::string first = argc > 1 ? argv[1] : "";
  const bool completes = first == "complete";  // works while the config file is wrong
  if (!completes) {
    if (const auto error = load_config(words, session)) return fail(*error);
  }
  app.add_flag("--plain", session.plain, "No colour, no progress line, no pager");
  app.add_flag("--yes", session.yes, "Answer yes to every question");
  for (const AddCommand add : program.commands) add(app, session);
  app.require_subcommand(program.without_command ? 0 : 1, 1);
  app.footer(footer);
  app.set_version_flag(
      "--version", [] { return "kata " + to_string(this_harness()); }, "The version of kata");

  if (completes) return complete(describe_program(app), {words.begin() + 1, words.end()});
  if (!first.empty() && first[0] != '-' && !has_command(app, first)) {
    return fail(no_such_command(app, program.other_commands, first));
  }
  catch_interrupts();
  session.typed = words;
  if (screen_wanted(false)) layout::narrow_to(screen_columns());
  session.program_arguments = take_program_arguments(words);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return after_parse_error(app, session.typed, error);
  }
  if (app.get_subcommands().empty()) session.status = program.without_command(session);
  if (interrupted()) {
    if (!session.says_how_it_ended) warn("interrupted");
    return interrupted_status();
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    return fail({fmt::format("cannot write the output: {}", std::strerror(errno))});
  }
  return session.status;
}

}  // namespace

void warn(const std::string& message) {
  const std::string line = "kata: " + message;
  // A terminal would break words in two; a program that reads a pipe needs the line as it is.
  fmt::print(stderr, "{}", isatty(STDERR_FILENO) ? layout::paragraph(line, 0) : line + "\n");
}

void print_json(const nlohmann::json& json) {
  fmt::print("{}\n", json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
}

int fail(const Error& error, bool json) {
  if (json) {
    print_json({{"schema", 1}, {"error", error.message}, {"detail", error.detail}});
    return exit_error;
  }
  const char* const end = error.detail.ends_with('\n') ? "" : "\n";
  if (!error.detail.empty()) fmt::print(stderr, "{}{}", error.detail, end);
  warn(error.message);
  return exit_error;
}

std::string no_such_setting(const std::string& key) {
  std::vector<std::string> names;
  for (const ConfigKey& known : config_keys()) names.push_back(known.name);
  const std::string meant = nearest(key, names);
  return fmt::format("there is no setting {}.{} {} config lists them", key,
                     meant.empty() ? "" : fmt::format(" Did you mean {}?", meant), command_name());
}

int run_command(const Program& program, int argc, char** argv) {
  try {
    return run(program, argc, argv);
  } catch (const std::system_error& error) {  // the terminal was closed while something was printed
    std::fprintf(stderr, "kata: %s\n", error.what());
    return exit_error;
  }
}

}  // namespace kata::cli
