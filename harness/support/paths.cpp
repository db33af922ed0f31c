#include "support/paths.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "support/process.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

fs::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? fs::path(value) : fs::path();
}

/// HOME, else the home folder in the user database; never a path relative to the working folder.
fs::path home_folder() {
  if (const fs::path home = from_environment("HOME"); !home.empty()) return home;
  const passwd* user = getpwuid(geteuid());
  return user && user->pw_dir ? user->pw_dir : "/";
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Looked for once: a start asks for it more than a hundred times.
const fs::path& own_root() {
  static const fs::path found = [] {
    const fs::path beside = program_folder().parent_path();  // a package: bin/kata, solutions/, ...
    return is_there(beside / "solutions") ? beside : fs::path(KATA_SOURCE_DIR);
  }();
  return found;
}

/// What kata makes by itself, in a folder that a person may write to.
fs::path made_folder() {
  if (!is_installed()) return program_folder();
  if (const fs::path cache = from_environment("XDG_CACHE_HOME"); !cache.empty())
    return cache / "kata";
  return home_folder() / ".cache" / "kata";
}

}  // namespace

fs::path root() {
  if (const fs::path chosen = from_environment("KATA_ROOT"); !chosen.empty()) return chosen;
  return own_root();
}

bool is_installed() {
  static const bool is_clone = is_there(own_root() / "CMakeLists.txt");
  return from_environment("KATA_ROOT").empty() && !is_clone;
}

fs::path program_folder() {
  static const fs::path folder = [] {
    std::error_code failed;
    const fs::path self = fs::read_symlink("/proc/self/exe", failed);
    return failed ? fs::path(".") : self.parent_path();
  }();
  return folder;
}

fs::path cache_folder() {
  const fs::path chosen = from_environment("KATA_CACHE");
  return chosen.empty() ? made_folder() / "cache" : fs::absolute(chosen);
}

fs::path report_folder() {
  return made_folder() / "html";
}

fs::path state_folder() {
  if (const fs::path chosen = from_environment("KATA_HOME"); !chosen.empty()) return chosen;
  if (const fs::path state = from_environment("XDG_STATE_HOME"); !state.empty())
    return state / "kata";
  return home_folder() / ".local" / "state" / "kata";
}

fs::path config_folder() {
  if (const fs::path chosen = from_environment("KATA_HOME"); !chosen.empty()) return chosen;
  if (const fs::path config = from_environment("XDG_CONFIG_HOME"); !config.empty())
    return config / "kata";
  return home_folder() / ".config" / "kata";
}

fs::path practice_folder() {
  if (!is_installed()) return root();
  std::error_code none;
  const fs::path chosen = fs::read_symlink(practice_link(), none);
  return none ? home_folder() / "kata" : chosen;
}

fs::path practice_link() {
  return state_folder() / "practice";
}

fs::path exercise(const std::string& operator_name) {
  return practice_folder() / "exercises" / operator_name / (operator_name + ".cu");
}

fs::path stub(const std::string& operator_name) {
  return practice_folder() / "exercises" / operator_name / ".stub.cu";
}

fs::path exercise_readme(const std::string& operator_name) {
  return root() / "exercises" / operator_name / "README.md";
}

fs::path asked_file(const std::string& operator_name) {
  return root() / "exercises" / operator_name / "asked.toml";
}

fs::path solutions(const std::string& operator_name) {
  return root() / "solutions" / operator_name;
}

fs::path interviewer_words() {
  return root() / "docs" / "interviewer.toml";
}

fs::path quiz_folder() {
  return root() / "docs" / "quiz";
}

fs::path path_folder() {
  return root() / "docs" / "path";
}

namespace {

/// "~/.config/kata/config.toml" of a file of kata's own below the home folder; empty for others.
std::string at_home(const fs::path& path) {
  const auto is_in = [&](const fs::path& folder) {
    return !folder.empty() && path.string().starts_with(folder.string() + "/");
  };
  const fs::path home = home_folder();
  if (!is_in(home) || !(is_in(config_folder()) || is_in(state_folder()))) return {};
  return "~" + path.string().substr(home.string().size());
}

}  // namespace

std::string shown(const fs::path& path) {
  if (const std::string own = at_home(path); !own.empty()) return own;
  std::error_code failed;
  const fs::path relative = fs::proximate(path, failed);
  if (failed || relative.empty()) return path.string();
  const std::string text = relative.string(), full = path.string();
  return text.size() < full.size() ? text : full;
}

std::string shell_word(const std::string& text) {
  constexpr const char* harmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!text.empty() && text.find_first_not_of(harmless) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char letter : text) {
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  return quoted + "'";
}

std::string command_name() {
  const fs::path launcher =
      is_installed() ? program_folder() / "kata" : root() / "harness" / "kata";
  std::error_code failed;
  const fs::path found = find_program("kata");
  return !found.empty() && fs::equivalent(found, launcher, failed) ? "kata"
                                                                   : shell_word(shown(launcher));
}

}  // namespace kata
