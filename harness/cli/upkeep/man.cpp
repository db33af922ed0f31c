// kata man: the manual page, made from the commands themselves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/description.h"
#include "support/text.h"

namespace kata::cli {
namespace {

/// As roff reads it: no hyphen becomes another dash, no word an escape or a request.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '\\')
      escaped += "\\e";
    else if (letter == '-')
      escaped += "\\-";
    else
      escaped += letter;
  }
  return escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" + escaped : escaped;
}

std::string paragraph(const OptionDescription& option) {
  std::string value;
  if (!option.value.empty()) value = fmt::format(" \\fI{}\\fR", roff(option.value));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n",
                     roff(fmt::format("{}", fmt::join(option.names, ", "))), value,
                     roff(option.help));
}

std::string section(const CommandDescription& command) {
  std::string heading = "kata " + command.name;
  for (const OptionDescription& one : command.operands) {
    const std::string& name = one.names.front();
    heading += one.needs_value ? " " + name : " [" + name + "]";
  }
  std::string text = fmt::format(".SS {}\n{}\n", roff(heading), roff(command.help));
  for (const OptionDescription& one : command.operands) text += paragraph(one);
  for (const OptionDescription& one : command.options) text += paragraph(one);
  return text;
}

std::string page(const ProgramDescription& program) {
  std::string text = fmt::format(
      ".TH KATA 1 \"\" \"kata {}\" \"User Commands\"\n"
      ".SH NAME\n{}\n"
      ".SH SYNOPSIS\n.B kata\n[\\fIcommand\\fR] [\\fIoptions\\fR]\n"
      ".SH DESCRIPTION\n",
      KATA_VERSION, roff(program.help).replace(0, 5, "kata \\-"));  // before: "kata:"
  for (const std::string& line : lines_of(program.footer)) {
    if (!line.empty()) text += ".PP\n" + roff(line) + "\n";
  }
  text += ".SH OPTIONS\nEvery command takes these:\n";
  for (const OptionDescription& one : program.options) text += paragraph(one);
  text += ".SH COMMANDS\n";
  for (const CommandDescription& one : program.commands) text += section(one);
  return text;
}

}  // namespace

void add_man(CLI::App& app, Session&) {
  Command(app, "man", "Print the manual page: kata man | man -l -").does([&app] {
    fmt::print("{}", page(describe_program(app)));
  });
}

}  // namespace kata::cli
