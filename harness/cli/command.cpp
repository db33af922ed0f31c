#include "cli/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

namespace kata::cli {

namespace {

/// CLI11 alone takes -1 for the largest unsigned number.
std::string whole_number(const std::string& text) {
  const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
  return digits && !text.empty() ? "" : fmt::format("{} is no whole number, or is below 0", text);
}

}  // namespace

Command::Command(CLI::App& app, const std::string& name, const std::string& help)
    : command_(*app.add_subcommand(name, help)) {
  command_.fallthrough();  // --plain and --yes may stand anywhere
}

Command& Command::operand(const std::string& text, std::string& value, const std::string& help) {
  command_.add_option(text, value, help)->required()->type_name("");
  return *this;
}

Command& Command::optional_operand(const std::string& text, std::string& value,
                                   const std::string& help) {
  command_.add_option(text, value, help)->type_name("");
  return *this;
}

Command& Command::operands(const std::string& text, std::vector<std::string>& values,
                           const std::string& help) {
  command_.add_option(text, values, help)->type_name("");
  return *this;
}

Command& Command::option(const std::string& name, const std::string& type, std::string& value,
                         const std::string& help) {
  command_.add_option(name, value, help)->type_name(type);
  return *this;
}

Command& Command::list(const std::string& name, const std::string& type,
                       std::vector<std::string>& values, const std::string& help) {
  command_.add_option(name, values, help)->type_name(type)->allow_extra_args(false);
  return *this;
}

Command& Command::choice(const std::string& name, const std::vector<std::string>& choices,
                         std::string& value, const std::string& help) {
  command_.add_option(name, value, help)
      ->check(CLI::IsMember(choices).description(""))
      ->type_name(fmt::format("{}", fmt::join(choices, "|")));
  return *this;
}

Command& Command::number(const std::string& name, std::optional<std::uint64_t>& value,
                         const std::string& help) {
  command_
      .add_option_function<std::uint64_t>(
          name, [&value](const std::uint64_t& number) { value = number; }, help)
      ->type_name("N")
      ->transform(CLI::Validator(whole_number, ""));
  return *this;
}

Command& Command::option_with_default(const std::string& name, const std::string& type,
                                      std::optional<std::string>& value, const std::string& help) {
  command_
      .add_option_function<std::string>(
          name, [&value](const std::string& text) { value = text; }, help)
      ->expected(0, 1)
      ->type_name("[" + type + "]");
  return *this;
}

Command& Command::flag(const std::string& name, bool& value, const std::string& help) {
  command_.add_flag(name, value, help);
  return *this;
}

Command& Command::hidden_flag(const std::string& name, bool& value) {
  command_.add_flag(name, value)->group("");
  return *this;
}

Command& Command::hidden_option(const std::string& name, std::string& value) {
  command_.add_option(name, value)->group("");
  return *this;
}

Command& Command::exclusive(const std::string& one_name, const std::string& other_name) {
  command_.get_option(one_name)->excludes(command_.get_option(other_name));
  return *this;
}

Command& Command::hidden() {
  command_.group("");
  return *this;
}

void Command::does(const std::function<void()>& action) {
  command_.callback(action);
}

}  // namespace kata::cli
