#include "cli/description.h"

#include <CLI/CLI.hpp>

namespace kata::cli {
namespace {

OptionDescription describe(const CLI::Option& option) {
  OptionDescription found{.value = option.get_type_name(),
                          .help = option.get_description(),
                          .needs_value = option.nonpositional()
                                             ? option.get_items_expected_min() > 0
                                             : option.get_required()};
  for (const std::string& name : option.get_snames()) found.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) found.names.push_back("--" + name);
  if (found.names.empty()) found.names.push_back(option.get_name(/*positional=*/true));
  return found;
}

bool is_shown(const CLI::Option* option) {
  return !option->get_group().empty();
}

}  // namespace

ProgramDescription describe_program(const CLI::App& app) {
  ProgramDescription program{.help = app.get_description(), .footer = app.get_footer()};
  for (const CLI::Option* option : app.get_options(is_shown))
    program.options.push_back(describe(*option));
  for (const CLI::App* one : app.get_subcommands(nullptr)) {
    if (one->get_group().empty()) continue;
    CommandDescription command{.name = one->get_name(), .help = one->get_description()};
    for (const CLI::Option* option : one->get_options(is_shown)) {
      if (option == one->get_help_ptr()) continue;  // the program has it
      (option->nonpositional() ? command.options : command.operands).push_back(describe(*option));
    }
    program.commands.push_back(std::move(command));
  }
  return program;
}

}  // namespace kata::cli
