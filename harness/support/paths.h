#pragma once
// Where things are: one place that knows the layout.

#include <filesystem>
#include <string>

namespace kata {

/// The repository's root: $KATA_ROOT, else where this program was built from.
std::filesystem::path root();

/// Compiled modules and what is known of them: $KATA_CACHE, else <build folder>/cache.
std::filesystem::path cache_folder();

/// The folder that this program lies in (its workers lie beside it).
std::filesystem::path program_folder();

/// What belongs to the person, not to a checkout: $KATA_HOME, else $XDG_STATE_HOME/kata, else
/// ~/.local/state/kata.
std::filesystem::path state_folder();

/// Where the person's settings are: $KATA_HOME, else $XDG_CONFIG_HOME/kata, else ~/.config/kata.
std::filesystem::path config_folder();

std::filesystem::path exercise(const std::string& operator_name);  ///< exercises/x/x.cu
std::filesystem::path stub(const std::string& operator_name);  ///< exercises/x/.stub.cu, as it was
std::filesystem::path solutions(const std::string& operator_name);  ///< solutions/x

std::filesystem::path quiz_folder();  ///< docs/quiz

/// `path` as a person would type it from the working folder, if that is shorter.
std::string shown(const std::filesystem::path& path);

/// As one word of a command line for a shell: quoted if it has to be.
std::string shell_word(const std::string& text);

/// How a person starts this program from the working folder: "kata" if that is what PATH finds,
/// else the path of the launcher.
std::string command_name();

}  // namespace kata
