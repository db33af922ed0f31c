#pragma once
// Where things are: one place that knows the layout.

#include <filesystem>
#include <string>

namespace kata {

/// What kata reads: solutions, headers, templates, docs. $KATA_ROOT, else the package that this
/// program lies in, else the repository that it was built from.
std::filesystem::path root();

/// Whether this is a package, which is read-only, rather than a clone.
bool is_installed();

/// What the person writes, exercises/ in it: root(), or of a package the folder that `kata init`
/// made, ~/kata if it made none.
std::filesystem::path practice_folder();

/// Where `kata init` keeps that folder's path: a symbolic link in state_folder().
std::filesystem::path practice_link();

/// Compiled modules and what is known of them: $KATA_CACHE, else <build folder>/cache, of a package
/// $XDG_CACHE_HOME/kata/cache or ~/.cache/kata/cache.
std::filesystem::path cache_folder();

/// Pages that `kata report` writes: html/ beside the cache.
std::filesystem::path report_folder();

/// The folder that this program lies in (its workers lie beside it).
std::filesystem::path program_folder();

/// What belongs to the person, not to a checkout: $KATA_HOME, else $XDG_STATE_HOME/kata, else
/// ~/.local/state/kata.
std::filesystem::path state_folder();

/// Where the person's settings are: $KATA_HOME, else $XDG_CONFIG_HOME/kata, else ~/.config/kata.
std::filesystem::path config_folder();

std::filesystem::path exercise(const std::string& operator_name);  ///< exercises/x/x.cu
std::filesystem::path stub(const std::string& operator_name);  ///< exercises/x/.stub.cu, as it was
std::filesystem::path exercise_readme(const std::string& operator_name);  ///< exercises/x/README.md
std::filesystem::path asked_file(const std::string& operator_name);  ///< exercises/x/asked.toml
std::filesystem::path solutions(const std::string& operator_name);   ///< solutions/x

std::filesystem::path quiz_folder();        ///< docs/quiz
std::filesystem::path path_folder();        ///< docs/path
std::filesystem::path interviewer_words();  ///< docs/interviewer.toml

/// `path` as a person would type it from the working folder, if that is shorter; a file of kata's
/// settings or history from the home folder, "~/.config/kata/config.toml".
std::string shown(const std::filesystem::path& path);

/// As one word of a command line for a shell: quoted if it has to be.
std::string shell_word(const std::string& text);

/// How a person starts this program from the working folder: "kata" if that is what PATH finds,
/// else the path of the launcher.
std::string command_name();

}  // namespace kata
