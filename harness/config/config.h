#pragma once
// The person's settings: one TOML file. Command-line options come before it.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"

namespace kata {

enum class ColorChoice { automatic, always, never };

constexpr std::uint64_t minutes_a_day = 24 * 60;

/// A machine that --on names: the table [remote.<name>].
struct Remote {
  std::string host = {};    ///< as ssh takes it; empty: this machine, with `srun`
  std::string folder = {};  ///< where kata is there; empty: ~/kata-remote, or here this very kata
  std::string srun = {};    ///< options of srun; empty: no Slurm
  std::string ssh = {};     ///< the command, with options; empty: ssh
  std::string before = {};  ///< a shell command that runs first, such as `module load cuda`
};

/// A key with its value, as the file has it.
struct Setting {
  std::string key;  ///< with dots: "remote.lab.host"
  std::string value;
  int line = 0;
};

struct Config {
  std::string chip = "h200";  ///< "none": no estimates are shown
  std::string backend = "auto";
  ColorChoice color = ColorChoice::automatic;
  std::string editor = {};  ///< a command; empty: $VISUAL or $EDITOR says
  std::optional<std::uint64_t> interview_minutes = {};
  std::string plan_until = {};  ///< "2026-12-20"; empty: there is no plan
  std::uint64_t plan_minutes = 45;
  std::string plan_track = "general";
  std::string page_keys = "default";  ///< of the editor in the page: "vim", "emacs"
  std::map<std::string, Remote> remotes = {};

  std::vector<Setting> settings = {};  ///< what the file sets
  std::vector<Setting> unknown = {};   ///< keys that no kata has, or only a newer one

  /// For a command that needs a chip.
  std::string some_chip() const { return chip == "none" ? Config().chip : chip; }
};

/// One that the file may have. In `name`, "*" stands for a name that the person chooses.
struct ConfigKey {
  std::string name;
  std::string help;      ///< what it is, in a few words
  std::string fallback;  ///< what holds where the file says nothing
};

const std::vector<ConfigKey>& config_keys();

/// Whether the file may have it: "chip", "remote.lab.host".
bool is_config_key(const std::string& key);

/// $KATA_HOME/config.toml, else $XDG_CONFIG_HOME/kata/config.toml, else ~/.config/kata/config.toml.
std::filesystem::path config_file();

/// The defaults where there is no file. An Error names the line that is wrong.
Result<Config> read_config();

/// The same from a file's text; `name` is what an Error calls it.
Result<Config> parse_config(const std::string& text, const std::string& name);

/// Writes one value, and keeps comments and order. An Error if there is no such key, if it does not
/// take that value, or if the file cannot be read or written; then the file stays as it is.
std::optional<Error> set_config(const std::string& key, const std::string& value);

/// Removes a key, or a table such as "remote.lab". Returns whether it was there.
Result<bool> unset_config(const std::string& key);

}  // namespace kata
