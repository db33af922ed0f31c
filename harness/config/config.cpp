#include "config/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "config/document.h"
#include "support/date.h"
#include "support/files.h"
#include "support/paths.h"
#include "timing/chip.h"

namespace kata {
namespace {

/// What a key does with its value. Returns what it takes instead, or an empty string.
using Apply = std::string (*)(Config& config, const std::string& name, const std::string& value);

struct KnownKey {
  ConfigKey key;
  bool is_number;
  Apply apply;  ///< `name` is what stands for "*"
};

std::string one_of(const std::vector<std::string>& words, const std::string& value) {
  const bool found = std::find(words.begin(), words.end(), value) != words.end();
  return found ? "" : fmt::format("{}", fmt::join(words, ", "));
}

std::string apply_chip(Config& config, const std::string&, const std::string& value) {
  std::vector<std::string> names = chip_names();
  names.push_back("none");
  config.chip = value;
  return one_of(names, value);
}

std::string apply_backend(Config& config, const std::string&, const std::string& value) {
  config.backend = value;
  return one_of({"auto", "gpu", "emulator"}, value);
}

std::string apply_color(Config& config, const std::string&, const std::string& value) {
  config.color = value == "always"  ? ColorChoice::always
                 : value == "never" ? ColorChoice::never
                                    : ColorChoice::automatic;
  return one_of({"auto", "always", "never"}, value);
}

std::string apply_editor(Config& config, const std::string&, const std::string& value) {
  config.editor = value;
  return value.empty() ? "a command, such as vim or \"code --wait\"" : "";
}

/// Sets `minutes` to what the text says.
std::string read_minutes(const std::string& value, std::uint64_t& minutes) {
  const char* const end = value.data() + value.size();
  const auto [after, failed] = std::from_chars(value.data(), end, minutes);
  const bool fits =
      failed == std::errc() && after == end && minutes >= 1 && minutes <= minutes_a_day;
  return fits ? "" : fmt::format("a number from 1 to {}", minutes_a_day);
}

std::string apply_minutes(Config& config, const std::string&, const std::string& value) {
  return read_minutes(value, config.interview_minutes.emplace());
}

std::string apply_until(Config& config, const std::string&, const std::string& value) {
  config.plan_until = value;
  return day_from(value) ? "" : "a date such as 2026-12-20";
}

std::string apply_plan_minutes(Config& config, const std::string&, const std::string& value) {
  return read_minutes(value, config.plan_minutes);
}

std::string apply_track(Config& config, const std::string&, const std::string& value) {
  config.plan_track = value;
  return value.empty() ? "the name of a track" : "";
}

std::string apply_page_keys(Config& config, const std::string&, const std::string& value) {
  config.page_keys = value;
  const bool known = value == "default" || value == "vim" || value == "emacs";
  return known ? "" : "default, vim or emacs";
}

std::string apply_host(Config& config, const std::string& name, const std::string& value) {
  config.remotes[name].host = value;
  return value.empty() || value.starts_with('-') ? "a host as ssh takes it, such as me@lab" : "";
}

/// A key of [remote.<name>] that takes any text.
template <std::string Remote::*member>
std::string apply_remote(Config& config, const std::string& name, const std::string& value) {
  config.remotes[name].*member = value;
  return value.empty() ? "a text; leave the line out for the default" : "";
}

const std::vector<KnownKey>& known_keys() {
  static const std::vector<KnownKey> keys = {
      {{"chip", "estimate times for it where there is no GPU", "h200"}, false, apply_chip},
      {{"backend", "where candidates run", "auto"}, false, apply_backend},
      {{"color", "colours on the terminal", "auto"}, false, apply_color},
      {{"editor", "what opens a file", "vi"}, false, apply_editor},
      {{"interview_minutes", "length of an interview", "15, 25 or 40 by difficulty"},
       true,
       apply_minutes},
      {{"plan.until", "the day of the interview", ""}, false, apply_until},
      {{"plan.minutes", "practice each day", "45"}, true, apply_plan_minutes},
      {{"plan.track", "what the interview is about", "general"}, false, apply_track},
      {{"page.keys", "keys of the page's editor", "default"}, false, apply_page_keys},
      {{"remote.*.host", "a machine for --on", ""}, false, apply_host},
      {{"remote.*.folder", "where kata is there", "~/kata-remote"},
       false,
       apply_remote<&Remote::folder>},
      {{"remote.*.srun", "options of srun, on a Slurm cluster", ""},
       false,
       apply_remote<&Remote::srun>},
      {{"remote.*.ssh", "the ssh command, with options", "ssh"}, false, apply_remote<&Remote::ssh>},
      {{"remote.*.before", "a shell command that runs first there", ""},
       false,
       apply_remote<&Remote::before>},
  };
  return keys;
}

/// What stands for the "*" of `pattern` in `key`; nothing if they differ.
std::optional<std::string> match(const std::string& pattern, const std::string& key) {
  const std::size_t star = pattern.find('*');
  if (star == std::string::npos) {
    return pattern == key ? std::optional<std::string>("") : std::nullopt;
  }
  const std::string before = pattern.substr(0, star), after = pattern.substr(star + 1);
  const bool fits =
      key.size() > before.size() + after.size() && key.starts_with(before) && key.ends_with(after);
  if (!fits) return {};
  return key.substr(before.size(), key.size() - before.size() - after.size());
}

/// A name that TOML takes without quotes.
bool is_plain(const std::string& name) {
  constexpr const char* letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return name.find_first_not_of(letters) == std::string::npos;
}

struct Match {
  const KnownKey* key = nullptr;  ///< null: unknown
  std::string name = {};
};

Match find_key(const std::string& key) {
  for (const KnownKey& known : known_keys()) {
    const auto name = match(known.key.name, key);
    if (name && is_plain(*name)) return {&known, *name};
  }
  return {};
}

/// An Error that says what the key takes.
std::optional<Error> apply(const Match& found, const Setting& setting, Config& config) {
  const std::string takes = found.key->apply(config, found.name, setting.value);
  if (takes.empty()) return {};
  return Error{fmt::format("{} takes {}; not {}", setting.key, takes,
                           setting.value.empty() ? "an empty text" : setting.value)};
}

/// An empty text where there is no file.
Result<std::string> config_text() {
  const std::filesystem::path file = config_file();
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::string();
  const auto text = read_file(file);
  if (!text) return Error{fmt::format("cannot read {}", shown(file))};
  return *text;
}

std::optional<Error> write_config(const std::string& text) {
  const std::string reason = write_file(config_file(), text);
  if (reason.empty()) return {};
  return Error{fmt::format("cannot write {}: {}", shown(config_file()), reason)};
}

}  // namespace

const std::vector<ConfigKey>& config_keys() {
  static const std::vector<ConfigKey> keys = [] {
    std::vector<ConfigKey> all;
    for (const KnownKey& known : known_keys()) all.push_back(known.key);
    return all;
  }();
  return keys;
}

bool is_config_key(const std::string& key) {
  return find_key(key).key != nullptr;
}

std::filesystem::path config_file() {
  return config_folder() / "config.toml";
}

Result<Config> parse_config(const std::string& text, const std::string& name) {
  Result<std::vector<Setting>> settings = settings_in(text, name);
  if (!settings) return Error{settings.error().message + ". Mend that line in an editor"};
  Config config;
  for (const Setting& setting : *settings) {
    const Match found = find_key(setting.key);
    if (!found.key) {
      config.unknown.push_back(setting);
      continue;
    }
    if (const auto error = apply(found, setting, config)) {
      return Error{
          fmt::format("{0}:{1}: {2}. To mend it: {3} config {4} VALUE, or {3} config "
                      "--unset {4}",
                      name, setting.line, error->message, command_name(), setting.key)};
    }
    config.settings.push_back(setting);
  }
  return config;
}

Result<Config> read_config() {
  const Result<std::string> text = config_text();
  if (!text) return text.error();
  return parse_config(*text, shown(config_file()));
}

std::optional<Error> set_config(const std::string& key, const std::string& value) {
  const Match found = find_key(key);
  if (!found.key) return Error{fmt::format("there is no setting {}", key)};
  Config ignored;
  if (const auto error = apply(found, {key, value}, ignored)) return error;
  const Result<std::string> text = config_text();
  if (!text) return text.error();
  const auto changed = with_setting(*text, shown(config_file()), key, value, found.key->is_number);
  return changed ? write_config(*changed) : changed.error();
}

Result<bool> unset_config(const std::string& key) {
  const Result<std::string> text = config_text();
  if (!text) return text.error();
  const auto changed = without_setting(*text, shown(config_file()), key);
  if (!changed) return changed.error();
  if (*changed == *text) return false;
  if (const auto error = write_config(*changed)) return *error;
  return true;
}

}  // namespace kata
