// kata config: the person's settings, and where each value comes from.
#include "config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/commands.h"
#include "cli/terminal/editor.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

/// A value that holds now.
struct Effective {
  std::string key, value, from;
};

bool is_pattern(const ConfigKey& key) {
  return key.name.find('*') != std::string::npos;
}

/// As the file, the environment and the defaults have it.
Effective effective(const ConfigKey& key, const Config& config) {
  const char* const no_color = std::getenv("NO_COLOR");
  if (key.name == "color" && no_color && *no_color) return {key.name, "never", "$NO_COLOR"};
  for (const Setting& set : config.settings) {
    if (set.key == key.name) return {key.name, set.value, fmt::format("line {}", set.line)};
  }
  if (const Editor editor = chosen_editor(config); key.name == "editor" && !editor.from.empty())
    return {key.name, editor.command, editor.from};
  return {key.name, key.fallback, "default"};
}

std::vector<Effective> all_settings(const Config& config) {
  std::vector<Effective> all;
  for (const ConfigKey& key : config_keys()) {
    if (!is_pattern(key)) all.push_back(effective(key, config));
  }
  const std::size_t named = all.size();
  for (const Setting& set : config.settings) {
    const auto same = [&](const Effective& one) { return one.key == set.key; };
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(named);
    if (std::none_of(all.begin(), end, same))
      all.push_back({set.key, set.value, fmt::format("line {}", set.line)});
  }
  return all;
}

int show_all(const Config& config) {
  for (const Effective& one : all_settings(config)) {
    fmt::print("{:<20} {:<28} {}\n", one.key, one.value, one.from);
  }
  std::error_code ignored;
  const bool there = std::filesystem::exists(config_file(), ignored);
  fmt::print(
      "\nFile: {}{}\nTo change a setting, and to go back to its default:\n"
      "  {} config chip a100\n  {} config --unset chip\n",
      shown(config_file()), there ? "" : " (not there yet)", command_name(), command_name());
  return 0;
}

int show_json(const Config& config) {
  nlohmann::json settings = nlohmann::json::array();
  for (const Effective& one : all_settings(config))
    settings.push_back({{"key", one.key}, {"value", one.value}, {"from", one.from}});
  print_json({{"schema", 1}, {"file", config_file().string()}, {"settings", settings}});
  return 0;
}

int show_one(const std::string& key, const Config& config) {
  for (const Effective& one : all_settings(config)) {
    if (one.key != key) continue;
    fmt::print("{}\n", one.value);
    return 0;
  }
  return fail({no_such_setting(key)});
}

int unset(const std::string& key) {
  const Result<bool> removed = unset_config(key);
  if (!removed) return fail(removed.error());
  if (!*removed) return fail({fmt::format("{} is not set in {}", key, shown(config_file()))});
  fmt::print("{} is no longer set in {}\n", key, shown(config_file()));
  return 0;
}

int set(const std::string& key, const std::string& value) {
  if (!is_config_key(key)) return fail({no_such_setting(key)});
  if (const auto error = set_config(key, value)) return fail(*error);
  fmt::print("{} = {} in {}\n", key, value, shown(config_file()));
  return 0;
}

int configure(const std::vector<std::string>& words, bool take_away, bool json) {
  if (words.size() > (take_away ? 1 : 2) || (take_away && words.empty())) {
    return fail(
        {fmt::format("config takes a key and a value, such as {0} config chip a100, or "
                     "{0} config --unset chip",
                     command_name())});
  }
  if (take_away) return unset(words[0]);
  if (words.size() == 2) return set(words[0], words[1]);
  const Result<Config> config = read_config();
  if (!config) return fail(config.error());
  if (json) return show_json(*config);
  return words.empty() ? show_all(*config) : show_one(words[0], *config);
}

}  // namespace

void add_config(CLI::App& app, Session& session) {
  static std::vector<std::string> words;
  static bool take_away = false, json = false;
  Command(app, "config", "Show your settings, or change one")
      .operands("key", words, "A setting, and its new value")
      .flag("--unset", take_away, "Back to its default")
      .flag("--json", json, "All settings as one JSON object")
      .exclusive("--json", "--unset")
      .does([&session] { session.status = configure(words, take_away, json); });
}

}  // namespace kata::cli
