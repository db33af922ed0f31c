#include "cli/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>

namespace kata::cli {

namespace {

std::string words_of(Limits limits) {
  if (limits.most < Limits{}.most) return fmt::format("{} to {}", limits.least, limits.most);
  return limits.least > 0 ? fmt::format("{} or more", limits.least) : "a whole number";
}

/// CLI11 alone takes -1 for the largest unsigned number.
std::uint64_t number_from(const std::string& option, const std::string& text, Limits limits) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, failed] = std::from_chars(text.data(), end, number);
  if (failed == std::errc() && stopped == end && number >= limits.least && number <= limits.most)
    return number;
  throw CLI::ValidationError(fmt::format("{} takes {}; not {}", option, words_of(limits),
                                         text.empty() ? "nothing" : text));
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
                         const std::string& help, Limits limits) {
  command_
      .add_option_function<std::string>(
          name,
          [&value, name, limits](const std::string& text) {
            value = number_from(name, text, limits);
          },
          help)
      ->type_name("N");
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
