#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/config.h"
#include "grading/ladder.h"
#include "problems/spec/problem.h"
#include "support/text.h"

namespace kata::cli {
namespace {

const OptionDescription* find_option(const std::vector<OptionDescription>& options,
                                     const std::string& name) {
  for (const OptionDescription& option : options) {
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end())
      return &option;
  }
  return nullptr;
}

std::vector<Completion> operators() {
  std::vector<Completion> found;
  for (const Problem& problem : problems()) found.push_back({problem.name, problem.summary});
  return found;
}

std::vector<Completion> rungs(const std::string& operator_name) {
  std::vector<Completion> found;
  for (const Rung& rung : ladder(operator_name))
    found.push_back({fmt::format("{}", rung.number), rung.idea});
  return found;
}

/// What an option's value or an operand can be. `operands` are those before it.
std::vector<Completion> values_of(const OptionDescription& option,
                                  const std::vector<std::string>& operands) {
  std::vector<Completion> found;
  if (option.value.find('|') != std::string::npos) {
    for (const std::string& one : split(option.value, '|')) found.push_back({one});
    return found;
  }
  const std::string& name = option.names.back();
  if (name == "rung" || name == "other") return operands.empty() ? found : rungs(operands.front());
  if (name == "key") {
    for (const ConfigKey& key : config_keys()) {
      if (key.name.find('*') == std::string::npos) found.push_back({key.name, key.help});
    }
    return found;
  }
  const bool is_operator = name.find("operator") != std::string::npos;
  return is_operator ? operators() : found;
}

/// The words that are neither options nor their values.
std::vector<std::string> operands_in(const std::vector<std::string>& words,
                                     const std::vector<OptionDescription>& options) {
  std::vector<std::string> operands;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const OptionDescription* const option = find_option(options, words[i]);
    if (option) {
      i += option->needs_value;
    } else if (!words[i].starts_with('-')) {
      operands.push_back(words[i]);
    }
  }
  return operands;
}

std::vector<Completion> names_of(const std::vector<OptionDescription>& options) {
  std::vector<Completion> found;
  for (const OptionDescription& option : options)
    found.push_back({option.names.back(), option.help});
  return found;
}

/// Before the prefix counts.
std::vector<Completion> all_completions(const ProgramDescription& program,
                                        const std::vector<std::string>& before,
                                        const std::string& typed) {
  const auto word = std::find_if(before.begin(), before.end(),
                                 [](const std::string& one) { return !one.starts_with('-'); });
  const auto command =
      std::find_if(program.commands.begin(), program.commands.end(),
                   [&](const auto& one) { return word != before.end() && one.name == *word; });
  if (command == program.commands.end()) {
    if (word != before.end()) return {};
    if (typed.starts_with('-')) return names_of(program.options);
    std::vector<Completion> found;
    for (const CommandDescription& one : program.commands) found.push_back({one.name, one.help});
    return found;
  }
  std::vector<OptionDescription> options = command->options;
  options.insert(options.end(), program.options.begin(), program.options.end());
  const std::vector<std::string> operands = operands_in({word + 1, before.end()}, options);
  const OptionDescription* const option = find_option(options, before.back());
  if (option && option->needs_value) return values_of(*option, operands);
  if (typed.starts_with('-')) return names_of(options);
  if (command->operands.empty()) return {};
  const std::size_t place = std::min(operands.size(), command->operands.size() - 1);
  return values_of(command->operands[place], operands);
}

}  // namespace

std::vector<Completion> completions(const ProgramDescription& program,
                                    std::vector<std::string> words) {
  if (words.empty()) return {};
  std::string typed = words.back() == "=" ? "" : words.back();  // bash: --name = value
  words.pop_back();
  std::erase(words, "=");
  std::string kept;  // the text before the value in zsh and fish: --name=
  if (const auto equals = typed.find('='); typed.starts_with("--") && equals != typed.npos) {
    kept = typed.substr(0, equals + 1);
    words.push_back(typed.substr(0, equals));
    typed.erase(0, equals + 1);
  }
  std::vector<Completion> found = all_completions(program, words, typed);
  std::erase_if(found, [&](const Completion& one) { return !one.word.starts_with(typed); });
  for (Completion& one : found) one.word.insert(0, kept);
  return found;
}

}  // namespace kata::cli
